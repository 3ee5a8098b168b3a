# SPDX-License-Identifier: BSD-3-Clause
"""Where a run's start-up ends, by MSER-5 (K. P. White, Simulation 69(6), 1997): of all points at which the first part of
a series could be cut off, the one that leaves the mean of the rest with the smallest standard error.

Judged is what waits in the SGSN and the BSS, the sum over all mobiles: queues fill last.
"""

import pathlib

import numpy

from gbflow_results import files

BATCH = 5  # samples whose mean is one value
SERIES = ("sgsn_backlog_octets", "bss_backlog_octets")
LEAST = 20  # batches from which on a series can be judged


def total(series: files.Series) -> files.Curve:
    """The sum of all curves of SERIES at each time at which one has a sample."""
    curves = [curve for name in SERIES for curve in series.of(name).values()]
    if not curves:
        return files.Curve.empty()
    times = numpy.concatenate([curve.time_s for curve in curves])
    at, where = numpy.unique(times, return_inverse=True)
    return files.Curve(at, numpy.bincount(where, weights=numpy.concatenate([curve.value for curve in curves])))


def mser(values: numpy.ndarray) -> int | None:
    """Samples to cut off, a multiple of BATCH. None: too few of them, or the best cut is in the second half, which means
    that the series never settles."""
    batches = values[:len(values) // BATCH * BATCH].reshape(-1, BATCH).mean(axis=1)
    if len(batches) < LEAST:
        return None
    errors = [batches[cut:].var() / (len(batches) - cut) for cut in range(len(batches) - BATCH)]
    best = int(numpy.argmin(errors))
    return best * BATCH if best <= len(batches) // 2 else None


def settled_s(path: pathlib.Path) -> float | None:
    """When the run of this series.csv has settled; None: it never does, or is too short to say."""
    curve = total(files.read_series(path))
    cut = mser(curve.value)
    return None if cut is None else float(curve.time_s[cut])
