# SPDX-License-Identifier: BSD-3-Clause
"""`reproduce P1 --sensitivity`: runs every variation of what is assumed, and judges signs and the order of the schemes."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from gbflow_report import inputs, page
from gbflow_report.inputs import Series
from gbflow_report.page import Cell, Table
from gbflow_report.papers import p1, p1_sensitivity
from gbflow_report.papers.p1_sensitivity import VARIATIONS, Variation, Varied
from gbflow_report.runs import SUMMARY, Kind, Program, Run, run_missing, runs_of
from gbflow_report.verdict import rounded

HOLDS, FAILS = "holds", "does not hold"
COLUMNS = [("delay_none_thp2_s", "THP2 s", 1), ("delay_none_thp3_s", "THP3 s", 1),
           ("delay_none_background_s", "background s", 1),
           ("least_cut_thp2", "THP2 cut by", 1), ("least_cut_thp3", "THP3 cut by", 1), ("page_rate_red_percent", "RED %", 0),
           ("page_rate_ecn_percent", "ECN %", 0), ("delay_priority_s", "priority s", 2)]


def outcomes_of(runs: Sequence[Run]) -> dict[int, dict[Varied, p1.Outcome]]:
    found: dict[int, dict[Varied, p1.Outcome]] = {}
    for run in runs:
        summary = inputs.read_summary(run.folder / SUMMARY)
        found.setdefault(run.seed, {})[run.case] = p1.outcome(summary, Series({}))
    return found


def row_of(variation: Variation, by_seed: Mapping[int, Mapping[Varied, p1.Outcome]]) -> dict[str, Any]:
    """A row of reproduction.json's sensitivity."""
    runs = [{case: outcomes[Varied(variation, case)] for case in p1.SCHEMES} for outcomes in by_seed.values()]
    found = p1_sensitivity.figures(runs)
    faults = p1_sensitivity.faults(found)
    return {"paper": p1.NAME, "assumption": variation.assumption, "value": variation.value,
            "settings": list(variation.settings), "in_range": not variation.is_beyond, "seeds": len(runs),
            **{name: None if value is None else rounded(value) for name, value in found.items()},
            "verdict": FAILS if faults else HOLDS, "why": "; ".join(faults)}


def check(given: argparse.Namespace, program: Program) -> list[dict[str, Any]]:
    runs = runs_of(Kind(p1_sensitivity.NAME, p1.SCENARIO, p1_sensitivity.VARIED, has_series=False), given, program)
    run_missing(runs, given)
    by_seed = outcomes_of(runs)
    return [row_of(variation, by_seed) for variation in VARIATIONS]


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
    width = max(len(label(row)) for row in rows)
    print(f"{'P1, one at a time':{width}}  " + "  ".join(f"{title:>12}" for _, title, _ in COLUMNS) + "  verdict")
    for row in rows:
        values = "  ".join(f"{page.fixed(row[name], digits):>12}" for name, _, digits in COLUMNS)
        print(f"{label(row):{width}}  {values}  {row['verdict']}")
    for line in verdict_lines(rows):
        print(line)


def row_cells(row: Mapping[str, Any]) -> list[Cell | str]:
    numbers = [page.fixed(row[name], digits) for name, _, digits in COLUMNS]
    kind = "good" if row["verdict"] == HOLDS else "bad"
    return [label(row), *numbers, Cell(row["verdict"], kind), Cell(row["why"], "note")]


def html_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Nothing without rows."""
    table = Table(f"Each assumption varied alone, medians over {page.plural(rows[0]['seeds'], 'seed')}: 95th percentiles "
                  "of the delay without AQM, the least factor by which one of the four schemes cuts it, page rates against none, "
                  "the largest delay of streaming and THP1.", ["varied", *(title for _, title, _ in COLUMNS), "verdict", "why"],
                  [row_cells(row) for row in rows]) if rows else None
    lines = "".join(f"<p>{page.escape(line)}</p>\n" for line in verdict_lines(rows)) if rows else ""
    return page.section_html("P1: what hinges on what is assumed", lines, page.table_html(table)) if table else ""
