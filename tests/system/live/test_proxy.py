# SPDX-License-Identifier: BSD-3-Clause
"""Two live nodes behind the Gb proxy: cells come up at both, flow control is shared, PDUs of a TLLI go to the node of its NRI."""
import unittest

import lab
import node

import bss_peer
import pool_lab
import test_walk
from gb_oracle import bssgp, gtp

SERVER = "192.0.2.99"
TO_FIRST, TO_SECOND = pool_lab.tlli(2), pool_lab.tlli(4)


class Case(unittest.TestCase):
    def setUp(self):
        lab.need(self, lab.missing())
        self.lab = pool_lab.PoolLab()
        self.addCleanup(self.lab.close)
        with self.lab.inside("ggsn"):
            self.ggsn = bss_peer.open_socket(lab.GN_GGSN, test_walk.GTPU)
        self.ggsn.settimeout(60)
        self.addCleanup(self.ggsn.close)

    def proxy_up(self, **changes):
        self.proxy = pool_lab.Proxy(self.lab, **changes)
        self.addCleanup(self.proxy.close)

    def node_up(self, kind, **values):
        running = kind(self.lab, **values)
        self.addCleanup(running.kill)
        running.wait_for("running")
        return running

    def nodes_up(self, bvci=1800, more="", **values):
        """A mobile at each, 10.45.0.1 and 10.45.0.2."""
        self.first = self.node_up(pool_lab.First, mobiles=pool_lab.mobile("node", 1, TO_FIRST, bvci, more), **values)
        self.second = self.node_up(pool_lab.Second, mobiles=pool_lab.mobile("node2", 2, TO_SECOND, bvci, more), **values)
        self.nodes = self.first, self.second

    def bsss_up(self):
        self.one, self.two = (pool_lab.open_bss(self.lab, number) for number in (0, 1))
        for bss in (self.one, self.two):
            self.addCleanup(bss.close)
            bss.bring_up()

    def usable(self, running, wanted=("yes",) * 3):
        return running.show_until("bvc", lambda rows: [row["usable"] for row in rows] == list(wanted))

    def all_up(self, **changes):
        self.proxy_up(**changes)
        self.nodes_up()
        self.bsss_up()
        for running in self.nodes:
            self.usable(running)

    def check_up(self, bss, its_tlli, side, number, seed=1):
        """A packet of a mobile arrives from the node of that side."""
        packet = test_walk.ipv4_packet(f"10.45.0.{number}", SERVER, 400, seed)
        bss.send_packet(packet, its_tlli)
        octets, (sender, _) = self.ggsn.recvfrom(65536)
        message = gtp.decode(octets)
        self.assertEqual((sender, message.kind, message.teid, message.body),
                         (pool_lab.GN[side], gtp.G_PDU, pool_lab.teids(number)[1], packet))

    def down(self, side, number, seed=1):
        packet = test_walk.ipv4_packet(SERVER, f"10.45.0.{number}", 900, seed)
        self.ggsn.sendto(test_walk.g_pdu(pool_lab.teids(number)[0], packet), (pool_lab.GN[side], test_walk.GTPU))
        return packet

    def check_down(self, bss, its_tlli, side, number, seed=1):
        packet = self.down(side, number, seed)
        self.assertEqual(bss.packet(its_tlli), packet)

    def stop(self):
        for running in self.nodes:
            self.assertEqual(running.stop(), 0)
        self.assertEqual(self.proxy.stop(), (0, ""))


class Proxy(Case):
    def test_walk(self):
        """Cells of two BSSs under one NSE at each node, half of each bucket, and packets of both mobiles both ways."""
        self.all_up(ratio=50)
        for running in self.nodes:
            rows = running.show("bvc")
            self.assertEqual([(row["bvci"], row["rate_bps"], row["bucket_octets"]) for row in rows],
                             [(bvci, 40000, 50000) for bvci in pool_lab.PLACES])
        for seed, (its_tlli, side, number) in enumerate(((TO_FIRST, "node", 1), (TO_SECOND, "node2", 2)) * 2):
            self.check_up(self.one, its_tlli, side, number, seed)
            self.check_down(self.one, its_tlli, side, number, seed)
        shown = self.proxy.show()
        self.assertEqual([row["down_pdus"] for row in shown["sgsns"]], [4, 4])
        self.assertEqual(shown["drops"], {})
        self.stop()


if __name__ == "__main__":
    unittest.main()
