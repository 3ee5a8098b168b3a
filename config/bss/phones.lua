-- SPDX-License-Identifier: BSD-3-Clause
-- Phones that attach to an SGSN and activate a context: 100 of them, 20 a second. The SGSN's subscribers have the key
-- below for the XOR algorithm of test SIMs (OsmoHLR: subscriber imsi N update aud3g xor k HEX32).
--
--   gbflow emulate config/bss/phones.lua --verbose --json phones.json
--
-- How it works: docs/emulate.md. All keys: docs/reference/bss.md.

return {
  nsei = 101,
  nsvcs = { { nsvci = 1800, address = "198.51.100.2", sgsn_address = "198.51.100.1" } },

  cells = {
    {
      bvci = 1234, cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 },
      pdchs = 4, coding = "CS-2",
    },
  },

  phones = {
    count = 100, imsi = "001010000000001", ki = "000102030405060708090a0b0c0d0e0f", apn = "internet",
    attaches_per_s = 20,
  },
}
