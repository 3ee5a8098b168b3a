#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a seed varies in P3, P4 and P5: each measurement has its own block errors, start, BLER and phase of calls."""
import unittest

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report.papers import p3, p4, p5

SEEDS = range(1, 11)
# Paper, keys that its seeds vary (a part of the path), whether each case has them.
ROWS = [
    (p3, ["web.start", "ping.start"]),
    (p4, ["download.start", "bler"]),
    (p5, ["download.start", "bler", "schedule.first"]),
]


def given(paper, case, seed):
    """Value by key of what the seed sets."""
    return dict(word.split("=", 1) for word in paper.of_seed(case, seed))


class Repetition(unittest.TestCase):
    def test_block_errors(self):
        """No two measurements have one --seed."""
        for paper, _ in ROWS:
            numbers = [paper.number_of(case, seed) for case in paper.CASES for seed in SEEDS]
            self.assertEqual(len(set(numbers)), len(numbers), paper.NAME)
            self.assertGreaterEqual(min(numbers), 1)

    def test_keys(self):
        """Each key differs between seeds of a case, and between cases of a seed."""
        for paper, parts in ROWS:
            for part in parts:
                with self.subTest(paper=paper.NAME, part=part):
                    cases = [case for case in paper.CASES if any(part in key for key in given(paper, case, 1))]
                    self.assertGreater(len(cases), 4)
                    for case in cases:
                        self.assertGreater(len(self.values(paper, part, [case], SEEDS)), len(SEEDS) - 2, case.name)
                    self.assertGreater(len(self.values(paper, part, cases, [1])), len(cases) - 2)

    def values(self, paper, part, cases, seeds):
        return {tuple(value for key, value in given(paper, case, seed).items() if part in key) for case in cases for seed in seeds}

    def test_spread(self):
        """Ten seeds reach both halves of what they vary."""
        for case in p5.PUBLISHED:
            phases = [p5.first_calls_s(case, seed) - p5.FULL_S for seed in SEEDS]
            self.assertLess(min(phases), p5.MINUTE_S / 4)
            self.assertGreater(max(phases), 3 * p5.MINUTE_S / 4)
            blers = [float(given(p5, case, seed)["cells[1].bler"].split()[0]) for seed in SEEDS]
            self.assertTrue(0.5 <= min(blers) < 0.75 and 1.25 < max(blers) <= 1.5, blers)

    def test_rows(self):
        """Every row has its own name; every case its own."""
        for paper, _ in ROWS:
            self.assertEqual(len({figure.name for figure in paper.FIGURES}), len(paper.FIGURES))
            self.assertEqual(len({case.name for case in paper.CASES}), len(paper.CASES))


if __name__ == "__main__":
    unittest.main()
