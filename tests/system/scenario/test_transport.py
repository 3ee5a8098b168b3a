# SPDX-License-Identifier: BSD-3-Clause
"""The keys of today's TCP (docs/tcp.md), each alone, in a download that loses a packet in 200."""
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


if __name__ == "__main__":
    unittest.main()
