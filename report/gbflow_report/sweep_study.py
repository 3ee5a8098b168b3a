# SPDX-License-Identifier: BSD-3-Clause
"""A study as gbflow hands it over (schema gbflow-study/1), and its points: the combinations of its axes."""

import argparse
import hashlib
import itertools
import json
import pathlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gbflow_report import output, warmup
from gbflow_report.runs import SERIES, SUMMARY, Kind
from gbflow_results import Failure, files

SCHEMA = "gbflow-study/1"
PROVENANCE, SETTLED = "provenance.json", "warmup.json"
NAME = 80  # characters of a folder's name; longer ones end in a digest


@dataclass(frozen=True)
class Axis:
    """labels in the order of the study; settings[label]: "path=value"..."""

    name: str
    settings: Mapping[str, Sequence[str]]
    baseline: str | None

    @property
    def labels(self) -> list[str]:
        return list(self.settings)


@dataclass(frozen=True)
class Point:
    """A combination: the label of each axis. It is the case of its runs (runs.Kind)."""

    name: str
    labels: Mapping[str, str]
    settings: Sequence[str]
    results: Sequence[str]

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True)
class Study:
    title: str
    scenario: pathlib.Path
    seeds: int
    axes: Sequence[Axis]
    figures: Sequence[str]
    has_series: bool
    given: Mapping[str, Any]

    @property
    def baseline(self) -> dict[str, str]:
        return {axis.name: axis.baseline for axis in self.axes if axis.baseline is not None}


def name_of(labels: Mapping[str, str], taken: set[str]) -> str:
    """A name for the folders of a point; a digest ends those that are long, or that another point has already."""
    text = ",".join(f"{name}={label}" for name, label in labels.items())
    plain = re.sub(r"[^A-Za-z0-9.=,+-]+", "_", text)
    if len(plain) > NAME or plain in taken:
        plain = f"{plain[:NAME]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    taken.add(plain)
    return plain


def axis_of(row: Mapping[str, Any]) -> Axis:
    settings = {point["label"]: [f"{path}={value}" for path, value in point["set"]] for point in row["points"]}
    return Axis(row["name"], settings, row.get("baseline"))


def read(path: pathlib.Path) -> Study:
    given = files.read_json(path)
    if not isinstance(given, dict) or given.get("schema") != SCHEMA:
        raise Failure(f"{path}: schema is not {SCHEMA}")
    return Study(given["title"], pathlib.Path(given["scenario"]), given["seeds"], [axis_of(row) for row in given["axes"]],
                 given["figures"], given["has_series"], given)


def points_of(study: Study) -> list[Point]:
    results = [SUMMARY, PROVENANCE, SETTLED, *([SERIES] if study.has_series else [])]
    found: list[Point] = []
    names: set[str] = set()
    for labels in itertools.product(*(axis.labels for axis in study.axes)):
        chosen = dict(zip((axis.name for axis in study.axes), labels, strict=True))
        settings = [text for axis in study.axes for text in axis.settings[chosen[axis.name]]]
        found.append(Point(name_of(chosen, names), chosen, settings, results))
    return found


def judge_warmup(folder: pathlib.Path) -> None:
    """Writes warmup.json, before series.csv goes."""
    found = {"settled_s": warmup.settled_s(folder / SERIES)}
    output.write_whole(folder / SETTLED, json.dumps(found) + "\n")


def kind_of(study: Study) -> Kind:
    """The runs of a study, as runs.py wants them."""
    return Kind("points", str(study.scenario), points_of(study), study.has_series, at_end=judge_warmup)


def options_of(given: argparse.Namespace, study: Study) -> argparse.Namespace:
    """What runs.py asks of the command line."""
    return argparse.Namespace(**{**vars(given), "seeds": study.seeds, "scenarios": pathlib.Path()})
