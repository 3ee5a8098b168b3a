# SPDX-License-Identifier: BSD-3-Clause
"""Faults of tshark about LLC and SNDCP."""
from judges_kit.case import VERDICT
from judges_kit.faults import row
from judges_kit.llc_octets import FCS, FRMR, I_FRAME, SACK, U_FRAME, format_of, header_octets, is_reserved_sapi

TOMS = (2, 8)
FRMR_OCTETS = 10


def frame_format(case):
    return format_of(case.octets) if len(case.octets) > 1 else None


@row("LLC-1", "tshark", "llc")
def protocol_discriminator(case):
    return {VERDICT} if case.octets[0] & 0x80 else ()


@row("LLC-2", "tshark", "llc")
def reserved_sapi(case):
    return {VERDICT} if is_reserved_sapi(case.octets[0] & 15) else ()


@row("LLC-3", "tshark", "llc")
def room_for_fcs(case):
    return {VERDICT} if len(case.octets) < header_octets(case.octets) + FCS else ()


@row("LLC-4", "tshark", "llc")
def acknowledgement(case):
    theirs = case.theirs.fields.get("a")
    return {"a"} if frame_format(case) == I_FRAME and theirs == str(case.octets[2] >> 6 & 1) else ()


@row("LLC-5", "tshark", "llc")
def rejection(case):
    is_short = len(case.octets) < 2 + FRMR_OCTETS + FCS
    return {VERDICT} if frame_format(case) == U_FRAME and case.octets[1] & 15 == FRMR and is_short else ()


@row("LLC-6", "tshark", "llc")
def selective_acknowledgement(case):
    """The bitmap after a header with S = SACK takes one octet and K + 1 more, which may not reach the FCS."""
    octets = case.octets
    if frame_format(case) != I_FRAME or octets[3] & 3 != SACK or case.theirs.is_good:
        return ()
    return {VERDICT} if len(octets) < 4 + 1 + FCS or 4 + 1 + (octets[4] & 31) + 1 > len(octets) - FCS else ()


@row("LLC-7", "tshark", "llc")
def tunnelling(case):
    is_tom = case.octets[0] & 15 in TOMS and frame_format(case) not in (U_FRAME, None)
    return {VERDICT} if is_tom and not case.theirs.is_good else ()


@row("SNDCP-1", "tshark", "sndcp")
def sn_data(case):
    return {VERDICT} if not case.octets[0] & 0x20 else ()


@row("SNDCP-2", "tshark", "sndcp")
def nsapi(case):
    return {VERDICT} if case.octets[0] & 15 < 5 else ()


@row("SNDCP-3", "tshark", "sndcp")
def first_segment(case):
    octets = case.octets
    is_first = bool(octets[0] & 0x40)
    number_at = 2 if is_first else 1
    contradicts = len(octets) > number_at and (octets[number_at] >> 4 == 0) != is_first
    return {VERDICT} if contradicts and case.theirs.is_good else ()


@row("SNDCP-4", "tshark", "sndcp")
def joined(case):
    """Segments of one number, whosever they are, come out as one N-PDU, or as an error when they contradict."""
    is_segment = case.ours.fields.get("more") == "1" or case.ours.fields.get("first") == "0"
    return {VERDICT, "data"} & case.differing if is_segment else ()
