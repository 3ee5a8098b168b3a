# SPDX-License-Identifier: BSD-3-Clause
"""Charts: plots that one explores: the curves of a figure as data, drawn in the browser by dygraphs (MIT licence; its
licence line stands at the head of the script that goes into the page). The library is read when the page is made, from
Debian's libjs-dygraphs or from the folder that GBFLOW_DYGRAPHS names. A figure that is not made of curves on linear
axes stays SVG.
"""

import json
import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, ScalarFormatter

from gbflow_report import draw, output, page
from gbflow_report.draw import Plot
from gbflow_results import bounded
from gbflow_results.shown import shown

FOLDERS = ("/usr/share/javascript/dygraphs",)
SCRIPT, SHEET, OWN = "dygraph.min.js", "dygraph.min.css", "charts.js"
# What a page says that has SVG because the library is missing.
WITHOUT = "Plots that one zooms and reads values from need the Debian package libjs-dygraphs where the report is made."
DIGITS = 7
BOUNDED = "bounded"  # label of axes whose limits of y hold in a chart, too
STYLE = """
.chart { position: relative; } .panel { height: 19rem; width: 100%; max-width: 60rem; position: relative; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17.5rem), 1fr)); gap: .6rem 1rem; }
.multiple { min-width: 0; } .multiple .panel { height: 14.5rem; }
.multiple p { margin: 0; text-align: right; font-size: .85rem; }
.cursor { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--soft);
  pointer-events: none; display: none; }
.keys { display: flex; gap: .4rem; margin: .2rem 0 .4rem; font-size: .85rem; font-variant-numeric: tabular-nums;
  overflow-x: auto; align-items: stretch; }
.keys > * { flex: none; } @media (min-width: 44rem) { .keys { flex-wrap: wrap; } }
.keys button { font: inherit; color: var(--ink); background: var(--tint); border: 1px solid var(--rule);
  border-radius: 4px; cursor: pointer; padding: .05rem .5rem; text-align: left; white-space: nowrap; }
.keys button[aria-pressed="false"] { color: var(--soft); background: none; text-decoration: line-through; }
.keys button[aria-pressed="false"] svg { visibility: hidden; }
.keys svg { width: 2rem; height: .7rem; margin-right: .4em; fill: currentColor; stroke: currentColor; stroke-width: 2; }
.keys b { font-weight: 600; display: block; min-height: 1.5em; min-width: 4.5em; } .keys .band b { min-width: 12em; }
.keys .whole { order: 1; } .keys .at { order: 2; align-self: center; }
.dygraph-axis-label, .dygraph-label { color: var(--ink); font-size: .8rem; }
@media print { .keys button[aria-pressed="false"], .keys .whole, .cursor { display: none; }
  .panel { break-inside: avoid; } }
"""


@dataclass(frozen=True)
class Library:
    """The texts of dygraphs."""

    script: str
    sheet: str


def library() -> Library | None:
    """None where it is not installed."""
    given = os.environ.get("GBFLOW_DYGRAPHS")
    for folder in map(pathlib.Path, [given] if given else FOLDERS):
        if (folder / SCRIPT).is_file():
            return Library(plain(folder / SCRIPT), plain(folder / SHEET) if (folder / SHEET).is_file() else "")
    return None


def plain(path: pathlib.Path) -> str:
    """Without the comment that names a source map: a page opens no other file."""
    text = bounded.text(path, bounded.LOG_OCTETS)
    lines = text.replace("/*# sourceMappingURL", "\n//# sourceMappingURL").splitlines()
    return "\n".join(line for line in lines if not line.startswith("//# sourceMappingURL"))


def rounded(values: Any) -> list[float | None]:
    """JSON has no NaN."""
    return [float(f"{value:.{DIGITS}g}") if numpy.isfinite(value) else None
            for value in numpy.asarray(values, dtype=float)]


def has_curves_only(axes: Axes) -> bool:
    """Linear axes with numbers or fixed words as ticks, and nothing but lines, bands,
    intervals and one grey span of the warm-up."""
    is_linear = axes.get_xscale() == axes.get_yscale() == "linear"
    return (is_linear and (isinstance(axes.xaxis.get_major_formatter(), ScalarFormatter) or has_words(axes))
            and not axes.images and len(axes.patches) <= 1
            and bool(lines_of(axes)) and all(band_of(axes, index) for index in range(len(axes.collections))))


def has_words(axes: Axes) -> bool:
    """Ticks with words of their own, by set_xticks(places, words)."""
    return (isinstance(axes.xaxis.get_major_locator(), FixedLocator)
            and isinstance(axes.xaxis.get_major_formatter(), FuncFormatter))


def lines_of(axes: Axes) -> list[Line2D]:
    """Those with a name: others are rules of the plot."""
    return [line for line in axes.get_lines() if not name_of(axes, line).startswith("_") and len(line.get_xdata())]


def intervals_of(axes: Axes) -> list[ErrorbarContainer]:
    return [one for one in axes.containers if isinstance(one, ErrorbarContainer) and one.lines[0]]


def name_of(axes: Axes, line: Line2D) -> str:
    """That of a line with intervals is the name of both."""
    return next((one.get_label() for one in intervals_of(axes) if one.lines[0] is line), line.get_label())


def band_of(axes: Axes, index: int) -> tuple[Line2D, Any, Any] | None:
    """The line inside a band or with intervals, and their lower and upper ends. fill_between() makes a polygon of one
    point, the lower edge, one point, and the upper edge from right to left."""
    paths = axes.collections[index].get_paths()
    for one in intervals_of(axes):
        if axes.collections[index] in one.lines[2]:
            ends = numpy.array([path.vertices[:, 1] for path in paths])
            return one.lines[0], ends.min(axis=1), ends.max(axis=1)
    corners = paths[0].vertices if len(paths) == 1 else numpy.empty((0, 2))
    for line in lines_of(axes):
        count = len(line.get_xdata())
        if len(corners) == 2 * count + 3 and numpy.array_equal(corners[1:count + 1, 0], line.get_xdata()):
            return line, corners[1:count + 1, 1], corners[count + 2:2 * count + 2, 1][::-1]
    return None


def form_of(line: Line2D) -> str:
    """marked: with a marker at each point. A curve of many points has one now and then on paper, none in a chart."""
    if line.get_linestyle().lower() == "none":
        return "points"
    if line.get_marker() not in (None, "", " ", "None") and line.get_markevery() is None:
        return "marked"
    return "step" if line.get_drawstyle() == "steps-post" else "line"


def look_of(line: Line2D) -> dict[str, Any]:
    """Colour, dashes in pixels (none: a whole line) and marker, of which each alone tells the curve from the next."""
    dash = line._unscaled_dash_pattern[1] or ()  # pylint: disable=protected-access
    return {"colour": to_hex(line.get_color()), "dash": [2 * length for length in dash],
            "marker": line.get_marker() if line.get_marker() in draw.MARKERS else "o"}


def panel_of(axes: Axes) -> dict[str, Any]:
    curves = {line: {"name": name_of(axes, line), **look_of(line), "form": form_of(line),
                     "x": rounded(line.get_xdata()), "y": rounded(line.get_ydata())} for line in lines_of(axes)}
    for index in range(len(axes.collections)):
        line, low, high = band_of(axes, index) or (None, None, None)
        if line in curves:
            curves[line] |= {"low": rounded(low), "high": rounded(high)}
    # A Polygon up to matplotlib 3.8, then a Rectangle.
    spans = [patch.get_patch_transform().transform(patch.get_path().vertices)[:, 0] for patch in axes.patches]
    return {"y": axes.get_ylabel(), "title": axes.get_title(loc="right"), "zero": bool(axes.get_ylim()[0] == 0),
            "curves": list(curves.values()), "range": rounded(axes.get_xlim()), "x": axes.get_xlabel(),
            "rise": rounded(axes.get_ylim()) if is_grid(axes) or axes.get_label() == BOUNDED else None,
            "shade": rounded([spans[0].min(), spans[0].max()]) if spans else None}


def ticks_of(axes: Axes) -> list[list[Any]] | None:
    """Places and words of the ticks; None where they are numbers."""
    places = axes.get_xticks()
    words = axes.xaxis.get_major_formatter().format_ticks(places)
    return list(map(list, zip(rounded(places), words, strict=True))) if has_words(axes) else None


def is_grid(axes: Axes) -> bool:
    """Whether it stands beside others: small multiples, which have one legend and one scale of y."""
    place = axes.get_subplotspec()
    return bool(place and place.get_gridspec().ncols > 1)


def chart_of(figure: Figure) -> dict[str, Any] | None:
    """What charts.js draws: {"x": label, "range": [from, to], "ticks": places and words or null, "linked": whether x is
    the time of the run, "grid": whether the panels are small multiples, "panels": [...]}. None for a figure that it
    cannot draw."""
    drawn = [axes for axes in figure.axes if axes.get_visible()]
    if not drawn or not all(map(has_curves_only, drawn)):
        return None
    label, panels = drawn[-1].get_xlabel(), [panel_of(axes) for axes in drawn]
    for panel in panels:
        panel["y"] = panel["y"] or panels[0]["y"]  # of small multiples only the first one has a label
    return {"x": label, "range": rounded(drawn[0].get_xlim()), "ticks": ticks_of(drawn[0]),
            "linked": label.startswith("time"), "grid": is_grid(drawn[0]), "panels": panels}


def inner_html(plot: Plot) -> str | None:
    chart = None if isinstance(plot.drawn, str) else chart_of(plot.drawn)
    if chart is None:
        return None
    data = shown(json.dumps(chart, separators=(",", ":"), allow_nan=False, ensure_ascii=False)).replace("<", "\\u003c")
    return f'<div class="chart"><script type="application/json">{data}</script></div>'


def figures_html(plots: Sequence[Plot], found: Library | None) -> list[str]:
    return [page.plot_html(plot, inner_html(plot) if found else None) for plot in plots]


def scripts_html(found: Library | None) -> str:
    """What stands at the end of a page with charts."""
    if not found:
        return f'<p class="soft">{WITHOUT}</p>\n'
    scripts = "".join(f"<script>\n{text}\n</script>\n" for text in (found.script, output.packed(OWN)))
    return '<noscript><p class="soft">The plots need JavaScript; with --svg the page has SVG.</p></noscript>\n' \
           f"<style>{found.sheet}{STYLE}</style>\n{scripts}"
