# SPDX-License-Identifier: BSD-3-Clause
"""Reads one side of a comparison: a run, several runs of one scenario, or what `gbflow reproduce` measured."""

import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any

from gbflow_results import Failure, files

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
    """shape: what must be the same on both sides, by name; seeds: none where the values of each are not known."""

    path: pathlib.Path
    kind: str
    runs: int
    seeds: frozenset[int]
    shape: Mapping[str, Any]
    figures: Mapping[str, Spread | None]


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
    return {path: value for key, below in summary.items() if key not in NO_FIGURES for path, value in leaves(below, key)}


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
    return Side(path, RUN, len(paths), frozenset(seeds), shape, spreads)


def spread_of_measured(measured: Mapping[str, Any]) -> Spread | None:
    if measured["median"] is None:
        return None
    values = {int(seed): value for seed, value in measured.get("values", {}).items()}
    return Spread(measured["median"], measured["min"], measured["max"], values)


def side_of_reproduction(path: pathlib.Path) -> Side:
    report = files.read_json(path)
    rows = report.get("figures") if isinstance(report, dict) else None
    if not isinstance(rows, list) or report.get("schema") != REPRODUCTION_SCHEMA:
        raise Failure(f"{path}: schema is not {REPRODUCTION_SCHEMA}")
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
        return sorted(path.glob(f"*/{RUN}"))
    wanted = re.compile(re.escape(path.name) + r"-seed\d+")
    return sorted(file for file in path.parent.glob(f"*/{RUN}") if wanted.fullmatch(file.parent.name))


def read(path: pathlib.Path) -> Side:
    """A file that either command wrote, the folder with it, or a folder of runs."""
    file = next((path / name for name in (REPRODUCTION, RUN) if (path / name).is_file()), path)
    if not file.is_file():
        runs = runs_beside(path)
        if not runs:
            raise Failure(f"{path}: neither {RUN}, nor {REPRODUCTION}, nor a folder with one, nor a folder of runs")
        return side_of_runs(path, runs)
    report = files.read_json(file)
    schema = report.get("schema") if isinstance(report, dict) else None
    return side_of_reproduction(file) if schema == REPRODUCTION_SCHEMA else side_of_runs(path, [file])
