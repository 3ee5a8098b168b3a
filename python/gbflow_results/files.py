# SPDX-License-Identifier: BSD-3-Clause
"""Files: reads what `gbflow run` leaves: summary.json (schema gbflow-summary/2, or an older one, versions.py) and series.csv.

A sweep keeps them with gzip, as summary.json.gz: each function that reads NAME reads NAME.gz where there is no NAME.

series.csv has the columns time_s,name,of,value; `gbflow fields series` says what the names are, and of what each is: a mobile, "ms
MOBILE" or "bvc BVCI", a BVCI, "MOBILE CLASS", "MOBILE REASON", or a connection "MOBILE#N".
"""

import csv
import gzip
import json
import math
import pathlib
import re
import zlib
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from gbflow_results import Failure, versions

# An escape that may be half a character, which no page can hold.
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

COLUMNS = ["time_s", "name", "of", "value"]

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

    def of(self, name: str) -> dict[str, Curve]:
        return dict(self.curves.get(name, {}))


PACKED = ".gz"


def there(path: pathlib.Path) -> pathlib.Path:
    """The file, or what gzip made of it, if only that is there."""
    packed = path.with_name(path.name + PACKED)
    return packed if not path.exists() and packed.is_file() else path


def read_octets(path: pathlib.Path) -> bytes:
    found = there(path)
    octets = found.read_bytes()
    if found.suffix != PACKED:
        return octets
    try:
        return gzip.decompress(octets)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Failure(f"{found}: not gzip, or cut off: {error}") from error


def pack(path: pathlib.Path) -> None:
    """In its place NAME.gz, with the same octets for the same content."""
    target = path.with_name(path.name + PACKED)
    part = target.with_name(target.name + ".part")
    part.write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    part.replace(target)
    path.unlink()


def read_text(path: pathlib.Path) -> str:
    try:
        return read_octets(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Failure(f"{there(path)}: not UTF-8 text") from error


def refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def read_json(path: pathlib.Path) -> Any:
    path = there(path)
    text = read_text(path)
    try:
        found = json.loads(text, parse_constant=refuse_constant)
        if SURROGATE.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except ValueError as error:
        raise Failure(f"{path}: not JSON: {error}") from error
    except RecursionError as error:
        raise Failure(f"{path}: not a report: nested too deeply") from error
    return found


def read_report(path: pathlib.Path, schema: str, *lists: str) -> dict[str, Any]:
    """A report of this schema, or of an older version of it; `lists` names those that must be in it."""
    path = there(path)
    report = versions.current(read_json(path))
    if not isinstance(report, dict) or report.get("schema") != schema:
        raise Failure(f"{path}: schema is not {schema}")
    wrong = next((name for name in lists if not isinstance(report.get(name), list)), None)
    if wrong:
        raise Failure(f"{path}: {wrong} is no list")
    return report


def read_summary(path: pathlib.Path) -> dict[str, Any]:
    """Every section of SECTIONS is there afterwards, empty where the file had none."""
    path = there(path)
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
    time_s, value = numpy.array(times), numpy.array(values)
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
    return time_s, value


def read_series(path: pathlib.Path) -> Series:
    path = there(path)
    found: dict[str, dict[str, tuple[array, array]]] = {}
    reader = csv.reader(read_text(path).splitlines())
    if next(reader, None) != COLUMNS:
        raise Failure(f"{path}:1: the first line is not {','.join(COLUMNS)}")
    for row in reader:
        try:
            time_s, value = read_row(row)
        except ValueError as error:
            raise Failure(f"{path}:{reader.line_num}: {error}") from error
        times, values = found.setdefault(row[1], {}).setdefault(row[2], (array("d"), array("d")))
        times.append(time_s)
        values.append(value)
    return Series({name: {of: sorted_curve(*pair) for of, pair in curves.items()} for name, curves in found.items()})
