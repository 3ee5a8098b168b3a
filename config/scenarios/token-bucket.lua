-- SPDX-License-Identifier: BSD-3-Clause
-- A burst through a token bucket: the wait of each packet is known.
--
-- Every 30 s the server sends a hundred packets, one per tau = 100 ms. Each is an LLC-PDU of L = 500 octets. The
-- mobile's bucket holds B = 5 kB and drains with R = 16 kbit/s, slower than a burst arrives, so that packet k of a
-- burst, counted from 0, waits in the SGSN for
--
--   max(0, ((k + 1) L - B) / R - k tau)
--
-- the first ones not at all, the last one longest: 12.6 s. Before the next burst the bucket is empty again. The waits
-- are classes.background.sojourn_s in summary.json.
--
--     gbflow run config/scenarios/token-bucket.lua
--     gbflow run config/scenarios/token-bucket.lua --set 'cells[1].flow_control.ms_default.bucket=20 kB'

return {
  title = "Bursts through a token bucket",
  duration = "10 min",
  network = { server_delay = "0 s" },
  sgsn = { lifetime = { sgsn_max = "infinite", bss_max = "infinite" }, queue_limit = "1 MB" },
  cells = {
    { bvci = 2, pdchs = 8, coding = "MCS-9", downlink_slots = 8, flow_control = {
      bvc = { bucket = "200 kB", rate = "400 kbit/s" },
      ms_default = { bucket = "5 kB", rate = "16 kbit/s" },
    } },
  },
  mobiles = {
    { name = "user", traffic = { { cbr = {
      rate = "39200 bit/s", packet = "490 octets", burst = "10 s", pause = "20 s",
    } } } },
  },
}
