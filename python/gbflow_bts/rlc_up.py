# SPDX-License-Identifier: BSD-3-Clause
"""The mobile's end of an uplink TBF in acknowledged mode: LLC PDUs to blocks, repeated until acknowledged.

A block may be lost although it is acknowledged, as all are in unacknowledged mode: its octets of LLC PDUs are 0 then
(clause 9.3.3).
"""
from gbflow_bts.rlcmac import MODULUS, UNIT_OCTETS, WINDOW, up_block

IDENTIFYING = 3  # so many blocks bear the TLLI
COUNTDOWN, NOT_YET = 6, 15


class UpTbf:
    """Takes LLC PDUs from the front of `queue` until it is empty; a PDU that comes later needs another TBF.
    is_lost() tells of a new block."""

    modulus = MODULUS

    def __init__(self, place, tlli, queue, tick, is_lost=lambda: False):
        self.slot, self.tfi, self.usf = place
        self.is_lost = is_lost
        self.tlli, self.queue = tlli, queue
        self.is_identified = tlli is None
        self.rest, self.sent, self.unacked, self.nacked = b"", 0, {}, []
        self.pdus, self.is_closed, self.heard_tick, self.turn = [], False, tick, 0

    def block(self, scheme):
        """The next block, or None: nothing to say."""
        while self.nacked:
            number = self.nacked.pop(0)
            if number in self.unacked:
                return self.unacked[number]
        oldest = min(self.unacked, default=self.sent)
        if not self.is_closed and self.sent - oldest < WINDOW:
            return self._new(scheme)
        return self._again()

    def _again(self):
        if not self.unacked:
            return None
        numbers = sorted(self.unacked)
        self.turn += 1
        return self.unacked[numbers[self.turn % len(numbers)]]

    def _new(self, scheme):
        shows_tlli = not self.is_identified and self.sent < IDENTIFYING
        sizes, content, runs_on = self._fill(self._room(scheme) - (4 if shows_tlli else 0))
        self.is_closed = not self.rest and not self.queue
        if self.is_lost():
            content = bytes(len(content))
        head = (self._countdown(scheme), self.tfi, self.tlli if shows_tlli else None)
        octets = self._encode(scheme, head, sizes, runs_on, content)
        self.unacked[self.sent] = octets
        self.sent += 1
        return octets

    def _room(self, scheme):
        return UNIT_OCTETS[scheme]

    def _encode(self, scheme, head, sizes, runs_on, content):
        lengths = [(size, i + 1 < len(sizes) or runs_on, i + 1 == len(sizes)) for i, size in enumerate(sizes)]
        if sizes and sizes[-1] == 0:
            lengths[-1] = (0, False, True)
        return up_block(scheme, head, self.sent % self.modulus, lengths, content)

    def _fill(self, room):
        """(lengths of PDUs that end here, octets, whether the last piece has no length)."""
        sizes, content = [], b""
        while room > 0 and self._load():
            rest, last = self.rest, not self.queue
            if len(rest) < room:
                sizes.append(len(rest))
                content, room, self.rest = content + rest, room - len(rest) - 1, b""
                continue
            if len(rest) == room and not last:  # its end would be taken for a piece that goes on
                sizes.append(0)
                room -= 1
            self.rest = rest[room:]
            return sizes, content + rest[:room], True
        return sizes, content, False

    def _load(self):
        if not self.rest and self.queue:
            self.rest = self.queue.popleft()
            self.pdus.append(self.rest)
        return bool(self.rest)

    def _countdown(self, scheme):
        octets = len(self.rest) + sum(len(pdu) + 1 for pdu in self.queue.copy())
        left = -(-octets // self._room(scheme))
        if self.is_closed:
            return 0
        return max(left, 1) if left <= COUNTDOWN else NOT_YET

    def acknowledge(self, ack):
        """What a PACKET UPLINK ACK/NACK says."""
        if ack.final:
            self.unacked, self.nacked = {}, []
            return
        self.is_identified = self.is_identified or ack.tlli is not None
        end = self.sent - (self.sent - ack.ssn) % self.modulus
        for number in sorted(self.unacked):
            if number >= end:
                continue
            if number % self.modulus in ack.received:
                del self.unacked[number]
            elif number not in self.nacked:
                self.nacked.append(number)
