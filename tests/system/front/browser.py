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
# Contrast of WCAG 2 between texts and the first background behind each that is not transparent: of all elements that a selector has
# and that have words of their own. Letters of an SVG are paths in groups with a name.
CONTRAST = """
const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => { [r, g, b] = [r, g, b].map(x => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
                               return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const alpha = colour => numbers(colour).length < 4 ? 1 : numbers(colour)[3];
const clear = node => { let of = 1; for (; node; node = node.parentElement) of *= Number(getComputedStyle(node).opacity); return of; };
const words = node => node.closest('svg') ? node.matches('g[id*="-text_"]') && !node.parentElement.closest('g[id*="-text_"]')
  : [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
return [...document.querySelectorAll(arguments[0])].filter(node => node.getClientRects().length && getComputedStyle(node).visibility !== 'hidden' &&
    !node.closest('script, style, noscript') && words(node)).map(node => {
  const style = getComputedStyle(node), isDrawn = node.closest('svg');
  let behind = isDrawn ? node.closest('svg') : node;
  while (behind && alpha(getComputedStyle(behind).backgroundColor) === 0) behind = behind.parentElement;
  const ground = behind ? numbers(getComputedStyle(behind).backgroundColor) : [255, 255, 255], share = clear(node);
  const ink = numbers(isDrawn ? getComputedStyle(node.querySelector('use, path') || node).fill : style.color).slice(0, 3);
  const a = light(ink.map((x, at) => share * x + (1 - share) * ground[at])), b = light(ground);
  return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), isDrawn ? node.id : node.tagName + ' ' + node.textContent.trim().slice(0, 40)];
});
"""
# How large a point of each drawing is in pixels.
DRAWN = """
return [...document.querySelectorAll('figure > svg')].map(svg => [svg.closest('figure').id, svg.getBoundingClientRect().width / svg.viewBox.baseVal.width]);
"""
# Of each bar of keys the number of rows, and whether all keys are in view.
KEYS = """
const box = node => node.getBoundingClientRect();
return [...document.querySelectorAll('.keys')].map(bar => [...bar.querySelectorAll('button')]).map(keys =>
  [new Set(keys.map(key => box(key).top)).size, keys.every(key => box(key).right <= box(key.parentElement).right + 1)]);
"""
# Sizes of the labels at a chart's ticks.
LABELS = "return [...document.querySelectorAll('.dygraph-axis-label')].map(label => parseFloat(getComputedStyle(label).fontSize))"
WHITE = """
return [...document.querySelectorAll('figure svg, figure svg path, .panel, .panel canvas, .chart')].filter(node => {
  const style = getComputedStyle(node);
  const isBox = node.tagName !== 'path' || node.getBoundingClientRect().width > 40;
  return isBox && 'rgb(255, 255, 255)' === (node.tagName === 'path' ? style.fill : style.backgroundColor);
}).length;
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
        rows = [row for row in self.driver.get_log("browser") if row["level"] in ("SEVERE", "WARNING")]
        # Dygraphs 2.2 warns of each line with points outside the range that is shown.
        self.assertEqual([row for row in rows if "points out of X bounds" not in row["message"]], [], path)
        self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth"), width_px, path)

    def check_contrast(self, selector="body *", least=4.5):
        found = self.driver.execute_script(CONTRAST, selector)
        self.assertTrue(found, selector)
        self.assertEqual([row for row in found if row[0] < least], [])

    def check_drawings(self, colours, least_points=8, least_px=11):
        """The labels at the ticks can be read, and no box is white on a dark page."""
        for name, scale in self.driver.execute_script(DRAWN):
            self.assertGreaterEqual(scale * least_points, least_px, name)
        for size in self.driver.execute_script(LABELS):
            self.assertGreaterEqual(size, least_px)
        if colours == "dark":
            self.assertEqual(self.driver.execute_script(WHITE), 0)

    def check_keys(self, width_px):
        """The keys of a chart stand in one row, which a narrow window scrolls and a wide one wraps if they do not fit."""
        for rows, are_in_view in self.driver.execute_script(KEYS):
            self.assertTrue(are_in_view if width_px > min(WIDTHS_PX) else rows == 1, (rows, are_in_view))

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
