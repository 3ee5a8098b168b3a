# SPDX-License-Identifier: BSD-3-Clause
"""Faults of tshark about GTP."""
from judges_kit.case import VERDICT
from judges_kit.faults import row
from judges_kit.gtp_octets import CONTROL_PLANE, G_PDU, TUNNEL_STATUS, USER_PLANE, Message

# Elements that each message must have (TS 29.060 clause 7.3), as often as they stand here.
MANDATORY = {16: (16, 20, 133, 133, 135), 17: (1,), 18: (20,), 19: (1,), 20: (20,), 21: (1,)}
END_USER, IETF, IPV4, IPV6, IPV4V6 = 128, 1, 0x21, 0x57, 0x8D
ADDRESS_OCTETS = {IPV4: (0, 4), IPV6: (0, 16), IPV4V6: (20,)}
IMSI, AREA, GSN_OCTETS, QOS, MSISDN = 2, 3, (4, 16), 135, 134
# Elements with an NSAPI inside, and those that tshark takes for the end of the message.
WITH_NSAPI, UNKNOWN_TO_TSHARK = frozenset((18, 22, 25, 130, 140, 146, 175, 192, 201, 204, 213, 215)), frozenset((180, *range(225, 249)))
KNOWN_EXTENSION, REQUIRED, ERROR_INDICATION, GSN_ADDRESS = 0xC0, 0x80, 26, 133


@row("GTP-1", "tshark", "gtpu", "gtpc")
def comprehension(case):
    return {VERDICT} if any(kind & REQUIRED and kind != KNOWN_EXTENSION for kind in Message(case.octets).chain) else ()


@row("GTP-2", "tshark", "gtpu", "gtpc")
def cut(case):
    return {VERDICT} if Message(case.octets).is_cut else ()


@row("GTP-3", "tshark", "gtpu")
def empty(case):
    found = Message(case.octets)
    return {VERDICT} if found.kind == G_PDU and found.payload == b"" else ()


@row("GTP-4", "tshark", "gtpu", "gtpc")
def chain(case):
    return {VERDICT} if Message(case.octets).chain_is_broken and case.theirs.is_good else ()


@row("GTP-5", "tshark", "gtpu")
def tunnel_status(case):
    return case.differing - {VERDICT} if case.octets[1:2] == bytes([TUNNEL_STATUS]) else ()


@row("GTP-6", "tshark", "gtpu")
def not_user_plane(case):
    found = Message(case.octets)
    return {VERDICT} if found.kind not in USER_PLANE or not found.is_version_1 else ()


@row("GTP-7", "tshark", "gtpc")
def not_control_plane(case):
    found = Message(case.octets)
    return {VERDICT} if found.kind not in CONTROL_PLANE or not found.is_version_1 else ()


@row("GTP-8", "tshark", "gtpu", "gtpc")
def element_cut(case):
    return {VERDICT} if Message(case.octets).element_is_cut and case.theirs.is_good else ()


@row("GTP-9", "tshark", "gtpu", "gtpc")
def unknown_element(case):
    return case.differing if Message(case.octets).unknown is not None else ()


@row("GTP-10", "tshark", "gtpu")
def peer_address(case):
    lengths = [len(value) for value in Message(case.octets).values(GSN_ADDRESS)]
    is_other = any(length not in GSN_OCTETS for length in lengths[:1]) or len(set(lengths)) > 1
    return {"error_teid", "error_peer"} if case.octets[1] == ERROR_INDICATION and is_other else ()


def end_user_address(value):
    """True for one that says what it is and is as long as that."""
    is_ip = len(value) >= 2 and value[0] & 15 == IETF and value[1] in ADDRESS_OCTETS
    return is_ip and len(value) - 2 in ADDRESS_OCTETS[value[1]]


@row("GTP-11", "tshark", "gtpc")
def mandatory(case):
    found = Message(case.octets)
    kinds = [kind for kind, _ in found.elements]
    lacks = any(kinds.count(kind) < MANDATORY[found.kind].count(kind) for kind in MANDATORY.get(found.kind, ()))
    return {VERDICT} if lacks and case.theirs.is_good else ()


@row("GTP-12", "tshark", "gtpc")
def end_user(case):
    addresses = Message(case.octets).values(END_USER)
    odd = len(addresses) > 1 or not all(end_user_address(value) for value in addresses)
    return {"user_ipv4", "user_ipv6", VERDICT} if odd else ()


@row("GTP-13", "tshark", "gtpc")
def fields_of_other_elements(case):
    kinds = {kind for kind, _ in Message(case.octets).elements}
    covered = {"nsapi", "linked_nsapi", "teid_data", "teid_control"} if kinds & WITH_NSAPI else set()
    return covered | ({"imsi"} if MSISDN in kinds else set())


@row("GTP-14", "tshark", "gtpc", "gtpu")
def unknown_variable(case):
    return case.differing if any(kind in UNKNOWN_TO_TSHARK for kind, _ in Message(case.octets).elements) else ()


@row("GTP-15", "tshark", "gtpc")
def values_of_wrong_length(case):
    found = Message(case.octets)
    wrong = [value for value in found.values(GSN_ADDRESS) if len(value) not in GSN_OCTETS]
    wrong += [value for value in found.values(QOS) if not value]
    return {VERDICT, "control", "user"} if wrong else ()


@row("GTP-16", "tshark", "gtpu", "gtpc")
def inside(case):
    has_variable = any(kind > 127 or kind in (IMSI, AREA) for kind, _ in Message(case.octets).elements)
    return {VERDICT} if has_variable and case.theirs.verdict == "malformed" else ()
