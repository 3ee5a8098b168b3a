#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the outcomes of one run of the tests, or prints the slowest tests of some runs, the slowest first.

usage: test_log.py totals TESTLOG.json
       test_log.py slowest [--count N] PHASE=TESTLOG.json...       N: 20

Reads Meson's testlog.json (one JSON object per line). totals prints "PASSED FAILED SKIPPED" on stdout, and on stderr
one line for each test that was skipped or failed, with the last line it printed as its reason. A line of slowest is
"SECONDS  PHASE: TEST".
"""
import argparse
import json
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}


def read_outcomes(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return [json.loads(line) for line in file if line.strip()]


def reason(outcome):
    lines = [line for key in ("stdout", "stderr") for line in (outcome.get(key) or "").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no reason given"


def totals(outcomes):
    """Whatever is neither passed nor skipped has failed: a word that a later Meson invents fails too."""
    passed = sum(outcome["result"] in PASSED for outcome in outcomes)
    skipped = sum(outcome["result"] in SKIPPED for outcome in outcomes)
    return passed, len(outcomes) - passed - skipped, skipped


def print_totals(path):
    outcomes = read_outcomes(path)
    for outcome in outcomes:
        if outcome["result"] in SKIPPED:
            print(f"skipped: {outcome['name']}: {reason(outcome)}", file=sys.stderr)
        elif outcome["result"] not in PASSED:
            print(f"failed: {outcome['name']}: {outcome['result']}: {reason(outcome)}", file=sys.stderr)
    print(*totals(outcomes))


def slowest(runs, count):
    """(seconds, phase, name) of the count slowest tests; runs: (phase, outcomes)."""
    rows = [(outcome["duration"], phase, outcome["name"]) for phase, outcomes in runs for outcome in outcomes]
    return sorted(rows, reverse=True)[:count]


def print_slowest(runs, count):
    """runs: PHASE=TESTLOG.json"""
    named = [run.rsplit("=", 1) for run in runs]
    for seconds, phase, name in slowest([(phase, read_outcomes(path)) for phase, path in named], count):
        print(f"{seconds:6.1f} s  {phase}: {name}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("totals").add_argument("log")
    slow = commands.add_parser("slowest")
    slow.add_argument("--count", type=int, default=20)
    slow.add_argument("runs", nargs="+")
    given = parser.parse_args()
    if given.command == "totals":
        print_totals(given.log)
    else:
        print_slowest(given.runs, given.count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
