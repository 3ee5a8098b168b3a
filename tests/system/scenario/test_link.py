# SPDX-License-Identifier: BSD-3-Clause
"""The key `link` of a cell: each of its keys changes what is measured, counters agree, equal seeds give equal octets, and what is wrong
with it is said."""
import os
import unittest

import scenario
from scenario import gbflow

CELL = """{ bvci = 2, pdchs = 4, downlink_slots = 4, uplink_slots = 2, coding = "%s", retransmission = "300 ms",
  flow_control = { bucket_time = "2 s" }, link = { ci_db = 18, %s } }"""
MOBILES = """{ name = "anna", count = 2, class = "background", traffic = { { cbr = { rate = "200 kbit/s" } } } },
{ name = "bert", class = "background", traffic = { { upload = { octets = "infinite" } } } }"""
VARYING = 'spread_db = 3, shadowing_db = 6, decorrelation = "500 ms", uplink_db = -3, adaptation = "%s"'
EGPRS, GPRS = ("MCS-9", VARYING % "egprs"), ("CS-4", VARYING % "gprs")
TRACE = 'trace = { file = "ci.csv", every = "9 s" }, '
# Of `link`.
SETTINGS = ["ci_db=21", "spread_db=6", "shadowing_db=2", "decorrelation=5 s", "uplink_db=0", "adaptation=none", "initial=MCS-6",
            "hysteresis_db=4", "t_avg=2 s", "report=1 s", "incremental_redundancy=false", "resegmentation=false", "window=64",
            "tti=10 ms", "curves={ { coding = \"MCS-6\", ci_db = 14 } }"]
REFUSED = [
    ("cells[1].link.window=65", "cells[1].link.window: 65 is no multiple of 32"),
    ("cells[1].link.window=544", "cells[1].link.window: 544 is more than downlink_slots allow: 64 .. 512"),
    ("cells[1].downlink_slots=1", "cells[1].link.window: 224 is more than downlink_slots allow: 64 .. 192"),
    ("cells[1].link.adaptation=gprs", "\"gprs\" needs a coding of CS-1 to CS-4, and coding is MCS-9"),
    ("cells[1].link.initial=CS-1", "cells[1].link.initial: CS-1 is not between MCS-1 and coding, MCS-9"),
    ("cells[1].coding=MCS-5", "cells[1].link.initial: MCS-6 is not between MCS-1 and coding, MCS-5"),
    ("cells[1].uplink_slots=1", "cells[1].link.tti: \"10 ms\" takes timeslots in pairs, and uplink_slots is 1"),
    ("cells[1].pdchs=3", "cells[1].link.tti: \"10 ms\" takes timeslots in pairs, and pdchs is 3"),
    ("cells[1].bler=5 %", "cells[1].bler: with `link` the C/I decides"),
    ("cells[1].block_octets=40", "cells[1].block_octets: with `link` the C/I decides"),
    ("cells[1].link.trace={ file = \"../ci.csv\" }", "cells[1].link.trace.file: '../ci.csv' leaves the scenario's folder"),
    ("cells[1].link.curves={ { coding = \"CS-1\", ci_db = 1 }, { coding = \"CS-1\", ci_db = 2 } }",
     "cells[1].link.curves[2].coding: CS-1 has a curve already, curves[1]"),
    ("cells[1].link.ci_db=101", "cells[1].link.ci_db: 101 is out of range: -50 .. 100"),
    ("cells[1].link.speed=3", "speed"),
    ("cells[1].link={}", "cells[1].link.ci_db"),
]

# The BSS stops the SGSN while little waits, so that the SGSN's shares hold.
AIR = """return { title = "test", duration = "120 s", network = { server_delay = "0 s" },
  sgsn = { queues = { discipline = "q" } },
  cells = { { bvci = 2, pdchs = 4, downlink_slots = 4, coding = "MCS-9", link = { ci_db = 15, adaptation = "egprs" },
    flow_control = { every = "2 s", thresholds = { stop = "8 kB", go = "6 kB" }, bvc = { bucket = "8 kB" },
      ms_default = { bucket = "4 kB" } } } },
  mobiles = { { name = "edge", class = "background", ci_db = 9, traffic = { { cbr = { rate = "200 kbit/s" } } } },
    { name = "middle", class = "background", ci_db = 24, traffic = { { cbr = { rate = "200 kbit/s" } } } } } }"""
TOLD = "--set", "cells[1].flow_control.ms={ by_coding = true }"
AIRTIME = "--set", "sgsn.queues.share=airtime"


def text(coding, link):
    return f"""return {{ title = "test", duration = "30 s", network = {{ server_delay = "0 s" }},
  sgsn = {{ n201_u = "520 octets" }}, cells = {{ {CELL % (coding, link)} }}, mobiles = {{ {MOBILES} }} }}"""


class Link(scenario.Case):
    def measured(self, kind, *words):
        summary = self.play_text(text(*kind), *words).summary
        for way, found in summary["cells"]["2"]["link"].items():
            blocks = summary["cells"]["2"]["blocks"][way]
            self.assertEqual(sum(found["radio_blocks"].values()), blocks["used"] - blocks["control"], found)
            self.assertGreaterEqual(found["rlc_blocks"], blocks["used"], found)
            self.assertGreaterEqual(found["bad_rlc_blocks"], blocks["bad"], found)
        return {name: value for name, value in summary.items() if name != "set"}

    def down(self, kind, *words):
        return self.measured(kind, *words)["cells"]["2"]["link"]["down"]

    def test_each_key_matters(self):
        base = self.measured(EGPRS)
        self.assertEqual(self.measured(EGPRS), base)
        for setting in [*(f"cells[1].link.{setting}" for setting in SETTINGS), "mobiles.anna.ci_db=9", "cells[1].coding=MCS-6"]:
            with self.subTest(setting=setting):
                self.assertNotEqual(self.measured(EGPRS, "--set", setting)["cells"], base["cells"])
        self.assertNotEqual(self.measured(EGPRS, "--seed", "2")["cells"], base["cells"])

    def test_gprs(self):
        """Coding schemes of GPRS, no halves, nothing combined; the cell's window; the hysteresis of GPRS is not that of EGPRS."""
        base = self.measured(GPRS)
        found = base["cells"]["2"]["link"]["down"]
        self.assertEqual((found["resegmented"], found["combined"], found["radio_blocks"]["MCS-1"]), (0, 0, 0))
        self.assertGreater(min(found["radio_blocks"][f"CS-{i}"] for i in (1, 2, 3, 4)), 0)
        for setting in ("link.initial=CS-3", "link.hysteresis_db=0", "window=16", "link.adaptation=none"):
            with self.subTest(setting=setting):
                self.assertNotEqual(self.measured(GPRS, "--set", "cells[1]." + setting)["cells"], base["cells"])

    def test_defaults(self):
        """Absent keys are what the reference says."""
        base = self.measured(EGPRS)
        for setting in ("initial=MCS-1", "hysteresis_db=0", "t_avg=240 ms", "report=200 ms", "incremental_redundancy=true",
                        "resegmentation=true", "window=512", "tti=20 ms"):
            with self.subTest(setting=setting):
                self.assertEqual(self.measured(EGPRS, "--set", "cells[1].link." + setting), base)

    def test_counters(self):
        """What is off is not counted; without adaptation all blocks have one scheme; C/I without chance is what the scenario says."""
        on = self.down(EGPRS)
        self.assertGreater(min(on["resegmented"], on["combined"], on["bad_rlc_blocks"]), 0)
        self.assertEqual(self.down(EGPRS, "--set", "cells[1].link.incremental_redundancy=false")["combined"], 0)
        self.assertEqual(self.down(EGPRS, "--set", "cells[1].link.resegmentation=false")["resegmented"], 0)
        fixed = self.measured(("MCS-7", "uplink_db = -2"))["cells"]["2"]["link"]
        self.assertEqual((fixed["down"]["ci_db"], fixed["up"]["ci_db"]), (18, 16))
        for way in fixed.values():
            self.assertEqual({name for name, count in way["radio_blocks"].items() if count}, {"MCS-7"})

    def test_trace(self):
        """C/I by the rows of a file, again after `every`; a mobile's own C/I does not follow it."""
        self.write("ci.csv", "time_s,ci_db\n0,40\n3,10\n")
        fixed = "MCS-6", TRACE.rstrip(", ")
        means = [self.down(fixed, *words)["ci_db"] for words in ((), ("--set", "cells[1].link.trace={ file = \"ci.csv\" }"))]
        self.assertGreater(means[0], means[1] + 3)
        self.assertEqual(self.down(fixed, "--set", "mobiles.anna.ci_db=18", "--set", "mobiles.bert.ci_db=18")["ci_db"], 18)
        self.write("ci.csv", "0,101\n")
        result = gbflow.run("run", self.path("run.lua"), "--out", self.path("out"), "--no-report")
        self.assertEqual(result.status, 2, result)
        self.assertIn("ci.csv:1: 101 is not C/I in dB, -50 to 100", result.stderr)

    def test_refused(self):
        path = self.write("s.lua", text("MCS-9", 'window = 224, initial = "MCS-6", tti = "10 ms", adaptation = "egprs"'))
        for setting, message in REFUSED:
            with self.subTest(setting=setting):
                result = gbflow.run("run", path, "--out", self.path("out"), "--no-report", "--set", setting)
                self.assertEqual((result.status, os.path.exists(self.path("out"))), (2, False), result)
                self.assertIn(message, result.stderr)
        plain = scenario.text(cells="pdchs = 2", mobiles='{ name = "a", ci_db = 3, traffic = { { ping = {} } } }')
        result = gbflow.run("check", self.write("plain.lua", plain))
        self.assertEqual(result.status, 2, result)
        self.assertIn("mobiles[1].ci_db: no cell has `link`", result.stderr)

    def test_packet(self):
        """packet.json has the block periods of the cell, and the RLC blocks of one N-PDU."""
        for tti, period_s in (("20 ms", 0.02), ("10 ms", 0.01)):
            result = self.play_text(text("MCS-9", "adaptation = \"none\""), "--set", f"cells[1].link.tti={tti}", "--set",
                                    "cells[1].link.ci_db=31", "--packet=anna1:40", name="packet")
            blocks = gbflow.read_json(os.path.join(result.out, "packet.json"))["blocks"]
            self.assertGreaterEqual(len(blocks), 500 // 74)
            for block in blocks:
                self.assertAlmostEqual(block["to_s"] - block["from_s"], period_s)

    def test_study(self):
        """The shipped study plays, and the scheme follows the C/I."""
        study = os.path.join(gbflow.ROOT, "config", "studies", "radio-link.lua")
        self.assertIn("288 runs", gbflow.run("sweep", study, "--dry-run").stdout)
        most = [max(found, key=found.get) for found in (
            self.play(study, "--set", f"cells[1].link.ci_db={ci_db}").summary["cells"]["2"]["link"]["down"]["radio_blocks"]
            for ci_db in (8, 14, 18, 25, 30, 40))]
        self.assertEqual(most, ["MCS-1", "MCS-5", "MCS-6", "MCS-7", "MCS-8", "MCS-9"])

    def goodputs(self, *words):
        """Of a mobile near the cell's edge and one near its middle, in kbit/s; both have data all the time."""
        found = self.play_text(AIR, *words).summary["mobiles"]
        return [mobile["goodput_bps"] / 1000 for mobile in found]

    def test_air_time(self):
        """With shares of the air mobiles send by their R, if the BSS tells it, and the cell carries more."""
        silent, octets = self.goodputs(), self.goodputs(*TOLD)
        self.assertEqual(self.goodputs(*AIRTIME), silent)
        air = self.goodputs(*TOLD, *AIRTIME)
        self.assertGreater(octets[0] / octets[1], 0.8)
        self.assertLess(air[0] / air[1], 0.5)
        self.assertGreater(air[0], 0.05 * air[1])
        self.assertGreater(sum(air), 1.2 * sum(octets))

    def test_without(self):
        """A cell without `link` has no such part of the summary."""
        summary = self.play_text(scenario.text(cells="pdchs = 2", mobiles='{ name = "a", traffic = { { ping = {} } } }')).summary
        self.assertNotIn("link", summary["cells"]["2"])


if __name__ == "__main__":
    unittest.main()
