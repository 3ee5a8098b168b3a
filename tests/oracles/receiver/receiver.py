#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Receives a Gb capture as mobiles and SGSN would: checks FCS, deciphers, follows N(U), reassembles N-PDUs.

README.md tells the form of the file of keys. Exit status 0 = no fault, 1 = a fault, 2 = usage.
"""
import argparse
import json
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gb")]

from gb_oracle import bssgp, capture  # noqa: E402
from gb_receiver import keys, model  # noqa: E402


def arguments(words):
    parser = argparse.ArgumentParser(description="Receives the LLC frames of a Gb capture.")
    parser.add_argument("capture")
    parser.add_argument("--keys", metavar="FILE", help="keys by TLLI and N(U); without it nothing can be deciphered")
    parser.add_argument("--json", metavar="FILE", help="writes all that came out; - is standard output")
    parser.add_argument("--gb-port", type=int, action="append", help="UDP port of NS (default 23000; may be repeated)")
    parser.add_argument("--quiet", action="store_true", help="does not print N-PDUs one by one")
    return parser.parse_args(words)


def lines(receiver, quiet):
    for row in [] if quiet else receiver.n_pdus:
        yield (f"packet {row['frame']} {row['direction']} {row['tlli']} SAPI {row['sapi']} NSAPI {row['nsapi']}: "
               f"N-PDU {row['n_pdu_number']}, {len(row['octets']) // 2} octets")
    for row in receiver.faults:
        where = "".join(f" {word} {row[word]}" for word in ("direction", "tlli", "sapi", "nu") if word in row)
        yield f"fault packet {row['frame']}{where}: {row['what']}"
    for row in receiver.entities():
        yield ", ".join(f"{name} {'/'.join(value) if isinstance(value, list) else value}" for name, value in row.items())
    yield ", ".join(f"{value} {name}" for name, value in sorted(receiver.count.items()))
    yield f"{len(receiver.n_pdus)} N-PDUs, {len(receiver.messages)} messages, {len(receiver.faults)} faults"


def main(words):
    """Returns the exit status."""
    try:
        given = arguments(words)
        rings = keys.load(given.keys) if given.keys else []
        receiver = model.receive(given.capture, rings, frozenset(given.gb_port or [23000]))
        if given.json and given.json != "-":
            with open(given.json, "w", encoding="ascii") as file:
                json.dump(receiver.report(), file, indent=1)
    except SystemExit as end:
        return end.code
    except (OSError, capture.CaptureError, keys.KeyFault, bssgp.Malformed) as fault:
        print(f"receiver: {fault}", file=sys.stderr)
        return 2
    if given.json == "-":
        json.dump(receiver.report(), sys.stdout, indent=1)
        print()
    else:
        print("\n".join(lines(receiver, given.quiet)))
    return 1 if receiver.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
