# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench` whose output goes through pipes, and which a signal ends: lines of progress, and a report of what there is."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile

from harness import GBFLOW, Case

POINT = ["--mobiles", "200", "--cells", "10"]
NO_PROCESS = 4194305  # above the largest number of a process
SIZES = [str(64 + 100 * i) for i in range(12)]


class Interrupted(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.json, self.page = (pathlib.Path(folder.name) / name for name in ("report.json", "page.html"))

    def start(self, *words, env=None):
        """In a process group of its own, as a terminal would have it."""
        process = subprocess.Popen([GBFLOW, "bench", *words, "--json", self.json, "--html", self.page], text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, env=env)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, stream, word):
        for line in stream:
            if word in line:
                return line
        self.fail(f"it ended without {word}")
        return None

    def check_end(self, process, before=""):
        """The report that is left, of a run that says why it ended, and whose children have ended, too."""
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, output + errors)
        self.assertIn("\nstopped: interrupted\n", before + output)
        self.assertNotIn("\r", errors)
        self.assertNotIn("ended", errors)
        report = json.loads(self.json.read_text(encoding="utf-8"))
        self.assertEqual(report["stopped"], "interrupted")
        self.assertIn("is not complete: interrupted.", self.page.read_text(encoding="utf-8"))
        return report["trials"]

    def test_points_that_were_measured_are_written(self):
        process = self.start("preloaded", *POINT, "--octets", ",".join(SIZES), "--windows", "500", "--set", "gap_us=5000000")
        self.assertEqual(process.stderr.readline(), "0 of 500 windows\n")
        row = self.wait_for(process.stdout, "64 ")
        process.send_signal(signal.SIGTERM)
        trials = self.check_end(process)
        self.assertTrue(0 < len(trials) < len(SIZES), trials)
        self.assertEqual(f"{trials[0]['octets']}", row.split()[0])
        self.assertEqual(trials[0]["windows"], 500)

    def test_searches_and_their_processes(self):
        """As Ctrl-C: the signal is for the whole process group."""
        process = self.start("ndr", *POINT, "--octets", "512", "--seconds", "300", "--trial-ms", "5", "--no-roofline")
        self.wait_for(process.stderr, "512 octets: NDR and PDR")
        os.killpg(process.pid, signal.SIGINT)
        for trial in self.check_end(process):
            self.assertLess(trial["finished_searches"], trial["searches"])

    def test_rounds_of_a_comparison(self):
        process = self.start("compare", GBFLOW, GBFLOW, *POINT, "--octets", "64", "--rounds", "1000", "--slices", "1", "--set", "gap_us=5000000")
        self.wait_for(process.stderr, "of 1000 rounds")
        os.killpg(process.pid, signal.SIGINT)
        for trial in self.check_end(process):  # none where others left no slice of the round
            self.assertTrue(0 < trial["rounds"] < 1000)

    def test_a_soak_that_ends_early(self):
        process = self.start("soak", *POINT, "--rate", "1000", "--set", "gap_us=5000000")
        self.wait_for(process.stderr, "N-PDUs, ")
        process.send_signal(signal.SIGHUP)
        trial, = self.check_end(process)
        self.assertLess(trial["took_s"], 1800)
        self.assertEqual(trial["offered"], trial["sent"] + trial["dropped"] + trial["tx_ring_full"])

    def test_a_long_round_of_a_scheduler(self):
        process = self.start("sched", "--mobiles", "64", "--seconds", "86400")
        self.wait_for(process.stderr, "round 1 of 9")
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(self.check_end(process), [])

    def run_in(self, folder):
        """A run to its end, with its folder of DPDK there."""
        env = {**os.environ, "RUNTIME_DIRECTORY": str(folder)}
        process = self.start("preloaded", *POINT, "--octets", "64", "--windows", "1", "--set", "gap_us=5000000", env=env)
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, output + errors)

    def test_a_run_leaves_no_folder(self):
        self.run_in(self.json.parent)
        self.assertEqual(list((self.json.parent / "dpdk").iterdir()), [])

    def test_what_a_killed_run_leaves(self):
        """The next run removes DPDK's folder of a process that is gone, and no other."""
        folders = self.json.parent / "dpdk"
        unseen = f"gbflow-bench{NO_PROCESS}"  # its process runs in another PID namespace
        others = {folders / name for name in (f"gbflow-bench{os.getpid()}", unseen, "gbflow-benchmark", f"gbflow-bench{NO_PROCESS + 1}abc",
                                              f"gbflow-bench {NO_PROCESS + 2}", f"gbflow-bench0{NO_PROCESS + 3}")}
        for folder in others:
            folder.mkdir(parents=True)
        telemetry = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(telemetry.close)
        telemetry.bind(str(folders / unseen / "dpdk_telemetry.v2"))
        telemetry.listen()
        process = self.start("sched", "--mobiles", "64", "--seconds", "86400", env={**os.environ, "RUNTIME_DIRECTORY": str(self.json.parent)})
        self.wait_for(process.stderr, "round 1 of 9")
        process.kill()
        process.communicate(timeout=60)
        self.assertTrue(any((folders / f"gbflow-bench{process.pid}").iterdir()))
        self.run_in(self.json.parent)
        self.assertEqual(set(folders.iterdir()), others)
        self.assertTrue(any((folders / unseen).iterdir()))
        telemetry.close()
        self.run_in(self.json.parent)
        self.assertEqual(set(folders.iterdir()), others - {folders / unseen})

    def test_instructions_of_a_scheduler(self):
        process = self.start("sched", "--mobiles", "64", "--rounds", "1", "--set", "counted_steps=1000")
        self.wait_for(process.stderr, "of 1000")
        os.killpg(process.pid, signal.SIGINT)
        trial, = self.check_end(process)
        self.assertEqual(trial["rounds"], 1)
        self.assertGreater(trial["instructions"], 0)

    def test_stages_that_were_measured(self):
        process = self.start("stages", *POINT, "--octets", ",".join(SIZES), "--windows", "500", "--set", "gap_us=5000000",
                             "--set", "counted_steps=0")
        self.wait_for(process.stdout, "64 octets")
        process.send_signal(signal.SIGTERM)
        trials = self.check_end(process)
        self.assertTrue(0 < len(trials) < len(SIZES), trials)
