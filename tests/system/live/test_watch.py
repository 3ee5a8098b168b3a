# SPDX-License-Identifier: BSD-3-Clause
"""The live state of a node in its tables: queues, buckets, rates and drops per mobile, cell, class and link."""
import json
import os
import signal
import socket
import subprocess
import unittest

import node
import test_walk

PACKETS, OCTETS, LIMIT = 40, 500, 20
RATE_BPS, BUCKET = 4000, 1600


class Watch(test_walk.Case):
    def start(self):
        self.serve(more=f", queues = {{ mobile = {{ packets = {LIMIT} }} }}, lifetime = {{ sgsn_max = \"600 s\", bss_min = \"0 s\" }}")
        self.open_ends()
        self.bss.bring_up()
        self.bss.announce(BUCKET, RATE_BPS, tag=2)

    def overload(self, times=1):
        """More N-PDUs than the cell's rate carries and the mobile's queue takes."""
        for seed in range(PACKETS):
            self.down(OCTETS, seed)
        cell = lambda rows: rows and rows[0]["in"] == times * PACKETS
        return self.node.show_until("cell_class", cell)[0]

    def overloaded(self):
        """Rows of mobile, cell and link that saw N-PDUs in the last second: on a busy machine not at the first attempt."""
        for times in range(1, 7):
            self.overload(times)
            rows = [self.node.show(what)[0] for what in ("ms", "bvc", "link")]
            if all(row["in_bps"] for row in rows):
                break
        return rows

    def test_queue_bucket_and_drops(self):
        self.start()
        ms, bvc, link = self.overloaded()
        cell = self.node.show("cell_class")[0]
        drops = self.node.show("cell_drops")
        for row in (ms, bvc, link):
            self.assertGreater(row["queued_npdus"], LIMIT // 2)
            self.assertLessEqual(row["queued_npdus"], LIMIT)
            self.assertGreater(row["queued_octets"], OCTETS)
            self.assertGreater(row["in_bps"], 0)
            self.assertIn("queue_full", row["reasons"])
        for row in (ms, bvc):
            self.assertEqual((row["max_octets"], row["leak_bps"]), (BUCKET, RATE_BPS))
            self.assertGreater(row["level_octets"], 0)
            self.assertLessEqual(row["level_octets"], BUCKET)
        self.assertEqual(link["leak_bps"], 0)
        self.assertEqual([(row["class"], row["reason"]) for row in drops], [("background", "queue_full")])
        self.assertEqual(drops[0]["count"], cell["dropped"])
        self.assertEqual(ms["dropped"], cell["dropped"])
        self.assertEqual((cell["class"], cell["in"] % PACKETS), ("background", 0))
        self.assertLessEqual(cell["in"] - cell["out"] - cell["dropped"], LIMIT)
        queued = {row["class"]: row["queued_npdus"] for row in self.node.show("class")}
        self.assertEqual(set(name for name, count in queued.items() if count), {"background"})
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.node.report["npdu"]["in"], cell["in"])

    def test_a_second_later_nothing_has_happened(self):
        self.start()
        self.check_down(100)
        rows = self.node.show_until("ms", lambda rows: rows[0]["sent"] == 1)
        self.assertEqual((rows[0]["queued_npdus"], rows[0]["dropped"]), (0, 0))
        rows = self.node.show_until("ms", lambda rows: rows[0]["out_bps"] == 0)
        self.assertEqual((rows[0]["sojourn_p50_us"], rows[0]["in_per_s"], rows[0]["reasons"]), (None, 0, ""))

    def ask(self, command):
        """An answer of DPDK's telemetry socket, as dpdk-telemetry.py reads it."""
        path = os.path.join(self.node.runtime, "dpdk", self.node.prefix, "dpdk_telemetry.v2")
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.connect(path)
            limit = json.loads(sock.recv(1024))["max_output_len"]
            sock.send(command.encode())
            return json.loads(sock.recv(limit))[command.split(",", maxsplit=1)[0]]

    def test_telemetry_has_dictionaries_with_numbers(self):
        self.start()
        self.overload()
        self.assertEqual(self.ask("/gbflow/ms"), {"rows": 1})
        row = self.ask("/gbflow/ms,0")
        self.assertEqual((row["tlli"], row["leak_bps"]), ("c0000001", RATE_BPS))
        self.assertLessEqual(set(row), set(self.node.show("ms")[0]))
        self.assertIsInstance(row["queued_octets"], int)
        self.assertEqual(self.ask("/gbflow/ms,1"), {})
        drops = {f"{row['side']}_{row['of']}_{row['reason']}": row["count"] for row in self.node.show("drops")}
        self.assertEqual(self.ask("/gbflow/drops")["gn_npdu_queue_full"], drops["gn_npdu_queue_full"])
        self.assertEqual(self.ask("/gbflow/capture_stop"), {"result": "no capture is running"})
        self.assertEqual(self.ask("/gbflow/table/ms")[0][:2], ["imsi", "tlli"])

    def test_frames_for_control_are_no_drops(self):
        self.start()
        with self.lab.inside("ggsn"), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.sendto(b"\x32\x01\x00\x04" + bytes(8), ("192.0.2.1", 2123))  # GTP-C Echo Request
            sock.sendto(b"\x32\x01\x00\x04" + bytes(8), ("192.0.2.1", test_walk.GTPU))
        kinds = {"gtpc", "gtpu_echo_request", "arp_icmp"}
        rows = self.node.show_until("handled", lambda rows: kinds <= {row["kind"] for row in rows if row["side"] == "gn"})
        self.assertEqual(self.node.show("drops"), [])
        self.assertEqual(self.node.stop(), 0)
        frames = self.node.report["gn_frames"]
        self.assertEqual({kind: frames["handled"][kind] for kind in ("gtpc", "gtpu_echo_request")}, {"gtpc": 1, "gtpu_echo_request": 1})
        self.assertFalse(kinds & set(frames["drops"]))
        self.assertGreaterEqual(sum(row["count"] for row in rows), 3)
        self.assertIn("Gn answered or taken by control: ", self.node.out)
        self.assertIn("Gn dropped: nothing", self.node.out)

    def test_unknown_and_unhandled_mobiles(self):
        self.start()
        packet = test_walk.ipv4_packet(node.ADDRESS, "192.0.2.99", 100)
        self.bss.send_packet(packet, 0xC0000099)
        self.bss.send_packet(packet, node.TLLI, sapi=1)
        self.node.show_until("control", lambda rows: rows[0]["unknown_tlli"] == 1)
        self.node.show_until("llc", lambda rows: rows[0]["gmm"] == 1)
        rows = self.node.show("unhandled")
        self.assertEqual([(row["sapi"], row["frames"]) for row in rows], [(1, 1)])
        self.assertEqual(self.node.stop(), 0)
        report = self.node.report
        self.assertEqual((report["control"]["unknown_tlli"], report["llc"]["gmm"]), (1, 1))
        self.assertEqual([row["sapi"] for row in report["llc"]["unhandled"]], [1])
        self.assertEqual([path["state"] for path in report["paths"]], ["off"])

    def watch(self, *words):
        process = subprocess.Popen([node.program(), "show", *words, "--prefix", self.node.prefix], stdout=subprocess.PIPE,
                                   text=True, env=self.node.environment())
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_watch(self):
        """Counters are rates from the second table on."""
        self.start()
        process = self.watch("workers", "--watch", "0.2", "--columns", "worker,gn_frames,npdu_in", "--json")
        tables, text = [], ""
        while len(tables) < 3:
            text += process.stdout.readline()
            if text.rstrip().endswith("]"):
                tables.append(json.loads(text))
                text = ""
                self.down(100, len(tables))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(tables[0], [{"worker": 0, "gn_frames": None, "npdu_in": None}])
        self.assertIsInstance(tables[1][0]["npdu_in"], int)

    def test_watch_ends_with_the_node(self):
        self.start()
        process = self.watch("class", "--watch")
        self.assertIn("queued_npdus", process.stdout.readline())
        self.node.stop()
        self.assertEqual(process.wait(60), 1)


if __name__ == "__main__":
    unittest.main()
