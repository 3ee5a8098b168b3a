# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench workers`: what passes between workers is counted for any number of them; the model is the formula."""
import os
import pathlib
import tempfile

from harness import Case, run

CPUS = len(os.sched_getaffinity(0))
# Gaps count nowhere: no window is void.
SMALL = ["workers", "--mobiles", "1600", "--cells", "16", "--windows", "2", "--set", "gap_us=5000000"]
BURST = 32  # of a ring, at most


def line_count(octets):
    """Of an N-PDU's frame without FCS."""
    return -(-(octets + 50) // 64)


class Workers(Case):
    def trials(self, *options):
        return self.measure(*SMALL, *options)["trials"]

    def check_counts(self, trial):
        workers, counted = trial["workers"], trial["counted"]
        steered = 0 if trial["dealt"] == "teid" else (workers - 1) / workers
        self.assertAlmostEqual(counted["steered"] / counted["npdus"], steered, delta=0.002)
        self.assertEqual((counted["ring_full"], counted["steps_waiting"]), (0, 0))
        if not steered:
            self.assertEqual({counted[name] for name in counted if "line" in name or "ring_" in name}, {0})
            return
        taken = counted["record_lines"] / 3
        self.assertAlmostEqual(taken / counted["steered"], 1, delta=0.01)
        self.assertEqual((counted["header_lines"], counted["rest_lines"]), (taken, taken * (line_count(trial["octets"]) - 1)))
        self.assertEqual(counted["back_lines"], taken * 4.125)
        self.assertEqual(counted["tail_lines"], counted["ring_takes"])
        self.assertGreaterEqual(counted["ring_takes"], taken / BURST)
        self.assertLessEqual(counted["room_lines"], counted["ring_puts"])
        self.assertGreaterEqual(counted["slot_lines"], taken / 8)
        self.assertLessEqual(counted["slot_lines"], taken / 8 + 2 * counted["ring_takes"])

    def check_model(self, trial):
        """The formulas of bench/throughput/scaling.h, with the parts of the report."""
        model, counted, workers = trial["modelled"], trial["counted"], trial["workers"]
        share = counted["steered"] / counted["npdus"]
        each = max(counted["steered"], 1)
        to_receiver = sum(counted[f"{name}_lines"] for name in ("tail", "slot", "record", "header", "rest")) / each
        for field, line_ns in (("npdu_per_s", model["line_ns"]), ("npdu_per_s_low", max(model["chase_ns"] or 0, model["line_ns"] or 0)), ("npdu_per_s_high", 0)):
            own = (1 - share) * model["alone_ns"]
            sender = share * (model["sender_ns"] + counted["room_lines"] / each * (line_ns or 0))
            receiver = share * (model["receiver_ns"] + to_receiver * (line_ns or 0))
            each_ns = (own + sender + receiver) / workers
            if trial["dealt"] == "address":
                each_ns = max(own + sender, receiver / (workers - 1))
            self.assertAlmostEqual(model[field] * each_ns * 1e-9, 1, delta=1e-3, msg=field)

    def test_counts_and_model(self):
        trials = self.trials("--workers", "1,2,4,16", "--octets", "64,512")
        self.assertEqual([(trial["octets"], trial["workers"], trial["dealt"]) for trial in trials],
                         [(octets, *row) for octets in (64, 512)
                          for row in [(1, "teid"), *((n, dealt) for n in (2, 4, 16) for dealt in ("teid", "address", "turn"))]])
        for trial in trials:
            with self.subTest(workers=trial["workers"], dealt=trial["dealt"], octets=trial["octets"]):
                self.assertEqual((trial["mode"], trial["fault"], trial["windows"]), ("workers", None, 2))
                self.assertEqual(trial["mobiles"], 100 * trial["workers"])
                self.check_counts(trial)
                self.check_model(trial)

    def test_counts_are_the_same_in_each_run(self):
        first, second = ([trial["counted"] for trial in self.trials("--workers", "3", "--octets", "imix")] for _ in range(2))
        self.assertEqual(first, second)

    def test_what_has_no_cpu_is_said(self):
        """With one CPU there is one worker to measure, and no line of another CPU."""
        with tempfile.TemporaryDirectory() as folder:
            html = pathlib.Path(folder, "workers.html")
            done = run(*SMALL, "--workers", "1,2", "--octets", "64", "--cores", str(min(os.sched_getaffinity(0))), "--html", str(html))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(done.stdout.count("not measured: 2 workers need 2 CPUs, there is 1\n"), 3)
            self.assertIn("a line of another CPU: not measured with one CPU; taken as 0\n", done.stdout)
            self.assertIn("2 workers need 2 CPUs, there is 1", html.read_text(encoding="utf-8"))

    def test_measured_where_cpus_are(self):
        for trial in self.trials("--workers", "1,2,16", "--octets", "64"):
            is_measured = trial["workers"] <= CPUS
            self.assertEqual(trial["npdu_per_s"] is not None, is_measured)
            self.assertEqual(trial["not_measured"] is None, is_measured)
            self.assertEqual(trial["efficiency"] is not None, is_measured)

    def test_wrong_options(self):
        for options, say in ((["--workers", "17"], "--workers takes whole numbers from 1 to 16, not 17"), (["--set", "teids=foreign"], "teids belongs to"),
                             (["--workers", "2", "--cells", "1"], "each worker needs a cell")):
            self.refuse("workers", *options, say=say)
