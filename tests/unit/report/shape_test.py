#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Curves of known shape, and the numbers that must come out."""

import unittest

import setting  # noqa: F401  pylint: disable=unused-import
import numpy
from gbflow_report.inputs import Curve
from gbflow_report.papers import shape


def curve(values, step_s=1.0):
    return Curve(numpy.arange(len(values)) * step_s + 3.0, numpy.array(values, dtype=float))


def saw(low, high, teeth, points=20):
    return [low + (high - low) * part / (points - 1) for _ in range(teeth) for part in range(points)]


RAMP = list(range(1, 101))

# values, seconds of the climb, deepest fall as a share of the top
CLIMBS = [
    (RAMP, 89.0, 0.0),
    (RAMP + [1] * 50, 89.0, 0.0),
    (list(range(1, 51)) + list(range(25, 101)), 50 + 65.0, 0.23),
    ([5.0] * 10, 0.0, 0.0),
    ([7.0], 0.0, 0.0),
    (list(range(1, 51)) + [1] + list(range(51, 101)), 90.0, 0.0),
]

# values, swing, (teeth, trough, peak) or None
TEETH = [
    (saw(2, 9, 6), 2.0, (4, 2.0, 9.0)),
    (saw(2, 9, 6), 8.0, None),
    (saw(2, 3, 6), 2.0, None),
    (RAMP, 2.0, None),
    ([], 2.0, None),
    ([4.0], 2.0, None),
]


class Climb(unittest.TestCase):
    def test_rows(self):
        for values, time_s, fall in CLIMBS:
            with self.subTest(values=values[:5], count=len(values)):
                self.assertAlmostEqual(shape.climb_time_s(curve(values)), time_s)
                self.assertAlmostEqual(shape.climb_fall(curve(values)), fall, places=2)

    def test_nothing_has_no_climb(self):
        self.assertIsNone(shape.climb_time_s(curve([])))
        self.assertIsNone(shape.climb_fall(curve([])))


class SawTooth(unittest.TestCase):
    def test_rows(self):
        for values, swing, expected in TEETH:
            with self.subTest(values=values[:3], swing=swing):
                found = shape.teeth(curve(values), swing)
                if expected is None:
                    self.assertIsNone(found)
                    continue
                self.assertEqual(found.count, expected[0])
                self.assertAlmostEqual(found.trough, expected[1], delta=0.5)
                self.assertAlmostEqual(found.peak, expected[2], delta=0.5)

    def test_odd_samples_are_no_teeth(self):
        values = saw(2, 9, 6, 50)
        for index in range(25, len(values), 50):
            values[index] = 0.5
        self.assertEqual(shape.teeth(curve(values), 2.0).count, 4)


if __name__ == "__main__":
    unittest.main()
