# SPDX-License-Identifier: BSD-3-Clause
"""Two results side by side: per figure both means, their difference with its interval, and whether it is more than chance.

A figure's test is paired where both sides have the same seeds (difference.py). The verdicts of all figures that are
asked for are one family: "higher" and "lower" hold after Holm's correction, so that among them even one false finding
has a chance of at most 5 %. "perhaps" says that the figure's own test shows a difference and the family's does not.
"""

import fnmatch
import json
import pathlib
from collections.abc import Sequence
from typing import Any

from gbflow_report import compare_read, difference, output, page
from gbflow_report.compare_read import Side, Spread
from gbflow_report.difference import Difference
from gbflow_report.verdict import rounded
from gbflow_results import Failure

SCHEMA = "gbflow-comparison/2"
HIGHER, LOWER, PERHAPS_HIGHER, PERHAPS_LOWER = "higher", "lower", "perhaps higher", "perhaps lower"
EQUAL, NOT_SHOWN, ONE_RUN, NO_VALUES = "equal", "not shown", "one run", "no values"
ONLY_A, ONLY_B = "only in A", "only in B"
VERDICTS = (HIGHER, LOWER, PERHAPS_HIGHER, PERHAPS_LOWER, NOT_SHOWN, ONE_RUN, NO_VALUES, ONLY_A, ONLY_B, EQUAL)
# Sections with a row for each mobile, connection or message type.
DETAILS = ("mobiles.", "tcp.", "ping.", "datagrams.", "llc.", "gn.", "paths.", "workers.")
HEAD = ("figure", "A", "B", "difference", "95 % interval", "p", "detectable", "verdict")


def are_paired(a: Side, b: Side) -> bool:
    """Whether the runs of the smaller side have all a run of the same seed on the other one."""
    common = a.seeds & b.seeds
    return len(common) > 1 and len(common) == min(len(a.seeds), len(b.seeds))


def values_of(a: Spread, b: Spread, paired: bool) -> tuple[list[float], list[float]]:
    seeds = [seed for seed in a.values if seed in b.values] if paired else None
    return [a.values[seed] for seed in seeds or a.values], [b.values[seed] for seed in seeds or b.values]


def difference_of(a: Spread, b: Spread, paired: bool) -> Difference | None:
    """None where a side has one run only."""
    one, other = values_of(a, b, paired)
    return difference.of_values(one, other, paired) if min(len(one), len(other)) > 1 else None


def percent_of(value: float | None, a: Spread) -> float | None:
    base = abs(a.mean())
    return rounded(100 * value / base) if base and value is not None else None


def as_json(spread: Spread | None) -> dict[str, float] | None:
    if not spread:
        return None
    return {"mean": rounded(spread.mean()), "median": spread.median, "min": spread.low, "max": spread.high}


def row_of(name: str, a: Spread | None, b: Spread | None, paired: bool) -> dict[str, Any]:
    """verdict: only what needs no test; without it the row has a p of its own."""
    row: dict[str, Any] = {"figure": name, "a": as_json(a), "b": as_json(b), "difference_percent": None,
                           "interval_percent": None, "detectable_percent": None, "p": None, "p_family": None}
    if a is None or b is None:
        return {**row, "verdict": ONLY_B if a is None else ONLY_A}
    row["difference_percent"] = percent_of(b.mean() - a.mean(), a)
    if a == b:
        return {**row, "verdict": EQUAL}
    found = difference_of(a, b, paired)
    if not found:
        return {**row, "verdict": ONE_RUN if a.values and b.values else NO_VALUES}
    row["difference_percent"] = percent_of(found.mean, a)
    row["interval_percent"] = [percent_of(found.low, a), percent_of(found.high, a)] if a.mean() and found.low is not None else None
    return {**row, "detectable_percent": percent_of(found.detectable, a), "p": found.p, "is_higher": found.mean > 0}


def verdict_of(p: float, p_family: float, is_higher: bool) -> str:
    if p_family <= difference.LEVEL:
        return HIGHER if is_higher else LOWER
    if p <= difference.LEVEL:
        return PERHAPS_HIGHER if is_higher else PERHAPS_LOWER
    return NOT_SHOWN


def judge(rows: Sequence[dict[str, Any]]) -> None:
    """Sets p_family and the verdict of the rows of one family."""
    tested = [row for row in rows if "verdict" not in row]
    for row, corrected in zip(tested, difference.holm([row["p"] for row in tested]), strict=True):
        row["verdict"] = verdict_of(row["p"], corrected, row.pop("is_higher"))
        row["p"], row["p_family"] = rounded(row["p"]), rounded(corrected)


def is_asked(name: str, patterns: Sequence[str], has_all: bool) -> bool:
    if patterns:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    return has_all or not name.startswith(DETAILS)


def rows_of(a: Side, b: Side, patterns: Sequence[str], has_all: bool) -> list[dict[str, Any]]:
    """One row for each figure that is asked for and has a value on either side."""
    paired = are_paired(a, b)
    names = [name for name in dict.fromkeys([*a.figures, *b.figures]) if is_asked(name, patterns, has_all)]
    rows = [row_of(name, a.figures.get(name), b.figures.get(name), paired) for name in names
            if a.figures.get(name) or b.figures.get(name)]
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(row["figure"], pattern) for row in rows):
            raise Failure(f"--figure {pattern}: no figure of either result has such a name")
    judge(rows)
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
    return "-" if spread is None else f"{spread['mean']:.6g}"


def percent(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{value:{sign}.1f} %"


def interval(ends: Sequence[float] | None) -> str:
    return "-" if ends is None else f"{ends[0]:+.1f} to {ends[1]:+.1f} %"


def words_of(row: dict[str, Any]) -> list[str]:
    return [row["figure"], number(row["a"]), number(row["b"]), percent(row["difference_percent"], "+"),
            interval(row["interval_percent"]), "-" if row["p"] is None else f"{row['p']:.2g}",
            percent(row["detectable_percent"]), row["verdict"]]


def print_table(rows: Sequence[dict[str, Any]], has_equal: bool) -> None:
    """Names and verdicts begin where their column begins, numbers end where it ends."""
    lines = [list(HEAD), *(words_of(row) for row in rows if has_equal or row["verdict"] != EQUAL)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    for line in lines:
        middle = (f"{word:>{width}}" for word, width in zip(line[1:-1], widths[1:-1], strict=True))
        print("  ".join([f"{line[0]:{widths[0]}}", *middle, line[-1]]))
    found = [row["verdict"] for row in rows]
    print(", ".join(f"{found.count(name)} {name}" for name in VERDICTS if name in found))


def print_head(a: Side, b: Side) -> None:
    for letter, side in (("A", a), ("B", b)):
        print(f"{letter}: {side.path}, {page.plural(side.runs, 'run')}")
    if are_paired(a, b):
        print(f"Student's t test of pairs with the same seed: {len(a.seeds & b.seeds)} pairs, Holm's correction")
    elif min(len(a.seeds), len(b.seeds)) > 1:
        print("Welch's t test, as the seeds of A and B differ, Holm's correction")


def compare(paths: Sequence[pathlib.Path], json_path: pathlib.Path | None, patterns: Sequence[str], has_all: bool) -> int:
    a, b = map(compare_read.read, paths)
    check_shapes(a, b)
    rows = rows_of(a, b, patterns, has_all)
    print_head(a, b)
    print_table(rows, has_all or bool(patterns))
    if json_path:
        report = {"schema": SCHEMA, "version": output.version(), "is_paired": are_paired(a, b),
                  "a": {"path": str(a.path), "runs": a.runs}, "b": {"path": str(b.path), "runs": b.runs},
                  "figures": rows}
        output.write_whole(json_path, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    return 0
