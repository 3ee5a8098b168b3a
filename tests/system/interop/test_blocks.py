#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Octets of the air interface against rows that were seen between osmo-pcu and a mobile, and both ends of a TBF joined."""
import os
import random
import socket
import sys
import tempfile
import unittest
from collections import deque

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.normpath(os.path.join(HERE, "../../../python")))

from gbflow_bts import egprs, pcuif, rlcmac  # noqa: E402
from gbflow_bts.air import Air  # noqa: E402
from gbflow_bts.bits import BitWriter  # noqa: E402
from gbflow_bts.bts import Bts  # noqa: E402
from gbflow_bts.mobile import Mobile  # noqa: E402
from gbflow_bts.rlc_down import DownTbf  # noqa: E402
from gbflow_bts.rlc_up import UpTbf  # noqa: E402

ALL = (1 << 64) - 1
# Of MCS-6 and MCS-9, as osmo-pcu sent them.
SEEN_6 = bytes.fromhex("0f000000ce7f10700082c40444482efe56351894b4e67ee946289bd5f93f205b45e2ca").ljust(77, b"\xca") + b"\x0a"
SEEN_9 = bytes.fromhex(
    "07000302000d011f9cd4942a68a28449ef1b1d2424866258569fc948626272c9cddc77d4237597072f215770dc1f0b2a61b313c2bc39067dc40ce676fef0a25aee"
    "e79a0a3ca567107acdf79cbe82bc94ccd2969c27c7476c9f6ccc148e9413ef424ec04dba01ac643de5f4c077cacdbbd6eecc70171ee56d9282509ff394c38821a3"
    "7d5124383eadd72c475519eaf5515eb1d9ab942d54f44805")


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
            (rlcmac.up_assignment, "4f2858000000e679b3a200100b", rlcmac.Assignment(False, ("tlli", 0xC0000007), 0, (4,), (0,), 2)),
            (rlcmac.down_assignment, "480800004403cd9e080400", rlcmac.Assignment(True, ("up", 0), 0, (4,))),
            (rlcmac.down_assignment, "4f08200840f36786010 00b", rlcmac.Assignment(True, ("down", 0), 1, (4,))),
            (rlcmac.down_assignment, "4f084f000000200f8079b3c1008208203001", rlcmac.Assignment(True, ("tlli", 0x78000001), 0, (4, 5, 6, 7))),
            (rlcmac.up_assignment, "4f284f00000030080a01e6ce880010",
             rlcmac.Assignment(False, ("tlli", 0x78000001), 0, (6,), (0,), rlcmac.MCS_1)),
            (rlcmac.up_ack, "4f2401032f0000003c0087f004",
             rlcmac.UpAck(0, rlcmac.MCS_1, True, 1, {0, *range(1985, 2048)}, 0x78000001)),
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


def egprs_block(scheme, head, units):
    """A downlink block; head: fields as (value, at); units: (E, FBI, octets) of each RLC block."""
    number, at = sum(value << place for value, place in head), egprs.HEADER_BITS[scheme]
    for is_without_lengths, final, octets in units:
        number |= is_without_lengths << at | final << at + 1 | int.from_bytes(octets, "little") << at + 2
        at += 2 + 8 * len(octets)
    size = next(octets for octets, one in egprs.SCHEME_OF.items() if one == scheme)
    return number.to_bytes(size, "little")


class Egprs(unittest.TestCase):
    def test_seen(self):
        self.assertEqual(egprs.header(SEEN_6, 104), rlcmac.Header(False, 7, 117))
        self.assertEqual(egprs.header(SEEN_9, 650), rlcmac.Header(False, 7, None))
        unit, = egprs.data_units(SEEN_6)
        self.assertEqual((unit.tfi, unit.bsn, unit.pieces),
                         (0, 0, [(bytes.fromhex("41c0010812131021b9f85bd56050d29afba51ba16c56e7ff806c1589"), True)]))
        first, second = egprs.data_units(SEEN_9)
        self.assertEqual((first.bsn, second.bsn), (12, 13))
        (one, one_ends), (other, other_ends) = *first.pieces, *second.pieces
        self.assertEqual((one[:4].hex(), len(one), one_ends, other[-3:].hex(), len(other), other_ends),
                         ("43c00727", 74, False, "458f54", 74, False))

    def test_lengths(self):
        """Of MCS-2: several PDUs, filling, one that ended with the block before, one that ends with the last block."""
        for start, final, rest, pieces in (
                (bytes([3 << 1, 20 << 1 | 1]), 0, b"abc" + b"d" * 20 + b"efg", [(b"abc", True), (b"d" * 20, True), (b"efg", False)]),
                (bytes([4 << 1, 127 << 1 | 1]), 0, b"abcd".ljust(26, b"+"), [(b"abcd", True)]),
                (bytes([0 << 1 | 1]), 0, b"e" * 27, [(b"", True), (b"e" * 27, False)]),
                (b"", 1, b"f" * 28, [(b"f" * 28, True)])):
            with self.subTest(rest):
                octets = egprs_block(12, [(3, 7), (2047, 14)], [(not start, final, start + rest)])
                unit, = egprs.data_units(octets)
                self.assertEqual((unit.tfi, unit.bsn, bool(unit.final), unit.pieces), (3, 2047, bool(final), pieces))

    def test_each_scheme(self):
        for scheme, size in egprs.UNIT_OCTETS.items():
            chance, count = random.Random(scheme), 2 if scheme >= egprs.TWO_UNITS else 1
            sent = [chance.randbytes(size) for _ in range(count)]
            head = [(5, 0), (0b10, 3), (1, 5), (17, 7), (2000, 14), *[(60, 25)] * (count - 1)]
            octets = egprs_block(scheme, head, [(1, 0, unit) for unit in sent])
            self.assertEqual(egprs.header(octets, 0), rlcmac.Header(False, 5, 17))
            units = egprs.data_units(octets)
            self.assertEqual([(unit.tfi, unit.bsn, unit.pieces) for unit in units],
                             [(17, (2000 + 60 * i) % 2048, [(unit, False)]) for i, unit in enumerate(sent)])

    def test_padded_and_split(self):
        content = int.from_bytes(b"x" * 68, "little")
        unit, = egprs.data_units(egprs_block(16, [(2, 25), (1, 28 + 48), (content, 28 + 48 + 2)], []))  # E lies behind 48 bits
        self.assertEqual(unit.pieces, [(b"x" * 68, False)])
        with self.assertRaises(ValueError):
            egprs.data_units(egprs_block(11, [(2, 29)], [(1, 0, bytes(22))]))

    def test_answers(self):
        """Nothing is missing; one block is, before the newest one."""
        for numbers, wants, text in (([0], False, "40200087b004"), ([0], True, "40200400000087b004"), ([0, 1, 2, 3, 6], False, "40200088b00aab")):
            tbf = egprs.EgprsDown((4,), 0, 0)
            for number in numbers:
                tbf.take(rlcmac.DataUnit(0, False, number, [(b"a", False)]))
            self.assertEqual(tbf.ack(wants)[:len(text) // 2].hex(), text)

    def carry(self, pdus, loss, seed):
        chance, queue = random.Random(seed), deque(pdus)
        up, down, got = egprs.EgprsUp((4, 0, 0), 0xC0000001, queue, 0), egprs.EgprsDown((4,), 0, 0), []
        for turn in range(5000):
            octets = up.block(None)
            if octets is None:
                break
            if chance.random() >= loss:
                got += down.take(down_unit(octets))
            if turn % 8 == 7:
                first, last = down.v_q + 1, down.v_r
                known = {number % 2048 for number in range(max(0, down.v_q - 64), last) if number < down.v_q or number in down.ahead}
                up.acknowledge(rlcmac.UpAck(0, rlcmac.MCS_1, down.is_whole(), max(first - 1, last) % 2048, known, 0xC0000001))
        return got

    def test_joined(self):
        """What an uplink TBF of MCS-1 cuts a downlink one puts together."""
        for loss in (0.0, 0.3):
            chance = random.Random(5)
            pdus = [chance.randbytes(size) for size in range(1, 120)]
            self.assertEqual(self.carry(pdus, loss, 6), pdus)
        for size in range(1, 80):
            self.assertEqual(self.carry([bytes([size]) * size], 0.0, 1), [bytes([size]) * size])


def down_unit(octets):
    """An uplink block of MCS-1 as a downlink one has its fields."""
    number = int.from_bytes(octets, "little")
    shows_tlli, countdown = number >> 32 & 1, number >> 2 & 15
    unit = (number >> 33).to_bytes(23, "little")[:22]
    head = 0
    if not number >> 31 & 1:
        while not unit[head] & 1:
            head += 1
        head += 1
    unit = unit[:head] + unit[head + 4 * shows_tlli:]
    return rlcmac.DataUnit(number >> 6 & 31, countdown == 0, number >> 11 & 2047,
                           egprs.pieces(unit, not number >> 31 & 1, countdown == 0))


class Versions(unittest.TestCase):
    """The end of a PCU: which version of the interface it is told, and how blocks of the AGCH and PCH are confirmed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "pcu_bts")
        self.air = Air([Mobile(0xC0000004, "001010000000004")])
        bts = Bts(path, pcuif.Cell(mcs=9), self.air)
        self.addCleanup(bts.close)
        self.pcu = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(self.pcu.close)
        self.pcu.settimeout(60)
        self.pcu.connect(path)

    def told(self, version):
        self.pcu.send(bytes([pcuif.TXT_IND, 0, 0, 0, pcuif.PCU_VERSION]) + version.encode().ljust(128, b"\0"))
        return self.pcu.recv(4096)

    def ask(self, sapi, octets):
        """The answer to a block."""
        self.pcu.send(pcuif.DATA.pack(pcuif.DATA_REQ, 0, sapi, len(octets), octets, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        answer = self.pcu.recv(4096)
        self.told("")  # answered when the mobiles have heard the block
        return answer

    def test_version_10(self):
        for version in ("1.1.0", "1.2.0", "1.3.1.4-abc", "nonsense"):
            octets = self.told(version)
            self.assertEqual((octets[0], octets[4], len(octets)), (pcuif.INFO_IND, 10, 1006))
        flags = int.from_bytes(octets[8:12], "little")
        self.assertEqual([bit for bit in range(32) if flags >> bit & 1], [0, *range(16, 20), *range(20, 29)])
        block = padded("2d063f30 0c e367 7d 8008 1c 00 dc000000480003".replace(" ", ""))
        self.assertEqual(self.ask(pcuif.PCH, b"004" + block)[0], pcuif.DATA_CNF)
        self.assertEqual(self.air.mobiles[0].down.slots, (4,))

    def test_version_12(self):
        for version in ("1.4.0", "1.5.1", "2.0"):
            octets = self.told(version)
            self.assertEqual((octets[0], octets[4], len(octets), octets[1006]), (pcuif.INFO_IND, 12, 1007, 5))
        block = padded("2d063f30 0c e367 7d 8008 1c 00 dc000000480003".replace(" ", ""))
        answer = self.ask(pcuif.PCH_12, b"\1\2\3\4" + b"001010000000004".ljust(17, b"\0") + block + b"\1")
        self.assertEqual(answer, bytes([pcuif.CONFIRM, 0, 0, 0, 8, 1, 2, 3, 4]))
        self.assertEqual([(group, order.tlli) for _, group, order in self.air.assignments], [("004", 0xC0000004)])
        answer = self.ask(pcuif.AGCH_12, b"\5\6\7\10" + block + b"\1")
        self.assertEqual(answer, bytes([pcuif.CONFIRM, 0, 0, 0, 9, 5, 6, 7, 8]))
        self.pcu.send(pcuif.DATA.pack(pcuif.DATA_REQ, 0, 9, 28, b"\5\6\7\10" + block, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        self.assertEqual(self.told("")[0], pcuif.INFO_IND)  # that one is not answered
        self.assertEqual(len(self.air.assignments), 3)


class Timeslots(unittest.TestCase):
    """A mobile whose downlink TBF is given more timeslots, of which it can listen to some."""

    def order(self, whom, slots, tfi):
        """PACKET DOWNLINK ASSIGNMENT."""
        kind, number = whom
        bits = BitWriter().put(0x4F, 8).put(rlcmac.DOWN_ASSIGNMENT, 6).put(0, 2 + 1)
        bits = bits.put(0b10, 2).put(number, 32) if kind == "tlli" else bits.put(0b01, 2).put(number, 5)
        bits.put(0, 1 + 2 + 1 + 1).put(sum(0x80 >> slot for slot in slots), 8)
        return bits.put(0, 1 + 1 + 1 + 1).put(1, 1).put(tfi, 5).octets()

    def hear(self, mobile, slot, octets):
        mobile.hear(pcuif.Data(pcuif.PDTCH, octets, 104, slot), 1)

    @staticmethod
    def block(tfi, bsn):
        return egprs_block(12, [(7, 0), (tfi, 7), (bsn, 14)], [(1, 0, bytes([bsn]) * 28)])

    def test_more_timeslots(self):
        mobile = Mobile(0xC0000004, "001010000000004")
        mobile.assigned(rlcmac.Immediate(6, 0, tlli=mobile.tlli), 0)
        self.hear(mobile, 6, self.block(0, 0))
        self.hear(mobile, 6, self.order(("down", 0), (4, 5, 6, 7), 3))
        for slot in (4, 5, 6, 7):
            self.hear(mobile, slot, self.block(3, slot - 3))
        self.hear(mobile, 3, self.block(3, 5))
        self.assertEqual((mobile.down.v_q, mobile.down.slots), (5, (4, 5, 6, 7)))
        self.assertEqual((mobile.blocks[12], mobile.slots_used), (5, {4: 1, 5: 1, 6: 2, 7: 1}))
        mobile.foreign(True, (1, 2), 3)
        self.assertIsNotNone(mobile.down)
        mobile.foreign(True, (5,), 3)
        self.assertIsNone(mobile.down)

    def test_two_receivers(self):
        mobile = Mobile(0xC0000004, "001010000000004")
        mobile.receivers = 2
        mobile.assigned(rlcmac.Immediate(6, 0, tlli=mobile.tlli), 0)
        self.hear(mobile, 6, self.order(("tlli", mobile.tlli), (4, 5, 6, 7), 3))
        self.assertEqual(len(mobile.down.slots), 2)
        self.assertIn(6, mobile.down.slots)
        for slot in (4, 5, 6, 7):
            self.hear(mobile, slot, self.block(3, slot - 4))
        self.assertEqual(sum(mobile.slots_used.values()), 2)


class Joined(unittest.TestCase):
    """What an uplink TBF cuts a downlink one puts together: the layout of both is the same but for the TLLI."""

    def carry(self, pdus, scheme, loss, seed):
        chance, queue = random.Random(seed), deque(pdus)
        up, down, got = UpTbf((4, 0, 0), None, queue, 0), DownTbf((4,), 0, 0), []
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
        down, got = DownTbf((4,), 0, 0, *[is_lost] if is_down else []), []
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
