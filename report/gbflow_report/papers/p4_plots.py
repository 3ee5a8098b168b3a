# SPDX-License-Identifier: BSD-3-Clause
"""The paper's Fig. 1 to 4, with what was measured, what was published, and the bands."""

from collections.abc import Callable, Mapping
from statistics import median

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from gbflow_report import draw
from gbflow_report.draw import Plot
from gbflow_report.papers.p4 import FIGURES, LOSSY, TABLE, Case, Outcome
from gbflow_results.files import Curve

BySeed = Mapping[int, Mapping[Case, Outcome]]

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


def bars(by_seed: BySeed, kind: str, value_of: Callable[[Outcome], float | None], unit: str,
         words: tuple[str, str, str]) -> Plot | None:
    figure, (axes,) = draw.canvas(size=(7.2, 3.6))
    cases = sorted(TABLE)
    drawn = 0
    for case in cases:
        values = [value for value in (value_of(runs[case]) for runs in by_seed.values()) if value is not None]
        if values:
            bar(axes, case, values)
            drawn += 1
    if not drawn:
        return None
    for case in cases:
        mark_published(axes, kind, case)
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
    axes.errorbar(place(case), middle, yerr=[[middle - min(values)], [max(values) - middle]], color="#333333",
                  capsize=3, linewidth=1)
    axes.annotate(f"{middle:.1f}", (place(case), 0), xytext=(0, 5), textcoords="offset points", ha="center", fontsize=9,
                  bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "linewidth": 0, "alpha": 0.9})


def mark_published(axes: Axes, kind: str, case: Case) -> None:
    """A black line at the paper's number, the band as a frame around it."""
    for figure in FIGURES:
        if figure.name != f"p4-{kind}-{case.name}":
            continue
        left, (low, high) = place(case) - BAR / 2, figure.band
        axes.bar(place(case), high - low, BAR + 0.04, bottom=low, fill=False, edgecolor="black", linewidth=0.9,
                 linestyle=(0, (3, 2)), label="band")
        axes.hlines(figure.published, left - 0.02, left + BAR + 0.02, color="black", linewidth=2, label="published")


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
