# SPDX-License-Identifier: BSD-3-Clause
"""Command line: exit status 0 = all hold, 1 = something is wrong, 2 = usage."""
import argparse
import gc
import json
import sys
import time

from sched_oracle import shares, trace
from sched_oracle.judge import Judge
from sched_oracle.report import CHECKS, Report

EPILOG = """The checks:
""" + "\n".join(f"  {name:15}{text}" for name, text in CHECKS.items()) + """

Runs under python3 (3.9 or newer) and under pypy3, which pays on long traces of few classes only."""


def _parser():
    parser = argparse.ArgumentParser(
        prog="sched_oracle", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=EPILOG,
        description="Judges from a trace (format.md) what a scheduler did.")
    parser.add_argument("trace", nargs="?", default="-", help="file, or - for standard input (the default)")
    parser.add_argument("--idle", choices=("strict", "chosen", "largest"), default="chosen",
                        help="what a cell and a link may wait for: an LLC-PDU that waits (strict), or that one of which they waited "
                        "and which has gone otherwise (chosen, the default), or any of 1526 octets (largest)")
    parser.add_argument("--shares", metavar="CLASS=WEIGHT,...", help="judge shares of these classes while all are backlogged")
    parser.add_argument("--of", default="cells", metavar="links|cells|CELL,...",
                        help="shares inside each link, each cell (default), or in these cells together")
    parser.add_argument("--window", type=int, default=200, help="LLC-PDUs of the smallest share in a window (default 200)")
    parser.add_argument("--jain", type=float, metavar="SECONDS", help="judge Jain's index of the mobiles of each cell and class")
    parser.add_argument("--json", metavar="FILE", help="write the verdict to this file")
    parser.add_argument("--quiet", action="store_true", help="say nothing when all is well")
    return parser


def _judge(arguments):
    report = Report()
    judge = Judge(report, arguments.idle)
    shares.attach(judge, arguments)
    if sys.implementation.name == "cpython":
        gc.disable()  # what goes is in no cycles
    if arguments.trace == "-":
        judge.run(trace.blocks(sys.stdin.buffer))
    else:
        with open(arguments.trace, "rb") as stream:
            judge.run(trace.blocks(stream))
    return report


def main(words):
    parser = _parser()
    arguments = parser.parse_args(words)
    begun = time.perf_counter()
    try:
        report = _judge(arguments)
    except (OSError, shares.UsageError) as error:
        parser.error(str(error))
    elapsed = time.perf_counter() - begun
    if not arguments.quiet or not report.is_good():
        print("\n".join(report.lines()))
        print(f"{report.notes['departures'] / elapsed:.0f} departures/s", file=sys.stderr)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as stream:
            json.dump(report.as_json(), stream, indent=1)
    return 0 if report.is_good() else 1
