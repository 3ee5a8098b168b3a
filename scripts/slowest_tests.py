#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the slowest tests of some runs, the slowest first.

usage: slowest_tests.py [--count N] PHASE=TESTLOG.json...       N: 20

Reads Meson's testlog.json (one JSON object per line); a line is "SECONDS  PHASE: TEST".
"""
import argparse
import sys

from test_totals import read_outcomes


def slowest(runs, count):
    """(seconds, phase, name) of the count slowest tests; runs: (phase, outcomes)."""
    rows = [(outcome["duration"], phase, outcome["name"]) for phase, outcomes in runs for outcome in outcomes]
    return sorted(rows, reverse=True)[:count]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("  ")[0])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("runs", nargs="+")
    given = parser.parse_args()
    runs = [run.rsplit("=", 1) for run in given.runs]
    for seconds, phase, name in slowest([(phase, read_outcomes(path)) for phase, path in runs], given.count):
        print(f"{seconds:6.1f} s  {phase}: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
