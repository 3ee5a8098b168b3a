#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gbflow_results: tables of what the program wrote, against the JSON and CSV themselves; the wheel; the notebook of the docs."""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import setting

sys.path.insert(0, str(setting.REPORT))
import gbflow_results as results  # noqa: E402  pylint: disable=wrong-import-position
from gbflow_report import sweep_results  # noqa: E402  pylint: disable=wrong-import-position
from gbflow_results import tables  # noqa: E402  pylint: disable=wrong-import-position

ROOT = setting.REPORT.parent
QUICKSTART = ROOT / "config/scenarios/quickstart.lua"
CAPTURE = ROOT / "tests/data/captures/gi-osmo-ggsn.pcap.gz"
STUDY = """return { scenario = "%s", seeds = 2, series = true, baseline = { pdchs = "4" }, figures = { "classes.*" },
  axes = { { name = "scheme", points = { { label = "none" }, { label = "NA", set = { ["sgsn.queues.aqm.scheme"] = "codel" } } } },
           { name = "pdchs", set = { "cells[1].pdchs" }, values = { 3, 4 } } } }"""

# An interpreter with the modules of a folder, called as write_parquet() calls it: -I -c CODE ARGUMENT...
INTERPRETER = """#!/bin/sh
code=$3
shift 3
exec {python} -I -c 'import sys; sys.path.insert(0, "{folder}"); exec(sys.argv.pop(1))' "$code" "$@"
"""
PYARROW = {
    "__init__.py": "def string():\n    return str\n",
    "csv.py": """import csv
class ConvertOptions:
    def __init__(self, column_types):
        self.column_types = column_types
class Table:
    def __init__(self, columns):
        self.columns, self.column_names = columns, list(columns)
    def column(self, name):
        return self.columns[name]
    def set_column(self, index, name, column):
        return Table({old: column if place == index else values for place, (old, values) in enumerate(self.columns.items())})
def read_csv(path, convert_options):
    rows = list(csv.reader(open(path, newline="", encoding="utf-8")))
    return Table({name: [row[place] for row in rows[1:]] for place, name in enumerate(rows[0])})
""",
    "compute.py": """import re
def replace_substring_regex(column, pattern, replacement):
    return [re.sub(pattern, replacement, text) for text in column]
""",
    "parquet.py": """import json
def write_table(table, path):
    with open(path, "w") as file:
        json.dump(table.columns, file)
""",
}

# table of a run, row, column, path of the same value in summary.json
CELLS = [
    ("mobiles", "anna", "npdu_in", ["mobiles", 0, "npdu_in"]),
    ("mobiles", "carl", "delay_s.p95", ["mobiles", 2, "delay_s", "p95"]),
    ("mobiles", "bert", "drops.lifetime", ["mobiles", 1, "drops", "lifetime"]),
    ("classes", "thp2", "fairness.jain", ["classes", "thp2", "fairness", "jain"]),
    ("cells", "2", "drops.lifetime", ["cells", "2", "drops", "lifetime"]),
    ("tcp", "anna#0", "rtt_s.max", ["tcp", 0, "rtt_s", "max"]),
    ("ping", "carl", "received", ["ping", 1, "received"]),
    ("pages", 0, "time_s", ["pages", 0, "time_s"]),
]

SUMMARY = {"schema": "gbflow-summary/2", "mobiles": [{"mobile": "NA", "delay_s": {"p50": None}}]}
HEAD = "time_s,name,of,value\n"

# files of a folder, what is read of it, what the message says after the folder
FAULTS = [
    ({}, lambda folder: results.load_run(folder), "No such file"),
    ({"summary.json": "{"}, lambda folder: results.load_run(folder), "summary.json: not JSON"),
    ({"summary.json": "{}"}, lambda folder: results.load_run(folder), "summary.json: schema is not gbflow-summary/2"),
    ({"summary.json": json.dumps({**SUMMARY, "gb": {"rate_bps": 1}})}, lambda folder: results.load_run(folder).table("gb"),
     "gb is no table"),
    ({"summary.json": json.dumps(SUMMARY), "series.csv": "time,name\n"}, lambda folder: results.load_run(folder).series,
     "series.csv:1: columns are not time_s,name,of,value"),
    ({"summary.json": json.dumps(SUMMARY), "series.csv": ""}, lambda folder: results.load_run(folder).series, "series.csv:1: columns are not time_s,name,of,value"),
    ({"summary.json": json.dumps(SUMMARY), "series.csv": HEAD + "x,a,b,1\n"}, lambda folder: results.load_run(folder).series, "series.csv: "),
    ({"summary.json": json.dumps(SUMMARY), "series.csv": HEAD + "1,a,b,1\n2,a,b,inf\n"},
     lambda folder: results.load_run(folder).series, "series.csv:3: value is no finite number"),
    ({"summary.json": json.dumps(SUMMARY), "series.csv": HEAD + "1,a,b,1\n"}, lambda folder: results.load_run(folder).curves("c"),
     "'c' is no name of its values: one of a"),
    ({"sweep.json": "{}"}, lambda folder: results.load_sweep(folder), "sweep.json: schema is not gbflow-sweep/1"),
    ({"sweep.json": '{"schema": "gbflow-sweep/1", "study": {"axes": [{"name": "x"}]}}', "results.csv": "run,x\n"},
     lambda folder: results.load_sweep(folder).values, "results.csv:1: columns are not run,seed,figure,value,unfinished and the axes"),
    ({"sweep.json": '{"schema": "gbflow-sweep/1", "study": {"axes": [{"name": "x"}]}}', "results.csv": "run,x,seed,figure,value,unfinished\n"},
     lambda folder: results.load_sweep(folder).run("y"), "'y' is no run: one of none at all"),
    ({"c.json": '{"schema": "gbflow-comparison/1"}'}, lambda folder: results.load_comparison(folder / "c.json"),
     "c.json: schema is not gbflow-comparison/2"),
    ({"analysis.json": "[]"}, lambda folder: results.load_analysis(folder), "analysis.json: schema is not gbflow-analysis/1"),
    ({"analysis.json": '{"schema": "gbflow-analysis/1", "connections": 3}'},
     lambda folder: results.load_analysis(folder).table("connections"), "connections is no table"),
]


def gbflow(*words):
    subprocess.run([setting.PROGRAM, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def git(folder, *words):
    return subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True).stdout


def walked(value, path):
    for key in path:
        value = value[key]
    return value


class Wide(unittest.TestCase):
    def test_objects_with_names_of_their_own(self):
        rows = [{f"{row}.{name}": 1 for name in range(4)} for row in range(1700)]
        with self.assertRaisesRegex(results.Failure, "1700 rows with 6800 different columns; at most 10000000 values"):
            tables.of_rows(rows)


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        gbflow("run", QUICKSTART, "--out", cls.folder / "run", "--no-report")
        (cls.folder / "study.lua").write_text(STUDY % QUICKSTART)
        gbflow("sweep", cls.folder / "study.lua", "--out", cls.folder / "sweep", "--no-report", "--no-parquet")

    def test_a_run_is_what_its_files_say(self):
        run = results.load_run(self.folder / "run")
        summary = json.loads((self.folder / "run/summary.json").read_text())
        for table, row, column, path in CELLS:
            with self.subTest(table=table, row=row, column=column):
                self.assertEqual(getattr(run, table).at[row, column], walked(summary, path))
        self.assertEqual((run.seed, len(run.table("aqm")), run.provenance["seed"]), (1, 0, 1))
        with open(self.folder / "run/series.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(run.series), len(rows))
        self.assertEqual(run.series["value"].tolist(), [float(row["value"]) for row in rows])
        anna = [float(row["value"]) for row in rows if (row["name"], row["of"]) == ("goodput_bps", "anna")]
        self.assertEqual(run.curves("goodput_bps")["anna"].dropna().tolist(), anna)

    def test_a_sweep_is_the_sum_of_its_runs(self):
        sweep = results.load_sweep(self.folder / "sweep")
        self.assertEqual((sweep.axes, len(sweep.runs)), (["scheme", "pdchs"], 8))
        wide = sweep.wide()
        for name in sweep.runs:
            row = wide.loc[name]
            self.assertEqual(name, f"scheme={row['scheme']},pdchs={row['pdchs']}-seed{row['seed']}")
            found = sweep.run(name)
            self.assertEqual((found.seed, found.classes.at["thp2", "npdu_in"]), (row["seed"], row["classes.thp2.npdu_in"]))
        mobiles, echoes = sweep.table("mobiles"), sweep.series("ping_rtt_s")
        self.assertEqual((len(mobiles), set(mobiles["scheme"]), set(echoes["of"])), (24, {"none", "NA"}, {"anna", "carl"}))
        mean = wide.groupby(["scheme", "pdchs"])["classes.thp2.npdu_in"].mean()
        points = sweep.points[sweep.points["figure"] == "classes.thp2.npdu_in"].set_index(["scheme", "pdchs"])["mean"]
        self.assertEqual(mean.to_dict(), points.to_dict())
        self.assertEqual(set(sweep.comparison["pdchs"]), {"3"})
        counts = [sweep.values.unfinished, sweep.points.unfinished, sweep.comparison.unfinished, sweep.comparison.baseline_unfinished]
        self.assertEqual({column.dtype.name for column in counts}, {"float64"})

    def test_a_comparison_and_an_analysis(self):
        target = self.folder / "comparison.json"
        gbflow("compare", *(self.folder / f"sweep/runs/points/scheme=none,pdchs={pdchs}" for pdchs in (3, 4)), "--json", target)
        rows, given = results.load_comparison(target), json.loads(target.read_text())["figures"]
        self.assertEqual(rows.index.tolist(), [row["figure"] for row in given])
        self.assertEqual(rows["verdict"].tolist(), [row["verdict"] for row in given])
        self.assertEqual(rows["a.mean"].dropna().tolist(), [row["a"]["mean"] for row in given if row["a"]])
        self.assertEqual(rows["b.unfinished"].dropna().tolist(), [row["b"]["unfinished"] for row in given if "unfinished" in (row["b"] or {})])
        gbflow("analyze", CAPTURE, "--out", self.folder / "analysis", "--no-report")
        analysis = results.load_analysis(self.folder / "analysis")
        given = analysis.document
        self.assertEqual(analysis.mobiles["connections"].to_dict(), {name: row["connections"] for name, row in given["mobiles"].items()})
        self.assertEqual(analysis.values["tree.all.count"], given["tree"]["all"]["count"])
        self.assertEqual(len(analysis.table("tree")), len(given["tree"]))

    def test_faults_are_named(self):
        for index, (files, read, words) in enumerate(FAULTS):
            folder = self.folder / f"fault{index}"
            folder.mkdir()
            for name, text in files.items():
                (folder / name).write_text(text)
            with self.subTest(words=words), self.assertRaises((results.Failure, OSError)) as raised:
                read(folder)
            self.assertIn(words, str(raised.exception))

    def test_no_cell_is_a_formula(self):
        """A text that a spreadsheet would compute is written with an apostrophe, and read without; numbers stay numbers."""
        texts = ["=1+1", "+x", "-x", "@x", "\tx", "'=x", "''@", "-1-1", "=", "-5 dB", "\rx", "'\rx", "-1e-3x", "-1e-", "=a\rb"]
        plain = ["-5", "+3", "-1e3", "-1e-3", "+1E+3", "1e-3", "-.5", "a=b", "1-2", "'a", "", "x", "a\r=1+1", "a\n=1+1"]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.csv"
            sweep_results.table(path, ["axis", "value"], [[text, -1.5] for text in texts + plain])
            with path.open(encoding="utf-8", newline="") as file:
                written = list(csv.reader(file))[1:]
            self.assertEqual([row[0] for row in written], [f"'{text}" for text in texts] + plain)
            self.assertEqual({row[1] for row in written}, {"-1.5"})
            found = tables.read_csv(path, {"axis": "str", "value": "float64"})
            self.assertEqual((found["axis"].tolist(), set(found["value"])), (texts + plain, {-1.5}))

    def test_a_parquet_file_has_the_labels_themselves(self):
        """By a stand-in for pyarrow that reads CSV and writes JSON: labels lose the apostrophe, and only that one."""
        labels = ["=1+1", "'=x", "\tx", "x", "'a", "-5"]
        with tempfile.TemporaryDirectory() as folder:
            python = pathlib.Path(folder) / "python"
            python.write_text(INTERPRETER.format(python=sys.executable, folder=folder))
            python.chmod(0o755)
            (python.parent / "pyarrow").mkdir()
            for name, text in PYARROW.items():
                (python.parent / "pyarrow" / name).write_text(text)
            source, target = python.parent / "results.csv", python.parent / "results.parquet"
            sweep_results.table(source, ["run", "figure", "axis", "value"], [[label, label, label, -1.5] for label in labels])
            self.assertIsNone(sweep_results.write_parquet(python, source, target, ["axis"]))
            self.assertEqual(json.loads(target.read_text()),
                             {"run": labels, "figure": labels, "axis": labels, "value": ["-1.5"] * len(labels)})

    def test_names_and_nulls_stay(self):
        folder = self.folder / "names"
        folder.mkdir()
        (folder / "summary.json").write_text(json.dumps(SUMMARY))
        (folder / "series.csv").write_text(HEAD + "1,ping_rtt_s,NA,0.5\n1,ping_rtt_s,nan,2\n")
        run = results.load_run(folder)
        self.assertEqual((list(run.mobiles.index), str(run.mobiles["delay_s.p50"].dtype)), (["NA"], "float64"))
        self.assertEqual(run.curves("ping_rtt_s").to_dict(), {"NA": {1.0: 0.5}, "nan": {1.0: 2.0}})

    def test_the_pages_do_without_pandas(self):
        code = "import sys, gbflow_results, gbflow_results.files; sys.exit('pandas' in sys.modules)"
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(setting.REPORT)})

    def test_a_python_without_the_libraries_is_told(self):
        """Without its site-packages this Python is as one that is not Debian's."""
        code = "import sys; sys.path.insert(0, sys.argv[1]); import gbflow_results as g; g.load_run('run')"
        done = subprocess.run([sys.executable, "-I", "-S", "-c", code, setting.REPORT], check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{sys.executable} has no module numpy, which gbflow_results needs: use the Python of Debian's packages "
                      "python3-numpy and python3-pandas, /usr/bin/python3, or ", done.stderr)

    def test_the_wheel_holds_the_package(self):
        tree = self.folder / "tree"
        source = tree / "python"
        shutil.copytree(setting.REPORT, source, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / ".gitignore", tree)
        git(tree, "init", "--quiet")
        git(tree, "add", ".")
        code = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
        done = subprocess.run([sys.executable, "-c", code, self.folder], cwd=source, check=True, capture_output=True, text=True)
        self.assertTrue((source / "build").is_dir())
        self.assertEqual(git(tree, "ls-files", "--others", "--exclude-standard"), "")  # the build leaves nothing to commit
        wheel = self.folder / done.stdout.splitlines()[-1]
        code = "import gbflow_results as g; print(g.__file__, len(g.load_run('run').mobiles))"
        done = subprocess.run([sys.executable, "-c", code], cwd=self.folder, check=True, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(wheel)})
        self.assertEqual(done.stdout.split(), [str(wheel / "gbflow_results/__init__.py"), "3"])
        version = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text()).group(1)
        self.assertEqual(wheel.name, f"gbflow_results-{version}-py3-none-any.whl")

    def test_the_notebook(self):
        """Cells are run in order as Jupyter would run them; GBFLOW_PLOTS=DIR keeps the plots."""
        import matplotlib  # pylint: disable=import-outside-toplevel
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel
        os.environ.update(GBFLOW_ROOT=str(ROOT), GBFLOW=str(setting.PROGRAM))
        cells = json.loads((ROOT / "docs/results.ipynb").read_text())["cells"]
        names, drawn = {}, []
        for index, cell in enumerate(cells):
            if cell["cell_type"] != "code":
                continue
            self.assertEqual(cell["outputs"], [])
            exec(compile("".join(cell["source"]), f"results.ipynb[{index}]", "exec"), names)  # pylint: disable=exec-used
            drawn += [figure_of(plt, number, index) for number in plt.get_fignums()]
        shutil.rmtree(names["out"])
        # The names in the legend of each panel of each plot.
        self.assertEqual(drawn, [[3, 3], [3], [2]])
        self.assertEqual(set(names["echoes"]["scheme"]), {"none", "CoDel"})
        self.assertGreater(len(names["compared"]), 100)


def figure_of(plt, number, index):
    figure = plt.figure(number)
    if "GBFLOW_PLOTS" in os.environ:
        figure.savefig(pathlib.Path(os.environ["GBFLOW_PLOTS"]) / f"cell{index}.png")
    found = [len(axes.get_legend_handles_labels()[1]) for axes in figure.axes]
    plt.close(figure)
    return found


if __name__ == "__main__":
    unittest.main()
