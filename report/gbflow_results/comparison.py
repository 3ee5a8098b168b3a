# SPDX-License-Identifier: BSD-3-Clause
"""The file that `gbflow compare --json` writes."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING

from gbflow_results import files, frames
from gbflow_results.failure import Failure

if TYPE_CHECKING:
    import pandas

SCHEMA = "gbflow-comparison/2"
SIDES = ("mean", "median", "min", "max")


def load_comparison(path: str | os.PathLike[str]) -> pandas.DataFrame:
    """A row for each figure (index: figure): a.mean .. a.max, b.mean .. b.max over the runs of each side (NaN where a side has
    none), difference_percent, low_percent and high_percent of its 95 % interval, detectable_percent, p, p_family (Holm), verdict."""
    report = files.read_json(pathlib.Path(path))
    rows = files.pick(report, "figures")
    if files.pick(report, "schema") != SCHEMA or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Failure(f"{path}: schema is not {SCHEMA}, or it has no list of figures")
    return frames.of_rows([row_of(row) for row in rows], "figure")


def row_of(row: dict) -> dict:
    """Each row has all columns, in one order."""
    low, high = row.get("interval_percent") or (None, None)
    sides = {side: {name: files.number(row, side, name) for name in SIDES} for side in ("a", "b")}
    numbers = {name: row.get(name) for name in ("difference_percent", "detectable_percent", "p", "p_family")}
    return {"figure": row.get("figure"), **sides, "low_percent": low, "high_percent": high, **numbers,
            "verdict": row.get("verdict")}
