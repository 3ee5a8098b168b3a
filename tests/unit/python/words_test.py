#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The word that was probably meant, by the cases that the helpers in C and Lua are tested with, too; and the commands of the report
program that say it."""

import contextlib
import io
import re
import unittest

import setting
from gbflow_report import cli
from gbflow_results import words


def cases():
    """(word, names, the one that was meant)."""
    for line in (setting.HERE.parents[2] / "tests" / "data" / "words.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            word, names, meant = line.split(" | ")
            yield word, names.split(","), None if meant == "-" else meant


# Arguments of the report program, and the end of its message, behind which a line names the help.
WRONG = [
    (["reproduce", "--gbflow", "x", "P9"], "argument STUDY: 'P9' is no study: one of P1, P2, P3, P4, P5, own, search, points, ablation, narrow, radio, llc, compression, relocation, all"),
    (["reproduce", "--gbflow", "x", "p2"], "llc, compression, relocation, all; did you mean 'P2'?"),
    (["reproduce", "--gbflow", "x", "--sed", "3"], "unknown option --sed; did you mean --seeds?"),
    (["sweep", "s.lua", "--gbflow", "x", "--study", "y", "--jbos=3"], "unknown option --jbos; did you mean --jobs?"),
    (["sweep", "s.lua", "--gbflow", "x", "--study", "y", "--spread", "Local"], "argument --spread: 'Local' is no way: one of auto, snakemake, slurm, local; did you mean 'local'?"),
    (["compare", "a", "b", "--figrue", "x"], "unknown option --figrue; did you mean --figure?"),
    (["reproduce", "--gbflow", "x", "P1", "--sed=3"], "unknown option --sed; did you mean --seeds?"),
    (["reproduce", "--gbflow", "x", "P1", "P2"], "unrecognized arguments: P2"),
    (["compare", "a", "b", "--zebra"], "unknown option --zebra"),
    (["lab", "up", "--bss", "osmo_pcu"], "argument --bss: 'osmo_pcu' is no BSS: one of emulate, osmo-pcu; did you mean 'osmo-pcu'?"),
    (["lab", "up", "--mobils", "a"], "unknown option --mobils; did you mean --mobiles?"),
]


class Words(unittest.TestCase):
    def test_nearest(self):
        found = list(cases())
        self.assertGreater(len(found), 10)
        for word, names, meant in found:
            with self.subTest(word=word):
                self.assertEqual(words.nearest(word, names), meant)

    def test_message(self):
        self.assertEqual(words.unknown("x", "order", ["a"]), "'x' is no order: one of a")
        self.assertEqual(words.unknown("x", "order", []), "'x' is no order: one of none at all")
        self.assertEqual(words.unknown("fifi", "order", ["y"] * 40 + ["fifo"]),
                         f"'fifi' is no order: one of {', '.join(['y'] * 40)}, ...; did you mean 'fifo'?")

    def test_commands(self):
        for argv, said in WRONG:
            with self.subTest(argv=argv):
                errors = io.StringIO()
                with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as end:
                    cli.arguments(argv)
                self.assertEqual(end.exception.code, 2)
                self.assertRegex(errors.getvalue(), rf"\Agbflow.*{re.escape(said)}\ntry: gbflow.* --help\n\Z")


if __name__ == "__main__":
    unittest.main()
