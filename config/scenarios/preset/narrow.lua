-- SPDX-License-Identifier: BSD-3-Clause
-- A narrow link and its users, all in one traffic class, as a network with one default bearer has them:
-- local narrow = require "preset.narrow"
--
-- The values are examples, not of a publication. A scenario gives sizes, rates and times.

local narrow = {}

local function start()
  return string.format("%.3f s", 5 + 15 * math.random())
end

local function add(list, name, traffic)
  list[#list + 1] = { name = name, class = "background", traffic = traffic }
end

-- Devices that load the same new firmware within half a minute; the first one also pings.
local function firmware(list, count, octets)
  for i = 1, count do
    local traffic = { { download = { octets = octets, start = string.format("%.3f s", 30 * math.random()) } } }
    if i == 1 then
      traffic[2] = { ping = { every = "5 s", start = "10 s" } }
    end
    add(list, "firmware" .. i, traffic)
  end
end

-- A report of a sensor and its answer, over a connection that stays open.
local function sensors(list, count)
  for i = 1, count do
    add(list, "sensor" .. i, { { web = { page = "60 octets", items = 0, parallel = 1, request = "200 octets",
      reading = "20 s", reading_law = "exponential", start = start() } } })
  end
end

-- A page of five objects.
local function readers(list, count, item)
  for i = 1, count do
    add(list, "reader" .. i, { { web = { page = item, items = 4, item = item, parallel = 2,
      reading = "20 s", reading_law = "exponential", start = start() } } })
  end
end

-- Those of a scenario, and someone who only asks whether the link is there.
local function mobiles(own)
  local list = {}
  firmware(list, 3, own.firmware)
  sensors(list, own.sensors)
  readers(list, own.readers, own.item)
  add(list, "ping", { { ping = { every = "5 s", start = "10 s" } } })
  return list
end

-- A core network without limits of its own: one FIFO buffer of each class.
local function sgsn()
  return {
    n201_u = "1520 octets",
    lifetime = { mode = "sgsn_only", sgsn_max = "infinite", bss_max = "infinite" },
    queue_limit = "1 MB", -- TCP's window is the limit of a queue
    queues = { class = { background = { order = "fifo" } } },
  }
end

-- TCP as servers have it today.
local TCP <const> = {
  mss = "1400 octets", cc = "cubic", slow_start = "hystart++", rack = true, prr = true,
  initial_cwnd = 10, -- RFC 6928
  receive_window = { assumed = {
    value = "65535 octets", why = "largest window without scaling; small stacks announce less: lwIP's default is "
      .. "4 segments", holds_over = "not tried",
  } },
}

-- The radio is a pipe of four pieces with rates, errors, delays and a buffer.
local function cell(own)
  return {
    bvci = 2,
    pdchs = 4,
    coding = "CS-1", -- required; block_octets replaces its octets
    block_octets = own.block_octets,
    downlink_slots = 2,
    uplink_slots = own.uplink_slots,
    bler = own.bler, retransmission = own.retransmission, processing = own.processing, window = own.window,
    tbf = {
      setup = own.setup,
      uplink_access = { assumed = {
        value = own.setup.assumed.value, why = own.uplink_access_why, holds_over = "not tried",
      } },
      release = { assumed = { value = "10 s", why = own.release_why, holds_over = "not tried" } },
      uplink_hold = { assumed = { value = "10 s", why = "as release", holds_over = "not tried" } },
    },
    flow_control = {
      bucket_time = own.bucket_time,
      -- It announces the rate of the pipe without errors, and how long LLC-PDUs waited. When the buffer is full it
      -- announces 0.
      thresholds = { stop = own.stop, go = own.go }, -- bucket_time at the rate of the pipe
      every = "1 s",
      measurement = true,
      ms = {},
    },
  }
end

-- A scenario of one link, ten minutes. own: title; server_delay; firmware, item: octets of a device's firmware and of
-- an object of a page; sensors, readers: how many; the keys of a cell that differ; stop, go: of its buffer; setup of a
-- TBF, and why uplink_access and release have their values.
function narrow.link(own)
  return {
    title = own.title,
    duration = "10 min",
    warmup = "30 s",
    network = { server_delay = own.server_delay },
    sgsn = sgsn(),
    cells = { cell(own) },
    mobiles = mobiles(own),
    tcp = TCP,
  }
end

return narrow
