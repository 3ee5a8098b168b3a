# SPDX-License-Identifier: BSD-3-Clause
"""P1: its cases, and what it says of them."""
import re
import unittest

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report.papers import p1

# ratios of page rate, slow pages and the worst user; words
WORDS = [(1.5, 2, 0.5, "unequal service: slow pages get slower and the worst user gets less"), (1.5, 1, 0.5, "unequal service: the worst user"),
         (1.3, 1, 1, "without a price"), (1, 1.5, 1, "slow pages get slower"), (0.8, 0.9, 0.95, "without a price")]


class P1(unittest.TestCase):
    def test_orders(self):
        """The paper's cases take the scenario's FIFO buffers; those beside them say otherwise for every class."""
        for case in p1.CASES:
            said = sum('order = "mobiles"' in setting for setting in case.settings)
            self.assertEqual(said, len(p1.CLASSES) if case in p1.TURNS else 0, case.name)
        self.assertEqual(len({case.name for case in p1.CASES}), len(p1.CASES))

    def test_users(self):
        """A third of the users of each class idle, or added to what one item of the list stands for."""
        for kind, count in p1.KINDS.values():
            idle = [setting for setting in p1.fewer(3) if setting.startswith(f"mobiles.{kind}")]
            added = [int(setting.rpartition("=")[2]) - 1 for setting in p1.further(3) if setting.startswith(f"mobiles.{kind}")]
            self.assertEqual((len(idle), sum(added)), (2 * (count // 3), count // 3), kind)

    def test_words(self):
        """What a scheme costs is said by what the ratios are."""
        for rate, page, worst, words in WORDS:
            self.assertIn(words, p1.judged(rate, page, worst))

    def test_lost_by_last(self):
        rows = [{"mobile": "a", "class": "thp2", "npdu_in": 10, "drops": {"aqm": 9}},
                {"mobile": "b", "class": "thp2", "npdu_in": 50, "drops": {"aqm": 5, "lifetime": 5}},
                {"mobile": "c", "class": "thp3", "npdu_in": 0, "drops": {"aqm": 0}}]
        self.assertEqual((p1.lost_by_last({"mobiles": rows}, "thp2"), p1.lost_by_last({"mobiles": rows}, "thp3")), (0.2, None))

    def test_totals(self):
        """Octets of all users: the mean of each class times its users."""
        rows = {name: p1.OfClass(1, 1, 10, 1, 1, 1) for name in p1.CLASSES}
        runs = {p1.NONE: rows, p1.RED: {**rows, "background": p1.OfClass(1, 1, 21, 1, 1, 1)}}
        self.assertEqual((p1.total_kbps(runs[p1.NONE]), p1.change(p1.RED, p1.NONE, p1.total_kbps)(runs)), (1100, 100 * (1430 / 1100 - 1)))

    def test_causes(self):
        """A cause names rows that are there."""
        names = {figure.name for figure in p1.FIGURES}
        for figure in p1.FIGURES:
            for word in re.findall(r"p1-[a-z0-9-]+", figure.cause):
                self.assertIn(word, names, figure.name)

    def test_laws(self):
        """The largest distance between formula and measurement; points without a formula do not count."""
        runs = {p1.FIG3: {"points": [{"formula": 0.1, "signalled": 0.12}, {"formula": 0.5, "signalled": 0.45},
                                           {"formula": None, "signalled": 1}]}}
        self.assertAlmostEqual(p1.largest_gap(runs, p1.fig3_pairs), 0.05)


if __name__ == "__main__":
    unittest.main()
