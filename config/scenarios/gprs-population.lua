-- SPDX-License-Identifier: BSD-3-Clause
-- P. Benko, G. Malicsko, A. Veres: A Large-scale, Passive Analysis of End-to-End TCP Performance over GPRS (2004).
--
-- A population whose TCPs are mixed as in the paper's tables I and III, in cells that give a mobile two or three
-- timeslots:
--
--   readers    one connection at a time, 40 to 140 kB: the single connections of Fig. 9, 10, 14 to 17 and table III
--   browsers   pages of small objects over several connections at a time
--   loaders    files of 100 to 300 kB, one or several at a time, while they browse: parallel traffic of Fig. 11, 13
--
-- All change the cell now and then and are without a cell for 2 to 30 s; the BSS then deletes what it had queued. The
-- analysis of a monitor at Gi:
--
--   gbflow run config/scenarios/gprs-population.lua --pcap=gi --out out
--   gbflow analyze out/gi.pcapng --out out/analysis
--
-- `gbflow reproduce P2` runs both and compares with the paper. Values that the paper does not state are marked
-- `assumed`.

local CELLS <const> = 20 -- every second cell gives a mobile three slots, the others two
local READERS <const>, BROWSERS <const>, LOADERS <const> = 120, 40, 120
local DURATION_S <const>, MOVE_S <const> = 600, 400 -- and the mean time between two cell changes of a mobile

-- Shares in per cent. Table I is of all connections, table III of single ones with more than 32 kB: these are the
-- readers'. The other users have the mix with which all connections together have that of table I.
local READERS_PERCENT <const> = 20 -- of all connections
local TABLE_1 = { mss = { 25.12, 22.52, 52.36 }, window = { 55.90, 25.54, 18.56 }, sack = { 55.49, 44.51 },
  timestamps = { 9.48, 90.52 } }
local TABLE_3 = { mss = { 14.35, 80.71, 4.94 }, window = { 34.28, 35.87, 29.85 }, sack = { 47.91, 52.09 },
  timestamps = { 14.22, 85.78 } }
-- Windows below 10 kB are of two sizes: 8 KiB, and the one that `tcp` below has for all who have no other. The share of
-- the latter is fitted to the goodput of low windows in table III, 22.5 kbit/s.
local SMALLEST_PERCENT <const> = 75
local VALUES = { mss = { "536 octets", "1460 octets", "1300 octets" }, window = { "8 KiB", "16 KiB", "65535 octets" },
  sack = { true, false }, timestamps = { true, false } }

local function others()
  local mix, names = {}, { "mss", "window", "sack", "timestamps" }
  for k = 1, #names do
    local name = names[k]
    mix[name] = {}
    for i = 1, #TABLE_1[name] do
      mix[name][i] = (TABLE_1[name][i] - READERS_PERCENT / 100 * TABLE_3[name][i]) / (1 - READERS_PERCENT / 100)
    end
  end
  return mix
end

local function shuffle(list)
  for i = #list, 2, -1 do
    local j = math.random(i)
    list[i], list[j] = list[j], list[i]
  end
end

-- Gives each of the TCPs one of the values, by the values' shares. Returns the TCPs of each value as a list.
local function deal(tcps, key, values, shares)
  local groups, upto, given = {}, 0, 0
  shuffle(tcps)
  for i = 1, #shares do
    local group = {}
    upto = upto + shares[i]
    while given < math.floor(#tcps * upto / 100 + 0.5) do
      given = given + 1
      tcps[given][key] = values[i]
      group[#group + 1] = tcps[given]
    end
    groups[i] = group
  end
  return groups
end

-- Makes `count` TCPs: those that differ in one parameter have the same mix of the others.
local function population(count, mix)
  local tcps = {}
  for i = 1, count do
    tcps[i] = {}
  end
  local windows = deal(tcps, "receive_window", VALUES.window, mix.window)
  deal(windows[1], "receive_window", { nil, VALUES.window[1] }, { SMALLEST_PERCENT, 100 - SMALLEST_PERCENT })
  for i = 1, #windows do
    local sacks = deal(windows[i], "sack", VALUES.sack, mix.sack)
    for j = 1, #sacks do
      deal(sacks[j], "mss", VALUES.mss, mix.mss)
    end
  end
  deal(tcps, "timestamps", VALUES.timestamps, mix.timestamps)
  return tcps
end

local function seconds(value)
  return string.format("%.3f s", value)
end

local function kilobytes(least, most)
  return string.format("%d kB", math.random(least, most))
end

-- Pages of which each object has a connection.
local function web(tcp, given)
  given.persistent, given.reading_law, given.start, given.tcp = false, "exponential", seconds(60 * math.random()), tcp
  return { web = given }
end

local function reader(tcp)
  return { web(tcp, { page = kilobytes(40, 140), items = 0, parallel = 1, reading = "15 s" }) }
end

local function browser(tcp)
  return { web(tcp, { page = kilobytes(6, 20), items = 3, item = kilobytes(3, 9), parallel = math.random(2, 3),
    reading = "20 s" }) }
end

-- Half of the loaders, in each cell, have several files at a time.
local function loader(tcp, i)
  local parallel = (i - 1) // CELLS % 2 == 0 and 1 or math.random(2, 4)
  local files = { page = "1 octet", items = parallel, item = kilobytes(100, 300), parallel = parallel,
    reading = "15 s" }
  local pages = { page = kilobytes(6, 20), items = 2, item = kilobytes(3, 9), parallel = 2, reading = "60 s" }
  return { web(tcp, files), web(tcp, pages) }
end

local mobiles, moves = {}, {}

-- Now and then to the next cell with as many slots, which is of another routing area.
local function moves_of(name, cell)
  local at = -MOVE_S * math.log(1 - math.random())
  while at < DURATION_S do
    cell = (cell + 2) % CELLS
    local gap = 2 * 15 ^ math.random()
    moves[#moves + 1] = { at = seconds(at), mobile = name, cell = 2 + cell, gap = seconds(gap) }
    at = at + gap - MOVE_S * math.log(1 - math.random())
  end
end

local function users(kind, count, mix, traffic_of)
  local tcps = { population(count // 2, mix), population(count // 2, mix) }
  for i = 1, count do
    local name, cell = kind .. i, (i - 1) % CELLS
    mobiles[#mobiles + 1] = { name = name, cell = 2 + cell, class = "background",
      traffic = traffic_of(tcps[1 + i % 2][(i + 1) // 2], i) }
    moves_of(name, cell)
  end
end

users("reader", READERS, TABLE_3, reader)
users("browser", BROWSERS, others(), browser)
users("loader", LOADERS, others(), loader)

local function cells()
  local list = {}
  for i = 1, CELLS do
    local slots = 2 + (i - 1) % 2
    list[i] = {
      bvci = 1 + i, pdchs = 20 * slots, downlink_slots = slots, uplink_slots = 1,
      routing_area = 1 + (i - 1) // 2 % 2,
      coding = "CS-2", -- "all networks were configured to use CS-2"
      bler = { assumed = {
        value = "4 %",
        why = "with it and the LLC headers, two and three slots carry the rates of the paper's peaks",
        holds_over = "2 % to 10 %: the peaks move by as much",
      } },
      processing = { assumed = {
        value = "220 ms",
        why = "BSC, Abis and terminal: set-up takes more than a second without other traffic",
        holds_over = "150 ms to 300 ms: set-up moves by twice as much",
      } },
      tbf = { setup = "200 ms", setup_with_uplink = "100 ms", release = "1 s", uplink_access = "200 ms",
        uplink_hold = "500 ms" },
      flow_control = { bucket_time = "4 s" },
    }
  end
  return list
end

return {
  title = "A population as in tables I and III of the passive analysis",
  duration = seconds(DURATION_S),

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
      value = "0.5 %",
      why = "with what full queues and cell changes drop, the access loses about what table II says",
      holds_over = "0 % to 1 %; the less is lost, the less SACK is worth",
    } },
  },

  sgsn = {
    queue_limit = { assumed = {
      value = "18 kB",
      why = "buffers are not stated; with large windows \"the bottleneck queue will operate on a higher occupancy\"",
      holds_over = "14 kB to 24 kB",
    } },
    lifetime = { mode = "split", sgsn_max = "15 s" },
  },

  cells = cells(),
  mobiles = mobiles,
  moves = moves,

  tcp = {
    initial_cwnd = 2, initial_rto = "3 s", min_rto = "1 s",
    receive_window = { assumed = {
      value = "4380 octets",
      why = "the smallest windows are not stated; the paper says that those below 4 to 5 kB limit a connection all the "
        .. "time",
      holds_over = "4 KiB to 5840 octets: the smaller it is, the more a medium window gains, and the less a high MSS",
    } },
    recovery = { assumed = {
      value = "newreno",
      why = "what senders without SACK do is not stated",
      holds_over = "newreno to time-out: without fast retransmit SACK is worth 4 % more",
    } },
  },

  series = { every = "60 s" },
}
