# SPDX-License-Identifier: BSD-3-Clause
"""Command line: exit status 0 = all hold, 1 = a violation, 2 = usage."""
import argparse
import json
import sys

from gb_oracle import (
    capture, check_flow, check_frames, check_npdus, check_segments, check_totals, gb, gn, options, writer)
from gb_oracle.report import CHECKS, Report

MAX_LINES_PER_CHECK = 50


def _parser():
    parser = argparse.ArgumentParser(prog="gb_oracle", description="Judges a Gb capture against flow control and a Gn capture.")
    parser.add_argument("--gb", required=True, help="Gb capture (pcap or pcapng)")
    parser.add_argument("--gn", help="Gn capture with the packets that were sent to Gb")
    parser.add_argument("--sgsn-gb", help="the SGSN's address on Gb: fixes which way is down")
    parser.add_argument("--sgsn-gn", help="the SGSN's address on Gn, if no GTP-C in the capture tells it")
    parser.add_argument("--gn-cut", action="store_true", help="the Gn capture may break off: judge as far as it goes")
    parser.add_argument("--gb-port", type=int, action="append", help="UDP port of NS (default 23000; may be repeated)")
    parser.add_argument("--n201-u", type=int, default=500, help="octets of the LLC information field (default 500)")
    parser.add_argument("--lifetime", help="lifetime of an N-PDU from its arrival, for example 15s, or infinite")
    parser.add_argument("--rules", default="", help="NAME=VALUE,...: buckets, lifetime, mode, bss_min, bss_max, th, discarded, "
                        "idle, queue=OCTETS, bvc=OCTETS:BIT_PER_S, ms=OCTETS:BIT_PER_S")
    parser.add_argument("--expect-all", action="store_true", help="nothing may be lost")
    parser.add_argument("--replay-json", help="figures that the program reported: JSON of a replay, or summary of a run")
    parser.add_argument("--min", action="extend", nargs="+", default=[], metavar="NAME=COUNT",
                        help="a check must examine so many things (several may follow, also with commas)")
    parser.add_argument("--json", help="write the verdict to this file")
    return parser


def _minimum(items):
    wanted = {}
    for item in ",".join(items).split(",") if items else ():
        name, _, count = item.partition("=")
        if name not in CHECKS or not count.isdigit():
            raise options.UsageError(f"--min {item}: there are {', '.join(CHECKS)}")
        wanted[name] = int(count)
    return wanted


def _address(text):
    if text is None:
        return None
    try:
        return writer.address(text)
    except ValueError:
        raise options.UsageError(f"'{text}' is no IPv4 address") from None


def _rules(arguments):
    rules = options.parse_rules(arguments.rules, options.Rules(n201_u=arguments.n201_u))
    if arguments.lifetime:
        rules.set_lifetime(arguments.lifetime)
    if arguments.expect_all and not arguments.gn:
        raise options.UsageError("--expect-all needs --gn")
    return rules


def judge(arguments, rules):
    """Runs all checks; returns the report."""
    report = Report()
    stream = gn.load(arguments.gn, _address(arguments.sgsn_gn), arguments.gn_cut) if arguments.gn else None
    events = gb.load(arguments.gb, report, _address(arguments.sgsn_gb), arguments.gb_port or (23000,))
    pdus = check_frames.downlink(events)
    check_frames.check(pdus, report)
    npdus, idle_input = check_segments.check(pdus, report, arguments.n201_u), None
    if stream is not None:
        idle_input = check_npdus.match(npdus, stream, report, rules), stream
        check_npdus.completeness(stream, report, arguments.expect_all)
        check_npdus.lifetime(npdus, report, rules)
    check_flow.check(events, idle_input, report, rules)
    if arguments.replay_json:
        replay = check_totals.load(arguments.replay_json)
        check_totals.check(replay, npdus, len(pdus), stream.total if stream else None, report)
    return report


def _print(report, few):
    for check in report.checks.values():
        for line in check.violations[:MAX_LINES_PER_CHECK]:
            print("violation", line)
        if len(check.violations) > MAX_LINES_PER_CHECK:
            print("violation", f"{check.name}: and {len(check.violations) - MAX_LINES_PER_CHECK} more")
    for line in few:
        print("violation", line)
    print("\n".join(report.summary()))


def main(words):
    """Returns the exit status."""
    try:
        arguments = _parser().parse_args(words)
        rules, minimum = _rules(arguments), _minimum(arguments.min)
        report = judge(arguments, rules)
    except SystemExit as end:
        return end.code
    except (options.UsageError, capture.CaptureError, OSError, KeyError, json.JSONDecodeError) as fault:
        print(f"gb_oracle: {fault}", file=sys.stderr)
        return 2
    few = report.too_few(minimum)
    _print(report, few)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(report.as_json() | {"too_few": few}, file, indent=1)
    return 1 if few or report.violations() else 0
