# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench compare` and `pair`: two sides in turn; their programs, the report, the exit status."""
import os
import stat
import tempfile

from harness import GBFLOW, Case, run

SMALL = ["--mobiles", "200", "--cells", "10", "--rounds", "2", "--slices", "2", "--window-ms", "2"]
SIDE = {"program", "processes", "workers_each", "plant_percent", "npdu_per_s", "npdu_per_s_lower_quartile",
        "npdu_per_s_upper_quartile"}


class Contest(Case):
    def check_trial(self, trial, mode, sides):
        self.assertEqual(trial["mode"], mode)
        for name, processes, workers in sides:
            side = trial[name]
            self.assertEqual(set(side), SIDE)
            self.assertEqual((side["processes"], side["workers_each"]), (processes, workers))
            self.assertLessEqual(side["npdu_per_s_lower_quartile"], side["npdu_per_s"])
            self.assertLessEqual(side["npdu_per_s"], side["npdu_per_s_upper_quartile"])
        self.assertLessEqual(trial["ratio_low"], trial["ratio"])
        self.assertLessEqual(trial["ratio"], trial["ratio_high"])
        self.assertEqual(len(trial["ratios"]), trial["rounds"])
        self.assertTrue(trial["rounds"] <= trial["pairs"] <= 2 * 2)
        self.assertAlmostEqual(trial["slower_percent"], (1 / trial["ratio"] - 1) * 100, delta=1e-3)

    def test_two_programs(self):
        # Fewer rounds than a verdict takes: whatever the machine does, none is given.
        trial = self.measure("compare", GBFLOW, GBFLOW, *SMALL, "--plant", "400")["trials"][0]
        self.check_trial(trial, "compare", [("a", 1, 1), ("b", 1, 1)])
        self.assertEqual((trial["a"]["plant_percent"], trial["b"]["plant_percent"]), (0, 400))
        self.assertEqual(trial["verdict"], "none")
        self.assertEqual(trial["a"]["program"], GBFLOW)

    def check_failed(self, done, say):
        """The run failed as it should have, or because of what else the machine does."""
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        if "the machine is too busy" not in done.stderr:
            self.assertIn(say, done.stdout)

    def test_what_takes_eleven_times_as_long_is_slower(self):
        self.check_failed(run("compare", GBFLOW, GBFLOW, *SMALL, "--rounds", "6", "--plant", "1000", "--gap-us", "1000",
                              "--windows", "4"), "b is slower")

    def test_two_workers_and_two_processes(self):
        trial = self.measure("pair", *SMALL, "--octets", "512")["trials"][0]
        self.check_trial(trial, "pair", [("apart", 2, 1), ("together", 1, 2)])
        self.assertEqual(trial["workers"], 2)

    def test_too_small_a_share_fails(self):
        self.check_failed(run("pair", *SMALL, "--least", "1000", "--gap-us", "5000000", "--windows", "4"),
                          "% of the sum apart")

    def test_check_of_itself_makes_twenty_comparisons(self):
        # One round gives no verdict: nothing is found.
        self.check_failed(run("compare", "--self-check", "--mobiles", "20", "--cells", "2", "--rounds", "1", "--slices", "1",
                              "--windows", "4", "--gap-us", "5000000"),
                          "10 of 10 comparisons with itself show no difference, 0 of 10 find 5 % more time")

    def test_a_program_that_knows_nothing_of_it(self):
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "other")
            with open(other, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\necho nothing\n")
            os.chmod(other, os.stat(other).st_mode | stat.S_IXUSR)
            for path, say in ((other, "does not know `bench slices`"), (os.path.join(folder, "none"), "No such file")):
                done = run("compare", GBFLOW, path, *SMALL)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(say, done.stderr)

    def test_what_makes_no_sense_is_refused(self):
        for arguments, say in ((["compare"], "compare takes two programs"), (["compare", "a"], "compare takes two programs"),
                               (["compare", "a", "b", "c"], "compare takes two programs"),
                               (["compare", "--self-check", "a"], "--self-check compares this program"),
                               (["compare", "a", "b", "--windows", "1001"], "--windows takes"),
                               (["compare", "a", "b", "--rounds", "0"], "--rounds takes"),
                               (["compare", "a", "b", "--margin", "100"], "--margin takes"),
                               (["pair", "a"], "wrong argument a"), (["pair", "--workers", "2"], "--workers is not for pair"),
                               (["pair", "--cells", "1"], "each worker needs"),
                               (["pair", "--mobiles", "1"], "each worker needs")):
            with self.subTest(arguments=arguments):
                self.refuse(*arguments, say=say)

    def test_slices_alone_obey_lines(self):
        done = run("slices", "--octets", "64", "--mobiles", "20", "--cells", "2", stdin="slice 0 2\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        hello, windows, end = done.stdout.splitlines()
        self.assertEqual((hello, windows.split(), end), ("gbflow-bench-slices/1", ["-", "-"], "end"))
        self.assertEqual(run("slices", "--mobiles", "20", "--cells", "2", stdin="slice\n").returncode, 2)
