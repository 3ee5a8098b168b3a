-- SPDX-License-Identifier: BSD-3-Clause
-- A. Wennström, A. Brunstrom: TCP over GPRS: The Effect of Preemption (measurements in a testbed of Telia Mobile).
--
-- One bulk download for forty minutes; a minute after the last ones calls take every packet channel of the cell. The
-- paper's cases:
--
--   --set cells[1].calls.schedule.hold=3s --set cells[1].calls.schedule.every=63s     or 6s, 66s; 15s, 75s
--
-- Its proposal, to wait before the buffer is flushed, and to resume at once:
--
--   --set cells[1].calls.flush=5s --set 'cells[1].calls.restart_wait=0 s'
--
-- The testbed is that of gprs-buffering.lua; what differs stands here. Values that the paper does not state are marked
-- `assumed`.

local testbed = require "gprs-buffering"
local cell, sgsn, tcp = testbed.cells[1], testbed.sgsn, testbed.tcp
local flow = cell.flow_control

testbed.title, testbed.duration = "GPRS pre-empted by circuit-switched calls", "40 min"

sgsn.lifetime = { assumed = {
  value = { mode = "split", sgsn_max = "63 s" },
  why = "not stated; the larger of the two values of the same authors' paper on buffering",
  holds_over = "20 s and more: no packet grows as old",
} }
sgsn.queue_limit.assumed.why = "the SGSN loses nothing"
sgsn.n201_u.assumed.holds_over = "1504 to 1520 octets: a packet is one frame"

cell.pdchs = 3
cell.processing.assumed.why = "fitted in the paper on buffering: what BSC, Abis and terminal add to each frame's way"
cell.control_one_in.assumed.holds_over = "6 to 10: the throughput at 3 s is 22.0 to 23.8 kbit/s, at 15 s 20.7 to 22.5"
cell.tbf.assumed.holds_over = "uplink_access: 200 ms to 700 ms, 24.5 to 23.6 kbit/s at 3 s of pre-emption"
flow.thresholds.assumed.why = "fitted to almost ten segments lost and 20 s of recovery: how the BSC keeps its buffer "
  .. "is not stated"
flow.thresholds.assumed.holds_over = "18 kB to 24 kB, go 4 kB below: 9.1 to 10 segments lost, 23.4 to "
  .. "24.5 kbit/s and 15 to 18 s of recovery at 3 s"
flow.bucket_time.assumed.holds_over = "4 s to 20 s: more than the thresholds let in"
cell.calls = {
  schedule = {
    hold = "3 s",
    every = { assumed = {
      value = "63 s",
      why = "a minute lies between pre-emptions, from the end of one to the beginning of the next: forty "
        .. "minutes have 32 of 15 s, as the paper has at least 30",
      holds_over = "60 s to 63 s at a hold of 3 s; set it to hold and 60 s for the other cases",
    } },
  },
  flush = "0 s",
  restart_wait = { assumed = {
    value = "4 s",
    why = "the transfer resumes when the terminal asks for an uplink channel to send an acknowledgement; how "
      .. "long it stands still when the terminal has none is not stated",
    holds_over = "1 s to 10 s: 21.8 to 20.9 kbit/s at 15 s",
  } },
  uplink_keep = { assumed = {
    value = "10 s",
    why = "fitted: 15 s are enough for the terminal to empty its buffer, 6 s are not",
    holds_over = "7 s to 14 s",
  } },
}

tcp.stack.assumed.holds_over = "2.4.0; with 2.4.17 the recovery at 3 s takes 10.6 s, and the throughput is 24.8 kbit/s"
tcp.fack = { assumed = {
  value = false,
  why = "fitted: such a kernel sends without FACK when its route keeps reordering of an earlier connection; the "
    .. "measurements of the testbed followed each other between the same two hosts",
  holds_over = "false; with FACK the recovery at 3 s takes 12 s, and the throughput is 25.3 kbit/s",
} }
tcp.initial_ssthresh = { assumed = {
  value = 33,
  why = "fitted: such a route also keeps the threshold of a connection that ended in congestion avoidance "
    .. "(docs/tcp.md): at most three quarters of the window of 64 KB, 45 segments",
  holds_over = "22 to 33; without one the average RTT is up to 0.6 s longer",
} }
tcp.sack = { assumed = {
  value = true, why = "what Linux 2.4 does by itself", holds_over = "with; the rules of this stack need it",
} }
tcp.timestamps = { assumed = { value = true, why = "what Linux 2.4 does by itself", holds_over = "with and without" } }
tcp.delayed_ack.assumed.holds_over = "500 ms; with 200 ms the throughput at 3 s is 28.0 kbit/s, and the RTT 5.2 s"

return testbed
