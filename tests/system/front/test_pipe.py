# SPDX-License-Identifier: BSD-3-Clause
"""A reader that has gone, as that of `| head`: each command ends without a word on stderr, by the signal or with its own status."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

GBFLOW = os.environ["GBFLOW"]
ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])
QUICKSTART = str(ROOT / "config/scenarios/quickstart.lua")
TIMES = "120 s of virtual time took "  # of a run, on stderr
STUDY = """return { scenario = "%s", seeds = 2, axes = { { name = "n", set = { "cells[1].pdchs" }, values = { 3, 4 } } } }\n"""

# Commands that print something, in a folder with a study and the files that ROWS[0] has written.
ROWS = [
    ["run", QUICKSTART, "--out", "run", "--no-report"],
    ["run", QUICKSTART, "--out", "page"],
    ["run", QUICKSTART, "--out", "cdf", "--no-report", "--cdf"],
    ["sweep", "axes.lua", "--dry-run"],
    ["sweep", "axes.lua", "--dry-run", "--json"],
    ["rerun", "run"],
    ["compare", "run", "run", "--all"],
    ["replay", str(ROOT / "config/nodes/replay-open.lua"), "--in", str(ROOT / "tests/data/captures/gn-osmo-ggsn.pcap")],
    ["analyze", str(ROOT / "tests/data/captures/gi-osmo-ggsn.pcap.gz"), "--out", "analysis", "--no-report"],
    ["aqm", "list"],
    ["aqm", "list", "--json"],
    ["aqm", "show", "red"],
    ["aqm", "curve", "red", "--packets", "10", "--out", "curve"],
    ["lab", "status", "--name", "none", "--json"],
    ["top", "run", "--once"],
    ["doctor"],
    ["doctor", "--json"],
    ["fields"],
    ["fields", "summary"],
    ["check", QUICKSTART],
    ["check", QUICKSTART, "--json"],
    ["completion", "bash"],
    ["reproduce", "P1", "--sed"],
]


class Pipe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "axes.lua").write_text(STUDY % QUICKSTART, encoding="utf-8")
        subprocess.run([GBFLOW, *ROWS[0]], cwd=cls.folder, stdout=subprocess.DEVNULL, check=True, timeout=120)

    def play(self, words, restore):
        """The status, and stderr, of a command whose standard output nobody reads; restore: whether SIGPIPE has its usual effect."""
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = subprocess.run([GBFLOW, *words], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                  restore_signals=restore, text=True, check=False, timeout=120)
        finally:
            os.close(writer)
        return done.returncode, done.stderr

    def test_output_that_nobody_reads(self):
        for words in ROWS[:-1]:
            for restore in (True, False):
                with self.subTest(words=words, restore=restore):
                    status, errors = self.play(words, restore)
                    self.assertEqual([line for line in errors.splitlines() if not line.startswith(TIMES)], [])
                    self.assertIn(status, (-signal.SIGPIPE, 0, 1))

    def test_help_that_nobody_reads(self):
        listed = re.findall(r"(?m)^  ([a-z][a-z-]*)  +\S", subprocess.run([GBFLOW, "--help"], capture_output=True, text=True, check=True).stdout)
        self.assertGreater(len(listed), 15)
        for words in ([], *([name] for name in listed)):
            with self.subTest(words=words):
                self.assertEqual(self.play([*words, "--help"], True), (-signal.SIGPIPE, ""))
        self.assertEqual(self.play(["--version"], True), (-signal.SIGPIPE, ""))

    def test_output_that_is_closed(self):
        """As after >&-: a failure, with one line that says so."""
        for words in [["--help"], ["help"], ["--version"], ["bench", "ndr", "--help"], ["lab", "--help"], *ROWS[1:-1]]:
            with self.subTest(words=words):
                done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", GBFLOW, *words], cwd=self.folder, stderr=subprocess.PIPE,
                                      stdin=subprocess.DEVNULL, text=True, check=False, timeout=120)
                said = [line for line in done.stderr.splitlines() if not line.startswith(TIMES)]
                self.assertEqual(done.returncode, 1, said)
                self.assertEqual(len(said), 1, said)
                self.assertRegex(said[0], "^gbflow.*: cannot write to standard output$")

    def test_errors_that_nobody_reads(self):
        """Standard error alone: the status is that of the error."""
        reader, writer = os.pipe()
        os.close(reader)
        for words in (["rnu"], ["check", "nowhere.lua"], ROWS[-1], ["compare", "a", "b"]):
            with self.subTest(words=words):
                done = subprocess.run([GBFLOW, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=writer, check=False, timeout=60)
                self.assertEqual(done.stdout, b"")
                self.assertIn(done.returncode, (-signal.SIGPIPE, 2))
        os.close(writer)


if __name__ == "__main__":
    unittest.main()
