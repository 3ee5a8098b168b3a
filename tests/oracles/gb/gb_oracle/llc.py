# SPDX-License-Identifier: BSD-3-Clause
"""LLC frames (TS 44.064 clauses 5, 6): address, UI control field, FCS."""
from dataclasses import dataclass

N202_OCTETS = 4
POLYNOMIAL = 0xAD85DD
RESET = 0x30  # type 12 of XID, without octets


def _table():
    rows = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (POLYNOMIAL if value & 1 else 0)
        rows.append(value)
    return rows


TABLE = _table()


def fcs(octets):
    """The 24-bit frame check sequence over octets, as an integer."""
    crc = 0xFFFFFF
    for octet in octets:
        crc = crc >> 8 ^ TABLE[(crc ^ octet) & 255]
    return crc ^ 0xFFFFFF


@dataclass(slots=True)
class Llc:
    """A decoded frame; nu is None for other than UI frames; fault names a wrong header bit."""
    sapi: int
    nu: int | None
    ciphered: bool
    info: bytes
    fcs_good: bool
    fault: str | None


def decode(octets, command_bit):
    """An Llc, or None when the octets are too few; command_bit is C/R of a command in this direction."""
    if len(octets) < 5:
        return None
    address, control = octets[0], octets[1]
    fault = "protocol discriminator" if address & 0x80 else "spare address bits" if address & 0x30 else None
    covered, found = octets[:-3], int.from_bytes(octets[-3:], "little")
    if control & 0xE0 != 0xC0:
        return Llc(address & 15, None, False, b"", fcs(covered) == found, fault)
    if len(octets) < 6:
        return None
    nu, ciphered, protected = (control & 7) << 6 | octets[2] >> 2, bool(octets[2] & 2), octets[2] & 1
    if fault is None and bool(address & 0x40) != command_bit:
        fault = "C/R bit"
    if fault is None and control & 0x18:
        fault = "spare control bits"
    good = fcs(covered if protected else covered[:3 + N202_OCTETS]) == found
    return Llc(address & 15, nu, ciphered, octets[3:-3], good, fault)


def is_reset(octets):
    """Whether a whole frame of the network is an XID command on SAPI 1 that begins with Reset (44.064 8.5.3.1)."""
    return octets[:2] == b"\x41\xfb" and RESET in octets[2:-3][:1]


def reset_done():
    """A phone's XID response to that."""
    body = b"\x41\xfb"
    return body + fcs(body).to_bytes(3, "little")


def encode_ui(sapi, nu, info, command_bit=True):
    """A UI frame in clear with PM = 1."""
    body = bytes([(0x40 if command_bit else 0) | sapi, 0xC0 | nu >> 6, (nu & 63) << 2 | 1]) + info
    return body + fcs(body).to_bytes(3, "little")
