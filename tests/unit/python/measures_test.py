#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures of papers: a value that a run lacks is none of the whole."""

import unittest

import setting  # noqa: F401  pylint: disable=unused-import  (where the packages are)

from gbflow_report.papers import measures

RUNS = {"a": 6.0, "b": 4.0, "zero": 0.0, "none": None}
# measure, of two cases, and its value
PAIRS = [(measures.ratio, "a", "b", 1.5), (measures.change, "a", "b", 50.0), (measures.difference, "a", "b", 2.0),
         (measures.ratio, "a", "zero", None), (measures.change, "a", "zero", None), (measures.difference, "a", "zero", 6.0),
         (measures.ratio, "zero", "a", 0.0), (measures.change, "zero", "a", -100.0)]
PICKS = [(measures.largest, 6.0), (measures.smallest, 0.0), (measures.mean, 10 / 3)]


def value_of(run):
    return run


class Measures(unittest.TestCase):
    def test_pairs(self):
        for measure, case, against, expected in PAIRS:
            with self.subTest(measure=measure.__name__, case=case, against=against):
                self.assertEqual(measure(case, against, value_of)(RUNS), expected)
                self.assertIsNone(measure("none", against, value_of)(RUNS))
                self.assertIsNone(measure(case, "none", value_of)(RUNS))

    def test_picks(self):
        parts = [measures.value_in(case, value_of) for case in ("a", "b", "zero")]
        for pick, expected in PICKS:
            with self.subTest(pick=pick.__name__):
                self.assertEqual(measures.pick_of(pick, parts)(RUNS), expected)
                self.assertIsNone(measures.pick_of(pick, [*parts, measures.value_in("none", value_of)])(RUNS))

    def test_seeds(self):
        by_seed = {1: RUNS, 2: {"a": 8.0, "none": 1.0}}
        self.assertEqual((measures.middle(by_seed, "a", value_of), measures.known_values(by_seed, "a", value_of)), (7.0, [6.0, 8.0]))
        self.assertEqual((measures.middle(by_seed, "none", value_of), measures.known_values(by_seed, "none", value_of)), (None, [1.0]))
        self.assertIsNone(measures.middle({}, "a", value_of))

    def test_near(self):
        self.assertEqual((measures.near(8), measures.near(3, 0.1, 1)), ((6, 10), (2.7, 3.3)))


if __name__ == "__main__":
    unittest.main()
