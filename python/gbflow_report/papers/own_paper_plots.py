# SPDX-License-Identifier: BSD-3-Clause
"""own: the plots of the paper, and the short runs whose series show one page under each scheme."""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from gbflow_report import draw, looks, page
from gbflow_report.draw import Plot
from gbflow_report.papers import own, own_cases
from gbflow_report.papers.measures import BySeed, Value, middle, value_in
from gbflow_report.papers.own_cases import NONE, Q_WINDOWS, RED, SETTINGS, TCP, WEB, Case
from gbflow_report.runs import SERIES, SUMMARY, Kind
from gbflow_results import files


# --- one page under each scheme ---

FIRST_S, LAST_S, DURATION_S = 60, 160, 400
CLASS_OF_PAGE = "thp2"


@dataclass(frozen=True)
class Load:
    """Octets of a page that its mobile has, over the time since its request."""

    time_s: tuple[float, ...]
    octets: tuple[float, ...]


@dataclass(frozen=True)
class LoadRun:
    """A short run that keeps its series. read(): the page that took the median time of those begun early enough to
    end."""

    scheme: str

    @property
    def name(self) -> str:
        return f"page-{self.scheme}"

    @property
    def settings(self) -> list[str]:
        return [*SETTINGS[self.scheme], f"duration={DURATION_S} s"]

    def read(self, folder: pathlib.Path) -> Load | None:
        summary = files.read_summary(folder / SUMMARY)
        names = own_cases.users_of(summary, CLASS_OF_PAGE)
        ended = sorted((row["time_s"], row["mobile"], row["start_s"])
                       for row in own_cases.rows_of(summary, "pages", names)
                       if row["time_s"] is not None and FIRST_S <= row["start_s"] < LAST_S)
        if not ended:
            return None
        page_s, mobile, start_s = ended[len(ended) // 2]
        return load_of(files.read_series(folder / SERIES).curves_of("goodput_bps")[mobile], start_s, page_s)


def load_of(rates: files.Curve, start_s: float, page_s: float) -> Load:
    """Adds up the samples of a mobile's goodput from the request to the end of the page."""
    times, octets = [0.0], [0.0]
    for (before_s, _), (at_s, rate_bps) in pairwise(zip(rates.time_s, rates.value, strict=True)):
        if start_s < at_s and before_s < start_s + page_s:
            part_s = min(at_s, start_s + page_s) - max(before_s, start_s)
            times.append(float(min(at_s - start_s, page_s)))
            octets.append(octets[-1] + float(rate_bps * part_s / 8))
    return Load(tuple(times), tuple(octets))


def load_runs() -> Kind:
    return Kind(f"{own.NAME}-page", own.SCENARIO, [LoadRun(scheme) for scheme in shown(SETTINGS)], has_series=True)


# --- plots ---

# What the plots tell apart; of the others the tables have a row. More than draw.COLOURS would look alike.
SHOWN = (NONE, RED, "fq-codel", "fq-codel-ecn", "cake", "q", Q_WINDOWS)
NARROW, TALL = (4.6, 2.7), (4.6, 4.9)
NAMES = {"thp2": "THP2", "thp3": "THP3", "background": "background"}


def shown(schemes: Mapping[str, Any]) -> list[str]:
    return [scheme for scheme in SHOWN if scheme in schemes]


def look_of(scheme: str) -> draw.Look:
    """The same in every plot."""
    return draw.look(SHOWN.index(scheme))


def plots(by_seed: BySeed, loads: Mapping[str, Load]) -> list[Plot]:
    schemes = shown({case.scheme for case in own_cases.SCHEMES})
    made = [users(by_seed, schemes), delay_and_fairness(by_seed), bars(by_seed, schemes, "delay"),
            bars(by_seed, schemes, "page")]
    return [*made, pages(loads)] if loads else made


def users(by_seed: BySeed, schemes: Sequence[str]) -> Plot:
    """Each user's goodput by the mean of its class in its run, so that one axis serves all classes."""
    figure, panels = draw.canvas(len(TCP), TALL)
    for axes, name in zip(panels, TCP, strict=True):
        for scheme in schemes:
            style = look_of(scheme)
            shares = sorted(share for runs in by_seed.values()
                            for share in shares_of(runs[Case(scheme)][name].users_kbps))
            axes.plot(shares, [(place + 1) / len(shares) for place in range(len(shares))], color=style.colour,
                      linestyle=style.dash, label=scheme)
        axes.set_ylim(0, 1)
        axes.set_xlim(0, 2)
        axes.set_ylabel(NAMES[name])
    key(panels[0])
    panels[-1].set_xlabel("goodput of a user by the mean of its class")
    return Plot(figure, "paper-users", "Goodput of users, hosts of today", "Share of the users of "
                f"{page.plural(len(by_seed), 'seed')} that get at most so much, by class. Each is divided by the mean "
                "of its class in its run. A vertical line is equal service.")


def shares_of(rates: Sequence[float]) -> list[float]:
    middle = mean(rates) if rates else 0
    return [rate / middle for rate in rates] if middle else []


def delay_and_fairness(by_seed: BySeed) -> Plot:
    """All schemes: where they are at, on both counts."""
    figure, panels = draw.canvas(2, TALL)
    of_axes: list[tuple[Axes, str, Value]] = [
        (panels[0], "worst user by the mean", own_cases.seen(looks.WORST)),
        (panels[1], "page time p95 (s)", own_cases.seen(looks.PAGE))]
    of_panels: list[tuple[Axes, list[tuple[float, float, str]]]] = []
    panels[0].set_xscale("log")
    for axes, title, value_of in of_axes:
        axes.set_ylabel(title)
        points: list[tuple[float, float, str]] = []
        for case in (case for case in own_cases.SCHEMES if not case.is_2006 and not case.scheme.endswith("-rate")):
            delay = middle(by_seed, case, value_in("thp3", own_cases.delay_s))
            value = middle(by_seed, case, value_in("thp3", value_of))
            if delay is not None and value is not None:
                points.append((delay, value, case.scheme))
                style = look_of(case.scheme) if case.scheme in SHOWN else draw.Look("#8a8a8a", "-", "o")
                axes.plot([delay], [value], linestyle="none", marker=style.marker, color=style.colour, markersize=5)
        axes.margins(0.12, 0.1)
        of_panels.append((axes, points))
    panels[1].set_xlabel("delay p95 (s)")
    plain_log(panels[1].xaxis)
    figure.draw_without_rendering()  # the layout gives the axes their height
    for axes, points in of_panels:
        label(axes, points)
    return Plot(figure, "paper-fair", "Delay, shares and page times of THP3, hosts of today",
                "All schemes, medians over the seeds. The best place is at the left, at the top of the upper and at "
                "the bottom of the lower plot.")


LINE = 8.0  # from one label to the next, in points


def spread(wanted: Sequence[float], step: float) -> list[float]:
    """In order, each as near as can be to where it is wanted, a step apart, none above 1."""
    places: list[float] = []
    for place in wanted:
        places.append(max(place, places[-1] + step) if places else place)
    return [min(place, 1 - step * (len(places) - 1 - index)) for index, place in enumerate(places)]


def label(axes: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """In a column beside the axes, in the order of the points, each with a line to its own."""
    def height(point: tuple[float, float, str]) -> float:
        return float(axes.transAxes.inverted().transform(axes.transData.transform(point[:2]))[1])
    ordered = sorted(points, key=height)
    step = LINE / (axes.get_window_extent().height * 72 / axes.figure.dpi)
    for (x, y, text), place in zip(ordered, spread([height(point) for point in ordered], step), strict=True):
        axes.annotate(text, (x, y), xytext=(1.06, place), textcoords="axes fraction", fontsize=7, va="center",
                      arrowprops={"arrowstyle": "-", "color": "#b0b0b0", "linewidth": 0.5, "shrinkA": 1, "shrinkB": 2})


def plain_log(axis: Axis) -> None:
    """Decimal numbers beside a logarithmic axis."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def key(axes: Axes) -> None:
    """A legend as wide as a column."""
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncol=4, borderaxespad=0.2, handlelength=2.4,
                columnspacing=1.0)


BARS: dict[str, tuple[str, Sequence[str], Value, str]] = {
    "delay": ("delay p95 (s)", TCP, own_cases.delay_s, "End-to-end delay, 95th percentile, hosts of today"),
    "page": ("page time p95 (s)", WEB, own_cases.seen(looks.PAGE), "Page time, 95th percentile, hosts of today"),
}


def bars(by_seed: BySeed, schemes: Sequence[str], what: str) -> Plot:
    title, classes, value_of, caption = BARS[what]
    figure, (axes,) = draw.canvas(size=NARROW)
    width = 0.85 / len(schemes)
    for place, name in enumerate(classes):
        for index, scheme in enumerate(schemes):
            value = middle(by_seed, Case(scheme), value_in(name, value_of))
            if value is not None:
                axes.bar(place + (index - (len(schemes) - 1) / 2) * width, value, width, color=look_of(scheme).colour,
                         label=scheme if place == 0 else None)
    axes.set_xticks(range(len(classes)), [NAMES[name] for name in classes])
    if what == "delay":
        axes.set_yscale("log")
        plain_log(axes.yaxis)
    axes.set_ylabel(title)
    key(axes)
    return Plot(figure, f"paper-{what}", caption, f"Medians over {page.plural(len(by_seed), 'seed')}."
                + (" The axis is logarithmic." if what == "delay" else ""))


def pages(loads: Mapping[str, Load]) -> Plot:
    figure, (axes,) = draw.canvas(size=NARROW)
    for scheme, load in loads.items():
        style = look_of(scheme)
        axes.plot(load.time_s, [octets / 1000 for octets in load.octets], color=style.colour, linestyle=style.dash,
                  label=scheme)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time since the request (s)")
    axes.set_ylabel("page at the mobile (kB)")
    key(axes)
    return Plot(figure, "paper-load", "One page of THP2 under each scheme, hosts of today",
                f"Of the pages that began from {FIRST_S} s to {LAST_S} s in the run of seed 1, the one that took the "
                "median time.")
