# SPDX-License-Identifier: BSD-3-Clause
"""The table and its predicates, and what finds and counts differences."""
import argparse
import contextlib
import io
import unittest

import judges
from judges_kit import faults, gtp_octets, kinds, osmo, shapes, trial
from judges_kit.case import VERDICT, Case, Opinion, difference, saying
from judges_kit.kind import Row


def case(ours, theirs, octets=b"\x43\xc0\x15", verdicts=("ok", "ok")):
    mine, yours = Opinion(verdicts[0], ours), Opinion(verdicts[1], theirs)
    return Case(octets, mine, yours, difference(mine, yours))


class Table(unittest.TestCase):
    def test_table_and_predicates_have_the_same_rows(self):
        self.assertEqual(list(judges.undocumented()), [])

    def test_a_row_without_partner_is_named(self):
        table = "| LLC-1 | tshark | a | b | c | d |\n"
        self.assertEqual(list(faults.documented(table)), ["LLC-1"])
        for broken in (table + table, "| LLC-1 | tshark | a | b | c |\n", "| LLC-1 | tshark | a |  | c | d |\n"):
            with self.assertRaises(ValueError):
                faults.documented(broken)

    def test_no_id_twice(self):
        with self.assertRaises(ValueError):
            faults.row("LLC-1", "tshark", "llc")(lambda one: ())

    def test_every_row_names_kinds_that_there_are(self):
        for name, row in faults.ROWS.items():
            self.assertLessEqual(row.kinds, set(kinds.KINDS), name)
            self.assertIn(row.judge, ("tshark", "libosmocore"), name)


class Differences(unittest.TestCase):
    def test_names_of_what_differs(self):
        for ours, theirs, expect in (
                ({"nu": "5"}, {"nu": "5"}, set()), ({"nu": "5"}, {"nu": "6"}, {"nu"}), ({"nu": "5"}, {}, {"nu"}),
                ({}, {"e": "1"}, {"e"}), ({"data": ""}, {}, set())):
            self.assertEqual(case(ours, theirs).differing, frozenset(expect))

    def test_verdicts(self):
        for verdicts, expect in ((("ok", "malformed"), {VERDICT}), (("truncated", "ok"), {VERDICT}),
                                 (("truncated", "malformed"), set())):
            self.assertEqual(case({"nu": "1"}, {}, verdicts=verdicts).differing, frozenset(expect))

    def test_unseen_fields_do_not_count(self):
        self.assertEqual(difference(Opinion("ok", {"a": "1", "b": "2"}), Opinion("ok", {"b": "2"}), {"a"}), frozenset())

    def test_a_line(self):
        one = saying("ok\tnu=5\tdata=\n")
        self.assertEqual((one.verdict, one.fields), ("ok", {"nu": "5", "data": ""}))


class Ledger(unittest.TestCase):
    ROWS = {"A-1": faults.Row("tshark", ["llc"], lambda one: {"nu"} if one.octets[0] == 1 else ()),
            "A-2": faults.Row("tshark", ["llc"], lambda one: {"e"}),
            "A-3": faults.Row("libosmocore", ["llc"], lambda one: {"nu", "e"})}

    def test_rows_cover_parts(self):
        ledger = faults.Ledger("tshark", "llc", self.ROWS)
        both = case({"nu": "1", "e": "0"}, {"nu": "2", "e": "1"}, b"\1")
        self.assertEqual(ledger.unexplained(both), frozenset())
        self.assertEqual(ledger.matched, {"A-1": 1, "A-2": 1})

    def test_what_no_row_covers_is_left(self):
        result = trial.Result("llc", "tshark", self.ROWS)
        result.add(case({"nu": "1"}, {"nu": "2"}, b"\2"))
        result.add(case({"nu": "1"}, {"nu": "2"}, b"\1"))
        result.add(case({"nu": "1"}, {"nu": "1"}))
        self.assertEqual((result.frames, result.differing, result.unexplained), (3, 2, 1))
        self.assertIn("02", "".join(result.lines()))

    def test_idle_rows(self):
        results = [trial.Result(kind, "tshark") for kind in ("sndcp", "llc")]
        for one in results:
            one.frames = judges.ENOUGH
            one.ledger.matched.update(name for name in one.ledger.rows if name != "LLC-4")
        self.assertEqual(list(judges.idle(results)), ["row LLC-4 matched nothing: it is out of date"])
        results[1].frames -= 1
        self.assertEqual(list(judges.idle(results)), [])


class Octets(unittest.TestCase):
    def test_shapes(self):
        for protocol, octets, elements, rest in (
                (shapes.NS, "0d048200650705880a00000359d80001", [4, 5], (True, [], None, [])),
                (shapes.NS, "12048200650a01070004080001", [4, 10, 7, 8], (True, [], None, [])),
                (shapes.NS, "020182006504820065", [1, 4], (False, [0], None, [])),
                (shapes.NS, "0b", [], (True, [], None, [])),
                (shapes.NS, "110482006505", [4], (True, [], None, [])),
                (shapes.BSSGP, "2204820000078108", [4, 7], (True, [], None, [])),
                (shapes.BSSGP, "2204820000810708", [4], (False, [7], 0x81, [])),
                (shapes.BSSGP, "220481000781083b00", [4, 7], (False, [], 0x3B, [4])),
                (shapes.BSSGP, "2a1f84c12345670482070804820709", [0x1F, 4, 4], (True, [], None, []))):
            found = shapes.Shape(protocol, bytes.fromhex(octets))
            self.assertEqual([kind for kind, _ in found.elements], elements, octets)
            self.assertEqual((found.is_ordered, sorted(found.missing()), found.cut, found.short()), rest, octets)

    def test_messages(self):
        for octets, chain, payload, flags in (
                ("30ff000100000001" "45", [], b"E", (False, False)), ("30ff000200000001" "45", [], None, (True, False)),
                ("34ff000900000001" "000000c0" "01000000" "45", [0xC0], b"E", (False, False)),
                ("34ff000900000001" "000000c0" "00000000" "45", [0xC0], None, (False, True))):
            found = gtp_octets.Message(bytes.fromhex(octets))
            self.assertEqual((found.chain, found.payload, (found.is_cut, found.chain_is_broken)), (chain, payload, flags))
        found = gtp_octets.Message(bytes.fromhex("321a0010000000000000000010000001018500040a000002"))
        self.assertEqual([kind for kind, _ in found.elements], [16, 133])
        self.assertEqual(gtp_octets.Message(bytes.fromhex("30010003000000000e0006")).unknown, 6)

    def test_osmo(self):
        ours = Opinion("ok", {"elements": "0405dc,0708", "absent": "3b"})
        for theirs, expect in (("0405dc,0708", set()), ("0405dcff,0708,99aa", set()), ("0405dd,0708", {"elements"}),
                               ("0708", {"elements"}), ("0405dc,0708,3b01", {"absent"})):
            self.assertEqual(osmo.difference(ours, Opinion("ok", {"elements": theirs}), False), frozenset(expect), theirs)
        bad = Opinion("malformed", {"error_cause": "34"})
        for verdict, expect in (("missing", set()), ("short", {"cause"}), ("cut", set()), ("ok", {VERDICT})):
            self.assertEqual(osmo.difference(bad, Opinion(verdict, {"elements": ""}), False), frozenset(expect))

    def test_numbers(self):
        row = Row({"a": "0x1f", "b": "True", "c": "7\x1f0x08"})
        self.assertEqual((row.first("a"), row.first("b"), row.all("c"), row.all("d"), row.value("d")),
                         ("31", "1", ["7", "8"], [], 0))


class Words(unittest.TestCase):
    def test_usage(self):
        for words in ([], ["--frames", "x", "--count", "0"], ["--frames", "x", "tcp"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                judges.arguments(words)
        given = judges.arguments(["--frames", "x", "llc"])
        self.assertIsInstance(given, argparse.Namespace)
        self.assertEqual((given.kinds, given.count), (["llc"], 1000000))


if __name__ == "__main__":
    unittest.main()
