# SPDX-License-Identifier: BSD-3-Clause
"""tshark as a judge: sample PDUs hold, planted faults are found, and so is the absence of tshark."""
import io
import os
import shutil
import struct
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

import scene as s
import tshark_judge
from gb_oracle import bssgp, llc, writer
from test_judge import busy

TLLI = 0xC1234567
ICMP = "4500001c000100004001aed2c00002010a0b00020800f7fe00000001"
DOWN = [
    "00c1234567000020168202580ea643c0156500000745" + ICMP[2:] + "6e9aca",
    "00c123456703203a1682ffff139918b3432b2596620060809ac2c662006080bac8c662006080000a8208020d8829262400000000101f84aabbccdd28810900"
    "8200000ea643c0156500000745" + ICMP[2:] + "6e9aca",
    "00c1234567000020168202580e00c643c01965000008450000bc000100004001ae32c00002010a0b00020800f7fd00000002" + 160 * "00" + "07530f",
]
UP = "01c1234567000004088862f22412340500012881000ea603c0156500000745" + ICMP[2:] + "78d6ca"
SEGMENTS = ["43c0517500000a4500001c000100004001aed2c0000201b87317", "43c05525100a0a0b00020800f7fe00000001748f77"]


def samples():
    """Frames with the sample PDUs: four N-PDUs down, one up."""
    pdus = [s.down(s.ns_unitdata(s.BVCI, bytes.fromhex(text))) for text in DOWN]
    pdus.append(s.up(s.ns_unitdata(s.BVCI, bytes.fromhex(UP))))
    return pdus + [s.down(s.dl_unitdata(TLLI, bytes.fromhex(text), 600)) for text in SEGMENTS]


def run(frames, *words):
    """Exit status and what was printed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "gb.pcapng")
        writer.pcapng(path, [(s.SECOND + number, octets) for number, octets in enumerate(frames)])
        with redirect_stdout(io.StringIO()) as printed, redirect_stderr(io.StringIO()):
            status = tshark_judge.main([path, *words])
    return status, printed.getvalue()


def spoiled(llc_pdu, size=None):
    """A DL-UNITDATA whose LLC-PDU element claims another size."""
    pdu = s.dl_unitdata(TLLI, llc_pdu, 600)
    at = len(pdu) - len(llc_pdu) - 1
    return s.down(pdu[:at] + bytes([0x80 | (size or len(llc_pdu))]) + pdu[at + 1:])


BAD = [
    ("malformed", spoiled(bytes.fromhex(SEGMENTS[1]), 60), "Malformed"),
    ("bad FCS", spoiled(bytes.fromhex(SEGMENTS[1])[:-1] + b"\0"), "FCS: incorrect"),
    ("inner length", spoiled(llc.encode_ui(3, 9, bytes.fromhex("65000009450000ff" + ICMP[8:]))), "expert error"),
    ("no IP inside", spoiled(llc.encode_ui(3, 9, bytes.fromhex("65000009ff00001c"))), "Bogus IP version"),
    ("last segment alone", spoiled(bytes.fromhex(SEGMENTS[1])), "no IP packet"),
    ("not NS", s.down(b"\xff\xff\xff"), "unknown NS PDU"),
    ("not our port", writer.frame(("10.99.0.1", 9), ("10.99.0.2", 9), b"\0"), "not decoded as NS"),
]


@unittest.skipIf(shutil.which("tshark") is None and os.environ.get("CI") != "true", "tshark is not installed")
class WithTshark(unittest.TestCase):
    """Needs tshark; fails without it where CI=true."""

    def test_samples(self):
        status, printed = run(samples(), "--expect-npdus", "4")
        self.assertEqual(status, 0, printed)
        self.assertIn("N-PDUs down c1234567 NSAPI 5: 4", printed)
        self.assertIn("N-PDUs up c1234567 NSAPI 5: 1", printed)

    def test_wrong_count(self):
        self.assertEqual(run(samples(), "--expect-npdus", "5")[0], 1)
        self.assertEqual(run(samples()[:-1], "--expect-npdus", "4")[0], 1)
        self.assertEqual(run([])[0], 1)

    def test_planted_faults(self):
        for name, frame, message in BAD:
            with self.subTest(fault=name):
                status, printed = run(samples()[:1] + [frame])
                self.assertEqual(status, 1, printed)
                self.assertIn(message, printed)

    def test_spoiled_payload(self):
        """A user's payload that no dissector can make sense of is no fault of Gb; a bad header around it is."""
        tcp = struct.pack(">HHIIBBHHH", 80, 40000, 1, 1, 0x50, 0x18, 999, 0, 0)
        http = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n" + bytes(20)
        dns = bytes.fromhex("000181800001ffff00000000c00c0000000000")
        heads = [struct.pack(">HHHH", 53, 40000, length, 0) for length in (8 + len(dns), 999)]
        rows = [("http", tcp + http, 6, 0), ("dns", heads[0] + dns, 17, 0), ("UDP length", heads[1] + dns, 17, 1)]
        for name, payload, protocol, expected in rows:
            with self.subTest(payload=name):
                packet = writer.ipv4("192.0.2.1", "10.11.0.2", payload, protocol)
                frame = s.dl_unitdata(TLLI, llc.encode_ui(3, 9, bytes.fromhex("65000009") + packet), 600)
                status, printed = run([s.down(frame)], "--expect-npdus", "1")
                self.assertEqual(status, expected, printed)

    def test_equal_numbers_of_two_mobiles(self):
        """Segments of two mobiles with the same N-PDU number, interleaved."""
        other = [s.down(s.dl_unitdata(TLLI + 1, bytes.fromhex(text), 600)) for text in SEGMENTS]
        frames = samples()
        self.assertEqual(run(frames[:4] + [frames[4], other[0], frames[5], other[1]], "--expect-npdus", "5")[0], 0)

    def test_scene(self):
        scene = busy()
        status, printed = run([frame for _, frame in scene.gb_frames()], "--expect-npdus", str(len(scene.packets)))
        self.assertEqual(status, 0, printed)

    def test_fragmented_gb(self):
        payload = s.dl_unitdata(TLLI, bytes.fromhex(SEGMENTS[0]), 600)
        pieces = writer.fragments(s.SGSN, s.BSS, payload, 60)
        self.assertGreater(len(pieces), 1)
        self.assertEqual(run(samples()[:4] + pieces + samples()[5:], "--expect-npdus", "4")[0], 0)
        self.assertEqual(run(samples() + pieces[:-1])[0], 1)


class WithoutTshark(unittest.TestCase):
    """A missing program is a skip, and a failure where CI=true."""

    def test_missing(self):
        for ci, expected in (("true", 1), ("", 77)):
            with mock.patch.dict(os.environ, CI=ci), mock.patch("tshark_judge.shutil.which", return_value=None):
                status, printed = run(samples())
            self.assertEqual(status, expected)
            self.assertIn("not installed", printed)

    def test_usage(self):
        with redirect_stderr(io.StringIO()):
            self.assertEqual(tshark_judge.main([]), 2)
            self.assertEqual(tshark_judge.main([os.devnull]) if shutil.which("tshark") else 2, 2)


if __name__ == "__main__":
    unittest.main()
