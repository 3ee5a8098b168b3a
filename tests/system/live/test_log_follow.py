# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow log` at a running node: levels, an attach line by line, followers that read slowly, are killed or are too many."""
import json
import os
import signal
import subprocess
import time
import unittest

import node
import phone_peer
import test_phones

OTHER = "262420000000002"
LINE = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z [a-z]+: (error|warn|info|debug): "
FOLLOWERS = 5


class Follower:
    """`gbflow log --follow`; its lines so far."""

    def __init__(self, case, *words):
        self.process = subprocess.Popen([node.program(), "log", "--follow", "--prefix", case.node.prefix, *words], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=case.node.environment())
        case.addCleanup(self.end)
        case.node.show_until("log", lambda rows: rows)  # a pass of the control loop
        time.sleep(0.5)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        return self.process.communicate(timeout=60)

    def lines(self):
        time.sleep(0.5)
        return self.end()[0].splitlines()


class Log(test_phones.Case):
    def run_log(self, *words):
        return subprocess.run([node.program(), "log", "--prefix", self.node.prefix, *words], capture_output=True, text=True,
                              check=False, timeout=60, env=self.node.environment())

    def test_an_attach_line_by_line(self):
        self.begin()
        follower = Follower(self, "--imsi", test_phones.IMSI, "gmm=debug")
        everything = Follower(self, "--imsi", test_phones.IMSI)
        other = phone_peer.Phone(self.bss, OTHER, tlli=0x78000002)
        other.attach_fully()
        self.handset.attach_fully()
        self.handset.activate()
        lines = follower.lines()
        for line in lines:
            self.assertRegex(line, LINE)
            self.assertIn(test_phones.IMSI, line)
        texts = [line.partition(": ")[2].partition(": ")[2] for line in lines if " gmm: debug: " in line]
        self.assertNotIn(OTHER, "".join(lines))
        said = [text.partition(": ")[2] for text in texts]
        print("\n".join(lines))
        want = ["received attach_request", "gmm rx_attach: fresh -> deciding", "gmm accept_attach: deciding -> accepting", "sends attach_accept",
                "received attach_complete", "gmm rx_complete: accepting -> registered"]
        places = [said.index(text) for text in want]
        self.assertEqual(places, sorted(places), said)
        print("\n".join(everything.lines()))
        self.assertEqual([line for line in self.node.lines if "debug" in line], [])
        self.finish()


if __name__ == "__main__":
    unittest.main()
