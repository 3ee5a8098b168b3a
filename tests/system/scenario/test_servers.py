# SPDX-License-Identifier: BSD-3-Clause
"""Servers at several distances: an item's delay goes before its mobile's, that before the network's; round trips follow."""
import os
import unittest

import scenario
from scenario import gbflow

CELL = "pdchs = 8, downlink_slots = 8, uplink_slots = 8, tbf = { release = '60 s', uplink_hold = '60 s' }"
PING = 'ping = {{ every = "4 s", count = 10{} }}'
TTI_S = 0.02
NETWORK_S = 0.01


def mobile(name, *items, more=""):
    traffic = ", ".join(f"{{ {item} }}" for item in items)
    return f'{{ name = "{name}", {more} traffic = {{ {traffic} }} }}'


def whole(*mobiles, network=""):
    text = scenario.text(cells=CELL, mobiles=", ".join(mobiles))
    return text.replace('server_delay = "0 s"', f'server_delay = "10 ms"{network}')


class Servers(scenario.Case):
    def pings_s(self, text, *words, name="run"):
        """Least round trip of each ping item, which all its requests have but for the blocks of the radio."""
        result = self.play(self.write("run.lua", text), *words, name=name)
        for row in result.summary["ping"]:
            self.assertEqual(row["received"], 10, row)
        return [row["rtt_s"]["min"] for row in result.summary["ping"]], result

    def test_ping(self):
        """Twice the difference of the delays, of an item, of its mobile and of the network."""
        near_s, middle_s, far_s = NETWORK_S, 0.21, 0.61
        rtts, result = self.pings_s(whole(
            mobile("near", PING.format("")), mobile("middle", PING.format(""), more='server_delay = "210 ms",'),
            mobile("far", PING.format(', server_delay = "610 ms"'), PING.format(""), more='server_delay = "210 ms",')))
        for rtt_s, server_s in zip(rtts, (near_s, middle_s, far_s, middle_s)):
            self.assertAlmostEqual(rtt_s - rtts[0], 2 * (server_s - near_s), delta=2 * TTI_S)
        self.assertEqual([(row["mobile"], row["item"], row["delay_s"]) for row in result.summary["servers"]],
                         [("middle", 0, 0.21), ("far", 0, 0.61), ("far", 1, 0.21)])

    def test_connections(self):
        """At the monitor a SYN is answered after twice the delay; so is it over QUIC, whose server is the mobile's."""
        items = ('download = { octets = "5 kB", server_delay = "300 ms" }', 'upload = { octets = "5 kB" }',
                 'web = { pages = 1, items = 2, start = "5 s", server_delay = "50 ms" }')
        result = self.play_text(whole(mobile("anna", *items, more='server_delay = "100 ms",')), "--pcap=gi")
        truth = gbflow.read_json(os.path.join(result.out, "gi.truth.json"))["connections"]
        for port, delay_s in ((8000, 0.3), (8001, 0.1), (8002, 0.05)):
            rows = [row["internet_rtt_s"] for row in truth if row["server_port"] == port]
            self.assertGreaterEqual(len(rows), 1)
            for rtt_s in rows:
                self.assertAlmostEqual(rtt_s, 2 * delay_s, places=6)
        for row in result.summary["tcp"]:
            self.assertGreater(row["rtt_s"]["avg"], 2 * {"anna#0": 0.3, "anna#1": 0.1, "anna#2": 0.05}[row["connection"]])

    def test_datagrams(self):
        """Each way once: the trace goes up, the other down."""
        self.write("packets.csv", "time_s,octets\n0,100\n1.5,200\n")
        def items(more):
            return (f'cbr = {{ rate = "1 kbit/s", packet = "100 octets"{more} }}',
                    f'trace = {{ file = "packets.csv", way = "up"{more} }}')
        rows = self.play_text(whole(mobile("near", *items("")), mobile("far", *items(', server_delay = "1 s"')))).summary["datagrams"]
        for near, far in zip(rows[:2], rows[2:]):
            self.assertAlmostEqual(far["delay_s"]["mean"] - near["delay_s"]["mean"], 1 - NETWORK_S, delta=4 * TTI_S)

    def test_late_acknowledgements(self):
        """ack_delay counts beside the delay: the page takes it once more for each connection that waits behind an ACK."""
        page = 'web = {{ page = "1460 octets", pages = 1, items = 2, item = "1460 octets", parallel = 1, persistent = false, ' \
               'tcp = {{ delayed_ack = {{ every = 1 }} }}{} }}'
        for more in ("", ', server_delay = "400 ms"'):
            plain, late = (self.play_text(whole(mobile("anna", page.format(more)), network=network)).summary["pages"][0]["time_s"]
                           for network in ("", ', ack_delay = "100 ms"'))
            self.assertAlmostEqual(late - plain, 0.2, delta=3 * TTI_S)

    def test_range(self):
        """One draw for each item of each mobile of a group, and one for each mobile; other seeds draw others; equal seeds
        give equal octets."""
        own = PING.format(', server_delay = "100 ms", server_delay_max = "900 ms"')
        text = whole(mobile("far", own, PING.format(""), more='count = 6, server_delay = "1 s", server_delay_max = "2 s",'))
        drawn = {}
        for name, seed in (("one", 1), ("again", 1), ("two", 2)):
            rtts, result = self.pings_s(text, "--seed", str(seed), name=name)
            drawn[name] = [row["delay_s"] for row in result.summary["servers"]]
            for rtt_s, delay_s in zip(rtts, drawn[name], strict=True):
                self.assertAlmostEqual(rtt_s - rtts[0], 2 * (delay_s - drawn[name][0]), delta=3 * TTI_S)
        self.assertEqual(len(set(drawn["one"])), 12)
        self.assertTrue(all(0.1 <= delay_s <= 0.9 for delay_s in drawn["one"][0::2]))
        self.assertTrue(all(1 <= delay_s <= 2 for delay_s in drawn["one"][1::2]))
        self.assertFalse(set(drawn["one"]) & set(drawn["two"]))
        for file in ("summary.json", "series.csv"):
            with open(self.path(f"one/{file}"), "rb") as one, open(self.path(f"again/{file}"), "rb") as again:
                self.assertEqual(one.read(), again.read())

    def test_as_the_network(self):
        """A delay that is the network's changes nothing but its row."""
        def items(more):
            return PING.format(more), f'download = {{ octets = "50 kB"{more} }}', 'web = { transport = "quic", pages = 2 }'
        plain, own = (self.play_text(whole(mobile("anna", *items(more), more=f"{more[2:]}," if more else "")), name="run").summary
                      for more in ("", ', server_delay = "10 ms"'))
        self.assertEqual([row["delay_s"] for row in own.pop("servers")], [0.01] * 3)
        self.assertEqual(own, plain)

    def test_quic(self):
        """All its connections have the mobile's server."""
        page = 'web = { transport = "quic", pages = 1, items = 0, page = "1 kB" }'
        near, far = self.play_text(whole(mobile("near", page), mobile("far", page, more='server_delay = "510 ms",'))).summary["tcp"]
        self.assertGreater(far["rtt_s"]["max"] - near["rtt_s"]["max"], 0.9)


if __name__ == "__main__":
    unittest.main()
