# SPDX-License-Identifier: BSD-3-Clause
"""Random access and procedures of TBFs in scenarios: what single accesses take, and that each key has its effect, of a known sign."""
import math
import os
import unittest

import scenario

PING = '{ name = "anna", traffic = { { ping = { every = "10 s" } } } }'
PINGS = '{ name = "anna", count = 20, traffic = { { ping = { every = "5 s", octets = "500 octets" } } } }'
OFTEN = '{ name = "anna", traffic = { { ping = { every = "1 s" } } } }'
DOWNLOADS = '{ name = "anna", count = 2, traffic = { { web = { reading = "8 s", items = 3 } } } }'
LOAD = "background.rate=15"
# Settings of both runs, of the first and of the second run, all below `access`; what of the cell's access then falls or rises: (figure, sign).
ACCESS = [
    ("contention", [LOAD], "contention=false", "contention=true", "collisions", 1),
    ("opportunities", [LOAD], "opportunities=51", "opportunities=27", "collided", 1),
    ("max_retrans", [LOAD, "agch.rate=20"], "max_retrans=1", "max_retrans=7", "background.failures", -1),
    ("tx_integer", [LOAD, "s=55"], "tx_integer=14", "tx_integer=50", "background.delay_s.mean", 1),
    ("s", [LOAD], "s=41", "s=217", "bursts", -1),
    ("persistence", [LOAD, "agch.rate=20"], "persistence=0", "persistence=12", "bursts", -1),
    ("capture", ["background.rate=100", "agch.rate=0"], "capture=0 %", "capture=50 %", "throughput", 1),
    ("agch.rate", [LOAD], "agch.rate=9", "agch.rate=2", "agch_wait_s", 1),
    ("agch.queue", [LOAD, "agch.rate=2"], "agch.queue=4", "agch.queue=40", "agch_wait_s", 1),
    ("response", ["agch.queue=16"], "response=0 s", "response=200 ms", "mobiles.delay_s.mean", 1),
    ("t3146", ["background.rate=60"], "t3146=20 ms", "t3146=4 s", "background.failures", -1),
    ("retry", ["background.rate=60"], "retry=100 ms", "retry=20 s", "mobiles.attempts", -1),
    ("retry, infinite", ["background.rate=60"], "retry=20 s", "retry=infinite", "mobiles.attempts", 1),
    ("start", [], "start=0 s", "start=500 ms", "rtt", 1),
    ("with_downlink", [], "with_downlink=1 ms", "with_downlink=800 ms", "rtt", 1),
    ("resolution", [], "resolution=0 s", "resolution=5 s", "up.used", 1),
    ("phases", [], "phases=1", "phases=2", "up.control", 1),
    ("round_trip", ["phases=2"], "round_trip=40 ms", "round_trip=400 ms", "mobiles.delay_s.mean", 1),
    ("t3168", ["phases=2"], "t3168=500 ms", "t3168=4 s", "mobiles.delay_s.p95", 1),
    ("background.rate", [], "background.rate=1", "background.rate=20", "background.attempts", 1),
]
# The same below `tbf`.
TBF = [
    ("uplink_poll", [], None, "uplink_poll=40 ms", "up.control", 1),
    ("uplink_poll, wait", ["uplink_hold=5 s"], "uplink_poll=20 ms", "uplink_poll=700 ms", "rtt", 1),
    ("downlink_poll", [], None, "downlink_poll=100 ms", "down.control", 1),
    ("t3190", ["release=10 s", "setup=3 s"], "t3190=60 s", "t3190=1 s", "tbf.downlink_setups", 1),
    ("t3192", ["release=0 s", "setup=3 s", "uplink_hold=0 s"], None, "t3192=5 s", "rtt", -1),
    ("ack_every", [], "ack_every=60", "ack_every=4", "up.control", 1),
    ("ack_every, delay", [], "ack_every=4", "ack_every=200", "page", 1),
]


def text(keys="", *, mobiles=PINGS, rest=""):
    return scenario.text(duration="300 s", cells=f'pdchs = 4, bler = "10 %", {keys}', mobiles=mobiles, rest=rest)


def figure(found, path):
    for key in path.split("."):
        found = found[key]
    return found


class Access(scenario.Case):
    def found(self, keys, group, settings, mobiles):
        words = [word for setting in settings if setting for word in ("--set", f"cells[1].{group}.{setting}")]
        summary = self.play_text(text(keys, mobiles=mobiles), *words).summary
        cell = summary["cells"]["2"]
        rtt = summary["ping"][0]["rtt_s"]["avg"] if summary["ping"] else None
        return {**cell.get("access", {}), **cell["blocks"], "tbf": cell.get("tbf"), "rtt": rtt, "page": summary["page_time_s"]["p50"]}

    def compare(self, keys, group, row, mobiles):
        name, common, first, second, path, sign = row
        before, after = (figure(self.found(keys, group, [*common, setting], mobiles), path) for setting in (first, second))
        print(f"{name:20} {path:24} {before:12.6g} {after:12.6g}")
        self.assertGreater(sign * (after - before), 0)

    def test_access_keys(self):
        for row in ACCESS:
            with self.subTest(key=row[0]):
                self.compare("access = {},", "access", row, OFTEN if row[0] == "with_downlink" else PINGS)

    def test_tbf_keys(self):
        for row in TBF:
            with self.subTest(key=row[0]):
                self.compare("", "tbf", row, OFTEN if row[4] == "rtt" else DOWNLOADS)

    def test_absent(self):
        """Without the keys the summary has neither access nor tbf."""
        cell = self.play_text(text()).summary["cells"]["2"]
        self.assertNotIn("access", cell)
        self.assertNotIn("tbf", cell)

    def test_alone(self):
        """One mobile, no other: no collision, and an access takes the burst, the response and the message."""
        summary = self.play_text(text("access = {},", mobiles=PING)).summary
        found = summary["cells"]["2"]["access"]
        self.assertEqual((found["collisions"], found["mobiles"]["failures"], found["background"]["attempts"]), (0, 0, 0))
        self.assertEqual(found["mobiles"]["attempts"], found["mobiles"]["granted"])
        self.assertGreater(found["mobiles"]["granted"], 25)
        delay = found["mobiles"]["delay_s"]
        self.assertGreater(delay["mean"], 0.0046 + 0.020 + 0.078)
        self.assertLess(delay["p95"], 0.0046 * 15 + 0.020 + 0.080)

    def test_theory(self):
        """The shipped study's scenario: G exp(-G) of slotted ALOHA, and the wait of M/D/1 in the AGCH."""
        study = os.path.join(scenario.gbflow.ROOT, "config", "studies", "radio-access.lua")
        slots_per_s, message_s = 51 * 13 / 3.06, 3.06 / 13 / 51
        for load, contention, key, exact in ((1, "true", "throughput", math.exp(-1)), (0.5, "false", "agch_wait_s", 0.5 * message_s)):
            with self.subTest(load=load):
                found = self.play(study, "--set", f"cells[1].access.background.rate={load * slots_per_s}",
                                  "--set", f"cells[1].access.contention={contention}").summary["cells"]["2"]["access"]
                self.assertAlmostEqual(found[key] / exact, 1, delta=0.01)
        dry = scenario.gbflow.run("sweep", study, "--out", self.path("sweep"), "--dry-run")
        self.assertEqual(dry.status, 0, dry)
        self.assertIn("33 points", dry.stdout)

    def test_repeats(self):
        """Equal seeds give equal summaries; other seeds do not."""
        keys = 'access = { background = { rate = 20 }, capture = "20 %", phases = 2 }, tbf = { ack_every = 8 },'
        first, again, other = (self.play_text(text(keys), "--seed", seed, name=name).summary["cells"]
                               for seed, name in (("1", "a"), ("1", "b"), ("2", "c")))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_wrong(self):
        """A value that TS 44.018 does not have is an error that names it and the right ones."""
        for setting, words in (("max_retrans=3", "0, 1, 2, 4 or 7"), ("tx_integer=13", "or give `s`, too"), ("background.rate=0", "0.001")):
            with self.subTest(setting=setting):
                path = self.write("wrong.lua", text("access = { background = { rate = 1 } },"))
                result = scenario.gbflow.run("run", path, "--out", self.path("wrong"), "--set", f"cells[1].access.{setting}")
                self.assertEqual(result.status, 2, result)
                self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
