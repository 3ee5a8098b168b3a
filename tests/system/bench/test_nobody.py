# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench generate` where no node is: it waits, and says so in the end."""
import unittest

from harness import run


class Nobody(unittest.TestCase):
    def test_nobody_answers(self):
        done = run("generate", "--gn", "net_ring0", "--gb", "net_null0", "--pages", "small", "--rate", "1", "--seconds", "1")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("gbflow bench generate: no node answers ARP on Gn after 30 s: does it run", done.stderr)
