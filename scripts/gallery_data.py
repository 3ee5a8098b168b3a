# SPDX-License-Identifier: BSD-3-Clause
"""What the runs of a question of the gallery measured: the rows of results.csv of `gbflow sweep`,
and how a page says a figure."""

import csv
import pathlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean, median

from matplotlib.figure import Figure

from gbflow_report import difference
from gbflow_results import Failure

Values = list[float]  # one for each seed, in their order
OF_RUN = ("run", "seed", "figure", "value", "unfinished")  # columns of results.csv that are no axes


class Data:
    """Figures of all points. Values of two points are of the same seeds."""

    def __init__(self, rows: Sequence[dict[str, str]]):
        self.axes = [name for name in rows[0] if name not in OF_RUN]
        self.labels = {axis: list(dict.fromkeys(row[axis] for row in rows)) for axis in self.axes}
        self.found: dict[tuple[str, ...], Values] = {}
        for row in rows:
            if not row["value"]:
                raise Failure(f"{row['run']}: {row['figure']} is not reached: {row['unfinished']} pages are unfinished")
            self.found.setdefault((*(row[axis] for axis in self.axes), row["figure"]), []).append(float(row["value"]))

    def values_of(self, figure: str, *labels: str) -> Values:
        """labels: one for each axis, in their order."""
        return self.found[(*labels, figure)]

    def curve(self, figure: str, *labels: str) -> list[tuple[float, Values]]:
        """(number of a label of the last axis, values); labels: of the axes before it."""
        return [(float(label.split()[0]), self.values_of(figure, *labels, label))
                for label in self.labels[self.axes[-1]]]


def read(path: pathlib.Path) -> Data:
    with path.open(encoding="utf-8", newline="") as file:
        return Data(list(csv.DictReader(file)))


def each(operation: Callable[..., float], *values: Values) -> Values:
    """Seed by seed."""
    return [operation(*items) for items in zip(*values, strict=True)]


def ratio(values: Values, others: Values) -> Values:
    return each(lambda one, other: one / other, values, others)


@dataclass(frozen=True)
class Statistic:
    """What a page says of values over the seeds, in its sentences and in its plot alike: a middle and two ends."""

    words: str
    middle: Callable[[Values], float]
    ends: Callable[[Values], tuple[float, float] | None]


MEAN = Statistic("Figures are means; brackets and error bars hold their 95 % interval over the seeds.", mean,
                 difference.interval_of_amount)
MEDIAN = Statistic("Figures are medians over the seeds; brackets and error bars hold their range.", median,
                   lambda values: (min(values), max(values)))


def said(values: Values, digits: int, unit: str, of: Statistic = MEAN) -> str:
    """Middle and unit, the ends in brackets where they lie apart."""
    texts = [f"{number:.{digits}f}" for number in (of.middle(values), *(of.ends(values) or ()))]
    return f"{texts[0]} {unit}" + (f" ({texts[1]} to {texts[2]})" if len(set(texts)) > 1 else "")


@dataclass(frozen=True)
class Claim:
    """What each seed has to show."""

    words: str
    values: Values
    low: float
    high: float

    @property
    def is_met(self) -> bool:
        return all(self.low <= value <= self.high for value in self.values)


@dataclass(frozen=True)
class Question:
    """name: of config/gallery/NAME.lua and the page. answer: exactly three sentences.
    changes: keys to turn next, as --set has them, and what to look at."""

    name: str
    words: str
    claims: Callable[[Data], list[Claim]]
    answer: Callable[[Data], list[str]]
    plot: Callable[[Data], Figure]
    caption: str
    changes: Sequence[tuple[str, str]]
    statistic: Statistic = MEAN
