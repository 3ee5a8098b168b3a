# SPDX-License-Identifier: BSD-3-Clause
"""A live node between kernel sockets: Gb comes up, packets go both ways bit by bit, ARP and ping are answered."""
import random
import signal
import socket
import struct
import sys
import time
import unittest

import lab
import node

import bss_peer
from gb_oracle import gtp

GTPU = 2152


def checksum(octets):
    """RFC 1071; 0 over octets that hold their own."""
    words = octets + bytes(len(octets) % 2)
    total = sum(struct.unpack(f">{len(words) // 2}H", words))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4_packet(src, dst, octets, seed=1):
    """An IPv4 packet of UDP with random content, of so many octets in all."""
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, octets, seed & 0xFFFF, 0, 64, 17, 0, socket.inet_aton(src), socket.inet_aton(dst))
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    body = random.Random(seed).randbytes(octets - 28)
    return head + struct.pack(">HHHH", 5000, 6000, octets - 20, 0) + body


def g_pdu(teid, packet):
    return struct.pack(">BBHI", 0x30, gtp.G_PDU, len(packet), teid) + packet


class Case(unittest.TestCase):
    def setUp(self):
        lab.need(self, lab.missing())
        self.lab = lab.Lab()
        self.addCleanup(self.lab.close)

    def serve(self, **values):
        self.node = node.Node(self.lab, **values)
        self.addCleanup(self.node.kill)
        self.node.wait_for("running")

    def open_ends(self):
        with self.lab.inside("bss"):
            self.bss = bss_peer.Peer(bss_peer.open_socket(lab.GB_BSS), (lab.GB_SGSN, 23000))
        self.addCleanup(self.bss.close)
        with self.lab.inside("ggsn"):
            self.ggsn = bss_peer.open_socket(lab.GN_GGSN, GTPU)
        self.addCleanup(self.ggsn.close)
        self.ggsn.settimeout(60)

    def down(self, octets, seed):
        packet = ipv4_packet("192.0.2.99", node.ADDRESS, octets, seed)
        self.ggsn.sendto(g_pdu(node.TEID, packet), (lab.GN_SGSN, GTPU))
        return packet

    def check_down(self, octets, seed=1):
        packet = self.down(octets, seed)
        self.assertEqual(self.bss.packet(node.TLLI), packet)

    def check_up(self, octets, seed=1):
        packet = ipv4_packet(node.ADDRESS, "192.0.2.99", octets, seed)
        self.bss.send_packet(packet, node.TLLI)
        message = gtp.decode(self.ggsn.recv(65536))
        self.assertEqual((message.kind, message.teid, message.body), (gtp.G_PDU, node.GGSN_TEID, packet))

    def ping(self, side, address, seq, octets=56, timeout_s=60):
        """The octets that come back from an ICMP Echo, and whose answer it is."""
        data = random.Random(seq).randbytes(octets)
        message = struct.pack(">BBHHH", 8, 0, 0, 7, seq) + data
        message = message[:2] + struct.pack(">H", checksum(message)) + message[4:]
        with self.lab.inside(side), socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as sock:
            sock.settimeout(timeout_s)
            sock.sendto(message, (address, 0))
            packet, (sender, _) = sock.recvfrom(65536)
        answer = packet[20:]
        self.assertEqual((sender, answer[:2], answer[4:]), (address, bytes(2), message[4:]))
        self.assertEqual(checksum(answer), 0)


class Walk(Case):
    def walk(self, **values):
        self.serve(**values)
        self.open_ends()
        began = time.monotonic()
        self.bss.bring_up()
        print(f"Gb came up in {1000 * (time.monotonic() - began):.1f} ms", file=sys.stderr)
        for seed, octets in enumerate((40, 500, 1400, 1500)):
            self.check_down(octets, seed)
        for seed, octets in enumerate((40, 576, 1400)):
            self.check_up(octets, seed)
        for side, address in (("ggsn", lab.GN_SGSN), ("bss", lab.GB_SGSN)):
            lab.run("ip", "-n", self.lab.names[side], "neigh", "flush", "all")
            for seq, octets in enumerate((0, 1, 56, 1472)):
                self.ping(side, address, seq, octets)

    def check_end(self, status=0):
        report = self.node.report
        self.assertEqual(status, 0)
        self.assertEqual(report["npdu"], {"in": 4, "out": 4, "dropped": 0, "queued": 0})
        self.assertEqual(report["uplink_npdus"], 3)
        for side in ("gn_neighbours", "gb_neighbours"):
            self.assertGreaterEqual(report[side]["arp_answers"], 1)
            self.assertEqual(report[side]["echo_answers"], 4)
        self.assertIn("in 4 = out 4", self.node.out)

    def test_any_payload(self):
        """Octets that are no IP packet pass both ways where the context allows it, and not elsewhere."""
        for allowed in (True, False):
            with self.subTest(allowed):
                more = ", any_payload = true" if allowed else ""
                self.serve(mobiles=node.MOBILE.replace('address = "10.45.0.1"', 'address = "10.45.0.1"' + more))
                self.open_ends()
                self.bss.bring_up()
                for octets in (b"\x00", b"hello", bytes(range(256)) * 4, b"\x45\x00\x00"):
                    self.ggsn.sendto(g_pdu(node.TEID, octets), (lab.GN_SGSN, GTPU))
                    self.bss.send_packet(octets, node.TLLI)
                    if allowed:
                        self.assertEqual(self.bss.packet(node.TLLI), octets)
                        self.assertEqual(gtp.decode(self.ggsn.recv(65536)).body, octets)
                self.check_up(40)
                self.check_down(40)
                self.assertEqual(self.node.stop(), 0)
                self.assertEqual(self.node.report["npdu"]["dropped"], 0 if allowed else 4)
                self.doCleanups()
                self.setUp()

    def test_sleeping(self):
        self.walk()
        self.check_end(self.node.stop(signal.SIGINT))

    def test_polling(self):
        self.walk(idle="poll")
        self.check_end(self.node.stop(signal.SIGTERM))


if __name__ == "__main__":
    unittest.main()
