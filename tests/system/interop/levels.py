# SPDX-License-Identifier: BSD-3-Clause
"""Buckets of a cell and of its mobiles, kept from a record of Gb (TS 48.018 clause 8.2) and told by how much they overflow."""
from gb_oracle import bssgp


WAY_S = 0.01  # so long may what the node sends be on its way


class _Acks:
    """When the node had taken an announcement: it acknowledges what it has carried out, however late a busy machine lets it."""

    def __init__(self, pdus):
        self.times_s = [pdu.at_s for pdu in pdus if pdu.is_down and pdu.bssgp and pdu.bssgp.kind == bssgp.FC_BVC_ACK]

    def after(self, at_s):
        return next((time_s for time_s in self.times_s if time_s >= at_s), float("inf"))


class _Bucket:
    def __init__(self):
        self.level, self.at_s, self.size, self.rate = 0.0, 0.0, 0, 0.0
        self.taken_s, self.size_before, self.rate_before = 0.0, 0, 0.0

    def leak(self, at_s):
        until_taken_s = min(max(self.taken_s - self.at_s, 0.0), at_s - self.at_s)
        leaked = self.rate * (at_s - self.at_s) + max(self.rate_before - self.rate, 0.0) * until_taken_s
        self.level = max(0.0, self.level - leaked)
        self.at_s = at_s

    def change(self, size, rate, at_s, taken_s):
        """New values from at_s on; until taken_s + WAY_S LLC-PDUs that the old ones let go may come."""
        self.leak(at_s)
        is_known = at_s > self.taken_s + WAY_S
        self.size_before = self.size if is_known else max(self.size, self.size_before)
        self.rate_before = self.rate if is_known else max(self.rate, self.rate_before)
        self.taken_s, self.size, self.rate = taken_s, size, rate

    def add(self, octets, at_s):
        """Octets above the brim; an LLC-PDU that finds the bucket empty may always go, and one may have been on its way when the
        bucket shrank."""
        self.leak(at_s)
        was_empty = self.level == 0
        self.level += octets
        over = self.level - (max(self.size, self.size_before) if at_s < self.taken_s + WAY_S else self.size)
        return min(over, 0.0) if was_empty else over


class Levels:
    """worst_bvc, worst_ms[TLLI]: octets above the brim at the worst; rates: what was announced, octets/s.

    slack: what leaks on those ways at the highest rate, in octets.
    """

    def __init__(self, pdus, max_rate=None, max_bucket=None):
        self.cell, self.mobiles, self.default = _Bucket(), {}, (0, 0.0)
        self.max_rate, self.max_bucket = max_rate or 1e12, max_bucket or 1e12
        self.worst_bvc, self.worst_ms, self.rates, self.measured_s = float("-inf"), {}, set(), []
        self.acks = _Acks(pdus)
        for pdu in pdus:
            if pdu.bssgp:
                self._take(pdu)
        self.slack = WAY_S * min(self.max_rate, max(self.rates, default=0))

    def _take(self, pdu):
        if pdu.is_down and pdu.bssgp.kind == bssgp.DL_UNITDATA:
            self._down(pdu, len(pdu.bssgp.elements[bssgp.LLC_PDU]))
        elif pdu.bssgp.kind == bssgp.FC_BVC:
            self._announced(pdu)
        elif pdu.bssgp.kind == bssgp.LLC_DISCARDED:
            octets = pdu.bssgp.number(bssgp.OCTETS_AFFECTED)
            for bucket in (self.cell, self.mobiles[pdu.bssgp.tlli]):
                bucket.leak(pdu.at_s)
                bucket.level = max(0.0, bucket.level - octets)
        elif pdu.bssgp.kind == bssgp.BVC_RESET:
            self.cell, self.mobiles = _Bucket(), {}

    def _announced(self, pdu):
        size, rate = pdu.bssgp.scaled(bssgp.BVC_BUCKET), pdu.bssgp.scaled(bssgp.LEAK_RATE) / 8
        self.rates.add(rate)
        self.measured_s.append((pdu.at_s, (pdu.bssgp.number(0x06) or 0) / 100))
        taken_s = self.acks.after(pdu.at_s)
        self.cell.change(min(size, self.max_bucket), min(rate, self.max_rate), pdu.at_s, taken_s)
        self.default = pdu.bssgp.scaled(bssgp.BMAX_MS_DEFAULT), pdu.bssgp.scaled(bssgp.RATE_MS_DEFAULT) / 8
        for mobile in self.mobiles.values():
            mobile.change(*self.default, pdu.at_s, taken_s)

    def _down(self, pdu, octets):
        if pdu.bssgp.tlli not in self.mobiles:
            self.mobiles[pdu.bssgp.tlli] = _Bucket()
            self.mobiles[pdu.bssgp.tlli].change(*self.default, pdu.at_s, pdu.at_s)
        over = self.mobiles[pdu.bssgp.tlli].add(octets, pdu.at_s)
        self.worst_ms[pdu.bssgp.tlli] = max(over, self.worst_ms.get(pdu.bssgp.tlli, over))
        self.worst_bvc = max(self.worst_bvc, self.cell.add(octets, pdu.at_s))
