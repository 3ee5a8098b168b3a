# SPDX-License-Identifier: BSD-3-Clause
"""Flow control wide open: every captured N-PDU comes out, octet for octet, at once."""
import os
import unittest

import gbflow

NODE = os.path.join(gbflow.NODES, "replay-open.lua")
NPDUS = 1736
LLC_PDUS = 4377
BUCKET = "6553500:6553500"


class Open(gbflow.Case):
    def test_all_come_out(self):
        result = self.replay(NODE)
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        report = result.report
        self.assertEqual(report["schema"], "gbflow-replay/2")
        self.assertEqual(report["npdu"], {"in": NPDUS, "out": NPDUS, "dropped": 0, "queued": 0})
        self.assertEqual(report["llc_frames"], LLC_PDUS)
        self.assertEqual([session["address"] for session in report["sessions"]], [f"10.45.0.{n}" for n in (1, 2, 3, 4)])
        self.assertEqual(sum(session["npdu_out"] for session in report["sessions"]), NPDUS)
        self.judge(result, "--expect-all", "--rules", f"bvc={BUCKET},ms={BUCKET},lifetime=infinite", minimum={
            "decode": LLC_PDUS + 10, "outer": LLC_PDUS, "fcs": LLC_PDUS, "llc_header": LLC_PDUS, "nu_sequence": LLC_PDUS,
            "segmentation": LLC_PDUS, "reassembly_equal": NPDUS, "order": NPDUS, "completeness": NPDUS, "causality": NPDUS,
            "flow_control_ack": 2, "announced": 2, "before_flow_control": LLC_PDUS, "blocked": LLC_PDUS,
            "conform_ms": LLC_PDUS, "conform_bvc": LLC_PDUS, "not_idle": LLC_PDUS, "pdu_lifetime": LLC_PDUS, "totals": 22})
        self.judge_by_tshark(result, NPDUS)

    def test_nothing_waits(self):
        for session in self.replay(NODE).report["sessions"]:
            self.assertEqual(session["sojourn_s"], {"n": session["npdu_out"], "p50": 0.0, "p95": 0.0, "max": 0.0})

    def test_table(self):
        """The table for people says what the report for programs does."""
        result = self.replay(NODE)
        self.assertIn(f"N-PDUs: in {NPDUS} = out {NPDUS} + dropped 0 + queued 0", result.stdout)
        self.assertIn(f"Gb: {LLC_PDUS} LLC frames sent, {LLC_PDUS} received by the BSS", result.stdout)
        rows = {line.split()[0]: line.split() for line in result.stdout.splitlines() if line.startswith("10.")}
        for session in result.report["sessions"]:
            row = rows[session["address"]]
            self.assertEqual(int(row[1], 16), session["teid"])
            self.assertEqual(row[2], session["class"])
            self.assertEqual([int(text) for text in row[3:6]], [session[key] for key in ("npdu_in", "npdu_out", "octets_out")])

    def test_same_numbers_without_files(self):
        """--out and --json only write: what is printed does not depend on them."""
        alone = gbflow.run("replay", NODE, "--in", gbflow.CAPTURE)
        self.assertEqual((alone.status, alone.stdout), (0, self.replay(NODE).stdout))


if __name__ == "__main__":
    unittest.main()
