#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The study of LLC in acknowledged mode: what it takes from a summary, its formulas, rows that hold and fail, its tables."""
import unittest
from dataclasses import replace

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report.papers import llc
from gbflow_report.papers.llc import CASES, Case, Outcome
from gbflow_report.papers.p1 import ELASTIC, KINDS, OfClass
from gbflow_report.papers.verdict import IN_BAND, MISSED, judge
from gbflow_results.files import Series


def outcome_of(delay_s, queue_s, kbps, repeated=None, worst=0.5):
    row = OfClass(delay_s, kbps, None, None, worst, None)
    return Outcome(dict.fromkeys(ELASTIC, row), dict.fromkeys(ELASTIC, queue_s), 50 * kbps, 7, repeated, 0.9)


def played(case):
    """What the study expects."""
    delay_s, queue_s, kbps = (4, 3.5, 25) if case.scheme in ("none", "ewa-1mb") else (1, 0.8, 30)
    if case.layer == "rlc":
        return outcome_of(delay_s, queue_s, kbps)
    if case.layer == "neither":
        return outcome_of(delay_s, queue_s, kbps if case.bler < 5 else 0, worst=0.1)
    found = outcome_of(delay_s + 1, queue_s, kbps * llc.capacity(case.bler), {2: 0.04, 10: 0.2}[case.bler], 0.9 if case.scheme == "ewa" else 0.5)
    return replace(found, dropped=0) if case.scheme == "ewa" else found


RUNS = {case: played(case) for case in CASES}
LLC, RED, EWA, LARGE = (Case("llc", 10, scheme) for scheme in ("none", "red", "ewa", "ewa-1mb"))
# figure, the case that is altered, its outcome
MISSES = [
    ("llc-repeated-10", LLC, replace(RUNS[LLC], repeated=0.1)), ("llc-repeated-10", LLC, replace(RUNS[LLC], repeated=0.35)),
    ("llc-repeated-10", LLC, replace(RUNS[LLC], repeated=None)), ("llc-repeated-2", Case("llc", 2), replace(RUNS[Case("llc", 2)], repeated=0.02)),
    ("llc-capacity-10", LLC, replace(RUNS[LLC], total_kbps=1250)), ("llc-capacity-2", Case("llc", 2), replace(RUNS[Case("llc", 2)], total_kbps=800)),
    ("llc-worst-10", LLC, outcome_of(4, 3.5, 20, 0.2, worst=0.1)), ("llc-red-10", RED, outcome_of(5, 0.8, 20)),
    ("llc-behind-10", RED, outcome_of(1, 0.8, 20)), ("llc-neither-10", Case("neither", 10), outcome_of(1, 0.8, 5)),
    ("llc-ewa-drops-10", EWA, replace(RUNS[EWA], dropped=1)), ("llc-ewa-delay-10", EWA, outcome_of(4.5, 0.8, 20)),
    ("llc-ewa-worst-10", EWA, outcome_of(1, 0.8, 20, worst=0.55)), ("llc-ewa-buffer-10", LARGE, outcome_of(3, 3.5, 20)),
]


def summary_row(octets_s, **more):
    return {"delay_s": {"p95": 4}, "sojourn_s": {"p95": 3}, "goodput_bps": {"total": octets_s, "per_user_mean": 1}, "drops": {"aqm": 3, "lifetime": 1},
            "fairness": {"worst_user": 0.5, "jain": 0.9}, **more}


SUMMARY = {"warmup_s": 60, "duration_s": 300, "pages": [], "mobiles": [], "classes": {name: summary_row(1000) for name in KINDS},
           "acknowledged": [{"repeated": 5}, {"repeated": 15}], "acknowledged_mobiles": {"received": 80}, "gb": {"utilisation": 0.75}}


class Llc(unittest.TestCase):
    def verdict(self, name, runs):
        figure = next(figure for figure in llc.FIGURES if figure.name == name)
        return judge("llc", figure, {1: runs, 2: runs})["verdict"]

    def test_rows(self):
        for figure in llc.FIGURES:
            self.assertEqual(self.verdict(figure.name, RUNS), IN_BAND, figure.name)
        for name, case, outcome in MISSES:
            self.assertEqual(self.verdict(name, {**RUNS, case: outcome}), MISSED, name)

    def test_formulas(self):
        """Two blocks of a frame as long as one; without errors only headers count: 1 of 12 octets against 6."""
        self.assertAlmostEqual(llc.lost(10, llc.BLOCK_OCTETS), 0.19)
        self.assertAlmostEqual(llc.capacity(0), 1052 / 1112)

    def test_outcome(self):
        """Streams and push-to-talk do not count: they have no TCP."""
        found = llc.outcome_of(SUMMARY, Series({}))
        self.assertEqual((found.total_kbps, found.dropped, found.repeated, found.gb), (3.0, 12, 0.2, 0.75))
        self.assertEqual((found.sojourn_p95_s, llc.behind_s(found)), (dict.fromkeys(ELASTIC, 3), 1))
        self.assertIsNone(llc.outcome_of({**SUMMARY, "acknowledged": []}, Series({})).repeated)

    def test_cases(self):
        self.assertEqual(len({case.name for case in CASES}), len(CASES))
        self.assertIn("mobiles.ftp30.llc=acknowledged", LLC.settings)
        self.assertIn("cells[2].rlc=unacknowledged", LLC.settings)
        self.assertEqual(Case("rlc", 2).settings, ["duration=300 s", *(f"cells[{cell}].{what}" for cell in (1, 2) for what in ("rlc=acknowledged", "bler=2 %"))])

    def test_tables(self):
        found = llc.tables({1: RUNS, 2: RUNS})
        self.assertEqual([table.name for table in found], ["llc-2", "llc-10"])
        self.assertEqual(found[0].rows[0], ["rlc none", *["4.00"] * 3, *["3.50"] * 3, "25.0", "1250", "7", "–", "90", "0.50"])
        self.assertEqual([plot.name for plot in llc.plots({1: RUNS})], ["llc-delay", "llc-sojourn", "llc-octets"])


if __name__ == "__main__":
    unittest.main()
