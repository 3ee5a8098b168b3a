-- SPDX-License-Identifier: BSD-3-Clause
-- Users for scenarios: local users = require "preset.users"
--
-- Each function gives the traffic of one user, drawn with the run's seed: sizes, pauses, and a start within `start_s`
-- seconds. The values are examples, not of a publication.

local users = {}

local function seconds(value)
  return string.format("%.3f s", value)
end

local function start(start_s)
  return seconds(start_s * math.random())
end

local function kilobytes(least, most)
  return string.format("%d kB", math.random(least, most))
end

-- Pages of a main object and some items over two connections, and half a minute of reading.
function users.browser(start_s)
  return { { web = { page = kilobytes(4, 15), items = math.random(2, 8), item = kilobytes(1, 6), parallel = 2,
    reading = "30 s", reading_law = "exponential", start = start(start_s) } } }
end

-- A message a minute, the size of which is the user's.
function users.mailer(start_s)
  return { { web = { page = kilobytes(2, 60), items = 0, parallel = 1, reading = "60 s", reading_law = "exponential",
    start = start(start_s) } } }
end

-- Speech in bursts, 6.4 kbit/s while someone talks.
function users.talker(start_s)
  return { { cbr = { rate = "6400 bit/s", packet = "80 octets", burst = "3 s", pause = "20 s",
    burst_law = "exponential", start = start(start_s) } } }
end

-- One file.
function users.loader(start_s)
  return { { download = { octets = kilobytes(50, 300), start = start(start_s) } } }
end

-- A machine that reports every ten seconds.
function users.meter(start_s)
  return { { ping = { every = "10 s", octets = "100 octets", start = start(start_s) } } }
end

return users
