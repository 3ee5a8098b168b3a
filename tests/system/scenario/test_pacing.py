# SPDX-License-Identifier: BSD-3-Clause
"""The discipline q with windows and held ACKs, in a cell of twenty users of one class: each part shows in what users get."""
import unittest

import scenario

TEXT = """return {
  title = "twenty users load pages in a cell", duration = "200 s", warmup = "20 s",
  network = { server_delay = "50 ms" },
  sgsn = { lifetime = { sgsn_max = "32 s" }, queue_limit = "1 MB", queues = { discipline = "q",
    pacing = { classes = { "thp2" }, hold = true } } },
  cells = { { bvci = 2, pdchs = 12, coding = "MCS-7", window = 512, schedule = "class" } },
  tcp = { mss = "536 octets", sack = false, timestamps = false, receive_window = "20 kB", initial_cwnd = 1 },
  mobiles = { { name = "web", count = 20, class = "thp2", traffic = { { web = { page = "4910 octets", items = 30, item = "4910 octets",
    parallel = 4, reading = "1 s" } } } }, FLOOD },
}
"""
FLOOD = '{ name = "flood", class = "thp2", traffic = { { cbr = { rate = "200 kbit/s", packet = "1000 octets", start = "5 s" } } } }'


class Pacing(scenario.Case):
    def run_with(self, *settings, flood="", name="run"):
        words = [word for setting in settings for word in ("--set", f"sgsn.queues.{setting}")]
        summary = self.play_text(TEXT.replace("FLOOD", flood), *words, name=name).summary
        goodputs = [row["goodput_bps"] for row in summary["mobiles"] if row["mobile"] != "flood"]
        return summary, sum(goodputs), min(goodputs) * len(goodputs) / sum(goodputs)

    def test_quantum(self):
        """P1's scenario, segments of 536 octets: with turns of single LLC-PDUs the last radio block of each is partly empty."""
        totals, classes = [], ", ".join(f'"{name}"' for name in ("thp2", "thp3", "background"))
        for octets in (40, 2000):
            words = ["duration=150 s", "tcp.mss=536 octets", "sgsn.queues.discipline=q",
                     f"sgsn.queues.pacing={{ classes = {{ {classes} }}, hold = true }}", f"sgsn.queues.mobile_quantum={octets} octets"]
            summary = self.play(scenario.shipped("sgsn-aqm"), *(word for one in words for word in ("--set", one)), name=f"quantum{octets}").summary
            self.assertGreater(min(cell["air_utilisation"] for cell in summary["cells"].values()), 0.98)
            totals.append(sum(row["goodput_bps"]["total"] for row in summary["classes"].values()))
        print(f"total goodput without and with a quantum: {totals[0]:.0f}, {totals[1]:.0f} bit/s")
        self.assertGreater(totals[1], 1.04 * totals[0])

    def test_flood(self):
        """A sender that takes no hint has its share, and its queue keeps no ACK of the others waiting."""
        summary, total, worst = self.run_with(flood=FLOOD)
        users = total / 20
        flood = next(row["goodput_bps"] for row in summary["mobiles"] if row["mobile"] == "flood")
        print(f"goodput of a user {users:.0f}, of the flood {flood:.0f} bit/s")
        self.assertGreater(users, 0.85 * (total + flood) / 21)
        self.assertGreater(worst, 0.9)
        self.assertEqual(summary["pacing"][0]["expired"], 0)

    def test_limit(self):
        """Small packets of each user beside the pages: neither they nor the paced segments, which are no packets of their limit, are dropped."""
        lua = TEXT.replace("FLOOD", "").replace('reading = "1 s" } }', 'reading = "1 s" } }, { cbr = { rate = "2 kbit/s", packet = "100 octets" } }')
        drops = self.play_text(lua, name="limit").summary["classes"]["thp2"]["drops"]
        print(f"dropped: {drops['queue_full']} queue_full")
        self.assertLess(drops["queue_full"], 10)

    def test_hold(self):
        """Without held ACKs the limit of two packets drops what open windows send; with them little is dropped, and no queue is longer."""
        rows = [self.run_with(f"pacing.hold={word}", name=f"hold-{word}")[0]["classes"]["thp2"] for word in ("true", "false")]
        delays = [row["delay_s"]["p95"] for row in rows]
        drops = [sum(row["drops"].values()) / row["npdu_out"] for row in rows]
        print(f"with and without: 95th percentile of the delay {delays[0]:.2f}, {delays[1]:.2f} s; dropped {drops[0]:.3f}, {drops[1]:.3f}")
        self.assertLess(delays[0], delays[1])
        self.assertLess(drops[0], 0.3 * drops[1])


if __name__ == "__main__":
    unittest.main()
