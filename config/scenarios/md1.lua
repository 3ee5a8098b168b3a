-- SPDX-License-Identifier: BSD-3-Clause
-- A queue whose mean wait is known: Poisson arrivals, constant service times, one server, M/D/1.
--
-- Sixteen mobiles, a queue each. Packets of 190 octets arrive as a Poisson process; each is an LLC-PDU of 200 octets,
-- and the mobile's leaky bucket holds exactly one: the next may leave when it has drained, after D = 200 octets / R =
-- 10 ms. The cell's bucket never limits. With a load rho = rate / R, in octets of LLC-PDUs, packets wait in the SGSN
-- for
--
--   rho / (2 (1 - rho)) x D        on average (Pollaczek and Khinchine): 5 ms for one half, 11.67 ms for 0.7
--
-- and a share 1 - rho of them not at all. The waits are classes.background.sojourn_s in summary.json.
--
--     gbflow run config/scenarios/md1.lua
--     gbflow run config/scenarios/md1.lua --set mobiles.user.traffic[1].cbr.rate=106400bit/s       rho = 0.7

return {
  title = "M/D/1: Poisson arrivals at a bucket of one packet",
  duration = "20 min",
  warmup = "10 s",
  network = { server_delay = "0 s" },
  sgsn = { lifetime = { sgsn_max = "infinite", bss_max = "infinite" }, queue_limit = "1 MB", n201_u = "194 octets" },
  cells = {
    { bvci = 2, pdchs = 64, coding = "MCS-9", downlink_slots = 8, flow_control = {
      bvc = { bucket = "600 kB", rate = "6 Mbit/s" },
      ms_default = { bucket = "200 octets", rate = "160 kbit/s" },
    } },
  },
  mobiles = {
    { name = "user", count = 16, traffic = { { cbr = {
      rate = "76 kbit/s", packet = "190 octets", interval_law = "exponential",
    } } } },
  },
  series = { every = "20 min" },
}
