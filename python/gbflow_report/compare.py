# SPDX-License-Identifier: BSD-3-Clause
"""Compares two results side by side: per figure both means, their difference with its interval, and whether it is
more than chance.

A side is a run, several runs of one scenario, or what `gbflow reproduce` measured. A figure's test is paired where
both sides have the same seeds (difference.py). The verdicts of all figures that are asked for are one family:
"higher" and "lower" hold after Holm's correction, so that among them even one false finding has a chance of at most 5
%. "perhaps" says that the figure's own test shows a difference and the family's does not.

Of page times the log-rank test (page_times.py) has to show the difference as well, and does so alone where a run does
not reach the quantile: unfinished pages make a figure of a run less than it looks.
"""

import argparse
import errno
import fnmatch
import json
import os
import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any

from gbflow_report import difference, output, page, page_times, traffic
from gbflow_report.difference import Difference, rounded
from gbflow_results import Failure, Unusable, files
from gbflow_results.words import near_figures


# --- sides ---

RUN, REPRODUCTION = "summary.json", "reproduction.json"
REPRODUCTION_SCHEMA = "gbflow-reproduction/1"
# Who a run is, and rows without a name that the other side would have too.
NO_FIGURES = ("schema", "version", "scenario", "title", "seed", "set", "assumptions", "pages", "duration_s", "warmup_s")
NAMES = ("connection", "mobile", "sgsn_address")


@dataclass(frozen=True)
class Spread:
    """One figure over the runs of a side; without a value in one of them it has none.

    values: of each seed; none where a reproduction of an older version is read
    """

    median: float
    low: float
    high: float
    values: Mapping[int, float] = field(default_factory=dict)

    def mean(self) -> float:
        return mean(self.values.values()) if self.values else self.median


@dataclass(frozen=True)
class Side:
    """shape: what must be the same on both sides, by name; seeds: none where the values of each are not known;
    pages[figure][seed]: those that a page time is of."""

    path: pathlib.Path
    kind: str
    runs: int
    seeds: frozenset[int]
    shape: Mapping[str, Any]
    figures: Mapping[str, Spread | None]
    pages: Mapping[str, Mapping[int, page_times.Pages]] = field(default_factory=dict)
    folders: Sequence[pathlib.Path] = ()  # of the runs


def name_of(row: Mapping[str, Any], index: int) -> str:
    return next((str(row[key]) for key in NAMES if key in row), str(index + 1))


def children(value: Any) -> list[tuple[str, Any]]:
    """What stands below, by name; of equal names the second one is NAME#2."""
    if isinstance(value, dict):
        return list(value.items())
    if not isinstance(value, list):
        return []
    seen: dict[str, int] = {}
    found = []
    for index, row in enumerate(value):
        name = name_of(row, index) if isinstance(row, dict) else str(index + 1)
        seen[name] = seen.get(name, 0) + 1
        found.append((name if seen[name] == 1 else f"{name}#{seen[name]}", row))
    return found


def leaves(value: Any, path: str) -> Iterator[tuple[str, float | None]]:
    """Every number below, and every null, with its path."""
    if value is None or isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value
    for name, below in children(value):
        yield from leaves(below, f"{path}.{name}")


def figures_of(summary: Mapping[str, Any]) -> dict[str, float | None]:
    """Each number but how many samples others have."""
    return {path: value for key, below in summary.items() if key not in NO_FIGURES
            for path, value in leaves(below, key) if not path.endswith(".n")}


def shape_of(summary: Mapping[str, Any]) -> dict[str, Any]:
    return {"duration_s": summary.get("duration_s"), "warmup_s": summary.get("warmup_s"),
            "classes": sorted(summary["classes"]), "cells": sorted(summary["cells"])}


def first_difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """The name of what is not the same, with both values."""
    for name, value in one.items():
        if other.get(name) != value:
            return f"{name}: {inline(value)} and {inline(other.get(name))}"
    return None


def inline(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def spread_of(seeds: Sequence[int], values: Sequence[float | None]) -> Spread | None:
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return Spread(median(known), min(known), max(known), dict(zip(seeds, known, strict=True)))


def side_of_runs(path: pathlib.Path, paths: Sequence[pathlib.Path]) -> Side:
    summaries = [files.read_summary(file) for file in paths]
    shape = shape_of(summaries[0])
    for file, summary in zip(paths, summaries):
        differing = first_difference(shape, shape_of(summary))
        if differing:
            raise Failure(f"{path}: its runs are of different shape, {file.parent.name} has another {differing}")
    seeds = [summary.get("seed", 0) for summary in summaries]
    if len(set(seeds)) < len(seeds):
        raise Failure(f"{path}: two of its runs have the same seed, so they are no spread")
    figures = [figures_of(summary) for summary in summaries]
    names = list(dict.fromkeys(name for run in figures for name in run))
    spreads = {name: spread_of(seeds, [run.get(name) for run in figures]) for name in names}
    pages = {name: {seed: found
                    for seed, summary in zip(seeds, summaries) if (found := page_times.of_figure(summary, name))}
             for name in names}
    return Side(path, RUN, len(paths), frozenset(seeds), shape, spreads,
                {name: found for name, found in pages.items() if found}, [file.parent for file in paths])


def spread_of_measured(measured: Mapping[str, Any]) -> Spread | None:
    if measured["median"] is None:
        return None
    values = {int(seed): value for seed, value in measured.get("values", {}).items()}
    return Spread(measured["median"], measured["min"], measured["max"], values)


def side_of_reproduction(path: pathlib.Path) -> Side:
    rows = files.read_report(path, REPRODUCTION_SCHEMA, "figures")["figures"]
    try:
        measured = {row["id"]: row["measured"] for row in rows}
        figures = {name: spread_of_measured(row) for name, row in measured.items()}
        runs = min((row["seeds"] for row in measured.values()), default=0)
        seeds = frozenset(seed for spread in figures.values() if spread for seed in spread.values)
        return Side(path, REPRODUCTION, runs, seeds, {row["id"]: row["unit"] for row in rows}, figures)
    except (KeyError, TypeError) as error:
        raise Failure(f"{path}: a figure without {error}") from error


def runs_beside(path: pathlib.Path) -> list[pathlib.Path]:
    """The runs in a folder, or, for a name that is no folder, in NAME-seed1, NAME-seed2, ..."""
    if path.is_dir():
        return runs_in(path)
    wanted = re.compile(re.escape(path.name) + r"-seed\d+")
    return [file for file in runs_in(path.parent) if wanted.fullmatch(file.parent.name)]


def runs_in(folder: pathlib.Path) -> list[pathlib.Path]:
    """summary.json, or summary.json.gz, of each folder below."""
    return sorted(found for below in folder.glob("*/") if (found := files.plain_or_packed(below / RUN)).is_file())


def read(path: pathlib.Path) -> Side:
    """A file that either command wrote, the folder with it, or a folder of runs."""
    file = next((found for name in (REPRODUCTION, RUN) if (found := files.plain_or_packed(path / name)).is_file()),
                path)
    if not file.is_file():
        runs = runs_beside(path)
        if not runs:
            if not path.exists():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
            raise Failure(f"{path}: neither {RUN}, nor {REPRODUCTION}, nor a folder with one, nor a folder of runs")
        return side_of_runs(path, runs)
    report = files.read_json(file)
    schema = report.get("schema") if isinstance(report, dict) else None
    return side_of_reproduction(file) if schema == REPRODUCTION_SCHEMA else side_of_runs(path, [file])


# --- judgement ---

SCHEMA = "gbflow-comparison/2"
HIGHER, LOWER, PERHAPS_HIGHER, PERHAPS_LOWER = "higher", "lower", "perhaps higher", "perhaps lower"
EQUAL, NOT_SHOWN, ONE_RUN, NO_VALUES = "equal", "not shown", "one run", "no values"
ONLY_A, ONLY_B = "only in A", "only in B"
VERDICTS = (HIGHER, LOWER, PERHAPS_HIGHER, PERHAPS_LOWER, NOT_SHOWN, ONE_RUN, NO_VALUES, ONLY_A, ONLY_B, EQUAL)
# Sections with a row for each mobile or message type, beside those of traffic.
DETAILS = ("mobiles.", "llc.", "gn.", "paths.", "workers.")
HEAD = ("figure", "A", "B", "difference", "95 % interval", "p", "detectable", "verdict")


def are_paired(a: Side, b: Side) -> bool:
    """Whether the runs of the smaller side have all a run of the same seed on the other one."""
    common = a.seeds & b.seeds
    return len(common) > 1 and len(common) == min(len(a.seeds), len(b.seeds))


def values_of(a: Spread, b: Spread, paired: bool) -> tuple[list[float], list[float]]:
    seeds = [seed for seed in a.values if seed in b.values] if paired else None
    return [a.values[seed] for seed in seeds or a.values], [b.values[seed] for seed in seeds or b.values]


def difference_of(a: Spread, b: Spread, paired: bool) -> Difference | None:
    """In percent of the mean of A, or in the figure's unit where that is 0. None where a side has one run only."""
    one, other = values_of(a, b, paired)
    test = difference.in_percent if mean(one) else difference.of_values
    return test(one, other, paired) if min(len(one), len(other)) > 1 else None


def as_json(spread: Spread | None, times: page_times.Compared | None = None,
            side: int = 0) -> dict[str, float | None] | None:
    """Of page times also how many pages there were, and how many of them unfinished."""
    found: dict[str, float | None] = {"mean": None, "median": None, "min": None, "max": None}
    if spread:
        found = {"mean": rounded(spread.mean()), "median": spread.median, "min": spread.low, "max": spread.high}
    if times and times.pages[side]:
        return {**found, "pages": times.pages[side], "unfinished": times.unfinished[side]}
    return found if spread else None


def row_of(name: str, a: Spread | None, b: Spread | None, paired: bool,
           times: page_times.Compared | None = None) -> dict[str, Any]:
    """verdict: only what needs no test; without it the row has a p of its own. times: of a page time."""
    row: dict[str, Any] = {"figure": name, "a": as_json(a, times, 0), "b": as_json(b, times, 1),
                           "difference_percent": None,
                           "interval_percent": None, "detectable_percent": None, "p": None, "p_family": None}
    if row["a"] is None or row["b"] is None:
        return {**row, "verdict": ONLY_B if row["a"] is None else ONLY_A}
    if a is None or b is None:
        ranks = times.verdict if times else None
        return {**row, "p": ranks.p, "is_higher": ranks.is_longer} if ranks else {**row, "verdict": ONE_RUN}
    base = a.mean()
    row["difference_percent"] = rounded(100 * (b.mean() - base) / abs(base)) if base else None
    if a == b:
        return {**row, "verdict": EQUAL}
    found = difference_of(a, b, paired)
    if not found or times and not times.verdict:
        return {**row, "verdict": ONE_RUN if a.values and b.values else NO_VALUES}
    row.update({"p": chance_of(found, times), "is_higher": found.mean > 0})
    if base:
        row["difference_percent"] = rounded(found.mean)
        row["interval_percent"] = (None if found.low is None or found.high is None
                                   else [rounded(found.low), rounded(found.high)])
        row["detectable_percent"] = None if found.detectable is None else rounded(found.detectable)
    return row


def chance_of(found: Difference, times: page_times.Compared | None) -> float:
    """p of a difference, for page times the larger one of both tests; 1 where they point different ways."""
    if not times or not times.verdict:
        return found.p
    return max(found.p, times.verdict.p) if times.verdict.is_longer == (found.mean > 0) else 1.0


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
    return has_all or not (name.startswith(DETAILS) or name.split(".")[0] in traffic.lists())


def times_of(a: Side, b: Side, name: str, paired: bool) -> page_times.Compared | None:
    """Of a page time."""
    one, other = ({seed: [pages] for seed, pages in side.pages.get(name, {}).items()} for side in (a, b))
    return page_times.compared(one, other, paired) if one or other else None


def rows_of(a: Side, b: Side, patterns: Sequence[str], has_all: bool) -> list[dict[str, Any]]:
    """One row for each figure that is asked for and has a value on either side."""
    paired = are_paired(a, b)
    names = [name for name in dict.fromkeys([*a.figures, *b.figures]) if is_asked(name, patterns, has_all)]
    rows = [row_of(name, a.figures.get(name), b.figures.get(name), paired, times_of(a, b, name, paired))
            for name in names if a.figures.get(name) or b.figures.get(name) or a.pages.get(name) or b.pages.get(name)]
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(row["figure"], pattern) for row in rows):
            there = near_figures(pattern, [*dict.fromkeys([*a.figures, *b.figures])])
            raise Failure(f"--figure {pattern}: no figure of either result has such a name; near: {there}")
    judge(rows)
    return rows


def check_shapes(a: Side, b: Side) -> None:
    """Raises Failure where numbers of the same name would not be of the same thing."""
    if a.kind != b.kind:
        raise Failure(f"results of different shape: {a.path} is a {a.kind}, {b.path} a {b.kind}")
    common = a.shape.keys() & b.shape.keys()
    if not common:
        raise Failure("results of different shape: they have no figure in common")
    differing = first_difference({name: a.shape[name] for name in a.shape if name in common}, b.shape)
    if differing:
        raise Failure(f"results of different shape: {differing}")


def check_targets(given: argparse.Namespace, sides: Sequence[Side]) -> None:
    """Raises Unusable where an option would overwrite what is compared, or a page of it."""
    targets = [("--json", given.json)] + [("--out", given.out / name)
                                          for name in ("comparison.json", "report.html") if given.out]
    names = (RUN, f"{RUN}.gz", REPRODUCTION, "report.html")
    results = [side.path for side in sides]
    results += [folder / name for side in sides for folder in (side.path, *side.folders) for name in names]
    for option, target in targets:
        for path in filter(pathlib.Path.exists, results) if target and target.exists() else ():
            if path.samefile(target):
                raise Unusable(f"{option} takes another place than the result {path}")


def number_text(spread: Mapping[str, float | None] | None) -> str:
    """The mean; of page times with the unfinished pages, of which too many leave it without a value."""
    if spread is None:
        return "-"
    text = "not reached" if spread["mean"] is None else f"{spread['mean']:.6g}"
    return f"{text} ({spread['unfinished']:.0f} of {spread['pages']:.0f} unfinished)" if "pages" in spread else text


def percent_text(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{value:{sign}.1f} %"


def interval_text(ends: Sequence[float] | None) -> str:
    return "-" if ends is None else f"{ends[0]:+.1f} to {ends[1]:+.1f} %"


def words_of(row: dict[str, Any]) -> list[str]:
    return [row["figure"], number_text(row["a"]), number_text(row["b"]), percent_text(row["difference_percent"], "+"),
            interval_text(row["interval_percent"]), "-" if row["p"] is None else f"{row['p']:.2g}",
            percent_text(row["detectable_percent"]), row["verdict"]]


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
    if min(len(a.seeds), len(b.seeds)) > 1 and a.pages and b.pages:
        print("Page times: a difference has to be shown by the log-rank test of all pages, too")


def side_json(side: Side) -> dict[str, Any]:
    return {"path": str(side.path), "runs": side.runs, "folders": [str(folder.absolute()) for folder in side.folders]}


def compare(given: argparse.Namespace) -> int:
    a, b = map(read, given.sides)
    check_shapes(a, b)
    check_targets(given, [a, b])
    rows = rows_of(a, b, given.figure, given.all)
    print_head(a, b)
    print_table(rows, given.all or bool(given.figure))
    origin = output.origin()
    report = {"schema": SCHEMA, "version": origin.version, "commit": origin.commit, "command": origin.command,
              "is_paired": are_paired(a, b),
              "a": side_json(a), "b": side_json(b), "figures": rows}
    if given.json:
        output.write_whole(given.json, json.dumps(report, indent=1, ensure_ascii=False) + "\n", is_named=True)
    if given.out:
        from gbflow_report import compare_page  # pylint: disable=import-outside-toplevel
        table = compare_page.table_of(rows, words_of, HEAD, [report[side]["runs"] for side in "ab"])
        print(compare_page.write(given.out, report, table, given.is_static))
    return 0
