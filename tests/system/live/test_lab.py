# SPDX-License-Identifier: BSD-3-Clause
"""gbflow lab: up within one command, packets through the whole chain, and nothing left of it afterwards."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

import ggsn
import lab
import node

DOWNLOAD = "import urllib.request as r; print(len(r.urlopen('http://203.0.113.1/20k', timeout=60).read()))"


class LabCommand(unittest.TestCase):
    def setUp(self):
        lab.need(self, ggsn.missing())
        self.name = f"gbl{os.getpid() % 100000}"
        self.addCleanup(self.call, "down", status=None)

    def call(self, part, *words, status=0):
        done = subprocess.run([node.program(), "lab", part, "--name", self.name, *words], capture_output=True, text=True, check=False,
                              timeout=150)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def namespaces(self):
        return [line for line in lab.run("ip", "netns", "list").splitlines() if line.startswith(self.name)]

    def pid(self, name):
        with open(f"/run/{self.name}/lab.json", encoding="utf-8") as file:
            return next(row["pid"] for row in json.load(file)["programs"] if row["name"] == name)

    def test_walk(self):
        self.assertIn("no lab is up", self.call("status", status=1).stdout)
        said = self.call("up", "--mobiles", "carl,dora,emil").stdout
        self.assertIn(f"gbflow lab shell --name {self.name} carl curl", said)
        self.assertEqual(len(self.namespaces()), 6)
        for mobile in ("carl", "emil"):
            self.assertEqual(self.call("shell", mobile, sys.executable, "-c", DOWNLOAD).stdout, "20000\n")
        shown = subprocess.run([node.program(), "show", "ms", "--json", "--prefix", self.name], capture_output=True, text=True, check=True)
        sent = {row["imsi"]: row["sent"] for row in json.loads(shown.stdout)}
        self.assertGreater(sent["001010000000001"], 13)
        self.assertEqual(sent["001010000000002"], 0)
        self.assertIn("the lab is up already", self.call("up", status=1).stderr)
        self.assertIn("neither a mobile nor a side", self.call("shell", "anna", status=1).stderr)
        self.assertEqual(self.call("shell", "ggsn", "sh", "-c", "exit 7", status=7).stdout, "")
        self.call("status")
        os.kill(self.pid("node"), signal.SIGKILL)
        time.sleep(0.2)
        self.assertRegex(self.call("status", status=1).stdout, "node .* ended: ")
        self.assertIn("ended: bss, server, osmo-ggsn;", self.call("down").stdout)
        self.assertEqual(self.namespaces(), [])
        self.assertIn("no lab is up", self.call("down").stdout)

    def test_refusals(self):
        lab.run("ip", "netns", "add", f"{self.name}-bss")
        self.addCleanup(subprocess.run, ["ip", "netns", "del", f"{self.name}-bss"], capture_output=True, check=False)
        self.assertIn("is there already: ip netns del", self.call("up", status=1).stderr)
        self.assertEqual(len(self.namespaces()), 1)
        for names in ("", "a,a", "node", "a b", "x" * 13, ",".join(f"m{i}" for i in range(201))):
            with self.subTest(names=names[:20]):
                self.assertIn("different names", self.call("up", "--mobiles", names, status=2).stderr)

    def test_interrupted(self):
        """SIGTERM in the middle of `up` leaves neither programs nor namespaces."""
        words = [node.program(), "lab", "up", "--name", self.name]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
            first = child.stderr.readline()
            child.send_signal(signal.SIGTERM)
            rest = child.stderr.read()
        self.assertIn("osmo-ggsn: pid ", first)
        self.assertEqual(child.returncode, 1, rest)
        self.assertEqual(self.namespaces(), [])
        with self.assertRaises(ProcessLookupError):
            os.kill(int(first.split()[2].rstrip(",")), 0)


if __name__ == "__main__":
    unittest.main()
