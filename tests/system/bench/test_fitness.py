# SPDX-License-Identifier: BSD-3-Clause
"""gbflow-fitness: what it measures of the machine is reported as such; nothing here looks at the machine's figures."""
import os

from comparison import SMALL, Comparison
from harness import GBFLOW, run


class Fitness(Comparison):
    def test_two_workers_and_two_processes(self):
        trial = self.measure("pair", *SMALL, "--octets", "512")["trials"][0]
        self.check_trial(trial, "pair", [("apart", 2, 1), ("together", 1, 2)])
        self.assertEqual(trial["workers"], 2)
        self.assertEqual(os.path.realpath(trial["apart"]["program"]), os.path.realpath(GBFLOW))

    def test_too_small_a_share_fails(self):
        self.check_failed(run("pair", *SMALL, "--least", "1000", "--set", "gap_us=5000000", "--windows", "4"),
                          "% of two (95 % interval")

    def test_self_check_makes_twenty_comparisons(self):
        # One round gives no verdict: no difference is shown.
        self.check_failed(run("self-check", "--mobiles", "20", "--cells", "2", "--rounds", "1", "--slices", "1", "--windows", "4",
                              "--set", "gap_us=5000000"),
                          "10 of 10 comparisons with itself show no difference, 0 of 10 show 5 % more time")

    def test_distances_of_two_cpus(self):
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            print("skipped: one CPU")
            self.skipTest("one CPU")
        done = run("distance", "--seconds", "2", "--cores", f"{cpus[0]},{cpus[1]}")
        if done.returncode == 1 and "no distance was seen" in done.stderr:
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\A(\d+ samples, \d+ distances\n)+\Z")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], f"CPUs {cpus[0]} and {cpus[1]}, 2 s")
        rows = [line.split() for line in lines[2:-3]]
        samples, distances = (int(lines[-3].split()[index]) for index in (0, 2))
        self.assertEqual(sum(int(row[-2]) for row in rows), samples)
        self.assertEqual(len([row for row in rows if row[0] != "not"]), distances)

    def test_wrong_arguments_are_refused(self):
        for arguments, say in ((["pair", "a"], "it takes options only, not a"), (["pair", "--workers", "2"], "unknown option --workers"),
                               (["pair", "--cells", "1"], "each worker needs a cell: 2 workers, 1 cell"),
                               (["pair", "--mobiles", "1"], "each worker needs a mobile: 2 workers, 1 mobile"),
                               (["pair", "--slowdown", "5"], "--slowdown belongs to 'self-check'"),
                               (["self-check", "--least", "5"], "--least belongs to 'pair'"),
                               (["distance", "--cores", "0"], "--cores: it takes two different CPUs"),
                               (["distance", "--octets", "64"], "--octets belongs to 'pair', 'self-check'")):
            with self.subTest(arguments=arguments):
                self.refuse(*arguments, say=say)
