# SPDX-License-Identifier: BSD-3-Clause
"""Commands without --prefix: no node, one, two; sockets that nothing answers at; nodes of services and of users."""
import os
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

import node
import test_walk

COMMANDS = [("show", "bvc"), ("log",), ("top", "--once"), ("capture", "--stop"), ("restart-control",)]
FILE = "gbflow_telemetry.v2"


class Only(test_walk.Case):
    def run_at(self, runtime, *words):
        return subprocess.run([node.program(), *words], capture_output=True, text=True, check=False, timeout=60,
                              env=dict(os.environ, RUNTIME_DIRECTORY=runtime))

    def test_none_one_two(self):
        holder = tempfile.TemporaryDirectory(prefix="gbflow-only-")
        self.addCleanup(holder.cleanup)
        stale = Path(holder.name, "dpdk", "stale")
        stale.mkdir(parents=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.bind(str(stale / FILE))
            sock.listen()
        for words in COMMANDS:
            done = self.run_at(holder.name, *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), words)
            self.assertRegex(done.stderr, r"\Agbflow(?: top)?: no node or BSS runs: no socket answers in \S+/dpdk; start one, .*\n\Z", words)
        first = self.start(holder.name)
        for words in COMMANDS:
            done = self.run_at(holder.name, *words)
            self.assertNotIn("no node", done.stderr, words)
            self.assertEqual(done.returncode, words[0] == "capture", (words, done.stderr))
        self.assertIn("no capture is running", self.run_at(holder.name, "capture", "--stop").stderr)
        second = self.start(holder.name, text=node.TEXT.replace("198.51.100.1", "198.51.100.3"),
                            gn="net_memif0,role=server,socket=x.sock", gb="net_memif1,role=server,socket=y.sock")
        for words in COMMANDS:
            done = self.run_at(holder.name, *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), words)
            for running in (first, second):
                self.assertIn(f"{running.prefix} ({holder.name}/dpdk/{running.prefix}/{FILE})", done.stderr)
            self.assertTrue(done.stderr.endswith("; select one with --prefix NAME\n"), done.stderr)
            self.assertNotIn("stale", done.stderr)
        self.assertEqual(self.run_at(holder.name, "show", "bvc", "--prefix", first.prefix).returncode, 0)
        for running in (first, second):
            self.assertEqual(running.stop(), 0)

    def start(self, runtime, **values):
        running = node.Node(self.lab, runtime=runtime, **values)
        self.addCleanup(running.kill)
        running.wait_for("running")
        return running


if __name__ == "__main__":
    unittest.main()
