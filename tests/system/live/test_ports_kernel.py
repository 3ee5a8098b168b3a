# SPDX-License-Identifier: BSD-3-Clause
"""Ports at interfaces of the kernel: all N-PDUs are counted in both directions, and again after the interface has been down. One
that is deleted is told in words."""
import os
import socket
import struct
import unittest

import lab
import node

import ports

AF_XDP, SOL_PACKET, PACKET_AUXDATA, ETHERTYPE_ALL, ARP = 44, 263, 8, 3, b"\x08\x06"
TP_STATUS_VLAN_VALID = 1 << 4


def vlan_of(wire):
    """The VLAN identifier of the next ARP frame that is received, which the kernel tells beside it; None: it has no tag."""
    frame = b""
    while frame[12:14] != ARP:
        frame, ((_, _, octets),), *_ = wire.recvmsg(2048, 256)
    status, *_, tci, _ = struct.unpack_from("=IIIHHHH", octets)
    return tci & 0x0FFF if status & TP_STATUS_VLAN_VALID else None


def missing_xdp():
    """Why there can be no AF_XDP socket here, or None."""
    try:
        socket.socket(AF_XDP, socket.SOCK_RAW).close()
    except OSError as error:
        return f"no AF_XDP sockets here: {error.strerror}"
    return None


class Toggled(ports.Case):
    """Ports at an interface of the kernel, which goes down and comes up again."""

    def walk(self, gn, gb):
        self.begin(gn=gn, gb=gb)
        self.node.wait_for("running")
        self.set_up_kernel()
        self.open_far_ends()
        self.bring_up()
        self.pass_both()
        for _ in range(2):
            for state in ("down", "up"):
                self.set_links(state)
                self.await_links(state)
            self.await_answers()
            self.pass_both()
        self.check_counts()

    def set_up_kernel(self):
        """What the lab has not done."""

    def set_links(self, state):
        for interface in ("gn0", "gb0"):
            self.lab.ip(self.lab.names[self.of_node.side], "link", "set", interface, state)


    def await_links(self, state):
        """The node drops uplink N-PDUs until it has seen that the link of Gn is up. It does not see links of rx_iface= and tx_iface=."""
        self.node.show_until("ports", lambda rows: all(row["link"] == state or ",iface=" not in row["device"] for row in rows))

    def check_waiting(self, gn, gb):
        """N-PDUs that waited for the link of Gb arrive when it is up, though no other frame follows them."""
        self.begin(gn=gn, gb=gb)
        self.node.wait_for("running")
        self.open_far_ends()
        self.bring_up()
        self.pass_both()
        self.lab.ip(self.lab.names["node"], "link", "set", "gb0", "down")
        self.node.show_until("ports", lambda rows: rows[1]["link"] == "down")
        sent = self.send_down(0)
        self.node.show_until("node", lambda rows: rows[0]["npdu_queued"] == len(sent))
        self.lab.ip(self.lab.names["node"], "link", "set", "gb0", "up")
        self.check_down(0, sent)
        self.check_counts()

    def check_gone(self, gn, gb):
        """An interface that is deleted and made again is another one; a line says what to do, and doing it helps."""
        self.begin(gn=gn, gb=gb)
        self.node.wait_for("running")
        self.open_far_ends()
        self.bring_up()
        self.pass_both()
        self.remake()
        for side in ("gn", "gb"):
            self.node.wait_for(f" {side}: error: the network interface of '.*' has gone; restart gbflow when it is there again")
        self.check_counts()
        self.sent = {"down": 0, "up": 0}
        self.begin(gn=gn, gb=gb)
        self.node.wait_for("running")
        self.bring_up()
        self.pass_both()
        self.check_counts()

    def remake(self):
        for interface in ("gn0", "gb0"):
            self.lab.ip(self.lab.names["node"], "link", "del", interface)
        self.lab.link()


class Interfaces(Toggled):
    """Both ends of a veth pair have an interface; the port takes one."""

    def test_af_packet(self):
        """With a ring of its own size, and past the kernel's queueing discipline."""
        more = ",blocksz=8192,framesz=2048,framecnt=1024,qdisc_bypass=1"
        self.walk("net_af_packet0,iface=gn0" + more, "net_af_packet1,iface=gb0" + more)

    def test_af_packet_that_waits(self):
        self.check_waiting("net_af_packet0,iface=gn0", "net_af_packet1,iface=gb0")

    def settings(self, gn_more, gb_more=""):
        """A node with these keys of its ports; its rows of `show ports`."""
        self.begin(gn="net_af_packet0,iface=gn0", gb="net_af_packet1,iface=gb0", gn_more=gn_more, gb_more=gb_more)
        self.node.wait_for("running")
        return self.node.show("ports")

    def test_a_tag_on_the_wire(self):
        """By the device with offloads, by the worker without."""
        for offloads, told in (("auto", "vlan-strip vlan-insert"), ("none", "none")):
            with self.subTest(offloads):
                with self.lab.inside("ggsn"):
                    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE_ALL))
                wire.bind(("gn1", ETHERTYPE_ALL))
                wire.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
                wire.settimeout(60)
                rows = self.settings(f', vlan = 7, offloads = "{offloads}"')
                self.assertEqual([row["offloads"] for row in rows], [told, "none"])
                self.assertEqual(vlan_of(wire), 7)  # of the node's announcement
                wire.close()
                self.assertEqual(self.node.stop(), 0)

    def test_promiscuous(self):
        for more, count in (("", "0"), (", promiscuous = true", "1")):
            with self.subTest(more):
                self.settings(more, more)
                for interface in ("gn0", "gb0"):
                    told = lab.run("ip", "-n", self.lab.names["node"], "-d", "link", "show", interface)
                    self.assertIn(f"promiscuity {count} ", told)
                self.assertEqual(self.node.stop(), 0)

    def test_a_narrow_interface(self):
        """Uplink N-PDUs longer than its MTU go in fragments, which a line says."""
        self.lab.ip(self.lab.names["node"], "link", "set", "gn0", "mtu", "1000")
        self.begin(gn="net_af_packet0,iface=gn0", gb="net_af_packet1,iface=gb0")
        self.node.wait_for("gn: warn: gn.mtu: the network interface takes IP packets of 1000 octets; longer ones are sent in fragments")
        self.node.wait_for("running")
        self.open_far_ends()
        self.bring_up()
        self.pass_up(0)
        self.assertEqual(self.node.stop(), 0)

    def test_af_packet_with_too_many_queues(self):
        """The kernel would deal frames to queues that no worker polls."""
        self.begin(gn="net_af_packet0,iface=gn0,qpairs=2", gb="net_af_packet1,iface=gb0")
        self.assertEqual(self.node.finish(), 1)
        self.assertRegex("\n".join(self.node.lines), "the device has 2 queues for 1 worker, and frames come to each of them")

    def test_one_interface_for_both(self):
        self.begin(gn="net_af_packet0,iface=gn0", gb="net_af_packet1,iface=gn0")
        self.assertEqual(self.node.finish(), 1)
        self.assertRegex("\n".join(self.node.lines), "its network interface is gn.port's, too")

    def test_af_packet_that_is_deleted(self):
        self.check_gone("net_af_packet0,iface=gn0", "net_af_packet1,iface=gb0")

    def test_pcap_that_is_deleted(self):
        self.check_gone("net_pcap0,iface=gn0", "net_pcap1,iface=gb0")

    def test_af_xdp_that_is_deleted(self):
        lab.need(self, missing_xdp())
        self.check_gone("net_af_xdp0,iface=gn0,force_copy=1", "net_af_xdp1,iface=gb0,force_copy=1")

    def test_af_xdp(self):
        """Frames are copied: veth has no zero copy."""
        lab.need(self, missing_xdp())
        self.walk("net_af_xdp0,iface=gn0,force_copy=1", "net_af_xdp1,iface=gb0,force_copy=1")

    def test_af_xdp_takes_combined_queues(self):
        """An end of a veth pair has one, however many it was made with."""
        lab.need(self, missing_xdp())
        self.begin(gn="net_af_xdp0,iface=gn0,force_copy=1,queue_count=2", gb="net_af_xdp1,iface=gb0,force_copy=1")
        self.assertEqual(self.node.finish(), 1)
        self.assertRegex("\n".join(self.node.lines), "queue count 2 is larger than combined queue count 1")

    def test_pcap(self):
        """libpcap sends and hears on an interface."""
        self.walk("net_pcap0,iface=gn0", "net_pcap1,rx_iface_in=gb0,tx_iface=gb0")

    def test_pcap_that_hears_itself(self):
        """With rx_iface= the port receives what it sends, and the node drops that."""
        self.walk("net_pcap0,rx_iface=gn0,tx_iface=gn0", "net_pcap1,rx_iface_in=gb0,tx_iface=gb0")
        self.assertGreaterEqual(self.node.report["gn_frames"]["drops"]["other_mac"], self.sent["up"])


class InterfacesOfTwo(Toggled):
    """Two workers: the kernel deals the frames of an interface to the sockets of a fanout group."""

    workers = 2

    def test_af_packet(self):
        self.walk("net_af_packet0,iface=gn0,qpairs=2", "net_af_packet1,iface=gb0,qpairs=2")


class Tapped(node.Node):
    side = "tap"


class Taps(Toggled):
    """Interfaces that the port makes; at their other end is the kernel of the node's namespace."""

    of_node, ggsn_side, bss_side = Tapped, "tap", "tap"

    def setUp(self):
        super().setUp()
        lab.need(self, None if os.access("/dev/net/tun", os.R_OK | os.W_OK) else "needs /dev/net/tun")
        self.lab.add("tap")

    def set_up_kernel(self):
        for interface, address in (("gn0", lab.GN_GGSN), ("gb0", lab.GB_BSS)):
            self.lab.ip(self.lab.names["tap"], "address", "add", address + "/24", "dev", interface)
        self.set_links("up")

    def test_tap(self):
        self.walk("net_tap0,iface=gn0", "net_tap1,iface=gb0,mac=02:00:00:00:00:77")


class TapsOfTwo(Taps):
    """Two workers: each has a queue of the interface, to which the kernel deals flows."""

    workers = 2


if __name__ == "__main__":
    unittest.main()
