# SPDX-License-Identifier: BSD-3-Clause
"""The ablation: which combinations exist, what is played, and what a part earns, from outcomes made up for each case."""
import argparse
import re
import unittest

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report import difference, measured, page, reproduce
from gbflow_report.papers import ablation, ablation_cases, own
from gbflow_report.papers.ablation_cases import ALL, CASES, COMBINATIONS, FEW, GRID, POINTS, RIVALS, VARIED, Case, Parts, Row
from gbflow_report.papers.own_cases import TCP
from gbflow_results import Failure

# parts, whether they exist, name
EXISTING = [
    (Parts("fifo"), True, "fifo-none"),
    (Parts("fifo", True), False, "fifo-quantum-none"),
    (Parts("fifo", True, pacing="clamp"), False, "fifo-quantum-clamp"),
    (Parts("fifo", True, pacing="hold"), True, "fifo-quantum-hold"),
    (Parts("fifo", has_limit=True), False, "fifo-limit-none"),
    (Parts("fifo", has_cap=True, pacing="both"), True, "fifo-cap-both"),
    (Parts("turns", has_limit=True), True, "turns-limit-none"),
    (Parts("turns", True), False, "turns-quantum-none"),
    (Parts("turns", True, pacing="both"), True, "turns-quantum-both"),
    (Parts("tags", True), True, "tags-quantum-none"),
    (ALL, True, "tags-quantum-limit-cap-both"),
]
# name, words of its settings, words that are in none of them
SETTINGS = [
    ("fifo-none", ['thp2 = { order = "fifo" }'], ["flow_queues", "pacing", "share_limit", "mobile_quantum", "bss_target"]),
    ("fifo-quantum-both", ['mobile_quantum = "2000 octets"', "clamp = true, hold = true"], ["flow_queues"]),
    ("turns-limit-clamp", ['background = { order = "mobiles" }', 'flow_order = "sfq"', "packets = 2", "clamp = true, hold = false"], ["mobile_quantum"]),
    ("tags-cap-hold", ['streaming = { order = "sfq" }', "clamp = false, hold = true", 'bss_target = "250 ms"'], ["share_limit"]),
    ("q-both", ["discipline=q", "clamp = true, hold = true"], ["bss_target"]),
    ("fq-codel", ['scheme = "fq_codel"'], ["pacing"]),
]
# what is asked for, points, schemes, how many
CHOSEN = [
    ("grid", "", {GRID}, len(COMBINATIONS) + len(RIVALS) + len(VARIED)),
    ("rtt,b*", "", {"rtt", "bler"}, 2 * (len(FEW) + len(RIVALS))),
    ("", "fq-codel", {point.name for point in POINTS}, len(POINTS)),
    ("slot", "tags-*-both", {"slot"}, 7),
    ("slot,ci", "fifo-none,q*", {"slot", "ci"}, 6),
]


def row(kbps=100.0, delay_s=1.0, page_s=50.0, worst=0.9, dropped=0.1):
    return Row(kbps, delay_s, page_s, worst, dropped)


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
        for parts, exists, name in EXISTING:
            with self.subTest(name):
                self.assertEqual((parts.exists, parts.name, name in COMBINATIONS), (exists, name, exists))
        self.assertEqual(len(COMBINATIONS), 12 + 24 + 32)
        self.assertTrue(all(parts.exists for parts in FEW))

    def test_settings(self):
        for name, there, missing in SETTINGS:
            with self.subTest(name):
                text = " ".join(Case(GRID, name).settings)
                self.assertEqual([word for word in there if word not in text], [])
                self.assertEqual([word for word in missing if word in text], [])
                self.assertEqual("discipline" in text, name.startswith("q"))

    def test_parameters(self):
        """Each stands behind the settings of all parts, where it takes the place of what they have."""
        for scheme in VARIED:
            with self.subTest(scheme):
                settings = Case(GRID, scheme).settings
                self.assertEqual(settings[:-1], ALL.settings)
                self.assertRegex(settings[-1], r"^sgsn\.[a-z_.]+=\d+( ms| s| octets)?$")
        self.assertNotIn("pacing-max_hold-doubled", VARIED)

    def test_points(self):
        """Names are those of folders; a point changes the scenario and leaves the queues to the scheme."""
        names = [case.name for case in CASES]
        self.assertEqual(len(set(names)), len(names))
        for point in POINTS:
            with self.subTest(point.name):
                self.assertTrue(re.fullmatch("[a-z]+", point.name))
                self.assertFalse([setting_of for setting_of in point.settings if "sgsn." in setting_of])
                self.assertLess(len(point.settings) + 10, 256)
                self.assertIn(Case(point.name, "tags-quantum-both"), CASES)

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
                                      "drops": {"aqm": 1, "queue_full": 2}, "npdu_out": 6} for name in (*TCP, "streaming")}}
        self.assertEqual(ablation.outcome(summary, None), dict.fromkeys(TCP, Row(30, 1.5, None, 0.5, 0.5)))


class Effects(unittest.TestCase):
    def test_pairs(self):
        """A pair differs in the part alone; pacing is held at what the part stands beside."""
        for part in ablation.ALL_PARTS:
            with self.subTest(ablation.name_of(part)):
                self.assertTrue(part.pairs)
                self.assertEqual([pair for pair in part.pairs if pair[0] == pair[1]], [])
        self.assertEqual(part_of("start tags", "not paced").pairs,
                         [(f"turns-{words}none", f"tags-{words}none") for words in ("", "cap-", "limit-", "limit-cap-")])
        self.assertIn(("fifo-both", "fifo-quantum-both"), part_of("quantum", "clamp + hold").pairs)
        self.assertNotIn(("fifo-none", "fifo-quantum-none"), part_of("quantum", "not paced").pairs)
        self.assertIn(("fifo-none", "fifo-both"), part_of("clamp + hold", "not paced").pairs)
        self.assertEqual(part_of("duplicates", "clamp + hold").pairs, [(ALL.name, "q-both")])

    def test_effects(self):
        """Levels of seeds cancel; the median is over the pairs of a seed, then over the seeds."""
        cases = [Case("rtt", name) for name in ("tags-none", "tags-quantum-none", "tags-quantum-limit-none")]
        changes = {"tags-none": {}, "tags-quantum-none": {"kbps": 104.0}, "tags-quantum-limit-none": {"kbps": 104.0, "delay_s": 0.5}}
        by_seed = {seed: {case: outcome_of(**changes[case.scheme]) for case in cases} for seed in (1, 2, 3)}
        found = {(one.part.name, one.part.beside, one.look.name): one for one in ablation.effects(by_seed)}
        rows = [("quantum", "total", 4, 1), ("quantum", "delay thp2", 0, 0), ("limit", "total", 0, 0), ("limit", "delay thp2", -50, 1),
                ("limit", "worst thp2", 0, 0)]
        for part, look, percent, sign in rows:
            with self.subTest(part=part, look=look):
                one = found[(part, "not paced", look)]
                self.assertAlmostEqual(one.percent, percent)
                self.assertEqual((one.sign, one.point), (sign, "rtt"))
        self.assertEqual({key[1] for key in found}, {"not paced"})
        self.assertNotIn(("cap", "not paced", "total"), found)

    def test_signs(self):
        """3 % of the total, 15 % of a 95th percentile; the worst user earns and costs nothing."""
        part = part_of("cap", "not paced")
        for look, percent, sign in (("total", 2.9, 0), ("total", 3.1, 1), ("total", -3.1, -1), ("delay thp3", -14, 0), ("delay thp3", -16, 1),
                                    ("page thp2", 16, -1), ("worst thp2", 50, 0), ("worst thp2", -50, 0)):
            with self.subTest(look=look, percent=percent):
                self.assertEqual(ablation.Effect(part, GRID, look_of(look), [percent] * 3).sign, sign)

    def test_missing(self):
        """A seed without a page time, or without a case, leaves the measure open and the others as they are."""
        cases = [Case(GRID, name) for name in ("fifo-none", "fifo-both")]
        by_seed = by_seed_of(cases, lambda scheme, seed: {"page_s": None if seed == 2 and scheme == "fifo-both" else 50.0})
        names = {one.look.name for one in ablation.effects(by_seed) if one.part is part_of("clamp + hold", "not paced")}
        self.assertEqual(names, {look.name for look in ablation.LOOKS if not look.name.startswith("page")})

    def test_chance(self):
        """What each seed does alike is settled, what it does at random is open, and so is a single seed."""
        part, look = part_of("cap", "not paced"), look_of("total")
        self.assertLess(ablation.Effect(part, GRID, look, [4.0, 4.1, 3.9, 4.05]).p, 0.001)
        self.assertGreater(ablation.Effect(part, GRID, look, [4.0, -4.1, 3.9, -4.05]).p, 0.5)
        self.assertEqual(ablation.Effect(part, GRID, look, [4.0]).p, 1.0)


class Tables(unittest.TestCase):
    def setUp(self):
        self.cases = [*(Case(point, name) for point in (GRID, "slot") for name in ("tags-none", "tags-quantum-none", "tags-cap-none", "fq-codel")),
                      Case(GRID, ALL.name), Case(GRID, "pacing-target-halved")]

        def change(scheme, seed):
            noise = 1 + 0.001 * (seed % 3)
            return {"tags-quantum-none": {"kbps": (100 + 7 * seed) * 1.05 * noise},
                    "tags-cap-none": {"delay_s": seed * (0.5 if seed % 2 else 1.6)},
                    "pacing-target-halved": {"kbps": (100 + 7 * seed) * 0.9}}.get(scheme, {})
        self.by_seed = by_seed_of(self.cases, change)

    def table(self, name):
        made = {table.name: table for table in (*ablation.tables(self.by_seed), *ablation.page_tables(self.by_seed))}
        self.assertEqual(set(made), {"parts", "parameters", "effects", GRID, "slot"})
        return made[name]

    def test_parts(self):
        """What a part earns says where; what no seed repeats is in brackets."""
        rows = {found[0]: found for found in self.table("parts").rows}
        self.assertEqual(set(rows), {"quantum, not paced", "cap, not paced"})
        self.assertEqual(rows["quantum, not paced"][1:3], ["2", "+5.1"])
        self.assertEqual(rows["quantum, not paced"][-2:], ["2 (2 settled): grid, total +5 %", page.NONE])
        self.assertEqual(rows["cap, not paced"][2], "+0.0")
        self.assertEqual(rows["cap, not paced"][-2:], [page.NONE, page.NONE])

    def test_effects(self):
        rows = {(found[0], found[1]): found for found in self.table("effects").rows}
        self.assertEqual(set(rows), {(part, point) for part in ("quantum, not paced", "cap, not paced") for point in (GRID, "slot")})
        self.assertEqual(rows[("quantum, not paced", "slot")][2], "+5.1")
        self.assertEqual(rows[("cap, not paced", "slot")][3], "[+5.0]")

    def test_parameters(self):
        found = self.table("parameters").rows
        self.assertEqual([(one[0], one[1]) for one in found], [("pacing.target 100 ms (of 200 ms)", "-10.0")])

    def test_points(self):
        """Combinations and rivals, and no parameters."""
        found = {one[0]: one for one in self.table(GRID).rows}
        self.assertEqual(list(found), ["tags-none", "tags-quantum-none", "tags-cap-none", "fq-codel", ALL.name])
        self.assertEqual(found["fq-codel"][1:], ["374", "3.50 / 3.50 / 3.50", "50 / 50 / 50", "0.90 / 0.90 / 0.90", "0.10 / 0.10 / 0.10"])
        self.assertEqual(len(self.table("slot").rows), 4)

    def test_rivals(self):
        """Without pairs there are the points alone."""
        by_seed = {1: {Case("slot", "red"): outcome_of()}}
        self.assertEqual([table.name for table in (*ablation.tables(by_seed), *ablation.page_tables(by_seed))], ["slot"])

    def test_holm(self):
        """The correction is over all that is compared: with more of it, less is settled."""
        one = ablation.Effect(part_of("cap", "not paced"), GRID, look_of("total"), [4.0, 5.0, 6.0])
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
        with self.assertRaisesRegex(Failure, "--points and --cases are of ablation"):
            reproduce.cases_of(own, given)
        self.assertIs(reproduce.cases_of(own, argparse.Namespace(points="", cases="")), own.CASES)


if __name__ == "__main__":
    unittest.main()
