# SPDX-License-Identifier: BSD-3-Clause
"""The page: HTML of a report: one file that needs nothing else, readable on paper."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gbflow_results.shown import shown

if TYPE_CHECKING:
    from gbflow_report.draw import Plot
    from gbflow_report.output import Origin

NONE = "–"
# The name of a row with more characters than this is given room to wrap in.
LONG_NAME = 24
# A longer table opens only when asked to.
FOLDED_ROWS = 16

# Colours of drawings, and the names by which a page has them, so that they are others in its dark form. The last six
# are those of curves (draw.COLOURS); of them the dark ones are lighter there.
DRAWN = {"#ffffff": "page", "#000000": "ink", "#1d232a": "ink", "#333333": "ink", "#555555": "soft", "#777777": "soft",
         "#5b6570": "soft", "#999999": "soft", "#8a8a8a": "axis", "#b9c0c8": "axis", "#e6e6e6": "rule",
         "#0072b2": "c0", "#d55e00": "c1", "#009e73": "c2", "#cc79a7": "c3", "#e69f00": "c4", "#56b4e9": "c5"}
COLOUR = re.compile(r"#[0-9a-f]{6}\b")
STYLE = """
:root { --ink: #1d232a; --soft: #5b6570; --rule: #dfe3e8; --tint: #f5f7f9; --good: #00684a; --bad: #b0300a;
  --page: #fff; --mark: #0072b2; --axis: #8a8a8a;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #e69f00; --c5: #56b4e9; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; color: var(--ink);
  background: #fff; margin: 0 auto;
  padding: 2rem 1.5rem 4rem; max-width: 68rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .2rem; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; padding-top: .6rem; border-top: 2px solid var(--rule); }
p { margin: .4rem 0; } .soft, caption, figcaption { color: var(--soft); }
code { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .92em; }
.cards { display: flex; flex-wrap: wrap; gap: .7rem; margin: 1.2rem 0; padding: 0; list-style: none; }
.cards li { background: var(--tint); border: 1px solid var(--rule); border-radius: 6px; padding: .5rem .9rem;
  min-width: 7.5rem; }
.cards b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.cards span { color: var(--soft); font-size: .85rem; }
.scroll { overflow-x: auto; margin: .6rem 0 1.2rem; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; min-width: 40%; }
caption { text-align: left; padding-bottom: .3rem; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--rule); text-align: right; vertical-align: top; }
thead th { background: var(--tint); font-weight: 600; vertical-align: bottom; }
th:first-child, td.text, th.text { text-align: left; }
td.text { white-space: nowrap; } td.note { white-space: normal; min-width: 11rem; }
tbody th { font-weight: 600; min-width: 6rem; } th.long { min-width: 15rem; font-weight: 500; }
td.good { color: var(--good); font-weight: 600; } td.bad { color: var(--bad); font-weight: 600; }
details { margin: .8rem 0; } summary { color: var(--soft); cursor: pointer; font-size: .88rem; }
figure { margin: 1.4rem 0 2rem; } figure h3 { font-size: 1rem; margin: 0 0 .3rem; }
figure { overflow-x: auto; }
figure > svg { display: block; width: 100%; height: auto; min-width: 52rem; max-width: 60rem; fill: var(--ink); }
footer { margin-top: 2.4rem; padding-top: .6rem; border-top: 2px solid var(--rule); color: var(--soft);
  font-size: .85rem; overflow-wrap: anywhere; }
figcaption { font-size: .9rem; max-width: 56rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; font-size: .9rem; }
dt { font-weight: 600; } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
@media (max-width: 44rem) { body { padding: 1rem .8rem 3rem; } dl { grid-template-columns: 1fr; }
  dd { margin: 0 0 .6rem; } dt { overflow-wrap: anywhere; } }
nav { font-size: .9rem; } nav a { margin-right: .9rem; } a { color: #00598c; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e3e6ea; --soft: #a3adb8; --rule: #39424c; --tint: #222930; --good: #4cc79b; --bad: #ff8a66;
    --page: #14181c; --mark: #56b4e9; --axis: #6b7580; color-scheme: dark;
    --c0: #5b8def; --c1: #f07a24; --c2: #1fbf92; }
  body { background: var(--page); } a { color: #7cc0f0; } }
@media print { body { max-width: none; padding: 0; font-size: 10.5pt; } nav { display: none; }
  figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .scroll { overflow: visible; } table { font-size: 7.5pt; }
  th, td { padding: .15rem .35rem; } @page { margin: 14mm; } }
"""


@dataclass(frozen=True)
class Cell:
    """One cell of a table. Kinds: "" number, "text", "note" (words that may wrap), "good", "bad"."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Head:
    """Title of a column, and what explains it to a reader who points at it."""

    text: str
    note: str


@dataclass
class Table:
    """rows[i][0] names the row. A column in which every row has nothing is not shown.
    name: by which a page of docs/ chooses it."""

    caption: str
    head: Sequence[Head | str]
    rows: list[list[Cell | str]] = field(default_factory=list)
    name: str = ""


def escape(text: object) -> str:
    return html.escape(shown(text, "\n"), quote=True)


def fixed(value: float | None, digits: int, factor: float = 1.0) -> str:
    return NONE if value is None else f"{value * factor:.{digits}f}"


def seconds(value: float | None) -> str:
    """Three digits that mean something; the column's head says that they are seconds."""
    return fixed(value, 3 if value is not None and abs(value) < 10 else 1)


def kbps(value_bps: float | None) -> str:
    return fixed(value_bps, 1, 1e-3)


def percent(share: float | None) -> str:
    return fixed(share, 1, 100.0)


def count(value: float | None) -> str:
    return NONE if value is None else f"{value:,.0f}".replace(",", "\u202f")


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def cell_of(value: Cell | str) -> Cell:
    return value if isinstance(value, Cell) else Cell(value)


def cell_html(cell: Cell, is_head: bool) -> str:
    if is_head:
        long = ' class="long"' if len(cell.text) > LONG_NAME else ""
        return f'<th scope="row"{long}>{escape(cell.text)}</th>'
    kind = {"": "", "text": ' class="text"'}.get(cell.kind, f' class="text {cell.kind}"')
    return f"<td{kind}>{escape(cell.text)}</td>"


def table_markdown(table: Table) -> str:
    """For a terminal and for docs/: the caption, then all columns."""
    head = [title.text if isinstance(title, Head) else title for title in table.head]
    lines = [head, ["---"] * len(head),
             *([cell_of(value).text.replace("|", "\\|") for value in row] for row in table.rows)]
    return "\n".join([f"\n{table.caption}\n", *(f"| {' | '.join(line)} |" for line in lines), ""])


def table_html(table: Table) -> str:
    """Nothing for a table without rows."""
    if not table.rows:
        return ""
    rows = [[cell_of(value) for value in row] for row in table.rows]
    shown = [index for index in range(len(table.head))
             if index == 0 or any(row[index].text not in ("", NONE) for row in rows)]
    head = "".join(head_html(table.head[index], rows[0][index]) for index in shown)
    body = "\n".join("<tr>" + "".join(cell_html(row[index], index == 0) for index in shown) + "</tr>" for row in rows)
    caption = escape(table.caption)
    inner = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>\n"
    if len(rows) > FOLDED_ROWS:
        return (f"<details><summary>{caption} {plural(len(rows), 'row')}.</summary>\n"
                f'<div class="scroll" tabindex="0"><table>\n{inner}</details>\n')
    return f'<div class="scroll" tabindex="0"><table><caption>{caption}</caption>\n{inner}'


def head_html(title: Head | str, below: Cell) -> str:
    head = title if isinstance(title, Head) else Head(title, "")
    kind = ' class="text"' if below.kind else ""
    note = f' title="{escape(head.note)}"' if head.note else ""
    return f'<th scope="col"{kind}{note}>{escape(head.text)}</th>'


def coloured(svg: str) -> str:
    """A drawing in the page's own colours, light or dark."""
    return COLOUR.sub(lambda found: f"var(--{DRAWN[found[0]]})" if found[0] in DRAWN else found[0], svg)


def plot_html(plot: Plot, inner: str | None = None) -> str:
    """The figure with its SVG, or with what stands in its place."""
    drawing = coloured(plot.svg) if inner is None else inner
    return (f'<figure id="{escape(plot.name)}">\n<h3>{escape(plot.title)}</h3>\n{drawing}\n'
            f"<figcaption>{escape(plot.caption)}</figcaption>\n</figure>\n")


def cards_html(cards: Sequence[tuple[str, str]]) -> str:
    items = "".join(f"<li><b>{escape(value)}</b><span>{escape(name)}</span></li>" for name, value in cards)
    return f'<ul class="cards">{items}</ul>\n'


def terms_html(terms: Sequence[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in terms) + "</dl>\n"


def folded_html(words: str, *parts: str) -> str:
    """What opens only when asked to."""
    body = "".join(parts)
    return f"<details><summary>{escape(words)}</summary>\n{body}</details>\n" if body else ""


def section_html(title: str, *parts: str) -> str:
    body = "".join(parts)
    return f"<section>\n<h2>{escape(title)}</h2>\n{body}</section>\n" if body else ""


def made_html(made: Sequence[tuple[str, Origin]]) -> str:
    """What each part was made by: version, commit, command."""
    rows = ""
    for what, origin in made:
        command = f": <code>{escape(origin.command)}</code>" if origin.command else ""
        rows += f"<p>{escape(what)}: {escape(origin.words())}{command}</p>\n"
    return f"<footer>\n{rows}</footer>\n"


def page_html(title: str, plot_count: int, made: Sequence[tuple[str, Origin]], *parts: str) -> str:
    """made: what the results and the page were made by."""
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
            f'<body data-plots="{plot_count}">\n<main>\n{"".join(parts)}</main>\n{made_html(made)}</body>\n</html>\n')


def worded(value: object) -> str:
    """A value of a scenario as its reader would write it."""
    if isinstance(value, dict):
        return ", ".join(f"{name} = {worded(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(worded, value))
    return NONE if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def assumptions_html(rows: Sequence[dict], title: str = "Assumed") -> str:
    """What the scenario says about values that nobody published."""
    table = Table("Values that the source of this scenario leaves open: what was taken, why, and over which range the "
                  "result was seen to hold.", ["parameter", "value", "why", "holds over"])
    for row in rows:
        texts = [worded(row.get(key)) for key in ("path", "value", "why", "holds_over")]
        table.rows.append([Cell(text, "note") for text in texts])
    return section_html(title, table_html(table))
