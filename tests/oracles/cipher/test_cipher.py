# SPDX-License-Identifier: BSD-3-Clause
"""The worker's ciphered frames against a receiver written from the specifications, and the other way round."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
RECEIVER = os.path.join(HERE, "..", "receiver")
sys.path.insert(0, RECEIVER)

import receiver  # noqa: E402, F401  (sets the path of what it stands on)
import sender  # noqa: E402
from gb_oracle import sndcp, writer  # noqa: E402

PLAY = os.environ.get("CIPHER_PLAY", "cipher_play")
KC3, KC3_NEXT = bytes.fromhex("2bd6459f82c5bc00"), bytes.fromhex("952c49104881ff48")
KC4 = bytes.fromhex("d3c5d592327fb11c4035c6680af8c6d1")
FIRST, OTHER_KEY = "c0000001", "c0000002"
SAPI, N201_U = 3, 300
# (frames before it, algorithm, Kc, IOV-UI); the frame that a switch downlink falls on is the next whole N-PDU's.
DOWN = [(40, 3, KC3, 0xFFFFFF00), (1500, 3, KC3_NEXT, 0x12345678), (2400, 4, KC4, 0)]
DOWN_OFF = DOWN[:1] + [(300, 0, b"\0", 0), (700, 4, KC4, 0x80000000), (1400, 3, KC3_NEXT, 5), (2900, 0, b"\0", 0)]
UP = [(37, 3, KC3, 0x1000), (600, 4, KC4, 0xFFFFFFFF), (1700, 3, KC3_NEXT, 0)]
UP_FRAMES = 2300
BSS, SGSN = ("198.51.100.2", 23001), ("198.51.100.1", 23000)


class Cipher(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def path(self, name):
        return os.path.join(self.folder, name)

    def play(self, way, switches):
        words = [f"{frame}:{algorithm}:{kc.hex()}:{iov_ui:x}" for frame, algorithm, kc, iov_ui in switches]
        done = subprocess.run([PLAY, way, self.folder, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.path("n_pdus.txt"), encoding="ascii") as file:
            return [tuple(line.split()) for line in file]

    def receive(self):
        """What the model makes of the worker's frames."""
        subprocess.run([sys.executable, os.path.join(RECEIVER, "receiver.py"), self.path("gb.pcapng"), "--keys",
                        self.path("keys.json"), "--json", self.path("out.json"), "--quiet"],
                       capture_output=True, check=False)
        with open(self.path("out.json"), encoding="ascii") as file:
            return json.load(file)

    def compare(self, sent, report):
        self.assertEqual(report["faults"], [])
        for key in sorted({row[:2] for row in sent}):
            with self.subTest(mobile_and_nsapi=key):
                got = [row["octets"] for row in report["n_pdus"] if (row["tlli"], str(row["nsapi"])) == key]
                self.assertEqual(got, [row[2] for row in sent if row[:2] == key])
        self.assertEqual(len(report["n_pdus"]), len(sent))

    def entity(self, report, tlli, sapi):
        return next(row for row in report["entities"] if row["tlli"] == [tlli] and row["sapi"] == sapi)

    def test_down(self):
        """3000 ciphered frames in a row over five wraps, two key changes in between, and to GEA4."""
        sent = self.play("down", DOWN)
        report = self.receive()
        self.compare(sent, report)
        entity = self.entity(report, FIRST, SAPI)
        self.assertGreaterEqual(entity["ciphered"], 3000)
        self.assertGreaterEqual(entity["wraps"], 5)
        self.assertEqual((entity["missing"], entity["late"], entity["incomplete"]), (0, 0, 0))
        self.assertLess(entity["accepted"] - entity["ciphered"], 50)
        self.assertGreater(self.entity(report, FIRST, 5)["ciphered"], 500)
        other = self.entity(report, OTHER_KEY, 9)
        self.assertEqual(other["ciphered"], other["accepted"])

    def test_down_off_and_on(self):
        sent = self.play("down", DOWN_OFF)
        report = self.receive()
        self.compare(sent, report)
        entity = self.entity(report, FIRST, SAPI)
        self.assertGreater(entity["accepted"] - entity["ciphered"], 600)
        self.assertGreater(entity["ciphered"], 2000)

    def test_a_wrong_key_is_found(self):
        self.play("down", DOWN)
        with open(self.path("keys.json"), encoding="ascii") as file:
            text = file.read()
        with open(self.path("keys.json"), "w", encoding="ascii") as file:
            file.write(text.replace('"iov_ui": "12345678"', '"iov_ui": "12345679"'))
        self.assertGreater(len(self.receive()["faults"]), 500)

    def uplink(self):
        """Frames of the first mobile as the model's sender makes them, and their N-PDUs."""
        frames, n_pdus = [], []
        while len(frames) < UP_FRAMES:
            packet = b"\x45" + bytes((len(n_pdus) * 7 + i) & 255 for i in range(30 + len(n_pdus) * 97 % 900))
            n_pdus.append((FIRST, "5", packet.hex()))
            for segment in sndcp.encode(packet, 5, (len(n_pdus) - 1) % 4096, N201_U):
                frames.append(self.frame(len(frames), segment))
        return frames, n_pdus

    def frame(self, number, segment):
        before = [switch for switch in UP if switch[0] <= number]
        cipher = None
        if before:
            first, _, kc, iov_ui = before[-1]
            overflow = (number // 512 - first // 512) * 512
            cipher = (kc, (sender.base(iov_ui, SAPI) + overflow + number % 512) % 2**32)
        ui = sender.ui(number, segment, cipher, address=SAPI)
        pdu = sender.unitdata(ui, down=False, tlli=int(FIRST, 16), bvci=7)
        return writer.frame(BSS, SGSN, pdu)

    def test_up(self):
        frames, n_pdus = self.uplink()
        writer.pcapng(self.path("uplink.pcapng"), [(number * 10**6, frame) for number, frame in enumerate(frames)])
        self.assertEqual(self.play("up", UP), n_pdus)


if __name__ == "__main__":
    unittest.main()
