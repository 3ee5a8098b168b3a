# SPDX-License-Identifier: BSD-3-Clause
"""What tests of gbflow lab share: the command under a name of this process, and what is left of the lab on the machine."""
import json
import os
import shutil
import subprocess
import sys
import unittest

import ggsn
import lab
import node

DOWNLOAD = "import urllib.request as r; print(len(r.urlopen('http://203.0.113.1/20k', timeout=60).read()))"

DOWNLOAD_FROM = """
import http.client, sys
connection = http.client.HTTPConnection("203.0.113.1", timeout=60, source_address=(sys.argv[1], 0))
connection.request("GET", "/20k")
print(len(connection.getresponse().read()))
"""


def link_programs(folder, *names):
    for name in names:
        path = sys.executable if name == "python3" else shutil.which(name) or "/bin/false"
        os.symlink(path, os.path.join(folder, name))


def is_running(pid):
    """Neither gone nor waiting for its parent."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Case(unittest.TestCase):
    def setUp(self):
        lab.need(self, ggsn.missing())
        self.name = f"gbl{os.getpid() % 100000}"
        self.addCleanup(shutil.rmtree, f"/run/{self.name}", ignore_errors=True)
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

    def show(self, what):
        shown = subprocess.run([node.program(), "show", what, "--json", "--prefix", self.name], capture_output=True, text=True, check=True)
        return json.loads(shown.stdout)

    def switch_off_and_on(self):
        """A host downloads from the address of a phone that was switched off, as its subscriber's row says, and on."""
        self.assertEqual(self.call("phone", "1", "off").stdout, "phone 1: off, IMSI 001010000000001, without a context\n")
        self.assertNotIn("registered", [row["state"] for row in self.show("subscribers") if row["imsi"] == "001010000000001"])
        said = self.call("phone", "1", "on").stdout
        self.assertRegex(said, r"^phone 1: on, IMSI 001010000000001, 10\.46\.0\.\d+\n$")
        words = [sys.executable, "-c", DOWNLOAD_FROM, said.rsplit(None, 1)[1]]
        self.assertEqual(self.call("shell", "phones", *words).stdout, "20000\n")
