-- SPDX-License-Identifier: BSD-3-Clause
-- Routeing area identification as phones send and store it (TS 24.008 clause 10.5.5.15).

local area = {}

local function digit(text, at) return tonumber(text:sub(at, at)) or 15 end

-- The 6 octets of { mcc =, mnc =, lac =, rac = }; MNC of 2 or 3 digits.
function area.rai_octets(rai)
  local mcc, mnc = rai.mcc, rai.mnc
  return string.char(digit(mcc, 2) << 4 | digit(mcc, 1), digit(mnc, 3) << 4 | digit(mcc, 3),
    digit(mnc, 2) << 4 | digit(mnc, 1)) .. string.pack(">I2B", rai.lac, rai.rac)
end

return area
