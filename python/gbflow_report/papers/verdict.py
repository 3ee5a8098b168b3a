# SPDX-License-Identifier: BSD-3-Clause
"""What all papers are made of: figures, the verdict over what was measured for each of them, what differs from one
repetition of a measurement to the next, and values that a paper leaves open. Each case of a seed is a measurement of
its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from statistics import mean, median
from typing import Any

from gbflow_report import difference

IN_BAND, MISSED, NOT_REPRODUCED = "in band", "missed", "not reproduced"
# What a row is worth. A result could have been otherwise; of the other kinds it says little that the paper's number
# comes out.
RESULT, INPUT, FITTED, SIGN, REGRESSION = "result", "input", "fitted", "sign", "regression"
# What the interval over the seeds says of the verdict: it holds, or more seeds may change it.
SETTLED, OPEN, ONE_RUN = "settled", "open", "one run"


@dataclass(frozen=True)
class Figure:
    """One published statement that a program can check.

    published: the paper's number, or its words where it has no number
    band: smallest and largest median that count as reproduced; `why` says where it comes from
    measure: from the outcomes of one seed to a value in `unit`, None where there is none
    cause: of a miss that is known: what differs from the paper, and the run that shows it
    kind: input: dealt to the runs from the published numbers; fitted: a value of the scenario or of the case was chosen
        by it; sign: only an order or a direction is judged, the band hardly fails; regression: the band was set after a
        first run
    """

    name: str
    what: str
    unit: str
    published: float | str
    band: tuple[float, float]
    measure: Callable[[Mapping[Any, Any]], float | None]
    why: str = ""
    cause: str = ""
    kind: str = RESULT


def of_kind(kind: str, rows: Iterable[Figure], *patterns: str) -> list[Figure]:
    """The rows, those whose names match made of that kind."""
    return [replace(row, kind=kind) if any(fnmatchcase(row.name, one) for one in patterns) else row for row in rows]


def judge(paper: str, figure: Figure, by_seed: Mapping[int, Mapping[Any, Any]]) -> dict[str, Any]:
    """A row of reproduction.json; by_seed[seed] is what figure.measure takes."""
    values = [figure.measure(outcomes) for outcomes in by_seed.values()]
    known = [value for value in values if value is not None]
    verdict, why = verdict_of(figure, values, known)
    return {
        "id": figure.name, "paper": paper, "what": figure.what, "unit": figure.unit,
        "published": figure.published, "measured": measured(dict(zip(by_seed, values, strict=True))),
        "band": list(figure.band),
        "kind": figure.kind, "verdict": verdict, "certainty": certainty(figure.band, known, verdict), "why": why,
    }


def certainty(band: tuple[float, float], known: Sequence[float], verdict: str) -> str:
    """Settled: the interval of 95 % lies inside the band of a figure in band, beside that of another one."""
    interval = difference.interval_of_mean(known)
    if not interval:
        return ONE_RUN
    inside = band[0] <= interval[0] and interval[1] <= band[1]
    beside = interval[1] < band[0] or band[1] < interval[0]
    return SETTLED if (inside if verdict == IN_BAND else beside) else OPEN


def measured(by_seed: Mapping[int, float | None]) -> dict[str, Any]:
    known = {str(seed): difference.rounded(value) for seed, value in by_seed.items() if value is not None}
    found = known.values()
    if not known:
        return {"median": None, "min": None, "max": None, "mean": None, "interval": None, "seeds": len(by_seed)}
    interval = difference.interval_of_mean(list(found))
    return {"median": difference.rounded(median(found)), "min": min(found), "max": max(found),
            "mean": difference.rounded(mean(found)), "interval": [difference.rounded(limit) for limit in interval]
            if interval else None, "seeds": len(by_seed), "values": known}


def verdict_of(figure: Figure, values: Sequence[float | None], known: Sequence[float]) -> tuple[str, str]:
    low, high = figure.band
    if len(known) == len(values) and low <= median(known) <= high:
        return IN_BAND, figure.why
    if figure.cause:
        return NOT_REPRODUCED, figure.cause
    if len(known) < len(values):
        return MISSED, f"{len(values) - len(known)} of {len(values)} seeds gave no value"
    middle = median(known)
    gap = f"{low - middle:.3g} below" if middle < low else f"{middle - high:.3g} above"
    return MISSED, f"the median is {gap} the band"


# --- repetitions ---

GOLDEN = 0.6180339887


def share_of_seed(seed: int, which: int) -> float:
    """In [0, 1), spread evenly over the seeds; 0 for seed 1 and `which` 0."""
    return ((seed - 1) * GOLDEN + which * GOLDEN ** 2) % 1


def number_of_run(cases: Sequence[Any], case: Any, seed: int) -> int:
    """--seed: no two measurements draw the same block errors."""
    return (seed - 1) * len(cases) + cases.index(case) + 1


def start_ms(case_index: int, seed: int) -> float:
    """Within 2 s, at any phase of a TTI."""
    return 2000 * share_of_seed(seed, 2 + 3 * case_index)


def radio_and_start(case_index: int, seed: int) -> list[str]:
    """Of P4 and P5: block errors from 0.5 to 1.5 %, a start within 2 s."""
    return [f"cells[1].bler={0.5 + share_of_seed(seed, 1 + 3 * case_index):.2f} %",
            f"mobiles[1].traffic[1].download.start={start_ms(case_index, seed):.0f} ms"]


# --- assumptions ---

@dataclass(frozen=True)
class Variation:
    """One assumption with another value. is_beyond: outside the range over which the result is said to hold."""

    name: str
    assumption: str
    value: str
    settings: tuple[str, ...] = ()
    is_beyond: bool = False


@dataclass(frozen=True)
class Varied:
    """A case under a variation: a case like any other."""

    variation: Variation
    case: Any

    @property
    def name(self) -> str:
        return f"{self.variation.name}-{self.case.name}"

    @property
    def settings(self) -> list[str]:
        return [*self.case.settings, *self.variation.settings]


def name_of(path: str, value: str) -> str:
    return f"{path.replace('.', '-')}-{value.replace(' ', '').replace('%', '')}"


def plain(assumption: str, path: str, value: str, is_beyond: bool = False) -> Variation:
    """A value of one path."""
    return Variation(name_of(path.rpartition(".")[2], value), assumption, value, (f"{path}={value}",), is_beyond)


def of_cells(cells: Sequence[str], assumption: str, path: str, value: str, is_beyond: bool = False) -> Variation:
    """A value of one path of each of `cells`."""
    settings = tuple(f"{cell}.{path}={value}" for cell in cells)
    return Variation(name_of(path, value), assumption, value, settings, is_beyond)
