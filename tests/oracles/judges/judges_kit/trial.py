# SPDX-License-Identifier: BSD-3-Clause
"""Frames of one kind before one judge, slice by slice."""
import os
import subprocess
from collections import Counter

from judges_kit import case, osmo, tshark
from judges_kit.faults import Ledger
from judges_kit.kinds import KINDS

SLICE = 50000
MOST_SHOWN = 10


class Result:
    """What came out for a kind and a judge."""

    def __init__(self, kind, judge, rows=None):
        self.kind, self.judge, self.ledger = kind, judge, Ledger(judge, kind, rows)
        self.frames = self.refused = self.differing = self.unexplained = 0
        self.shown, self.names = [], Counter()

    def add(self, one):
        self.frames += 1
        self.refused += not one.ours.is_good
        if not one.differing:
            return
        self.differing += 1
        rest = self.ledger.unexplained(one)
        if rest:
            self.unexplained += 1
            self.names.update(rest)
            if len(self.shown) < MOST_SHOWN:
                self.shown.append((one, rest))

    def lines(self):
        yield (f"{self.kind} before {self.judge}: {self.frames} frames, {self.frames - self.refused} good to us, "
               f"{self.differing} judged otherwise, {self.unexplained} of them without a row")
        for one, rest in self.shown:
            yield f"  {one.octets.hex()}"
            for who, opinion in (("we", one.ours), ("judge", one.theirs)):
                said = " ".join(f"{name}={opinion.fields[name]}" for name in sorted(rest) if name in opinion.fields)
                yield f"    {who}: {opinion.verdict} {said}"
        matched = ", ".join(f"{name} x {count}" for name, count in sorted(self.ledger.matched.items(), key=order_of))
        if matched:
            yield f"  rows: {matched}"


def order_of(item):
    """Rows by letters, then by number."""
    letters, number = item[0].split("-")
    return letters, int(number)


class Court:
    """The programs, and a folder for what passes between them."""

    def __init__(self, frames, osmo_judge, folder):
        self.frames, self.osmo_judge, self.folder = frames, osmo_judge, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, kind, count, seed):
        """Writes a slice; yields (octets, what we say) of each frame when asked."""
        subprocess.run([self.frames, kind, str(count), str(seed), self.path("frames.pcap"), self.path("ours.txt")],
                       check=True)

    def ours(self):
        with open(self.path("ours.txt"), encoding="ascii") as file:
            for octets, line in zip(case.captured(self.path("frames.pcap")), file):
                yield octets, case.saying(line)

    def before_tshark(self, kind, count):
        """A Case for each frame of the slice."""
        how, capture = KINDS[kind], self.path("frames.pcap")
        sums = tshark.fcs(capture, self.folder, count) if kind == "llc" else [None] * count
        names = [name for name in how.names if name != "fcs"]
        seen = 0
        for (octets, ours), texts, check in zip(self.ours(), tshark.fields(capture, how.dissector, names, self.folder,
                                                                          how.disabled), sums):
            seen += 1
            theirs = how.opinion(texts + [check] if kind == "llc" else texts)
            if how.reword:
                how.reword(ours.fields)
            yield case.Case(octets, ours, theirs, case.difference(ours, theirs, how.unseen))
        if seen != count:
            raise tshark.TsharkFault(f"tshark saw {seen} of {count} frames")

    def before_libosmocore(self, kind, _count):
        protocol = "bssgp" if kind == "bssgp" else "ns"
        judged = osmo.opinions(self.osmo_judge, protocol, self.path("frames.pcap"), self.path("theirs.txt"))
        for (octets, ours), theirs in zip(self.ours(), judged):
            yield osmo.case(octets, ours, theirs, protocol == "ns")

    def judges(self, kind):
        """Names of who judges this kind here, with the function that does it."""
        if tshark.is_judge():
            yield "tshark", self.before_tshark
        if self.osmo_judge and kind in ("ns", "sns", "bssgp"):
            yield "libosmocore", self.before_libosmocore

    def try_kind(self, kind, count, seed):
        """A Result for each judge."""
        results = {judge: Result(kind, judge) for judge, _ in self.judges(kind)}
        for number, begin in enumerate(range(0, count, SLICE)):
            size = min(SLICE, count - begin)
            self.make(kind, size, seed + number)
            for judge, cases in self.judges(kind):
                for one in cases(kind, size):
                    results[judge].add(one)
        return list(results.values())
