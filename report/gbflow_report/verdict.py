# SPDX-License-Identifier: BSD-3-Clause
"""A paper's figures, and the verdict over what was measured for each of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

from gbflow_report import difference

IN_BAND, MISSED, NOT_REPRODUCED = "in band", "missed", "not reproduced"
# What the interval over the seeds says of the verdict: it holds, or more seeds may change it.
SETTLED, OPEN, ONE_RUN = "settled", "open", "one run"


@dataclass(frozen=True)
class Figure:
    """One published statement that a program can check.

    published: the paper's number, or its words where it has no number
    band: smallest and largest median that count as reproduced; `why` says where it comes from
    measure: from the outcomes of one seed to a value in `unit`, None where there is none
    cause: of a miss that is known: what differs from the paper, and the run that shows it
    """

    name: str
    what: str
    unit: str
    published: float | str
    band: tuple[float, float]
    measure: Callable[[Mapping[Any, Any]], float | None]
    why: str = ""
    cause: str = ""


def judge(paper: str, figure: Figure, by_seed: Mapping[int, Mapping[Any, Any]]) -> dict[str, Any]:
    """A row of reproduction.json; by_seed[seed] is what figure.measure takes."""
    values = [figure.measure(outcomes) for outcomes in by_seed.values()]
    known = [value for value in values if value is not None]
    verdict, why = verdict_of(figure, values, known)
    return {
        "id": figure.name, "paper": paper, "what": figure.what, "unit": figure.unit,
        "published": figure.published, "measured": measured(dict(zip(by_seed, values, strict=True))), "band": list(figure.band),
        "verdict": verdict, "certainty": certainty(figure.band, known, verdict), "why": why,
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
    known = {str(seed): rounded(value) for seed, value in by_seed.items() if value is not None}
    found = known.values()
    if not known:
        return {"median": None, "min": None, "max": None, "mean": None, "interval": None, "seeds": len(by_seed)}
    interval = difference.interval_of_mean(list(found))
    return {"median": rounded(median(found)), "min": min(found), "max": max(found), "mean": rounded(mean(found)),
            "interval": [rounded(limit) for limit in interval] if interval else None, "seeds": len(by_seed), "values": known}


def rounded(value: float) -> float:
    """Six digits are more than any band has, and the same on every machine."""
    return float(f"{value:.6g}")


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
