#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gbflow against independent models of the papers on latency, buffering and pre-emption, at points that the papers do not have.

Prints each point. LIMIT: how far a mean over SEEDS may lie from the model.

    GBFLOW=build/gbflow python3 tests/oracles/papers/held_out.py [P3|P4|P5]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import fluid_model as fluid
import latency_model as latency

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
GBFLOW = os.environ.get("GBFLOW") or os.path.join(ROOT, "build", "gbflow")
LIMIT_PERCENT, SEEDS, DOWNLOADS, PAGES = 10, (1, 2, 3), 20, 7
GEV, EDGE = ((8, 142), (8, 71)), ((4, 71), (2, 71))
PACKETS = (41, 45, 8, 7, 4, 4, 3, 2)

# RLC RTT and latency in ms, MSS in octets, BLER in percent
P3_POINTS = [(80, 30, 1460, 10), (120, 70, 1460, 10), (220, 120, 1460, 10), (280, 170, 1460, 5), (60, 20, 536, 10), (180, 80, 536, 10)]
# channels, coding, MSS, lifetime in s
P4_POINTS = [(1, "CS-2", 1460, 2.5), (1, "CS-2", 1460, 10), (1, "CS-2", 1460, 20), (1, "CS-2", 1460, 30), (2, "CS-1", 1460, 5),
             (2, "CS-3", 1460, 15), (3, "CS-4", 1460, 2.5), (3, "CS-1", 1460, 30), (2, "CS-2", 536, 8), (3, "CS-3", 536, 4)]
# seconds of calls, from one start to the next, coding; nothing is flushed
P5_KEPT = [(1, 30, "CS-2"), (5, 45, "CS-2"), (10, 60, "CS-1"), (20, 90, "CS-3"), (30, 90, "CS-4")]
# the same, with a flush at once
P5_FLUSHED = [(1, 30, "CS-2"), (2, 60, "CS-2"), (4, 75, "CS-2"), (5, 90, "CS-2"), (12, 60, "CS-2"), (20, 90, "CS-2"), (30, 90, "CS-2"), (15, 60, "CS-1"), (4, 75, "CS-1"),
              (20, 90, "CS-3")]
GO_BELOW_OCTETS = 4000
# Beyond the model: calls every 30 s leave windows so small that time-outs recover, which the model of short calls has not.
P5_BEYOND = (6, 30, "CS-2")


def played(scenario, settings, seed):
    """summary.json of one run."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word for setting in settings for word in ("--set", setting)]
        path = os.path.join(ROOT, "config", "scenarios", scenario)
        subprocess.run([GBFLOW, "run", path, "--seed", str(seed), "--no-report", "--out", folder, *words], check=True, capture_output=True)
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            return json.load(file)


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def tcp_of(scenario, settings, *path):
    """A member of the only connection, over the seeds."""
    def member(seed):
        value = played(scenario, settings, seed)["tcp"][0]
        for name in path:
            value = value[name]
        return value
    return mean(map(member, SEEDS))


def p3_settings(rtt_ms, latency_ms, mss, bler):
    cells = [f"cells[{cell}].{key}" for cell in range(1, 6) for key in (f"retransmission={rtt_ms - 20} ms", f"bler={bler} %")]
    pages = [f"mobiles[{mobile}].traffic[1].web.pages={DOWNLOADS}" for mobile in (1, 2)]
    pings = [f"mobiles[{mobile}].traffic[1].ping.count=200" for mobile in (4, 5)]
    sizes = "{" + ", ".join(f'"{count * 1460} octets"' for count in PACKETS[1:]) + "}"
    return [f"network.server_delay={latency_ms - 2} ms", f"tcp.mss={mss} octets", "duration=500 s", *cells, *pages, *pings,
            f"mobiles[3].traffic[1].web.sizes={sizes}"]


def p3_gbflow(point):
    """Rates in kbit/s, seconds of the page and of pings."""
    rows = [played("geran-latency.lua", p3_settings(*point), seed) for seed in SEEDS]

    def pages(mobile, value):
        return mean(value(page) for row in rows for page in row["pages"] if page["mobile"] == mobile)
    rates = [pages(mobile, lambda page: page["octets"] * 8e-3 / page["time_s"]) for mobile in ("edge-ftp", "gev-ftp")]
    pings = [mean(ping["rtt_s"]["avg"] for row in rows for ping in row["ping"] if ping["mobile"] == name) for name in ("ping64", "ping1500")]
    return [*rates, pages("gev-http", lambda page: page["time_s"]), *pings]


def p3_model(point):
    rtt_ms, latency_ms, mss, bler = point

    def net(shape, seed):
        return latency.Net(shape, rtt_ms / 1000, latency_ms / 1000, seed, bler / 100)
    file, page = [latency.cut(100000, mss)], [latency.cut(count * 1460, mss) for count in PACKETS]
    rates = [mean(800 / latency.objects_s(net(shape, seed), file, 0.0013 * seed) for seed in range(60)) for shape in (EDGE, GEV)]
    pages_s = mean(latency.objects_s(net(GEV, seed), page, 0.0013 * seed) for seed in range(20))
    small = mean(latency.ping_s(net((GEV[0], (8, 81)), seed), 64, 200) for seed in SEEDS)
    return [*rates, pages_s, small, mean(latency.ping_s(net(GEV, seed), 1500, 200) for seed in SEEDS)]


def p4_settings(slots, coding, mss, lifetime_s):
    return [f"cells[1].pdchs={slots}", f"cells[1].coding={coding}", f"tcp.mss={mss} octets", f"sgsn.lifetime.sgsn_max={1000 * lifetime_s:.0f} ms"]


def p4_rows():
    for point in P4_POINTS:
        slots, coding, mss, lifetime_s = point
        cell, settings = fluid.Cell(slots, coding, mss), p4_settings(*point)
        yield point, "goodput_bps", tcp_of("gprs-buffering.lua", settings, "goodput_bps"), cell.goodput_bps
        yield point, "rtt_max_s", tcp_of("gprs-buffering.lua", settings, "rtt_s", "max"), fluid.rtt_max_s(cell, lifetime_s)


def p5_settings(hold_s, every_s, coding):
    """The BSC keeps as much as that of the model. With the 22 kB of the scenario more is lost at once: after (4, 75, "CS-1") time-outs
    recover, which the model has not, and the rate is 16 % below it."""
    calls, thresholds = "cells[1].calls.schedule", "cells[1].flow_control.thresholds"
    return [f"{thresholds}.stop={fluid.BSC_OCTETS} octets", f"{thresholds}.go={fluid.BSC_OCTETS - GO_BELOW_OCTETS} octets",
            f"cells[1].coding={coding}", f"{calls}.hold={hold_s} s", f"{calls}.every={every_s} s"]


def p5_rows():
    for points, kind in ((P5_KEPT, "kept"), (P5_FLUSHED, "flushed")):
        for hold_s, every_s, coding in points:
            calls, cell, settings = "cells[1].calls", fluid.Cell(3, coding), p5_settings(hold_s, every_s, coding)
            settings += [f"{calls}.flush=infinite", f"{calls}.restart_wait=0 s"] if kind == "kept" else []
            model = fluid.kept_bps(cell, hold_s, every_s) if kind == "kept" else fluid.flushed_bps(cell, hold_s, every_s, 4, 10)
            yield (hold_s, every_s, coding), f"{kind}_bps", tcp_of("gprs-preemption.lua", settings, "goodput_bps"), model


def p3_rows():
    names = ("edge_kbps", "gev_kbps", "page_s", "ping64_s", "ping1500_s")
    for point in P3_POINTS:
        yield from ((point, *row) for row in zip(names, p3_gbflow(point), p3_model(point)))


class HeldOut(unittest.TestCase):
    def agree(self, paper, rows):
        """Prints every row."""
        failed = []
        for point, name, measured, model in rows:
            off = 100 * (measured / model - 1)
            print(f"{paper} {str(point):30} {name:12} gbflow {measured:9.4g} model {model:9.4g} {off:+6.1f} %")
            if abs(off) > LIMIT_PERCENT:
                failed.append((point, name, round(off, 1)))
        self.assertEqual(failed, [])

    def test_p3(self):
        self.agree("P3", p3_rows())

    def test_p4(self):
        self.agree("P4", p4_rows())

    def test_p5(self):
        self.agree("P5", p5_rows())

    def test_p5_beyond(self):
        """Less than the model says, and more than one time-out for each of the 80 calls."""
        hold_s, every_s, coding = P5_BEYOND
        settings = p5_settings(*P5_BEYOND)
        self.assertGreater(tcp_of("gprs-preemption.lua", settings, "timeouts"), 80)
        goodput_bps = tcp_of("gprs-preemption.lua", settings, "goodput_bps")
        model_bps = fluid.flushed_bps(fluid.Cell(3, coding), hold_s, every_s, 4, 10)
        print(f"P5 {P5_BEYOND} beyond the model: gbflow {goodput_bps:.0f} model {model_bps:.0f} bit/s")
        self.assertLess(goodput_bps, model_bps)


if __name__ == "__main__":
    unittest.main()
