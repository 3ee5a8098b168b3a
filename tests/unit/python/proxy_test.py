#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gbflow_proxy: the NRI of a TLLI and its SGSN, headers of NS and BSSGP, the configuration."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

from gbflow_proxy import config, wire  # noqa: E402  pylint: disable=wrong-import-position
from gbflow_proxy.selection import Member, Pool, Refused  # noqa: E402  pylint: disable=wrong-import-position

NOBODY_DOWN = {1, 2, 3}


def pool_of(bits=5, nulls=(0,), fallback=False):
    """Three SGSNs: NRIs 1 to 3, 4, none."""
    pool = Pool(bits, nulls, fallback)
    pool.members = [Member(nsei) for nsei in (1, 2, 3)]
    pool.add(pool.members[0], 1, 3)
    pool.add(pool.members[1], 4, 4)
    return pool


def tlli_of(nri, bits=5, top=0b11, low=0x1234):
    return top << 30 | nri << 24 - bits | low


class Nri(unittest.TestCase):
    def test_values(self):
        """Rows of TS 23.236: bits 23 downward; a made-up TLLI has none."""
        for bits, tlli, nri in ((5, 0xC0181234, 3), (5, 0x80281234, 5), (5, 0xC0F01234, 30), (10, 0xC0554321, 341), (10, 0x80554321, 341),
                                (4, 0xC0F00000, 15), (1, 0xC07FFFFF, 0), (1, 0xC0800000, 1), (10, 0xFF554321, 341), (0, 0xC0181234, None),
                                (5, 0x78181234, None), (5, 0x70181234, None), (15, 0xC0FFFE00, 0x7FFF)):
            with self.subTest(tlli=hex(tlli), bits=bits):
                self.assertEqual(Pool(bits, ()).nri_of(tlli), nri)

    def pick(self, pool, tlli, up=NOBODY_DOWN):
        member = pool.pick(tlli, lambda member: member.nsei in up)
        return member and member.nsei

    def test_known_nri(self):
        pool = pool_of()
        pool.members[0].takes_attach = False
        for top in (0b11, 0b10):
            self.assertEqual([self.pick(pool, tlli_of(nri, top=top)) for nri in (1, 2, 3, 4)], [1, 1, 1, 2])

    def test_hash(self):
        """NULL-NRI, an NRI of nobody and made-up TLLIs go to all that allow attach and are up, each TLLI to the same one."""
        pool = pool_of()
        for make in (lambda low: tlli_of(0, low=low), lambda low: tlli_of(31, low=low), lambda low: 0x78000000 + low * 17):
            picked = [self.pick(pool, make(low)) for low in range(300)]
            self.assertEqual(picked, [self.pick(pool, make(low)) for low in range(300)])
            self.assertGreater(min(picked.count(nsei) for nsei in (1, 2, 3)), 50)
            self.assertEqual({self.pick(pool, make(low), up={1, 3}) for low in range(100)}, {1, 3})
            pool.members[0].takes_attach = False
            self.assertEqual({self.pick(pool, make(low)) for low in range(100)}, {2, 3})
            self.assertIsNone(self.pick(pool, make(1), up={1}))
            pool.members[0].takes_attach = True

    def test_down(self):
        """The SGSN of an NRI is down: nobody, or another one with fallback."""
        self.assertIsNone(self.pick(pool_of(), tlli_of(2), up={2, 3}))
        self.assertEqual({self.pick(pool_of(fallback=True), tlli_of(2, low=low), up={2, 3}) for low in range(100)}, {2, 3})
        self.assertEqual(self.pick(pool_of(fallback=True), tlli_of(2)), 1)

    def test_changes(self):
        pool = pool_of()
        first, second, _ = pool.members
        pool.delete(first, 2, 2)
        self.assertEqual(first.ranges, [(1, 1), (3, 3)])
        pool.add(second, 2, 2)
        self.assertEqual([self.pick(pool, tlli_of(nri)) for nri in (1, 2, 3)], [1, 2, 1])
        for change, words in ((lambda: pool.add(first, 2, 2), "SGSN 2 has it"), (lambda: pool.add(first, 0, 1), "NULL-NRI"),
                              (lambda: pool.add(first, 30, 32), "at most 31"), (lambda: pool.delete(first, 4, 9), "has none of these"),
                              (lambda: pool.member(9), "no SGSN has this NSEI")):
            with self.assertRaisesRegex(Refused, words):
                change()
        self.assertEqual((first.ranges, second.ranges), ([(1, 1), (3, 3)], [(4, 4), (2, 2)]))


class Wire(unittest.TestCase):
    def test_elements(self):
        long = bytes(200)
        pdu = b"\x2a" + wire.tlv(0x1F, b"\1\2\3\4") + wire.tlv(4, b"\0\7") + wire.tlv(4, b"\0\x08") + wire.tlv(0x0E, long)
        self.assertEqual(wire.elements(pdu), {0x1F: b"\1\2\3\4", 4: b"\0\7", 0x0E: long})
        for size in range(1, len(pdu)):
            try:
                found = wire.elements(pdu[:size])
            except wire.Malformed:
                continue
            self.assertIn(size, (1, 7, 11, 15))
            self.assertTrue(found.items() <= wire.elements(pdu).items())

    def test_number(self):
        found = {4: b"\0\7"}
        self.assertEqual(wire.number(found, 4, 2), 7)
        for iei, octets in ((4, 1), (5, 2)):
            with self.assertRaises(wire.Malformed):
                wire.number(found, iei, octets)

    def test_scaled(self):
        """Bmax and R, nothing else; 1 unit at least, and nothing of nothing."""
        def flow(bucket, rate):
            return b"\x26" + b"".join(wire.tlv(iei, value.to_bytes(size, "big")) for iei, value, size in (
                (0x1E, 7, 1), (5, bucket, 2), (3, rate, 2), (1, 50, 2), (0x1C, 60, 2)))
        for given, percent, told in (((100, 200), 50, (50, 100)), ((100, 200), 100, (100, 200)), ((1, 3), 33, (1, 1)), ((0, 0), 50, (0, 0))):
            self.assertEqual(wire.scaled(flow(*given), percent), flow(*told))

    def test_features(self):
        """As the field's proxy says them."""
        self.assertEqual(wire.bvc_reset(0).hex(), "2204820000078108" + "3b8100698100")
        self.assertEqual(wire.bvc_reset(7, bytes(8)).hex(), "220482000707810808880000000000000000")


class Configuration(unittest.TestCase):
    def test_example(self):
        given = config.read(config.EXAMPLE)
        self.assertEqual([member.ranges for member in given.pool.members], [[(1, 3)], [(4, 4)]])
        self.assertEqual((given.ratio, given.pool.bits, given.pool.null_nris), (50, 5, {0}))

    def test_wrong(self):
        for path, value, words in (
                (("nri_bits",), 16, "^nri_bits: must be a number, 0 to 15$"), (("ratio",), 0, "^ratio: "), (("ratio",), True, "^ratio: "),
                (("null_nri",), [32], "^null_nri: "), (("null_nri",), [2], r"^sgsns\[1\].nris: NRI 2: is a NULL-NRI"),
                (("sgsns", 1, "nris"), [[3, 5]], r"^sgsns\[2\].nris: NRI 3: SGSN 201 has it"), (("sgsns",), [], "^sgsns: must have one"),
                (("sgsns", 1, "nsei"), 201, r"^sgsns\[2\].nsei: 201 is that of another"), (("sgsns", 0, "remote"), "x", r"^sgsns\[1\].remote: "),
                (("sgsns", 0, "nris"), [[1, 2, 3]], r"^sgsns\[1\].nris\[1\]: "), (("sgsns", 0, "what"), 1, r"^sgsns\[1\].what: there is no"),
                (("what",), 1, "^what: there is no such key"), (("timers", "retry"), 0, "^timers.retry: "), (("fallback",), 1, "^fallback: ")):
            given = json.loads(config.EXAMPLE)
            at = given
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
            with self.subTest(path=path), self.assertRaisesRegex(config.Wrong, words):
                config.read(json.dumps(given))
        with self.assertRaisesRegex(config.Wrong, "^bss_listen: is missing$"):
            config.read("{}")


if __name__ == "__main__":
    unittest.main()
