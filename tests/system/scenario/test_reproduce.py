# SPDX-License-Identifier: BSD-3-Clause
"""gbflow reproduce: figures within their bands, and the known misses, which are not reproduced. Speeds are printed."""
import glob
import os
import re
import time
import unittest

import scenario
from scenario import gbflow

FIGURES, CASES = 27, 15
LATER = "TEST_SHORT=1 leaves it to the night"
NOT_IN_BAND = {"p4-climb-new-route", "p4-loss-floor", "p4-four-minutes-route", "p4-rtt-cut-1pdch", "p4-rtt-cut-3pdch"}
SPEED = re.compile(r"(\d+) s of virtual time took [\d.]+ s, (\d+) times real time")


def not_in_band(figures):
    return {row["id"]: row["verdict"] for row in figures if row["verdict"] != "in band"}


class Reproduce(scenario.Case):
    def reproduce(self, *words):
        result = gbflow.run("reproduce", "P4", "--out", self.folder, *scenario.LOCAL, *words)
        self.assertEqual(result.status, 0, result)
        figures = gbflow.read_json(self.path("reproduction.json"))["figures"]
        self.assertEqual(set(not_in_band(figures).values()), {"not reproduced"}, result)
        self.assertEqual(set(not_in_band(figures)) - {"p4-climb-route"}, NOT_IN_BAND, result)
        self.assertEqual(len(figures), FIGURES)
        self.assertEqual(result.stdout.splitlines()[-1], self.path("report.html"))
        self.assertTrue(os.path.getsize(self.path("report.html")) > 10000)
        return result, figures

    def speeds(self):
        """How many times faster than real time each run was."""
        for log in glob.glob(self.path("runs/P4/*/log.txt")):
            with open(log, encoding="utf-8") as file:
                seconds, times = SPEED.search(file.read()).groups()
            self.assertEqual(int(seconds), 900)
            yield int(times)

    def test_one_seed(self):
        """What is there already is not run again, and says the same."""
        _, first = self.reproduce("--seeds", "1")
        speeds = sorted(self.speeds())
        self.assertEqual(len(speeds), CASES)
        print(f"P4: {speeds[CASES // 2]} times real time")
        result, again = self.reproduce("--seeds", "1")
        self.assertIn(f"{CASES} of {CASES} runs are there already", result.stderr)
        self.assertEqual(first, again)

    @unittest.skipIf(gbflow.IS_SHORT, LATER)
    def test_missed(self):
        """A band that is missed is status 1: with blocks of CS-1."""
        with open(scenario.shipped("gprs-buffering"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn('coding = "CS-2"', text)
        os.makedirs(self.path("altered"))
        self.write("altered/gprs-buffering.lua", text.replace('coding = "CS-2"', 'coding = "CS-1"'))
        result = gbflow.run("reproduce", "P4", "--seeds", "1", "--out", self.path("out"), "--spread", "local", "--scenarios",
                            self.path("altered"))
        self.assertEqual(result.status, 1, result)
        self.assertRegex(result.stdout, r"(?m)^p4-throughput-1pdch-63s .* missed, fitted$")

    @unittest.skipIf(gbflow.IS_SHORT, LATER)
    def test_preemption(self):
        """P5: in band but for the window before the first calls."""
        result = gbflow.run("reproduce", "P5", "--seeds", "1", "--out", self.folder, *scenario.LOCAL)
        self.assertEqual(result.status, 0, result)
        figures = gbflow.read_json(self.path("reproduction.json"))["figures"]
        self.assertLessEqual(set(not_in_band(figures)), {"p5-window-full", "p5-rtt-3s", "p5-rtt-15s"})
        self.assertGreaterEqual(len(figures), 37)

    @unittest.skipIf(gbflow.IS_SHORT, LATER)
    def test_radio(self):
        """The radio: all is in band but for what its page names."""
        result = gbflow.run("reproduce", "radio", "--seeds", "1", "--out", self.folder, *scenario.LOCAL, seconds=280)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(not_in_band(gbflow.read_json(self.path("reproduction.json"))["figures"]),
                         dict.fromkeys(("radio-outage-vendor", "radio-repeats-failed-m4-0.3"), "not reproduced"))

    @unittest.skipUnless(gbflow.IS_LONG, "TEST_ALL=1 runs it")
    def test_latency(self):
        """P3: no band is missed; of one seed the average of 50 pings may be."""
        result = gbflow.run("reproduce", "P3", "--seeds", "3", "--out", self.folder, *scenario.LOCAL, seconds=900)
        self.assertEqual(result.status, 0, result)
        figures = gbflow.read_json(self.path("reproduction.json"))["figures"]
        self.assertEqual(set(not_in_band(figures)), {"p3-bler", "p3-ping64-average", "p3-parts-ping"})

    @unittest.skipUnless(gbflow.IS_LONG, "TEST_ALL=1 runs it")
    def test_sensitivity(self):
        """P1: within the stated ranges signs and order hinge on nothing that is assumed; beyond two of them, on both."""
        result = gbflow.run("reproduce", "P1", "--sensitivity", "--seeds", "1", "--out", self.folder, *scenario.LOCAL,
                            seconds=1700)
        self.assertEqual(result.status, 0, result)
        rows = gbflow.read_json(self.path("reproduction.json"))["sensitivity"]
        self.assertGreater(len(rows), 30)
        self.assertEqual({row["verdict"] for row in rows if row["in_range"]}, {"holds"}, result)
        self.assertEqual([row["value"] for row in rows if row["verdict"] != "holds"], ["27 kbit/s", "2"])

    def test_scenarios_are_found(self):
        """From any folder: those of the tree that the program was built in; else the message names the option."""
        out = self.path("found")
        words = ["reproduce", "P4", "--seeds", "1", "--out", out, "--spread", "local"]
        result = gbflow.run(*words, cwd=self.folder)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(len(gbflow.read_json(os.path.join(out, "reproduction.json"))["figures"]), FIGURES)
        missing = gbflow.run(*words, "--scenarios", "nowhere", cwd=self.folder)
        self.assertEqual((missing.status, missing.stderr.splitlines()[-1]),
                         (2, "gbflow reproduce: nowhere/gprs-buffering.lua: is not there; name the folder of the scenario files by --scenarios DIR"))

    def test_wrong(self):
        for words, status in ((["P9"], 2), (["P4", "--seeds", "0"], 2), (["--nope"], 2), (["P4", "--scenarios", "nowhere"], 2),
                              (["P4", "--sensitivity"], 2), (["P4", "--spread", "magic"], 2)):
            with self.subTest(words=words):
                self.assertEqual(gbflow.run("reproduce", "--out", self.path("out"), "--spread", "local", *words).status, status)

    @unittest.skipUnless(gbflow.IS_LONG, "TEST_ALL=1 runs it")
    def test_five_seeds(self):
        began = time.monotonic()
        _, figures = self.reproduce()
        print(f"P4, five seeds: {time.monotonic() - began:.0f} s")
        self.assertEqual({row["measured"]["seeds"] for row in figures}, {5})


if __name__ == "__main__":
    unittest.main()
