# SPDX-License-Identifier: BSD-3-Clause
"""The interval of a figure over runs; its difference between two sets of runs: Student's t test, and Holm's correction.

Where both sets have the same seeds the test is paired: a seed that starts a busy period in A starts it in B, too, and
what the seed does alone cancels. Elsewhere it is Welch's test, which wants no equal variances. Both judge means.

A difference in percent is one of a ratio. Of figures that are never negative its interval is symmetric about the
ratio's logarithm, so that no end is below -100 %. Two tests then have to show a difference: that of the means, and
that of the logarithm with its error by the delta method. The interval is the wider one of both, and excludes 0 where
both do.
"""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, inf, log, sqrt
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
    """Mean of B less mean of A, in the figure's unit or in percent of the mean of A.

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
    """Of at least two values on each side. Paired: a[i] and b[i] are of the same seed; pairs without spread need
    none."""
    return of_estimate(mean(b) - mean(a), *error_of(a, b, are_paired))


def error_of(a: Sequence[float], b: Sequence[float], are_paired: bool) -> tuple[float, float]:
    """Standard error of the difference of the means, and its degrees of freedom."""
    steps = [other - one for one, other in zip(a, b, strict=True)] if are_paired else []
    if are_paired and (variance(steps) or not variance(a)):
        return sqrt(variance(steps) / len(steps)), len(steps) - 1
    shares = variance(a) / len(a), variance(b) / len(b)
    squares = shares[0] ** 2 / (len(a) - 1) + shares[1] ** 2 / (len(b) - 1)
    return sqrt(sum(shares)), sum(shares) ** 2 / squares if squares else min(len(a), len(b)) - 1


def in_percent(a: Sequence[float], b: Sequence[float], are_paired: bool) -> Difference:
    """As of_values(), in percent of the mean of A, which is not 0. A mean of B of 0 has no logarithm, and no
    interval."""
    base, other = mean(a), mean(b)
    found = of_values(a, b, are_paired)
    percent = 100 / abs(base)
    detectable = None if found.detectable is None else percent * found.detectable
    if found.low is None or found.high is None or min(*a, *b) >= 0 and not other:
        return Difference(percent * found.mean, None, None, found.p, detectable)
    if min(*a, *b) < 0:
        return Difference(percent * found.mean, percent * found.low, percent * found.high, found.p, detectable)
    ratio = log(other / base)
    by_log = of_estimate(ratio, *error_of([value / base for value in a], [value / other for value in b], are_paired))
    # The interval of the means, of 2 halves, is on the scale of logarithms divided by their logarithmic mean: it
    # excludes 0 as before.
    half = (found.high - found.low) / 2 / (base if abs(ratio) < 1e-6 else (other - base) / ratio)
    half = max(half, by_log.high - ratio if by_log.high is not None else 0.0)
    return Difference(percent * found.mean, 100 * expm1(ratio - half), 100 * expm1(ratio + half),
                      max(found.p, by_log.p), detectable)


def interval_of_mean(values: Sequence[float]) -> tuple[float, float] | None:
    """Of 95 %, Student's t; of no width where the seeds change nothing, None of a single value."""
    if len(values) < 2:
        return None
    found = of_estimate(mean(values), sqrt(variance(values) / len(values)), len(values) - 1)
    return (found.mean, found.mean) if found.low is None or found.high is None else (found.low, found.high)


def interval_of_amount(values: Sequence[float]) -> tuple[float, float] | None:
    """As interval_of_mean(), of what is never negative: of the mean's logarithm, so that no end is below 0."""
    middle = mean(values)
    if len(values) < 2 or min(values) < 0 or not middle:
        return interval_of_mean(values)
    found = of_estimate(0.0, sqrt(variance(values) / len(values)) / middle, len(values) - 1)
    if found.low is None or found.high is None:
        return middle, middle
    return middle * exp(found.low), middle * exp(found.high)


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
