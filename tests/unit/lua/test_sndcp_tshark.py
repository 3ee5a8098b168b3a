# SPDX-License-Identifier: BSD-3-Clause
"""TShark judges XID frames with SNDCP's parameters: proposals and answers of llc_rows.lua, entity by entity."""
import os
import shutil
import struct
import subprocess
import tempfile
import unittest

USER_0 = 147  # link type of the capture; TShark is told that it holds LLC
AS_LLC = 'uat:user_dlts:"User 0 (DLT=147)","llcgprs","0","","0",""'
FIELDS = ("llcgprs.l3xiddcomppbit", "llcgprs.l3xidentity")
# Whole frames of the rows about SNDCP, but for an algorithm that TShark does not know either, and the answers.
READ = """
for _, row in ipairs(require "llc_rows") do
  if row[1]:find("^SNDCP:") and not row[1]:find("cut short") and not row[1]:find("unknown") then
    for i, frame in ipairs(row[2]) do print((frame:gsub(" ", "")), (row[3][i]:gsub("^%-> ", ""):gsub(" ", ""))) end
  end
end
"""


def read():
    done = subprocess.run(["lua5.4", "-"], input=READ, capture_output=True, text=True, check=True, timeout=60)
    return [tuple(map(bytes.fromhex, line.split("\t"))) for line in done.stdout.splitlines()]


def fcs(octets):
    """CRC-24 of TS 44.064 clause 5.5.1, bit by bit."""
    crc = 0xFFFFFF
    for octet in octets:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0xAD85DD if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFF)[:3]


def dissect(frames):
    with tempfile.TemporaryDirectory(prefix="gbflow-xid-") as folder:
        capture = os.path.join(folder, "xid.pcap")
        with open(capture, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, USER_0))
            for frame in frames:
                octets = frame + fcs(frame)
                file.write(struct.pack("<IIII", 0, 0, len(octets), len(octets)) + octets)
        words = ["tshark", "-r", capture, "-o", AS_LLC, "-T", "fields", "-E", "separator=|", "-e", "_ws.malformed"]
        for field in FIELDS:
            words += ["-e", field]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    return [line.split("|") for line in done.stdout.splitlines()]


@unittest.skipUnless(shutil.which("tshark") and shutil.which("lua5.4"), "tshark or lua5.4 is not installed")
class Judged(unittest.TestCase):
    def test_each_entity_is_answered(self):
        pairs = read()
        self.assertGreater(len(pairs), 4)
        judged = dissect([frame for pair in pairs for frame in pair])  # TShark knows an entity by its proposal
        for asked, answered in zip(judged[::2], judged[1::2]):
            with self.subTest(asked=asked):
                self.assertEqual((asked[0], answered[0]), ("", ""))
                self.assertEqual(answered[2], asked[2])  # the same entities, in their order
                self.assertNotIn("1", answered[1])  # and none of them proposed


if __name__ == "__main__":
    unittest.main()
