# SPDX-License-Identifier: BSD-3-Clause
"""The RLC loop of the latency paper, delayed acknowledgements, pages of objects of several sizes."""
import unittest

import scenario

FAST = "pdchs = 8, downlink_slots = 8, uplink_slots = 8, block_octets = 142, block_octets_up = 71, window = 2048, " \
       "tbf = { setup = '0 s', setup_with_uplink = '1 ms', release = '60 s', uplink_access = '0 s', uplink_hold = '60 s' }"
TTI_S = 0.02


def page(more):
    return f"""{{ name = "anna", traffic = {{ {{ web = {{ page = "1460 octets", pages = 2, reading = "1 s", parallel = 1,
      persistent = false, {more} }} }} }} }}"""


class Latency(scenario.Case):
    def pages(self, more, network="", name="run"):
        text = scenario.text(duration="20 s", cells=FAST, mobiles=page(more), rest="tcp = { delayed_ack = { every = 1 } },")
        text = text.replace('server_delay = "0 s"', f'server_delay = "48 ms"{network}')
        return self.play_text(text, name=name).summary["pages"]

    def test_two_rates(self):
        """A ping of 1500 octets: two TTIs down, three up, and what waits for the next TTI."""
        ping = '{ name = "anna", traffic = { { ping = { octets = "1500 octets", every = "2002 ms", count = 5 } } } }'
        row = self.play_text(scenario.text(cells=FAST, mobiles=ping)).summary["ping"][0]
        self.assertEqual(row["received"], 5)
        self.assertGreaterEqual(row["rtt_s"]["min"], 5 * TTI_S)
        self.assertLessEqual(row["rtt_s"]["max"], 7 * TTI_S + 0.004)

    def test_sizes(self):
        """Items of their own sizes, all of them, one after the other."""
        alike = self.pages('items = 2, item = "1460 octets"', name="alike")
        sizes = self.pages('sizes = { "100 octets", "14600 octets" }', name="sizes")
        self.assertEqual([row["octets"] for row in alike], [3 * 1460] * 2)
        self.assertEqual([row["octets"] for row in sizes], [1460 + 100 + 14600] * 2)

    def test_ack_delay(self):
        """Three connections: the SYN of the second and the third waits behind the last acknowledgement."""
        plain, late = (self.pages('items = 2, item = "1460 octets"', network, name) for name, network in
                       (("plain", ""), ("late", ', ack_delay = "100 ms"')))
        self.assertAlmostEqual(late[0]["time_s"] - plain[0]["time_s"], 0.2, delta=3 * TTI_S)

    def test_close_awaited(self):
        """Two more round trips of 100 ms and a few TTIs before the next connections."""
        plain, closed = (self.pages(f'items = 2, item = "1460 octets", close_awaited = {word}', name=word)
                         for word in ("false", "true"))
        more_s = closed[0]["time_s"] - plain[0]["time_s"]
        self.assertGreater(more_s, 2 * 0.1)
        self.assertLess(more_s, 2 * (0.1 + 4 * TTI_S))


if __name__ == "__main__":
    unittest.main()
