#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""New files, made as docs/aqm.md and docs/first-change.md say, are no finding of the lint: a copy of the tree with them
passes scripts/check.sh."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from first_change_test import PAGE, ROOT, diff_of, outside, tree


def new_scheme(copy):
    """dataplane/aqm/sill.c, its row, its test and its line of docs/aqm.md: those of tail_drop with another name."""
    for path in ("dataplane/aqm/{}.c", "tests/unit/dataplane/aqm/{}_test.c"):
        text = (copy / path.format("tail_drop")).read_text(encoding="utf-8")
        (copy / path.format("sill")).write_text(re.sub("tail.drop", "sill", text, flags=re.IGNORECASE), encoding="utf-8")
    for path, row in (("dataplane/aqm/schemes.def", r"AQM_SCHEME.tail_drop.\n"), ("docs/aqm.md", r"\| `tail_drop` .*\n")):
        text = (copy / path).read_text(encoding="utf-8")
        line = re.search(row, text).group(0)
        (copy / path).write_text(text.replace(line, line + line.replace("tail_drop", "sill")), encoding="utf-8")


class NewFiles(unittest.TestCase):
    """What the pages say to add is no finding of the lint."""

    def git(self, folder, *words, **options):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words]
        subprocess.run(command, cwd=folder, env=outside(folder), check=True, capture_output=True, text=True, **options)

    def copy_into(self, folder):
        command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, text=True, check=False)
        if listed.returncode != 0:
            self.skipTest("no work tree of git here")
        for path in filter(None, listed.stdout.split("\0")):
            if (ROOT / path).exists():
                place = folder / path
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / path, place, follow_symlinks=False)
        for path, text in tree().items():
            (folder / path).write_text(text, encoding="utf-8")
        self.git(folder, "init", "-q")
        self.git(folder, "add", "-A")
        self.git(folder, "commit", "-qm", "lint: a copy of the tree")

    def test_pass_the_lint(self):
        with tempfile.TemporaryDirectory() as name:
            copy = pathlib.Path(name)
            self.copy_into(copy)
            new_scheme(copy)
            self.git(copy, "apply", "-", input=diff_of(PAGE))
            environment = {key: value for key, value in outside(name).items() if key != "CI"}
            done = subprocess.run([copy / "scripts" / "check.sh", "HEAD"], cwd=copy, env=environment, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("no violations", done.stdout)


if __name__ == "__main__":
    if shutil.which("git") is None:
        print("git is not installed, see scripts/setup.sh --test")
        sys.exit(77)
    unittest.main()
