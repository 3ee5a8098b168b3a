# SPDX-License-Identifier: BSD-3-Clause
"""gbflow lab capture (docs/lab.md): the links of a lab in one file, which tshark decodes to the users' packets, and live into Wireshark."""
import collections
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import lab
import lab_command
import node

FIELDS = "frame.interface_name", "frame.protocols"
DECODED = {"Gn": "ip:udp:gtp:ip:tcp", "Gb": "ip:udp:gprs-ns:bssgp:llcgprs:sndcp:ip:tcp", "anna": "raw:ip:tcp", "Gi": "raw:ip:tcp"}


class Capture(lab_command.Case):
    def setUp(self):
        super().setUp()
        lab.need(self, None if shutil.which("tshark") else "needs the program tshark")
        holder = tempfile.TemporaryDirectory(prefix="gbflow-lab-capture-")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.call("up", "--mobiles", "anna")

    def start(self, *words, **environment):
        """The command, when it captures."""
        names = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        child = subprocess.Popen([node.program(), "lab", "capture", "--name", self.name, *words], cwd=self.folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**names, **environment})
        self.addCleanup(child.kill)
        child.stderr.readline()
        return child

    def download(self):
        self.assertEqual(self.call("shell", "anna", sys.executable, "-c", lab_command.DOWNLOAD).stdout, "20000\n")

    def end(self, child, number=signal.SIGINT):
        child.send_signal(number)
        said, errors = child.communicate(timeout=60)
        self.assertEqual((child.returncode, errors), (0, ""))
        return said

    def rows(self, path):
        """Of each interface's packets the protocols, and how many have them."""
        words = ["tshark", "-n", "-r", path, "-d", "udp.port==23000,gprs-ns", "-T", "fields", *(word for field in FIELDS for word in ("-e", field))]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
        found = collections.defaultdict(collections.Counter)
        for line in done.stdout.splitlines():
            name, protocols = line.split("\t")
            found[name][protocols] += 1
        return found

    def check(self, path, said, wanted):
        """tshark finds as many packets as were told, and TCP of the download on each interface."""
        rows = self.rows(path)
        counts = {name: int(count) for name, count in re.findall(r"([A-Za-z]+) (\d+)[,)]", said)}
        self.assertEqual({name: sum(rows[name].values()) for name in wanted}, counts)
        self.assertIn(f"{sum(counts.values())} packets", said)
        self.assertIn(", 0 lost\n", said)
        for name in wanted:
            self.assertGreater(sum(count for protocols, count in rows[name].items() if DECODED[name] in protocols), 10, (name, rows[name]))

    def test_file(self):
        path = os.path.join(self.folder, "a.pcapng")
        child = self.start("a.pcapng", "--interfaces", "Gb,Gn,Gi,anna")
        self.download()
        said = self.end(child)
        self.check(path, said, ["Gb", "Gn", "Gi", "anna"])
        self.assertRegex(said, r"^interrupted: (.*\n)*Read it: tshark -r a\.pcapng -d udp\.port==23000,gprs-ns\n$")
        self.assertIn("is there already", self.call("capture", path, status=1).stderr)
        self.assertIn("'Gx' is no interface of the lab: one of Gb, Gn, Gi, anna", self.call("capture", "--interfaces", "Gb,Gx", status=1).stderr)
        for seconds in ("0", "-1", "a"):
            self.call("capture", "--seconds", seconds, status=2)

    def test_names_and_ends(self):
        """Without a desktop and a name the file has the lab's; SIGTERM ends it, too, as the seconds and the lab's end do."""
        self.end(self.start(), signal.SIGTERM)
        child = self.start("--seconds", "1")
        self.assertIn("time is over: ", child.communicate(timeout=60)[0])
        self.assertEqual(sorted(os.listdir(self.folder)), [f"{self.name}-2.pcapng", f"{self.name}.pcapng"])
        child = self.start("--seconds", "600")
        self.call("down")
        self.assertIn("the lab went down: ", child.communicate(timeout=60)[0])
        self.assertEqual(self.namespaces(), [])
        self.assertIn("no lab is up", self.call("capture", status=1).stderr)

    def test_wireshark(self):
        """With a desktop the packets go to its standard input, one by one."""
        got, pid = os.path.join(self.folder, "got"), os.path.join(self.folder, "pid")
        with open(os.path.join(self.folder, "wireshark"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$@" >{self.folder}/words\necho $(id -u) $HOME >{self.folder}/who\necho $$ >{pid}\nexec cat >{got}\n')
        os.chmod(file.name, 0o755)
        os.chmod(self.folder, 0o777)
        child = self.start(DISPLAY=":0", PATH=f"{self.folder}:{os.environ['PATH']}")
        self.download()
        said = self.end(child)
        with open(os.path.join(self.folder, "words"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "-k -i - -d udp.port==23000,gprs-ns\n")
        self.check(got, said, ["Gb", "Gn"])
        for name in os.listdir(self.folder):
            if name != "wireshark":
                os.unlink(os.path.join(self.folder, name))
        nobody = pwd.getpwnam("nobody")
        child = self.start(DISPLAY=":0", PATH=f"{self.folder}:{os.environ['PATH']}", SUDO_UID=str(nobody.pw_uid))
        while not os.path.exists(got):
            self.assertIsNone(child.poll())
        with open(pid, encoding="utf-8") as file:
            os.kill(int(file.read()), signal.SIGTERM)
        with open(os.path.join(self.folder, "who"), encoding="utf-8") as file:
            self.assertEqual(file.read(), f"{nobody.pw_uid} {nobody.pw_dir}\n")
        self.download()
        self.assertIn("Wireshark was closed: ", child.communicate(timeout=60)[0])


if __name__ == "__main__":
    unittest.main()
