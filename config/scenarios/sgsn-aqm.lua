-- SPDX-License-Identifier: BSD-3-Clause
-- Active queue management in a 2G SGSN: 110 users of five traffic classes in two cells behind one Gb link, and the
-- effect of RED, ECN and their TTL-based variants, one instance for each class buffer, on delay and goodput. The cases:
--
--   (no AQM)
--   --set 'sgsn.queues.aqm={ scheme = "red", scope = "class_of_nse" }'                                  RED
--   --set 'sgsn.queues.aqm={ scheme = "red", scope = "class_of_nse", ecn = true }' --set tcp.ecn=true      ECN
--   the same two with scheme = "ttlred2"                                                           TTLRED, TTLECN
--
-- The paper has one buffer for each class: order = "fifo". With order = "mobiles" the mobiles of a class take turns.
--
-- The schemes' own defaults are the paper's parameters, the classes' default weights its weights. Values that the paper
-- does not state are marked `assumed`; most of the ranges come from trials with an independent model of the same
-- system.

-- Adds users of a kind, evenly in both cells, who begin within ten seconds.
local function users(list, kind, count, class, traffic_of)
  for i = 1, count do
    list[#list + 1] = {
      name = kind .. i, cell = 2 + i % 2, class = class,
      traffic = { traffic_of(string.format("%.3f s", 10 * math.random()), i) },
    }
  end
end

-- Marked as assumed once, for all five.
local BURST = { assumed = {
  value = "2 s", why = "mean 40 kbit/s and at most 80: on half of the time; how long at once is not stated",
  holds_over = "0.5 s to 10 s: this class is served first",
} }

local function streaming(start, i)
  return { cbr = { rate = "80 kbit/s", packet = "500 octets", start = start, burst = i == 1 and BURST or "2 s",
    pause = "2 s", burst_law = "exponential" } }
end

local function talk(start)
  return { cbr = { rate = "8 kbit/s", packet = "100 octets", start = start } }
end

local function pages(start)
  return { web = { page = "4910 octets", items = 30, item = "4910 octets", parallel = 4, reading = "1 s",
    start = start } }
end

-- Four files at a time; the first octet stands for the list of them.
local function files(start)
  return { web = { page = "1 octet", items = 4, item = "875 kB", parallel = 4, reading = "1 s", start = start } }
end

-- One FIFO buffer for each class.
local orders = {}
for class in ("streaming thp1 thp2 thp3 background"):gmatch("%w+") do
  orders[class] = { order = "fifo" }
end

local mobiles = {}
users(mobiles, "stream", 5, "streaming", streaming)
users(mobiles, "poc", 15, "thp1", talk)
users(mobiles, "web2-", 30, "thp2", pages)
users(mobiles, "web3-", 30, "thp3", pages)
users(mobiles, "ftp", 30, "background", files)

local function cell(bvci)
  return {
    bvci = bvci,
    pdchs = 24, -- of 48 in all
    coding = { assumed = {
      value = "MCS-7",
      why = "the rate of a slot is not stated; with one block in ten broken this is 40 kbit/s",
      holds_over = "about 40 kbit/s a slot: below, the air is the bottleneck, from 50 on Gb is",
    } },
    bler = { assumed = {
      value = "10 %", why = "where link adaptation works", holds_over = "with the rate of a slot, see coding",
    } },
    window = 512,
    downlink_slots = { assumed = {
      value = 4, why = "not stated; class 10 and 12",
      holds_over = "3 to 4; with 2, all that a stream of 80 kbit/s needs, streams wait a little over 0.5 s",
    } },
    schedule = "class", -- "a kind of priority queuing"
    flow_control = {
      thresholds = { assumed = {
        value = { stop = "40 kB", go = "30 kB" },
        why = "what may wait in the BSC is not stated",
        holds_over = "20 kB to 60 kB; with 120 kB background starves behind the BSC's priorities",
      } },
      bvc = { bucket = { assumed = {
        value = "20 kB", why = "not stated; the thresholds decide", holds_over = "10 kB to 40 kB",
      } } },
      ms_default = { bucket = { assumed = {
        value = "10 kB", why = "not stated; half of a cell's", holds_over = "5 kB to 20 kB",
      } } },
    },
  }
end

return {
  title = "AQM in a 2G SGSN",
  duration = "1000 s",
  warmup = "60 s",

  network = { server_delay = { assumed = {
    value = "50 ms", why = "not stated", holds_over = "10 ms to 150 ms",
  } } },

  sgsn = {
    gb = { rate = "2048 kbit/s" },
    queues = { class = orders },
    lifetime = { assumed = {
      value = { mode = "sgsn_only", sgsn_max = "32 s" },
      why = "a fixed lifetime is said to be there, not which; only background grows as old, and this with the BSC's "
        .. "time is the paper's 34 s",
      holds_over = "24 s to 42 s for background; from 20 s on no other class notices",
    } },
    queue_limit = { assumed = {
      value = "1 MB", why = "buffers are said to be large", holds_over = "200 kB and more",
    } },
    n201_u = { assumed = {
      value = "1520 octets", why = "not stated", holds_over = "500 to 1520 octets",
    } },
  },

  cells = { cell(2), cell(3) },
  mobiles = mobiles,

  tcp = {
    mss = { assumed = {
      value = "1000 octets", why = "the default of the paper's simulator", holds_over = "536 to 1460 octets",
    } },
    sack = false,
    timestamps = false,
    receive_window = { assumed = {
      value = "20 kB", why = "20 packets, the default of the paper's simulator", holds_over = "10 kB to 64 kB",
    } },
    initial_cwnd = { assumed = { value = 1, why = "the default of the paper's simulator", holds_over = "1 to 4" } },
    delayed_ack = { assumed = {
      value = { every = 1, timeout = "100 ms" }, why = "the paper's simulator does not delay acknowledgements",
      holds_over = "1 to 2 segments",
    } },
    initial_rto = { assumed = { value = "3 s", why = "RFC 2988, which was in force", holds_over = "1 s to 6 s" } },
  },
}
