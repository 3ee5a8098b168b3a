#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/papers/ lists which row judges which figure: all rows, and no others."""

import fnmatch
import re
import unittest
from collections import Counter

import setting

from gbflow_report.papers import p1, p2, p3, p4, p5

ROOT = setting.REPORT.parent
FIGURES = [figure for paper in (p1, p2, p3, p4, p5) for figure in paper.FIGURES]
# Scenarios whose comments name the figure or table of the paper that a value comes from.
CITING = {"gprs-population.lua": "p2-", "dialup-population.lua": "p2-dialup-"}
CITED = re.compile(r"\b(table [IV]+|Fig\. \d+)\b", re.IGNORECASE)
# Rows that are results although a value cites their table: of table III the mix of users and one window's goodput are dealt.
RESULTS = ("p2-table3-*",)
PAGES = [(p1, "aqm-in-the-sgsn.md"), (p2, "passive-analysis.md"),
         *((paper, "latency-buffering-preemption.md") for paper in (p3, p4, p5))]


class Rows(unittest.TestCase):
    def test_pages(self):
        for paper, name in PAGES:
            text = (setting.REPORT.parent / "docs" / "papers" / name).read_text(encoding="utf-8")
            patterns = set(re.findall(rf"`({paper.NAME.lower()}-[a-z0-9*-]+)`", text.partition("## ")[0]))
            rows = {figure.name for figure in paper.FIGURES}
            unlisted = [row for row in rows if not any(fnmatch.fnmatch(row, pattern) for pattern in patterns)]
            empty = [pattern for pattern in patterns if not fnmatch.filter(rows, pattern)]
            self.assertEqual((unlisted, empty), ([], []), name)

    def test_counts(self):
        """What pages count is what there is."""
        kinds = Counter(figure.kind for figure in FIGURES)
        without = sum("not in the paper" in str(figure.published) for figure in FIGURES)
        readme, page = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/papers/README.md"))
        self.assertIn(f"{len(FIGURES)} rows, all but {without} beside a published value: {kinds['result']} results, and apart {kinds['sign']} signs, "
                      f"{kinds['fitted']} fitted, {kinds['input']} inputs;", readme)
        self.assertIn(f"Six of the {len(FIGURES)} rows have no published value", page)
        self.assertEqual(without, 6)
        self.assertIn(f"The rows are {kinds['result']} results", page)
        for kind in ("input", "fitted", "sign"):
            self.assertIn(f"| {kind} | {kinds[kind]} |", page)

    def test_inputs(self):
        """A row whose figure a scenario's value cites is no result."""
        for name, prefix in CITING.items():
            text = (ROOT / "config" / "scenarios" / name).read_text(encoding="utf-8")
            values = [line for line in text.splitlines() if "why =" in line or re.match(r"-- Octets|-- the latter", line)]
            cited = {found.lower() for line in values for found in CITED.findall(line)}
            self.assertTrue(cited, name)
            rows = [figure.name for figure in p2.FIGURES if figure.kind == "result" and figure.name.startswith(prefix)
                    and any(found.lower() in cited for found in CITED.findall(figure.what))]
            self.assertEqual([row for row in rows if not any(fnmatch.fnmatch(row, pattern) for pattern in RESULTS)], [], name)

    def test_named_rows(self):
        """Rows named further down exist."""
        for paper, name in PAGES:
            text = (setting.REPORT.parent / "docs" / "papers" / name).read_text(encoding="utf-8")
            rows = [figure.name for figure in paper.FIGURES]
            for pattern in re.findall(rf"`({paper.NAME.lower()}-[a-z0-9*-]+)`", text):
                self.assertTrue(fnmatch.filter(rows, pattern), pattern)


if __name__ == "__main__":
    unittest.main()
