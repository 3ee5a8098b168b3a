# SPDX-License-Identifier: BSD-3-Clause
"""`reproduce P1|P2 --sensitivity`: runs every variation of what is assumed, and judges signs and orders."""

import argparse
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from gbflow_report import page
from gbflow_report.difference import rounded
from gbflow_report.page import Cell, Table
from gbflow_report.papers import p1_sensitivity, p2_sensitivity
from gbflow_report.papers.verdict import Variation
from gbflow_report.runs import SUMMARY, Kind, Program, Run, run_missing, runs_of
from gbflow_results import files
from gbflow_results.files import Series

HOLDS, FAILS = "holds", "does not hold"
STUDIES: dict[str, ModuleType] = {study.PAPER.NAME: study for study in (p1_sensitivity, p2_sensitivity)}


def outcomes_of(study: ModuleType, runs: Sequence[Run]) -> dict[int, dict[Any, Any]]:
    found: dict[int, dict[Any, Any]] = {}
    for run in runs:
        has_own = hasattr(run.case, "read")
        read = run.case.read(run.folder) if has_own else study.PAPER.outcome(files.read_summary(run.folder / SUMMARY), Series({}))
        found.setdefault(run.seed, {})[run.case] = read
    return found


def row_of(study: ModuleType, variation: Variation, by_seed: Mapping[int, Mapping[Any, Any]]) -> dict[str, Any]:
    """A row of reproduction.json's sensitivity."""
    runs = [study.of_variation(outcomes, variation) for outcomes in by_seed.values()]
    found = study.figures(runs)
    faults = study.faults(found)
    return {"paper": study.PAPER.NAME, "assumption": variation.assumption, "value": variation.value,
            "settings": list(variation.settings), "in_range": not variation.is_beyond, "seeds": len(runs),
            **{name: None if value is None else rounded(value) for name, value in found.items()},
            "verdict": FAILS if faults else HOLDS, "why": "; ".join(faults)}


def check(names: Sequence[str], given: argparse.Namespace, program: Program) -> list[dict[str, Any]]:
    """Rows of the papers that have variations."""
    rows = []
    for study in (STUDIES[name] for name in names if name in STUDIES):
        runs = runs_of(Kind(study.NAME, study.PAPER.SCENARIO, study.VARIED, has_series=False), given, program)
        run_missing(runs, given)
        by_seed = outcomes_of(study, runs)
        rows += [row_of(study, variation, by_seed) for variation in study.VARIATIONS]
    return rows


def by_paper(rows: Sequence[Mapping[str, Any]]) -> list[tuple[ModuleType, list[Mapping[str, Any]]]]:
    found = [(study, [row for row in rows if row["paper"] == name]) for name, study in STUDIES.items()]
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


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    for study, those in by_paper(rows):
        width = max(len(label(row)) for row in those)
        head = f"{study.PAPER.NAME}, one at a time"
        print(f"{head:{width}}  " + "  ".join(f"{title:>14}" for _, title, _ in study.COLUMNS) + "  verdict")
        for row in those:
            values = "  ".join(f"{page.fixed(row[name], digits):>14}" for name, _, digits in study.COLUMNS)
            print(f"{label(row):{width}}  {values}  {row['verdict']}")
        for line in verdict_lines(those):
            print(line)


def row_cells(study: ModuleType, row: Mapping[str, Any]) -> list[Cell | str]:
    numbers = [page.fixed(row[name], digits) for name, _, digits in study.COLUMNS]
    kind = "good" if row["verdict"] == HOLDS else "bad"
    return [label(row), *numbers, Cell(row["verdict"], kind), Cell(row["why"], "note")]


def study_html(study: ModuleType, rows: Sequence[Mapping[str, Any]]) -> str:
    table = Table(f"Each assumption varied alone, medians over {page.plural(rows[0]['seeds'], 'seed')}: {study.CAPTION}.",
                  ["varied", *(title for _, title, _ in study.COLUMNS), "verdict", "why"], [row_cells(study, row) for row in rows])
    lines = "".join(f"<p>{page.escape(line)}</p>\n" for line in verdict_lines(rows))
    return page.section_html(f"{study.PAPER.NAME}: what hinges on what is assumed", lines, page.table_html(table))


def html_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Nothing without rows."""
    return "".join(study_html(study, those) for study, those in by_paper(rows))
