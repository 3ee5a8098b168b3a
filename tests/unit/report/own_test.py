# SPDX-License-Identifier: BSD-3-Clause
"""The own study: what its figures measure, from outcomes made up for each case."""
import unittest

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report.papers import own, p1
from gbflow_report.verdict import IN_BAND, NOT_REPRODUCED, judge


def outcome_of(delay_s, page_s, total_kbps, worst, dropped):
    base = p1.OfClass(delay_s, None, None, page_s, worst, worst)
    return {name: own.Row(base, total_kbps, dropped) for name in p1.CLASSES}


NONE = outcome_of(10, 50, 100, 0.9, 0)
RUNS = {case: {"none": NONE, "red": outcome_of(1, 100, 100, 0.5, 0.3), "ecn": outcome_of(1, 200, 100, 0.4, 0.1),
               "short": outcome_of(0.5, 80, 99, 0.8, 0.3), "long": outcome_of(2, 52, 104, 0.95, 0.25)}[case.scheme] for case in own.CASES}

# figure, measured, verdict
ROWS = [
    ("own-8-delay-thp2-short", 0.5, IN_BAND),
    ("own-8-delay-background-short-sack", 0.5, IN_BAND),
    ("own-8-page-thp2-short", 0.8, IN_BAND),
    ("own-8-goodput-short", 0.99, IN_BAND),
    ("own-3-page-thp2-none-long", 1.04, IN_BAND),
    ("own-3-page-thp3-red-long", 0.52, IN_BAND),
    ("own-3-page-thp3-ecn-long-sack", 0.26, IN_BAND),
    ("own-4-worst-long", 0.95, IN_BAND),
    ("own-4-jain-long", 0.95, NOT_REPRODUCED),
    ("own-5-user-background-long", 1.04, IN_BAND),
    ("own-6-drops-long", 0.25, NOT_REPRODUCED),
]


class Own(unittest.TestCase):
    def test_figures(self):
        figures = {figure.name: figure for figure in own.FIGURES}
        self.assertEqual(len(figures), len(own.FIGURES))
        for name, expected, verdict in ROWS:
            with self.subTest(name):
                row = judge(own.NAME, figures[name], {1: RUNS})
                self.assertEqual((row["measured"]["median"], row["verdict"]), (expected, verdict))

    def test_settings(self):
        """Cases of P1 play P1's settings; a limit has the fair queues; SACK is in its own cases alone."""
        for case in own.CASES:
            with self.subTest(case.name):
                settings = case.settings
                self.assertEqual("sgsn.queues.flow_order=sfq" in settings, case.scheme in own.LIMITS)
                self.assertEqual("tcp.sack=true" in settings, case.has_sack)
                self.assertEqual(any("red" in one for one in settings), case.scheme in ("red", "ecn"))

    def test_outcome(self):
        drops = {"queue_full": 3, "aqm": 1}
        row = {"delay_s": {"p95": 1.5}, "goodput_bps": {"per_user_mean": 1000, "total": 30000},
               "fairness": {"worst_user": 0.9, "jain": 1}, "drops": drops, "npdu_out": 8}
        summary = {"classes": dict.fromkeys(p1.CLASSES, row), "mobiles": [], "pages": [], "warmup_s": 0, "duration_s": 1}
        found = own.outcome(summary, None)["background"]
        self.assertEqual((found.base.delay_p95_s, found.total_kbps, found.dropped), (1.5, 30, 0.5))


if __name__ == "__main__":
    unittest.main()
