# SPDX-License-Identifier: BSD-3-Clause
"""gbflow sweep: every combination and seed is run once, with its own changes; tables agree with the runs; what is wrong is said
before the first run."""
import contextlib
import csv
import glob
import gzip
import json
import math
import os
import shutil
import signal
import subprocess
import time
import unittest

import scenario
from scenario import gbflow

SCHEME = "config/aqm/drop-front.lua"
STUDY = """return {
  title = "test <&>", scenario = "s.lua", seeds = 3, %s
  axes = {
    { name = "scheme", points = { { label = "none" }, { label = "CoDel", set = { ["sgsn.queues.aqm.scheme"] = "codel" } } } },
    { name = "pdchs", set = { "cells[1].pdchs" }, range = { from = 1, to = 2 } },
  },
}
"""
FIGURES = 'figures = { "classes.background.goodput_bps.total", "classes.background.sojourn_s.*" }, baseline = { scheme = "none" },'
GOODPUT, SOJOURN = "classes.background.goodput_bps.total", "classes.background.sojourn_s.mean"


KEPT = {"summary.json", "provenance.json", "distributions.json", "warmup.json", "log.txt"}


def packed(folder, name):
    with gzip.open(os.path.join(folder, name + ".gz")) as file:
        return json.load(file)


def octets_of(folder):
    return {name: os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)}


class Sweep(scenario.gbflow.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.write("s.lua", scenario.text(duration="30 s", sgsn='queues = { aqm = { lua = "scheme.lua" } }' if self.has_lua() else "",
                                          cells='bler = "5 %", flow_control = { bucket_time = "2 s" }',
                                          mobiles='{ name = "a", count = 2, traffic = { { download = { octets = "infinite" } } } }'))
        self.write("study.lua", STUDY % FIGURES)

    def has_lua(self):
        return self.id().endswith("test_scheme_file")

    @staticmethod
    def write(name, text):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)

    def sweep(self, *words, status=0, has_report=False):
        words = (*words, "--no-parquet", *(() if has_report else ("--no-report",)))
        result = gbflow.run("sweep", "study.lua", "--out", "out", *words)
        self.assertEqual(result.status, status, result)
        return result

    @staticmethod
    def rows(name):
        with open(os.path.join("out", name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_tables(self):
        result = self.sweep(has_report=True)
        rows = self.rows("results.csv")
        self.assertEqual(sorted({(row["scheme"], row["pdchs"], row["seed"]) for row in rows}),
                         sorted((scheme, pdchs, seed) for scheme in ("none", "CoDel") for pdchs in "12" for seed in "123"))
        for row in rows:
            summary = packed(os.path.join("out", "runs", "points", row["run"]), "summary.json")
            for part in row["figure"].split("."):
                summary = summary[part]
            self.assertEqual(float(row["value"]), summary, row)
        sets = {row["run"]: packed(os.path.join("out", "runs", "points", row["run"]), "provenance.json")["set"] for row in rows}
        self.assertEqual(sets["scheme=CoDel,pdchs=2-seed3"], [{"path": "sgsn.queues.aqm.scheme", "value": "codel"},
                                                             {"path": "cells[1].pdchs", "value": "2"}])
        self.check_means(rows)
        self.check_comparison()
        with open("out/report.html", encoding="utf-8") as file:
            page = file.read()
        self.assertIn("<h1>test &lt;&amp;&gt;</h1>", page)
        self.assertIn(result.stdout.splitlines()[0].replace("<", "&lt;"), page)
        self.assertEqual(glob.glob("out/runs/*/*/series.csv*"), [])

    def check_means(self, rows):
        for row in self.rows("points.csv"):
            values = [float(one["value"]) for one in rows if all(one[key] == row[key] for key in ("scheme", "pdchs", "figure"))]
            self.assertEqual(len(values), int(row["runs"]))
            self.assertAlmostEqual(float(row["mean"]), sum(values) / 3, delta=1e-5 * abs(float(row["mean"])))
            spread = (sum((value - sum(values) / 3) ** 2 for value in values) / 2) ** 0.5
            half = 4.302653 * spread / 3 ** 0.5  # Student's t, 2 degrees of freedom
            middle = float(row["mean"])  # of figures that are never negative the interval is on the scale of logarithms
            ends = [middle * math.exp(side * half / middle) for side in (-1, 1)] if middle else [0.0, 0.0]
            for name, end in zip(("low", "high"), ends):
                self.assertAlmostEqual(float(row[name]), end, delta=1e-4 * end + 1e-9)

    def check_comparison(self):
        """CoDel shortens the queue, and a second PDCH is no row of its own: the baseline of scheme has the same PDCHs."""
        rows = self.rows("comparison.csv")
        self.assertEqual({(row["scheme"], row["pdchs"]) for row in rows}, {("CoDel", "1"), ("CoDel", "2")})
        self.assertEqual({row["figure"] for row in rows if row["figure"].startswith("classes.background.goodput")}, {GOODPUT})
        sojourns = [row for row in rows if row["figure"] == SOJOURN]
        self.assertEqual(len(sojourns), 2)
        for row in sojourns:
            self.assertLess(float(row["difference_percent"]), -5, row)
            self.assertLess(float(row["low_percent"]), float(row["difference_percent"]))
            self.assertGreaterEqual(float(row["p_family"]), float(row["p"]))
            self.assertIn("lower" if float(row["p"]) <= 0.05 else "not shown", row["verdict"])

    def test_resume(self):
        self.sweep()
        shutil.rmtree("out/runs/points/scheme=none,pdchs=2-seed2")
        self.assertIn("4 points, 3 seeds, 12 runs, 11 there already", self.sweep("--dry-run").stdout)
        again = self.sweep()
        self.assertIn("11 of 12 runs are there already", again.stderr)
        self.assertEqual(again.stderr.count("] points "), 1)
        self.assertFalse(os.path.exists("out/report.html"))

    def test_scheme_file(self):
        """A changed file of a Lua scheme makes its runs again."""
        shutil.copy(os.path.join(gbflow.ROOT, SCHEME), "scheme.lua")
        self.write("study.lua", 'return { scenario = "s.lua", seeds = 1, axes = { { name = "slots", set = { "cells[1].pdchs" }, values = { 1, 2 } } } }')
        self.sweep()
        self.assertIn("2 of 2 runs are there already", self.sweep().stderr)
        with open("scheme.lua", "a", encoding="utf-8") as file:
            file.write("-- changed\n")
        self.assertEqual(self.sweep().stderr.count("] points "), 2)

    def test_scenario_with_axes(self):
        """The key `study` of a scenario; a run plays the same file as it is. --seeds in place of the study's."""
        self.write("lib.lua", "return 2")
        with open("s.lua", encoding="utf-8") as file:
            text = file.read().replace("bler =", "pdchs = 1, bler =")
        axes = 'study = { seeds = 3, axes = { { name = "pdchs", set = { "cells[1].pdchs" }, values = { 1, 2 } } }, ' \
               'figures = { "classes.background.goodput_bps.total" } },'
        self.write("study.lua", text.replace("return {", "local two = require 'lib'\nreturn { " + axes, 1))
        self.sweep("--seeds", "2")
        rows = self.rows("results.csv")
        self.assertEqual([(row["pdchs"], row["seed"]) for row in rows], [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")])
        self.assertLess(float(rows[0]["value"]), float(rows[2]["value"]))
        self.assertEqual(gbflow.run("run", "study.lua", "--out", "run", "--no-report").status, 0)
        self.assertIn("a study of study.lua, 1 axis, 6 runs", gbflow.run("check", "study.lua").stdout)
        self.write("study.lua", text)
        self.assertIn("study.lua: is a scenario without axes; add the key `study`", self.sweep(status=2).stderr)
        self.write("study.lua", text.replace("return {", "local two = require 'lib'\nreturn { title = two.no(), ", 1))
        self.assertIn("study.lua:2: attempt to index", self.sweep(status=2).stderr)
        self.write("study.lua", text.replace("return {", "return { " + axes.replace("1, 2", "1, 99"), 1))
        self.assertEqual(gbflow.run("check", "study.lua").status, 2)

    def test_series(self):
        self.write("study.lua", STUDY % "series = true,")
        self.sweep()
        self.assertEqual(len(glob.glob("out/runs/points/*/series.csv.gz")), 12)

    def test_files_of_a_run(self):
        """A run's folder has its few files, packed: less than a third of what it would have else. compare and rerun read both."""
        self.sweep()
        few = octets_of("out/runs/points/scheme=CoDel,pdchs=1-seed1")
        self.assertEqual(set(few), {"finished.json", *(f"{name}.gz" for name in KEPT)})
        self.assertEqual(gbflow.run("compare", *(f"out/runs/points/scheme={scheme},pdchs=1" for scheme in ("none", "CoDel"))).status, 0)
        again = gbflow.run("rerun", "out/runs/points/scheme=CoDel,pdchs=1-seed1")
        self.assertEqual((again.status, again.stdout.splitlines()[-1].split()), (0, ["summary.json", "equal"]))
        os.rename("out", "packed")
        self.write("study.lua", STUDY % "packed = false,")
        self.sweep()
        many = octets_of("out/runs/points/scheme=CoDel,pdchs=1-seed1")
        self.assertEqual(set(many), {"finished.json", *KEPT})
        self.assertLess(3 * sum(few.values()), sum(many.values()))
        self.assertEqual(packed("packed/runs/points/scheme=CoDel,pdchs=1-seed1", "summary.json"),
                         gbflow.read_json("out/runs/points/scheme=CoDel,pdchs=1-seed1/summary.json"))

    def test_broken_file(self):
        """A packed file that is cut off is named."""
        self.sweep()
        name = "out/runs/points/scheme=CoDel,pdchs=1-seed1/summary.json.gz"
        with open(name, "r+b") as file:
            file.truncate(100)
        result = gbflow.run("compare", os.path.dirname(name), os.path.dirname(name))
        self.assertEqual((result.status, f"{name}: not gzip, or cut off" in result.stderr), (1, True), result)

    def test_damaged_file(self):
        """A run with a packed file that is damaged is made again, with a word which and why, and without a change."""
        self.sweep()
        before = self.rows("results.csv")
        damages = {"summary.json": lambda octets: octets[:100], "distributions.json": lambda _: b"junk",
                   "warmup.json": lambda _: gzip.compress(b"[]")}
        for seed, (name, damage) in enumerate(damages.items(), 1):
            path = f"out/runs/points/scheme=CoDel,pdchs=1-seed{seed}/{name}.gz"
            with open(path, "rb") as file:
                octets = damage(file.read())
            with open(path, "wb") as file:
                file.write(octets)
        again = self.sweep().stderr
        for seed, name in enumerate(damages, 1):
            run = f"scheme=CoDel,pdchs=1-seed{seed}"
            self.assertIn(f"points scheme=CoDel,pdchs=1 seed {seed} is made again: out/runs/points/{run}/{name}.gz: ", again)
        self.assertIn("9 of 12 runs are there already", again)
        self.assertEqual(self.rows("results.csv"), before)

    def test_wrong_words(self):
        for words, message in ((("--seeds", "1000000000"), "number from 1 to 1000 value: '1000000000'"), (("--seeds", "0"), "from 1 to 1000"),
                               (("--seeds", "1001"), "from 1 to 1000"), (("--profile", "\x1b[31m"), "'?[31m' is no folder"),
                               (("--profile", "nope", "--executor", "x"), "--profile: 'nope' is no folder")):
            with self.subTest(words=words):
                self.assertIn(message, self.sweep(*words, "--dry-run", status=2).stderr)
                self.assertFalse(os.path.exists("out"))

    def interrupt(self, is_time, *words):
        """stderr and status of `gbflow WORDS`, interrupted as by a terminal once is_time() holds."""
        with subprocess.Popen([gbflow.program(), *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as child:
            while child.poll() is None and not is_time():
                time.sleep(0.005)
            with contextlib.suppress(ProcessLookupError):  # it has ended by itself
                os.killpg(child.pid, signal.SIGINT)
            return child.communicate()[1], child.returncode

    def test_interrupted(self):
        """Runs that would take minutes end at once, and what had ended before is kept."""
        self.write("long.lua", (STUDY % "").replace("seeds = 3,", "seeds = 1,"))
        with open("s.lua", encoding="utf-8") as file:
            text = file.read()
        self.write("s.lua", text.replace("30 s", "300000 s"))
        said, status = self.interrupt(lambda: len(glob.glob("out/runs/points/*/log.txt")) >= 2, "sweep", "long.lua", "--out", "out", "--jobs", "2")
        self.assertEqual((said.splitlines()[-1], status), ("gbflow sweep: interrupted", 1), said)
        self.assertNotIn("Traceback", said)
        self.assertEqual(glob.glob("out/runs/points/*/finished.json"), [])
        self.write("s.lua", text)
        self.assertEqual(self.sweep().stderr.count("] points "), 12)

    def test_interrupted_at_start(self):
        """Whatever is being imported: one line; or the command has ended before, with the status it has alone."""
        for late_s in (0.03, 0.06, 0.1, 0.15, 0.25, 0.4, 0.6):
            for words, alone in ((("sweep", "study.lua", "--dry-run"), 0), (("lab", "status", "--name", "none"), 1)):
                with self.subTest(late_s=late_s, words=words):
                    until = time.monotonic() + late_s
                    said, status = self.interrupt(lambda until=until: time.monotonic() > until, *words)
                    self.assertIn((said, status), ((f"gbflow {words[0]}: interrupted\n", 1), ("", -signal.SIGINT), ("", alone)))

    def test_wrong(self):
        """Status 2 and nothing run, also for the last value of an axis."""
        for study, words in (
                (STUDY.replace("to = 2", "to = 65") % "", "].range: cells[1].pdchs=65: cells[1].pdchs: 65 is out of range: 1 .. 64"),
                (STUDY.replace("pdchs\" }", "pdch\" }") % "", "].range: cells[1].pdch=1: cells[1].pdch: unknown key 'pdch'; did you mean 'pdchs'?"),
                (STUDY.replace("s.lua", "no.lua") % "", "scenario: 'no.lua' cannot be read: No such file or directory"),
                (STUDY % "seeds = 0,", "given more than once"),
                ("return 7", "study.lua:1: returns a number")):
            with self.subTest(words=words):
                self.write("study.lua", study)
                result = self.sweep(status=2)
                self.assertIn(words, result.stderr)
                self.assertFalse(os.path.exists("out"))

    def test_blame(self):
        """Of what is wrong without an axis the scenario's own line; else the point that makes it wrong, whichever axis comes first."""
        calls = 'pdchs = 4, calls = { channels = 2, arrivals = { interval = "9 s", hold = "9 s" } }'
        mobiles = '{ name = "a", traffic = { { ping = {} } } }'
        for cells, study, words in (
                ('pdchs = 4, blre = "5 %"', STUDY, (r"^s\.lua:\d+: cells\[1\]\.blre: unknown key 'blre'; did you mean 'bler'\?$", )),
                (calls, STUDY, (r"^s\.lua:\d+: cells\[1\]\.calls\.channels: 2 is more than there are \(pdchs\): 1 \.\. 1$",
                                r"^study\.lua:5: axes\[2\]\.range: cells\[1\]\.pdchs=1: s\.lua is wrong with it \(axis pdchs, point 1\)$")),
                ('pdchs = 4, bler = "1 %"', STUDY.replace('"codel"', '"codle"'),
                 (r"^study\.lua:4: axes\[1\]\.points\[2\]: sgsn\.queues\.aqm\.scheme=codle: \S+: 'codle' is no AQM scheme: one of .*'codel'\?$", ))):
            with self.subTest(cells=cells):
                self.write("s.lua", scenario.text(duration="30 s", cells=cells, mobiles=mobiles))
                self.write("study.lua", study % "")
                lines = self.sweep(status=2).stderr.splitlines()
                self.assertEqual(len(lines), len(words), lines)
                for line, word in zip(lines, words):
                    self.assertRegex(line, word)

    def test_points_that_need_each_other(self):
        """A value may need one that another axis gives first: every combination with a first point is right."""
        self.write("s.lua", scenario.text(duration="5 s", cells="pdchs = 4", mobiles='{ name = "a", traffic = { { ping = {} } } }'))
        self.write("study.lua", """return { scenario = "s.lua", seeds = 1, axes = {
            { name = "interval", set = { "cells[1].calls.arrivals.interval" }, values = { "5 s", "9 s" } },
            { name = "hold", set = { "cells[1].calls.arrivals.hold" }, values = { "5 s", "9 s" } } } }""")
        self.assertIn("4 points", self.sweep("--dry-run").stdout)

    def test_rates_of_points(self):
        """A dry run says of what timeslots and coding each rate is made."""
        self.write("s.lua", scenario.text(duration="5 s", cells="pdchs = 4", mobiles='{ name = "a", traffic = { { ping = {} } } }'))
        self.write("study.lua", """return { scenario = "s.lua", seeds = 1, axes = {
            { name = "rate", set = { "cells[1].rate" }, values = { "24 kbit/s", "48 kbit/s" } } } }""")
        printed = self.sweep("--dry-run").stdout
        for words in ("24 kbit/s: 2 timeslots of CS-2", "48 kbit/s: 4 timeslots of CS-2"):
            self.assertIn(f"    cells[1].rate: {words}, blocks of 30 octets\n", printed)

    def test_no_figure(self):
        self.write("study.lua", STUDY % 'figures = { "classes.*", "clases.*" },')
        self.assertIn("the names in `figures` are checked after the first run", self.sweep("--dry-run").stdout)
        result = self.sweep("--jobs", "1", status=1)
        self.assertIn("figures: 'clases.*': no figure of the runs has such a name; near: classes.", result.stderr)
        self.assertLess(len(glob.glob("out/runs/points/*/summary.json*")), 12)  # those that had begun come to their end

    def test_failing_run(self):
        """The point and the log of a run that fails are said; what ended before it is kept."""
        self.write("study.lua", (STUDY % "").replace('["sgsn.queues.aqm.scheme"] = "codel"',
                                                                               '["sgsn.queues.aqm.lua"] = "bad.lua"'))
        self.write("bad.lua", 'return { name = "bad", dequeue = function() error("no") end }')
        result = self.sweep("--jobs", "1", status=1)
        self.assertIn("points scheme=CoDel,pdchs=1 seed 1: status ", result.stderr)
        finished = gbflow.read_json("out/runs/points/scheme=none,pdchs=1-seed1/finished.json")
        self.assertEqual(finished["options"][:2], ["--seed", "1"])


if __name__ == "__main__":
    unittest.main()
