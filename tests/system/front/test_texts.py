# SPDX-License-Identifier: BSD-3-Clause
"""Texts from users: a byte order mark in front, a FIFO in place of a file; and what a command prints where there is no room."""
import os
import re
import subprocess
import tempfile
import threading
import unittest

GBFLOW = os.environ["GBFLOW"]
CONFIG = os.path.join(os.environ["GBFLOW_ROOT"], "config")
MARK = b"\xef\xbb\xbf"
TEXTS = ("nodes/replay-open.lua", "scenarios/quickstart.lua", "bss/lab.lua")


def octets_of(name):
    with open(os.path.join(CONFIG, name), "rb") as file:
        return file.read()


class Texts(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gbflow-texts-")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def put(self, name, octets):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(octets)
        return path

    @staticmethod
    def run_program(*words, **more):
        return subprocess.run([GBFLOW, *words], capture_output=True, text=True, timeout=120, check=False,
                              **{"stdin": subprocess.DEVNULL, **more})

    def test_byte_order_marks(self):
        """Lines and columns of messages are those of the text behind the mark."""
        for name in TEXTS:
            with self.subTest(name=name):
                path = self.put("text.lua", MARK + octets_of(name))
                done = self.run_program("check", path)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        done = self.run_program("check", self.put("text.lua", MARK + b"return { title = 1 +\n\n}\n"))
        self.assertEqual((done.returncode, done.stderr.count("unexpected symbol near '}'")), (2, 1), done)
        self.assertIn("text.lua:3: ", done.stderr)

    def test_a_mark_in_each_text_beside_a_scenario(self):
        """A module, a scheme, a trace: each with a mark, and then with none."""
        for mark in (MARK, b""):
            script = self.put("front.lua", mark + octets_of("aqm/drop-front.lua"))
            self.put("errors.csv", mark + b"0,0\n1,10\n")
            self.put("cells.lua", mark + b'return { { bvci = 2, coding = "CS-2", pdchs = 4, bler_trace = { file = "errors.csv" } } }\n')
            path = self.put("scenario.lua", mark + b"""return { title = "marks", duration = "5 s", cells = require "cells",
                sgsn = { queues = { aqm = { lua = "%s" } } }, study = { seeds = 1, axes = { { name = "coding",
                  set = { "cells[1].coding" }, values = { "CS-1", "CS-2" } } } },
                mobiles = { { name = "a", traffic = { { download = { octets = "20 kB" } } } } } }""" % script.encode())
            done = self.run_program("check", path)
            with self.subTest(mark=mark):
                self.assertEqual((done.returncode, done.stderr), (0, ""), done)

    def through_fifo(self, octets, *words):
        """Runs words with a FIFO behind them, which has the octets once."""
        path = os.path.join(self.folder, "fifo")
        os.mkfifo(path)
        writer = threading.Thread(target=self.put, args=("fifo", octets))
        writer.start()
        try:
            return self.run_program(*words, path)
        finally:
            writer.join()
            os.unlink(path)

    def test_fifos_are_read_once(self):
        for name in TEXTS:
            with self.subTest(name=name):
                done = self.through_fifo(octets_of(name), "check")
                self.assertEqual((done.returncode, done.stderr), (0, ""), done)
                self.assertIn("fifo: right: ", done.stdout)

    def test_a_substitution_of_the_shell(self):
        """As bash makes it of <(cat FILE)."""
        ours, theirs = os.pipe()
        with open(theirs, "wb") as file:
            file.write(octets_of("scenarios/quickstart.lua"))
        with open(ours, "rb"):
            done = self.run_program("check", f"/dev/fd/{ours}", pass_fds=[ours])
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)


class NoRoom(unittest.TestCase):
    """Whatever prints to a device without room says so, and fails."""

    @staticmethod
    def into_full(*words):
        with open("/dev/full", "w", encoding="ascii") as full:
            return subprocess.run([GBFLOW, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
                                  stdin=subprocess.DEVNULL)

    def test_each_help(self):
        names = re.findall(r"^  ([a-z][a-z-]*)  +\S", subprocess.run([GBFLOW, "--help"], capture_output=True, text=True, check=True,
                                                                      timeout=60).stdout, re.MULTILINE)
        self.assertGreater(len(names), 15)
        for words in (["--help"], ["-h"], ["--version"], *([name, "--help"] for name in names)):
            with self.subTest(words=words):
                done = self.into_full(*words)
                self.assertEqual(done.returncode, 1, done)
                self.assertRegex(done.stderr, r"^gbflow.*: .*(cannot write to standard output|No space left).*\n$")

    def test_results(self):
        node = os.path.join(CONFIG, "nodes/replay-open.lua")
        capture = os.path.join(os.environ["GBFLOW_ROOT"], "tests/data/captures/gi-osmo-ggsn.pcap.gz")
        holder = tempfile.TemporaryDirectory(prefix="gbflow-texts-")
        self.addCleanup(holder.cleanup)
        for words in (["fields", "replay"], ["aqm", "list"], ["completion", "bash"], ["analyze", "--thresholds"], ["check", node],
                      ["analyze", capture], ["doctor"], ["run", os.path.join(CONFIG, "scenarios/quickstart.lua"), "--set", "duration=5 s", "--out", holder.name],
                      ["aqm", "show", "red"]):
            with self.subTest(words=words):
                done = self.into_full(*words)
                self.assertEqual(done.returncode, 1, done)
                self.assertIn("standard output", done.stderr)


if __name__ == "__main__":
    unittest.main()
