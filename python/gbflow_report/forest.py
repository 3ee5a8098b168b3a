# SPDX-License-Identifier: BSD-3-Clause
"""A forest plot: rows of values with their intervals on one scale, as bars.py has them on a page, as a figure."""

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gbflow_report import bars, draw

ROW_INCHES, LINE_INCHES = 0.14, 0.12  # of a row, and of each line of its name
NAME_SHARE = 0.4  # of the sheet's width, at most, for the names
POINT = {"linestyle": "none", "marker": "o", "markersize": 4.5}


def wrapped(rows: Sequence[bars.Row]) -> list[str]:
    characters = int(NAME_SHARE * draw.sheet().width_inches * 72 / (8 * draw.CHARACTER))
    return [textwrap.fill(" ".join(filter(None, [row.name, row.of])), characters) for row in rows]


def mark_ends(axes: Axes, scale: bars.Scale, row: bars.Row, place: int) -> None:
    low, high = row.ends or (scale.low, scale.high)
    for end, edge, sign, side in ((low, scale.low, "<", "left"), (high, scale.high, ">", "right")):
        if low < scale.low and side == "left" or high > scale.high and side == "right":
            axes.plot([edge], [place], marker=sign, markersize=5, color=draw.COLOURS[0], clip_on=False)
            axes.annotate(f"{end:.3g}", (edge, place), (6 if side == "left" else -6, 3), textcoords="offset points",
                          ha=side, va="bottom", fontsize=draw.SMALL_POINTS)


def figure_of(rows: Sequence[bars.Row], label: str, has_zero: bool = False) -> Figure:
    """The first row on top. A full point is sure, a hollow one is not; an interval that leaves the scale gets an arrow
    and its end."""
    names = wrapped(rows)
    height = 0.7 + sum(ROW_INCHES + LINE_INCHES * (1 + name.count("\n")) for name in names)
    figure, (axes,) = draw.canvas(size=(draw.WIDE[0], height), keeps_height=True)
    for place, row in enumerate(rows):
        if row.at is None:
            continue
        if row.ends:
            axes.plot(row.ends, [place] * 2, color=draw.COLOURS[0], linewidth=1.2, marker="|", markersize=4)
        axes.plot([row.at], [place], color=draw.COLOURS[0], markerfacecolor="white"
                  if row.is_faint else draw.COLOURS[0], **POINT)
    axes.set_yticks(range(len(rows)), names)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(False, axis="y")
    scale = bars.scale_of(rows, has_zero)
    axes.set_xlim(scale.low, scale.high)
    for place, row in enumerate(rows):
        mark_ends(axes, scale, row, place)
    if has_zero:
        axes.axvline(0, color="#333333", linewidth=0.8)
    axes.set_xlabel(label)
    return figure
