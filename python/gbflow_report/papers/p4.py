# SPDX-License-Identifier: BSD-3-Clause
"""P4: A. Wennström, A. Brunstrom, J. Rendón, "Impact of GPRS buffering on TCP performance", Electronics Letters 2004.

One bulk TCP connection over one cell for 15 minutes, with one to three PDCHs and a BSSGP buffer that keeps data for
63 or 5 s. This file is the only place where the paper's figures and their bands stand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from gbflow_report import draw
from gbflow_report.draw import Plot
from gbflow_report.papers import plots as bars_of
from gbflow_report.papers import shape, verdict
from gbflow_report.papers.measures import (BySeed, Measure, Outcomes, Value, change, excess, known_values, scaled,
                                           value_in)
from gbflow_report.papers.verdict import Figure, of_kind
from gbflow_results.files import Curve, Series, number

NAME = "P4"
TITLE = "Impact of GPRS buffering on TCP performance"
SOURCE = "A. Wennström, A. Brunstrom, J. Rendón, Electronics Letters, 2004"
SCENARIO = "gprs-buffering.lua"
HAS_SERIES = True
SETUP = ("One TCP connection downloads for 15 minutes: Linux 2.4, SACK and timestamps, receive window 64 KB, MSS "
         "1460; CS-2, RLC acknowledged, LLC unacknowledged. The cases vary the number of PDCHs (1, 2, 3), and "
         "how long the BSSGP buffer of SGSN and BSC may keep data (63 s, 5 s). For Fig. 3 a sporadic loss in front of "
         "the GGSN, one packet in four minutes on average; a route that keeps reordering and the largest threshold of "
         "an earlier connection, 33 segments; and a threshold of 38 segments, fitted to Fig. 3. Fitted to P4 and P5 "
         "together: tcp.stack=linux-2.4.0, control_one_in, processing, uplink_access, thresholds of the BSC. "
         "Each run draws block errors of its own; seeds also vary the BLER and the start.")

# A tooth of Fig. 4 goes from 2 to 9 s; what swings by less than this is no tooth.
SWING_S = 2.0
# One packet in four minutes at 10 kbit/s.
SPORADIC = "0.4 %"
# In segments. A window of 64 KB is 45; three quarters of it are the largest threshold that Linux 2.4 keeps of a
# connection (docs/tcp.md).
ROUTE_SSTHRESH = 33
# Slow start up to 1.2 s each, then one a round trip; nine tenths of the window in four minutes.
FITTED_SSTHRESH = 38


# What differs from the table's set-ups, by kind.
LOSS = f"network.internet_loss={SPORADIC}"
KINDS = {
    "": [],
    "loss": [LOSS],
    "quick": [LOSS, "cells[1].processing=0 s", "cells[1].tbf.uplink_access=0 s"],
    "route": [f"tcp.initial_ssthresh={ROUTE_SSTHRESH}", "tcp.fack=false"],
    "each": ["sgsn.lifetime.mode=per_node", "sgsn.lifetime.bss_max=5 s"],
    "fit": [f"tcp.initial_ssthresh={FITTED_SSTHRESH}"],
}


@dataclass(frozen=True, order=True)
class Case:
    """One set-up of the paper; take: of several runs that differ in their random numbers only."""

    pdchs: int
    lifetime_s: int
    kind: str = ""
    take: int = 0

    @property
    def name(self) -> str:
        return (f"{self.pdchs}pdch-{self.lifetime_s}s" + f"-{self.kind}" * bool(self.kind)
                + f"-{self.take}" * bool(self.take))

    @property
    def settings(self) -> list[str]:
        return [f"cells[1].pdchs={self.pdchs}", f"sgsn.lifetime.sgsn_max={self.lifetime_s} s", *KINDS[self.kind]]


@dataclass(frozen=True)
class Outcome:
    """What one run of one case says."""

    goodput_kbps: float | None
    rtt_max_s: float | None
    rtt_s: Curve


TAKES = 3
LOSSY, QUICK = ([Case(1, 63, kind, take) for take in range(1, TAKES + 1)] for kind in ("loss", "quick"))
KNOWN, FITTED = Case(1, 63, "route"), Case(1, 63, "fit")
EACH = Case(3, 5, "each")
TABLE = [Case(pdchs, lifetime_s) for lifetime_s in (63, 5) for pdchs in (1, 2, 3)]

CASES = [*TABLE, *LOSSY, *QUICK, KNOWN, FITTED, EACH]
number_of = partial(verdict.number_of_run, CASES)


def of_seed(case: Case, seed: int) -> list[str]:
    return verdict.radio_and_start(CASES.index(case), seed)


def outcome_of(summary: Mapping[str, Any], series: Series) -> Outcome:
    """Of the bulk connection: the one with the most octets."""
    row = max(summary["tcp"], key=lambda row: number(row, "octets") or 0, default={})
    curves = sorted(series.curves_of("rtt_s").items(), key=lambda item: (-len(item[1]), item[0]))
    return Outcome(scaled(number(row, "goodput_bps"), 1e-3), number(row, "rtt_s", "max"),
                   curves[0][1] if curves else Curve.empty())


def throughput(case: Case, low: float, high: float, published: float) -> Figure:
    return Figure(f"p4-throughput-{case.name}", f"TCP goodput, {described(case)}", "kbit/s", published,
                  (low, high), value_in(case, lambda run: run.goodput_kbps))


def rtt_max(case: Case, band: tuple[float, float], published: float, cause: str = "") -> Figure:
    return Figure(f"p4-rtt-max-{case.name}", f"largest round-trip time, {described(case)}", "s", published,
                  band, value_in(case, lambda run: run.rtt_max_s), "at most 25 % of the published value", cause)


def rtt_cut(name: str, cases: tuple[Case, Case], published: float, words: str, cause: str = "") -> Figure:
    """Of the first case against the second."""
    left = 100 + published
    return Figure(f"p4-rtt-cut-{name}", f"largest round-trip time with the 5 s buffer against 63 s, {words}", "%",
                  published, (0.75 * left - 100, 1.25 * left - 100),
                  change(*cases, lambda run: run.rtt_max_s), "25 % of what is left", cause)


def described(case: Case) -> str:
    return f"{case.pdchs} PDCH, {case.lifetime_s} s buffer"


def alike(pdchs: int) -> Figure:
    return Figure(f"p4-throughput-alike-{pdchs}pdch", f"TCP goodput with the 5 s buffer against 63 s, {pdchs} PDCH",
                  "%", "almost the same for both", (-6.0, 6.0),
                  change(Case(pdchs, 5), Case(pdchs, 63), lambda run: run.goodput_kbps),
                  "6 % to either side: bars of Fig. 1 that look alike")


def tooth(part: str) -> Measure:
    return value_in(Case(1, 5), lambda run: getattr(shape.teeth(run.rtt_s, SWING_S), part, None))


CUT_WHY = ("one buffer with one lifetime, as the paper describes it, lets the round-trip time reach 6.3 s, the "
           "paper's is 8 s. With 5 s in each of the two "
           "nodes the reduction is in band, see p4-rtt-cut-3pdch-each")
CUT_LONG = ("with 63 s the window of 64 KB makes it 54 s, not the paper's 48 s, see p4-rtt-max-1pdch-63s. Against a "
            "route with the paper's 48 s the reduction is in "
            "band, see p4-rtt-cut-1pdch-route")
WINDOW_WHY = ("the window of 64 KB is 44 segments, which a threshold does not bound on a new route, and "
              "each takes 1.2 s on the air: 53 s, more with block errors. Where the window ends at the paper's 48 s "
              "(tcp.receive_window=58400, 40 segments) it is 47.6 and 48.5 s")
LONG, SHORT = Case(1, 63), Case(1, 5)
HIGH_S = 20
ALONE = ("a segment of 1500 octets takes 1.16 s on the air by itself; processing and uplink access, both assumed, add "
         "0.5 s each. p4-loss-floor-quick is without the two")
RISE_WHY = "a round-trip time that still climbs: by half a segment of 1.2 s or more; at most by an eighth of its top"


# Of the two first thresholds: what they are, and what the row's reason adds.
ROUTES = {KNOWN: f"route with reordering and a threshold of {ROUTE_SSTHRESH} segments",
          FITTED: f"first threshold of {FITTED_SSTHRESH} segments"}
FIT = {KNOWN: "", FITTED: "; the threshold is fitted"}
LARGEST = (f"{ROUTE_SSTHRESH} segments are the largest threshold that such a kernel keeps of a connection with a "
           f"window of 45, and from there the window grows by a segment a round trip of 40 s. With {FITTED_SSTHRESH} "
           "the row is in band, see p4-four-minutes-fit: what would set it is not known")


NO_SAMPLES = ("a needless time-out, of which a run has 6 to 10, leaves a minute and a half without samples, by seed "
              "the fourth one. Elsewhere the climb is 0.5 to 2.2 s, and lasts a quarter of an hour, to 47 to 53 "
              "s, see p4-rtt-max-route; p4-climb-fit has the steeper climb of Fig. 3")


def in_minute(number: int) -> Value:
    return lambda run: shape.mean_between(run.rtt_s, 60 * number - 60, 60 * number)


def growth_s(case: Case) -> Measure:
    """Mean of the round-trip time in the fourth minute less that in the third."""
    return value_in(case, lambda run: excess(in_minute(4)(run), in_minute(3)(run)))


def floor_s(cases: list[Case]) -> Measure:
    """The lowest after a fall, of several runs: the paper shows one loss, and not each of these empties the buffer."""
    return lambda runs: min((value
                             for value in (shape.floor_after(runs[case].rtt_s, HIGH_S) for case in cases) if value),
                            default=None)


def second_top_s(runs: Outcomes) -> float | None:
    found = [value for value in (shape.top_after_floor(runs[case].rtt_s, HIGH_S) for case in LOSSY) if value]
    return median(found) if found else None


# Of each number that a value of the scenario or a case was chosen by.
FIT_ROWS = ("p4-throughput-?pdch-*s", "p4-loss-floor", "p4-tooth-low", "p4-*-fit")
FIGURES = of_kind(verdict.FITTED, [
    throughput(Case(1, 63), 9.5, 11.5, 10), throughput(Case(1, 5), 9.5, 11.5, 10),
    throughput(Case(3, 63), 28, 34, 30), throughput(Case(3, 5), 28, 34, 30),
    alike(1), alike(3),
    rtt_max(Case(1, 63), (42, 54), 48, WINDOW_WHY), rtt_max(Case(3, 63), (15, 19), 17),
    rtt_max(Case(1, 5), (6.75, 11.25), 9), rtt_max(Case(3, 5), (6, 10), 8),
    rtt_cut("1pdch", (SHORT, LONG), -80, "1 PDCH", CUT_LONG),
    rtt_cut("1pdch-route", (SHORT, KNOWN), -80, f"1 PDCH, the latter on a {ROUTES[KNOWN]}"),
    rtt_cut("3pdch", (Case(3, 5), Case(3, 63)), -50, "3 PDCH", CUT_WHY),
    rtt_cut("3pdch-each", (EACH, Case(3, 63)), -50, "3 PDCH, 5 s in each node"),
    *(Figure(f"p4-four-minutes-{case.kind}", f"round-trip time in the fourth minute, {described(LONG)}, {ROUTES[case]}",
             "s", 48, (43, 53), value_in(case, in_minute(4)), f"a tenth of the published value{FIT[case]}",
             "" if case is FITTED else LARGEST)
      for case in (KNOWN, FITTED)),
    Figure("p4-rtt-max-route", f"largest round-trip time, {described(LONG)}, {ROUTES[KNOWN]}", "s", 48,
           (42, 54), value_in(KNOWN, lambda run: run.rtt_max_s), "at most 25 % of the published value"),
    Figure("p4-climb-new-route", "growth of the round-trip time from the third to the fourth minute, "
           f"{described(LONG)}", "s", "climbs for four minutes (Fig. 3)", (0.6, 6), growth_s(LONG), RISE_WHY, "on "
           "a new route slow start adds a segment per ACK until the window of "
           "64 KB, 45 segments, bounds the queue after 90 s. p4-climb-route has a threshold from the route's cache"),
    *(Figure(f"p4-climb-{case.kind}", f"the same, {ROUTES[case]}", "s", "climbs for four minutes (Fig. 3)", (0.6, 6),
             growth_s(case),
             RISE_WHY + FIT[case], "" if case is FITTED else NO_SAMPLES) for case in (KNOWN, FITTED)),
    Figure("p4-climb-fall", f"deepest fall on that climb, as a share of its top, {described(LONG)}", "%",
           "one climb without a fall (Fig. 3)", (0, 20),
           value_in(LONG, lambda run: scaled(shape.climb_fall(run.rtt_s), 100)), "a fall by a fifth would be a tooth"),
    Figure("p4-loss-floor", f"lowest round-trip time after a sporadic loss, {described(LONG)}",
           "s", 1, (0.75, 1.5), floor_s(LOSSY), "read off an axis of 50 s", ALONE),
    Figure("p4-loss-floor-quick", "the same without processing and uplink access",
           "s", 1, (0.75, 1.5), floor_s(QUICK), "read off an axis of 50 s; at 10 kbit/s 1500 octets take 1.2 s"),
    Figure("p4-loss-climbs", f"top of the round-trip time after that floor, {described(LONG)}, median of {TAKES} runs",
           "s", "it starts to increase again",
           (HIGH_S, 54), second_top_s, "as high as it was, or on the way: later losses cut it"),
    Figure("p4-teeth", f"teeth of the round-trip time in 15 minutes, {described(SHORT)}", "teeth", "a saw-tooth at "
           "regular intervals (Fig. 4)", (17, 28), tooth("count"), "from 2 to 9 s at 1.2 s a segment and one segment "
           "per round trip are 32 s; with the recovery, up to the lifetime and "
           f"a round trip more, 50 s. A swing below {SWING_S:g} s is no tooth"),
    Figure("p4-tooth-low", f"median lowest round-trip time between the teeth, {described(SHORT)}", "s", 2, (1.5, 2.5),
           tooth("trough"), "25 % of the published value"),
    Figure("p4-tooth-high", f"median top of the teeth, {described(SHORT)}", "s", 9, (6.75, 11.25), tooth("peak"),
           "25 % of the published value. Lower than 9 s: one buffer with one lifetime. With 5 s in each node "
           "(mode=per_node, bss_max=5 s) it is 7.5 to 10.8 s, by what the BSC announces as its bucket"),
], *FIT_ROWS)


# --- plots ---

BAR = 0.34
FILLS = {63: (draw.COLOURS[0], ""), 5: (draw.COLOURS[4], "//")}


def plots(by_seed: BySeed) -> list[Plot]:
    made = [
        bars(by_seed, "throughput", lambda run: run.goodput_kbps, "TCP goodput (kbit/s)",
             ("p4-fig1", "Fig. 1: throughput by PDCHs and buffer",
              "The bars of a pair should be nearly equal: a buffer of 5 s costs hardly any throughput.")),
        bars(by_seed, "rtt-max", lambda run: run.rtt_max_s, "largest RTT (s)",
             ("p4-fig2", "Fig. 2: largest round-trip time by PDCHs and buffer",
              "With 63 s the round-trip time is what 64 KB take at the cell's rate; with 5 s the lifetime bounds it.")),
        rtt(by_seed, LOSSY[0], ("p4-fig3", "Fig. 3: round-trip times over one PDCH, 63 s buffer",
                                   "The paper's curve starts at 1 s and climbs for minutes, up to 48 s.")),
        rtt(by_seed, Case(1, 5), ("p4-fig4", "Fig. 4: round-trip times over one PDCH, 5 s buffer",
                                  "The paper's curve is a saw-tooth between 2 and 9 s.")),
    ]
    return [one for one in made if one]


def bars(by_seed: BySeed, kind: str, value_of: Value, unit: str,
         words: tuple[str, str, str]) -> Plot | None:
    figure, (axes,) = draw.canvas(size=(7.2, 3.6))
    found = {case: values for case in sorted(TABLE) if (values := known_values(by_seed, case, value_of))}
    if not found:
        return None
    for case, values in found.items():
        bar(axes, case, values)
    for case in sorted(TABLE):
        bars_of.mark_published(axes, FIGURES, f"p4-{kind}-{case.name}", (place(case), BAR + 0.04, BAR + 0.04),
                               has_names=True)
    axes.set_xticks([1, 2, 3], ["1 PDCH", "2 PDCH", "3 PDCH"])
    axes.grid(axis="x", visible=False)
    axes.margins(y=0.12)
    axes.set_ylim(bottom=0)
    label_once(axes)
    axes.set_ylabel(unit)
    name, title, caption = words
    return Plot(figure, name, title, caption + f" Bars: median over {len(by_seed)} seeds, whiskers their smallest and "
                "largest; black: the number the paper states in words, in its band (it states none for 2 PDCH).")


def place(case: Case) -> float:
    return case.pdchs + (-BAR / 2 if case.lifetime_s == 63 else BAR / 2) * 1.06


def bar(axes: Axes, case: Case, values: list[float]) -> None:
    colour, hatch = FILLS[case.lifetime_s]
    middle = median(values)
    axes.bar(place(case), middle, BAR, color=colour, hatch=hatch, edgecolor="white", linewidth=0,
             label=f"{case.lifetime_s} s buffer")
    bars_of.whiskers(axes, place(case), values, capsize=3, linewidth=1)
    bars_of.number_at_foot(axes, place(case), f"{middle:.1f}")


def label_once(axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles))
    axes.legend(unique.values(), unique.keys(), loc="lower left", bbox_to_anchor=(0, 1.0), ncol=4, borderaxespad=0.2)


def typical_seed(by_seed: BySeed, case: Case) -> int | None:
    """The seed whose largest round-trip time is the median, so that nobody picks the prettiest."""
    known = [seed for seed, runs in by_seed.items() if len(runs[case].rtt_s)]
    ranked = sorted(known, key=lambda seed: (float(by_seed[seed][case].rtt_s.value.max()), seed))
    return ranked[(len(ranked) - 1) // 2] if ranked else None


def rtt(by_seed: BySeed, case: Case, words: tuple[str, str, str]) -> Plot | None:
    """On the paper's axes: milliseconds over minutes and seconds."""
    shown = typical_seed(by_seed, case)
    if shown is None:
        return None
    figure, (axes,) = draw.canvas()
    curve = by_seed[shown][case].rtt_s
    draw.line(axes, Curve(curve.time_s - curve.time_s[0], curve.value * 1000), f"seed {shown}", draw.look(0))
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(draw.minutes())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{int(value // 60)}:{int(value % 60):02d}"))
    draw.finish(axes, "time since the first sample (min:s)", "round-trip time (ms)")
    name, title, caption = words
    return Plot(figure, name, title, caption + f" Drawn is seed {shown}, whose largest value is the median of "
                f"{len(by_seed)}.")
