#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gb of the real osmo-pcu comes up, and packets go both ways bit by bit."""
import time
import unittest

import network
from gb_oracle import bssgp, llc
from inject import Injector, unitdata

SNS_CONFIG, SNS_CONFIG_ACK, SNS_SIZE, SNS_SIZE_ACK = 15, 16, 18, 19
NS_RESET, NS_RESET_ACK, NS_UNBLOCK_ACK, NS_ALIVE, NS_ALIVE_ACK = 2, 3, 7, 10, 11
IDS = bssgp.tlv(1, (1800).to_bytes(2, "big")) + bssgp.tlv(4, (101).to_bytes(2, "big"))
CELL = bytes.fromhex("00f110334f0051e0")
CAUSE, IMSI, BVCI_UNKNOWN = 7, 0x0D, b"\x05"
STATUS_UNKNOWN = bytes([bssgp.STATUS]) + bssgp.tlv(CAUSE, BVCI_UNKNOWN) + bssgp.tlv(bssgp.BVCI, network.BVCI.to_bytes(2, "big"))


def ms(pdu, other):
    return 1000 * (other.at_s - pdu.at_s)


class Walk(network.Case):
    def test_walk(self):
        self.bring_up()
        self.check_network_service()
        self.check_cells()
        self.check_flow_control()
        self.check_packets()
        self.check_headers()
        self.check_a_repeated_reset()
        self.finish()
        self.assertEqual((self.air.collisions, self.bts.lost_blocks), (0, 0))

    def one(self, is_down, kind):
        found = self.pdus(is_down, kind)
        self.assertEqual(len(found), 1, kind)
        return found[0]

    def check_network_service(self):
        reset, ack = self.one(False, ("ns", NS_RESET)), self.one(True, ("ns", NS_RESET_ACK))
        self.assertEqual(ack.octets[1:], IDS)
        self.assertLess(ms(reset, ack), 3000)
        self.figure(1, f"NS-RESET acknowledged in {ms(reset, ack):.2f} ms, sent once")
        unblocked = self.one(True, ("ns", NS_UNBLOCK_ACK))
        alive = self.pdus(False, ("ns", NS_ALIVE))[0]
        answer = self.pdus(True, ("ns", NS_ALIVE_ACK))[0]
        self.assertLess(ms(alive, answer), 1000)
        self.figure(2, f"NS-ALIVE {ms(alive, unblocked):.2f} ms before NS-UNBLOCK-ACK, answered in {ms(alive, answer):.2f} ms")

    def first(self):
        return self.one(False, ("ns", NS_RESET))

    def check_cells(self):
        resets, acks = (self.pdus(is_down, ("bssgp", kind))
                        for is_down, kind in ((False, bssgp.BVC_RESET), (True, bssgp.BVC_RESET_ACK)))
        self.assertEqual([pdu.bssgp.number(bssgp.BVCI) for pdu in resets], [0, network.BVCI])
        self.assertEqual([list(pdu.bssgp.elements.items()) for pdu in acks],
                         [[(bssgp.BVCI, bytes(2))], [(bssgp.BVCI, network.BVCI.to_bytes(2, "big"))]])
        self.assertEqual(self.one(True, ("bssgp", bssgp.BVC_UNBLOCK_ACK)).bvci, 0)
        self.figure(3, f"one BVC-RESET of each BVC, acknowledged in {ms(resets[0], acks[0]):.2f} and {ms(resets[1], acks[1]):.2f} ms")
        self.assertEqual(resets[1].bssgp.elements[8], CELL)
        self.assertNotIn("bvc_cell_id_mismatch", [row["name"] for row in self.node.show("counts")])

    def check_flow_control(self):
        begin, first = self.first(), self.pdus(False, ("bssgp", bssgp.FC_BVC))[0]
        self.figure(4, f"first FLOW-CONTROL-BVC {ms(begin, first):.2f} ms after the first NS PDU")
        self.assertLess(ms(begin, first), 200)
        row = self.node.show("bvc")[0]
        values = [row[name] for name in ("bucket_octets", "rate_bps", "ms_bucket_octets", "ms_rate_bps")]
        self.assertEqual(values, [100000, 80000, 25000, 20000])
        self.figure(6, f"bucket {values}")

    def check_packets(self):
        phone, took = self.phones[0], []
        for seed, octets in enumerate((40, 41, 490, 491, 1000, 1500)):
            took.append(self.check_down(phone, octets, seed))
        sizes = sorted({len(pdu.bssgp.elements[bssgp.LLC_PDU]) for pdu in self.pdus(True, ("bssgp", bssgp.DL_UNITDATA))})
        self.figure(12, f"LLC-PDUs of {sizes[0]} .. {sizes[-1]} octets, N-PDUs of 40 .. 1500 bit by bit; an idle mobile's first "
                        f"after {1000 * took[0]:.0f} ms")
        self.assertLess(sizes[-1], 1544)
        for scheme in (1, 2, 3, 4):
            phone.radio.scheme = scheme
            took.append(self.check_up(phone, 40 + 365 * (scheme - 1), scheme))
        self.figure(15, f"uplink CS-1 to CS-4 bit by bit; 1135 octets in {1000 * took[-1]:.0f} ms")

    def check_headers(self):
        for pdu in self.pdus(True, ("bssgp", bssgp.DL_UNITDATA)):
            self.assertEqual(list(pdu.bssgp.elements)[-1], bssgp.LLC_PDU)
            self.assertEqual(pdu.bssgp.elements[IMSI], bytes.fromhex("0910100000000010"))
            self.assertGreater(pdu.bssgp.number(bssgp.LIFETIME), 0)
        groups = {group for _, group in self.air.assignments_of(self.phones[0].radio)}
        self.assertEqual(groups, {"001"})
        self.figure(13, f"IMSI and lifetime in each DL-UNITDATA, paging group {groups}")
        ups = self.pdus(False, ("bssgp", bssgp.UL_UNITDATA))
        for pdu in ups:
            self.assertEqual((pdu.octets[9:12], pdu.bssgp.elements[8], pdu.bssgp.elements[0]), (b"\0\0\4", CELL, b""))
            self.assertTrue(llc.decode(pdu.bssgp.elements[bssgp.LLC_PDU], False).fcs_good)

    def check_a_repeated_reset(self):
        injector = Injector(self.lab)
        self.addCleanup(injector.close)
        since_s = self.tap.now_s()
        injector.to_pcu(unitdata(0, STATUS_UNKNOWN))
        self.wait_for_pdu(True, ("bssgp", bssgp.BVC_RESET_ACK), since_s)
        self.wait_for_pdu(True, ("bssgp", bssgp.FC_BVC_ACK), since_s)
        time.sleep(0.1)
        self.assertEqual(len(self.node.show("bvc")), 1)
        self.check_down(self.phones[0], 300, 77)
        self.check_tags()
        self.figure(5, "cell 001-01-13135-0-20960 is (101, 1234), after a second BVC-RESET, too")

    def check_tags(self):
        asked = [(pdu.bvci, pdu.bssgp.number(bssgp.TAG), pdu.at_s) for pdu in self.pdus(False, ("bssgp", bssgp.FC_BVC))]
        acked = [(pdu.bvci, pdu.bssgp.number(bssgp.TAG), pdu.at_s) for pdu in self.pdus(True, ("bssgp", bssgp.FC_BVC_ACK))]
        self.assertEqual([row[:2] for row in acked], [row[:2] for row in asked])
        slowest_s = max(ack[2] - ask[2] for ask, ack in zip(asked, acked))
        self.figure(4, f"{len(acked)} FLOW-CONTROL-BVC acknowledged with their tags, within {1000 * slowest_s:.2f} ms")


class WalkSns(Walk):
    """The same where the PCU says by IP-SNS how it is reached."""
    dialect = "ip-sns"

    def check_network_service(self):
        ours = (True, NS_ALIVE), (False, NS_ALIVE_ACK)  # come when the machine lets them
        kinds = [kind for kind in ((pdu.is_down, pdu.octets[0]) for pdu in self.pdus()) if kind not in ours]
        reset = kinds.index((False, 0))
        self.assertEqual(kinds[:reset], [(False, SNS_SIZE), (True, SNS_SIZE_ACK), (False, SNS_CONFIG), (True, SNS_CONFIG_ACK),
                                         (True, SNS_CONFIG), (False, SNS_CONFIG_ACK)])
        size, size_ack = self.one(False, ("ns", SNS_SIZE)), self.one(True, ("ns", SNS_SIZE_ACK))
        first = self.pdus(False, ("bssgp", bssgp.BVC_RESET))[0]
        alive = self.pdus(False, ("ns", NS_ALIVE))[0]
        self.assertLess(first.at_s, alive.at_s)
        answer = self.pdus(True, ("bssgp", bssgp.BVC_RESET_ACK))[0]
        self.figure(7, f"SNS-SIZE acknowledged in {ms(size, size_ack):.2f} ms; BVC-RESET {ms(first, alive):.2f} ms before the first "
                       f"NS-ALIVE, acknowledged in {ms(first, answer):.2f} ms")

    def first(self):
        return self.one(False, ("ns", SNS_SIZE))


class WalkIpv6(Walk):
    """The same over IPv6. With IP-SNS osmo-pcu 1.1.0 does not come up there: its SNS-SIZE offers no endpoint at all."""
    gb = network.GB_IPV6

    def check_a_repeated_reset(self):
        self.check_tags()


class Long(network.Case):
    """LLC-PDUs as long as N201-U allows, below the 1543 octets that osmo-pcu takes, in IP packets longer than usual."""
    node_values = {"gb_more": ', mtu = "1600 octets"', "mobile_more": ', n201_u = "1520 octets"'}

    def test_the_longest(self):
        for side, interface in (("node", "gb0"), ("bss", "gb1")):
            self.lab.ip(self.lab.names[side], "link", "set", interface, "mtu", "1600")
        self.bring_up()
        took = [self.check_down(self.phones[0], octets, octets) for octets in (1490, 1502)]
        sizes = [len(pdu.bssgp.elements[bssgp.LLC_PDU]) for pdu in self.pdus(True, ("bssgp", bssgp.DL_UNITDATA))]
        self.assertEqual(sizes, [1500, 1512])
        self.assertEqual(self.pdus(False, ("bssgp", bssgp.STATUS)), [])
        self.figure(12, f"LLC-PDUs of {sizes} octets bit by bit in {took[0]:.2f} and {took[1]:.2f} s")
        self.finish()


if __name__ == "__main__":
    unittest.main()
