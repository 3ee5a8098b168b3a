# SPDX-License-Identifier: BSD-3-Clause
"""ECN from end to end: TCP that agrees on it beside TCP that does not, and what the wires carry."""
import json
import os
import subprocess
import sys
import unittest

import scenario
from scenario import capture, gtp

RECEIVER = os.path.join(scenario.HERE, "..", "..", "oracles", "receiver", "receiver.py")
KC3, KC4 = "2bd6459f82c5bc00", "d3c5d592327fb11c4035c6680af8c6d1"
NOT_ECT, ECT0, CE = 0, 2, 3
SYN, ACK, ECE, CWR = 0x02, 0x10, 0x40, 0x80
WITH, WITHOUT = "{ download = { octets = \"infinite\", tcp = { ecn = true } } },", "{ download = { octets = \"infinite\" } },"


def scene(traffic, duration, mobile="", queues='flow_queues = 16, aqm = { scheme = "fq_codel" }'):
    """One mobile with all of CS-4's eight slots, whose downloads press the queue."""
    return scenario.text(
        duration=f"{duration} s", rest='warmup = "20 s",', cells='pdchs = 8, downlink_slots = 8, flow_control = { bucket_time = "1 s" }',
        sgsn='lifetime = { sgsn_max = "infinite", bss_max = "infinite" }, flow_control = { bss_target = "250 ms" }, '
             f"queues = {{ {queues} }},",
        mobiles=f'{{ name = "a", {mobile} traffic = {{ {traffic} }} }}').replace("CS-2", "CS-4")


def checksum(octets):
    total = sum(int.from_bytes(octets[at:at + 2], "big") for at in range(0, len(octets), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def tcp_of(packet):
    """(code point, flags, octets of payload, ports, sequence number) of an IPv4 packet with TCP."""
    header, flags = 20, packet[33]
    payload = len(packet) - header - (packet[32] >> 4) * 4
    return packet[1] & 3, flags, payload, packet[20:24], int.from_bytes(packet[24:28], "big")


class Mix(scenario.Case):
    def test_both_have_their_share(self):
        """Two of each kind on FQ-CoDel: marks for the one, drops for the other, the same rate for each flow."""
        summary = self.play_text(scene(2 * WITH + 2 * WITHOUT, 240)).summary
        rates = [row["goodput_bps"] for row in summary["tcp"]]
        fair = sum(rates) / len(rates)
        again = [row["retransmitted_fraction"] for row in summary["tcp"]]
        aqm = summary["aqm"]["background"]["dequeue"]
        print("shares", [round(rate / fair, 3) for rate in rates], "retransmitted", [round(part, 3) for part in again], aqm)
        for rate in rates:
            self.assertGreater(rate, 0.9 * fair)
        self.assertEqual(again[:2], [0, 0])
        self.assertTrue(all(part > 0.02 for part in again[2:]))
        self.assertGreater(aqm["marked"], 100)
        self.assertEqual(aqm["dropped"], aqm["dropped_not_ect"])

    def test_marks_hold_the_queue_as_drops_do(self):
        """Four that are marked, four that are dropped from: the same queue. TCP deaf to marks would fill it for 15 s."""
        waits = {}
        for name, kind in (("ecn", WITH), ("not", WITHOUT)):
            row = self.play_text(scene(4 * kind, 120), name=name).summary["classes"]["background"]
            waits[name] = row["sojourn_s"]["p50"]
            self.assertEqual((row["marks"] > 50, row["drops"]["aqm"] > 50), (name == "ecn", name == "not"))
        print("median sojourn", waits)
        self.assertLess(waits["ecn"], 2 * waits["not"])


class Wires(scenario.Case):
    def segments(self, result):
        """TCP on Gn, both ways, in order."""
        packets = []
        for frame in capture.read(os.path.join(result.out, "gn.pcapng")):
            body = gtp.decode(frame.octets[14 + 20 + 8:]).body
            if len(body) > 40 and body[9] == 6 or len(body) == 40:
                packets.append(tcp_of(body))
        return packets

    def test_who_says_what(self):
        """RFC 3168 on the wire: agreed in the SYNs, ECT on new data alone, ECE until CWR."""
        result = self.play_text(scene(WITH + WITHOUT, 60), "--pcap")
        packets = self.segments(result)
        ports = next(row[3] for row in packets if row[1] & (SYN | ACK | ECE | CWR) == SYN | ECE | CWR)
        mine = [row for row in packets if row[3] in (ports, ports[2:] + ports[:2])]
        self.assertEqual([row[1] for row in mine[:2]], [SYN | ECE | CWR, SYN | ACK | ECE])
        self.assertEqual({row[0] for row in mine if row[2] == 0}, {NOT_ECT})
        seen = set()
        for code, _, payload, source, number in mine:
            if payload:
                self.assertEqual(code, NOT_ECT if (source, number) in seen else ECT0)
                seen.add((source, number))
        echoes, answers = (sum(1 for row in mine if row[1] & bit and not row[1] & SYN) for bit in (ECE, CWR))
        self.assertGreater(answers, 5)
        self.assertGreaterEqual(echoes, answers)
        others = [row for row in packets if row not in mine]
        self.assertEqual({(row[0], row[1] & (ECE | CWR)) for row in others}, {(NOT_ECT, 0)})

    def received(self, result, keys, name):
        """N-PDUs that a receiver of its own makes of the Gb capture."""
        with open(self.path(name + ".keys"), "w", encoding="ascii") as file:
            json.dump({"mobiles": [{"tlli": "c0000001", "keys": keys}] if keys else []}, file)
        subprocess.run([sys.executable, RECEIVER, os.path.join(result.out, "gb.pcapng"), "--keys", self.path(name + ".keys"),
                        "--json", self.path(name + ".json"), "--quiet"], capture_output=True, check=False)
        with open(self.path(name + ".json"), encoding="ascii") as file:
            report = json.load(file)
        self.assertEqual(report["faults"], [])
        return [bytes.fromhex(row["octets"]) for row in report["n_pdus"] if row["direction"] == "down"]

    def test_marked_and_ciphered(self):
        """Deciphered, what left is what came but for CE and the checksum, which is right; the counters agree."""
        found = {}
        for name, mobile, keys in (
                ("clear", "", ()),
                ("gea3", f'ciphering = {{ algorithm = "gea3", kc = "{KC3}" }},', [{"algorithm": 3, "kc": KC3}]),
                ("gea4", f'ciphering = {{ algorithm = "gea4", kc = "{KC4}" }},', [{"algorithm": 4, "kc": KC4}])):
            with self.subTest(name):
                result = self.play_text(scene(WITH + WITHOUT, 40, mobile), "--pcap", name=name)
                n_pdus = self.received(result, keys, name)
                came = {packet[4:6] + packet[20:]: packet for packet in scenario.downlink_tpdus(result)}
                marked = 0
                for packet in n_pdus:
                    before = came[packet[4:6] + packet[20:]]
                    self.assertEqual(checksum(packet[:20]), 0)
                    self.assertEqual((packet[1] | CE, packet[2:10], packet[12:]), (before[1] | CE, before[2:10], before[12:]))
                    if packet[1] != before[1]:
                        self.assertEqual((before[1] & 3, packet[1] & 3), (ECT0, CE))
                        marked += 1
                self.assertGreater(marked, 10)
                self.assertEqual(marked, result.summary["classes"]["background"]["marks"])
                found[name] = n_pdus
        self.assertEqual(found["gea3"], found["clear"])
        self.assertEqual(found["gea4"], found["clear"])


if __name__ == "__main__":
    unittest.main()
