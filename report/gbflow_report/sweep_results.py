# SPDX-License-Identifier: BSD-3-Clause
"""What the runs of a study say: a row for each run and figure, the means of each point, and each point less the baseline."""

import csv
import fnmatch
import io
import pathlib
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

from gbflow_report import compare, compare_read, difference, output, page
from gbflow_report.runs import SUMMARY, Run
from gbflow_report.sweep_study import SETTLED, Point, Study
from gbflow_report.verdict import rounded
from gbflow_results import Failure, files

# Figures of single mobiles that are drawn as distributions over all of them.
OF_MOBILES = ("goodput_bps", "delay_s.p50")

Values = dict[str, dict[int, float]]  # [figure][seed]


@dataclass(frozen=True)
class Results:
    """values[point][figure][seed]; of_mobiles[point][measure]: of all mobiles and seeds; settled_s[point]: of each seed, None
    for a run that never settles."""

    study: Study
    figures: Sequence[str]
    values: Mapping[Point, Values]
    of_mobiles: Mapping[Point, Mapping[str, Sequence[float]]]
    settled_s: Mapping[Point, Mapping[int, float | None]]
    warmup_s: float


@dataclass(frozen=True)
class Mean:
    """Of one figure over the seeds of a point; low, high: 95 % interval by Student's t, None for one run."""

    runs: int
    mean: float
    low: float | None
    high: float | None
    least: float
    most: float


def kept(summary: Mapping[str, Any], patterns: Sequence[str]) -> dict[str, float]:
    """The figures that were asked for and have a value."""
    found = compare_read.figures_of(summary)
    return {name: value for name, value in found.items() if value is not None and compare.is_asked(name, patterns, False)}


def mobile_values(summary: Mapping[str, Any], measure: str) -> list[float]:
    found = (files.number(row, *measure.split(".")) for row in summary["mobiles"])
    return [value for value in found if value is not None]


def collect(study: Study, runs: Sequence[Run]) -> Results:
    values: dict[Point, Values] = {}
    of_mobiles: dict[Point, dict[str, list[float]]] = {}
    settled: dict[Point, dict[int, float | None]] = {}
    names: dict[str, None] = {}
    warmup_s = 0.0
    for run in runs:
        summary = files.read_summary(run.folder / SUMMARY)
        warmup_s = max(warmup_s, summary.get("warmup_s") or 0.0)
        for name, value in kept(summary, study.figures).items():
            names[name] = None
            values.setdefault(run.case, {}).setdefault(name, {})[run.seed] = value
        for measure in OF_MOBILES:
            of_mobiles.setdefault(run.case, {}).setdefault(measure, []).extend(mobile_values(summary, measure))
        settled.setdefault(run.case, {})[run.seed] = files.read_json(run.folder / SETTLED).get("settled_s")
    for pattern in study.figures:
        if not any(fnmatch.fnmatchcase(name, pattern) for name in names):
            raise Failure(f"figures: '{pattern}': no figure of the runs has such a name (gbflow compare prints all names)")
    return Results(study, list(names), values, of_mobiles, settled, warmup_s)


def mean_of(values: Sequence[float]) -> Mean:
    low, high = difference.interval_of_mean(values) or (None, None)
    return Mean(len(values), mean(values), low, high, min(values), max(values))


def means(results: Results) -> list[tuple[Point, str, Mean]]:
    return [(point, figure, mean_of(list(of_point[figure].values())))
            for point, of_point in results.values.items() for figure in results.figures if figure in of_point]


def baseline_of(point: Point, results: Results) -> Point | None:
    """The point with the same labels but those of the baseline; None for a baseline itself, or without one."""
    labels = {**point.labels, **results.study.baseline}
    if not results.study.baseline or labels == point.labels:
        return None
    return next((other for other in results.values if other.labels == labels), None)


def compared(results: Results) -> list[dict[str, Any]]:
    """A row for each point that is not a baseline, and figure that both have; one family for Holm's correction."""
    rows = []
    for point in results.values:
        base = baseline_of(point, results)
        for figure in results.figures if base else ():
            a, b = results.values[base].get(figure), results.values[point].get(figure)
            if a and b:
                row = compare.row_of(figure, spread(a), spread(b), len(a.keys() & b.keys()) > 1)
                rows.append({"labels": point.labels, **row})
    compare.judge(rows)
    return rows


def remarks(results: Results, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Sentences about what the runs can show: start-up, sample size."""
    settled = [(value, point, seed) for point, of_point in results.settled_s.items() for seed, value in of_point.items()]
    late = [row for row in settled if row[0] is not None and row[0] > results.warmup_s]
    never = sum(value is None for value, _, _ in settled)
    found = []
    if late:
        at, point, seed = max(late, key=lambda row: row[0])
        found.append(f"{len(late)} of {page.plural(len(settled), 'run')} settle after the warm-up of {results.warmup_s:g} s, the last at "
                     f"{at:.0f} s ({point.name} seed {seed}): their figures contain the start-up.")
    if never:
        found.append(f"{never} of {page.plural(len(settled), 'run')} never settle, or are too short to judge (MSER-5): their figures "
                     "depend on the duration.")
    detectable = [row["detectable_percent"] for row in rows if row["detectable_percent"] is not None]
    if detectable:
        found.append(f"{page.plural(results.study.seeds, 'seed')}: half of the comparisons would show a difference of "
                     f"{page.fixed(median(detectable), 1)} % (power 80 %, each alone).")
    return found


def spread(by_seed: Mapping[int, float]) -> compare_read.Spread:
    found = compare_read.spread_of(list(by_seed), list(by_seed.values()))
    assert found  # a figure is kept only with its values
    return found


def table(path: pathlib.Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    output.write_whole(path, text.getvalue())


def write_values(results: Results, path: pathlib.Path) -> None:
    axes = [axis.name for axis in results.study.axes]
    rows = ([f"{point.name}-seed{seed}", *point.labels.values(), seed, figure, value]
            for point, of_point in results.values.items() for figure in results.figures
            for seed, value in of_point.get(figure, {}).items())
    table(path, ["run", *axes, "seed", "figure", "value"], rows)


def write_means(results: Results, path: pathlib.Path) -> None:
    rows = ([*point.labels.values(), figure, found.runs,
             *("" if value is None else rounded(value) for value in (found.mean, found.low, found.high, found.least, found.most))]
            for point, figure, found in means(results))
    table(path, [*(axis.name for axis in results.study.axes), "figure", "runs", "mean", "low", "high", "min", "max"], rows)


def write_compared(results: Results, rows: Sequence[Mapping[str, Any]], path: pathlib.Path) -> None:
    head = [*(axis.name for axis in results.study.axes), "figure", "baseline", "mean", "difference_percent", "low_percent",
            "high_percent", "p", "p_family", "detectable_percent", "verdict"]
    lines = ([*row["labels"].values(), row["figure"], row["a"]["mean"], row["b"]["mean"], row["difference_percent"],
              *(row["interval_percent"] or ("", "")), row["p"], row["p_family"], row["detectable_percent"], row["verdict"]]
             for row in rows)
    table(path, head, (["" if word is None else word for word in line] for line in lines))


PARQUET = """import sys
import pyarrow.csv
import pyarrow.parquet
table = pyarrow.csv.read_csv(sys.argv[1], convert_options=pyarrow.csv.ConvertOptions(
    column_types={name: pyarrow.string() for name in sys.argv[3:]}))
pyarrow.parquet.write_table(table, sys.argv[2])
"""


def write_parquet(python: pathlib.Path, source: pathlib.Path, target: pathlib.Path, axes: Sequence[str]) -> str | None:
    """By an interpreter that has pyarrow; labels stay text. None, or the last line of what went wrong."""
    part = target.with_name(target.name + ".part")
    done = subprocess.run([python, "-c", PARQUET, source, part, "run", "figure", *axes], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0:
        part.replace(target)
        return None
    part.unlink(missing_ok=True)
    return (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
