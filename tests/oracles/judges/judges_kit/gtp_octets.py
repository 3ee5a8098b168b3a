# SPDX-License-Identifier: BSD-3-Clause
"""GTPv1 messages looked at octet by octet, for the rows of faults (TS 29.281 clause 5, TS 29.060 clause 7.7)."""
G_PDU, TUNNEL_STATUS = 255, 253
USER_PLANE, CONTROL_PLANE = frozenset((1, 2, 26, 31, 253, 254, 255)), frozenset(range(16, 22))
# Octets of elements without a length field.
FIXED = {1: 1, 2: 8, 3: 6, 4: 4, 5: 4, 8: 1, 9: 28, 11: 1, 12: 3, 13: 1, 14: 1, 15: 1, 16: 4, 17: 4, 18: 5, 19: 1, 20: 1,
         21: 1, 22: 9, 23: 1, 24: 1, 25: 2, 26: 2, 27: 2, 28: 2, 29: 1, 127: 4}
EXTENSION_TYPES = 141


class Message:
    """chain: types of extension headers; payload: None where it cannot be found."""

    def __init__(self, octets):
        self.kind, self.chain, self.payload = (octets[1] if len(octets) > 1 else None), [], None
        self.is_version_1 = octets[0] >> 4 == 3
        self.end = 8 + int.from_bytes(octets[2:4], "big") if len(octets) >= 8 else 8
        self.is_cut = len(octets) < self.end
        self.chain_is_broken = False
        self.elements, self.element_is_cut, self.unknown = [], False, None
        if not self.is_cut:
            self._walk(octets[:self.end])
        if self.payload is not None and self.kind != G_PDU:
            self._take_elements(self.payload)

    def _walk(self, octets):
        at = 8
        if octets[0] & 7:
            at = 12
            self.chain_is_broken = len(octets) < at
        follows = octets[11] if octets[0] & 4 and not self.chain_is_broken else 0
        while follows and not self.chain_is_broken:
            self.chain.append(follows)
            size = 4 * octets[at] if at < len(octets) else 0
            self.chain_is_broken = size == 0 or at + size > len(octets)
            at += size
            follows = 0 if self.chain_is_broken else octets[at - 1]
        if not self.chain_is_broken:
            self.payload = octets[at:]

    def _take_elements(self, octets):
        """elements: [(type, value)]; unknown: a type without length that ended the walk."""
        at = 0
        while at < len(octets):
            kind, start = octets[at], at + 1
            if kind < 128 and kind not in FIXED:
                self.unknown = kind
                return
            if kind >= 128:
                width = 1 if kind == EXTENSION_TYPES else 2
                size, start = int.from_bytes(octets[start:start + width], "big"), start + width
            else:
                size = FIXED[kind]
            if start + size > len(octets):
                self.element_is_cut = True
                return
            self.elements.append((kind, octets[start:start + size]))
            at = start + size

    def values(self, kind):
        return [value for found, value in self.elements if found == kind]
