# SPDX-License-Identifier: BSD-3-Clause
"""Traffic classes share a link, and a cell, by weight; limits of classes and of all packets show in the summary."""
import unittest

import scenario

WEIGHTS = {"streaming": 900, "thp1": 50, "thp2": 35, "thp3": 15, "background": 5}
LEAST_PDUS = 200  # of the smallest share, or a hundredth of it is less than one
INFINITE = 'lifetime = { sgsn_max = "infinite", bss_max = "infinite" },'


def mobiles(rates, packet=200):
    """A mobile of each class, to which its rate is sent."""
    return ", ".join(f"""{{ name = "{name}", class = "{name}",
        traffic = {{ {{ cbr = {{ rate = "{rate}", packet = "{packet} octets" }} }} }} }}""" for name, rate in rates.items())


def one_cell(weights, *, sgsn="", flow="", duration="20 min"):
    """A cell with 160 kbit/s of air, one mobile of each class, far too much for each."""
    return scenario.text(
        duration=duration, rest='warmup = "20 s",', sgsn=f'{INFINITE} {sgsn} queues = {{ weights = {{ {weights} }} }},',
        cells=f"pdchs = 8, downlink_slots = 8, flow_control = {{ {flow} }}",
        mobiles=mobiles({name: "50 kbit/s" for name in WEIGHTS})).replace('"CS-2"', '"CS-4"').replace("1 MB", "20 kB")


class Shares(scenario.Case):
    def check_shares(self, summary, weights):
        found = {name: row["share"] for name, row in summary["classes"].items()}
        self.assertAlmostEqual(sum(found.values()), 1)
        total = sum(weights.values())
        for name, weight in weights.items():
            self.assertAlmostEqual(found[name] / (weight / total), 1, delta=0.01, msg=name)
            self.assertGreaterEqual(summary["classes"][name]["npdu_out"], LEAST_PDUS)

    def test_link(self):
        """The shipped scenario: four cells, none of them limited, on a link that is."""
        result = self.play(scenario.shipped("wfq-link"))
        self.check_shares(result.summary, WEIGHTS)
        self.assertAlmostEqual(result.summary["gb"]["utilisation"], 1, delta=0.001)
        self.assertEqual(result.summary["gb"]["rate_bps"], 256000)
        for row in result.summary["classes"].values():
            self.assertGreaterEqual(row["fairness"]["jain"], 0.999)
            self.assertGreater(row["drops"]["queue_full"], 0)

    def test_link_with_other_weights(self):
        result = self.play(scenario.shipped("wfq-link"), "--set", "sgsn.queues.weights.background=100",
                           "--set", "sgsn.queues.weights.streaming=200")
        self.check_shares(result.summary, {**WEIGHTS, "background": 100, "streaming": 200})

    def test_cell(self):
        """The cell's bucket limits, 64 kbit/s: the same shares, and no link to be used."""
        flow = 'bvc = { bucket = "3 kB", rate = "64 kbit/s" }, ms_default = { bucket = "3 kB", rate = "64 kbit/s" }'
        summary = self.play_text(one_cell("thp1 = 300, background = 30", flow=flow)).summary
        self.check_shares(summary, {"streaming": 900, "thp1": 300, "thp2": 35, "thp3": 15, "background": 30})
        self.assertIsNone(summary["gb"]["utilisation"])
        self.assertIsNone(summary["gb"]["rate_bps"])

    def test_overhead_counts(self):
        """Half of the link's rate, half of the frames: what a frame costs there is its NS-PDU."""
        out = []
        for rate in ("128 kbit/s", "64 kbit/s"):
            summary = self.play_text(one_cell("background = 5", sgsn=f'gb = {{ rate = "{rate}" }},', duration="120 s")).summary
            out.append(summary["gb"]["llc_frames"])
            self.assertAlmostEqual(summary["gb"]["utilisation"], 1, delta=0.005)
        self.assertAlmostEqual(out[1] / out[0], 0.5, delta=0.005)

    def test_class_limit(self):
        """Five packets of a class may wait; another class is not touched."""
        lua = one_cell("background = 5", duration="60 s").replace("queues = {", "queues = { class = { thp2 = { packets = 5 } },")
        rows = self.play_text(lua).summary["classes"]
        self.assertGreater(rows["thp2"]["drops"]["class_full"], 100)
        self.assertEqual({name: row["drops"]["class_full"] for name, row in rows.items() if name != "thp2"},
                         {name: 0 for name in WEIGHTS if name != "thp2"})

    def test_budget(self):
        """Sixty packets of all may wait: the longest queue pays, so one that stays short loses nothing."""
        lua = scenario.text(duration="60 s", sgsn=f"{INFINITE} queues = {{ budget_packets = 60, reserve_packets = 4 }},",
                            cells="pdchs = 2", mobiles=mobiles({"thp1": "60 kbit/s", "background": "60 kbit/s"}) + """,
                            { name = "small", class = "thp3", traffic = { { ping = { every = "5 s" } } } }""")
        summary = self.play_text(lua).summary
        rows = {row["mobile"]: row for row in summary["mobiles"]}
        self.assertGreater(rows["background"]["drops"]["budget"], 100)
        self.assertEqual(rows["small"]["drops"]["budget"], 0)
        self.assertLessEqual(summary["conservation"]["sgsn"]["queued"], 64)

    def test_target(self):
        """bss_target keeps the standing queue here: what waits in the BSS stays below 250 ms of the mobile's rate, and the air
        is full. The factor allows for the octet that RLC adds to each LLC-PDU."""
        lua = scenario.text(
            duration="60 s", rest='series = { every = "100 ms" },', sgsn=INFINITE + ' flow_control = { bss_target = "250 ms", rate_factor = "99 %" },',
            cells='pdchs = 4, flow_control = { bucket_time = "10 s" }',
            mobiles='{ name = "a", traffic = { { download = { octets = "infinite" } } } }').replace("1520", "500")
        most = {}
        for name, words in (("on", ()), ("off", ("--set", "sgsn.flow_control={rate_factor = '99 %'}"))):
            result = self.play_text(lua, *words, name=name)
            levels = [value for time, _, value in scenario.lines_of(result, "bss_backlog_octets") if time > 10]
            most[name] = max(levels)
            self.assertGreater(result.summary["cells"]["2"]["air_utilisation"], 0.9)
        self.assertLessEqual(most["on"], 0.25 * 48000 / 8 + 506 + 130)
        self.assertGreater(most["off"], 20000)


if __name__ == "__main__":
    unittest.main()
