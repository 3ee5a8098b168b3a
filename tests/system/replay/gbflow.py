# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program, the oracle and tshark's judge, and makes variants of the shipped configurations.

The environment variable GBFLOW names the program; TEST_ALL=1 asks for the long versions of tests, TEST_SHORT=1 for short ones.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
ORACLE = os.path.join(ROOT, "tests", "oracles", "gb")
sys.path.insert(0, ORACLE)

CAPTURE = os.path.join(ROOT, "tests", "data", "captures", "gn-osmo-ggsn.pcap")
NODES = os.path.join(ROOT, "config", "nodes")
IS_LONG = os.environ.get("TEST_ALL") == "1"
IS_SHORT = os.environ.get("TEST_SHORT") == "1" and not IS_LONG
RUN_SECONDS = 300
SANITIZER = re.compile(r"runtime error:|Sanitizer|SUMMARY:")


def some(items, one_in=2):
    """All of them, but where TEST_SHORT=1 the first of each one_in."""
    return list(items)[::one_in if IS_SHORT else 1]


def program():
    """Path of the program under test."""
    path = os.environ.get("GBFLOW") or os.path.join(ROOT, "build", "gbflow")
    if not os.access(path, os.X_OK):
        sys.exit(f"no program '{path}': set GBFLOW")
    return os.path.abspath(path)


def node_text(name, pairs=()):
    """Text of a shipped configuration with (old, new) texts exchanged; each old one must be there."""
    with open(os.path.join(NODES, name + ".lua"), encoding="utf-8") as file:
        text = file.read()
    for old, new in pairs:
        if old not in text:
            raise AssertionError(f"{name}.lua has no longer: {old}")
        text = text.replace(old, new)
    return text


# Few buffers, so that a run starts fast; nothing of what is replayed needs more.
SMALL = ("  lifetime = {", "  limits = { npdu_buffers = 2047, mobiles = 64, contexts = 64, fragments = 64 },\n\n  lifetime = {")


class Result:
    """What a finished process left."""

    def __init__(self, done):
        self.status, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        self.report, self.gb, self.json = None, None, None

    def __str__(self):
        return f"status {self.status}\n{self.stdout[-3000:]}\n{self.stderr[-3000:]}"


def run(*words, prefix=(), path=None, seconds=RUN_SECONDS, **more):
    """Runs the program (or a copy of it); more: stdin, cwd. A signal or a sanitizer's report is an error of any test."""
    done = subprocess.run([*prefix, path or program(), *words], capture_output=True, text=True, errors="replace", check=False,
                          timeout=seconds, **{"stdin": subprocess.DEVNULL, **more})
    if done.returncode < 0 or SANITIZER.search(done.stderr):
        raise AssertionError(f"gbflow {' '.join(words)}: {Result(done)}")
    return Result(done)


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Case(unittest.TestCase):
    """Has a folder for files, self.folder, and the two judges."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gbflow-replay-")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        """Writes a file of text into the folder; returns its path."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def replay(self, node, *words, capture=CAPTURE, name="run"):
        """Replays; result.gb and result.json are paths, result.report the JSON if the run did not fail."""
        gb, report = self.path(name + ".pcapng"), self.path(name + ".json")
        result = run("replay", node, "--in", capture, "--out", gb, "--json", report, *words)
        result.gb, result.json = gb, report
        if result.status == 0:
            result.report = read_json(report)
            self.check_totals(result.report)
        return result

    def check_totals(self, report):
        """All sums that have to agree in any report."""
        npdu, frames = report["npdu"], report["frames"]
        self.assertEqual(npdu["in"], npdu["out"] + npdu["dropped"] + npdu["queued"])
        self.assertEqual(npdu["dropped"], sum(report["drops"].values()))
        accounted = npdu["in"] + frames["merged_fragments"] + frames["held_fragments"] + sum(frames["drops"].values())
        self.assertEqual(frames["received"], accounted)
        self.assertEqual(frames["read"], frames["received"] + frames["no_buffer"] + frames["too_long"])
        for key in ("npdu_out", "npdu_in"):
            self.assertLessEqual(sum(session[key] for session in report["sessions"]), npdu[key[5:]])
        for session in report["sessions"]:
            self.assertGreaterEqual(session["npdu_in"], session["npdu_out"] + sum(session["drops"].values()))

    def judge(self, result, *words, minimum, capture=CAPTURE):
        """The oracle must find no fault, and must have examined as many things as minimum says; returns what it printed."""
        least = [word for name, count in minimum.items() for word in ("--min", f"{name}={count}")]
        return self._judged("gb_oracle", "--gb", result.gb, "--gn", capture, "--replay-json", result.json, *least, *words)

    def judge_by_tshark(self, result, npdus):
        """tshark must find no fault and so many downlink N-PDUs; without tshark nothing is judged (a failure where CI=true)."""
        return self._judged("tshark_judge.py", result.gb, "--expect-npdus", str(npdus), skip=77)

    def _judged(self, judge, *words, skip=None):
        done = subprocess.run([sys.executable, os.path.join(ORACLE, judge), *words], capture_output=True, text=True,
                              errors="replace", check=False, timeout=RUN_SECONDS)
        if skip is None or done.returncode != skip:
            self.assertEqual(done.returncode, 0, f"{judge} {' '.join(words)}\n{done.stdout[-4000:]}{done.stderr[-2000:]}")
        else:
            print("tshark is not installed: not judged by it")
        return done.stdout
