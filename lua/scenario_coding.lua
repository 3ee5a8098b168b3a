-- SPDX-License-Identifier: BSD-3-Clause
-- Coding schemes: octets of RLC data in one radio block of 20 ms on one PDCH (TS 44.060 clause 10.2.1).

local scenario_coding = {
  NAMES = { "CS-1", "CS-2", "CS-3", "CS-4" },
  PAYLOAD_OCTETS = { ["CS-1"] = 20, ["CS-2"] = 30, ["CS-3"] = 36, ["CS-4"] = 50 },
}

local BLOCKS_PER_S <const> = 50

-- What so many PDCHs carry of a scheme when no block breaks.
function scenario_coding.rate_bps(name, pdchs)
  return scenario_coding.PAYLOAD_OCTETS[name] * BLOCKS_PER_S * 8 * pdchs
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
