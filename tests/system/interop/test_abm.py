#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Downloads in acknowledged LLC through the real osmo-pcu, 30 % of the RLC blocks lost.

osmo-pcu 1.1.0 has no RLC unacknowledged mode: each of its assignments says "acknowledged", and it does not read the QoS Profile of
DL-UNITDATA. So the phone acknowledges blocks that are lost to it, and the LLC PDUs in them are gone, as in that mode.
"""
import hashlib
import queue
import random
import sys
import time
import unittest

import network
import sgsn_end
from gbflow_bts import llc_frames

LOSS, OCTETS, PACKET_OCTETS = 0.3, 50000, 409
UP_PACKETS, STALL_S, AHEAD = 20, 60, 12
WISH = {llc_frames.N201_I: 140, llc_frames.N200: 15, llc_frames.T200: 20, llc_frames.K_DOWN: 64, llc_frames.K_UP: 64,
        llc_frames.M_DOWN: 0, llc_frames.M_UP: 0}  # frames of few blocks, often repeated


def digest(packets):
    return hashlib.sha256(b"".join(packets)).hexdigest()


class Transfer:
    """Numbered packets to a phone, so many ahead of those that have arrived; over when none comes for STALL_S."""

    def __init__(self, phone, send, octets=OCTETS, stall_s=STALL_S):
        self.sent = sgsn_end.numbered(-(-octets // (PACKET_OCTETS - 28)), PACKET_OCTETS, network.SERVER, phone.address)
        self.got, began, moved = [], time.monotonic(), time.monotonic()
        given = 0
        while len(self.got) < len(self.sent) and time.monotonic() < moved + stall_s:
            while given < len(self.sent) and given - len(self.got) < AHEAD:
                send(self.sent[given])
                given += 1
            try:
                self.got.append(phone.packets.get(timeout=0.1))
                moved = time.monotonic()
            except queue.Empty:
                pass
        self.took_s = time.monotonic() - began
        while not phone.packets.empty():
            self.got.append(phone.packets.get())

    def numbers(self):
        return [int.from_bytes(packet[28:32], "big") for packet in self.got]


class Case(network.Case):
    pcu_values, judged = {"scheme": 4}, False
    seed = 1

    def prepare(self):
        phone = self.phones[0]
        phone.radio.scheme, phone.radio.rlc_loss, phone.radio.fates = 4, LOSS, random.Random(self.seed)
        return phone

    def check_whole(self, transfer):
        """All, each once and in order."""
        self.assertEqual(transfer.numbers(), list(range(len(transfer.sent))))
        self.assertEqual(digest(transfer.got), digest(transfer.sent))

    def tell(self, phone, transfer):
        counts = phone.link.lle.counts if phone.link else {}
        self.figure("abm", f"{len(transfer.got)} of {len(transfer.sent)} packets in {transfer.took_s:.0f} s; blocks lost up, down "
                           f"{phone.radio.lost_blocks}; {dict(counts)}")


class Peer(Case):
    """The phone and an SGSN of the same hand: what is between them works, and the test itself."""

    def bring_up(self):
        self.sgsn = sgsn_end.SgsnEnd(self.lab)
        self.addCleanup(self.sgsn.close)
        self.start_bts()
        self.start_pcu()
        self.assertTrue(self.sgsn.is_up.wait(20))

    def test_both_ways(self):
        self.bring_up()
        phone = self.prepare()
        phone.acknowledge(WISH)
        served = self.sgsn.serve(phone)
        phone.establish()
        up = sgsn_end.numbered(UP_PACKETS, 137, phone.address, network.SERVER)
        for packet in up:
            phone.send(packet)
        transfer = Transfer(phone, lambda packet: served.link.send(phone.nsapi, packet))
        self.tell(phone, transfer)
        self.figure("abm", f"SGSN: {dict(served.link.lle.counts)}")
        self.assertIsNone(self.sgsn.fault)
        self.check_whole(transfer)
        end = time.monotonic() + STALL_S
        while len(served.got) < len(up) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(served.got, up)
        self.assertIsNone(self.bts.fault)
        self.assertGreater(min(phone.radio.lost_blocks), 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
