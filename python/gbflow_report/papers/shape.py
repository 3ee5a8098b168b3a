# SPDX-License-Identifier: BSD-3-Clause
"""Numbers for the shape of a curve: how long it climbs, how straight, and what a saw-tooth's teeth measure."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from gbflow_results.files import Curve

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


def mean_between(curve: Curve, from_s: float, to_s: float) -> float | None:
    """Of the samples in a span, in seconds after the first sample."""
    if not len(curve):
        return None
    after_s = curve.time_s - curve.time_s[0]
    found = curve.value[(after_s >= from_s) & (after_s < to_s)]
    return float(found.mean()) if len(found) else None


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


def burst_starts(curve: Curve, quiet_s: float) -> list[float]:
    """Times of samples before which there was none for quiet_s."""
    times = curve.time_s.tolist()
    return [at_s for at_s, last_s in zip(times, [-quiet_s, *times]) if at_s - last_s >= quiet_s]


def doubled_share(again: Curve, quiet_s: float, close: tuple[int, float]) -> float | None:
    """Of the bursts of repetitions those with so many of them within so many seconds, as a share."""
    count, span_s = close
    starts = burst_starts(again, quiet_s)
    times = again.time_s.tolist()
    near = [first for first, last in zip(times, times[count - 1:]) if last - first <= span_s]
    found = [any(start <= at_s < end for at_s in near) for start, end in zip(starts, [*starts[1:], float("inf")])]
    return sum(found) / len(found) if found else None


def recovery_s(sent: Curve, again: Curve, acked: Curve, quiet_s: float) -> float | None:
    """Median over bursts of repetitions: from the last ACK before the first repetition to that of all octets sent by
    then."""
    found = []
    for at_s in burst_starts(again, quiet_s):
        target = sent.value[max(sent.time_s.searchsorted(at_s, side="right") - 1, 0)]
        first, last = int(acked.time_s.searchsorted(at_s)) - 1, int(acked.value.searchsorted(target))
        if first >= 0 and last < len(acked):
            found.append(float(acked.time_s[last] - acked.time_s[first]))
    return median(found) if found else None


def gap_max(upper: Curve, lower: Curve, from_s: float) -> float | None:
    """The largest distance of two rising curves, each of which keeps its value until the next sample."""
    places = lower.time_s.searchsorted(upper.time_s, side="right") - 1
    gaps = [high - lower.value[place] for at_s, high, place in zip(upper.time_s, upper.value, places)
            if at_s >= from_s and place >= 0]
    return float(max(gaps)) if gaps else None


def floor_after(curve: Curve, level: float) -> float | None:
    """The lowest value after the curve has been at `level` for the first time."""
    values = curve.value.tolist()
    first = next((index for index, value in enumerate(values) if value >= level), None)
    return min(values[first:]) if first is not None else None


def top_after_floor(curve: Curve, level: float) -> float | None:
    """The highest value after that lowest one."""
    floor, values = floor_after(curve, level), curve.value.tolist()
    return (max(values[values.index(floor, next(i for i, value in enumerate(values) if value >= level)):]) if floor
            else None)


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
