# SPDX-License-Identifier: BSD-3-Clause
"""A phone, a user's mobile: LLC and SNDCP of one PDP context over a Mobile's radio,
in unacknowledged or in acknowledged mode."""
import queue

from gb_oracle import llc, sndcp

from gbflow_bts import sndcp_ack
from gbflow_bts.mobile import Mobile

NU_MODULUS, NPDU_MODULUS = 512, 4096
FILLING = b"\x43\xc0\x01\x2b"  # the PCU's own
NULL = b"\x01\xe0"
QUEUED = 3  # LLC PDUs in the radio's queue: more would tell old N(R), and T201 would run before they leave


class Phone:
    """Mobile number i of the node. `packets` gets what arrives, unless on_packet is set."""

    def __init__(self, number, nsapi=5, sapi=3, n201_u=500):
        self.number, self.nsapi, self.sapi, self.n201_u = number, nsapi, sapi, n201_u
        self.radio = Mobile(0xC0000000 + number, f"00101{number:010}", self._receive)
        self.radio.on_page = self._answer_page
        self.address = f"10.45.0.{number}"
        self.packets, self.on_packet = queue.Queue(), self._keep
        self.nu = self.npdu = 0
        self.parts, self.part_npdu = [], None
        self.pdus, self.octets, self.faults = 0, 0, 0
        self.link, self.is_acknowledged = None, False

    def _keep(self, packet):
        self.packets.put(packet)

    def acknowledge(self, wish=None, keystream=None):
        """From now on SABM is accepted; see establish(). wish: XID items by type that the phone proposes;
        keystream: of an Lle."""
        self.link = sndcp_ack.Link(self.sapi, True, (self.radio.submit, lambda: len(self.radio.queue) < QUEUED), wish)
        self.link.open(self.nsapi, lambda packet: self.on_packet(packet))
        self.link.lle.keystream = keystream
        self.radio.on_time = self.link.pass_time

    def establish(self):
        """The phone begins, and its N-PDUs are acknowledged."""
        self.is_acknowledged = True
        self.link.establish()

    def is_of_link(self, octets):
        """Whether a frame of the network is for acknowledged mode: of the data's SAPI, and no UI frame."""
        is_ui = octets[1:2] and octets[1] & 0xE0 == 0xC0
        return self.link is not None and octets[0] & 15 == self.sapi and not is_ui

    def take_numbered(self, octets):
        self.pdus += 1
        self.octets += len(octets)
        self.link.take(octets, self.link.lle.now_s)

    def send(self, packet):
        """One N-PDU; from any one thread."""
        if self.is_acknowledged:
            self.link.send(self.nsapi, packet)
            return
        for segment in sndcp.encode(packet, self.nsapi, self.npdu, self.n201_u):
            self.radio.submit(llc.encode_ui(self.sapi, self.nu, segment, command_bit=False))
            self.nu = (self.nu + 1) % NU_MODULUS
        self.npdu = (self.npdu + 1) % NPDU_MODULUS

    def _answer_page(self):
        """Any LLC frame will do: a NULL command of the signalling SAPI."""
        self.radio.submit(NULL + llc.fcs(NULL).to_bytes(3, "little"))

    def _receive(self, octets):
        if self.is_of_link(octets):
            self.take_numbered(octets)
        elif not octets.startswith(FILLING):
            self.take(llc.decode(octets, True), octets)

    def take(self, frame, octets):
        """A frame of the network, and what it was decoded from."""
        if frame is None or not frame.fcs_good or frame.fault or frame.sapi != self.sapi:
            self.faults += 1
            return
        self.pdus += 1
        self.octets += len(octets)
        self._segment(sndcp.decode(frame.info))

    def _segment(self, segment):
        if segment is None or segment.fault or segment.nsapi != self.nsapi:
            self.faults += 1
            return
        if segment.first:
            self.parts, self.part_npdu = [], segment.npdu
        if segment.npdu != self.part_npdu or segment.index != len(self.parts) % 16:
            self.parts, self.part_npdu = [], None
            return
        self.parts.append(segment.data)
        if not segment.more:
            self.on_packet(b"".join(self.parts))
            self.parts, self.part_npdu = [], None
