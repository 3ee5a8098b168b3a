#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`reproduce` whose runs Snakemake spreads: the real one, from PyPI into an environment made here, with a stand-in for
gbflow; and what happens where there is none to be had.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import setting

CASES = 14
# Nobody listens on the discard port of this machine.
NO_REGISTRY = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_NO_CACHE_DIR": "1"}


class Folder(unittest.TestCase):
    """A packed report, a stand-in for gbflow and a scenario; subclasses say where Snakemake is."""

    environment: pathlib.Path | None = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.pyz = setting.packed(self.folder)
        (self.folder / "scenarios").mkdir()
        (self.folder / "scenarios" / "gprs-buffering.lua").write_text("return {}\n")
        self.gbflow, self.calls = self.folder / "gbflow", self.folder / "calls"
        self.gbflow.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{setting.HERE}/fake_gbflow.py" "$@"\n')
        self.gbflow.chmod(0o755)

    def reproduce(self, *more, mode="good", out="out", **variables):
        self.calls.write_text("")
        where = ["--environment", self.environment] if self.environment else []
        return setting.call(self.pyz, "reproduce", "P4", "--seeds", 1, "--out", self.folder / out, "--gbflow", self.gbflow,
                            "--scenarios", self.folder / "scenarios", *where, *more, cwd=self.folder, FAKE_MODE=mode,
                            FAKE_CALLS=str(self.calls), **variables)

    def called(self):
        return sum(1 for row in map(json.loads, self.calls.read_text().splitlines()) if row[0] != "end")


class None_(Folder):
    """No registry answers."""

    def test_falls_back(self):
        """It says why, in one line, and spreads the runs itself; who asks for Snakemake gets none of that."""
        done = self.reproduce(**NO_REGISTRY)
        self.assertEqual((done.returncode, self.called()), (0, CASES), done.stderr)
        self.assertRegex(done.stderr, r"(?m)^snakemake cannot be installed \(.+\); this process spreads the runs itself$")
        again = self.reproduce(**NO_REGISTRY)
        self.assertEqual((again.returncode, self.called()), (0, 0))
        self.assertNotIn("snakemake", again.stderr)
        for words in (["--spread", "snakemake"], ["--executor", "slurm"]):
            done = self.reproduce(*words, "--environment", self.folder / "out" / "environment", out="other", **NO_REGISTRY)
            self.assertEqual((done.returncode, self.called()), (1, 0))
            self.assertRegex(done.stderr.splitlines()[-1], "^gbflow reproduce: snakemake cannot be installed: ")


class Real(Folder):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.environment = pathlib.Path(cls.home) / "environment"
        first = cls("test_runs")
        first.setUp()
        done = first.reproduce("--spread", "snakemake")
        first.doCleanups()
        if done.returncode == 1 and "cannot be installed" in done.stderr:
            print(done.stderr)
            if os.environ.get("CI") != "true":
                raise unittest.SkipTest("no registry of Python packages answers")

    def test_runs(self):
        """All of them, told of as they end; the second time there is nothing to do; equal to what a pool gives."""
        done = self.reproduce("--jobs", 2)
        self.assertEqual((done.returncode, self.called()), (0, CASES), done.stderr)
        self.assertIn(f"[{CASES}/{CASES}] P4 ", done.stderr)
        self.assertIn(f"{CASES + 1} of {CASES + 1} steps", (self.folder / "out" / ".gbflow-snakemake" / "log.txt").read_text())
        self.assertEqual(list((self.folder / "out" / "runs").glob("*/*/job.*")), [])
        self.assertEqual((self.reproduce().returncode, self.called()), (0, 0))
        self.reproduce("--spread", "local", out="pool")
        one, other = ((self.folder / name / "reproduction.json").read_bytes() for name in ("out", "pool"))
        self.assertEqual(one, other)

    def test_failure(self):
        """The words of the run that failed; afterwards only what is missing is run."""
        done = self.reproduce("--jobs", 1, mode="fail")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr.splitlines()[-1], r"^gbflow reproduce: P4 2pdch-\d+s seed 1: .*out of order")
        there = len(list((self.folder / "out" / "runs" / "P4").glob("*/finished.json")))
        done = self.reproduce()
        self.assertEqual((done.returncode, self.called()), (0, CASES - there), done.stderr)

    def test_ended(self):
        """SIGTERM: one line, status 1, and no run is left behind."""
        self.calls.write_text("")
        child = subprocess.Popen(
            [sys.executable, str(self.pyz), "reproduce", "P4", "--seeds", "1", "--jobs", "2", "--out", str(self.folder / "out"),
             "--gbflow", str(self.gbflow), "--scenarios", str(self.folder / "scenarios"), "--environment", str(self.environment)],
            stderr=subprocess.PIPE, text=True, env={**os.environ, "FAKE_CALLS": str(self.calls), "FAKE_SLEEP_S": "20"})
        until = time.monotonic() + 120
        while not self.calls.read_text() and time.monotonic() < until:
            time.sleep(0.1)
        child.terminate()
        _, words = child.communicate()
        self.assertEqual((child.returncode, words.splitlines()[-1]), (1, "gbflow reproduce: interrupted"))
        self.assertLessEqual(self.called(), 2)
        self.assertEqual(list((self.folder / "out" / "runs" / "P4").glob("*/finished.json")), [])

    def test_options(self):
        """An executor and a profile are Snakemake's; one that is not there is its error."""
        self.assertEqual(self.reproduce("--executor", "local").returncode, 0)
        done = self.reproduce("--executor", "nowhere", out="other")
        self.assertEqual((done.returncode, self.called()), (1, 0))
        self.assertRegex(done.stderr.splitlines()[-1], "^gbflow reproduce: snakemake: .*nowhere")
        profile = self.folder / "profile"
        profile.mkdir()
        (profile / "config.yaml").write_text("keep-going: true\n")
        self.assertEqual(self.reproduce("--profile", profile, out="third").returncode, 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
