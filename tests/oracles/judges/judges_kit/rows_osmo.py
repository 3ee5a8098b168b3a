# SPDX-License-Identifier: BSD-3-Clause
"""Faults of libosmocore about NS and BSSGP."""
from judges_kit import bssgp_octets, rows_ns
from judges_kit.case import VERDICT
from judges_kit.faults import row

JUDGE, NS_KINDS = "libosmocore", ("ns", "sns")
LLC_PDU, OCTETS_AFFECTED, FLUSH_ACK, UNITDATA = 0x0E, 0x25, 0x2B, (0x00, 0x01)
REJECT, OVERLOAD, TIME_UNTIL_PAGING, PRIORITY_CLASS = 0x11, 0x42, 0x93, 0x8F
# It wants more octets of the first, fewer of the second than the clause.
LONGER, SHORTER = (0x0B, 0x26, 0x27, 0x3A, 0x52, 0x9A), (0x0D, 0x13, 0x14, 0x15, 0x24)


def has_short(found):
    """Any element that BSSGP knows, and is too short, whether this PDU has it or not."""
    return any(len(value) < found.protocol.least[kind] for kind, value in found.elements if kind in found.protocol.least)


@row("OSMO-1", JUDGE, *NS_KINDS)
def unknown_type(case):
    return {VERDICT} if not rows_ns.shape(case).is_known else ()


@row("OSMO-2", JUDGE, *NS_KINDS)
def mandatory(case):
    found = rows_ns.shape(case)
    return {VERDICT} if case.theirs.is_good and (found.missing() or found.short("MC") or found.lacks_fixed) else ()


@row("OSMO-3", JUDGE, *NS_KINDS)
def unblock(case):
    return rows_ns.unblock(case)


@row("OSMO-4", JUDGE, *NS_KINDS)
def endpoints(case):
    return rows_ns.endpoints(case)


@row("OSMO-5", JUDGE, *NS_KINDS)
def last_is_cut(case):
    return {VERDICT} if case.ours.is_good and rows_ns.shape(case).cut is not None else ()


@row("OSMO-6", JUDGE, "bssgp")
def last_of_bssgp_is_cut(case):
    return {VERDICT} if case.ours.is_good and bssgp_octets.shape(case).cut is not None else ()


@row("OSMO-7", JUDGE, "bssgp")
def known_by_type(case):
    found = bssgp_octets.shape(case)
    return {VERDICT} if found.is_known and not found.wanted else ()


@row("OSMO-8", JUDGE, "bssgp")
def asks_for_less(case):
    found, kind = bssgp_octets.shape(case), case.octets[0]
    missing, short = found.missing(), found.short("MC")
    less = (LLC_PDU in missing and kind in UNITDATA) or (OCTETS_AFFECTED in missing and kind == FLUSH_ACK)
    less = less or any(kind in SHORTER or len(found.values(kind)) > 1 for kind in short)
    return {VERDICT} if less and case.theirs.is_good else ()


@row("OSMO-9", JUDGE, "bssgp")
def asks_for_more(case):
    found, kind = bssgp_octets.shape(case), case.octets[0]
    more = {REJECT: TIME_UNTIL_PAGING, OVERLOAD: PRIORITY_CLASS}.get(kind)
    lacks = more is not None and not found.values(more)
    return {VERDICT, "cause"} if lacks and case.theirs.verdict == "missing" else ()


@row("OSMO-10", JUDGE, "bssgp")
def asks_for_longer(case):
    found = bssgp_octets.shape(case)
    return {VERDICT} if case.theirs.verdict == "short" and any(found.values(kind) for kind in LONGER) else ()


@row("OSMO-11", JUDGE, "bssgp")
def short_optional(case):
    found = bssgp_octets.shape(case)
    is_about_others = case.theirs.verdict == "short" and not found.short("MC")
    covered = {VERDICT, "cause"} if is_about_others else set()
    return covered | ({"absent", "elements"} if has_short(found) else set())


@row("OSMO-12", JUDGE, "bssgp")
def rules(case):
    return {VERDICT} if bssgp_octets.breaks_rule(case) and case.theirs.is_good else ()


@row("OSMO-13", JUDGE, "bssgp")
def values(case):
    found = bssgp_octets.shape(case)
    wrong = (bssgp_octets.has_wrong_imsi(found) or bssgp_octets.has_wrong_plmn(found) or bssgp_octets.has_wrong_flows(found))
    return case.differing if wrong else ()


@row("OSMO-14", JUDGE, "bssgp")
def several_faults(case):
    found = bssgp_octets.shape(case)
    count = bool(found.missing()) + has_short(found) + bssgp_octets.breaks_rule(case) + (found.cut is not None)
    return {"cause"} if count > 1 else ()
