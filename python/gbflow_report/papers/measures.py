# SPDX-License-Identifier: BSD-3-Clause
"""Measures of papers: from the outcomes of one seed to a value, and their medians over seeds. A run may lack a value:
None in any part is None in the whole.
"""

from collections.abc import Callable, Iterable, Mapping
from statistics import median
from typing import Any

Outcomes = Mapping[Any, Any]  # of one seed, by case
BySeed = Mapping[int, Outcomes]
Value = Callable[[Any], float | None]  # of one outcome
Measure = Callable[[Outcomes], float | None]


# --- arithmetic ---

def whole(values: Iterable[float | None]) -> list[float] | None:
    """All of them, or None where one is missing."""
    found = list(values)
    return None if None in found else [value for value in found if value is not None]


def scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def excess(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other


def quotient(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def percent_more(value: float | None, other: float | None) -> float | None:
    """How many per cent the first is above the second."""
    by = quotient(value, other)
    return None if by is None else 100 * (by - 1)


def largest(values: Iterable[float | None]) -> float | None:
    found = whole(values)
    return None if found is None else max(found)


def smallest(values: Iterable[float | None]) -> float | None:
    found = whole(values)
    return None if found is None else min(found)


def mean(values: Iterable[float | None]) -> float | None:
    found = whole(values)
    return sum(found) / len(found) if found else None


def near(published: float, share: float = 0.25, digits: int = 4) -> tuple[float, float]:
    """A band of a share of the value to either side."""
    return round(published * (1 - share), digits), round(published * (1 + share), digits)


# --- of one seed ---

def value_in(case: Any, value_of: Value) -> Measure:
    return lambda runs: value_of(runs[case])


def joined(join: Callable[[float | None, float | None], float | None], one: Measure, other: Measure) -> Measure:
    """join: quotient, percent_more or less."""
    return lambda runs: join(one(runs), other(runs))


def ratio(case: Any, against: Any, value_of: Value) -> Measure:
    """A value of a case by that of another."""
    return joined(quotient, value_in(case, value_of), value_in(against, value_of))


def change(case: Any, against: Any, value_of: Value) -> Measure:
    """The same, as per cent above it."""
    return joined(percent_more, value_in(case, value_of), value_in(against, value_of))


def difference(case: Any, against: Any, value_of: Value) -> Measure:
    return joined(excess, value_in(case, value_of), value_in(against, value_of))


def pick_of(pick: Callable[[Iterable[float | None]], float | None], measures: Iterable[Measure]) -> Measure:
    """pick: largest, smallest or mean."""
    parts = list(measures)
    return lambda runs: pick(one(runs) for one in parts)


# --- over the seeds ---

def known_values(by_seed: BySeed, case: Any, value_of: Value) -> list[float]:
    """Of the seeds that have one."""
    return [value for value in (value_of(runs[case]) for runs in by_seed.values()) if value is not None]


def middle(by_seed: BySeed, case: Any, value_of: Value) -> float | None:
    """Median; None where a seed has no value."""
    return of_seeds(by_seed.values(), value_in(case, value_of))


def of_seeds(runs: Iterable[Outcomes], measure: Measure) -> float | None:
    found = whole(measure(outcomes) for outcomes in runs)
    return median(found) if found else None
