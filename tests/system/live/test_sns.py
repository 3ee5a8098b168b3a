# SPDX-License-Identifier: BSD-3-Clause
"""A live node whose BSS configures Gb by IP-SNS: bring-up, endpoints that come, go and weigh, a restart of the BSS."""
import time
import unittest

import lab
import node

import bss_peer
import sns_peer
import test_reload
import test_restart
import test_walk

SNS = node.TEXT.replace('nsvcs = { { nsvci = 101, address = "198.51.100.2" }%(nsvcs)s }',
                        'sns = { address = "198.51.100.2"%(nsvcs)s }')
TWO = ', endpoints = { { }, { address = "198.51.100.3", udp_port = 23001 } }'


class Case(test_walk.Case):
    def serve(self, **values):
        super().serve(text=SNS, **values)

    def peer(self, kind, port):
        with self.lab.inside("bss"):
            return kind(bss_peer.open_socket(lab.GB_BSS, port), (lab.GB_SGSN, 23000))

    def open_ends(self):
        super().open_ends()
        self.bss.close()
        self.bss = self.peer(sns_peer.Peer, 23000)
        self.addCleanup(self.bss.close)

    def states(self):
        return [row["state"] for row in self.node.show("nse")]


class Sns(Case):
    def test_bring_up_and_packets(self):
        self.serve()
        self.open_ends()
        began = time.monotonic()
        self.bss.bring_up()
        print(f"Gb came up in {1000 * (time.monotonic() - began):.1f} ms")
        self.assertEqual(self.bss.heard, [(lab.GB_SGSN, 23000, 1, 1)])
        for seed, octets in enumerate((40, 1400)):
            self.check_down(octets, seed)
            self.check_up(octets, seed)
        self.node.show_until("nse", lambda rows: [row["state"] for row in rows] == ["alive"])
        self.assertEqual(self.bss.size(1), None)  # the BSS has restarted
        self.assertEqual(self.states(), ["absent"])
        self.bss.config([sns_peer.endpoint(lab.GB_BSS, 23000)])
        self.bss.bring_up_bvcs()
        self.bss.announce(tag=2)
        self.check_down(500, 9)
        self.assertEqual(self.node.stop(), 0)

    def test_endpoints_come_and_go(self):
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        other = self.peer(sns_peer.Peer, 23002)
        self.addCleanup(other.close)
        self.assertEqual(self.bss.change(sns_peer.SNS_ADD, 1, [sns_peer.endpoint(lab.GB_BSS, 23002, 1, 1)]), None)
        self.assertEqual(self.states(), ["alive", "alive"])
        self.assertEqual(self.bss.change(sns_peer.SNS_CHANGEWEIGHT, 2, [sns_peer.endpoint(lab.GB_BSS, 23000, 1, 0)]), None)
        packet = self.down(700, 3)
        self.assertEqual(other.packet(node.TLLI), packet)  # all of the share is there now
        self.assertEqual(self.bss.change(sns_peer.SNS_DELETE, 3, [sns_peer.endpoint(lab.GB_BSS, 23000, 1, 0)]), None)
        packet = self.down(300, 4)
        self.assertEqual(other.packet(node.TLLI), packet)
        self.assertEqual(other.change(sns_peer.SNS_DELETE, 4, [sns_peer.endpoint(lab.GB_BSS, 23009)]), 0x12)
        self.assertEqual(other.change(sns_peer.SNS_DELETE, 5, [sns_peer.endpoint(lab.GB_BSS, 23002)]), 0x11)
        self.assertEqual(self.node.stop(), 0)

    def test_two_endpoints_of_ours(self):
        self.serve(nsvcs=TWO)
        self.open_ends()
        self.bss.bring_up()
        self.assertEqual(self.bss.heard, [(lab.GB_SGSN, 23000, 1, 1), ("198.51.100.3", 23001, 1, 1)])
        self.assertEqual(self.states(), ["alive", "alive"])
        self.node.show_until("nse", lambda rows: all(row["test"] == "resting" for row in rows))
        self.check_down(900, 1)
        self.bss.node = ("198.51.100.3", 23001)
        self.check_up(900, 1)
        self.assertEqual(self.node.stop(), 0)

    def test_begins_at_our_second_endpoint(self):
        """A BSS tries our endpoints in turn (TS 48.016 clause 7.4a), before a restart of control and after it."""
        self.serve(nsvcs=TWO)
        self.open_ends()
        self.bss.node = ("198.51.100.3", 23001)
        self.assertEqual(self.bss.size(1), None)
        test_restart.restart(self, self.node)
        self.bss.bring_up()
        self.assertEqual(self.bss.heard, [(lab.GB_SGSN, 23000, 1, 1), ("198.51.100.3", 23001, 1, 1)])
        self.check_up(900, 1)
        self.bss.node = (lab.GB_SGSN, 23000)
        self.assertEqual(self.bss.size(1), None)
        self.assertEqual(self.states(), ["absent", "absent"])
        self.bss.node = ("198.51.100.3", 23001)
        self.bss.bring_up()
        self.assertEqual(self.states(), ["alive", "alive"])
        self.assertEqual(self.node.stop(), 0)

    def test_another_endpoint_of_ours(self):
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        test_reload.reload(self.node, "reload: .* changed", nsvcs=TWO, text=SNS)
        asked = self.bss.take(self.bss.ns, lambda octets: octets[0] == sns_peer.SNS_ADD)
        self.assertEqual(asked[6:], bytes([5, 0x88]) + sns_peer.endpoint("198.51.100.3", 23001))
        self.bss.send(bytes([sns_peer.SNS_ACK]) + self.bss.nsei_ie() + asked[5:6])
        self.node.show_until("nse", lambda rows: [row["state"] for row in rows] == ["alive", "alive"])
        self.bss.node = ("198.51.100.3", 23001)
        self.check_up(900, 1)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
