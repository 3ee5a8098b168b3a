# SPDX-License-Identifier: BSD-3-Clause
"""Circuit-switched calls in scenarios: what they cost, whom it hits, and that the SGSN holds what it has."""
import unittest

import scenario

DOWNLOAD = '{ name = "anna", traffic = { { download = { octets = "infinite" } } } }'
PLAIN_BPS = 4 * 12000


def calls(text, rest=""):
    cells = f"pdchs = 4, downlink_slots = 4, calls = {{ {text} }}, flow_control = {{ ms = {{}} }}, {rest}"
    return scenario.text(duration="300 s", sgsn='lifetime = { sgsn_max = "infinite", bss_max = "infinite" }', cells=cells, mobiles=DOWNLOAD)


class Calls(scenario.Case):
    def play_calls(self, text, *words, rest="", name="run"):
        result = self.play_text(calls(text, rest), *words, name=name)
        result.cell = result.summary["cells"]["2"]
        result.tcp = result.summary["tcp"][0]
        return result

    def test_schedule(self):
        """Twenty seconds of each minute, and a BSS that keeps what it has: a third less, nothing is lost."""
        result = self.play_calls('schedule = { first = "40 s", every = "60 s", hold = "20 s" }, flush = "infinite"')
        self.assertEqual(result.cell["calls"], {"preemptions": 5, "preempted_s": 100, "uplink_restarts": 0, "downlink_restarts": 0})
        self.assertEqual(sum(result.cell["drops"].values()), 0)
        self.assertGreater(result.tcp["octets"] * 8, 180 * PLAIN_BPS)
        self.assertLess(result.tcp["octets"] * 8, 200 * PLAIN_BPS)
        used = [at_s for at_s, _, value in scenario.lines_of(result, "air_utilisation") if value > 0]
        self.assertEqual([at_s for at_s in used if 41.5 < at_s % 60 < 60], [])

    def test_flush(self):
        """What waited in the BSS is lost, once for each call, and nothing in the SGSN; the oracle finds no fault."""
        result = self.play_calls('schedule = { every = "60 s", hold = "3 s" }', "--pcap")
        self.assertEqual(result.cell["calls"]["preemptions"], 5)
        self.assertGreater(result.cell["drops"]["preempted"], 5)
        self.assertEqual(result.summary["conservation"]["sgsn"]["dropped"], 0)
        self.judge(result, minimum={"conform_bvc": 800, "not_idle": 800}, rules="lifetime=infinite")

    def test_restart(self):
        """Calls of 15 s: an uplink LLC-PDU younger than uplink_keep ends restart_wait, else the wait lasts to its end or until
        the server repeats; restarts and octets of ten minutes, with a first slow start without threshold."""
        def outcome(keep, wait):
            words = [word for key, value in (("hold", 15), ("every", 75)) for word in
                     ("--set", f"cells[1].calls.schedule.{key}={value} s")]
            words += ["--set", f"cells[1].calls.uplink_keep={keep} s", "--set", f"cells[1].calls.restart_wait={wait} s",
                      "--set", "tcp.initial_ssthresh=65535"]
            result = self.play(scenario.shipped("gprs-preemption"), "--set", "duration=10 min", *words, name=f"{keep}-{wait}")
            calls = next(iter(result.summary["cells"].values()))["calls"]
            return calls["uplink_restarts"], calls["downlink_restarts"], result.summary["tcp"][0]["octets"]

        kept, kept_long, short, long = (outcome(keep, wait) for keep, wait in ((0, 4), (0, 60), (10, 4), (10, 60)))
        self.assertEqual((kept[:2], short[0], long[:2]), ((7, 0), 0, (0, 7)))
        self.assertEqual(kept, kept_long)
        self.assertIn(short[1], range(1, 7))  # some waits of 4 s last to their end
        self.assertGreater(kept[2], short[2])
        self.assertGreater(short[2], long[2])

    def test_some_channels(self):
        """Calls that take half of the channels take half of the rate."""
        result = self.play_calls('schedule = { first = "1 s", every = "301 s", hold = "300 s", taken = 2 }')
        self.assertEqual(result.cell["calls"], {"preemptions": 0, "preempted_s": 0, "uplink_restarts": 0, "downlink_restarts": 0})
        self.assertGreater(result.tcp["goodput_bps"], 0.45 * PLAIN_BPS)
        self.assertLess(result.tcp["goodput_bps"], 0.51 * PLAIN_BPS)

    def test_arrivals(self):
        """Two erlang on four channels: what Erlang's formula leaves, another way with another seed."""
        text = 'arrivals = { interval = "10 s", hold = "20 s" }'
        one, again, other = (self.play_calls(text, "--seed", str(seed), name=f"run{number}")
                             for number, seed in enumerate((1, 1, 2)))
        self.assertEqual(one.summary["tcp"] + [one.cell], again.summary["tcp"] + [again.cell])
        self.assertNotEqual(one.cell["calls"], other.cell["calls"])
        for result in (one, other):
            self.assertGreater(result.tcp["goodput_bps"], 0.3 * PLAIN_BPS)
            self.assertLess(result.tcp["goodput_bps"], 0.75 * PLAIN_BPS)

    def test_thresholds(self):
        """The BSS's queue stays near the threshold although the announced rate is twice what the air carries."""
        wide = 'bvc = { rate = "96 kbit/s", bucket = "6 kB" }, ms_default = { rate = "96 kbit/s", bucket = "6 kB" }'
        free, held = (self.play_text(scenario.text(
            duration="60 s", mobiles=DOWNLOAD, cells=f"pdchs = 4, flow_control = {{ {wide}, {more} }}"), name=name)
            for name, more in (("free", ""), ("held", 'thresholds = { stop = "12 kB", go = "9 kB" }')))
        free, held = (result.summary["cells"]["2"]["bss_queue_octets_max"] for result in (free, held))
        self.assertGreater(free, 40000)
        self.assertLess(held, 12000 + 6000 + 1510)


if __name__ == "__main__":
    unittest.main()
