# SPDX-License-Identifier: BSD-3-Clause
"""The commands of README.md and of a reader's first page work, and what is quoted below a command is what it prints or writes."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])
PROGRAM = os.environ["GBFLOW"]
# An indented block, or a file of its own: its name and text.
PART = re.compile(r"(?P<block>(?:^ {4}\S[^\n]*\n(?: {4}[^\n]*\n)*)+)|^```\w+ title=\"(?P<name>[^\"]+)\"\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
# Drawing a page takes longest, and other tests do it.
MORE = {"run": ["--no-report"], "sweep": ["--no-report"]}
# Of each page the commands that are played; all others need devices, rights or minutes, or are scripts (run.sh plays the quick start).
# The live test test_compression_page plays those of docs/compression.md.
PLAYED = {"README.md": ["run", "run"], "docs/first-study.md": ["run", "run", "compare", "sweep"],
          "docs/compression.md": ["run", "analyze"]}
QUICKSTART = ["run", "config/scenarios/quickstart.lua", "--out", "out/quickstart"]
NOT_PLAYED = re.compile(r"(sudo )?build/gbflow (lab|bench|doctor|show)\b|tshark |wait$|sudo apt-get |docker |\./scripts/(run|test)\.sh")


class Player:
    """Walks a page in a folder that has the tree's files, and knows all that its commands said and wrote."""

    def __init__(self, folder):
        self.folder, self.played, self.said = folder, [], ""
        for name in ("config", "tests"):
            (folder / name).symlink_to(ROOT / name)
        (folder / "out").mkdir()

    def play(self, words):
        done = subprocess.run([PROGRAM, *words, *MORE.get(words[0], [])], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise AssertionError(f"gbflow {shlex.join(words)}: {done.stderr}")
        self.played.append(words[0])
        self.said += done.stdout + "".join(path.read_text(encoding="utf-8") for path in self.folder.glob("out/*/*.csv") if "series" not in path.name)

    def line(self, line):
        """A command, or a line that a command above printed or wrote."""
        words = shlex.split(line, comments=True)
        if words[:1] == ["./scripts/run.sh"]:
            self.play(QUICKSTART)
        elif words[:1] == ["build/gbflow"] and not NOT_PLAYED.match(line):
            self.play(words[1:])
        elif not NOT_PLAYED.match(line) and not self.is_said(" ".join(line.split())):
            raise AssertionError(f"no command above says: {line}")

    def is_said(self, line):
        """Blanks do not count; "..." at the end stands for more."""
        begin, dots, _ = line.partition(" ...")
        said = (" ".join(one.split()) for one in self.said.splitlines())
        return any(one.startswith(begin) if dots else one == begin for one in said)

    def page(self, text):
        for part in PART.finditer(text):
            if part["name"]:
                (self.folder / part["name"]).write_text(part["text"], encoding="utf-8")
                continue
            for line in re.sub(r"(?m)^ {4}", "", part["block"]).replace("\\\n", " ").splitlines():
                if line.strip():
                    self.line(line)


class Pages(unittest.TestCase):
    def play(self, text):
        with tempfile.TemporaryDirectory() as folder:
            player = Player(pathlib.Path(folder))
            player.page(text)
            return player.played

    def test_pages(self):
        for page, played in PLAYED.items():
            with self.subTest(page=page):
                found = self.play((ROOT / page).read_text(encoding="utf-8"))
                self.assertEqual(found, ["run", *played] if page == "README.md" else played)

    def test_a_line_that_no_command_says(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertIn("RTT 1.380 s median", text)
        with self.assertRaisesRegex(AssertionError, "no command above says"):
            self.play(text.replace("RTT 1.380 s median", "RTT 1.381 s median"))

    def test_a_command_that_fails(self):
        with self.assertRaisesRegex(AssertionError, "unknown option|--nonsense"):
            self.play("    build/gbflow run config/scenarios/quickstart.lua --nonsense\n")


class Readme(unittest.TestCase):
    def test_size(self):
        """One understands it in a minute: 120 lines, and two pictures of 200 kB together."""
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertLessEqual(len(text.splitlines()), 120)
        pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
        self.assertEqual(len(pictures), 2)
        self.assertLessEqual(sum((ROOT / path).stat().st_size for path in pictures), 200_000)


if __name__ == "__main__":
    unittest.main()
