# SPDX-License-Identifier: BSD-3-Clause
"""The plots of a study: figures over the axes that matter to them, and distributions over each other."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

import numpy
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer

from gbflow_report import bars, charts, distributions, draw, fields, forest, page, sweep_results, sweep_story
from gbflow_report.draw import Plot
from gbflow_report.sweep_results import OF_MOBILES, Axis, Mean, Results
from gbflow_report.sweep_story import Shares, Step

PANELS = 6  # small multiples of a figure
WORDS = 10  # labels of a categorical axis; more are rows
ROWS = 40  # of such a figure
DODGE = 0.12  # between the points of two curves at one label
LABELS = {"goodput_bps": ("goodput (kbit/s)", 1e-3), "delay_s.p50": ("median delay (s)", 1.0)}


def numbers_of(axis: Axis) -> list[float] | None:
    """The numbers of the labels, where all begin with one and share a unit; None for a categorical axis."""
    words = [label.split(" ", 1) for label in axis.labels]
    try:
        numbers = [float(word[0]) for word in words]
    except ValueError:
        return None
    return numbers if len({tuple(word[1:]) for word in words}) == 1 and len(set(numbers)) == len(numbers) else None


def places_of(axis: Axis) -> list[float]:
    """Where the labels stand: at their numbers, at logarithms of those that span much, else one after the other."""
    numbers = numbers_of(axis)
    if numbers is None:
        return list(map(float, range(len(axis.labels))))
    is_wide = min(numbers) > 0 and max(numbers) / min(numbers) >= 30
    return [math.log10(number) for number in numbers] if is_wide else numbers


def ticks_of(axis: Axis) -> tuple[list[str], str]:
    """Labels of the ticks, and the axis's title, which has their unit if they share one: rate (kbit/s)."""
    numbers, unit = [label.partition(" ")[0] for label in axis.labels], axis.labels[0].partition(" ")[2]
    return (numbers, f"{axis.name} ({unit})") if unit and numbers_of(axis) else (axis.labels, axis.name)


def shown_as(figure: str) -> tuple[str, float]:
    """Title of an axis for a figure, and what its values are multiplied by."""
    field = fields.of_figure("summary", figure)
    if not field:
        return figure.rsplit(".", 1)[-1], 1.0
    shown = fields.AXES.get(field.unit, fields.COUNT)
    return fields.titled(fields.name_of("summary", field.path), shown.unit), shown.factor


def title_of(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {label}" for name, label in labels.items())


def combinations(axes: Sequence[Axis]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = [{}]
    for axis in axes:
        found = [{**one, axis.name: label} for one in found for label in axis.labels]
    return found


# --- a figure over its axes ---

@dataclass(frozen=True)
class Layout:
    """along: the axis that matters most; curves: the next one; panels: those after it; the others are averaged over."""

    along: Axis
    curves: Axis | None
    panels: Sequence[Axis]
    averaged: Sequence[Axis]


def layout_of(results: Results, shares: Shares, first: Axis | None = None) -> Layout:
    """first: the axis along x, else the one that matters most. Of a page time that is cut none is averaged over."""
    axes = sorted(sweep_story.several(results), key=lambda axis: (axis != first, -shares.whole[axis.name]))
    matter = [axis for axis in axes[1:] if sweep_story.is_cut(results, shares.figure)
              or shares.whole[axis.name] >= sweep_story.MATTERS
              and (shares.freedom == 0 or shares.is_more(shares.whole[axis.name], shares.of_whole(axis.name)))]
    return Layout(axes[0], matter[0] if matter else None, matter[1:], [axis for axis in axes[1:] if axis not in matter])


def value_at(results: Results, figure: str, fixed: Mapping[str, str]) -> Mean | None:
    """Over the seeds; of each seed the mean over the points that have the fixed labels."""
    by_seed: dict[int, list[float]] = {}
    for point, of_point in results.values.items():
        if all(point.labels[name] == label for name, label in fixed.items()):
            for seed, value in of_point.get(figure, {}).items():
                by_seed.setdefault(seed, []).append(value)
    return sweep_results.mean_of([mean(values) for values in by_seed.values()]) if by_seed else None


def ends_of(one: Mean) -> tuple[float, float]:
    return (one.mean if one.low is None else one.low), (one.mean if one.high is None else one.high)


def along(results: Results, figure: str, axis: Axis, fixed: Mapping[str, str]) -> list[tuple[float, Mean]]:
    """Place on the axis and mean of each label, in the unit of the plot, the other labels fixed."""
    found = [(place, value_at(results, figure, {**fixed, axis.name: label}))
             for place, label in zip(places_of(axis), axis.labels, strict=True)]
    return [(place, scaled(one, shown_as(figure)[1])) for place, one in found if one]


def scaled(one: Mean, factor: float) -> Mean:
    low, high = ends_of(one)
    return Mean(one.runs, factor * one.mean, factor * low, factor * high, factor * one.least, factor * one.most)


def curve_at(axes: Axes, rows: Sequence[tuple[float, Mean]], style: draw.Look, label: str, is_line: bool) -> None:
    """Means with their intervals; a line joins those of an axis of numbers."""
    means = [one.mean for _, one in rows]
    below = [one.mean - ends_of(one)[0] for _, one in rows]
    above = [ends_of(one)[1] - one.mean for _, one in rows]
    axes.errorbar([place for place, _ in rows], means, yerr=[below, above], color=style.colour, linestyle=style.dash
                  if is_line else "none", marker=style.marker, markersize=5, capsize=2.5, linewidth=1.3, label=label)


def grid_of(panels: int, size: float, is_shared: bool) -> tuple[draw.Figure, list[Axes]]:
    """Small multiples beside each other, as many in a row as fit."""
    across = draw.sheet().across(panels)
    canvas, _ = draw.canvas(size=(8.4, size * -(-panels // across)))
    canvas.clear()
    grid = canvas.subplots(-(-panels // across), across, sharex=is_shared, sharey=True, squeeze=False)
    for axes in list(grid.flat)[panels:]:
        axes.set_visible(False)
    return canvas, list(grid.flat)[:panels]


def draw_panel(axes: Axes, results: Results, figure: str, layout: Layout, fixed: Mapping[str, str]) -> None:
    axis, curves = layout.along, layout.curves
    is_line = numbers_of(axis) is not None
    labels = curves.labels[:draw.CURVES] if curves else [""]
    for number, label in enumerate(labels):
        rows = along(results, figure, axis, {**fixed, **({curves.name: label} if curves else {})})
        beside = 0.0 if is_line else DODGE * (number - (len(labels) - 1) / 2)
        if rows:
            name = f"{curves.name} {label}" if curves else sweep_story.name_of(figure)
            curve_at(axes, [(place + beside, one) for place, one in rows], draw.look(number), name, is_line)
    ticks, title = ticks_of(axis)
    axes.set_xticks(places_of(axis), ticks)
    if not is_line:
        axes.set_xlim(-0.6, len(axis.labels) - 0.4)
    axes.set_xlabel(title)
    axes.set_title(title_of(fixed), fontsize=8.5, loc="right", color="#555555")


def bound(grid: Sequence[Axes]) -> None:
    """The panels hold all means, and all intervals in proportion (bars.reach); the others get an arrow and their
    end."""
    rows = [(*ends, x, mean_, axes) for axes in grid for one in axes.containers
            for ends, x, mean_ in zip(intervals_of(one), *one.lines[0].get_data(), strict=True)]
    if rows:
        low, high = bars.reach([(low, mean_, high) for low, high, _, mean_, _ in rows])
        room = 0.1 * (high - low) or abs(high) or 1.0
        for axes in grid:
            axes.set_label(charts.BOUNDED)
        grid[0].set_ylim(low - room, high + room)
        for least, most, x, _, axes in rows:
            mark_end(axes, x, least, low - room, least < low - room)
            mark_end(axes, x, most, high + room, most > high + room)


def intervals_of(container: ErrorbarContainer) -> list[tuple[float, float]]:
    return [(segment[0][1], segment[1][1]) for segment in container.lines[2][0].get_segments()]


def mark_end(axes: Axes, x: float, end: float, edge: float, is_cut: bool) -> None:
    """An arrow at the edge that an interval leaves, and where it ends."""
    if is_cut:
        is_below = end < edge
        axes.plot([x], [edge], marker="v" if is_below else "^", markersize=5, color="#333333", clip_on=False)
        axes.annotate(f"{end:.3g}", (x, edge), (5, 2 if is_below else -2), textcoords="offset points",
                      va="bottom" if is_below else "top", fontsize=draw.SMALL_POINTS)


def over_axis(results: Results, shares: Shares, layout: Layout) -> Plot:
    figure, panels = shares.figure, combinations(layout.panels)
    drawn = panels[:PANELS]
    canvas, grid = grid_of(len(drawn), 3.1, True)
    for fixed, axes in zip(drawn, grid, strict=True):
        draw_panel(axes, results, figure, layout, fixed)
    bound(grid)
    grid[0].set_ylabel(shown_as(figure)[0])
    if layout.curves:
        draw.legend(grid[0])
    notes = []
    if len(drawn) < len(panels):
        notes.append(f"Drawn are {len(drawn)} of {len(panels)} panels.")
    if layout.curves and len(layout.curves.labels) > draw.CURVES:
        notes.append(f"Drawn are {draw.CURVES} of {len(layout.curves.labels)} labels of {layout.curves.name}.")
    return Plot(canvas, name_over(shares, layout.along), heading(figure, layout.along),
                " ".join([caption_of(results, shares, layout), *notes]))


def name_over(shares: Shares, axis: Axis) -> str:
    return draw.slug(shares.figure.removeprefix("classes."), "over", axis.name)


def heading(figure: str, axis: Axis) -> str:
    return f"{sweep_story.capital(sweep_story.name_of(figure))} over {axis.name}"


def caption_of(results: Results, shares: Shares, layout: Layout) -> str:
    explained = ", ".join(f"{name} {sweep_story.percent(share)}{sweep_story.chance_text(shares.of_axis(name))}"
                          for name, share in sorted(shares.axes.items(), key=lambda item: -item[1]))
    explained = "" if sweep_story.is_cut(results, shares.figure) else f" Explained variance: {explained}."
    seeds = ("Means over the seeds with their 95 % intervals." if results.study.seeds > 1 else "One seed, so without "
             "intervals.")
    known = f" {shares.runs} of {shares.all_runs} runs have it." if shares.runs < shares.all_runs else ""
    averaged = sweep_story.listed([axis.name for axis in layout.averaged])
    return f"{shares.figure}.{known} {seeds}{explained}" + (f" Averaged over {averaged}." if averaged else "")


def has_rows(axis: Axis) -> bool:
    """Whether its labels are too many words for an axis."""
    return numbers_of(axis) is None and len(axis.labels) > WORDS


def rows_of(results: Results, shares: Shares, axis: Axis) -> tuple[list[bars.Row], str]:
    """A figure of a categorical axis with many labels: a row for each, the least first; and the words about it."""
    figure = shares.figure
    title, factor = shown_as(figure)
    found = sorted(((label, scaled(one, factor))
                    for label in axis.labels if (one := value_at(results, figure, {axis.name: label}))),
                   key=lambda row: row[1].mean)
    half = ROWS // 2
    kept = found if len(found) <= ROWS else [row for place, row in enumerate(found)
                                             if place < half or place >= len(found) - half or row[0] == axis.baseline]
    rows = [bars.Row(label, f"{one.mean:.4g}", one.mean, ends_of(one),
                     of="(baseline)" if label == axis.baseline else "")
            for label, one in kept]
    left = (f" Shown are the {half} lowest, the {half} highest and the baseline of {len(found)} labels."
            if len(kept) < len(found) else "")
    return rows, f"{title}. {caption_of(results, shares, Layout(axis, None, [], []))}{left}"


def as_rows(results: Results, shares: Shares, axis: Axis) -> str:
    rows, words = rows_of(results, shares, axis)
    return (f'<figure id="{name_over(shares, axis)}">\n<h3>{page.escape(heading(shares.figure, axis))}</h3>\n'
            f"{bars.rows_html(rows, bars.scale_of(rows, False))}"
            f"<figcaption>{page.escape(words)}</figcaption>\n</figure>\n")


# --- what the list of figures has (figures.py) ---

DRAWN = 8  # figures that are drawn
LABELS_MOST = 30  # of a figure's differences


def drawn_over(results: Results, found: Sequence[Shares]) -> list[tuple[Shares, Axis]]:
    """Figures and the axis along x: the first ones over the axis that matters most, and those that the study names
    over each axis
    with a baseline, too."""
    drawn: list[tuple[Shares, Axis]] = []
    for place, shares in enumerate(found):
        axes = [layout_of(results, shares).along] if place < DRAWN else []
        if shares.figure in results.study.figures:
            axes += [axis for axis in sweep_story.several(results) if axis.baseline is not None and axis not in axes]
        drawn += [(shares, axis) for axis in axes]
    return drawn


def over_axes(results: Results) -> list[Plot]:
    made = []
    for shares, axis in drawn_over(results, sweep_story.ranked(results)):
        if has_rows(axis):
            rows, words = rows_of(results, shares, axis)
            made.append(Plot(forest.figure_of(rows, shown_as(shares.figure)[0]), name_over(shares, axis),
                             heading(shares.figure, axis), words))
        else:
            made.append(over_axis(results, shares, layout_of(results, shares, axis)))
    return made


def row_of(step: Step, name: str, of: str) -> bars.Row:
    ends = (step.interval[0], step.interval[1]) if step.interval else None
    return bars.Row(name, sweep_story.change_text(step), step.percent, ends, of=of,
                    is_faint=not (step.is_sure or step.is_equal))


def of_figure(steps: Sequence[Step]) -> list[Step]:
    """The labels from the largest decrease to the largest increase; of many those at the ends."""
    order = sorted(steps, key=lambda step: step.percent)
    return order if len(order) <= LABELS_MOST else order[:LABELS_MOST // 2] + order[-LABELS_MOST // 2:]


def rows_of_steps(steps: Sequence[Step], has_axes: bool) -> list[bars.Row]:
    return [row_of(step, step.label, " ".join(filter(None, [f"({step.axis})" if has_axes else "", step.beside])))
            for step in steps]


def of_differences(results: Results) -> list[Plot]:
    """Of each figure the differences of all labels from the baseline."""
    figures = sweep_story.judged_figures(results, sweep_story.ranked(results))
    steps = [step for step in sweep_story.steps_of(results, figures) if step.row["difference_percent"] is not None]
    has_axes = len({step.axis for step in steps}) > 1
    made = []
    for figure in figures:
        kept = of_figure([step for step in steps if step.row["figure"] == figure])
        if kept:
            name = sweep_story.capital(sweep_story.name_of(figure))
            made.append(Plot(forest.figure_of(rows_of_steps(kept, has_axes),
                                              f"difference from {sweep_story.base_of(results)} (%)", True),
                             draw.slug("differences", figure.removeprefix("classes.")),
                             f"{name}: differences from {sweep_story.base_of(results)}",
                             "A full point is sure, a hollow one is not; lines are intervals of 95 %."))
    return made


def axes_of_distributions(results: Results) -> tuple[list[Axis], str | None]:
    """The axis that matters most and those with a baseline; and the figure that orders many labels."""
    found = sweep_story.ranked(results)
    axes = sorted(sweep_story.several(results), key=lambda axis: -mean(one.axes[axis.name] for one in found)
                  if found else 0.0)
    return [axis for axis in axes if axis is axes[0] or axis.baseline is not None], found[0].figure if found else None


def of_packets(results: Results) -> list[Plot]:
    axes, figure = axes_of_distributions(results)
    return [plot for axis in axes for plot in packets_over(results, axis, figure)]


def of_mobiles(results: Results) -> list[Plot]:
    axes, figure = axes_of_distributions(results)
    return [plot for axis in axes for plot in mobiles_over(results, axis, figure)]


# --- distributions ---

def shown_labels(results: Results, axis: Axis, figure: str | None) -> tuple[list[str], str]:
    """The labels that have a curve: of many the baseline and some evenly over the order of a figure,
    and the words for that."""
    if len(axis.labels) <= draw.CURVES:
        return axis.labels, ""
    values = {label: one.mean
              for label in axis.labels if figure and (one := value_at(results, figure, {axis.name: label}))}
    order = sorted((label for label in values if label != axis.baseline), key=values.__getitem__) or axis.labels
    even = [order[place] for place in numpy.linspace(0, len(order) - 1, draw.CURVES - 1).round().astype(int)]
    kept = [label for label in axis.labels if label in even or label == axis.baseline][:draw.CURVES]
    by = f", evenly over the order of {sweep_story.name_of(figure)}" if figure and values else ""
    return kept, f" Drawn are {len(kept)} of {len(axis.labels)} labels{by}."


def pooled(results: Results, measure: str, kind: str, axis: Axis, label: str) -> list[distributions.Distribution]:
    return [one for point, of_point in results.distributions.items() if point.labels[axis.name] == label
            for of_run in of_point.values() if (one := of_run.get(measure, {}).get(kind))]


def packets_over(results: Results, axis: Axis, figure: str | None) -> list[Plot]:
    """Of each measure a panel for each class, in it a curve for each label."""
    made = []
    labels, note = shown_labels(results, axis, figure)
    runs = [of_run for of_point in results.distributions.values() for of_run in of_point.values()]
    for measure, words in distributions.MEASURES.items():
        kinds = sorted({kind for of_run in runs for kind in of_run.get(measure, {})})
        if not kinds:
            continue
        canvas, grid = grid_of(len(kinds[:PANELS]), 2.9, False)
        for kind, axes in zip(kinds[:PANELS], grid, strict=True):
            draw_cdfs(axes, {label: pooled(results, measure, kind, axis, label) for label in labels}, axis)
            axes.set_title(kind, fontsize=8.5, loc="right", color="#555555")
            axes.set_xlabel(words)
        grid[0].set_ylabel("share")
        draw.legend(grid[0])
        made.append(Plot(canvas, draw.slug("cdf", measure, axis.name),
                         f"{words[:1].upper()}{words[1:].removesuffix(' (s)')}, by {axis.name}",
                         "Share of all samples after the warm-up that are at most so long, a panel for each "
                         f"class; seeds{others_of(results, axis)} are taken together. The axis ends where 99 % of each "
                         f"curve's samples lie.{note}"))
    return made


def others_of(results: Results, axis: Axis) -> str:
    return " and the other axes" if len(sweep_story.several(results)) > 1 else ""


def draw_cdfs(axes: Axes, by_label: Mapping[str, Sequence[distributions.Distribution]], axis: Axis) -> None:
    last = 0.0
    for number, (label, parts) in enumerate(by_label.items()):
        if parts:
            at, share = distributions.merged(parts)
            last = max(last, float(at[numpy.searchsorted(share, 0.99).clip(0, len(at) - 1)]))
            at, share = distributions.thinned(at, share)
            style = draw.look(number)
            axes.plot(at, share, label=f"{axis.name} {label}", drawstyle="steps-post", **draw.marked(style))
    axes.set_xlim(0, last or 1.0)
    axes.set_ylim(0, 1.01)


def mobiles_over(results: Results, axis: Axis, figure: str | None) -> list[Plot]:
    """For each label of an axis the distribution of a measure over all mobiles, seeds and other axes."""
    made = []
    labels, note = shown_labels(results, axis, figure)
    for measure in OF_MOBILES:
        canvas, (axes,) = draw.canvas()
        words, factor = LABELS[measure]
        for number, label in enumerate(labels):
            values = [value for point, found in results.of_mobiles.items() if point.labels[axis.name] == label
                      for value in found.get(measure, ())]
            if values:
                at, share = draw.distribution(numpy.array(values) * factor, draw.POINTS)
                style = draw.look(number)
                axes.plot(at, share, label=f"{axis.name} {label}", drawstyle="steps-post", **draw.marked(style))
        if not axes.lines:
            continue
        axes.set_ylim(0, 1.01)
        draw.finish(axes, words, "share of mobiles")
        made.append(Plot(canvas, draw.slug("mobiles", measure, axis.name),
                         f"{words.split(' (')[0].capitalize()} of mobiles, by {axis.name}",
                         f"Each mobile of each run is one value; seeds{others_of(results, axis)} are taken "
                         f"together.{note}"))
    return made
