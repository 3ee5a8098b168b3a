# SPDX-License-Identifier: BSD-3-Clause
"""The report of a run and the page of a study in Chromium: no error in the console, nothing cut off, text that can be read, and charts
that answer to pointer, legend and zoom; in light and dark, 390 and 1280 pixels wide."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import browser

ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])
PROGRAM = os.environ["GBFLOW"]
TEXT = "h1, h2, h3, p, li, td, th, figcaption"


class Pages(browser.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.out = pathlib.Path(folder.name)
        study = re.search(r"(?ms)^```lua title=\"out/question.lua\"\n(.*?)^```$", (ROOT / "docs/first-study.md").read_text(encoding="utf-8")).group(1)
        (cls.out / "question.lua").write_text(study.replace("../config", f"{ROOT}/config").replace("seeds = 5", "seeds = 2"), encoding="utf-8")
        for words in (["run", ROOT / "config/scenarios/quickstart.lua", "--out", cls.out / "run"],
                      ["sweep", cls.out / "question.lua", "--out", cls.out / "sweep", "--no-parquet"]):
            subprocess.run([PROGRAM, *words], check=True, capture_output=True, timeout=200)

    def check(self, page):
        for width_px, colours in browser.LOOKS:
            with self.subTest(width_px=width_px, colours=colours):
                self.open(page, width_px, colours)
                self.check_contrast(TEXT)
                self.check_charts()

    def test_report(self):
        self.check(self.out / "run" / "report.html")

    def test_sweep(self):
        self.check(self.out / "sweep" / "report.html")


if __name__ == "__main__":
    unittest.main()
