# SPDX-License-Identifier: BSD-3-Clause
"""Command line: exit status 0 = all buckets were kept, 1 = some were not, 2 = usage."""
import argparse
import json
import sys

from flow_judge import wire
from flow_judge.judge import Judge
from gb_oracle import bssgp, capture, options

MOST_LINES = 30


def _parser():
    parser = argparse.ArgumentParser(prog="flow_judge", description="Judges every bucket of flow control on a capture of Gb.")
    parser.add_argument("capture", help="pcap or pcapng of Gb, both directions")
    parser.add_argument("--th", default="5s", help="Th, the validity of FLOW-CONTROL-MS (default 5s)")
    parser.add_argument("--late", default="0s", help="own values may count so much longer (default 0s)")
    parser.add_argument("--slack", default="0s", help="an LLC-PDU may have been decided on so much earlier than captured (default 0s)")
    parser.add_argument("--starve", help="each mobile always has packets, and must not wait so long while its buckets have room")
    parser.add_argument("--port", type=int, default=23000, help="UDP port of NS (default 23000)")
    parser.add_argument("--least", type=int, default=0, help="LLC-PDUs that the capture must have")
    parser.add_argument("--json", help="write the figures to this file")
    return parser


def judge(path, **rules):
    """A Judge that has seen a capture; rules as of Judge."""
    port = rules.pop("port", 23000)
    return Judge(**rules).run(wire.pdus(path, port))


def figures(judged):
    """What was judged, as a dict."""
    return {kind: vars(count) for kind, count in judged.counts.items()} | {
        "signalling": judged.signalling, "before_flow_control": judged.early, "unanswered": judged.unanswered, "unheard": judged.surprises}


def lines(judged):
    """The same as a table."""
    rows = [("bucket", "LLC-PDUs", "changes", "violations", "worst octets", "starved")]
    rows += [(kind, *(str(value) for value in (count.pdus, count.changes, count.violations, count.worst, count.starved)))
             for kind, count in judged.counts.items()]
    table = ["  ".join(word.rjust(12) for word in row) for row in rows]
    return table + [f"LLC-PDUs of control {judged.signalling}, before FLOW-CONTROL-BVC {judged.early}, "
                    f"announcements without an answer {judged.unanswered}, mobiles in cells where they were not heard {judged.surprises}"]


def main(words):
    """Returns the exit status."""
    try:
        arguments = _parser().parse_args(words)
        rules = {f"{name}_ns": options.duration_ns(text) for name, text in
                 (("th", arguments.th), ("late", arguments.late), ("slack", arguments.slack), ("starve", arguments.starve)) if text}
        judged = judge(arguments.capture, port=arguments.port, **rules)
    except SystemExit as end:
        return end.code
    except (options.UsageError, capture.CaptureError, bssgp.Malformed, OSError) as fault:
        print(f"flow_judge: {fault}", file=sys.stderr)
        return 2
    for pdu, kind, _, text in judged.found[:MOST_LINES]:
        print(f"violation {kind}: packet {pdu.number} at {pdu.time_ns / 1e9:.9f} s: {text}")
    print("\n".join(lines(judged)))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(figures(judged), file, indent=1)
    few = judged.counts["cell"].pdus < arguments.least
    if few:
        print(f"violation: fewer than {arguments.least} LLC-PDUs")
    return 1 if few or judged.found else 0
