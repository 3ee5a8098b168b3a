# SPDX-License-Identifier: BSD-3-Clause
"""Distributions of a run that stay when its series.csv goes: the delays of N-PDUs and round-trip times after the
warm-up, by class.

Each is kept as its values at fixed shares (SHARES) and the number of samples.
Distributions of several runs become one by their
samples: a value stands for the shares halfway to its neighbours, times the number.
"""

import json
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from gbflow_report import output
from gbflow_report.run_plots import split_of
from gbflow_results import Failure, files

FILE, SCHEMA = "distributions.json", "gbflow-distributions/1"
# Series whose samples are kept, with the words for what a sample is.
MEASURES = {"delay_s": "delay of N-PDUs (s)", "rtt_s": "round-trip time of TCP (s)",
            "ping_rtt_s": "round-trip time of pings (s)"}
SHARES = (*(hundredth / 100 for hundredth in range(100)), 0.995, 0.999, 1.0)
WEIGHTS = numpy.diff([0.0, *((a + b) / 2 for a, b in zip(SHARES, SHARES[1:])), 1.0])
DIGITS = 5


@dataclass(frozen=True)
class Distribution:
    """values[i]: the smallest one that SHARES[i] of the samples do not exceed."""

    count: int
    values: Sequence[float]


Distributions = Mapping[str, Mapping[str, Distribution]]  # [measure][class]


def class_of(measure: str, of: str, classes: Mapping[str, str]) -> str | None:
    """Of a curve: N-PDUs name their class, the others a mobile or its connection."""
    return split_of(of)[1] if measure == "delay_s" else classes.get(of.rpartition("#")[0] or of)


def samples(series: files.Series, summary: Mapping[str, Any]) -> dict[str, dict[str, numpy.ndarray]]:
    """[measure][class]: all values after the warm-up."""
    classes: dict[str, str] = {}
    for row in summary["mobiles"]:
        classes.setdefault(str(row.get("mobile")), str(row.get("class")))
    found: dict[str, dict[str, list[numpy.ndarray]]] = {}
    for measure in MEASURES:
        for of, curve in series.curves_of(measure).items():
            kind = class_of(measure, of, classes)
            kept = curve.since(summary.get("warmup_s") or 0.0)
            if kind and len(kept):
                found.setdefault(measure, {}).setdefault(kind, []).append(kept.value)
    return {measure: {kind: numpy.concatenate(parts) for kind, parts in kinds.items()}
            for measure, kinds in found.items()}


def row_of(values: numpy.ndarray) -> dict[str, Any]:
    at = numpy.quantile(values, SHARES, method="inverted_cdf")
    return {"count": len(values), "values": [float(f"{value:.{DIGITS}g}") for value in at]}


def write(folder: pathlib.Path, series: files.Series, summary: Mapping[str, Any]) -> None:
    found = {measure: {kind: row_of(values) for kind, values in sorted(kinds.items())}
             for measure, kinds in samples(series, summary).items()}
    text = json.dumps({"schema": SCHEMA, "shares": SHARES, "measures": found}, separators=(",", ":"))
    output.write_whole(folder / FILE, text + "\n")


def distribution_of(row: Mapping[str, Any]) -> Distribution:
    values = [float(value) for value in row["values"]]
    if len(values) != len(SHARES):
        raise ValueError(f"{len(SHARES)} values: it has {len(values)}")
    return Distribution(int(row["count"]), values)


def read(folder: pathlib.Path) -> Distributions:
    path = files.plain_or_packed(folder / FILE)
    report = files.read_report(path, SCHEMA)
    try:
        if tuple(report["shares"]) != SHARES:
            raise Failure(f"{path}: its shares are others; run the study again")
        return {measure: {kind: distribution_of(row) for kind, row in kinds.items()}
                for measure, kinds in report["measures"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Failure(f"{path}: a distribution without {error}") from error


def merged(parts: Sequence[Distribution]) -> tuple[numpy.ndarray, numpy.ndarray]:
    """(value, share of the samples of all parts at or below it)"""
    values = numpy.concatenate([part.values for part in parts])
    weights = numpy.concatenate([part.count * WEIGHTS for part in parts])
    order = numpy.argsort(values, kind="stable")
    share = numpy.cumsum(weights[order])
    return values[order], share / share[-1]


def thinned(at: numpy.ndarray, share: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """At about as many points as one distribution has; ends included."""
    if len(at) <= 2 * len(SHARES):
        return at, share
    kept = numpy.unique(numpy.searchsorted(share, SHARES).clip(0, len(at) - 1))
    return at[kept], share[kept]
