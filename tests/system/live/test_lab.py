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
from unittest import mock

import hlr
import lab  # before the program's modules, where they are
import lab_command
import node
from gbflow_lab import network, preflight
from gbflow_top import telemetry

class LabCommand(lab_command.Case):
    def test_walk(self):
        self.assertIn("no lab is up", self.call("status", status=1).stdout)
        self.assertRegex(self.call("shell", "anna", status=1).stderr, f"no lab is up: .*gbflow lab up --name {self.name}\n$")
        said = self.call("up", "--mobiles", "carl,dora,emil").stdout
        self.assertIn(f"gbflow lab shell --name {self.name} carl\n", said)
        self.assertEqual(len(self.namespaces()), 6)
        for mobile in ("carl", "emil"):
            self.assertEqual(self.call("shell", mobile, sys.executable, "-c", lab_command.DOWNLOAD).stdout, "20000\n")
        sent = {row["imsi"]: row["sent"] for row in self.show("ms")}
        self.assertGreater(sent["001010000000001"], 13)
        self.assertEqual(sent["001010000000002"], 0)
        self.assertIn("the lab is up already", self.call("up", status=1).stderr)
        self.assertIn("is no mobile or side of the lab: one of", self.call("shell", "anna", status=1).stderr)
        self.assertEqual(self.call("shell", "ggsn", "sh", "-c", "exit 7", status=7).stdout, "")
        self.call("status")
        os.kill(self.pid("node"), signal.SIGKILL)
        time.sleep(0.2)
        self.assertRegex(self.call("status", status=1).stdout, "node .* ended: ")
        folders = [telemetry.runtime_folder() / f"{self.name}{end}" for end in ("", "-bss")]
        self.assertEqual([folder.is_dir() for folder in folders], [True, True])
        self.assertIn("ended: bss, server, osmo-ggsn;", self.call("down").stdout)
        self.assertEqual([folder.exists() for folder in folders], [False, False])
        self.assertEqual(self.namespaces(), [])
        self.assertIn("no lab is up", self.call("down").stdout)

    def test_phones(self):
        """Three phones attach with vectors of the HLR; a host downloads from the address of each."""
        lab.need(self, hlr.missing())
        said = self.call("up", "--phones", "3").stdout
        self.assertIn(f"gbflow show subscribers --prefix {self.name}", said)
        self.assertIn(f"gbflow top --prefix {self.name}-bss", said)
        rows = self.show("subscribers")
        self.assertEqual([row["imsi"] for row in rows], [f"00101000000000{number}" for number in (1, 2, 3)])
        self.assertEqual({(row["state"], row["gea"]) for row in rows}, {("registered", 3)})
        for row in rows:
            words = [sys.executable, "-c", lab_command.DOWNLOAD_FROM, row["contexts"].removeprefix("5:")]
            self.assertEqual(self.call("shell", "phones", *words).stdout, "20000\n")
        self.assertEqual(len(self.namespaces()), 4)
        self.assertIn("is no mobile or side of the lab: one of", self.call("shell", "anna", status=1).stderr)
        said = self.call("status").stdout
        self.assertRegex(said, "phones .* IMSI 001010000000001 to 001010000000003")
        addresses = {row["imsi"]: [row["contexts"].removeprefix("5:")] for row in rows}
        for imsi, (address,) in addresses.items():
            self.assertIn(f"  IMSI {imsi}, {address}\n", said)
        self.assertEqual(json.loads(self.call("status", "--json").stdout)["phone_addresses"], addresses)
        self.switch_off_and_on()
        for words in (("4", "on"), ("0", "off"), ("-1", "off")):
            self.assertIn("the lab has phones 1 to 3", self.call("phone", *words, status=1).stderr, words)
        for words in (("one", "on"), ("1", "away"), ("1",)):
            self.call("phone", *words, status=2)
        self.assertIn("ended: bss, node, osmo-hlr, server, osmo-ggsn;", self.call("down").stdout)
        self.assertEqual(self.namespaces(), [])
        self.call("up", "--phones", "1")  # the subscribers of the lab before are gone
        self.assertEqual(len(self.show("subscribers")), 1)

    def test_missing(self):
        """All at once, each with its remedy, and nothing is started."""
        with tempfile.TemporaryDirectory() as folder:
            lab_command.link_programs(folder, "python3", "ip")
            done = self.call("up", "--phones", status=1, path=folder)
            self.assertIn("\n  osmo-ggsn, osmo-hlr, ping and curl: apt install osmo-ggsn osmo-hlr iputils-ping curl;", done.stderr)
            lab_command.link_programs(folder, "osmo-ggsn")
            done = self.call("up", "--phones", status=1, path=folder)
            self.assertIn("\n  osmo-hlr, ping and curl: apt install osmo-hlr iputils-ping curl;", done.stderr)
        self.assertEqual(self.namespaces(), [])
        for path in ("/dev/net/none", "/dev/net"):  # not there, and no device
            with mock.patch.object(preflight, "TUN", path):
                self.assertFalse(preflight.has_tun(), path)
        made = network.made_of(self.name, ["anna"])
        with mock.patch("os.geteuid", lambda: 1000), mock.patch.object(preflight, "TUN", "/dev/net/none"), \
                mock.patch("shutil.which", lambda name: None):
            self.assertEqual([line.split(":")[0] for line in preflight.faults(made)], ["root", "/dev/net/none", "ip, osmo-ggsn, ping and curl"])

    def test_install(self):
        """apt-get gets what is missing; only with --install."""
        with tempfile.TemporaryDirectory() as folder:
            lab_command.link_programs(folder, "python3", "ip", "osmo-ggsn", "osmo-hlr", "ln", "sh")
            calls = os.path.join(folder, "calls")
            with open(os.path.join(folder, "apt-get"), "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\necho "$@" >>{calls}\n[ "$1" = update ] || ln -s /bin/true {folder}/curl\n')
            os.chmod(file.name, 0o755)
            said = self.call("up", path=folder).stdout
            self.assertFalse(os.path.exists(calls))
            self.assertIn("\nMore to type with ping and curl: apt install iputils-ping curl\n", said)
            self.assertNotIn("ping -c", said)
            self.call("down")
            done = self.call("up", "--install", status=1, path=folder)  # this one brings curl alone
            self.assertIn("ping: still missing behind apt install iputils-ping", done.stderr)
            with open(calls, encoding="utf-8") as file:
                self.assertEqual(file.read(), "update\ninstall -y --no-install-recommends iputils-ping curl\n")
            self.assertEqual(self.namespaces(), [])

    def test_hints(self):
        """Each line that `up` says to type is typed, from an empty folder."""
        for words in ((), ("--phones",)):
            with self.subTest(words=words), tempfile.TemporaryDirectory() as folder:
                said = self.call("up", *words).stdout
                self.assertRegex(said, r"^(anna|phones): 203\.0\.113\.1 answered a ping in \d+ ms\n")
                lines = [line.strip() for line in said.splitlines() if line.startswith("  ")]
                self.assertEqual(len(lines), 7 + (2 if words else 1) * sum(tool.is_there for tool in preflight.EXAMPLES))
                for line in lines:
                    done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False, timeout=100,
                                          stdin=subprocess.DEVNULL)
                    self.assertEqual(done.returncode, 0, (line, done.stdout + done.stderr))
                self.assertEqual(self.namespaces(), [])

    def test_refusals(self):
        lab.run("ip", "netns", "add", f"{self.name}-bss")
        self.addCleanup(subprocess.run, ["ip", "netns", "del", f"{self.name}-bss"], capture_output=True, check=False)
        self.assertIn("is there already: ip netns del", self.call("up", status=1).stderr)
        self.assertEqual(len(self.namespaces()), 1)
        for names in ("", "a,a", "node", "Gb", "phones", "a b", "x" * 13, ",".join(f"m{i}" for i in range(201))):
            with self.subTest(names=names[:20]):
                self.assertIn("different names", self.call("up", "--mobiles", names, status=2).stderr)
        for words in (("--phones", "0"), ("--phones", "201"), ("--phones", "-1"), ("--phones", "2", "--mobiles", "a")):
            with self.subTest(words=words):
                self.call("up", *words, status=2)

    def begin_up(self):
        """An `up` that has started a program, whose pid is in the line."""
        child = subprocess.Popen([node.program(), "lab", "up", "--name", self.name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.communicate)
        self.addCleanup(child.kill)
        return child, child.stderr.readline()

    def test_two_at_once(self):
        """While the first `up` is at work, a second one, and a `down`, leave it alone."""
        first, line = self.begin_up()
        self.assertIn("osmo-ggsn: pid ", line)
        os.kill(first.pid, signal.SIGSTOP)  # it cannot come to its end
        for part in ("up", "down"):
            self.assertIn("an up or down of the lab", self.call(part, status=1).stderr)
        self.assertIn("the lab is not up", self.call("status", status=1).stdout)
        os.kill(first.pid, signal.SIGCONT)
        first.communicate(timeout=100)
        self.assertEqual(first.returncode, 0)
        self.assertNotIn("not up", self.call("status").stdout)
        self.assertIn("ended: bss, node, server, osmo-ggsn;", self.call("down").stdout)

    def test_killed(self):
        """`down` ends what an `up` that was killed has left, and the next `up` succeeds."""
        first, line = self.begin_up()
        first.kill()
        first.wait()
        self.assertIn("the lab is not up", self.call("status", status=1).stdout)
        self.assertIn("an earlier up was killed", self.call("up", status=1).stderr)
        self.assertIn("no lab is up", self.call("shell", "anna", status=1).stderr)
        self.assertRegex(self.call("down").stdout, "ended: .*osmo-ggsn;")
        self.assertFalse(lab_command.is_running(int(line.split()[2].rstrip(","))))
        self.assertEqual(self.namespaces(), [])
        self.call("up")

    def test_killed_before_kept(self):
        """A program whose pid is not kept does not run: neither behind SIGKILL nor behind an error."""
        lab.run("ip", "netns", "add", f"{self.name}-node")
        self.addCleanup(subprocess.run, ["ip", "netns", "del", f"{self.name}-node"], capture_output=True, check=False)
        start = "programs.start_program('node', sys.argv[1], ['touch', 'ran'], pathlib.Path.cwd(), {})"
        for keep, has_run in (("lambda kept: None", True), ("lambda kept: os.kill(os.getpid(), 9)", False), ("lambda kept: 1 / 0", False)):
            code = "import os, pathlib, sys, time; from gbflow_lab import programs; " + start.format(f"lambda kept: (print(kept.pid, flush=True), ({keep})(kept))")
            with self.subTest(keep=keep), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, "-c", code, f"{self.name}-node"], cwd=folder, capture_output=True, text=True, check=False,
                                      env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
                end = time.monotonic() + 30
                while lab_command.is_running(int(done.stdout)) and time.monotonic() < end:
                    time.sleep(0.05)
                self.assertFalse(lab_command.is_running(int(done.stdout)), done.stderr)
                self.assertEqual(os.path.exists(os.path.join(folder, "ran")), has_run, done.stderr)

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
