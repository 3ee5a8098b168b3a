# SPDX-License-Identifier: BSD-3-Clause
"""Drawing: how every plot looks, and how it becomes SVG inside a page. The same data gives the same octets: no dates,
no random identifiers, no settings of the user's own matplotlib. A plot is drawn for a sheet: that of a page, or one of
paper, whose width is what its author has (figure_files.py).

Huge series become small enough for a page without hiding an extreme. A curve with more points than fit is cut into
slices of equal time. For a line the smallest and the largest point of each slice stay (real points, at their own
times); for a cloud each slice becomes smallest, median, largest. How dense the points lie inside a slice is lost.
"""

import contextlib
import html
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

import matplotlib
import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from matplotlib.transforms import ScaledTranslation

from gbflow_results.files import Curve


# Okabe and Ito's colours, which people with each kind of colour blindness tell apart; yellow is too pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333")
DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (6, 1.5, 1.5, 1.5)), (0, (3, 1)), (0, (8, 2)), (0, (1, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# Curves beyond this many are left out, and the caption says so.
CURVES = len(COLOURS)
POINTS = 1200
SLICES = 300
WIDE = (8.4, 3.3)
# A curve's markers: as far from each other, in shares of the diagonal of its axes; of a curve over time, so many.
MARKED_EVERY, MARKED = 0.16, 7
# Characters of a legend are about so wide, in shares of their size.
CHARACTER = 0.55
SMALL_POINTS = 7.5  # of numbers beside arrows
PANEL_INCHES = 2.4  # the narrowest of small multiples

STYLE = {
    "axes.axisbelow": True, "axes.edgecolor": "#8a8a8a", "axes.grid": True, "axes.labelcolor": "#333333",
    "axes.labelsize": 9, "axes.spines.right": False, "axes.spines.top": False, "figure.dpi": 100, "font.size": 9,
    "grid.color": "#e6e6e6", "grid.linewidth": 0.8, "legend.fontsize": 8.5, "legend.frameon": False,
    "lines.linewidth": 1.4, "svg.fonttype": "path", "svg.hashsalt": "gbflow", "xtick.color": "#555555",
    "ytick.color": "#555555", "xtick.labelsize": 8.5, "ytick.labelsize": 8.5,
}


# What paper has otherwise: text of at least 7 points beside the text of a column, and thinner lines.
PRINTED = {"axes.labelsize": 8, "font.size": 8, "legend.fontsize": 7.5, "lines.linewidth": 1.1, "pdf.fonttype": 42,
           "xtick.labelsize": 7.5, "ytick.labelsize": 7.5}


@dataclass(frozen=True)
class Sheet:
    """What a plot is drawn for."""

    width_inches: float = WIDE[0]
    is_paper: bool = False

    def size(self, wanted: tuple[float, float], keeps_height: bool) -> tuple[float, float]:
        """On paper as wide as the sheet; what is narrower than a page loses less of its height, and none where rows
        make it."""
        if not self.is_paper:
            return wanted
        return self.width_inches, wanted[1] * (1.0 if keeps_height else (self.width_inches / wanted[0]) ** 0.5)

    @property
    def is_narrow(self) -> bool:
        """A column, beside which another one stands."""
        return self.width_inches < 0.7 * WIDE[0]

    def across(self, panels: int, most: int = 3) -> int:
        """Small multiples beside each other."""
        return max(1, min(panels, most, int(self.width_inches / PANEL_INCHES)))


PAGE = Sheet()
_sheets = [PAGE]


@contextlib.contextmanager
def drawn_on(sheet: Sheet) -> Iterator[None]:
    """Plots made meanwhile are drawn for this sheet."""
    _sheets.append(sheet)
    try:
        yield
    finally:
        _sheets.pop()


def sheet() -> Sheet:
    return _sheets[-1]


@dataclass(frozen=True)
class Plot:
    """One figure of a page. `title` names it, `caption` says what to see; `name` is the id in the page.
    `drawn` is SVG text, or the
    figure: it becomes SVG only where a page wants that, for this takes longer than the rest of a plot."""

    drawn: str | Figure
    name: str
    title: str
    caption: str

    @property
    def svg(self) -> str:
        if isinstance(self.drawn, str):
            return self.drawn
        return svg(self.drawn, self.name, html.escape(self.title, quote=True))


@dataclass(frozen=True)
class Look:
    """What tells one curve from the next, on a screen and on grey paper."""

    colour: str
    dash: object
    marker: str


def look(index: int) -> Look:
    return Look(COLOURS[index % CURVES], DASHES[index % CURVES], MARKERS[index % CURVES])


def canvas(rows: int = 1, size: tuple[float, float] = WIDE, keeps_height: bool = False) -> tuple[Figure, list[Axes]]:
    """Axes below each other that share the x axis. size: on a page, in inches."""
    matplotlib.use("Agg")
    matplotlib.rcdefaults()
    matplotlib.rcParams.update({**STYLE, **(PRINTED if sheet().is_paper else {})})
    figure = Figure(figsize=sheet().size(size, keeps_height), layout="constrained")
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)
    return figure, [row[0] for row in axes]


def legend(axes: Axes) -> None:
    """Above the axes and their title, where it covers no data, in as many columns as fit."""
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        em = matplotlib.rcParams["legend.fontsize"] / 72
        column = (CHARACTER * max(map(len, labels)) + 4.6) * em
        room = axes.figure.get_size_inches()[0] - 5 * em
        above = ScaledTranslation(0, 0.18 if axes.get_title(loc="right") else 0, axes.figure.dpi_scale_trans)
        axes.legend(handles, labels, loc="lower left", bbox_to_anchor=(0, 1.0), bbox_transform=axes.transAxes + above,
                    ncol=max(1, min(len(labels), 5, int(room / column))),
                    borderaxespad=0.2, handlelength=2.4, columnspacing=1.4, markerscale=1.6)


@dataclass(frozen=True)
class Band:
    time_s: numpy.ndarray
    low: numpy.ndarray
    middle: numpy.ndarray
    high: numpy.ndarray


def slices_of(curve: Curve, count: int) -> list[numpy.ndarray]:
    """Index runs of the points of each of `count` equal slices of time, empty ones left out."""
    edges = numpy.linspace(curve.time_s[0], curve.time_s[-1], count + 1)[1:-1]
    cuts = numpy.searchsorted(curve.time_s, edges)
    return [run for run in numpy.split(numpy.arange(len(curve)), cuts) if len(run)]


def thinned(curve: Curve, points: int) -> Curve:
    """At most about `points` points; the first and the last are always among them."""
    if len(curve) <= points:
        return curve
    kept = {0, len(curve) - 1}
    for run in slices_of(curve, max(1, points // 2)):
        values = curve.value[run]
        kept |= {int(run[values.argmin()]), int(run[values.argmax()])}
    order = sorted(kept)
    return Curve(curve.time_s[order], curve.value[order])


def band_of(curve: Curve, slices: int) -> Band:
    runs = slices_of(curve, slices)
    parts = [curve.value[run] for run in runs]
    return Band(numpy.array([curve.time_s[run].mean() for run in runs]),
                numpy.array([part.min() for part in parts]),
                numpy.array([numpy.median(part) for part in parts]),
                numpy.array([part.max() for part in parts]))


def distribution(values: numpy.ndarray, points: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """(value, share of values at or below it), smallest and largest included."""
    ordered = numpy.sort(values)
    share = numpy.arange(1, len(ordered) + 1) / len(ordered)
    if len(ordered) <= points:
        return ordered, share
    kept = numpy.unique(numpy.linspace(0, len(ordered) - 1, points).round().astype(int))
    return ordered[kept], share[kept]


def marked(style: Look, points: int | None = None) -> dict[str, object]:
    """The look of a curve of many points: its dashes, and its marker now and then, another curve's at other places.
    points: of a curve
    over time, which goes up and down."""
    first = (1 + MARKERS.index(style.marker)) / (1 + CURVES)
    every: tuple[float, float] = (first * MARKED_EVERY, MARKED_EVERY)
    if points is not None:
        step = max(1, points // MARKED)
        every = (int(first * step), step)
    return {"color": style.colour, "linestyle": style.dash, "marker": style.marker, "markersize": 3.6,
            "markevery": every}


def line(axes: Axes, curve: Curve, label: str, style: Look) -> None:
    small = thinned(curve, POINTS)
    axes.plot(small.time_s, small.value, label=label, **marked(style, len(small)))


def step(axes: Axes, x: numpy.ndarray, y: numpy.ndarray, label: str, style: Look) -> None:
    axes.step(x, y, where="post", label=label, **marked(style))


def cloud(axes: Axes, curve: Curve, label: str, style: Look) -> bool:
    """Points; where there are too many, their median within a band from the smallest to the largest (then True)."""
    if len(curve) <= POINTS:
        axes.plot(curve.time_s, curve.value, linestyle="none", marker=style.marker, markersize=2.6,
                  color=style.colour, alpha=0.75, markeredgewidth=0, label=label)
        return False
    band = band_of(curve, SLICES)
    axes.fill_between(band.time_s, band.low, band.high, color=style.colour, alpha=0.22, linewidth=0)
    axes.plot(band.time_s, band.middle, label=label, **marked(style, len(band.middle)))
    return True


def finish(axes: Axes, x_label: str, y_label: str) -> None:
    if x_label:
        axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    legend(axes)


def minutes(every: int = 2) -> MultipleLocator:
    """Ticks for an axis of seconds."""
    return MultipleLocator(60 * every)


def svg(figure: Figure, name: str, alternative: str) -> str:
    """SVG text to stand inside a page; its identifiers carry the plot's name, for a page has one space of them."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = out.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(xlink:href="|url\()#', rf"\1#{name}-", text)
    text = re.sub(r'^<svg ([^>]*?)width="[^"]*"', r"<svg \1", text, count=1)
    text = re.sub(r'^<svg ([^>]*?)height="[^"]*"', r"<svg \1", text, count=1)
    return text.replace("<svg ", f'<svg role="img" aria-label="{alternative}" ', 1).strip()


def most(curves: dict[str, Curve], limit: int = CURVES) -> tuple[dict[str, Curve], str]:
    """The curves with the highest peaks, in the order of their names, and a sentence where some were left out."""
    filled = {name: curve for name, curve in curves.items() if len(curve)}
    ranked = sorted(filled, key=lambda name: (-filled[name].value.max(), name))[:limit]
    note = f" Drawn are the {limit} of {len(filled)} with the highest peaks." if len(filled) > limit else ""
    return {name: filled[name] for name in sorted(ranked, key=natural)}, note


def slug(*parts: str) -> str:
    """A name for a figure of these parts."""
    return "-".join(re.sub(r"[^A-Za-z0-9_]+", "-", part).strip("-") for part in parts)


def natural(text: str) -> tuple:
    """Sorts anna2 before anna10."""
    return tuple(int(part) if index % 2 else part for index, part in enumerate(re.split(r"(\d+)", text)))
