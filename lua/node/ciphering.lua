-- SPDX-License-Identifier: BSD-3-Clause
-- Ciphering in a configuration: the key of a mobile, and the GEA engine. The program (gbflow_crypto) has the reasons
-- why an algorithm or engine is refused; it is asked only about values that are not plainly right.

local ciphering = {}

local KEY_DIGITS = { [0] = 0, [3] = 16, [4] = 32 } -- by the number of the algorithm
local ENGINES = { vector = "avx512", avx2 = "avx2", portable = "portable", ipsec = "ipsec-mb" } -- names in the program

local function check_key(record, number, fail)
  local wanted = KEY_DIGITS[number]
  if wanted == 0 then
    if record.kc then
      fail({ "kc" }, "'gea0' ciphers nothing and takes no key")
    end
  elseif not record.kc then
    fail({ "kc" }, string.format("'%s' needs a key of %d hexadecimal digits", record.algorithm, wanted))
  elseif #record.kc ~= wanted then
    fail({ "kc" }, string.format("%d digits where '%s' takes %d", #record.kc, record.algorithm, wanted))
  end
end

local function check_record(record, fail)
  local number = math.tointeger(tonumber(record.algorithm:sub(4)))
  record.number = number
  if KEY_DIGITS[number] then
    check_key(record, number, fail)
  else
    local reason = require("gbflow_crypto").refusal(number)
    fail({ "algorithm" }, string.format("'%s' is refused: %s; gea3 and gea4 are there", record.algorithm, reason))
  end
end

-- Fills in engine_name: what the program calls it, "" for the best.
local function check_engine(record, fail)
  record.engine_name = ENGINES[record.engine] or ""
  local fault = record.engine_name ~= "" and require("gbflow_crypto").fault(record.engine_name)
  if fault then
    fail({ "engine" }, string.format("'%s' cannot be used here: %s", record.engine, fault))
  end
end

-- The field of a mobile. The checked record has `number`, that of the algorithm.
ciphering.MOBILE = { name = "ciphering", type = "record", absent = "none", noun = "ciphering",
  check = check_record,
  doc = "UI frames of the mobile are ciphered in both directions, from the first one on.", fields = {
    { name = "algorithm", type = "string", required = true, pattern = "^gea[0-7]$",
      form = "gea3 or gea4, gea0 for none",
      doc = "\"gea3\" (64-bit key), \"gea4\" (128-bit key), or \"gea0\": no ciphering; GEA1, 2 and 5 are refused" },
    { name = "kc", type = "string", absent = "none", max = 32, pattern = "^%x+$", form = "16 or 32 hexadecimal digits",
      is_secret = true,
      doc = "the key: Kc of 16 hexadecimal digits for gea3, Kc128 of 32 for gea4" },
    { name = "iov_ui", type = "integer", min = 0, max = 0xFFFFFFFF, default = 0, hex = true,
      doc = "IOV-UI, the offset for UI frames that XID negotiates" },
  } }

-- The node's own settings.
ciphering.CRYPTO = { name = "crypto", type = "record", default = {}, noun = "crypto", check = check_engine,
  doc = "The GEA engine.", fields = {
    { name = "engine", type = "enum", values = { "auto", "vector", "avx2", "portable", "ipsec" }, default = "auto",
      doc = "auto: the fastest engine that this CPU supports. vector: AVX-512. avx2: AVX2. portable: plain C. "
        .. "ipsec: Intel's IPsec-mb, which is slow" },
  } }

-- A list of SAPIs whose downlink frames go in unprotected mode.
function ciphering.unprotected(absent, default)
  return { name = "unprotected_sapis", type = "list", max = 4, default = default, absent = absent,
    item = { type = "integer", values = { 3, 5, 9, 11 } },
    doc = "SAPIs with downlink frames in unprotected mode: FCS over headers only, RLC in unacknowledged mode" }
end

return ciphering
