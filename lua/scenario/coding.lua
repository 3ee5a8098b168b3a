-- SPDX-License-Identifier: BSD-3-Clause
-- Coding schemes: octets of RLC data in one radio block of 20 ms on one PDCH (TS 44.060 clauses 10.2.1, 10.3a.1).
-- Both RLC blocks of MCS-7, -8 and -9 count as one that arrives or breaks as a whole.

local scenario_coding = {
  NAMES = { "CS-1", "CS-2", "CS-3", "CS-4", "MCS-1", "MCS-2", "MCS-3", "MCS-4", "MCS-5", "MCS-6", "MCS-7", "MCS-8",
    "MCS-9" },
  PAYLOAD_OCTETS = { ["CS-1"] = 20, ["CS-2"] = 30, ["CS-3"] = 36, ["CS-4"] = 50, ["MCS-1"] = 22, ["MCS-2"] = 28,
    ["MCS-3"] = 37, ["MCS-4"] = 44, ["MCS-5"] = 56, ["MCS-6"] = 74, ["MCS-7"] = 112, ["MCS-8"] = 136,
    ["MCS-9"] = 148 },
}

local BLOCKS_PER_S <const> = 50

-- The rate of `pdchs` PDCHs with blocks of `octets` octets and no bad blocks.
function scenario_coding.rate_bps(octets, pdchs)
  return octets * BLOCKS_PER_S * 8 * pdchs
end

-- "CS-1 20, CS-2 30, ..."
function scenario_coding.describe()
  local parts = {}
  for i, name in ipairs(scenario_coding.NAMES) do
    parts[i] = name .. " " .. scenario_coding.PAYLOAD_OCTETS[name]
  end
  return table.concat(parts, ", ")
end

return scenario_coding
