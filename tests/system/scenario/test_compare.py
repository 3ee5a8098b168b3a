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


if __name__ == "__main__":
    unittest.main()
