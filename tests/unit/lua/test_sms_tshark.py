# SPDX-License-Identifier: BSD-3-Clause
"""TShark judges what the codecs read in CP- and RP-messages: the rows of sms_wire_rows.lua."""
import unittest

import tshark_fields

FIELDS = ("gsm_a.dtap.tio", "gsm_a.dtap.ti_flag", "gsm_a.dtap.msg_sms_type", "gsm_a.dtap.cp_cause", "gsm_a.rp.msg_type",
          "gsm_a.rp.rp_message_reference", "gsm_a.rp.cause", "gsm_a.dtap.cld_party_bcd_num")
# A line for each row: its octets, and what the codecs read, in the order of FIELDS; "-": nothing.
READ = """
local wire, rows = require "wire.phone", require "sms_wire_rows"
local CP <const> = { cp_data = 1, cp_ack = 4, cp_error = 16 }
local RP <const> = { rp_data = 0, network_rp_data = 1, rp_ack = 2, network_rp_ack = 3, rp_error = 4, network_rp_error = 5,
  rp_smma = 6 }
local function digits_of(octets)
  return (octets:sub(2):gsub(".", function(c) return ("%d%d"):format(c:byte() & 15, c:byte() >> 4) end))
end
for _, row in ipairs(rows.cp) do
  local octets = row.hex:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end)
  local cp = assert(wire.cp_decode(octets, row.from))
  local rp = cp.user_data and assert(wire.rp_decode(cp.user_data, row.from)) or {}
  local address = digits_of((rp.originator or "") .. (rp.destination or ""))
  print(row.hex, cp.ti, cp.ti_flag, CP[cp.message], cp.cause or "-", RP[rp.message] or "-", rp.reference or "-",
    rp.cause or "-", address == "" and "-" or address)
end
"""


def plain(text):
    """The value of a field of TShark as the codecs have it."""
    if text in ("True", "False"):
        return str(int(text == "True"))
    return str(int(text, 16)) if text.startswith("0x") else text or "-"


@tshark_fields.needs_tshark
class Judged(unittest.TestCase):
    def test_each_row(self):
        rows = tshark_fields.read(READ)
        judged = tshark_fields.dissect("gsm_a_dtap", [bytes.fromhex(row[0]) for row in rows], FIELDS)
        self.assertEqual(len(judged), len(rows))
        self.assertGreater(len(rows), 10)
        for row, (malformed, *fields) in zip(rows, judged):
            with self.subTest(octets=row[0]):
                self.assertEqual(malformed, "")
                self.assertEqual(dict(zip(FIELDS, map(plain, fields))), dict(zip(FIELDS, row[1:])))


if __name__ == "__main__":
    unittest.main()
