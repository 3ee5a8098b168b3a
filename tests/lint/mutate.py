#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants faults in the dataplane, one at a time, and sees whether its tests notice.

usage: mutate.py [--keep DIR] queue|wire [NAME]...      all faults of a kind when none is named
       mutate.py --list queue|wire
       mutate.py --fits queue|wire               whether each fault stands in the source, once; builds nothing

Kinds: queue, the scheduler; wire, octets, ciphering, numbering and reassembly. Builds in a copy of the tree (a temporary
folder, or DIR). A test notices when it fails, crashes or does not come to an end. A fault that names tests is caught when each
of these notices, else when any of its kind does. Status: 0 all were caught, 1 one was not or does not fit the source any more,
2 usage.
"""
import argparse
import filecmp
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KINDS = ("queue", "wire")
SECONDS = 60  # a test may take; the longest takes a few
ARGUMENTS = {"gea_judge": ["200"]}


def faults_of(kind):
    return importlib.import_module(kind + "_faults")


def renew(source, copy):
    """With the time of now, where they differ: what a fault left is older, and what is as it was is not compiled again."""
    if not os.path.exists(copy) or not filecmp.cmp(source, copy, shallow=False):
        shutil.copy(source, copy)
    return copy


class Bench:
    """A copy of a tree in which things are compiled."""

    def __init__(self, folder, kind=None, root=ROOT):
        self.folder, self.kind = folder, kind
        os.makedirs(folder, exist_ok=True)
        for part in sorted(os.listdir(root)):
            source, copy = os.path.join(root, part), os.path.join(folder, part)
            if part.startswith((".", "build")) or part == "out":
                continue
            if os.path.isdir(source):
                shutil.copytree(source, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"), copy_function=renew)
            else:
                renew(source, copy)
        if not os.path.exists(os.path.join(folder, "build")):
            self.run(["meson", "setup", "build", "--buildtype=debug", "-Doptimization=1", "-Ddefault_library=static"])

    def run(self, command, seconds=None):
        """Status of a command; None when it does not come to an end."""
        try:
            return subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=seconds, check=False).returncode
        except subprocess.TimeoutExpired:
            return None

    def program(self, test):
        return os.path.normpath(f"tests/unit/dataplane/{self.kind.TEST_FOLDERS.get(test, self.kind.TEST_FOLDER)}/{test}_test")

    def build(self, tests):
        if self.run(["ninja", "-C", "build", *map(self.program, tests)]) != 0:
            raise RuntimeError("does not compile")

    def fails(self, test):
        return self.run([os.path.join("build", self.program(test)), *ARGUMENTS.get(test, [])], SECONDS) != 0

    def tests(self, fault):
        return fault[4].split() if len(fault) > 4 else self.kind.TESTS

    def outcome(self, fault):
        """Whether a fault is caught, and words for that."""
        self.build(self.tests(fault))
        if len(fault) == 4:
            first = next((test for test in self.kind.TESTS if self.fails(test)), None)
            return first is not None, f"caught by {first}" if first else "NOT CAUGHT"
        blind = [test for test in self.tests(fault) if not self.fails(test)]
        return not blind, f"NOT CAUGHT by {', '.join(blind)}" if blind else f"caught by {', '.join(self.tests(fault))}"


def text_of(fault, folder):
    """The file that a fault is planted in; raised: the fault does not stand there once."""
    with open(os.path.join(folder, fault[1]), encoding="utf-8") as file:
        text = file.read()
    if text.count(fault[2]) != 1:
        raise RuntimeError(f"stands there {text.count(fault[2])} times: {fault[2].strip().splitlines()[0]}")
    return text


def fits(faults):
    missed = 0
    for fault in faults:
        try:
            text_of(fault, ROOT)
        except (OSError, RuntimeError) as error:
            missed += 1
            print(f"{fault[0]}: DOES NOT FIT: {error}")
    print(f"{len(faults) - missed} of {len(faults)} faults fit the source")
    return 1 if missed or not faults else 0


def plant(bench, fault):
    """As Bench.outcome(); what is wrong with the fault itself is raised."""
    path, text = os.path.join(bench.folder, fault[1]), text_of(fault, bench.folder)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(fault[2], fault[3]))
        return bench.outcome(fault)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def check(bench, faults):
    missed = 0
    for fault in faults:
        begun = time.monotonic()
        try:
            is_caught, words = plant(bench, fault)
        except RuntimeError as error:
            is_caught, words = False, f"DOES NOT FIT: {error}"
        missed += not is_caught
        print(f"{fault[0]}: {words} ({time.monotonic() - begun:.0f} s)", flush=True)
    print(f"{len(faults) - missed} of {len(faults)} faults were caught")
    return 1 if missed else 0


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 1)[1].split("\n\n", maxsplit=1)[0])
    parser.add_argument("--keep")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--fits", action="store_true")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def main():
    given = parse()
    kind = faults_of(given.kind)
    if given.list:
        print("\n".join(fault[0] for fault in kind.FAULTS))
        return 0
    faults = [fault for fault in kind.FAULTS if not given.names or fault[0] in given.names]
    if given.fits:
        return fits(faults)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(given.keep or folder, kind)
        tests = sorted({test for fault in faults for test in bench.tests(fault)})
        bench.build(tests)
        failing = [test for test in tests if bench.fails(test)]
        if failing:
            print("fails without any fault:", ", ".join(failing))
            return 1
        return check(bench, faults)


if __name__ == "__main__":
    sys.exit(main())
