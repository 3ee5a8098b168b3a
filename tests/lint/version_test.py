#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/version.sh in trees with and without a repository: the version grows with commits, as dpkg orders it."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = "project('gbflow', 'c',\n  version: '{}',\n)\n"
WHO = {f"GIT_{part}_{key}": value for part in ("AUTHOR", "COMMITTER") for key, value in (("NAME", "a"), ("EMAIL", "a@example.org"))}
# A hook of git sets where its repository is.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")} | WHO


def run(*words):
    return subprocess.run([*map(str, words)], check=True, env=ENVIRONMENT, capture_output=True, text=True)


class Version(unittest.TestCase):
    def setUp(self):
        self.holder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="gbflow-version-")))
        self.tree = self.make(self.holder / "tree")

    def make(self, tree):
        """A tree of the scripts and a meson.build, without a repository."""
        (tree / "scripts").mkdir(parents=True)
        for name in ("version.sh", "common.sh"):
            shutil.copy(ROOT / "scripts" / name, tree / "scripts")
        (tree / "meson.build").write_text(PROJECT.format("0.3.0"), encoding="ascii")
        return tree

    def git(self, *words):
        return run("git", "-C", self.tree, *words).stdout.strip()

    def commit(self, text=None):
        """A commit, of the changed meson.build if there is a text."""
        if text is not None:
            (self.tree / "meson.build").write_text(text, encoding="ascii")
        self.git("add", ".")
        self.git("commit", "--allow-empty", "--message", "tree: change")

    def begin(self):
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit()

    def said(self, *words, tree=None):
        return run((tree or self.tree) / "scripts/version.sh", *words).stdout.split()

    def test_grows_with_each_commit(self):
        self.begin()
        said = [*self.said()]
        for _ in range(10):
            self.commit()
            said += self.said()
        self.assertEqual(said, ["0.3.0", *(f"0.3.0+{number}" for number in range(1, 11))])

    def test_grows_with_a_merge_by_its_commits(self):
        self.begin()
        self.git("switch", "--quiet", "--create", "side")
        self.commit()
        self.commit()
        self.git("switch", "--quiet", "main")
        self.git("merge", "--no-ff", "--message", "tree: merge", "side")
        self.assertEqual(self.said(), ["0.3.0+3"])

    def test_counts_from_the_commit_that_sets_the_version(self):
        self.begin()
        self.commit(PROJECT.format("0.3.0") + "dependency('libdpdk', version: '>=22.11')\n")
        self.assertEqual(self.said(), ["0.3.0+1"])
        self.commit(PROJECT.format("0.4.0"))
        self.assertEqual(self.said(), ["0.4.0"])

    def test_dpkg_takes_each_for_newer(self):
        ordered = ["0.3.0", "0.3.0+1", "0.3.0+9", "0.3.0+10", "0.3.1", "0.3.1+1"]
        if shutil.which("dpkg") is None:
            print("skipped: there is no dpkg")
            self.skipTest("there is no dpkg")
        for older, newer in zip(ordered, ordered[1:]):
            run("dpkg", "--compare-versions", newer, "gt", older)

    def test_commit(self):
        self.begin()
        self.assertEqual(self.said("--commit"), [self.git("rev-parse", "--short=12", "HEAD")])
        (self.tree / "meson.build").write_text(PROJECT.format("0.3.0") + "\n", encoding="ascii")
        self.assertEqual(self.said("--commit"), [self.git("rev-parse", "--short=12", "HEAD") + "-dirty"])

    def test_of_a_copy_with_the_file(self):
        self.begin()
        self.commit()
        both = self.said("--both")
        self.assertRegex(" ".join(both), r"^0\.3\.0\+1 [0-9a-f]{12}$")
        copy = self.make(self.holder / "copy")
        (copy / "VERSION").write_text("\n".join(both) + "\n", encoding="ascii")
        self.assertEqual((self.said(tree=copy), self.said("--commit", tree=copy), self.said("--both", tree=copy)),
                         (both[:1], both[1:], both))

    def test_of_a_copy_without_the_file(self):
        self.assertEqual(self.said("--both"), ["0.3.0", "unknown"])

    def test_of_a_folder_of_another_repository(self):
        self.begin()
        self.commit()
        inner = self.make(self.tree / "inner")
        self.assertEqual(self.said("--both", tree=inner), ["0.3.0", "unknown"])

    def test_of_a_shallow_clone(self):
        self.begin()
        self.commit()
        run("git", "clone", "--quiet", "--depth", "1", f"file://{self.tree}", self.holder / "clone")
        done = run(self.holder / "clone/scripts/version.sh")
        self.assertEqual(done.stdout, "0.3.0\n")
        self.assertIn("git fetch --unshallow", done.stderr)

    def test_of_this_tree(self):
        release = re.search(r"(?m)^  version: '(.*)',$", (ROOT / "meson.build").read_text(encoding="ascii")).group(1)
        self.assertRegex(self.said(tree=ROOT)[0], rf"^{re.escape(release)}(\+\d+)?$")


if __name__ == "__main__":
    unittest.main()
