#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sim/'s TCP beside ns-3's on a grid of rates, delays, queues, losses and options.

usage: cross_check.py PLAY_CELL [--json FILE] [--recorded FILE] [--only TEXT] [--beyond]

Each cell is one transfer over a link with a tail-drop queue. Where ns-3's own trace shows a retransmission earlier than
its backed-off RTO (ns3_cell.Timer), the cell is listed and not compared. --recorded: what ns-3 gave is read from a file
that --json wrote. --beyond: other cells, where scattered losses and not the link set the rate; shown, not judged. Exit
status: 0 all cells compared agree within 2 %, and at most 15 % are left out; 1 not; 77 ns-3 is not there, which
cross_check.sh installs.
"""
import argparse
import itertools
import json
import os
import subprocess
import sys

import ns3_cell

BAND, MOST_EXCLUDED = 0.02, 0.15
TRANSFER_S = 300  # what the link would take for it
MSS_OCTETS, TIMESTAMP_OCTETS = 1460, 12
OPTIONS = {"sack+ts": (True, True), "ts": (False, True), "sack": (True, False), "none": (False, False)}


class Cell:
    """What both play; `name` says all of it. The window is so many full segments."""

    queue_packets, lose_one_in, ack_every, window_segments = 50, 0, 2, 44

    def __init__(self, rate_kbps, delay_ms, options, **others):
        self.rate_bps, self.delay_ms = rate_kbps * 1000, delay_ms
        self.sack, self.timestamps = OPTIONS[options]
        self.__dict__.update(others)
        self.payload_octets = MSS_OCTETS - (TIMESTAMP_OCTETS if self.timestamps else 0)
        self.window_octets = self.window_segments * self.payload_octets
        self.octets = self.rate_bps * TRANSFER_S // 8
        self.name = (f"{rate_kbps} kbit/s, {delay_ms} ms, {options}, queue {self.queue_packets}, window {self.window_segments}, "
                     f"ACK every {self.ack_every}, lost {f'1 in {self.lose_one_in}' if self.lose_one_in else 'none'}")

    def words(self):
        return [str(int(value)) for value in (self.rate_bps, self.delay_ms, self.queue_packets, self.lose_one_in, self.sack,
                                              self.timestamps, self.ack_every, self.window_octets, self.octets)]


RATES_KBPS, DELAYS_MS, EXTREMES = (34, 80, 200, 1000), (50, 300), ("sack+ts", "none")


def grid():
    """Losses by the window's own growth, by a short queue, and scattered ones, where the link and not they set the rate."""
    for rate, delay, options in itertools.product(RATES_KBPS, DELAYS_MS, OPTIONS):
        yield Cell(rate, delay, options)
    for rate, delay, options in itertools.product(RATES_KBPS, DELAYS_MS, EXTREMES):
        yield Cell(rate, delay, options, ack_every=1)
        for window in (8, 20):
            yield Cell(rate, delay, options, window_segments=window)
    for rate, options in itertools.product(RATES_KBPS, OPTIONS):
        yield Cell(rate, 50, options, queue_packets=10)
    for rate, options, loss in itertools.product((200, 500), OPTIONS, (500, 200, 100)):
        yield Cell(rate, 10, options, window_segments=8, lose_one_in=loss)


def beyond():
    """ns-3 halves what is in the pipe where RFC 5681 and sim/ halve all that is not acknowledged: less, by what is lost."""
    for delay, options, loss in itertools.product(DELAYS_MS, EXTREMES, (500, 200, 100)):
        yield Cell(1000, delay, options, lose_one_in=loss)


def play_sim(program, cell):
    done = subprocess.run([program, *cell.words()], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{cell.name}: {done.stderr}")
    octets, last_s, again, timeouts = done.stdout.split()
    return {"goodput_bps": 8 * int(octets) / float(last_s), "octets_again": int(again), "timeouts": int(timeouts)}


def play_both(program, play_ns3, cell):
    ours, theirs = play_sim(program, cell), play_ns3(cell)
    difference = ours["goodput_bps"] / theirs.goodput_bps - 1
    verdict = "excluded" if theirs.early_s is not None else "agrees" if abs(difference) <= BAND else "differs"
    return {"cell": cell.name, "sim_bps": round(ours["goodput_bps"], 1), "sim_timeouts": ours["timeouts"],
            "ns3_bps": round(theirs.goodput_bps, 1), "ns3_timeouts": theirs.timeouts, "ns3_early_s": theirs.early_s,
            "difference": round(difference, 5), "verdict": verdict}


def show(row):
    early = "" if row["ns3_early_s"] is None else f", retransmits too early at {row['ns3_early_s']:.1f} s"
    print(f"{row['verdict']:8}  {row['cell']}: sim {row['sim_bps'] / 1000:.2f} kbit/s ({row['sim_timeouts']} timeouts), ns-3 "
          f"{row['ns3_bps'] / 1000:.2f} ({row['ns3_timeouts']}){early}, {100 * row['difference']:+.2f} %", flush=True)


def recorded(path):
    """A player that has ns-3's results from a file."""
    with open(path, encoding="utf-8") as file:
        rows = {row["cell"]: row for row in json.load(file)["cells"]}

    def play(cell):
        row = rows[cell.name]
        return ns3_cell.Result(row["ns3_bps"], row["ns3_timeouts"], row["ns3_early_s"])
    return play


def player(given):
    if given.recorded:
        return recorded(given.recorded)
    try:
        ns3_cell.setup()
    except (ImportError, SystemExit):
        return None
    return ns3_cell.play


def judge(rows):
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in ("agrees", "differs", "excluded")}
    most = max((abs(row["difference"]) for row in rows if row["verdict"] == "agrees"), default=0)
    print(f"{len(rows)} cells: {counts['agrees']} agree within {100 * BAND:g} % (the worst {100 * most:.2f} %), {counts['differs']} "
          f"differ, {counts['excluded']} excluded ({100 * counts['excluded'] / len(rows):.0f} %, at most {100 * MOST_EXCLUDED:g} %)")
    return not counts["differs"] and counts["excluded"] <= MOST_EXCLUDED * len(rows)


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("program")
    parser.add_argument("--json")
    parser.add_argument("--recorded")
    parser.add_argument("--only", default="")
    parser.add_argument("--beyond", action="store_true")
    return parser.parse_args()


def main():
    given = arguments()
    play_ns3 = player(given)
    if not play_ns3:
        print("skipped: no Python package ns3 here; tests/oracles/ns3/cross_check.sh installs it")
        return 1 if os.environ.get("CI") == "true" else 77
    rows = []
    for cell in beyond() if given.beyond else grid():
        if given.only in cell.name:
            rows.append(play_both(given.program, play_ns3, cell))
            show(rows[-1])
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"schema": "gbflow-ns3/1", "cells": rows}, file, indent=0)
            file.write("\n")
    return 0 if judge(rows) or given.beyond else 1


if __name__ == "__main__":
    sys.exit(main())
