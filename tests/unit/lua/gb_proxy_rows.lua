-- SPDX-License-Identifier: BSD-3-Clause
-- A BSS that behaves as osmo-gbproxy: after a restart of the SGSN it resets BVCI 0 and no cell, and may not know any;
-- it swallows the first FLOW-CONTROL-BVC, and passes no FLUSH-LL-ACK on that names no BVCI. Times in milliseconds;
-- bvc_reset_after is 5 s.

local CELLS <const> = { [1234] = 20960, [1235] = 20961, [1236] = 20962 }
local function reset_of(bvci) return ("0 > [0] bvc_reset bvci=%d cause=8"):format(bvci) end

local function cell_id(bvci)
  return ("001-01-13135-%d-%d"):format(bvci == 1236 and 7 or 0, CELLS[bvci])
end

local function ack_of(bvci)
  return ("0 [0] bvc_reset_ack bvci=%d cell_id=%s"):format(bvci, cell_id(bvci))
end

local function taken(at, bvci, ...)
  return { at = at, rx = ack_of(bvci), "log info", "reset 101/" .. bvci, ("bvc 101/%d up"):format(bvci), ... }
end

local function unknown(at, bvci, ...)
  return { at = at, rx = ("0 [0] status cause=5 bvci=%d"):format(bvci), "count bssgp_status_received_05", "log warn",
    ... }
end

local NS <const> = { { at = 0, rx = "0 reset cause=1 nsei=101 nsvci=1800", "0 > reset_ack nsei=101 nsvci=1800",
  "0 > alive", "timer nsvc/0/alive 3000" },
  { at = 0, rx = "0 unblock", "0 > unblock_ack", "nsvc 0 up", "log info", "timer bvc_reset/101/look 5000" },
  { at = 0, rx = "0 alive_ack", "cancel nsvc/0/alive", "timer nsvc/0/test 30000" },
  { at = 1, rx = "0 [0] bvc_reset bvci=0 cause=8", "log info", "reset 101/1234", "reset 101/1235", "reset 101/1236",
    "0 > [0] bvc_reset_ack bvci=0" } }
local FIRST <const> = { at = 5000, timer = "bvc_reset/101/look", "log info", "count bvc_reset_sent", reset_of(1234),
  "log info", "count bvc_reset_sent", reset_of(1235), "log info", "count bvc_reset_sent", reset_of(1236),
  "timer bvc_reset/101/look 10000" }

local function after_ns(...)
  return table.move({ ... }, 1, select("#", ...), #NS + 1, table.move(NS, 1, #NS, 1, {}))
end

local UP <const> = { "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack",
  "0 [0] bvc_reset bvci=0 cause=8" }
for bvci in pairs(CELLS) do UP[#UP + 1] = ("0 [0] bvc_reset bvci=%d cause=8 cell_id=%s"):format(bvci, cell_id(bvci)) end

return {
  { name = "it keeps its cells over our restart: they are reset here, until it has acknowledged that",
    config = "proxy", steps = after_ns(
      { at = 2, rx = "0 [1234] radio_status tlli=16 radio_cause=0",
        "count bvc_unexpected", "count bssgp_status_sent_05",
        "0 > [0] status bvci=1234 cause=5 pdu_in_error=received" },
      FIRST, taken(5001, 1234),
      { at = 10000, timer = "bvc_reset/101/look", "count bvc_reset_sent", reset_of(1235), "count bvc_reset_sent",
        reset_of(1236), "timer bvc_reset/101/look 15000" },
      taken(10001, 1235),
      { at = 10002, rx = ack_of(1235), "count bssgp_bvc_reset_ack_unexpected" },
      { at = 10003, rx = "0 [0] bvc_unblock bvci=1235", "0 > [0] bvc_unblock_ack bvci=1235" },
      { at = 10004, rx = "0 [0] bvc_reset bvci=1236 cause=8 cell_id=" .. cell_id(1236), "log info", "reset 101/1236",
        "0 > [0] bvc_reset_ack bvci=1236", "bvc 101/1236 up" },
      { at = 10005, rx = ack_of(1236), "count bssgp_bvc_reset_ack_unexpected" },
      { at = 15000, timer = "bvc_reset/101/look", "timer bvc_reset/101/look 20000" }) },
  { name = "the first FLOW-CONTROL-BVC that it lets through opens the cell, whenever that comes", config = "proxy",
    steps = after_ns(FIRST, taken(5001, 1234),
      { show = "bvc 101/1234", is = "unblocked up rate none own 0" },
      { at = 6001, rx = "0 [1234] flow_control_bvc tag=2 bucket_octets=100000 rate_bps=80000 ms_bucket_octets=25000 "
        .. "ms_rate_bps=20000", "fc 101/1234 100000/80000 ms 25000/20000",
        "0 > [1234] flow_control_bvc_ack tag=2" }) },
  { name = "an answer that names another cell, and one to nothing", config = "proxy", steps = after_ns(
    { at = 2, rx = ack_of(1234), "count bssgp_bvc_reset_ack_unexpected" },
    { at = 3, rx = "0 [0] bvc_reset_ack bvci=0", "count bssgp_bvc_reset_ack_unexpected" }, FIRST,
    { at = 5001, rx = "0 [0] bvc_reset_ack bvci=1234 cell_id=001-01-13135-0-1", "log info",
      "count bvc_cell_id_mismatch", "log warn", "reset 101/1234", "bvc 101/1234 up" }) },
  { name = "it has forgotten which cells we have: BVCI 0 is reset once, after which it resets them",
    config = "proxy_signalling", steps = after_ns(FIRST,
      unknown(5001, 1234, "count bvc_reset_signalling_sent", "log info", "reset 101/1234", "reset 101/1235",
        "reset 101/1236", "0 > [0] bvc_reset bvci=0 cause=8"),
      unknown(5002, 1235), { at = 5003, rx = "0 [0] bvc_reset_ack bvci=0" },
      { at = 5004, rx = "0 [0] bvc_reset bvci=1234 cause=8 cell_id=" .. cell_id(1234), "log info", "reset 101/1234",
        "0 > [0] bvc_reset_ack bvci=1234", "bvc 101/1234 up" },
      { at = 10000, timer = "bvc_reset/101/look", "count bvc_reset_sent", reset_of(1235), "count bvc_reset_sent",
        reset_of(1236), "timer bvc_reset/101/look 15000" },
      unknown(10001, 1235)) },
  { name = "it forgets them again when NS was down: BVCI 0 is reset once more", config = "proxy_signalling",
    steps = after_ns(FIRST,
      unknown(5001, 1234, "count bvc_reset_signalling_sent", "log info", "reset 101/1234", "reset 101/1235",
        "reset 101/1236", "0 > [0] bvc_reset bvci=0 cause=8"),
      { at = 5002, rx = "0 reset cause=1 nsei=101 nsvci=1800", "nsvc 0 down", "log warn", "cancel bvc_reset/101/look",
        "0 > reset_ack nsei=101 nsvci=1800", "cancel nsvc/0/test", "0 > alive", "timer nsvc/0/alive 8002" },
      { at = 5002, rx = "0 unblock", "0 > unblock_ack", "nsvc 0 up", "log info", "timer bvc_reset/101/look 10002" },
      { at = 5002, rx = "0 alive_ack", "cancel nsvc/0/alive", "timer nsvc/0/test 35002" },
      { at = 10002, timer = "bvc_reset/101/look", "count bvc_reset_sent", reset_of(1234), "count bvc_reset_sent",
        reset_of(1235), "count bvc_reset_sent", reset_of(1236), "timer bvc_reset/101/look 15002" },
      unknown(10003, 1234, "count bvc_reset_signalling_sent", "log info", "reset 101/1234", "reset 101/1235",
        "reset 101/1236", "0 > [0] bvc_reset bvci=0 cause=8")) },
  { name = "it does not know one cell, while another is in service: BVCI 0 is not reset", config = "proxy_signalling",
    steps = after_ns(FIRST, taken(5001, 1234), unknown(5002, 1235)) },
  { name = "it has forgotten which cells we have, and the key says cells alone", config = "proxy",
    steps = after_ns(FIRST, unknown(5001, 1234)) },
  { name = "it is gone: nothing is sent", config = "proxy", given = UP, steps = {
    { at = 1, rx = "0 block cause=1 nsvci=1800", "nsvc 0 down", "log warn", "bvc 101/1234 down",
      "bvc 101/1235 down", "bvc 101/1236 down", "cancel bvc_reset/101/look", "log info", "0 > block_ack nsvci=1800" },
  } },
  { name = "a mobile goes to another cell: no FLUSH-LL", config = "proxy", given = UP, steps = {
    { at = 1, call = "on_heard", args = { 0x10, 101, 1235 }, "ms_move 101/1234 00000010 to 101/1235" },
    { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged 0" },
  } },
}
