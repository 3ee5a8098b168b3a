# SPDX-License-Identifier: BSD-3-Clause
"""TShark judges XID frames with SNDCP's parameters: proposals and answers of llc_rows.lua, entity by entity, and what the
node proposes and accepts itself."""
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
# A proposal of the node's, and the answer to a phone's, of RFC 1144 with 8 slots and V.42bis with 512 codewords of 20 octets.
OWN = """
local llc, wire = require "llc.unnumbered", require "gbflow_llc"
local function octets_of(intents)
  return (intents[#intents].octets:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end
for _, mode in ipairs({ "active", "passive" }) do
  local l = llc.new({ gb = { mtu = 1500, headers_octets = 78 }, mobiles = { n201_u = 500 },
    llc = { t200 = 1, n200 = 1, acknowledged = { links = 0 } }, sndcp = { compression = { mode = mode, entities = 9,
    rfc1144 = { slots = 8 }, v42bis = { direction = "both", codewords = 512, string = 20 } } } }, wire)
  l:cell_open("101/1800", 0)
  l:ms_add(1, "101/1800", nil, 0)
  local added = l:pdp_add(1, { nsapi = 5, sapi = 3, takes_headers = true, takes_data = true }, 0)
  local proposed = "\\x03\\xfb\\xac\\x60\\x00\\x01\\x00\\x01\\x0a\\x81\\x00\\x07\\x10\\x00\\x20\\x03\\x08\\x00\\x14" ..
    "\\x02\\x07\\x80\\x00\\x04\\x12\\x00\\x20\\x0f"
  if mode == "passive" then print(octets_of({ { octets = proposed } })) end
  print(octets_of(mode == "active" and added or l:frame(1, proposed, 0)))
end
"""
PARAMETERS = ("llcgprs.l3xiddcomppbit", "llcgprs.l3xidentity", "sndcpxid.nsapi5", "sndcpxid.rfc1144_s0", "sndcpxid.V42bis_p0",
              "sndcpxid.V42bis_p1_msb", "sndcpxid.V42bis_p1_lsb", "sndcpxid.V42bis_p2")


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

    def test_own_entities(self):
        frames = [bytes.fromhex(line[0]) for line in tshark_fields.read(OWN)]
        judged = tshark_fields.dissect("llcgprs", [frame + fcs(frame) for frame in frames], PARAMETERS)
        values = ["1,1", "7", "0x03", "0x02", "0x00", "0x14"]
        self.assertEqual(judged[0], ["", "1,1", "0,1", *values])
        self.assertEqual(judged[2], ["", "0,0", "1,0", *values])


if __name__ == "__main__":
    unittest.main()
