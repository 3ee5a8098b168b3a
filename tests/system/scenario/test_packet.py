# SPDX-License-Identifier: BSD-3-Clause
"""gbflow run --packet: the way of an N-PDU agrees with series.csv and the captures, and changes no result."""
import argparse
import filecmp
import os
import re
import unittest

import scenario
from scenario import capture, gbflow

OTHERS = ("summary.json", "series.csv", "gb.pcapng", "gn.pcapng")
LEAD_S = 1  # captures begin so long before the scenario
TOLERANCE_S = 1e-6


class Packet(scenario.gbflow.Case):
    def setUp(self):
        super().setUp()
        self.scenario = self.path("s.lua")
        with open(self.scenario, "w", encoding="utf-8") as file:
            file.write(scenario.text(
                duration="40 s", rest='warmup = "10 s",', cells='bler = "10 %", pdchs = 2, flow_control = { bucket_time = "1 s" }',
                mobiles=f'{{ name = "a", count = 2, {self.key()} traffic = {{ {{ download = {{ octets = "infinite" }} }} }} }}'))

    def key(self):
        return 'ciphering = { algorithm = "gea3", kc = "2bd6459f82c5bc00" },' if self.id().endswith("test_ciphered") else ""

    def run_it(self, folder, *words, status=0):
        result = gbflow.run("run", self.scenario, "--set", "sgsn.n201_u=500 octets", "--out", self.path(folder), "--no-report", *words)
        self.assertEqual(result.status, status, result)
        result.out = self.path(folder)
        return result

    def packet(self, result):
        return gbflow.read_json(os.path.join(result.out, "packet.json"))

    def test_chosen(self):
        """The third row of the mobile's delay_s; captures have its first octet on Gb."""
        result = self.run_it("chosen", "--packet=a2:3", "--pcap=gb,gn")
        packet = self.packet(result)
        at_s, _, delay_s = [row for row in scenario.lines_of(result, "delay_s") if row[1].startswith("a2 ")][2]
        self.assertEqual((packet["mobile"], packet["number"], packet["is_default"]), ("a2", 3, False))
        self.assertAlmostEqual(packet["delivered_s"], at_s, delta=TOLERANCE_S)
        self.assertAlmostEqual(packet["delivered_s"] - packet["server_s"], delay_s, delta=TOLERANCE_S)
        for link, times in (("gn", [packet["sgsn_s"]]), ("gb", [segment["sgsn_s"] for segment in packet["segments"]])):
            seen = [frame.time_ns / 1e9 - LEAD_S for frame in capture.read(os.path.join(result.out, link + ".pcapng"))]
            for time_s in times:
                self.assertTrue(any(abs(time_s - other) < TOLERANCE_S for other in seen), (link, time_s))
        self.check_order(packet)

    def check_order(self, packet):
        """Instants follow each other; each block that had errors comes again, and the last time without."""
        first = packet["segments"][0]
        order = [packet[name] for name in ("server_s", "ggsn_s", "sgsn_s", "head_s")] + [first["sgsn_s"]]
        self.assertEqual(order, sorted(order))
        for segment in packet["segments"]:
            blocks = [block for block in packet["blocks"] if segment["first_block"] <= block["number"] <= segment["last_block"]]
            self.assertLessEqual(segment["bss_s"], blocks[0]["from_s"] + TOLERANCE_S)
            last = {block["number"]: block["is_bad"] for block in blocks}
            self.assertEqual(last, {number: False for number in range(segment["first_block"], segment["last_block"] + 1)})
            self.assertEqual(sum(block["is_bad"] for block in blocks), len(blocks) - len(last))
            self.assertLessEqual(max(block["to_s"] for block in blocks), segment["mobile_s"] + TOLERANCE_S)
        self.assertEqual(packet["segments"][-1]["mobile_s"], packet["delivered_s"])
        self.assertGreater(sum(segment["llc_octets"] for segment in packet["segments"]), packet["octets"])
        for before, after in zip(packet["waits"], packet["waits"][1:]):
            self.assertLessEqual(before["to_s"], after["from_s"] + TOLERANCE_S)

    def test_ciphered(self):
        self.check_order(self.packet(self.run_it("ciphered", "--packet=a1:5")))

    def test_default(self):
        """Of the mobile with the largest p95 of its delays, an N-PDU with this delay; no other file differs from a run without."""
        result = self.run_it("default", "--packet", "--pcap=gb,gn")
        packet = self.packet(result)
        rows = gbflow.read_json(os.path.join(result.out, "summary.json"))["mobiles"]
        slowest = max(rows, key=lambda row: row["delay_s"]["p95"])
        self.assertEqual((packet["mobile"], packet["is_default"]), (slowest["mobile"], True))
        self.assertAlmostEqual(packet["delivered_s"] - packet["server_s"], slowest["delay_s"]["p95"], delta=TOLERANCE_S)
        self.check_order(packet)
        other = self.run_it("without", "--pcap=gb,gn")
        for name in OTHERS:
            self.assertTrue(filecmp.cmp(os.path.join(result.out, name), os.path.join(other.out, name), shallow=False), name)
        self.run_it("default")
        self.assertFalse(os.path.exists(os.path.join(result.out, "packet.json")))  # of an earlier run

    def test_page(self):
        result = gbflow.run("run", self.scenario, "--out", self.path("page"), "--packet=a1:9")
        self.assertEqual(result.status, 0, result)
        with open(self.path("page/report.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("N-PDU 9 that was delivered to a1 (class background", page)
        self.assertGreater(page.count('class="part"'), 10)

    def test_wrong(self):
        for words, status, message, *more in (("a1:0", 2, "--packet must be MOBILE:N"), ("a1", 2, "--packet must be MOBILE:N"), (":1", 2, "MOBILE:N"),
                                       ("a1:1x", 2, "not a1:1x"), ("a1: 5", 2, "not a1: 5"), ("a1:+5", 2, "not a1:+5"), ("a1:1", 2, "--packet is given more than once", "a2:1"),
                                       ("a\x1b[31m:1", 2, "'a?[31m' is no mobile of the scenario"), ("b" * 10000, 2, "N from 1 on, not " + "b" * 60 + "...\n"), ("b:1", 2, "--packet: 'b' is no mobile of the scenario: one of a1, a2"),
                                       ("a1:99999999", 1, "N-PDUs were delivered to this mobile")):
            with self.subTest(words=words):
                self.assertIn(message, self.run_it("wrong", *(f"--packet={word}" for word in (words, *more)), status=status).stderr)

    def test_words_for_a_terminal(self):
        """What it would obey is a question mark, wherever the word is given."""
        for words in (("\x1b[31m",), ("run", "\x1b[31m"), ("sweep", "\x1b[31m"), ("lab", "up", "--name=\x1b[31m"), ("lab", "\xc2\x9b31m"), ("run", "--seed=\x7f")):
            with self.subTest(words=words):
                result = gbflow.run(*words)
                self.assertEqual((result.status, [sign for sign in result.stderr if sign != "\n" and not sign.isprintable()]), (2, []))
                self.assertIn("?", result.stderr)

    def test_of_an_earlier_run(self):
        """It would pass for that of a run whose N-PDU was not delivered."""
        self.run_it("twice", "--packet=a1:1")
        result = self.run_it("twice", "--packet=a1:99999999", status=1)
        self.assertFalse(os.path.exists(os.path.join(result.out, "packet.json")))

    def test_rows_add_up(self):
        """From the server to the mobile, also where Gb takes long: the figures of the rows are the N-PDU's delay."""
        result = gbflow.run("run", self.scenario, "--out", self.path("rows"), "--packet=a1:9", "--set", "network.gb_delay=500 ms")
        self.assertEqual(result.status, 0, result)
        packet = self.packet(argparse.Namespace(out=self.path("rows")))
        with open(self.path("rows/report.html"), encoding="utf-8") as file:
            page = file.read().split("<h3>From the server to the mobile</h3>")[1].split("<h3>")[0]
        rows = [float(text) for text in re.findall(r">([0-9]+\.[0-9]{3}) s<", page)]
        self.assertIn(0.5, rows)
        self.assertAlmostEqual(sum(rows), packet["delivered_s"] - packet["server_s"], delta=0.0005 * len(rows) + TOLERANCE_S)

    def test_nothing_delivered(self):
        result = self.run_it("nothing", "--packet", "--set", "warmup=39.99 s", status=1)
        self.assertIn("--packet: no N-PDU was delivered after the warm-up", result.stderr)


if __name__ == "__main__":
    unittest.main()
