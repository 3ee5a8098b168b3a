#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bands of all papers: at most a quarter of the published value to either side, or a reason for more."""

import unittest

import setting  # noqa: F401  pylint: disable=unused-import
from gbflow_report import reproduce

WIDEST = 0.25
ROUNDING = 1.01  # limits are written with two or three digits
QUARTER = "25 % of the published value"
ALL = [(name, figure) for name, paper in reproduce.PAPERS.items() for figure in paper.FIGURES]


def is_near(figure):
    """Whether the band leaves the published number by no more than a quarter of it."""
    if isinstance(figure.published, str):
        return False
    allowed = WIDEST * ROUNDING * abs(figure.published)
    return figure.published - figure.band[0] <= allowed and figure.band[1] - figure.published <= allowed


class Bands(unittest.TestCase):
    def test_near_or_with_a_reason(self):
        for paper, figure in ALL:
            with self.subTest(paper=paper, figure=figure.name):
                self.assertTrue(is_near(figure) or figure.why, "wide band without a reason")

    def test_said_quarters(self):
        """A row that names 25 % as its reason has no more."""
        said = [figure for _, figure in ALL if figure.why.startswith(QUARTER) and not isinstance(figure.published, str)]
        self.assertGreater(len(said), 30)
        self.assertEqual([figure.name for figure in said if not is_near(figure)], [])

    def test_the_published_number_is_in_band(self):
        outside = [figure.name for _, figure in ALL if not isinstance(figure.published, str)
                   and not figure.band[0] <= figure.published <= figure.band[1] and not figure.why]
        self.assertEqual(outside, [])

    def test_insides_and_names(self):
        """A band may be a single value only where it counts."""
        self.assertEqual([figure.name for _, figure in ALL if figure.band[0] > figure.band[1]], [])
        self.assertEqual(len({figure.name for _, figure in ALL}), len(ALL))

    def test_causes_name_what_shows_them(self):
        """A miss is known where a run or a row shows its cause."""
        bare = [figure.name for _, figure in ALL if figure.cause and len(figure.cause) < 40]
        self.assertEqual(bare, [])


if __name__ == "__main__":
    unittest.main()
