# SPDX-License-Identifier: BSD-3-Clause
"""TShark judges what the codecs read in CP- and RP-messages: the rows of sms_wire_rows.lua."""
import os
import shutil
import struct
import subprocess
import tempfile
import unittest

USER_0 = 147  # link type of the capture; TShark is told that it holds layer 3 of GSM
AS_LAYER_3 = 'uat:user_dlts:"User 0 (DLT=147)","gsm_a_dtap","0","","0",""'
FIELDS = ("gsm_a.dtap.tio", "gsm_a.dtap.ti_flag", "gsm_a.dtap.msg_sms_type", "gsm_a.dtap.cp_cause", "gsm_a.rp.msg_type",
          "gsm_a.rp.rp_message_reference", "gsm_a.rp.cause", "gsm_a.dtap.cld_party_bcd_num")
# A line for each row: its octets, and what the codecs read, in the order of FIELDS; "-": nothing.
READ = """
local wire, rows = require "gbflow_phone", require "sms_wire_rows"
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


def read():
    done = subprocess.run(["lua5.4", "-"], input=READ, capture_output=True, text=True, check=True, timeout=60)
    return [line.split("\t") for line in done.stdout.splitlines()]


def dissect(messages):
    with tempfile.TemporaryDirectory(prefix="gbflow-sms-") as folder:
        capture = os.path.join(folder, "sms.pcap")
        with open(capture, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, USER_0))
            for octets in messages:
                file.write(struct.pack("<IIII", 0, 0, len(octets), len(octets)) + octets)
        words = ["tshark", "-r", capture, "-o", AS_LAYER_3, "-T", "fields", "-E", "separator=|", "-e", "_ws.malformed"]
        for field in FIELDS:
            words += ["-e", field]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    return [line.split("|") for line in done.stdout.splitlines()]


def plain(text):
    """The value of a field of TShark as the codecs have it."""
    if text in ("True", "False"):
        return str(int(text == "True"))
    return str(int(text, 16)) if text.startswith("0x") else text or "-"


@unittest.skipUnless(shutil.which("tshark") and shutil.which("lua5.4"), "tshark or lua5.4 is not installed")
class Judged(unittest.TestCase):
    def test_each_row(self):
        rows = read()
        judged = dissect([bytes.fromhex(row[0]) for row in rows])
        self.assertEqual(len(judged), len(rows))
        self.assertGreater(len(rows), 10)
        for row, (malformed, *fields) in zip(rows, judged):
            with self.subTest(octets=row[0]):
                self.assertEqual(malformed, "")
                self.assertEqual(dict(zip(FIELDS, map(plain, fields))), dict(zip(FIELDS, row[1:])))


if __name__ == "__main__":
    unittest.main()
