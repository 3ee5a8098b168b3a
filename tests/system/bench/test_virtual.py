# SPDX-License-Identifier: BSD-3-Clause
"""bench/virtual/virtual_bench.py plays as many users and cells as it says and prints what it measured."""
import json
import os
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
BENCH = os.path.join(ROOT, "bench", "virtual", "virtual_bench.py")


def run(*options):
    command = [sys.executable, BENCH, "--program", os.environ["GBFLOW"], *options]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


class Virtual(unittest.TestCase):
    def test_rows(self):
        done = run("--users", "44,170", "--seconds", "11", "--no-paper", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["schema"], "gbflow-bench-virtual/1")
        self.assertEqual([(row["users"], row["cells"], row["simulated_s"]) for row in document["rows"]], [(44, 2, 11), (154, 2, 11)])
        for row in document["rows"]:
            self.assertGreater(row["cpu_s"], 0)
            self.assertGreaterEqual(row["cpu_s"], row["system_s"])
            self.assertGreater(row["rss_octets"], 1 << 20)
            self.assertAlmostEqual(row["times_real_time"] * row["cpu_s"], 11, delta=0.5)

    def test_table(self):
        done = run("--users", "22", "--seconds", "11", "--no-paper")
        self.assertEqual(done.returncode, 0, done.stderr)
        head, row = done.stdout.splitlines()
        self.assertEqual(len(head.split()), len(row.split()))
        self.assertEqual(row.split()[:3], ["22", "2", "11"])

    def test_wrong_options(self):
        for options in (["--users", "0"], ["--users", "x"], ["--seconds", "10"], ["--program", os.devnull]):
            with self.subTest(options=options):
                self.assertEqual(run(*options).returncode, 2)


if __name__ == "__main__":
    unittest.main()
