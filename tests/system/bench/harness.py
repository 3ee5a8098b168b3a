# SPDX-License-Identifier: BSD-3-Clause
"""Runs `gbflow bench` and gbflow-fitness for the tests beside it."""
import json
import os
import subprocess
import tempfile
import unittest

GBFLOW = os.environ["GBFLOW"]
FITNESS = os.environ["GBFLOW_FITNESS"]
FITNESS_MODES = "pair", "self-check", "distance"
# Other work on the machine may keep two processes from answering each other, or a worker from working off what waits after a gap.
BUSY = "use idle CPUs", "loss outside of gaps", "gaps cover"
BUSY_TRIES = 20


def run(*arguments, stdin=""):
    """The finished process; of gbflow-fitness where the mode is one of its."""
    program = [FITNESS] if arguments and arguments[0] in FITNESS_MODES else [GBFLOW, "bench"]
    return subprocess.run([*program, *arguments], capture_output=True, text=True, timeout=250, check=False, input=stdin)


def small(mode):
    """Few windows; no gap voids them. sched has none."""
    if mode == "sched":
        return []
    windows = [] if mode in ("ndr", "soak", "generate") else ["--windows", "2"]
    return [*windows, "--set", "gap_us=5000000"]


class Case(unittest.TestCase):
    def measure(self, *arguments):
        """The report of a run that must succeed; few windows, small tables."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bench.json")
            more = [*small(arguments[0]), "--json", path]
            done = run(*arguments, *more)
            for _ in range(BUSY_TRIES):
                if not any(word in done.stdout + done.stderr for word in BUSY):
                    break
                done = run(*arguments, *more)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            with open(path, encoding="utf-8") as file:
                return json.load(file)

    def refuse(self, *arguments, say):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(say, done.stderr)
        self.assertEqual(done.stdout, "")
