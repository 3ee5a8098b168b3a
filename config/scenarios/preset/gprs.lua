-- SPDX-License-Identifier: BSD-3-Clause
-- Parts of small scenarios: local gprs = require "preset.gprs"
--
--   cells = { gprs.cell(4) },  sgsn = gprs.sgsn(),
--   mobiles = { gprs.mobile("phone", gprs.download(), gprs.ping()) },
--
-- Each kind of traffic starts at a time drawn with the run's seed, so that seeds differ. The values are examples of a
-- cell in a town, not of a publication.

local radio = require "preset.radio"

local gprs = {}

-- Within the first two seconds.
function gprs.start()
  return string.format("%.3f s", 2 * math.random())
end

-- The BSS says each second how long LLC-PDUs waited in it: broken blocks make the air slower than its announced rate.
local REPORTED <const> = { bucket_time = "2 s", ms = {}, every = "1 s", measurement = true }

-- A cell with n timeslots for GPRS, of which a mobile receives on up to four. own: keys beside those of preset.radio,
-- or in their place; without bvci it is cell 2.
function gprs.cell(n, own)
  own = own or {}
  own.bvci, own.pdchs, own.flow_control = own.bvci or 2, n, own.flow_control or REPORTED
  return radio.cell(own)
end

-- An SGSN that loses nothing: TCP's window is the limit of a queue. own: further keys, as sgsn.queues and
-- sgsn.flow_control have them.
function gprs.sgsn(own)
  own = own or {}
  return {
    n201_u = "1520 octets", -- as phones ask for: a packet is one LLC frame
    queue_limit = own.queue_limit or "1 MB",
    lifetime = own.lifetime or { mode = "sgsn_only", sgsn_max = "infinite", bss_max = "infinite" },
    queues = own.queues, flow_control = own.flow_control,
  }
end

-- A mobile with one or several items of traffic, in class background.
function gprs.mobile(name, ...)
  return { name = name, class = "background", traffic = { ... } }
end

-- One file; without octets, for the whole run.
function gprs.download(octets)
  return { download = { octets = octets or "infinite", start = gprs.start() } }
end

-- An echo request a second.
function gprs.ping()
  return { ping = { every = "1 s", start = gprs.start() } }
end

-- Speech at 6.4 kbit/s, ten packets a second.
function gprs.speech()
  return { cbr = { rate = "6400 bit/s", packet = "80 octets", start = gprs.start() } }
end

-- Pages of 10 kB and eight items of 3 kB, over two connections, and half a minute of reading in the mean.
function gprs.pages()
  return { web = { page = "10 kB", items = 8, item = "3 kB", parallel = 2, reading = "30 s",
    reading_law = "exponential", start = gprs.start() } }
end

return gprs
