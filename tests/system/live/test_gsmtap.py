# SPDX-License-Identifier: BSD-3-Clause
"""GSMTAP and NS copies of a running node (docs/serve.md), as an unmodified tshark decodes them."""
import os
import socket
import struct
import subprocess
import tempfile
import unittest

import node
import sniffer
import test_walk

GSMTAP, NS, RAW = 4729, 2157, 101
FIELDS = ("udp.dstport", "_ws.col.Protocol", "gsmtap.type", "gsmtap.uplink", "llcgprs.sapi", "sndcp.nsapi", "gsm_a.rr.tlli", "ip.src")


class Gsmtap(test_walk.Case):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.TemporaryDirectory(prefix="gbflow-gsmtap-")
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "a.pcap")
        os.chmod(self.folder.name, 0o777)
        self.serve()
        self.open_ends()
        self.bss.bring_up()

    def capture(self, *words):
        return subprocess.run([node.program(), "capture", "--prefix", self.node.prefix, *words], capture_output=True, text=True,
                              check=False, timeout=60, env=self.node.environment())

    def listen(self):
        """A socket of the node's namespace for each kind of datagram."""
        socks = {}
        with self.lab.inside("node"):
            for port in (GSMTAP, NS):
                socks[port] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                socks[port].bind(("127.0.0.1", port))
                self.addCleanup(socks[port].close)
        return socks

    def write(self, socks):
        """What has arrived, as a capture of raw IP packets for tshark."""
        with open(self.path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, RAW))
            for port, sock in socks.items():
                sock.setblocking(False)
                while True:
                    try:
                        octets, (_, source) = sock.recvfrom(65536)
                    except BlockingIOError:
                        break
                    udp = struct.pack(">HHHH", source, port, 8 + len(octets), 0) + octets
                    packet = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes(4), bytes(4)) + udp
                    file.write(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)

    def rows(self):
        command = ["tshark", "-n", "-r", self.path, "-T", "fields", *(word for field in FIELDS for word in ("-e", field))]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return [dict(zip(FIELDS, line.split("\t"))) for line in done.stdout.splitlines()]

    def test_tshark_decodes_both(self):
        socks = self.listen()
        done = self.capture("--gsmtap", "127.0.0.1", "--ns", "127.0.0.1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.node.show_until("capture", lambda rows: rows[0]["state"] == "on")
        self.check_down(100, seed=1)
        self.check_up(100, seed=2)
        self.bss.announce(tag=9)
        self.node.show_until("capture", lambda rows: rows[0]["packets"] >= 4)
        self.assertEqual(self.capture("--stop").returncode, 0)
        self.write(socks)
        rows = self.rows()
        llc = [row for row in rows if row["udp.dstport"].startswith("4729")]
        self.assertEqual([(row["gsmtap.type"], row["llcgprs.sapi"], row["sndcp.nsapi"]) for row in llc], [("8", "3", "101")] * 2, rows)
        self.assertEqual(sorted(row["gsmtap.uplink"] for row in llc), ["0", "1"])
        ns = [row for row in rows if row["udp.dstport"].startswith("2157")]
        self.assertGreaterEqual(len(ns), 4)
        self.assertEqual({row["gsm_a.rr.tlli"] for row in ns if row["gsm_a.rr.tlli"]}, {"0xc0000001"})
        self.assertTrue(any(node.ADDRESS in row["ip.src"] for row in ns), ns)
        self.assertEqual(self.node.stop(), 0)

    def test_nobody_listens(self):
        """Wireshark binds no port: the kernel answers each frame with ICMP port unreachable, and yet all go out."""
        for gsmtap, ns in (("127.0.0.1", "127.0.0.1"), ("::1", "::1")):
            with self.subTest(gsmtap):
                wire = sniffer.Sniffer(self.lab, "node", "lo")
                self.addCleanup(wire.close)
                done = self.capture("--gsmtap", gsmtap, "--ns", ns)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.node.show_until("capture", lambda rows: rows[0]["state"] == "on")
                for seed in range(10):
                    self.check_down(100, seed)
                    self.check_up(100, seed)
                self.assertEqual(self.capture("--stop").returncode, 0)
                row = self.node.show("capture")[0]
                self.assertEqual(row["lost"], 0, row)
                self.assertTrue(wire.wait_for(GSMTAP, 20) and wire.wait_for(NS, row["packets"]))
                self.assertEqual((len(wire.datagrams(GSMTAP)), len(wire.datagrams(NS))), (20, row["packets"]))

    def test_wrong_addresses(self):
        for address in ("", "localhost", "127.0.0.1:0", "127.0.0.1:70000", "[::1", "1.2.3.4:5x", "a" * 100):
            with self.subTest(address):
                done = self.capture("--gsmtap", address)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("not an address", done.stderr)
        done = self.capture("--gsmtap", "127.0.0.1", "file")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
