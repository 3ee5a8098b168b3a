# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages of section 1: their sections, each option of --help, and that groff takes them without a word."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

GBFLOW = os.environ["GBFLOW"]
FOLDER = pathlib.Path(os.environ["MAN_PAGE"]).parent
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"]
OPTION = re.compile(r"(?m)^  (--[a-z][a-z0-9-]*)")


def said(*words):
    return subprocess.run([GBFLOW, *words, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout


def plain(text):
    """A page without the marks of troff for hyphens and fonts."""
    return text.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\e", "\\")


class Man(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = re.findall(r"(?m)^  ([a-z][a-z-]*)  +\S", said())
        cls.pages = {name: FOLDER.joinpath(f"gbflow-{name}.1").read_text(encoding="utf-8") for name in cls.commands}

    def test_sections(self):
        self.assertGreater(len(self.pages), 30)
        for name, page in self.pages.items():
            with self.subTest(name):
                self.assertEqual(re.findall(r"(?m)^\.SH (.*)$", page), SECTIONS)
                parts = dict(re.findall(r"(?ms)^\.SH ([A-Z ]+)\n(.*?)(?=^\.SH |\Z)", page))
                self.assertIn(f"gbflow {name}", plain(parts["SYNOPSIS"]))
                self.assertRegex(parts["EXIT STATUS"], r"\b0\b[^0]*")
                self.assertNotIn("usage:", page)
                self.assertNotRegex(parts["DESCRIPTION"], "(?i)exit status:")
        first = FOLDER.joinpath("gbflow.1").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"(?m)^\.SH (.*)$", first),
                         ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "EXIT STATUS", "FILES", "SEE ALSO"])

    def test_each_option(self):
        for name, page in self.pages.items():
            with self.subTest(name):
                options = plain(page).partition(".SH OPTIONS")[2].partition(".SH EXIT STATUS")[0]
                listed = set(re.findall(r"(?m)^\.TP\n\.B (?:-h, )?(--[a-z][a-z0-9-]*)", options))
                self.assertLessEqual({*OPTION.findall(said(name)), "--help", "--plugins"}, listed)

    def test_modes_of_bench(self):
        for mode in ("preloaded", "ndr", "generate"):
            self.assertIn(f".SS gbflow bench {mode}\n", self.pages["bench"])
        self.assertIn("--trial-ms N", plain(self.pages["bench"]))

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_troff(self):
        """Each word of a page is printed, and nothing is warned of."""
        for path in sorted(FOLDER.glob("gbflow*.1")):
            with self.subTest(path.name):
                done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-c", "-P-b", "-P-u", path], capture_output=True, text=True, check=False,
                                      timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                for section in SECTIONS:
                    self.assertIn(section, done.stdout)


if __name__ == "__main__":
    unittest.main()
