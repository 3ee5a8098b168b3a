#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The charts of a page in Chromium, from file://: values at the pointer, curves on and off, zoom, dark colours, paper, and a page of
1000 s with 110 mobiles."""

import base64
import json
import os
import subprocess
import unittest
import unittest.mock

import setting
import synthetic

from gbflow_report import charts, draw, page, sweep_plots
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

MOBILES, SECONDS, OCTETS_MAX = 110, 1000, 5_000_000
SERIES = ("goodput_bps", "sgsn_backlog_octets", "bss_backlog_octets", "ping_rtt_s")
COUNT = "return gbflowCharts.length"
RANGES = "return gbflowCharts.map(chart => chart.linked ? chart.graph.xAxisRange() : null).filter(Boolean)"


def browser():
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1200,1000"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Browser(setting.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.driver = browser()
        cls.addClassCleanup(cls.driver.quit)

    def open(self, folder):
        environment = {key: value for key, value in os.environ.items() if key != "GBFLOW_DYGRAPHS"}
        subprocess.run(["/usr/bin/python3", self.pyz, "run", folder], check=True, capture_output=True, env=environment)
        self.driver.get((folder / "report.html").as_uri())
        self.assertEqual([row for row in self.driver.get_log("browser") if row["level"] in ("SEVERE", "WARNING")], [])

    def setUp(self):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.open(synthetic.write(self.folder / self.id().rpartition(".")[2]))

    def panel(self, figure):
        found = self.driver.find_element(By.CSS_SELECTOR, f"#{figure} .panel canvas:last-of-type")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
        return found

    def keys(self, figure):
        return self.driver.find_elements(By.CSS_SELECTOR, f"#{figure} .key")

    def point_at(self, figure, right=0):
        ActionChains(self.driver).move_to_element(self.panel(figure)).move_by_offset(right, 0).perform()

    def test_values_at_the_pointer_are_those_of_the_series(self):
        self.point_at("throughput")
        at_s = float(self.driver.find_element(By.CSS_SELECTOR, "#throughput .keys > span").text.removeprefix("at "))
        rows = [row for row in synthetic.rows() if row[1] == "goodput_bps"]
        for key in self.keys("throughput"):
            name, value = key.text.split()
            _, near = min((abs(row[0] - at_s), row[3]) for row in rows if row[2] == name)
            self.assertAlmostEqual(float(value), near / 1000, delta=0.01 * near / 1000 + 0.01)
        # the others show the same moment
        self.assertIn("at ", self.driver.find_element(By.CSS_SELECTOR, "#backlog .keys > span").text)
        self.assertEqual(self.driver.find_element(By.CSS_SELECTOR, "#delay-cdf .keys > span").text, "")

    def test_a_key_hides_its_curve(self):
        for expected in ("false", "true"):
            key = self.keys("throughput")[0]
            key.click()
            self.assertEqual(key.get_attribute("aria-pressed"), expected)
            index = self.driver.execute_script("return gbflowCharts.findIndex(chart => chart.keys[0] === arguments[0])", key)
            shown = self.driver.execute_script(f"return gbflowCharts[{index}].graph.visibility()")
            self.assertEqual((shown[0], set(shown[1:])), (expected == "true", {True}))

    def show(self, canvas):
        """A page with this plot alone."""
        with unittest.mock.patch.dict(os.environ):
            del os.environ["GBFLOW_DYGRAPHS"]
            library = charts.library()
        figure = charts.figures_html([draw.Plot(canvas, "grid", "Grid", "A caption.")], library)
        path = self.folder / "grid.html"
        path.write_text(page.page_html("grid", 1, [], *figure, charts.scripts_html(library)))
        self.driver.get(path.as_uri())
        self.assertEqual([row for row in self.driver.get_log("browser") if row["level"] in ("SEVERE", "WARNING")], [])

    def test_small_multiples_share_their_keys(self):
        """One bar of keys for all panels; three panels in a row, one on a narrow screen; points keep their intervals."""
        canvas, grid = sweep_plots.grid_of(3, 3.0, True)
        for axes in grid:
            for name in ("one", "two"):
                axes.errorbar([0, 1], [1, 2], yerr=[[0.1, 0.1], [0.2, 0.3]], linestyle="none", marker="o", label=name)
            axes.set_xticks([0, 1], ["none", "CoDel"])
        self.show(canvas)
        self.assertEqual(len(self.keys("grid")), 2)
        self.keys("grid")[0].click()
        shown = self.driver.execute_script("return gbflowCharts.map(chart => chart.graph.visibility())")
        self.assertEqual(shown, [[False, True]] * 3)
        self.point_at("grid", -100)
        self.assertIn("at none", self.driver.find_element(By.CSS_SELECTOR, "#grid .keys > span").text)
        columns = "return getComputedStyle(document.querySelector('.grid')).gridTemplateColumns.split(' ').length"
        self.assertEqual(self.driver.execute_script(columns), 3)
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        self.assertEqual(self.driver.execute_script(columns), 1)
        self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth"), 390)

    def test_interval_beyond_the_axis_has_an_arrow_and_its_end(self):
        for ends, texts in (([0.2, 0.3], []), ([0.2, 40.25], ["42.25"]), ([30.5, 40.25], ["-28.5", "42.25"])):
            with self.subTest(ends=ends):
                canvas, grid = sweep_plots.grid_of(2, 3.0, True)
                for axes in grid:
                    axes.errorbar([0, 1], [1, 2], yerr=[[0.1, ends[0]], [0.2, ends[1]]], linestyle="none", marker="o", label="one")
                    axes.set_xticks([0, 1], ["none", "CoDel"])
                    axes.set_ylim(0, 4)
                self.show(canvas)
                spied = """
                    const texts = [], prototype = CanvasRenderingContext2D.prototype, write = prototype.fillText;
                    prototype.fillText = function (text) { texts.push(text); return write.apply(this, arguments); };
                    gbflowCharts[0].graph.updateOptions({});
                    prototype.fillText = write;
                    return texts;"""
                self.assertEqual(self.driver.execute_script(spied), texts)

    def test_zoom_is_of_all_charts_over_time(self):
        before = self.driver.execute_script(RANGES)
        self.assertEqual(before[0][0], 0)
        self.assertEqual([row for row in before if row != before[0]], [])
        cdf = self.driver.execute_script("return gbflowCharts[0].graph.xAxisRange()")
        ActionChains(self.driver).move_to_element(self.panel("throughput")).click_and_hold().move_by_offset(120, 0).release().perform()
        after = self.driver.execute_script(RANGES)
        self.assertLess(after[0][1] - after[0][0], 0.5 * (before[0][1] - before[0][0]))
        self.assertEqual([row for row in after if row != after[0]], [])
        self.assertEqual(self.driver.execute_script("return gbflowCharts[0].graph.xAxisRange()"), cdf)
        ActionChains(self.driver).move_by_offset(0, 5).perform()
        self.driver.find_element(By.CSS_SELECTOR, "#backlog .whole").click()
        self.assertEqual(self.driver.execute_script(RANGES), before)

    def test_dark_colours_and_paper(self):
        ink = "return getComputedStyle(document.querySelector('.dygraph-label')).color"
        light = self.driver.execute_script(ink)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.assertNotEqual(self.driver.execute_script(ink), light)
        grid = self.driver.execute_script("return gbflowCharts[0].graph.getOption('gridLineColor')")
        self.assertEqual(grid, "#39424c")
        paper = base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
        self.assertTrue(paper.startswith(b"%PDF"))

    def test_1000_s_with_110_mobiles(self):
        folder = synthetic.write(self.folder / "large")
        summary = {**synthetic.summary(), "duration_s": SECONDS}
        (folder / "summary.json").write_text(json.dumps(summary))
        synthetic.write_series(folder / "series.csv", [(tenth / 10, name, f"m{mobile}", (tenth * mobile) % 977) for name in SERIES
                                                       for mobile in range(MOBILES) for tenth in range(0, 10 * SECONDS, 2)])
        self.open(folder)
        self.assertLessEqual((folder / "report.html").stat().st_size, OCTETS_MAX)
        self.assertGreater(self.driver.execute_script(COUNT), 3)
        self.point_at("throughput")
        self.assertIn("at ", self.driver.find_element(By.CSS_SELECTOR, "#throughput .keys > span").text)


if __name__ == "__main__":
    unittest.main()
