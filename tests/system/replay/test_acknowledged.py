# SPDX-License-Identifier: BSD-3-Clause
"""Replays to mobiles in LLC's acknowledged mode, which the far side of Gb plays: it answers SABM and acknowledges I frames."""
import struct
import unittest

import captures
import gbflow
import test_gtpu

PACKETS, OCTETS = 40, 1000
KEYS = ("", 'ciphering = { algorithm = "gea3", kc = "2bd6459f82c5bc00" },',
        'ciphering = { algorithm = "gea4", kc = "d3c5d592327fb11c4035c6680af8c6d1" },')


def packet(number):
    """IPv4 to the mobile."""
    head = struct.pack(">BBHHHBBH", 0x45, 0, OCTETS, number, 0, 64, 17, 0) + bytes([192, 0, 2, 1]) + bytes([10, 45, 0, 1])
    return head[:10] + struct.pack(">H", test_gtpu.checksum(head)) + head[12:] + bytes(OCTETS - 20)


class Acknowledged(gbflow.Case):
    def replay_with(self, key, more):
        frames = [captures.Frame(test_gtpu.START + i * test_gtpu.SECOND // 5, test_gtpu.udp(
            test_gtpu.GGSN_V4, test_gtpu.SGSN_V4, test_gtpu.g_pdu(packet(i)))) for i in range(PACKETS)]
        mobile = test_gtpu.mobile(test_gtpu.IPV4).replace("nsapi = 5,", 'nsapi = 5, llc = "acknowledged",').replace(
            "bvci = 1800,", "bvci = 1800, " + key)
        text = gbflow.node_text("replay-80k", [('source = "gtpc",', mobile), gbflow.SMALL, ("  lifetime = {", more + "  lifetime = {")])
        result = self.replay(self.write("node.lua", text), capture=captures.pcap(self.path("gn.pcap"), frames))
        self.assertEqual(result.status, 0, result)
        return result.report

    def test_all_is_confirmed(self):
        for key in KEYS:
            for more, least in (("", PACKETS), ('  llc = { acknowledged = { n201_i = "140 octets", k_down = 4 } },\n', PACKETS * 7)):
                report = self.replay_with(key, more)
                links = report["acknowledged"][0]
                self.assertEqual((report["npdu"]["in"], report["npdu"]["out"]), (PACKETS, PACKETS))
                self.assertEqual([links[name] for name in ("established", "failed", "repeated", "abandoned", "unconfirmed")],
                                 [1, 0, 0, 0, 0])
                self.assertGreaterEqual(links["frames"], least)
                self.assertGreater(links["uplink_frames"], PACKETS / 8)


if __name__ == "__main__":
    unittest.main()
