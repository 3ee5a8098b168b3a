#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the outcomes of one run of the tests.

usage: test_totals.py TESTLOG.json

Reads Meson's testlog.json (one JSON object per line), prints "PASSED FAILED SKIPPED" on stdout, and on stderr
one line for each test that was skipped, with the last line it printed as its reason, or that failed, by its name.
"""
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


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    outcomes = read_outcomes(sys.argv[1])
    for outcome in outcomes:
        if outcome["result"] in SKIPPED:
            print(f"skipped: {outcome['name']}: {reason(outcome)}", file=sys.stderr)
        elif outcome["result"] not in PASSED:
            print(f"failed: {outcome['name']}: {outcome['result']}", file=sys.stderr)
    print(*totals(outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
