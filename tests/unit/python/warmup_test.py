#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MSER-5: where made-up series settle, and which never do."""

import unittest

import numpy

import setting  # noqa: F401  (the packed file in the import path)
from gbflow_report import sweep_results
from gbflow_results import files

SAMPLES, NOISE = 1000, 10.0


def noise(seed):
    return numpy.random.default_rng(seed).normal(0, NOISE, SAMPLES)


def rising(samples):
    """From 0 to 500 over so many samples, then level."""
    return numpy.minimum(numpy.arange(SAMPLES) / samples, 1.0) * 500


class Settled(unittest.TestCase):
    def test_level(self):
        """A level series loses at most a tenth, whatever its noise."""
        cuts = [sweep_results.mser(noise(seed)) for seed in range(40)]
        self.assertLess(sorted(cuts)[len(cuts) // 2], SAMPLES // 10)

    def test_rise(self):
        """The cut follows the rise: within a quarter of its end."""
        for samples in (50, 100, 200, 400):
            for seed in range(10):
                with self.subTest(samples=samples, seed=seed):
                    self.assertAlmostEqual(sweep_results.mser(rising(samples) + noise(seed)), samples, delta=0.25 * samples + 10)

    def test_never(self):
        self.assertIsNone(sweep_results.mser(rising(SAMPLES) + noise(1)))

    def test_too_short(self):
        self.assertIsNone(sweep_results.mser(noise(1)[:sweep_results.BATCH * sweep_results.LEAST - 1]))

    def test_sum(self):
        """Curves of all mobiles and both buffers are added at equal times; other series do not count."""
        one = files.Curve(numpy.array([0.0, 1.0]), numpy.array([1.0, 2.0]))
        other = files.Curve(numpy.array([1.0, 2.0]), numpy.array([10.0, 20.0]))
        found = sweep_results.total_backlog(files.Series({"sgsn_backlog_octets": {"a": one}, "bss_backlog_octets": {"a": other, "b": one},
                                            "goodput_bps": {"a": one}}))
        self.assertEqual((list(found.time_s), list(found.value)), ([0.0, 1.0, 2.0], [2.0, 14.0, 20.0]))


if __name__ == "__main__":
    unittest.main()
