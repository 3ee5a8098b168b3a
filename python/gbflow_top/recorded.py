# SPDX-License-Identifier: BSD-3-Clause
"""A recorded run: a folder that `gbflow run` wrote, at any instant of the run: summary.json and series.csv."""

import math
import os
import pathlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence

from gbflow_results import Failure, Unusable
from gbflow_top.node import total
from gbflow_top.source import Figure, Opened, Snapshot, Span
from gbflow_top.tables import Column, Row, View
from gbflow_top.text import Value, percent, short

SECOND_S = 1.0
DURATION_MOST_S = 1e12  # of a summary that one believes

SOJOURN = (Column("delay_p50_ms", "p50 ms", 6), Column("delay_p95_ms", "p95 ms", 6))
REASONS = Column("reasons", "reasons", 8, is_text=True)
MOBILES = View("mobiles", (Column("mobile", "mobile", 12, is_text=True), Column("class", "class", 10, is_text=True),
                           Column("sgsn_octets", "sgsn", 6), Column("bss_octets", "bss", 6),
                           Column("level_octets", "level", 6), Column("goodput_bps", "goodput", 7),
                           Column("delivered_s", "pkt/s", 5),
                           *SOJOURN, Column("dropped_s", "drop/s", 6), REASONS, Column("dropped", "dropped", 7)),
               ("mobile",), "sgsn_octets",
               plots=(("sgsn_octets", "queue in the SGSN, octets", ""), ("level_octets", "bucket level, octets", ""),
                      ("delay_p95_ms", "delay p95, milliseconds", ""), ("bss_octets", "queue in the BSS, octets", "")),
               what="mobiles, the longest queue first")
CELLS = View("cells", (Column("bvci", "bvci"), Column("level_octets", "level", 6), Column("air", "air", 5, percent),
                       Column("air_all", "mean air", 8, percent),
                       Column("queue_max", "longest queue", 13), Column("preemptions", "preempted", 9)),
             ("bvci",), "bvci", is_descending=False,
             plots=(("level_octets", "bucket level, octets", ""), ("air", "downlink radio blocks used, share", "")),
             what="cells (BVCs)")
CLASSES = View("classes", (Column("class", "class", 14, is_text=True), Column("mobiles", "mobiles", 7),
                           Column("sgsn_octets", "sgsn", 6), Column("bss_octets", "bss", 6),
                           Column("goodput_bps", "goodput", 7),
                           Column("delivered_s", "pkt/s", 5), *SOJOURN, Column("dropped_s", "drop/s", 6), REASONS),
               ("class",), "goodput_bps", plots=(("sgsn_octets", "queue in the SGSN, octets", ""),
                                                 ("delay_p95_ms", "delay p95, milliseconds", ""),
                                                 ("goodput_bps", "goodput, bit/s", "")),
               what="traffic classes")
DROPS = View("drops", (Column("reason", "reason", 20, is_text=True),
                       Column("dropped_s", "per s", 6), Column("dropped", "since start", 11)), ("reason",),
             "dropped", plots=(("dropped_s", "N-PDUs dropped a second", ""),), what="N-PDUs dropped, by reason")
# Samples: column, name in series.csv, what stands before the mobile's or the cell's name in `of`.
MOBILE_SAMPLES = (("sgsn_octets", "sgsn_backlog_octets", ""), ("bss_octets", "bss_backlog_octets", ""),
                  ("goodput_bps", "goodput_bps", ""), ("level_octets", "bucket_level_octets", "ms "))
CELL_SAMPLES = (("air", "air_utilisation", ""), ("level_octets", "bucket_level_octets", "bvc "))
FIGURES = (("goodput", "goodput_bps"), ("in SGSN", "sgsn_backlog_octets"), ("in BSS", "bss_backlog_octets"),
           ("air", "air_utilisation"))
SUMS = ("sgsn_octets", "bss_octets", "goodput_bps", "delivered_s", "dropped_s", "dropped")


class Curves:
    """Of one name in series.csv, by `of`: times and values, in the order of time."""

    def __init__(self, curves: Mapping[str, object]):
        self.of = {of: (curve.time_s.tolist(), curve.value.tolist())  # type: ignore[attr-defined]
                   for of, curve in curves.items()}

    def value_at(self, of: str, at_s: float, index: int) -> Value:
        """The latest sample; index: its likely place."""
        times, values = self.of.get(of, ((), ()))
        if index < len(times) and times[index] <= at_s and (index + 1 == len(times) or times[index + 1] > at_s):
            return values[index]
        place = bisect_right(times, at_s)
        return values[place - 1] if place else None

    def last_second(self, of: str, at_s: float) -> Sequence[float]:
        """The values of events in the second that ends now."""
        times, values = self.of.get(of, ((), ()))
        return values[bisect_right(times, at_s - SECOND_S):bisect_right(times, at_s)]

    def count(self, of: str, at_s: float) -> int:
        return bisect_right(self.of.get(of, ((), ()))[0], at_s)


def quantile(values: Sequence[float], percent_: int) -> Value:
    """By nearest rank: the smallest value such that so many percent of all are not above it."""
    ranked = sorted(values)
    return ranked[(percent_ * len(ranked) + 99) // 100 - 1] if ranked else None


def with_delays(row: dict[str, Value], delays: Sequence[float]) -> dict[str, Value]:
    for name, percent_ in (("delay_p50_ms", 50), ("delay_p95_ms", 95)):
        found = quantile(delays, percent_)
        row[name] = 1000 * found if isinstance(found, float) else None
    row["delivered_s"] = len(delays)
    return row


def with_drops(row: dict[str, Value], drops: Mapping[str, tuple[int, int]]) -> dict[str, Value]:
    """drops: by reason, in the last second and since the start."""
    row["dropped_s"], row["dropped"] = sum(last for last, _ in drops.values()), sum(all_ for _, all_ in drops.values())
    row["reasons"] = ", ".join(f"{reason} {last}"
                               for reason, (last, _) in sorted(drops.items(), key=lambda item: -item[1][0]) if last)
    return row


class Recorded:
    """The run of a folder, at the instant `at_s`."""

    views = (CELLS, MOBILES, CLASSES, DROPS)
    overview = (("classes", 4), ("cells", 4), ("mobiles", 1000))
    needs_two = False

    def __init__(self, folder: pathlib.Path):
        summary, series = load(folder)
        self.folder, self.summary = folder, summary
        self.names = [(str(row.get("mobile")), str(row.get("class"))) for row in summary["mobiles"]]
        self.curves = {name: Curves(curves) for name, curves in series.curves.items()}  # type: ignore[attr-defined]
        self.times = sample_times(self.curves)
        self.reasons = self.reasons_of_mobiles()
        self.sums = {label: self.summed(name) for label, name in FIGURES}
        self.notes = notes_of(self.times if self.curves else [0.0, 0.0], summary.get("duration_s"))
        self.index = 0
        self.kept: dict[tuple[str, int], Sequence[Row]] = {}

    def close(self) -> None:
        self.kept.clear()

    @property
    def at_s(self) -> float:
        return self.times[self.index]

    @property
    def span(self) -> Span:
        return Span(self.times[0], self.times[-1], self.at_s)

    def move(self, samples: int) -> bool:
        was = self.index
        self.index = min(max(self.index + samples, 0), len(self.times) - 1)
        return self.index != was

    def go(self, at_s: float) -> None:
        """To the last sample that is not later."""
        self.index = max(bisect_right(self.times, at_s) - 1, 0)

    def summed(self, name: str) -> list[float]:
        """A sample's values of all mobiles or cells, at each instant; none where they are not of the same instants."""
        columns = [values for times, values in self.curves.get(name, Curves({})).of.values()
                   if len(times) == len(self.times)]
        return [sum(values) for values in zip(*columns)]

    def past(self, label: str) -> list[Value]:
        return list(self.sums.get(label, ())[max(self.index - 599, 0):self.index + 1])

    def reasons_of_mobiles(self) -> dict[str, list[str]]:
        """npdu_drop has "MOBILE REASON"."""
        found: dict[str, list[str]] = {}
        for of in self.curves.get("npdu_drop", Curves({})).of:
            mobile, _, reason = of.rpartition(" ")
            found.setdefault(mobile, []).append(reason)
        return found

    def sampled(self, samples: Sequence[tuple[str, str, str]], of: str, index: int) -> dict[str, Value]:
        at_s = self.times[index]
        return {column: self.curves[name].value_at(before + of, at_s, index) if name in self.curves else None
                for column, name, before in samples}

    def mobile(self, name: str, class_name: str, index: int) -> dict[str, Value]:
        at_s = self.times[index]
        row = {"mobile": name, "class": class_name, **self.sampled(MOBILE_SAMPLES, name, index)}
        with_delays(row, self.delays(name, class_name, at_s))
        return with_drops(row, self.drops(name, at_s))

    def delays(self, name: str, class_name: str, at_s: float) -> Sequence[float]:
        return self.curves["delay_s"].last_second(f"{name} {class_name}", at_s) if "delay_s" in self.curves else ()

    def drops(self, mobile: str, at_s: float) -> dict[str, tuple[int, int]]:
        return {reason: (len(self.curves["npdu_drop"].last_second(f"{mobile} {reason}", at_s)),
                         self.curves["npdu_drop"].count(f"{mobile} {reason}", at_s))
                for reason in self.reasons.get(mobile, ())}

    def cell(self, bvci: str, index: int) -> dict[str, Value]:
        of_run = self.summary["cells"][bvci]
        calls = of_run.get("calls")
        return {"bvci": bvci, **self.sampled(CELL_SAMPLES, bvci, index), "air_all": of_run.get("air_utilisation"),
                "queue_max": of_run.get("bss_queue_octets_max"),
                "preemptions": calls.get("preemptions") if isinstance(calls, dict) else None}

    def rows(self, view: str, index: int) -> Sequence[Row]:
        """A table at a sample. The latest tables are kept: curves ask for the same again."""
        if (view, index) not in self.kept:
            made = {"mobiles": self.mobile_rows, "cells": self.cell_rows, "classes": self.class_rows,
                    "drops": self.drop_rows}[view](index)
            self.kept[view, index] = made
            if len(self.kept) > 32:
                del self.kept[next(iter(self.kept))]
        return self.kept[view, index]

    def mobile_rows(self, index: int) -> list[Row]:
        return [self.mobile(name, class_name, index) for name, class_name in self.names]

    def cell_rows(self, index: int) -> list[Row]:
        return [self.cell(bvci, index) for bvci in self.summary["cells"]]

    def class_rows(self, index: int) -> list[Row]:
        return [self.class_row(name, index, self.rows("mobiles", index)) for name in self.summary["classes"]]

    def class_row(self, name: str, index: int, mobiles: Sequence[Row]) -> Row:
        of_class = [row for row in mobiles if row["class"] == name]
        delays = [delay for row in of_class for delay in self.delays(str(row["mobile"]), name, self.times[index])]
        row: dict[str, Value] = {"class": name, "mobiles": len(of_class),
                                 **{column: total(of_class, column) for column in SUMS}}
        row["reasons"] = ", ".join(f"{reason} {last}"
                                   for reason, last, _ in self.dropped([str(row["mobile"]) for row in of_class], index)
                                   if last)
        return with_delays(row, delays)

    def dropped(self, mobiles: Sequence[str], index: int) -> list[tuple[str, int, int]]:
        """Reason, N-PDUs in the last second and since the start, the most frequent first."""
        last: Counter[str] = Counter()
        since: Counter[str] = Counter()
        for mobile in mobiles:
            for reason, (now, all_) in self.drops(mobile, self.times[index]).items():
                last[reason] += now
                since[reason] += all_
        return [(reason, last[reason], count) for reason, count in since.most_common()]

    def drop_rows(self, index: int) -> list[Row]:
        return [{"reason": reason, "dropped_s": last, "dropped": since}
                for reason, last, since in self.dropped([name for name, _ in self.names], index)]

    def read(self, opened: Opened | None) -> Snapshot:
        mobiles = self.rows("mobiles", self.index)
        tables = {view.name: self.rows(view.name, self.index) for view in self.views}
        title = [*self.notes,
                 f"run {self.folder}", str(self.summary.get("title") or self.summary.get("scenario") or ""),
                 f"seed {self.summary.get('seed')}", f"{len(mobiles)} mobiles"]
        return Snapshot(title, figures_of(mobiles, tables["cells"], tables["drops"]), tables)

    def curve(self, opened: Opened, name: str) -> list[Value]:
        """One value for each sample up to now."""
        return [self.value(opened, name, index) for index in range(max(self.index - 599, 0), self.index + 1)]

    def value(self, opened: Opened, name: str, index: int) -> Value:
        key = opened.key
        if opened.view == "mobiles":
            return self.mobile(str(key[0]), dict(self.names).get(str(key[0]), ""), index).get(name)
        if opened.view == "cells":
            return self.cell(str(key[0]), index).get(name)
        view = next(view for view in self.views if view.name == opened.view)
        return next((row.get(name) for row in self.rows(opened.view, index) if view.key_of(row) == key), None)


def load(folder: pathlib.Path) -> tuple[dict, object]:
    """Both files. NumPy, which reads series, is needed for nothing else."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing here is worth its threads
    try:
        from gbflow_results import files  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise Failure(f"a recorded run needs NumPy ({error}); the Debian package is python3-numpy") from error
    if not files.plain_or_packed(folder / "summary.json").is_file():
        kind = Failure if folder.exists() else Unusable
        raise kind(f"{folder}: no summary.json; name a folder that gbflow run wrote, or give --prefix for a live node")
    summary = files.read_summary(folder / "summary.json")
    if not files.plain_or_packed(folder / "series.csv").is_file():
        raise Failure(f"{folder}: no series.csv or series.csv.gz; gbflow run writes it without --no-series, a study "
                      "keeps it with series = true")
    return summary, files.read_series(folder / "series.csv")


def sample_times(curves: Mapping[str, Curves]) -> list[float]:
    """The instants of samples; in a file without samples those of all events."""
    names = [name for _, name, _ in (*MOBILE_SAMPLES, *CELL_SAMPLES) if name in curves] or list(curves)
    longest = max((times for name in names for times, _ in curves[name].of.values()), key=len, default=[])
    return sorted(set(longest)) or [0.0]


def notes_of(times: Sequence[float], duration_s: object) -> list[str]:
    """That the series end more than a sample before the run does: a file that was cut off, or a run that was ended."""
    step_s = max((after - before for before, after in zip(times, times[1:])), default=math.inf)
    if not isinstance(duration_s, (int, float)) or not times[-1] + step_s < duration_s < DURATION_MOST_S:
        return []
    return [f"series.csv ends at {times[-1]:.12g} s of {duration_s:.12g} s"]


def figures_of(mobiles: Sequence[Row], cells: Sequence[Row], drops: Sequence[Row]) -> list[Figure]:
    sgsn, bss, goodput = (total(mobiles, name) for name in ("sgsn_octets", "bss_octets", "goodput_bps"))
    lost = total(drops, "dropped_s")
    air = [value for row in cells if isinstance(value := row.get("air"), (int, float))]
    use = sum(air) / len(air) if air else None
    reasons = ", ".join(f"{row['reason']} {row['dropped_s']}" for row in drops if row["dropped_s"])
    return [Figure("goodput", f"{short(goodput)}bit/s", goodput),
            Figure("dropped", f"{short(lost)} N-PDU/s  {reasons}", lost),
            Figure("in SGSN", f"{short(sgsn)} octets", sgsn), Figure("in BSS", f"{short(bss)} octets", bss),
            Figure("air", f"{percent(use)} of radio blocks", use)]


