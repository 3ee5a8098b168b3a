# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of `gbflow bench compare` and of gbflow-fitness have in common: two sides in alternating slices."""
from harness import Case

SMALL = ["--mobiles", "200", "--cells", "10", "--rounds", "2", "--slices", "2", "--set", "window_ms=2"]
SIDE = {"program", "processes", "workers_each", "slowdown_percent", "npdu_per_s", "npdu_per_s_lower_quartile",
        "npdu_per_s_upper_quartile"}


class Comparison(Case):
    def check_trial(self, trial, mode, sides):
        self.assertEqual(trial["mode"], mode)
        for name, processes, workers in sides:
            side = trial[name]
            self.assertEqual(set(side), SIDE)
            self.assertEqual((side["processes"], side["workers_each"]), (processes, workers))
            self.assertLessEqual(side["npdu_per_s_lower_quartile"], side["npdu_per_s"])
            self.assertLessEqual(side["npdu_per_s"], side["npdu_per_s_upper_quartile"])
        self.assertEqual((trial["ratio_low"], trial["ratio_high"]), (None, None))  # of two rounds
        self.assertEqual((trial["rounds_asked"], trial["pairs_asked"]), (2, 4))
        self.assertEqual(len(trial["ratios"]), trial["rounds"])
        self.assertTrue(trial["rounds"] <= trial["pairs"] <= 2 * 2)
        self.assertAlmostEqual(trial["slower_percent"], (1 / trial["ratio"] - 1) * 100, delta=1e-3)

    def check_failed(self, done, say):
        """The run failed as it should have, or because of what else the machine does."""
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        if "use idle CPUs" not in done.stdout + done.stderr:
            self.assertIn(say, done.stdout)
