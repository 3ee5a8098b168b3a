# SPDX-License-Identifier: BSD-3-Clause
"""The site in use, its links not followed: a search finds pages of the guide before records of decisions; axe finds no fault of WCAG 2,
level AA, in its pages and in a run's report. Needs PyPI."""
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import browser
from selenium.webdriver.common.by import By

ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])
# What one looks for, and the page that is first.
SEARCHES = [("codel", "aqm.html"), ("install", "packaging.html"), ("bss_target", "flow-control.html"), ("flow control", "flow-control.html"),
            ("esp", "esp.html")]
# The front page, prose with code, wide tables, links and all.
PAGES = ("index.html", "serve.html", "reference/node.html", "building.html")
LOOKS = ((1280, "light"), (390, "dark"))
# Faults: the rule, and the elements that break it.
AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {runOnly: ['wcag2a', 'wcag2aa'], rules: {'landmark-one-main': {enabled: true}}}).then(found =>
  done(found.violations.map(rule => [rule.id, rule.nodes.map(node => node.html.slice(0, 150) + ' ' + (node.any[0] || {message: ''}).message)])));
"""
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

    def test_links_show_titles(self):
        """No link shows the name of a file that the site has as a page."""
        for page in self.out.rglob("*.html"):
            with self.subTest(page=page.relative_to(self.out)):
                self.assertEqual(re.findall(r"<a href=\"[^\"]+\.html[^\"]*\">(?:<code>)?[^<]*\.md(?:</code>)?</a>", page.read_text(encoding="utf-8")), [])

    def check_access(self, page):
        axe, = (ROOT / "out/site-environment").glob("lib/python3*/site-packages/axe_playwright_python/axe.min.js")
        for width_px, colours in LOOKS:
            with self.subTest(page=page.name, width_px=width_px, colours=colours):
                self.open(page, width_px, colours)
                self.driver.execute_script("document.querySelectorAll('details').forEach(part => { part.open = true; })")
                self.driver.execute_script(axe.read_text(encoding="utf-8"))
                self.driver.set_script_timeout(120)
                self.assertEqual(self.driver.execute_async_script(AXE), [])

    def test_access(self):
        for name in PAGES:
            self.check_access(self.out / name)

    def test_access_to_a_report(self):
        run = self.out.parent / "run"
        subprocess.run([os.environ["GBFLOW"], "run", ROOT / "config/scenarios/quickstart.lua", "--out", run], check=True, capture_output=True, timeout=200)
        self.check_access(run / "report.html")


if __name__ == "__main__":
    unittest.main()
