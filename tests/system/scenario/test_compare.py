# SPDX-License-Identifier: BSD-3-Clause
"""gbflow compare on runs of the program: a second packet channel shows, seeds alone do not, other shapes are refused."""
import os
import unittest

import scenario
from scenario import gbflow

SEEDS = ("1", "2", "3")
GOODPUT = "classes.background.goodput_bps.total"
TEXT = scenario.text(
    duration="60 s", cells='pdchs = 1, bler = "5 %", flow_control = { bucket_time = "2 s" }',
    mobiles='{ name = "a", traffic = { { download = { octets = "infinite" } } } }')


class Compare(scenario.Case):
    def runs(self, name, *words):
        for seed in SEEDS:
            self.play_text(TEXT, "--seed", seed, *words, name=f"{name}-seed{seed}")

    def rows(self, a, b):
        result = gbflow.run("compare", self.path(a), self.path(b), "--json", self.path("rows.json"))
        self.assertEqual(result.status, 0, result)
        return {row["figure"]: row for row in gbflow.read_json(self.path("rows.json"))["figures"]}, result

    def test_channels(self):
        self.runs("one")
        self.runs("two", "--set", "cells[1].pdchs=2")
        rows, result = self.rows("one", "two")
        self.assertEqual(rows[GOODPUT]["verdict"], "higher")
        self.assertGreater(rows[GOODPUT]["difference_percent"], 80)
        self.assertRegex(result.stdout, GOODPUT.replace(".", r"\.") + r" .* higher\n")
        rows, result = self.rows("one", "one")
        self.assertEqual({row["verdict"] for row in rows.values()}, {"equal"})

    def test_refused(self):
        self.play_text(TEXT, name="one")
        self.play_text(TEXT, "--set", "duration=61s", name="longer")
        for words, status, message in (
                ([self.path("one"), self.path("longer")], 1, "duration_s: 60.0 and 61.0"),
                ([self.path("one"), os.path.join(self.folder, "nowhere")], 2, "nowhere"), ([self.path("one")], 2, "try: gbflow compare --help")):
            result = gbflow.run("compare", *words)
            self.assertEqual(result.status, status, result)
            self.assertIn(message, result.stderr)

    def test_results_are_not_overwritten(self):
        """By --json, by --out into a run's folder, or by a link there that leads to a result."""
        for name, seed in (("one", "1"), ("two", "2")):
            self.play_text(TEXT, "--seed", seed, name=name)
        one, two, out = self.path("one"), self.path("two"), self.path("out")
        summary = os.path.join(one, "summary.json")
        with open(summary, "rb") as file:
            before = file.read()
        os.mkdir(out)
        os.symlink(summary, os.path.join(out, "comparison.json"))
        for words in (("--json", summary), ("--out", out), ("--out", two)):
            with self.subTest(words=words):
                with open(os.path.join(two, "report.html"), "a", encoding="ascii"):
                    pass
                result = gbflow.run("compare", one, two, *words)
                self.assertEqual(result.status, 2, result)
                self.assertIn(f"{words[0]} takes another place than the result", result.stderr)
                with open(summary, "rb") as file:
                    self.assertEqual(file.read(), before)

    def test_a_scenario_is_not_overwritten(self):
        out = self.path("own")
        os.mkdir(out)
        for name in ("series.csv", "summary.json", "report.html"):
            scenario = os.path.join(out, name)
            with open(scenario, "w", encoding="utf-8") as file:
                file.write(TEXT)
            result = gbflow.run("run", scenario, "--out", out)
            self.assertEqual(result.status, 2, result)
            self.assertIn(f"--out takes another folder than that of the scenario, whose name a run writes: {scenario}", result.stderr)
            with open(scenario, encoding="utf-8") as file:
                self.assertEqual(file.read(), TEXT)


if __name__ == "__main__":
    unittest.main()
