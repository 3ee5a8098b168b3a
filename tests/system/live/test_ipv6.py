# SPDX-License-Identifier: BSD-3-Clause
"""The shipped node whose GGSN is reached over IPv6: Neighbour Discovery both ways, packets both ways, ping."""
import os
import socket
import struct
import unittest

import lab
import node
import test_walk
from gb_oracle import gtp

SGSN, GGSN = "2001:db8:1::1", "2001:db8:1::2"
PATH = os.path.join(node.ROOT, "config", "nodes", "live-ipv6.lua")


def text():
    with open(PATH, encoding="utf-8") as file:
        return file.read().replace("%", "%%").replace("live = {", 'eal = { prefix = "%(prefix)s" }, live = {')


def ping(case, address):
    """From the namespace that this thread is in."""
    with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as sock:
        sock.settimeout(60)
        sock.sendto(struct.pack(">BBHHH", 128, 0, 0, 7, 1) + b"gbflow", (address, 0))
        while True:  # the kernel shows Neighbour Discovery, too
            octets = sock.recv(65536)
            if octets[0] == 129:
                break
    case.assertEqual(octets[4:], struct.pack(">HH", 7, 1) + b"gbflow")


class Walk(test_walk.Case):
    def setUp(self):
        super().setUp()
        self.lab.give_ipv6("ggsn", "gn1", GGSN)
        self.node = node.Node(self.lab, text=text())
        self.addCleanup(self.node.kill)
        self.node.wait_for("running")
        self.open_ends()
        with self.lab.inside("ggsn"):
            self.far = test_walk.bss_peer.open_socket(GGSN, test_walk.GTPU)
        self.addCleanup(self.far.close)
        self.far.settimeout(60)
        self.bss.bring_up()

    def check_both_ways(self, seed):
        for octets in (40, 500, 1400):
            packet = test_walk.ipv4_packet("192.0.2.99", node.ADDRESS, octets, seed)
            self.far.sendto(test_walk.g_pdu(node.TEID, packet), (SGSN, test_walk.GTPU))
            self.assertEqual(self.bss.packet(node.TLLI), packet)
        packet = test_walk.ipv4_packet(node.ADDRESS, "192.0.2.99", 500, seed)
        self.bss.send_packet(packet, node.TLLI)
        octets, (sender, port, *_) = self.far.recvfrom(65536)
        message = gtp.decode(octets)
        self.assertEqual((message.teid, message.body, sender, port), (node.GGSN_TEID, packet, SGSN, test_walk.GTPU))

    def test_neighbours_find_each_other(self):
        rows = self.node.show_until("neighbours", lambda rows: any(row["address"] == GGSN and row["state"] == "known" for row in rows))
        self.assertEqual([row["address"] for row in rows if row["side"] == "gn"], [GGSN])
        self.check_both_ways(seed=1)
        with self.lab.inside("ggsn"):
            ping(self, SGSN)
        new = "02:00:00:00:77:02"
        self.lab.ip(self.lab.names["ggsn"], "link", "set", "gn1", "address", new)
        self.lab.ip(self.lab.names["ggsn"], "neigh", "flush", "all")
        self.check_both_ways(seed=2)
        self.assertIn(new, {row["mac"] for row in self.node.show("neighbours")})
        self.assertEqual(self.node.stop(), 0)
        self.assertGreaterEqual(self.node.report["gn_neighbours"]["arp_answers"], 1)


if __name__ == "__main__":
    unittest.main()
