# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench ndr`: two processes, memif between them, a search that ends."""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile

from harness import BUSY_TRIES, GBFLOW, Case, run

QUICK = ["ndr", "--mobiles", "200", "--cells", "10", "--octets", "512", "--searches", "1", "--seconds", "10",
         "--trial-ms", "5", "--no-roofline"]


class Ndr(Case):
    def check_trial(self, trial, workers=1):
        self.assertEqual((trial["mode"], trial["octets"], trial["workers"]), ("ndr", 512, workers))
        self.assertGreater(trial["ndr_npdu_per_s"], 0)
        self.assertGreaterEqual(trial["pdr_npdu_per_s"], trial["ndr_npdu_per_s"])
        self.assertLessEqual(trial["ndr_range"]["least"], trial["ndr_npdu_per_s"])
        self.assertEqual((trial["wrong_fcs"], trial["reordered"]), (0, 0))
        mpps, gn = trial["ndr_npdu_per_s"] / 1e6, trial["gn"]
        self.assertEqual(gn["frame_octets"], 566)
        for field, expected in (("mpps", mpps), ("l2_gbit_per_s", mpps * 566 * 8e-3), ("l1_gbit_per_s", mpps * 586 * 8e-3)):
            self.assertAlmostEqual(gn[field], expected, places=6)
        self.assertGreater(trial["tried_trials"], trial["voided_trials"])
        if trial["overload_share"]:  # not known where the machine was at a distance only for a moment
            self.assertGreaterEqual(trial["overload_offered_npdu_per_s"], trial["overload_npdu_per_s"])
            self.assertAlmostEqual(trial["overload_share"], trial["overload_npdu_per_s"] / trial["ndr_npdu_per_s"], places=6)

    def points(self, *more):
        """Of a run: the trials of each point, which are as many as the machine had distances meanwhile."""
        points = {}
        for trial in self.measure(*QUICK, *more)["trials"]:
            self.check_trial(trial)
            self.assertGreater(trial["round_trip_ns"], 10)
            points.setdefault(trial["cipher"], []).append(trial)
        for trials in points.values():
            trips = sorted(trial["round_trip_ns"] for trial in trials)
            for near, far in zip(trips, trips[1:]):
                self.assertGreater(far, near)
        return points

    def test_a_search_in_clear_and_its_latency(self):
        points = self.points("--check-fcs")
        for trial in points["none"]:
            self.assertEqual([level["percent"] for level in trial["latency_at"]], [10, 50, 90])
            self.assertIsNone(trial["roofline_share"])
        self.assertTrue(any(trial["overload_share"] for trial in points["none"]))
        # Where the machine was at a distance only for a moment, latency is not known there.
        levels = [level for trial in points["none"] for level in trial["latency_at"] if level["p50"]]
        self.assertGreaterEqual(len(levels), 3)
        for level in levels:
            self.assertGreaterEqual(level["p99"], level["p50"])

    def test_one_point_after_the_other(self):
        points = self.points("--cipher", "none,gea3")
        self.assertEqual(list(points), ["none", "gea3"])
        for trial in points["gea3"]:
            self.assertIsNone(trial["latency_us"]["p50"])

    def test_testpmd_takes_turns(self):
        if not shutil.which("dpdk-testpmd"):
            self.assertNotEqual(os.environ.get("CI"), "true", "dpdk-testpmd is missing")
            print("skipped: dpdk-testpmd (Debian's package dpdk-dev) is missing")
            self.skipTest("dpdk-testpmd is missing")
        for trial in self.measure(*[word for word in QUICK if word != "--no-roofline"])["trials"]:
            self.check_trial(trial)
            self.assertGreaterEqual(trial["roofline_trials"], trial["roofline_voided_trials"])
            if trial["roofline_npdu_per_s"]:
                self.assertIsNone(trial["no_roofline_because"])
                self.assertAlmostEqual(trial["roofline_share"], trial["ndr_npdu_per_s"] / trial["roofline_npdu_per_s"], places=6)
            else:  # others had the CPUs
                self.assertEqual((trial["no_roofline_because"], trial["roofline_share"]), ("no search found a rate", None))

    def test_a_missing_testpmd_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in ("", folder, f"{folder}:{folder}/none"):
                with self.subTest(path=path):
                    words = [word for word in QUICK if word != "--no-roofline"]
                    done = subprocess.run([GBFLOW, "bench", *words], capture_output=True, text=True, check=False,
                                          env=dict(os.environ, PATH=path), stdin=subprocess.DEVNULL)
                    self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
                    self.assertIn("dpdk-testpmd is missing; install dpdk-dev, or use --no-roofline", done.stderr)

    def test_a_testpmd_that_ends_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "dpdk-testpmd"
            path.write_text("#!/bin/sh\necho first; echo 'EAL: FATAL: no memory <here>' >&2; echo later; echo '  Cause: no <luck>'; echo; exit 3\n", encoding="utf-8")
            path.chmod(0o755)
            words = [word for word in QUICK if word != "--no-roofline"]
            report = pathlib.Path(folder) / "report.json"
            for _ in range(BUSY_TRIES):
                done = subprocess.run([GBFLOW, "bench", *words, "--seconds", "3", "--set", "gap_us=5000000", "--json", report, "--out", folder], capture_output=True, text=True,
                                      check=False, env=dict(os.environ, PATH=folder), stdin=subprocess.DEVNULL)
                if done.returncode == 0:
                    break
            trials = json.loads(report.read_text(encoding="utf-8"))["trials"]
            log = (pathlib.Path(folder) / "testpmd.log").read_text(encoding="utf-8")
        ended = f"ended with status 3: EAL: FATAL: no memory <here>: no <luck>; its output is in {folder}/testpmd.log"
        self.assertIn(f"gbflow bench ndr: dpdk-testpmd {ended}\n", done.stderr)
        self.assertIn("first\n", log)
        self.assertNotIn("are not up", done.stderr)
        self.assertRegex(done.stdout, r"(?m)^512 .* -      -  +\d+  +\d+\n")
        self.assertIn(f"testpmd was not measured: it {ended}\n", done.stdout)
        self.assertTrue(trials)
        for trial in trials:
            self.assertEqual((trial["roofline_npdu_per_s"], trial["no_roofline_because"]), (None, f"it {ended}"))

    def test_a_search_without_a_rate(self):
        """No trial of a microsecond's gap ends without one: all are void."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            done = run("ndr", "--mobiles", "200", "--cells", "10", "--octets", "512", "--searches", "1", "--seconds", "1", "--no-roofline",
                       "--trial-ms", "20", "--set", "gap_us=1", "--json", str(report))
            data = json.loads(report.read_text(encoding="utf-8"))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        lost = data["not_found"]
        self.assertEqual((data["trials"], lost["octets"], lost["searches"]), ([], 512, 1))
        self.assertIn(f"no search found a rate in 1 s each, {lost['voided_trials']} of {lost['tried_trials']} trials of 20 ms void: {lost['advice']}\n",
                      done.stderr)
        self.assertIn("use idle CPUs, or raise --seconds above 1", lost["advice"])
        self.assertEqual((data["gaps"]["trial_ms"], data["gaps"]["bound_us"]), (20, 1))

    def test_the_machines_gaps_choose_the_trial(self):
        """A figure of trials that the gaps allow, or at once the gaps that allow none."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            done = run("ndr", "--mobiles", "200", "--cells", "10", "--octets", "512", "--searches", "1", "--seconds", "2", "--no-roofline",
                       "--json", str(report))
            data = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None
        watched = r"2 CPUs watched for 3 s: n = (\d+) gaps above (\d+) us take (\d+\.\d) % of the time, the longest \d+\.\d ms; (\d+) % of trials of (\d+) ms are expected void"
        if data is None:
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            said = re.search(f"this machine cannot be measured: {watched}; use idle CPUs, or give --trial-ms N to try in spite of it", done.stderr)
            self.assertEqual((said[2], said[5]), ("100", "1"))
            self.assertGreaterEqual(int(said[4]), 75)
            return
        gaps, said = data["gaps"], re.search(f"\n{watched}\n", done.stdout)
        self.assertEqual((int(said[1]), int(said[2]), int(said[5])), (gaps["gaps"], gaps["bound_us"], gaps["trial_ms"]))
        self.assertIn(f", 1 search, trials of {gaps['trial_ms']} ms\n", done.stdout)
        self.assertLessEqual(gaps["expected_void_share"], 0.5 if gaps["trial_ms"] > 1 else 0.75)
        classes = [row["gaps"] for row in gaps["histogram"] if row["from_us"] >= gaps["bound_us"]]
        self.assertEqual((sum(classes), len(gaps["histogram"])), (gaps["gaps"], 12))
        for trial in data["trials"]:
            self.assertIn(f"n = 1 search: {trial['tried_trials']} trials, {trial['voided_trials']} void\n", done.stdout)

    def test_progress_on_a_terminal(self):
        mine, theirs = pty.openpty()
        process = subprocess.Popen([GBFLOW, "bench", *QUICK, "--seconds", "2"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        text = b""
        try:
            while octets := os.read(mine, 4096):
                text += octets
        except OSError:  # the end of a terminal
            pass
        os.close(mine)
        process.wait(60)
        self.assertRegex(text.decode(), r"\r\d+ s: 512 octets: NDR and PDR, \d+ trials, \d+ void ")

    def test_a_guess_is_marked(self):
        """Searches that end in the bisection; the rates come before the machine."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            for _ in range(5):
                done = run(*QUICK, "--trial-ms", "20", "--seconds", "1", "--set", "gap_us=5000000", "--json", str(report))
                if done.returncode == 0:
                    break
            trials = json.loads(report.read_text(encoding="utf-8"))["trials"]
        if done.returncode == 1 and "no search found a rate" in done.stderr:
            self.skipTest("the machine is too busy for any rate")
        rows = re.findall(r"(?m)^512 +none .*? (>=|)(\d+)  \(", done.stdout)
        self.assertEqual(rows, [(">=" if trial["ndr_is_least"] else "", f"{trial['ndr_npdu_per_s']:.0f}") for trial in trials])
        self.assertTrue(any(trial["ndr_is_least"] for trial in trials))
        self.assertIn("NDR is a guess, at least this (>=); raise --seconds\n", done.stdout)
        self.assertRegex(done.stdout, r"NDR in Ethernet frames of 566 octets on Gn: \d+\.\d+ Mpps, \d+\.\d+ Gbit/s L2, \d+\.\d+ Gbit/s L1\n")
        self.assertRegex(done.stdout, r"\n\d+ of \d+ trials \(\d+\.\d %\) were void and made again\n.* CPUs.*, DPDK .*\n\Z")

    def test_two_workers_that_share_a_processor(self):
        cpus = sorted(os.sched_getaffinity(0))
        trial = self.measure(*QUICK, "--check-fcs", "--workers", "2", "--cores", f"{cpus[0]},{cpus[0]},{cpus[-1]}")["trials"][0]
        self.check_trial(trial, workers=2)
        self.assertTrue(trial["shared_processors"])

    def test_wrong_arguments_are_refused(self):
        for more, say in ((["--set", "bvc_rate=90"], "--set: bvc_rate belongs to 'preloaded', 'compare'"),
                          (["--workers", "8"], "--workers takes whole numbers from 1 to 7, not 8"),
                          (["--workers", "2", "--cores", "0,0"], "2 workers and the generator take 3 CPUs, 2 given or found"),
                          (["--check-fcs", "--cipher", "gea3"], "--check-fcs needs --cipher none"),
                          (["--searches", "0"], "--searches takes"), (["--seconds", "0"], "--seconds takes"),
                          (["--trial-ms", "0"], "--trial-ms takes")):
            with self.subTest(more=more):
                self.refuse("ndr", *more, say=say)

    def test_a_dut_alone_is_refused(self):
        self.refuse("dut", say="only `gbflow bench ndr` and `gbflow bench soak` start it")

    def test_no_process_is_left(self):
        run(*QUICK, "--set", "gap_us=5000000")
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            # Children of other runs have other parents; ours would have none.
            is_dut = words[1:3] == [b"bench", b"dut"]
            with self.subTest(pid=pid):
                self.assertFalse(is_dut and self.parent_of(pid) == 1)

    @staticmethod
    def parent_of(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                return int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            return 0
