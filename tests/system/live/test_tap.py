# SPDX-License-Identifier: BSD-3-Clause
"""A live node on two net_tap devices, as docs/serve.md names them, while fragments arrive that are never completed."""
import os
import socket
import struct
import time
import unittest

import lab
import node

import bss_peer
import test_walk

DEVICES = {"gn": "net_tap0,iface=gn0", "gb": "net_tap1,iface=gb0"}
FRAGMENTS, OF_ONE = 30000, 6


class Tapped(node.Node):
    side = "tap"


class Tap(test_walk.Case):
    def setUp(self):
        super().setUp()
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            self.skipTest("needs /dev/net/tun")
        name = self.lab.add("tap")
        self.node = Tapped(self.lab, **DEVICES)
        self.addCleanup(self.node.kill)
        self.node.wait_for("running")
        for interface, address in (("gn0", lab.GN_GGSN), ("gb0", lab.GB_BSS)):
            self.lab.ip(name, "address", "add", address + "/24", "dev", interface)
            self.lab.ip(name, "link", "set", interface, "up")
        with self.lab.inside("tap"):
            self.bss = bss_peer.Peer(bss_peer.open_socket(lab.GB_BSS), (lab.GB_SGSN, 23000))
            self.ggsn = bss_peer.open_socket(lab.GN_GGSN, test_walk.GTPU)
            self.raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        for end in (self.bss, self.ggsn, self.raw):
            self.addCleanup(end.close)
        self.ggsn.settimeout(60)

    def flood(self):
        for number in range(FRAGMENTS):
            datagram, index = divmod(number, OF_ONE)
            source = socket.inet_aton(f"198.18.{datagram >> 8}.{datagram & 255}")
            head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28, datagram & 0xFFFF, 0x2000 | index, 64, 17, 0, source,
                               socket.inet_aton(lab.GN_SGSN))
            self.raw.sendto(head + bytes(8), (lab.GN_SGSN, 0))

    def test_incomplete_fragments_leave_both_sides_their_buffers(self):
        self.bss.bring_up()
        self.check_down(500)
        self.check_up(500)
        self.flood()
        self.node.show_until("drops", lambda rows: any(row["reason"] == "fragment_lost" and row["count"] > 64 for row in rows))
        seen = None
        while seen != (seen := self.node.show("drops")):  # until the kernel has handed over the last one
            time.sleep(0.5)
        for seed in range(3):
            self.check_down(1400, seed)
            self.check_up(1400, seed)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
