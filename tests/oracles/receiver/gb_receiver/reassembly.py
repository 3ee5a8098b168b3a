# SPDX-License-Identifier: BSD-3-Clause
"""N-PDUs of one (mobile, direction, SAPI, NSAPI) from their segments (TS 44.065 clause 6.7)."""

PATIENCE_NS = 10 * 10**9


class Reassembly:
    """One N-PDU at a time: a first segment ends the one before it."""

    def __init__(self):
        self.number, self.parts, self.last, self.begun_ns = None, {}, None, 0
        self.incomplete = 0

    def put(self, segment, time_ns):
        """The octets of an N-PDU that this segment completes, else None; raises ValueError for one of no N-PDU."""
        if self.number is not None and time_ns - self.begun_ns > PATIENCE_NS:
            self._give_up()
        if segment.first and segment.npdu != self.number:
            self._give_up()
            self.number, self.begun_ns = segment.npdu, time_ns
        if segment.npdu != self.number:
            raise ValueError(f"segment {segment.index} of N-PDU {segment.npdu}, whose first segment is not there")
        if segment.index in self.parts:
            raise ValueError(f"segment {segment.index} of N-PDU {segment.npdu} came twice")
        self.parts[segment.index] = segment.data
        if not segment.more:
            self.last = segment.index
        return self._whole()

    def _whole(self):
        if self.last is None or any(index not in self.parts for index in range(self.last + 1)):
            return None
        octets = b"".join(self.parts[index] for index in range(self.last + 1))
        self._begin()
        return octets

    def _give_up(self):
        self.incomplete += self.number is not None
        self._begin()

    def _begin(self):
        self.number, self.parts, self.last = None, {}, None
