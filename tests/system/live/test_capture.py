# SPDX-License-Identifier: BSD-3-Clause
"""Captures on request: what is in them and what is said of each packet, with and without filters; what goes wrong."""
import os
import subprocess
import tempfile
import unittest

import node
import test_start
import test_walk

FIELDS = ("frame.interface_name", "frame.comment", "ip.src")


class Captures(test_walk.Case):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.TemporaryDirectory(prefix="gbflow-capture-")
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "a.pcapng")
        self.serve()
        self.open_ends()
        self.bss.bring_up()

    def capture(self, *words, path=None):
        command = [node.program(), "capture", "--prefix", self.node.prefix, *words, *([path or self.path] if "--stop" not in words else [])]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=self.node.environment())

    def start(self, *words):
        if os.path.exists(self.path):
            os.unlink(self.path)  # a capture overwrites no file
        done = self.capture(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.node.show_until("capture", lambda rows: rows[0]["state"] == "on")

    def rows(self):
        """(interface, comment) of each packet."""
        command = ["tshark", "-n", "-r", self.path, "-T", "fields", *(word for field in FIELDS for word in ("-e", field))]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def traffic(self):
        self.check_down(1200, seed=1)  # three segments
        self.check_up(100, seed=2)
        packet = test_walk.ipv4_packet("192.0.2.99", "10.45.0.77", 100, 3)  # somebody else's address
        self.ggsn.sendto(test_walk.g_pdu(node.TEID, packet), ("192.0.2.1", test_walk.GTPU))
        self.node.show_until("drops", lambda rows: any(row["reason"] == "npdu_address" for row in rows))

    def stop(self):
        done = self.capture("--stop")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = self.node.show("capture")[0]
        self.assertEqual((shown["state"], shown["file"], shown["lost"]), ("off", self.path, 0))
        return shown["packets"]

    def test_all_there_is(self):
        self.start()
        self.traffic()
        self.bss.announce(tag=9)
        packets = self.stop()
        rows = self.rows()
        self.assertEqual(len(rows), packets)
        down = [row for row in rows if row[1].startswith("down: ")]
        self.assertEqual([row[0] for row in down], ["gb"] * 3)
        for i, row in enumerate(down):
            self.assertRegex(row[1], fr"^down: queue background of TLLI c0000001, NSAPI 5, sojourn \d+\.\d\d\d ms, segment {i}"
                             + (", the last$" if i == 2 else "$"))
        dropped = [row for row in rows if row[0] == "dropped"]
        self.assertEqual(len(dropped), 1)
        self.assertRegex(dropped[0][1], r"^dropped: npdu_address; queue background of TLLI c0000001, NSAPI 5, sojourn 0\.\d+ ms$")
        self.assertEqual(dropped[0][2], "192.0.2.99")
        kinds = {row[1] for row in rows}
        self.assertLessEqual({"up", "signalling"}, kinds)
        self.assertEqual(self.node.stop(), 0)

    def test_filters_and_count(self):
        for words, count in ((("--tlli", "c0000001"), 5), (("--tlli", "c0000002"), 0), (("--bvci", "1800"), 5), (("--bvci", "7"), 0)):
            with self.subTest(words):
                self.start(*words)
                self.traffic()
                self.assertEqual(self.stop(), count)
        self.start("--count", "2")
        self.traffic()
        self.node.show_until("capture", lambda rows: rows[0]["state"] == "off" and rows[0]["packets"] == 2)
        self.assertEqual(len(self.rows()), 2)
        self.assertEqual(self.node.stop(), 0)

    def test_mistakes_and_the_end_of_the_node(self):
        self.assertEqual(self.capture("--stop").returncode, 1)
        done = self.capture(path="/nowhere/at/all.pcapng")
        self.assertEqual((done.returncode, done.stderr), (1, "gbflow: FILE cannot be written: No such file or directory; the node opens it, with its rights\n"))
        for words in (("--tlli", "x"), ("--bvci", "65536"), ("--count", "0"), ("more",)):
            self.assertEqual(self.capture(*words).returncode, 2)
        self.start()
        self.assertIn("a capture is already running", self.capture().stderr)
        self.traffic()
        self.assertEqual(self.node.stop(), 0)
        self.assertGreaterEqual(len(self.rows()), 5)


class Nobody(test_start.Case):
    def test_no_node(self):
        done = subprocess.run([node.program(), "capture", "/tmp/x.pcapng", "--prefix", "gbflow-there-is-none"], capture_output=True,
                              text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
