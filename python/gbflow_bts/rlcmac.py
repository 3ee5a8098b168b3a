# SPDX-License-Identifier: BSD-3-Clause
"""RLC/MAC blocks (TS 44.060) and immediate assignments (TS 44.018) of a GPRS mobile. A scheme is 1 to 4 for CS-1 to
CS-4, MCS_1 to MCS_1 + 8 for MCS-1 to MCS-9, whose blocks egprs.py has.
"""
from dataclasses import dataclass

from gbflow_bts.bits import BitReader, BitWriter

FRAMES = 2715648  # frame numbers of a hyperframe
STARTS = (0, 4, 8, 13, 17, 21, 26, 30, 34, 39, 43, 47)
BLOCK_OCTETS = {1: 23, 2: 34, 3: 40, 4: 54}
UNIT_OCTETS = {1: 20, 2: 30, 3: 36, 4: 50}  # what is left for LLC data and its length indicators
SCHEME_OF = {octets: scheme for scheme, octets in BLOCK_OCTETS.items()}
SLOTS = 8
WINDOW, MODULUS = 64, 128
MCS_1 = 11
CHANNEL_REQUEST_BITS = 4 + 2 + 1 + 1 + 16
NOBODY = 7  # a USF
DOWN_ASSIGNMENT, UP_ACK, UP_ASSIGNMENT = 0x02, 0x09, 0x0A  # message types
CONTROL_ACK, DOWN_ACK = 0x01, 0x02
C_VALUE = 20


def next_block(frame):
    """The block that begins after the one that begins at `frame`."""
    place = STARTS.index(frame % 52) + 1
    return (frame - frame % 52 + (STARTS[place] if place < len(STARTS) else 52)) % FRAMES


@dataclass(slots=True)
class Header:
    """The first octet of a downlink block. poll_frame: where the answer is due, or None."""
    is_control: bool
    usf: int
    poll_frame: int | None


def poll_frame(frame, rrbp):
    """Where the answer is due."""
    due = frame + (13, 17, 21, 26)[rrbp]
    while due % 13 not in (0, 4, 8):
        due += 1
    return due % FRAMES


def header(octets, frame):
    first = octets[0]
    return Header(first >> 6 == 1, first & 7, poll_frame(frame, first >> 4 & 3) if first & 8 else None)


@dataclass(slots=True)
class DataUnit:
    """A downlink data block; pieces are (octets, ends here) in order."""
    tfi: int
    final: bool
    bsn: int
    pieces: list


def data_unit(octets):
    unit = octets[3:3 + UNIT_OCTETS[SCHEME_OF[len(octets)]]]
    tfi, final, bsn, has_lengths = octets[1] >> 1 & 31, bool(octets[1] & 1), octets[2] >> 1, not octets[2] & 1
    lengths, at = [], 0
    while has_lengths:
        lengths.append((unit[at] >> 2, unit[at] >> 1 & 1))
        has_lengths = not unit[at] & 1
        at += 1
    pieces, more = [], True
    for size, more in lengths:
        if size == 0:
            more = True
            continue
        pieces.append((unit[at:at + size], True))
        at += size
    if more and at < len(unit):
        pieces.append((unit[at:], final))
    return DataUnit(tfi, final, bsn, pieces)


@dataclass(slots=True)
class Immediate:
    """An immediate assignment: one timeslot, one TFI; tlli for downlink, usf and reference (RA, T1',
    T3, T2) for uplink."""
    slot: int
    tfi: int
    tlli: int | None = None
    usf: int | None = None
    reference: tuple | None = None
    scheme: int | None = None


def immediate(octets):
    """An Immediate, or None for what is no such assignment of one block after another."""
    if octets[2] != 0x3F or not octets[3] & 0x10:
        return None
    slot, rest = octets[4] & 7, BitReader(octets, 8 * (1 + (octets[0] >> 2)))
    kind = rest.take(4)
    if kind == 0b1101:
        tlli = rest.take(32)
        return Immediate(slot, rest.take(5), tlli=tlli) if rest.take(1) else None
    if kind != 0b1100 or not rest.take(1):
        return None
    tfi = rest.take(5)
    rest.take(2)
    usf = rest.take(3)
    rest.take(1)
    rest.optional(4)
    times, scheme = octets[8] << 8 | octets[9], 1 + rest.take(2)
    return Immediate(slot, tfi, usf=usf, reference=(octets[7], times >> 11, times >> 5 & 63, times & 31), scheme=scheme)


def identity(octets):
    """A mobile identity (TS 24.008 clause 10.5.1.4): the IMSI's digits, a P-TMSI as a number, or None."""
    kind = octets[0] & 7 if octets else 0
    if kind == 4 and len(octets) == 5:
        return int.from_bytes(octets[1:], "big")
    if kind != 1:
        return None
    digits = [octets[0] >> 4] + [half for octet in octets[1:] for half in (octet & 15, octet >> 4)]
    return "".join(str(digit) for digit in digits if digit < 10)


def paged(octets):
    """Whom a PAGING REQUEST TYPE 1 calls first, as identity() has it; None for another message."""
    return identity(octets[5:5 + octets[4]]) if octets[2] == 0x21 else None


def reference_of(access, frame):
    return access, frame // 1326 % 32, frame % 51, frame % 26


@dataclass(slots=True)
class Assignment:
    """PACKET DOWNLINK or UPLINK ASSIGNMENT. whom: ("tlli", TLLI), ("down", TFI) or ("up", TFI). slots: none,
    as before; of an uplink one its USFs are those of usfs."""
    is_down: bool
    whom: tuple
    tfi: int | None
    slots: tuple = ()
    usfs: tuple = ()
    scheme: int | None = None


def _whom(bits):
    if not bits.take(1):
        direction = "down" if bits.take(1) else "up"
        return direction, bits.take(5)
    if bits.take(1):
        raise ValueError("an address of another kind")
    return "tlli", bits.take(32)


def _skip_timing(bits):
    bits.optional(6)
    bits.optional(4, 3)


def down_assignment(octets):
    bits = BitReader(octets, 16)
    bits.optional(4, 4, 4, 4)
    whom = _whom(bits)
    bits.take(1 + 2 + 1 + 1)
    slots = bits.take(8)
    _skip_timing(bits)
    bits.optional(6)
    bits.optional(3, 2, 10)
    tfi = bits.optional(5)
    return Assignment(True, whom, tfi[0] if tfi else None, tuple(i for i in range(SLOTS) if slots & 0x80 >> i))


def _gprs_up(bits):
    """The scheme."""
    scheme = 1 + bits.take(2)
    bits.take(1)
    _skip_timing(bits)
    return scheme


def _egprs_up(bits):
    """The same."""
    bits.take(2)
    bits.optional(32)
    if bits.take(1):
        raise ValueError("a mobile allocation of its own")
    scheme = MCS_1 + bits.take(4)
    bits.take(1 + 5)
    while bits.take(1):
        bits.take(4)
    bits.take(1 + 1)
    bits.optional(4)
    _skip_timing(bits)
    bits.optional(2)
    return scheme


def up_assignment(octets):
    bits = BitReader(octets, 16)
    bits.optional(4, 4, 4, 4)
    whom = _whom(bits)
    scheme = _egprs_up(bits) if bits.take(1) else _gprs_up(bits)
    bits.optional(3, 2, 10)
    if bits.take(2) != 0b01:
        raise ValueError("no dynamic allocation")
    bits.take(1)
    bits.optional(5)
    bits.take(1)
    tfi = bits.optional(5)
    bits.optional(8)
    bits.optional(16)
    if bits.take(1):
        bits.take(4)
        usfs = [bits.optional(3, 5) for _ in range(SLOTS)]
    else:
        usfs = [bits.optional(3) for _ in range(SLOTS)]
    slots = tuple(i for i, usf in enumerate(usfs) if usf)
    return Assignment(False, whom, tfi[0] if tfi else None, slots, tuple(usfs[slot][0] for slot in slots), scheme)


@dataclass(slots=True)
class UpAck:
    """PACKET UPLINK ACK/NACK; received: the BSNs among the last 64 before ssn, which is behind the last one."""
    tfi: int
    scheme: int
    final: bool
    ssn: int
    received: set
    tlli: int | None


def up_ack(octets):
    bits = BitReader(octets, 18)
    tfi = bits.take(5)
    if bits.take(1):
        return _egprs_ack(bits, tfi)
    scheme, final, ssn, bitmap = 1 + bits.take(2), bool(bits.take(1)), bits.take(7), bits.take(WINDOW)
    received = {(ssn - 1 - i) % MODULUS for i in range(WINDOW) if bitmap >> i & 1}
    tlli = bits.optional(32)
    return UpAck(tfi, scheme, final, ssn, received, tlli[0] if tlli else None)


EGPRS_MODULUS = 2048


def _egprs_ack(bits, tfi):
    """Its bitmap begins at the starting number, with the newest block first; all before that are received."""
    bits.take(2)
    scheme = MCS_1 + bits.take(4)
    bits.take(1 + 1 + 1 + 1)
    tlli = bits.optional(32)
    bits.take(1)
    if bits.take(1):
        _skip_timing(bits)
    bits.take(3 + 1)
    size = bits.take(8) - 15
    final, _, _, first, is_coded = [bits.take(width) for width in (1, 1, 1, 11, 1)]
    size = 0 if is_coded else size
    received = {(first - 2 - i) % EGPRS_MODULUS for i in range(WINDOW)}
    received |= {(first + size - 1 - i) % EGPRS_MODULUS for i in range(size) if bits.take(1)}
    return UpAck(tfi, scheme, bool(final), (first + size if size else first - 1) % EGPRS_MODULUS, received,
                 tlli[0] if tlli else None)


def message_type(octets):
    return octets[1] >> 2


# --- uplink


def control_ack(tlli):
    return BitWriter().put(0x40, 8).put(CONTROL_ACK, 6).put(tlli, 32).put(3, 2).octets()


def down_ack(tfi, final, window, wants_uplink):
    """PACKET DOWNLINK ACK/NACK; window = (SSN, bitmap whose last bit is BSN SSN - 1)."""
    bits = BitWriter().put(0x40, 8).put(DOWN_ACK, 6).put(tfi,
                                                         5).put(int(final), 1).put(window[0], 7).put(window[1], WINDOW)
    bits.put(int(wants_uplink), 1)
    if wants_uplink:
        bits.put(0, CHANNEL_REQUEST_BITS)
    return bits.put(C_VALUE, 6).put(0, 3 + 6 + 8).octets()


def up_block(scheme, head, bsn, lengths, content):
    """An uplink data block: head = (countdown, TFI, TLLI or None); lengths: (octets, more, extension)."""
    countdown, tfi, tlli = head
    octets = bytes((countdown << 2, tfi << 1 | (tlli is not None), bsn << 1 | (not lengths)))
    octets += bytes(size << 2 | more << 1 | extension for size, more, extension in lengths)
    octets += (tlli.to_bytes(4, "big") if tlli is not None else b"") + content
    return octets.ljust(3 + UNIT_OCTETS[scheme], b"\x2b").ljust(BLOCK_OCTETS[scheme], b"\0")
