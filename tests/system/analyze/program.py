# SPDX-License-Identifier: BSD-3-Clause
"""Runs gbflow analyze, by the helpers of the tests of gbflow replay."""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "replay"))

import gbflow  # noqa: E402  pylint: disable=wrong-import-position

GI = os.path.join(gbflow.ROOT, "tests", "data", "captures", "gi-osmo-ggsn.pcap.gz")
GN = gbflow.CAPTURE
# Small tables: nothing here needs more, and they are filled with each start.
SMALL = ("--set", "connections=20000", "--set", "mobiles=5000")


# What an analysis tells of the capture and of the thresholds, not of what was measured.
UNTOLD = ("capture", "thresholds")


def results(found):
    return {name: value for name, value in found.items() if name not in UNTOLD}


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Case(gbflow.Case):
    """Has a folder for files, self.folder."""

    def run_program(self, *words, **more):
        return gbflow.run("analyze", *words, **more)

    def analyze(self, *words, **more):
        """(analysis.json, rows of connections) of a run that must succeed."""
        report, rows = self.path("analysis.json"), self.path("connections.csv")
        done = self.run_program(*SMALL, "--json", report, "--connections", rows, *words, **more)
        self.assertEqual(done.status, 0, done.stderr)
        self.stderr = done.stderr
        return gbflow.read_json(report), read_csv(rows)

    def of(self, capture, *words):
        return self.analyze(capture.pcap(self.path("capture.pcap")), *words)
