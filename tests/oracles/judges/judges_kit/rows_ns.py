# SPDX-License-Identifier: BSD-3-Clause
"""Faults of tshark about NS and IP-SNS. Special ones stand before those that cover more."""
from judges_kit.case import VERDICT
from judges_kit.faults import row
from judges_kit.shapes import ADDRESS, NS, shape_of

STATUS, UNBLOCK, UNBLOCK_ACK, NS_PDU, IP6_ADDRESS = 0x08, 0x06, 0x07, 2, 2
LISTS = {5: 8, 6: 20}


def shape(case):
    return shape_of(NS, case.octets)


@row("NS-1", "tshark", "ns", "sns")
def unknown_type(case):
    return {VERDICT} if not shape(case).is_known else ()


@row("NS-2", "tshark", "ns", "sns")
def mandatory(case):
    found = shape(case)
    return {VERDICT} if case.theirs.is_good and (found.missing() or found.short("M") or found.lacks_fixed) else ()


@row("NS-3", "tshark", "ns")
def unblock(case):
    return {VERDICT} if case.octets[0] in (UNBLOCK, UNBLOCK_ACK) and len(case.octets) > 1 else ()


@row("NS-4", "tshark", "ns", "sns")
def endpoints(case):
    found = shape(case)
    uneven = [kind for kind, each in LISTS.items() for value in found.values(kind)[:1]
              if len(value) % each or not value]
    return {VERDICT} if uneven and case.theirs.is_good else ()


@row("NS-5", "tshark", "sns")
def address_of_version_6(case):
    lone = shape(case).values(ADDRESS)
    return {VERDICT} if lone and lone[0][0] == IP6_ADDRESS and not case.theirs.is_good else ()


@row("NS-6", "tshark", "sns")
def behind_an_address(case):
    return {"ip4_list", "ip6_list"} if shape(case).values(ADDRESS) else ()


@row("NS-7", "tshark", "ns")
def status(case):
    return case.differing if case.octets[0] == STATUS and shape(case).values(NS_PDU) else ()


@row("NS-8", "tshark", "ns", "sns")
def length(case):
    return case.differing if shape(case).unusual() else ()


@row("NS-9", "tshark", "ns", "sns")
def order(case):
    return case.differing if not shape(case).is_ordered else ()
