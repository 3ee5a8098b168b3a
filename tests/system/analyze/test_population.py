# SPDX-License-Identifier: BSD-3-Clause
"""Five minutes of the population with the paper's tables I and III, through the analysis: what TCP's options do, parallel traffic,
and the peaks of two and three timeslots."""
import os
import tempfile
import unittest

import program
from program import gbflow

SCENARIO = os.path.join(gbflow.ROOT, "config", "scenarios", "gprs-population.lua")
# Table I, and how far the shares of some thousand connections may be off: mobiles with faster TCPs read more pages.
TABLE_1 = {"sack": 0.5549, "timestamp": 0.0948, "mss_low": 0.2512, "mss_high": 0.2252, "window_low": 0.5590,
           "window_medium": 0.2554, "window_high": 0.1856}
DURATION = "MOVE_S <const> = 600,", "MOVE_S <const> = 300,"
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
            short = os.path.join(folder, "short.lua")
            with open(SCENARIO, encoding="utf-8") as shipped, open(short, "w", encoding="utf-8") as file:
                file.write(shipped.read().replace(*DURATION))
            call("run", short, "--out", folder, "--pcap=gi", "--no-report")
            cls.printed = call("analyze", os.path.join(folder, "gi.pcapng"), *program.SMALL, "--json", report)
            cls.found = gbflow.read_json(report)
        cls.bps = {name: row["mean"] for name, row in cls.found["table_3"].items()}

    def test_the_mix(self):
        for name, share in TABLE_1.items():
            self.assertAlmostEqual(self.found["table_1"][name], share, delta=0.035)
        self.assertGreater(self.found["table_3"]["overall"]["count"], 500)

    def test_a_large_mss_is_better(self):
        self.assertTrue(1.05 < self.bps["mss_high"] / self.bps["mss_low"] < 1.25, self.bps)

    def test_a_large_window_is_not_best(self):
        self.assertGreater(self.bps["window_medium"], 1.02 * self.bps["window_high"])

    def test_parallel_traffic(self):
        """More than a third of the long connections are not alone, and parallel traffic is no loss for the user."""
        shares, users = self.found["user_throughput_bps"]["own_share"], self.found["user_throughput_bps"]
        self.assertGreater(sum(shares[:-1]), sum(shares) / 3)
        self.assertGreater(users["background_above_2_3"]["mean"], 0.95 * users["background_below_1_3"]["mean"])

    def test_peaks_of_two_and_three_slots(self):
        """Nearly all periods lie in one of two narrow peaks, of which none is small."""
        bars = self.found["channel_rate_bps"]["bars"]
        total = sum(count for _, count in bars)
        shares = [sum(count for start, count in bars if low <= start < high) / total for low, high in PEAKS_BPS.values()]
        self.assertGreater(min(shares), 0.3)
        self.assertGreater(sum(shares), 0.9)

    def test_losses_are_near_those_of_table_2(self):
        self.assertAlmostEqual(100 * self.found["loss"]["internet"], 0.15, delta=0.05)
        self.assertTrue(1 < 100 * self.found["loss"]["access"] < 3.5)

    def test_set_up(self):
        tree = self.found["tree"]
        self.assertTrue(1 < tree["optimal_alone"]["setup_s_mean"] < 1.3)
        self.assertGreater(tree["optimal_background"]["setup_s_mean"], tree["optimal_alone"]["setup_s_mean"] + 0.05)
        self.assertGreater(tree["optimal_alone"]["count"], 0.2 * tree["all"]["count"])

    def test_the_paper_stands_beside(self):
        for words in ("MSS high", "24.94", "window medium", "25.72"):
            self.assertIn(words, self.printed)


if __name__ == "__main__":
    unittest.main()
