# SPDX-License-Identifier: BSD-3-Clause
"""The folder of one `gbflow sweep`."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gbflow_results import files, frames
from gbflow_results.failure import Failure
from gbflow_results.run import Run, load_run

if TYPE_CHECKING:
    import pandas

SCHEMA = "gbflow-sweep/1"
VALUES = {"run": "str", "seed": "int64", "figure": "category", "value": "float64"}
POINTS = {"figure": "category", "runs": "int64", **dict.fromkeys(("mean", "low", "high", "min", "max"), "float64")}
COMPARISON = {"figure": "category", "verdict": "category", **dict.fromkeys(
    ("baseline", "mean", "difference_percent", "low_percent", "high_percent", "p", "p_family", "detectable_percent"), "float64")}


@dataclass(frozen=True)
class Sweep:
    """All runs of a study. In each table an axis is a column of its labels, which are texts; pandas.to_numeric() makes numbers of
    labels without a unit."""

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
        return frames.read_csv(self.folder / "results.csv", VALUES, "str")

    @cached_property
    def points(self) -> pandas.DataFrame:
        """points.csv: a row for each point and figure with mean and 95 % interval (low, high; NaN for one run) over the seeds."""
        return frames.read_csv(self.folder / "points.csv", POINTS, "str")

    @cached_property
    def comparison(self) -> pandas.DataFrame:
        """comparison.csv: each point less its baseline; empty without a baseline."""
        return frames.read_csv(self.folder / "comparison.csv", COMPARISON, "str")

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
            raise Failure(f"{self.folder}: no run '{name}'; the first is '{next(iter(self.runs), 'none')}'")
        return load_run(self.folder / "runs" / "points" / name)

    def table(self, section: str) -> pandas.DataFrame:
        """A section of the summaries of all runs below each other, as Run.table() has it: the index is (run, row), and the columns
        begin with the axes and seed."""
        return self.joined(lambda run: run.table(section))

    def series(self, name: str) -> pandas.DataFrame:
        """One name of the series of all runs below each other; needs a study with `series = true`. The index is (run, row)."""
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
    report = files.read_json(path / "sweep.json")
    study = files.pick(report, "study")
    axes = files.pick(study, "axes")
    if files.pick(report, "schema") != SCHEMA or not isinstance(axes, list) or not all(files.pick(axis, "name") for axis in axes):
        raise Failure(f"{path / 'sweep.json'}: schema is not {SCHEMA}, or its study has no axes")
    return Sweep(path, study)
