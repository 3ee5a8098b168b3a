# SPDX-License-Identifier: BSD-3-Clause
"""The page over all runs of a study: what it says in words, comparisons, plots over each axis, distributions, means."""

from collections.abc import Mapping, Sequence
from statistics import mean, variance
from typing import Any

import numpy
from matplotlib.axes import Axes

from gbflow_report import charts, compare, draw, fields, output, page, sweep_results
from gbflow_report.draw import Plot
from gbflow_report.page import Cell, Table
from gbflow_report.sweep_results import OF_MOBILES, Axis, Mean, Results

DRAWN = 8  # figures that are drawn
PANELS = 6  # small multiples of a figure
ROWS = 400  # of a table; all are in the CSV files
LABELS = {"goodput_bps": ("goodput (kbit/s)", 1e-3), "delay_s.p50": ("median delay (s)", 1.0)}


def strength(results: Results, figure: str) -> float:
    """How far the points lie apart, beside the spread of the seeds: the variance between by the mean variance within."""
    groups = [list(of_point[figure].values()) for of_point in results.values.values() if figure in of_point]
    if len(groups) < 2:
        return 0.0
    between = variance(mean(group) for group in groups)
    within = [variance(group) for group in groups if len(group) > 1]
    return between / (mean(within) if within and any(within) else abs(mean(map(mean, groups))) or 1.0)


def chosen(results: Results) -> list[str]:
    """The figures that the study names without *, then those in which the points differ most."""
    named = [name for name in results.figures if name in results.study.figures]
    strong = {name: strength(results, name) for name in results.figures if name not in named}
    others = sorted((name for name in strong if strong[name] > 0), key=lambda name: (-strong[name], name))
    return (named + others)[:max(DRAWN, len(named))]


def numbers_of(axis: Axis) -> list[float] | None:
    """Places of the labels: their numbers where all begin with one and share a unit, else None."""
    words = [label.split(" ", 1) for label in axis.labels]
    try:
        places = [float(word[0]) for word in words]
    except ValueError:
        return None
    return places if len({tuple(word[1:]) for word in words}) == 1 and len(set(places)) == len(places) else None


def shown_as(figure: str) -> tuple[str, float]:
    """Title of an axis for a figure, and what its values are multiplied by."""
    field = fields.of_figure("summary", figure)
    if not field:
        return figure.rsplit(".", 1)[-1], 1.0
    shown = fields.AXES.get(field.unit, fields.COUNT)
    return fields.titled(fields.name_of("summary", field.path), shown.unit), shown.factor


def along(results: Results, figure: str, axis: Axis, fixed: Mapping[str, str]) -> list[tuple[float, Mean]]:
    """Place on the axis and mean of each point, the other labels fixed."""
    places = numbers_of(axis) or list(map(float, range(len(axis.labels))))
    rows = []
    for place, name in zip(places, axis.labels, strict=True):
        wanted = {**fixed, axis.name: name}
        values = [value for point, of_point in results.values.items() if point.labels == wanted
                  for value in of_point.get(figure, {}).values()]
        if values:
            rows.append((place, sweep_results.mean_of(values)))
    return rows


def line_at(axes: Axes, rows: Sequence[tuple[float, Mean]], factor: float, style: draw.Look, label: str) -> None:
    """Means with their intervals."""
    at, found = [row[0] for row in rows], [row[1] for row in rows]
    below = [factor * (one.mean - (one.mean if one.low is None else one.low)) for one in found]
    above = [factor * ((one.mean if one.high is None else one.high) - one.mean) for one in found]
    axes.errorbar(at, [factor * one.mean for one in found], yerr=[below, above], color=style.colour, linestyle=style.dash,
                  marker=style.marker, markersize=4, capsize=2.5, linewidth=1.3, label=label)


def label_ticks(axes: Axes, axis: Axis) -> None:
    places = numbers_of(axis)
    if places is None:
        axes.set_xticks(range(len(axis.labels)), axis.labels)
        return
    axes.set_xticks(places, axis.labels if len(places) <= 8 else None)
    if min(places) > 0 and max(places) / min(places) >= 30:
        axes.set_xscale("log")
        axes.set_xticks(places, axis.labels)
        axes.minorticks_off()


def combinations(axes: Sequence[Axis]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = [{}]
    for axis in axes:
        found = [{**one, axis.name: label} for one in found for label in axis.labels]
    return found


def title_of(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {label}" for name, label in labels.items())


def over_axis(results: Results, figure: str, index: int, axis: Axis) -> Plot:
    """Small multiples: one axis along, the next one as lines, the others as panels."""
    others = [other for other in results.study.axes if other is not axis]
    lines, rest = (others[0], others[1:]) if others else (None, [])
    panels = combinations(rest)
    drawn, across = panels[:PANELS], min(len(panels[:PANELS]), 3)
    canvas, _ = draw.canvas(size=(8.4, 3.1 * -(-len(drawn) // across)))
    canvas.clear()
    grid = canvas.subplots(-(-len(drawn) // across), across, sharex=True, sharey=True, squeeze=False)
    for place, axes in enumerate(grid.flat):
        if place >= len(drawn):
            axes.set_visible(False)
            continue
        for number, label in enumerate(lines.labels[:draw.CURVES] if lines else [""]):
            fixed = {**drawn[place], **({lines.name: label} if lines else {})}
            rows = along(results, figure, axis, fixed)
            if rows:
                line_at(axes, rows, shown_as(figure)[1], draw.look(number), f"{lines.name} {label}" if lines else figure)
        label_ticks(axes, axis)
        axes.set_xlabel(axis.name)
        if rest:
            axes.set_title(title_of(drawn[place]), fontsize=8.5, loc="right", color="#555555")
    grid[0][0].set_ylabel(shown_as(figure)[0])
    if lines:
        grid[0][0].legend(loc="best", frameon=True, framealpha=0.8, edgecolor="none", handlelength=2.4)
    left = f" Drawn are {len(drawn)} of {len(panels)} panels." if len(drawn) < len(panels) else ""
    many = f" Drawn are {draw.CURVES} of {len(lines.labels)} lines." if lines and len(lines.labels) > draw.CURVES else ""
    return Plot(canvas, f"figure{index}-{axis.name}", f"{figure} over {axis.name}",
                f"Means over the seeds, with 95 % intervals of the mean.{left}{many}")


def distributions(results: Results, axis: Axis) -> list[Plot]:
    """For each label of an axis the distribution of a measure over all mobiles, seeds and other axes."""
    made = []
    for measure in OF_MOBILES:
        canvas, (axes,) = draw.canvas()
        words, factor = LABELS[measure]
        for number, label in enumerate(axis.labels[:draw.CURVES]):
            values = [value for point, of_point in results.of_mobiles.items() if point.labels[axis.name] == label
                      for value in of_point.get(measure, ())]
            if values:
                at, share = draw.distribution(numpy.array(values) * factor, draw.POINTS)
                style = draw.look(number)
                axes.plot(at, share, color=style.colour, linestyle=style.dash, label=f"{axis.name} {label}", drawstyle="steps-post")
        if not axes.lines:
            continue
        draw.finish(axes, words, "share of mobiles")
        made.append(Plot(canvas, f"cdf-{measure.replace('.', '-')}-{axis.name}", f"{words.split(' (')[0]} of mobiles, by {axis.name}",
                         "Each mobile of each run is one value; the other axes are taken together."))
    return made


def means_table(results: Results, figures: Sequence[str]) -> Table:
    shown = [row for row in sweep_results.means(results) if row[1] in figures][:ROWS]
    table = Table("Mean over the seeds and its 95 % interval, of the figures that are drawn; all are in points.csv.",
                  ["point", "figure", "runs", "mean", "95 % interval"])
    for point, figure, one in shown:
        ends = page.NONE if one.low is None else f"{one.low:.5g} to {one.high:.5g}"
        table.rows.append([title_of(point.labels), Cell(figure, "text"), str(one.runs), f"{one.mean:.5g}", ends])
    return table


def comparison_table(results: Results, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Only what is more than chance, the largest differences first."""
    names = [(compare.HIGHER, compare.LOWER), (compare.PERHAPS_HIGHER, compare.PERHAPS_LOWER)]
    found = [row for kind in names for row in sorted((row for row in rows if row["verdict"] in kind),
                                                     key=lambda row: -abs(row["difference_percent"] or 0))]
    base = title_of(results.study.baseline)
    table = Table(f"Differences from {base} with the same other labels: {len(found)} of {len(rows)} comparisons. Student's t test of "
                  "pairs with the same seed; \"perhaps\" is lost by Holm's correction over all rows of comparison.csv.",
                  ["point", "figure", "baseline", "mean", "difference", "95 % interval", "verdict"])
    for row in found[:ROWS]:
        table.rows.append([title_of(row["labels"]), Cell(row["figure"], "text"), compare.number_text(row["a"]), compare.number_text(row["b"]),
                           compare.percent_text(row["difference_percent"], "+"), compare.interval_text(row["interval_percent"]),
                           Cell(row["verdict"], "text")])
    return table


def html_of(results: Results, rows: Sequence[Mapping[str, Any]], library: charts.Library | None = None) -> str:
    study = results.study
    several = [axis for axis in study.axes if len(axis.labels) > 1] or list(study.axes)
    figures = chosen(results)
    curves = [over_axis(results, figure, index, axis) for index, figure in enumerate(figures, 1) for axis in several]
    clouds = [one for axis in several for one in distributions(results, axis)]
    runs = sum(len(of_point) for of_point in results.settled_s.values())
    title = study.title or study.scenario.name
    head = (f"<header>\n<h1>{page.escape(title)}</h1>\n"
            f'<p class="soft">{page.escape(study.scenario.name)}: {page.plural(len(results.values), "point")}, '
            f'{page.plural(study.seeds, "seed")}, {page.plural(runs, "run")}; gbflow {page.escape(output.version())}.</p>\n'
            + "".join(f"<p>{page.escape(line)}</p>\n" for line in sweep_results.remarks(results, rows)) + "</header>\n")
    axes = Table("Axes.", ["axis", "points", "baseline"],
                 [[axis.name, Cell(", ".join(axis.labels), "note"), Cell(axis.baseline or page.NONE, "text")] for axis in study.axes])
    compared = page.table_html(comparison_table(results, rows)) if rows else ""
    return page.page_html(f"{title} - gbflow", len(curves) + len(clouds), head, page.section_html("Axes", page.table_html(axes)),
                          page.section_html("Compared", compared), page.section_html("Over each axis", *charts.figures_html(curves, library)),
                          page.section_html("Over all mobiles", *charts.figures_html(clouds, library)),
                          page.section_html("Means", page.table_html(means_table(results, figures))), charts.scripts_html(library))
