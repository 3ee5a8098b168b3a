# SPDX-License-Identifier: BSD-3-Clause
"""Runs a paper's scenarios over several seeds, checks every figure against its band, writes reproduction.json and
report.html: per paper its set-up, the verdicts, its figures redrawn, what was assumed. With --sensitivity it also runs
every variation of what is assumed, and judges signs and orders.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from gbflow_report import charts, measured, output, page
from gbflow_report.difference import must_have_library, rounded
from gbflow_report.draw import Plot
from gbflow_report.page import Cell, Table
from gbflow_report.papers import (ablation, compression, llc, narrow, own, own_paper, own_sensitivity, p1,
                                  p1_sensitivity, p2, p2_sensitivity, p3, p4, p5, points, radio, relocation, search,
                                   verdict)
from gbflow_report.papers.verdict import Variation
from gbflow_report.runs import SUMMARY, Kind, Program, Run, program_at, run_missing, runs_of
from gbflow_results import Failure, Unusable, files
from gbflow_results.files import Series


# --- what hinges on what is assumed ---

HOLDS, FAILS = "holds", "does not hold"
SENSITIVITIES: dict[str, ModuleType] = {study.PAPER.NAME: study
                                        for study in (p1_sensitivity, p2_sensitivity, own_sensitivity)}


def varied_outcomes(study: ModuleType, runs: Sequence[Run]) -> dict[int, dict[Any, Any]]:
    found: dict[int, dict[Any, Any]] = {}
    for run in runs:
        outcomes = found.setdefault(run.seed, {})
        if hasattr(run.case, "read"):
            outcomes[run.case] = run.case.read(run.folder)
        else:
            outcomes[run.case] = study.PAPER.outcome_of(files.read_summary(run.folder / SUMMARY), Series({}))
    return found


def varied_row(study: ModuleType, variation: Variation, by_seed: Mapping[int, Mapping[Any, Any]]) -> dict[str, Any]:
    """A row of reproduction.json's sensitivity."""
    runs = [study.of_variation(outcomes, variation) for outcomes in by_seed.values()]
    found = study.figures(runs)
    faults = study.faults(found)
    return {"paper": study.PAPER.NAME, "assumption": variation.assumption, "value": variation.value,
            "settings": list(variation.settings), "in_range": not variation.is_beyond, "seeds": len(runs),
            **{name: None if value is None else rounded(value) for name, value in found.items()},
            "verdict": FAILS if faults else HOLDS, "why": "; ".join(faults)}


Blocks = dict[str, tuple[measured.Source, list[Table]]]  # what pages can have of each study


def check_variations(names: Sequence[str], given: argparse.Namespace, program: Program,
                     blocks: Blocks) -> list[dict[str, Any]]:
    """Rows of the papers that have variations; their tables go into `blocks`."""
    rows = []
    for study in (SENSITIVITIES[name] for name in names if name in SENSITIVITIES):
        runs = runs_of(Kind(study.NAME, study.PAPER.SCENARIO, study.VARIED, has_series=False), given, program)
        run_missing(runs, given)
        by_seed = varied_outcomes(study, runs)
        mine = [varied_row(study, variation, by_seed) for variation in study.VARIATIONS]
        if hasattr(study, "table"):
            name = study.PAPER.NAME + measured.SENSITIVITY
            blocks[name] = measured.source_of(name, runs, given.seeds), [study.table(mine)]
        rows += mine
    return rows


def by_paper(rows: Sequence[Mapping[str, Any]]) -> list[tuple[ModuleType, list[Mapping[str, Any]]]]:
    found = [(study, [row for row in rows if row["paper"] == name]) for name, study in SENSITIVITIES.items()]
    return [(study, those) for study, those in found if those]


def label(row: Mapping[str, Any]) -> str:
    beyond = "" if row["in_range"] else " (beyond its range)"
    return f"{row['assumption']} {row['value']}".strip() + beyond


def verdict_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """How many hold, then one line for each that does not."""
    inside = [row for row in rows if row["in_range"]]
    held = sum(row["verdict"] == HOLDS for row in inside)
    count = f"{held} of {len(inside)} rows within the stated ranges"
    return [f"signs and order hold in {count}, with {page.plural(rows[0]['seeds'], 'seed')}",
            *(f"{label(row)}: {row['why']}" for row in rows if row["verdict"] != HOLDS)]


def print_variations(rows: Sequence[Mapping[str, Any]]) -> None:
    for study, those in by_paper(rows):
        width = max(len(label(row)) for row in those)
        head = f"{study.PAPER.NAME}, one at a time"
        print(f"{head:{width}}  " + "  ".join(f"{title:>14}" for _, title, _ in study.COLUMNS) + "  verdict")
        for row in those:
            values = "  ".join(f"{page.fixed(row[name], digits):>14}" for name, _, digits in study.COLUMNS)
            print(f"{label(row):{width}}  {values}  {row['verdict']}")
        for line in verdict_lines(those):
            print(line)


def variation_cells(study: ModuleType, row: Mapping[str, Any]) -> list[Cell | str]:
    numbers = [page.fixed(row[name], digits) for name, _, digits in study.COLUMNS]
    kind = "good" if row["verdict"] == HOLDS else "bad"
    return [label(row), *numbers, Cell(row["verdict"], kind), Cell(row["why"], "note")]


def study_html(study: ModuleType, rows: Sequence[Mapping[str, Any]]) -> str:
    table = Table(f"Each assumption varied alone, medians over {page.plural(rows[0]['seeds'], 'seed')}: "
                  f"{study.CAPTION}.", ["varied", *(title for _, title, _ in study.COLUMNS), "verdict", "why"],
                  [variation_cells(study, row) for row in rows])
    lines = "".join(f"<p>{page.escape(line)}</p>\n" for line in verdict_lines(rows))
    return page.section_html(f"{study.PAPER.NAME}: what hinges on what is assumed", lines, page.table_html(table))


def variations_html(rows: Sequence[Mapping[str, Any]]) -> str:
    """Nothing without rows."""
    return "".join(study_html(study, those) for study, those in by_paper(rows))


# --- the page ---

KINDS = {verdict.IN_BAND: "good", verdict.MISSED: "bad", verdict.NOT_REPRODUCED: "bad"}
KIND_WORDS = ("A verdict says of which kind its row is, if no result: an input comes from the published numbers; by "
              "a fitted row a value was chosen; of a "
              "sign the band hardly fails; a regression has a band of a first run.")
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
    page_tables: Sequence[Table] = ()  # beside the others, for pages of docs/
    source: measured.Source | None = None
    by_seed: Mapping[int, Mapping[Any, Any]] = field(default_factory=dict)


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
    """With the kind of a row that is no result."""
    kind = "" if row["kind"] == verdict.RESULT else f", {row['kind']}"
    return row["verdict"] + kind + (", open" if row["certainty"] == verdict.OPEN else "")


def by_kind(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """The results, and apart from them the rows of each other kind."""
    kinds = (verdict.RESULT, verdict.SIGN, verdict.INPUT, verdict.FITTED, verdict.REGRESSION)
    found = [(kind, [row for row in rows if row["kind"] == kind]) for kind in kinds]
    return [(kind, those) for kind, those in found if those]


def count_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many rows of each kind have each verdict, and of how many the interval cuts the band."""
    return f"{page.plural(len(rows), 'row')}; " + "; ".join(f"{kind}: {verdict_counts(those)}"
                                                            for kind, those in by_kind(rows))


def verdict_counts(rows: Sequence[Mapping[str, Any]]) -> str:
    told = []
    for name in KINDS:
        found = [row["certainty"] for row in rows if row["verdict"] == name]
        if found:
            is_open = found.count(verdict.OPEN)
            told.append(f"{len(found)} {name}" + (f" ({is_open} open)" if is_open else ""))
    return ", ".join(told)


def row_cells(row: Mapping[str, Any]) -> list[Cell | str]:
    published = row["published"]
    said = Cell(published if isinstance(published, str) else f"{published:g}",
                "note" if isinstance(published, str) else "text")
    median, smallest, largest = (short(row["measured"][key]) for key in ("median", "min", "max"))
    spread = Cell(f"{smallest} to {largest}" if smallest != largest else smallest, "text")
    return [row["what"], said, median, spread, Cell(interval(row), "text"), Cell(band(row), "text"),
            Cell(row["unit"], "text"), Cell(verdict_words(row), KINDS[row["verdict"]]), Cell(row["why"], "note")]


def verdicts(result: Result, seeds: int) -> Table:
    return Table(f"Every figure of the paper, against the median over {page.plural(seeds, 'seed')}. The "
                 "interval is Student's t of the mean. Open: it cuts the band, and more seeds may change the verdict. "
                 f"{KIND_WORDS} {count_words(result.rows)}.", HEAD, [row_cells(row) for row in result.rows])


def verdicts_of_pages(result: Result) -> Table:
    """As a terminal has them."""
    rows = [[f"`{row['id']}`", str(row["published"]), short(row["measured"]["median"]), interval(row), band(row),
             row["unit"], verdict_words(row)]
            for row in result.rows]
    return Table(f"{result.paper.NAME}: medians over {page.plural(result.rows[0]['measured']['seeds'], 'seed')}.",
                 ["row", "published", "median", "95 % interval", "band", "unit", "verdict"], rows, "verdicts")


def paper_html(result: Result, seeds: int, library: charts.Library | None) -> str:
    paper = result.paper
    about = f'<p class="soft">{page.escape(paper.SOURCE)}</p>\n<p>{page.escape(paper.SETUP)}</p>\n'
    about += "".join(f"<p>{page.escape(line)}</p>\n" for line in result.words)
    return (page.section_html(f"{paper.NAME}: {paper.TITLE}",
                              about, *([page.table_html(verdicts(result, seeds))] if result.rows else []),
                              *map(page.table_html, result.tables), *charts.figures_html(result.plots, library))
            + page.assumptions_html(result.assumptions, f"{paper.NAME}: what the paper leaves open"))


def cards(results: Sequence[Result], seeds: int) -> list[tuple[str, str]]:
    """Verdicts of the results alone, and how many rows are of other kinds."""
    kinds = dict(by_kind([row for result in results for row in result.rows]))
    found = [row["verdict"] for row in kinds.pop(verdict.RESULT, [])]
    counts = [(name, str(found.count(name))) for name in KINDS if name in found]
    return [("results", str(len(found))), *counts, *((kind, str(len(those))) for kind, those in kinds.items()),
            ("seeds", str(seeds))]


def html_of(results: Sequence[Result], seeds: int, *more: str, library: charts.Library | None = None) -> str:
    head = ("<header>\n<h1>Published results, run again</h1>\n"
            '<p class="soft">Every number is measured by the runs beside this page; a band says how close to the paper '
            f"counts as reproduced.</p>\n{page.cards_html(cards(results, seeds))}</header>\n")
    count = sum(len(result.plots) for result in results)
    return page.page_html("Published results, run again - gbflow", count, [("Runs and page by", output.origin())], head,
                          *(paper_html(result, seeds, library) for result in results), *more,
                          charts.scripts_html(library))


# --- running papers ---

SCHEMA = "gbflow-reproduction/1"
SEEDS = 5  # of a study that does not say how many
PAPERS: dict[str, ModuleType] = {paper.NAME: paper for paper in (p1, p2, p3, p4, p5)}
# Not among "all".
STUDIES: dict[str, ModuleType] = {study.NAME: study
                                  for study in (own, search, points, ablation, narrow, radio, llc, compression,
                                                relocation)}


def summary_of(run: Run) -> dict[str, Any]:
    summary = files.read_summary(run.folder / SUMMARY)
    expected = run.kind.number(run.case, run.seed)
    if summary.get("seed") != expected:
        raise Failure(f"{run.folder / SUMMARY}: seed is {summary.get('seed')}, not {expected}")
    return summary


def outcomes_of(paper: ModuleType, runs: list[Run]) -> tuple[dict[int, dict[Any, Any]], list[dict]]:
    """Outcomes by seed and case, and what the scenario assumed."""
    by_seed: dict[int, dict[Any, Any]] = {}
    assumptions: list[dict] = []
    for run in runs:
        summary = summary_of(run) if SUMMARY in run.kind.results(run.case) else None
        if hasattr(run.case, "read"):
            found = run.case.read(run.folder)
        else:
            series = files.read_series(run.folder / "series.csv") if paper.HAS_SERIES else files.Series({})
            found = paper.outcome_of(summary, series)
        by_seed.setdefault(run.seed, {})[run.case] = found
        assumptions += [row for row in (summary["assumptions"] if summary else []) if row not in assumptions]
    return by_seed, assumptions


def cases_of(paper: ModuleType, given: argparse.Namespace) -> Sequence[Any]:
    """All of them, or those of --points and --cases."""
    if hasattr(paper, "chosen"):
        return paper.chosen(given.points, given.cases)
    if given.points or given.cases:
        option = "--points" if given.points else "--cases"
        raise Unusable(f"{option}: {paper.NAME} has none; --points is of {ablation.NAME} and {points.NAME}, "
                       f"--cases of {ablation.NAME}")
    return paper.CASES


def check_paper(name: str, given: argparse.Namespace, program: Program) -> Result:
    paper = (PAPERS | STUDIES)[name]
    varied = {member: getattr(paper, member, None) for member in ("of_seed", "number_of")}
    runs = runs_of(Kind(name, paper.SCENARIO, cases_of(paper, given), paper.HAS_SERIES, **varied), given, program)
    run_missing(runs, given)
    by_seed, assumptions = outcomes_of(paper, runs)
    rows = [verdict.judge(name, figure, by_seed) for figure in paper.FIGURES]
    words = paper.words(by_seed) if hasattr(paper, "words") else []
    tables = paper.tables(by_seed) if hasattr(paper, "tables") else []
    page_tables = paper.page_tables(by_seed) if hasattr(paper, "page_tables") else []
    return Result(paper, rows, paper.plots(by_seed), assumptions, words, tables, page_tables,
                  measured.source_of(name + measured.choice(given.points, given.cases), runs, given.seeds), by_seed)


def print_table(rows: list[Mapping[str, Any]]) -> None:
    """Nothing of a study without rows."""
    if not rows:
        return
    width = max(len(row["id"]) for row in rows)
    print(f"{'figure':{width}}  {'published':>10}  {'median':>8}  {'95 % interval':>16}  {'band':>12}  unit     "
          "verdict")
    for row in rows:
        published = row["published"] if isinstance(row["published"], (int, float)) else "(in words)"
        found = short(row["measured"]["median"])
        print(f"{row['id']:{width}}  {published:>10}  {found:>8}  {interval(row):>16}  {band(row):>12}  "
              f"{row['unit']:7}  {verdict_words(row)}")
    print(count_words(rows))


def write(given: argparse.Namespace, results: list[Result], varied: list[dict]) -> None:
    rows = [row for result in results for row in result.rows]
    report = {"schema": SCHEMA, "version": output.version(), "figures": rows,
              **({"sensitivity": varied} if varied else {})}
    output.write_whole(given.out / "reproduction.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    output.write_whole(given.out / "report.html", html_of(
        results, given.seeds, variations_html(varied), library=None if given.is_static else charts.library()))


def print_results(given: argparse.Namespace, results: Sequence[Result], varied: list[dict]) -> None:
    print_table([row for result in results for row in result.rows])
    for table in (table for result in results for table in result.tables):
        print(page.table_markdown(table))
    if varied:
        print_variations(varied)
    print(given.out / "report.html")


def blocks_of(results: Sequence[Result]) -> Blocks:
    return {result.source.study: (result.source, [*([verdicts_of_pages(result)] if result.rows else []), *result.tables,
                                                  *result.page_tables])
            for result in results if result.source}


def reproduce(given: argparse.Namespace) -> int:
    """Status 1 where a band was missed."""
    names = list(PAPERS) if given.paper == "all" else [given.paper]
    program = program_at(given.gbflow)
    given.seeds = given.seeds or getattr((PAPERS | STUDIES)[names[0]], "SEEDS", SEEDS)
    must_have_library(given.seeds)
    if given.sensitivity and not set(names) & set(SENSITIVITIES):
        raise Unusable(f"--sensitivity is of {' and '.join(SENSITIVITIES)}")
    if given.tables and not given.markdown:
        raise Unusable("--tables: has no effect without --markdown; name a page, too")
    if given.markdown:
        measured.must_take(given.markdown, [*(name + measured.choice(given.points, given.cases) for name in names),
                                            *(name + measured.SENSITIVITY for name in names if given.sensitivity)])
    if given.pdf:
        own_paper.must_print(given.pdf, names)
    results = [check_paper(name, given, program) for name in names]
    blocks = blocks_of(results)
    varied = check_variations(names, given, program, blocks) if given.sensitivity else []
    rows = [row for result in results for row in result.rows]
    write(given, results, varied)
    if given.markdown:
        measured.write(given.markdown, blocks, given.tables)
    if given.pdf:
        own_paper.write(given, program, results[0], varied, blocks)
    if str(given.markdown) != "-":
        print_results(given, results, varied)
        if given.pdf:
            print(given.pdf)
    return 1 if any(row["verdict"] == verdict.MISSED for row in rows) else 0
