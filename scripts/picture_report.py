#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A picture of a run's report for README.md: its head, its sentences and its first plot.

usage: picture_report.py REPORT.html OUT.png

Needs Chromium, Selenium and Pillow (Debian: chromium-driver, python3-selenium, python3-pil).
"""
import base64
import io
import pathlib
import sys

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

WIDTH, COLOURS, MARGIN = 1120, 64, 16
# From the head to the end of the sentences, and the first figure with its words.
PARTS = """
const top = document.querySelector('h1').getBoundingClientRect().top;
const boxes = [...document.querySelectorAll('h2')].map(head => head.getBoundingClientRect().top);
const figure = document.querySelector('figure');
const box = figure.getBoundingClientRect();
return [[top, boxes[1]], [box.top, box.bottom]];
"""


def shots(driver):
    for top, bottom in driver.execute_script(PARTS):
        clip = {"x": 0, "y": max(top - MARGIN, 0), "width": WIDTH, "height": bottom - top + MARGIN, "scale": 1}
        data = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})["data"]
        yield Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


def stacked(parts):
    whole = Image.new("RGB", (WIDTH, sum(part.height for part in parts)), "white")
    at = 0
    for part in parts:
        whole.paste(part, (0, at))
        at += part.height
    return whole.quantize(COLOURS, dither=Image.Dither.NONE)


def main(page, out):
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
                 f"--window-size={WIDTH},3000"):
        options.add_argument(word)
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    try:
        driver.get(pathlib.Path(page).resolve().as_uri())
        stacked(list(shots(driver))).save(out, optimize=True)
    finally:
        driver.quit()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
