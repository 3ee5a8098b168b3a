# SPDX-License-Identifier: BSD-3-Clause
"""EGPRS (TS 44.060 clauses 10.3a, 12.3.1): downlink data blocks of MCS-1 to MCS-9, uplink ones of MCS-1,
and the answer to a poll.

A data block is one number, whose bit 0 is the lowest of its first octet; fields and data lie anywhere in it.
Schemes are MCS_1 to MCS_1 + 8 where those of GPRS are 1 to 4.
"""
from gbflow_bts import rlcmac
from gbflow_bts.bits import BitWriter
from gbflow_bts.rlc_down import DownTbf
from gbflow_bts.rlc_up import UpTbf

MCS_1 = rlcmac.MCS_1
MODULUS, WINDOW = 2048, 1024  # half of the numbers: at least what any window-size allows
UNIT_OCTETS = dict(enumerate((22, 28, 37, 44, 56, 74, 56, 68, 74), MCS_1))
SCHEME_OF = {octets: scheme for scheme, octets in enumerate((27, 33, 42, 49, 60, 78, 118, 142, 154), MCS_1)}
HEADER_BITS = dict(enumerate((31, 31, 31, 31, 28, 28, 40, 40, 40), MCS_1))
TWO_UNITS = MCS_1 + 6  # from this scheme on
CPS = dict(enumerate(4 * [(25, 4)] + 2 * [(25, 3)] + 3 * [(35, 5)], MCS_1))  # at, width
PADDED = {MCS_1 + 2: range(6, 9), MCS_1 + 5: range(2, 4)}  # CPS of blocks of MCS-8 that are repeated in these
PADDING_OCTETS = 6
FILLING = 127
DOWN_ACK = 0x08
UP_OCTETS, UP_HEADER_BITS, UP_CPS = 27, 33, 0b1011  # of MCS-1


def _field(number, at, width):
    return number >> at & (1 << width) - 1


def header(octets, frame):
    """A rlcmac.Header."""
    number = int.from_bytes(octets, "little")
    is_polled = _field(number, 3, 2) != 0
    poll = rlcmac.poll_frame(frame, _field(number, 5, 2)) if is_polled else None
    return rlcmac.Header(False, _field(number, 0, 3), poll)


def pieces(unit, has_lengths, final):
    """(octets, ends here) of a unit."""
    lengths, at, found = [], 0, []
    while has_lengths:
        lengths.append(unit[at] >> 1)
        has_lengths = not unit[at] & 1
        at += 1
    for size in lengths:
        if size == FILLING:
            return found
        found.append((unit[at:at + size], True))
        at += size
    return [*found, (unit[at:], final)] if at < len(unit) else found


def data_units(octets):
    """The one or two rlcmac.DataUnits of a block. Raises ValueError for half of one (SPB)."""
    scheme, number = SCHEME_OF[len(octets)], int.from_bytes(octets, "little")
    at, size, bsn = HEADER_BITS[scheme], UNIT_OCTETS[scheme], _field(number, 14, 11)
    bsns = [bsn, (bsn + _field(number, 25, 10)) % MODULUS] if scheme >= TWO_UNITS else [bsn]
    if _field(number, *CPS[scheme]) in PADDED.get(scheme, ()):
        at, size = at + 8 * PADDING_OCTETS, size - PADDING_OCTETS
    if scheme < MCS_1 + 4 and _field(number, 29, 2):
        raise ValueError("half a block")
    units = []
    for bsn in bsns:
        has_lengths, final = not _field(number, at, 1), bool(_field(number, at + 1, 1))
        unit = _field(number, at + 2, 8 * size).to_bytes(size, "little")
        units.append(rlcmac.DataUnit(_field(number, 7, 5), final, bsn, pieces(unit, has_lengths, final)))
        at += 2 + 8 * size
    return units


class EgprsDown(DownTbf):
    modulus, window_size = MODULUS, WINDOW

    def ack(self, wants_uplink):
        """EGPRS PACKET DOWNLINK ACK/NACK. Its bitmap begins behind V(Q), with the newest block first."""
        bits = BitWriter().put(0x40, 8).put(DOWN_ACK, 6).put(self.tfi, 5).put(0, 2).put(int(wants_uplink), 1)
        if wants_uplink:
            bits.put(0, rlcmac.CHANNEL_REQUEST_BITS)
        bits.put(0, 2)
        known = [number in self.ahead for number in range(self.v_q + 1, self.v_r)]
        shown = known[:bits.size - bits.at - 24]
        bits.put(1, 1).put(15 + len(shown), 8).put(int(self.is_whole()), 1).put(1, 1)
        bits.put(int(len(shown) == len(known)), 1).put((self.v_q + 1) % MODULUS, 11).put(0, 1)
        for is_there in reversed(shown):
            bits.put(int(is_there), 1)
        return bits.octets()


class EgprsUp(UpTbf):
    """All blocks are MCS-1, whatever the network commands: it may always be less."""

    modulus = MODULUS

    def __init__(self, place, tlli, queue, tick, is_lost=lambda: False):
        super().__init__(place, tlli, queue, tick, is_lost)
        self.ended_exactly = False

    def block(self, scheme):
        return super().block(MCS_1)

    def _room(self, scheme):
        return UNIT_OCTETS[scheme]

    def _fill(self, room):
        """(lengths, octets, whether the last piece has no length).
        A PDU that ended exactly with the block before has a length of 0 here."""
        sizes, content = [], b""
        if self.ended_exactly:
            sizes, room, self.ended_exactly = [0], room - 1, False
        while room > 0 and self._load():
            if len(self.rest) >= room:
                self.ended_exactly = len(self.rest) == room and bool(self.queue)
                content, self.rest = content + self.rest[:room], self.rest[room:]
                return sizes, content, True
            sizes.append(len(self.rest))
            content, room, self.rest = content + self.rest, room - len(self.rest) - 1, b""
        return sizes + [FILLING] * bool(sizes and room > 0), content, False

    def _encode(self, _scheme, head, sizes, _runs_on, content):
        countdown, tfi, tlli = head
        octets = bytes(size << 1 | (i + 1 == len(sizes)) for i, size in enumerate(sizes))
        octets += (tlli.to_bytes(4, "big") if tlli is not None else b"") + content
        octets = octets.ljust(UNIT_OCTETS[MCS_1], b"\x2b")
        number = countdown << 2 | tfi << 6 | self.sent % MODULUS << 11 | UP_CPS << 22
        number |= (not sizes) << 31 | (tlli is not None) << 32 | int.from_bytes(octets, "little") << UP_HEADER_BITS
        return number.to_bytes(UP_OCTETS, "little")
