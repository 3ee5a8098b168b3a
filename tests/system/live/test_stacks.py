# SPDX-License-Identifier: BSD-3-Clause
"""Short runs of stacks.py with few users: whole objects, no broken connection, ACKs held where they are and nowhere else."""
import subprocess
import tempfile
import unittest

import lab
import node
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

    def test_cake(self):
        row = self.walk("cake")
        self.assertEqual(row["pacing"], [])
        self.assertIn("aqm", row["classes"]["background"]["drops"])

    def test_accepted(self):
        """The node takes the queues of each scheme, also in virtual time."""
        for scheme in stacks_plan.SCHEMES:
            with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
                file.write(stacks_plan.node_text(self.plan, scheme) % {"prefix": "accepted"})
                file.flush()
                done = subprocess.run([node.program(), "check", file.name], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{scheme}: {done.stderr}")

    def test_twin(self):
        """The same users in virtual time; equal seeds give equal rows."""
        first, again = (stacks.virtual_row(self.plan, "q-both") for _ in range(2))
        self.assertEqual(first, again)
        self.assertGreater(first["pacing"][0]["held"], 0)
        self.assertEqual(set(first["classes"]), set(stacks_plan.CLASSES))

    def test_summary(self):
        """Two seeds are one row, with median, least and most."""
        first, again = ({"time": "virtual", "congestion_control": "cubic", "queues": "q", "classes": classes_of(rate)} for rate in (1000, 3000))
        table = "\n".join(stacks_rows.summary([first, again]))
        self.assertIn("| virtual | cubic | q | 2 | 6 (3..9) | 1.00 (1.00..1.00) |", table)
        self.assertIn("| – (–..–) | 0.50 (0.50..0.50) | 0.10 (0.10..0.10) |", table)


def classes_of(rate_bps):
    figures = {"goodput_bps": rate_bps, "delay_p95_s": 1.0, "page_p95_s": None, "worst_user": 0.5, "npdu_out": 10, "drops": {"aqm": 1}}
    return dict.fromkeys(stacks_plan.TCP, figures)


if __name__ == "__main__":
    unittest.main()
