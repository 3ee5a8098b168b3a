-- SPDX-License-Identifier: BSD-3-Clause
-- An NB-IoT carrier whose users are in good coverage, 20 kbit/s for a device: three devices load firmware, eight
-- sensors report, two people read pages, one device pings. The radio is a pipe with rates, errors, delays and a
-- buffer; there are no repetitions, gaps or half duplex in it.
--
--   gbflow run config/scenarios/narrow-nb-iot.lua --set sgsn.queues.discipline=q
--
-- docs/narrow-links.md compares queues. Values are marked `assumed`, with their source.

local narrow = require "preset.narrow"

return narrow.link {
  title = "Narrow links: an NB-IoT carrier, users in good coverage",
  firmware = "400 kB", sensors = 8, readers = 2, item = "2 kB",
  server_delay = { assumed = {
    value = "50 ms", why = "core network and internet, one way; no source", holds_over = "not tried",
  } },
  -- Four pieces of 10 kbit/s of the pipe.
  block_octets = { assumed = {
    value = 25,
    why = "4 x 10 kbit/s for the carrier, 2 x 10 kbit/s for a device. A category NB1 device has at most 26 kbit/s "
      .. "(680 bits, TS 36.306 clause 4.1C, in each cycle of NPDCCH, NPDSCH and ACK), NB2 127 kbit/s; repetitions "
      .. "divide it. The carrier: two devices at the same time, one receives while the other sends or waits",
    holds_over = "10 to 60 kbit/s for the carrier, not tried",
  } },
  uplink_slots = 1,
  bler = { assumed = {
    value = "10 %", why = "target of link adaptation (TS 36.213 clause 7.2.3); NB-IoT has no such report: unsure",
    holds_over = "not tried",
  } },
  retransmission = { assumed = {
    value = "200 ms", why = "ACK 12 ms after NPDSCH at the earliest, and the next NPDCCH (TS 36.213 clause 16.4.2)"
      .. ", with some repetitions of each: unsure", holds_over = "not tried",
  } },
  processing = { assumed = {
    value = "100 ms", why = "NPDCCH, scheduling gap and repetitions before each piece: unsure",
    holds_over = "not tried",
  } },
  window = 512,
  setup = { assumed = {
    value = "1 s", why = "paging, random access and resume of a device without a connection; latencies of 1.6 to "
      .. "10 s are published for NB-IoT, 10 s is TR 45.820's bound for an exception report (clause 4.1): unsure",
    holds_over = "not tried",
  } },
  uplink_access_why = "as setup",
  release_why = "inactivity time of the base station, which operators set, 10 to 20 s: no source",
  -- The base station's buffer, before it stops the core network.
  bucket_time = { assumed = {
    value = "5 s", why = "the shortest time after which PDCP may discard in NB-IoT is 5.12 s (discardTimer of "
      .. "PDCP-Config-NB, TS 36.331); what base stations buffer is not published", holds_over = "1 to 10 s",
  } },
  stop = "25 kB", go = "20 kB",
}
