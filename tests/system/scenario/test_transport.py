# SPDX-License-Identifier: BSD-3-Clause
"""The keys of today's TCP (docs/tcp.md), each alone, in a download that loses a packet in 200; pages over each stack with losses."""
import unittest

import scenario

TEXT = """return {
  title = "a download with losses", duration = "60 s",
  network = { server_delay = "150 ms", internet_loss = "0.5 %" },
  sgsn = { queue_limit = "40 kB" },
  cells = { { bvci = 1800, pdchs = 8, downlink_slots = 8, coding = "MCS-9", bler = "0 %" } },
  tcp = { receive_window = "300 kB", initial_cwnd = 10, min_rto = "200 ms" },
  mobiles = { { name = "ms", traffic = { { download = { octets = "infinite" } } } } },
}
"""
PAGES = """return {
  title = "pages with losses", duration = "300 s", network = { server_delay = "50 ms", internet_loss = "2 %" },
  cells = { { bvci = 2, pdchs = 8, coding = "MCS-7", window = 512 } },
  tcp = { mss = "1000 octets", receive_window = "20 kB", initial_cwnd = 1 },
  mobiles = { { name = "ms", count = 10, traffic = { { web = { page = "4910 octets", items = 30, item = "4910 octets", parallel = 4,
    reading = "1 s" } } } } },
}
"""
STACKS = ("rfc", "linux-2.4.0", "linux-2.4.17")
KEYS = ("cc=cubic", "growth=octets", "slow_start=hystart++", "rack=true", "prr=true")


class Transport(scenario.Case):
    def octets(self, *settings):
        words = [word for setting in settings for word in ("--set", "tcp." + setting)]
        return self.play_text(TEXT, *words, name="run").summary["tcp"][0]["octets"]

    def test_keys(self):
        plain = self.octets()
        alone = {key: self.octets(key) for key in KEYS}
        print(f"octets in 60 s: {plain}; " + ", ".join(f"{key} {octets}" for key, octets in alone.items()))
        self.assertNotIn(plain, alone.values())
        self.assertEqual(len(set(alone.values())), len(KEYS))
        self.assertGreater(alone["cc=cubic"], 1.2 * plain)
        self.assertGreater(self.octets(*KEYS), alone["cc=cubic"])

    def test_pages(self):
        """No sender stops after a loss: a segment that is not full counts as a whole one in Linux's window."""
        for stack in STACKS:
            with self.subTest(stack):
                pages = self.play_text(PAGES, "--set", f"tcp.stack={stack}", name=stack).summary["pages"]
                last = {page["mobile"]: page["start_s"] for page in pages if page["time_s"] is not None}
                self.assertEqual(len(last), 10)
                self.assertGreater(min(last.values()), 200)


if __name__ == "__main__":
    unittest.main()
