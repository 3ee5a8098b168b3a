#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The study of narrow links: what it takes from a summary, what its claims measure, and its tables."""
import unittest
from dataclasses import replace

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report.papers import narrow
from gbflow_report.papers.narrow import CASES, Case, Outcome
from gbflow_report.papers.verdict import IN_BAND, MISSED, judge
from gbflow_results.files import Series

BASE = Outcome(40, 40, 40, 10, 100, 300, 20, 0.0, 0)
OUTCOMES = {"fifo": BASE, "codel": replace(BASE, page_p95_s=30), "fq-codel": replace(BASE, own_ping_p95_s=10),
            "q": Outcome(1, 2, 2, 2, 15, 310, 21, 0.1, 0), "q-windows": Outcome(1, 2, 2, 2, 15, 320, 21, 0.02, 0), "q-windows-short": Outcome(1, 1, 2, 2, 15, 320, 21, 0.02, 0),
            "red": replace(BASE, total_kbps=22), "fq-codel-ms": replace(BASE, page_p95_s=14), "cake": replace(BASE, page_p95_s=15)}
RUNS = {case: OUTCOMES.get(case.scheme, replace(OUTCOMES["q"], own_ping_p95_s=4)) for case in CASES}
# figure, measured, verdict
ROWS = [("nb-iot-ping", 0.025, IN_BAND), ("lte-m-own-ping-fq", 0.2, IN_BAND), ("lte-m-own-ping-windows-short", 0.25, IN_BAND), ("satellite-page", 0.5, IN_BAND), ("nb-iot-page-cake", 1, IN_BAND),
        ("nb-iot-total-red", 0.954545, MISSED), ("lte-m-page-fq-codel-ms", 1.07143, MISSED), ("nb-iot-drops", 0.2, MISSED),
        ("nb-iot-firmware-windows", 1.03226, IN_BAND), ("satellite-firmware-windows", 1.03226, MISSED), ("satellite-total", 1.05, IN_BAND)]


def page_of(mobile, start_s, time_s):
    return {"mobile": mobile, "start_s": start_s, "time_s": time_s, "octets": 1}


SUMMARY = {
    "scenario": "narrow-nb-iot.lua", "warmup_s": 30, "duration_s": 100,
    "mobiles": [{"mobile": name, "class": "background"} for name in ("firmware1", "sensor1", "sensor2", "reader1", "ping")],
    "tcp": [{"mobile": "firmware1", "octets": 400_000, "start_s": 5, "end_s": 95}, {"mobile": "sensor1", "octets": 1, "start_s": 5, "end_s": 99}],
    "ping": [{"mobile": "firmware1", "sent": 20, "received": 19, "rtt_s": {"p95": 7}}, {"mobile": "ping", "sent": 20, "received": 17, "rtt_s": {"p95": 3}}],
    "pages": [page_of("sensor1", 10, 50), page_of("sensor1", 40, 1), page_of("sensor2", 40, 3), page_of("sensor2", 90, None), page_of("reader1", 50, 20)],
    "classes": {"background": {"npdu_out": 100, "drops": {"aqm": 3, "lifetime": 1}, "goodput_bps": {"total": 20_000}}},
}


class Narrow(unittest.TestCase):
    def test_outcome(self):
        """The page before the warm-up is out, of the unfinished one the age is known, too little for a p95."""
        found = narrow.outcome_of(SUMMARY, Series({}))
        self.assertEqual(found, Outcome(3, 7, None, 6.5, 20, 90, 20.0, 0.04, 2))

    def test_unfinished_firmware(self):
        summary = {**SUMMARY, "tcp": [{"mobile": "firmware1", "octets": 399_999, "start_s": 5, "end_s": 95}]}
        self.assertIsNone(narrow.outcome_of(summary, Series({})).firmware_s)

    def test_claims(self):
        figures = {figure.name: figure for figure in narrow.FIGURES}
        for name, value, verdict in ROWS:
            row = judge("narrow", figures[f"narrow-{name}"], {1: RUNS, 2: RUNS})
            self.assertEqual((row["measured"]["median"], row["verdict"]), (value, verdict), name)

    def test_cases(self):
        self.assertEqual(len({case.name for case in CASES}), len(CASES))
        for _, schemes in narrow.KINDS.values():
            self.assertEqual({"red", "fq-codel-ms", "cake"} - set(schemes), set())
            self.assertEqual([word for words in schemes.values() for word in words if "rate_factor" in word], [])
        quic = Case("lte-m", "q", "quic")
        self.assertIn("mobiles.firmware3.traffic[1].download.transport=quic", quic.settings)
        self.assertEqual((quic.scenario, Case("lte-m", "fifo").settings), ("narrow-lte-m.lua", []))
        self.assertEqual(Case("lte-m", "fifo", "blind").settings, ['cells[1].flow_control={ bucket_time = "1500 ms", ms = {} }'])

    def test_tables(self):
        found = narrow.tables({1: RUNS, 2: RUNS})
        self.assertEqual([table.name for table in found], [f"{link}{kind}" for kind in ("", "-quic", "-blind") for link in narrow.LINKS])
        self.assertEqual(found[0].rows[0], ["fifo", "40.0", "40.0", "40.0", "10.0", "100", "300", "20.0", "0.000", "0"])
        self.assertEqual(len(narrow.plots({1: RUNS})), 3)


if __name__ == "__main__":
    unittest.main()
