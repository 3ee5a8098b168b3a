# SPDX-License-Identifier: BSD-3-Clause
"""Traffic classes on the air, bursts, and the AQM paper's scenario in short."""
import unittest

import scenario

MIXED = """{ name = "anna", class = "streaming", traffic = { { cbr = { rate = "18 kbit/s", packet = "300 octets" } } } },
  { name = "bert", class = "background", traffic = { { download = { octets = "infinite" } } } }"""
RED = 'sgsn.queues={ aqm = { scheme = "red", scope = "class_of_nse", ecn = true } }'


class Classes(scenario.Case):
    def test_schedule(self):
        """18 of 24 kbit/s for one class: all of it where classes have precedence, no more than half where mobiles take turns."""
        wide = 'bvc = { rate = "96 kbit/s", bucket = "100 kB" }, ms_default = { rate = "96 kbit/s", bucket = "100 kB" }'
        rates, delays = {}, {}
        for word in ("mobile", "class"):
            cells = f'pdchs = 2, schedule = "{word}", flow_control = {{ {wide} }}'
            summary = self.play_text(scenario.text(cells=cells, mobiles=MIXED), name=word).summary
            rates[word] = [row["goodput_bps"] for row in summary["mobiles"]]
            delays[word] = summary["classes"]["streaming"]["delay_s"]["p95"]
        self.assertGreater(rates["class"][0], 0.88 * 18000)
        self.assertLess(delays["class"], 0.3)
        self.assertLess(rates["mobile"][0], 13000)
        self.assertGreater(delays["mobile"], 5)

    def test_bursts(self):
        """A second on, three seconds off: a quarter of the rate."""
        mobile = '{ name = "anna", traffic = { { cbr = { rate = "8 kbit/s", packet = "100 octets", burst = "1 s", ' \
                 'pause = "3 s" } } } }'
        summary = self.play_text(scenario.text(cells="pdchs = 2", mobiles=mobile)).summary
        self.assertEqual(summary["mobiles"][0]["npdu_in"], 15 * 10)

    def test_paper(self):
        """Ninety seconds of the AQM paper: RED with ECN more than halves the delay of THP3, whom it concerns and no others."""
        short = ("--set", "duration=90 s", "--set", "warmup=40 s")
        none = self.play(scenario.shipped("sgsn-aqm"), *short, name="none").summary["classes"]
        ecn = self.play(scenario.shipped("sgsn-aqm"), *short, "--set", RED, "--set", "tcp.ecn=true", name="ecn").summary["classes"]
        self.assertLess(2 * ecn["thp3"]["delay_s"]["p95"], none["thp3"]["delay_s"]["p95"])
        self.assertGreater(ecn["thp2"]["marks"], 100)
        for name in ("streaming", "thp1"):
            self.assertLess(max(run[name]["delay_s"]["p95"] for run in (none, ecn)), 0.5)
        self.assertEqual(sum(none["thp2"]["drops"].values()), 0)


if __name__ == "__main__":
    unittest.main()
