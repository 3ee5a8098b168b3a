#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures for paper: of each kind of result all figures that the list has fit a column of 8.5 cm, in text of 7 points or more; files
have their fonts, the commands and the commits, and the same octets each time."""

import json
import re
import unittest
import zlib

import analyze_report_test
import setting
import synthetic

from gbflow_report import compare_plots, distributions, draw, figure_files, figures, page_times, sweep_results
from gbflow_results import files
from matplotlib.text import Text

COLUMN = draw.Sheet(8.5 / 2.54, is_paper=True)
POINTS_LEAST = 7
COMMAND = ["gbflow", "run", "a b.lua", "--out", "out/x"]
RC = b"backend: module://bomb\nnonsense.key: 3\nfigure.facecolor: red\nfont.size: 30\nfont.family: monospace\nsvg.fonttype: none\npdf.compression: 0\n"
DELAY = "classes.thp2.delay_s.p50"


def provenance(folder):
    (folder / "provenance.json").write_text(json.dumps({
        "schema": "gbflow-provenance/1", "version": "0.2.0", "commit": "0123abc", "command": COMMAND, "folder": "", "scenario": "s.lua", "seed": 1,
        "set": [], "pcap": [], "is_unsteered": False, "aqm_files": [], "machine": {}, "text": "return {}", "files": []}))


def write_run(folder, seed):
    synthetic.write(folder, seed)
    kinds = (("anna", "background"), ("berta", "thp2"), ("carla", "thp2"))
    mobiles = [{"mobile": name, "class": kind, "drops": {"lifetime": seed}} for name, kind in kinds]
    (folder / "summary.json").write_text(json.dumps({**synthetic.summary(seed), "mobiles": mobiles}))
    provenance(folder)
    return folder


def study(schemes, seeds):
    points = [{"label": label, "set": [["x", label]]} for label in schemes]
    return {"schema": "gbflow-study/1", "title": "T", "scenario": "s.lua", "seeds": seeds, "figures": [DELAY], "has_series": False, "is_packed": False,
            "axes": [{"name": "scheme", "baseline": schemes[0], "points": points},
                     {"name": "slots", "points": [{"label": str(number), "set": [["y", str(number)]]} for number in (1, 2, 4)]}]}


def write_point(folder, number, seed):
    summary = synthetic.summary(seed)
    summary["classes"]["thp2"]["delay_s"] = synthetic.quantiles(0.6 + number + 0.01 * seed * (number % 3))
    summary["mobiles"] = [{"mobile": "anna", "class": "thp2", "goodput_bps": 1000.0 * seed, "delay_s": {"p50": 1.0 + number}}]
    folder.mkdir(parents=True)
    (folder / "summary.json").write_text(json.dumps(summary))
    (folder / "warmup.json").write_text('{"settled_s": 1.0}')
    provenance(folder)
    rows = {"delay_s": {"thp2": {"count": 9, "values": [share * (1 + number) for share in distributions.SHARES]}}}
    (folder / "distributions.json").write_text(json.dumps({"schema": "gbflow-distributions/1", "shares": distributions.SHARES, "measures": rows}))


def write_sweep(folder, schemes=("none", "CoDel", "PIE"), seeds=3):
    given = study(schemes, seeds)
    for number, point in enumerate(sweep_results.points_of(sweep_results.study_of(given))):
        for seed in range(1, seeds + 1):
            write_point(folder / "runs" / "points" / f"{point.name}-seed{seed}", number, seed)
    (folder / "sweep.json").write_text(json.dumps({"schema": "gbflow-sweep/1", "version": "0.2.0", "commit": "0123abc", "command": "gbflow sweep s.lua",
                                                   "study": given}))
    return folder


def inflated(octets):
    """The streams of a PDF beside its plain text."""
    parts = [octets]
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", octets, re.DOTALL):
        try:
            parts.append(zlib.decompress(stream))
        except zlib.error:
            pass
    return b"".join(parts)


def texts_of(figure):
    """Those that are drawn: an axis keeps ticks, with texts, that are outside of its range."""
    texts = {one for one in figure.findobj(Text) if one.get_visible() and one.get_text()}
    for axes in figure.axes:
        own = set(axes.findobj(Text))
        ticks = {label for axis in (axes.xaxis, axes.yaxis) for label in axis.findobj(Text) if label is not axis.label}
        drawn = {label for axis in (axes.xaxis, axes.yaxis) for tick in axis._update_ticks() for label in (tick.label1, tick.label2)}  # pylint: disable=protected-access
        texts -= own if not axes.get_visible() else ticks if not axes.axison else ticks - drawn
    return texts


class Figures(setting.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_folder, cls.other = write_run(cls.folder / "run", 1), write_run(cls.folder / "other", 2)
        cls.sweep = write_sweep(cls.folder / "sweep")
        cls.analysis = cls.folder / "analysis"
        cls.analysis.mkdir()
        (cls.analysis / "analysis.json").write_text(json.dumps(analyze_report_test.analysis()))
        done = setting.warm(cls.pyz, "compare", cls.run_folder, cls.other, "--out", cls.folder / "pair")
        assert done.returncode == 0, done.stderr
        cls.results = (cls.run_folder, cls.sweep, cls.folder / "pair", cls.analysis)

    def figure(self, *words, status=0, **environment):
        done = setting.call(self.pyz, "figure", *words, **environment)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_no_matplotlibrc(self):
        """The octets of figures and pages, and the messages, are those without a matplotlibrc: one of the current folder, one of
        MATPLOTLIBRC, and one that is no text."""
        expected = self.drawn_at(self.folder / "rc none")
        self.assertEqual(([row[0] for row in expected[:2]], len(expected) > 6), ([0, 0], True), expected[:2])
        for name, octets, environment in (("matplotlibrc", RC, {}), ("given", RC, {"MATPLOTLIBRC": "given"}), ("matplotlibrc", bytes(range(256)), {})):
            with self.subTest(name=name, octets=octets[:20]):
                self.assertEqual(self.drawn_at(self.folder / f"rc {name} {len(octets)}", {name: octets}, **environment), expected)

    def drawn_at(self, here, files_there={}, **environment):  # pylint: disable=dangerous-default-value
        """Status and messages of two commands in a folder, and what they have written."""
        here.mkdir()
        for name, octets in files_there.items():
            (here / name).write_bytes(octets)
        said = []
        for words in (["figure", self.folder / "pair", "--figures", "figures", "--format", "svg"], ["compare", self.run_folder, self.other, "--out", "pair", "--svg"]):
            done = setting.call(self.pyz, *words, cwd=here, **environment)
            said.append((done.returncode, done.stdout, done.stderr))
        return said + [(path.name, path.read_bytes()) for name in ("figures", "pair") for path in sorted((here / name).iterdir())]

    def test_every_figure_fits_a_column(self):
        """Readable in print: no text is smaller than 7 points, none leaves the figure, none at the ticks covers the next."""
        for folder in self.results:
            for plot in figure_files.plots_on(COLUMN, figure_files.read(folder)):
                figure_files.fit(plot.drawn)
                plot.drawn.draw_without_rendering()
                whole = plot.drawn.bbox.padded(1.5)
                with self.subTest(folder=folder.name, name=plot.name):
                    self.assertAlmostEqual(plot.drawn.get_size_inches()[0], 8.5 / 2.54)
                    self.assertLess(plot.drawn.get_size_inches()[1], 24 / 2.54)
                    for text in texts_of(plot.drawn):
                        box = text.get_window_extent()
                        self.assertGreaterEqual(text.get_fontsize(), POINTS_LEAST, text)
                        self.assertTrue(whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1, (text, box))

    def test_words_below_an_axis_fit_any_column(self):
        """Its title, and the last word at its ticks, which are others in narrower axes: those of 84.75 mm have a tick at 180."""
        titles = [(width, "difference from " + "rate 24 kbit/s or " * (width % 5) + "scheme fifo (%)") for width in range(70, 100, 2)]
        for millimetres, title in [(84.75, "time (s)"), *setting.some(titles, 3)]:
            with draw.drawn_on(draw.Sheet(millimetres / 25.4, is_paper=True)):
                figure, (axes,) = draw.canvas()
            axes.plot([0, 180], [0, 1])
            axes.set_xlim(0, 180)
            draw.finish(axes, title, "delay (s)")
            figure_files.fit(figure)
            for text in texts_of(figure) - {axes.yaxis.label}:
                self.assertLessEqual(text.get_window_extent().x1, figure.bbox.x1, (millimetres, text))

    def test_the_list_has_every_figure_of_pages_and_files(self):
        listed = self.figure("--list").stdout
        for rows in (figures.RUN, figures.SWEEP, figures.COMPARISON, figures.ANALYSIS):
            for row in rows:
                self.assertRegex(listed, rf"(?m)^  {row.name} +{re.escape(row.data)}$")
        for folder in self.results:
            named = [line.split()[0] for line in self.figure(folder, "--list").stdout.splitlines()]
            self.assertEqual(named, sorted(named, key=draw.natural))
            result = figure_files.read(folder)
            names = [re.sub("[A-Z]{4,}", ".+", row.name) for row in result.rows]
            for plot in figure_files.plots_on(COLUMN, result):
                self.assertTrue(any(re.fullmatch(name, plot.name) for name in names), plot.name)
        for folder, command in ((self.run_folder, "run"), (self.analysis, "analyze")):
            self.assertEqual(setting.warm(self.pyz, command, folder).returncode, 0)
            page = setting.Page((folder / "report.html").read_text())
            self.assertEqual(page.figures, [plot.name for plot in figure_files.plots_on(COLUMN, figure_files.read(folder))])

    def test_files(self):
        """Fonts are embedded, letters of SVG are paths; commands and commits are in the file, dates are not; equal octets."""
        for form, at in (("pdf", {}), ("svg", {}), ("png", {})):
            path = self.folder / f"cdf.{form}"
            self.figure(self.run_folder, "delay-cdf", "--out", path, GBFLOW_COMMIT="feedbee", GBFLOW_COMMAND="gbflow figure X", **at)
            first = path.read_bytes()
            self.figure(self.run_folder, "delay-cdf", "--out", path, GBFLOW_COMMIT="feedbee", GBFLOW_COMMAND="gbflow figure X", PYTHONHASHSEED="7", TZ="Asia/Tokyo")
            self.assertEqual(first, path.read_bytes(), form)
            text = inflated(first).decode("latin-1")
            for words in ("0123abc", "gbflow run 'a b.lua' --out out/x", "feedbee", "gbflow figure X"):
                self.assertIn(words, text.replace("&#x27;", "'").replace("\\'", "'"), form)
            self.assertNotRegex(text, r"CreationDate|dc:date|/Type3\b|<text")
        pdf = inflated((self.folder / "cdf.pdf").read_bytes())
        self.assertIn(b"/FontFile2", pdf)
        self.assertIn(b"/MediaBox [ 0 0 240.9", pdf)
        self.assertIn('width="240.9', (self.folder / "cdf.svg").read_text())

    def test_all_at_once_and_other_widths(self):
        done = self.figure(self.folder / "pair", "--figures", self.folder / "all", "--format", "svg", "--width", "180 mm")
        made = sorted(path.name for path in (self.folder / "all").iterdir())
        self.assertEqual(made, sorted(f"{row.name}.svg" for row in figures.COMPARISON))
        self.assertEqual(len(done.stdout.splitlines()), len(made))
        self.assertIn('width="510.2', (self.folder / "all" / "delay-cdf.svg").read_text())

    def test_the_folder_of_a_file_is_made(self):
        self.figure(self.run_folder, "delay-cdf", "--out", self.folder / "made" / "folder" / "a.svg")
        self.assertEqual([path.name for path in (self.folder / "made" / "folder").iterdir()], ["a.svg"])

    def test_what_cannot_be_drawn(self):
        out = self.folder / "x.pdf"
        (self.folder / "nothing").mkdir()
        for words, said in (((self.run_folder, "delay-cfd", "--out", out), "'delay-cfd': the result has no such figure; near: delay-cdf"),
                            ((self.folder / "nothing", "delay-cdf", "--out", out), "nothing: is no result"),
                            ((self.folder / "nowhere", "--list"), "nowhere: No such file or directory"),
                            ((self.run_folder, "delay-cdf", "--out", self.folder / "x.gif"), "x.gif: its name ends in none of .pdf, .svg, .png"),
                            ((self.run_folder, "delay-cdf", "--out", out, "--width", "3cm"), "'3cm' is no width: say 8.5cm"),
                            ((self.run_folder, "delay-cdf", "--out", out, "--width", "4.99cm"), "'4.99cm' is no width: say 8.5cm"),
                            ((self.run_folder, "delay-cdf"), "missing --out FILE"), ((self.run_folder,), "missing NAME, or --figures DIR"),
                            ((), "missing RESULT"), ((self.run_folder, "delay-cdf", "--figures", self.folder / "y"), "leave NAME and --out out")):
            with self.subTest(words=words):
                self.assertIn(said, self.figure(*words, status=2).stderr)
        link = self.folder / "full.svg"
        link.symlink_to("/dev/full")
        self.assertIn(f"{link}: No space left on device", self.figure(self.run_folder, "delay-cdf", "--out", link, status=1).stderr)
        hidden = self.folder / "hidden"
        hidden.mkdir()
        (hidden / "matplotlib.py").write_text("raise ImportError('hidden')\n")
        self.assertIn("python3-matplotlib", self.figure(self.run_folder, "--list", status=2, PYTHONPATH=str(hidden)).stderr)

    def test_unfinished_pages_of_a_comparison(self):
        """A page's share goes to the longer ones; the curve ends, flat, at the longest age; the caption counts the others."""
        pages = [{"mobile": "anna", "start_s": 10.0, "time_s": time_s} for time_s in (10.0, 20.0, None)] + [{"mobile": "anna", "start_s": 105.0, "time_s": None}]
        pages.append({"mobile": "berta", "start_s": 90.0, "time_s": None})
        summary = {**synthetic.summary(), "pages": pages, "mobiles": [{"mobile": "anna", "class": "thp2"}, {"mobile": "berta", "class": "thp3"}]}
        folder = self.folder / "pages"
        folder.mkdir()
        (folder / "summary.json").write_text(json.dumps(summary))
        side = compare_plots.Side("A", [compare_plots.Run(folder)])
        for kind, curve in (("thp2", [(0, 0), (10, 0.25), (20, 0.625), (110, 0.625)]), ("thp3", [(0, 0), (30, 0)])):
            at, share = compare_plots.page_curve(side, kind, page_times.FIELD)
            self.assertEqual([(float(x), round(float(y), 4)) for x, y in zip(at, share)], curve)
        self.assertIsNone(compare_plots.page_curve(side, "background", page_times.FIELD))
        self.assertIn("Unfinished at the end: A 2 of 4, B 2 of 4.", compare_plots.page_times(
            compare_plots.Pair([side, compare_plots.Side("B", side.runs)], [])).caption)

    def test_throughput_of_a_comparison(self):
        """What arrived, and of a class that something reached; what applications got where a side has nothing else."""
        rows = [(at, name, of, rate) for at in (1.0, 2.0) for name, rate in (("throughput_bps", 24000.0), ("goodput_bps", 185000.0))
                for of, rate in (("anna", rate), ("berta", rate), ("carla", 0.0))]
        kinds = {"anna": "background", "berta": "background", "carla": "thp3"}
        runs = []
        for name, of_run in (("new", rows), ("old", [row for row in rows if row[1] != "throughput_bps"])):
            folder = self.folder / name
            folder.mkdir()
            (folder / "summary.json").write_text(json.dumps({**synthetic.summary(), "classes": {"background": {}, "thp3": {}}, "mobiles": [
                {"mobile": mobile, "class": kind} for mobile, kind in kinds.items()]}))
            synthetic.write_series(folder / "series.csv", of_run)
            runs.append(compare_plots.Run(folder))
        for sides, top, has_held in (((0, 0), 48, False), ((0, 1), 370, True), ((1, 1), 370, True)):
            plot = compare_plots.throughput(compare_plots.Pair([compare_plots.Side(name, [runs[at]]) for name, at in zip("AB", sides)], []))
            lines = [line for axes in plot.drawn.axes for line in axes.get_lines()]
            self.assertEqual([round(line.get_ydata().max()) for line in lines], [top, top], sides)
            self.assertEqual("Data behind a lost packet" in plot.caption, has_held, sides)

    def test_names_of_differences(self):
        """What SGSN and BSS both count has the name of its node, with others beside it or without."""
        for figure, words in (("conservation.sgsn.queued", "SGSN queued"), ("conservation.bss.dropped", "BSS dropped"),
                              ("cells.2.drops.lifetime", "BSS drops lifetime of cell 2"), ("cells.2.air_utilisation", "Air utilisation of cell 2")):
            self.assertEqual(compare_plots.words_of([figure]), {figure: words})

    def test_names_of_sides(self):
        for paths, names in ((["out/quick", "out/q"], ["A quick", "B q"]), (["x/a/run", "x/b/run"], ["A a/run", "B b/run"]), (["a", "a"], ["A a", "B a"]), (["out/A", "out/B"], ["A", "B"])):
            self.assertEqual(compare_plots.names_of(paths), names)

    def test_curves_differ_without_colour(self):
        """In dashes and in markers, each for itself."""
        looks = [draw.look(index) for index in range(draw.CURVES)]
        self.assertEqual(len({str(one.dash) for one in looks}), draw.CURVES)
        self.assertEqual(len({one.marker for one in looks}), draw.CURVES)
        for plot in figure_files.plots_on(COLUMN, figure_files.read(self.run_folder)):
            for axes in plot.drawn.axes:
                named = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
                looks = {(line.get_marker(), str(line._dash_pattern)) for line in named}  # pylint: disable=protected-access
                self.assertEqual(len(looks), len(named), plot.name)

    def test_results_of_others(self):
        """A sweep that lacks a run names it."""
        folder = write_sweep(self.folder / "cut", ("none", "RED"), 1)
        (folder / "runs/points/scheme=RED,slots=4-seed1/summary.json").unlink()
        with self.assertRaisesRegex((files.Failure, OSError), "scheme=RED,slots=4-seed1"):
            figure_files.read(folder)


if __name__ == "__main__":
    unittest.main()
