# SPDX-License-Identifier: BSD-3-Clause
"""Mobiles that change the cell: seen from the first frame there, asked about by FLUSH-LL, and nothing is lost on the way."""
import os
import unittest

import scenario
from gb_oracle import gb, report

FLUSH_LL, FLUSH_LL_ACK = 0x2A, 0x2B
INFINITE = 'lifetime = { sgsn_max = "infinite", bss_max = "infinite" },'
DOWNLOAD = 'traffic = { { download = { octets = "infinite" } } }'


def text(moves, *, rest_of_mobiles="", duration="60 s"):
    """Two cells, four PDCHs and one; mobile "a" begins in the first."""
    lua = scenario.text(duration=duration, sgsn=INFINITE, cells='pdchs = 4, flow_control = { bucket_time = "2 s" }',
                        mobiles=f'{{ name = "a", {DOWNLOAD} }}, {rest_of_mobiles}', rest=f"moves = {{ {moves} }},")
    return lua.replace("1520 octets", "500 octets").replace(
        "cells = { {", 'cells = { { bvci = 3, coding = "CS-2", pdchs = 1, flow_control = { bucket_time = "2 s" } }, {').replace(
            'name = "a",', 'name = "a", cell = 2,')


def move(at, cell, mobile="a"):
    return f'{{ at = "{at}", mobile = "{mobile}", cell = {cell} }}'


class Moves(scenario.Case):
    @staticmethod
    def signalling(result):
        """(time_s, type, octets) of BSSGP PDUs on the signalling BVC."""
        found = []
        for frame in scenario.capture.read(os.path.join(result.out, "gb.pcapng")):
            ns_pdu = frame.octets[42:]
            if ns_pdu[:4] == bytes(4) and len(ns_pdu) > 4:
                found.append((frame.time_ns / 1e9, ns_pdu[4], ns_pdu[4:]))
        return found

    def test_carries_over(self):
        """A download over three moves: every segment arrives once and in order, as if nothing had happened."""
        result = self.play_text(text(", ".join([move("10 s", 3), move("30.005 s", 2), move("40.02 s", 3)])), "--pcap")
        summary = result.summary
        self.assertEqual(summary["tcp"][0]["retransmitted_fraction"], 0)
        self.assertEqual(summary["conservation"]["sgsn"]["dropped"] + summary["conservation"]["bss"]["dropped"], 0)
        pdus = [(time, kind) for time, kind, _ in self.signalling(result) if kind in (FLUSH_LL, FLUSH_LL_ACK)]
        self.assertEqual([kind for _, kind in pdus], 3 * [FLUSH_LL, FLUSH_LL_ACK])
        for (time, _), at in zip(pdus[::2], (10, 30.005, 40.02)):
            self.assertTrue(0 < time - 1 - at < 1.5, (time, at))
        for cell in ("2", "3"):
            self.assertGreater(summary["cells"][cell]["air_utilisation"], 0.3)

    def test_gaps(self):
        """Without a cell a mobile receives nothing; afterwards the old cell's queue is carried over, in its own cell it waits."""
        for cell in (3, 2):
            with self.subTest(cell=cell):
                result = self.play_text(text(f'{{ at = "20 s", mobile = "a", cell = {cell}, gap = "8 s" }}'))
                summary = result.summary
                rates = [value for time, _, value in scenario.lines_of(result, "goodput_bps") if 22 <= time <= 28]
                self.assertEqual((len(rates) > 3, set(rates)), (True, {0}))
                self.assertGreater(sum(value for time, _, value in scenario.lines_of(result, "goodput_bps") if time > 40), 0)
                self.assertEqual(summary["conservation"]["sgsn"]["dropped"] + summary["conservation"]["bss"]["dropped"], 0)

    def test_flow_follows(self):
        """After a move nothing goes to the old cell, and the old cell's bucket forgets what was flushed."""
        result = self.play_text(text(move("20 s", 3)), "--pcap")
        flushed_s = next(time for time, kind, _ in self.signalling(result) if kind == FLUSH_LL)
        events = gb.load(os.path.join(result.out, "gb.pcapng"), report.Report())
        cells = {(event.bvci, event.time_ns / 1e9 >= flushed_s) for event in events if isinstance(event, gb.DlPdu)}
        self.assertEqual(cells, {(2, False), (3, True)})
        levels = [value for time, of, value in scenario.lines_of(result, "bucket_level_octets") if of == "bvc 2" and time >= 22]
        self.assertEqual(set(levels), {0})

    def test_many(self):
        """Twelve mobiles go to and fro every second, in and out of each other's way: all is accounted for."""
        names = [f"m{i}" for i in range(1, 13)]
        moves = ", ".join(move(f"{2 + i / 12 + second:.3f} s", 2 + (i + second) % 2, name)
                          for second in range(50) for i, name in enumerate(names))
        lua = text(moves, rest_of_mobiles=f'{{ name = "m", count = 12, cell = 2, {DOWNLOAD} }}')
        summary = self.play_text(lua).summary
        self.assertEqual(summary["conservation"]["bss"]["dropped"], 0)
        for row in summary["tcp"]:
            self.assertGreater(row["octets"], 0)

    def test_another_area(self):
        """To another routing area nothing may be carried over: what the old cell held is deleted, and counted."""
        lua = text(move("20 s", 3)).replace("bvci = 3,", "bvci = 3, routing_area = 2,")
        result = self.play_text(lua, "--pcap")
        (_, _, flush), (_, _, ack) = [pdu for pdu in self.signalling(result) if pdu[1] in (FLUSH_LL, FLUSH_LL_ACK)]
        self.assertEqual((len(flush), ack[:1] + ack[7:10]), (1 + 6 + 4, bytes((FLUSH_LL_ACK, 0x0C, 0x81, 0))))
        octets = int.from_bytes(ack[12:15], "big")
        books, drops = result.summary["conservation"], result.summary["cells"]["2"]["drops"]
        self.assertTrue(0 < drops["flushed"] == books["bss"]["dropped"])
        self.assertTrue(drops["flushed"] * 40 < octets, octets)
        self.assertGreater(result.summary["tcp"][0]["retransmitted_fraction"], 0)


if __name__ == "__main__":
    unittest.main()
