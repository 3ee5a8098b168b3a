# SPDX-License-Identifier: BSD-3-Clause
"""P3: "Latency and TCP performance in evolved GERAN", a contribution to 3GPP GERAN.

Downloads, a web page and pings over a grid of RLC round-trip times and server-to-BTS latencies. This file is the only
place where the paper's figures and their bands stand.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from matplotlib.axes import Axes

from gbflow_report import draw
from gbflow_report.draw import Plot
from gbflow_report.papers import verdict
from gbflow_report.papers.measures import (BySeed, Measure, Outcomes, Value, change, excess, joined, known_values,
                                           largest, mean, percent_more, pick_of, quotient, ratio, scaled, smallest,
                                           value_in, whole)
from gbflow_report.papers.verdict import FITTED, SIGN, Figure, of_kind
from gbflow_results.files import Series, number

NAME = "P3"
TITLE = "Latency and TCP in evolved GERAN"
SOURCE = "a contribution to 3GPP TSG GERAN, \"Reducing the latency in the evolved GERAN\""
SCENARIO = "geran-latency.lua"
HAS_SERIES = False
SETUP = ("Each user alone in a cell: TTIs of 20 ms, PDUs of 71 or 142 octets, broken in both directions at a BLER "
         "of 10 % by the paper's rule, which is 9 % of them, sent again first and one RLC round-trip time later, in "
         "sequence. EDGE: 113.6 kbit/s down, 56.8 up; evolved GERAN (GEV): four times that. NewReno, packets of 1500 "
         "octets, initial window 2, slow start up to 40, window at most 42 packets, ACK delay 100 ms, RTO at least 1 "
         "s. What is varied: RLC RTT and the one-way latency between server and "
         "BTS. Each point of the grid and each seed draws block errors of its own; seeds also vary the start times.")

TTI_MS, GN_GB_MS, CELLS = 20, 2, 5
TRAFFIC = ("web", "web", "web", "ping", "ping")  # of the five mobiles
RTTS_MS = (50, 100, 150, 200, 250, 300)
LATENCIES_MS = (10, 50, 100, 150, 200)


# A TTI belongs to the model of the link, which has blocks of its own: eight slots of MCS-9, 9 % of them broken
# at 33 dB.
LINK = ('cells[2]={{ bvci = 3, pdchs = 8, downlink_slots = 8, uplink_slots = 8, coding = "MCS-9", window = 1024, '
        'flow_control = {{ bucket_time = "60 s" }}, '
        'tbf = {{ setup = "0 s", setup_with_uplink = "1 ms", release = "60 s", uplink_access = "0 s", '
        'uplink_hold = "60 s" }}, '
        'link = {{ ci_db = 33, tti = "{} ms", incremental_redundancy = false, resegmentation = false }} }}')
# A ping of 32 octets that finds no TBF, with the timers of gbflow's cells.
TBFS = ('cells[4]={ bvci = 5, pdchs = 4, downlink_slots = 4, uplink_slots = 2, coding = "MCS-6", bler = "9 %", '
        'flow_control = { bucket_time = "60 s" } }',
        'mobiles[4].traffic[1].ping={ octets = "32 octets", every = "4502 ms", count = 50 }')


@dataclass(frozen=True, order=True)
class Case:
    """One point of the grid; downloads: of GEV, ten in the paper; tti_ms: with the model of the link; has_tbfs: set
    up for each small ping."""

    rtt_ms: int
    latency_ms: int
    bler_percent: int = 10
    downloads: int = 10
    tti_ms: int = 0
    has_tbfs: bool = False

    @property
    def name(self) -> str:
        bler = "" if self.bler_percent == 10 else f"-bler{self.bler_percent}"
        tti = f"-tti{self.tti_ms}" * bool(self.tti_ms) + "-tbfs" * self.has_tbfs
        downloads = "" if self.downloads == 10 else f"-downloads{self.downloads}"
        return f"rtt{self.rtt_ms}-latency{self.latency_ms}{bler}{tti}{downloads}"

    @property
    def settings(self) -> list[str]:
        ttis_ms = {cell: self.tti_ms if self.tti_ms and cell == 2 else TTI_MS for cell in range(1, CELLS + 1)}
        again = [f"cells[{cell}].retransmission={self.rtt_ms - tti_ms} ms" for cell, tti_ms in ttis_ms.items()]
        bler = [f"cells[{cell}].bler={self.bler_percent} %" for cell in range(1, CELLS + 1) if self.bler_percent != 10]
        more = [f"mobiles[2].traffic[1].web.pages={self.downloads}", f"duration={6 * self.downloads + 50} s"]
        more = more if self.downloads != 10 else []
        cells = [LINK.format(self.tti_ms)] if self.tti_ms else list(TBFS) if self.has_tbfs else []
        return [f"network.server_delay={self.latency_ms - GN_GB_MS} ms", *cells, *again, *bler, *more]


@dataclass(frozen=True)
class Outcome:
    """What one run of one point says; rates are means of those of ten downloads."""

    edge_kbps: float | None
    gev_kbps: float | None
    page_s: float | None
    ping64_s: float | None
    ping64_min_s: float | None
    ping64_median_s: float | None
    ping1500_s: float | None
    ping1500_min_s: float | None
    timeouts: float | None
    small_down_s: float | None  # median delay of the small ping's answers, from the server to the mobile


GRID = [Case(rtt_ms, latency_ms) for rtt_ms in RTTS_MS for latency_ms in LATENCIES_MS]
# A BLER of 1 %; and none, which is what the paper's rule makes of 1 %: "between 1 and 100 ... less than" 1.
GOOD, NONE = ([Case(rtt_ms, 10, bler_percent) for rtt_ms in (50, 300)] for bler_percent in (1, 0))
OFTEN = Case(300, 50, downloads=150)
TTIS = [tuple(Case(rtt_ms, 10, downloads=40, tti_ms=tti_ms) for tti_ms in (TTI_MS, 10)) for rtt_ms in (50, 300)]
TBF = Case(100, 5, has_tbfs=True)
CASES = [*GRID, *GOOD, *NONE, OFTEN, *(case for pair in TTIS for case in pair), TBF]
number_of = partial(verdict.number_of_run, CASES)
LOW, FAR, HIGH = Case(50, 10), Case(300, 10), Case(300, 200)


def of_seed(case: Case, seed: int) -> list[str]:
    """Starts of the five mobiles."""
    return [f"mobiles[{mobile}].traffic[1].{kind}.start={verdict.start_ms(CASES.index(case) + 7 * mobile, seed):.1f} ms"
            for mobile, kind in enumerate(TRAFFIC, 1)]


def pages_of(summary: Mapping[str, Any], mobile: str) -> list[tuple[float, float]]:
    """Octets and seconds of those that came whole."""
    rows = [(number(row, "octets"), number(row, "time_s")) for row in summary["pages"] if row.get("mobile") == mobile]
    return [(octets, time_s) for octets, time_s in rows if octets and time_s]


def rate_kbps(summary: Mapping[str, Any], mobile: str) -> float | None:
    return mean([octets * 8e-3 / time_s for octets, time_s in pages_of(summary, mobile)])


def ping_s(summary: Mapping[str, Any], mobile: str, part: str) -> float | None:
    return next((number(row, "rtt_s", part) for row in summary["ping"] if row.get("mobile") == mobile), None)


def timeouts(summary: Mapping[str, Any], mobile: str) -> float | None:
    """Of all connections of a mobile."""
    found = [number(row, "timeouts") for row in summary["tcp"] if row.get("mobile") == mobile]
    return sum(value or 0 for value in found) if found else None


def small_down_s(summary: Mapping[str, Any]) -> float | None:
    return next((number(row, "delay_s", "p50") for row in summary["mobiles"] if row["mobile"] == "ping64"), None)


def outcome_of(summary: Mapping[str, Any], _: Series) -> Outcome:
    return Outcome(rate_kbps(summary, "edge-ftp"), rate_kbps(summary, "gev-ftp"),
                   mean([time_s for _, time_s in pages_of(summary, "gev-http")]),
                   *(ping_s(summary, "ping64", part) for part in ("avg", "min", "p50")),
                   *(ping_s(summary, "ping1500", part) for part in ("avg", "min")),
                   timeouts=timeouts(summary, "gev-ftp"),
                   small_down_s=small_down_s(summary))


def gev(run: Outcome) -> float | None:
    return run.gev_kbps


def page(run: Outcome) -> float | None:
    return run.page_s


def changes(pick: Callable[..., float | None], value: Value, pairs: list[tuple[Case, Case]]) -> Measure:
    """Per cent from the first case of a pair to the second; pick: which of the pairs."""
    return pick_of(pick, [change(after, before, value) for before, after in pairs])


def in_ms(value_of: Value) -> Value:
    return lambda run: scaled(value_of(run), 1000)


def over_rtt(first_ms: int, last_ms: int) -> list[tuple[Case, Case]]:
    """At each latency from one RLC RTT to another."""
    return [(Case(first_ms, latency_ms), Case(last_ms, latency_ms)) for latency_ms in LATENCIES_MS]


def over_latency(first_ms: int, last_ms: int) -> list[tuple[Case, Case]]:
    return [(Case(rtt_ms, first_ms), Case(rtt_ms, last_ms)) for rtt_ms in RTTS_MS]


def less_lost(value: Value, other: Value, pairs: list[tuple[Case, Case]]) -> Measure:
    """Over the pairs, the least number of points by which the first value loses more than the other one."""
    return pick_of(smallest, [joined(excess, change(after, before, other), change(after, before, value))
                              for before, after in pairs])


def further(value: Value, less_pair: tuple[Case, Case], more_pair: tuple[Case, Case]) -> Measure:
    """Points by which the value changes more from the first case of a pair to the second in the second pair than in
    the first one."""
    small, large = (size(change(after, before, value)) for before, after in (less_pair, more_pair))
    return joined(excess, large, small)


def size(measure: Measure) -> Measure:
    """Without its sign."""
    def without(runs: Outcomes) -> float | None:
        found = measure(runs)
        return None if found is None else abs(found)
    return without


def order(name: str, what: str, published: str, measure: Measure) -> Figure:
    return Figure(name, what, "% points", published, (1, 100), measure, "the order, by a point or more", kind=SIGN)


def abis_ms(run: Outcome) -> float | None:
    """From the uplink of Abis to its downlink, as the BSC takes no time upwards: the way to the server, and back
    without the block on the air."""
    return None if run.small_down_s is None else 1000 * run.small_down_s - TTI_MS + TBF.latency_ms


def radio_percent(run: Outcome) -> float | None:
    """What of a ping is not between Abis and Abis."""
    return scaled(quotient(excess(in_ms(lambda one: one.ping64_median_s)(run), abis_ms(run)), run.ping64_median_s), 0.1)


def extreme(name: str, what: str, published: str, band: tuple[float, float],
            measure: Measure) -> Figure:
    return Figure(name, what, "%", published, band, measure,
                  "15 % beyond the published range; a gain of 80 % is a loss of 44 %" if band == LOSS_BAND else
                  "2 points beyond the published range")


def spread_ms(runs: Outcomes, latency_ms: int) -> float | None:
    """Largest less smallest minimum of the small ping over the RLC RTTs."""
    found = whole(runs[Case(rtt_ms, latency_ms)].ping64_min_s for rtt_ms in RTTS_MS)
    return 1000 * (max(found) - min(found)) if found else None


def smallest_step(runs: Outcomes) -> float | None:
    """What a millisecond of RLC RTT adds to the large ping's average over the latencies,
    at the least from one RLC RTT to the next."""
    found = [whole(runs[Case(rtt_ms, latency_ms)].ping1500_s for latency_ms in LATENCIES_MS) for rtt_ms in RTTS_MS]
    means_ms = [1000 * sum(row) / len(row) for row in found if row]
    if len(means_ms) < len(found):
        return None
    steps = zip(zip(RTTS_MS, means_ms), zip(RTTS_MS[1:], means_ms[1:]))
    return min((high - low) / (far - near) for (near, low), (far, high) in steps)


def removed_percent(value: Value, without: tuple[Case, Case], least: float) -> Callable[[Outcomes], float | None]:
    """Share of what RLC RTT 300 instead of 50 ms does at a BLER of 10 % that is gone in other cases.
    0 where it does less than `least`
    percent: there is nothing to remove."""
    def measure(runs: Outcomes) -> float | None:
        full, left = (percent_more(value(runs[far]), value(runs[near])) for near, far in ((LOW, FAR), without))
        if full is None or left is None:
            return None
        return 100 * (1 - left / full) if abs(full) >= least else 0.0
    return measure


def unlucky_percent(runs: Outcomes) -> float | None:
    """Share of the grid's points where each of the 50 large pings met a repetition: the smallest takes half an RLC RTT
    more."""
    found = []
    for latency_ms in LATENCIES_MS:
        values = whole(runs[Case(rtt_ms, latency_ms)].ping1500_min_s for rtt_ms in RTTS_MS)
        if values is None:
            return None
        found += [value - min(values) > rtt_ms / 2000 for rtt_ms, value in zip(RTTS_MS, values, strict=True)]
    return 100 * sum(found) / len(found)


def timed_out_percent(*cases: Case) -> Callable[[Outcomes], float | None]:
    """Time-outs by downloads."""
    def measure(runs: Outcomes) -> float | None:
        counts = whole(runs[case].timeouts for case in cases)
        return None if counts is None else 100 * sum(counts) / sum(case.downloads for case in cases)
    return measure


DOWN_RTT, UP_RTT = over_rtt(50, 300), over_rtt(300, 50)
# 15 % of the published 30 and 40 % to either side.
LOSS_BAND = (-46, -25.5)
# Percent: an impact of less is none that anything could remove.
LEAST_EFFECT = 15
REMOVED, REMOVED_WHY = (75, 125), "at least three quarters of the loss at a BLER of 10 %, which is at least 15 %"
RULE = "a PDU breaks if a number between 1 and 100 is less than the BLER: at 10 that is 9 %, at 1 none"
AVERAGE_WHY = ("a block that breaks costs one RLC RTT, whatever the size of the ping: at 10 % in each direction that "
               "is on average 18 % of the RLC RTT, 45 ms at 300 ms. What does not depend on it is the ping that meets "
               "no repetition: p3-ping64-typical, p3-ping64-min; and each ping with no errors: p3-ping64-none")
BLER_WHY = ("100 kB are 700 PDUs, of which 7 break: each holds back what is behind it for an RLC RTT, also in slow "
            f"start. The paper's rule has no errors at 1 %: {RULE}. p3-bler-rule plays that")

MS_CAUSE = ("terminal and PPP line are not modelled. The paper says that they are likely to take a significant time, "
            "and could not measure it. "
            "p3-parts-abis is without them")
# Of each number that a value of the scenario was chosen by.
FIT_ROWS = ("p3-http-low", "p3-http-latency-*")


def order_rows() -> list[Figure]:
    rtt, latency = over_rtt(50, 300), over_latency(10, 200)
    back = {case.latency_ms: (far, case) for case, far in rtt}
    return [
        order("p3-order-phy", "RLC RTT 50 to 300 ms: by how much more GEV's downloads lose than EDGE's, the least "
                              "over the latencies",
              "higher PHY rates are more sensitive to delays", less_lost(gev, lambda run: run.edge_kbps, rtt)),
        order("p3-order-phy-latency", "latency 10 to 200 ms: the same, the least over the RLC RTTs",
              "higher PHY rates are more sensitive to delays",
              less_lost(gev, lambda run: run.edge_kbps, latency)),
        order("p3-order-ftp", "gain of GEV's downloads, RLC RTT 300 to 50 ms: that at latency 10 less that at 200 ms",
              "larger if the one-way delay is smaller", further(gev, back[200], back[10])),
        order("p3-order-http-rtt", "reduction of the page, RLC RTT 300 to 50 ms: that at latency 10 less that at 200 "
                                   "ms",
              "larger the lower the latency", further(page, back[200], back[10])),
        order("p3-order-http-latency", "reduction of the page, latency 200 to 10 ms: that at RLC RTT 50 less that at "
                                       "300 ms",
              "larger the lower the RLC RTT", further(page, (Case(300, 200), FAR), (Case(50, 200), LOW))),
    ]


def part_rows() -> list[Figure]:
    """Section 5, measured in another network: pings of 32 octets that set up TBFs."""
    return [
        Figure("p3-parts-ping", "section 5: ping of 32 octets that sets up TBFs, median", "ms", "540 to 1200",
               (540, 1200),
               value_in(TBF, in_ms(lambda run: run.ping64_median_s)), "the published range", MS_CAUSE),
        Figure("p3-parts-abis", "section 5: of it from Abis up to Abis down", "ms", "70 to 190", (70, 190),
               value_in(TBF, abis_ms), "the published range"),
        Figure("p3-parts-radio", "section 5: share of it that is between BSS and MS", "%", "the major contributor",
               (50, 100), value_in(TBF, radio_percent),
               "more than half", kind=SIGN),
    ]


FIGURES = of_kind(FITTED, [
    Figure("p3-ftp-edge", "rate of a download of 100 kB, EDGE, lowest delays", "kbit/s", "above 90", (88, 97),
           value_in(LOW, lambda run: run.edge_kbps), "from 2 % below to 8 % above 90"),
    Figure("p3-ftp-gev", "rate of a download of 100 kB, GEV, lowest delays", "kbit/s", "above 280", (265, 335),
           value_in(LOW, gev), "from 5 % below to 20 % above 280"),
    extreme("p3-ftp-gev-loss", "rate of a download, GEV, RLC RTT 50 to 300 ms: the greatest loss", "-30 to -40 %",
            LOSS_BAND, changes(smallest, gev, DOWN_RTT)),
    extreme("p3-ftp-gev-least-loss", "the same, the smallest loss", "-30 to -40 %", LOSS_BAND,
            changes(largest, gev, DOWN_RTT)),
    Figure("p3-ftp-gev-gain", "the other way round: the greatest gain", "%", "up to 80 %", (68, 85),
           changes(largest, gev, UP_RTT), "15 % less; up to 80 %, and 5 points"),
    Figure("p3-http-low", "web page, GEV, RLC RTT 50 ms and latency 10 ms", "s", 8.8, (7.5, 10.1),
           value_in(LOW, page), "15 %: the paper downloads it once"),
    Figure("p3-http-high", "web page, GEV, RLC RTT 300 ms and latency 200 ms", "s", 30.3, (25.8, 34.8),
           value_in(HIGH, page), "15 %: the paper downloads it once"),
    extreme("p3-http-latency-most", "web page, latency 200 to 10 ms: the greatest reduction", "-40 to -60 %",
            (-62, -38), changes(smallest, page, over_latency(200, 10))),
    extreme("p3-http-latency-least", "the same, the smallest reduction", "-40 to -60 %", (-62, -38),
            changes(largest, page, over_latency(200, 10))),
    extreme("p3-http-rtt-most", "web page, RLC RTT 300 to 50 ms: the greatest reduction", "-25 to -50 %", (-52, -23),
            changes(smallest, page, UP_RTT)),
    extreme("p3-http-rtt-least", "the same, the smallest reduction", "-25 to -50 %", (-52, -23),
            changes(largest, page, UP_RTT)),
    Figure("p3-bler", "loss of rate, GEV, RLC RTT "
           "50 to 300 ms at latency 10 ms: share of it that a BLER of 1 % removes", "%", "essentially removes "
           "the impact of RLC RTT", REMOVED, removed_percent(gev, tuple(GOOD), LEAST_EFFECT), REMOVED_WHY, BLER_WHY),
    Figure("p3-bler-rule", "the same with the paper's rule for a BLER of 1 %, which breaks no PDU",
           "%", "essentially removes the impact of RLC RTT",
           REMOVED, removed_percent(gev, tuple(NONE), LEAST_EFFECT), f"{REMOVED_WHY}; {RULE}"),
    Figure("p3-timeouts", f"time-outs by downloads, GEV, RLC RTT 300 ms and latency 50 ms, {OFTEN.downloads} downloads",
           "%", "one in ten (Fig. 4)",
           (0.25, 44.5), timed_out_percent(OFTEN), "what one of ten says with 95 % certainty", kind=SIGN),
    Figure("p3-timeouts-short", "time-outs by downloads, GEV, RLC RTT 50 to 200 ms, all latencies",
           "%", "only for the largest values of RLC RTT",
           (0, 1), timed_out_percent(*(case for case in GRID if case.rtt_ms <= 200)), "none, or a tenth of one in ten"),
    Figure("p3-ping64", "ping of 64 octets, average, lowest delays", "ms", 90, (80, 100),
           value_in(LOW, in_ms(lambda run: run.ping64_s)), "a ninth of the published value"),
    Figure("p3-ping64-min", "ping of 64 octets, latency 10 ms: how far the smallest differ over the RLC RTTs", "ms",
           "constant", (0, 2), lambda runs: spread_ms(runs, 10), "pings meet the TTI clock at phases 2 ms apart"),
    Figure("p3-ping64-average", "ping of 64 octets, average, RLC RTT 50 to 300 ms at latency 10 ms", "%",
           "hardly any dependence (Fig. 7)", (-10, 10), change(FAR, LOW, lambda run: run.ping64_s),
           "a tenth to either side",
           AVERAGE_WHY),
    Figure("p3-ping64-typical", "ping of 64 octets, median, RLC RTT 50 to 300 ms at latency 10 ms", "%",
           "hardly any dependence: retransmissions are infrequent", (-10, 10),
           change(FAR, LOW, lambda run: run.ping64_median_s),
           "a ping in five meets a repetition"),
    Figure("p3-ping64-none", "ping of 64 octets: share of the average's "
           "rise from RLC RTT 50 to 300 ms that no errors remove", "%", "retransmissions alone depend "
           "on it (Fig. 7, 9)", (95, 105), removed_percent(lambda run: run.ping64_s, tuple(NONE), LEAST_EFFECT), "all "
           "of it, give or take a twentieth; shows the cause of p3-ping64-average"),
    Figure("p3-ping1500-min", "points of the grid where each of 50 pings of 1500 octets meets "
           "a repetition", "%", "some, which lift the smallest RTT (Fig. 10)", (1, 21), unlucky_percent, "33 PDUs "
           "of one ping arrive at once with 4.4 %, so 10 % of 30 points, give or take two standard deviations of 5.6"),
    Figure("p3-ping1500-rises", "ping of 1500 octets, average over the latencies: what a ms of RLC RTT adds, in its "
           "smallest step", "ms", "rises (Fig. 8)", (0.45, 2.25), smallest_step, "11 PDUs down and 22 up need 0.74 "
           "and 1.05 repetitions one after the other, 1.8 in all; up to a quarter more, at least a quarter"),
    Figure("p3-ping1500-factor", "ping of 1500 octets, average at RLC RTT 300 ms by that at 50 ms, latency 10 ms", "",
           "rises (Fig. 8)", (2.2, 3.7), ratio(FAR, LOW, lambda run: run.ping1500_s),
           "without repetitions 0.14 s: 6 TTIs and the latency; 1.8 repetitions of 50 and 300 ms make it 0.23 and 0.68 "
           "s: 3, and 25 % of it"),
    *order_rows(),
    *(Figure(f"p3-tti-rtt{short.rtt_ms}", f"rate of a download, RLC RTT {short.rtt_ms} ms, latency 10 ms: a TTI of "
             "10 ms against 20 ms at the same delays", "%",
             "no change", (-10, 10), change(short, long, gev), "a tenth to either side") for long, short in TTIS),
    *part_rows(),
], *FIT_ROWS)


# --- plots ---

RTT, LATENCY = "RLC RTT (ms)", "server-to-BTS latency, one way (ms)"
# (latency, RLC RTT, value) of numbers that the paper states, by figure.
PUBLISHED = {"p3-fig2": [(10, 50, 90)], "p3-fig3": [(10, 50, 280)], "p3-fig4": [(10, 50, 280)],
             "p3-fig5": [(10, 50, 8.8), (200, 300, 30.3)], "p3-fig6": [(10, 50, 8.8), (200, 300, 30.3)],
             "p3-fig7": [(10, 50, 90)]}


def plots(by_seed: BySeed) -> list[Plot]:
    made = [
        grid(by_seed, lambda run: run.edge_kbps, LATENCY,
             ("p3-fig2", "Fig. 2: ftp, EDGE", "average bit rate (kbit/s)")),
        grid(by_seed, lambda run: run.gev_kbps, LATENCY, ("p3-fig3", "Fig. 3: ftp, GEV", "average bit rate (kbit/s)")),
        grid(by_seed, lambda run: run.gev_kbps, RTT, ("p3-fig4", "Fig. 4: ftp, GEV", "average bit rate (kbit/s)")),
        grid(by_seed, lambda run: run.page_s, LATENCY, ("p3-fig5", "Fig. 5: web page, GEV", "download time (s)")),
        grid(by_seed, lambda run: run.page_s, RTT, ("p3-fig6", "Fig. 6: web page, GEV", "download time (s)")),
        grid(by_seed, in_ms(lambda run: run.ping64_s), RTT,
             ("p3-fig7", "Fig. 7: ping of 64 octets", "average RTT (ms)")),
        grid(by_seed, in_ms(lambda run: run.ping1500_s), RTT,
             ("p3-fig8", "Fig. 8: ping of 1500 octets", "average RTT (ms)")),
        grid(by_seed, in_ms(lambda run: run.ping64_min_s), RTT,
             ("p3-fig9", "Fig. 9: ping of 64 octets", "smallest RTT (ms)")),
        grid(by_seed, in_ms(lambda run: run.ping1500_min_s), RTT,
             ("p3-fig10", "Fig. 10: ping of 1500 octets", "smallest RTT (ms)")),
    ]
    return [one for one in made if one]


def grid(by_seed: BySeed, value_of: Value, axis: str, words: tuple[str, str, str]) -> Plot | None:
    """One curve for each value of what is not on the axis."""
    name, title, unit = words
    figure, (axes,) = draw.canvas(size=(7.2, 3.6))
    curves, points = (RTTS_MS, LATENCIES_MS) if axis == LATENCY else (LATENCIES_MS, RTTS_MS)
    for index, curve in enumerate(curves):
        cases = [Case(curve, point) if axis == LATENCY else Case(point, curve) for point in points]
        values = [(point, known_values(by_seed, case, value_of)) for point, case in zip(points, cases)]
        shown = [(point, median(found)) for point, found in values if found]
        if not shown:
            return None
        style = draw.look(index)
        axes.plot(*zip(*shown), color=style.colour, linestyle=style.dash, marker=style.marker, markersize=4,
                  label=f"{curve} ms")
    mark(axes, name, axis)
    axes.set_ylim(bottom=0)
    draw.finish(axes, axis, unit)
    other = RTT if axis == LATENCY else LATENCY
    return Plot(figure, name, title, f"Medians over {len(by_seed)} seeds; one curve for each {other}. Black: numbers "
                "that the paper states in words, where it has any.")


def mark(axes: Axes, name: str, axis: str) -> None:
    for latency_ms, rtt_ms, value in PUBLISHED.get(name, ()):
        axes.plot(latency_ms if axis == LATENCY else rtt_ms, value, linestyle="none", marker="*", markersize=11,
                  color="black")
