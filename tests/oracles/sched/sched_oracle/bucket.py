# SPDX-License-Identifier: BSD-3-Clause
"""The leaky bucket of TS 48.018 clause 8.2.3.2.2 over integers, in units of 10^-9 bit: R (bit/s) times nanoseconds.

held is B and at is Tp. lead(now) = B - R (now - Tp); below 0 it means that the bucket had run empty before now.
"""

OCTET = 8 * 10**9
LARGEST_OCTETS = 1526
LARGEST = LARGEST_OCTETS * OCTET
NEVER = (1 << 63) - 1


class Bucket:
    """The bucket of `owner`: (bvc, 7). What was sent through it, and from since on: see rates.py."""

    __slots__ = ("owner", "rate", "most", "room", "held", "at", "sent", "pdus", "largest", "since", "room0", "sent0", "pdus0")

    def __init__(self, *owner):
        self.owner = owner
        self.rate = self.most = self.room = self.held = self.at = self.sent = self.pdus = 0
        self.largest = LARGEST
        self.since = -1
        self.room0 = self.sent0 = self.pdus0 = 0

    def level(self, now):
        return max(0, self.held - self.rate * (now - self.at))

    def fits(self, size, now):
        lead = self.held - self.rate * (now - self.at)
        return lead < 0 or lead + size <= self.room

    def earliest(self, size):
        """The first nanosecond at which it fits; may be long ago."""
        over = self.held + size - self.room
        if not self.rate:
            return NEVER if over > 0 else self.at
        if size > self.room:
            return self.at + self.held // self.rate + 1
        return self.at - -over // self.rate

    def charge(self, size, now):
        """An LLC-PDU passes; whether it conforms."""
        self.sent += size
        self.pdus += 1
        lead = self.held - self.rate * (now - self.at)
        self.at = now
        if lead < 0:
            self.held = size
            return True
        self.held = lead = lead + size
        return lead <= self.room

    def set(self, rate, most, cap, now):
        self.put(self.level(now), now)
        self.rate, self.most = rate, most
        self.room = (most if cap < 0 else min(most, cap)) * OCTET

    def put(self, level, now):
        self.held, self.at = level, now

    def put_ratio(self, percent, now):
        self.put(percent * self.most * OCTET // 100, now)

    def adjust(self, octets, now):
        self.put(max(0, self.level(now) + octets * OCTET), now)

    def say(self, now):
        """For messages."""
        return f"B {self.level(now) / OCTET:.6f}, Bmax {self.room // OCTET}, R {self.rate}"
