-- SPDX-License-Identifier: BSD-3-Clause
-- Optional features of BSSGP (48.018 §8.4, §11.3.40, §11.3.84): what both sides name when the signalling BVC is reset
-- holds for the NSE until the next time. A BSS that names nothing has none of them, and is told of none.

local gb_features = {}

-- Of the Feature Bitmap, and of the Extended Feature Bitmap.
local BITS = { pfc = 0x01, cbl = 0x02, inr = 0x04, pfc_fc = 0x20 }
local EXTENDED_BITS = { gigabit = 0x02 }

local function bitmap(names, bits)
  local sum = 0
  for _, name in ipairs(names) do
    sum = sum | (bits[name] or 0)
  end
  return sum
end

-- The two bitmaps of a list of names.
function gb_features.bitmaps(names)
  return bitmap(names, BITS), bitmap(names, EXTENDED_BITS)
end

-- Set of the names that both the list and a received BVC-RESET have. Flow control of packet flows needs packet flows.
function gb_features.agreed(names, pdu)
  local set = {}
  for _, name in ipairs(names) do
    local received = BITS[name] and pdu.feature_bitmap or pdu.extended_feature_bitmap
    set[name] = (received or 0) & (BITS[name] or EXTENDED_BITS[name]) ~= 0
  end
  set.pfc_fc = set.pfc_fc and set.pfc
  return set
end

-- The record of an NSE for a restart of control.
function gb_features.keep(run, nse)
  run:record("nse/" .. nse.nsei, { nsei = nse.nsei, features = nse.features, is_shut = nse.is_shut })
end

return gb_features
