# SPDX-License-Identifier: BSD-3-Clause
"""A bucket whose parameters changed at an instant known only to lie between an announcement and its acknowledgement.

Level keeps one Bucket per hypothesis: applied when announced, applied when acknowledged; the truth lies between. When a departure
conforms under one hypothesis and not under another, the other is lowered to the highest level that explains it, and if the change is
still unacknowledged a third is added: applied right after this departure.
"""
from dataclasses import dataclass

from gb_oracle.bucket import NEVER, Bucket

MAX_HYPOTHESES = 8


@dataclass(frozen=True, slots=True)
class Change:
    """New parameters; own: meant for one mobile (valid for th_ns), else the cell's own or its defaults for mobiles."""
    key: tuple
    size_octets: int
    rate_bps: int
    ratio: int | None = None
    own: bool = False
    th_ns: int | None = None

    def is_void(self, bucket):
        """Whether it alters nothing but the validity."""
        if bucket.own and not self.own:
            return True
        same = (bucket.size, bucket.rate_bps) == (self.size_octets * 8 * 10**9, self.rate_bps)
        return same and bucket.own == self.own and self.ratio is None

    def apply(self, bucket, now_ns):
        if not self.is_void(bucket):
            bucket.change(self.size_octets, self.rate_bps, now_ns, self.ratio)
        if self.own:
            bucket.own = True
            bucket.until_ns = NEVER if self.th_ns is None else now_ns + self.th_ns


def _applied(bucket, now_ns):
    """The hypothesis that what is announced was applied now."""
    twin = bucket.copy()
    for change in bucket.todo:
        change.apply(twin, now_ns)
    twin.todo = ()
    return twin


class Level:
    """All hypotheses about one bucket."""

    def __init__(self):
        self.all = [Bucket()]

    def copy(self):
        twin = Level()
        twin.all = [bucket.copy() for bucket in self.all]
        return twin

    def announce(self, change, now_ns):
        for bucket in list(self.all):
            if change.is_void(bucket):
                change.apply(bucket, now_ns)
                continue
            applied = bucket.copy()
            change.apply(applied, now_ns)
            self.all.append(applied)
            bucket.todo += (change,)
        self._merge(now_ns)

    def acknowledge(self, key, now_ns):
        for bucket in self.all:
            for change in bucket.todo:
                if change.key == key:
                    change.apply(bucket, now_ns)
            bucket.todo = tuple(change for change in bucket.todo if change.key != key)
        self._merge(now_ns)

    def expire(self, defaults, now_ns):
        """Th: a mobile's own parameters give way to the cell's defaults (size, rate)."""
        for bucket in self.all:
            if bucket.until_ns <= now_ns:
                bucket.change(*defaults, bucket.until_ns)
                bucket.own, bucket.until_ns = False, NEVER

    def discard(self, octets, now_ns):
        for bucket in self.all:
            bucket.discard(octets, now_ns)

    def is_closed(self):
        return all(bucket.is_closed() for bucket in self.all)

    def range_ns(self, octets):
        """Earliest and latest of the hypotheses' conforming times."""
        times = [bucket.earliest_ns(octets) for bucket in self.all]
        return min(times), max(times)

    def charge(self, octets, now_ns):
        """Charges a departure; returns whether it conformed under any hypothesis."""
        misfits = [bucket for bucket in self.all if not bucket.conforms(octets, now_ns)]
        conforms = len(misfits) < len(self.all)
        if conforms:
            for bucket in misfits:
                bucket.lower(octets, now_ns)
        for bucket in self.all:
            bucket.charge(octets, now_ns)
        if conforms and misfits:
            self.all += [late for bucket in self.all if bucket.todo for late in [_applied(bucket, now_ns)]]
        if len(self.all) > 1:
            self._merge(now_ns)
        return conforms

    def _merge(self, now_ns):
        unique = {bucket.state(): bucket for bucket in self.all}
        self.all = list(unique.values())
        if len(self.all) > MAX_HYPOTHESES:
            self.all.sort(key=lambda bucket: bucket.level_at(now_ns))
            self.all = self.all[:MAX_HYPOTHESES // 2] + self.all[-MAX_HYPOTHESES // 2:]
