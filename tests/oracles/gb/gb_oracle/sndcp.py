# SPDX-License-Identifier: BSD-3-Clause
"""SN-UNITDATA PDUs (TS 44.065 clause 7.2)."""
from dataclasses import dataclass


@dataclass(slots=True)
class Segment:
    """One SN-PDU; size_octets counts its header too; fault names a wrong header field."""
    nsapi: int
    first: bool
    more: bool
    index: int
    npdu: int
    data: bytes
    size_octets: int
    fault: str | None


def decode(octets):
    """A Segment, or None when the octets are too few."""
    if len(octets) < 3:
        return None
    head = octets[0]
    at = 2 if head & 0x40 else 1
    if len(octets) < at + 2:
        return None
    fault = None
    if head & 0x80:
        fault = "spare bit X is 1"
    elif not head & 0x20:
        fault = "SN-DATA in a UI frame"
    elif head & 15 < 5:
        fault = f"NSAPI {head & 15} is not for users"
    elif head & 0x40 and octets[1]:
        fault = "compression was never negotiated"
    return Segment(head & 15, bool(head & 0x40), bool(head & 0x10), octets[at] >> 4,
                   (octets[at] & 15) << 8 | octets[at + 1], octets[at + 2:], len(octets), fault)


def encode(packet, nsapi, npdu, n201_u):
    """The SN-PDUs of one packet, all but the last filled."""
    pieces, at, index = [], 0, 0
    while not pieces or at < len(packet):
        room = n201_u - (3 if pieces else 4)
        more = at + room < len(packet)
        head = bytes([0x20 | (0 if pieces else 0x40) | (0x10 if more else 0) | nsapi]) + (b"" if pieces else b"\0")
        pieces.append(head + bytes([index << 4 | npdu >> 8, npdu & 255]) + packet[at:at + room])
        at, index = at + room, index + 1
    return pieces
