# SPDX-License-Identifier: BSD-3-Clause
"""NS (TS 48.016) and BSSGP (TS 48.018) on the wire, as far as a proxy reads them: headers, and the elements of
signalling; no LLC-PDU."""

from collections.abc import Iterator

NS_UNITDATA, NS_RESET, NS_RESET_ACK, NS_BLOCK, NS_BLOCK_ACK, NS_UNBLOCK, NS_UNBLOCK_ACK = 0, 2, 3, 4, 5, 6, 7
NS_ALIVE, NS_ALIVE_ACK = 10, 11
SNS_ACK, SNS_ADD, SNS_CHANGEWEIGHT, SNS_CONFIG, SNS_CONFIG_ACK, SNS_DELETE, SNS_SIZE, SNS_SIZE_ACK = range(12, 20)
NS_HEADER = 4  # octets of NS-UNITDATA before the BSSGP PDU: type, control bits, BVCI
NS_CAUSE, NS_VCI, NS_EI, IP4_LIST, IP6_LIST = 0, 1, 4, 5, 6  # elements

DL_UNITDATA, UL_UNITDATA, PAGING_PS, PAGING_CS = 0x00, 0x01, 0x06, 0x07
RADIO_STATUS, SUSPEND, SUSPEND_ACK, SUSPEND_NACK, RESUME, RESUME_ACK, RESUME_NACK = range(0x0A, 0x11)
PAGING_PS_REJECT, DUMMY_PAGING_PS, DUMMY_PAGING_PS_RESPONSE = 0x11, 0x12, 0x13
BVC_BLOCK, BVC_BLOCK_ACK, BVC_RESET, BVC_RESET_ACK, BVC_UNBLOCK, BVC_UNBLOCK_ACK = range(0x20, 0x26)
FC_BVC, FC_BVC_ACK, FLUSH_LL, FLUSH_LL_ACK, LLC_DISCARDED = 0x26, 0x27, 0x2A, 0x2B, 0x2C
INVOKE_TRACE, STATUS, OVERLOAD = 0x40, 0x41, 0x42
RAN_INFORMATION = range(0x70, 0x75)

BSS_AREA, LEAK_RATE, BVCI, BVC_BUCKET, CAUSE, CELL_ID, IMSI = 0x02, 0x03, 0x04, 0x05, 0x07, 0x08, 0x0D
LOCATION_AREA, PDU_IN_ERROR, ROUTEING_AREA, TAG, TLLI, TMSI, RIM_ROUTING = 0x10, 0x15, 0x1B, 0x1E, 0x1F, 0x20, 0x54
NO_FEATURES = bytes.fromhex("3b8100698100")  # Feature Bitmap, Extended Feature Bitmap
EQUIPMENT_FAILURE, BVCI_UNKNOWN, OM_INTERVENTION, BVCI_BLOCKED = 0x01, 0x05, 0x08, 0x09  # causes

SIGNALLING, FIRST_PTP = 0, 2  # BVCIs; 1 is PTM
CELL_ID_OCTETS, ROUTEING_AREA_OCTETS, LOCATION_AREA_OCTETS = 8, 6, 5  # the later ones are the beginning of the first
LONGEST_STATUS = 200  # octets of a PDU that a STATUS repeats


class Malformed(Exception):
    """The octets are no such PDU."""


def spans(octets: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """Each element from `at` on: IEI, where its value begins and ends."""
    while at < len(octets):
        if at + 2 > len(octets):
            raise Malformed(f"element at {at} is cut")
        iei, size, start = octets[at], octets[at + 1], at + 2
        if size & 0x80:
            size &= 0x7F
        elif start < len(octets):
            size, start = size << 8 | octets[start], start + 1
        else:
            raise Malformed(f"length of element {iei:#04x} is cut")
        at = start + size
        if at > len(octets):
            raise Malformed(f"element {iei:#04x} overruns the PDU")
        yield iei, start, at


def elements(octets: bytes, at: int = 1) -> dict[int, bytes]:
    """The first value of each IEI."""
    found: dict[int, bytes] = {}
    for iei, start, end in spans(octets, at):
        found.setdefault(iei, octets[start:end])
    return found


def number(found: dict[int, bytes], iei: int, octets: int) -> int:
    """An element of so many octets that has to be there."""
    if len(found.get(iei, b"")) != octets:
        raise Malformed(f"no element {iei:#04x} of {octets} octets")
    return int.from_bytes(found[iei], "big")


def tlv(iei: int, value: bytes) -> bytes:
    """One element in the shortest length form."""
    size = len(value)
    return bytes([iei]) + (bytes([0x80 | size]) if size < 128 else size.to_bytes(2, "big")) + value


def octets_of(value: int) -> bytes:
    return value.to_bytes(2, "big")


def ns_unitdata(bvci: int, pdu: bytes) -> bytes:
    return bytes([NS_UNITDATA, 0]) + octets_of(bvci) + pdu


def of_bvc(kind: int, bvci: int, *more: bytes) -> bytes:
    """A BSSGP PDU whose first element names a BVC."""
    return bytes([kind]) + tlv(BVCI, octets_of(bvci)) + b"".join(more)


def cause(value: int) -> bytes:
    return tlv(CAUSE, bytes([value]))


def of_reset(bvci: int, cell_id: bytes) -> bytes:
    """Of the signalling BVC no features, of a cell its Cell Identifier."""
    return NO_FEATURES if bvci == SIGNALLING else tlv(CELL_ID, cell_id)


def bvc_reset(bvci: int, cell_id: bytes = b"") -> bytes:
    return of_bvc(BVC_RESET, bvci, cause(OM_INTERVENTION), of_reset(bvci, cell_id))


def bvc_reset_ack(bvci: int, cell_id: bytes = b"") -> bytes:
    return of_bvc(BVC_RESET_ACK, bvci, of_reset(bvci, cell_id))


def status(value: int, bvci: int, pdu: bytes) -> bytes:
    """What answers a PDU of a BVC that is not there, or blocked (TS 48.018 clause 9)."""
    return bytes([STATUS]) + cause(value) + tlv(BVCI, octets_of(bvci)) + tlv(PDU_IN_ERROR, pdu[:LONGEST_STATUS])


def scaled(pdu: bytes, percent: int) -> bytes:
    """A FLOW-CONTROL-BVC with so much of its bucket and rate; a cell that gives something gives at least one unit."""
    out = bytearray(pdu)
    for iei, start, end in spans(pdu, 1):
        if iei in (BVC_BUCKET, LEAK_RATE) and end - start == 2:
            value = int.from_bytes(pdu[start:end], "big")
            out[start:end] = octets_of(min(value, max(1, value * percent // 100)))
    return bytes(out)
