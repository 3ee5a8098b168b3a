-- SPDX-License-Identifier: BSD-3-Clause
-- The XOR algorithm of test SIMs (TS 34.108 clause 8.1.2.1) as a SIM without AUTN uses it: SRES by c2, Kc by c3 of
-- TS 33.102 clause 6.8.1.2. OsmoHLR's name of it is `xor`. No protection: for test subscribers alone.

local aka = require "gmm.aka"

local test_key = {}

local function xor_words(octets)
  local a, b, c, d = string.unpack(">I4I4I4I4", octets)
  return string.pack(">I4", a ~ b ~ c ~ d)
end

-- SRES of 4 octets and Kc of 8; Ki and RAND have 16.
function test_key.answer(ki, rand)
  local k, l = string.unpack(">I8I8", ki)
  local r, s = string.unpack(">I8I8", rand)
  local mixed = string.pack(">I8I8", k ~ r, l ~ s)
  local function turned(octets) return mixed:sub(octets + 1) .. mixed:sub(1, octets) end
  return xor_words(mixed), aka.kc_of(turned(1), turned(2))
end

return test_key
