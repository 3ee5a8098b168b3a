# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench soak`: what is offered is counted by both processes, and losses are told when they happen."""
from harness import Case, run

SMALL = ["soak", "--minutes", "0.03", "--mobiles", "200", "--cells", "10"]
QUICK = [*SMALL, "--check-fcs"]
USE = {"worker_mbufs", "generator_mbufs", "worker_rss_octets", "generator_rss_octets"}


class Soak(Case):
    def check_trial(self, trial):
        self.assertIsNone(trial["fault"])
        self.assertEqual(trial["mode"], "soak")
        self.assertGreater(trial["took_s"], 1)
        self.assertGreater(trial["received"], 0)
        self.assertEqual(trial["received"], trial["offered"] - trial["tx_ring_full"])
        self.assertEqual(trial["received"], trial["sent"] + trial["dropped"])
        self.assertEqual(trial["llc_frames"], trial["llc_frames_received"])
        self.assertEqual(trial["lost"], trial["tx_ring_full"] + trial["dropped"])
        self.assertEqual(trial["lost"], trial["lost_in_worker_gaps"] + trial["lost_in_generator_gaps"])
        self.assertEqual((trial["lost_outside_gaps"], trial["wrong_fcs"], trial["reordered"]), (0, 0, 0))
        for when in ("before", "after_warm_up", "after"):
            self.assertEqual(set(trial[when]), USE)
            self.assertGreater(trial[when]["worker_rss_octets"], 0)
        self.assertEqual(trial["before"]["worker_mbufs"], trial["after"]["worker_mbufs"])

    def test_at_a_rate(self):
        trial = self.measure(*QUICK, "--rate", "20000")["trials"][0]
        self.check_trial(trial)
        self.assertEqual((trial["octets"], trial["rate_npdu_per_s"], trial["ndr_npdu_per_s"]), ("imix", 20000, None))
        # What is due by the clock is offered, or left out.
        self.assertAlmostEqual((trial["offered"] + trial["not_offered"]) / trial["took_s"], 20000, delta=300)
        # A gap is what was given, here 5 s, or as long as there is for a burst and a half of 64.
        self.assertEqual(trial["gap_us"], 4800)
        self.assertEqual(trial["losses_outside_gaps"], [])

    def test_at_a_share_of_ndr(self):
        # So small a share that only what is seen as a gap fills a ring, also where other tests have the processors.
        trial = self.measure(*QUICK, "--octets", "512", "--rate", "1%", "--seconds", "8", "--trial-ms", "5")["trials"][0]
        self.check_trial(trial)
        self.assertAlmostEqual(trial["rate_npdu_per_s"] / trial["ndr_npdu_per_s"], 0.01, delta=1e-4)

    def test_what_a_slow_worker_loses_is_no_gap(self):
        # Nothing ciphers so much on one processor.
        done = run(*SMALL, "--cipher", "gea3", "--octets", "1400", "--rate", "8000000")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "FAULT: (loss outside of gaps: [0-9]+ N-PDUs|gaps cover [0-9]+ % of the time)")

    def test_wrong_arguments_are_refused(self):
        for more, say in ((["--minutes", "0"], "--minutes takes"), (["--minutes", "x"], "--minutes takes"),
                          (["--rate", "0%"], "--rate takes"), (["--rate", "101%"], "or 1% to 100% of NDR, not 101%"),
                          (["--rate", "0"], "--rate takes"), (["--searches", "2"], "--searches belongs to 'ndr'")):
            with self.subTest(more=more):
                self.refuse("soak", *more, say=say)
