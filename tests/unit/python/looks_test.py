#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The list of the figures that tables have of each class: every table of the queues' study has all of them, and so have the pages."""
import dataclasses
import fnmatch
import unittest

import ablation_test
import own_paper_test
import own_test
import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report import fields, looks, reproduce, run_page, sweep_story
from gbflow_report.looks import LOOKS
from gbflow_report.papers import ablation, own, own_paper_points, own_sensitivity, points, search
from gbflow_report.papers.ablation_cases import ALL, GRID, Case


def tables():
    """All that compare queues; that of the goals has a row for each goal, those of losses and orders one for each figure."""
    by_seed = {seed: own_test.RUNS for seed in (1, 2)}
    found = [*own.tables(by_seed), *own.page_tables(by_seed), own_paper_points.parts_table(own_paper_test.PARTS),
             *points.tables(own_paper_test.POINTS), *search.tables({1: {case: own_test.OUTCOMES["q"] for case in search.CASES}})]
    runs = {own_sensitivity.Varied(own_sensitivity.BASE, own.Case(scheme)): own_test.OUTCOMES["q"] for scheme in own_sensitivity.SCHEMES}
    found.append(own_sensitivity.table([reproduce.varied_row(own_sensitivity, own_sensitivity.BASE, {1: runs})]))
    cases = [Case(GRID, name) for name in ("tags-none", "tags-quantum-none", ALL.name, "pacing-mobile_target-halved")]
    parts = ablation_test.by_seed_of(cases, lambda scheme, seed: {})
    return [table for table in (*found, *ablation.tables(parts), *ablation.page_tables(parts)) if table.name not in ("goals", "losses", "order", "order-one")]


class Looks(unittest.TestCase):
    def test_tables(self):
        """A table that lacks one is found, whichever it is."""
        made = {table.name: table for table in tables()}
        self.assertEqual(set(made), {"today", "newreno", "light", "pairs", "pairs-newreno", "rates", "points", "values", "search", "search-ecn", "less", "robust", "parts", "parameters", "effects", GRID})
        for name, table in made.items():
            with self.subTest(name):
                self.assertEqual(looks.lacking(table.head), [])
                self.assertEqual({len(row) for row in table.rows}, {len(table.head)})
                for look in LOOKS:
                    left = [title for title in table.head if not (title == look.name or title.startswith(look.name + " "))]
                    self.assertEqual(looks.lacking(left), [look.name])

    def test_fields(self):
        """Each is a figure of summary.json, which the page of a run has a column of and that of a study is about."""
        for look in LOOKS:
            with self.subTest(look.name):
                figure = f"classes.thp2.{look.figure}"
                self.assertEqual(fields.of_figure("summary", figure).path, f"classes.CLASS.{look.figure}")
                self.assertIn(look.figure, run_page.GOODPUT)
                self.assertTrue(any(fnmatch.fnmatchcase(figure, pattern) for pattern in sweep_story.HEADLINES))
        self.assertEqual(len({sweep_story.name_of(f"classes.thp2.{look.figure}") for look in LOOKS}), len(LOOKS))

    def test_cells(self):
        """Classes stand between slashes, their sum alone; a class without a value leaves the sum open."""
        row = dict(zip(looks.BY_NAME, range(1, len(LOOKS) + 1), strict=True))
        rows = {"a": row, "b": {**row, looks.DELAY: None, looks.TOTAL: 2.6}}
        texts = [looks.cell(look, ("a", "b"), lambda value_of: value_of(rows)) for look in LOOKS]
        self.assertEqual(texts[:3], ["4", "2.00 / –", "3.0 / 3.0"])
        self.assertEqual(looks.cell(looks.BY_NAME[looks.TOTAL], ("a", "b"), lambda value_of: value_of({**rows, "b": dict.fromkeys(row)})), "–")
        self.assertEqual(looks.seen_of({"goodput_bps": {"total": 5000}}), {**dict.fromkeys(looks.BY_NAME), looks.TOTAL: 5})
        self.assertEqual({dataclasses.astuple(look)[:3] for look in LOOKS if look.is_of_pings},
                         {("ping p50", "ping p50 s", "ping_rtt_s.p50"), ("ping p95", "ping p95 s", "ping_rtt_s.p95"), ("pings lost", "pings lost", "pings_lost")})


if __name__ == "__main__":
    unittest.main()
