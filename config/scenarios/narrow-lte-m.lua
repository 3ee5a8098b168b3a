-- SPDX-License-Identifier: BSD-3-Clause
-- An LTE-M narrowband whose users need repetitions: three devices load firmware, eight sensors report, three people
-- read pages, one device pings. The radio is a pipe with rates, errors, delays and a buffer; there are no repetitions,
-- gaps or half duplex in it.
--
--   gbflow run config/scenarios/narrow-lte-m.lua --set sgsn.queues.discipline=q
--
-- docs/narrow-links.md compares queues. Values are marked `assumed`, with their source.

local narrow = require "preset.narrow"

return narrow.link {
  title = "Narrow links: an LTE-M narrowband with coverage enhancement",
  firmware = "800 kB", sensors = 8, readers = 3, item = "4 kB",
  server_delay = { assumed = {
    value = "50 ms", why = "core network and internet, one way; no source", holds_over = "not tried",
  } },
  -- Four pieces of 18.8 kbit/s of the pipe.
  block_octets = { assumed = {
    value = 47,
    why = "a half-duplex category M1 device has at most 300 kbit/s down and 375 kbit/s up (blocks of 1000 bits, "
      .. "TS 36.306 clause 4.1A); with 8 repetitions, of at most 32 in mode A, 37.5 kbit/s. The narrowband: two "
      .. "such devices at the same time",
    holds_over = "4 to 16 repetitions, not tried",
  } },
  uplink_slots = 2,
  bler = { assumed = {
    value = "10 %", why = "target of link adaptation (TS 36.213 clause 7.2.3)", holds_over = "not tried",
  } },
  retransmission = { assumed = {
    value = "80 ms", why = "8 ms of HARQ, with 8 repetitions of data, and of control and ACK: unsure",
    holds_over = "not tried",
  } },
  processing = { assumed = {
    value = "50 ms", why = "control and data of 8 repetitions each before a block is whole: unsure",
    holds_over = "not tried",
  } },
  window = 512,
  setup = { assumed = {
    value = "500 ms", why = "paging, random access and resume with repetitions: unsure, no source",
    holds_over = "not tried",
  } },
  uplink_access_why = "as setup",
  release_why = "inactivity time of the base station, which operators set, 10 to 20 s: no source",
  -- The base station's buffer, before it stops the core network.
  bucket_time = { assumed = {
    value = "1500 ms", why = "the longest finite time after which PDCP discards in LTE (discardTimer of "
      .. "PDCP-Config, TS 36.331); it may be infinite, and what base stations buffer is not published",
    holds_over = "1 to 10 s, not tried",
  } },
  stop = "14 kB", go = "11 kB",
}
