#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Downloads in acknowledged LLC through the real osmo-pcu, 30 % of the RLC blocks lost.

osmo-pcu 1.1.0 has no RLC unacknowledged mode: each of its assignments says "acknowledged", and it does not read the QoS Profile of
DL-UNITDATA. So the phone acknowledges blocks that are lost to it, and the LLC PDUs in them are gone, as in that mode.
"""
import hashlib
import queue
import socket
import sys
import time
import unittest
from typing import NamedTuple

import users  # before all that is in its neighbours' folders
import network
import sgsn_end
import test_chain
from gbflow_bts import llc_frames

LOSS, OCTETS, PACKET_OCTETS = 0.3, 50000, 72
SETTINGS = ', flow_control = { bss_target = "250 ms" }, lifetime = { sgsn_max = "120 s" }, llc = { acknowledged = { ' \
       'links = 4, buffers = 1000, k_down = 127, k_up = 64, n200 = 15, t200 = "700 ms" } }'
UP_PACKETS, HEADERS, UP_S = 20, 28, 40
WISH = {llc_frames.N201_I: 140, llc_frames.N200: 15, llc_frames.T200: 7, llc_frames.K_DOWN: 255, llc_frames.K_UP: 64,
        llc_frames.M_DOWN: 0, llc_frames.M_UP: 0}  # frames of few blocks, often repeated


def digest(packets):
    """Of what UDP carries."""
    return hashlib.sha256(b"".join(packet[HEADERS:] for packet in packets)).hexdigest()


class Pace(NamedTuple):
    """So many packets ahead of those that have arrived; one every so often even if none did; over after so long without any."""
    ahead: int = 200
    every_s: float = 40
    stall_s: float = 40


class Transfer:
    """Numbered packets to a phone, until all have arrived or no more come."""

    def __init__(self, phone, send, octets=OCTETS, pace=Pace()):
        self.sent = sgsn_end.numbered(-(-octets // PACKET_OCTETS), PACKET_OCTETS, network.SERVER, phone.address)
        self.got, self.given, self.arrivals, self.pace = [], 0, queue.Queue(), pace
        phone.on_packet = self.arrivals.put
        began_s = self.moved_s = time.monotonic()
        while len(self.got) < len(self.sent) and time.monotonic() < self.moved_s + pace.stall_s:
            self._give(send)
            try:
                self.got.append(self.arrivals.get(timeout=0.05))
                self.moved_s = time.monotonic()
            except queue.Empty:
                pass
        self.took_s = self.moved_s - began_s

    def _give(self, send):
        while self.given < len(self.sent) and (self.given - len(self.got) < self.pace.ahead
                                               or time.monotonic() > self.moved_s + self.pace.every_s):
            send(self.sent[self.given])
            self.given += 1
            self.moved_s = time.monotonic()

    def numbers(self):
        return [int.from_bytes(packet[HEADERS:HEADERS + 4], "big") for packet in self.got]


def check_whole(case, transfer):
    """All, each once and in order."""
    case.assertEqual(transfer.numbers(), list(range(len(transfer.sent))))
    case.assertEqual(digest(transfer.got), digest(transfer.sent))


def tell(case, phone, transfer):
    counts = phone.link.lle.counts if phone.link else {}
    case.figure("abm", f"{len(transfer.got)} of {len(transfer.sent)} packets in {transfer.took_s:.0f} s; blocks lost up, down "
                       f"{phone.radio.lost_blocks}; {dict(counts)}")


class Case(network.Case):
    pcu_values, judged = {"scheme": 4}, False
    seed = 1

    def prepare(self):
        phone = self.phones[0]
        phone.radio.scheme = 4
        phone.radio.lose_blocks(LOSS, self.seed)
        return phone


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
        transfer = Transfer(phone, lambda packet: served.link.send(phone.nsapi, packet), 12000)
        tell(self, phone, transfer)
        self.figure("abm", f"SGSN: {dict(served.link.lle.counts)}")
        self.assertIsNone(self.sgsn.fault)
        check_whole(self, transfer)
        end = time.monotonic() + UP_S
        while len(served.got) < len(up) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(served.got, up)
        self.assertIsNone(self.bts.fault)
        self.assertGreater(min(phone.radio.lost_blocks), 0)


class Node(Case):
    """A running node in the place of the peer; its mobile's context is in its configuration."""
    llc = ""
    node_values = {"more": SETTINGS}

    def mobile_text(self, phone):
        return network.mobile_text(phone).replace("nsapi = 5,", f"nsapi = 5,{self.llc}")


class Unacknowledged(Node):
    def test_not_whole(self):
        """The same air and the same packets: what is lost stays lost."""
        self.bring_up()
        phone = self.prepare()
        transfer = Transfer(phone, lambda packet: self.gateway.send(phone, packet), 10000, Pace(0, 0.15, 10))
        tell(self, phone, transfer)
        self.assertLess(len(transfer.got), 0.8 * len(transfer.sent))
        self.assertNotEqual(digest(transfer.got), digest(transfer.sent))
        self.finish()


class Acknowledged(Node):
    llc = ' llc = "acknowledged",'

    def test_whole(self):
        self.bring_up()
        phone = self.prepare()
        phone.acknowledge(WISH)
        phone.establish()
        up = sgsn_end.numbered(UP_PACKETS, 137, phone.address, network.SERVER)
        for packet in up:
            phone.send(packet)
        transfer = Transfer(phone, lambda packet: self.gateway.send(phone, packet))
        tell(self, phone, transfer)
        check_whole(self, transfer)
        self.assertEqual([self.gateway.receive(phone) for _ in up], up)
        self.finish()


class Granted(test_chain.Case):
    """A phone that asks for reliability class 2, GEA3, and the real osmo-hlr and osmo-ggsn above the node."""
    ciphering, judged = "3, 0", False

    def serve(self, **values):
        super().serve(**{**values, "more": values["more"] + SETTINGS})

    def open_server(self):
        with self.lab.inside("ggsn"):
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(sock.close)
        sock.bind((users.SERVER, 5000))
        return sock

    def test_class_2(self):
        """The class that the node grants makes the phone begin; the packets arrive whole, ciphered, with 30 % of the blocks lost."""
        self.bring_up()
        phone, server = self.phones[0], self.open_server()
        phone.wish = WISH
        phone.attach_fully()
        phone.activate(reliability=2)
        self.assertEqual((phone.reliability, phone.user.is_acknowledged), (2, True))
        phone.radio.scheme = 4
        phone.radio.lose_blocks(LOSS, 1)
        transfer = Transfer(phone, lambda packet: server.sendto(packet[HEADERS:], (phone.address, 6000)), 12000)
        tell(self, phone.user, transfer)
        check_whole(self, transfer)
        self.assertEqual(phone.user.link.failure, None)
        self.finish()


if __name__ == "__main__":
    sys.exit(unittest.main())
