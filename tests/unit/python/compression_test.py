#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The study of compression: what it takes from a summary, rows that hold and fail, its cases and tables."""
import unittest
from dataclasses import replace

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report.papers import compression
from gbflow_report.papers.compression_cases import BOTH, CASES, DATA, HEADERS, NARROW_USERS, PLAIN, POINTS, Case, Outcome, Saved, outcome_of
from gbflow_report.papers.verdict import IN_BAND, MISSED, judge
from gbflow_results.files import Series

BASE = Outcome(1000, 4, 40, 100, 2, 10, 0, 0)
# Of a kind: octets of 1000 that are saved up and down.
SAVED = {HEADERS: (300, 33), DATA: (100, 504), BOTH: (617, 520)}
# By point: goodput, pages and uplink blocks by those without compression.
BY_PLAIN = {"p1": (1.01, 0.99, 0.93), "mss": (1.08, 0.95, 0.8), "cs1": (1.05, 0.95, 0.7), "short": (1.05, 0.9, 0.7), "acks": (1.4, 0.9, 0.45),
            "nb-iot": (1.02, 0.95, 0.7), "text": (1.7, 0.6, 0.7), "text-abm": (2, 0.5, 0.6), "cs1-text": (1.6, 0.61, 0.6), "cs1-text-abm": (2.05, 0.49, 0.4)}
WHOLE = {"red": 0.12, "red-ecn": 0.7, "fq-codel-ecn": 0.61, "q-ecn": 0.76}


def played(case):
    """What the study expects."""
    if case.kind == PLAIN:
        return BASE
    up, down = SAVED[case.kind]
    if case.point == "p1-stamps":
        up = 90 if case.scheme == "none" else 2
    if case.point == "random":
        up, down = 0, 0
    if (case.point, case.kind) == ("text", DATA):
        down = 346
    if case.point == "p1":
        up = {"none": 290, "red": 230, "q": 160}.get(case.scheme, 300)
    total, page, blocks = BY_PLAIN.get(case.point, (1, 1, 1))
    if (case.point, case.scheme) == ("p1", "none"):
        total, blocks = 1.05, 0.85
    return Outcome(1000 * total, 4, 40 * page, 100, 2 * blocks, 10, 1000 if "ecn" in case.scheme else 0, 0, Saved(1000, up, 0.1, 4000),
                   Saved(1000, down, WHOLE.get(case.scheme, 0.1), 4000))


RUNS = {case: played(case) for case in CASES}
# row, the case that is altered, its outcome
MISSES = [(f"{case.name}-{what}", case, replace(RUNS[case], **changed)) for case, what, changed in (
    (Case("p1", "q-windows", HEADERS), "total", {"total_kbps": 990}), (Case("p1", "none", HEADERS), "blocks", {"up_blocks_per_kb": 1.9}),
    (Case("p1", "q", HEADERS), "saved-up", {"up": Saved(1000, 300, 0.1, 4000)}), (Case("p1-stamps", "q-windows", HEADERS), "saved-up", {"up": Saved(1000, 30, 1, 4000)}),
    (Case("p1-ecn", "red-ecn", HEADERS), "whole-down", {"down": Saved(1000, 33, 0.3, 4000)}), (Case("p1-ecn", "red-ecn", HEADERS), "whole-down", {"down": None}),
    (Case("short", "none", HEADERS), "page", {"page_p50_s": 40}), (Case("acks", "none", HEADERS), "total", {"total_kbps": 1100}),
    (Case("random", "none", DATA), "saved-down", {"down": Saved(1000, 10, None, 0)}), (Case("text-abm", "red", BOTH), "total", {"total_kbps": 1700}))]


def kind_of(npdus, shorter, before, after, lost=0):
    return {"npdus": npdus, "shorter": shorter, "full": 1, "octets_before": before, "octets_after": after, "lost": lost}


def class_row(total, dropped=0, marks=0):
    return {"goodput_bps": {"total": total}, "delay_s": {"p95": 3}, "drops": {"aqm": dropped, "lifetime": 1}, "marks": marks}


SUMMARY = {
    "warmup_s": 60, "duration_s": 300, "mobiles": [{"mobile": name} for name in ("web2-1", "ftp1", "stream1")],
    "pages": [{"mobile": name, "start_s": 100, "time_s": time_s, "octets": 1} for name, time_s in (("web2-1", 10), ("web2-1", 20), ("web2-1", 30), ("ftp1", 90))],
    "classes": {"streaming": class_row(10**9), "thp2": class_row(2000, 3), "background": {**class_row(1000, 4, 7), "delay_s": {"p95": 9}}},
    "tcp": [{"octets": 4000}, {"octets": 6000}], "cells": {"2": {"blocks": {"up": {"used": 30}}}, "3": {"blocks": {"up": {"used": 20}}}},
    "compression": [{"npdus": 40, "octets": 4000, "octets_left": 3000, "headers": 30}, {"npdus": 10, "octets": 1000, "octets_left": 1000, "headers": 5}],
    "compression_mobiles": {"lost": 1, "rfc1144": {"up": kind_of(20, 15, 1000, 600, 2), "down": kind_of(0, 0, 0, 0)},
                            "v42bis": {"up": kind_of(20, 5, 600, 500), "down": kind_of(0, 0, 0, 0)}},
}


class Compression(unittest.TestCase):
    def verdict(self, name, runs):
        figure = next(figure for figure in compression.FIGURES if figure.name == f"compression-{name}")
        return judge("compression", figure, {1: runs, 2: runs})["verdict"]

    def test_rows(self):
        for figure in compression.FIGURES:
            self.assertEqual(judge("compression", figure, {1: RUNS})["verdict"], IN_BAND, figure.name)
        for name, case, found in MISSES:
            self.assertEqual(self.verdict(name, {**RUNS, case: found}), MISSED, name)
        self.assertEqual(self.verdict("lost", {**RUNS, CASES[-1]: replace(RUNS[CASES[-1]], lost=1)}), MISSED)

    def test_outcome(self):
        """Streams do not count: they have no TCP. Uplink: of 1000 octets RFC 1144 leaves 600, of which V.42bis leaves 500."""
        found = outcome_of(SUMMARY, Series({}))
        self.assertEqual((found.total_kbps, found.delay_p95_s, found.page_p50_s, found.up_blocks_per_kb), (3.0, 3, 20, 5.0))
        self.assertEqual((found.dropped, found.marked, found.lost), (9, 7, 3))
        self.assertEqual((found.up, found.down), (Saved(1000, 500, 0.25, 20), Saved(5000, 1000, 1 - 35 / 50, 50)))
        self.assertEqual((found.up.percent, found.down.percent), (50, 20))

    def test_outcome_without_compression(self):
        """Nor THP2: the delay is that of background."""
        classes = {name: row for name, row in SUMMARY["classes"].items() if name != "thp2"}
        found = outcome_of({**SUMMARY, "classes": classes, "compression_mobiles": None}, Series({}))
        self.assertEqual((found.delay_p95_s, found.lost, found.up, found.down), (9, 0, None, None))

    def test_cases(self):
        """A run takes at most 256 settings, and users who compress are those of the point."""
        self.assertEqual(len({case.name for case in CASES}), len(CASES))
        self.assertLessEqual(max(len(case.settings) for case in CASES), 256)
        self.assertEqual([word for word in Case("p1").settings if "compression" in word], [])
        both = Case("text-abm", "none", BOTH).settings
        for word in ("mobiles.ftp30.llc=acknowledged", 'sgsn.compression={ mode = "passive", rfc1144 = {}, v42bis = {} }',
                     "mobiles.web2-1.compression={ rfc1144 = {}, v42bis = {} }", "tcp.content=text"):
            self.assertIn(word, both)
        narrow = Case("nb-iot", "q-windows", HEADERS)
        self.assertEqual(narrow.scenario, "narrow-nb-iot.lua")
        self.assertEqual([word.split("=")[0] for word in narrow.settings[-len(NARROW_USERS):]], [f"mobiles.{user}.compression" for user in NARROW_USERS])

    def test_tables(self):
        found = compression.tables({1: RUNS, 2: RUNS})
        self.assertEqual([table.name for table in found], list(POINTS))
        self.assertEqual(found[0].rows[:2], [["none plain", "1000", "4.00", "40.0", "100.0", "2.00", "10", "0", "–", "–"],
                                             ["none rfc1144", "1050", "4.00", "39.6", "100.0", "1.70", "10", "0", "29.0", "3.3"]])
        self.assertEqual(found[2].rows[1], ["red-ecn rfc1144", "1000", "4.00", "10", "1000", "10.0", "70.0", "30.0", "3.3"])
        self.assertEqual([plot.name for plot in compression.plots({1: RUNS})], ["compression-headers", "compression-text"])


if __name__ == "__main__":
    unittest.main()
