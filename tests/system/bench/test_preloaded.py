# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench preloaded`: everything that goes in comes out, in frames that are right, and the report says so."""
import json
import os
import pathlib
import tempfile

from harness import Case, run

CPU = str(min(os.sched_getaffinity(0)))

FIELDS = {"mode", "octets", "cipher", "mobiles", "cells", "workers", "npdu_per_s", "ndr_npdu_per_s",
          "pdr_npdu_per_s", "ns_per_npdu", "latency_us", "roofline_share", "voided_trials"}
SMALL = ["preloaded", "--mobiles", "500", "--cells", "10", "--check-fcs"]

# LLC frames for an N-PDU, and their octets from Ethernet on: 42 transport, 4 NS, BSSGP, 3 LLC, SNDCP 4 and then 3, 3 FCS.
FRAMES = {64: 1, 512: 2, 1400: 3}


class Checks(Case):
    def check_trial(self, trial):
        self.assertLessEqual(FIELDS, set(trial))
        self.assertIsNone(trial["fault"])
        self.assertEqual(trial["offered"], trial["sent"] + trial["dropped"])
        self.assertGreater(trial["sent"], 0)
        self.assertEqual(trial["windows"], 2 * trial["workers"])
        self.assertGreater(trial["npdu_per_s"], 0)
        self.assertGreaterEqual(trial["ns_with_ports"], trial["ns_per_npdu"])
        self.assertEqual(trial["windows_asked"], trial["windows"])
        if trial["windows"] < 6:  # which have no interval
            self.assertEqual((trial["ns_median_low"], trial["ns_median_high"]), (None, None))
        else:
            self.assertLessEqual(trial["ns_median_low"], trial["ns_per_npdu"])
            self.assertLessEqual(trial["ns_per_npdu"], trial["ns_median_high"])


class Preloaded(Checks):
    def test_each_size_and_cipher(self):
        report = self.measure(*SMALL, "--octets", "64,512,1400", "--cipher", "none,gea3,gea4")
        self.assertEqual(report["schema"], "gbflow-bench/2")
        self.assertGreater(report["machine"]["processors"], 0)
        self.assertEqual([(t["cipher"], t["octets"]) for t in report["trials"]],
                         [(c, o) for c in ("none", "gea3", "gea4") for o in (64, 512, 1400)])
        for trial in report["trials"]:
            self.check_trial(trial)
            self.assertEqual(trial["dropped"], 0)
            self.assertEqual(trial["llc_frames"], FRAMES[trial["octets"]] * trial["sent"])

    def test_few_valid_windows(self):
        """The mark, its line and status 1 stand where fewer windows than asked are valid; an interval takes six."""
        for asked, most, status, rows in ((100, 1, 1, (r"  -  .* 1 of 100 +\d+ !$", "no 95 % interval: it takes 6 valid windows or more, not 1\n",
                                                       "! 1 of 100 windows valid, ")),
                                          (100, 6, 1, (r"  \d+\.\d\.\.\d+\.\d  .* 6 of 100 +\d+ !$", "! 6 of 100 windows valid, ")),
                                          (5, 5, 0, (r"  -  .* 5 of 5 +\d+$", "no 95 % interval: it takes 6 valid windows or more, not 5\n")),
                                          (6, 6, 0, (r"  \d+\.\d\.\.\d+\.\d  .* 6 of 6 +\d+$",))):
            with self.subTest(asked=asked, most=most), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "bench.json")
                done = run("preloaded", "--mobiles", "200", "--cells", "10", "--octets", "64", "--windows", str(asked), "--set", "gap_us=5000000",
                           "--set", f"void_after={most}", "--json", str(path))
                trial, = json.loads(path.read_text(encoding="utf-8"))["trials"]
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                self.assertRegex(done.stdout, "(?m)^64 .*" + rows[0])
                for row in rows[1:]:
                    self.assertIn("        " + row, done.stdout)
                self.assertEqual("!" in done.stdout, status == 1)
                self.assertEqual("no 95 % interval" in done.stdout, most < 6)
                self.assertEqual((trial["windows"], trial["windows_asked"]), (most, asked))
                self.assertEqual(trial["ns_median_low"] is None, most < 6)
                self.assertEqual(trial["ns_median_high"] is None, most < 6)

    def test_sizes_of_ethernet_frames(self):
        """Those of RFC 2544 but 64, in which no N-PDU has room."""
        trials = self.measure(*SMALL, "--octets", "frame128,frame256,frame512,frame1024,frame1280,frame1518,64,imix")["trials"]
        self.assertEqual([trial["octets"] for trial in trials], [74, 202, 458, 970, 1226, 1464, 64, "imix"])
        self.assertEqual([round(trial["gn"]["frame_octets"]) for trial in trials], [128, 256, 512, 1024, 1280, 1518, 118, 379])

    def test_mix_of_sizes(self):
        trial = self.measure(*SMALL, "--octets", "imix")["trials"][0]
        self.check_trial(trial)
        self.assertEqual(trial["octets"], "imix")
        # Of each 12: 7 in one frame, 4 in two, 1 in three; a pattern that is not whole adds 12 at most.
        self.assertAlmostEqual(trial["llc_frames"] / trial["sent"], 18 / 12, delta=12 / trial["sent"])

    def test_popularity_strangers_and_schemes(self):
        for more in (["--set", "zipf=1"], ["--set", "teids=foreign"], ["--set", "aqm=none"],
                     ["--set", "aqm=pie", "--set", "aqm_scope=class_of_bvc"], ["--pages", "small"]):
            with self.subTest(more=more):
                self.check_trial(self.measure(*SMALL, "--octets", "100", *more)["trials"][0])

    def test_each_option_is_in_the_plan(self):
        rows = [
            (["--pages", "small"], {"pages": "small", "cores": None}),
            (["--pages", "transparent"], {"pages": "transparent"}),
            (["--cores", CPU], {"pages": "auto", "cores": [int(CPU)]}),
            (["--set", "n201_u=140"], {"n201_u": 140}),
            (["--set", "aqm=none"], {"aqm": "none"}),
            (["--set", "aqm_scope=flow"], {"aqm_scope": "flow"}),
            (["--set", "teids=foreign"], {"foreign_teids": True}),
            (["--set", "zipf=1.5"], {"zipf": 1.5}),
            (["--set", "bvc_rate=50"], {"bvc_rate_percent": 50}),
            (["--set", "seed=7"], {"seed": 7}),
            (["--set", "window_ms=2"], {"window_ns": 2000000}),
        ]
        for more, expected in rows:
            with self.subTest(more=more):
                plan = self.measure(*SMALL, "--octets", "100", *more)["plan"]
                self.assertEqual({name: plan[name] for name in expected}, expected)
                self.assertTrue(plan["fcs_checked"])

    def test_buckets_that_limit(self):
        trial = self.measure(*SMALL, "--octets", "512", "--set", "bvc_rate=50")["trials"][0]
        self.check_trial(trial)
        self.assertGreater(trial["dropped"], 0)

    def test_workers_share_mobiles_and_cells(self):
        report = self.measure("preloaded", "--mobiles", "501", "--cells", "11", "--check-fcs", "--octets", "64",
                              "--workers", "1,2,3")
        self.assertEqual([t["workers"] for t in report["trials"]], [1, 2, 3])
        for trial in report["trials"]:
            self.check_trial(trial)
