# SPDX-License-Identifier: BSD-3-Clause
"""Faults of tshark about BSSGP. Special ones stand before those that cover more."""
from judges_kit.case import VERDICT
from judges_kit.faults import row
from judges_kit.bssgp_octets import (FLUSH_ACK, digits, has_wrong_flows, has_wrong_imsi, has_wrong_plmn, imsis, shape,
                                     breaks_rule)

REGISTRATION, FLUSH_LL, FLOW_CONTROL_PFC, INVOKE_TRACE = (0x14, 0x15), 0x2A, 0x2D, 0x40
DL_UNITDATA, PAGING_CS, MOBILE_ID, LLC_PDU, NSEI, OMC_ID, RATE = 0x00, 0x07, 0x11, 0x0E, 0x3E, 0x14, 0x03
GLOBAL_CN_ID, CHANNEL_NEEDED, SELECTED_PLMN, ATTACH = 0x53, 0x09, 0x8E, 0x9C
LEAST_DIGITS = 6  # country and network
# tshark reads on inside these; to us they are octets.
INSIDE = (0x00, 0x0A, 0x11, 0x13, 0x15, 0x26, 0x27, 0x3A, 0x92, 0x98, 0x99, 0x9A)


@row("BSSGP-1", "tshark", "bssgp")
def unknown_type(case):
    return {VERDICT} if not shape(case).is_known else ()


@row("BSSGP-2", "tshark", "bssgp")
def mandatory(case):
    found = shape(case)
    return {VERDICT} if case.theirs.is_good and (found.missing() or found.short("MC") or found.lacks_fixed) else ()


@row("BSSGP-3", "tshark", "bssgp")
def exactly_one(case):
    return {VERDICT} if breaks_rule(case) and case.theirs.is_good else ()


@row("BSSGP-4", "tshark", "bssgp")
def imsi_digits(case):
    return {VERDICT, "imsi", "ieis"} if has_wrong_imsi(shape(case)) else ()


@row("BSSGP-5", "tshark", "bssgp")
def imsi_form(case):
    odd = any(value[0] & 7 != 1 or len(value) > 8 or len(digits(value)) < LEAST_DIGITS or
              (not value[0] & 8 and value[-1] >> 4 != 15) for value in imsis(shape(case)))
    return case.differing if odd else ()


@row("BSSGP-6", "tshark", "bssgp")
def plmn_digits(case):
    return case.differing if has_wrong_plmn(shape(case)) else ()


@row("BSSGP-7", "tshark", "bssgp")
def known_by_type(case):
    found = shape(case)
    return case.differing if found.is_known and not found.wanted else ()


@row("BSSGP-8", "tshark", "bssgp")
def registration(case):
    return {"ieis", "imsi", VERDICT} if case.octets[0] in REGISTRATION else ()


@row("BSSGP-9", "tshark", "bssgp")
def omc(case):
    return {"ieis", "transaction_id"} if case.octets[0] == INVOKE_TRACE and shape(case).values(OMC_ID) else ()


@row("BSSGP-10", "tshark", "bssgp")
def rate_of_pfcs(case):
    return case.differing if case.octets[0] == FLOW_CONTROL_PFC and shape(case).values(RATE) else ()


@row("BSSGP-11", "tshark", "bssgp")
def core_network(case):
    return {"ieis"} if case.octets[0] == PAGING_CS and shape(case).values(GLOBAL_CN_ID) else ()


@row("BSSGP-12", "tshark", "bssgp")
def channel_needed(case):
    return {"ieis", "tmsi"} if case.octets[0] == PAGING_CS and shape(case).values(CHANNEL_NEEDED) else ()


@row("BSSGP-13", "tshark", "bssgp")
def selected_plmn(case):
    return {VERDICT} if shape(case).values(SELECTED_PLMN) and case.theirs.verdict == "malformed" else ()


@row("BSSGP-14", "tshark", "bssgp")
def mobile_identity(case):
    return {"ieis", "imsi", "transaction_id"} if case.octets[0] == INVOKE_TRACE and shape(case).values(MOBILE_ID) else ()


@row("BSSGP-15", "tshark", "bssgp")
def empty_llc_pdu(case):
    return {"llc_pdu"} if shape(case).values(LLC_PDU)[:1] == [b""] else ()


@row("BSSGP-16", "tshark", "bssgp")
def short_optional(case):
    return case.differing if shape(case).short("O") else ()


@row("BSSGP-17", "tshark", "bssgp")
def attach(case):
    return {VERDICT} if case.octets[0] == DL_UNITDATA and shape(case).values(ATTACH) else ()


@row("BSSGP-18", "tshark", "bssgp")
def nsei(case):
    return {"nsei_new"} if case.octets[0] in (FLUSH_LL, FLUSH_ACK) and shape(case).values(NSEI) else ()


@row("BSSGP-19", "tshark", "bssgp")
def granularity_of_qos(case):
    ours, theirs = case.ours.fields.get("qos_profile", ""), case.theirs.fields.get("qos_profile", "")
    return {"qos_profile"} if ours[4:] == theirs[4:] and theirs[:4] == "0000" and int(ours[4:] or "0", 16) >> 6 else ()


@row("BSSGP-20", "tshark", "bssgp")
def profile(case):
    ours, theirs = case.ours.fields.get("spid"), case.theirs.fields.get("spid")
    return {"spid"} if ours and theirs and int(theirs) == int(ours) + 1 & 255 else ()


@row("BSSGP-21", "tshark", "bssgp")
def inside(case):
    return {VERDICT} if case.theirs.verdict == "malformed" and any(shape(case).values(kind) for kind in INSIDE) else ()


@row("BSSGP-22", "tshark", "bssgp")
def flows(case):
    return case.differing if has_wrong_flows(shape(case)) else ()


@row("BSSGP-23", "tshark", "bssgp")
def length(case):
    return case.differing if shape(case).unusual() else ()


@row("BSSGP-24", "tshark", "bssgp")
def order(case):
    return case.differing if not shape(case).is_ordered else ()
