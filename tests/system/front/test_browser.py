# SPDX-License-Identifier: BSD-3-Clause
"""The pages of a run, a study, a comparison and an analysis in Chromium: no error in the console, nothing cut off, no fault of contrast,
labels that can be read, and charts that answer to pointer, legend and zoom; in light and dark, 390 and 1280 pixels wide. And the
figures for paper."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import browser
from selenium.webdriver.common.by import By

ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])
PROGRAM = os.environ["GBFLOW"]
# Texts of a drawing that reach outside of it, and pairs of which one covers the other.
OVERLAPS = """
const whole = document.documentElement.getBoundingClientRect();
const texts = [...document.querySelectorAll('g[id^="text_"]')].map(node => [node.id, node.getBoundingClientRect()]).filter(([, box]) => box.width);
const outside = texts.filter(([, box]) => box.left < whole.left - 2 || box.right > whole.right + 2 || box.top < whole.top - 2 || box.bottom > whole.bottom + 2);
const pairs = [];
texts.forEach(([one, a], at) => texts.slice(at + 1).forEach(([other, b]) => {
  if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) pairs.push([one, other]);
}));
return [outside.map(row => row[0]), pairs];
"""


class Pages(browser.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.out = pathlib.Path(folder.name)
        study = re.search(r"(?ms)^```lua title=\"out/question.lua\"\n(.*?)^```$", (ROOT / "docs/first-study.md").read_text(encoding="utf-8")).group(1)
        (cls.out / "question.lua").write_text(study.replace("../config", f"{ROOT}/config").replace("seeds = 5", "seeds = 2"), encoding="utf-8")
        quick, capture = ROOT / "config/scenarios/quickstart.lua", ROOT / "tests/data/captures/gn-osmo-ggsn.pcap"
        for words in (["run", quick, "--out", cls.out / "run"], ["run", quick, "--out", cls.out / "q", "--set", "sgsn.queues.discipline=q", "--svg"],
                      ["sweep", cls.out / "question.lua", "--out", cls.out / "sweep", "--no-parquet"],
                      ["sweep", cls.out / "question.lua", "--out", cls.out / "static", "--no-parquet", "--svg"],
                      ["compare", cls.out / "run", cls.out / "q", "--out", cls.out / "pair"], ["analyze", capture, "--out", cls.out / "analysis"],
                      ["figure", cls.out / "run", "--figures", cls.out / "figures", "--format", "svg"]):
            if words[-1] == "--svg" and words[0] == "sweep":  # the runs are there already
                shutil.copytree(cls.out / "sweep", cls.out / "static")
            subprocess.run([PROGRAM, *words], check=True, capture_output=True, timeout=200)

    def check(self, page, has_charts=True):
        for width_px, colours in browser.LOOKS:
            with self.subTest(width_px=width_px, colours=colours):
                self.open(page, width_px, colours)
                self.driver.execute_script("document.querySelectorAll('details').forEach(part => { part.open = true; })")
                self.check_contrast()
                self.check_drawings(colours)
                self.assertRegex(self.driver.find_element(By.TAG_NAME, "footer").text, r"by: gbflow \d.*, commit \w+.*: gbflow \w+ ")
                if has_charts:
                    self.check_keys(width_px)
                    self.check_charts()
                    self.check_contrast(".keys *")

    def test_report(self):
        self.check(self.out / "run" / "report.html")

    def test_sweep(self):
        page = self.out / "sweep" / "report.html"
        self.check(page)
        self.open(page, 1280, "light")
        sentences = self.driver.find_elements(By.XPATH, "//h2[text()='What the study says']/following-sibling::p")
        self.assertIn(len(sentences), range(1, 5))
        self.assertFalse(self.driver.find_element(By.XPATH, "//h3[text()='Which axis matters']").is_displayed())

    def test_comparison(self):
        self.check(self.out / "pair" / "report.html")

    def test_pages_without_a_script(self):
        for name in ("q", "static", "analysis"):
            self.check(self.out / name / "report.html", has_charts=False)

    def test_figures_for_paper(self):
        """As a browser draws them, whatever its colours: on white, no text over another one, none outside."""
        for path in sorted((self.out / "figures").iterdir()):
            colours = browser.COLOURS[len(path.name) % 2]
            with self.subTest(path=path.name, colours=colours):
                self.open(path, 1280, colours)
                self.assertEqual(self.driver.execute_script(OVERLAPS), [[], []])


if __name__ == "__main__":
    unittest.main()
