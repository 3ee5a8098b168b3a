# SPDX-License-Identifier: BSD-3-Clause
"""The receive window of unacknowledged LLC (TS 44.064 clause 8.4) on numbers that do not wrap.

A place is 512 x wraps + N(U), counted from the last reset, so that OC at a place is 512 x wraps and row 511 -> 0 steps by itself.
"""

MODULUS, WINDOW = 512, 32


class Entity:
    """One sender's frames of one SAPI: `expected` is V(UR) as a place."""

    def __init__(self, expected=0):
        self.expected, self.seen, self.resets = expected, set(), 0
        self.accepted = self.missing = self.late = self.ciphered = 0

    def place(self, nu):
        """Where a frame of this N(U) belongs: the window behind V(UR) is the past, all else the future."""
        behind = (self.expected - nu) % MODULUS
        if 1 <= behind <= WINDOW:
            return self.expected - behind
        return self.expected + (nu - self.expected) % MODULUS

    def is_old(self, place):
        """Received before, or sent before the first frame."""
        return place < 0 or place in self.seen

    def accept(self, place):
        """Notes a frame that is not old; true when it is a late one."""
        is_late = place < self.expected
        self.accepted += 1
        self.late += is_late
        self.missing += -1 if is_late else place - self.expected
        self.expected = max(self.expected, place + 1)
        self.seen = {old for old in self.seen | {place} if old >= self.expected - WINDOW}
        return is_late

    def reset(self):
        """XID Reset: numbers begin anew."""
        self.expected, self.seen = 0, set()
        self.resets += 1
