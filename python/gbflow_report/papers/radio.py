# SPDX-License-Identifier: BSD-3-Clause
"""radio: the models of the radio against formulas and published figures. Each part has its runs, figures, tables and
plots in a file of its own; docs/papers/radio.md has the sources.
"""

from collections.abc import Mapping
from typing import Any

from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers import radio_access, radio_link, radio_mobility
from gbflow_results.files import Series

PARTS = (radio_mobility, radio_access, radio_link)

NAME = "radio"
TITLE = "The radio against formulas and published figures"
SOURCE = "docs/papers/radio.md; bands were set before the first run, but where a row says otherwise"
SCENARIO = "radio-mobility.lua"
HAS_SERIES = False
SETUP = " ".join(part.SETUP for part in PARTS)
CASES = [case for part in PARTS for case in part.CASES]
FIGURES = [figure for part in PARTS for figure in part.FIGURES]


def part_of(summary: Mapping[str, Any]) -> Any:
    return next(part for part in PARTS if summary["scenario"] in part.SCENARIOS)


def outcome_of(summary: Mapping[str, Any], _: Series) -> Any:
    return part_of(summary).outcome_of(summary)


def tables(by_seed: Mapping[int, Mapping[Any, Any]]) -> list[Table]:
    return [table for part in PARTS for table in part.tables(by_seed)]


def plots(by_seed: Mapping[int, Mapping[Any, Any]]) -> list[Plot]:
    return [plot for part in PARTS for plot in part.plots(by_seed)]
