# SPDX-License-Identifier: BSD-3-Clause
"""Readers of the log and of captures that stop, go, or never come: the node lives and answers, and says what was lost."""
import json
import os
import signal
import stat
import subprocess
import tempfile
import time
import unittest

import node
import test_start

RING = test_start.RING


class Output(unittest.TestCase):
    def setUp(self):
        self.node = node.Node(**RING)
        self.addCleanup(self.node.kill)
        self.node.wait_for("running")
        folder = tempfile.TemporaryDirectory(prefix="gbflow-output-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def capture(self, *words):
        return subprocess.run([node.program(), "capture", "--prefix", self.node.prefix, *words], capture_output=True, text=True,
                              check=False, timeout=60, env=self.node.environment())

    def refuse(self, path, pattern):
        done = self.capture(path)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(self.node.show("capture")[0]["state"], "off")

    def test_a_capture_is_a_new_file_of_its_owner(self):
        path = self.path("a.pcapng")
        self.assertEqual(self.capture(path).returncode, 0)
        about = os.stat(path)
        self.assertEqual(stat.S_IMODE(about.st_mode), 0o600)
        self.assertEqual(self.capture("--stop").returncode, 0)
        self.refuse(path, "the file exists")
        for name, target in (("to-file", path), ("to-nothing", self.path("nothing"))):
            os.symlink(target, self.path(name))
            self.refuse(self.path(name), "the file exists")
        self.assertFalse(os.path.exists(self.path("nothing")))
        self.assertEqual(os.stat(path).st_size, about.st_size or os.stat(path).st_size)
        self.assertEqual(self.node.stop(), 0)

    def test_a_fifo(self):
        path = self.path("fifo")
        os.mkfifo(path)
        self.refuse(path, "has no reader")
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.assertEqual(self.capture(path).returncode, 0)
        os.close(reader)  # Wireshark is closed
        self.capture("--stop")
        self.assertEqual(self.node.show("capture")[0]["state"], "off")
        self.assertEqual(self.node.stop(), 0)

    def test_a_name_forges_no_line(self):
        path = self.path("x\n1.000000 gb: error: forged")
        self.assertEqual(self.capture(path).returncode, 0)
        self.assertEqual(self.capture("--stop").returncode, 0)
        self.node.wait_for(r"capture: \d+ packets? in .*x\\n1\.0")
        self.assertFalse([line for line in self.node.lines if line.startswith("1.000000 gb: error")])
        self.assertEqual(self.node.stop(), 0)

    def test_the_log_loses_its_reader(self):
        path, environment = self.path("node.lua"), dict(os.environ, RUNTIME_DIRECTORY=self.folder)
        with open(self.node.path, encoding="utf-8") as old, open(path, "w", encoding="utf-8") as new:
            new.write(old.read())
        self.assertEqual(self.node.stop(), 0)  # two nodes cannot have a prefix
        deaf = subprocess.Popen([node.program(), "serve", path, "--verbose"], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        self.addCleanup(deaf.kill)
        deaf.stderr.readline()
        deaf.stderr.close()
        show = [node.program(), "show", "control", "--prefix", self.node.prefix, "--json"]
        end = time.monotonic() + node.START_S
        lost = 0
        while lost == 0 and time.monotonic() < end and deaf.poll() is None:
            done = subprocess.run(show, capture_output=True, text=True, check=False, timeout=60, env=environment)
            if done.returncode == 0:  # it runs
                lost = json.loads(done.stdout)[0]["log_lost"]
                deaf.send_signal(signal.SIGHUP)  # a reload says so
        self.assertIsNone(deaf.poll())
        self.assertGreater(lost, 0)
        deaf.send_signal(signal.SIGTERM)
        self.assertEqual(deaf.wait(node.STOP_S), 0)


if __name__ == "__main__":
    unittest.main()
