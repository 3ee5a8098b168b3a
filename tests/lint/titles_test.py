#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""titles.py: titles row by row, and clones with and without history."""
import os
import subprocess
import sys
import tempfile
import unittest

import titles

# title, whether it may be
TITLES = [
    ("bss: count blocks", True),
    ("dataplane, tests: add no offset to a null pointer", True),
    ("a: " + "b" * 57, True),
    ("a: " + "b" * 58, False),
    ("count blocks", False),
    ("bss:count blocks", False),
    ("bss: ", False),
    (": count blocks", False),
    ('Revert "bss: count blocks"', True),
]
BEFORE, AFTER = "2026-11-01T00:00:00+00:00", "2026-12-01T00:00:00+00:00"
# (author's date, title) of each commit, the first first; status of the whole history, of a clone of depth 1
HISTORIES = [
    ([(BEFORE, "old and long " * 9)], 0, 0),
    ([(BEFORE, "old and long " * 9), (AFTER, "bss: count blocks")], 0, 0),
    ([(AFTER, "count blocks"), (AFTER, "bss: count blocks")], 1, 0),
    ([(AFTER, "bss: count blocks"), (AFTER, "count blocks")], 1, 1),
]


def git(folder, *words, date=None):
    who = {f"GIT_{part}_{key}": value for part in ("AUTHOR", "COMMITTER") for key, value in (("NAME", "a"), ("EMAIL", "a@example.org"))}
    environment = {**os.environ, **who, **({"GIT_AUTHOR_DATE": date} if date else {})}
    subprocess.run(["git", "-C", folder, *words], check=True, env=environment, capture_output=True)


def check(folder, **environment):
    return subprocess.run([sys.executable, titles.__file__, folder], capture_output=True, text=True, check=False,
                          env={**{key: value for key, value in os.environ.items() if key != "CI"}, **environment}).returncode


class Titles(unittest.TestCase):
    def test_rows(self):
        for title, may_be in TITLES:
            with self.subTest(title=title):
                self.assertEqual(titles.fault(title) is None, may_be)

    def test_histories(self):
        for history, whole, shallow in HISTORIES:
            with self.subTest(history=history), tempfile.TemporaryDirectory() as folder:
                origin, clone = os.path.join(folder, "origin"), os.path.join(folder, "clone")
                os.makedirs(origin)
                git(origin, "init", "-q")
                for date, title in history:
                    git(origin, "commit", "-q", "--allow-empty", "-m", title, date=date)
                git(folder, "clone", "-q", "--depth", "1", "file://" + origin, clone)
                self.assertEqual((check(origin), check(clone)), (whole, shallow))

    def test_outside_of_git_it_is_skipped_but_not_in_ci(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual((check(folder, GIT_CEILING_DIRECTORIES="/"), check(folder, CI="true")), (77, 1))


if __name__ == "__main__":
    unittest.main()
