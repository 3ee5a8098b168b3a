# SPDX-License-Identifier: BSD-3-Clause
"""Rows of JSON and CSV as tables.

pandas takes half a second to load, and the pages of gbflow do without it: it is imported by the functions that make a table.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from gbflow_results.failure import Failure

if TYPE_CHECKING:
    import pandas


def flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that is no object, with its path: {"delay_s": {"p50": 1}} gives ("delay_s.p50", 1)."""
    if not isinstance(value, dict):
        yield path, value
        return
    for name, below in value.items():
        yield from flat(below, f"{path}.{name}" if path else name)


def of_rows(rows: Sequence[Mapping[str, Any]], index: str | None = None) -> pandas.DataFrame:
    """A row for each object; `index` names the column that names the rows, kept as a column where not all rows have it."""
    import pandas  # pylint: disable=import-outside-toplevel
    table = pandas.DataFrame([dict(flat(dict(row))) for row in rows])
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
    """A CSV file; kinds: the type of each column that it must have, `other` that of all further ones (None: there are none).

    Text stays what it is: a mobile may be called NA. In a column of floats an empty field is NaN.
    """
    import pandas  # pylint: disable=import-outside-toplevel
    try:
        names = list(pandas.read_csv(path, nrows=0).columns)
        missing = [name for name in kinds if name not in names] or (list(names) != list(kinds) if other is None else [])
        if missing:
            raise Failure(f"{path}:1: columns are not {','.join(kinds)}" + (" and the axes" if other else ""))
        floats = [name for name in names if kinds.get(name, other) == "float64"]
        return pandas.read_csv(path, dtype={name: kinds.get(name, other) for name in names}, keep_default_na=False,
                               na_values={name: [""] for name in floats})
    except (ValueError, pandas.errors.ParserError) as error:
        raise Failure(f"{path}: {error}") from error


def check_finite(path: pathlib.Path, table: pandas.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        bad = numpy.flatnonzero(~numpy.isfinite(table[name].to_numpy()))
        if len(bad):
            raise Failure(f"{path}:{bad[0] + 2}: {name} is no finite number")
