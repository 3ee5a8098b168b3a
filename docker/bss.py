#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An emulated BSS of one cell: brings Gb up, announces its flow control, counts and checks users' frames.

Prints a line each second. From the environment: RATE_BPS that the cell takes (1000000, so that nothing waits), and
PACKETS, the number of good LLC frames to end after (0: never).
"""
import os
import queue
import signal
import sys
import time

import bss_peer
from gb_oracle import bssgp, llc

OURS, NODE = "198.51.100.2", ("198.51.100.1", 23000)
ANNOUNCE_S, REPORT_S, BUCKET_OCTETS = 5, 1, 100000


def bring_up(peer):
    """The node may start later than we do."""
    while True:
        try:
            peer.bring_up()
            return
        except AssertionError as error:
            print(f"bss: Gb is not up: {error}", flush=True)


def is_good(pdu):
    frame = llc.decode(pdu.elements[bssgp.LLC_PDU], True)
    return frame.fcs_good and frame.fault is None


def take(peer, until_at):
    """Good frames, bad frames, mobiles that came until then."""
    good, bad, mobiles = 0, 0, set()
    while (left := until_at - time.monotonic()) > 0:
        try:
            pdu = peer.pdus.get(timeout=left)
        except queue.Empty:
            break
        mobiles.add(pdu.tlli)
        good, bad = good + is_good(pdu), bad + (not is_good(pdu))
    return good, bad, len(mobiles)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    wanted, total, tag = int(os.environ.get("PACKETS", "0")), 0, 1
    rate_bps = int(os.environ.get("RATE_BPS", "1000000"))
    peer = bss_peer.Peer(bss_peer.open_socket(OURS), NODE)
    bring_up(peer)
    print("bss: Gb is up", flush=True)
    announce_at = time.monotonic()
    while not wanted or total < wanted:
        if time.monotonic() >= announce_at:
            tag, announce_at = tag % 255 + 1, time.monotonic() + ANNOUNCE_S
            peer.announce(BUCKET_OCTETS, rate_bps, tag)
        good, bad, mobiles = take(peer, time.monotonic() + REPORT_S)
        total += good
        print(f"bss: {good} LLC frames of {mobiles} mobiles, {bad} bad; {total} in all", flush=True)
        if bad:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
