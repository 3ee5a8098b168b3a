# SPDX-License-Identifier: BSD-3-Clause
"""NS (TS 48.016) and BSSGP (TS 48.018) PDUs, as far as the downlink and its flow control need them."""
import struct

NS_UNITDATA, NS_RESET, NS_RESET_ACK, NS_BLOCK, NS_BLOCK_ACK, NS_UNBLOCK, NS_UNBLOCK_ACK = 0, 2, 3, 4, 5, 6, 7
NS_KNOWN = frozenset((0, 2, 3, 4, 5, 6, 7, 8, 10, 11)) | frozenset(range(12, 20))

DL_UNITDATA, UL_UNITDATA, BVC_BLOCK, BVC_BLOCK_ACK, BVC_RESET, BVC_RESET_ACK = 0x00, 0x01, 0x20, 0x21, 0x22, 0x23
BVC_UNBLOCK, BVC_UNBLOCK_ACK, FC_BVC, FC_BVC_ACK, FC_MS, FC_MS_ACK = 0x24, 0x25, 0x26, 0x27, 0x28, 0x29
LLC_DISCARDED, FC_PFC, FC_PFC_ACK, STATUS = 0x2C, 0x2D, 0x2E, 0x41

BMAX_MS_DEFAULT, LEAK_RATE, BVCI, BVC_BUCKET, LLC_PDU, MS_BUCKET, LIFETIME = 0x01, 0x03, 0x04, 0x05, 0x0E, 0x12, 0x16
RATE_MS_DEFAULT, TAG, TLLI, OCTETS_AFFECTED, FEATURES, RATIO, GRANULARITY = 0x1C, 0x1E, 0x1F, 0x25, 0x3B, 0x3C, 0x7E

# Elements whose absence or wrong length makes a PDU useless to this judge: {PDU: {IEI: octets or None}}.
MANDATORY = {
    DL_UNITDATA: {LIFETIME: 2, LLC_PDU: None}, UL_UNITDATA: {LLC_PDU: None},
    BVC_BLOCK: {BVCI: 2}, BVC_BLOCK_ACK: {BVCI: 2}, BVC_RESET: {BVCI: 2}, BVC_RESET_ACK: {BVCI: 2},
    BVC_UNBLOCK: {BVCI: 2}, BVC_UNBLOCK_ACK: {BVCI: 2},
    FC_BVC: {TAG: 1, BVC_BUCKET: 2, LEAK_RATE: 2, BMAX_MS_DEFAULT: 2, RATE_MS_DEFAULT: 2}, FC_BVC_ACK: {TAG: 1},
    FC_MS: {TLLI: 4, TAG: 1, MS_BUCKET: 2, LEAK_RATE: 2}, FC_MS_ACK: {TLLI: 4, TAG: 1},
    LLC_DISCARDED: {TLLI: 4, BVCI: 2, OCTETS_AFFECTED: 3},
}


class Malformed(Exception):
    """The octets are no such PDU."""


def tlvs(octets, at):
    """{IEI: first value}; raises Malformed when an element overruns the PDU."""
    found = {}
    while at < len(octets):
        if at + 2 > len(octets):
            raise Malformed(f"information element at {at} is cut")
        kind, size, start = octets[at], octets[at + 1], at + 2
        if size & 0x80:
            size &= 0x7F
        elif start < len(octets):
            size, start = size << 8 | octets[start], start + 1
        else:
            raise Malformed(f"length of element {kind:#04x} is cut")
        if start + size > len(octets):
            raise Malformed(f"element {kind:#04x} overruns the PDU")
        found.setdefault(kind, octets[start:start + size])
        at = start + size
    return found


class Bssgp:
    """A BSSGP PDU: kind, tlli (fixed field of UNITDATA, else the element), elements, octets."""
    __slots__ = ("kind", "tlli", "elements", "octets")

    def __init__(self, kind, tlli, elements, octets):
        self.kind, self.tlli, self.elements, self.octets = kind, tlli, elements, octets

    def number(self, kind):
        """An element as an integer, or None."""
        value = self.elements.get(kind)
        return None if value is None else int.from_bytes(value, "big")

    def unit(self):
        """Octets or bit/s per count of sizes and rates (Flow Control Granularity)."""
        return 100 * 10 ** ((self.number(GRANULARITY) or 0) & 3)

    def scaled(self, kind):
        return self.number(kind) * self.unit()


def decode(octets):
    """A Bssgp; raises Malformed."""
    if not octets:
        raise Malformed("empty BSSGP PDU")
    kind, at, tlli = octets[0], 1, None
    if kind in (DL_UNITDATA, UL_UNITDATA):
        if len(octets) < 8:
            raise Malformed("UNITDATA is cut")
        tlli, at = struct.unpack_from(">I", octets, 1)[0], 8
    elements = tlvs(octets, at)
    for element, size in MANDATORY.get(kind, {}).items():
        if element not in elements:
            raise Malformed(f"PDU {kind:#04x} lacks element {element:#04x}")
        if size is not None and len(elements[element]) != size:
            raise Malformed(f"element {element:#04x} of PDU {kind:#04x} has {len(elements[element])} octets")
    if tlli is None and len(elements.get(TLLI, b"")) == 4:
        tlli = int.from_bytes(elements[TLLI], "big")
    return Bssgp(kind, tlli, elements, octets)


def tlv(kind, value):
    """One element in the shortest length form."""
    size = len(value)
    return bytes([kind]) + (bytes([0x80 | size]) if size < 128 else struct.pack(">H", size)) + value


def ns_nsei(octets):
    """The NSEI of an NS-RESET or NS-RESET-ACK, or None."""
    return tlvs(octets, 1).get(4)
