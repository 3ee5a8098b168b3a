# SPDX-License-Identifier: BSD-3-Clause
"""A short run of stacks.py with few users: whole objects, no broken connection, ACKs held where they are and nowhere else."""
import unittest

import lab
import stacks
import stacks_plan
import stacks_rows

SECONDS, USERS, WINDOW, SEED = 12, stacks_plan.STEP, 65535, 1


class Stacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plan = stacks_plan.plan_of(USERS, SECONDS, WINDOW, SEED)

    def walk(self, scheme):
        """A run; what holds of each: content is compared octet by octet, and no connection ended before its time."""
        lab.need(self, stacks.gateway.missing())
        with stacks.Run(self.plan, scheme, "cubic") as run:
            run.play()
            row = run.row()
        self.assertGreater(row["objects"], 0)
        self.assertEqual(row["broken"], {})
        for side in ("ggsn", "ms"):
            counts = row["kernels"][side]
            self.assertEqual([counts.get(name, 0) for name in ("EstabResets", "OutRsts", "TCPAbortOnTimeout")], [0, 0, 0], side)
        for qclass in stacks_plan.CLASSES:
            self.assertGreater(len(run.air.delays[qclass]), 0, qclass)
            self.assertGreaterEqual(min(run.air.delays[qclass]), stacks_plan.SERVER_DELAY_S, qclass)
        self.assertEqual(row["npdu"]["in"], sum(row["npdu"][end] for end in ("out", "dropped", "queued")))
        self.assertTrue(stacks_rows.line_of(row).startswith(f"| wall | cubic | {scheme} | "))
        # The tables of the running node, before its report.
        self.assertEqual(len(run.shown), len(row["pacing"]))
        for early, late in zip(run.shown, row["pacing"]):
            self.assertTrue(early["held"] <= late["held"] and bool(early["held"]) == bool(late["held"]), (early, late))
        return row

    def test_held(self):
        """Windows lowered, and ACKs held: none is lost between held, merged, sent and holding."""
        pacing, = self.walk("q-both")["pacing"]
        self.assertGreater(pacing["held"], 0)
        self.assertGreater(pacing["clamped"], 0)
        self.assertEqual(pacing["held"], pacing["merged"] + pacing["released"] + pacing["holding"])

    def test_clamped(self):
        pacing, = self.walk("q-clamp")["pacing"]
        self.assertEqual(pacing["held"], 0)
        self.assertGreater(pacing["clamped"], 0)

    def test_none(self):
        self.assertEqual(self.walk("none")["pacing"], [])

    def test_twin(self):
        """The same users in virtual time; equal seeds give equal rows."""
        first, again = (stacks.virtual_row(self.plan, "q-both") for _ in range(2))
        self.assertEqual(first, again)
        self.assertGreater(first["pacing"][0]["held"], 0)
        self.assertEqual(set(first["classes"]), set(stacks_plan.CLASSES))


if __name__ == "__main__":
    unittest.main()
