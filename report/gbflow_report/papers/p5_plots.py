# SPDX-License-Identifier: BSD-3-Clause
"""The paper's Table I as bars, and its Fig. 2 to 4: sequence numbers and outstanding data over time."""

from collections.abc import Callable, Mapping
from statistics import median

import numpy
from matplotlib.axes import Axes

from gbflow_report import draw
from gbflow_report.draw import Plot
from gbflow_report.papers.p5 import CASES, CURE, FIGURES, FREE, PUBLISHED, RESUME, Case, Outcome, first_calls_s
from gbflow_results.files import Curve

BySeed = Mapping[int, Mapping[Case, Outcome]]

FIRST_S = 300
BEFORE_S, AFTER_S = 6, 16
BAR = 0.6
LABELS = {FREE: "no calls", CURE: "3 s, proposal", RESUME: "3 s, goes on at once"}


def plots(by_seed: BySeed) -> list[Plot]:
    seed = min(by_seed)
    runs = by_seed[seed]
    made = [
        bars(by_seed, "throughput", lambda run: run.goodput_kbps,
             ("p5-table-throughput", "Table I: throughput", "TCP goodput (kbit/s)")),
        bars(by_seed, "retransmitted", lambda run: run.retransmitted_percent,
             ("p5-table-retransmitted", "Table I: retransmitted", "payload sent again (%)")),
        bars(by_seed, "rtt", lambda run: run.rtt_s, ("p5-table-rtt", "Table I: average RTT", "average RTT (s)")),
        sequence(runs[PUBLISHED[0]], (0, FIRST_S), ("p5-fig2a", "Fig. 2(a): sequence numbers, 3 s of pre-emption",
                                                    f"Seed {seed}. What is sent again comes once a minute.")),
        outstanding(runs[PUBLISHED[0]], ("p5-fig2b", "Fig. 2(b): outstanding data, 3 s of pre-emption", seed)),
        sequence(runs[PUBLISHED[2]], (0, FIRST_S), ("p5-fig3a", "Fig. 3(a): sequence numbers, 15 s of pre-emption",
                                                    f"Seed {seed}. Each pre-emption ends in a time-out.")),
        outstanding(runs[PUBLISHED[2]], ("p5-fig3b", "Fig. 3(b): outstanding data, 15 s of pre-emption", seed)),
        sequence(runs[PUBLISHED[0]], detail_s(PUBLISHED[0], seed), ("p5-fig4", "Fig. 4: the first pre-emption",
                                                f"Seed {seed}, at the server. What the BSC had is sent again; what the "
                                                "SGSN had arrives.")),
        sequence(runs[CURE], detail_s(CURE, seed), ("p5-cure", "The same with the paper's proposal",
                                        f"Seed {seed}. The BSC keeps its buffer for 5 s: the transfer stands still for "
                                        "3 s and goes on.")),
    ]
    return [one for one in made if one]


def detail_s(case: Case, seed: int) -> tuple[float, float]:
    """Around the first pre-emption."""
    return first_calls_s(case, seed) - BEFORE_S, first_calls_s(case, seed) + AFTER_S


def bars(by_seed: BySeed, kind: str, value_of: Callable[[Outcome], float | None], words: tuple[str, str, str]) -> Plot | None:
    name, title, unit = words
    figure, (axes,) = draw.canvas(size=(7.2, 3.2))
    shown = [case for case in (*PUBLISHED, RESUME, CURE, FREE) if case in CASES]
    for place, case in enumerate(shown):
        values = [value for value in (value_of(runs[case]) for runs in by_seed.values()) if value is not None]
        if not values:
            return None
        middle = median(values)
        axes.bar(place, middle, BAR, color=draw.COLOURS[0 if case in PUBLISHED else 2])
        axes.errorbar(place, middle, yerr=[[middle - min(values)], [max(values) - middle]], color="#333333", capsize=3)
        axes.annotate(f"{middle:.3g}", (place, 0), xytext=(0, 5), textcoords="offset points", ha="center",
                      bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "linewidth": 0, "alpha": 0.9})
        mark_published(axes, f"p5-{kind}-{case.name}", place)
    axes.set_xticks(range(len(shown)), [LABELS.get(case, f"{case.hold_s} s") for case in shown])
    axes.grid(axis="x", visible=False)
    axes.set_ylim(bottom=0)
    draw.finish(axes, "pre-emption once a minute", unit)
    return Plot(figure, name, title, f"Bars: median over {len(by_seed)} seeds, whiskers their smallest and largest; black: "
                "the paper's number in its band. To wait for the terminal's request costs nothing by itself: an "
                "acknowledgement is always waiting there.")


def mark_published(axes: Axes, name: str, place: int) -> None:
    for figure in FIGURES:
        if figure.name == name and not isinstance(figure.published, str):
            low, high = figure.band
            axes.bar(place, high - low, BAR + 0.08, bottom=low, fill=False, edgecolor="black", linewidth=0.9,
                     linestyle=(0, (3, 2)))
            axes.hlines(figure.published, place - BAR / 2, place + BAR / 2, color="black", linewidth=2)


def within(curve: Curve, span_s: tuple[float, float]) -> Curve:
    kept = (curve.time_s >= span_s[0]) & (curve.time_s <= span_s[1])
    return Curve(curve.time_s[kept], curve.value[kept] * 1e-3)


def sequence(run: Outcome, span_s: tuple[float, float], words: tuple[str, str, str]) -> Plot | None:
    sent, acked, again = (within(curve, span_s) for curve in (run.sent, run.acked, run.again))
    if not len(sent):
        return None
    figure, (axes,) = draw.canvas()
    draw.line(axes, sent, "sent", draw.look(0))
    draw.line(axes, acked, "acknowledged", draw.look(2))
    few = draw.thinned(again, draw.POINTS)
    axes.plot(few.time_s, few.value, linestyle="none", marker="x", markersize=5, color=draw.COLOURS[1],
              label=f"sent again ({len(again)})")
    draw.finish(axes, "time (s)", "sequence number (kB)")
    name, title, caption = words
    return Plot(figure, name, title, caption)


def outstanding(run: Outcome, words: tuple[str, str, int]) -> Plot | None:
    """What is sent and not acknowledged, whenever something is sent."""
    if not len(run.sent) or not len(run.acked):
        return None
    before = numpy.searchsorted(run.acked.time_s, run.sent.time_s, side="right") - 1
    acked = numpy.where(before >= 0, run.acked.value[numpy.maximum(before, 0)], 0)
    figure, (axes,) = draw.canvas()
    draw.line(axes, Curve(run.sent.time_s, (run.sent.value - acked) * 1e-3), "outstanding", draw.look(0))
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(draw.minutes(5))
    draw.finish(axes, "time (s)", "outstanding data (kB)")
    name, title, seed = words
    return Plot(figure, name, title, f"Seed {seed}. First up to the receiver's window of 64 kB; the paper's then has peaks at "
                "16 kB, this sender's are higher because it halves its window only once for each pre-emption.")
