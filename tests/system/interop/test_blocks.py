#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Octets of the air interface against rows that were seen between osmo-pcu and a mobile, and both ends of a TBF joined."""
import os
import random
import sys
import unittest
from collections import deque

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.normpath(os.path.join(HERE, "../../../python")))

from gbflow_bts import pcuif, rlcmac  # noqa: E402
from gbflow_bts.rlc_down import DownTbf  # noqa: E402
from gbflow_bts.rlc_up import UpTbf  # noqa: E402

ALL = (1 << 64) - 1


def padded(text, octets=23):
    return bytes.fromhex(text).ljust(octets, b"\x2b")


class Octets(unittest.TestCase):
    def test_downlink(self):
        rows = (
            (rlcmac.immediate, "2d063f10 0c e367 7a 0084 00 00 c800100b", rlcmac.Immediate(4, 0, usf=0, reference=(0x7A, 0, 4, 4), scheme=1)),
            (rlcmac.immediate, "2d063f30 0c e367 7d 8008 1c 00 dc000000480003", rlcmac.Immediate(4, 0, tlli=0xC0000004)),
            (rlcmac.immediate, "2d063a10", None),
            (rlcmac.data_unit, "0700020e2f4a17ba43c00954494e59328ab89143c00d54",
             rlcmac.DataUnit(0, False, 1, [(bytes.fromhex("4a17ba"), True), (bytes.fromhex("43c00954494e59328ab891"), True),
                                           (bytes.fromhex("43c00d54"), False)])),
            (rlcmac.up_assignment, "4f2858000000e679b3a200100b", rlcmac.Assignment(False, ("tlli", 0xC0000007), 0, 4, 0, 2)),
            (rlcmac.down_assignment, "480800004403cd9e080400", rlcmac.Assignment(True, ("up", 0), 0, 4)),
            (rlcmac.down_assignment, "4f08200840f36786010 00b", rlcmac.Assignment(True, ("down", 0), 1, 4)),
            (rlcmac.up_ack, "4024004040000000000000007800000078014b", rlcmac.UpAck(0, 2, False, 1, {0}, 0xC0000003)),
            (rlcmac.up_ack, "4f2400e340000000000007fff80000007801 4b",
             rlcmac.UpAck(0, 4, True, 13, set(range(13)), 0xC0000003)),
        )
        for decode, text, wanted in rows:
            with self.subTest(text):
                self.assertEqual(decode(padded(text.replace(" ", ""))), wanted)

    def test_uplink(self):
        rows = (
            (rlcmac.down_ack(0, False, (5, ALL), False), "400800bfffffffffffffffe500000b"),
            (rlcmac.down_ack(0, True, (74, ALL), False), "4008195fffffffffffffffe500000b"),
            (rlcmac.down_ack(0, False, (7, ALL), True), "400800fffffffffffffffff000000500000b"),
            (rlcmac.control_ack(0xC0000007), "40070000001f"),
            (rlcmac.up_block(1, (15, 0, 0xC0000003), 0, [], b"\x43\xc0" + 14 * b"A"), "3c0101c000000343c0" + 14 * "41"),
            (rlcmac.up_block(1, (0, 0, 0xC0000003), 12, [(6, False, True)], bytes.fromhex("454e44071232")), "00011819c0000003454e44071232"),
        )
        for octets, text in rows:
            with self.subTest(text):
                self.assertEqual(octets, padded(text))

    def test_polls_and_blocks(self):
        for first, frame, due in ((0x0F, 1040, 1053), (0x4F, 4285, 4298), (0x07, 4285, None), (0x0F, 2715643, 8)):
            self.assertEqual(rlcmac.header(bytes([first]), frame).poll_frame, due)
        for frame, following in ((0, 4), (47, 52), (99, 104), (2715643, 0)):
            self.assertEqual(rlcmac.next_block(frame), following)

    def test_the_cell(self):
        octets = pcuif.info_ind(pcuif.Cell(nsvcs=[pcuif.Nsvc(remote="10.99.0.2")]))
        text = ("3f 0100 0100 00 4f33 0000 6500 030303031e030a 03030303030a030a030a03 e051 fa00 03 d204 14 05 05 a0 05 0a 04 08 0f "
                "c409 c409 01 01 0807 0000 d859 0000 d859 0000 04 00 0a630002")
        self.assertEqual(octets[908:908 + len(bytes.fromhex(text))], bytes.fromhex(text))
        self.assertEqual(octets[:20].hex(), "320000000a00000001000f006703f00000000000")
        self.assertEqual((len(octets), pcuif.DATA.size), (1006, 184))


class Joined(unittest.TestCase):
    """What an uplink TBF cuts a downlink one puts together: the layout of both is the same but for the TLLI."""

    def carry(self, pdus, scheme, loss, seed):
        chance, queue = random.Random(seed), deque(pdus)
        up, down, got = UpTbf((4, 0, 0), None, queue, 0), DownTbf(4, 0, 0), []
        for turn in range(5000):
            octets = up.block(scheme)
            if octets is None:
                break
            if chance.random() >= loss:
                unit = rlcmac.data_unit(octets)
                unit.final = octets[0] >> 2 == 0
                unit.pieces = [(piece, ends or unit.final and i + 1 == len(unit.pieces))
                               for i, (piece, ends) in enumerate(unit.pieces)]
                got += down.take(unit)
            if turn % 8 == 7:
                ssn, bitmap = down.window()
                received = {(ssn - 1 - i) % 128 for i in range(64) if bitmap >> i & 1}
                up.acknowledge(rlcmac.UpAck(0, scheme, down.is_whole(), ssn, received, None))
        return got

    def test_all_lengths(self):
        for scheme in (1, 2, 3, 4):
            for loss in (0.0, 0.3):
                chance = random.Random(scheme)
                pdus = [chance.randbytes(size) for size in range(1, 120)]
                self.assertEqual(self.carry(pdus, scheme, loss, scheme), pdus)
                self.assertEqual(self.carry(pdus[:49], scheme, loss, scheme), pdus[:49])

    def test_one_pdu_of_each_length(self):
        for scheme in (1, 2, 3, 4):
            for size in range(1, 160):
                self.assertEqual(self.carry([bytes([size]) * size], scheme, 0.0, 1), [bytes([size]) * size])

    def test_lost_but_acknowledged(self):
        """As in unacknowledged mode: downlink PDUs with a lost block are gone, of uplink ones its octets are 0; all the rest is whole."""
        pdus, chance = [bytes([number + 1]) * 70 for number in range(60)], random.Random(3)
        _, blocks = self.carry_lossy(pdus, True, 0.0)
        spoilt = {octets[0] for pieces in blocks if chance.random() < 0.2 for octets, _ in pieces}
        gone = [pdu[0] in spoilt for pdu in pdus]
        self.assertGreater(sum(gone), 10)
        for is_down in (True, False):
            got, _ = self.carry_lossy(pdus, is_down, 0.2)
            if is_down:
                self.assertEqual(got, [pdu for pdu, is_gone in zip(pdus, gone) if not is_gone])
            else:
                self.assertEqual([pdu != seen for pdu, seen in zip(pdus, got)], gone)
                self.assertEqual([len(pdu) for pdu in got], [70] * 60)

    @staticmethod
    def carry_lossy(pdus, is_down, share):
        """(what arrives, pieces by block)."""
        fate, blocks = random.Random(3), []

        def is_lost():
            return fate.random() < share
        up = UpTbf((4, 0, 0), None, deque(pdus), 0, *[] if is_down else [is_lost])
        down, got = DownTbf(4, 0, 0, *[is_lost] if is_down else []), []
        while not up.is_closed:
            unit = rlcmac.data_unit(up.block(4))
            unit.final = up.is_closed
            unit.pieces = [(piece, ends or unit.final and i + 1 == len(unit.pieces)) for i, (piece, ends) in enumerate(unit.pieces)]
            blocks.append(unit.pieces)
            got += down.take(unit)
            up.acknowledge(rlcmac.UpAck(0, 4, False, up.sent % 128, set(range(128)), None))
        return got, blocks


if __name__ == "__main__":
    unittest.main()
