-- SPDX-License-Identifier: BSD-3-Clause
-- P. Benko, G. Malicsko, A. Veres: A Large-scale, Passive Analysis of End-to-End TCP Performance over GPRS (2004): the
-- users of a wireline dial-up network that the paper compares GPRS with.
--
-- A modem is a radio without its peculiarities: a timeslot of its own for each mobile, with the modem's rate in each
-- direction, no block errors, and TBFs that stay. TCPs are mixed as in the paper's table I. `gbflow reproduce P2` plays
-- this beside gprs-population.lua. Values that the paper does not state are marked `assumed`.

local USERS <const>, DURATION_S <const> = 120, 300
-- Octets of a block of 20 ms downlink. Fig. 7: around 33 kbit/s, and between 40 and 50 kbit/s.
local MODEMS <const> = { 86, 108, 116, 124 }

-- Table I, shares in per cent.
local SHARES = { mss = { 49.29, 7.96, 42.75 }, window = { 96.74, 1.01, 2.25 }, sack = { 59.48, 40.52 },
  timestamps = { 2.45, 97.55 } }
local VALUES = { mss = { "536 octets", "1460 octets", "1300 octets" }, window = { "8 KiB", "16 KiB", "65535 octets" },
  sack = { true, false }, timestamps = { true, false } }
local KEYS = { mss = "mss", window = "receive_window", sack = "sack", timestamps = "timestamps" }

-- `count` values in random order, by their shares.
local function dealt(name, count)
  local list, upto = {}, 0
  for i = 1, #SHARES[name] do
    upto = upto + SHARES[name][i]
    while #list < math.floor(count * upto / 100 + 0.5) do
      list[#list + 1] = VALUES[name][i]
    end
  end
  for i = #list, 2, -1 do
    local j = math.random(i)
    list[i], list[j] = list[j], list[i]
  end
  return list
end

local tcps, names = {}, { "mss", "window", "sack", "timestamps" }
for k = 1, #names do
  local values = dealt(names[k], USERS)
  for i = 1, USERS do
    tcps[i] = tcps[i] or {}
    tcps[i][KEYS[names[k]]] = values[i]
  end
end

-- Pages of a main object and nine items over four connections.
local mobiles = {}
for i = 1, USERS do
  mobiles[i] = { name = "user" .. i, cell = 2 + (i - 1) % #MODEMS, class = "background", traffic = { { web = {
    page = string.format("%d kB", math.random(8, 40)), items = 9, item = string.format("%d kB", math.random(4, 14)),
    parallel = 4, persistent = false, reading = "10 s", reading_law = "exponential",
    start = string.format("%.3f s", 20 * math.random()), tcp = tcps[i],
  } } } }
end

local cells = {}
for i = 1, #MODEMS do
  cells[i] = {
    bvci = 1 + i, pdchs = USERS // #MODEMS, downlink_slots = 1, uplink_slots = 1, coding = "CS-4",
    block_octets = MODEMS[i], block_octets_up = 84,
    processing = { assumed = { value = "55 ms", why = "a modem's delay is not stated; round trips are 100 to 300 ms",
      holds_over = "20 ms to 80 ms" } },
    tbf = { setup = "0 s", setup_with_uplink = "1 ms", release = "60 s", uplink_access = "0 s", uplink_hold = "60 s" },
    flow_control = { bucket_time = "1 s" },
  }
end

return {
  title = "Dial-up users as in table I of the passive analysis",
  duration = string.format("%d s", DURATION_S),

  network = {
    server_delay = { assumed = { value = "50 ms", why = "where servers are is not stated",
      holds_over = "10 ms to 100 ms" } },
    internet_loss = { assumed = { value = "0.39 %", why = "table II has it on the way to the users",
      holds_over = "0 % to 1 %" } },
    gn_loss = { assumed = { value = "0.16 %", why = "table II has it behind the monitor",
      holds_over = "0 % to 0.5 %" } },
  },

  sgsn = { queue_limit = "64 kB", lifetime = { mode = "split", sgsn_max = "60 s" } },

  cells = cells,
  mobiles = mobiles,

  tcp = { initial_cwnd = 2, initial_rto = "3 s", min_rto = "1 s" },

  series = { every = "60 s" },
}
