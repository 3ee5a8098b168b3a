# SPDX-License-Identifier: BSD-3-Clause
"""The own study: what its figures measure, from outcomes made up for each case."""
import os
import re
import subprocess
import tempfile
import unittest

import setting

from gbflow_report import looks, measured, page, reproduce
from gbflow_report.papers import own, own_cases, own_sensitivity, p1
from gbflow_report.papers.own_cases import CASES, Case, EMPTY, SETTINGS
from gbflow_report.papers.verdict import IN_BAND, MISSED, NOT_REPRODUCED, judge

LIGHT = own_cases.Light(1.5, 1.75, 0.0, 4.0)
EMPTY_LIGHT = own_cases.Light(1.0, None, 0.0, 2.0)


def row_of(values, **more):
    delay_s, page_s, total_kbps, worst, dropped = values
    seen = dict(zip(looks.BY_NAME, (total_kbps, delay_s, 2.5, page_s, page_s, 1.5, worst, dropped, 0.25, 0.75, 0.0625), strict=True))
    return own_cases.Row(seen, worst, page_s and 20 * page_s, 0.125, page_s, light=LIGHT, block_octets=97.0, **more)


def outcome_of(*values, **more):
    found = {name: row_of(values, **more) for name in p1.CLASSES}
    return {**found, **{name: row_of((0.2, 1, 1, 1, 0)) for name in own_cases.PRIORITY}}


OUTCOMES = {"none": outcome_of(10, 50, 100, 0.9, 0), "red": outcome_of(1, 100, 100, 0.5, 0.3), "ecn": outcome_of(1, 200, 100, 0.4, 0.1),
            "q": outcome_of(0.5, 80, 99, 0.8, 0.3), "windows": outcome_of(0.5, 100, 99, 0.8, 0),
            "q-windows": outcome_of(0.75, 52, 104, 0.95, 0.25)}
RUNS = {case: OUTCOMES.get(case.scheme, OUTCOMES["none"]) for case in CASES if case != EMPTY}
NOTHING = {**dict.fromkeys(looks.BY_NAME), looks.TOTAL: 1, looks.DELAY: 0.125, looks.DROPPED: 0}
RUNS[EMPTY] = {name: own_cases.Row(NOTHING, light=EMPTY_LIGHT) for name in p1.CLASSES}

# figure, measured, verdict
ROWS = [
    ("own-1-delay-streaming", 0.075, MISSED),
    ("own-1-loss-thp1", 0, IN_BAND),
    ("own-2-delay-thp2-q-windows-2006", 0.75, NOT_REPRODUCED),
    ("own-2-delay-background-q-windows-2006", 0.75, IN_BAND),
    ("own-3-page-thp2-none-q-windows-2006", 1.04, IN_BAND),
    ("own-3-page-thp3-red-q-windows-2006", 0.52, IN_BAND),
    ("own-3-page-thp3-ecn-q-windows-2006", 0.26, IN_BAND),
    ("own-4-worst-q-windows-2006", 0.95, IN_BAND),
    ("own-4-jain-q-windows-2006", 0.95, MISSED),
    ("own-5-goodput-q-windows-2006", 1.04, IN_BAND),
    ("own-5-user-background-q-windows-2006", 1.04, IN_BAND),
    ("own-6-drops-q-windows-2006", 0.25, NOT_REPRODUCED),
    ("own-6-repeated-q-windows-2006", 0.125, MISSED),
    ("own-7-first-thp2-q-windows-2006", 1.5, IN_BAND),
    ("own-7-ping-background-q-windows-2006-light", 0.5, IN_BAND),
    ("own-7-own-ping-background-q-windows-2006-light", 0.75, MISSED),
    ("own-7-object-thp2-q-windows-2006-light", 4, IN_BAND),
    ("own-7-lost-q-windows-2006-light", 0, IN_BAND),
    ("own-8-delay-thp2-q-2006", 0.5, IN_BAND),
    ("own-8-delay-background-q-2006", 0.5, IN_BAND),
    ("own-8-page-thp2-q-2006", 0.8, IN_BAND),
    ("own-8-goodput-q-2006", 0.99, IN_BAND),
]
SUMMARY = {
    "classes": {name: {"delay_s": {"p95": 1.5}, "goodput_bps": {"per_user_mean": 1000, "total": 30000, "page_mean": 5000},
                       "fairness": {"worst_user": 0.9, "jain": 1}, "dropped": 0.5, "rtt_s": {"avg": 2.5, "max": 4}, "page_time_s": {"p50": 9, "p95": None},
                       "first_object_s": {"p50": 1, "p95": 1.25}, "pings_lost": 0.125, "ping_rtt_s": {"p50": 0.25, "p95": 0.75}} for name in p1.CLASSES},
    "mobiles": [{"mobile": name, "class": "thp2", "goodput_bps": 2000, "drops": {}, "npdu_in": 1} for name in ("web2-29", "web2-30")],
    "tcp": [{"mobile": "web2-29", "octets": 100, "repeated_octets": 5}, {"mobile": "web2-30", "octets": 100, "repeated_octets": 10},
            {"mobile": "ftp1", "octets": 100, "repeated_octets": 100}],
    "pages": [{"mobile": "web2-30", "start_s": 0, "first_s": 9, "time_s": 9}, {"mobile": "web2-30", "start_s": 10, "first_s": 1, "time_s": 2},
              {"mobile": "web2-30", "start_s": 90, "first_s": None, "time_s": None}],
    "ping": [{"mobile": "web2-29", "sent": 100, "received": 99, "rtt_s": {"p95": 0.5}},
             {"mobile": "web2-30", "sent": 100, "received": 80, "rtt_s": {"p95": 0.25}}],
    "cells": {"2": {"blocks": {"down": {"used": 600, "repeated": 100}}}, "3": {"blocks": {"down": {"used": 500, "repeated": 0}}}},
    "warmup_s": 10, "duration_s": 100,
}


class Own(unittest.TestCase):
    def test_figures(self):
        figures = {figure.name: figure for figure in own.FIGURES}
        self.assertEqual(len(figures), len(own.FIGURES))
        for name, expected, verdict in ROWS:
            with self.subTest(name):
                row = judge(own.NAME, figures[name], {1: RUNS})
                self.assertEqual((row["measured"]["median"], row["verdict"]), (expected, verdict))
        for figure in own.FIGURES:
            self.assertIsNotNone(figure.measure(RUNS), figure.name)

    def test_settings(self):
        """Cases of P1 play P1's settings; a name says what a case has."""
        names = [case.name for case in CASES]
        self.assertEqual(len(set(names)), len(names))
        for case in own_cases.SCHEMES + own_cases.LIGHT:
            with self.subTest(case.name):
                settings = " ".join(case.settings)
                self.assertEqual("sgsn.queues.discipline=q" in settings, case.scheme.startswith("q"))
                self.assertEqual("sgsn.queues.pacing" in settings, case.scheme in ("windows", "q-windows"))
                self.assertNotIn("flow_control", settings)
                self.assertEqual("tcp.sack=true" in settings, not case.is_2006)
                self.assertEqual('scheme = "red"' in settings, case.scheme in ("red", "red-best", "ecn"))
                self.assertEqual("tcp.ecn=true" in settings, "ecn" in case.scheme)
                self.assertEqual("flow_queues" in settings, case.scheme.startswith("cake"))
                self.assertEqual(settings.count("ping"), 6 if case.is_light else 3)
        self.assertEqual(" ".join(EMPTY.settings).count("cbr"), 3 * 29)
        for listed in (SETTINGS, own_cases.LIGHT_SCHEMES, own_sensitivity.SCHEMES):
            self.assertEqual(set(own_cases.RIVALS) - set(listed), set())

    def test_outcome(self):
        found = own.outcome_of(SUMMARY, None)
        row = found["thp2"]
        self.assertEqual([row[look.name] for look in looks.LOOKS], [30, 1.5, 2.5, 9, None, 1.25, 0.9, 0.5, 0.25, 0.75, 0.125])
        self.assertEqual((row.jain, row.page_mean_kbps, row.repeated), (1, 5, 0.075))
        self.assertEqual(row.block_octets, 5 * 30000 / 8 * 100 / 1000)
        self.assertEqual(row.page_mean_s, 6)
        self.assertEqual((row.light, row.users_kbps), (own_cases.Light(0.25, 0.5, 19 / 200, None), (2, 2)))
        self.assertEqual((found["background"].repeated, found["background"].light), (None, None))

    def test_tables(self):
        """A row for each scheme."""
        today, newreno, light = own.tables({1: RUNS, 2: RUNS})
        self.assertEqual([row[0] for row in newreno.rows], list(SETTINGS))
        self.assertEqual([row[0] for row in today.rows], list(SETTINGS))
        self.assertEqual(len(light.rows), 1 + len(own_cases.LIGHT))
        text = page.table_markdown(newreno).splitlines()
        self.assertIn("| windows | 297 | 0.50 / 0.50 / 0.50 | 2.5 / 2.5 / 2.5 | 100 / 100 / 100 | 100 / 100 / 100 | 1.5 / 1.5 / 1.5 | 0.80 / 0.80 / 0.80 "
                      f"| 0.00 / 0.00 / 0.00 | 0.25 / 0.25 / 0.25 | 0.75 / 0.75 / 0.75 | 0.06 / 0.06 / 0.06 | 0.125 / 0.125 / 0.125 | 97.0 |", text)
        self.assertIn("| red | 300 | 1.00 / 1.00 / 1.00 | 2.5 / 2.5 / 2.5 | 100 / 100 / 100 | 100 / 100 / 100 | 1.5 / 1.5 / 1.5 | 0.50 / 0.50 / 0.50 "
                      f"| 0.30 / 0.30 / 0.30 | 0.25 / 0.25 / 0.25 | 0.75 / 0.75 / 0.75 | 0.06 / 0.06 / 0.06 | 0.125 / 0.125 / 0.125 | 97.0 |", text)
        row = next(line for line in page.table_markdown(light).splitlines() if line.startswith("| q-windows-2006-light "))
        self.assertTrue(row.endswith("| 0.06 / 0.06 / 0.06 | 1.50 / 1.50 / 1.50 | 1.75 / 1.75 / 1.75 | 4.00 / 4.00 / 4.00 |"), row)
        goals = own.goals_table({1: RUNS})
        self.assertEqual(len(goals.rows), len(own.FIGURES))
        self.assertIn(["8-delay-background-q", "95th percentile of the delay, background", "s", "at most 4.6", "0.5"], goals.rows)
        self.assertIn(["4-jain-q-windows", "Jain's index, least of the TCP classes", "", "at least 0.99", "0.95, missed"], goals.rows)
        self.assertEqual(Case("q", True, True).name, "q-2006-light")

    def test_pairs(self):
        """Per cent of the other scheme's mean; what Holm's correction leaves open is in brackets."""
        def runs(seed):
            shift = {"none": 0, "red": seed % 2 * 0.5}
            return {case: RUNS[case] if case == EMPTY or case.scheme != "red" else outcome_of(1 + shift["red"], 100, 100, 0.5, 0.3) for case in CASES}
        table = own.pairs_table({seed: runs(seed) for seed in range(1, 7)}, False)
        rows = {row[0]: dict(zip(table.head[1:], row[1:], strict=True)) for row in table.rows}
        self.assertNotIn("q-windows thp2", rows)
        self.assertEqual([rows[f"none {name}"][looks.TOTAL] for name in own_cases.TCP], ["+4 (+4 to +4)", page.NONE, page.NONE])
        self.assertEqual(rows["none thp3"][looks.DELAY], "-92 (-92 to -92)")
        self.assertRegex(rows["red thp2"][looks.DELAY], r"^\[-40 \(-6\d to -1\d\)\]$")  # open beside so many
        self.assertEqual(rows["q background"][looks.DELAY], "+50 (+50 to +50)")
        self.assertEqual(rows["none thp2"][looks.DROPPED], "+25 (+25 to +25)")  # points
        self.assertEqual(rows["q thp2"][looks.PING], "[+0 (+0 to +0)]")
        self.assertEqual(own.pairs_table({1: RUNS}, True).rows[0][1:], [page.NONE] * len(looks.LOOKS))
        rates = {row[0]: row[1:] for row in own.rates_table({1: RUNS}).rows}
        self.assertEqual(rates["red"][:2], ["2000.0 / 2000.0", "100.0 / 100.0"])
        self.assertEqual(rates["red"][2:], next(row for row in own.cures_table({1: RUNS}, False).rows if row[0] == "red")[1:1 + len(looks.LOOKS)])

    def test_varied(self):
        """q-windows beside the best rival of each figure, and where it is worse."""
        good = {**dict.fromkeys(own_cases.RIVALS, OUTCOMES["red"]), "fq-codel": outcome_of(2, 60, 102, 0.9, 0.3), "cake": outcome_of(2, 50, 90, 0.7, 0.3),
                "q-windows": OUTCOMES["q-windows"]}
        for changed, why in VARIED:
            with self.subTest(why):
                found = reproduce.varied_row(own_sensitivity, own_sensitivity.BASE, {1: {
                    own_sensitivity.Varied(own_sensitivity.BASE, Case(scheme)): one
                    for scheme, one in {**good, **changed}.items()}})
                self.assertEqual((found["why"], found["verdict"]), (why, "does not hold" if why else "holds"))
        table = own_sensitivity.table([found])
        row = dict(zip(table.head, table.rows[0], strict=True))
        self.assertEqual(row["rtt by the best rival's"], "1.00 / 1.00 / 1.00")
        self.assertEqual(row["pings lost less the best rival's"], "0.00 / 0.00 / 0.00")
        self.assertEqual(measured.study_of("gbflow reproduce own --seeds 2 --sensitivity --tables robust".split()), "own --sensitivity")
        self.assertEqual(measured.study_of("gbflow reproduce own --sensitivity --jobs 2".split()), "")

    def test_variations(self):
        """Names are good for folders; the program takes each one's settings (but for users that move or leave, which a short run has no time for)."""
        names = [case.name for case in own_sensitivity.VARIED]
        self.assertEqual(len(set(names)), len(names))
        self.assertTrue(all(re.fullmatch(r"[\w.-]+", name) for name in names), names)
        gbflow = os.environ.get("GBFLOW", str(setting.REPORT.parent / "build" / "gbflow"))
        with tempfile.TemporaryDirectory() as folder:
            for variation in (one for one in own_sensitivity.VARIATIONS if not one.name.startswith(("moves", "leave"))):
                settings = [*own_sensitivity.Varied(variation, Case("q-windows")).settings, "warmup=0 s", "duration=11 s"]
                self.assertGreaterEqual(sum("ping" in one for one in settings), 3)
                with self.subTest(variation.name):
                    done = subprocess.run([gbflow, "run", str(setting.REPORT.parent / "config/scenarios/sgsn-aqm.lua"), "--no-report", "--out",
                                           os.path.join(folder, variation.name), *(word for one in settings for word in ("--set", one))],
                                          capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)


LESS = [f"the worst user of {name} is more than 5 points below the best rival's" for name in own_cases.TCP]
LATER = [f"pages of {name} take more than 1.05 of the best rival's {what}" for what in ("median", "time") for name in own_cases.WEB]
FEWER = "the total is less than 0.99 of the best rival's"
# what other outcomes some schemes have, and what then does not hold
VARIED = [
    ({}, ""),
    ({"q-windows": outcome_of(0.75, 52, 100, 0.95, 0.25)}, FEWER),
    ({"fq-codel": outcome_of(2, 60, 106, 0.9, 0.3)}, FEWER),
    ({"q-windows": outcome_of(1.25, 52, 104, 0.95, 0.25)}, ""),
    ({"q-windows": outcome_of(0.75, 53, 104, 0.95, 0.25)}, "; ".join(LATER)),
    ({"cake": outcome_of(2, 49, 90, 0.7, 0.3)}, "; ".join(LATER)),
    ({"q-windows": outcome_of(0.75, 52, 104, 0.84, 0.25)}, "; ".join(LESS)),
    ({"q-windows": outcome_of(0.75, 52, 104, 0.86, 0.25)}, ""),
    ({"red-best": outcome_of(None, 100, 100, None, 0.25)}, ""),
    ({name: outcome_of(None, None, 100, None, 0.25) for name in own_cases.RIVALS}, ""),
    ({"q-windows": outcome_of(None, None, 104, None, 0.25)}, "; ".join([*LATER, *LESS])),
]


if __name__ == "__main__":
    unittest.main()
