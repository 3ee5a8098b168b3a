#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Curves of known shape, and the numbers that must come out."""

import unittest

import setting  # noqa: F401  pylint: disable=unused-import
import numpy
from gbflow_results.files import Curve
from gbflow_report.papers import shape


def curve(values, step_s=1.0):
    return Curve(numpy.arange(len(values)) * step_s + 3.0, numpy.array(values, dtype=float))


def saw(low, high, teeth, points=20):
    return [low + (high - low) * part / (points - 1) for _ in range(teeth) for part in range(points)]


RAMP = list(range(1, 101))

# values, mean of the first ten seconds but one, deepest fall as a share of the top
CLIMBS = [
    (RAMP, 6.0, 0.0),
    (RAMP + [1] * 50, 6.0, 0.0),
    (list(range(1, 51)) + list(range(25, 101)), 6.0, 0.23),
    ([5.0] * 10, 5.0, 0.0),
    ([7.0], None, 0.0),
    (list(range(1, 51)) + [1] + list(range(51, 101)), 6.0, 0.0),
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


def steps(rows):
    """A curve from (time, value)."""
    return Curve(numpy.array([row[0] for row in rows], dtype=float), numpy.array([row[1] for row in rows], dtype=float))


class Loss(unittest.TestCase):
    """Ten segments are lost at 60 s, sent again from 64 to 70 s; the last is acknowledged at 72 s. Again at 124 s, in 5 s."""

    SENT = steps([(0, 10), (50, 100), (64, 110), (72, 120), (124, 200), (130, 220)])
    AGAIN = steps([(64, 91), (66, 95), (70, 100), (124, 191), (125, 195)])
    ACKED = steps([(1, 5), (60, 90), (66, 91), (72, 110), (120, 190), (125, 200), (131, 220)])

    def test_recovery(self):
        self.assertEqual(shape.burst_starts(self.AGAIN, 20), [64.0, 124.0])
        self.assertEqual(shape.recovery_s(self.SENT, self.AGAIN, self.ACKED, 20), (12 + 5) / 2)
        self.assertIsNone(shape.recovery_s(self.SENT, steps([]), self.ACKED, 20))

    def test_doubled(self):
        """Two bursts, in the second of which four come within half a second."""
        again = steps([(10, 1), (12, 2), (14, 3), (16, 4), (60, 5), (62, 6), (62, 7), (62.2, 8), (62.4, 9)])
        self.assertEqual([shape.doubled_share(again, 20, close) for close in ((4, 0.5), (4, 6), (5, 0.5))], [0.5, 1, 0])
        self.assertIsNone(shape.doubled_share(steps([]), 20, (4, 0.5)))

    def test_outstanding(self):
        self.assertEqual(shape.gap_max(self.SENT, self.ACKED, 0), 95)
        self.assertEqual(shape.gap_max(self.SENT, self.ACKED, 60), 20)
        self.assertIsNone(shape.gap_max(self.SENT, self.ACKED, 131))

    def test_floor(self):
        for values, floor, top in (([1, 10, 30, 2, 1.5, 9, 12, 3], 1.5, 12), ([1, 30, 40], 30, 40), ([1, 2], None, None), ([], None, None)):
            with self.subTest(values=values):
                self.assertEqual((shape.floor_after(curve(values), 20), shape.top_after_floor(curve(values), 20)), (floor, top))


class Climb(unittest.TestCase):
    def test_rows(self):
        for values, mean, fall in CLIMBS:
            with self.subTest(values=values[:5], count=len(values)):
                self.assertAlmostEqual(shape.mean_between(curve(values), 1, 10), mean)
                self.assertAlmostEqual(shape.climb_fall(curve(values)), fall, places=2)

    def test_nothing_has_no_climb(self):
        self.assertIsNone(shape.mean_between(curve([]), 1, 10))
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
