# SPDX-License-Identifier: BSD-3-Clause
"""Plots of a comparison, two results over each other: what both sides have, in one figure with a curve for each side.
Each function gives None where a side has no data for it.

Runs of one side are taken together: their samples as one distribution, their throughput as the mean over the runs.
"""

import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy
from matplotlib.axes import Axes

from gbflow_report import bars, distributions, draw, fields, forest, run_plots, sweep_plots, sweep_story
from gbflow_report import page_times as pages
from gbflow_report.draw import Plot
from gbflow_results import files
from gbflow_results.files import Curve, number

LETTERS = ("A", "B")
PANELS = 6  # classes
ROWS = 16  # differences
BEYOND = ("higher", "lower")  # verdicts of differences beyond chance
Cloud = tuple[numpy.ndarray, numpy.ndarray]  # values, and the share at or below each


@dataclass(frozen=True)
class Run:
    """One run of a side; a study keeps distributions in place of its series."""

    folder: pathlib.Path

    @cached_property
    def summary(self) -> dict[str, Any]:
        return files.read_summary(self.folder / "summary.json")

    @cached_property
    def series(self) -> files.Series:
        path = files.plain_or_packed(self.folder / "series.csv")
        return files.read_series(path) if path.is_file() else files.Series({})

    @cached_property
    def distributions(self) -> distributions.Distributions:
        if self.series.curves or not files.plain_or_packed(self.folder / distributions.FILE).is_file():
            return {}
        return distributions.read(self.folder)

    @property
    def warmup_s(self) -> float:
        return number(self.summary, "warmup_s") or 0.0


@dataclass(frozen=True)
class Side:
    """name: what tells it from the other side."""

    name: str
    runs: Sequence[Run]


@dataclass(frozen=True)
class Pair:
    """Both sides, and the rows of their comparison (compare.py)."""

    sides: Sequence[Side]
    rows: Sequence[Mapping[str, Any]]

    @property
    def classes(self) -> list[str]:
        return sorted({kind for side in self.sides for run in side.runs for kind in run.summary["classes"]})


def names_of(paths: Sequence[str]) -> list[str]:
    """ "A quickstart", "B q": the parts of the paths from the first in which they differ; "A" where that is all."""
    parts = [pathlib.PurePath(path).parts for path in paths]
    common = 0
    while all(len(one) > common + 1 for one in parts) and len({one[common] for one in parts}) == 1:
        common += 1
    names = [str(pathlib.PurePath(*one[common:])) for one in parts]
    return [letter if name == letter else f"{letter} {name}" for letter, name in zip(LETTERS, names, strict=True)]


def panels_of(pair: Pair, curve_of: Callable[[Side, str], Cloud | None], words: tuple[str, str]) -> draw.Figure | None:
    """A panel for each class that a side has a distribution of, in it a curve for each side."""
    found = {kind: curves for kind in pair.classes if any(curves := [curve_of(side, kind) for side in pair.sides])}
    if not found:
        return None
    canvas, grid = sweep_plots.grid_of(len(list(found)[:PANELS]), 3.0, False)
    for (kind, curves), axes in zip(found.items(), grid):
        draw_clouds(axes, pair, curves)
        axes.set_title(f"class {kind}", fontsize=8.5, loc="right", color="#555555")
        axes.set_xlabel(words[0])
        axes.set_ylabel(words[1])
    draw.legend(grid[0])
    return canvas


def draw_clouds(axes: Axes, pair: Pair, curves: Sequence[Cloud | None]) -> None:
    for index, (side, curve) in enumerate(zip(pair.sides, curves, strict=True)):
        if curve is None:  # its name, for the legend of all panels
            axes.plot([], [], label=side.name, **draw.marked(draw.look(index)))
        else:
            draw.step(axes, *distributions.thinned(*curve), side.name, draw.look(index))
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.01)


def samples(measure: str) -> Callable[[Side, str], Cloud | None]:
    """Of a measure: all samples after the warm-up, of the series or of what a study kept of them."""
    def found(side: Side, kind: str) -> Cloud | None:
        parts = []
        for run in side.runs:
            values = distributions.samples(run.series, run.summary).get(measure, {}).get(kind)
            if values is not None:
                row = distributions.row_of(values)
                parts.append(distributions.Distribution(row["count"], row["values"]))
            elif kind in run.distributions.get(measure, {}):
                parts.append(run.distributions[measure][kind])
        return distributions.merged(parts) if parts else None
    return found


def delay_cdf(pair: Pair) -> Plot | None:
    figure = panels_of(pair, samples("delay_s"), (fields.axis("delay_s")[0], "share of packets"))
    return figure and Plot(figure, "delay-cdf", "How long packets took",
                           "The share of delivered packets that took at most so long from the "
                           "sender to the mobile. The curve further left is the faster side.")


def ping_cdf(pair: Pair) -> Plot | None:
    figure = panels_of(pair, samples("ping_rtt_s"), (fields.axis("ping_rtt_s")[0], "share of pings"))
    return figure and Plot(figure, "ping-cdf", "What a ping feels",
                           "The share of answered pings that took at most so long.")


def rtt_cdf(pair: Pair) -> Plot | None:
    figure = panels_of(pair, samples("rtt_s"), (fields.axis("rtt_s")[0], "share of samples"))
    return figure and Plot(figure, "rtt-cdf", "What senders measure",
                           "The share of round-trip times that were at most so long.")


def pages_of(side: Side, kind: str, field: str) -> list[tuple[float, bool]]:
    return [page for run in side.runs
            for page in pages.of_figure(run.summary, f"classes.{kind}.{field}.p50") or []]


def page_curve(side: Side, kind: str, field: str) -> Cloud | None:
    found = pages_of(side, kind, field)
    times, shares = pages.distribution(found) if found else ([], [])
    return (numpy.array(times), numpy.array(shares)) if found else None


def page_panels(pair: Pair, field: str) -> tuple[draw.Figure, str] | None:
    """And how many pages of each side were unfinished, in words."""
    title = fields.titled(fields.field_of("summary", f"classes.CLASS.{field}").name, "s")
    figure = panels_of(pair, partial(page_curve, field=field), (title, "share of pages"))
    of_sides = [[page for kind in pair.classes for page in pages_of(side, kind, field)] for side in pair.sides]
    counts = [f"{side.name} {pages.unfinished(found)} of {len(found)}"
              for side, found in zip(pair.sides, of_sides, strict=True)]
    return (figure, ", ".join(counts)) if figure else None


def page_times(pair: Pair) -> Plot | None:
    drawn = page_panels(pair, pages.FIELD)
    return drawn and Plot(drawn[0], "page-times", "How long pages took",
                          "The share of pages that took at most so long, with unfinished ones censored (Kaplan "
                          f"and Meier). Unfinished at the end: {drawn[1]}.")


def first_objects(pair: Pair) -> Plot | None:
    drawn = page_panels(pair, pages.FIRST_FIELD)
    return drawn and Plot(drawn[0], "first-objects", "How long a page's first object took",
                          "The share of pages whose first object was there after at most so long, counted as those of "
                          f"page times. Without it at the end: {drawn[1]}.")


def throughput_of(pair: Pair) -> str:
    """One series for both sides."""
    names = {run_plots.throughput_of(run.series) for side in pair.sides for run in side.runs if run.series.curves}
    return min(names, default="throughput_bps")


def total(run: Run, name: str, kind: str) -> Curve | None:
    """The sum of a series over the mobiles of a class at each sample."""
    mobiles = {str(row.get("mobile")) for row in run.summary["mobiles"] if row.get("class") == kind}
    curves = [curve for of, curve in run.series.curves_of(name).items() if of in mobiles and len(curve)]
    return summed(curves, 1) if curves else None


def summed(curves: Sequence[Curve], divided_by: int) -> Curve:
    times, where = numpy.unique(numpy.concatenate([curve.time_s for curve in curves]), return_inverse=True)
    sums = numpy.bincount(where, weights=numpy.concatenate([curve.value for curve in curves]))
    return Curve(times, sums / divided_by)


def throughput(pair: Pair) -> Plot | None:
    """A panel for each class that something reached, the runs of a side as their mean."""
    name = throughput_of(pair)
    found = {kind: [[curve for run in side.runs if (curve := total(run, name, kind))] for side in pair.sides]
             for kind in pair.classes}
    found = {kind: sides for kind, sides in found.items() if any(curve.value.any() for side in sides for curve in side)}
    if not found:
        return None
    title, factor = fields.axis(name)
    figure, panels = draw.canvas(len(found), (8.4, 1.1 + 1.9 * len(found)))
    for axes, (kind, sides) in zip(panels, found.items(), strict=True):
        for index, (side, curves) in enumerate(zip(pair.sides, sides, strict=True)):
            mean = summed(curves, len(curves)) if curves else Curve.empty()
            axes.plot(mean.time_s, mean.value * factor, label=side.name, **draw.marked(draw.look(index), len(mean)))
        axes.set_ylim(bottom=0)
        axes.set_ylabel(title)
        axes.set_title(f"class {kind}", fontsize=8.5, loc="right", color="#555555")
    draw.legend(panels[0])
    panels[-1].set_xlabel("time (s)")
    return Plot(figure, "throughput", "Throughput",
                "IP packets that reached a class, per interval; of several runs the mean."
                + (run_plots.HELD if name == "goodput_bps" else ""))


def node_of(figure: str) -> str:
    """ "BSS " before the words of what is counted there; "" where they say themselves of what they are."""
    section, name, *rest = figure.split(".") + [""]
    if section == "conservation":
        return f"{name.upper()} "
    return {"classes": "SGSN ", "cells": "BSS "}.get(section, "") if "drops" in rest else ""


def words_of(figures: Sequence[str]) -> dict[str, str]:
    """Words for each figure; its parts where others would have the same words."""
    words = [sweep_story.capital(node_of(figure) + sweep_story.name_of(figure)) for figure in figures]
    return {figure: word if words.count(word) == 1 else figure.replace(".", " ")
            for figure, word in zip(figures, words, strict=True)}


def row_of(row: Mapping[str, Any], name: str) -> bars.Row:
    ends = row["interval_percent"]
    value = f"{row['difference_percent']:+.1f} %" + (f" ({ends[0]:+.1f} to {ends[1]:+.1f})" if ends else "")
    return bars.Row(name, value, row["difference_percent"], (ends[0], ends[1]) if ends else None,
                    is_faint=row["verdict"] not in BEYOND)


def differences(pair: Pair) -> Plot | None:
    """The largest first: those beyond chance, then the others."""
    known = [row for row in pair.rows if row["difference_percent"] is not None and row["verdict"] != "equal"]
    order = sorted(known, key=lambda row: (row["verdict"] not in BEYOND, -abs(row["difference_percent"])))[:ROWS]
    if not order:
        return None
    left = f" Drawn are {len(order)} of {len(known)}." if len(order) < len(known) else ""
    words = words_of([row["figure"] for row in order])
    figure = forest.figure_of([row_of(row, words[row["figure"]]) for row in order], "B less A, in percent of A", True)
    return Plot(figure, "differences", "Differences",
                f"Points are means, lines intervals of 95 %. A full point is beyond chance, a hollow one is not.{left}")
