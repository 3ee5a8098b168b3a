#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a person reads of figures: tables of pages and fields of reports say of which unit they are, and a median, a mean
or an interval says of how many values."""

import json
import re
import subprocess
import unittest
from html.parser import HTMLParser

import analyze_report_test
import bench_report_test
import run_report_test
import setting
import sweep_report_test

from gbflow_report import sweep_page, sweep_results

STATISTIC = re.compile(r"\b(p\d+|median|mean|avg|quartiles|least to most)\b|95 %")
COUNTED = re.compile(r"\b(n|runs|rounds|windows|samples|periods|trials|searches|seeds|one trial|connections|packets with a delay|changes|"
                     r"packets delivered|answered|pages|updates)\b")
# Words of heads whose numbers count things or compare them, and of captions that name the unit of a whole table.
WITHOUT_UNIT = re.compile(
    r"\b(mobiles?|cells?|N-PDUs?|marks|drops|dropped|packets|pages|users|connections|samples|periods|runs|rounds|windows|trials|searches|"
    r"changes|crossings|reselections|count|instructions|cycles|CPUs|octets|frames|void|wrong FCS|reordered|value|worst user|"
    r"Jain's index|deviation|in|out|queued at the end|to mobiles|from mobiles|baseline|^mean$|^95 % interval$|second / first|gbflow / .*|"
    r"answered|of packets.*|load|report\d\.json)\b")
WHOLE = re.compile(r"\b(ns per N-PDU|ns of processor time per N-PDU|N-PDU/s|microseconds|in the units of)\b")
NUMBER = re.compile(r"[-+\d\u202f.,]+( %)?")


class Tables(HTMLParser):
    """(caption, heads, rows) of each table of a page."""

    def __init__(self, text):
        super().__init__()
        self.found, self.cell = [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.found.append(["", []])
        elif tag == "tr" and self.found:
            self.found[-1][1].append([])
        elif tag in ("td", "th", "caption"):
            self.cell = ""

    def handle_endtag(self, tag):
        if self.cell is None or tag not in ("td", "th", "caption"):
            return
        if tag == "caption":
            self.found[-1][0] = self.cell
        else:
            self.found[-1][1][-1].append(self.cell)
        self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def faults_of(caption, rows):
    heads, *body = rows
    found = []
    statistics = [head for head in heads if STATISTIC.search(head)]
    if (statistics or STATISTIC.search(caption)) and not any(COUNTED.search(words) for words in (caption, *heads)):
        found.append(f"{caption}: of how many values are {', '.join(statistics) or 'its figures'}")
    for head, column in [*zip(heads, zip(*body))][1:]:  # the first names the row
        is_number = any(NUMBER.fullmatch(cell) for cell in column)
        if is_number and not head.endswith(")") and not WITHOUT_UNIT.search(head) and not WHOLE.search(caption) and "/" not in head:
            found.append(f"{caption}: {head} has no unit")
    return found


class Judge(unittest.TestCase):
    """What faults_of() has to find."""

    def test_rows(self):
        rows = [
            ("Pings.", [["mobile", "answered", "rtt p50 (s)"], ["anna", "3", "0.5"]], 0),
            ("Pings.", [["mobile", "rtt p50 (s)"], ["anna", "0.5"]], 1),
            ("Pings, over 3 runs.", [["mobile", "rtt p50 (s)"], ["anna", "0.5"]], 0),
            ("Pings.", [["mobile", "answered", "rtt p50"], ["anna", "3", "0.5"]], 1),
            ("Pings.", [["mobile", "rtt"], ["anna", "0.5"]], 1),
            ("Pings.", [["mobile", "verdict"], ["anna", "lower"]], 0),
        ]
        for caption, table, faults in rows:
            with self.subTest(table=table):
                self.assertEqual(len(faults_of(caption, table)), faults)


class Pages(setting.Case):
    def check(self, path):
        tables = [(caption, rows) for caption, rows in Tables(path if isinstance(path, str) else path.read_text()).found if rows]
        self.assertGreater(len(tables), 1)
        self.assertEqual([fault for caption, rows in tables for fault in faults_of(caption, rows)], [])

    def test_run(self):
        maker = run_report_test.Report("test_every_plot_and_word")
        maker.pyz, maker.folder = self.pyz, self.folder
        folder = maker.run_folder("legible")
        maker.page_of(folder)
        self.check(folder / "report.html")

    def test_sweep(self):
        made = sweep_report_test.results()
        self.check(sweep_page.html_of(made, sweep_results.compared(made), sweep_report_test.LIBRARY))

    def test_analyze(self):
        maker = analyze_report_test.Report("test_an_empty_capture")
        maker.pyz, maker.folder = self.pyz, self.folder
        maker.page_of(analyze_report_test.analysis())
        self.check(self.folder / "report.html")

    def test_bench(self):
        of = bench_report_test
        maker = of.Report("test_sched")
        maker.pyz, maker.folder = self.pyz, self.folder
        maker.page_of(of.report(of.preloaded(), of.stages(), of.sched(), of.comparison("compare", "a", "b"), of.ndr()))
        self.check(self.folder / "page.html")


class Fields(unittest.TestCase):
    def test_quantiles_say_of_how_many_values(self):
        """In each report's fields: p50, p95, a mean or a median have n, or pages, beside them."""
        reports = json.loads(subprocess.run([setting.PROGRAM, "fields", "--format", "json"], capture_output=True, check=True).stdout)
        owners = {(report, path.rpartition(".")[0]) for report, fields in reports.items() for path in fields
                  if re.fullmatch(r"p\d+|median|mean|avg", path.rpartition(".")[2])}
        self.assertGreater(len(owners), 20)
        self.assertEqual([f"{report}: {owner}" for report, owner in sorted(owners)
                          if not {f"{owner}.n", f"{owner}.pages"} & set(reports[report])], [])


if __name__ == "__main__":
    unittest.main()
