#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rows of `gbflow reproduce radio`: formulas against known values, what is taken from a summary, and rows that fail."""
import unittest
from dataclasses import replace

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report.papers import radio, radio_mobility
from gbflow_report.papers.radio_mobility import AREAS, AUTHENTICATED, Case, LINE, NACC, Outcome, PLAIN, PLANE, SHADOWED, fluid_per_h
from gbflow_report.papers.verdict import IN_BAND, MISSED, NOT_REPRODUCED, judge
from gbflow_results.files import Series

BASE = Outcome(1600, 1590, 300, 1.45, 1.9, 0.0259, 1.428, 1.8, 2.2, 3.9, 0.03)


def crossed(case, share=1.0):
    return replace(BASE, crossings=fluid_per_h(case) * share * 96 / 3)


RUNS = {case: crossed(case) if case.kind == "speed" else BASE for case in radio.CASES}
RUNS |= {NACC: replace(BASE, outage_s=0.36, outage_p95_s=0.38), AUTHENTICATED: replace(BASE, outage_max_s=4.8), SHADOWED[-1]: replace(BASE, reselections=1000)}
SUMMARY = {"scenario": "radio-mobility.lua", "reselection": {
    "mobiles": 96, "crossings": 7, "reselections": 6, "area_changes": 2, "gap_s": {"mean": 1.5, "p95": 2}, "without_cell": 0.03,
    "gap_parts_s": {"sync": 0.03, "system_information": 1.4, "access": 0, "update": 0.1}, "outage_s": {"mean": 1.8, "p95": 2.3, "max": 3}}}
# figure, the case that is altered, its outcome, the verdict
ROWS = [
    ("radio-crossings-line-50", LINE[1], crossed(LINE[1], 1.03), MISSED), ("radio-crossings-plane-120", PLANE[2], crossed(PLANE[2], 0.97), MISSED),
    ("radio-crossings-plane-10", PLANE[0], crossed(PLANE[0], 0.97), IN_BAND), ("radio-reselections-line", LINE[1], replace(BASE, reselections=1200), MISSED),
    ("radio-sync", PLAIN, replace(BASE, sync_s=0.05), MISSED), ("radio-information", PLAIN, replace(BASE, information_s=1.88), MISSED),
    ("radio-outage", PLAIN, replace(BASE, outage_s=0.9), MISSED), ("radio-outage-nacc", NACC, replace(BASE, outage_s=0.8), MISSED),
    ("radio-outage-nacc-p95", NACC, replace(BASE, outage_p95_s=0.2), MISSED), ("radio-nacc-saves", NACC, replace(BASE, outage_s=0.9), MISSED),
    ("radio-outage-vendor", AREAS, replace(BASE, outage_max_s=4.2), IN_BAND),
    ("radio-outage-vendor-update", AUTHENTICATED, replace(BASE, outage_max_s=3.9), MISSED),
    ("radio-hysteresis", SHADOWED[-1], replace(BASE, reselections=1500), MISSED),
]


class Radio(unittest.TestCase):
    def figure(self, name, runs):
        figure = next(figure for figure in radio.FIGURES if figure.name == name)
        return judge("radio", figure, {1: runs, 2: runs})["verdict"]

    def test_formulas(self):
        """v / (2 R) at 36 km/h is 0.01 per second; of hexagons L = 6 R and A = 3 sqrt(3) / 2 R^2. Frames by hand: 5 and 6 before SCH."""
        self.assertAlmostEqual(fluid_per_h(Case("speed", 36, "line")), 36)
        self.assertAlmostEqual(fluid_per_h(Case("speed", 36)), 3600 * 10 * 6 / (3.141592653589793 * 3 * 3 ** 0.5 / 2 * 500))
        self.assertAlmostEqual(radio_mobility.sync_frames(), 5.6, delta=0.2)
        self.assertAlmostEqual(radio_mobility.information_frames(), 5.5 * 51 + 25 + 4)

    def test_rows(self):
        found = {figure.name: self.figure(figure.name, RUNS) for figure in radio.FIGURES}
        self.assertEqual({name: verdict for name, verdict in found.items() if verdict != IN_BAND}, {"radio-outage-vendor": NOT_REPRODUCED})
        for name, case, outcome, verdict in ROWS:
            self.assertEqual(self.figure(name, {**RUNS, case: outcome}), verdict, name)

    def test_outcome(self):
        self.assertEqual(radio.outcome(SUMMARY, Series({})), Outcome(7, 6, 2, 1.5, 2, 0.03, 1.4, 1.8, 2.3, 3, 0.03))

    def test_cases(self):
        self.assertEqual(len({case.name for case in radio.CASES}), len(radio.CASES))
        self.assertEqual(LINE[0].settings[-1], "mobility={ radius_m = 500, speed_kmh = 10, hysteresis_db = 4 }")
        self.assertEqual(len([setting for setting in NACC.settings if setting.endswith("routing_area=1")]), 24)

    def test_pictures(self):
        table = radio.tables({1: RUNS})[0]
        self.assertEqual([row[0] for row in table.rows], ["one area", "one area, NACC", "two areas"])
        self.assertEqual([plot.name for plot in radio.plots({1: RUNS})], ["radio-crossings", "radio-outages", "radio-hysteresis"])


if __name__ == "__main__":
    unittest.main()
