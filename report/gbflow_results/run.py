# SPDX-License-Identifier: BSD-3-Clause
"""The folder of one `gbflow run`."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gbflow_results import files, frames
from gbflow_results.failure import Failure

if TYPE_CHECKING:
    import pandas

SUMMARY, SERIES, PROVENANCE = "summary.json", "series.csv", "provenance.json"
# Columns that name the rows of a section.
INDEX = {"mobiles": "mobile", "tcp": "connection", "ping": "mobile"}
KEYS = {"classes": "class", "cells": "bvci", "conservation": "node", "aqm": "class"}
SERIES_KINDS = {"time_s": "float64", "name": "category", "of": "category", "value": "float64"}


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

        The index is the class, the BVCI (as text), the mobile or the connection. A section that the run does not have, such as
        aqm without a scheme, is an empty table. Raises Failure for a section that is no table.
        """
        found = self.summary.get(section) or []
        rows = found.values() if isinstance(found, dict) else found
        if not isinstance(rows, (list, type({}.values()))) or not all(isinstance(row, dict) for row in rows):
            raise Failure(f"{self.folder / SUMMARY}: {section} is no table")
        if isinstance(found, dict):
            return frames.of_table(found, KEYS.get(section, "name"))
        return frames.of_rows(found, INDEX.get(section))

    @cached_property
    def classes(self) -> pandas.DataFrame:
        """A row for each traffic class."""
        return self.table("classes")

    @cached_property
    def mobiles(self) -> pandas.DataFrame:
        """A row for each mobile, in the order of the scenario."""
        return self.table("mobiles")

    @cached_property
    def cells(self) -> pandas.DataFrame:
        """A row for each cell, by its BVCI."""
        return self.table("cells")

    @cached_property
    def tcp(self) -> pandas.DataFrame:
        """A row for each download, or all connections of a web item together."""
        return self.table("tcp")

    @cached_property
    def pages(self) -> pandas.DataFrame:
        """A row for each page of a web item; time_s is NaN for an unfinished page."""
        return self.table("pages")

    @cached_property
    def ping(self) -> pandas.DataFrame:
        """A row for each ping item."""
        return self.table("ping")

    @cached_property
    def series(self) -> pandas.DataFrame:
        """series.csv, in the order of the file: time_s (seconds), name and of (categories), value. `gbflow fields series` has the
        names, their units, and what `of` is."""
        path = self.folder / SERIES
        found = frames.read_csv(path, SERIES_KINDS)
        frames.check_finite(path, found, ["time_s", "value"])
        return found

    def curves(self, name: str) -> pandas.DataFrame:
        """One name of the series, for example goodput_bps: a row for each time, a column for each `of`, NaN where a column has no
        value at that time; of several values at one time the last. Raises Failure for a name that the run has no values of."""
        rows = self.series[self.series["name"] == name]
        if rows.empty:
            known = ", ".join(sorted(self.series["name"].cat.categories))
            raise Failure(f"{self.folder / SERIES}: no values of '{name}'; it has {known or 'none at all'}")
        return rows.astype({"of": str}).pivot_table(index="time_s", columns="of", values="value", aggfunc="last")

    @cached_property
    def provenance(self) -> Mapping[str, Any]:
        """provenance.json: program, command line, the scenario's text, machine; empty for a run of a version without it."""
        path = self.folder / PROVENANCE
        return files.read_json(path) if path.is_file() else {}


def load_run(folder: str | os.PathLike[str]) -> Run:
    """The run in a folder that `gbflow run --out FOLDER` wrote. Only summary.json must be there."""
    path = pathlib.Path(folder)
    return Run(path, files.read_summary(path / SUMMARY))
