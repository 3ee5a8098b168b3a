#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the titles of commits (STYLE 40): "folder: verb ..." in at most 60 characters.

usage: titles.py [DIR]      a work tree of git; default: this one

Commits from before the rule, known by their author's date, are left alone. So a clone without history (--depth) needs
no commit to begin with. Prints COMMIT: MESSAGE for each violation. Status: 0 none, 1 some, 2 usage, 77 no work tree of
git here (which is 1 where CI=true).
"""
import os
import re
import subprocess
import sys
from datetime import datetime

SINCE = datetime.fromisoformat("2026-11-22T17:35:00+00:00")
CHARACTERS_MAX = 60
FORM = re.compile(r"[^\s:][^:]*: \S")
MADE_BY_GIT = ("Merge ", "Revert ")


def fault(title):
    """What is wrong with a title, or None."""
    if title.startswith(MADE_BY_GIT):
        return None
    if len(title) > CHARACTERS_MAX:
        return f"{len(title)} characters, {CHARACTERS_MAX} are allowed"
    return None if FORM.match(title) else 'not "folder: verb ..."'


def commits(folder):
    """(abbreviated hash, author's date, title) of each commit that is here; None outside of git."""
    command = ["git", "-C", folder, "log", "--no-merges", "--format=%h%x00%aI%x00%s"]
    run = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if run.returncode != 0:
        return None
    rows = (line.split("\0", 2) for line in run.stdout.splitlines())
    return [(name, datetime.fromisoformat(date.replace("Z", "+00:00")), title) for name, date, title in rows]


def main():
    if len(sys.argv) > 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found = commits(sys.argv[1] if len(sys.argv) == 2 else os.path.dirname(os.path.abspath(__file__)))
    if found is None:
        print("titles: no work tree of git here")
        return 1 if os.environ.get("CI") == "true" else 77
    faults = [(name, title, fault(title)) for name, date, title in found if date >= SINCE and fault(title)]
    for name, title, words in faults:
        print(f"{name}: {words}: {title}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
