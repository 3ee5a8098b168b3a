# SPDX-License-Identifier: BSD-3-Clause
"""The discipline q with windows, in a cell of twenty users of one class: each part shows in what users get."""
import unittest

import scenario

TEXT = """return {
  title = "twenty users load pages in a cell", duration = "200 s", warmup = "20 s",
  network = { server_delay = "50 ms" },
  sgsn = { lifetime = { sgsn_max = "32 s" }, queue_limit = "1 MB", queues = { discipline = "q",
    pacing = { classes = { "thp2" } } } },
  cells = { { bvci = 2, pdchs = 12, coding = "MCS-7", window = 512, schedule = "class" } },
  tcp = { mss = "536 octets", sack = false, timestamps = false, receive_window = "20 kB", initial_cwnd = 1 },
  mobiles = { { name = "web", count = 20, class = "thp2", traffic = { { web = { page = "4910 octets", items = 30, item = "4910 octets",
    parallel = 4, reading = "1 s" } } } }, FLOOD },
}
"""
FLOOD = '{ name = "flood", class = "thp2", traffic = { { cbr = { rate = "200 kbit/s", packet = "1000 octets", start = "5 s" } } } }'
FQ_CODEL = '{ aqm = { scheme = "fq_codel", scope = "ms", mtu = "20 octets", mtus = "0 %", target = "5 ms", interval = "100 ms", ecn = false } }'
CELL = '{ bvci = 2, nse = 1, pdchs = 12, coding = "MCS-7", window = 512, schedule = "class" }'
MOVES = "moves = {" + ", ".join(f'{{ at = "{at} s", mobile = "web{ms}", cell = {cell}, gap = "1 s" }}' for at, ms, cell in
                                sorted((30 + 7 * k + ms % 7, ms, 3 - k % 2) for k in range(20) for ms in range(1, 21))) + "},"


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
                     f"sgsn.queues.pacing={{ classes = {{ {classes} }} }}", f"sgsn.queues.mobile_quantum={octets} octets"]
            summary = self.play(scenario.shipped("sgsn-aqm"), *(word for one in words for word in ("--set", one)), name=f"quantum{octets}").summary
            self.assertGreater(min(cell["air_utilisation"] for cell in summary["cells"].values()), 0.98)
            totals.append(sum(row["goodput_bps"]["total"] for row in summary["classes"].values()))
        print(f"total goodput without and with a quantum: {totals[0]:.0f}, {totals[1]:.0f} bit/s")
        self.assertGreater(totals[1], 1.04 * totals[0])

    def test_flood(self):
        """A sender that takes no hint has its share, and its queue takes nothing from the others' windows."""
        summary, total, worst = self.run_with(flood=FLOOD)
        users = total / 20
        flood = next(row["goodput_bps"] for row in summary["mobiles"] if row["mobile"] == "flood")
        print(f"goodput of a user {users:.0f}, of the flood {flood:.0f} bit/s")
        self.assertGreater(users, 0.85 * (total + flood) / 21)
        self.assertGreater(worst, 0.9)

    def test_beside(self):
        """Small packets of each user beside the pages: AQM judges them, and they are few, so neither they nor the paced segments are dropped."""
        lua = TEXT.replace("FLOOD", "").replace('reading = "1 s" } }', 'reading = "1 s" } }, { cbr = { rate = "2 kbit/s", packet = "100 octets" } }')
        row = self.play_text(lua, name="beside").summary["classes"]["thp2"]
        drops = sum(row["drops"].values()) - row["drops"]["duplicate"]
        print(f"dropped: {drops} of {row['npdu_out']}, without repetitions")
        self.assertLess(drops, 0.001 * row["npdu_out"])

    def test_windows(self):
        """Windows against CoDel for each mobile at its best setting: less is dropped; without either queues are longer."""
        rows = [self.play_text(TEXT.replace("FLOOD", ""), *words, name=f"windows-{i}").summary["classes"]["thp2"]
                for i, words in enumerate(((), ("--set", f"sgsn.queues={FQ_CODEL}"), ("--set", "sgsn.queues={}")))]
        delays = [row["delay_s"]["p95"] for row in rows]
        drops = [sum(row["drops"].values()) / row["npdu_out"] for row in rows]
        print("windows, FQ-CoDel, none: 95th percentile of the delay " + ", ".join(f"{value:.2f}" for value in delays) + " s; dropped "
              + ", ".join(f"{value:.3f}" for value in drops))
        self.assertLess(delays[0], 0.6 * delays[2])
        self.assertLess(drops[0], 0.3 * drops[1])

    def test_ways(self):
        """Where windows are lowered while frames are repeated, packet flows have buckets, and mobiles change cells and workers, the users
        get what FQ-CoDel gives them."""
        text = TEXT.replace("FLOOD", "")
        ways = {"acknowledged": text.replace('class = "thp2", traffic', 'class = "thp2", llc = "acknowledged", traffic')
                .replace("sgsn = {", "sgsn = { acknowledged = { links = 32 },"),
                "packet flows": text.replace("bvci = 2,", "bvci = 2, flow_control = { pfc = {} },"),
                "moves": text.replace("cells = { {", f"{MOVES} cells = {{ {CELL}, {{").replace("{ bvci = 2, pdchs", "{ bvci = 3, nse = 2, pdchs")
                .replace("sgsn = {", "sgsn = { workers = 2,")}
        for name, lua in ways.items():
            paced, other = (self.play_text(lua, *words, name=f"{name}{i}").summary for i, words in enumerate(((), ("--set", f"sgsn.queues={FQ_CODEL}"))))
            totals = [summary["classes"]["thp2"]["goodput_bps"]["total"] for summary in (paced, other)]
            print(f"{name}: {totals[0]:.0f} bit/s, with FQ-CoDel {totals[1]:.0f}; {paced['pacing'][0]['clamped']} windows lowered")
            with self.subTest(name):
                self.assertGreater(totals[0], 0.96 * totals[1])
                self.assertGreater(paced["pacing"][0]["clamped"], 1000)


if __name__ == "__main__":
    unittest.main()
