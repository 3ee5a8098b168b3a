#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Charts of a run's page without a browser: the data they hold, what is embedded, what stays SVG. A stand-in for dygraphs serves, for
the octets of the library do not matter here; charts_browser_test.py clicks on the real one."""

import json
import os
import re
import unittest

import numpy

import setting
import synthetic

from gbflow_report import charts, draw
from gbflow_results.files import Curve

LICENCE = "/*! @license of the stand-in (MIT) */"


def curve(count):
    values = numpy.arange(count)
    return Curve(values, values * 2)


class Charts(setting.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.library = cls.folder / "dygraphs"
        cls.library.mkdir()
        (cls.library / charts.SCRIPT).write_text(f"{LICENCE}\nvar Dygraph;\n//# sourceMappingURL=dygraph.min.js.map\n")
        (cls.library / charts.SHEET).write_text(".of-library{color:red}/*# sourceMappingURL=dygraph.min.css.map */\n")

    def page(self, name, *words, library=None):
        folder = synthetic.write(self.folder / name)
        done = setting.warm(self.pyz, "run", folder, *words, GBFLOW_DYGRAPHS=str(library or self.library))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (folder / "report.html").read_text()

    def test_a_page_holds_library_and_data(self):
        text = self.page("charts")
        page = setting.Page(text)
        self.assertEqual(page.faults, [])
        for words in (LICENCE, ".of-library", "window.gbflowCharts = charts"):
            self.assertIn(words, text)
        self.assertNotIn("sourceMappingURL", text)
        self.assertNotIn("<svg", text)
        found = [json.loads(data) for data in re.findall(r'<script type="application/json">(.*?)</script>', text)]
        self.assertEqual(len(found), len(page.figures))
        self.assertEqual([chart["linked"] for chart in found], [name not in ("delay-cdf", "page-times", "first-objects") for name in page.figures])
        backlog = found[page.figures.index("backlog")]
        self.assertEqual(len(backlog["panels"]), 2)
        curves = found[page.figures.index("bucket-level")]["panels"][0]["curves"]
        self.assertEqual({str(row["dash"]) for row in curves if row["name"].startswith("Bmax")}, {"[2, 8]"})
        self.assertNotIn([2, 8], [row["dash"] for row in curves if not row["name"].startswith("Bmax")])
        self.assertEqual(backlog["range"], [0.0, synthetic.summary()["duration_s"]])

    def test_svg_on_request_and_without_the_library(self):
        for name, words, library in (("svg", ["--svg"], None), ("none", [], os.devnull)):
            with self.subTest(name=name):
                text = self.page(name, *words, library=library)
                self.assertIn("<svg", text)
                self.assertNotIn("<script", text)
                self.assertIn(charts.WITHOUT if name == "none" else "<svg", text)

    def test_values_forms_and_bands(self):
        figure, (axes,) = draw.canvas()
        draw.line(axes, curve(5), "few", draw.look(0))
        draw.cloud(axes, curve(5), "points", draw.look(1))
        draw.cloud(axes, curve(draw.POINTS + 300), "band", draw.look(2))
        axes.step([0, 1], [3, 4], where="post", label="steps")
        axes.axhline(3)
        axes.axvspan(0, 2, linewidth=0)
        draw.finish(axes, "time (s)", "octets")
        panel = charts.chart_of(figure)["panels"][0]
        self.assertEqual([(row["name"], row["form"]) for row in panel["curves"]],
                         [("few", "line"), ("points", "points"), ("band", "line"), ("steps", "step")])
        self.assertEqual(panel["curves"][0]["y"], [0, 2, 4, 6, 8])
        self.assertEqual(panel["shade"], [0, 2])
        band = panel["curves"][2]
        self.assertEqual((band["low"][0], band["y"][0], band["high"][0]), (0, 4, 8))  # the first 5 of 1500 points
        self.assertEqual(len(band["low"]), len(band["x"]))

    def test_intervals_words_and_panels(self):
        """Error bars are the ends of a line's interval, words stand at their ticks, hidden axes are left out."""
        figure, _ = draw.canvas()
        figure.clear()
        first, second, hidden = figure.subplots(1, 3, sharex=True)
        for axes in (first, second):
            axes.errorbar([0, 1], [5, 7], yerr=[[1, 2], [3, 4]], marker="o", label="a")
            axes.set_xticks([0, 1], ["none", "CoDel"])
        second.set_title("pdchs 2", loc="right")
        first.set_ylabel("delay (s)")
        hidden.set_visible(False)
        chart = charts.chart_of(figure)
        self.assertEqual((chart["ticks"], len(chart["panels"])), ([[0, "none"], [1, "CoDel"]], 2))
        self.assertEqual([(panel["y"], panel["title"]) for panel in chart["panels"]], [("delay (s)", ""), ("delay (s)", "pdchs 2")])
        row, = chart["panels"][1]["curves"]
        self.assertEqual((row["name"], row["form"], row["y"], row["low"], row["high"]), ("a", "marked", [5, 7], [4, 5], [8, 11]))

    def test_other_figures_stay_svg(self):
        def bars(axes):
            axes.bar(["a", "b"], [1, 2])

        def logarithmic(axes):
            draw.line(axes, curve(5), "few", draw.look(0))
            axes.set_yscale("log")

        for make in (bars, logarithmic, lambda axes: None):
            figure, (axes,) = draw.canvas()
            make(axes)
            self.assertIsNone(charts.chart_of(figure))


if __name__ == "__main__":
    unittest.main()
