-- SPDX-License-Identifier: BSD-3-Clause
-- Which GEA algorithm a phone gets (24.008 §4.7.7.1): the first of phones.ciphering that it has and that a key is
-- there for. GEA/4 needs Kc128, which is made of CK and IK: UMTS AKA alone has them (33.102 annex B.5).

local gea = {}

-- Octet and bit of each algorithm in the MS network capability (§10.5.5.12): GEA1 bit, then extended GEA bits.
local BITS <const> = { { 1, 0x80 }, { 2, 0x40 }, { 2, 0x20 }, { 2, 0x10 } }
local KC128 <const> = { [4] = true }

-- list: in the order of preference; nil: the phone has none of them.
function gea.first(list, capability, has_umts_keys)
  for _, algorithm in ipairs(list) do
    local bit = BITS[algorithm]
    local has = not bit or (capability:byte(bit[1]) or 0) & bit[2] ~= 0
    if has and (has_umts_keys or not KC128[algorithm]) then return algorithm end
  end
  return nil
end

-- Whether a list has an algorithm; nil stands for 0.
function gea.has(list, algorithm)
  for _, listed in ipairs(list) do
    if listed == (algorithm or 0) then return true end
  end
  return false
end

-- Whether an algorithm's key is Kc128 and not Kc.
function gea.takes_kc128(algorithm)
  return KC128[algorithm] ~= nil
end

return gea
