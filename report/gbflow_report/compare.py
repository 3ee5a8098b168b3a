# SPDX-License-Identifier: BSD-3-Clause
"""Two results side by side: per figure both medians, the difference, and whether it is beyond the spread over the seeds.

The verdict is a comparison of ranges: B is "higher" where its smallest value is above the largest of A, "lower" the
other way round, "within spread" where the ranges meet. With n seeds on each side equal populations look different with
a chance of 2 / C(2n, n): 1 in 126 with five. A side of one run has no spread, and nothing is beyond it.
"""

import json
import pathlib
from collections.abc import Sequence
from typing import Any

from gbflow_report import compare_read, page, versions
from gbflow_report.compare_read import Side, Spread
from gbflow_report.failure import Failure
from gbflow_report.verdict import rounded

SCHEMA = "gbflow-comparison/1"
EQUAL, WITHIN, HIGHER, LOWER, ONE_RUN = "equal", "within spread", "higher", "lower", "one run"
ONLY_A, ONLY_B = "only in A", "only in B"
VERDICTS = (HIGHER, LOWER, WITHIN, ONE_RUN, ONLY_A, ONLY_B, EQUAL)
# Sections with a row for each mobile, connection or message type.
DETAILS = ("mobiles.", "tcp.", "ping.", "llc.", "gn.", "paths.", "workers.")


def verdict_of(a: Spread | None, b: Spread | None, has_spread: bool) -> str:
    if a is None or b is None:
        return ONLY_B if a is None else ONLY_A
    if a == b:
        return EQUAL
    if not has_spread:
        return ONE_RUN
    return HIGHER if b.low > a.high else LOWER if b.high < a.low else WITHIN


def difference_percent(a: Spread | None, b: Spread | None) -> float | None:
    return rounded(100 * (b.median - a.median) / abs(a.median)) if a and b and a.median else None


def as_json(spread: Spread | None) -> dict[str, float] | None:
    return {"median": spread.median, "min": spread.low, "max": spread.high} if spread else None


def rows_of(a: Side, b: Side) -> list[dict[str, Any]]:
    """One row for each figure that has a value on either side."""
    has_spread = min(a.runs, b.runs) > 1
    rows = []
    for name in dict.fromkeys([*a.figures, *b.figures]):
        one, other = a.figures.get(name), b.figures.get(name)
        if one or other:
            rows.append({"figure": name, "a": as_json(one), "b": as_json(other),
                         "difference_percent": difference_percent(one, other), "verdict": verdict_of(one, other, has_spread)})
    return rows


def check_shapes(a: Side, b: Side) -> None:
    """Raises Failure where numbers of the same name would not be of the same thing."""
    if a.kind != b.kind:
        raise Failure(f"results of different shape: {a.path} is a {a.kind}, {b.path} a {b.kind}")
    common = a.shape.keys() & b.shape.keys()
    if not common:
        raise Failure("results of different shape: they have no figure in common")
    differing = compare_read.first_difference({name: a.shape[name] for name in a.shape if name in common}, b.shape)
    if differing:
        raise Failure(f"results of different shape: {differing}")


def number(spread: dict[str, float] | None) -> str:
    return "-" if spread is None else f"{spread['median']:.6g}"


def line_of(row: dict[str, Any], width: int) -> str:
    percent = row["difference_percent"]
    shown = "-" if percent is None else f"{percent:+.1f} %"
    return f"{row['figure']:{width}}  {number(row['a']):>12}  {number(row['b']):>12}  {shown:>11}  {row['verdict']}"


def print_table(rows: Sequence[dict[str, Any]], has_all: bool) -> None:
    shown = [row for row in rows
             if has_all or row["verdict"] != EQUAL and not row["figure"].startswith(DETAILS)]
    width = max((len(row["figure"]) for row in shown), default=len("figure"))
    print(f"{'figure':{width}}  {'A':>12}  {'B':>12}  {'difference':>11}  verdict")
    for row in shown:
        print(line_of(row, width))
    found = [row["verdict"] for row in rows]
    print(", ".join(f"{found.count(name)} {name}" for name in VERDICTS if name in found))


def compare(paths: Sequence[pathlib.Path], json_path: pathlib.Path | None, has_all: bool) -> int:
    a, b = map(compare_read.read, paths)
    check_shapes(a, b)
    rows = rows_of(a, b)
    for letter, side in (("A", a), ("B", b)):
        print(f"{letter}: {side.path}, {page.plural(side.runs, 'run')}")
    print_table(rows, has_all)
    if json_path:
        report = {"schema": SCHEMA, "version": versions.of_gbflow(),
                  "a": {"path": str(a.path), "runs": a.runs}, "b": {"path": str(b.path), "runs": b.runs},
                  "figures": rows}
        page.write_whole(json_path, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    return 0
