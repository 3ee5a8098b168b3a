# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench stages`: the walked steps send the frames that whole ones do, and the figures add up."""
from harness import Case, run

SMALL = ["stages", "--mobiles", "500", "--cells", "10", "--set", "counted_steps=0"]
COUNTED = ["stages", "--mobiles", "500", "--cells", "10", "--octets", "64"]
STEP = ["gn_ring", "decode", "lookup", "buffers", "queue", "pick", "headers", "fcs", "cipher", "hand_over", "gb_ring"]
HALVES = ["llc", "bssgp"]


class Stages(Case):
    def check_trial(self, trial):
        self.assertEqual((trial["mode"], trial["workers"], trial["fault"]), ("stages", 1, None))
        self.assertEqual([stage["name"] for stage in trial["stages"]], STEP + HALVES)
        step, halves = trial["stages"][:len(STEP)], trial["stages"][len(STEP):]
        self.assertAlmostEqual(trial["floor_ns"], sum(stage["alone_ns"] for stage in step), places=3)
        self.assertGreater(trial["floor_share"], 0)
        for name in ("floor_share_low", "floor_share_high", "ns_median_low", "ns_median_high"):  # of two rounds
            self.assertIsNone(trial[name])
        self.assertTrue(all(stage["part_of"] == "headers" and stage["alone_ns"] > 0 for stage in halves))
        self.assertTrue(all(stage["part_of"] is None for stage in step))
        walked = sum(stage["in_step_ns"] for stage in step)
        self.assertAlmostEqual(trial["rest"]["stall_ns"], walked - trial["floor_ns"], places=3)
        parts = trial["floor_ns"] + sum(trial["rest"].values())
        self.assertAlmostEqual(parts, trial["ns_per_npdu"], places=3)
        self.assertEqual((trial["windows"], trial["windows_asked"]), (2, 2))
        if trial["counted"]["stages_sum"]["lines"] is None:
            self.assertIsNone(trial["machine_floor_ns"])
        # Beyond a line in the nearest caches, which a table of 500 mobiles may be in, too.
        self.assertGreaterEqual(trial["line_chase_ns"], 0)
        self.assertGreaterEqual(trial["line_independent_ns"], 0)

    def test_frames_of_walked_steps_are_right(self):
        report = self.measure(*SMALL, "--octets", "64,512,1400,imix", "--cipher", "none,gea3", "--check-fcs")
        self.assertEqual(len(report["trials"]), 8)
        for trial in report["trials"]:
            self.check_trial(trial)

    def test_n_pdus_of_many_frames(self):
        # Four LLC-PDUs at most take the short way, 10 are queued: 64 N-PDUs are more than a step sends.
        report = self.measure(*SMALL, "--octets", "512,1400", "--set", "n201_u=140", "--check-fcs")
        for trial in report["trials"]:
            self.check_trial(trial)

    def test_lines_of_a_large_table_cost_time(self):
        trial, = self.measure("stages", "--mobiles", "20000", "--octets", "64", "--set", "counted_steps=0")["trials"]
        self.assertGreater(trial["line_chase_ns"], 1)

    def test_what_a_stage_does_takes_time(self):
        report = self.measure(*SMALL, "--octets", "1400", "--cipher", "none,gea4")
        clear, ciphered = ({stage["name"]: stage for stage in trial["stages"]} for trial in report["trials"])
        for name in ("decode", "queue", "headers", "fcs"):
            for stages in (clear, ciphered):
                self.assertGreater(stages[name]["alone_ns"], 0)
                self.assertGreater(stages[name]["in_step_ns"], 0)
        # Sixty KASUMI blocks for each of three frames, against a look at an empty list.
        self.assertGreater(ciphered["cipher"]["alone_ns"], 10 * max(clear["cipher"]["alone_ns"], 1))
        cycles_of_a_ns = report["machine"]["tsc_hz"] * 1e-9
        for name, stage in ciphered.items():
            with self.subTest(name=name):
                self.assertAlmostEqual(stage["alone_cycles"], stage["alone_ns"] * cycles_of_a_ns, places=2)

    def test_counts_add_up(self):
        # Deterministic, so one step is enough: equal runs give equal counts, and the stages make the whole step.
        first, second = (self.measure(*COUNTED)["trials"][0] for run in range(2))
        # A context's line and three of the mobile; mobiles that a burst has twice count once.
        self.assertTrue(3 < first["table_lines"] <= 4, first["table_lines"])
        self.assertAlmostEqual(first["machine_floor_ns"], first["floor_ns"] + first["table_lines"] * first["line_independent_ns"],
                               places=2)
        self.assertIsNone(first["machine_floor_share_low"])
        counted, stages = first["counted"], {stage["name"]: stage for stage in first["stages"]}
        self.assertEqual(counted["whole_step"]["instructions"], second["counted"]["whole_step"]["instructions"])
        for figure in ("instructions", "lines"):
            of_stages = sum(stages[name]["instructions" if figure == "instructions" else "new_lines"] for name in STEP)
            whole = counted["whole_step"][figure]
            self.assertAlmostEqual(counted["stages_sum"][figure], of_stages, places=3)
            self.assertAlmostEqual((of_stages + counted["idle_step"][figure]) / whole, 1, delta=0.08)
        for name, instructions, lines in (("decode", 50, 1), ("queue", 50, 1), ("headers", 50, 1), ("fcs", 8, 1)):
            with self.subTest(name=name):
                self.assertGreater(stages[name]["instructions"], instructions)
                self.assertGreaterEqual(stages[name]["lines"], lines)
                self.assertGreaterEqual(stages[name]["lines"], stages[name]["new_lines"])
        self.assertNotIn("instructions", stages["llc"])

    def test_few_valid_rounds(self):
        for most in (1, 6):
            with self.subTest(most=most):
                done = run(*SMALL, "--octets", "64", "--windows", "7", "--set", f"void_after={most}", "--set", "gap_us=5000000")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertRegex(done.stdout, rf"(?m)^64 octets, .* {most} of 7 rounds valid, \d+ void !$")
                self.assertIn(f"        ! {most} of 7 rounds valid, ", done.stdout)
                self.assertEqual("(95 % of median -)" in done.stdout, most < 6)
                self.assertEqual("no 95 % interval: it takes 6 valid rounds or more" in done.stdout, most < 6)

    def test_nothing_is_counted_without_steps(self):
        trial = self.measure(*SMALL, "--octets", "64")["trials"][0]
        self.assertEqual(set(trial["counted"]["whole_step"].values()), {None})

    def test_wrong_arguments_are_refused(self):
        self.refuse("stages", "--set", "bvc_rate=90", say="--set: bvc_rate belongs to 'preloaded', 'compare'")
        self.refuse("stages", "--workers", "2", say="--workers belongs to 'preloaded', 'workers', 'ndr', 'soak', 'compare', 'generate', 'node'")
