-- SPDX-License-Identifier: BSD-3-Clause
-- Cells for scenarios: local radio = require "preset.radio"
--
--   radio.cell { bvci = 2, pdchs = 4 }                          CS-2, 5 % of blocks with errors
--   radio.cell({ bvci = 3, pdchs = 4 }, radio.fading)           the same, with errors in bursts
--
-- The values are examples of a cell in a town, not of a publication.

local radio = {}

-- Retransmissions of RLC take 120 ms; the BSS announces its bucket every ten seconds.
radio.town = {
  coding = "CS-2", bler = "5 %", retransmission = "120 ms", processing = "30 ms",
  flow_control = { bucket_time = "2 s", ms = {}, every = "10 s" },
}

-- A mobile that moves: a tenth of the time nearly nothing arrives.
radio.fading = { fading = { good = "4.5 s", bad = "500 ms", bler = "80 %" }, bler = "2 %" }

local function add(to, from)
  for i = 1, #from do
    local part = from[i]
    for j = 1, #radio.KEYS do
      local key = radio.KEYS[j]
      if part[key] ~= nil then to[key] = part[key] end
    end
  end
  return to
end

-- The sandbox has no pairs(): the keys that a cell of these presets may have.
radio.KEYS = { "bvci", "nse", "routing_area", "pdchs", "coding", "bler", "bler_up", "bler_trace", "fading",
  "retransmission", "processing", "control_one_in", "window", "schedule", "downlink_slots", "uplink_slots", "tbf",
  "buffer", "flow_control", "calls" }

-- A cell in a town with the keys of `own`, and of one further table where `own` lacks them.
function radio.cell(own, more)
  return add({}, { radio.town, more or {}, own })
end

return radio
