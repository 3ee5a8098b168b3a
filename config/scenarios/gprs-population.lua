-- SPDX-License-Identifier: BSD-3-Clause
-- P. Benko, G. Malicsko, A. Veres: A Large-scale, Passive Analysis of End-to-End TCP Performance over GPRS (2004).
--
-- A population whose TCPs are mixed as in the paper's table I. It reads pages, one connection each, in cells that give
-- a mobile two or three timeslots. The analysis of a monitor at Gi:
--
--   gbflow run config/scenarios/gprs-population.lua --pcap --out out
--   gbflow analyze out/gi.pcapng --out out/analysis
--
-- The summary and the report show the paper's figures beside. Values that the paper does not state are marked
-- `assumed`.

local MOBILES, CELLS = 360, 18 -- every second cell gives a mobile three slots, the others two

-- Table I, shares in per cent: a quarter has largest IP packets of 400 to 600 octets, not quite a quarter of 1400 to
-- 1600; more than half has windows below 10 kB.
local MSS = { { "536 octets", 25.12 }, { "1460 octets", 22.52 }, { "1300 octets", 52.36 } }
local WINDOW = { { "5840 octets", 27.95 }, { "8 KiB", 27.95 }, { "16 KiB", 25.54 }, { "65535 octets", 18.56 } }
local SACK = { { true, 55.49 }, { false, 44.51 } }
local TIMESTAMPS = { { true, 9.48 }, { false, 90.52 } }

local function shuffle(list)
  for i = #list, 2, -1 do
    local j = math.random(i)
    list[i], list[j] = list[j], list[i]
  end
end

-- Gives each of the TCPs one of the values, by the values' shares. Returns the TCPs of each value as a list.
local function deal(tcps, key, shares)
  local groups, upto, given = {}, 0, 0
  shuffle(tcps)
  for i = 1, #shares do
    local group = {}
    upto = upto + shares[i][2]
    while given < math.floor(#tcps * upto / 100 + 0.5) do
      given = given + 1
      tcps[given][key] = shares[i][1]
      group[#group + 1] = tcps[given]
    end
    groups[i] = group
  end
  return groups
end

-- Makes `count` TCPs: those that differ in one parameter have the same mix of the others.
local function population(count)
  local tcps = {}
  for i = 1, count do
    tcps[i] = {}
  end
  local windows = deal(tcps, "receive_window", WINDOW)
  for i = 1, #windows do
    local sacks = deal(windows[i], "sack", SACK)
    for j = 1, #sacks do
      deal(sacks[j], "mss", MSS)
    end
  end
  deal(tcps, "timestamps", TIMESTAMPS)
  return tcps
end

local function mobiles()
  local list, tcps = {}, { population(MOBILES / 2), population(MOBILES / 2) }
  for i = 1, MOBILES do
    list[i] = {
      name = "user" .. i, cell = 2 + (i - 1) % CELLS, class = "background",
      traffic = { { web = {
        page = string.format("%d octets", 40000 + 1000 * math.random(0, 80)), items = 0, parallel = 1,
        persistent = false, reading = "15 s", reading_law = "exponential",
        start = string.format("%.3f s", 60 * math.random()), tcp = tcps[1 + i % 2][(i + 1) // 2],
      } } },
    }
  end
  return list
end

local function cells()
  local list = {}
  for i = 1, CELLS do
    local slots = 2 + (i - 1) % 2
    list[i] = {
      bvci = 1 + i, pdchs = 20 * slots, downlink_slots = slots, uplink_slots = 1,
      coding = "CS-2", -- "all networks were configured to use CS-2"
      bler = { assumed = {
        value = "5 %",
        why = "with it and the LLC headers, two and three slots carry the rates of the paper's peaks",
        holds_over = "2 % to 10 %: the peaks move by as much",
      } },
      processing = { assumed = {
        value = "300 ms",
        why = "BSC, Abis and terminal: set-up takes more than a second without other traffic",
        holds_over = "150 ms to 300 ms; at 150 ms a large MSS is worth 13 %, medium windows 2 %",
      } },
      tbf = { setup = "200 ms", setup_with_uplink = "100 ms", release = "1 s", uplink_access = "200 ms",
        uplink_hold = "500 ms" },
      flow_control = { bucket_time = "1 s" },
    }
  end
  return list
end

return {
  title = "A population as in table I of the passive analysis",
  duration = "15 min",

  network = {
    server_delay = { assumed = {
      value = "60 ms",
      why = "where servers are is not stated",
      holds_over = "10 ms to 200 ms",
    } },
    internet_loss = { assumed = {
      value = "0.15 %",
      why = "table II has it on the way to mobiles",
      holds_over = "0 % to 0.5 %",
    } },
    gn_loss = { assumed = {
      value = "0.7 %",
      why = "with what full queues drop, the access loses about what table II says",
      holds_over = "0.4 % to 0.8 %; the less is lost, the less SACK is worth",
    } },
  },

  sgsn = {
    queue_limit = { assumed = {
      value = "20 kB",
      why = "buffers are not stated; with large windows \"the bottleneck queue will operate on a higher occupancy\"",
      holds_over = "14 kB to 24 kB",
    } },
    lifetime = { mode = "split", sgsn_max = "15 s" },
  },

  cells = cells(),
  mobiles = mobiles(),

  tcp = { initial_cwnd = 2, initial_rto = "3 s", min_rto = "1 s" },

  series = { every = "10 s" },
}
