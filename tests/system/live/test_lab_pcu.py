# SPDX-License-Identifier: BSD-3-Clause
"""gbflow lab up --bss osmo-pcu: mobiles and phones behind the real osmo-pcu, from a shell to the web server, and nothing left of it."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import lab
import lab_command
import node

PCU = "--bss", "osmo-pcu"


class Pcu(lab_command.Case):
    def setUp(self):
        super().setUp()
        lab.need(self, None if shutil.which("osmo-pcu") else "needs the program osmo-pcu")

    def pids(self):
        return [self.pid(name) for name in ("osmo-pcu", "bts", "node", "osmo-ggsn")]

    def check_nothing_left(self, pids):
        self.assertEqual(self.namespaces(), [])
        self.assertEqual([pid for pid in pids if lab_command.is_running(pid)], [])

    def test_mobiles(self):
        said = self.call("up", *PCU, "--mobiles", "carl,dora").stdout
        self.assertRegex(said, r"^carl: 203\.0\.113\.1 answered a ping in \d+ ms\n")
        pids = self.pids()
        before = {row["imsi"]: row["sent"] for row in self.show("ms")}
        self.assertEqual(self.call("shell", "dora", sys.executable, "-c", lab_command.DOWNLOAD).stdout, "20000\n")
        if shutil.which("ping"):
            self.call("shell", "dora", "ping", "-c", "1", "-W", "30", "203.0.113.1")
        after = {row["imsi"]: row["sent"] for row in self.show("ms")}
        self.assertEqual(after["001010000000001"], before["001010000000001"])
        self.assertGreater(after["001010000000002"], 13)
        self.assertNotIn("ended", self.call("status").stdout)
        os.kill(self.pid("osmo-pcu"), signal.SIGKILL)
        while lab_command.is_running(self.pid("bts")):
            time.sleep(0.05)
        said = self.call("status", status=1).stdout
        self.assertRegex(said, "bts .* ended: gbflow lab: osmo-pcu has gone")
        self.assertIn("ended: node, server, osmo-ggsn;", self.call("down").stdout)
        self.check_nothing_left(pids)
        self.call("up", *PCU, "--mobiles", "carl", "--rlc-loss", "5")  # whatever the BTS left there
        with open(f"/run/{self.name}/bts.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["rlc_loss"], 0.05)
        self.assertIn("ended: osmo-pcu, bts, node, server, osmo-ggsn;", self.call("down").stdout)

    def test_phones(self):
        """Authenticated by osmo-hlr, ciphered, with contexts of osmo-ggsn; a host downloads from the address of each."""
        lab.need(self, None if shutil.which("osmo-hlr") else "needs the program osmo-hlr")
        self.call("up", *PCU, "--phones", "1")  # the only one: with its address the default route goes and comes
        pids = [*self.pids(), self.pid("osmo-hlr")]
        rows = self.show("subscribers")
        self.assertEqual([(row["imsi"], row["state"], row["gea"]) for row in rows],
                         [("001010000000001", "registered", 3)])
        for row in rows:
            words = [sys.executable, "-c", lab_command.DOWNLOAD_FROM, row["contexts"].removeprefix("5:")]
            self.assertEqual(self.call("shell", "phones", *words).stdout, "20000\n")
        self.check_acts(rows[0]["imsi"])
        self.assertIn("ended: osmo-pcu, bts, node, osmo-hlr, server, osmo-ggsn;", self.call("down").stdout)
        self.check_nothing_left(pids)

    def check_acts(self, imsi):
        """A phone answers the network's orders; one that is to attach again has a context again, for which a host can download."""
        self.assertIn("DEACTIVATE PDP CONTEXT ACCEPT", self.act("deactivate", imsi))
        self.assertEqual([row["contexts"] for row in self.show("subscribers") if row["imsi"] == imsi], ["-"])
        self.name_network()
        self.assertIn("DETACH ACCEPT", self.act("detach", imsi, "--reattach"))
        row = self.wait_for_context(imsi)
        words = [sys.executable, "-c", lab_command.DOWNLOAD_FROM, row["contexts"].removeprefix("5:")]
        self.assertEqual(self.call("shell", "phones", *words).stdout, "20000\n")
        self.switch_off_and_on()
        self.assertIn("DETACH ACCEPT", self.act("detach", imsi))
        self.assertEqual([row["imsi"] for row in self.show("subscribers") if row["imsi"] == imsi], [])

    def name_network(self):
        """The phones that attach from now on are sent GMM INFORMATION, while they ask for a context."""
        path = pathlib.Path(f"/run/{self.name}/node.lua")
        path.write_text(path.read_text(encoding="utf-8").replace("  phones = {", '  phones = { network_name = "lab",'), encoding="utf-8")
        self.act("reload")

    def act(self, *words):
        done = subprocess.run([node.program(), *words, "--prefix", self.name], capture_output=True, text=True, check=False, timeout=150)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def wait_for_context(self, imsi):
        end = time.monotonic() + 60
        while True:
            found = [row for row in self.show("subscribers") if row["imsi"] == imsi and row["contexts"] != "-"]
            if found:
                return found[0]
            self.assertLess(time.monotonic(), end, "no context")
            time.sleep(0.1)

    def test_interrupted(self):
        """SIGTERM when osmo-pcu has started, before it has a cell."""
        words = [node.program(), "lab", "up", "--name", self.name, *PCU]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
            lines = []
            for line in child.stderr:
                lines.append(line)
                if line.startswith("osmo-pcu: pid"):
                    child.send_signal(signal.SIGTERM)
        self.assertEqual(child.returncode, 1, lines)
        self.assertIn("interrupted", lines[-1])
        self.check_nothing_left([int(line.split()[2].rstrip(",")) for line in lines if ": pid " in line])

    def test_refusals(self):
        names = ",".join(f"m{number}" for number in range(17))
        for words, said in ((("--phones", "18"), "18 mobiles or phones: at most 16 with --bss osmo-pcu"),
                            (("--mobiles", names), "17 mobiles or phones: at most 16 with --bss osmo-pcu"),
                            (("--coding", "MCS-9"), "--coding MCS-9 needs --phones")):
            with self.subTest(words=words):
                self.assertEqual(self.call("up", *PCU, *words, status=2).stderr, f"gbflow lab: {said}\n")
        for words in (("--coding", "MCS-9", "--phones"), (*PCU, "--coding", "CS-5"),
                      (*PCU, "--multislot", "2"), (*PCU, "--phones", "--multislot", "13"), ("--bss", "other"), ("--rlc-loss", "30"),
                      (*PCU, "--rlc-loss", "100"), (*PCU, "--reliability", "2"), (*PCU, "--compression")):
            self.call("up", *words, status=2)
        with tempfile.TemporaryDirectory() as folder:
            lab_command.link_programs(folder, "python3", "ip", "osmo-ggsn", "ping", "curl")
            self.assertIn("\n  osmo-pcu: apt install osmo-pcu;", self.call("up", *PCU, status=1, path=folder).stderr)
        self.assertEqual(self.namespaces(), [])


if __name__ == "__main__":
    unittest.main()
