# SPDX-License-Identifier: BSD-3-Clause
"""Captures of `gbflow run` before `gbflow analyze`: what it finds, beside what the run says happened (gi.truth.json)."""
import concurrent.futures
import json
import os
import statistics
import tempfile
import unittest

import program
from program import gbflow
from scenes import SCENES

SILENCE_S, CAPTURES, LONG_OCTETS, REQUEST_OCTETS = 5, 20, 100000, "200"


class Played:
    """A scene's truth and what was found; mobiles by name."""

    def __init__(self, scene, folder):
        self.scene, self.folder = scene, os.path.join(folder, scene.name.replace(" ", "_").replace("/", "_"))
        os.makedirs(self.folder)
        scenario = self.path("scene.lua")
        with open(scenario, "w", encoding="utf-8") as file:
            file.write(scene.text())
        self.call("run", scenario, "--out", self.folder, "--pcap=gi", "--no-report")
        self.call("analyze", self.path("gi.pcapng"), *program.SMALL, "--json", self.path("analysis.json"), "--connections",
                  self.path("connections.csv"), "--periods", self.path("periods.csv"))
        self.truth, self.found, self.summary = (gbflow.read_json(self.path(name))
                                                for name in ("gi.truth.json", "analysis.json", "summary.json"))
        self.rows, self.periods = (program.read_csv(self.path(name)) for name in ("connections.csv", "periods.csv"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *words):
        done = gbflow.run(*words)
        if done.status:
            raise AssertionError(f"{self.scene.name}: {words}: {done}")

    def pairs(self):
        """(row of the analysis, truth) of each connection."""
        truths = {(c["address"], c["mobile_port"], round(c["start_s"], 6)): c for c in self.truth["connections"]}
        return [(row, truths.pop((row["mobile"], int(row["mobile_port"]), round(float(row["start_s"]), 6)))) for row in self.rows]

    def carried_bps(self, address, from_s, to_s):
        """What the mobile got in this time, by the rows of its truth."""
        every_s, octets = self.truth["every_s"], 0
        for at_s, row_octets, _, _ in self.truth["mobiles"][address]["rates"]:
            octets += row_octets * max(0, min(to_s, at_s + every_s) - max(from_s, at_s)) / every_s
        return 8 * octets / (to_s - from_s)

    def rates(self):
        """(name, what was found, truth while its periods lasted) of each mobile; None: no rate."""
        for address, mobile in self.truth["mobiles"].items():
            found = self.found["mobiles"].get(address, {}).get("channel_rate_bps")
            # An ACK passes the monitor that much later than what it acknowledges has come.
            late_s = mobile["access_up_s"] or 0
            carried = [self.carried_bps(address, float(row["start_s"]) - late_s, float(row["end_s"]) - late_s)
                       for row in self.periods if row["mobile"] == address]
            yield mobile["name"], found and found["median"], carried and statistics.median(carried)


class Truth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="gbflow-truth-") as folder:
            with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
                cls.played = list(pool.map(lambda scene: Played(scene, folder), SCENES))

    def each(self, judge):
        for played in self.played:
            with self.subTest(scene=played.scene.name):
                judge(played)

    def test_enough(self):
        self.assertGreaterEqual(len(self.played), CAPTURES)
        self.assertGreaterEqual(len({json.dumps(played.truth["connections"]) for played in self.played}), CAPTURES)

    def test_channel_rates(self):
        """Within 5 % for 95 % of the users that have a period; all have one but those that cannot."""
        near, far = [], []

        def judge(played):
            for name, found, carried in played.rates():
                if name in played.scene.without_rate:
                    self.assertIsNone(found, name)
                    continue
                self.assertIsNotNone(found, name)
                (near if abs(found / carried - 1) <= 0.05 else far).append((played.scene.name, name, found, carried))

        self.each(judge)
        self.assertLessEqual(len(far), 0.05 * len(near + far), far)
        self.assertGreater(len(near), 80)

    def test_the_truth_of_a_channel(self):
        """What the radio carries: slots times octets of a block, less headers of LLC and SNDCP."""
        slots = {"35 kbit/s": 36000, "80 kbit/s": 80000, "10 kbit/s": 10000}

        def judge(played):
            for mobile in played.truth["mobiles"].values():
                if played.scene.name in slots and mobile["name"] in ("both", "plain"):
                    self.assertTrue(0.96 <= 8 * mobile["channel_octets_per_s"] / slots[played.scene.name] <= 1, mobile["name"])

        self.each(judge)

    def test_losses_by_side(self):
        def judge(played):
            truths, loss = played.truth["connections"], played.found["loss"]
            passed, access, internet = (sum(truth[key] for truth in truths) for key in ("passed", "access_lost", "internet_lost"))
            if not played.scene.shows_losses or not passed:
                return
            self.assertEqual(loss["data_packets"], passed)
            self.assertAlmostEqual(100 * loss["access"], 100 * access / passed, delta=0.2)
            self.assertAlmostEqual(100 * loss["internet"], 100 * internet / (passed + internet), delta=0.2)

        self.each(judge)

    def test_the_truth_of_losses(self):
        """What was sent was lost or passed; what passed and did not arrive was dropped by the SGSN or the BSS."""

        def judge(played):
            for truth in played.truth["connections"]:
                self.assertEqual(truth["sent"], truth["internet_lost"] + truth["passed"])
                self.assertEqual(truth["passed"], truth["arrived"] + truth["access_lost"] + truth["unsettled"])
            books = played.summary["conservation"]
            dropped = books["sgsn"]["dropped"] + books["bss"]["dropped"]
            missing = sum(truth["passed"] - truth["arrived"] for truth in played.truth["connections"])
            if "gn_loss" not in played.scene.network and books["bss"]["queued"] + books["sgsn"]["queued"] == 0:
                self.assertEqual(missing, dropped)

        self.each(judge)

    def test_branches(self):
        branches = set()

        def judge(played):
            for row, truth in played.pairs():
                branches.add(truth["branch"])
                has_background = truth["quiet_s"] is not None and truth["quiet_s"] < SILENCE_S
                self.assertEqual((row["branch"], row["background"]), (truth["branch"], str(int(has_background))), row)
                self.assertEqual((row["sack"], row["timestamp"]), (str(int(truth["sack"])), str(int(truth["timestamps"]))))

        self.each(judge)
        self.assertEqual(branches, {"optimal", "slight", "no_response", "refused", "reset", "silent"})

    def test_round_trips(self):
        def judge(played):
            for row, truth in played.pairs():
                if truth["setup_s"] is not None:
                    self.assertAlmostEqual(float(row["setup_s"]), truth["setup_s"], places=6)
                if float(row["access_rtt_s"]):
                    self.assertAlmostEqual(float(row["access_rtt_s"]), truth["access_rtt_s"], places=6)
                    self.assertAlmostEqual(float(row["internet_rtt_s"]), truth["internet_rtt_s"], places=6)

        self.each(judge)

    def test_round_trips_under_load(self):
        """The ways down and up, and up to 0.2 s for which an ACK is delayed."""

        def judge(played):
            if played.scene.name not in ("35 kbit/s", "80 kbit/s", "160 kbit/s"):
                return
            for row, truth in played.pairs():
                mobile = played.truth["mobiles"][truth["address"]]
                ways_s = mobile["access_down_s"] + mobile["access_up_s"]
                if int(row["rtt_samples"]) > 100:
                    self.assertTrue(-0.1 < float(row["rtt_mean_s"]) - ways_s < 0.25, (row["rtt_mean_s"], ways_s))

        self.each(judge)

    def test_user_throughput_with_parallel_traffic(self):
        judged = []

        def judge(played):
            for row, truth in played.pairs():
                is_long = int(row["payload_octets"]) > LONG_OCTETS and row["uplink_octets"] == REQUEST_OCTETS
                if is_long and int(row["other_octets"]):
                    judged.append(row)
                    self.assertAlmostEqual(float(row["user_bps"]) / 8 / truth["user_octets_per_s"], 1, delta=0.05)

        self.each(judge)
        self.assertGreater(len(judged), 10)


if __name__ == "__main__":
    unittest.main()
