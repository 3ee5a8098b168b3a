# SPDX-License-Identifier: BSD-3-Clause
"""The ablation: which combinations exist, what is played, and what a part earns, from outcomes made up for each case."""
import argparse
import itertools
import json
import os
import re
import subprocess
import tempfile
import unittest

import setting

from gbflow_report import difference, looks, measured, page, reproduce
from gbflow_report.papers import ablation, ablation_cases, own, own_cases
from gbflow_report.papers.ablation_cases import ALL, CASES, COMBINATIONS, FEW, GRID, POINTS, RIVALS, VARIED, Case, Parts
from gbflow_report.papers.own_cases import TCP
from gbflow_results import Failure

# parts, whether they exist and are played, name
EXISTING = [
    (Parts("fifo"), True, True, "fifo-none"),
    (Parts("fifo", ("quantum",)), False, False, "fifo-quantum-none"),
    (Parts("fifo", ("quantum",), "windows"), False, False, "fifo-quantum-windows"),
    (Parts("fifo", ("codel",)), False, False, "fifo-codel-none"),
    (Parts("fifo", ("filter",), "windows"), True, True, "fifo-filter-windows"),
    (Parts("turns", ("credit",)), False, False, "turns-credit-none"),
    (Parts("turns", ("quantum",)), False, False, "turns-quantum-none"),
    (Parts("turns", ("filter", "codel"), "windows"), True, True, "turns-filter-codel-windows"),
    (Parts("tags", ("quantum",)), True, True, "tags-quantum-none"),
    (Parts("tags", ("quantum", "codel"), "windows"), True, False, "tags-quantum-codel-windows"),
    (ALL, True, True, "tags-quantum-credit-filter-codel-windows"),
]
# name, words of its settings, words that are in none of them
SETTINGS = [
    ("fifo-none", ['thp2 = { order = "fifo" }', "drop_duplicates = false"], ["flow_queues", "pacing", "credit", "mobile_quantum", "aqm"]),
    ("fifo-filter-windows", ['thp3 = { order = "fifo" }', "drop_duplicates = true", "pacing={ classes"], ["flow_queues", "mobile_quantum", "aqm"]),
    ("turns-windows", ['background = { order = "mobiles" }', 'flow_order = "sfq"', "pacing={ classes"], ["mobile_quantum"]),
    ("tags-windows", ['streaming = { order = "sfq" }', "pacing={ classes", "drop_duplicates = false"], ["credit", "aqm"]),
    ("tags-quantum-credit-filter-none", ['credit = "6000 octets"', "drop_duplicates = true"], ["aqm", "pacing"]),
    ("fq-codel", ['scheme = "fq_codel"'], ["pacing"]),
    ("cake", ['scheme = "cobalt"'], ["pacing"]),
]
# what is asked for, points, schemes, how many
CHOSEN = [
    ("grid", "", {GRID}, len(COMBINATIONS) + len(RIVALS) + len(VARIED)),
    ("rtt,b*", "", {"rtt", "bler"}, 2 * (len(FEW) + len(RIVALS))),
    ("", "fq-codel", {point.name for point in POINTS}, len(POINTS)),
    ("slot", "tags-*-windows", {"slot"}, 10),
    ("slot,ci", "fifo-none,c*", {"slot", "ci"}, 8),
]


def row(kbps=100.0, delay_s=1.0, page_s=50.0, worst=0.9, dropped=0.1):
    return dict(zip(looks.BY_NAME, (kbps, delay_s, 2.5, page_s, page_s, 1.5, worst, dropped, 0.25, 0.75, 0.0625), strict=True))


def outcome_of(**values):
    return {name: row(**values) for name in TCP}


def by_seed_of(cases, change, seeds=6):
    """Each seed has its own level of everything, which cancels in pairs; change(scheme, seed) is what a case has then."""
    return {seed: {case: outcome_of(**{"kbps": 100.0 + 7 * seed, "delay_s": float(seed), **change(case.scheme, seed)}) for case in cases}
            for seed in range(1, seeds + 1)}


def part_of(name, beside):
    return next(part for part in ablation.ALL_PARTS if (part.name, part.beside) == (name, beside))


def look_of(name):
    return next(look for look in ablation.LOOKS if look.name == name)


class Cases(unittest.TestCase):
    def test_exists(self):
        for parts, exists, is_played, name in EXISTING:
            with self.subTest(name):
                self.assertEqual((parts.exists, parts.name, name in COMBINATIONS), (exists, name, is_played))
        self.assertTrue(all(parts.exists for parts in COMBINATIONS.values()))
        self.assertEqual([parts for parts in FEW if parts.name not in COMBINATIONS], [])
        self.assertEqual({(parts.order, parts.pacing) for parts in COMBINATIONS.values() if not parts.others},
                         set(itertools.product(ablation_cases.ORDERS, ablation_cases.PACINGS)))

    def test_settings(self):
        for name, there, missing in SETTINGS:
            with self.subTest(name):
                text = " ".join(Case(GRID, name).settings)
                self.assertEqual([word for word in there if word not in text], [])
                self.assertEqual([word for word in missing if word in text], [])
                self.assertNotIn("discipline", text)

    def test_all(self):
        """All parts together are the discipline q with pacing: a run has the same octets, delays, drops and pages."""
        gbflow = os.environ.get("GBFLOW", str(setting.REPORT.parent / "build" / "gbflow"))
        summaries = []
        with tempfile.TemporaryDirectory() as folder:
            for name, words in (("parts", ALL.settings), ("q", own_cases.SETTINGS["q-windows"])):
                out = os.path.join(folder, name)
                sets = [word for one in (*words, "warmup=5 s", "duration=30 s") for word in ("--set", one)]
                subprocess.run([gbflow, "run", str(setting.REPORT.parent / "config/scenarios" / ablation.SCENARIO), "--no-report", "--out", out, *sets],
                               capture_output=True, check=True)
                with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
                    summary = json.load(file)
                summaries.append({part: summary[part] for part in ("classes", "mobiles", "tcp", "pages", "pacing", "cells")})
        self.assertEqual(*summaries)
        self.assertGreater(summaries[0]["pacing"][0]["clamped"], 100)

    def test_parameters(self):
        """Each stands behind the settings of all parts, where it takes the place of what they have, half or twice of that."""
        for parameter in ablation_cases.PARAMETERS:
            value, halved, doubled = (int(text.split()[0]) for text in (parameter.value, parameter.halved, parameter.doubled))
            self.assertEqual((2 * halved, doubled), (value, 2 * value), parameter.key)
            self.assertTrue(parameter.key.startswith("pacing.") or f'{parameter.key} = "{parameter.value}"' in ALL.settings[0], parameter.key)
        for scheme in VARIED:
            with self.subTest(scheme):
                settings = Case(GRID, scheme).settings
                self.assertEqual(settings[:-1], Case(GRID, ALL.name).settings)
                self.assertRegex(settings[-1], r"^sgsn\.[a-z_.]+=\d+( ms| octets)$")

    def test_points(self):
        """Names are those of folders; a point changes the scenario and leaves the queues to the scheme."""
        names = [case.name for case in CASES]
        self.assertEqual(len(set(names)), len(names))
        for point in POINTS:
            with self.subTest(point.name):
                self.assertTrue(re.fullmatch("[a-z]+", point.name))
                self.assertFalse([setting_of for setting_of in point.settings if "sgsn." in setting_of])
                self.assertLess(len(point.settings) + 10, 256)
                self.assertIn(Case(point.name, ALL.name), CASES)
                self.assertEqual(" ".join(Case(point.name, ALL.name).settings).count("ping = "), 6 if "mobiles={" in " ".join(point.settings) else 3)

    def test_chosen(self):
        for points, schemes, at, count in CHOSEN:
            with self.subTest(points=points, schemes=schemes):
                found = ablation_cases.chosen(points, schemes)
                self.assertEqual(({case.point for case in found}, len(found)), (at, count))
        self.assertEqual(ablation_cases.chosen("", ""), CASES)
        for points, schemes, words in (("gird", "", "'gird' is no point"), ("", "tags-none,fq_codel", "'fq_codel' is no combination")):
            with self.assertRaisesRegex(Failure, words):
                ablation_cases.chosen(points, schemes)

    def test_outcome(self):
        summary = {"classes": {name: {"goodput_bps": {"total": 30000}, "delay_s": {"p95": 1.5}, "page_time_s": {"p95": None}, "fairness": {"worst_user": 0.5},
                                      "dropped": 0.5} for name in (*TCP, "streaming")}}
        expected = {**dict.fromkeys(looks.BY_NAME), looks.TOTAL: 30, looks.DELAY: 1.5, looks.WORST: 0.5, looks.DROPPED: 0.5}
        self.assertEqual(ablation.outcome_of(summary, None), dict.fromkeys(TCP, expected))


class Effects(unittest.TestCase):
    def test_pairs(self):
        """A pair differs in the part alone; pacing is held at what the part stands beside."""
        for part in ablation.ALL_PARTS:
            with self.subTest(ablation.name_of(part)):
                self.assertTrue(part.pairs)
                self.assertEqual([pair for pair in part.pairs if pair[0] == pair[1]], [])
                differences = {key for pair in part.pairs for key in ("order", "others", "pacing")
                               if len({getattr(COMBINATIONS[name], key) for name in pair}) > 1}
                self.assertEqual(len(differences), 1)
        self.assertEqual(part_of("start tags", "filter, codel, windows").pairs,
                         [("turns-filter-codel-windows", "tags-filter-codel-windows")])
        self.assertEqual(part_of("quantum", "start tags, windows").pairs, [("tags-windows", "tags-quantum-windows")])
        self.assertEqual(part_of("filter", "the rest of q, windows").pairs, [("tags-quantum-credit-codel-windows", ALL.name)])
        self.assertEqual(part_of("windows", "an order").pairs, [(f"{order}-none", f"{order}-windows") for order in ablation_cases.ORDERS])
        self.assertEqual(part_of("windows", "q").pairs, [("tags-quantum-credit-filter-codel-none", ALL.name)])
        self.assertEqual({part.name for part in ablation.ALL_PARTS}, {"turns", "start tags", *ablation_cases.SWITCHES, "windows"})

    def test_effects(self):
        """Levels of seeds cancel; the median is over the pairs of a seed, then over the seeds."""
        names = {"turns-none": {}, "tags-none": {}, "tags-windows": {"delay_s": 0.5}, "turns-windows": {"kbps": 104.0}}
        cases = [Case("rtt", name) for name in names]
        by_seed = {seed: {case: outcome_of(**names[case.scheme]) for case in cases} for seed in (1, 2, 3)}
        found = {(one.part.name, one.part.beside, one.look.name): one for one in ablation.effects(by_seed)}
        rows = [("windows", "an order", "total", 2, 0), ("windows", "an order", "delay thp2", -25, 1), ("start tags", "alone", "total", 0, 0),
                ("start tags", "windows", "total", -100 / 26, -1), ("start tags", "windows", "delay thp2", -50, 1),
                ("start tags", "windows", "worst user thp2", 0, 0)]
        for part, beside, look, percent, sign in rows:
            with self.subTest(part=part, beside=beside, look=look):
                one = found[(part, beside, look)]
                self.assertAlmostEqual(one.percent, percent)
                self.assertEqual((one.sign, one.point), (sign, "rtt"))
        self.assertEqual({key[:2] for key in found}, {("windows", "an order"), ("start tags", "alone"), ("start tags", "windows")})

    def test_signs(self):
        """3 % of the total, 15 % of a 95th percentile; the worst user earns and costs nothing."""
        part = part_of("codel", "start tags")
        for look, percent, sign in (("total", 2.9, 0), ("total", 3.1, 1), ("total", -3.1, -1), ("delay thp3", -14, 0), ("delay thp3", -16, 1),
                                    ("page p95 thp2", 16, -1), ("rtt thp2", -50, 0), ("worst user thp2", 50, 0), ("worst user thp2", -50, 0)):
            with self.subTest(look=look, percent=percent):
                self.assertEqual(ablation.Effect(part, GRID, look_of(look), [percent] * 3).sign, sign)

    def test_missing(self):
        """A seed without a page time, or without a case, leaves the measure open and the others as they are."""
        cases = [Case(GRID, name) for name in ("fifo-none", "fifo-windows")]
        by_seed = by_seed_of(cases, lambda scheme, seed: {"page_s": None if seed == 2 and scheme == "fifo-windows" else 50.0})
        names = {one.look.name for one in ablation.effects(by_seed) if one.part is part_of("windows", "an order")}
        self.assertEqual(names, {look.name for look in ablation.LOOKS if not look.name.startswith("page")})

    def test_chance(self):
        """What each seed does alike is settled, what it does at random is open, and so is a single seed."""
        part, look = part_of("codel", "start tags"), look_of("total")
        self.assertLess(ablation.Effect(part, GRID, look, [4.0, 4.1, 3.9, 4.05]).p, 0.001)
        self.assertGreater(ablation.Effect(part, GRID, look, [4.0, -4.1, 3.9, -4.05]).p, 0.5)
        self.assertEqual(ablation.Effect(part, GRID, look, [4.0]).p, 1.0)


class Tables(unittest.TestCase):
    def setUp(self):
        self.cases = [*(Case(point, name) for point in (GRID, "slot") for name in ("tags-none", "tags-quantum-none", "tags-codel-none", "fq-codel")),
                      Case(GRID, ALL.name), Case(GRID, "pacing-mobile_target-halved")]

        def change(scheme, seed):
            noise = 1 + 0.001 * (seed % 3)
            return {"tags-quantum-none": {"kbps": (100 + 7 * seed) * 1.05 * noise},
                    "tags-codel-none": {"delay_s": seed * (0.5 if seed % 2 else 1.6)},
                    "pacing-mobile_target-halved": {"kbps": (100 + 7 * seed) * 0.9}}.get(scheme, {})
        self.by_seed = by_seed_of(self.cases, change)

    def table(self, name):
        made = {table.name: table for table in (*ablation.tables(self.by_seed), *ablation.page_tables(self.by_seed))}
        self.assertEqual(set(made), {"parts", "parameters", "effects", GRID, "slot"})
        return made[name]

    def test_parts(self):
        """What a part earns says where; what no seed repeats is in brackets."""
        rows = {found[0]: found for found in self.table("parts").rows}
        self.assertEqual(set(rows), {"quantum, start tags", "codel, start tags"})
        self.assertEqual(rows["quantum, start tags"][1:3], ["2", "+5.1"])
        self.assertEqual(rows["quantum, start tags"][-2:], ["2 (2 settled): grid, total +5 %", page.NONE])
        self.assertEqual(rows["codel, start tags"][2], "+0.0")
        self.assertEqual(rows["codel, start tags"][4], "+0.0 / +0.0 / +0.0")
        self.assertEqual(rows["codel, start tags"][-2:], [page.NONE, page.NONE])

    def test_effects(self):
        rows = {(found[0], found[1]): found for found in self.table("effects").rows}
        self.assertEqual(set(rows), {(part, point) for part in ("quantum, start tags", "codel, start tags") for point in (GRID, "slot")})
        self.assertEqual(rows[("quantum, start tags", "slot")][2], "+5.1")
        self.assertEqual(rows[("codel, start tags", "slot")][3], "[+5.0] / [+5.0] / [+5.0]")

    def test_parameters(self):
        found = self.table("parameters").rows
        self.assertEqual([(one[0], one[1]) for one in found], [("pacing.mobile_target 300 ms (of 600 ms)", "-10.0")])

    def test_points(self):
        """Combinations and rivals, and no parameters."""
        found = {one[0]: one for one in self.table(GRID).rows}
        self.assertEqual(list(found), ["tags-none", "tags-quantum-none", "tags-codel-none", "fq-codel", ALL.name])
        self.assertEqual(found["fq-codel"][1:], ["374", *(" / ".join([text] * 3) for text in ("3.50", "2.5", "50", "50", "1.5", "0.90", "0.10", "0.25", "0.75", "0.06"))])
        self.assertEqual(len(self.table("slot").rows), 4)

    def test_rivals(self):
        """Without pairs there are the points alone."""
        by_seed = {1: {Case("slot", "red-best"): outcome_of()}}
        self.assertEqual([table.name for table in (*ablation.tables(by_seed), *ablation.page_tables(by_seed))], ["slot"])

    def test_holm(self):
        """The correction is over all that is compared: with more of it, less is settled."""
        one = ablation.Effect(part_of("codel", "start tags"), GRID, look_of("total"), [4.0, 5.0, 6.0])
        self.assertLess(ablation.judged([one])[0][1], difference.LEVEL)
        self.assertGreater(ablation.judged([one] * 100)[0][1], difference.LEVEL)


class Command(unittest.TestCase):
    def test_choice(self):
        """A block of a part of the runs is of the same part only."""
        rows = [("gbflow reproduce ablation --seeds 2", "ablation"), ("gbflow reproduce ablation --seeds 2 --tables parts", "ablation"),
                ("gbflow reproduce ablation --points grid --seeds 2", "ablation --points grid"),
                ("gbflow reproduce ablation --seeds 2 --cases 'tags-*' --points grid", "ablation --points grid --cases 'tags-*'"),
                ("gbflow reproduce own --seeds 2 --sensitivity", "own --sensitivity")]
        for command, study in rows:
            with self.subTest(command):
                self.assertEqual(measured.study_of(measured.split(command)), study)
        self.assertEqual(measured.choice("", ""), "")

    def test_others(self):
        """No other study has points and cases."""
        given = argparse.Namespace(points="grid", cases="")
        self.assertEqual({case.point for case in reproduce.cases_of(ablation, given)}, {GRID})
        with self.assertRaisesRegex(Failure, "--points: own has none; --points is of ablation and points, --cases of ablation"):
            reproduce.cases_of(own, given)
        with self.assertRaisesRegex(Failure, "--cases: own has none"):
            reproduce.cases_of(own, argparse.Namespace(points="", cases="grid"))
        self.assertIs(reproduce.cases_of(own, argparse.Namespace(points="", cases="")), own.CASES)


if __name__ == "__main__":
    unittest.main()
