# SPDX-License-Identifier: BSD-3-Clause
"""LLC frames looked at octet by octet, for the rows of faults (TS 44.064 clause 6)."""
I_FRAME, S_FRAME, UI_FRAME, U_FRAME = "i", "s", "ui", "u"
FCS, FRMR, SACK = 3, 8, 3
HEADER_OCTETS = {I_FRAME: 4, S_FRAME: 3, UI_FRAME: 3, U_FRAME: 2}
SAPIS = frozenset((1, 2, 3, 5, 7, 8, 9, 11))


def format_of(octets):
    control = octets[1]
    if control < 0x80:
        return I_FRAME
    if control < 0xC0:
        return S_FRAME
    return UI_FRAME if control < 0xE0 else U_FRAME


def header_octets(octets):
    """Address and control field, as far as two octets tell."""
    return HEADER_OCTETS[format_of(octets)] if len(octets) > 1 else 2


def is_reserved_sapi(sapi):
    return sapi not in SAPIS
