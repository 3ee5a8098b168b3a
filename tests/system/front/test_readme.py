# SPDX-License-Identifier: BSD-3-Clause
"""README.md's commands work, and its table is what the first of them prints."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])
PROGRAM = os.environ["GBFLOW"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?:^ {4}\S.*\n(?: {4}.*\n)*)+", re.MULTILINE)
# Drawing a report takes longest, and other tests do it.
MORE = {"run": ["--no-report"], "analyze": ["--no-report"]}


def commands():
    """Of each command of the program in an indented block, its words."""
    for block in BLOCK.findall(README):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["build/gbflow"]:
                yield words[1:]


def table():
    """The lines of the first table of mobiles."""
    return next(block for block in BLOCK.findall(README) if block.split()[0] == "mobile").splitlines()


class Readme(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = folder.name + "/"

    def run_command(self, words):
        words = [re.sub(r"^out/", self.out, word) for word in words]
        done = subprocess.run([PROGRAM, *words, *MORE.get(words[0], [])], cwd=ROOT, capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_each_command_works(self):
        ran = {words[0] for words in commands() if self.run_command(words)}
        self.assertEqual(ran, {"run", "replay", "analyze"})

    def test_table_is_what_the_first_command_prints(self):
        said = self.run_command(next(commands())).splitlines()
        for line in table():
            self.assertIn(line.strip(), said)

    def test_lines_of_q_are_what_its_command_prints(self):
        said = self.run_command(next(words for words in commands() if "sgsn.queues.discipline=q" in words)).splitlines()
        lines = [block for block in BLOCK.findall(README) if block.split()[0] == "anna"][1].splitlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertIn(line.strip(), said)


if __name__ == "__main__":
    unittest.main()
