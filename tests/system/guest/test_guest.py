# SPDX-License-Identifier: BSD-3-Clause
"""A guest runs a command with this machine's files, which stay as they are, and ends with it or after its time."""
import os
import subprocess
import sys
import tempfile
import unittest

import guest

HERE = os.path.dirname(os.path.abspath(__file__))


class Guest(unittest.TestCase):
    def setUp(self):
        reason = guest.missing()
        if reason and os.environ.get("CI") == "true":
            self.fail(reason)
        elif reason:
            self.skipTest(reason)

    @staticmethod
    def run_it(*words):
        return subprocess.run([sys.executable, os.path.join(HERE, "guest.py"), *words], capture_output=True, text=True, check=False, timeout=500)

    def test_a_command(self):
        with tempfile.TemporaryDirectory() as folder:
            told = f"id -u; cat /proc/net/xfrm_stat | wc -l; echo changed >{folder}/file; cat {folder}/file; ip netns add one; exit 7"
            done = self.run_it("sh", "-c", told)
            self.assertEqual(os.listdir(folder), [])
        self.assertEqual(done.returncode, 7, done.stderr)
        user, counters, content = done.stdout.split()
        self.assertEqual((user, content), ("0", "changed"))
        self.assertGreater(int(counters), 20)

    def test_its_time(self):
        """It ends with its time; a busy machine may need more than that for its start."""
        for timeout_s in ("20", "80", "320"):
            done = self.run_it("--timeout", timeout_s, "sh", "-c", "echo began; sleep 1000")
            self.assertEqual(done.returncode, guest.TIMED_OUT)
            self.assertIn("no status of the command", done.stderr)
            if done.stdout:
                break
        self.assertEqual(done.stdout, "began\n")


if __name__ == "__main__":
    unittest.main()
