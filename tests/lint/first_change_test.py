#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The diffs of docs/first-change.md fit the tree: the lines that they quote are there, in their order, in the function that they name."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "first-change.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PART = re.compile(r"^--- a/(\S+)\n\+\+\+ b/\1\n(.*?)(?=^--- a/|\Z)", re.MULTILINE | re.DOTALL)
HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ (.+)\n((?:[ +-].*\n)+)", re.MULTILINE)
COUNTER = "ul_octets_out"


def diff_of(page):
    return "".join(BLOCK.findall(page))


def parts_of(page):
    """Of each file in the diffs: its path, and the heading and old lines of each hunk."""
    for path, hunks in PART.findall(diff_of(page)):
        yield path, [(heading, "".join(line[1:] for line in re.findall(r"^[ -].*\n", body, re.MULTILINE)))
                     for heading, body in HUNK.findall(hunks)]


def is_headed(text, heading, old):
    """Whether the last line before the hunk that begins in the first column, as git finds it, begins with the heading."""
    before = text.partition(old)[0]
    found = re.findall(r"^[A-Za-z_$].*$", before, re.MULTILINE)
    return bool(found) and found[-1].startswith(heading.rstrip())


def outside(folder):
    """The environment in which git takes the folder for no part of a work tree."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_CEILING_DIRECTORIES": str(pathlib.Path(folder).parent)}


def changed(page, files, *words):
    """The files after the diffs, or None: they do not fit. words: options of git apply."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            place = pathlib.Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        done = subprocess.run(["git", "apply", *words, "-"], cwd=folder, env=outside(folder), input=diff_of(page), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None
        return {path: pathlib.Path(folder, path).read_text(encoding="utf-8") for path in files}


def tree():
    """The files that the diffs change, without the change, which a reader of the page has made."""
    files = {path: (ROOT / path).read_text(encoding="utf-8") for path, _ in parts_of(PAGE)}
    if not any(COUNTER in text for text in files.values()):
        return files
    before = changed(PAGE, files, "--reverse")
    if before is None:
        raise AssertionError(f"{COUNTER} is in the tree, but not by the diffs of docs/first-change.md: finish the page's steps or undo them")
    return before


def fits(page, files):
    headed = all(is_headed(files[path], heading, old) for path, hunks in parts_of(page) for heading, old in hunks)
    return headed and changed(page, files) is not None


# path, text, what a later commit makes of it: the page no longer fits
LATER = [
    ("dataplane/worker/stats.def", "ul_segments", "ul_pieces"),
    ("dataplane/worker/gn_tx.c", "send_to_ggsn(", "send_on("),
    ("dataplane/worker/gn_tx.c", "    put_tunnel_header(pdp, mbuf);\n    return gn_tx_send", "    return gn_tx_send"),
    ("control/live/show_node.c", "show_node[]", "show_all[]"),
    ("control/live/show_node.c", '    NUMBER("punted", punted),\n', ""),
    ("tests/unit/dataplane/worker/gn_tx_test.c", "static void play(", "static void send("),
]
# The same, and the page still fits: other lines come and go.
ELSEWHERE = [
    ("dataplane/worker/gn_tx.c", "#include <string.h>\n", "#include <string.h>\n#include <stddef.h>\n\n"),
    ("control/live/show_node.c", '    NUMBER("gn_rate_limited", gn_rate_limited),\n', ""),
]


class FirstChange(unittest.TestCase):
    def test_diffs_fit(self):
        files = tree()
        self.assertEqual(len(files), 4)
        self.assertEqual(len(BLOCK.findall(PAGE)), len(files))
        self.assertTrue(fits(PAGE, files), "docs/first-change.md does not fit the tree: bring its diffs up to date")

    def test_counter_is_new_and_in_each_file(self):
        """Else the change is there already, and the page needs another."""
        files = tree()
        after = changed(PAGE, files)
        self.assertIsNotNone(after, "docs/first-change.md does not fit the tree: bring its diffs up to date")
        for path, text in files.items():
            self.assertNotIn(COUNTER, text, path)
            self.assertIn(COUNTER, after[path], path)

    def test_a_tree_with_the_change(self):
        """The diffs go in and out again."""
        files = tree()
        self.assertEqual(changed(PAGE, changed(PAGE, files), "--reverse"), files)

    def test_later_trees(self):
        for rows, is_fit in ((LATER, False), (ELSEWHERE, True)):
            for path, old, new in rows:
                files = tree()
                self.assertIn(old, files[path])
                files[path] = files[path].replace(old, new)
                self.assertEqual(fits(PAGE, files), is_fit, (path, old))

    def test_names_of_tests(self):
        """meson has the tests that the page runs."""
        listed = (ROOT / "tests/unit/dataplane/worker/meson.build").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"meson test .*'(\w+ \w+)'$", PAGE, re.MULTILINE)), {"worker gn_tx"})
        self.assertIn("'gn_tx'", listed)
        self.assertIn("test('worker ' + name,", listed)



if __name__ == "__main__":
    if shutil.which("git") is None and os.environ.get("CI") != "true":
        print("git is not installed, see scripts/setup.sh --test")
        sys.exit(77)
    unittest.main()
