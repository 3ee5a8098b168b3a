# SPDX-License-Identifier: BSD-3-Clause
"""bench/esp/esp_roofline.py measures ESP and crypto of equal octets, and prints both."""
import json
import os
import shutil
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
BENCH = os.path.join(ROOT, "bench", "esp", "esp_roofline.py")


def run(*options):
    command = [sys.executable, BENCH, "--program", os.environ["GBFLOW"], *options]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


class Roofline(unittest.TestCase):
    @unittest.skipUnless(shutil.which("dpdk-test-crypto-perf") and len(os.sched_getaffinity(0)) > 1, "needs dpdk-test-crypto-perf, two CPUs")
    def test_rows(self):
        # Others on the processors make a window take longer, and a step pause.
        done = run("--octets", "64,1400", "--rounds", "1", "--windows", "1", "--gap-us", "1000000", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual((document["schema"], document["suite"]), ("gbflow-bench-esp-roofline/1", "aes-gcm-128"))
        # 64 + 36 + 2; 64 + 56 + 2; in steps of 4 octets.
        self.assertEqual([(row["side"], row["octets"], row["encrypted_octets"]) for row in document["rows"]],
                         [("gn", 64, 104), ("gn", 1400, 1440), ("gb", 64, 124), ("gb", 1400, 1460)])
        for row in document["rows"]:
            self.assertAlmostEqual(row["share"], row["crypto_ns"] / row["esp_ns"])
            self.assertGreater(min(row["crypto_ns"], row["esp_ns"]), 0)

    def test_wrong_options(self):
        for options, say in ((["--octets", "63"], "--octets: invalid"), (["--suite", "null-sha-256"], "--suite: invalid choice"),
                             (["--rounds", "0"], "--rounds: 0 is not from 1 to"),
                             (["--gap-us", "1000001"], "--gap-us: 1000001 is not from 1 to 1000000"), (["--gap-us", "x"], "--gap-us: invalid count value: 'x'"), (["--perf", "/nowhere/perf"], "no program /nowhere/perf: install the package dpdk"),
                             (["--device", "crypto_qat"], "--device: invalid choice")):
            with self.subTest(options=options):
                done = run(*options)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(say, done.stderr)
                self.assertLess(len(done.stderr), 2000)


if __name__ == "__main__":
    unittest.main()
