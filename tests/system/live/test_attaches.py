# SPDX-License-Identifier: BSD-3-Clause
"""bench/live/attaches.py counts the phones of both SGSNs: attached, known after a restart of control, detached."""
import json
import os
import subprocess
import sys
import unittest

import ggsn
import hlr
import lab
import node
import osmo_sgsn

BENCH = os.path.join(node.ROOT, "bench", "live", "attaches.py")
PHONES = 3


def run(*options):
    command = [sys.executable, BENCH, "--program", node.program(), *options]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=280)


class Attaches(unittest.TestCase):
    def test_counts(self):
        lab.need(self, ggsn.missing() or hlr.missing() or osmo_sgsn.missing())
        done = run("--rounds", "1", "--phones", str(PHONES), "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["schema"], "gbflow-bench-attaches/1")
        counts = {(row["sgsn"], row["figure"]): row["median"] for row in document["rows"]}
        self.assertEqual(len(counts), 21)
        self.assertEqual(counts["gbflow", "phones known after the restart"], PHONES)
        for sgsn in ("gbflow", "osmo-sgsn"):
            self.assertEqual(counts[sgsn, "phones detached"], PHONES)
            self.assertGreater(counts[sgsn, "octets a phone"], 0)

    def test_wrong_options(self):
        for options in (["--phones", "1000"], ["--rounds", "0"]):
            with self.subTest(options=options):
                self.assertEqual(run(*options).returncode, 2)


if __name__ == "__main__":
    unittest.main()
