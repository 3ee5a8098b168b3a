# SPDX-License-Identifier: BSD-3-Clause
"""docs/run.md names all that a run can say, and nothing that it does not."""
import csv
import os
import re
import unittest

import scenario
from scenario import gbflow

DOC = os.path.join(gbflow.ROOT, "docs", "run.md")
# What stands in the place of a name that the scenario or a list of words decides on.
PLACES = [(r"^aqm\.[a-z0-9]+", "aqm.CLASS"),
          (r"^classes\.[a-z0-9]+", "classes.CLASS"), (r"^cells\.\d+\.drops\.\w+", "cells.BVCI.drops.END"),
          (r"^cells\.\d+", "cells.BVCI"), (r"\.drops\.[a-z_]+$", ".drops.REASON"), (r"^conservation\.\w+", "conservation.NODE")]
HEADS = {"classes.CLASS", "paths[]", "tcp[]", "llc.unhandled[]"}


def paths(value, path=""):
    """All paths of a JSON value: a.b, list[].c; of an empty list none."""
    if isinstance(value, dict):
        return [found for key, inner in value.items() for found in paths(inner, f"{path}.{key}".lstrip("."))]
    if isinstance(value, list):
        return [found for inner in value for found in paths(inner, path + "[]")]
    return [path]


def general(path):
    for pattern, place in PLACES:
        path = re.sub(pattern, place, path)
    return path


def names_of(table):
    """The names in a table's first column, `.x` completed by the first of its row."""
    named = set()
    for line in table.splitlines()[2:]:
        first, *others = re.findall(r"`([^`]+)`", line.split("|")[1])
        named |= {first} | {first.rpartition(".")[0] + other for other in others}
    return named


class Doc(scenario.Case):
    def setUp(self):
        super().setUp()
        with open(DOC, encoding="utf-8") as file:
            self.text = file.read()

    def table(self, heading):
        section = re.split(r"(?m)^##? ", self.text.split(heading)[1])[0]
        return re.search(r"(?m)^\| .*\n\| ---.*\n(?:\|.*\n)+", section).group()

    def runs(self):
        yield self.play(scenario.shipped("quickstart"), "--set", "sgsn.lifetime.sgsn_max=2 s", "--set",
                        'sgsn.queues={ aqm = { scheme = "codel" } }', name="quick")
        yield self.play(scenario.shipped("gprs-buffering"), "--set", "duration=60 s", name="paper")

    def test_summary(self):
        """The table has the fields of summaries, with a word in capitals for names."""
        found = {general(path) for result in self.runs() for path in paths(result.summary)}
        self.assertEqual(names_of(self.table("## summary.json")) - HEADS, found)

    def test_words(self):
        """Ends in the BSS and reasons in the SGSN are explained."""
        summary = self.play(scenario.shipped("quickstart")).summary
        row = next(line for line in self.text.splitlines() if line.startswith("| `cells.BVCI.drops.END`"))
        self.assertEqual(set(summary["cells"]["2"]["drops"]) - set(re.findall(r"`(\w+)`", row)), set())
        with open(os.path.join(gbflow.ROOT, "docs", "replay.md"), encoding="utf-8") as file:
            reasons = names_of(re.search(r"## Why N-PDUs are dropped\n\n((?:\|.*\n?)+)", file.read()).group(1))
        self.assertEqual(set(summary["mobiles"][0]["drops"]), reasons)

    def test_series(self):
        found = set()
        for result in self.runs():
            with open(os.path.join(result.out, "series.csv"), encoding="utf-8", newline="") as file:
                found |= {row["name"] for row in csv.DictReader(file)}
        self.assertEqual(names_of(self.table("## series.csv")), found)

    def test_reproduction(self):
        result = gbflow.run("reproduce", "P4", "--seeds", "1", "--out", self.folder, *scenario.LOCAL)
        self.assertEqual(result.status, 0, result)
        rows = set(paths(gbflow.read_json(self.path("reproduction.json"))))
        fields = self.text.split("`reproduction.json`. ")[1]
        named = names_of(re.search(r"(?m)^\| Field .*\n\| ---.*\n(?:\|.*\n)+", fields).group())
        self.assertEqual(named, rows)

    def test_options(self):
        """Usage lines and options of --help are those of the page, and so is the pointer to it."""
        for command in ("run", "compare", "reproduce"):
            usage = gbflow.run(command, "--help").stdout
            self.assertIn(" ".join(usage.splitlines()[0].split()[1:]), self.text)
            options = re.findall(r"(?m)^  (--[\w-]+)", usage)
            self.assertTrue(options)
            for option in options:
                self.assertRegex(self.text, rf"(?m)^\| `{option}\b")
        self.assertIn("docs/run.md", gbflow.run("run", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
