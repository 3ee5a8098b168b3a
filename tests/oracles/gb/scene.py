# SPDX-License-Identifier: BSD-3-Clause
"""A toy SGSN that makes synthetic Gn and Gb captures: correct ones, into which tests plant faults.

Its buckets count in Fractions of octets and seconds, unlike the judge's, so that the two check each other.
"""
import struct
from dataclasses import dataclass, field
from fractions import Fraction

from gb_oracle import bssgp, llc, sndcp, writer

GGSN, SGSN_GN = "10.98.0.1", "10.98.0.2"
SGSN, BSS = ("10.99.0.1", 23000), ("10.99.0.2", 23000)
BVCI, N201_U, NSEI = 1800, 500, 101
SECOND, STUCK_NS = 10**9, 1 << 62


class Model:
    """The bucket of TS 48.018 clause 8.2 in octets and seconds."""

    def __init__(self, size, rate_bps, now=Fraction(0)):
        self.size, self.rate, self.level, self.passed = size, Fraction(rate_bps, 8), Fraction(0), Fraction(now)

    def earliest(self, octets):
        """First whole nanosecond, or None."""
        if octets > self.size:
            return None if not self.rate else (self.passed + self.level / self.rate) * SECOND // 1 + 1
        need = self.level + octets - self.size
        if need <= 0:
            return -(-self.passed * SECOND // 1)
        return None if not self.rate else -(-(self.passed + need / self.rate) * SECOND // 1)

    def settle(self, now_ns):
        now = Fraction(now_ns, SECOND)
        self.level = max(Fraction(0), self.level - self.rate * (now - self.passed))
        self.passed = now

    def take(self, octets, now_ns):
        self.settle(now_ns)
        self.level += octets

    def change(self, size, rate_bps, now_ns):
        self.settle(now_ns)
        self.size, self.rate = size, Fraction(rate_bps, 8)


@dataclass
class Packet:
    """One downlink inner packet of mobile `who`."""
    time_ns: int
    who: int
    octets: bytes


@dataclass
class Departure:
    """One LLC-PDU; tests change its fields. bound: what its time came from."""
    time_ns: int
    who: int
    sn_pdu: bytes
    arrival_ns: int
    bound: str
    nu: int
    packet: Packet
    lifetime_cs: int = 0
    llc_pdu: bytes = b""

    @property
    def octets(self):
        return len(self.sn_pdu) + 6


@dataclass
class Announcement:
    """A FLOW-CONTROL-BVC, or -MS of mobile who; applied between time_ns and ack_ns."""
    time_ns: int
    size: int
    rate_bps: int
    ms_size: int = 0
    ms_rate_bps: int = 0
    who: int | None = None
    ack_ns: int | None = None
    apply_ns: int | None = None
    tag: int = 1

    def __post_init__(self):
        self.ack_ns = self.time_ns if self.ack_ns is None else self.ack_ns
        self.apply_ns = self.ack_ns if self.apply_ns is None else self.apply_ns


@dataclass
class Scene:
    """What happens on Gn and what the BSS announces; lifetime_ns None = infinite; deletes_ns: when whose PDP context ends."""
    packets: list
    announcements: list
    lifetime_ns: int | None = 15 * SECOND
    departures: list = field(default_factory=list)
    dropped: list = field(default_factory=list)
    signalling: list = field(default_factory=list)
    deletes_ns: dict = field(default_factory=dict)
    has_gtp_c: bool = True

    def address(self, who):
        return f"10.45.0.{who + 1}"

    def tlli(self, who):
        return 0xC0000001 + who

    def run(self):
        """Fills departures; returns the scene."""
        _Run(self).run()
        return self

    def gn_frames(self):
        frames, sequence = [], 0
        for who in sorted({packet.who for packet in self.packets} if self.has_gtp_c else ()):
            frames += exchange(who * 1000, create_pdp_context(who, self.address(who)))
            if who in self.deletes_ns:
                frames += exchange(self.deletes_ns[who] - 500, delete_pdp_context(who))
        for packet in self.packets:
            sequence += 1
            payload = g_pdu(packet.who + 1, packet.octets, sequence, sequence % 4)
            pieces = writer.fragments((GGSN, 2152), (SGSN_GN, 2152), payload, identification=sequence)
            frames += [(packet.time_ns - len(pieces) + 1 + place, piece) for place, piece in enumerate(pieces)]
        return sorted(frames, key=lambda frame: frame[0])

    def gb_frames(self):
        rows = [(announcement.time_ns, 0, up(flow_control(self, announcement))) for announcement in self.announcements]
        rows += [(announcement.ack_ns, 1, down(acknowledgement(self, announcement))) for announcement in self.announcements]
        rows += [(time_ns, 0, frame) for time_ns, frame in self.signalling]
        rows += [(departure.time_ns, 2, down(dl_unitdata(self.tlli(departure.who), departure.llc_pdu, departure.lifetime_cs)))
                 for departure in self.departures]
        rows.sort(key=lambda row: row[:2])
        return [(time_ns, frame) for time_ns, _, frame in rows]

    def seal(self, departure):
        """Makes the LLC-PDU of a departure whose fields a test has changed."""
        departure.llc_pdu = llc.encode_ui(3, departure.nu, departure.sn_pdu)


class _Run:
    """Serves the mobile that is ready first, equal ones in turn; waits with the chosen one, and drops it when its lifetime ends."""

    def __init__(self, scene):
        self.scene, self.prev_ns, self.turn, self.free_ns = scene, 0, 0, 0
        self.cell, self.buckets, self.last, self.nu, self.numbers = Model(0, 0), {}, {}, {}, {}
        self.queues, self.changes = {}, sorted(scene.announcements, key=lambda change: change.apply_ns)
        self.own, self.pieces = set(), {}
        for packet in scene.packets:
            self.queues.setdefault(packet.who, []).append(packet)
        for who in self.queues:
            self.buckets[who], self.last[who], self.nu[who], self.numbers[who] = Model(0, 0), 0, 0, 0

    def _piece(self, who):
        packet = self.queues[who][0]
        pieces = self.pieces.get(who) or sndcp.encode(packet.octets, 5, self.numbers[who] % 4096, N201_U)
        return packet, pieces[0]

    def _ready(self, who):
        packet, piece = self._piece(who)
        room = self.buckets[who].earliest(len(piece) + 6)
        cell = self.cell.earliest(len(piece) + 6)
        room, cell = (STUCK_NS if at_ns is None else at_ns for at_ns in (room, cell))
        head = max(packet.time_ns, self.last[who])
        ready = max(head, room, self.prev_ns)
        bound = "bvc" if cell > ready else "ms" if room > max(head, self.prev_ns) else "head"
        return min(ready, self._dies_ns(who)), (who - self.turn) % 100, max(ready, cell, self.free_ns), bound, who

    def _dies_ns(self, who):
        """The last instant at which the head of a queue may leave; in service it may use up the BSS's share too."""
        share_ns = 0 if self.pieces.get(who) else 10**7
        deleted_ns = self.scene.deletes_ns.get(who, STUCK_NS)
        if self.scene.lifetime_ns is None:
            return deleted_ns
        return min(self.queues[who][0].time_ns + self.scene.lifetime_ns - share_ns, deleted_ns)

    def _drop(self, who):
        self.free_ns = max(self.free_ns, self._dies_ns(who))
        self.scene.dropped.append(self.queues[who].pop(0))
        self.pieces.pop(who, None)

    def run(self):
        while any(self.queues.values()):
            best = min(self._ready(who) for who in self.queues if self.queues[who])
            dies_ns = self._dies_ns(best[4])
            if self.changes and self.changes[0].apply_ns <= min(best[2], dies_ns):
                self._apply(self.changes.pop(0))
            elif min(best[2], dies_ns) >= STUCK_NS:
                return
            elif best[2] > dies_ns:
                self._drop(best[4])
            else:
                self._send(*best[2:])

    def _apply(self, change):
        now_ns = change.apply_ns
        if change.who is not None:
            self.own.add(change.who)
            self.buckets[change.who].change(change.size, change.rate_bps, now_ns)
            return
        self.cell.change(change.size, change.rate_bps, now_ns)
        for who, bucket in self.buckets.items():
            if who not in self.own:
                bucket.change(change.ms_size, change.ms_rate_bps, now_ns)

    def _send(self, time_ns, bound, who):
        packet, piece = self._piece(who)
        if who not in self.pieces:
            self.pieces[who] = sndcp.encode(packet.octets, 5, self.numbers[who] % 4096, N201_U)
            self.numbers[who] += 1
        self.pieces[who].pop(0)
        if not self.pieces[who]:
            del self.pieces[who]
            self.queues[who].pop(0)
        lifetime_ns = self.scene.lifetime_ns
        left_cs = 0xFFFF if lifetime_ns is None else (lifetime_ns - time_ns + packet.time_ns) // 10**7
        departure = Departure(time_ns, who, piece, packet.time_ns, bound, self.nu[who], packet, left_cs)
        self.nu[who] = (self.nu[who] + 1) % 512
        self.scene.seal(departure)
        self.scene.departures.append(departure)
        self.cell.take(departure.octets, time_ns)
        self.buckets[who].take(departure.octets, time_ns)
        self.prev_ns = self.last[who] = time_ns
        self.turn = who + 1


def inner(destination, size, number):
    """An inner packet that no other packet equals."""
    return writer.ipv4("10.46.0.1", destination, struct.pack(">I", number) + bytes(size - 24), 253)


def g_pdu(teid, packet, sequence, form):
    """form 0: no option, 1: sequence number, 2: with an extension header, 3: flags for an N-PDU number."""
    flags, option = ((0x30, b""), (0x32, struct.pack(">HBB", sequence, 0, 0)),
                     (0x36, struct.pack(">HBB", sequence, 0, 0xC0) + b"\1\1\0\0"),
                     (0x31, struct.pack(">HBB", 0xBEEF, 7, 0xC0)))[form]
    return struct.pack(">BBHI", flags, 255, len(option) + len(packet), teid) + option + packet


def create_pdp_context(who, address):
    """Request and response octets of one session."""
    sgsn, ggsn = (b"\x85\0\4" + writer.address(text) for text in (SGSN_GN, GGSN))
    asked = b"\x02" + bytes(8) + struct.pack(">BIBIBB", 16, who + 1, 17, who + 1, 20, 5) + sgsn + sgsn
    answered = b"\x01\x80" + struct.pack(">BIBI", 16, who + 0x200, 17, who + 0x100)
    answered += b"\x80\0\6\xf1\x21" + writer.address(address) + ggsn + ggsn
    return (struct.pack(">BBHIHBB", 0x32, kind, len(body) + 4, 0, who, 0, 0) + body for kind, body in ((16, asked), (17, answered)))


def delete_pdp_context(who):
    """Request and response octets of its end."""
    asked, answered = b"\x13\xff\x14\x05", b"\x01\x80"
    return (struct.pack(">BBHIHBB", 0x32, kind, len(body) + 4, teid, 0x1000 + who, 0, 0) + body
            for kind, teid, body in ((20, who + 0x100, asked), (21, who + 0x200, answered)))


def exchange(time_ns, messages):
    """A request of the SGSN and, half a microsecond later, the GGSN's answer."""
    asked, answered = messages
    return [(time_ns, writer.frame((SGSN_GN, 2123), (GGSN, 2123), asked)),
            (time_ns + 500, writer.frame((GGSN, 2123), (SGSN_GN, 2123), answered))]


def ns_unitdata(bvci, pdu):
    return struct.pack(">BBH", 0, 0, bvci) + pdu


def up(payload):
    return writer.frame(BSS, SGSN, payload)


def down(payload):
    return writer.frame(SGSN, BSS, payload)


def dl_unitdata(tlli, llc_pdu, lifetime_cs, bvci=BVCI):
    body = struct.pack(">BI", 0, tlli) + b"\0\0\x20" + bssgp.tlv(0x16, struct.pack(">H", lifetime_cs)) + bssgp.tlv(0x0E, llc_pdu)
    return ns_unitdata(bvci, body)


def elements(kind, *pairs):
    """A BSSGP PDU of (IEI, struct format, value) elements."""
    return bytes([kind]) + b"".join(bssgp.tlv(code, struct.pack(">" + form, value)) for code, form, value in pairs)


def flow_control(scene, change):
    rows = [(0x1E, "B", change.tag), (5 if change.who is None else 0x12, "H", change.size // 100), (3, "H", change.rate_bps // 100)]
    if change.who is None:
        rows += [(1, "H", change.ms_size // 100), (0x1C, "H", change.ms_rate_bps // 100)]
        return ns_unitdata(BVCI, elements(0x26, *rows))
    return ns_unitdata(BVCI, elements(0x28, (0x1F, "I", scene.tlli(change.who)), *rows))


def acknowledgement(scene, change):
    if change.who is None:
        return ns_unitdata(BVCI, elements(0x27, (0x1E, "B", change.tag)))
    return ns_unitdata(BVCI, elements(0x29, (0x1F, "I", scene.tlli(change.who)), (0x1E, "B", change.tag)))
