# SPDX-License-Identifier: BSD-3-Clause
"""A study as gbflow hands it over (schema gbflow-study/1), its points (the combinations of its axes), and the results
of its runs: figures, means, comparisons with the baseline, and where each run's start-up ends.
"""

import argparse
import csv
import fnmatch
import hashlib
import io
import itertools
import json
import pathlib
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any

import numpy

from gbflow_report import compare, difference, distributions, fields, output, page, page_times, traffic
from gbflow_report.difference import rounded
from gbflow_report.runs import SERIES, SUMMARY, Kind, Run, folder_of
from gbflow_results import Failure, files
from gbflow_results.shown import GUARDED, guarded
from gbflow_results.words import near_figures

SCHEMA = "gbflow-study/1"
SWEEP, SWEEP_SCHEMA = "sweep.json", "gbflow-sweep/1"
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
    is_packed: bool
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


def read_study(path: pathlib.Path) -> Study:
    return study_of(files.read_report(path, SCHEMA))


def study_of(given: Mapping[str, Any]) -> Study:
    return Study(given["title"], pathlib.Path(given["scenario"]), given["seeds"],
                 [axis_of(row) for row in given["axes"]],
                 given["figures"], given["has_series"], given["is_packed"], given)


def points_of(study: Study) -> list[Point]:
    results = [SUMMARY, PROVENANCE, SETTLED, distributions.FILE, *([SERIES] if study.has_series else [])]
    found: list[Point] = []
    names: set[str] = set()
    for labels in itertools.product(*(axis.labels for axis in study.axes)):
        chosen = dict(zip((axis.name for axis in study.axes), labels, strict=True))
        settings = [text for axis in study.axes for text in axis.settings[chosen[axis.name]]]
        found.append(Point(name_of(chosen, names), chosen, settings, results))
    return found


def digest_series(folder: pathlib.Path) -> None:
    """Writes warmup.json and distributions.json, before series.csv goes."""
    series = files.read_series(folder / SERIES)
    output.write_whole(folder / SETTLED, json.dumps({"settled_s": settled_s(series)}) + "\n")
    distributions.write(folder, series, files.read_summary(folder / SUMMARY))


# --- names of figures ---

NAMING = ("name", "count", "class")  # last parts of keys by which points may have other figures


def no_figure(pattern: str, names: Sequence[str]) -> Failure:
    return Failure(f"figures: '{pattern}': no figure of the runs has such a name; near: {near_figures(pattern, names)} "
                   "(gbflow compare A B --all prints all names)")


def may_come(study: Study, pattern: str) -> bool:
    """Whether another run may have a figure that the first one lacks: of other mobiles, or a counter of what did not
    happen there."""
    keys = [setting.partition("=")[0] for axis in study.axes for settings in axis.settings.values()
            for setting in settings]
    field = fields.of_figure("summary", pattern)
    has_names = any(key.rpartition(".")[2] in NAMING for key in keys)
    return has_names or field is not None and field.path.rpartition(".")[2].isupper()


def check_names(study: Study, summary: Mapping[str, Any]) -> None:
    """Of the first run: what no run will have ends the study before the others."""
    names = list(compare.figures_of(summary))
    for pattern in study.figures:
        if not fnmatch.filter(names, pattern) and not may_come(study, pattern):
            raise no_figure(pattern, names)


def kind_of(study: Study) -> Kind:
    """The runs of a study, as runs.py wants them."""
    def at_end(folder: pathlib.Path) -> None:
        check_names(study, files.read_summary(folder / SUMMARY))
        digest_series(folder)

    return Kind("points", str(study.scenario), points_of(study), study.has_series, at_end=at_end,
                is_packed=study.is_packed)


def options_of(given: argparse.Namespace, study: Study) -> argparse.Namespace:
    """What runs.py asks of the command line."""
    return argparse.Namespace(**{**vars(given), "seeds": study.seeds, "scenarios": pathlib.Path()})


# --- start-up ---
#
# Where a run's start-up ends, by MSER-5 (K. P. White, Simulation 69(6), 1997): of all points at which the first part of
# a series could be cut off, the one that leaves the mean of the rest with the smallest standard error. Judged is what
# waits in the SGSN and the BSS, the sum over all mobiles: queues fill last.

BATCH = 5  # samples whose mean is one value
BACKLOGS = ("sgsn_backlog_octets", "bss_backlog_octets")
LEAST = 20  # batches from which on a series can be judged


def total_backlog(series: files.Series) -> files.Curve:
    """The sum of all curves of BACKLOGS at each time at which one has a sample."""
    curves = [curve for name in BACKLOGS for curve in series.curves_of(name).values()]
    if not curves:
        return files.Curve.empty()
    times = numpy.concatenate([curve.time_s for curve in curves])
    at, where = numpy.unique(times, return_inverse=True)
    return files.Curve(at, numpy.bincount(where, weights=numpy.concatenate([curve.value for curve in curves])))


def mser(values: numpy.ndarray) -> int | None:
    """Samples to cut off, a multiple of BATCH. None: too few of them, or the best cut is in the second half, which
    means that the series never settles."""
    batches = values[:len(values) // BATCH * BATCH].reshape(-1, BATCH).mean(axis=1)
    if len(batches) < LEAST:
        return None
    errors = [batches[cut:].var() / (len(batches) - cut) for cut in range(len(batches) - BATCH)]
    best = int(numpy.argmin(errors))
    return best * BATCH if best <= len(batches) // 2 else None


def settled_s(series: files.Series) -> float | None:
    """When the run has settled; None: it never does, or is too short to say."""
    curve = total_backlog(series)
    cut = mser(curve.value)
    return None if cut is None else float(curve.time_s[cut])


# --- results ---

# Figures of single mobiles that are drawn as distributions over all of them.
OF_MOBILES = ("goodput_bps", "delay_s.p50")

Values = dict[str, dict[int, float]]  # [figure][seed]


@dataclass(frozen=True)
class PageTime:
    """A page time of a run. value: None where its pages do not reach the quantile."""

    value: float | None
    pages: page_times.Pages


PageTimes = Mapping[str, Mapping[int, PageTime]]  # [figure][seed]


@dataclass(frozen=True)
class Results:
    """values[point][figure][seed], of page times only where all runs of the point have one;
    of_mobiles[point][measure]: of all mobiles and seeds; distributions[point][seed];
    settled_s[point]: of each seed, None for a run that never settles."""

    study: Study
    figures: Sequence[str]
    values: Mapping[Point, Values]
    of_mobiles: Mapping[Point, Mapping[str, Sequence[float]]]
    distributions: Mapping[Point, Mapping[int, distributions.Distributions]]
    settled_s: Mapping[Point, Mapping[int, float | None]]
    warmup_s: float
    commits: Sequence[str] = ()  # of the program, several where it changed between the runs
    page_times: Mapping[Point, PageTimes] = field(default_factory=dict)

    def times(self, point: Point, figure: str) -> Mapping[int, PageTime]:
        """Of a page time, else empty."""
        return self.page_times.get(point, {}).get(figure, {})

    def lacks(self, point: Point, figure: str) -> int:
        """Runs of a point that do not reach a page time."""
        return sum(one.value is None for one in self.times(point, figure).values())


@dataclass(frozen=True)
class Mean:
    """Of one figure over the seeds of a point; low, high: 95 % interval (difference.interval_of_amount()), None for
    one run."""

    runs: int
    mean: float
    low: float | None
    high: float | None
    least: float
    most: float


def kept(summary: Mapping[str, Any], patterns: Sequence[str]) -> tuple[dict[str, float], dict[str, PageTime]]:
    """The figures that were asked for and have a value, but for page times; these, where there are pages."""
    found = {name: value
             for name, value in compare.figures_of(summary).items() if compare.is_asked(name, patterns, False)}
    times = {name: PageTime(value, pages)
             for name, value in found.items() if (pages := page_times.of_figure(summary, name))}
    return {name: value for name, value in found.items() if value is not None and name not in times}, times


def whole_times(values: dict[Point, Values], times: Mapping[Point, PageTimes]) -> None:
    """Adds the page times of points of which all runs have one: of the others those that are too long would be left
    out."""
    for point, of_point in times.items():
        for figure, runs in of_point.items():
            known = {seed: one.value for seed, one in runs.items() if one.value is not None}
            if len(known) == len(runs):
                values.setdefault(point, {})[figure] = known


def mobile_values(summary: Mapping[str, Any], measure: str) -> list[float]:
    """Of those that have one; a goodput of 0 is that of a mobile which offered no load,
    or starved: not of the first."""
    offered = traffic.mobiles(summary, "octets")
    rows = [row for row in summary["mobiles"] if measure != "goodput_bps" or row["mobile"] in offered or not offered]
    found = (files.number(row, *measure.split(".")) for row in rows)
    return [value for value in found if value is not None]


def read_settled(folder: pathlib.Path) -> float | None:
    path = files.plain_or_packed(folder / SETTLED)
    found = files.read_json(path)
    value = found.get("settled_s", "") if isinstance(found, dict) else ""
    if value is not None and not isinstance(value, (int, float)):
        raise Failure(f"{path}: has no settled_s, a number or null")
    return value


def collect(study: Study, runs: Sequence[Run]) -> Results:
    values: dict[Point, Values] = {}
    of_mobiles: dict[Point, dict[str, list[float]]] = {}
    spread_out: dict[Point, dict[int, distributions.Distributions]] = {}
    settled: dict[Point, dict[int, float | None]] = {}
    names: dict[str, None] = {}
    commits: set[str] = set()
    times: dict[Point, dict[str, dict[int, PageTime]]] = {}
    warmup_s = 0.0
    for run in runs:
        summary = files.read_summary(run.folder / SUMMARY)
        warmup_s = max(warmup_s, summary.get("warmup_s") or 0.0)
        found, of_pages = kept(summary, study.figures)
        names.update(dict.fromkeys(name for name in compare.figures_of(summary) if name in found or name in of_pages))
        values.setdefault(run.case, {})
        for name, value in found.items():
            values[run.case].setdefault(name, {})[run.seed] = value
        for name, one in of_pages.items():
            times.setdefault(run.case, {}).setdefault(name, {})[run.seed] = one
        for measure in OF_MOBILES:
            of_mobiles.setdefault(run.case, {}).setdefault(measure, []).extend(mobile_values(summary, measure))
        spread_out.setdefault(run.case, {})[run.seed] = distributions.read(run.folder)
        settled.setdefault(run.case, {})[run.seed] = read_settled(run.folder)
        commits.add(str(files.read_json(run.folder / PROVENANCE).get("commit") or "unknown"))
    whole_times(values, times)
    for pattern in study.figures:
        if not fnmatch.filter(names, pattern):
            raise no_figure(pattern, list(compare.figures_of(files.read_summary(runs[0].folder / SUMMARY))))
    return Results(study, list(names), values, of_mobiles, spread_out, settled, warmup_s, sorted(commits), times)


def results_at(folder: pathlib.Path, given: Mapping[str, Any]) -> Results:
    """Of a study that was run, as sweep.json has it."""
    try:
        study = study_of(given)
        kind = kind_of(study)
    except (KeyError, TypeError, AttributeError) as error:
        raise Failure(f"{folder / SWEEP}: a study without {error}") from error
    return collect(study, [Run(kind, point, seed, folder_of(folder, kind, point, seed), [], {})
                           for seed in range(1, study.seeds + 1) for point in kind.cases])


def mean_of(values: Sequence[float]) -> Mean:
    low, high = difference.interval_of_amount(values) or (None, None)
    return Mean(len(values), mean(values), low, high, min(values), max(values))


def means(results: Results) -> list[tuple[Point, str, Mean | None]]:
    """None: a page time that a run does not reach."""
    return [(point, figure, mean_of(list(of_point[figure].values())) if figure in of_point else None)
            for point, of_point in results.values.items()
            for figure in results.figures if figure in of_point or results.times(point, figure)]


def baseline_of(point: Point, results: Results) -> Point | None:
    """The point with the same labels but those of the baseline; None for a baseline itself, or without one."""
    labels = {**point.labels, **results.study.baseline}
    if not results.study.baseline or labels == point.labels:
        return None
    return next((other for other in results.values if other.labels == labels), None)


def row_between(results: Results, figure: str, pairs: Sequence[tuple[Point, Point]]) -> dict[str, Any] | None:
    """Baseline and other point of each pair: of each seed the means of those pairs that both have. None: none has."""
    found: dict[int, list[tuple[float, float]]] = {}
    lacks = any(results.lacks(point, figure) for pair in pairs for point in pair)
    for pair in pairs if not lacks else ():
        a, b = (results.values[point].get(figure, {}) for point in pair)
        for seed in a.keys() & b.keys():
            found.setdefault(seed, []).append((a[seed], b[seed]))
    sides = [{seed: mean(pair[side] for pair in found[seed]) for seed in sorted(found)} for side in (0, 1)]
    times = times_between(results, figure, pairs)
    if not found and not times:
        return None
    return compare.row_of(figure, spread(sides[0]), spread(sides[1]), len(found) > 1, times)


def times_between(results: Results, figure: str, pairs: Sequence[tuple[Point, Point]]) -> page_times.Compared | None:
    """Of a page time, with the runs of one seed as strata."""
    sides: tuple[dict[int, list[page_times.Pages]], dict[int, list[page_times.Pages]]] = {}, {}
    for pair in pairs:
        a, b = (results.times(point, figure) for point in pair)
        for seed in sorted(a.keys() & b.keys()):
            for side, of_pair in zip(sides, (a, b)):
                side.setdefault(seed, []).append(of_pair[seed].pages)
    return page_times.compared(*sides, True) if sides[0] else None


def compared(results: Results) -> list[dict[str, Any]]:
    """A row for each point that is not a baseline, and figure that both have; one family for Holm's correction."""
    rows = []
    for point in results.values:
        base = baseline_of(point, results)
        for figure in results.figures if base else ():
            row = row_between(results, figure, [(base, point)]) if base else None
            rows += [{"labels": point.labels, **row}] if row else []
    compare.judge(rows)
    return rows


CUT: Mapping[str | None, str] = {
    page_times.FIELD: "were unfinished at the end of their run; page times count them",
    page_times.FIRST_FIELD: "had no first object at the end of their run; its times count them"}


def told_times(results: Results) -> list[str]:
    """How many pages of each class, or of a mobile, were unfinished, and which page times their runs do not reach."""
    told: dict[tuple[str, str | None], str] = {}
    lacked: dict[str, str] = {}
    for figure in results.figures:
        runs = [one for point in results.values for one in results.times(point, figure).values()]
        cut = sum(page_times.unfinished(one.pages) for one in runs)
        lacking = sum(one.value is None for one in runs)
        owner, field_of = page_times.owner_of(figure) or "all pages", page_times.field_of(figure)
        without = sum(map(len, results.settled_s.values())) - len(runs)
        if (owner, field_of) not in told and cut:
            count = page.plural(sum(len(one.pages) for one in runs), "page")
            told[owner, field_of] = f"{owner}: {cut} of {count} {CUT[field_of]} as longer than their age."
        if runs and without and owner not in lacked:
            lacked[owner] = (f"{owner}: {page.plural(without, 'run')} began no page after the warm-up, and "
                             f"{'has' if without == 1 else 'have'} no page time.")
        if lacking:
            told[owner, field_of] += (f" {lacking} of {page.plural(len(runs), 'run')} do not reach "
                                      f"{figure.rpartition('.')[2]}: no mean of a point with such a run, and no "
                                      "percentage.")
    return [*told.values(), *lacked.values()]


def remarks(results: Results, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Sentences about what the runs can show: start-up, sample size."""
    settled = [(value, point, seed) for point, of_point in results.settled_s.items()
               for seed, value in of_point.items()]
    late = [row for row in settled if row[0] is not None and row[0] > results.warmup_s]
    never = sum(value is None for value, _, _ in settled)
    found = []
    whole = [figure for figure in results.figures if traffic.is_of_whole_run(figure)]
    if whole and results.warmup_s:
        found.append(f"Figures of pings and connections ({len(whole)}) cover the whole run, the warm-up of "
                     f"{results.warmup_s:g} s included: {whole[0]}{' and others' if len(whole) > 1 else ''}.")
    if late:
        at, point, seed = max(late, key=lambda row: row[0])
        found.append(f"{len(late)} of {page.plural(len(settled), 'run')} settle after the warm-up of "
                     f"{results.warmup_s:g} s, the last at "
                     f"{at:.0f} s ({point.name} seed {seed}): their figures contain the start-up.")
    if never:
        found.append(f"{never} of {page.plural(len(settled), 'run')} never "
                     f"{'settles, or is' if never == 1 else 'settle, or are'} too short to judge, by the rule MSER-5, "
                     "which is a heuristic: their figures may depend on the duration.")
    found += told_times(results)
    detectable = [row["detectable_percent"] for row in rows if row["detectable_percent"] is not None]
    if detectable:
        left = len(rows) - len(detectable)
        without = f" Left out: {left} equal or without a spread." if left else ""
        found.append(f"A true difference of {page.fixed(median(detectable), 1)} % is found with a chance "
                     f"of 80 % in half of the {page.plural(len(detectable), 'comparison')} of comparison.csv, by "
                     f"{page.plural(results.study.seeds, 'seed')}; the other half would need a larger one.{without}")
    return found


def spread(by_seed: Mapping[int, float]) -> compare.Spread | None:
    return compare.spread_of(list(by_seed), list(by_seed.values()))


def table(path: pathlib.Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    line = io.StringIO(newline="")
    writer, lines = csv.writer(line, lineterminator="\r\n"), []  # so a carriage return in a label is in quotes
    for row in itertools.chain([head], rows):
        writer.writerow(map(guarded, row))
        lines.append(line.getvalue().removesuffix("\r\n") + "\n")
        line.seek(line.truncate(0))
    output.write_whole(path, "".join(lines))


def runs_with(results: Results, point: Point, figure: str) -> list[tuple[int, float | None, int | None]]:
    """Seed, value and unfinished pages of each run that has a figure; no value where a page time is not reached."""
    times = results.times(point, figure)
    if times:
        return [(seed, one.value, page_times.unfinished(one.pages)) for seed, one in times.items()]
    return [(seed, value, None) for seed, value in results.values.get(point, {}).get(figure, {}).items()]


def unfinished(results: Results, point: Point, figure: str) -> int | None:
    """Pages of all runs of a point; None of what is no page time."""
    times = results.times(point, figure)
    return sum(page_times.unfinished(one.pages) for one in times.values()) if times else None


def cells(*values: object) -> list[object]:
    return ["" if value is None else value for value in values]


def write_values(results: Results, path: pathlib.Path) -> None:
    axes = [axis.name for axis in results.study.axes]
    rows = ([f"{point.name}-seed{seed}", *point.labels.values(), seed, figure, *cells(value, count)]
            for point in results.values for figure in results.figures
            for seed, value, count in runs_with(results, point, figure))
    table(path, ["run", *axes, "seed", "figure", "value", "unfinished"], rows)


def write_means(results: Results, path: pathlib.Path) -> None:
    rows = ([*point.labels.values(), figure, found.runs if found else len(results.times(point, figure)),
             *cells(*(value if value is None else rounded(value) for value in
                      ((found.mean, found.low, found.high, found.least, found.most) if found else [None] * 5)),
                    unfinished(results, point, figure))]
            for point, figure, found in means(results))
    table(path, [*(axis.name for axis in results.study.axes),
                 "figure", "runs", "mean", "low", "high", "min", "max", "unfinished"],
          rows)


def write_compared(results: Results, rows: Sequence[Mapping[str, Any]], path: pathlib.Path) -> None:
    head = [*(axis.name for axis in results.study.axes), "figure", "baseline", "mean", "difference_percent",
            "low_percent",
            "high_percent", "p", "p_family", "detectable_percent", "verdict", "baseline_unfinished", "unfinished"]
    lines = (cells(*row["labels"].values(), row["figure"], row["a"]["mean"], row["b"]["mean"],
                   row["difference_percent"], *(row["interval_percent"] or (None, None)), row["p"], row["p_family"],
                   row["detectable_percent"], row["verdict"],
                   row["a"].get("unfinished"), row["b"].get("unfinished")) for row in rows)
    table(path, head, lines)


PARQUET = """import sys
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet
source, target, guarded = sys.argv[1:4]
table = pyarrow.csv.read_csv(source, convert_options=pyarrow.csv.ConvertOptions(
    column_types={name: pyarrow.string() for name in sys.argv[4:]}))
for name in sys.argv[4:]:
    text = pyarrow.compute.replace_substring_regex(table.column(name), pattern=guarded, replacement=r"\\1")
    table = table.set_column(table.column_names.index(name), name, text)
pyarrow.parquet.write_table(table, target)
"""


def write_parquet(python: pathlib.Path, source: pathlib.Path, target: pathlib.Path, axes: Sequence[str]) -> str | None:
    """By an interpreter that has pyarrow; labels stay text. None, or the last line of what went wrong."""
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    done = subprocess.run([python, "-I", "-c", PARQUET, source, part, GUARDED.pattern, "run", "figure", *axes],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0:
        part.replace(target)
        return None
    part.unlink(missing_ok=True)
    return (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
