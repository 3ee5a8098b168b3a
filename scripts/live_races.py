#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A live node under load, whose tables are read and whose frames are captured; what its sanitizer reports fails.

usage: live_races.py GBFLOW MINUTES
"""
import os
import signal
import sys
import time

import live_pair

ROUND_S, RATE = 10, 200
TABLES = ("nse", "bvc", "ms", "pdp", "drops", "workers", "aqm", "counts", "control", "ports", "capture")


def play(pair, minutes):
    """Rounds of traffic under a capture, with a reload after each; N-PDUs offered."""
    end, offered = time.monotonic() + 60 * minutes, 0
    while offered == 0 or time.monotonic() < end:
        captured = pair.path(f"frames-{offered}.pcapng")
        pair.must("capture", captured, "--prefix", pair.link)
        offered += pair.trial(ROUND_S, RATE)["offered"]
        for table in TABLES:
            pair.show(table)
        pair.must("capture", "--stop", "--prefix", pair.link)
        os.remove(captured)
        pair.process.send_signal(signal.SIGHUP)
    return offered


def main(program, minutes):
    try:
        with live_pair.Pair(program) as pair:
            pair.write_node()
            pair.serve()
            offered = play(pair, minutes)
            report = pair.stop()
    except live_pair.Failure as failure:
        print(f"failed: {failure}")
        return 1
    print(f"no data race: {offered} N-PDUs offered, {report['npdu']}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
