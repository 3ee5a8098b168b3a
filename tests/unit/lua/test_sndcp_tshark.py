# SPDX-License-Identifier: BSD-3-Clause
"""TShark judges XID frames with SNDCP's parameters: proposals and answers of llc_rows.lua, entity by entity."""
import struct
import unittest

import tshark_fields

FIELDS = ("llcgprs.l3xiddcomppbit", "llcgprs.l3xidentity")
# Whole frames of the rows about SNDCP, but for an algorithm that TShark does not know either, and the answers.
READ = """
for _, row in ipairs(require "llc_rows") do
  if row[1]:find("^SNDCP:") and not row[1]:find("cut short") and not row[1]:find("unknown") then
    for i, frame in ipairs(row[2]) do print((frame:gsub(" ", "")), (row[3][i]:gsub("^%-> ", ""):gsub(" ", ""))) end
  end
end
"""


def fcs(octets):
    """CRC-24 of TS 44.064 clause 5.5.1, bit by bit."""
    crc = 0xFFFFFF
    for octet in octets:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0xAD85DD if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFF)[:3]


@tshark_fields.needs_tshark
class Judged(unittest.TestCase):
    def test_each_entity_is_answered(self):
        pairs = [tuple(map(bytes.fromhex, line)) for line in tshark_fields.read(READ)]
        self.assertGreater(len(pairs), 4)
        # TShark knows an entity by its proposal.
        judged = tshark_fields.dissect("llcgprs", [frame + fcs(frame) for pair in pairs for frame in pair], FIELDS)
        for asked, answered in zip(judged[::2], judged[1::2]):
            with self.subTest(asked=asked):
                self.assertEqual((asked[0], answered[0]), ("", ""))
                self.assertEqual(answered[2], asked[2])  # the same entities, in their order
                self.assertNotIn("1", answered[1])  # and none of them proposed


if __name__ == "__main__":
    unittest.main()
