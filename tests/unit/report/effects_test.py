#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rows of P3 to P5 in worlds without the effect that they judge: each of them misses there, and holds where the effect is."""

import dataclasses
import unittest

import setting  # noqa: F401  pylint: disable=unused-import
from gbflow_report import verdict
from gbflow_report.inputs import Curve
from gbflow_report.papers import p3, p4, p5


def p3_world(loss=0.44, with_bler=0.0, pings_s=(0.0, 0.0), slope=1.9, **more):
    """What RLC RTT 300 ms costs. loss: share of a download's rate at a BLER of 10 %; with_bler: at 1 % and none; pings_s: what it adds to
    a small ping at 10 %, and with fewer errors. more: latency, whether a page depends on it; timeouts, share of downloads."""
    latency, timeouts = more.get("latency", True), more.get("timeouts", 0.0)
    found = {}
    for case in p3.CASES:
        far = (case.rtt_ms - 50) / 250
        cost = loss if case.bler_percent == 10 else with_bler
        wait_s = 0.05 * case.latency_ms if latency else 0.0
        ping_s = 0.09 + far * pings_s[case.bler_percent != 10]
        large_s = 0.25 + slope * (case.rtt_ms - 50) / 1000 + 0.002 * case.latency_ms
        page_s = (8.3 + wait_s) * (1 + 0.6 * far)
        found[case] = p3.Outcome(94, 290 * (1 - cost * far), page_s, ping_s, 0.08, ping_s, large_s, 0.2 if far < 0.9 else 0.5,
                                 large_s, timeouts * case.downloads if case.rtt_ms == 300 else 0.0)
    return found


def p5_world(rates, rtts=(2.9, 3.1, 3.3), again=7.0, flushed=9.5, uplink=(100, 100, 0)):
    empty = Curve.empty()
    found = {case: p5.Outcome(30.0, 0.0, 2.0, 0.0, 0.0, 0.0, empty, empty, empty) for case in p5.CASES}
    for case, rate, rtt, first in zip(p5.PUBLISHED, rates, rtts, uplink):
        found[case] = p5.Outcome(rate, again, rtt, flushed, 0.0, first, empty, empty, empty)
    for case, rtt in zip(p5.SETTLED, rtts):
        found[case] = dataclasses.replace(found[p5.PUBLISHED[0]], rtt_s=rtt)
    return found


# A quarter of what 3 s take is lost; the paper's numbers.
CALLS = p5_world((21.64, 22.2, 21.27))
# Calls cost their time only, and nothing at all.
TIME, NOTHING = p5_world((28.57, 27.27, 24.0), again=0.0, flushed=0.0, rtts=(2.0, 2.0, 2.0)), p5_world((30, 30, 30), again=0.0, flushed=0.0)


def p4_world(rate_kbps, rtt_max_s, short_kbps=None):
    found = {case: p4.Outcome(rate_kbps * case.pdchs, rtt_max_s[case.pdchs, case.lifetime_s], Curve.empty()) for case in p4.CASES
             if (case.pdchs, case.lifetime_s) in rtt_max_s}
    if short_kbps is not None:
        found |= {case: dataclasses.replace(one, goodput_kbps=short_kbps * case.pdchs) for case, one in found.items() if case.lifetime_s == 5}
    return found


QUEUES = {(1, 63): 48, (3, 63): 17, (1, 5): 9, (3, 5): 8}
FLAT = {key: 5 for key in QUEUES}

# Row, a world with the effect, worlds without it.
ROWS = [
    (p3, "p3-ftp-gev-loss", p3_world(), [p3_world(loss=0.0), p3_world(loss=0.6)]),
    (p3, "p3-ftp-gev-least-loss", p3_world(), [p3_world(loss=0.0), p3_world(loss=0.1)]),
    (p3, "p3-ftp-gev-gain", p3_world(), [p3_world(loss=0.0), p3_world(loss=0.5)]),
    (p3, "p3-bler", p3_world(), [p3_world(loss=0.0), p3_world(with_bler=0.44), p3_world(with_bler=0.18)]),
    (p3, "p3-bler-rule", p3_world(), [p3_world(loss=0.0), p3_world(with_bler=0.44), p3_world(with_bler=0.18)]),
    (p3, "p3-timeouts", p3_world(timeouts=0.1), [p3_world(timeouts=0.0), p3_world(timeouts=0.6)]),
    (p3, "p3-ping64-typical", p3_world(), [p3_world(pings_s=(0.05, 0.0))]),
    (p3, "p3-ping64-none", p3_world(pings_s=(0.05, 0.0)), [p3_world(), p3_world(pings_s=(0.05, 0.05))]),
    (p3, "p3-ping1500-rises", p3_world(), [p3_world(slope=0.0), p3_world(slope=0.2), p3_world(slope=4)]),
    (p3, "p3-ping1500-factor", p3_world(), [p3_world(slope=0.0), p3_world(slope=0.2)]),
    (p3, "p3-http-latency-most", p3_world(), [p3_world(latency=False)]),
    (p3, "p3-http-latency-least", p3_world(), [p3_world(latency=False)]),
    (p4, "p4-rtt-max-1pdch-63s", p4_world(10, QUEUES), [p4_world(10, FLAT), p4_world(10, QUEUES | {(1, 63): 41}), p4_world(10, QUEUES | {(1, 63): 55})]),
    (p4, "p4-rtt-max-3pdch-63s", p4_world(10, QUEUES), [p4_world(10, FLAT)]),
    (p4, "p4-rtt-max-1pdch-5s", p4_world(10, QUEUES), [p4_world(10, FLAT), p4_world(10, QUEUES | {(1, 5): 48})]),
    (p4, "p4-rtt-max-3pdch-5s", p4_world(10, QUEUES), [p4_world(10, FLAT), p4_world(10, QUEUES | {(3, 5): 17})]),
    (p4, "p4-throughput-alike-1pdch", p4_world(10, QUEUES), [p4_world(10, QUEUES, short_kbps=8)]),
    (p4, "p4-throughput-alike-3pdch", p4_world(10, QUEUES), [p4_world(10, QUEUES, short_kbps=8)]),
    *((p5, f"p5-throughput-{hold}s", CALLS, [TIME, NOTHING]) for hold in (3, 6)),
    (p5, "p5-throughput-15s", CALLS, [NOTHING]),
    (p5, "p5-throughput-alike", CALLS, [TIME, NOTHING, p5_world((28.2, 26.7, 22.0))]),
    *((p5, f"p5-{what}-{hold}s", CALLS, [TIME, NOTHING]) for what in ("retransmitted", "flushed") for hold in (3, 6, 15)),
    (p5, "p5-rtt-rises", CALLS, [TIME, p5_world((21.6, 22.2, 21.3), rtts=(5.3, 5.0, 4.8))]),
    *((p5, f"p5-first-event-{hold}s", CALLS, [p5_world((22, 22, 22), uplink=(0, 0, 100))]) for hold in (3, 6, 15)),
    (p5, "p5-degradation", CALLS, [TIME, NOTHING]),
]


def verdict_in(paper, name, world):
    figure = next(figure for figure in paper.FIGURES if figure.name == name)
    return verdict.judge(paper.NAME, figure, {1: world})


class Effects(unittest.TestCase):
    def test_each_row_can_fail(self):
        for paper, name, with_it, without in ROWS:
            with self.subTest(row=name):
                row = verdict_in(paper, name, with_it)
                self.assertEqual(row["verdict"], verdict.IN_BAND, row["measured"])
                for place, world in enumerate(without):
                    row = verdict_in(paper, name, world)
                    self.assertNotEqual(row["verdict"], verdict.IN_BAND, (place, row["measured"]))


if __name__ == "__main__":
    unittest.main()
