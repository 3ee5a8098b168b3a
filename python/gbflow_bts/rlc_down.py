# SPDX-License-Identifier: BSD-3-Clause
"""The mobile's end of a downlink TBF in acknowledged mode: blocks to LLC PDUs,
and what the window says (TS 44.060 clause 9).

A block may be lost although it is acknowledged, as all are in unacknowledged mode: its LLC PDUs are discarded.
"""
from gbflow_bts.rlcmac import MODULUS, WINDOW, down_ack


class DownTbf:
    """v_q: oldest block that is missing, v_r: behind the newest one; both count on without wrapping.
    is_lost() tells of a new block. slots: on all of them the TFI is this TBF's."""

    modulus, window_size = MODULUS, WINDOW

    def __init__(self, slots, tfi, tick, is_lost=lambda: False):
        self.slots, self.tfi, self.is_lost = slots, tfi, is_lost
        self.v_q = self.v_r = 0
        self.ahead, self.part, self.last = {}, b"", None
        self.is_spoilt = False
        self.heard_tick, self.done_tick, self.repeated = tick, None, 0

    def take(self, unit):
        """LLC PDUs that a block completes."""
        distance = (unit.bsn - self.v_q) % self.modulus
        number = self.v_q + distance
        if distance >= self.window_size or number in self.ahead:
            self.repeated += 1
            return []
        self.ahead[number] = unit.pieces, self.is_lost()
        self.v_r = max(self.v_r, number + 1)
        if unit.final:
            self.last = number
        return self._in_order()

    def _in_order(self):
        whole = []
        while self.v_q in self.ahead:
            pieces, is_lost = self.ahead.pop(self.v_q)
            for octets, ends in pieces:
                self.part += octets
                self.is_spoilt = self.is_spoilt or is_lost
                if ends:
                    whole += [] if self.is_spoilt else [self.part]
                    self.part, self.is_spoilt = b"", False
            self.v_q += 1
        return whole

    def is_whole(self):
        return self.last is not None and self.v_q > self.last

    def ack(self, wants_uplink):
        """PACKET DOWNLINK ACK/NACK."""
        return down_ack(self.tfi, self.is_whole(), self.window(), wants_uplink)

    def window(self):
        """(SSN, bitmap): the last bit is the block before SSN, 1 is received."""
        bits = 0
        for number in range(self.v_r - WINDOW, self.v_r):
            bits = bits << 1 | (number < self.v_q or number in self.ahead)
        return self.v_r % MODULUS, bits
