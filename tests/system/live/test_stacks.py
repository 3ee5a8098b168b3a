# SPDX-License-Identifier: BSD-3-Clause
"""Short runs of stacks.py with few users: whole objects, no broken connection, windows lowered where they are and nowhere else."""
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
        self.assertIsNone(row["edges"]["fault"])
        self.assertGreater(row["edges"]["connections"], 0)
        # The tables of the running node, before its report.
        self.assertEqual(len(run.shown), len(row["pacing"]))
        for early, late in zip(run.shown, row["pacing"]):
            self.assertTrue(0 < early["clamped"] <= late["clamped"], (early, late))
        return row

    def test_windows(self):
        """Lowered, and moved back: all begin in an idle cell."""
        row = self.walk("windows")
        self.assertEqual(len(row["pacing"]), 1)
        self.assertGreater(row["edges"]["connections_moved_back"], 0)

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
        first, again = (stacks.virtual_row(self.plan, "windows") for _ in range(2))
        self.assertEqual(first, again)
        self.assertGreater(first["pacing"][0]["clamped"], 0)
        self.assertEqual(set(first["classes"]), set(stacks_plan.CLASSES))

    def test_summary(self):
        """Two seeds are one row, with median, least and most."""
        first, again = ({"time": "virtual", "congestion_control": "cubic", "queues": "q", "classes": classes_of(rate)} for rate in (1000, 3000))
        table = list(stacks_rows.summary([first, again]))
        self.assertEqual(table[0].splitlines()[0], "| median (least..most) | virtual, cubic, q |")
        self.assertIn("| runs | 2 |", table)
        self.assertIn("| total kbit/s | 6 (3..9) |", table)
        self.assertIn("| page p95 s, thp3 | – (–..–) |", table)
        self.assertIn("| round trip s, background | 1.50 (1.50..1.50) |", table)


def classes_of(rate_bps):
    figures = {key: None for _, key, _, _ in stacks_rows.COLUMNS}
    return dict.fromkeys(stacks_plan.TCP, {**figures, "goodput_bps": rate_bps, "rtt_s": 1.5})


if __name__ == "__main__":
    unittest.main()
