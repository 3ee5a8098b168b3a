-- SPDX-License-Identifier: BSD-3-Clause
-- Flow control: announcements, Th, limits, LLC-DISCARDED. Times in milliseconds; Th is 5 s.

local given = require "gb_given"

local BVC = "0 [1234] flow_control_bvc tag=%d bucket_octets=%d rate_bps=%d ms_bucket_octets=25000 ms_rate_bps=20000"

-- A step in which a mobile announces a bucket and is given it: { tlli, tag, bucket octets, bit/s, rest of the PDU }.
local function ms(at, announced)
  local tlli, tag, bucket_octets, rate_bps, rest = table.unpack(announced)
  local received = "0 [1234] flow_control_ms tlli=%d tag=%d bucket_octets=%d rate_bps=%d %s"
  return {
    at = at, rx = received:format(tlli, tag, bucket_octets, rate_bps, rest or ""),
    ("fc_ms 101/1234 %08x %d/%d"):format(tlli, bucket_octets, rate_bps),
    ("timer ms/101/1234/%d/th %d"):format(1000 + (tlli & 0xff), at + 5000),
    ("0 > [1234] flow_control_ms_ack tag=%d tlli=%d"):format(tag, tlli),
  }
end

local function with_first(line, step)
  table.insert(step, 1, line)
  return step
end

return {
  { name = "every announcement of a cell is acknowledged with its tag, changed or not", given = given.CELL_UP, steps = {
    { at = 1000, rx = BVC:format(2, 100000, 80000), "fc 101/1234 100000/80000 ms 25000/20000",
      "0 > [1234] flow_control_bvc_ack tag=2" },
    { at = 2000, rx = BVC:format(255, 100000, 0), "fc 101/1234 100000/0 ms 25000/20000",
      "0 > [1234] flow_control_bvc_ack tag=255" },
    { show = "bvc 101/1234", is = "unblocked up rate 0 own 0" },
    { at = 3000, rx = BVC:format(0, 6553500, 6553500), "fc 101/1234 6553500/6553500 ms 25000/20000",
      "0 > [1234] flow_control_bvc_ack tag=0" },
    { show = "bvc 101/1234", is = "unblocked up rate 6553500 own 0" },
  } },
  { name = "a ratio that was not negotiated is ignored", given = given.CELL_UP, steps = {
    { at = 1, rx = BVC:format(2, 100000, 80000) .. " ratio_percent=50", "count ratio_not_negotiated",
      "fc 101/1234 100000/80000 ms 25000/20000", "0 > [1234] flow_control_bvc_ack tag=2" },
    with_first("count ratio_not_negotiated", ms(1, { 0xc1234567, 3, 10000, 40000, "ratio_percent=100" })),
  } },
  { name = "Th runs, is restarted, and expires; then again", given = given.CELL_UP, steps = {
    ms(100, { 0xc1234567, 1, 10000, 0 }),
    ms(4100, { 0xc1234567, 2, 10000, 40000 }),
    { show = "bvc 101/1234", is = "unblocked up rate 80000 own 1" },
    { at = 9100, timer = "ms/101/1234/1103/th" },
    { show = "bvc 101/1234", is = "unblocked up rate 80000 own 0" },
    ms(9200, { 0xc1234567, 3, 10000, 40000 }),
  } },
  { name = "Th outlives a block and the loss of the NS-VC, not a reset", given = given.CELL_UP, steps = {
    ms(1, { 0xc1234567, 1, 10000, 0 }),
    { at = 2, rx = "0 [0] bvc_block bvci=1234 cause=8", "bvc 101/1234 down", "log info",
      "0 > [0] bvc_block_ack bvci=1234" },
    { at = 3, rx = "0 block cause=1 nsvci=1800", "nsvc 0 down", "log warn", "log info", "0 > block_ack nsvci=1800" },
    { at = 4, rx = "0 unblock", "0 > unblock_ack", "nsvc 0 up", "log info" },
    { show = "bvc 101/1234", is = "blocked down rate 80000 own 1" },
    { at = 5, rx = given.BVC_RESET, "log info", "cancel ms/101/1234/1103/th", "reset 101/1234",
      "0 > [0] bvc_reset_ack bvci=1234", "bvc 101/1234 up" },
    { show = "bvc 101/1234", is = "unblocked up rate none own 0" },
  } },
  { name = "a reset stops every Th of the cell in order of TLLI", given = given.CELL_UP, steps = {
    ms(1, { 0x30, 1, 100, 100 }),
    ms(1, { 0x10, 2, 100, 100 }),
    ms(1, { 0x20, 3, 100, 100 }),
    { at = 2, rx = given.BVC_RESET, "bvc 101/1234 down", "log info", "cancel ms/101/1234/1016/th",
      "cancel ms/101/1234/1032/th", "cancel ms/101/1234/1048/th", "reset 101/1234",
      "0 > [0] bvc_reset_ack bvci=1234", "bvc 101/1234 up" },
  } },
  { name = "no room: acknowledged, counted, defaults stay; room comes back", config = "small", given = given.CELL_UP,
    steps = {
      ms(1, { 1, 1, 100, 100 }),
      ms(2, { 2, 2, 100, 100 }),
      { at = 3, rx = "0 [1234] flow_control_ms tlli=3 tag=3 bucket_octets=100 rate_bps=100", "count ms_flow_full",
        "0 > [1234] flow_control_ms_ack tag=3 tlli=3" },
      ms(4, { 1, 4, 100, 100 }),
      { at = 5002, timer = "ms/101/1234/1002/th" },
      ms(5003, { 3, 5, 100, 100 }),
    } },
  { name = "LLC-DISCARDED corrects the bucket each time", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [0] llc_discarded tlli=3240314215 frames_discarded=22 bvci=1234 octets_affected=8932",
      "discarded 101/1234 c1234567 8932" },
    { at = 2, rx = "0 [0] llc_discarded tlli=3240314215 frames_discarded=255 bvci=1234 octets_affected=16777215",
      "discarded 101/1234 c1234567 16777215" },
  } },
  { name = "UL-UNITDATA that the worker could not place", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [1234] ul_unitdata tlli=1 qos_profile=#000004 cell_id=001-01-13135-0-20960 llc_pdu=#01c0",
      "count ul_unitdata_unplaced" },
    { at = 1, rx = "0 [77] ul_unitdata tlli=1 qos_profile=#000004 cell_id=001-01-13135-0-20960 llc_pdu=#01c0",
      "count bssgp_status_sent_05", "0 > [0] status bvci=77 cause=5 pdu_in_error=received" },
  } },
}
