# SPDX-License-Identifier: BSD-3-Clause
"""Captures of ports with ESP: the same packets inside and outside, these deciphered by tshark, as in docs/esp.md."""
import os
import subprocess
import tempfile
import unittest

import node
import test_esp
import test_walk

import esp_rig

SIZES = (40, 100, 333)  # each in one segment on Gb


class Captures(test_esp.Case):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.TemporaryDirectory(prefix="gbflow-capture-esp-")
        self.addCleanup(self.folder.cleanup)

    def run_capture(self, *words):
        return subprocess.run([node.program(), "capture", "--prefix", self.node.prefix, *words], capture_output=True, text=True, check=False,
                              timeout=60, env=self.node.environment())

    def capture(self, where):
        """Of some packets each way; its path."""
        path = os.path.join(self.folder.name, where + ".pcapng")
        done = self.run_capture(path, "--esp", where)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.node.show_until("capture", lambda rows: rows[0]["state"] == "on")
        for seed, octets in enumerate(SIZES):
            self.check_down(octets, seed)
            self.check_up(octets, seed)
        self.assertEqual(self.run_capture("--stop").returncode, 0)
        return path

    def frames(self, path, *options):
        """(interface, direction, octets of UDP's payload, comment) of each frame that has some."""
        fields = [word for name in ("frame.interface_name", "frame.packet_flags_direction", "udp.payload", "frame.comment") for word in ("-e", name)]
        done = subprocess.run(["tshark", "-n", "-r", path, "-d", "udp.port==0-65535,data", *options, "-T", "fields", *fields],
                              capture_output=True, text=True, check=True, timeout=60)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        return [(name, way, bytes.fromhex(payload.replace(":", "")), said) for name, way, payload, said in rows]

    def check_packets(self, frames, sides, count):
        """Each packet was once on each side in its direction, or nowhere."""
        ends = {"gn": ("0x00000001", "0x00000002"), "gb": ("0x00000002", "0x00000001")}
        for seed, octets in enumerate(SIZES):
            down = test_walk.ipv4_packet("192.0.2.99", node.ADDRESS, octets, seed)
            up = test_walk.ipv4_packet(node.ADDRESS, "192.0.2.99", octets, seed)
            for side in sides:
                for packet, way in zip((down, up), ends[side]):
                    found = [one for one in frames if one[0] == side and packet in one[2]]
                    self.assertEqual([one[1] for one in found], [way] * count, (side, seed, len(frames)))

    def walk(self, *pairs):
        self.protect(*pairs)
        sides = [pair.side for pair in pairs]
        inside = self.frames(self.capture("inside"))
        self.check_packets(inside, sides, 1)
        self.assertEqual({one[0] for one in inside}, set(sides))
        self.assertEqual({one[3] for one in inside}, {"in, inside ESP", "out, inside ESP"})
        path = self.capture("outside")
        sealed = self.frames(path)
        self.check_packets(sealed, sides, 0)
        self.assertEqual({one[3] for one in sealed}, {"in, outside ESP", "out, outside ESP"})
        return path, sides

    def test_refused(self):
        self.serve()
        done = self.run_capture("/tmp/x.pcapng", "--esp", "outside")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no port of the node has ESP", done.stderr)
        for words in (("x", "--esp", "beside"), ("x", "--esp", "inside", "--bvci", "2"), ("--esp", "inside", "--ns", "127.0.0.1"), ("--stop", "--esp", "inside")):
            self.assertEqual(self.run_capture(*words).returncode, 2, words)
        self.assertEqual(self.node.stop(), 0)

    def decipher(self, path, keys):
        """The frames of a capture as Wireshark shows them with the table that gbflow writes."""
        table = os.path.join(self.folder.name, "esp_sa")
        done = subprocess.run([node.program(), "esp", "wireshark", keys, table], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("has the keys of 4 associations: who has it reads all protected packets", done.stderr)
        self.assertEqual(os.stat(table).st_mode & 0o777, 0o600)
        again = subprocess.run([node.program(), "esp", "wireshark", keys, table], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((again.returncode, "the file exists" in again.stderr), (1, True))
        with open(table, encoding="ascii") as file:
            rows = [word for line in file for word in ("-o", "uat:esp_sa:" + line.rstrip("\n"))]
        return self.frames(path, "-o", "esp.enable_encryption_decode:TRUE", "-o", "esp.enable_authentication_check:TRUE", *rows)

    def check_deciphered(self, *pairs):
        path, sides = self.walk(*pairs)
        self.check_packets(self.decipher(path, self.keys), sides, 1)
        self.finish()

    def test_gcm_and_cbc(self):
        self.check_deciphered(esp_rig.Pair("gn", "aes-gcm-128", "tunnel"), esp_rig.Pair("gb", "aes-cbc-256-sha-256", "tunnel"))

    def test_transport_and_null(self):
        self.check_deciphered(esp_rig.Pair("gn", "aes-gcm-256", "transport"), esp_rig.Pair("gb", "null-sha-256", "tunnel"))


if __name__ == "__main__":
    unittest.main()
