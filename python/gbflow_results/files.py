# SPDX-License-Identifier: BSD-3-Clause
"""Files: reads what `gbflow run` leaves: summary.json (schema gbflow-summary/2, or an older one,
versions.py) and series.csv.

A sweep keeps them with gzip, as summary.json.gz: each function that reads NAME reads NAME.gz where there is no NAME.

series.csv has the columns time_s,name,of,value; `gbflow fields series` says what the names are, and of what each is: a
mobile, "ms MOBILE" or "bvc BVCI", a BVCI, "MOBILE CLASS", "MOBILE REASON", or a connection "MOBILE#N".
"""

import csv
import gzip
import math
import pathlib
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from gbflow_results import Failure, bounded, versions

COLUMNS = ["time_s", "name", "of", "value"]
CURVES_MOST, ROWS_MOST = 500_000, 1 << 25

# Sections that the report walks through, and of what each is made; all may be missing or null.
SECTIONS: dict[str, type] = {"classes": dict, "cells": dict, "conservation": dict, "assumptions": list, "mobiles": list,
                             "tcp": list, "pages": list, "ping": list}


@dataclass(frozen=True)
class Curve:
    """Values over time, in the order of time."""

    time_s: numpy.ndarray
    value: numpy.ndarray

    def __len__(self) -> int:
        return len(self.value)

    @staticmethod
    def empty() -> "Curve":
        return Curve(numpy.array([]), numpy.array([]))

    def since(self, start_s: float) -> "Curve":
        kept = self.time_s >= start_s
        return Curve(self.time_s[kept], self.value[kept])


@dataclass(frozen=True)
class Series:
    """curves[name][of]"""

    curves: Mapping[str, Mapping[str, Curve]]

    def curves_of(self, name: str) -> dict[str, Curve]:
        return dict(self.curves.get(name, {}))


def plain_or_packed(path: pathlib.Path) -> pathlib.Path:
    """The file, or what gzip made of it, if only that is there."""
    packed = path.with_name(path.name + bounded.PACKED)
    return packed if not path.exists() and packed.is_file() else path


def pack(path: pathlib.Path) -> None:
    """In its place NAME.gz, with the same octets for the same content."""
    target = path.with_name(path.name + bounded.PACKED)
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)  # which may be a link
    with open(part, "xb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        for block in bounded.blocks(path, bounded.TABLE_OCTETS):
            packed.write(block)
    part.replace(target)
    path.unlink()


def read_json(path: pathlib.Path) -> Any:
    return bounded.read_json(plain_or_packed(path))


def read_report(path: pathlib.Path, schema: str, *lists: str) -> dict[str, Any]:
    """A report of this schema, or of an older version of it; `lists` names those that must be in it."""
    path = plain_or_packed(path)
    report = versions.current(read_json(path))
    if not isinstance(report, dict) or report.get("schema") != schema:
        raise Failure(f"{path}: schema is not {schema}")
    wrong = next((name for name in lists if not isinstance(report.get(name), list)), None)
    if wrong:
        raise Failure(f"{path}: {wrong} is no list")
    return report


def read_summary(path: pathlib.Path) -> dict[str, Any]:
    """Every section of SECTIONS is there afterwards, empty where the file had none."""
    path = plain_or_packed(path)
    summary = read_report(path, versions.SUMMARY_SCHEMA)
    for name, kind in SECTIONS.items():
        section = summary.get(name)
        summary[name] = kind() if section is None else section
        if not isinstance(summary[name], kind):
            raise Failure(f"{path}: {name} is no {'object' if kind is dict else 'list'}")
        rows = summary[name].values() if kind is dict else summary[name]
        if not all(isinstance(row, dict) for row in rows):
            raise Failure(f"{path}: {name} holds something that is no object")
    return summary


def pick(table: Any, *path: str) -> Any:
    """table[path[0]][path[1]]... or None where the way ends early."""
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def number(table: Any, *path: str) -> float | None:
    """As pick(), of numbers only."""
    found = pick(table, *path)
    return found if isinstance(found, (int, float)) and not isinstance(found, bool) else None


def sorted_curve(times: array, values: array) -> Curve:
    time_s, value = numpy.frombuffer(times), numpy.frombuffer(values)
    if len(time_s) > 1 and numpy.any(numpy.diff(time_s) < 0):
        order = numpy.argsort(time_s, kind="stable")
        time_s, value = time_s[order], value[order]
    return Curve(time_s, value)


def read_row(row: list[str]) -> tuple[float, float]:
    if len(row) != len(COLUMNS):
        raise ValueError(f"{len(row)} columns, not {len(COLUMNS)}")
    time_s, value = float(row[0]), float(row[3])
    if not (math.isfinite(time_s) and math.isfinite(value)):
        raise ValueError("no finite number")
    if max(abs(time_s), abs(value)) > bounded.NUMBER_MOST:
        raise ValueError(f"a number is beyond {bounded.NUMBER_MOST:g}")
    return time_s, value


def read_series(path: pathlib.Path) -> Series:
    path = plain_or_packed(path)
    found: dict[str, dict[str, tuple[array, array]]] = {}
    curves = rows = 0
    reader = csv.reader(bounded.lines(path))
    try:
        if next(reader, None) != COLUMNS:
            raise Failure(f"{path}:1: the first line is not {','.join(COLUMNS)}")
        for rows, row in enumerate(reader, 1):
            time_s, value = read_row(row)
            times, values = found.setdefault(row[1], {}).setdefault(row[2], (array("d"), array("d")))
            curves += not times
            if curves > CURVES_MOST or rows > ROWS_MOST:
                raise ValueError(f"more than {CURVES_MOST} curves or {ROWS_MOST} rows, the most that is read")
            times.append(time_s)
            values.append(value)
    except (ValueError, csv.Error) as error:
        raise Failure(f"{path}:{reader.line_num}: {error}") from error
    return Series({name: {of: sorted_curve(*pair) for of, pair in curves.items()} for name, curves in found.items()})
