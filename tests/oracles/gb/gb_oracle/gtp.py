# SPDX-License-Identifier: BSD-3-Clause
"""GTPv1: G-PDUs, and the PDP context messages that tell sessions."""
import struct

G_PDU, CREATE_REQUEST, CREATE_RESPONSE, DELETE_REQUEST, DELETE_RESPONSE = 255, 16, 17, 20, 21
ACCEPTED = range(128, 192)  # causes (TS 29.060 7.7.1)
# Lengths of the TV information elements (type below 128) that GTP-C messages of these kinds may carry.
TV_OCTETS = {1: 1, 2: 8, 3: 6, 4: 4, 5: 4, 8: 1, 9: 28, 11: 1, 12: 3, 13: 1, 14: 1, 15: 1, 16: 4, 17: 4, 18: 5, 19: 1, 20: 1,
             21: 1, 22: 9, 23: 1, 24: 1, 25: 2, 26: 2, 27: 2, 28: 2, 29: 1, 127: 4}
UNDERSTOOD_EXTENSIONS = (0xC0, 0x20)


class Message:
    """A GTPv1 header; body is what follows all optional fields."""
    __slots__ = ("kind", "teid", "sequence", "body")

    def __init__(self, kind, teid, sequence, body):
        self.kind, self.teid, self.sequence, self.body = kind, teid, sequence, body


def decode(octets):
    """A Message, or None when the header is wrong or an extension must be understood and is not."""
    if len(octets) < 8 or octets[0] & 0xF0 != 0x30:
        return None
    kind, length, teid = struct.unpack_from(">BHI", octets, 1)
    if 8 + length > len(octets):
        return None
    octets, at, sequence = octets[:8 + length], 8, None
    if octets[0] & 7:
        if length < 4:
            return None
        at = 12
        sequence = struct.unpack_from(">H", octets, 8)[0]
        at = _skip_extensions(octets, at) if octets[0] & 4 else at
    return None if at is None else Message(kind, teid, sequence, octets[at:])


def _skip_extensions(octets, at):
    following = octets[11]
    while following:
        if following & 0x80 and following not in UNDERSTOOD_EXTENSIONS:
            return None
        if at >= len(octets) or octets[at] == 0 or at + 4 * octets[at] > len(octets):
            return None
        at += 4 * octets[at]
        following = octets[at - 1]
    return at


def elements(body):
    """(type, value) of the information elements; stops at one that cannot be skipped."""
    at = 0
    while at < len(body):
        kind = body[at]
        if kind < 128:
            if kind not in TV_OCTETS:
                return
            start, size = at + 1, TV_OCTETS[kind]
        else:
            if at + 3 > len(body):
                return
            start, size = at + 3, struct.unpack_from(">H", body, at + 1)[0]
        if start + size > len(body):
            return
        yield kind, body[start:start + size]
        at = start + size


def first(body, wanted):
    """Value of the first element of a type, or None."""
    return next((value for kind, value in elements(body) if kind == wanted), None)


def every(body, wanted):
    return [value for kind, value in elements(body) if kind == wanted]
