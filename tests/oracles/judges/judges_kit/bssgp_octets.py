# SPDX-License-Identifier: BSD-3-Clause
"""What can be wrong with a BSSGP PDU beyond its elements' lengths, for the rows of faults of either judge."""
from judges_kit.shapes import BSSGP, shape_of

PAGING, UPDATE_ACK, RADIO_STATUS, FLUSH_ACK = (0x06, 0x07), 0x09, 0x0A, 0x2B
BVCI, IMSI, CAPABILITY, CAPABILITY_CAUSE, FLUSH_ACTION, PFCS = 0x04, 0x0D, 0x13, 0x1A, 0x0C, 0x52
AREAS, NAMES, PLMNS = (0x04, 0x10, 0x1B, 0x02), (0x1F, 0x20, 0x0D), (0x08, 0x10, 0x1B, 0x9B)
MOST_FLOWS, FLOW_OCTETS = 11, 5


def shape(case):
    return shape_of(BSSGP, case.octets)


def first(found, kind):
    return (found.values(kind) or [b""])[0]


def digits(value):
    """Digits of an IMSI, as many half octets as the parity bit says, of at most eight octets."""
    value = value[:8]
    halves = [value[0] >> 4] + [half for octet in value[1:] for half in (octet & 15, octet >> 4)]
    return halves[:2 * len(value) - (1 if value[0] & 8 else 2)]


def imsis(found):
    return [value for value in found.values(IMSI) if len(value) >= 3]


def has_wrong_imsi(found):
    return any(digit > 9 for value in imsis(found) for digit in digits(value))


def has_wrong_plmn(found):
    """Digits that are none, but for the filler that makes a network code of two digits."""
    return any(half > 9 for kind in PLMNS for value in found.values(kind) if len(value) >= 3
               for half in (value[0] & 15, value[0] >> 4, value[1] & 15, value[2] & 15, value[2] >> 4,
                            0 if value[1] >> 4 == 15 else value[1] >> 4))


def has_wrong_flows(found):
    """A number of flows that is too high, or contradicts the length."""
    return any(value[0] > MOST_FLOWS or len(value) - 1 not in (FLOW_OCTETS * value[0], (FLOW_OCTETS + 1) * value[0])
               for value in found.values(PFCS) if value)


def breaks_rule(case):
    """Not exactly one of a list, or a condition on another element."""
    found, kind = shape(case), case.octets[0]
    one_of = {**dict.fromkeys(PAGING, AREAS), RADIO_STATUS: NAMES}.get(kind)
    if one_of and sum(bool(found.values(one)) for one in one_of) != 1:
        return True
    if kind == FLUSH_ACK:
        return first(found, FLUSH_ACTION)[:1] == b"\1" and not found.values(BVCI)
    return kind == UPDATE_ACK and first(found, CAPABILITY_CAUSE)[:1] == b"\0" and not found.values(CAPABILITY)
