# SPDX-License-Identifier: BSD-3-Clause
"""A phone that compresses: XID about its entities (TS 44.065 clauses 6.5, 6.6 and 8), RFC 1144 and V.42bis by the Python of
tests/oracles/compression, TCP packets. It shares no code with the node.

    phone.ask(headers, data)        -> the node's answer by type, and the phone has the entities that it leaves
    phone.question()                -> the node's own XID with entities; phone.reply(question, headers, data)
    phone.send_packed(packet)       -> PCOMP and DCOMP of what was sent, and its octets
    phone.packed()                  -> the next N-PDU as it came, and phone.restored(n_pdu)
    phone.link = Link(phone)        its N-PDUs go and come in acknowledged mode
"""
import copy
import os
import queue
import struct
import sys
import time
from dataclasses import dataclass

import node
import phone_peer
import test_walk

sys.path.insert(0, os.path.join(node.ROOT, "tests", "oracles", "compression"))

import rfc1144  # noqa: E402  pylint: disable=wrong-import-position
import v42bis  # noqa: E402  pylint: disable=wrong-import-position
from gb_oracle import bssgp, llc, sndcp  # noqa: E402  pylint: disable=wrong-import-position
from gbflow_bts import llc_abm, llc_frames, sndcp_ack  # noqa: E402  pylint: disable=wrong-import-position
from gbflow_bts.layer3 import DATA_SAPI, N201_U, NPDU_MODULUS, TIMEOUT_S  # noqa: E402  pylint: disable=wrong-import-position

DATA, HEADERS = 1, 2  # types of SNDCP's parameters
NSAPI_5 = 1 << 5
UPLINK, DOWNLINK, BOTH = 1, 2, 3  # P0
PROPOSE = 0x80
NPDU_OCTETS = 1503  # the most
VERSION = b"\0\1\0"
SYN, ACK = 2, 16


def slots(count):
    """S0 - 1 of RFC 1144."""
    return bytes([count - 1])


def dictionary(directions, codewords, longest):
    """P0, P1, P2 of V.42bis."""
    return struct.pack(">BHB", directions, codewords, longest)


def offer(number, comps, parameters, nsapis=NSAPI_5):
    """A new entity of algorithm 0; comps: its numbers of PCOMP or DCOMP as half octets."""
    body = bytes([comps]) + struct.pack(">H", nsapis) + parameters
    return bytes([PROPOSE | number, 0, len(body)]) + body


def change(number, parameters, nsapis=NSAPI_5):
    """An answer, or a change of what is there; nsapis 0: refused, or its end."""
    body = struct.pack(">H", nsapis) + parameters
    return bytes([number, len(body)]) + body


RFC1144 = offer(0, 0x12, slots(32))
V42BIS = offer(1, 0x10, dictionary(BOTH, 4096, 20))


def block(headers=b"", data=b"", version=VERSION):
    """SNDCP's parameters of an XID."""
    return version + b"".join(bytes([kind, len(body)]) + body for kind, body in ((DATA, data), (HEADERS, headers)) if body)


def entities(octets):
    """{type: octets} of SNDCP's parameters."""
    found, at = {}, 0
    while at < len(octets):
        found[octets[at]] = octets[at + 2:at + 2 + octets[at + 1]]
        at += 2 + octets[at + 1]
    return found


def tcp(ends, numbers, flags=ACK, data=b"", ident=1):
    """An IPv4 packet of TCP; ends: two pairs of address and port; numbers: sequence and acknowledgement number."""
    addresses = b"".join(bytes(int(part) for part in address.split(".")) for address, _ in ends)
    segment = struct.pack(">HHIIBBHHH", ends[0][1], ends[1][1], *numbers, 20 << 2, flags, 8192, 0, 0) + data
    total = test_walk.checksum(addresses + struct.pack(">HH", 6, len(segment)) + segment)
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(segment), ident, 0x4000, 64, 6, 0) + addresses
    head = head[:10] + struct.pack(">H", test_walk.checksum(head)) + head[12:]
    return head + segment[:16] + struct.pack(">H", total) + segment[18:]


@dataclass
class NPdu:
    """An N-PDU as it came, and the octets of its LLC frames."""
    comp: int
    octets: bytes
    frame_octets: int


class Headers:
    def __init__(self, comps, count):
        self.comps, self.count = (0, comps >> 4, comps & 15), count
        self.compressor, self.decompressor = rfc1144.Compressor(count), rfc1144.Decompressor(count)


class Dictionary:
    """Both directions. In unacknowledged mode each N-PDU begins with an empty one."""

    def __init__(self, comps, values, lasts):
        self.dcomp, self.lasts = comps >> 4, lasts
        self.directions, self.codewords, self.longest = values
        self.encoder, self.decoder = v42bis.Encoder(self.codewords, self.longest), v42bis.Decoder(self.codewords, self.longest)

    def encode(self, octets):
        """None: it would not be shorter, and the dictionary stays."""
        if not self.lasts:
            self.encoder.start()
        before = copy.deepcopy(self.encoder)
        out = self.encoder.encode(octets)
        if len(out) < len(octets):
            return out
        self.encoder = before
        return None

    def decode(self, octets):
        if not self.lasts:
            self.decoder.start()
        return self.decoder.decode(octets, NPDU_OCTETS)


class Link:
    """The phone's end of acknowledged mode: SN-DATA PDUs whose first segments say how they are compressed."""

    def __init__(self, phone):
        self.phone, self.n_pdus, self.parts, self.number = phone, queue.Queue(), [], 0
        self.lle = llc_abm.Lle(DATA_SAPI, True, (phone.send_llc, lambda: True), self)

    def establish(self):
        self.lle.establish()
        while self.lle.state != llc_abm.ABM:
            self.phone.take_frame(TIMEOUT_S)

    def submit(self, comp, octets):
        segments = sndcp_ack.encode(octets, 5, self.number, self.lle.value(llc_frames.N201_I))
        self.number = (self.number + 1) % sndcp_ack.NUMBERS
        for i, segment in enumerate(segments):
            self.lle.submit(segment if i else segment[:1] + bytes([comp]) + segment[2:], i)
        self.lle.pass_time(0.0)

    def established(self):
        for kind, values in self.phone.values.items():  # both ends start from empty dictionaries
            self.phone.begin(kind, values)

    def released(self, why):
        raise AssertionError(why)

    def data(self, info):
        is_first = info[0] & sndcp_ack.FIRST
        self.parts.append((info[1] if is_first else None, info[3 if is_first else 1:]))
        if not info[0] & sndcp_ack.MORE:
            parts, self.parts = self.parts, []
            self.n_pdus.put(NPdu(parts[0][0], b"".join(part[1] for part in parts), 0))

    def confirmed(self, reference):
        pass


class Phone(phone_peer.Phone):
    def __init__(self, peer, imsi, **values):
        super().__init__(peer, imsi, **values)
        self.headers = self.data = self.link = None
        self.comps, self.values = {}, {}  # of the entities, by type
        self.answers_reset = True
        self.questions, self.answers = queue.Queue(), queue.Queue()

    # --- XID

    def send_xid(self, octets, is_command, sapi=DATA_SAPI):
        info = llc_frames.encode_items([(llc_frames.LAYER_3, octets)])
        self.send_llc(llc_frames.encode(llc_frames.Frame(sapi, is_command, llc_frames.XID, True, info=info), False))

    def take_unnumbered(self, octets):
        """A frame that is no UI frame."""
        if octets[1] & 0xE0 != 0xE0:
            self.link.lle.receive(octets, 0.0)
            return
        frame, _ = llc_frames.decode(octets, True)
        items = dict(llc_frames.decode_items(frame.info))
        if llc_frames.RESET in items:
            self.take_reset(octets)
        elif frame.kind == llc_frames.XID:
            (self.questions if frame.is_command else self.answers).put(items.get(llc_frames.LAYER_3, b""))
        elif self.link:
            self.link.lle.receive(octets, 0.0)

    def take_reset(self, octets):
        if self.answers_reset:
            self.end()
            super().take_unnumbered(octets)

    def _until(self, waiting, timeout_s=TIMEOUT_S):
        """The next element of a queue that frames of the node fill."""
        end = time.monotonic() + timeout_s
        while waiting.empty():
            self.take_frame(max(0.01, end - time.monotonic()))
        return waiting.get()

    def take_frame(self, timeout_s):
        octets = self.peer.pdus.get(timeout=timeout_s).elements[bssgp.LLC_PDU]
        frame = llc.decode(octets, True)
        assert frame.fcs_good and frame.fault is None, octets.hex()
        if frame.nu is None:
            self.take_unnumbered(octets)
        else:
            assert frame.sapi == DATA_SAPI, octets.hex()
            self.keep(frame.info, len(octets))

    def keep(self, info, octets):
        segment = sndcp.decode(info)
        self.packets.put((segment, info[1] if segment.first else None, octets))

    def ask(self, headers=b"", data=b""):
        """Proposes, and takes what the answer leaves of it."""
        self.send_xid(block(headers, data), True)
        answer = entities(self._until(self.answers))
        self.agree(answer, {HEADERS: headers, DATA: data})
        return answer

    def question(self, timeout_s=TIMEOUT_S):
        return entities(self._until(self.questions, timeout_s))

    def reply(self, question, headers=b"", data=b""):
        self.send_xid(block(headers, data), False)
        self.agree({HEADERS: headers, DATA: data}, question)

    def agree(self, answer, proposals):
        """Of at most one entity of a kind: it begins, restarts with other values, or is over."""
        for kind in (HEADERS, DATA):
            found, proposal = answer.get(kind), proposals.get(kind)
            if not found or not proposal:
                continue
            if proposal[0] & PROPOSE:
                self.comps[kind] = proposal[3]
            self.begin(kind, found[4:] if found[2:4] != b"\0\0" else None)

    def begin(self, kind, values):
        self.values[kind] = values
        if kind == HEADERS:
            self.headers = values and Headers(self.comps[kind], values[0] + 1)
        else:
            self.data = values and Dictionary(self.comps[kind], struct.unpack(">BHB", values), self.link is not None)

    def end(self):
        self.headers = self.data = None
        self.values = {}

    # --- N-PDUs

    def pack(self, packet):
        comp = 0
        if self.headers:
            kind, packet = self.headers.compressor.compress(packet)
            comp = self.headers.comps[kind]
        if self.data and self.data.directions & UPLINK:
            shorter = self.data.encode(packet)
            if shorter:
                return self.data.dcomp << 4 | comp, shorter
        return comp, packet

    def restored(self, n_pdu):
        octets, pcomp = n_pdu.octets, n_pdu.comp & 15
        if n_pdu.comp >> 4:
            assert n_pdu.comp >> 4 == self.data.dcomp and self.data.directions & DOWNLINK, n_pdu
            octets = self.data.decode(octets)
        if pcomp or self.headers:
            return self.headers.decompressor.decompress(self.headers.comps.index(pcomp), octets)
        return octets

    def send_packed(self, packet, nsapi=5):
        comp, octets = self.pack(packet)
        self.send_raw(comp, octets, nsapi)
        return comp, octets

    def send_raw(self, comp, octets, nsapi=5):
        if self.link:
            self.link.submit(comp, octets)
            return
        segments = sndcp.encode(octets, nsapi, self.npdu, N201_U)
        self.npdu = (self.npdu + 1) % NPDU_MODULUS
        segments[0] = segments[0][:1] + bytes([comp]) + segments[0][2:]
        for segment in segments:
            self.send_frame(DATA_SAPI, segment)

    def packed(self, timeout_s=TIMEOUT_S):
        if self.link:
            return self._until(self.link.n_pdus, timeout_s)
        parts = []
        while not parts or parts[-1][0].more:
            parts.append(self._until(self.packets, timeout_s))
        assert parts[0][0].first and not any(part[0].first for part in parts[1:]), parts
        return NPdu(parts[0][1], b"".join(part[0].data for part in parts), sum(part[2] for part in parts))
