# SPDX-License-Identifier: BSD-3-Clause
"""bench/live/phones.py prints each of its figures."""
import json
import os
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
BENCH = os.path.join(ROOT, "bench", "live", "phones.py")


def run(*options):
    command = [sys.executable, BENCH, "--program", os.environ["PHONES_LOAD"], *options]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


class Phones(unittest.TestCase):
    def test_rows(self):
        done = run("--rounds", "2", "--phones", "300", "--updates", "500", "--json", "-", "attach", "hold", "flood")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["schema"], "gbflow-bench-phones/1")
        self.assertEqual(len(document["rows"]), 26)
        for row in document["rows"]:
            self.assertEqual(len(row["rounds"]), 2)
            least = -1 if "longest step" in row["figure"] else 0  # in ms with three digits: a step may take none of them
            self.assertTrue(least < row["least"] <= row["median"] <= row["most"], row)

    def test_life(self):
        """All phones live through the restart of control, none is left after the detaches, and GSUP is there with an HLR alone."""
        done = run("--rounds", "1", "--phones", "200", "--json", "-", "life")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual(len(rows), 18)
        for policy, gsup in (("accept_all", range(1)), ("hlr", range(500, 1000))):
            counts = {row["figure"]: row["median"] for row in rows if row["policy"] == policy}
            self.assertEqual([counts[f"200: phones known after the {when}"] for when in ("restart", "last detach")], [200, 0])
            self.assertIn(int(counts["200: octets of GSUP a phone, by its attach"]), gsup)
            for name in ("Lua a phone, without garbage", "records a phone"):
                self.assertGreater(counts[f"200: octets of {name}"], 500)

    def test_table(self):
        done = run("--rounds", "1", "--phones", "40", "attach")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([text.split()[0] for text in done.stdout.splitlines()], ["policy", "accept_all", "hlr"])

    def test_wrong_options(self):
        for options in (["--rounds", "0"], ["--phones", "x"], ["detach"], ["--program", os.devnull]):
            with self.subTest(options=options):
                self.assertEqual(run(*options).returncode, 2)


if __name__ == "__main__":
    unittest.main()
