# SPDX-License-Identifier: BSD-3-Clause
"""The interval of a figure over runs; its difference between two sets of runs: Student's t test, and Holm's correction.

Where both sets have the same seeds the test is paired: a seed that starts a busy period in A starts it in B, too, and
what the seed does alone cancels. Elsewhere it is Welch's test, which wants no equal variances. Both judge means.

Besides, the distribution of times that the end of a run may cut off.
"""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf, sqrt
from statistics import mean, variance

from gbflow_results import Failure

LEVEL = 0.05  # of a test, and of the family of tests after Holm's correction
POWER = 0.8  # chance to show a difference of `detectable`
# Runs from which a figure that no seed changes counts as such: of fewer runs, equal counts are chance.
CONSTANT_RUNS = 5


def must_have_library(seeds: int) -> None:
    """Failure where several seeds want scipy and it is missing, said before the runs."""
    if seeds > 1 and importlib.util.find_spec("scipy") is None:
        raise Failure("scipy is missing; the Debian package is python3-scipy")


@dataclass(frozen=True)
class Difference:
    """Mean of B less mean of A, in the figure's unit.

    low, high: its interval of 95 %, None where the runs have no spread
    p: chance of so large a difference, or a larger one, between equal populations
    detectable: the difference that a test of as many runs shows with a chance of 80 %, None without a spread
    """

    mean: float
    low: float | None
    high: float | None
    p: float
    detectable: float | None


def of_values(a: Sequence[float], b: Sequence[float], are_paired: bool) -> Difference:
    """Of at least two values on each side. Paired: a[i] and b[i] are of the same seed; pairs without spread need none."""
    steps = [other - one for one, other in zip(a, b, strict=True)] if are_paired else []
    if are_paired and (variance(steps) or not variance(a)):
        return of_estimate(mean(steps), sqrt(variance(steps) / len(steps)), len(steps) - 1)
    shares = variance(a) / len(a), variance(b) / len(b)
    squares = shares[0] ** 2 / (len(a) - 1) + shares[1] ** 2 / (len(b) - 1)
    freedom = sum(shares) ** 2 / squares if squares else min(len(a), len(b)) - 1
    return of_estimate(mean(b) - mean(a), sqrt(sum(shares)), freedom)


def interval_of_mean(values: Sequence[float]) -> tuple[float, float] | None:
    """Of 95 %, Student's t; of no width where the seeds change nothing, None of a single value."""
    if len(values) < 2:
        return None
    found = of_estimate(mean(values), sqrt(variance(values) / len(values)), len(values) - 1)
    return (found.mean, found.mean) if found.low is None or found.high is None else (found.low, found.high)


def of_estimate(estimate: float, error: float, freedom: float) -> Difference:
    """error: standard error of the estimate, with so many degrees of freedom."""
    try:
        from scipy.special import stdtr, stdtrit  # pylint: disable=import-outside-toplevel,no-name-in-module
    except ImportError as missing:
        raise Failure(f"scipy is missing ({missing}); the Debian package is python3-scipy") from missing
    if error <= abs(estimate) * 1e-12:  # the same in each run but for the last digits
        return Difference(estimate, None, None, without_spread(estimate, freedom), None)
    half = float(stdtrit(freedom, 1 - LEVEL / 2)) * error
    p = 2 * float(stdtr(freedom, -abs(estimate) / error))
    return Difference(estimate, estimate - half, estimate + half, p, half + float(stdtrit(freedom, POWER)) * error)


def without_spread(estimate: float, freedom: float) -> float:
    """What no seed changes needs no test, if there are runs enough to say so; else p of the exact sign test."""
    if not estimate:
        return 1.0
    return 0.0 if freedom >= CONSTANT_RUNS - 1 else 2.0 ** -freedom


def holm(chances: Sequence[float]) -> list[float]:
    """Each p as corrected by Holm: the chance of even one false finding in the family stays below the level."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    corrected, largest = [0.0] * len(chances), -inf
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, chances[index] * (len(chances) - rank)))
        corrected[index] = largest
    return corrected


def rounded(value: float) -> float:
    """Six digits are more than any band has, and the same on every machine."""
    return float(f"{value:.6g}")


def kaplan_meier(pages: Sequence[tuple[float, bool]]) -> list[tuple[float, float]]:
    """Page times and their shares of all pages, from times and whether each page was finished then. The share of an unfinished
    page goes to the longer ones; the longest counts as finished (Kaplan and Meier 1958, Efron 1967)."""
    left, shares = 1.0, []
    for index, (time_s, is_finished) in enumerate(sorted(pages, key=lambda page: (page[0], not page[1]))):
        if is_finished or index == len(pages) - 1:
            share = left / (len(pages) - index)
            shares.append((time_s, share))
            left -= share
    return shares


def quantile(shares: Sequence[tuple[float, float]], of: float) -> float | None:
    """Smallest page time that a share of the pages does not exceed."""
    sums = accumulate(share for _, share in shares)
    return next((time_s for (time_s, _), total in zip(shares, sums) if total >= of - 1e-9), None)
