# SPDX-License-Identifier: BSD-3-Clause
"""Servers with TCP stacks of others bear right edges that move back: short runs of stacks_edges.py; and what edges.py finds."""
import os
import struct
import unittest

import edges
import lab
import stacks
import stacks_edges

CONNECTIONS = 300
MOBILE, SERVER, PORTS = bytes([10, 45, 0, 1]), bytes([198, 18, 0, 1]), (40000, 8080)


class Stacks(unittest.TestCase):
    def walk(self, stack):
        """No connection breaks, all content is whole, no octet is beyond the greatest edge; and edges did move back."""
        lab.need(self, stacks_edges.gateway.missing())
        with stacks_edges.Run(stack, CONNECTIONS) as run:
            row = run.play()
        self.assertTrue(stacks_edges.is_right(row), row)
        self.assertTrue(stacks_edges.line_of(row).startswith(f"{stack}: {CONNECTIONS} of {CONNECTIONS} connections whole"))
        self.assertGreater(row["edges"]["connections_moved_back"], 0)
        self.assertGreater(row["edges"]["farthest_octets"], 10 * 1000)
        self.assertGreater(row["clamped"], 0)

    def test_cubic(self):
        self.walk("cubic")

    def test_bbr(self):
        if not stacks.controls_of(["bbr"]):
            self.skipTest("no BBR in this kernel")
        self.walk("bbr")

    def test_lwip(self):
        if "LWIP_SERVER" not in os.environ:
            lab.need(self, "no server with lwIP was built: install liblwip-dev")
        self.walk("lwip")


class Edges(unittest.TestCase):
    """A connection from number 1000, of a mobile whose windows have scale 2, to a server that begins at 2**32 - 500."""

    FIRST = 2**32 - 500

    def setUp(self):
        self.now_s = 0.0
        self.edges = edges.Edges(lambda: self.now_s)
        options = bytes([2, 4, 3, 232, 1, 3, 3, 2])
        self.up(0, edges.SYN, 1000, options, seq=1000)
        self.down(edges.SYN | edges.ACK, self.FIRST - 1, options=options)

    def up(self, ack, flags, window, options=b"", seq=1001):
        self.edges.up(packet(MOBILE + SERVER, (*PORTS, seq, ack % 2**32), (flags, window), options))

    def down(self, flags, seq, data=b"", options=b""):
        self.edges.down(packet(SERVER + MOBILE, (*PORTS[::-1], seq % 2**32, 1001), (flags, 1000), options, data))

    def test_moved_back(self):
        """An edge of 2000 octets becomes one of 800: what is within the old edge may be on its way, what is beyond is a fault."""
        self.up(self.FIRST, edges.ACK, 500)
        self.down(edges.ACK, self.FIRST, bytes(1000))
        self.up(self.FIRST, edges.ACK, 200)
        counts = self.edges.counts()
        self.assertEqual((counts["connections"], counts["moved_back"], counts["into_sent"], counts["farthest_octets"]), (1, 1, 1, 1200))
        self.down(edges.ACK, self.FIRST + 1000, bytes(1000))
        self.assertIsNone(self.edges.fault)
        self.down(edges.ACK, self.FIRST + 2000, bytes(1))
        self.assertIn("1 octets beyond", self.edges.fault)

    def test_window_of_syn(self):
        """It has no scale: 1000 octets before the first ACK."""
        self.down(edges.ACK, self.FIRST, bytes(1000))
        self.assertIsNone(self.edges.fault)
        self.down(edges.ACK, self.FIRST + 1000, bytes(1))
        self.assertIsNotNone(self.edges.fault)

    def test_late_ack(self):
        """One that another overtook moves no edge; a repetition of data does not, either."""
        self.down(edges.ACK, self.FIRST, bytes(900))
        self.up(self.FIRST + 900, edges.ACK, 500)
        self.up(self.FIRST, edges.ACK, 100)
        self.down(edges.ACK, self.FIRST, bytes(900))
        counts = self.edges.counts()
        self.assertEqual((counts["moved_back"], counts["sent_again"], self.edges.fault), (0, 1, None))

    def test_round_trip(self):
        """By timestamps, weighted by octets; of a repetition from the repetition on."""
        for at_s, stamp in ((1.0, 7), (2.0, 8)):
            self.now_s = at_s
            self.down(edges.ACK, self.FIRST, bytes(500), stamps(stamp, 0))
        self.now_s = 2.5
        self.up(self.FIRST + 500, edges.ACK, 500, stamps(1, 8))
        self.assertEqual((self.edges.rtt_octets_s, self.edges.rtt_octets), ({MOBILE: 250.0}, {MOBILE: 500}))
        self.edges.warm()
        self.assertEqual(self.edges.rtt_octets, {})


def stamps(value, echo):
    return edges.TIMESTAMPS + struct.pack(">II", value, echo)


def packet(addresses, numbers, last, options, data=b""):
    """numbers: of ports, sequence, acknowledgement; last: flags and window."""
    flags, window = last
    tcp = struct.pack(">HHIIBBHHH", *numbers, (20 + len(options)) << 2, flags, window, 0, 0) + options + data
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + addresses + tcp


if __name__ == "__main__":
    unittest.main()
