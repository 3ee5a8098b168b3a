#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`compare`: differences and verdicts over ranges of seeds, and results that cannot be compared."""

import json
import pathlib
import shutil
import sys
import tempfile
import unittest

import setting

# values of A, values of B (one for each seed), difference in percent of the means, verdict without other figures
VERDICTS = [
    ([10, 11, 12], [20, 21, 22], 90.9091, "higher"),
    ([20, 21, 22], [10, 11, 12], -47.619, "lower"),
    ([10, 11, 12], [12, 11, 14], 12.1212, "not shown"),
    ([10, 11, 12], [10, 11, 12], 0.0, "equal"),
    ([10, 11, 12], [12, 11, 10], 0.0, "not shown"),
    ([0, 0, 0], [1, 1, 2], None, "not shown"),
    ([7, 7], [8, 8], 14.2857, "not shown"),
    ([7] * 5, [8] * 5, 14.2857, "higher"),
    ([10], [20], 100.0, "one run"),
    ([10], [20, 21, 22], 110.0, "one run"),
    ([10], [10], 0.0, "equal"),
    ([None, 3], [4, 4], None, "only in B"),
    ([3, 3], [None, None], None, "only in A"),
    # Ranges overlap, and nine of ten pairs agree.
    ([100 + 9 * i for i in range(10)], [101 + 9 * i + (i % 3) - (i == 4) * 5 for i in range(10)], 0.996441, "higher"),
]


def summary(seed, goodput, **more):
    return {"schema": "gbflow-summary/2", "seed": seed, "duration_s": 60.0, "warmup_s": 0.0, "title": "t",
            "classes": {"background": {"goodput_bps": {"total": goodput}}}, "cells": {"2": {"drops": {"lifetime": 0}}},
            "mobiles": [{"mobile": "anna", "class": "background", "npdu_in": 7 + seed}], **more}


def reproduction(median, unit="s", schema="gbflow-reproduction/1", has_values=True):
    measured = {"median": median, "min": median - 1, "max": median + 1, "seeds": 5}
    if has_values:
        measured["values"] = {str(seed): median + (seed - 3) / 2 + seed % 2 / 10 for seed in range(1, 6)}
    return {"schema": schema, "figures": [{"id": "p9-delay", "unit": unit, "measured": measured}]}


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.pyz = setting.packed(self.folder)

    def write(self, name, report):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report))
        return path

    def runs(self, name, values, **more):
        for seed, value in enumerate(values, 1):
            self.write(f"{name}-seed{seed}/summary.json", summary(seed, value, **more))

    def compare(self, *arguments, status=0):
        done = setting.warm(self.pyz, "compare", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def rows(self, a, b):
        self.compare(a, b, "--json", "out.json")
        report = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(report["schema"], "gbflow-comparison/2")
        return {row["figure"]: row for row in report["figures"]}

    def test_verdicts(self):
        for index, (a, b, percent, verdict) in enumerate(VERDICTS):
            with self.subTest(a=a, b=b):
                self.runs(f"a{index}", a)
                self.runs(f"b{index}", b)
                row = self.rows(f"a{index}", f"b{index}")["classes.background.goodput_bps.total"]
                self.assertEqual((row["difference_percent"], row["verdict"]), (percent, verdict))

    def test_ways_to_name_runs(self):
        """A file, its folder, a folder of runs, and the name before -seedN; a run called otherwise does not count."""
        self.runs("one/none", [10, 12])
        self.runs("one/none-long", [99])
        self.runs("two/x", [30, 31])
        single = self.folder / "one" / "none-seed1"
        for a, b, runs in (("one/none", "two", [2, 2]), (single, single / "summary.json", [1, 1])):
            self.compare(a, b, "--json", "out.json")
            report = json.loads((self.folder / "out.json").read_text())
            self.assertEqual([report[side]["runs"] for side in "ab"], runs)
        row = self.rows("one/none", "two")["classes.background.goodput_bps.total"]
        self.assertEqual(row["a"], {"mean": 11, "median": 11, "min": 10, "max": 12})

    def test_table(self):
        """Equal figures and those of mobiles only on request; the last line counts those that were asked for."""
        self.runs("a", [10, 11])
        self.runs("b", [20, 21])
        short, whole = self.compare("a", "b").stdout, self.compare("a", "b", "--all").stdout
        self.assertRegex(short, r"(?m)^classes\.background\.goodput_bps\.total +10\.5 +20\.5 +\+95\.2 % +"
                                r"\+[\d.]+ to \+[\d.]+ % +0\.022 +36\.1 % +higher$")
        self.assertIn("2 pairs", short)
        self.assertNotIn("anna", short)
        self.assertRegex(whole, r"(?m)^mobiles\.anna\.npdu_in +8\.5 +8\.5 +\+0\.0 % +- +- +- +equal$")
        self.assertEqual((short.splitlines()[-1], whole.splitlines()[-1]), ("1 higher, 1 equal", "1 higher, 2 equal"))

    def test_figures_asked(self):
        """The fewer figures are asked for, the less Holm's correction takes; a name that no figure has is an error."""
        others = {f"f{index}": {"goodput_bps": {"total": 5}} for index in range(20)}
        for name, values in (("a", [10, 11, 12]), ("b", [11, 12.4, 13.2])):
            for seed, value in enumerate(values, 1):
                report = summary(seed, value)
                for other, row in others.items():
                    report["cells"]["2"]["drops"][other] = row["goodput_bps"]["total"] + (seed * ord(name)) % 7
                self.write(f"{name}-seed{seed}/summary.json", report)
        goodput = "classes.background.goodput_bps.total"
        found = {}
        for words in ((), ("--figure", goodput), ("--figure", "classes.*", "--figure", "cells.2.drops.f1")):
            self.compare("a", "b", *words, "--json", "out.json")
            rows = json.loads((self.folder / "out.json").read_text())["figures"]
            found[len(rows)] = next(row["verdict"] for row in rows if row["figure"] == goodput)
        self.assertEqual(found, {22: "perhaps higher", 1: "higher", 2: "higher"})
        self.assertIn("--figure classes.no*: no figure", self.compare("a", "b", "--figure", "classes.no*", status=1).stderr)

    def test_other_seeds(self):
        """Without common seeds Welch's test, in the words above the table, too."""
        self.runs("a", [10, 11, 12])
        for seed, value in ((7, 20), (8, 21), (9, 22)):
            self.write(f"b-seed{seed}/summary.json", summary(seed, value))
        done = self.compare("a", "b")
        self.assertIn("Welch's t test", done.stdout)
        self.assertRegex(done.stdout, r"goodput_bps\.total .* higher\n")

    def test_reproductions(self):
        self.write("a/reproduction.json", reproduction(5))
        for name, report, verdict in (("b", reproduction(8), "higher"), ("c", reproduction(5.1), "not shown"),
                                      ("old", reproduction(8, has_values=False), "no values")):
            self.write(f"{name}/reproduction.json", report)
            self.assertEqual(self.rows("a", name)["p9-delay"]["verdict"], verdict)

    def test_different_shapes(self):
        self.runs("a", [10, 11])
        self.runs("longer", [10, 11], duration_s=90.0)
        self.runs("other", [10, 11], classes={"thp1": {}})
        self.runs("cells", [10, 11], cells={"2": {}, "3": {}})
        self.runs("mixed", [10])
        self.write("mixed-seed2/summary.json", summary(2, 10, warmup_s=5.0))
        self.write("twins/x/summary.json", summary(1, 10))
        self.write("twins/y/summary.json", summary(1, 10))
        self.write("r/reproduction.json", reproduction(5))
        self.write("percent/reproduction.json", reproduction(5, unit="%"))
        self.write("old/reproduction.json", reproduction(5, schema="gbflow-reproduction/0"))
        (self.folder / "empty").mkdir()
        for a, b, words in (
                ("a", "longer", "duration_s: 60.0 and 90.0"), ("a", "other", "classes: background and thp1"),
                ("a", "cells", "cells: 2 and 2, 3"), ("a", "mixed", "warmup_s"), ("a", "twins", "same seed"),
                ("a", "r", "reproduction.json"), ("r", "percent", "p9-delay: s and %"), ("r", "old", "schema"),
                ("a", "nowhere", "nowhere: No such file or directory"), ("empty", "a", "empty")):
            with self.subTest(a=a, b=b):
                done = self.compare(a, b, status=2 if b == "nowhere" else 1)
                self.assertEqual((done.stdout, len(done.stderr.splitlines())), ("", 1))
                self.assertIn(words, done.stderr)

    def test_usage(self):
        for words in ((), ("a",), ("a", "b", "c"), ("a", "b", "--nope")):
            self.compare(*words, status=2)


if __name__ == "__main__":
    sys.exit(unittest.main())
