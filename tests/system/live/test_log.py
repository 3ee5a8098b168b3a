# SPDX-License-Identifier: BSD-3-Clause
"""Log lines in JSON with categories and levels; the node tells systemd its state and that its workers work."""
import datetime
import json
import os
import socket
import subprocess
import tempfile
import unittest

import node
import test_walk


class Log(test_walk.Case):
    def log(self, *words):
        self.node = node.Node(self.lab, words=words)
        self.addCleanup(self.node.kill)
        self.node.wait_for("running")
        self.open_ends()
        self.bss.bring_up()
        self.node.show_until("bvc", lambda rows: rows[0]["usable"] == "yes")
        self.assertEqual(self.node.stop(), 0)
        return self.node.lines

    def test_json(self):
        rows = [json.loads(line) for line in self.log("--log-format", "json", "--log-level", "warn,ns:info") if line.startswith("{")]
        self.assertIn(("info", "ns", "NSE 101 is up"), [(row["level"], row["category"], row["text"]) for row in rows])
        self.assertEqual({row["category"] for row in rows if row["level"] == "info"}, {"ns"})
        for row in rows:
            at = datetime.datetime.fromisoformat(row["time"].replace("Z", "+00:00"))
            self.assertLess(abs((datetime.datetime.now(datetime.timezone.utc) - at).total_seconds()), 600)

    def test_journal(self):
        lines = self.log("--log-format", "journal")
        self.assertIn("<6>ns: info: NSE 101 is up", lines)
        self.assertTrue(any(line.startswith("<6>bssgp: info: NSE 101 BVCI 1800: reset by the BSS") for line in lines), lines)

    def test_arguments(self):
        rows = [(("--log-level", "gtp:info"), "--log-level: 'gtp:info' is not LEVEL or CATEGORY:LEVEL"),
                (("--log-format", "xml"), "--log-format: not one of auto, text, json, journal: xml")]
        for words, message in rows:
            done = subprocess.run([node.program(), "serve", *words, "x.lua"], capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def test_systemd(self):
        holder = tempfile.TemporaryDirectory(prefix="gbflow-notify-")
        self.addCleanup(holder.cleanup)
        path = os.path.join(holder.name, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.bind(path)
            sock.settimeout(60)
            self.serve(wrapper=("env", f"NOTIFY_SOCKET={path}", "WATCHDOG_USEC=300000"))
            self.assertEqual(sock.recv(100), b"READY=1\nSTATUS=running")
            for _ in range(3):
                self.assertEqual(sock.recv(100), b"WATCHDOG=1")
            self.assertEqual(self.node.stop(), 0)
            rest = [sock.recv(100)]
            while rest[-1] == b"WATCHDOG=1":
                rest.append(sock.recv(100))
            self.assertEqual(rest[-1], b"STOPPING=1")


if __name__ == "__main__":
    unittest.main()
