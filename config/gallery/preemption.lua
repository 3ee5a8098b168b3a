-- SPDX-License-Identifier: BSD-3-Clause
-- Question: what do pre-emptions by voice do to Linux 2.4? Once a minute calls take all timeslots of the cell for
-- `hold`. Nothing is lost: the BSS keeps its queue. docs/papers/latency-buffering-preemption.md has the measurements
-- of such a testbed.

local gprs = require "preset.gprs"

return {
  title = "A download that voice calls interrupt",
  duration = "21 min",
  warmup = "30 s",
  sgsn = gprs.sgsn(),
  cells = { gprs.cell(3, { calls = { schedule = { every = "60 s", hold = "4 s" }, flush = "infinite" } }) },
  mobiles = { gprs.mobile("laptop", gprs.download()) },
  tcp = { stack = "linux-2.4.0", initial_rto = "3 s", min_rto = "200 ms" },
  study = {
    seeds = 10,
    axes = {
      { name = "sender", points = {
        { label = "Linux 2.4" },
        { label = "RFC 6298", set = { ["tcp.stack"] = "rfc", ["tcp.min_rto"] = "1 s" } },
      } },
      { name = "hold_s", set = { "cells[1].calls.schedule.hold" },
        values = { "0.5 s", "1 s", "2 s", "4 s", "8 s", "16 s" } },
    },
    figures = { "tcp.laptop#0.timeouts", "tcp.laptop#0.repeated_octets", "mobiles.laptop.goodput_bps",
      "cells.2.calls.preemptions", "cells.2.drops.preempted" },
    baseline = { sender = "RFC 6298" },
  },
}
