# SPDX-License-Identifier: BSD-3-Clause
"""Results of a study made up: two axes, three figures, three seeds."""

import pathlib

from gbflow_report import distributions, sweep_results

DELAY, GOODPUT, AIR = "classes.thp2.delay_s.p95", "classes.thp2.goodput_bps.total", "cells.2.air_utilisation"
SEEDS = (1, 2, 3)
NOISE = {1: 0.0, 2: 0.02, 3: -0.02}


def point(scheme, bucket):
    return sweep_results.Point(f"scheme={scheme},bucket={bucket}", {"scheme": scheme, "bucket": bucket}, [], [])


def study(schemes=("none", "CoDel"), buckets=("1 s", "2 s", "4 s"), seeds=len(SEEDS)):
    axes = [sweep_results.Axis("scheme", {label: [] for label in schemes}, "none"),
            sweep_results.Axis("bucket", {label: [] for label in buckets}, None)]
    return sweep_results.Study("T", pathlib.Path("s.lua"), seeds, axes, [], False, True, {})


def values(scheme, bucket):
    """Delay: the scheme decides, goodput: the bucket, air: the seed."""
    number, is_codel = float(bucket.split()[0]), scheme == "CoDel"
    return {DELAY: {seed: (2.0 if is_codel else 8.0) + NOISE[seed] * (1 + number) for seed in SEEDS},
            GOODPUT: {seed: 1e4 * number + (900.0 if is_codel else 0.0) * NOISE[seed] / 0.02 for seed in SEEDS},
            AIR: {seed: 0.5 + NOISE[seed] for seed in SEEDS}}


def distribution(scale):
    return {"delay_s": {"thp2": distributions.Distribution(100, [scale * share for share in distributions.SHARES])}}


def results(**given):
    made = study(**given)
    points = {point(scheme, bucket): None for scheme in made.axes[0].labels for bucket in made.axes[1].labels}
    found = {one: values(one.labels["scheme"], one.labels["bucket"]) for one in points}
    return sweep_results.Results(made, [AIR, DELAY, GOODPUT], found, {one: {"goodput_bps": [1.0, 2.0]} for one in points},
                                 {one: {seed: distribution(seed) for seed in SEEDS} for one in points},
                                 {one: {seed: 1.0 for seed in SEEDS} for one in points}, 5.0, ["0123abcd"])
