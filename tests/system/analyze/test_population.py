# SPDX-License-Identifier: BSD-3-Clause
"""The population with the paper's table I, through the analysis: what TCP's options do, in the paper's order, and the peaks
of two and three timeslots."""
import os
import tempfile
import unittest

import program
from program import gbflow

SCENARIO = os.path.join(gbflow.ROOT, "config", "scenarios", "gprs-population.lua")
# Table I, and how far the shares of some thousand connections may be off: mobiles with faster TCPs read more pages.
TABLE_1 = {"sack": 0.5549, "timestamp": 0.0948, "mss_low": 0.2512, "mss_high": 0.2252, "window_low": 0.5590,
           "window_medium": 0.2554, "window_high": 0.1856}
PEAKS_BPS = {2: (21000, 23000), 3: (31000, 35000)}


def call(*words):
    done = gbflow.run(*words)
    if done.status:
        raise AssertionError(str(done))
    return done.stdout


class Population(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="gbflow-population-") as folder:
            report = os.path.join(folder, "analysis.json")
            call("run", SCENARIO, "--out", folder, "--pcap=gi", "--no-report", "--set", "duration=5 min")
            cls.printed = call("analyze", os.path.join(folder, "gi.pcapng"), *program.SMALL, "--json", report)
            cls.found = gbflow.read_json(report)
        cls.bps = {name: row["mean"] for name, row in cls.found["table_3"].items()}

    def test_the_mix(self):
        for name, share in TABLE_1.items():
            self.assertAlmostEqual(self.found["table_1"][name], share, delta=0.02)
        self.assertGreater(self.found["table_3"]["overall"]["count"], 1500)

    def test_a_large_mss_is_better(self):
        self.assertTrue(1.1 < self.bps["mss_high"] / self.bps["mss_low"] < 1.25, self.bps)

    def test_sack_is_better(self):
        self.assertGreater(self.bps["sack"], self.bps["no_sack"])

    def test_a_medium_window_is_best(self):
        self.assertGreater(self.bps["window_medium"], 1.02 * self.bps["window_low"])
        self.assertGreater(self.bps["window_medium"], 1.02 * self.bps["window_high"])

    def test_peaks_of_two_and_three_slots(self):
        """Nearly all periods lie in one of two narrow peaks, of which none is small."""
        bars = self.found["channel_rate_bps"]["bars"]
        total = sum(count for _, count in bars)
        shares = [sum(count for start, count in bars if low <= start < high) / total for low, high in PEAKS_BPS.values()]
        self.assertGreater(min(shares), 0.3)
        self.assertGreater(sum(shares), 0.9)

    def test_losses_are_near_those_of_table_2(self):
        self.assertAlmostEqual(100 * self.found["loss"]["internet"], 0.15, delta=0.05)
        self.assertTrue(1 < 100 * self.found["loss"]["access"] < 2.5)

    def test_set_up(self):
        self.assertTrue(1 < self.found["tree"]["optimal_alone"]["setup_s_mean"] < 2)

    def test_the_paper_stands_beside(self):
        for words in ("MSS high", "24.94", "window medium", "25.72"):
            self.assertIn(words, self.printed)


if __name__ == "__main__":
    unittest.main()
