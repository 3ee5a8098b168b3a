#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Thinning keeps every extreme, and everything where there is little."""

import re
import unittest

import setting
import numpy
from gbflow_report import draw
from gbflow_results.files import Curve

LIMIT = 100
READABLE_PX = 9


def curve(count, spikes=()):
    value = numpy.sin(numpy.arange(count) / 50.0)
    for index, height in spikes:
        value[index] = height
    return Curve(numpy.arange(count) * 0.1, value)


class Line(unittest.TestCase):
    def test_rows(self):
        for count in (1, 2, 99, 100, 101, 5000):
            with self.subTest(count=count):
                given = curve(count)
                small = draw.thinned(given, LIMIT)
                self.assertLessEqual(len(small), LIMIT + 2)
                self.assertEqual(len(small) == count, count <= LIMIT)
                self.assertEqual((small.time_s[0], small.time_s[-1]), (given.time_s[0], given.time_s[-1]))
                self.assertTrue(numpy.all(numpy.diff(small.time_s) > 0))

    def test_single_spikes_survive_at_their_time(self):
        small = draw.thinned(curve(5000, [(1234, 9.0), (4321, -9.0)]), LIMIT)
        self.assertEqual((small.value.max(), small.time_s[small.value.argmax()]), (9.0, 123.4))
        self.assertEqual((small.value.min(), small.time_s[small.value.argmin()]), (-9.0, 432.1))

    def test_all_at_one_time(self):
        self.assertGreater(len(draw.thinned(Curve(numpy.zeros(500), numpy.arange(500.0)), LIMIT)), 0)


class Band(unittest.TestCase):
    def test_holds_every_point(self):
        given = curve(5000, [(77, 5.0)])
        band = draw.band_of(given, 40)
        self.assertEqual((band.low.min(), band.high.max()), (given.value.min(), 5.0))
        self.assertTrue(numpy.all((band.low <= band.middle) & (band.middle <= band.high)))

    def test_empty_slices_are_left_out(self):
        band = draw.band_of(Curve(numpy.array([0.0, 1.0, 99.0]), numpy.array([1.0, 3.0, 7.0])), 10)
        self.assertEqual((band.middle.tolist(), band.high.tolist()), ([2.0, 7.0], [3.0, 7.0]))


class Distribution(unittest.TestCase):
    def test_rows(self):
        for count in (1, 5, 100, 101, 9999):
            with self.subTest(count=count):
                value, share = draw.distribution(numpy.arange(count, 0, -1.0), LIMIT)
                self.assertLessEqual(len(value), LIMIT)
                self.assertEqual((value[0], value[-1], share[-1]), (1.0, count, 1.0))
                self.assertTrue(numpy.allclose(share, value / count))


class Gallery(unittest.TestCase):
    def test_text_is_large_enough_where_the_index_shows_it(self):
        pages = setting.HERE.parents[2] / "docs" / "gallery"
        shown = re.findall(r'<img src="([^"]+)"[^>]* width="(\d+)"', (pages / "index.md").read_text(encoding="utf-8"))
        self.assertEqual({name for name, _ in shown}, {path.name for path in pages.glob("*.svg")})
        for name, width in shown:
            with self.subTest(plot=name):
                text = (pages / name).read_text(encoding="utf-8")
                units, = re.findall(r'viewBox="0 0 ([\d.]+) ', text)
                sizes = {float(size) for size in re.findall(r"font(?:-size)?: *(?:\w+ )*([\d.]+)(?:px|pt)?", text)}
                self.assertGreaterEqual(min(sizes) * float(width) / float(units), READABLE_PX)


if __name__ == "__main__":
    unittest.main()
