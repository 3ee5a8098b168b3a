# SPDX-License-Identifier: BSD-3-Clause
"""Traces written by hand, for the tests of the oracle: keeps numbers and sums so that a test says only what it is about."""
import argparse
import unittest

from sched_oracle import shares, trace
from sched_oracle.judge import Judge
from sched_oracle.report import Report

MS = 10**6
S = 10**9
WIDE = 10**9, 10**7  # R, Bmax


class Scene:
    """Link 1 without rate, cell 1 in it, mobile 1 in that, all wide open unless told otherwise; LLC-PDUs without headers."""

    def __init__(self, cell=WIDE, ms=WIDE, link=None):
        self.now, self.records, self.pdus, self.number = 0, [], {}, 0
        self.came = self.left = self.lost = 0
        self.add(trace.LINK_ADD, 1)
        if link:
            self.set(trace.AT_LINK, 1, *link)
        self.cell(1, *cell)
        self.mobile(1, 1, *ms)

    def add(self, kind, ident=0, **fields):
        self.records.append(trace.record(kind, self.now, ident, **fields))
        return self

    def at(self, now):
        self.now = now
        return self

    def set(self, level, ident, rate, most, **more):
        """more: cap, pfi."""
        return self.add(trace.SET, ident, flags=level, x=more.get("pfi", 0), a=rate, b=most, c=more.get("cap", -1))

    def cell(self, ident, rate, most, link=1):
        self.add(trace.CELL_ADD, ident, a=link).set(trace.AT_CELL, ident, rate, most)
        return self.add(trace.CELL_USE, ident, a=1)

    def mobile(self, ident, cell=1, rate=WIDE[0], most=WIDE[1], overhead=0):
        self.add(trace.MS_ADD, ident, a=cell, b=overhead)
        self.segmenting(ident, (1520, 0), (1520, 0))
        return self.set(trace.AT_MS, ident, rate, most)

    def segmenting(self, ident, first, later):
        return self.add(trace.SEGMENTING, ident, x=first[0], a=later[0], b=first[1], c=later[1])

    def put(self, ms, octets, verdict=0, **more):
        """Returns the N-PDU's number. more: qclass, sapi, pfi, flow, until."""
        flow, qclass, until = more.get("flow", 0), more.get("qclass", trace.BACKGROUND), more.get("until", -1)
        packed = more.get("pfi", trace.NO_PFI) | more.get("sapi", 3) << 8 | verdict << 16 | flow << 32
        self.number += 1
        self.came += 1
        self.lost += bool(verdict)
        self.add(trace.ENQUEUE, ms, flags=qclass, x=octets, a=self.number, b=until, c=packed)
        self.pdus[self.number] = [ms, octets, 0, 0]  # left of it, segments
        return self.number

    def go(self, *numbers, octets=None, more=0, **fields):
        """LLC-PDUs leave; octets of the N-PDU in them (default: all that is left), headers."""
        for number in numbers:
            pdu = self.pdus[number]
            payload = pdu[1] if octets is None else octets
            pdu[1] -= payload
            self.left += pdu[1] == 0
            self.add(trace.DEPART, fields.get("ms", pdu[0]), flags=fields.get("last", int(pdu[1] == 0)), x=payload, a=number,
                     b=fields.get("llc", payload + more), c=fields.get("segment", pdu[3]))
            pdu[3] += 1
        return self

    def drop(self, reason, *numbers):
        for number in numbers:
            self.lost += 1
            self.add(trace.DROP, self.pdus[number][0], x=reason, a=number)
        return self

    def end(self, **wrong):
        """The sums; wrong: came, left, lost, waiting."""
        waiting = self.came - self.left - self.lost
        self.add(trace.END, wrong.get("waiting", waiting), a=wrong.get("came", self.came), b=wrong.get("left", self.left),
                 c=wrong.get("lost", self.lost))
        return self


def judge(scene, **options):
    """options: of the command line."""
    given = argparse.Namespace(shares=None, of="cells", window=200, jain=None, idle="strict")
    vars(given).update(options)
    report = Report()
    one = Judge(report, given.idle)
    shares.attach(one, given)
    one.run([b"".join(scene.records)])
    return report


class Case(unittest.TestCase):
    def verdict(self, scene, *wrong, **options):
        """Exactly these checks find something wrong; returns the report. Who idles also sends late and too little, which need not be named."""
        report = judge(scene.end() if not options.pop("is_ended", False) else scene, **options)
        found = sorted(name for name, check in report.checks.items() if check.wrong)
        if "not_idle" in wrong:
            found = [name for name in found if name in wrong or not name.startswith(("rate_", "punctual"))]
        self.assertEqual(found, sorted(wrong), "\n".join(report.lines()))
        return report
