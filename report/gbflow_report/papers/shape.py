# SPDX-License-Identifier: BSD-3-Clause
"""Numbers for the shape of a curve: how long it climbs, how straight, and what a saw-tooth's teeth measure."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from gbflow_report.inputs import Curve

# A climb is over where it has come this close to the top: the last tenth may take for ever.
NEAR_TOP = 0.9


@dataclass(frozen=True)
class Teeth:
    """Of a saw-tooth: how many full teeth, and their median lowest and highest value."""

    count: int
    trough: float
    peak: float


def near_top(values: Sequence[float]) -> int:
    limit = NEAR_TOP * max(values)
    return next(index for index, value in enumerate(values) if value >= limit)


def climb_time_s(curve: Curve) -> float | None:
    """From the first sample to the first one near the top."""
    if not len(curve):
        return None
    return float(curve.time_s[near_top(curve.value.tolist())] - curve.time_s[0])


def climb_fall(curve: Curve) -> float | None:
    """The deepest fall on the way to the top, as a share of the top; 0 for a curve that only rises."""
    values = smooth(curve.value.tolist())
    if not values:
        return None
    highest, fall = values[0], 0.0
    for value in values[:near_top(values) + 1]:
        highest = max(highest, value)
        fall = max(fall, highest - value)
    return fall / max(values)


def smooth(values: Sequence[float]) -> list[float]:
    """Running median of three: one odd sample is no shape."""
    inner = [median(values[index - 1:index + 2]) for index in range(1, len(values) - 1)]
    return [*values[:1], *inner, *values[-1:]] if len(values) > 2 else list(values)


def turns(values: Sequence[float], swing: float) -> list[float]:
    """Extremes between which the curve moved by at least `swing`, in turn low and high, from a low one on."""
    found: list[float] = []
    low = high = values[0]
    for value in values:
        rising = len(found) % 2 == 1
        if rising:
            high = max(high, value)
            if value <= high - swing:
                found.append(high)
                low = value
        else:
            low = min(low, value)
            if value >= low + swing:
                found.append(low)
                high = value
    return found


def teeth(curve: Curve, swing: float) -> Teeth | None:
    """A tooth rises by at least `swing` and falls by as much; None where there is none. The first climb, out of an
    empty network, belongs to no tooth."""
    values = smooth(curve.value.tolist())
    found = turns(values, swing)[2:] if values else []
    troughs, peaks = found[0::2], found[1::2]
    return Teeth(len(peaks), median(troughs), median(peaks)) if peaks else None
