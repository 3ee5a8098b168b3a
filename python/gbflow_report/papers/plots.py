# SPDX-License-Identifier: BSD-3-Clause
"""Plots of papers, bars: medians over the seeds, in groups, with whiskers and the published numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from matplotlib.axes import Axes

from gbflow_report import draw
from gbflow_report.draw import Plot
from gbflow_report.papers.verdict import Figure

SIZE = (7.2, 3.6)


def whiskers(axes: Axes, place: float, values: Sequence[float], **look: float) -> None:
    """From the median to the smallest and the largest."""
    middle = median(values)
    axes.errorbar(place, middle, yerr=[[middle - min(values)], [max(values) - middle]], color="#333333", **look)


def number_at_foot(axes: Axes, place: float, text: str) -> None:
    axes.annotate(text, (place, 0), xytext=(0, 5), textcoords="offset points", ha="center",
                  bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "linewidth": 0, "alpha": 0.9})


def mark_published(axes: Axes, figures: Sequence[Figure], name: str, at: tuple[float, float, float],
                   has_names: bool = False) -> None:
    """A black line at the number that the paper has for a bar, the band as a frame around it.
    at: the bar's place, and the widths of line and frame."""
    place, *widths = at
    for figure in figures:
        if figure.name == name and not isinstance(figure.published, str):
            low, high = figure.band
            axes.bar(place, high - low, widths[1], bottom=low, fill=False, edgecolor="black", linewidth=0.9,
                     linestyle=(0, (3, 2)), label="band" if has_names else None)
            axes.hlines(figure.published, place - widths[0] / 2, place + widths[0] / 2, color="black", linewidth=2,
                        label="published" if has_names else None)


@dataclass(frozen=True)
class Style:
    """Of groups of bars. beside: draws at a bar's place what belongs to it."""

    width: float
    has_whiskers: bool = False
    has_lines: bool = False  # at the groups
    beside: Callable[[Axes, float, int, int], None] | None = None


def grouped(words: tuple[str, str, str, str], groups: Sequence[str], bars: Sequence[str],
            values_of: Callable[[int, int], Sequence[float]],
            style: Style) -> Plot:
    """words: name, title, unit, caption; values_of(group, bar): a value of each seed, none where there is no bar."""
    name, title, unit, caption = words
    figure, (axes,) = draw.canvas(size=SIZE)
    for index, label in enumerate(bars):
        for group in range(len(groups)):
            values, place = values_of(group, index), group + (index - (len(bars) - 1) / 2) * style.width
            if values:
                axes.bar(place, median(values), style.width, color=draw.COLOURS[index],
                         label=label if group == 0 else None)
            if values and style.has_whiskers:
                whiskers(axes, place, values, capsize=2)
            if style.beside:
                style.beside(axes, place, group, index)
    axes.set_xticks(range(len(groups)), groups)
    if not style.has_lines:
        axes.grid(axis="x", visible=False)
    axes.set_ylim(bottom=0)
    draw.finish(axes, "", unit)
    return Plot(figure, name, title, caption)
