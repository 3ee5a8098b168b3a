# SPDX-License-Identifier: BSD-3-Clause
"""AQM schemes in the queues: where they are asked, what is counted, that seeds decide, what FQ-CoDel does for a ping."""
import itertools
import os
import unittest

import scenario
from scenario import gbflow

SCHEMES = [line.split()[0] for line in gbflow.run("aqm", "list").stdout.splitlines()]
SCOPES = ("class_of_nse", "class_of_bvc", "ms", "flow")
# No lifetime, and more than the air carries.
PRESSED = scenario.text(
    duration="40 s", sgsn='lifetime = { sgsn_max = "infinite", bss_max = "infinite" }, queues = { flow_queues = 8, AQM },',
    cells="pdchs = 2",
    mobiles='{ name = "a", class = "thp1", traffic = { { cbr = { rate = "40 kbit/s" } }, { ping = { every = "1 s" } } } },'
            '{ name = "b", class = "thp1", traffic = { { download = { octets = "infinite" } } } }')
FQ_CODEL = 'sgsn.queues={ flow_queues = 16, aqm = { scheme = "fq_codel" } }'


def pressed(words):
    return PRESSED.replace("AQM", words)


class Aqm(scenario.Case):
    def pair(self, words, name):
        """The counts of class thp1's scheme, and the class."""
        summary = self.play_text(pressed(words), name=name).summary
        return summary["aqm"]["thp1"], summary["classes"]["thp1"]

    def check_counts(self, aqm, row):
        hooks = (aqm["enqueue"], aqm["dequeue"])
        self.assertEqual(aqm["enqueue"]["offered"], row["npdu_in"])
        self.assertEqual(sum(hook["dropped"] for hook in hooks), row["drops"]["aqm"])
        self.assertEqual(sum(hook["marked"] for hook in hooks), row["marks"])

    def test_every_scheme_at_every_scope(self):
        """What comes is shown to the scheme once, and all its drops are in the books."""
        for index, scheme in enumerate(SCHEMES):
            for scope in SCOPES[index % len(SCOPES)::len(SCOPES)] if gbflow.IS_SHORT else SCOPES:
                with self.subTest(scheme=scheme, scope=scope):
                    aqm, row = self.pair(f'aqm = {{ scheme = "{scheme}", scope = "{scope}" }}', scheme + scope)
                    self.assertEqual((aqm["scheme"], aqm["scope"]), (scheme, scope))
                    self.check_counts(aqm, row)
                    if scheme in ("codel", "pie", "ttlred1", "ttlred2", "sojourn"):
                        self.assertGreater(row["drops"]["aqm"], 20)

    def test_one_class(self):
        """A class's own scheme goes before that of all; signalling has none unless it is given one."""
        aqm, row = self.pair('aqm = { scheme = "red" }, class = { thp1 = { aqm = { scheme = "codel", scope = "ms" } } }', "own")
        self.assertEqual((aqm["scheme"], aqm["scope"]), ("codel", "ms"))
        self.check_counts(aqm, row)
        summary = self.play_text(pressed('aqm = { scheme = "red" }'), name="all").summary
        self.assertEqual(set(summary["aqm"]), {"conversational", "streaming", "thp1", "thp2", "thp3", "background"})
        self.assertEqual(self.play_text(pressed(""), name="none").summary["aqm"], {})

    def test_lua(self):
        """A Lua function is a scheme like any other."""
        path = os.path.join(gbflow.ROOT, "config", "aqm", "drop-front.lua")
        aqm, row = self.pair(f'aqm = {{ lua = "{path}", scope = "ms" }}', "lua")
        self.assertEqual(aqm["scheme"], "drop_front")
        self.assertGreater(row["drops"]["aqm"], 20)
        self.check_counts(aqm, row)

    def test_seeds(self):
        """Equal seeds, equal octets; another seed, other packets."""
        drops = {}
        for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
            result = self.play_text(pressed('aqm = { scheme = "ttlred1", scope = "ms" }'), "--seed", seed, name=name)
            with open(os.path.join(result.out, "series.csv"), "rb") as file:
                drops[name] = file.read()
        self.assertEqual(drops["a"], drops["b"])
        self.assertNotEqual(drops["a"], drops["c"])

    def test_mistakes(self):
        """What is wrong is said, and nothing runs."""
        for words, message in (
                ('aqm = { scheme = "reed" }', "queues.aqm.scheme: 'reed' is no AQM scheme: one of tail_drop, "),
                ('aqm = { scheme = "red", min = "9 s" }', "queues.aqm.min"),
                ('aqm = { scheme = "codel", min = "9 kB" }', "queues.aqm.min: unknown key"),
                ('aqm = { scheme = "red", min = "50 kB", max = "20 kB" }', "queues.aqm.scheme"),
                ('aqm = { scheme = "red", lua = "x.lua" }', "queues.aqm: names one of"),
                ('aqm = { plugin = "nowhere.so" }', "queues.aqm.plugin: 'nowhere.so': "),
                ('aqm = { plugin = "nowhere.so" }', "; gbflow --plugins DIR names another folder"),
                ('aqm = { plugin = "/nowhere.so" }', "queues.aqm.plugin: '/nowhere.so': must be the name of a file in"),
                ('class = { thp1 = { aqm = { } } }', "queues.class.thp1.aqm: names one of")):
            with self.subTest(words):
                path = self.write("wrong.lua", pressed(words))
                result = gbflow.run("run", path, "--out", self.path("wrong"), "--no-report")
                self.assertEqual(result.status, 2, result)
                self.assertIn(message, result.stderr)
        path = self.write("wrong.lua", pressed('aqm = { scheme = "codel", scope = "flow" }').replace("flow_queues = 8, ", ""))
        self.assertIn("queues.aqm.scope", gbflow.run("run", path, "--out", self.path("wrong")).stderr)

    def test_scheme_that_fails(self):
        """A hook's error ends the run without results, and says where and at which N-PDU."""
        script = self.write("fails.lua", """return { name = "fails", enqueue = function(view, memory)
  memory.count = (memory.count or 0) + 1
  return memory.count == 9 and view.nothing.more or "pass"
end }""")
        path = self.write("s.lua", pressed(f'aqm = {{ lua = "{script}", scope = "class_of_nse" }}'))
        result = gbflow.run("run", path, "--out", self.path("fails"), "--no-report")
        self.assertEqual(result.status, 1, result)
        self.assertRegex(result.stderr, r"fails\.lua:3: enqueue, N-PDU \d+: attempt to index a nil value \(field 'nothing'\)")
        self.assertFalse(os.path.exists(self.path("fails/summary.json")))

    def test_moves(self):
        """States go along to another cell, packets are counted once."""
        for scheme, scope, workers in gbflow.some(itertools.product(("codel", "pie"), SCOPES, ("2", "1")), 3):
            setting = f'sgsn.queues={{ flow_queues = 8, aqm = {{ scheme = "{scheme}", scope = "{scope}" }} }}'
            with self.subTest(scheme=scheme, scope=scope, workers=workers):
                self.play(scenario.shipped("two-cells"), "--set", setting, "--set", "sgsn.workers=" + workers)


class FqCodel(scenario.Case):
    def figures(self, name, *words):
        """Ping's 95th percentile, the download's goodput."""
        summary = self.play(scenario.shipped("flow-queues"), *words, name=name).summary
        return summary["ping"][0]["rtt_s"]["p95"], summary["mobiles"][0]["goodput_bps"]

    def test_ping_beside_a_download(self):
        """One mobile downloads and pings: at most 0.6 s beside the same ping alone, for at most 5 % of the throughput."""
        alone_s, _ = self.figures("alone", "--set", 'mobiles[1].traffic={ { ping = { every = "2 s" } } }')
        ping_s, bps = self.figures("fq", "--set", FQ_CODEL)
        _, tail_bps = self.figures("tail", "--set", "sgsn.queues={}")
        print(f"ping p95 {ping_s:.2f} s, alone {alone_s:.2f} s; download {bps:.0f} bit/s, tail drop {tail_bps:.0f} bit/s")
        self.assertLess(ping_s, alone_s + 0.6)
        self.assertGreater(bps, tail_bps * 0.95)

    def test_quick_start(self):
        """The same beside a browser and a mobile that only pings. Bad blocks make the BSS slower than the R that it
        announces: with what it measures each second, or says of its levels, its queue stays short, without it grows."""
        found, target = {}, (FQ_CODEL, 'sgsn.flow_control={ bss_target = "250 ms" }')
        cell = "cells[1].flow_control."
        for name, words in (("tail", ()), ("fq", target), ("untold", (*target, cell + "measurement=false")),
                            ("levels", (*target, cell + "measurement=false", cell + "bucket_level=true", cell + "every=10 s"))):
            sets = [word for setting in ("sgsn.lifetime.sgsn_max=infinite", *words) for word in ("--set", setting)]
            summary = self.play(scenario.shipped("quickstart"), *sets, name=name).summary
            pings = {row["mobile"]: row["rtt_s"]["p95"] for row in summary["ping"]}
            bps = [row["goodput_bps"] for row in summary["tcp"] if row["mobile"] == "anna"][0]
            found[name] = pings["anna"] - pings["carl"], bps
            print(f"{name}: ping p95 anna {pings['anna']:.2f} s, carl {pings['carl']:.2f} s; download {bps} bit/s")
        self.assertGreater(found["tail"][0], 5)
        self.assertGreater(found["untold"][0], 1.5)
        for name in ("fq", "levels"):
            self.assertLess(found[name][0], 0.6)
            self.assertGreater(found[name][1], found["tail"][1] * 0.95)

    def test_ecn_and_not(self):
        """One that is marked and does not care, and a TCP connection that is dropped from: both have their half."""
        text = scenario.text(
            duration="120 s", rest='warmup = "20 s",', cells="pdchs = 4, downlink_slots = 4, flow_control = { bucket_time = \"1 s\" }",
            sgsn='lifetime = { sgsn_max = "infinite", bss_max = "infinite" }, flow_control = { bss_target = "250 ms" }, '
                 'queues = { flow_queues = 16, flow_quantum = "1526 octets", aqm = { scheme = "fq_codel" } },',
            mobiles='{ name = "a", traffic = { { cbr = { rate = "60 kbit/s", packet = "1000 octets", ecn = ECN } }, '
                    '{ download = { octets = "infinite" } } } }')
        for ecn in ("true", "false"):
            summary = self.play_text(text.replace("ECN", ecn), name=ecn).summary
            fair_bps = summary["mobiles"][0]["goodput_bps"] / 2
            tcp_bps = summary["tcp"][0]["goodput_bps"]
            row, aqm = summary["classes"]["background"], summary["aqm"]["background"]["dequeue"]
            print(f"ECT {ecn}: TCP {tcp_bps} of {fair_bps:.0f} bit/s, {row['marks']} marks, {row['drops']['aqm']} drops")
            self.assertGreater(tcp_bps, 0.9 * fair_bps)
            self.assertGreater(aqm["dropped_not_ect"], 0)
            self.assertEqual(row["marks"] > 20, ecn == "true")


if __name__ == "__main__":
    unittest.main()
