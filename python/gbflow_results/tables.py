# SPDX-License-Identifier: BSD-3-Clause
"""Results of gbflow as tables of pandas: a run, the runs of a sweep, a comparison, an analysis.

pandas takes half a second to load, and the pages of gbflow do without it: it is imported by the functions that make a
table.
"""

from __future__ import annotations

import csv
import itertools
import os
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy

from gbflow_results import Failure, bounded, files
from gbflow_results.shown import unguarded
from gbflow_results.words import unknown

if TYPE_CHECKING:
    import pandas

MOST_CELLS = 10_000_000  # of a table of objects, each of which may have names of its own


def flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that is no object, with its path: {"delay_s": {"p50": 1}} gives ("delay_s.p50", 1)."""
    if not isinstance(value, dict):
        yield path, value
        return
    for name, below in value.items():
        yield from flat(below, f"{path}.{name}" if path else name)


def of_rows(rows: Sequence[Mapping[str, Any]], index: str | None = None) -> pandas.DataFrame:
    """A row for each object; `index` names the column that names the rows,
    kept as a column where not all rows have it."""
    import pandas  # pylint: disable=import-outside-toplevel
    cells = [dict(flat(dict(row))) for row in rows]
    columns = len(set().union(*cells))
    if columns * len(cells) > MOST_CELLS:
        raise Failure(f"{len(cells)} rows with {columns} different columns; at most {MOST_CELLS} values make a table")
    table = pandas.DataFrame(cells)
    for name in table.columns:
        table[name] = plain(table[name])
    return table.set_index(index) if index in table.columns else table


def plain(column: pandas.Series) -> pandas.Series:
    """Numbers and nulls as floats with NaN; all else as it is."""
    is_number = [value is None or isinstance(value, (int, float)) and not isinstance(value, bool) for value in column]
    return column.astype(float) if column.dtype == object and all(is_number) else column


def of_table(table: Mapping[str, Any], name: str) -> pandas.DataFrame:
    """A row for each key of an object of objects; the index `name` has the keys."""
    return of_rows([{name: key, **row} for key, row in table.items()], name) if table else of_rows([])


def read_csv(path: pathlib.Path, kinds: Mapping[str, str], other: str | None = None) -> pandas.DataFrame:
    """A CSV file; kinds: the type of each column that it must have,
    `other` that of all further ones (None: there are none).

    Text stays what it is: a mobile may be called NA. In a column of floats an empty field is NaN.
    """
    import pandas  # pylint: disable=import-outside-toplevel
    names = next(csv.reader(itertools.islice(bounded.lines(path), 1)), [])
    if not set(kinds) <= set(names) or len(set(names)) < len(names) or (other is None and names != list(kinds)):
        raise Failure(f"{path}:1: columns are not {','.join(kinds)}" + (" and the axes" if other else ""))
    floats = [name for name in names if kinds.get(name, other) == "float64"]
    try:
        table = pandas.read_csv(bounded.Table(path), dtype={name: kinds.get(name, other) for name in names},
                                keep_default_na=False, na_values={name: [""] for name in floats})
    except (ValueError, pandas.errors.ParserError) as error:
        raise Failure(f"{path}: {' '.join(str(error).split())}") from error
    for name in names:
        if kinds.get(name, other) == "str":
            table[name] = table[name].map(unguarded)
    return table


def check_finite(path: pathlib.Path, table: pandas.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        bad = numpy.flatnonzero(~numpy.isfinite(table[name].to_numpy()))
        if len(bad):
            raise Failure(f"{path}:{bad[0] + 2}: {name} is no finite number")


SUMMARY, SERIES, PROVENANCE = "summary.json", "series.csv", "provenance.json"
# Columns that name the rows of a section.
INDEX = {"mobiles": "mobile", "tcp": "connection", "ping": "mobile"}
KEYS = {"classes": "class", "cells": "bvci", "conservation": "node", "aqm": "class"}
SERIES_KINDS = {"time_s": "float64", "name": "category", "of": "category", "value": "float64"}


def section(name: str, what: str) -> cached_property[pandas.DataFrame]:
    """A table of Run, read when it is asked for."""
    def table(run: Run) -> pandas.DataFrame:
        return run.table(name)
    table.__doc__ = what
    return cached_property(table)


@dataclass(frozen=True)
class Run:
    """One run. Tables are read when they are asked for, and kept."""

    folder: pathlib.Path
    summary: Mapping[str, Any]
    """summary.json; that of an older version of gbflow with today's names."""

    @property
    def seed(self) -> int:
        """Seed of the run."""
        return int(self.summary.get("seed") or 0)

    def table(self, section: str) -> pandas.DataFrame:
        """A section of the summary that is a list, or an object of objects: `gbflow fields summary` has all fields.

        The index is the class, the BVCI (as text), the mobile or the connection. A section that the run does not have,
        such as aqm without a scheme, is an empty table. Raises Failure for a section that is no table.
        """
        found = self.summary.get(section) or []
        rows = found.values() if isinstance(found, dict) else found
        if not isinstance(rows, (list, type({}.values()))) or not all(isinstance(row, dict) for row in rows):
            raise Failure(f"{self.folder / SUMMARY}: {section} is no table")
        if isinstance(found, dict):
            return of_table(found, KEYS.get(section, "name"))
        return of_rows(found, INDEX.get(section))

    classes = section("classes", "A row for each traffic class.")
    mobiles = section("mobiles", "A row for each mobile, in the order of the scenario.")
    cells = section("cells", "A row for each cell, by its BVCI.")
    tcp = section("tcp", "A row for each download, or all connections of a web item together.")
    pages = section("pages", "A row for each page of a web item; time_s is NaN for an unfinished page.")
    ping = section("ping", "A row for each ping item.")

    @cached_property
    def series(self) -> pandas.DataFrame:
        """series.csv, in the order of the file: time_s (seconds), name and of (categories), value. `gbflow fields
        series` has the names, their units, and what `of` is."""
        path = files.plain_or_packed(self.folder / SERIES)
        found = read_csv(path, SERIES_KINDS)
        check_finite(path, found, ["time_s", "value"])
        return found

    def curves(self, name: str) -> pandas.DataFrame:
        """One name of the series, for example goodput_bps: a row for each time, a column for each `of`, NaN where a
        column has no value at that time; of several values at one time the last. Raises Failure for a name that the run
        has no values of."""
        rows = self.series[self.series["name"] == name]
        if rows.empty:
            known = sorted(self.series["name"].cat.categories)
            raise Failure(f"{self.folder / SERIES}: {unknown(name, 'name of its values', known)}")
        return rows.astype({"of": str}).pivot_table(index="time_s", columns="of", values="value", aggfunc="last")

    @cached_property
    def provenance(self) -> Mapping[str, Any]:
        """provenance.json: program, command line, the scenario's text, machine;
        empty for a run of a version without it."""
        path = self.folder / PROVENANCE
        return files.read_json(path) if files.plain_or_packed(path).is_file() else {}


def load_run(folder: str | os.PathLike[str]) -> Run:
    """The run in a folder that `gbflow run --out FOLDER` wrote. Only summary.json must be there."""
    path = pathlib.Path(folder)
    return Run(path, files.read_summary(path / SUMMARY))


SWEEP_SCHEMA = "gbflow-sweep/1"
VALUES = {"run": "str", "seed": "int64", "figure": "category", "value": "float64", "unfinished": "float64"}
POINTS = {"figure": "category", "runs": "int64",
          **dict.fromkeys(("mean", "low", "high", "min", "max", "unfinished"), "float64")}
COMPARISON = {"figure": "category", "verdict": "category", **dict.fromkeys(
    ("baseline", "mean", "difference_percent", "low_percent", "high_percent", "p", "p_family", "detectable_percent",
     "baseline_unfinished",
     "unfinished"), "float64")}


@dataclass(frozen=True)
class Sweep:
    """All runs of a study. In each table an axis is a column of its labels, which are texts;
    pandas.to_numeric() makes numbers of labels without a unit."""

    folder: pathlib.Path
    study: Mapping[str, Any]
    """The study: title, scenario, seeds, axes with their points, figures."""

    @property
    def axes(self) -> list[str]:
        """Names of the axes, in the order of the study."""
        return [str(axis["name"]) for axis in self.study["axes"]]

    @cached_property
    def values(self) -> pandas.DataFrame:
        """results.csv: a row for each run and figure with run, the axes, seed, figure, value."""
        return read_csv(self.folder / "results.csv", VALUES, "str")

    @cached_property
    def points(self) -> pandas.DataFrame:
        """points.csv: a row for each point and figure with mean and 95 % interval (low, high;
        NaN for one run) over the seeds."""
        return read_csv(self.folder / "points.csv", POINTS, "str")

    @cached_property
    def comparison(self) -> pandas.DataFrame:
        """comparison.csv: each point less its baseline; empty without a baseline."""
        return read_csv(self.folder / "comparison.csv", COMPARISON, "str")

    @property
    def runs(self) -> list[str]:
        """Names of the runs, in the order of results.csv."""
        return list(self.values["run"].unique())

    def wide(self) -> pandas.DataFrame:
        """A row for each run (index: run), with the axes, seed, and a column for each figure."""
        found = self.values.astype({"figure": str})
        by_run = found.pivot(index="run", columns="figure", values="value")[list(found["figure"].unique())]
        return self.labels().join(by_run)

    def labels(self) -> pandas.DataFrame:
        """A row for each run (index: run) with the axes and seed."""
        return self.values[["run", *self.axes, "seed"]].drop_duplicates("run").set_index("run")

    def run(self, name: str) -> Run:
        """One run by its name. Raises Failure for a name that is not of the sweep."""
        if name not in self.runs:
            raise Failure(f"{self.folder}: {unknown(name, 'run', list(self.runs))}")
        return load_run(self.folder / "runs" / "points" / name)

    def table(self, section: str) -> pandas.DataFrame:
        """A section of the summaries of all runs below each other, as Run.table() has it: the index is (run,
        row), and the columns begin with the axes and seed."""
        return self.joined(lambda run: run.table(section))

    def series(self, name: str) -> pandas.DataFrame:
        """One name of the series of all runs below each other; needs a study with `series = true`.
        The index is (run, row)."""
        return self.joined(lambda run: run.series[run.series["name"] == name].astype({"name": str, "of": str}))

    def joined(self, make: Callable[[Run], pandas.DataFrame]) -> pandas.DataFrame:
        """make(run) of all runs below each other, with the axes and seed of each."""
        import pandas  # pylint: disable=import-outside-toplevel
        labels = self.labels()
        tables = {name: make(self.run(name)) for name in labels.index}
        for name, table in tables.items():
            for place, column in enumerate(labels.columns):
                # A section may have a column of an axis's name.
                table.insert(place, column, labels.at[name, column], allow_duplicates=True)
        return pandas.concat(tables, names=["run"])


def load_sweep(folder: str | os.PathLike[str]) -> Sweep:
    """The sweep in a folder that `gbflow sweep --out FOLDER` wrote."""
    path = pathlib.Path(folder)
    study = files.read_report(path / "sweep.json", SWEEP_SCHEMA).get("study")
    axes = files.pick(study, "axes")
    if not isinstance(axes, list) or not all(files.pick(axis, "name") for axis in axes):
        raise Failure(f"{path / 'sweep.json'}: its study has no axes")
    return Sweep(path, study)


COMPARISON_SCHEMA = "gbflow-comparison/2"
SIDES = ("mean", "median", "min", "max", "pages", "unfinished")


def load_comparison(path: str | os.PathLike[str]) -> pandas.DataFrame:
    """A row for each figure (index: figure): a.mean .. a.max, b.mean .. b.max over the runs of each side, of page times
    also pages and unfinished ones (NaN where a side has none), difference_percent, low_percent and high_percent of its
    95 % interval, detectable_percent, p, p_family (Holm), verdict."""
    rows = files.read_report(pathlib.Path(path), COMPARISON_SCHEMA, "figures")["figures"]
    if not all(isinstance(row, dict) for row in rows):
        raise Failure(f"{path}: figures holds something that is no object")
    return of_rows([comparison_row(row) for row in rows], "figure")


def comparison_row(row: dict) -> dict:
    """Each row has all columns, in one order."""
    low, high = row.get("interval_percent") or (None, None)
    sides = {side: {name: files.number(row, side, name) for name in SIDES} for side in ("a", "b")}
    numbers = {name: row.get(name) for name in ("difference_percent", "detectable_percent", "p", "p_family")}
    return {"figure": row.get("figure"), **sides, "low_percent": low, "high_percent": high, **numbers,
            "verdict": row.get("verdict")}


ANALYSIS_SCHEMA = "gbflow-analysis/1"


@dataclass(frozen=True)
class Analysis:
    """The TCP connections of a capture."""

    folder: pathlib.Path
    document: Mapping[str, Any]
    """analysis.json."""

    def table(self, section: str) -> pandas.DataFrame:
        """A section that is a list, or an object of objects, such as tree, table_3, clusters (`gbflow fields
        analysis`). The index `name` has the keys of an object; its values that are no objects are in `values`. Raises
        Failure for what is no table."""
        found = self.document.get(section)
        if isinstance(found, list) and all(isinstance(row, dict) for row in found):
            return of_rows(found)
        rows = {name: row for name, row in found.items() if isinstance(row, dict)} if isinstance(found, dict) else {}
        if not rows and found != {}:
            raise Failure(f"{self.folder / 'analysis.json'}: {section} is no table")
        return of_table(rows, "name")

    @cached_property
    def mobiles(self) -> pandas.DataFrame:
        """A row for each mobile, by its address."""
        return self.table("mobiles").rename_axis("mobile")

    @cached_property
    def values(self) -> pandas.Series:
        """All numbers of the analysis by path, nulls as NaN; those of mobiles and lists are left out."""
        import pandas  # pylint: disable=import-outside-toplevel
        numbers = {name: value
                   for name, value in flat({key: row for key, row in self.document.items() if key != "mobiles"})
                   if value is None or isinstance(value, (int, float)) and not isinstance(value, bool)}
        return pandas.Series(numbers, dtype=float)


def load_analysis(folder: str | os.PathLike[str]) -> Analysis:
    """The analysis in a folder that `gbflow analyze --out FOLDER` wrote."""
    path = pathlib.Path(folder)
    return Analysis(path, files.read_report(path / "analysis.json", ANALYSIS_SCHEMA))
