# SPDX-License-Identifier: BSD-3-Clause
"""LLC frames taken apart before anything is deciphered (TS 44.064 clauses 5, 6)."""
from dataclasses import dataclass

from gb_oracle.llc import N202_OCTETS, fcs

RESERVED_SAPIS = frozenset((0, 4, 6, 10, 12, 13, 14, 15))
USER_SAPIS = frozenset((3, 5, 9, 11))
XID, XID_IOV_UI, XID_RESET = 0xB, 1, 12


class Dropped(Exception):
    """A receiver discards this frame; the text says why."""


@dataclass(slots=True)
class Ui:
    """A UI frame; tail = information and FCS, ciphered when `ciphered`."""
    sapi: int
    command: bool
    nu: int
    ciphered: bool
    protected: bool
    header: bytes
    tail: bytes


@dataclass(slots=True)
class Unnumbered:
    """A U frame; kind = bits M4 to M1."""
    sapi: int
    command: bool
    kind: int
    poll: bool
    info: bytes


def decode(octets, down):
    """A Ui or an Unnumbered, None for I and S frames; raises Dropped."""
    if len(octets) < 5:
        raise Dropped(f"frame of {len(octets)} octets")
    address, control = octets[0], octets[1]
    if address & 0x80:
        raise Dropped("protocol discriminator 1")
    sapi, command = address & 15, bool(address & 0x40) == down
    if sapi in RESERVED_SAPIS:
        raise Dropped(f"reserved SAPI {sapi}")
    if control & 0xE0 == 0xE0:
        check(octets[:-3], octets[-3:])
        return Unnumbered(sapi, command, control & 15, bool(control & 0x10), octets[2:-3])
    if control & 0xE0 != 0xC0:
        return None
    if len(octets) < 6:
        raise Dropped(f"UI frame of {len(octets)} octets")
    return Ui(sapi, command, (control & 7) << 6 | octets[2] >> 2, bool(octets[2] & 2), bool(octets[2] & 1),
              octets[:3], octets[3:])


def check(covered, found):
    if fcs(covered) != int.from_bytes(found, "little"):
        raise Dropped("FCS is wrong")


def information(ui, tail):
    """The information field of a UI frame whose tail is in clear; raises Dropped when the FCS is wrong."""
    info = tail[:-3]
    check(ui.header + (info if ui.protected else info[:N202_OCTETS]), tail[-3:])
    return info


def xid_items(info):
    """[(type, value)] of an XID information field; raises Dropped when an item overruns it."""
    items, at = [], 0
    while at < len(info):
        head, start = info[at], at + 1
        size = head & 3
        if head & 0x80:
            if start >= len(info):
                raise Dropped("XID item is cut")
            size, start = size << 6 | info[start] >> 2, start + 1
        if start + size > len(info):
            raise Dropped("XID item overruns the field")
        items.append((head >> 2 & 31, info[start:start + size]))
        at = start + size
    return items
