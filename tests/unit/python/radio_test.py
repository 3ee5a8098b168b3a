#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rows of `gbflow reproduce radio`: formulas against known values, what is taken from a summary, and rows that fail."""
import unittest
from dataclasses import replace

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report.papers import radio, radio_access, radio_link, radio_mobility
from gbflow_report.papers.radio_mobility import AREAS, AUTHENTICATED, Case, LINE, NACC, Outcome, PLAIN, PLANE, SHADOWED, fluid_per_h
from gbflow_report.papers.verdict import IN_BAND, MISSED, NOT_REPRODUCED, judge
from gbflow_results.files import Series

BASE = Outcome(1600, 1590, 300, 1.45, 1.9, 0.0259, 1.428, 1.8, 2.2, 3.9, 0.03)


def crossed(case, share=1.0):
    return replace(BASE, crossings=fluid_per_h(case) * share * 96 / 3)


def accessed(case):
    """What the formulas say."""
    rate, repeats = case.value, case.repeats
    if case.kind == "load":
        return radio_access.Outcome(0.01, 0.01, 0.003, 0.0, radio_access.loaded_delay_s(rate) if rate < 12 else 1.4, 1.6)
    return radio_access.Outcome(radio_access.repeated_load(rate, repeats), radio_access.aloha(rate), radio_access.md1_wait_s(min(rate, 0.9)),
                                radio_access.repeated_failures(rate, repeats), radio_access.repeated_delay_s(rate, repeats), 1)


def linked(case, share=1.0):
    """A step at the reference C/I, at which 9 of 10 blocks arrive; link adaptation takes the best scheme."""
    def rate(name):
        most, at_db = radio_link.SCHEMES[name]
        return most * (1 if case.ci_db > at_db else 0.9 if case.ci_db == at_db else 0.1)
    if case.scheme in radio_link.SCHEMES:
        return radio_link.Outcome(rate(case.scheme) * share)
    gain = 2 if "IR" in case.scheme.split() and "without" not in case.scheme or case.scheme == "EGPRS" else 1
    best = rate("MCS-9") if case.scheme.startswith("M") else max(map(rate, radio_link.family(case.scheme)))
    return radio_link.Outcome(best * gain * share)


RUNS = {case: crossed(case) if case.kind == "speed" else BASE for case in radio_mobility.CASES}
RUNS |= {case: accessed(case) for case in radio_access.CASES} | {case: linked(case) for case in radio_link.CASES}
RUNS |= {NACC: replace(BASE, outage_s=0.36, outage_p95_s=0.38), AUTHENTICATED: replace(BASE, outage_max_s=4.8), SHADOWED[-1]: replace(BASE, reselections=1000)}
SUMMARY = {"scenario": "radio-mobility.lua", "reselection": {
    "mobiles": 96, "crossings": 7, "reselections": 6, "area_changes": 2, "gap_s": {"mean": 1.5, "p95": 2}, "without_cell": 0.03,
    "gap_parts_s": {"sync": 0.03, "system_information": 1.4, "access": 0, "update": 0.1}, "outage_s": {"mean": 1.8, "p95": 2.3, "max": 3}}}
ALOHA, QUEUE, REPEATS, LOAD = radio_access.ALOHA, radio_access.QUEUE, radio_access.REPEATS, radio_access.LOAD
BEST, REFERENCE = radio_link.Case("MCS-9", radio_link.BEST_DB), radio_link.Case("CS-2", 13)
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
    ("radio-aloha-1", ALOHA[3], replace(accessed(ALOHA[3]), throughput=0.36), MISSED),
    ("radio-agch-0.5", QUEUE[2], replace(accessed(QUEUE[2]), wait_s=0.00234), MISSED),
    ("radio-repeats-load-m1-0.3", REPEATS[0], replace(accessed(REPEATS[0]), load=0.41), MISSED),
    ("radio-repeats-failed-m1-0.3", REPEATS[0], replace(accessed(REPEATS[0]), failed=0.12), MISSED),
    ("radio-repeats-delay-m4-0.3", REPEATS[1], replace(accessed(REPEATS[1]), delay_s=0.4), MISSED),
    ("radio-repeats-failed-m4-0.3", REPEATS[1], replace(accessed(REPEATS[1]), failed=0.0103), NOT_REPRODUCED),
    ("radio-access-delay-4", LOAD[2], replace(accessed(LOAD[2]), delay_s=0.17), MISSED),
    ("radio-rate-mcs-9", BEST, linked(BEST, 0.98), MISSED), ("radio-reference-cs-2", REFERENCE, linked(REFERENCE, 0.97), MISSED),
    ("radio-adaptation-gprs", radio_link.Case("GPRS", 22), radio_link.Outcome(9), MISSED),
    ("radio-adaptation-egprs", radio_link.Case("EGPRS without IR", 34), radio_link.Outcome(9), MISSED),
    ("radio-redundancy", radio_link.Case("MCS-9 with IR", 26), radio_link.Outcome(5.92), MISSED),
    ("radio-redundancy-adapted", radio_link.Case("EGPRS", 2), radio_link.Outcome(5.92), MISSED),
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

    def test_access_formulas(self):
        """The peak of ALOHA; M/D/1 at half load is half a service; one repetition: G = rate (2 - exp(-G)), and p^2 fail."""
        self.assertAlmostEqual(radio_access.aloha(1), 0.36788, 5)
        self.assertAlmostEqual(radio_access.md1_wait_s(0.5), radio_access.SLOT_S / 2)
        load = radio_access.repeated_load(0.3, 1)
        self.assertAlmostEqual(load, 0.3 * (2 - 2.718281828459045 ** -load))
        self.assertAlmostEqual(radio_access.repeated_failures(0.3, 1), (load / 0.3 - 1) ** 2)
        self.assertAlmostEqual(radio_access.repeated_delay_s(1e-9, 4), 0.02 + 26 * radio_access.SLOT_S)

    def test_rows(self):
        found = {figure.name: self.figure(figure.name, RUNS) for figure in radio.FIGURES}
        self.assertEqual({name: verdict for name, verdict in found.items() if verdict != IN_BAND}, {"radio-outage-vendor": NOT_REPRODUCED})
        for name, case, outcome, verdict in ROWS:
            self.assertEqual(self.figure(name, {**RUNS, case: outcome}), verdict, name)

    def test_other_outcomes(self):
        access = {"load": 0.3, "throughput": 0.2, "agch_wait_s": 0.001, "background": {"attempts": 200, "failures": 3, "delay_s": {"mean": 0.2, "p95": 0.4}}}
        self.assertEqual(radio.outcome_of({"scenario": "radio-access.lua", "cells": {"2": {"access": access}}}, Series({})),
                         radio_access.Outcome(0.3, 0.2, 0.001, 0.015, 0.2, 0.4))
        link = {"scenario": "radio-link.lua", "classes": {"background": {"goodput_bps": {"total": 47200}}}}
        self.assertAlmostEqual(radio.outcome_of(link, Series({})).rate_kbps, 51.1)

    def test_outcome(self):
        self.assertEqual(radio.outcome_of(SUMMARY, Series({})), Outcome(7, 6, 2, 1.5, 2, 0.03, 1.4, 1.8, 2.3, 3, 0.03))

    def test_cases(self):
        self.assertEqual(len({case.name for case in radio.CASES}), len(radio.CASES))
        self.assertEqual(LINE[0].settings[-1], "mobility={ radius_m = 500, speed_kmh = 10, hysteresis_db = 4 }")
        self.assertEqual(len([setting for setting in NACC.settings if setting.endswith("routing_area=1")]), 24)

    def test_pictures(self):
        tables = radio.tables({1: RUNS})
        self.assertEqual([row[0] for row in tables[0].rows], ["one area", "one area, NACC", "two areas"])
        self.assertEqual([table.name for table in tables], ["gaps", "access", "link"])
        self.assertEqual([plot.name for plot in radio.plots({1: RUNS})],
                         ["radio-crossings", "radio-outages", "radio-hysteresis", "radio-aloha", "radio-agch", "radio-access-load",
                          "radio-link-gprs", "radio-link-egprs"])


if __name__ == "__main__":
    unittest.main()
