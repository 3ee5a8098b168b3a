-- SPDX-License-Identifier: BSD-3-Clause
-- Authentication vectors (33.102 §6.8.1): which answer a phone must give to one, and the key that follows. A vector is
-- { rand =, sres =, kc =, ik =, ck =, autn =, res = }, the last four only of UMTS AKA.

local crypto = require "gbflow_crypto"
local gea = require "gmm.gea"

local aka = {}

local RES_OCTETS <const> = 16

local function xor(...)
  local out = { 0, 0 }
  for _, octets in ipairs({ ... }) do
    local a, b = string.unpack(">I4I4", octets)
    out[1], out[2] = out[1] ~ a, out[2] ~ b
  end
  return string.pack(">I4I4", out[1], out[2])
end

-- Kc = c3(CK, IK).
function aka.kc_of(ck, ik)
  return xor(ck:sub(1, 8), ck:sub(9, 16), ik:sub(1, 8), ik:sub(9, 16))
end

-- SRES = c2(RES), whose octets beyond its own are 0.
function aka.sres_of(res)
  local a, b, c, d = string.unpack(">I4I4I4I4", (res or "") .. ("\0"):rep(RES_OCTETS))
  return string.pack(">I4", a ~ b ~ c ~ d)
end

-- Vectors that are left are octets, one after the other: five tables would be half of the memory of a phone.

local FIELDS <const>, FORM <const> = { "rand", "sres", "kc", "ik", "ck", "autn", "res" }, "s1s1s1s1s1s1s1"

function aka.pack(vector)
  local values = {}
  for i, name in ipairs(FIELDS) do values[i] = vector[name] or "" end
  return FORM:pack(table.unpack(values))
end

-- The first of them, and the others.
function aka.unpack_first(vectors)
  local values, vector = { FORM:unpack(vectors) }, {}
  for i, name in ipairs(FIELDS) do vector[name] = values[i] ~= "" and values[i] or nil end
  return vector, vectors:sub(values[#FIELDS + 1])
end

-- Whether a phone of this revision is challenged with AUTN.
function aka.is_umts(vector, is_r99)
  return is_r99 and vector.autn ~= nil and vector.ck ~= nil and vector.ik ~= nil and vector.res ~= nil
end

-- Judges an answer, { sres =, res_extension = }: "usim" or "sim", as which the phone has proved itself, or nil: the
-- answer is wrong. A phone with a SIM answers a challenge with AUTN by SRES alone.
function aka.judge(vector, answer, is_umts)
  if not answer.sres then return nil end
  local whole = answer.sres .. (answer.res_extension or "")
  if is_umts and whole == vector.res then return "usim" end
  if not answer.res_extension and answer.sres == vector.sres then return "sim" end
  return nil
end

-- The key of an algorithm that holds from now on, Kc or Kc128; nil: that of GEA/4, and the phone has no CK and IK.
function aka.key_of(vector, module, algorithm)
  local is_usim, takes_kc128 = module == "usim", gea.takes_kc128(algorithm)
  if takes_kc128 then return is_usim and crypto.kc128(vector.ck, vector.ik) or nil end
  return is_usim and aka.kc_of(vector.ck, vector.ik) or vector.kc
end

-- The XOR algorithm of test SIMs (TS 34.108 clause 8.1.2.1) as a SIM without AUTN uses it: SRES by c2, Kc by c3 of
-- TS 33.102 clause 6.8.1.2. OsmoHLR's name of it is `aud3g xor`. No protection: for test subscribers alone.

local function turned(octets, by)
  return octets:sub(by + 1) .. octets:sub(1, by)
end

local function xor_words(octets)
  local a, b, c, d = string.unpack(">I4I4I4I4", octets)
  return string.pack(">I4", a ~ b ~ c ~ d)
end

local function xor_mixed(ki, rand)
  local k, l = string.unpack(">I8I8", ki)
  local r, s = string.unpack(">I8I8", rand)
  return string.pack(">I8I8", k ~ r, l ~ s)
end

-- SRES of 4 octets and Kc of 8; Ki and RAND have 16.
function aka.xor_answer(ki, rand)
  local mixed = xor_mixed(ki, rand)
  return xor_words(mixed), aka.kc_of(turned(mixed, 1), turned(mixed, 2))
end

-- The same as a USIM with AUTN uses it: a vector with `res`, `ck` and `ik`, of 16 octets each. nil: AUTN is not of this
-- network. Any sequence number is right.
function aka.xor_usim(ki, rand, autn)
  local mixed = xor_mixed(ki, rand)
  local anonymity, mac = string.unpack(">I6", mixed, 4), string.unpack(">I8", autn, 9)
  local sequence, amf = string.unpack(">I6I2", autn)
  if string.unpack(">I8", mixed) ~ ((sequence ~ anonymity) << 16 | amf) ~= mac then return nil end
  return { res = mixed, ck = turned(mixed, 1), ik = turned(mixed, 2) }
end

return aka
