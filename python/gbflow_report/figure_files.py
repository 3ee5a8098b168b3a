# SPDX-License-Identifier: BSD-3-Clause
"""Figures of a result as files for paper (gbflow figure): as wide as the author's column, with text of 7 points or
more, fonts embedded. The same result, width and command give the same octets: a file has no date;
its metadata name the commands and the commits.
"""

import argparse
import errno
import io
import os
import pathlib
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator

from gbflow_report import analyze_page, compare_page, draw, figures, output, run_page, run_plots, sweep_results
from gbflow_report.draw import Plot
from gbflow_report.output import Origin
from gbflow_results import Unusable, files, words

FORMATS = ("pdf", "svg", "png")
DOTS_PER_INCH = 600  # of PNG
LINE_LEAST = 8  # characters of a title of an axis


@dataclass(frozen=True)
class Result:
    """What figures are made of, and by what it was made."""

    rows: Sequence[figures.Row]
    data: Any
    origin: Origin


@dataclass(frozen=True)
class Kind:
    """sign: the file by which a folder is known."""

    name: str
    sign: str
    rows: Sequence[figures.Row]
    read: Callable[[pathlib.Path], tuple[Any, Origin]]


def run_at(path: pathlib.Path) -> tuple[Any, Origin]:
    summary = files.read_summary(path)
    series = files.plain_or_packed(path.parent / "series.csv")
    if not series.is_file():
        raise Unusable(f"{path.parent}: the run kept no series.csv, of which its figures are drawn: run it without "
                       "--no-series, or a study with "
                       "series = true")
    return run_plots.Run(summary, files.read_series(series)), run_page.origin_at(path.parent, summary)


def sweep_at(path: pathlib.Path) -> tuple[Any, Origin]:
    report = files.read_report(path, sweep_results.SWEEP_SCHEMA)
    return sweep_results.results_at(path.parent, report.get("study") or {}), output.origin_of(report)


def comparison_at(path: pathlib.Path) -> tuple[Any, Origin]:
    pair, report = compare_page.read(path)
    return pair, output.origin_of(report)


def analysis_at(path: pathlib.Path) -> tuple[Any, Origin]:
    report = files.read_report(path, analyze_page.SCHEMA)
    return report, output.origin_of(report)


KINDS = (Kind("run", "summary.json", figures.RUN, run_at), Kind("sweep", sweep_results.SWEEP, figures.SWEEP, sweep_at),
         Kind("comparison", compare_page.FILE, figures.COMPARISON, comparison_at),
         Kind("analysis", "analysis.json", figures.ANALYSIS, analysis_at))


def find_result(path: pathlib.Path) -> tuple[Kind, pathlib.Path]:
    """The kind of a result, and its file."""
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    for kind in KINDS:
        found = files.plain_or_packed(path / kind.sign)
        if found.is_file():
            return kind, path / kind.sign
    if path.is_file():
        schema = (files.read_json(path) or {}).get("schema") if path.suffix == ".json" else None
        starts = ("gbflow-summary/", "gbflow-sweep/", "gbflow-comparison/", "gbflow-analysis/")
        kind = next((kind for kind, start in zip(KINDS, starts)
                     if str(schema).startswith(start)), None)
        if kind:
            return kind, path
    raise Unusable(f"{path}: is no result; name a folder of gbflow run, sweep, compare --out or analyze --out")


def read(path: pathlib.Path) -> Result:
    kind, file = find_result(path)
    data, origin = kind.read(file)
    return Result(kind.rows, data, origin)


def plots_on(sheet: draw.Sheet, result: Result) -> list[Plot]:
    with draw.drawn_on(sheet):
        return figures.made(result.rows, result.data)[0]


# --- fitting ---

def overlap(axis: Axis) -> bool:
    """Whether words at its ticks do."""
    boxes = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_visible() and label.get_text()]
    return any(one.x1 > other.x0 for one, other in zip(boxes, boxes[1:]))


def wrap(label: Text, room: float, side: str) -> None:
    """A title of an axis that is longer than its room gets further lines. side: `width` or `height` of its room."""
    text = label.get_text()
    for characters in range(len(text), LINE_LEAST, -1):
        if getattr(label.get_window_extent(), side) <= room:
            return
        label.set_text(textwrap.fill(text, characters, break_long_words=False))


def fit(figure: Figure) -> None:
    """Words at the ticks of an x axis lean where they have no room side by side; titles of axes that are too long are
    wrapped. The ticks stay: the layout leaves room for the last word, and narrower axes may have other ticks."""
    figure.draw_without_rendering()
    drawn = list(filter(Axes.get_visible, figure.axes))
    for axes in drawn:
        axes.xaxis.set_major_locator(FixedLocator(axes.get_xticks()))
        if overlap(axes.xaxis):
            axes.tick_params(axis="x", rotation=40)
            for label in axes.get_xticklabels():
                label.set(ha="right", rotation_mode="anchor")
        wrap(axes.yaxis.label, 1.1 * axes.bbox.height, "height")
    for _ in range(2):  # further lines below the axes may move them
        figure.draw_without_rendering()
        for axes in drawn:
            middle = (axes.bbox.x0 + axes.bbox.x1) / 2
            wrap(axes.xaxis.label, min(1.1 * axes.bbox.width, 2 * middle, 2 * (figure.bbox.x1 - middle)), "width")
    figure.draw_without_rendering()


# --- files ---

def metadata(plot: Plot, origin: Origin, form: str) -> Mapping[str, str | None]:
    """Title and caption; what the result was made by, and this figure; no date."""
    here = output.origin()
    source = f"{origin.words()}" + (f": {origin.command}" if origin.command else "")
    creator = f"{here.words()}: {here.command}"
    common = {"Title": plot.title, "Creator": creator}
    if form == "pdf":
        return {**common, "Subject": plot.caption, "Keywords": source,
                "Producer": f"matplotlib {matplotlib.__version__}", "CreationDate": None}
    if form == "svg":
        return {**common, "Description": plot.caption, "Source": source, "Date": None}
    return {"Title": plot.title, "Description": plot.caption, "Source": source, "Software": creator}


def octets_of(plot: Plot, origin: Origin, form: str) -> bytes:
    out = io.BytesIO()
    assert isinstance(plot.drawn, Figure)
    fit(plot.drawn)
    plot.drawn.savefig(out, format=form, dpi=DOTS_PER_INCH if form == "png" else 72,
                       metadata=metadata(plot, origin, form))
    return out.getvalue()


def no_figure(name: str, plots: Sequence[Plot]) -> Unusable:
    near = words.near_figures(name, [plot.name for plot in plots])
    return Unusable(f"'{name}': the result has no such figure{f'; near: {near}' if near else ''}; --list names all")


def list_all() -> None:
    for kind in KINDS:
        print(f"{kind.name}:")
        for row in kind.rows:
            print(f"  {row.name:22} {row.data}")


def list_of(plots: Sequence[Plot]) -> None:
    width = max((len(plot.name) for plot in plots), default=0)
    for plot in sorted(plots, key=lambda plot: draw.natural(plot.name)):
        print(output.plain(f"{plot.name:{width}}  {plot.title}"))


def form_of(path: pathlib.Path) -> str:
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise Unusable(f"--out {path}: its name ends in none of .{', .'.join(FORMATS)}")
    return form


def must_fit(given: argparse.Namespace) -> None:
    """Raises Unusable for arguments that say nothing to do, or two things."""
    if given.list:
        if given.name or given.out or given.figures:
            raise Unusable("--list draws nothing: leave NAME, --out and --figures out")
    elif not given.result:
        raise Unusable("missing RESULT; --list names the figures")
    elif given.figures and (given.name or given.out):
        raise Unusable("--figures draws all figures: leave NAME and --out out")
    elif not given.figures and not (given.name and given.out):
        raise Unusable(f"missing {'--out FILE' if given.name else 'NAME, or --figures DIR'}")


def draw_all(given: argparse.Namespace, result: Result, plots: Sequence[Plot]) -> None:
    given.figures.mkdir(parents=True, exist_ok=True)
    for plot in plots:
        path = given.figures / f"{plot.name}.{given.format}"
        output.write_octets(path, octets_of(plot, result.origin, given.format))
        print(path)


def run(given: argparse.Namespace) -> int:
    must_fit(given)
    if given.list and not given.result:
        list_all()
        return 0
    form = form_of(given.out) if given.out else given.format
    result = read(given.result)
    plots = plots_on(draw.Sheet(given.width, is_paper=True), result)
    if given.list:
        list_of(plots)
    elif given.figures:
        draw_all(given, result, plots)
    else:
        plot = next((plot for plot in plots if plot.name == given.name), None)
        if not plot:
            raise no_figure(given.name, plots)
        output.write_octets(given.out, octets_of(plot, result.origin, form), is_named=True)
        print(given.out)
    return 0
