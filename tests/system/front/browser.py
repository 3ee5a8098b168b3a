# SPDX-License-Identifier: BSD-3-Clause
"""Chromium over pages on disk: light and dark, on a telephone and on a desk. What a reader would notice is found by a test."""
import itertools
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

WIDTHS_PX = (390, 1280)
COLOURS = ("light", "dark")
LOOKS = list(itertools.product(WIDTHS_PX, COLOURS))
CHARTS = "return (window.gbflowCharts || []).length"
# Contrast of WCAG 2 between a text and the first background behind it that is not transparent.
CONTRAST = """
const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
const light = colour => { const [r, g, b] = numbers(colour).map(x => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
                          return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const solid = colour => numbers(colour).length < 4 || numbers(colour)[3] > 0;
return [...document.querySelectorAll(arguments[0])].filter(node => node.offsetParent && node.textContent.trim()).map(node => {
  let behind = node;
  while (behind && !solid(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
  const a = light(getComputedStyle(node).color), b = behind ? light(getComputedStyle(behind).backgroundColor) : 1;
  return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.textContent.trim().slice(0, 40)];
});
"""


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--allow-file-access-from-files", "--window-size=1280,900"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        cls.addClassCleanup(cls.driver.quit)

    def open(self, path, width_px, colours):
        """Nothing in the console, and nothing wider than the window."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width_px, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": colours}]})
        self.driver.get_log("browser")
        self.driver.get(path.as_uri())
        self.assertEqual([row for row in self.driver.get_log("browser") if row["level"] in ("SEVERE", "WARNING")], [], path)
        self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth"), width_px, path)

    def check_contrast(self, selector, least=4.5):
        found = self.driver.execute_script(CONTRAST, selector)
        self.assertTrue(found, selector)
        self.assertEqual([row for row in found if row[0] < least], [])

    def check_charts(self):
        """Each page's first chart answers to the pointer, to its legend and to a zoom."""
        count = self.driver.execute_script(CHARTS)
        self.assertGreater(count, 0)
        panel = self.driver.find_element(By.CSS_SELECTOR, "figure .panel canvas:last-of-type")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", panel)
        figure = panel.find_element(By.XPATH, "ancestor::figure")
        values = figure.find_element(By.CSS_SELECTOR, ".keys").text
        ActionChains(self.driver).move_to_element(panel).perform()
        self.assertNotEqual(figure.find_element(By.CSS_SELECTOR, ".keys").text, values)
        key = figure.find_element(By.CSS_SELECTOR, ".key")
        key.click()
        self.assertEqual(key.get_attribute("aria-pressed"), "false")
        key.click()
        index = self.driver.execute_script("return gbflowCharts.findIndex(chart => chart.keys[0] === arguments[0])", key)
        span = f"const [low, high] = gbflowCharts[{index}].graph.xAxisRange(); return high - low"
        before = self.driver.execute_script(span)
        ActionChains(self.driver).move_to_element(panel).click_and_hold().move_by_offset(60, 0).release().perform()
        self.assertLess(self.driver.execute_script(span), before)
