# SPDX-License-Identifier: BSD-3-Clause
"""The leaky bucket of TS 48.018 clause 8.2 in whole numbers.

A level is kept in nanobits (octets x 8 x 10^9), so that rate [bit/s] x time [ns] is a whole number of them and nothing is rounded.
A PDU of L octets conforms when B* = B + L - R (Tc - Tp) is below L (the bucket had run empty) or at most Bmax.
"""
NANOBITS = 8 * 10**9
NEVER = 1 << 70


class Bucket:
    """One hypothesis about one bucket; a bucket of size 0 and rate 0 lets nothing pass."""
    __slots__ = ("level", "at_ns", "size", "rate_bps", "own", "until_ns", "todo")

    def __init__(self, size_octets=0, rate_bps=0, at_ns=0):
        self.level, self.at_ns, self.rate_bps = 0, at_ns, rate_bps
        self.size = size_octets * NANOBITS
        self.own, self.until_ns, self.todo = False, NEVER, ()

    def copy(self):
        twin = Bucket.__new__(Bucket)
        for name in Bucket.__slots__:
            setattr(twin, name, getattr(self, name))
        return twin

    def is_closed(self):
        return self.size == 0 and self.rate_bps == 0

    def level_at(self, now_ns):
        return max(0, self.level - self.rate_bps * (now_ns - self.at_ns))

    def conforms(self, octets, now_ns):
        leak, length = self.rate_bps * (now_ns - self.at_ns), octets * NANOBITS
        return leak > self.level or self.level + length - leak <= self.size

    def earliest_ns(self, octets):
        """First whole nanosecond at which a PDU conforms; NEVER when it cannot."""
        length = octets * NANOBITS
        if length > self.size:
            return NEVER if self.rate_bps == 0 else self.at_ns + self.level // self.rate_bps + 1
        excess = self.level + length - self.size
        if excess <= 0:
            return self.at_ns
        return NEVER if self.rate_bps == 0 else self.at_ns + -(-excess // self.rate_bps)

    def fold(self, now_ns):
        """Leak up to now."""
        self.level, self.at_ns = self.level_at(now_ns), max(self.at_ns, now_ns)

    def charge(self, octets, now_ns):
        self.fold(now_ns)
        self.level += octets * NANOBITS

    def change(self, size_octets, rate_bps, now_ns, ratio=None):
        """New parameters: leak at the old rate first; a bucket-full ratio replaces the level."""
        self.fold(now_ns)
        self.size, self.rate_bps = size_octets * NANOBITS, rate_bps
        if ratio is not None:
            self.level = self.size * ratio // 100

    def discard(self, octets, now_ns):
        self.fold(now_ns)
        self.level = max(0, self.level - octets * NANOBITS)

    def lower(self, octets, now_ns):
        """Leak, and come down to the highest level at which a PDU conforms."""
        self.fold(now_ns)
        self.level = min(self.level, max(0, self.size - octets * NANOBITS))

    def state(self):
        return self.level, self.at_ns, self.size, self.rate_bps, self.own, self.until_ns, self.todo
