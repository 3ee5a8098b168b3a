# SPDX-License-Identifier: BSD-3-Clause
"""report.html of a reproduction: per paper its set-up, the verdicts, its figures redrawn, what was assumed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from gbflow_report import charts, page
from gbflow_report.draw import Plot
from gbflow_report.page import Cell, Table
from gbflow_report.papers import verdict

KINDS = {verdict.IN_BAND: "good", verdict.MISSED: "bad", verdict.NOT_REPRODUCED: "bad"}
HEAD = ["figure", "published", "median", "over the seeds", "95 % interval", "band", "unit", "verdict", "why"]


@dataclass(frozen=True)
class Result:
    """What came of one paper. rows are those of reproduction.json."""

    paper: ModuleType
    rows: list[dict[str, Any]]
    plots: list[Plot]
    assumptions: list[dict]
    words: Sequence[str] = ()
    tables: Sequence[Table] = ()


def short(value: float | None) -> str:
    return page.NONE if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def band(row: Mapping[str, Any]) -> str:
    low, high = row["band"]
    return f"{low:g} to {high:g}"


def interval(row: Mapping[str, Any]) -> str:
    """Of the mean over the seeds; nothing for a single one."""
    limits = row["measured"]["interval"]
    return f"{short(limits[0])} to {short(limits[1])}" if limits else page.NONE


def verdict_words(row: Mapping[str, Any]) -> str:
    return row["verdict"] + (", open" if row["certainty"] == verdict.OPEN else "")


def count_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many rows have each verdict, and of how many the interval cuts the band."""
    told = []
    for name in KINDS:
        found = [row["certainty"] for row in rows if row["verdict"] == name]
        if found:
            is_open = found.count(verdict.OPEN)
            told.append(f"{len(found)} {name}" + (f" ({is_open} open: the interval cuts the band)" if is_open else ""))
    return f"{page.plural(len(rows), 'row')}: {', '.join(told)}"


def row_cells(row: Mapping[str, Any]) -> list[Cell | str]:
    published = row["published"]
    said = Cell(published if isinstance(published, str) else f"{published:g}", "note" if isinstance(published, str) else "text")
    median, smallest, largest = (short(row["measured"][key]) for key in ("median", "min", "max"))
    spread = Cell(f"{smallest} to {largest}" if smallest != largest else smallest, "text")
    return [row["what"], said, median, spread, Cell(interval(row), "text"), Cell(band(row), "text"), Cell(row["unit"], "text"),
            Cell(verdict_words(row), KINDS[row["verdict"]]), Cell(row["why"], "note")]


def verdicts(result: Result, seeds: int) -> Table:
    return Table(f"Every figure of the paper, against the median over {page.plural(seeds, 'seed')}. The interval is Student's t of the mean. "
                 f"Open: it cuts the band, and more seeds may change the verdict. {count_words(result.rows)}.", HEAD,
                 [row_cells(row) for row in result.rows])


def paper_html(result: Result, seeds: int, library: charts.Library | None) -> str:
    paper = result.paper
    about = f'<p class="soft">{page.escape(paper.SOURCE)}</p>\n<p>{page.escape(paper.SETUP)}</p>\n'
    about += "".join(f"<p>{page.escape(line)}</p>\n" for line in result.words)
    return (page.section_html(f"{paper.NAME}: {paper.TITLE}", about, page.table_html(verdicts(result, seeds)),
                              *map(page.table_html, result.tables),
                              *charts.figures_html(result.plots, library))
            + page.assumptions_html(result.assumptions, f"{paper.NAME}: what the paper leaves open"))


def cards(results: Sequence[Result], seeds: int) -> list[tuple[str, str]]:
    found = [row["verdict"] for result in results for row in result.rows]
    counts = [(name, str(found.count(name))) for name in KINDS if name in found]
    return [("figures", str(len(found))), *counts, ("seeds", str(seeds))]


def html_of(results: Sequence[Result], seeds: int, *more: str, library: charts.Library | None = None) -> str:
    head = ("<header>\n<h1>Published results, run again</h1>\n"
            '<p class="soft">Every number is measured by the runs beside this page; a band says how close to the paper '
            f"counts as reproduced.</p>\n{page.cards_html(cards(results, seeds))}</header>\n")
    count = sum(len(result.plots) for result in results)
    return page.page_html("Published results, run again - gbflow", count, head,
                          *(paper_html(result, seeds, library) for result in results), *more, charts.scripts_html(library))
