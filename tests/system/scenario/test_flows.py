# SPDX-License-Identifier: BSD-3-Clause
"""Flow queues: a download does not delay the same mobile's ping, and gives nothing up for it."""
import unittest

import scenario

OFF = "sgsn.queues={}"


def of(result):
    """95th percentile of the ping's round trip, in seconds, and the download's goodput, after warm-up."""
    summary = result.summary
    return summary["ping"][0]["rtt_s"]["p95"], summary["mobiles"][0]["goodput_bps"]


class Flows(scenario.Case):
    def test_ping_beside_a_download(self):
        """The shipped scenario: the ping waits for what is on its way, not for a TCP window."""
        on_s, on_bps = of(self.play(scenario.shipped("flow-queues"), name="on"))
        off_s, off_bps = of(self.play(scenario.shipped("flow-queues"), "--set", OFF, name="off"))
        self.assertGreater(off_s, 8)
        self.assertLess(on_s, 1.5)
        self.assertGreater(on_bps, off_bps * 0.98)

    def test_seeds(self):
        """Which 5-tuples share a queue follows from the seed: equal seeds, equal summaries."""
        text = scenario.text(
            duration="60 s", sgsn='queues = { flow_queues = 2 }, flow_control = { bss_target = "250 ms" },', cells="pdchs = 2",
            mobiles='{ name = "a", traffic = { { download = { octets = "infinite" } }, { ping = { every = "500 ms" } } } }')
        waits = {}
        for name, seed in (("a", 3), ("b", 3), *((str(seed), seed) for seed in range(4, 12))):
            waits[name] = of(self.play_text(text, "--seed", str(seed), name=name))[0]
        self.assertEqual(waits["a"], waits["b"])
        self.assertLess(min(waits.values()), max(waits.values()) / 3)

    def test_conservation_under_a_limit(self):
        """At the mobile's limit the download pays, never the ping: all pings come back."""
        text = scenario.text(
            duration="120 s", sgsn='queues = { flow_queues = 16, mobile = { packets = 8 } }, flow_control = { bss_target = "250 ms" },',
            cells="pdchs = 2",
            mobiles='{ name = "a", traffic = { { cbr = { rate = "60 kbit/s" } }, { ping = { every = "1 s" } } } }')
        summary = self.play_text(text).summary
        row = summary["ping"][0]
        self.assertGreater(summary["mobiles"][0]["drops"]["queue_full"], 100)
        self.assertLessEqual(row["sent"] - row["received"], 2)


if __name__ == "__main__":
    unittest.main()
