# SPDX-License-Identifier: BSD-3-Clause
"""Makes huge series small enough for a page without hiding an extreme.

A curve with more points than fit is cut into slices of equal time. For a line the smallest and the largest point of
each slice stay (real points, at their own times); for a cloud each slice becomes smallest, median, largest. What it
does not keep is how dense the points lie inside a slice.
"""

from dataclasses import dataclass

import numpy

from gbflow_results.files import Curve


@dataclass(frozen=True)
class Band:
    time_s: numpy.ndarray
    low: numpy.ndarray
    middle: numpy.ndarray
    high: numpy.ndarray


def slices_of(curve: Curve, count: int) -> list[numpy.ndarray]:
    """Index runs of the points of each of `count` equal slices of time, empty ones left out."""
    edges = numpy.linspace(curve.time_s[0], curve.time_s[-1], count + 1)[1:-1]
    cuts = numpy.searchsorted(curve.time_s, edges)
    return [run for run in numpy.split(numpy.arange(len(curve)), cuts) if len(run)]


def line(curve: Curve, points: int) -> Curve:
    """At most about `points` points; the first and the last are always among them."""
    if len(curve) <= points:
        return curve
    kept = {0, len(curve) - 1}
    for run in slices_of(curve, max(1, points // 2)):
        values = curve.value[run]
        kept |= {int(run[values.argmin()]), int(run[values.argmax()])}
    order = sorted(kept)
    return Curve(curve.time_s[order], curve.value[order])


def band(curve: Curve, slices: int) -> Band:
    runs = slices_of(curve, slices)
    parts = [curve.value[run] for run in runs]
    return Band(numpy.array([curve.time_s[run].mean() for run in runs]),
                numpy.array([part.min() for part in parts]),
                numpy.array([numpy.median(part) for part in parts]),
                numpy.array([part.max() for part in parts]))


def distribution(values: numpy.ndarray, points: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """(value, share of values at or below it), smallest and largest included."""
    ordered = numpy.sort(values)
    share = numpy.arange(1, len(ordered) + 1) / len(ordered)
    if len(ordered) <= points:
        return ordered, share
    kept = numpy.unique(numpy.linspace(0, len(ordered) - 1, points).round().astype(int))
    return ordered[kept], share[kept]
