#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each row of P3 to P5 holds in a world with the effect that it judges, and misses in worlds without it."""

import unittest

import setting  # noqa: F401  pylint: disable=unused-import
from gbflow_report.papers import verdict
from gbflow_report.papers import p3, p4, p5
from worlds import climb, curve, fallen, p3_world, p4_world, p5_world, saw

# A quarter of what 3 s take is lost; the paper's numbers.
PAPER_KBPS = (21.64, 22.2, 21.27)
CALLS = p5_world(PAPER_KBPS)
# Calls cost their time only, and nothing at all.
TIME, NOTHING = p5_world((28.57, 27.27, 24.0), again=0.0, flushed=0.0, rtts=(2.0, 2.0, 2.0)), p5_world((30, 30, 30), again=0.0, flushed=0.0)
FULL = p5_world(PAPER_KBPS, rtts=(5.3, 5.0, 4.8), peak_kb=64)
# The paper's proposal changes nothing.
NO_CURE = p5_world(PAPER_KBPS, cure={"goodput_kbps": 21.64, "retransmitted_percent": 7.0, "flushed": 9.5})

QUEUES = {(1, 63): 48, (3, 63): 17, (1, 5): 9, (3, 5): 8}
FLAT = {key: 5 for key in QUEUES}
BUFFER = p4_world(10, QUEUES)


def p4_with(**curves):
    return p4_world(10, QUEUES, curves=curves)


AT_ONCE = climb(power=0.0)
JAGGED = curve(range(400), [*range(1, 31), *range(5, 49), *[48] * 326])
EDGELESS = [p3_world(rate=0.9), p3_world(rate=1.2)]
LONGER = [p3_world(wait=0.8), p3_world(wait=1.25)]

# Row, a world with the effect, worlds without it.
P3_ROWS = [
    ("p3-ftp-edge", p3_world(), EDGELESS),
    ("p3-ftp-gev", p3_world(), EDGELESS),
    ("p3-ftp-gev-loss", p3_world(), [p3_world(loss=0.0), p3_world(loss=0.6)]),
    ("p3-ftp-gev-least-loss", p3_world(), [p3_world(loss=0.0), p3_world(loss=0.1)]),
    ("p3-ftp-gev-gain", p3_world(), [p3_world(loss=0.0), p3_world(loss=0.5)]),
    ("p3-bler", p3_world(), [p3_world(loss=0.0), p3_world(with_bler=0.44), p3_world(with_bler=0.18)]),
    ("p3-bler-rule", p3_world(), [p3_world(loss=0.0), p3_world(with_bler=0.44), p3_world(with_bler=0.18)]),
    ("p3-timeouts", p3_world(timeouts=0.1), [p3_world(timeouts=0.0), p3_world(timeouts=0.6)]),
    ("p3-timeouts-short", p3_world(timeouts=0.1), [p3_world(timeouts=0.1, early=0.1)]),
    ("p3-ping64", p3_world(), LONGER),
    ("p3-ping64-min", p3_world(), [p3_world(min_rise_s=0.01)]),
    ("p3-ping64-average", p3_world(), [p3_world(pings_s=(0.05, 0.0))]),
    ("p3-ping64-typical", p3_world(), [p3_world(pings_s=(0.05, 0.0))]),
    ("p3-ping64-none", p3_world(pings_s=(0.05, 0.0)), [p3_world(), p3_world(pings_s=(0.05, 0.05))]),
    ("p3-ping1500-min", p3_world(), [p3_world(unlucky_ms=999), p3_world(unlucky_ms=200)]),
    ("p3-ping1500-rises", p3_world(), [p3_world(slope=0.0), p3_world(slope=0.2), p3_world(slope=4)]),
    ("p3-ping1500-factor", p3_world(), [p3_world(slope=0.0), p3_world(slope=0.2)]),
    *((f"p3-http-{end}", p3_world(), LONGER) for end in ("low", "high")),
    *((f"p3-http-latency-{end}", p3_world(), [p3_world(latency=False)]) for end in ("most", "least")),
    *((f"p3-http-rtt-{end}", p3_world(), [p3_world(page_rise=0.0), p3_world(page_rise=1.5)]) for end in ("most", "least")),
    ("p3-order-phy", p3_world(), [p3_world(loss=0.0)]),
    *((f"p3-order-{what}", p3_world(), [p3_world(flat=True)]) for what in ("phy-latency", "ftp", "http-rtt", "http-latency")),
    *((f"p3-tti-rtt{rtt_ms}", p3_world(), [p3_world(by_tti=1.3), p3_world(by_tti=0.7)]) for rtt_ms in (50, 300)),
    ("p3-parts-ping", p3_world(), [p3_world(parts_s=(0.3, 0.14))]),
    ("p3-parts-abis", p3_world(), [p3_world(parts_s=(0.8, 0.3)), p3_world(parts_s=(0.8, 0.05))]),
    ("p3-parts-radio", p3_world(), [p3_world(parts_s=(0.8, 0.5))]),
]
P4_ROWS = [
    *((f"p4-throughput-{pdchs}pdch-{lifetime_s}s", BUFFER, [p4_world(5, QUEUES), p4_world(15, QUEUES)]) for pdchs, lifetime_s in QUEUES),
    ("p4-rtt-max-1pdch-63s", BUFFER, [p4_world(10, FLAT), p4_world(10, QUEUES | {(1, 63): 41}), p4_world(10, QUEUES | {(1, 63): 55})]),
    ("p4-rtt-max-3pdch-63s", BUFFER, [p4_world(10, FLAT), p4_world(10, QUEUES | {(3, 63): 48})]),
    ("p4-rtt-max-1pdch-5s", BUFFER, [p4_world(10, FLAT), p4_world(10, QUEUES | {(1, 5): 48})]),
    ("p4-rtt-max-3pdch-5s", BUFFER, [p4_world(10, FLAT), p4_world(10, QUEUES | {(3, 5): 17})]),
    ("p4-throughput-alike-1pdch", BUFFER, [p4_world(10, QUEUES, short_kbps=8), p4_world(10, QUEUES, short_kbps=12)]),
    ("p4-throughput-alike-3pdch", BUFFER, [p4_world(10, QUEUES, short_kbps=8), p4_world(10, QUEUES, short_kbps=12)]),
    *((f"p4-rtt-cut-1pdch{each}", BUFFER, [p4_world(10, FLAT), p4_world(10, QUEUES | {(1, 5): 6})]) for each in ("", "-route")),
    *((f"p4-rtt-cut-3pdch{each}", BUFFER, [p4_world(10, FLAT), p4_world(10, QUEUES | {(3, 5): 6})]) for each in ("", "-each")),
    *((f"p4-four-minutes-{kind}", BUFFER, [p4_with(**{kind: climb(30)}), p4_with(**{kind: climb(64)})]) for kind in ("route", "fit")),
    ("p4-rtt-max-route", BUFFER, [p4_world(10, QUEUES, route_max_s=30)]),
    ("p4-climb-new-route", BUFFER, [p4_with(**{"": AT_ONCE}), p4_with(**{"": climb(power=1)})]),
    *((f"p4-climb-{kind}", BUFFER, [p4_with(**{kind: AT_ONCE}), p4_with(**{kind: climb(power=1)})]) for kind in ("route", "fit")),
    ("p4-climb-fall", BUFFER, [p4_with(**{"": JAGGED})]),
    ("p4-loss-floor", BUFFER, [p4_with(loss=fallen(10)), p4_with(loss=climb())]),
    ("p4-loss-floor-quick", BUFFER, [p4_with(quick=fallen(10)), p4_with(quick=climb())]),
    ("p4-loss-climbs", BUFFER, [p4_with(loss=fallen(again_s=5)), p4_with(loss=fallen(again_s=60))]),
    ("p4-teeth", BUFFER, [p4_world(10, QUEUES, teeth=climb(9)), p4_world(10, QUEUES, teeth=saw(teeth=5)), p4_world(10, QUEUES, teeth=saw(teeth=60))]),
    ("p4-tooth-low", BUFFER, [p4_world(10, QUEUES, teeth=climb(9)), p4_world(10, QUEUES, teeth=saw(low_s=5))]),
    ("p4-tooth-high", BUFFER, [p4_world(10, QUEUES, teeth=climb(9)), p4_world(10, QUEUES, teeth=saw(high_s=5))]),
]
P5_ROWS = [
    *((f"p5-throughput-{hold}s", CALLS, [TIME, NOTHING]) for hold in (3, 6)),
    ("p5-throughput-15s", CALLS, [NOTHING]),
    ("p5-throughput-alike", CALLS, [TIME, NOTHING, p5_world((28.2, 26.7, 22.0))]),
    *((f"p5-{what}-{hold}s", CALLS, [TIME, NOTHING]) for what in ("retransmitted", "flushed") for hold in (3, 6, 15)),
    *((f"p5-rtt-{hold}s", CALLS, [TIME, FULL]) for hold in (3, 6, 15)),
    *((f"p5-rtt-settled-{hold}s", CALLS, [TIME, FULL]) for hold in (3, 6, 15)),
    ("p5-rtt-rises", CALLS, [TIME, FULL]),
    *((f"p5-recovery-{hold}s", CALLS, [p5_world(PAPER_KBPS, recovery_s=10), p5_world(PAPER_KBPS, recovery_s=40)]) for hold in (3, 6)),
    *((f"p5-first-event-{hold}s", CALLS, [p5_world((22, 22, 22), uplink=(0, 0, 100))]) for hold in (3, 6, 15)),
    *((f"p5-outstanding-{hold}s", CALLS, [FULL, p5_world(PAPER_KBPS, peak_kb=8)]) for hold in (3, 15)),
    *((f"p5-window-full{route}", CALLS, [p5_world(PAPER_KBPS, first_kb=32)]) for route in ("", "-new-route")),
    *((f"p5-each-time-{hold}s", CALLS, [p5_world(PAPER_KBPS, preemptions=60)]) for hold in (3, 6, 15)),
    *((f"p5-slow-start-{hold}s", CALLS, [p5_world(PAPER_KBPS, doubled=(True, True, False))]) for hold in (3, 6, 15)),
    ("p5-sgsn-drops", CALLS, [p5_world(PAPER_KBPS, sgsn=3)]),
    *((f"p5-cure-{what}", CALLS, [NO_CURE]) for what in ("retransmitted", "lost", "throughput")),
    ("p5-degradation", CALLS, [TIME, NOTHING]),
]
ROWS = [(p3, P3_ROWS), (p4, P4_ROWS), (p5, P5_ROWS)]


def verdict_in(paper, name, world):
    figure = next(figure for figure in paper.FIGURES if figure.name == name)
    return verdict.judge(paper.NAME, figure, {1: world})


class Effects(unittest.TestCase):
    def test_each_row_can_fail(self):
        for paper, rows in ROWS:
            for name, with_it, without in rows:
                with self.subTest(row=name):
                    row = verdict_in(paper, name, with_it)
                    self.assertEqual(row["verdict"], verdict.IN_BAND, row["measured"])
                    for place, world in enumerate(without):
                        row = verdict_in(paper, name, world)
                        self.assertNotEqual(row["verdict"], verdict.IN_BAND, (place, row["measured"]))

    def test_bias(self):
        """P5 says how many of its numbers lie above the paper's."""
        for rates, words in (((25, 25, 25), "6 of 11 medians"), ((20, 20, 20), "3 of 11 medians")):
            self.assertIn(words, p5.words({1: p5_world(rates)})[0])

    def test_no_row_is_left_out(self):
        for paper, rows in ROWS:
            self.assertEqual({figure.name for figure in paper.FIGURES} - {name for name, _, _ in rows}, set())
            self.assertTrue(all(without for _, _, without in rows))


if __name__ == "__main__":
    unittest.main()
