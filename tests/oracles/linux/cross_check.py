#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sim/'s TCP beside that of the Linux kernel: Reno and CUBIC on a grid of rates, delays, queues and losses.

usage: cross_check.py PLAY_CELL [--record FILE | --recorded FILE]

Each cell is one transfer over a link with a tail-drop queue. --record plays all cells with the kernel of this machine
(root; without HyStart, which is switched off meanwhile and on again) and writes FILE. --recorded reads what a kernel gave
from FILE. Compared are the goodput and the quantiles 0.5 and 0.95 of the round trip: the delays, and the time that packets
with data wait for the link. Exit status: 0 as many cells agree within 5 % as docs/tcp.md says, 1 not.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys

import linux_cell

BAND = 0.05
# So many cells agree at least. One segment more or less before a loss shifts all later losses: most of the others have some.
LEAST = {"goodput": 66, "rtt 0.5": 53, "rtt 0.95": 67, "all": 47}
TRANSFER_S, MSS_OCTETS, WINDOW_OCTETS, AT_ONCE = 45, 1448, 1 << 20, 12
HYSTART = "/sys/module/tcp_cubic/parameters/hystart"


class Cell:
    """What both play; `name` says all of it."""

    def __init__(self, cc, rate_kbps, delay_ms, queue_packets, lose_one_in):
        self.cc, self.rate_bps, self.delay_ms = cc, rate_kbps * 1000, delay_ms
        self.queue_packets, self.lose_one_in = queue_packets, lose_one_in
        self.octets = self.rate_bps * TRANSFER_S // 8
        self.name = (f"{cc}, {rate_kbps} kbit/s, {delay_ms} ms, queue {queue_packets}, "
                     f"lost {f'1 in {lose_one_in}' if lose_one_in else 'none'}")

    def words(self):
        return [str(int(value)) for value in (
            self.rate_bps, self.delay_ms, self.queue_packets, self.lose_one_in, True, True, 2, WINDOW_OCTETS, self.octets,
            self.cc == "cubic", False, True, True, 10, 200, 0)]


def grid():
    for cell in itertools.product(("reno", "cubic"), (80, 200, 1000), (50, 150, 300), (20, 50), (0, 200)):
        yield Cell(*cell)


def play_sim(program, cell):
    done = subprocess.run([program, *cell.words()], capture_output=True, text=True, check=True)
    octets, last_s, again, timeouts, half, most = done.stdout.split()
    return {"goodput_bps": 8 * int(octets) / float(last_s), "octets_again": int(again), "timeouts": int(timeouts),
            "wait_0.5_ms": float(half), "wait_0.95_ms": float(most)}


def record(path, cells):
    with open(HYSTART, encoding="ascii") as file:
        before = file.read()
    with open(HYSTART, "w", encoding="ascii") as file:
        file.write("0")
    try:
        with concurrent.futures.ProcessPoolExecutor(AT_ONCE) as pool:
            results = list(pool.map(linux_cell.play, cells))
    finally:
        with open(HYSTART, "w", encoding="ascii") as file:
            file.write(before)
    document = {"schema": "gbflow-linux-tcp/1", "kernel": os.uname().release.split("-")[0],
                "cells": {cell.name: {name: round(value, 1) for name, value in result.items()} for cell, result in zip(cells, results)}}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


def differences(cell, ours, theirs):
    """Relative differences of goodput, and of two quantiles of the round trip."""
    out = {"goodput": ours["goodput_bps"] / theirs["goodput_bps"] - 1}
    for share in ("0.5", "0.95"):
        mine, kernels = (result[f"wait_{share}_ms"] + 2 * cell.delay_ms for result in (ours, theirs))
        out["rtt " + share] = mine / kernels - 1
    return out


def judge(cells, kernel, program):
    """Prints each cell; how many of them agree, by what is compared."""
    agreeing = collections.Counter()
    for cell in cells:
        found = differences(cell, play_sim(program, cell), kernel[cell.name])
        good = {name for name, value in found.items() if abs(value) <= BAND}
        agreeing.update(good)
        agreeing["all"] += len(good) == len(found)
        print(f"{cell.name}: " + ", ".join(f"{name} {value:+.1%}" for name, value in found.items()))
    print(f"{len(cells)} cells, within {BAND:.0%}: " + ", ".join(f"{name} {agreeing[name]}" for name in LEAST))
    return agreeing


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program", help="play_cell")
    parser.add_argument("--record", metavar="FILE", help="play all cells with this machine's kernel, and write FILE")
    parser.add_argument("--recorded", metavar="FILE", help="what a kernel gave before")
    options = parser.parse_args()
    if not options.record and not options.recorded:
        parser.error("--record FILE or --recorded FILE is needed")
    cells = list(grid())
    if options.record:
        record(options.record, cells)
    with open(options.record or options.recorded, encoding="utf-8") as file:
        document = json.load(file)
    print(f"Linux {document['kernel']}")
    agreeing = judge(cells, document["cells"], options.program)
    return 0 if all(agreeing[name] >= least for name, least in LEAST.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
