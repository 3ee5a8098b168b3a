# SPDX-License-Identifier: BSD-3-Clause
"""Gb over IPv6, in both dialects of the network service: bring-up, packets, endpoints that come and go, reload, captures."""
import os
import queue
import subprocess
import unittest

import lab
import node

import bss_peer
import sns_peer
import test_ipv6
import test_reload
import test_sns
import test_walk

SGSN, BSS, OTHER_SGSN, OTHER_BSS = "2001:db8:2::1", "2001:db8:2::2", "2001:db8:2::3", "2001:db8:2:0:0:0:0:4"
OTHER_BSS_SHORT = "2001:db8:2::4"  # as the node prints it


def over_ipv6(text):
    """A node's configuration with Gb over IPv6."""
    return text.replace("198.51.100.1", SGSN).replace("198.51.100.2", BSS)


class Case(test_walk.Case):
    text, peer_kind = over_ipv6(node.TEXT), bss_peer.Peer

    def serve(self, **values):
        for address in (BSS, OTHER_BSS):
            self.lab.give_ipv6("bss", "gb1", address)
        super().serve(text=self.text, **values)

    def peer(self, address=BSS, port=23000, **values):
        with self.lab.inside("bss"):
            peer = self.peer_kind(bss_peer.open_socket(address, port), (SGSN, 23000), **values)
        self.addCleanup(peer.close)
        return peer

    def open_ends(self):
        super().open_ends()
        self.bss.close()
        self.bss = self.peer()

    def check_packets(self):
        for seed, octets in enumerate((40, 500, 1400, 1500)):
            self.check_down(octets, seed)
        for seed, octets in enumerate((40, 576, 1400)):
            self.check_up(octets, seed)

    def finish(self):
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"]["in"], self.node.report["npdu"]["out"])


class Classic(Case):
    def test_walk(self):
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        self.check_packets()
        self.assertEqual([(row["address"], row["state"]) for row in self.node.show("nse")], [(BSS, "unblocked")])
        with self.lab.inside("bss"):
            test_ipv6.ping(self, SGSN)
        self.finish()

    def test_an_nsvc_more(self):
        """At an address that the node has not heard of before."""
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        test_reload.reload(self.node, "1 NS-VC added", text=self.text,
                           nsvcs=f', {{ nsvci = 102, address = "{OTHER_BSS}", udp_port = 23001 }}')
        second = self.peer(OTHER_BSS, 23001, nsvci=102)
        second.bring_up_ns()
        self.node.show_until("nse", lambda rows: [row["state"] for row in rows] == ["unblocked", "unblocked"])
        self.check_packets_by_either(second)
        self.finish()

    def check_packets_by_either(self, second):
        """Downlink packets go to one of the two, always the same for a mobile; both may send."""
        packet = self.down(700, 1)
        carriers = [peer for peer in (self.bss, second) if self.has_packet(peer, packet)]
        self.assertEqual(len(carriers), 1)
        for seed, peer in enumerate((self.bss, second)):
            packet = test_walk.ipv4_packet(node.ADDRESS, "192.0.2.99", 300, seed)
            peer.nu, peer.npdu = 10 * seed, 10 * seed
            peer.send_packet(packet, node.TLLI)
            self.assertEqual(test_walk.gtp.decode(self.ggsn.recv(65536)).body, packet)

    @staticmethod
    def has_packet(peer, packet):
        try:
            return peer.packet(node.TLLI, timeout_s=1) == packet
        except queue.Empty:
            return False

    def test_a_capture(self):
        """The mobile's frames are found among those of IPv6."""
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        path = os.path.join(self.node.holder.name, "gb.pcapng")
        command = [node.program(), "capture", "--prefix", self.node.prefix, "--tlli", hex(node.TLLI), "--count", "3", path]
        subprocess.run(command, check=True, capture_output=True, timeout=60, env=self.node.environment())
        self.node.show_until("capture", lambda rows: rows[0]["state"] == "on")
        self.bss.announce(tag=7)
        self.check_up(100)
        self.check_down(700)
        self.node.show_until("capture", lambda rows: rows[0]["state"] == "off")
        words = ["tshark", "-n", "-r", path, "-d", "udp.port==23000,gprs-ns", "-o", "udp.check_checksum:TRUE", "-T", "fields", "-E", "occurrence=f"]
        fields = ("ipv6.src", "udp.checksum.status", "bssgp.pdu_type")
        done = subprocess.run([*words, *(word for field in fields for word in ("-e", field))], capture_output=True, text=True,
                              check=True, timeout=60)
        self.assertEqual([line.split("\t") for line in done.stdout.splitlines()],
                         [[BSS, "1", "0x01"], [SGSN, "1", "0x00"], [SGSN, "1", "0x00"]])
        self.finish()


class Sns(Case):
    text, peer_kind = over_ipv6(test_sns.SNS), sns_peer.Peer

    def states(self):
        return [row["state"] for row in self.node.show("nse")]

    def test_walk(self):
        self.serve()
        self.open_ends()
        self.bss.bring_up()
        self.assertEqual(self.bss.heard, [(SGSN, 23000, 1, 1)])
        self.check_packets()
        other = self.peer(OTHER_BSS, 23002)
        self.assertEqual(self.bss.change(sns_peer.SNS_ADD, 1, [sns_peer.endpoint(OTHER_BSS, 23002)]), None)
        self.assertEqual(self.states(), ["alive", "alive"])
        self.assertEqual(self.bss.change(sns_peer.SNS_DELETE, 2, [sns_peer.endpoint(BSS, 23000)]), None)
        self.node.show_until("neighbours", lambda rows: any(row["address"] == OTHER_BSS_SHORT and row["state"] == "known"
                                                             for row in rows))
        packet = self.down(700, 3)
        self.assertEqual(other.packet(node.TLLI), packet)
        self.assertEqual(other.change(sns_peer.SNS_DELETE, 3, [sns_peer.endpoint(BSS, 23000)]), 0x12)
        self.finish()

    def test_two_endpoints_of_ours(self):
        self.serve(nsvcs=f', endpoints = {{ {{ }}, {{ address = "{OTHER_SGSN}", udp_port = 23001 }} }}')
        self.open_ends()
        self.bss.bring_up()
        self.assertEqual(self.bss.heard, [(SGSN, 23000, 1, 1), (OTHER_SGSN, 23001, 1, 1)])
        self.node.show_until("nse", lambda rows: all(row["test"] == "resting" for row in rows))
        self.check_down(900, 1)
        self.bss.node = (OTHER_SGSN, 23001)
        self.check_up(900, 1)
        self.finish()


if __name__ == "__main__":
    unittest.main()
