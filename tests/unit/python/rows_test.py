#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/papers/ lists which row judges which figure: all rows, and no others."""

import fnmatch
import re
import unittest

import setting

from gbflow_report.papers import p1, p2, p3, p4, p5

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

    def test_named_rows(self):
        """Rows named further down exist."""
        for paper, name in PAGES:
            text = (setting.REPORT.parent / "docs" / "papers" / name).read_text(encoding="utf-8")
            rows = [figure.name for figure in paper.FIGURES]
            for pattern in re.findall(rf"`({paper.NAME.lower()}-[a-z0-9*-]+)`", text):
                self.assertTrue(fnmatch.filter(rows, pattern), pattern)


if __name__ == "__main__":
    unittest.main()
