# SPDX-License-Identifier: BSD-3-Clause
"""Bit fields of RLC/MAC messages, most significant bit first."""


class BitReader:
    def __init__(self, octets, at=0):
        self.value, self.left = int.from_bytes(octets, "big"), 8 * len(octets) - at

    def take(self, width):
        """The next field; raises ValueError behind the end."""
        if width > self.left:
            raise ValueError("message is cut")
        self.left -= width
        return self.value >> self.left & (1 << width) - 1

    def optional(self, *widths):
        """A presence bit, and if it is 1 the fields behind it as a list; else None."""
        return [self.take(width) for width in widths] if self.take(1) else None


class BitWriter:
    """A message of a fixed length; what is not written stays padding (TS 44.060 clause 11)."""

    def __init__(self, octets=23, padding=0x2B):
        self.size = 8 * octets
        self.value, self.at = int.from_bytes(bytes([padding]) * octets, "big"), 0

    def put(self, value, width):
        shift = self.size - self.at - width
        if shift < 0 or value >> width:
            raise ValueError("no room for this field")
        mask = (1 << width) - 1
        self.value = self.value & ~(mask << shift) | value << shift
        self.at += width
        return self

    def octets(self):
        return self.value.to_bytes(self.size // 8, "big")
