# SPDX-License-Identifier: BSD-3-Clause
"""Plots of the gallery: what the sentences say of the values over the seeds, with error bars, on white paper,
so that a dark page shows them as well."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from gallery_data import MEAN, Statistic, Values
from gbflow_report import draw

SIZE, TALL = (6.4, 3.2), (6.4, 4.4)
WHISKER = {"elinewidth": 1.1, "capsize": 2.5, "ecolor": "#333333"}


def canvas(rows: int = 1) -> tuple[Figure, list[Axes]]:
    return draw.canvas(rows, TALL if rows > 1 else SIZE)


def whiskers(values: Values, of: Statistic) -> list[list[float]]:
    """Below and above the middle."""
    middle = of.middle(values)
    low, high = of.ends(values) or (middle, middle)
    return [[middle - low], [high - middle]]


def bars(axes: Axes, groups: Sequence[str], series: Mapping[str, Sequence[Values]], digits: int,
         of: Statistic = MEAN) -> None:
    """A bar for each group in each of the series, with its number above."""
    width = 0.8 / len(series)
    for index, (label, values) in enumerate(series.items()):
        for place, one in enumerate(values):
            at = place + (index - (len(series) - 1) / 2) * width
            axes.bar(at, of.middle(one), width * 0.92, color=draw.COLOURS[index],
                     label=label if place == 0 and len(series) > 1 else None)
            axes.errorbar(at, of.middle(one), whiskers(one, of), fmt="none", **WHISKER)
            top = of.middle(one) + (whiskers(one, of)[1][0] if of is MEAN else 0)
            axes.annotate(f"{of.middle(one):.{digits}f}", (at, top), (0, 4), textcoords="offset points", ha="center",
                          va="bottom", fontsize=8, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6})
    axes.set_xticks(range(len(groups)), groups)
    axes.grid(axis="x", visible=False)
    axes.margins(y=0.14)
    axes.set_ylim(bottom=0)


def lines(axes: Axes, series: Mapping[str, Sequence[tuple[float, Values]]]) -> None:
    for index, (label, curve) in enumerate(series.items()):
        style = draw.look(index)
        errors = [[whiskers(values, MEAN)[side][0] for _, values in curve] for side in (0, 1)]
        axes.errorbar([x for x, _ in curve], [MEAN.middle(values) for _, values in curve], errors, label=label,
                      color=style.colour,
                      linestyle=style.dash, marker=style.marker, markersize=4, **{**WHISKER, "ecolor": style.colour})


def ticks(axes: Axes, places: Sequence[float]) -> None:
    """A logarithmic x axis with these ticks only."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def level(axes: Axes, value: float, words: str) -> None:
    """A horizontal line with its name."""
    axes.axhline(value, color="#333333", linewidth=1, linestyle=(0, (4, 3)))
    axes.annotate(words, (1, value), (-2, 3), xycoords=("axes fraction", "data"), textcoords="offset points",
                  ha="right", fontsize=8)
