# SPDX-License-Identifier: BSD-3-Clause
"""Mobiles send SNDCP segments whose N-PDUs never end: downlink, echo, signalling and other uplink packets continue."""
import struct
import unittest

import lab
import node
import test_walk

import bss_peer
from gb_oracle import bssgp, gtp, llc

MOBILES, NSAPIS, SEGMENTS = 24, range(5, 16), 15
CONTEXT = ("{{ nsapi = {1}, teid = {2}, sgsn_address = '192.0.2.1', ggsn_address = '192.0.2.2', ggsn_teid = {2}, "
           "address = '10.46.{0}.{1}' }}")


def mobile(number):
    contexts = ", ".join(CONTEXT.format(number, nsapi, 0x10000 + 16 * number + nsapi) for nsapi in NSAPIS)
    return f'{{ imsi = "2624200001{number:05}", tlli = {0xC0000100 + number}, bvci = 1800, contexts = {{ {contexts} }} }}'


def segment(nsapi, index, npdu):
    """An SN-UNITDATA PDU that says that more segments follow (TS 44.065 clause 7.2)."""
    head = bytes([0x70 | nsapi, 0]) if index == 0 else bytes([0x30 | nsapi])
    return head + bytes([index << 4 | npdu >> 8, npdu & 255]) + bytes(20)


class Segments(test_walk.Case):
    def flood(self, rounds):
        """As many first segments of N-PDUs without end as all buffers of the node, in each round."""
        for npdu in range(rounds):
            for number in range(MOBILES):
                nu = 0
                for nsapi in NSAPIS:
                    for index in range(SEGMENTS):
                        self.send(number, llc.encode_ui(3, nu + npdu * 165, segment(nsapi, index, npdu), command_bit=False))
                        nu += 1
                self.bss.bvc_ask(bytes([bssgp.BVC_UNBLOCK]) + bssgp.tlv(bssgp.BVCI, struct.pack(">H", 1800)),
                                 bssgp.BVC_UNBLOCK_ACK)  # signalling, and all before is read

    def send(self, number, frame):
        head = bytes([bssgp.UL_UNITDATA]) + struct.pack(">I", 0xC0000100 + number) + bytes([0, 0, 4])
        self.bss.send_bssgp(1800, head + bssgp.tlv(8, bss_peer.CELL_ID) + bssgp.tlv(0, b"") + bssgp.tlv(bssgp.LLC_PDU, frame))

    def check_echo(self, seq):
        self.ggsn.sendto(struct.pack(">BBHIHH", 0x32, 1, 4, 0, seq, 0), (lab.GN_SGSN, test_walk.GTPU))
        self.assertEqual(gtp.decode(self.ggsn.recv(65536)).kind, 2)

    def test_without_end(self):
        text = node.TEXT.replace("fragments = 64", "fragments = 64, reassemblies = 256")
        self.serve(text=text, mobiles=", ".join([node.MOBILE, *map(mobile, range(MOBILES))]), limit=512)
        self.open_ends()
        self.bss.bring_up()
        self.bss.announce(bucket_octets=6000000, rate_bps=6000000, tag=2)
        self.check_down(500, 1)
        self.check_up(576, 1)
        self.flood(2)
        self.check_down(500, 2)
        self.check_up(576, 2)
        self.check_echo(7)
        drops = {row["reason"]: row["count"] for row in self.node.show("drops")}
        self.assertGreaterEqual(drops["sndcp_limit"], 2 * MOBILES * len(NSAPIS) * SEGMENTS - 1024 - 512)
        self.assertEqual(sum(row["no_buffer"] for row in self.node.show("ports")), 0)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
