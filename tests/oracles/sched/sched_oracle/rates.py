# SPDX-License-Identifier: BSD-3-Clause
"""Long-run rates: what was backlogged from T0 to T1, with nothing closed above it, has sent at least what its bucket allowed, that is its
room at T0 and R (T1 - T0), but for one largest LLC-PDU and 0.1 %.

A level is closed when it has no room for a largest LLC-PDU; `above` is when the last of the levels above last was. A bucket that must
drain for one long LLC-PDU passes it up to 1 ns later than at the instant at which it is empty, and what leaks in between is nobody's fault.
"""
from sched_oracle.bucket import OCTET


class Rates:
    def __init__(self, report):
        self.report = report

    @staticmethod
    def begin(bucket, now):
        bucket.since = now
        bucket.room0 = bucket.room - bucket.level(now)
        bucket.sent0, bucket.pdus0 = bucket.sent, bucket.pdus

    def follow(self, bucket, above, now):
        """It is backlogged, as it was since it was last asked about."""
        since = bucket.since
        if since < 0:
            if above <= now:
                self.begin(bucket, now)
        elif above > since:
            bucket.since = -1
            if above <= now:
                self.begin(bucket, now)

    def end(self, bucket, above, now):
        """It is backlogged no more, or the bucket is about to be changed: judges the time up to now."""
        since, bucket.since = bucket.since, -1
        if since < 0 or since >= now or above > since:
            return
        allowed = bucket.room0 + bucket.rate * (now - since)
        sent = bucket.sent - bucket.sent0
        least = allowed - max(allowed, 0) // 1000 - bucket.largest - bucket.rate * (bucket.pdus - bucket.pdus0)
        kind, ident = bucket.owner
        self.report.saw("rate_" + kind)
        if sent < least:
            self.report.fail("rate_" + kind, now, f"{kind} {ident} sent {sent // OCTET} octets in {now - since} ns, its bucket "
                             f"allowed {allowed // OCTET}")
