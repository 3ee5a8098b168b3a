# SPDX-License-Identifier: BSD-3-Clause
"""The page over all runs of a study: what it says in sentences, what explains each figure, differences from the
baseline, plots in the order of their effect, distributions, and the tables.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gbflow_report import bars, charts, compare, draw, output, page
from gbflow_report import sweep_plots, sweep_results, sweep_story, sweep_words
from gbflow_report.draw import Plot
from gbflow_report.page import Cell, Table
from gbflow_report.sweep_plots import title_of
from gbflow_report.sweep_results import Axis, Results
from gbflow_report.sweep_story import Shares, Step

ROWS = 400  # of a table; all are in the CSV files
COMPARED = 6  # figures with rows of differences
FEW = 3  # differences of a figure; where all have so few, they stand in one list
STYLE = """
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 1.6rem; }
.figures > div { min-width: 0; } .figures .wide { grid-column: 1 / -1; } .figures figure { margin: .8rem 0 1.2rem; }
.figures .panel { height: 15rem; } 
.half .rows > div { grid-template-columns: minmax(4rem, 11rem) minmax(0, 1fr) 4rem; }
section > h3, details > h3 { margin: 1.1rem 0 .2rem; font-size: 1rem; }
details > ul { margin: .2rem 0; padding-left: 1.4rem; overflow-wrap: anywhere; }
"""
ETA = ("Eta squared of an axis: the sum of squares between the means of its labels, divided by the sum of squares "
       "of all runs about their mean. \"Combinations\" is what all axes together explain beyond that; \"seed\" is "
       "what a seed does in all points alike; the rest is what a seed does in one point only. Where all runs have the "
       "figure, the shares add up to 1. Without any effect an axis of k labels would have about (k - 1) / f of the "
       "rest, with f the rest's degrees of freedom: runs - points - seeds + 1. That is the share "
       "by chance, of each figure another one.")
ABOUT = ("Each label less the baseline of its axis, in percent of the baseline: paired by seed, averaged over the "
         "other axes, with 95 % intervals by Student's t of the ratio's logarithm. An axis that it acts together with "
         "is not averaged over: their combination explains at least a fifth of the axis's own share and more than "
         "chance, or is more than chance by an F test (5 %). A full point is sure: with Holm's correction the chance "
         "of even one false one among all is at most 5 %. Of a page time the log-rank test of all pages has to show "
         "it, too. A hollow one is not sure. \"Equal\" is what has the baseline's values with each seed.")
KEY = "In percent of the baseline. A full point is beyond chance, a hollow one is not; a line is the interval of 95 %."
COMBINED, SEED, REST = "#8a8f98", "#b9bec6", "#dadde2"


def story_html(results: Results, found: Sequence[Shares], steps: Sequence[Step], remarks: Sequence[str]) -> str:
    parts = [("Which axis matters", sweep_story.told_axes(results, found)),
             ("Which differences are sure", sweep_story.told_steps(results, steps)), ("What limits this", remarks)]
    items = {title: "".join(f"<li>{page.escape(line)}</li>\n" for line in lines) for title, lines in parts if lines}
    tests = "".join(f"<h3>{title}</h3>\n<ul>\n{rows}</ul>\n" for title, rows in items.items())
    short = "".join(f"<p>{page.escape(sentence)}</p>\n" for sentence in sweep_words.told(results, found, steps))
    folded = page.folded_html("The tests behind these sentences, axis by axis", tests)
    return page.section_html("What the study says", short, folded)


def shares_html(results: Results, found: Sequence[Shares]) -> str:
    """A row for each headline: the parts of its variance."""
    names = [axis.name for axis in sweep_story.several(results)]
    colours = {name: draw.look(index).colour for index, name in enumerate(names)}
    rows = []
    for one in sweep_story.shared(results, found):
        pieces = [*((name, one.axes[name], colours[name]) for name in names), ("combinations", one.combined, COMBINED),
                  ("seed", one.seed, SEED), ("rest", one.rest, REST)]
        chances = {name: sweep_story.chance_text(one.of_axis(name)) for name in names}
        whole, at, parts = max(1.0, sum(size for _, size, _ in pieces)), 0.0, []
        for name, size, colour in pieces:
            parts.append(bars.Part(100 * at / whole, 100 * (at + size) / whole, colour,
                                   f"{name}: {sweep_story.percent(size)}{chances.get(name, '')}"))
            at += size
        rows.append(bars.Row(sweep_story.name_of(one.figure),
                             f"{one.strongest} {sweep_story.percent(one.axes[one.strongest])}", parts=parts))
    legend = [*colours.items(), *([("combinations", COMBINED)] if len(names) > 1 else []), ("seed", SEED),
              ("rest", REST)]
    if not rows:
        return ""
    about = page.folded_html("How the shares are computed", f"<p>{page.escape(ETA)}</p>\n")
    return bars.colours_html(legend) + bars.rows_html(rows, bars.Scale(0.0, 100.0), " %") + about


def list_html(rows: Sequence[bars.Row]) -> str:
    """Differences on one scale."""
    return bars.rows_html(rows, bars.scale_of(rows, True), " %", has_zero=True)


def of_figure_html(figure: str, steps: Sequence[Step], has_axes: bool) -> str:
    kept = sweep_plots.of_figure(steps)
    left = f'<p class="soft">Shown are {len(kept)} of {len(steps)} labels.</p>\n' if len(kept) < len(steps) else ""
    title = page.escape(sweep_story.capital(sweep_story.name_of(figure)))
    return f"<h3>{title}</h3>\n{list_html(sweep_plots.rows_of_steps(kept, has_axes))}{left}"


def differences_html(steps: Sequence[Step], found: Sequence[Shares]) -> str:
    """Of each figure the differences of all labels; one list where labels are few."""
    by_figure = {one.figure: kept for one in found if (kept := [
        step for step in steps if step.row["figure"] == one.figure and step.row["difference_percent"] is not None])}
    if not by_figure:
        return ""
    if max(map(len, by_figure.values())) <= FEW:
        kept = [step for of_figure in by_figure.values() for step in of_figure]
        has_labels = len({step.name for step in kept}) > 1
        body = list_html([sweep_plots.row_of(step, sweep_story.name_of(step.row["figure"]),
                                             step.name if has_labels else "") for step in kept])
    else:
        has_axes = len({step.axis for step in steps}) > 1
        body = "".join(of_figure_html(figure, kept, has_axes) for figure, kept in list(by_figure.items())[:COMPARED])
    about = page.folded_html("How the differences are computed", f"<p>{page.escape(ABOUT)}</p>\n")
    return f'<p class="soft">{KEY}</p>\n{body}{about}'


def differences_title(results: Results, steps: Sequence[Step]) -> str:
    labels = {f"{step.axis} {step.label}" for step in steps}
    words = f"Difference of {labels.pop()}" if len(labels) == 1 else "Differences"
    return f"{words} from {sweep_story.base_of(results)}"


def means_table(results: Results, figures: Sequence[str]) -> Table:
    shown = [row for row in sweep_results.means(results) if row[1] in figures][:ROWS]
    table = Table("Mean over the runs that have the figure (column runs), of "
                  f"{page.plural(results.study.seeds, 'seed')} each, and its 95 % interval, of the figures that are "
                  "drawn, in the units of summary.json; all are in points.csv.",
                  ["point", "figure", "runs", "mean", "95 % interval", "unfinished pages"])
    for point, figure, one in shown:
        ends = page.NONE if one is None or one.low is None else f"{one.low:.5g} to {one.high:.5g}"
        runs, middle = (one.runs, f"{one.mean:.5g}") if one else (len(results.times(point, figure)), "not reached")
        table.rows.append([title_of(point.labels), Cell(figure, "text"), str(runs), middle, ends,
                           page.count(sweep_results.unfinished(results, point, figure))])
    return table


def comparison_table(results: Results, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Only what is more than chance, the largest differences first."""
    names = [(compare.HIGHER, compare.LOWER), (compare.PERHAPS_HIGHER, compare.PERHAPS_LOWER)]
    found = [row for kind in names for row in sorted((row for row in rows if row["verdict"] in kind),
                                                     key=lambda row: -abs(row["difference_percent"] or 0))]
    base = title_of(results.study.baseline)
    table = Table(f"Differences from {base} with the same other labels: {len(found)} of {len(rows)} comparisons, "
                  f"means over {page.plural(results.study.seeds, 'seed')}, in the units of summary.json. "
                  "Student's t test of pairs with the same seed, of page times the log-rank test, too; \"perhaps\" is "
                  "lost by Holm's correction over all rows of comparison.csv.",
                  ["point", "figure", "baseline", "mean", "difference (%)", "95 % interval (%)", "verdict"])
    for row in found[:ROWS]:
        table.rows.append([title_of(row["labels"]), Cell(row["figure"], "text"), compare.number_text(row["a"]),
                           compare.number_text(row["b"]), compare.percent_text(row["difference_percent"], "+"),
                           compare.interval_text(row["interval_percent"]), Cell(row["verdict"], "text")])
    return table


def axes_table(results: Results) -> Table:
    return Table("Axes.", ["axis", "points", "baseline"],
                 [[axis.name, Cell(", ".join(axis.labels), "note"), Cell(axis.baseline or page.NONE, "text")]
                  for axis in results.study.axes])


def program_of(results: Results) -> str:
    """Version and commit, as a run's page has them; no commit where the results know none."""
    return ", ".join([f"gbflow {output.version()}", *(f"commit {commit}" for commit in results.commits)])


def head_html(results: Results) -> str:
    study = results.study
    runs = sum(len(of_point) for of_point in results.settled_s.values())
    return (f"<header>\n<h1>{page.escape(study.title or study.scenario.name)}</h1>\n"
            f'<p class="soft">{page.escape(study.scenario.name)}: {page.plural(len(results.values), "point")}, '
            f'{page.plural(study.seeds, "seed")}, {page.plural(runs, "run")}; '
            f'{page.escape(program_of(results))}.</p>\n</header>\n')


def figure_html(results: Results, shares: Shares, axis: Axis, library: charts.Library | None) -> str:
    """A plot of one figure, or rows."""
    if sweep_plots.has_rows(axis):
        return f'<div class="half">{sweep_plots.as_rows(results, shares, axis)}</div>\n'
    return placed(sweep_plots.over_axis(results, shares, sweep_plots.layout_of(results, shares, axis)), library)


def placed(plot: Plot, library: charts.Library | None) -> str:
    """Several panels, and a drawing that no script fits into its place, take the whole width."""
    is_wide = library is None or isinstance(plot.drawn, str) or len(plot.drawn.axes) > 1
    return f'<div class="{"wide" if is_wide else "half"}">{charts.figures_html([plot], library)[0]}</div>\n'


def in_grid(parts: Sequence[str]) -> str:
    return f'<div class="figures">{"".join(parts)}</div>\n' if parts else ""


def html_of(results: Results, rows: Sequence[Mapping[str, Any]], library: charts.Library | None = None) -> str:
    found = sweep_story.ranked(results)
    steps = sweep_story.steps_of(results, sweep_story.judged_figures(results, found))
    clouds = [*sweep_plots.of_packets(results), *sweep_plots.of_mobiles(results)]
    drawn = sweep_plots.drawn_over(results, found)
    figures = [figure_html(results, shares, axis, library) for shares, axis in drawn]
    tables = [axes_table(results), *([comparison_table(results, rows)] if rows else []),
              means_table(results, [shares.figure for shares, _ in drawn])]
    title = results.study.title or results.study.scenario.name
    return page.page_html(f"{title} - gbflow", len(figures) + len(clouds), [("Study and page by", output.origin())],
                          f"<style>{bars.STYLE}{STYLE}</style>\n", head_html(results),
                          story_html(results, found, steps, sweep_results.remarks(results, rows)),
                          page.section_html("What explains each figure", shares_html(results, found)),
                          page.section_html(differences_title(results, steps), differences_html(steps, found)),
                          page.section_html("Figures, the largest effect first", in_grid(figures)),
                          page.section_html("Distributions", in_grid([placed(plot, library) for plot in clouds])),
                          page.section_html("Tables", *map(page.table_html, tables)), charts.scripts_html(library))
