-- SPDX-License-Identifier: BSD-3-Clause
-- Users of a narrow link, all in one traffic class, as a network with one default bearer has them:
-- local narrow = require "preset.narrow"
--
-- The values are examples, not of a publication. A scenario gives the sizes.

local narrow = {}

local function start()
  return string.format("%.3f s", 5 + 15 * math.random())
end

local function add(list, name, traffic)
  list[#list + 1] = { name = name, class = "background", traffic = traffic }
end

-- Devices that load the same new firmware within half a minute; the first one also pings.
function narrow.firmware(list, count, octets)
  for i = 1, count do
    local traffic = { { download = { octets = octets, start = string.format("%.3f s", 30 * math.random()) } } }
    if i == 1 then
      traffic[2] = { ping = { every = "5 s", start = "10 s" } }
    end
    add(list, "firmware" .. i, traffic)
  end
end

-- A report of a sensor and its answer, over a connection that stays open.
function narrow.sensors(list, count)
  for i = 1, count do
    add(list, "sensor" .. i, { { web = { page = "60 octets", items = 0, parallel = 1, request = "200 octets",
      reading = "20 s", reading_law = "exponential", start = start() } } })
  end
end

-- A page of five objects.
function narrow.readers(list, count, item)
  for i = 1, count do
    add(list, "reader" .. i, { { web = { page = item, items = 4, item = item, parallel = 2,
      reading = "20 s", reading_law = "exponential", start = start() } } })
  end
end

-- Someone who only asks whether the link is there.
function narrow.pings(list)
  add(list, "ping", { { ping = { every = "5 s", start = "10 s" } } })
end

-- A core network without limits of its own: one FIFO buffer of each class.
function narrow.sgsn()
  return {
    n201_u = "1520 octets",
    lifetime = { mode = "sgsn_only", sgsn_max = "infinite", bss_max = "infinite" },
    queue_limit = "1 MB", -- TCP's window is the limit of a queue
    queues = { class = { background = { order = "fifo" } } },
  }
end

-- TCP as servers have it today.
narrow.tcp = {
  mss = "1400 octets", cc = "cubic", slow_start = "hystart++", rack = true, prr = true,
  initial_cwnd = 10, -- RFC 6928
  receive_window = { assumed = {
    value = "65535 octets", why = "largest window without scaling; small stacks announce less: lwIP's default is "
      .. "4 segments", holds_over = "not tried",
  } },
}

return narrow
