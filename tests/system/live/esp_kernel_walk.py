# SPDX-License-Identifier: BSD-3-Clause
"""A whole node and ESP of the kernel on Gn, Gb and both: users' packets each way through loss, reordering and copies.

usage: esp_kernel_walk.py [TEST]...; GBFLOW_ESP_USERS: users' packets each way (200). On a kernel with ESP alone: test_esp_kernel.py.
"""
import json
import os
import queue
import random
import socket
import struct
import time
import unittest

import esp_kernel
import esp_rig
import lab
import node
import test_esp
import test_walk

from gb_oracle import gtp

COUNT, IN_FLIGHT, OCTETS = int(os.environ.get("GBFLOW_ESP_USERS", "200")), 16, 450  # an N-PDU is one LLC frame
NETEM = "netem loss 2% delay 2ms 1ms duplicate 10% limit 10000"
UDP_ENCAP, OF_ESP = 100, 2  # an option of Linux for UDP sockets
GB_SELECTOR = "proto udp dport 23000"
SETTLE_S, LOOK_S, LOOKS = 30, 0.02, 30
OWN = {"esp_replay"}


def association(sa):
    """With UDP of Gb alone: the kernel would want ESP of the UDP that ESP is in, too."""
    ends = (sa["from"], sa["to"])
    return esp_kernel.Association(sa["spi"], ends, ends, sa["suite"], sa["mode"], sa["key"], sa["auth"], sa["esn"], "udp" in sa, GB_SELECTOR if "udp" in sa else "")


class Way:
    """Numbered packets of users in one direction."""

    def __init__(self, source, target, send, take):
        self.ends, self.send_one, self.take_one = (source, target), send, take
        self.waiting, self.seen, self.sent, self.twice, self.wrong = set(), set(), 0, 0, 0

    def send(self):
        octets = random.Random(self.sent).randrange(28, OCTETS)
        packet = test_walk.ipv4_packet(*self.ends, octets + 4, self.sent)
        packet = packet[:-4] + struct.pack(">I", self.sent)
        self.waiting.add(packet)
        self.sent += 1
        self.send_one(packet)

    def take(self):
        """Whether one came."""
        packet = self.take_one()
        if packet is None:
            return False
        if packet in self.waiting:
            self.waiting.remove(packet)
            self.seen.add(packet)
        elif packet in self.seen:
            self.twice += 1
        else:
            self.wrong += 1
        return True


class Lab(lab.Lab):
    """A bridge on each link, whose ports lose, delay and copy. At the node's own device the kernel would show the node copies of what
    it sends."""

    def _link(self, near, side, far, address):
        bridge = self.add(f"{near}-bridge")
        lab.run("ip", "netns", "exec", bridge, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1")
        self.ip(bridge, "link", "add", "br0", "up", "type", "bridge", "mcast_snooping", "0")
        for name, device, port in ((self.names["node"], near, "p0"), (self.names[side], far, "p1")):
            self.ip(bridge, "link", "add", port, "type", "veth", "peer", "name", device, "netns", name)
            self.ip(bridge, "link", "set", port, "master", "br0", "up")
            lab.run("ip", "netns", "exec", name, "sysctl", "-qw", f"net.ipv6.conf.{device}.disable_ipv6=1")
            self.ip(name, "link", "set", device, "up")
        self.ip(self.names[side], "address", "add", address + "/24", "dev", far)
        with self.inside(side):
            lab.network.offload_off(far)

    def lossy(self, near):
        """The ports of the bridge by the node's device."""
        return [(self.names[f"{near}-bridge"], port) for port in ("p0", "p1")]


class Walk(test_esp.Case):
    def setUp(self):
        lab.need(self, lab.missing() or esp_kernel.missing())
        self.lab = Lab()
        self.addCleanup(self.lab.close)

    def protect(self, *pairs, **_):
        self.keys = self.keys_of(*pairs)
        self.serve(more=esp_rig.config(pairs, self.keys))
        self.pairs, self.kernels = pairs, []
        for pair in pairs:
            namespace = self.lab.names[pair.namespace]
            end = esp_kernel.End(namespace)
            end.protect(association(pair.out), association(pair.back))
            self.kernels.append(end)
            if "udp" in pair.out:
                self.open_encap(pair)
        self.open_ends()
        self.bss.bring_up()
        self.bss.announce(bucket_octets=6000000, rate_bps=6000000, tag=2)

    def open_encap(self, pair):
        with self.lab.inside(pair.namespace):
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(sock.close)
        sock.bind(("", esp_kernel.ENCAP_PORT))
        sock.setsockopt(socket.IPPROTO_UDP, UDP_ENCAP, OF_ESP)

    def ports(self):
        return [port for pair in self.pairs for port in self.lab.lossy({"gn": "gn0", "gb": "gb0"}[pair.side])]

    def spoil(self):
        for name, port in self.ports():
            lab.run("tc", "-n", name, "qdisc", "replace", "dev", port, "root", *NETEM.split())

    def lost(self):
        """Frames that the queues dropped, copies among them."""
        return sum(json.loads(lab.run("tc", "-n", name, "-s", "-j", "qdisc", "show", "dev", port))[0]["drops"] for name, port in self.ports())

    def take_down(self):
        try:
            return self.bss.packet(node.TLLI, LOOK_S)
        except queue.Empty:
            return None

    def take_up(self):
        try:
            message = gtp.decode(self.ggsn.recv(65536))
        except TimeoutError:
            return None
        return message.body if (message.kind, message.teid) == (gtp.G_PDU, node.GGSN_TEID) else self.take_up()

    def ways(self):
        self.ggsn.settimeout(LOOK_S)
        return (Way("192.0.2.99", node.ADDRESS, lambda packet: self.ggsn.sendto(test_walk.g_pdu(node.TEID, packet), (lab.GN_SGSN, test_walk.GTPU)),
                    self.take_down),
                Way(node.ADDRESS, "192.0.2.99", lambda packet: self.bss.send_packet(packet, node.TLLI), self.take_up))

    def flow(self):
        """Sends all, a few at a time, and takes what comes, until nothing has come for some looks."""
        ways = self.ways()
        for _ in range(COUNT):
            for way in ways:
                way.send()
                while way.sent - len(way.seen) > IN_FLIGHT and way.take():
                    continue
        quiet, end = 0, time.monotonic() + SETTLE_S
        while quiet < LOOKS and time.monotonic() < end:
            came = [way.take() for way in ways]
            quiet = 0 if any(came) else quiet + 1
        return ways

    def walk(self, *pairs):
        self.protect(*pairs)
        self.check_both_ways()
        self.spoil()
        ways = self.flow()
        lost, rows = self.lost(), self.node.show("drops")
        others = sum(row["count"] for row in rows if row["reason"] not in OWN)
        missing = sum(len(way.waiting) for way in ways)
        old = [end.counters() for end in self.kernels]
        came = [len(way.seen) for way in ways]
        print(f"{self.id().rsplit('.', 1)[-1]}: sent {COUNT} each way, came {came[0]} down and {came[1]} up, queues lost {lost} frames, "
              f"drops {[(row['side'], row['reason'], row['count']) for row in rows]}, kernel {old}", flush=True)
        self.assertEqual([(way.twice, way.wrong) for way in ways], [(0, 0), (0, 0)])
        self.assertLessEqual(missing, lost + others)
        self.assertGreater(min(came), COUNT * 3 // 4)
        self.assertLessEqual({row["reason"] for row in rows if row["reason"].startswith("esp_")}, OWN)
        for counters in old:
            self.assertEqual(set(counters), {"XfrmInStateSeqError"})
        for pair in pairs:
            self.assertIn((pair.side, "esp_replay"), {(row["side"], row["reason"]) for row in rows})
        self.assertEqual(self.node.stop(), 0)

    def test_gb_transport(self):
        self.walk(esp_rig.Pair("gb", "aes-gcm-128", "transport", esn=True))

    def test_gb_in_udp(self):
        self.walk(esp_rig.Pair("gb", "aes-gcm-256", "tunnel", udp=(4500, 4500), esn=True))

    def test_gn_tunnel(self):
        self.walk(esp_rig.Pair("gn", "aes-cbc-128-sha-256", "tunnel", esn=True))

    def test_gn_without_a_cipher(self):
        self.walk(esp_rig.Pair("gn", "null-sha-256", "transport", esn=False))

    def test_both(self):
        self.walk(esp_rig.Pair("gn", "aes-gcm-128", "tunnel", esn=False), esp_rig.Pair("gb", "aes-cbc-256-sha-256", "tunnel", esn=True))


if __name__ == "__main__":
    unittest.main()
