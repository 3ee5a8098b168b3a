# SPDX-License-Identifier: BSD-3-Clause
"""The site in use, its links not followed: a search finds pages of the guide before records of decisions. Needs PyPI."""
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

import browser
from selenium.webdriver.common.by import By

ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])
# What one looks for, and the page that is first.
SEARCHES = [("codel", "aqm.html"), ("install", "building.html"), ("bss_target", "flow-control.html"), ("flow control", "flow-control.html"),
            ("esp", "esp.html")]
FOUND = "return [...document.querySelectorAll('.md-search-result__item > a')].map(link => link.pathname)"


class Use(browser.Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.out = pathlib.Path(folder.name) / "site"
        done = subprocess.run([ROOT / "scripts/site.sh", "--no-links", "--out", cls.out], capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        super().setUpClass()

    def search(self, words):
        """Pages found, the best first."""
        self.open(self.out / "index.html", 1280, "light")
        self.driver.find_element(By.CSS_SELECTOR, ".md-search__input").send_keys(words)
        end, found = time.monotonic() + 60, []
        while not found and time.monotonic() < end:
            time.sleep(0.1)
            found = self.driver.execute_script(FOUND)
        return [path.removeprefix(f"{self.out}/") for path in found]

    def test_search(self):
        for words, page in SEARCHES:
            with self.subTest(words=words):
                found = self.search(words)
                self.assertEqual(found[:1], [page], found)


if __name__ == "__main__":
    unittest.main()
