# SPDX-License-Identifier: BSD-3-Clause
"""The folder of one `gbflow analyze`."""

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

SCHEMA = "gbflow-analysis/1"


@dataclass(frozen=True)
class Analysis:
    """The TCP connections of a capture."""

    folder: pathlib.Path
    document: Mapping[str, Any]
    """analysis.json."""

    def table(self, section: str) -> pandas.DataFrame:
        """A section that is a list, or an object of objects, such as tree, table_3, clusters (`gbflow fields analysis`). The index
        `name` has the keys of an object; its values that are no objects are in `values`. Raises Failure for what is no table."""
        found = self.document.get(section)
        if isinstance(found, list) and all(isinstance(row, dict) for row in found):
            return frames.of_rows(found)
        rows = {name: row for name, row in found.items() if isinstance(row, dict)} if isinstance(found, dict) else {}
        if not rows and found != {}:
            raise Failure(f"{self.folder / 'analysis.json'}: {section} is no table")
        return frames.of_table(rows, "name")

    @cached_property
    def mobiles(self) -> pandas.DataFrame:
        """A row for each mobile, by its address."""
        return self.table("mobiles").rename_axis("mobile")

    @cached_property
    def values(self) -> pandas.Series:
        """All numbers of the analysis by path, nulls as NaN; those of mobiles and lists are left out."""
        import pandas  # pylint: disable=import-outside-toplevel
        numbers = {name: value for name, value in frames.flat({key: row for key, row in self.document.items() if key != "mobiles"})
                   if value is None or isinstance(value, (int, float)) and not isinstance(value, bool)}
        return pandas.Series(numbers, dtype=float)


def load_analysis(folder: str | os.PathLike[str]) -> Analysis:
    """The analysis in a folder that `gbflow analyze --out FOLDER` wrote."""
    path = pathlib.Path(folder)
    found = files.read_json(path / "analysis.json")
    if files.pick(found, "schema") != SCHEMA:
        raise Failure(f"{path / 'analysis.json'}: schema is not {SCHEMA}")
    return Analysis(path, found)
