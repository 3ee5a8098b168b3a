# SPDX-License-Identifier: BSD-3-Clause
"""gbflow lab: up within one command, packets through the whole chain, and nothing left of it afterwards."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import ggsn
import hlr
import lab
import node

DOWNLOAD = "import urllib.request as r; print(len(r.urlopen('http://203.0.113.1/20k', timeout=60).read()))"

DOWNLOAD_FROM = """
import http.client, sys
connection = http.client.HTTPConnection("203.0.113.1", timeout=60, source_address=(sys.argv[1], 0))
connection.request("GET", "/20k")
print(len(connection.getresponse().read()))
"""


class LabCommand(unittest.TestCase):
    def setUp(self):
        lab.need(self, ggsn.missing())
        self.name = f"gbl{os.getpid() % 100000}"
        self.addCleanup(self.call, "down", status=None)

    def call(self, part, *words, status=0, path=os.environ["PATH"]):
        done = subprocess.run([node.program(), "lab", part, "--name", self.name, *words], capture_output=True, text=True, check=False,
                              timeout=150, env=dict(os.environ, PATH=path))
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
        sent = {row["imsi"]: row["sent"] for row in self.show("ms")}
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

    def show(self, what):
        shown = subprocess.run([node.program(), "show", what, "--json", "--prefix", self.name], capture_output=True, text=True, check=True)
        return json.loads(shown.stdout)

    def test_phones(self):
        """Three phones attach with vectors of the HLR; a host downloads from the address of each."""
        lab.need(self, hlr.missing())
        said = self.call("up", "--phones", "3").stdout
        self.assertIn(f"gbflow show subscribers --prefix {self.name}", said)
        rows = self.show("subscribers")
        self.assertEqual([row["imsi"] for row in rows], [f"00101000000000{number}" for number in (1, 2, 3)])
        self.assertEqual({(row["state"], row["gea"]) for row in rows}, {("registered", 3)})
        for row in rows:
            words = [sys.executable, "-c", DOWNLOAD_FROM, row["contexts"].removeprefix("5:")]
            self.assertEqual(self.call("shell", "phones", *words).stdout, "20000\n")
        self.assertEqual(len(self.namespaces()), 4)
        self.assertIn("neither a mobile nor a side", self.call("shell", "anna", status=1).stderr)
        self.assertRegex(self.call("status").stdout, "phones .* IMSI 001010000000001 to 001010000000003")
        self.assertIn("ended: bss, node, osmo-hlr, server, osmo-ggsn;", self.call("down").stdout)
        self.assertEqual(self.namespaces(), [])
        self.call("up", "--phones", "1")  # the subscribers of the lab before are gone
        self.assertEqual(len(self.show("subscribers")), 1)

    def test_missing_program(self):
        for missing in ("osmo-hlr", "osmo-ggsn"):
            with self.subTest(missing=missing), tempfile.TemporaryDirectory() as folder:
                for name in {"ip", "python3", "osmo-hlr", "osmo-ggsn"} - {missing}:
                    os.symlink(shutil.which(name) or "/bin/false", os.path.join(folder, name))
                done = self.call("up", "--phones", status=1, path=folder)
                self.assertIn(f"{missing} is missing; the Debian package is {missing}", done.stderr)
        self.assertEqual(self.namespaces(), [])

    def test_refusals(self):
        lab.run("ip", "netns", "add", f"{self.name}-bss")
        self.addCleanup(subprocess.run, ["ip", "netns", "del", f"{self.name}-bss"], capture_output=True, check=False)
        self.assertIn("is there already: ip netns del", self.call("up", status=1).stderr)
        self.assertEqual(len(self.namespaces()), 1)
        for names in ("", "a,a", "node", "a b", "x" * 13, ",".join(f"m{i}" for i in range(201))):
            with self.subTest(names=names[:20]):
                self.assertIn("different names", self.call("up", "--mobiles", names, status=2).stderr)
        for words in (("--phones", "0"), ("--phones", "201"), ("--phones", "-1"), ("--phones", "2", "--mobiles", "a")):
            with self.subTest(words=words):
                self.call("up", *words, status=2)

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
