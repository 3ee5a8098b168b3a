#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of differences: known values, made-up runs with a known difference and with none, Holm's correction."""

import pathlib
import random
import sys
import unittest
import unittest.mock

import setting  # noqa: F401  pylint: disable=unused-import
from gbflow_report import compare, difference
from gbflow_report.compare import Side, Spread
from gbflow_results import Failure

# Ten pairs with t = 3.25, nine of which agree.
NINE_OF_TEN = [1.0, 1.4, 0.6, 2.6, 0.3, 2.1, 1.2, 3.0, 1.9, -1.3]

# A, B, whether they are pairs, mean, interval, p: computed by hand from tables of Student's t
KNOWN = [
    ([1, 2, 3], [2, 4, 6], True, 2.0, (-0.4841, 4.4841), 0.07418),
    ([1, 2, 3, 4], [3, 4, 5, 6], False, 2.0, (-0.2337, 4.2337), 0.07098),
    ([10, 11, 12], [20, 21, 22], True, 10.0, (7.7331, 12.2669), 0.000255),  # pairs without spread: Welch's test
    ([5, 5], [7, 7], True, 2, (None, None), 0.5),  # two runs, no spread: chance
    ([5] * 5, [7] * 5, True, 2, (None, None), 0.0),  # five runs: no seed changes it
    ([5] * 5, [7] * 5, False, 2, (None, None), 0.0),
    ([0.0] * 10, NINE_OF_TEN, True, 1.28, (0.3903, 2.1697), 0.009952),
]

# p, p by Holm's correction: the smallest times 3, the next times 2, none below one before it, none above 1
HOLM = [([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]), ([0.5, 0.001], [0.5, 0.002]), ([0.9, 0.8], [1.0, 1.0]), ([], [])]

# Ten pairs of deviation 1 on each side: (t(9, .975) + t(9, .8)) * sqrt(2 / 10).
DETECTABLE = 1.407
FIGURES, SEEDS = 20, range(1, 7)


def side(values):
    """values[figure][seed]"""
    spreads = {f"f{index}": Spread(0, min(found.values()), max(found.values()), found) for index, found in enumerate(values)}
    return Side(pathlib.Path("x"), "summary.json", len(values[0]), frozenset(values[0]), {"duration_s": 1}, spreads)


def pair_of_sides(chance, shift, seeds, of_seed):
    """Figures of B are larger by shift; of_seed: deviation of what a seed does to both sides, beside 1 of each run."""
    a, b = [], []
    for _ in range(FIGURES):
        common = {seed: chance.gauss(100, of_seed) for seed in seeds}
        a.append({seed: value + chance.gauss(0, 1) for seed, value in common.items()})
        b.append({seed: value + chance.gauss(0, 1) + shift for seed, value in common.items()})
    return side(a), side(b)


def verdicts(chance, shift, seeds=SEEDS, of_seed=5.0, shift_of_seeds=0):
    a, b = pair_of_sides(chance, shift, seeds, of_seed)
    if shift_of_seeds:  # other seeds on the other side: Welch's test
        b = side([{seed + shift_of_seeds: value for seed, value in b.figures[name].values.items()} for name in b.figures])
    return [row["verdict"] for row in compare.rows_of(a, b, [], False)]


class Differences(unittest.TestCase):
    def test_known(self):
        for a, b, are_paired, mean, ends, p in KNOWN:
            with self.subTest(a=a, b=b, are_paired=are_paired):
                found = difference.of_values(a, b, are_paired)
                self.assertAlmostEqual(found.mean, mean, 9)
                self.assertAlmostEqual(found.p, p, 4)
                for measured, expected in zip((found.low, found.high), ends):
                    if expected is None:
                        self.assertIsNone(measured)
                    else:
                        self.assertAlmostEqual(measured, expected, 3)

    def test_holm(self):
        for chances, corrected in HOLM:
            for found, expected in zip(difference.holm(chances), corrected, strict=True):
                self.assertAlmostEqual(found, expected, 12)

    def test_false_findings(self):
        """Equal populations: one family in twenty may have a false finding, pairs or not; 300 families, four deviations."""
        chance = random.Random(1)
        for shift_of_seeds, of_seed in ((0, 5.0), (100, 0.0)):
            families = sum(bool({"higher", "lower"} & set(verdicts(chance, 0, of_seed=of_seed, shift_of_seeds=shift_of_seeds)))
                           for _ in range(300))
            self.assertLessEqual(families, 15 + 4 * (300 * .05 * .95) ** .5, shift_of_seeds)
            self.assertGreater(families, 0, "the test is too strict to find anything")

    def test_power(self):
        """More seeds show more of a difference that is there; pairs show it behind what seeds do alone."""
        found = [sum(row == "higher" for _ in range(10) for row in verdicts(random.Random(seeds), 2.0, range(seeds)))
                 for seeds in (3, 5, 10, 20)]
        self.assertEqual(found, sorted(found))
        self.assertLess(found[0], 20)
        self.assertGreater(found[3], 190)
        unpaired = sum(row == "higher" for _ in range(10) for row in verdicts(random.Random(20), 2.0, range(20), shift_of_seeds=50))
        self.assertLess(unpaired, found[3] / 4)

    def test_detectable(self):
        """A difference of the size that is called detectable is shown by about 80 of 100 tests of one figure."""
        chance, shown, tests = random.Random(3), 0, 400
        for _ in range(tests):
            a, b = ([chance.gauss(0, 1) for _ in range(10)] for _ in range(2))
            b = [value + DETECTABLE for value in b]
            shown += difference.of_values(a, b, True).p <= difference.LEVEL
        self.assertTrue(0.72 < shown / tests < 0.88, shown)


class Library(unittest.TestCase):
    def test_is_asked_for_before_several_seeds(self):
        difference.must_have_library(2)
        with unittest.mock.patch("importlib.util.find_spec", return_value=None):
            difference.must_have_library(1)
            with self.assertRaisesRegex(Failure, "python3-scipy"):
                difference.must_have_library(2)


if __name__ == "__main__":
    sys.exit(unittest.main())
