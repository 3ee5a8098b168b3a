# SPDX-License-Identifier: BSD-3-Clause
"""Runs a paper's scenarios over several seeds, checks every figure against its band, writes reproduction.json and
report.html.
"""

import argparse
import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from gbflow_report import charts, output, page, reproduce_page, sensitivity
from gbflow_report.papers import own, own_plots, p1, p1_plots, p2, p2_plots, p3, p3_plots, p4, p4_plots, p5, p5_plots, verdict
from gbflow_report.runs import SUMMARY, Kind, Program, Run, program_at, run_missing, runs_of
from gbflow_results import Failure, files

SCHEMA = "gbflow-reproduction/1"
PAPERS: dict[str, tuple[ModuleType, ModuleType]] = {
    paper.NAME: (paper, plots) for paper, plots in ((p1, p1_plots), (p2, p2_plots), (p3, p3_plots), (p4, p4_plots), (p5, p5_plots))}

STUDIES: dict[str, tuple[ModuleType, ModuleType]] = {own.NAME: (own, own_plots)}  # not among "all"


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
            found = paper.outcome(summary, series)
        by_seed.setdefault(run.seed, {})[run.case] = found
        assumptions += [row for row in (summary["assumptions"] if summary else []) if row not in assumptions]
    return by_seed, assumptions


def check_paper(name: str, given: argparse.Namespace, program: Program) -> reproduce_page.Result:
    paper, drawings = (PAPERS | STUDIES)[name]
    varied = {member: getattr(paper, member, None) for member in ("of_seed", "number_of")}
    runs = runs_of(Kind(name, paper.SCENARIO, paper.CASES, paper.HAS_SERIES, **varied), given, program)
    run_missing(runs, given)
    by_seed, assumptions = outcomes_of(paper, runs)
    rows = [verdict.judge(name, figure, by_seed) for figure in paper.FIGURES]
    words = drawings.words(by_seed) if hasattr(drawings, "words") else []
    tables = drawings.tables(by_seed) if hasattr(drawings, "tables") else []
    return reproduce_page.Result(paper, rows, drawings.plots(by_seed), assumptions, words, tables)


def print_table(rows: list[Mapping[str, Any]]) -> None:
    width = max(len(row["id"]) for row in rows)
    print(f"{'figure':{width}}  {'published':>10}  {'median':>8}  {'95 % interval':>16}  {'band':>12}  unit     verdict")
    for row in rows:
        published = row["published"] if isinstance(row["published"], (int, float)) else "(in words)"
        found = reproduce_page.short(row["measured"]["median"])
        print(f"{row['id']:{width}}  {published:>10}  {found:>8}  {reproduce_page.interval(row):>16}  {reproduce_page.band(row):>12}  "
              f"{row['unit']:7}  {reproduce_page.verdict_words(row)}")
    print(reproduce_page.count_words(rows))


def write(given: argparse.Namespace, results: list[reproduce_page.Result], varied: list[dict]) -> None:
    rows = [row for result in results for row in result.rows]
    report = {"schema": SCHEMA, "version": output.version(), "figures": rows,
              **({"sensitivity": varied} if varied else {})}
    output.write_whole(given.out / "reproduction.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    output.write_whole(given.out / "report.html", reproduce_page.html_of(
        results, given.seeds, sensitivity.html_of(varied), library=None if given.is_static else charts.library()))


def reproduce(given: argparse.Namespace) -> int:
    """Status 1 where a band was missed."""
    names = list(PAPERS) if given.paper == "all" else [given.paper]
    program = program_at(given.gbflow)
    if given.sensitivity and not set(names) & set(sensitivity.STUDIES):
        raise Failure(f"--sensitivity is of {' and '.join(sensitivity.STUDIES)}")
    results = [check_paper(name, given, program) for name in names]
    varied = sensitivity.check(names, given, program) if given.sensitivity else []
    rows = [row for result in results for row in result.rows]
    write(given, results, varied)
    print_table(rows)
    for table in (table for result in results for table in result.tables):
        print(page.table_markdown(table))
    if varied:
        sensitivity.print_table(varied)
    print(given.out / "report.html")
    return 1 if any(row["verdict"] == verdict.MISSED for row in rows) else 0
