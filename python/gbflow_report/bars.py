# SPDX-License-Identifier: BSD-3-Clause
"""Bars: rows of a page with marks on one scale: a value with its interval, parts of a whole, spans of time. They are
boxes of HTML, placed in percent: the page's colours, light or dark, are theirs, a narrow screen wraps the name above
its row, and they need no script.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from matplotlib.ticker import MaxNLocator

from gbflow_report import page

STYLE = """
.rows { margin: .6rem 0 1rem; font-size: .88rem; font-variant-numeric: tabular-nums; max-width: 64rem; }
.rows > div { display: grid; grid-template-columns: minmax(8rem, 17rem) minmax(0, 1fr) 13.5rem; gap: 0 .8rem;
  align-items: center; padding: .12rem 0; }
.rows > div:hover { background: var(--tint); }
.rows .name { overflow-wrap: anywhere; } .rows .of { color: var(--soft); }
.track { position: relative; height: 1.15rem;
  background: linear-gradient(var(--rule), var(--rule)) center / 100% 1px no-repeat; }
.track i { position: absolute; top: 50%; transform: translateY(-50%); }
.track .zero { width: 1px; height: 1.4rem; background: var(--soft); }
.track .span { height: 3px; border-radius: 2px; background: currentColor; }
.track .dot { width: .62rem; height: .62rem; margin-left: -.31rem; border-radius: 50%; background: currentColor; }
.track .part { height: 1.05rem; min-width: 1px; } .track .part:hover { outline: 2px solid var(--ink); z-index: 1; }
.rows .faint { color: var(--soft); } .rows .faint .dot { background: var(--page); border: 2px solid currentColor; }
.rows .scale .track { height: 1.2rem; background: none; color: var(--soft); font-size: .8rem; }
.track .cut { font-style: normal; font-size: .75rem; background: var(--page); white-space: nowrap; }
.track .cut.high { right: 0; } .track .cut.low { left: 0; }
.track .tick { font-style: normal; transform: translate(-50%, -50%); white-space: nowrap; }
.track .tick:first-child { transform: translate(0, -50%); }
.track .tick:last-child { transform: translate(-100%, -50%); }
.colours { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .3rem 0; padding: 0;
  list-style: none; font-size: .85rem; }
.colours i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .4em; }
@media (max-width: 640px) { .rows > div { grid-template-columns: minmax(0, 1fr) auto; }
  .rows .track { grid-column: 1 / 3; grid-row: 2; }
  .rows .scale .name, .rows .scale .value { display: none; } }
"""


@dataclass(frozen=True)
class Part:
    """A stretch of a row. note: what is read at the pointer."""

    low: float
    high: float
    colour: str
    note: str = ""


@dataclass(frozen=True)
class Row:
    """name and `of`, words behind it; at: a value, ends: its interval; parts: stretches beside or in place of it;
    value: words at the right; is_faint: what is less than the others, an unsure difference for example."""

    name: str
    value: str
    at: float | None = None
    ends: tuple[float, float] | None = None
    parts: Sequence[Part] = field(default_factory=tuple)
    of: str = ""
    is_faint: bool = False


@dataclass(frozen=True)
class Scale:
    low: float
    high: float

    def place(self, value: float) -> str:
        """In percent, within the track."""
        return f"{100 * min(1.0, max(0.0, (value - self.low) / (self.high - self.low))):.2f}%"

    def width(self, low: float, high: float) -> str:
        low, high = max(low, self.low), min(high, self.high)
        return f"{max(0.0, 100 * (high - low) / (self.high - self.low)):.2f}%"

    def ticks(self) -> list[float]:
        return [float(f"{value:.10g}")
                for value in MaxNLocator(4).tick_values(self.low, self.high) if self.low <= value <= self.high]


PROPORTION = 3.0


def reach(values: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """Least and most of a scale for rows of (low end, value, high end). It holds all values, and all ends but those
    out of proportion: farther from the values than PROPORTION times what these span, or than PROPORTION times the
    median interval where that is wider. What is left out gets an arrow and its number."""
    middles = [middle for _, middle, _ in values]
    widths = [high - low for low, _, high in values if math.isfinite(high - low)]
    span = max(max(middles) - min(middles), median(widths) if widths else 0.0) or abs(middles[0]) or 1.0
    least, most = min(middles) - PROPORTION * span, max(middles) + PROPORTION * span
    held = [end for low, _, high in values for end in (low, high) if least <= end <= most]
    return min([*middles, *held]), max([*middles, *held])


def scale_of(rows: Sequence[Row], has_zero: bool) -> Scale:
    """Holds all values and parts, and all intervals in proportion (reach)."""
    values = [(*(row.ends[:1] if row.ends else (row.at,)), row.at, *(row.ends[1:] if row.ends else (row.at,)))
              for row in rows if row.at is not None]
    values += [(end, end, end) for row in rows for part in row.parts for end in (part.low, part.high)]
    low, high = reach([*values, *([(0.0, 0.0, 0.0)] if has_zero else [])])
    margin = 0.04 * (high - low) or abs(high) or 1.0
    return Scale(0.0 if has_zero and low >= 0 < high else low - margin,
                 0.0 if has_zero and high <= 0 > low else high + margin)


def track_html(row: Row, scale: Scale, has_zero: bool) -> str:
    marks = [f'<i class="zero" style="left:{scale.place(0)}"></i>'] if has_zero else []
    marks += ['<i class="part" '
              f'style="left:{scale.place(part.low)};width:{scale.width(part.low, part.high)};background:{part.colour}"'
              f' title="{page.escape(part.note)}"></i>' for part in row.parts]
    if row.ends:
        marks.append(f'<i class="span" style="left:{scale.place(row.ends[0])};width:{scale.width(*row.ends)}"></i>')
        marks += [f'<i class="cut low">\u25c2 {row.ends[0]:.3g}</i>'] if row.ends[0] < scale.low else []
        marks += [f'<i class="cut high">{row.ends[1]:.3g} \u25b8</i>'] if row.ends[1] > scale.high else []
    if row.at is not None:
        marks.append(f'<i class="dot" style="left:{scale.place(row.at)}"></i>')
    return "".join(marks)


def rows_html(rows: Sequence[Row], scale: Scale, unit: str = "", colour: str = "var(--mark)",
              has_zero: bool = False) -> str:
    """The scale stands above the rows; hovering a row shows its words."""
    if not rows:
        return ""
    ticks = "".join(f'<i class="tick" style="left:{scale.place(value)}">{value:g}{page.escape(unit)}</i>'
                    for value in scale.ticks())
    lines = [f'<div class="scale"><span class="name"></span><span class="track">{ticks}</span><span '
             'class="value"></span></div>']
    for row in rows:
        of = f' <span class="of">{page.escape(row.of)}</span>' if row.of else ""
        kind = ' class="faint"' if row.is_faint else ""
        lines.append(f'<div{kind} title="{page.escape(f"{row.name}: {row.value}")}"><span '
                     f'class="name">{page.escape(row.name)}{of}</span><span class="track" '
                     f'style="color:{"inherit" if row.is_faint else colour}">{track_html(row, scale, has_zero)}</span>'
                     f'<span class="value">{page.escape(row.value)}</span></div>')
    return '<div class="rows">' + "\n".join(lines) + "</div>\n"


def colours_html(names: Sequence[tuple[str, str]]) -> str:
    """A legend: (name, colour)"""
    items = "".join(f'<li><i style="background:{colour}"></i>{page.escape(name)}</li>' for name, colour in names)
    return f'<ul class="colours">{items}</ul>\n'
