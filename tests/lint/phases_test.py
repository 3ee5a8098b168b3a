#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each test of Meson and each program that checks something is in scripts/test.sh --all or in --nightly.

usage: phases_test.py BUILD_DIR       a build of all tests
"""
import json
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import tested  # noqa: E402 pylint: disable=wrong-import-position
SANITIZED = ("sanitizer tests", "gcc sanitizer tests")
# What the sanitizers never see: no program of ours runs in it, or it takes its program from another build.
NOT_SANITIZED = {"lint", "slow", "report"}
# What the gate's sanitizers leave to those of the night, and what its release tests leave to its sanitizers.
SANITIZED_AT_NIGHT = {"oracle", "heavy", "bench", "interop", "alone"}
SANITIZED_ALONE = {"sanitized", "live", "scenario", "replay", "analyze"}
FOR_THE_NIGHT = {"slow", "alone"}
# Each needs a phase, or a test of Meson, that runs it.
CHECKERS = ("tests/lint/lint.py", "tests/lint/mutate.py", "tests/lint/sample_mutations.py", "tests/system/scenario/compare_builds.py", "scripts/fuzz.sh",
            "scripts/arm64.sh", "scripts/distribution.sh", "scripts/faults.sh", "scripts/image.sh", "scripts/nic.sh", "scripts/package.sh", "scripts/soak.sh",
            "scripts/tidy.sh", "scripts/tsan.sh", "scripts/wheel.sh")

# words of a run of meson test, a test's suites, whether the run has it
SELECTIONS = [
    ("", [], True),
    ("", ["slow"], True),
    ("--no-suite slow", ["bench"], True),
    ("--no-suite slow", ["sim", "slow"], False),
    ("--no-suite lint --no-suite slow", ["slow"], False),
    ("--suite slow", ["slow"], True),
    ("--suite slow", [], False),
    ("--suite bench --no-suite alone", ["bench", "alone"], False),
]


def phases():
    """(modes, title, words of the command) of each row of the table."""
    script = os.path.join(ROOT, "scripts", "test.sh")
    table = subprocess.run([script, "--phases"], capture_output=True, text=True, check=True).stdout
    rows = (line.split("|") for line in table.splitlines())
    return [(modes.split(), title.strip(), command.split()) for modes, title, command in rows]


def has(words, suites):
    """Whether meson test with these words runs a test of these suites."""
    pairs = list(zip(words, words[1:]))
    wanted = {suite for word, suite in pairs if word == "--suite"}
    unwanted = {suite for word, suite in pairs if word == "--no-suite"}
    return not unwanted & set(suites) and (not wanted or bool(wanted & set(suites)))


def left_out(tests, runs):
    """Names of the tests that none of the runs has."""
    return [name for name, suites in tests if not any(has(words, suites) for words in runs)]


def tests_of(build):
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as file:
        return [(test["name"], [suite.split(":")[-1] for suite in test["suite"]], test["cmd"]) for test in json.load(file)]


class Phases(unittest.TestCase):
    build = None

    def setUp(self):
        self.phases = phases()
        self.commands = tests_of(self.build)
        self.tests = [(name, suites) for name, suites, _ in self.commands]
        self.assertGreater(len(self.tests), 300)

    def runs(self, mode, titles=()):
        return [command[2:] for modes, title, command in self.phases
                if mode in modes and command[0] == "tests" and (not titles or title in titles)]

    def test_selections(self):
        for words, suites, expected in SELECTIONS:
            with self.subTest(words=words, suites=suites):
                self.assertEqual(has(words.split(), suites), expected)
        self.assertEqual(left_out([("a", []), ("b", ["slow"])], [["--no-suite", "slow"]]), ["b"])

    def test_each_phase_has_a_mode(self):
        for modes, title, _ in self.phases:
            with self.subTest(phase=title):
                self.assertTrue(modes)
                self.assertLessEqual(set(modes), {"fast", "all", "nightly"})

    def test_each_program_of_a_phase_can_run(self):
        for _, title, command in self.phases:
            if command[0] in ("single", "counted"):
                with self.subTest(phase=title):
                    self.assertTrue(os.access(os.path.join(ROOT, command[1]), os.X_OK), command[1])

    def test_the_night_has_all_tests_and_the_gate_those_not_for_the_night(self):
        self.assertEqual(left_out(self.tests, self.runs("nightly")), [])
        of_the_gate = [test for test in self.tests if not FOR_THE_NIGHT & set(test[1])]
        self.assertGreater(len(of_the_gate), 300)
        self.assertEqual(left_out(of_the_gate, self.runs("all")), [])

    def test_the_gate_builds_and_uses_the_site(self):
        of_the_site = [test for test in self.tests if "site" in test[1]]
        self.assertTrue(of_the_site)
        self.assertEqual(left_out(of_the_site, self.runs("all")), [])

    def test_sanitizers_have_all_tests_of_programs(self):
        programs = [test for test in self.tests if not NOT_SANITIZED & set(test[1])]
        self.assertEqual(left_out(programs, self.runs("nightly", SANITIZED)), [])
        not_in_the_gate = left_out(programs, self.runs("all", SANITIZED))
        late = [name for name, suites in programs if SANITIZED_AT_NIGHT & set(suites)]
        self.assertEqual(not_in_the_gate, late)
        self.assertLess(sum("oracle" not in suites for name, suites in programs if name in late), len(programs) // 8)

    def test_a_test_is_once_in_the_gate(self):
        """But for those to which the build makes a difference."""
        twice = [name for name, suites in self.tests if sum(has(words, suites) for words in self.runs("all")) > 1]
        self.assertFalse([name for name, suites in self.tests if name in twice and SANITIZED_ALONE & set(suites)])
        self.assertLess(len(twice), len(self.tests) // 20)

    def test_each_checker_has_a_phase_or_a_test(self):
        words = [word for _, _, command in self.phases for word in command]
        words += [os.path.relpath(word, ROOT) for _, _, command in self.commands for word in command if os.path.isabs(word)]
        for checker in CHECKERS:
            with self.subTest(checker=checker):
                self.assertIn(checker, {os.path.normpath(word) for word in words})

    def test_each_party_that_is_trusted_has_tests(self):
        with open(os.path.join(ROOT, "docs", "security.md"), encoding="utf-8") as file:
            table = re.search(r"\n\| Party \|.*\n\|[- |]+\n((?:\|.*\n)+)", file.read())[1]
        known = {name for name, _ in self.tests}
        known |= {harness.removesuffix(".c") for harness in os.listdir(os.path.join(ROOT, "tests", "fuzz"))}
        self.assertGreater(len(table.splitlines()), 12)
        for row in table.splitlines():
            with self.subTest(party=row.split("|")[1].strip()):
                names = re.findall(r"`([^`]+)`", row.split("|")[5])
                self.assertTrue(names)
                self.assertEqual(set(names) - known, set())

    def test_the_table_of_what_was_tested_with_is_whole(self):
        names = {name for name, _ in self.tests}
        with open(os.path.join(ROOT, "docs", "tested.md"), encoding="utf-8") as file:
            page = file.read()
        for program, _, part, tests, target in tested.ROWS:
            with self.subTest(program=program):
                self.assertLessEqual(set(tests), names)
                self.assertTrue(os.path.exists(os.path.join(ROOT, "docs", target)), target)
                self.assertRegex(page, rf"(?m)^\| {program} \| \d+[.\d]* \| \[{part}\]\({target}\) \| `{'`, `'.join(tests)}` \|$")

    def test_no_script_that_counts_its_checks_is_forgotten(self):
        names = (entry.name for entry in os.scandir(os.path.join(ROOT, "scripts")) if entry.is_file())
        for name in sorted(names):
            with open(os.path.join(ROOT, "scripts", name), encoding="utf-8") as file:
                says_so = "usage: " in (text := file.read()) and '"N passed, N failed, N skipped"' in text
            if says_so and name != "test.sh":
                with self.subTest(script=name):
                    self.assertIn("scripts/" + name, CHECKERS)


if __name__ == "__main__":
    Phases.build = sys.argv.pop(1)
    unittest.main()
