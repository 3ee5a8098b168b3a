-- SPDX-License-Identifier: BSD-3-Clause
-- A beam of a geostationary satellite to handsets: three devices load firmware, six sensors report, three people read
-- pages, one device pings. The empty network's round trip is 600 ms and more. The radio is a pipe with rates, errors,
-- delays and a buffer.
--
--   gbflow run config/scenarios/narrow-satellite.lua --set sgsn.queues.discipline=q
--
-- docs/narrow-links.md compares queues. Values are marked `assumed`, with their source.

local narrow = require "preset.narrow"

return narrow.link {
  title = "Narrow links: a satellite beam to handsets",
  firmware = "600 kB", sensors = 6, readers = 3, item = "3 kB",
  server_delay = { assumed = {
    value = "29 ms", why = "core network and internet, one way, so that the round trip is 600 ms; no source",
    holds_over = "not tried",
  } },
  -- Four pieces of 15 kbit/s of the pipe.
  block_octets = { assumed = {
    value = 37,
    why = "60 kbit/s down and 15 kbit/s up are those of Thuraya's GmPRS (GMR-1) with handsets; 30 kbit/s for a "
      .. "device, so that two share it: unsure, as no operator publishes the rate of a beam to handsets",
    holds_over = "not tried",
  } },
  uplink_slots = 1,
  bler = { assumed = {
    value = "1 %", why = "repetitions cost a round trip, so coding is chosen for few; no source",
    holds_over = "not tried",
  } },
  retransmission = { assumed = {
    value = "542 ms", why = "a round trip, see processing: without HARQ feedback (TR 38.821 clause 7.2.1.4), RLC "
      .. "repeats", holds_over = "not tried",
  } },
  -- The satellite is between the base station and the device.
  processing = { assumed = {
    value = "271 ms", why = "one way; the longest round trip by a transparent geostationary satellite is 541.46 ms "
      .. "(TR 38.821 clause 4.2)", holds_over = "not tried",
  } },
  window = 1024,
  setup = { assumed = {
    value = "600 ms", why = "a round trip of random access or paging", holds_over = "not tried",
  } },
  uplink_access_why = "a round trip of random access",
  release_why = "inactivity time of the base station, which operators set: no source",
  -- The gateway's buffer, before it stops the core network.
  bucket_time = { assumed = {
    value = "3 s", why = "several round trips; what gateways buffer is not published",
    holds_over = "1 to 10 s, not tried",
  } },
  stop = "22 kB", go = "18 kB",
}
