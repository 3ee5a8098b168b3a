#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The study of changes of SGSN: what it takes from a summary, rows that hold and fail, its moves and tables."""
import re
import unittest
from dataclasses import replace

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report.papers import relocation
from gbflow_report.papers.relocation_cases import CASES, DROP, FORWARD, OFTEN, POINTS, SCHEMES, STAY, USERS, Case, Outcome, moves, outcome_of
from gbflow_report.papers.verdict import IN_BAND, MISSED, judge
from gbflow_results.files import Series

STAYED = Outcome(100, 0, 0, 4, 0, 0, 0)
# Seconds that a change costs, with and without forwarding: of a point and queues, or of a point.
COSTS = {("file", "fifo"): (1.2, 14.5), ("far", "fifo"): (1.1, 12), ("small", "fifo"): (1.1, 4.5), ("often", "fifo"): (30, 42),
         ("often", "fifo-short"): (14, 42), ("proof", "fifo"): (3.2, 15.5), ("edge", "fifo"): (1.1, 9), ("gap", "fifo"): (3.2, 15.5),
         ("bss", "fifo"): (1.2, 14.5), ("file", "fifo-short"): (1.2, 14.5), ("file", "q-windows-short"): (7, 7), ("bss", "q"): (6.5, 6.5),
         ("file", "fifo-16k"): (1.3, 5.2), ("file", "fq-codel"): (2.5, 4.0),
         "often": (29, 30), "gap": (5.2, 5.2), "proof": (4.5, 5)}


def played(case):
    """What the study expects."""
    if case.kind == STAY:
        return STAYED
    is_forward = case.kind == FORWARD
    costs = COSTS.get((case.point, case.scheme), COSTS.get(case.point, (2.4, 2.8)))
    return Outcome(100 + costs[not is_forward], 2.6 if is_forward else 11.4, 1, 4, 30 if is_forward else 0, 0 if is_forward else 30, 60,
                   USERS * POINTS[case.point].changes, 1.3 if is_forward else 7.1)


RUNS = {case: played(case) for case in CASES}
# row, the case that is altered, its outcome
MISSES = [(f"{Case(*words.split()).name}-{what}", Case(*words.split()), changed) for words, what, changed in (
    ("file fifo forward", "cost", {"seconds": 103}), ("file fifo forward", "cost", {"seconds": None}), ("file fifo drop", "saving", {"seconds": 105}),
    ("file fifo drop", "interruption", {"interruption_s": 1.3}), ("file fifo drop", "interruption", {"interruption_s": None}),
    ("file fifo drop", "repeated", {"repeated": 2.0}), ("often q-windows forward", "cost", {"seconds": 110}), ("small q drop", "saving", {"seconds": 104}))]


def tcp(octets, end_s, repeated, timeouts=0):
    return {"octets": octets, "start_s": 2, "end_s": end_s, "retransmitted_fraction": repeated, "timeouts": timeouts}


SUMMARY = {
    "tcp": [tcp(5000, 12, 0.01), tcp(5000, 22, 0.03, 2)], "classes": {"background": {"delay_s": {"p95": 9}}},
    "relocation": {"forwarded": 7, "handed_over": 3, "updates": 2, "interruption_s": {"mean": 1.5}},
    "conservation": {"bss": {"dropped": 4}},
}


class Relocation(unittest.TestCase):
    def verdict(self, name, runs):
        figure = next(figure for figure in relocation.FIGURES if figure.name == f"relocation-{name}")
        return judge("relocation", figure, {1: runs, 2: runs})["verdict"]

    def test_rows(self):
        for figure in relocation.FIGURES:
            self.assertEqual(judge("relocation", figure, {1: RUNS})["verdict"], IN_BAND, figure.name)
        for name, case, changed in MISSES:
            self.assertEqual(self.verdict(name, {**RUNS, case: replace(RUNS[case], **changed)}), MISSED, name)
        self.assertEqual(self.verdict("handed-over", {**RUNS, CASES[1]: replace(RUNS[CASES[1]], handed_over=1)}), MISSED)
        self.assertEqual(self.verdict("updates", {**RUNS, CASES[1]: replace(RUNS[CASES[1]], updates=USERS - 1)}), MISSED)

    def test_outcome(self):
        found = outcome_of(SUMMARY, Series({}))
        self.assertEqual(found, Outcome(15, 2, 2, 9, 7, 3, 4, 2, 1.5))
        unfinished = SUMMARY | {"tcp": [tcp(5000, 12, 0), tcp(4999, 22, 0)]}
        self.assertIsNone(outcome_of(unfinished, Series({})).seconds)

    def test_moves(self):
        """Each user goes to its own cell of the other SGSN, at its own second, and back when it goes again."""
        found = re.findall(r'at = "(\d+) s", mobile = "user(\d)", gap = "(\d) s", cell = (\d+)', moves(20, gap_s=2, every_s=10, count=2))
        self.assertEqual(len(found), 2 * USERS)
        self.assertEqual([row for row in found if row[1] == "3"], [("23", "3", "2", "203"), ("33", "3", "2", "103")])
        self.assertEqual(POINTS["often"].moves.count("user1"), OFTEN)
        self.assertEqual([POINTS["often"].changes_in(time_s) for time_s in (6.4, 6.6, 116.6, 300)], [0, 1, 12, OFTEN])
        self.assertEqual(POINTS["gap"].changes_in(1), 1)

    def test_cases(self):
        self.assertEqual(len(CASES), len(POINTS) * len(SCHEMES) * 3)
        self.assertIn("moves={}", Case("file", "q").settings)
        self.assertIn("relocation.forward=false", Case("file", "q", DROP).settings)
        self.assertEqual(Case("file", "q", FORWARD).settings[0], "sgsn.queues.discipline=q")

    def test_tables_and_plots(self):
        tables = relocation.tables({1: RUNS, 2: RUNS})
        self.assertEqual([table.name for table in tables], list(POINTS))
        self.assertEqual([len(table.rows) for table in tables], [len(SCHEMES) * 3] * len(POINTS))
        row = next(row for row in tables[0].rows if row[0] == "fifo drop")
        self.assertEqual(row[1:4], ["114.5", "14.5", "14.50"])
        self.assertEqual([plot.name for plot in relocation.plots({1: RUNS})], ["relocation-forward", "relocation-drop"])


if __name__ == "__main__":
    unittest.main()
