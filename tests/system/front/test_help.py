# SPDX-License-Identifier: BSD-3-Clause
"""-h and --help: the program, each command and each mode print the same help and do nothing else."""
import os
import re
import subprocess
import unittest

GBFLOW = os.environ["GBFLOW"]
FITNESS = os.environ["GBFLOW_FITNESS"]
# Commands that list modes, and the first line of a mode's help.
MODES = {(GBFLOW, "bench"): "usage: gbflow bench {} ", (FITNESS,): "usage: gbflow-fitness {} "}
# Modes that no help lists, because another mode starts them.
HIDDEN = [(GBFLOW, "bench", "slices"), (GBFLOW, "bench", "dut")]
# Modes whose help is that of the command.
INNER = [(GBFLOW, "aqm", word) for word in ("list", "show", "curve")]


def asked(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def listed(*program):
    """The names in the list of a program's help."""
    return re.findall(r"^  ([a-z][a-z-]*)  +\S", asked(*program, "--help")[1], re.MULTILINE)


class Help(unittest.TestCase):
    def check_help(self, program, first="usage: gbflow"):
        with self.subTest(program=" ".join(program[1:]) or os.path.basename(program[0])):
            status, text, errors = asked(*program, "--help")
            self.assertEqual((status, errors), (0, ""))
            self.assertRegex(text, "(?m)^" + re.escape(first))
            self.assertEqual(asked(*program, "-h"), (0, text, ""))

    def test_programs(self):
        for program in ((GBFLOW,), (FITNESS,)):
            self.check_help(program)

    def test_each_command(self):
        names = listed(GBFLOW)
        self.assertLessEqual({"run", "replay", "serve", "analyze", "emulate", "doctor", "show", "compare", "bench", "check"}, set(names))
        for name in names:
            self.check_help((GBFLOW, name), f"usage: gbflow {name} ")

    def test_each_mode(self):
        for program, first in MODES.items():
            names = listed(*program)
            self.assertGreaterEqual(len(names), 3)
            for name in names:
                self.check_help((*program, name), first.format(name))

    def test_help_of(self):
        """gbflow help is gbflow --help, gbflow help COMMAND MODE is gbflow COMMAND MODE --help."""
        helps = [[], *([name] for name in listed(GBFLOW)), *(["bench", name] for name in listed(GBFLOW, "bench"))]
        self.assertGreater(len(helps), 40)
        for words in helps:
            with self.subTest(words=words):
                said = asked(GBFLOW, *words, "--help")
                self.assertEqual(asked(GBFLOW, "help", *words), said)
                self.assertEqual(said[0], 0)
        for words in (["help"], ["--help"], ["-h"]):
            self.assertEqual(asked(GBFLOW, "help", *words), asked(GBFLOW, "--help"))
        self.assertIn("unknown command 'rnu'; did you mean 'run'?", asked(GBFLOW, "help", "rnu")[2])
        self.assertIn("unknown command 'hlep'; did you mean 'help'?", asked(GBFLOW, "hlep")[2])

    def test_columns(self):
        """A terminal of 80 columns shows each help without broken lines."""
        helps = [(GBFLOW,), (FITNESS,), *((GBFLOW, name) for name in listed(GBFLOW)), *HIDDEN, *INNER,
                 *((*program, name) for program in MODES for name in listed(*program))]
        wide = [(*program[1:], line) for program in helps for line in asked(*program, "--help")[1].splitlines() if len(line) > 80]
        self.assertEqual(wide, [])

    def test_without_arguments(self):
        """Three doors, each with a command that there is; the first works where the program was started."""
        root = os.environ["GBFLOW_ROOT"]
        for folder, scenario in ((root, "config/scenarios/quickstart.lua"), ("/", root + "/config/scenarios/quickstart.lua")):
            done = subprocess.run([GBFLOW], capture_output=True, text=True, timeout=60, check=False, cwd=folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            lines = re.findall(r"(?m)^ {6}gbflow (\S+)(.*)$", done.stderr)
            self.assertEqual([name for name, _ in lines], ["run", "lab", "bench"])
            self.assertEqual(lines[0][1].strip(), scenario)
        self.assertTrue(set(name for name, _ in lines) <= set(listed(GBFLOW)))

    def test_unknown_command(self):
        for word, said in (("rnu", "did you mean 'run'?"), ("restart_control", "did you mean 'restart-control'?"),
                           ("sho", "did you mean 'show'?"), ("zebra", "gbflow --help lists all commands"), ("x" * 300, "--help lists")):
            status, text, errors = asked(GBFLOW, word)
            self.assertEqual((status, text), (2, ""))
            self.assertIn(f"unknown command '{word}'; " if len(word) < 100 else f"unknown command '{word[:59]}... ", errors)
            self.assertIn(said, errors)

    def test_words_within_commands(self):
        for program in [*HIDDEN, *INNER]:
            self.check_help(program, "usage: ")


if __name__ == "__main__":
    unittest.main()
