# SPDX-License-Identifier: BSD-3-Clause
"""scripts/site.sh builds the site, whose links lead somewhere; in Chromium its pages fit, can be read and explain a word by
hover. Needs PyPI."""
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import browser
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])
PAGES = ("index", "readme", "first-study", "gallery/index", "study", "lab", "top", "first-throughput", "scheduling", "state-machines", "reference/node",
         "reference/drops", "decisions/README", "changelog")


class Site(browser.Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.out = pathlib.Path(folder.name) / "site"
        done = subprocess.run([ROOT / "scripts/site.sh", "--out", cls.out], capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        super().setUpClass()

    def page(self, name):
        return self.out / (name if name.endswith(".html") else ("decisions/index.html" if name == "decisions/README" else f"{name}.html"))

    def test_pages(self):
        for name in PAGES:
            for width_px, colours in browser.LOOKS:
                with self.subTest(name=name, width_px=width_px, colours=colours):
                    self.open(self.page(name), width_px, colours)
                    self.check_contrast(".md-content h1, .md-content p, .md-content li, .md-content td, .md-content pre code", 4.0)

    def test_front_page(self):
        """One picture, and three doors with one sentence each; no block of code is wider than its column."""
        self.open(self.page("index"), 1280, "light")
        found = {tag: self.driver.find_elements(By.CSS_SELECTOR, f".md-content {tag}") for tag in ("img", "h2", "h2 + p")}
        self.assertEqual({tag: len(nodes) for tag, nodes in found.items()}, {"img": 1, "h2": 3, "h2 + p": 3})
        self.assertEqual([node.text.count(". ") for node in found["h2 + p"]], [0] * 3)
        for name in ("index", "readme"):
            self.open(self.page(name), 1280, "light")
            self.assertEqual(self.driver.execute_script(
                "return [...document.querySelectorAll('pre > code')].filter(code => code.scrollWidth > code.clientWidth + 1).map(code => code.textContent)"), [])

    def test_lists(self):
        """Lists and their blocks of code are what they are in CommonMark: no mark of an item, and no command, is in running text."""
        for page in self.out.rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            for paragraph in re.findall(r"(?s)<p>(.*?)</p>", text):
                with self.subTest(page=page.relative_to(self.out), paragraph=paragraph[:80]):
                    self.assertNotRegex(paragraph, r"(?m)^(?:[*+-]|\d+\.) \S")
        steps = (self.out / "benchmark-setup.html").read_text(encoding="utf-8")
        part = steps[steps.index('id="four-ports-of-one-machine"'):steps.index('id="two-machines"')]
        self.assertEqual((part.count("<ol>"), len(re.findall(r"<li>", part))), (1, 6))
        for command in ("dpdk-devbind.py --bind=vfio-pci", "--trial-s"):
            self.assertRegex(part, rf"(?s)<pre[^>]*>(?:(?!</pre>).)*{command}")

    def test_three_doors(self):
        """Each reader has at most eight pages."""
        self.open(self.page("index"), 1280, "light")
        tabs = [tab.text for tab in self.driver.find_elements(By.CSS_SELECTOR, ".md-tabs__item")]
        self.assertEqual(tabs[:5], ["Start", "Study", "Lab", "Throughput", "Operate"])
        for door, name in (("Study", "first-study"), ("Lab", "lab"), ("Throughput", "first-throughput"), ("Operate", "serve")):
            self.driver.find_element(By.LINK_TEXT, door).click()
            self.assertEqual(self.driver.current_url, self.page(name).as_uri())
            listed = self.driver.find_elements(By.CSS_SELECTOR, ".md-nav--primary .md-nav__item--active .md-nav__item > .md-nav__link[href*='.html']")
            self.assertLessEqual(len({link.get_attribute("href").partition("#")[0] for link in listed}), 8)

    def test_glossary(self):
        self.open(self.page("scheduling"), 1280, "light")
        word = next(found for found in self.driver.find_elements(By.CSS_SELECTOR, ".md-content abbr") if found.text == "N-PDU" or "N-PDU" in found.text)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", word)
        said = word.get_attribute("title") or ""
        ActionChains(self.driver).move_to_element(word).perform()
        end = time.monotonic() + 10
        while not said and time.monotonic() < end:
            said = " ".join(found.text for found in self.driver.find_elements(By.CSS_SELECTOR, ".md-tooltip, .md-tooltip2"))
        self.assertIn("IP packet", said)


if __name__ == "__main__":
    unittest.main()
