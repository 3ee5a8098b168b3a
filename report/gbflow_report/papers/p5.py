# SPDX-License-Identifier: BSD-3-Clause
"""P5: A. Wennström, A. Brunstrom, J. Rendón, "GPRS traffic when preempted by circuit-switched calls", 2004.

One bulk TCP connection over three PDCHs for 40 minutes; once a minute calls take all of them for 3, 6 or 15 s. This file
is the only place where the paper's figures and their bands stand.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gbflow_report.inputs import Curve, Series, number
from gbflow_report.verdict import Figure

NAME = "P5"
TITLE = "GPRS pre-empted by circuit-switched calls"
SOURCE = "A. Wennström, A. Brunstrom, J. Rendón: measurements in Telia's GPRS testbed, 2003/2004"
SCENARIO = "gprs-preemption.lua"
HAS_SERIES = True
SETUP = ("One TCP connection downloads for 40 minutes over CS-2 and three PDCHs; RLC acknowledged, LLC unacknowledged. Once a "
         "minute circuit-switched calls take all PDCHs for 3, 6 or 15 s, and the BSC flushes its buffer at once. The "
         "transfer goes on when the terminal asks for an uplink channel. Beside it the paper's proposal, to wait 5 s "
         "before flushing and to go on at once, and the same cell without calls.")

NEVER = "86400 s"
MINUTE_S = 60


@dataclass(frozen=True, order=True)
class Case:
    """One set-up. hold_s: how long the calls last, 0 for none."""

    hold_s: int
    flush_s: int = 0
    waits: bool = True

    @property
    def name(self) -> str:
        kind = "" if self.waits else "-resume" if not self.flush_s else "-cure"
        return f"{self.hold_s}s{kind}" if self.hold_s else "no-calls"

    @property
    def settings(self) -> list[str]:
        calls = "cells[1].calls"
        if not self.hold_s:
            return [f"{calls}.schedule.first={NEVER}"]
        wait = [] if self.waits else [f"{calls}.restart_wait=0 s"]
        return [f"{calls}.schedule.hold={self.hold_s} s", f"{calls}.flush={self.flush_s} s", *wait]


@dataclass(frozen=True)
class Outcome:
    """What one run of one case says; curves are the sender's, in octets of the stream."""

    goodput_kbps: float | None
    retransmitted_percent: float | None
    rtt_s: float | None
    flushed: float | None
    sgsn_dropped: float | None
    sent: Curve
    again: Curve
    acked: Curve


PUBLISHED = (Case(3), Case(6), Case(15))
CURE, RESUME, FREE = Case(3, 5, False), Case(3, 0, False), Case(0)
CASES = [*PUBLISHED, CURE, RESUME, FREE]

Outcomes = Mapping[Case, Outcome]


def scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def ratio(value: float | None, count: float | None) -> float | None:
    return None if value is None or not count else value / count


def largest(curves: Mapping[str, Curve]) -> Curve:
    return max(curves.values(), key=len, default=Curve.empty())


def outcome(summary: Mapping[str, Any], series: Series) -> Outcome:
    """Of the only connection and the only cell."""
    row: Mapping[str, Any] = max(summary["tcp"], key=lambda row: number(row, "octets") or 0, default={})
    cell = next(iter(summary["cells"].values()), {})
    return Outcome(
        scaled(number(row, "goodput_bps"), 1e-3), scaled(number(row, "retransmitted_fraction"), 100),
        number(row, "rtt_s", "avg"), ratio(number(cell, "drops", "preempted"), number(cell, "calls", "preemptions")),
        number(summary["conservation"], "sgsn", "dropped"), largest(series.of("sent_octets")),
        largest(series.of("retransmitted_octets")), largest(series.of("acked_octets")))


def described(case: Case) -> str:
    return f"{case.hold_s} s of pre-emption"


def throughput(case: Case, published: float) -> Figure:
    return Figure(f"p5-throughput-{case.name}", f"TCP goodput, {described(case)}", "kbit/s", published, (19, 29),
                  lambda runs: runs[case].goodput_kbps, TOO_GOOD if case.hold_s < 15 else "")


def retransmitted(case: Case, published: float) -> Figure:
    return Figure(f"p5-retransmitted-{case.name}", f"payload sent again, {described(case)}", "%", published, (5, 9),
                  lambda runs: runs[case].retransmitted_percent)


def rtt(case: Case, published: float) -> Figure:
    return Figure(f"p5-rtt-{case.name}", f"average round-trip time, {described(case)}", "s", published, (2.5, 6),
                  lambda runs: runs[case].rtt_s, "the sender's window falls less than the paper's after a loss")


def flushed(case: Case) -> Figure:
    return Figure(f"p5-flushed-{case.name}", f"segments lost per pre-emption in the BSC, {described(case)}", "segments",
                  "almost ten consecutive segments (Fig. 4)", (6, 14), lambda runs: runs[case].flushed,
                  "the BSC's thresholds are chosen so that it is almost ten; see what is assumed")


def lowest(runs: Outcomes) -> float | None:
    """Goodput at 15 s by the smaller of the others."""
    values = [runs[case].goodput_kbps for case in PUBLISHED]
    known = [value for value in values if value is not None]
    return known[2] / min(known[:2]) if len(known) == len(values) and min(known[:2]) else None


def most(value_of: Callable[[Outcome], float | None], cases: tuple[Case, ...]) -> Callable[[Outcomes], float | None]:
    def measure(runs: Outcomes) -> float | None:
        values = [value_of(runs[case]) for case in cases]
        return None if None in values else max(value for value in values if value is not None)
    return measure


def share_of_free(case: Case) -> Callable[[Outcomes], float | None]:
    """Goodput by what the cell carries without calls in the time that they leave."""
    def measure(runs: Outcomes) -> float | None:
        free, own = runs[FREE].goodput_kbps, runs[case].goodput_kbps
        return 100 * own / (free * (1 - case.hold_s / MINUTE_S)) if free and own is not None else None
    return measure


def lost(case: Case) -> Callable[[Outcomes], float | None]:
    def measure(runs: Outcomes) -> float | None:
        flushed, dropped = runs[case].flushed, runs[case].sgsn_dropped
        return None if flushed is None or dropped is None else flushed + dropped
    return measure


TOO_GOOD = ("a standard SACK sender makes up for ten lost segments in one or two round-trip times; the paper's 20 s of "
            "recovery belong to Linux 2.4.2")

FIGURES = [
    throughput(PUBLISHED[0], 21.64), throughput(PUBLISHED[1], 22.20), throughput(PUBLISHED[2], 21.27),
    Figure("p5-throughput-order", "TCP goodput with 15 s by the lower one of 3 s and 6 s", "", "15 s is lowest", (0.5, 1),
           lowest),
    retransmitted(PUBLISHED[0], 6.96), retransmitted(PUBLISHED[1], 6.55), retransmitted(PUBLISHED[2], 7.03),
    rtt(PUBLISHED[0], 2.911), rtt(PUBLISHED[1], 3.081), rtt(PUBLISHED[2], 3.316),
    *(flushed(case) for case in PUBLISHED),
    Figure("p5-sgsn-drops", "packets that the SGSN lost, most of all cases", "packets", "data is lost in the BSC only",
           (0, 0), most(lambda run: run.sgsn_dropped, tuple(CASES))),
    Figure("p5-cure-retransmitted", "payload sent again with the paper's proposal, 3 s of pre-emption", "%", "avoided",
           (0, 0.5), lambda runs: runs[CURE].retransmitted_percent),
    Figure("p5-cure-lost", "packets lost with the paper's proposal: in the SGSN, and per pre-emption in the BSC", "packets",
           "avoided", (0, 0), lost(CURE)),
    Figure("p5-cure-throughput", "TCP goodput with the paper's proposal, by that without calls in the time they leave", "%",
           "avoided", (97, 103), share_of_free(CURE)),
    Figure("p5-degradation", "TCP goodput with a flush at once, 3 s of pre-emption, by that without calls in the time they "
           "leave", "%", "21.64 kbit/s, three quarters of what the time leaves", (65, 90), share_of_free(PUBLISHED[0]),
           unreachable=TOO_GOOD),
]
