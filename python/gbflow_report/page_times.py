# SPDX-License-Identifier: BSD-3-Clause
"""Page times of which the end of a run cuts some off: a page that is unfinished then takes longer than its age, no
more is known.

Quantiles: the estimator of Kaplan and Meier (1958), by which the share of an unfinished page goes to the longer ones.
The program prints those of each class and mobile itself (app/run/page_times.h); here they are for other pages. A
quantile that the pages do not reach has no value, and no mean has one: only a mean restricted to a time.

Differences: the log-rank test (Mantel 1966), which needs no quantile. Runs of the same seed are a stratum. Pages of
one run depend on each other, so that the standard error is the larger one of two: that of the test, and that of the
sums of runs between each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from math import sqrt
from statistics import mean, variance
from typing import Any

from gbflow_report import difference
from gbflow_results import Failure

FIELD, FIRST_FIELD = "page_time_s", "first_object_s"
KEYS = {FIELD: "time_s", FIRST_FIELD: "first_s"}  # of rows of `pages`, by the field of a class or mobile
ROUNDING = 1e-9

Pages = Sequence[tuple[float, bool]]  # time or age, and whether the page was finished


def aged(summary: Mapping[str, Any], rows: Iterable[Mapping[str, Any]],
         key: str = "time_s") -> list[tuple[float, bool]]:
    """Of rows of `pages` begun after the warm-up: the time, or the age of a page that has none."""
    listed = list(rows)
    for name in ("duration_s", "warmup_s"):
        if listed and not isinstance(summary.get(name), (int, float)):
            raise Failure(f"summary.json: {name} is no number; the ages of pages need it")
    return [(summary["duration_s"] - row["start_s"], False) if row[key] is None else (row[key], True)
            for row in listed if row["start_s"] >= summary["warmup_s"]]


def of_mobiles(summary: Mapping[str, Any], names: Iterable[str], key: str = "time_s") -> list[tuple[float, bool]]:
    wanted = set(names)
    return aged(summary, (row for row in summary["pages"] if row["mobile"] in wanted), key)


def of_class(summary: Mapping[str, Any], name: str, key: str = "time_s") -> list[tuple[float, bool]]:
    return of_mobiles(summary, (row["mobile"] for row in summary["mobiles"] if row["class"] == name), key)


def field_of(figure: str) -> str | None:
    """The field of a page time, or of a time to a page's first object: classes.CLASS.page_time_s.p50,
    mobiles.NAME.page_time_s.p95, page_time_s.p50, classes.CLASS.first_object_s.p95. None: it is neither."""
    *above, last = figure.split(".")
    is_time = bool(above) and above[-1] in KEYS and last.startswith("p") and last[1:].isdigit()
    return above[-1] if is_time else None


def owner_of(figure: str) -> str:
    """What a page time is of: "classes.thp2"; nothing of those of all pages."""
    return ".".join(figure.split(".")[:-2])


def of_figure(summary: Mapping[str, Any], figure: str) -> list[tuple[float, bool]] | None:
    """The pages that a figure is of; None where it is no page time, or a summary has no rows of pages."""
    field = field_of(figure)
    key = KEYS.get(field or "")
    if not key or not all("start_s" in row and key in row for row in summary.get("pages", ())):
        return None
    where, name = (figure.split(".") + [""])[:2]
    if where == "classes":
        return of_class(summary, name, key)
    return of_mobiles(summary, [name], key) if where == "mobiles" else aged(summary, summary.get("pages", ()), key)


def unfinished(pages: Pages) -> int:
    return sum(not is_finished for _, is_finished in pages)


def kaplan_meier(pages: Pages) -> list[tuple[float, float]]:
    """Times of finished pages and their shares of all pages; what the shares lack of 1 takes longer than the last
    finished page."""
    left, shares = 1.0, []
    for index, (time_s, is_finished) in enumerate(sorted(pages, key=lambda page: (page[0], not page[1]))):
        if is_finished:
            share = left / (len(pages) - index)
            shares.append((time_s, share))
            left -= share
    return shares


def distribution(pages: Pages) -> tuple[list[float], list[float]]:
    """Times from 0 to the longest page or age, and the share of the pages at or below each; flat at the end where all
    that is left is unfinished."""
    shares = kaplan_meier(pages)
    sums = [0.0, *accumulate(share for _, share in shares)]
    return [0.0, *(time_s for time_s, _ in shares), max(time_s for time_s, _ in pages)], [*sums, sums[-1]]


def quantile(shares: Sequence[tuple[float, float]], of: float) -> float | None:
    """Smallest page time that a share of the pages does not exceed; None: the pages do not reach it."""
    sums = accumulate(share for _, share in shares)
    return next((time_s for (time_s, _), total in zip(shares, sums) if total >= of - ROUNDING), None)


def restricted_mean(pages: Pages) -> float | None:
    """Mean of the page time, where what takes longer than the longest page or age that was seen counts as that."""
    if not pages:
        return None
    shares = kaplan_meier(pages)
    rest = max(0.0, 1.0 - sum(share for _, share in shares))
    return sum(time_s * share for time_s, share in shares) + rest * max(time_s for time_s, _ in pages)


# --- differences ---

@dataclass(frozen=True)
class Scores:
    """Of runs that are judged together: of each run the pages that were finished less those that would be if all runs
    had one law, and the variance of that sum of the first runs."""

    sums: Sequence[float]
    variance: float


def scores(runs: Sequence[Pages], first: int) -> Scores:
    """first: how many runs are of one side, the others being of the other one."""
    pages = sorted((time_s, not is_finished, run) for run, of_run in enumerate(runs) for time_s, is_finished in of_run)
    left = [len(of_run) for of_run in runs]
    sums, spread = [0.0] * len(runs), 0.0
    for _, group in groupby(pages, key=lambda page: page[0]):
        ended = list(group)
        finished = [run for _, is_unfinished, run in ended if not is_unfinished]
        risk, of_first = sum(left), sum(left[:first])
        for run, count in enumerate(left):
            sums[run] += finished.count(run) - len(finished) * count / risk
        if risk > 1:
            spread += len(finished) * of_first * (risk - of_first) * (risk - len(finished)) / (risk ** 2 * (risk - 1))
        for _, _, run in ended:
            left[run] -= 1
    return Scores(sums, spread)


@dataclass(frozen=True)
class Verdict:
    """p: chance of so large a difference, or a larger one, between equal laws; is_longer: of the pages of B."""

    p: float
    is_longer: bool


def of_pairs(seeds: Sequence[Sequence[tuple[Pages, Pages]]]) -> Verdict | None:
    """Of each seed the pages of A and B, of one scenario or of several. None without two seeds that have pages."""
    found, spread = [], 0.0
    for strata in seeds:
        of_seed = [scores(pair, 1) for pair in strata if all(pair)]
        if of_seed:
            found.append(sum(one.sums[0] for one in of_seed))
            spread += sum(one.variance for one in of_seed)
    if len(found) < 2:
        return None
    return judged(mean(found), sqrt(spread) / len(found), sqrt(variance(found) / len(found)), len(found) - 1)


def of_sides(a: Sequence[Pages], b: Sequence[Pages]) -> Verdict | None:
    """Of runs with different seeds. None without two runs with pages on each side."""
    a, b = ([pages for pages in side if pages] for side in (a, b))
    if min(len(a), len(b)) < 2:
        return None
    found = scores([*a, *b], len(a))
    sides = found.sums[:len(a)], found.sums[len(a):]
    between, freedom = difference.error_of(*sides, False)
    return judged(mean(sides[0]) - mean(sides[1]), sqrt(found.variance) * (1 / len(a) + 1 / len(b)), between, freedom)


def judged(estimate: float, of_test: float, between: float, freedom: float) -> Verdict:
    """More pages of A that were finished than expected: those of B take longer."""
    error = max(of_test, between)
    return Verdict(difference.of_estimate(estimate, error, freedom).p if error else 1.0, estimate > 0)


@dataclass(frozen=True)
class Compared:
    """Pages of two sides. verdict: None where a side has one run with pages."""

    pages: tuple[int, int]
    unfinished: tuple[int, int]
    verdict: Verdict | None


# [seed]: the pages of one scenario, or of each of several, in one order on both sides
OfSeeds = Mapping[int, Sequence[Pages]]


def compared(a: OfSeeds, b: OfSeeds, are_paired: bool) -> Compared:
    sides = [[pages for of_seed in side.values() for pages in of_seed] for side in (a, b)]
    verdict = (of_pairs([list(zip(a[seed], b[seed], strict=True)) for seed in a if seed in b]) if are_paired
               else of_sides(*sides))
    counts = [(sum(map(len, side)), sum(map(unfinished, side))) for side in sides]
    return Compared((counts[0][0], counts[1][0]), (counts[0][1], counts[1][1]), verdict)
