#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The sensitivity of P1: one thing at a time, over the ranges that the scenario states; signs and order, and where not."""

import json
import re
import sys
import unittest
from contextlib import redirect_stdout
from io import StringIO

import setting

from gbflow_report import reproduce
from gbflow_report.papers import p1, p1_sensitivity, p2, p2_sensitivity
from gbflow_report.papers.p1_sensitivity import BASE, VARIATIONS, Varied

SCENARIO = (setting.REPORT.parent / "config" / "scenarios" / "sgsn-aqm.lua").read_text(encoding="utf-8")
SCENARIO_2 = (setting.REPORT.parent / "config" / "scenarios" / "gprs-population.lua").read_text(encoding="utf-8")
# Paths that the variations set and that the scenario must mark as assumed, as words of it.
ASSUMED = ["coding", "bler", "downlink_slots", "thresholds", "bucket", "server_delay", "lifetime", "queue_limit", "n201_u",
           "mss", "receive_window", "initial_cwnd", "delayed_ack", "initial_rto"]
DELAYS = {"streaming": 0.3, "thp1": 0.2, "thp2": 5.0, "thp3": 14.0, "background": 34.0}
# of a scheme: delay of THP2 and THP3 by that without, page rate by that without
GOOD = {"none": (1, 1), "red": (0.3, 1.2), "ecn": (0.25, 1.6), "ttlred": (0.4, 1.1), "ttlecn": (0.35, 1.3)}

# what is changed of GOOD or of DELAYS, words of the verdict
FAULTS = [
    ({"red": (1.1, 1.2)}, {}, "a scheme does not cut the delay of THP2; a scheme does not cut the delay of THP3"),
    ({"red": (0.3, 0.9)}, {}, "page rates with RED are not above none"),
    ({"ecn": (0.3, 1.1)}, {}, "page rates with ECN are not above RED"),
    ({}, {"streaming": 0.6}, "streaming or THP1 is harmed by load"),
    ({}, {"thp3": 4.0}, "delays without AQM do not follow the classes"),
    ({"ecn": (0.3, None)}, {},
     "page rates with ECN are not above none (no value); page rates with ECN are not above RED (no value)"),
]


def of_class(name, scheme, delays):
    factor, rate = scheme if name in p1.WEB else (1, 1)
    return p1.OfClass(delays[name] * factor, None if rate is None else 30 * rate, 20, 40, 0.9, 0.9)


def outcomes(schemes=None, delays=None):
    """By scheme and class, of one seed."""
    schemes, delays = {**GOOD, **(schemes or {})}, {**DELAYS, **(delays or {})}
    return {case: {name: of_class(name, schemes[case.name], delays) for name in p1.CLASSES} for case in p1.SCHEMES}


def row(schemes=None, delays=None, seeds=1):
    by_seed = {seed: {Varied(BASE, case): found for case, found in outcomes(schemes, delays).items()} for seed in range(seeds)}
    return reproduce.varied_row(p1_sensitivity, BASE, by_seed)


class Sensitivity(unittest.TestCase):
    def test_holds(self):
        found = row(seeds=3)
        self.assertEqual((found["verdict"], found["why"], found["seeds"]), ("holds", "", 3))
        self.assertEqual((found["least_cut_thp3"], found["page_rate_ecn_percent"]), (2.5, 60))
        json.dumps(found)

    def test_faults(self):
        for schemes, delays, words in FAULTS:
            with self.subTest(words=words):
                found = row(schemes, delays)
                self.assertEqual((found["verdict"], found["why"]), ("does not hold", words))

    def test_every_assumption(self):
        """Each marked value is varied; names are good for folders."""
        marked = {name.lower() for name in re.findall(r"(\w+) = \{ assumed", SCENARIO)}
        self.assertEqual(marked, {*ASSUMED, "burst"})
        varied = " ".join(setting for variation in VARIATIONS for setting in variation.settings)
        for name in marked - {"coding"}:
            self.assertRegex(varied, rf"\b{name}\b")
        self.assertIn("block_octets", varied)
        names = [variation.name for variation in VARIATIONS]
        self.assertEqual(len(set(names)), len(names))
        self.assertTrue(all(re.fullmatch(r"[\w.-]+", name) for name in names), names)

    def test_words(self):
        """The page and the table say how many hold, and what does not."""
        rows = [row(), {**row({"red": (0.3, 0.9)}), "assumption": "MSS", "value": "9 octets"}]
        rows.append({**rows[1], "in_range": False, "value": "8 octets"})
        with redirect_stdout(StringIO()) as printed:
            reproduce.print_variations(rows)
        for text in (printed.getvalue(), setting.Page("<body data-plots='0'>" + reproduce.variations_html(rows) + "</body>").text):
            self.assertIn("signs and order hold in 1 of 2 rows within the stated ranges, with 1 seed", text)
            self.assertIn("MSS 8 octets (beyond its range)", text)
            self.assertIn("MSS 9 octets: page rates with RED are not above none", text)
        self.assertEqual(reproduce.variations_html([]), "")

    def test_population(self):
        """P2: values of each variation's case, and what does not hold."""
        bars = [[21000, 5], [22000, 5], [33000, 6], [34000, 6]]
        table = {name: {"mean": mean} for name, mean in (("overall", 24e3), ("mss_high", 25e3), ("mss_low", 20e3), ("window_low", 20e3),
                 ("window_medium", 24e3), ("window_high", 22e3), ("sack", 25e3), ("no_sack", 24e3))}
        tree = {"optimal_alone": {"setup_s_mean": 1.1}, "optimal_background": {"setup_s_mean": 1.3}}
        analysis = {"channel_rate_bps": {"bars": bars}, "table_3": table, "tree": tree, "loss": {"access": 0.02, "internet": 0.001}}
        worse = {**analysis, "loss": {"access": 0.0, "internet": 0.001}}
        for found, why in ((analysis, ""), (worse, "the Internet loses more than the access")):
            outcomes = {p2_sensitivity.CASES[variation]: found for variation in p2_sensitivity.VARIATIONS}
            one = reproduce.varied_row(p2_sensitivity, p2_sensitivity.VARIATIONS[1], {1: outcomes})
            self.assertEqual((one["paper"], one["why"], one["window_gain_percent"]), (p2.NAME, why, 14.2857))
            self.assertIn("P2: what hinges", reproduce.variations_html([one]))
        names = [case.name for case in p2_sensitivity.VARIED]
        self.assertEqual((len(set(names)), len(set(names) & {case.name for case in p2.CASES})), (len(names), 0))
        self.assertTrue(all(re.fullmatch(r"[\w.-]+", name) for name in names), names)

    def test_population_assumptions(self):
        """Each value that P2's scenario marks is varied."""
        text = SCENARIO_2
        varied = " ".join(setting for variation in p2_sensitivity.VARIATIONS for setting in variation.settings)
        marked = re.findall(r"(\w+) = \{ assumed", text)
        self.assertGreater(len(marked), 6)
        for name in marked:
            self.assertRegex(varied, rf"\b{name}\b")


if __name__ == "__main__":
    sys.exit(unittest.main())
