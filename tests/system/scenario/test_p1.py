# SPDX-License-Identifier: BSD-3-Clause
"""The AQM study's scenario: all five schemes go through the real queues. What the Gb capture says of flow control,
lifetimes, marks and shares, against the paper's parameters and the summary's counts."""
import os
import re
import unittest

import scenario
from scenario import gbflow
from gb_oracle import bssgp, gb, report

DURATION_S = 45
NAMES = ("none", "red", "ecn", "ttlred", "ttlecn")
SCHEMES = {"red": "red", "ecn": "red", "ttlred": "ttlred2", "ttlecn": "ttlred2"}
MARKING = ("ecn", "ttlecn")
AQM_CLASSES = ("thp2", "thp3", "background")
# Users of each class, in the order of the scenario's list and so of their TLLIs; the first one's.
USERS = (("streaming", 5), ("thp1", 15), ("thp2", 30), ("thp3", 30), ("background", 30))
FIRST_TLLI = 0xC0000001
WEIGHTS = {"streaming": 900, "thp1": 50, "thp2": 35, "thp3": 15, "background": 5}
# As `gbflow aqm show` prints the schemes' defaults, which the scenario takes.
PARAMETERS = {"red": {"min": "15 kB", "max": "45 kB", "max_chance": "20 %"},
              "ttlred2": {"low": "750 ms", "high": "2.25 s", "max_chance": "20 %"}}
# Of a cell: 24 PDCHs with 112 octets in 20 ms, the scenario's buckets.
CELL_BPS, BVC_OCTETS, MS_OCTETS = 24 * 112 * 8 * 50, 20_000, 10_000
SPEED = re.compile(r"of processor time, (\d+) times")
INFINITE_CS, CE, LIFETIME_S = 0xFFFF, 3, 32


def class_of(tlli):
    index = tlli - FIRST_TLLI
    for name, count in USERS:
        if index < count:
            return name
        index -= count
    raise ValueError(f"{tlli:08x} is no user's TLLI")


def settings(name):
    """--set words of a case."""
    if name == "none":
        return []
    ecn = ["--set", "tcp.ecn=true"] if name in MARKING else []
    aqm = f'scheme = "{SCHEMES[name]}", scope = "class_of_nse", ecn = {"true" if name in MARKING else "false"}'
    return ["--set", f"sgsn.queues.aqm={{ {aqm} }}", *ecn]


def tos_of(event):
    """The type of service of the IP packet that an LLC-PDU begins; here each holds a whole one."""
    return event.segment.data[1]


# Of page times, with RED or ECN by mobiles or flows, that are longer than a short run.
UNREACHED = ("goodput-red-mobiles", "goodput-red-multislot8", "goodput-ecn-mobiles", "entity-red-mobile-low", "entity-ecn-mobile-low",
             "entity-red-flow-low", "entity-ecn-flow-low", "others-in-line")


class P1(scenario.Case):
    def capture(self, name, *words):
        result = self.play(scenario.shipped("sgsn-aqm"), "--pcap", "--set", f"duration={DURATION_S} s", "--set",
                           "warmup=10 s", *settings(name), *words, name=name)
        events = gb.load(os.path.join(result.out, "gb.pcapng"), report.Report())
        return result, events, [event for event in events if isinstance(event, gb.DlPdu)]

    def check_flow_control(self, events):
        """Both cells announce their buckets, and by their thresholds also a rate of 0; each PDU is acknowledged."""
        told = [(event.bvci, event.pdu) for event in events if event.pdu and event.pdu.kind == bssgp.FC_BVC]
        self.assertEqual({bvci for bvci, _ in told}, {2, 3})
        self.assertEqual({pdu.scaled(bssgp.BVC_BUCKET) for _, pdu in told}, {BVC_OCTETS})
        self.assertEqual({pdu.scaled(bssgp.BMAX_MS_DEFAULT) for _, pdu in told}, {MS_OCTETS})
        self.assertEqual({pdu.scaled(bssgp.LEAK_RATE) for _, pdu in told}, {0, CELL_BPS})
        self.assertGreater(len(told), 100)
        acks = sum(1 for event in events if event.pdu and event.pdu.kind == bssgp.FC_BVC_ACK)
        self.assertLessEqual(len(told) - acks, 1)
        return len(told)

    def check_stops(self, events):
        """While a cell announces a rate of 0, no more than its bucket leaves for it."""
        sent, stopped, stops = {2: 0, 3: 0}, dict.fromkeys((2, 3), False), 0
        for event in events:
            if isinstance(event, gb.DlPdu) and stopped[event.bvci]:
                sent[event.bvci] += event.octets
                self.assertLessEqual(sent[event.bvci], BVC_OCTETS, event.number)
            elif event.pdu and event.pdu.kind == bssgp.FC_BVC:
                sent[event.bvci], stopped[event.bvci] = 0, event.pdu.scaled(bssgp.LEAK_RATE) == 0
                stops += stopped[event.bvci]
        self.assertGreater(stops, 50)

    def check_signals(self, name, summary, frames):
        """CE on the wire where, and as often as, the summary says; drops by the scheme where it does not mark."""
        marks, drops = dict.fromkeys(WEIGHTS, 0), {}
        for event in frames:
            marks[class_of(event.tlli)] += tos_of(event) & 3 == CE
        for of in WEIGHTS:
            row = summary["classes"][of]
            self.assertEqual(marks[of], row["marks"], of)
            drops[of] = row["drops"]["aqm"]
            if name != "none":
                self.assertEqual((summary["aqm"][of]["scheme"], summary["aqm"][of]["scope"]), (SCHEMES[name], "class_of_nse"))
        self.assertEqual(any(marks.values()), name in MARKING)
        for of in AQM_CLASSES if name in MARKING else ():
            self.assertGreater(marks[of], 50)
        if name in ("red", "ttlred"):
            self.assertTrue(all(drops[of] > 50 for of in AQM_CLASSES), drops)
        if name == "none":
            self.assertEqual((summary["aqm"], set(drops.values())), ({}, {0}))
        self.assertEqual(drops["thp1"], 0)
        return marks, drops

    def test_schemes(self):
        for name in ("red", "ttlecn") if gbflow.IS_SHORT else NAMES:
            with self.subTest(name):
                result, events, frames = self.capture(name)
                count = self.check_flow_control(events)
                self.check_stops(events)
                self.assertEqual({event.pdu.number(bssgp.LIFETIME) for event in frames}, {INFINITE_CS})
                marks, drops = self.check_signals(name, result.summary, frames)
                npdus = result.summary["conservation"]["sgsn"]["out"]
                self.assertEqual(len(frames), npdus)
                self.assertLess(max(row["sojourn_s"]["max"] for row in result.summary["classes"].values()), LIFETIME_S)
                print(f"{name}: {npdus} N-PDUs, {count} FLOW-CONTROL-BVC, marks {marks}, drops {drops}")

    def test_parameters(self):
        for scheme, expected in PARAMETERS.items():
            shown = gbflow.run("aqm", "show", scheme).stdout
            found = dict(re.findall(r'(?m)^  (\w+) +"([^"]+)" \(', shown))
            self.assertEqual({key: found[key] for key in expected}, expected)

    @unittest.skipIf(gbflow.IS_SHORT, "TEST_SHORT=1 leaves it to the night")
    def test_all_users(self):
        """All 110 users for 300 s: each class receives packets. The speed is printed."""
        result = self.play(scenario.shipped("sgsn-aqm"), "--set", "duration=300 s")
        print(f"P1: {SPEED.search(result.stderr).group(1)} times real time")
        for of in WEIGHTS:
            self.assertGreater(result.summary["classes"][of]["npdu_out"], 1000, of)

    def test_bands(self):
        """P1 in 120 of its 1000 s: rows that need no long run are in their bands. Every row has a value but those of page
        times, which so short a run may not reach."""
        os.mkdir(self.path("short"))
        with open(scenario.shipped("sgsn-aqm"), encoding="utf-8") as shipped, \
                open(self.path("short/sgsn-aqm.lua"), "w", encoding="utf-8") as short:
            short.write(shipped.read().replace('duration = "1000 s"', 'duration = "120 s"').replace('warmup = "60 s"', 'warmup = "20 s"'))
        gbflow.run("reproduce", "P1", "--seeds", "1", "--out", self.folder, *scenario.LOCAL, "--scenarios", self.path("short"))
        report = gbflow.read_json(self.path("reproduction.json"))
        rows = {row["id"]: row for row in report["figures"]}
        without = {name for name, row in rows.items() if row["measured"]["median"] is None}
        self.assertLessEqual(without, {f"p1-{name}" for name in UNREACHED})
        for name in ("p1-delay-none-thp2", "p1-delay-priority", "p1-fig2-point", "p1-fig2-law", "p1-fig3-law"):
            self.assertEqual(rows[name]["verdict"], "in band", rows[name])
        self.assertNotIn("sensitivity", report)

    def test_weights(self):
        """With air to spare Gb is the bottleneck, and the three classes that always have something share what the two
        others leave by the paper's weights."""
        _, _, frames = self.capture("none", "--set", "cells[1].pdchs=64", "--set", "cells[2].pdchs=64")
        octets = dict.fromkeys(WEIGHTS, 0)
        for event in frames:
            if event.time_ns >= 15e9:
                octets[class_of(event.tlli)] += event.octets
        waiting = sum(octets[of] for of in AQM_CLASSES)
        shares = {of: octets[of] / waiting for of in AQM_CLASSES}
        print("shares", shares)
        for of in AQM_CLASSES:
            self.assertAlmostEqual(shares[of] / (WEIGHTS[of] / sum(WEIGHTS[of] for of in AQM_CLASSES)), 1, delta=0.05)


if __name__ == "__main__":
    unittest.main()
