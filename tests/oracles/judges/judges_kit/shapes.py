# SPDX-License-Identifier: BSD-3-Clause
"""NS and BSSGP PDUs taken apart a third time, in terms of elements only: what is missing, cut, short, out of order.

Rows of faults refer to this, so that a row covers a difference only where its cause is really there.
"""
import functools
from dataclasses import dataclass, field

# Contents by PDU type, in order of transmission: identifiers in hex, M mandatory, C conditional, O optional; V: octets
# without identifier. From TS 48.016 9.2 and TS 48.018 10.
NS_TEXT = """
00 V1 V2
02 M00 M01 M04
03 M01 M04
04 M00 M01
05 M01
06
07
08 M00 C01 C02 C03 C05 C06
0a
0b
0c M04 V1 C00 C0b C05 C06
0d M04 V1 C05 C06
0e M04 V1 C05 C06
0f V1 M04 C05 C06
10 M04 C00
11 M04 V1 C0b C05 C06
12 M04 M0a M07 C08 C09
13 M04 C00
"""
BSSGP_TEXT = """
00 V4 V3 M16 O13 O17 O0a O0d O1f O28 O27 O3d O81 O88 O89 O8a O8c O8d O92 O98 O9b O9c O00 M0e O0e
01 V4 V3 M08 O28 O26 O87 O0d O8a O8e O98 O9a O00 M0e
02 M1f M13
04
05
06 M0d O0a C04 C10 C1b C02 O28 O3a M18 O20 O92 O98 O08 O13 O99
07 M0d M0a C04 C10 C1b C02 O1f O09 O0b O20 O53
08 M1f M1e
09 M1f M1e C0d M1a C13
0a C1f C20 C0d M19
0b M1f M1b
0c M1f M1b M1d
0d M1f M1b O07
0e M1f M1b M1d
0f M1f M1b
10 M1f M1b O07
11 M0d O93
12 M0d O92
13 M0d M93
14 M0d
15 M0d
20 M04 M07
21 M04
22 M04 M07 C08 O3b O69
23 M04 C08 O3b O69
24 M04
25 M04
26 M1e M05 M03 M01 M1c C3c O06 O7e
27 M1e
28 M1f M1e M12 M03 C3c O7e
29 M1f M1e
2a M1f M04 O04 O3e
2b M1f M0c C04 M25 C3e
2c M1f M0f M04 M25 O28
2d M1f M1e O12 O03 O3c M52 O7e
2e M1f M1e
40 M22 M21 O24 O11 O14 O23
41 M07 C04 O15
42 O8f
50 M1f M28
51 M1f O0d M28 M29 M3a O3d O13 O17 C29 O73 O80 O81
52 M1f M28 M3a O07
53 M1f M28 M07
54 M1f M28 M3a
55 M1f M28 M29 M3a
56 M1f M28
57 M1f M28
58 M1f M28 M07
59
5a
5b
5c
5d
5e
60
61
62
63
64
70
71
72
73
74
80
81
82
83
84
85
91
92
93
"""
# Octets of a value: at least, and what it has when it is of one length only.
NS_LEAST = {0: 1, 1: 2, 2: 1, 3: 2, 4: 2, 5: 8, 6: 20, 7: 2, 8: 2, 9: 2, 10: 1, 11: 5}
BSSGP_LEAST = {
    0x00: 0, 0x01: 2, 0x02: 1, 0x03: 2, 0x04: 2, 0x05: 2, 0x06: 2, 0x07: 1, 0x08: 8, 0x09: 1, 0x0A: 2, 0x0B: 1, 0x0C: 1,
    0x0D: 3, 0x0E: 0, 0x0F: 1, 0x10: 5, 0x11: 1, 0x12: 2, 0x13: 5, 0x14: 2, 0x15: 1, 0x16: 2, 0x17: 1, 0x18: 3, 0x19: 1,
    0x1A: 1, 0x1B: 6, 0x1C: 2, 0x1D: 1, 0x1E: 1, 0x1F: 4, 0x20: 4, 0x21: 2, 0x22: 1, 0x23: 2, 0x24: 2, 0x25: 3, 0x26: 0,
    0x27: 0, 0x28: 1, 0x29: 1, 0x3A: 11, 0x3B: 1, 0x3C: 1, 0x3D: 1, 0x3E: 2, 0x52: 1, 0x53: 5, 0x69: 1, 0x73: 0, 0x7E: 1, 0x80: 0, 0x81: 1,
    0x87: 1, 0x88: 1, 0x89: 1, 0x8A: 2, 0x8C: 1, 0x8D: 1, 0x8E: 3, 0x8F: 1, 0x92: 1, 0x93: 2, 0x98: 1, 0x99: 1, 0x9A: 0, 0x9B: 6,
    0x9C: 1}
BSSGP_MORE = frozenset((0x00, 0x0D, 0x0E, 0x11, 0x13, 0x14, 0x15, 0x24, 0x26, 0x27, 0x3A, 0x52, 0x73, 0x80))
NS_MORE = frozenset((2, 5, 6, 11))
NS_TV = {7: 2, 8: 2, 9: 2, 10: 1}
ADDRESS = 0x0B


def contents(text):
    """{PDU type: [(presence, identifier or octets)]}."""
    rows = [line.split() for line in text.split("\n") if line]
    return {int(row[0], 16): [(word[0], int(word[1:], 16)) for word in row[1:]] for row in rows}


@dataclass(frozen=True, eq=False)
class Protocol:
    contents: dict
    least: dict
    more: frozenset
    tv: dict = field(default_factory=dict)


NS = Protocol(contents(NS_TEXT), NS_LEAST, NS_MORE, NS_TV)
BSSGP = Protocol(contents(BSSGP_TEXT), BSSGP_LEAST, BSSGP_MORE)


class Shape:
    """elements: [(identifier, value)]; cut: the identifier of an element that overruns the PDU, else None."""

    def __init__(self, protocol, octets):
        self.protocol, self.octets, self.elements, self.cut = protocol, octets, [], None
        self.wanted = protocol.contents.get(octets[0])
        self.lacks_fixed = False
        self._walk(self._fixed())

    def _fixed(self):
        """Behind the fields without identifier, and a mandatory element that stands before one."""
        at, last = 1, max((i for i, (kind, _) in enumerate(self.wanted or ()) if kind == "V"), default=-1)
        for kind, what in (self.wanted or ())[:last + 1]:
            if kind == "V":
                at += what
            elif at < len(self.octets) and self.octets[at] == what:
                at = self._element(at)
            else:
                self.lacks_fixed = True
                return len(self.octets)
        self.lacks_fixed = self.lacks_fixed or at > len(self.octets)
        return at

    def _walk(self, at):
        while at < len(self.octets):
            at = self._element(at)

    def _element(self, at):
        """Takes one; returns where the next begins."""
        kind, start, size = self.octets[at], at + 1, None
        if self.protocol is NS and kind in self.protocol.tv:
            size = self.protocol.tv[kind]
        elif self.protocol is NS and kind == ADDRESS:
            size = {1: 5, 2: 17}.get(self.octets[start] if start < len(self.octets) else None)
        else:
            size, start = self._length(start)
        if size is None or start + size > len(self.octets):
            self.cut = kind
            return len(self.octets)
        self.elements.append((kind, self.octets[start:start + size]))
        return start + size

    def _length(self, at):
        head = self.octets[at:at + 2]
        if head and head[0] & 0x80:
            return head[0] & 0x7F, at + 1
        return (head[0] << 8 | head[1], at + 2) if len(head) == 2 else (None, at)

    def places(self, presences):
        return [what for kind, what in self.wanted or () if kind in presences]

    def values(self, kind):
        return [value for found, value in self.elements if found == kind]

    @property
    def is_known(self):
        return self.wanted is not None

    @property
    def is_ordered(self):
        """Are the elements those of the PDU, each at its place, no mandatory one passed over, none twice, none cut?"""
        if not self.is_known or self.cut is not None:
            return False
        rest = [kind for kind, _ in self.elements]
        for presence, what in self.wanted:
            if rest and rest[0] == what and presence != "V":
                rest.pop(0)
            elif presence == "M":
                return False
        return not rest

    def missing(self, presences="M"):
        """Identifiers that the PDU needs more often than they are there whole."""
        wanted = self.places(presences)
        return [kind for kind in set(wanted) if len(self.values(kind)) < wanted.count(kind)]

    def short(self, presences="MCO"):
        """Identifiers of which one value is below its least length, of as many values as the PDU has places for."""
        wanted = self.places(presences)
        return [kind for kind in set(wanted)
                if any(len(value) < self.protocol.least[kind] for value in self.values(kind)[:wanted.count(kind)])]

    def unusual(self):
        """Identifiers of elements whose length is not what the clause gives them."""
        return [kind for kind, value in self.elements if kind in self.protocol.least and kind not in self.protocol.more
                and len(value) != self.protocol.least[kind]]


@functools.lru_cache(maxsize=4)
def shape_of(protocol, octets):
    """A Shape; rows ask for that of one frame many times over."""
    return Shape(protocol, octets)
