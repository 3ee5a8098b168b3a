# SPDX-License-Identifier: BSD-3-Clause
"""An SGSN of a few lines for a test of the phone without the node: one NS-VC, one cell, acknowledged LLC of its mobiles."""
import random
import socket
import struct
import threading
import time

import lab
import network
from gb_oracle import bssgp
from gbflow_bts import layer3, sndcp_ack

NS_ALIVE, NS_ALIVE_ACK = 10, 11
IMSI, LIFETIME_S, TICK_S = 0x0D, 60, 0.02
RATE_OCTETS_S, AHEAD_OCTETS = 2200, 500  # of a timeslot with CS-4, and what may wait in osmo-pcu


class Served:
    """A mobile: a Link whose frames go out at the rate of a timeslot."""

    def __init__(self, end, phone, wish):
        self.end, self.phone, self.got, self.level = end, phone, [], 0.0
        self.link = sndcp_ack.Link(phone.sapi, False, (self._send, lambda: self.level < AHEAD_OCTETS), wish)
        self.link.open(phone.nsapi, self.got.append)

    def _send(self, octets):
        self.level += len(octets)
        self.end.unitdata(self.phone, octets)

    def pass_time(self, now_s):
        self.level = max(0.0, self.level - RATE_OCTETS_S * TICK_S)
        self.link.pass_time(now_s)


class SgsnEnd:
    """In the namespace of the node, with its address."""

    def __init__(self, place):
        place.ip(place.names["node"], "address", "add", lab.GB_SGSN + "/24", "dev", "gb0")
        with place.inside("node"):
            self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind((lab.GB_SGSN, 23000))
        self.sock.settimeout(TICK_S)
        self.peer, self.served, self.is_open, self.fault = None, {}, True, None
        self.is_up = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def serve(self, phone, wish=None):
        """Returns the Served."""
        served = Served(self, phone, wish)
        self.served[phone.radio.tlli] = served
        return served

    def close(self):
        self.is_open = False
        self.thread.join(5)
        self.sock.close()

    def unitdata(self, phone, octets):
        head = struct.pack(">BI", bssgp.DL_UNITDATA, phone.radio.tlli) + b"\0\0\x20"
        self._bssgp(network.BVCI, head + bssgp.tlv(bssgp.LIFETIME, struct.pack(">H", 100 * LIFETIME_S))
                    + bssgp.tlv(IMSI, layer3.digits(phone.radio.imsi)) + bssgp.tlv(bssgp.LLC_PDU, octets))

    def _send(self, octets):
        self.sock.sendto(octets, self.peer)

    def _bssgp(self, bvci, octets):
        self._send(struct.pack(">BBH", bssgp.NS_UNITDATA, 0, bvci) + octets)

    def _run(self):
        try:
            due = began = time.monotonic()
            while self.is_open:
                try:
                    octets, self.peer = self.sock.recvfrom(65536)
                    self._take(octets, time.monotonic() - began)
                except TimeoutError:
                    pass
                while due <= time.monotonic():
                    due += TICK_S
                    for served in list(self.served.values()):
                        served.pass_time(due - began)
        except Exception as fault:  # told by the test
            self.fault = fault
            raise

    def _take(self, octets, now_s):
        kind = octets[0]
        if kind == bssgp.NS_RESET:
            elements = bssgp.tlvs(octets, 1)
            self._send(bytes([bssgp.NS_RESET_ACK]) + bssgp.tlv(1, elements[1]) + bssgp.tlv(4, elements[4]))
        elif kind in (bssgp.NS_UNBLOCK, NS_ALIVE):
            self._send(bytes([bssgp.NS_UNBLOCK_ACK if kind == bssgp.NS_UNBLOCK else NS_ALIVE_ACK]))
        elif kind == bssgp.NS_UNITDATA:
            self._take_bssgp(int.from_bytes(octets[2:4], "big"), bssgp.decode(octets[4:]), now_s)

    def _take_bssgp(self, bvci, pdu, now_s):
        if pdu.kind in (bssgp.BVC_RESET, bssgp.BVC_UNBLOCK):
            self._bssgp(0, bytes([pdu.kind + 1]) + bssgp.tlv(bssgp.BVCI, pdu.elements[bssgp.BVCI]))
        elif pdu.kind == bssgp.FC_BVC:
            self._bssgp(bvci, bytes([bssgp.FC_BVC_ACK]) + bssgp.tlv(bssgp.TAG, pdu.elements[bssgp.TAG]))
            self.is_up.set()
        elif pdu.kind == bssgp.UL_UNITDATA and pdu.tlli in self.served:
            octets = pdu.elements[bssgp.LLC_PDU]
            if octets[1:2] and octets[1] & 0xE0 != 0xC0:
                self.served[pdu.tlli].link.take(octets, now_s)


def numbered(count, octets, source, destination, seed=1):
    """UDP packets of so many octets whose first four tell their number."""
    chance, packets = random.Random(seed), []
    for number in range(count):
        body = struct.pack(">I", number) + chance.randbytes(octets - 28 - 4)
        packets.append(network.writer.ipv4(source, destination, network.writer.udp((source, 5000), (destination, 6000), body), 17,
                                           (number & 0xFFFF, 0)))
    return packets
