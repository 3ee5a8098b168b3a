#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""oss-fuzz/build.sh with the clang of this machine; each target then runs for a second from its first inputs.

Without clang or its libFuzzer, it says so and is skipped.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = os.environ.get("GBFLOW_ROOT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fsanitize=fuzzer-no-link"
FLAGS = f"-O1 -g -fno-omit-frame-pointer {SANITIZERS}"
COMMANDS = {"Dockerfile", "build.sh", "project.yaml"}
MOST_OCTETS = 20_000_000  # of first inputs


def has_engine():
    """Whether clang links a fuzzer."""
    if not shutil.which("clang") or not shutil.which("clang++"):
        return False
    text = "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }"
    return subprocess.run(["clang++", "-fsanitize=fuzzer", "-x", "c++", "-", "-o", os.devnull], input=text, text=True,
                          capture_output=True, check=False).returncode == 0


def run(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **options)


class OssFuzz(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ("src", "out", "work"):
            os.mkdir(os.path.join(self.folder.name, name))
        os.symlink(os.path.abspath(ROOT), os.path.join(self.folder.name, "src", "gbflow"))
        self.out = os.path.join(self.folder.name, "out")

    def build(self):
        environment = {**os.environ, "CC": "clang", "CXX": "clang++", "CFLAGS": FLAGS, "CXXFLAGS": FLAGS,
                       "LIB_FUZZING_ENGINE": "-fsanitize=fuzzer", "SRC": os.path.join(self.folder.name, "src"),
                       "OUT": self.out, "WORK": os.path.join(self.folder.name, "work")}
        result = run([os.path.join(ROOT, "oss-fuzz", "build.sh")], env=environment)
        self.assertEqual(0, result.returncode, result.stdout[-4000:])

    def start(self, target):
        """A second from the first inputs, under the options that its file gives."""
        inputs = os.path.join(self.folder.name, "work", target)
        with zipfile.ZipFile(os.path.join(self.out, target + "_seed_corpus.zip")) as archive:
            archive.extractall(inputs)
            octets = sum(entry.file_size for entry in archive.infolist())
        with open(os.path.join(self.out, target + ".options"), encoding="ascii") as file:
            options = ["-" + line.strip() for line in file if "=" in line]
        result = run([os.path.join(self.out, target), "-max_total_time=1", *options, inputs], cwd=self.out)
        self.assertEqual(0, result.returncode, f"{target}: {result.stdout[-4000:]}")
        self.assertRegex(result.stdout, r"Done [1-9]\d* runs")
        return octets

    def test_targets(self):
        self.assertEqual(COMMANDS, set(os.listdir(os.path.join(ROOT, "oss-fuzz"))))
        self.build()
        targets = sorted(name for name in os.listdir(self.out) if name.endswith("_fuzz"))
        harnesses = sorted(name[:-2] for name in os.listdir(os.path.join(ROOT, "tests", "fuzz")) if name.endswith("_fuzz.c"))
        self.assertEqual(harnesses, targets)
        octets = sum(self.start(target) for target in targets)
        print(f"{len(targets)} targets ran, {octets} octets of first inputs", file=sys.stderr)
        self.assertLessEqual(octets, MOST_OCTETS)


if __name__ == "__main__":
    if not has_engine() and os.environ.get("CI") != "true":
        print("skipped: clang with libFuzzer is not installed; scripts/setup.sh --test brings it")
        sys.exit(77)
    unittest.main(verbosity=2)
