# SPDX-License-Identifier: BSD-3-Clause
"""P4: A. Wennström, A. Brunstrom, J. Rendón, "Impact of GPRS buffering on TCP performance", Electronics Letters 2004.

One bulk TCP connection over one cell for 15 minutes, with one to three PDCHs and a BSSGP buffer that keeps data for
63 or 5 s. This file is the only place where the paper's figures and their bands stand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gbflow_report.inputs import Curve, Series, number
from gbflow_report.papers import shape, testbed
from gbflow_report.verdict import Figure

NAME = "P4"
TITLE = "Impact of GPRS buffering on TCP performance"
SOURCE = "A. Wennström, A. Brunstrom, J. Rendón, Electronics Letters, 2004"
SCENARIO = "gprs-buffering.lua"
HAS_SERIES = True
SETUP = ("One TCP connection downloads for 15 minutes: Linux 2.4, SACK and timestamps, receive window 64 KB, MSS 1460; CS-2, RLC "
         "acknowledged, LLC unacknowledged. The cases vary the number of PDCHs (1, 2, 3), and how long the BSSGP buffer "
         "of SGSN and BSC may keep data (63 s, 5 s). For Fig. 3 a sporadic loss in front of the GGSN, one packet in four "
         "minutes on average; and a threshold of 38 segments that the route keeps from an earlier connection, fitted to Fig. 3. "
         "Fitted to P4 and P5 together: control_one_in, thresholds of the BSC, tcp.fack=false. Seeds vary "
         "block errors and start.")

# A tooth of Fig. 4 goes from 2 to 9 s; what swings by less than this is no tooth.
SWING_S = 2.0
# One packet in four minutes at 10 kbit/s.
SPORADIC = "0.4 %"
# In segments: slow start up to 1.2 s each, then one a round trip; nine tenths of the window in four minutes.
ROUTE_SSTHRESH = 38


@dataclass(frozen=True, order=True)
class Case:
    """One set-up of the paper."""

    pdchs: int
    lifetime_s: int
    is_lossy: bool = False
    is_known: bool = False

    @property
    def name(self) -> str:
        return f"{self.pdchs}pdch-{self.lifetime_s}s" + "-loss" * self.is_lossy + "-route" * self.is_known

    @property
    def settings(self) -> list[str]:
        loss = [f"network.internet_loss={SPORADIC}"] if self.is_lossy else []
        loss += [f"tcp.initial_ssthresh={ROUTE_SSTHRESH}"] if self.is_known else []
        return [f"cells[1].pdchs={self.pdchs}", f"sgsn.lifetime.sgsn_max={self.lifetime_s} s", *loss]


@dataclass(frozen=True)
class Outcome:
    """What one run of one case says."""

    goodput_kbps: float | None
    rtt_max_s: float | None
    rtt_s: Curve


LOSSY, KNOWN = Case(1, 63, True), Case(1, 63, is_known=True)
TABLE = [Case(pdchs, lifetime_s) for lifetime_s in (63, 5) for pdchs in (1, 2, 3)]

CASES = [*TABLE, LOSSY, KNOWN]

Outcomes = Mapping[Case, Outcome]


def of_seed(_case: Case, seed: int) -> list[str]:
    return testbed.radio_and_start(seed)


def outcome(summary: Mapping[str, Any], series: Series) -> Outcome:
    """Of the bulk connection: the one with the most octets."""
    row = max(summary["tcp"], key=lambda row: number(row, "octets") or 0, default={})
    curves = sorted(series.of("rtt_s").items(), key=lambda item: (-len(item[1]), item[0]))
    rate_bps = number(row, "goodput_bps")
    return Outcome(None if rate_bps is None else rate_bps / 1000, number(row, "rtt_s", "max"),
                   curves[0][1] if curves else Curve.empty())


def throughput(case: Case, low: float, high: float, published: float) -> Figure:
    return Figure(f"p4-throughput-{case.name}", f"TCP goodput, {described(case)}", "kbit/s", published,
                  (low, high), lambda runs: runs[case].goodput_kbps)


def rtt_max(case: Case, low: float, high: float, published: float) -> Figure:
    return Figure(f"p4-rtt-max-{case.name}", f"largest round-trip time, {described(case)}", "s", published,
                  (low, high), lambda runs: runs[case].rtt_max_s)


def described(case: Case) -> str:
    return f"{case.pdchs} PDCH, {case.lifetime_s} s buffer"


def difference_percent(runs: Outcomes, pdchs: int) -> float | None:
    """How far goodput with 5 s lies from that with 63 s."""
    long, short = (runs[Case(pdchs, lifetime_s)].goodput_kbps for lifetime_s in (63, 5))
    return 100 * (short / long - 1) if long and short is not None else None


def alike(pdchs: int) -> Figure:
    return Figure(f"p4-throughput-alike-{pdchs}pdch", f"TCP goodput with the 5 s buffer against 63 s, {pdchs} PDCH", "%",
                  "almost the same for both", (-6.0, 6.0), lambda runs: difference_percent(runs, pdchs))


def tooth(part: str) -> Any:
    def measure(runs: Outcomes) -> float | None:
        found = shape.teeth(runs[Case(1, 5)].rtt_s, SWING_S)
        return getattr(found, part) if found else None
    return measure


LONG, SHORT = Case(1, 63), Case(1, 5)
HIGH_S = 20
TWO_AT_ONCE = ("a recovery ends with a window of two segments, which leave at once and take 1.1 s each: 2.3 s. One alone takes 1.4 s, as at "
               "the start. With tcp.fack=true or ACKs after 40 ms it is 2.3 s, too; with tcp.stack=rfc 2.8 s")

FIGURES = [
    throughput(Case(1, 63), 9.5, 11.5, 10), throughput(Case(1, 5), 9.5, 11.5, 10),
    throughput(Case(3, 63), 28, 34, 30), throughput(Case(3, 5), 28, 34, 30),
    alike(1), alike(3),
    rtt_max(Case(1, 63), 42, 54, 48), rtt_max(Case(3, 63), 15, 19, 17),
    rtt_max(Case(1, 5), 6.75, 11.25, 9), rtt_max(Case(3, 5), 6, 10, 8),
    Figure("p4-climb-time", f"round-trip time climbs to nine tenths of its top for this time, {described(LONG)}", "s",
           240, (180, 300), lambda runs: shape.climb_time_s(runs[LONG].rtt_s), "a quarter of the four minutes of Fig. 3",
           "on a new route slow start adds a segment per ACK until the window of 64 KB, 45 segments, bounds the queue after 90 s; "
           "p4-climb-route has the climb of the paper"),
    Figure("p4-climb-route", f"the same with a first threshold of {ROUTE_SSTHRESH} segments, as from the route's cache", "s",
           240, (180, 300), lambda runs: shape.climb_time_s(runs[KNOWN].rtt_s), "a quarter of the four minutes of Fig. 3; fitted",
           "the climb of single seeds lies between 208 and 377 s, and the median of seven at 272 s: block errors move it"),
    Figure("p4-climb-fall", f"deepest fall on that climb, as a share of its top, {described(LONG)}", "%",
           "one climb without a fall (Fig. 3)", (0, 20),
           lambda runs: scaled(shape.climb_fall(runs[LONG].rtt_s), 100), "a fall by a fifth would be a tooth"),
    Figure("p4-loss-floor", f"lowest round-trip time after a sporadic loss, {described(LOSSY)}", "s", 1, (0.75, 1.5),
           lambda runs: shape.floor_after(runs[LOSSY].rtt_s, HIGH_S),
           "read off an axis of 50 s. The window is full when the packet is lost; nothing may follow until it is repeated",
           TWO_AT_ONCE),
    Figure("p4-loss-climbs", f"top of the round-trip time after that floor, {described(LOSSY)}", "s",
           "it starts to increase again", (HIGH_S, 54), lambda runs: shape.top_after_floor(runs[LOSSY].rtt_s, HIGH_S),
           "as high as it was, or on the way: later losses cut it"),
    Figure("p4-teeth", f"teeth of the round-trip time in 15 minutes, {described(SHORT)}", "teeth",
           "a saw-tooth at regular intervals (Fig. 4)", (17, 28), tooth("count"),
           "from 2 to 9 s at 1.2 s a segment and one segment per round trip are 32 s; with the recovery, up to the lifetime and "
           f"a round trip more, 50 s. A swing below {SWING_S:g} s is no tooth"),
    Figure("p4-tooth-low", f"median lowest round-trip time between the teeth, {described(SHORT)}", "s", 2, (1.5, 2.5),
           tooth("trough"), "25 % of the published value"),
    Figure("p4-tooth-high", f"median top of the teeth, {described(SHORT)}", "s", 9, (6.75, 11.25), tooth("peak"),
           "25 % of the published value. Lower than 9 s: one buffer with one lifetime. With 5 s in each node "
           "(mode=per_node) it is 7.2 to 11.6 s, by what the BSC announces as its bucket"),
]


def scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
