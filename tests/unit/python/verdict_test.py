#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What counts as reproduced."""

import dataclasses
import types
import unittest

import setting  # noqa: F401  pylint: disable=unused-import
from gbflow_report import reproduce
from gbflow_report.papers import verdict
from gbflow_report.papers import narrow, p1, p2, p3, p4, p5

# values by seed, known cause of a miss, verdict, median
ROWS = [
    ([10.0, 11.0, 12.0], "", "in band", 11.0),
    ([9.5, 9.5, 99.0], "", "in band", 9.5),
    ([11.5], "", "in band", 11.5),
    ([9.49, 9.49, 99.0], "", "missed", 9.49),
    ([11.6, 11.6, 10.0], "", "missed", 11.6),
    ([1.0], "no such radio", "not reproduced", 1.0),
    ([10.0], "no such radio", "in band", 10.0),
    ([10.0, None, 10.0], "", "missed", 10.0),
    ([None], "", "missed", None),
]


# values by seed, certainty; the band is 9.5 to 11.5, t of 95 % with 2 degrees of freedom 4.303
CERTAIN = [
    ([10.4, 10.5, 10.6], "settled"),  # 10.25 to 10.75
    ([9.6, 10.5, 11.4], "open"),  # 8.3 to 12.7
    ([11.6, 11.7, 11.8], "open"),  # 11.45 to 11.95: missed, but not for certain
    ([12.6, 12.7, 12.8], "settled"),
    ([10.0, 10.0, 10.0], "settled"),  # the seeds change nothing
    ([11.5, 11.5], "settled"),
    ([10.0], "one run"),
    ([None, 10.0, 10.0], "open"),  # missed: a seed has no value, the others are in band
]


KINDS = {verdict.RESULT, verdict.INPUT, verdict.FITTED, verdict.SIGN, verdict.REGRESSION}


def figure(cause):
    return verdict.Figure("f", "what", "kbit/s", 10, (9.5, 11.5), lambda runs: runs["case"], "", cause)


class Judge(unittest.TestCase):
    def test_rows(self):
        for values, cause, expected, middle in ROWS:
            with self.subTest(values=values, cause=cause):
                row = verdict.judge("P0", figure(cause), {seed: {"case": value} for seed, value in enumerate(values)})
                self.assertEqual((row["verdict"], row["measured"]["median"], row["measured"]["seeds"]),
                                 (expected, middle, len(values)))
                self.assertEqual(bool(row["why"]), expected != "in band")


    def test_certainty(self):
        """The interval over the seeds against the band."""
        for values, expected in CERTAIN:
            with self.subTest(values=values):
                row = verdict.judge("P0", figure(""), {seed: {"case": value} for seed, value in enumerate(values)})
                self.assertEqual(row["certainty"], expected)

    def test_interval(self):
        """Student's t by hand: 2.776 for 4 degrees of freedom; deviation 1.5811."""
        row = verdict.judge("P0", figure(""), {seed: {"case": float(seed)} for seed in range(1, 6)})
        low, high = row["measured"]["interval"]
        self.assertAlmostEqual(high - 3, 2.776 * 1.5811 / 5 ** 0.5, places=3)
        self.assertAlmostEqual(3 - low, high - 3, places=4)

    def test_words(self):
        """Results are counted apart from the rows that prove less."""
        rows = [{"verdict": name, "certainty": sure, "kind": kind} for name, sure, kind in
                (("in band", "settled", "result"), ("in band", "open", "result"), ("in band", "settled", "fitted"), ("not reproduced", "settled", "result"),
                 ("in band", "open", "sign"))]
        self.assertEqual(reproduce.count_words(rows), "5 rows; result: 2 in band (1 open), 1 not reproduced; sign: 1 in band (1 open); fitted: 1 in band")
        self.assertEqual([reproduce.verdict_words(row) for row in rows],
                         ["in band", "in band, open", "in band, fitted", "not reproduced", "in band, sign, open"])
        self.assertEqual(reproduce.cards([types.SimpleNamespace(rows=rows)], 3),
                         [("results", "3"), ("in band", "2"), ("not reproduced", "1"), ("sign", "1"), ("fitted", "1"), ("seeds", "3")])

    def test_kinds(self):
        """By pattern; what no pattern names stays a result."""
        rows = verdict.of_kind(verdict.INPUT, [figure(""), dataclasses.replace(figure(""), name="g-1")], "g-*")
        self.assertEqual([verdict.judge("P0", row, {1: {"case": 10.0}})["kind"] for row in rows], ["result", "input"])
        for paper in (p1, p2, p3, p4, p5, narrow):
            self.assertLessEqual({row.kind for row in paper.FIGURES}, KINDS, paper.NAME)


class PaperFour(unittest.TestCase):
    """The bands as the list of published results states them, spelled a second time."""

    BANDS = {
        "p4-throughput-1pdch-63s": (9.5, 11.5), "p4-throughput-1pdch-5s": (9.5, 11.5),
        "p4-throughput-3pdch-63s": (28, 34), "p4-throughput-3pdch-5s": (28, 34),
        "p4-throughput-alike-1pdch": (-6, 6), "p4-throughput-alike-3pdch": (-6, 6),
        "p4-rtt-max-1pdch-63s": (42, 54), "p4-rtt-max-3pdch-63s": (15, 19),
        "p4-rtt-max-1pdch-5s": (6.75, 11.25), "p4-rtt-max-3pdch-5s": (6, 10),
        **{f"p4-rtt-cut-1pdch{each}": (-85, -75) for each in ("", "-route")}, **{f"p4-rtt-cut-3pdch{each}": (-62.5, -37.5) for each in ("", "-each")},
    }

    def test_bands(self):
        found = {one.name: one.band for one in p4.FIGURES}
        self.assertEqual({name: found[name] for name in self.BANDS}, self.BANDS)

    def test_shapes_are_checked_and_say_why(self):
        shapes = {one.name: one for one in p4.FIGURES if one.name not in self.BANDS}
        self.assertEqual(set(shapes), {"p4-climb-route", "p4-climb-fall", "p4-loss-floor", "p4-loss-climbs", "p4-teeth", "p4-tooth-low",
                                       "p4-tooth-high", "p4-loss-floor-quick", "p4-climb-new-route", "p4-climb-fit",
                                       "p4-four-minutes-route", "p4-four-minutes-fit", "p4-rtt-max-route"})
        self.assertTrue(all(one.why for one in shapes.values()))

    def test_names_are_unique_and_bands_have_an_inside(self):
        self.assertEqual(len({one.name for one in p4.FIGURES}), len(p4.FIGURES))
        self.assertTrue(all(one.band[0] < one.band[1] for one in p4.FIGURES))


if __name__ == "__main__":
    unittest.main()
