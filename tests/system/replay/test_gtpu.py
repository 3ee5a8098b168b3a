# SPDX-License-Identifier: BSD-3-Clause
"""Tunnels over IPv6 and supervised paths, through the program as a whole; captures are made here, octet by octet."""
import ipaddress
import os
import struct
import unittest

import captures
import gbflow

SECOND = 10**9
START = 1_700_000_000 * SECOND
SGSN, GGSN, MOBILE, FAR = (ipaddress.ip_address(text) for text in (
    "2001:db8:1::1", "2001:db8:1::2", "2001:db8:42:7::abc", "2001:db8:ffff::1"))
SGSN_V4, GGSN_V4 = ipaddress.ip_address("10.98.0.2"), ipaddress.ip_address("10.98.0.1")
UDP, GTPU_PORT, TEID, GGSN_TEID = 17, 2152, 0x1001, 0x2002
PATH = 'gn = { path = { every = "1 s", t3 = "100 ms", n3 = 2, lab = true%s } },\n\n  lifetime = {'


def checksum(octets):
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets[:len(octets) & ~1])) + (octets[-1] << 8 if len(octets) % 2 else 0)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def udp(source, destination, payload):
    """A datagram from and to GTP-U's port, in the IP version of its addresses, in Ethernet."""
    octets = struct.pack(">HHHH", GTPU_PORT, GTPU_PORT, 8 + len(payload), 0) + payload
    if source.version == 4:
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(octets), 0, 0, 64, UDP, 0) + source.packed + destination.packed
        return bytes(12) + b"\x08\x00" + head[:10] + struct.pack(">H", checksum(head)) + head[12:] + octets
    pseudo = source.packed + destination.packed + struct.pack(">II", len(octets), UDP)
    octets = octets[:6] + struct.pack(">H", checksum(pseudo + octets) or 0xFFFF) + octets[8:]
    return bytes(12) + b"\x86\xdd" + struct.pack(">IHBB", 6 << 28, len(octets), UDP, 64) + pseudo[:32] + octets


def user_packet(destination, octets=60):
    return struct.pack(">IHBB", 6 << 28, octets - 40, 59, 64) + FAR.packed + destination.packed + bytes(octets - 40)


def g_pdu(packet):
    return struct.pack(">BBHI", 0x30, 255, len(packet), TEID) + packet


def echo_response(seq):
    return struct.pack(">BBHIHH", 0x32, 2, 6, 0, seq, 0) + b"\x0e\x00"


def mobile(addresses):
    return ('source = "list", list = { { imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, contexts = { '
            f'{{ nsapi = 5, teid = {TEID:#x}, ggsn_teid = {GGSN_TEID:#x}, {addresses} }} }} }} }},')


IPV6 = f'sgsn_address = "{SGSN}", ggsn_address = "{GGSN}", ipv6_address = "{MOBILE}"'
IPV4 = f'sgsn_address = "{SGSN_V4}", ggsn_address = "{GGSN_V4}", address = "10.45.0.1"'


class Gtpu(gbflow.Case):
    def play(self, addresses, frames, pairs=()):
        """Frames as (seconds after the start, octets). Gb is brought up in the second before the first of them."""
        text = gbflow.node_text("replay-80k", [('source = "gtpc",', mobile(addresses)), ("queue_limit = \"64 kB\",", ""), *pairs,
                                               gbflow.SMALL])
        capture = captures.pcap(self.path("gn.pcap"), [captures.Frame(START + int(at * SECOND), octets) for at, octets in frames])
        result = self.replay(self.write("node.lua", text), capture=capture)
        self.assertEqual(result.status, 0, result)
        return result

    def test_tunnel_over_ipv6(self):
        spoiled = bytearray(udp(GGSN, SGSN, g_pdu(user_packet(MOBILE))))
        spoiled[-1] ^= 1
        other = ipaddress.ip_address("2001:db8:42:8::abc")
        frames = [(0, udp(GGSN, SGSN, g_pdu(user_packet(MOBILE)))), (1, udp(GGSN, SGSN, g_pdu(user_packet(other)))),
                  (2, bytes(spoiled)), (3, udp(FAR, SGSN, g_pdu(user_packet(MOBILE)))),
                  (4, udp(GGSN, SGSN, g_pdu(user_packet(SGSN))))]
        report = self.play(IPV6, frames).report
        self.assertEqual((report["npdu"]["in"], report["npdu"]["out"]), (4, 1))
        self.assertEqual(report["frames"]["drops"]["udp_checksum"], 1)
        for reason in ("npdu_address", "other_ggsn", "npdu_infrastructure"):
            self.assertEqual(report["drops"][reason], 1, reason)
        self.assertEqual(report["sessions"][0]["sgsn_address"], str(SGSN))
        self.assertEqual(report["paths"], [{"sgsn_address": str(SGSN), "ggsn_address": str(GGSN), "contexts": 1, "state": "off",
                                            "requests": 0, "retransmissions": 0, "answers": 0, "failures": 0}])

    def supervised(self, addresses, ends, more=""):
        """A node of its own brings the first path up 1 s before the first frame: requests are due at 0 s, 1 s, 2 s ..."""
        ours, theirs, packet = ends
        frames = [(0.05, udp(theirs, ours, echo_response(0))), (1.06, udp(theirs, ours, echo_response(0))),
                  (1.12, udp(theirs, ours, echo_response(1))), (2.9, packet)]
        return self.play(addresses, frames, [("lifetime = {", PATH % more)])

    def test_path_up(self):
        for name, addresses, ends in (("IPv4", IPV4, (SGSN_V4, GGSN_V4, bytes(60))), ("IPv6", IPV6, (SGSN, GGSN, bytes(60)))):
            with self.subTest(name):
                result = self.supervised(addresses, ends)
                path, gn = result.report["paths"][0], result.report["gn"]
                self.assertEqual((path["state"], path["requests"], path["retransmissions"], path["answers"], path["failures"]),
                                 ("down", 3, 1, 2, 1), path)
                self.assertEqual((gn["echo_requests"], gn["echo_answered"], gn["echo_unexpected"]), (4, 2, 1))
                self.assertEqual(result.stderr.count("down, no answer to 2 Echo Requests"), 1)
                self.assertEqual(result.report["npdu"]["in"], 0)

    def test_path_lost(self):
        """Its contexts end, and with them the supervision."""
        result = self.supervised(IPV4, (SGSN_V4, GGSN_V4, udp(GGSN_V4, SGSN_V4, g_pdu(user_packet(MOBILE)))),
                                 ', on_loss = "delete"')
        path = result.report["paths"][0]
        self.assertEqual((path["contexts"], path["state"], path["failures"]), (0, "off", 1))
        self.assertEqual(result.report["gn"]["lost_sessions"], 1)


if __name__ == "__main__":
    unittest.main()
