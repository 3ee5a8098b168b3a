-- SPDX-License-Identifier: BSD-3-Clause
-- Single mobiles: SUSPEND and RESUME, RADIO-STATUS, cell changes and FLUSH-LL. Times in milliseconds; a FLUSH-LL waits
-- 5 s for its answer.

local given = require "gb_given"

local AREA = "001-01-13135-0"

local function suspend(at, tlli, reference, area)
  return { at = at, rx = ("0 [0] suspend tlli=%d routeing_area=%s"):format(tlli, area or AREA),
    ("ms_suspend 101 %08x"):format(tlli),
    ("0 > [0] suspend_ack routeing_area=%s suspend_ref=%d tlli=%d"):format(AREA, reference, tlli) }
end

local function resume(tlli, reference)
  return ("0 [0] resume tlli=%d routeing_area=%s suspend_ref=%d"):format(tlli, AREA, reference)
end

local function acked(tlli)
  return ("0 > [0] resume_ack routeing_area=%s tlli=%d"):format(AREA, tlli)
end

local function nacked(name, cause, tlli, area)
  return ("0 > [0] %s_nack cause=%d routeing_area=%s tlli=%d"):format(name, cause, area or AREA, tlli)
end

local function heard(at, tlli, bvci, ...)
  return { at = at, call = "on_heard", args = { tlli, 101, bvci }, ... }
end

-- Cells 1234 and 1235 of one routeing area, 1236 of another.
local THREE_UP = {
  "0 reset cause=1 nsei=101 nsvci=1800",
  "0 unblock",
  "0 alive_ack",
  "0 [0] bvc_reset bvci=0 cause=8",
  given.BVC_RESET,
  "0 [0] bvc_reset bvci=1235 cause=8 cell_id=001-01-13135-0-20961",
  "0 [0] bvc_reset bvci=1236 cause=8 cell_id=001-01-13135-7-20962",
}

local MS, NEW = 0x10, 0x90
local FLUSH = "0 > [0] flush_ll bvci=%d bvci_new=%d tlli=16"
local FLUSH_ALL = "0 > [0] flush_ll bvci=%d tlli=16"
local MOVE = "ms_move 101/%d 00000010 to 101/%d"
local TIMER = "timer flush/1016/101/%d/flush %d"

local function timer(bvci, at)
  return TIMER:format(bvci, at + 5000)
end

-- A suspension and its end for each reference number, and one more.
local function all_references()
  local steps = {}
  for i = 0, 256 do
    steps[#steps + 1] = suspend(2 * i, MS, i % 256)
    steps[#steps + 1] = { at = 2 * i + 1, rx = resume(MS, i % 256), "ms_resume 101 00000010", acked(MS) }
  end
  return steps
end

local suspension = {
  { name = "SUSPEND, repeated, RESUME, repeated; the next one has the next reference number", given = given.CELL_UP,
    steps = {
      suspend(1, MS, 0),
      suspend(2, MS, 0),
      { show = "mobiles all", is = "suspended 1 flushing 0 flows 0 paged 0" },
      { at = 3, rx = resume(MS, 0), "ms_resume 101 00000010", acked(MS) },
      { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged 0" },
      { at = 4, rx = resume(MS, 0), acked(MS) },
      suspend(5, MS, 1),
      { at = 6, rx = resume(MS, 1), "ms_resume 101 00000010", acked(MS) },
    } },
  { name = "RESUME with another reference number is refused, and nothing is resumed", given = given.CELL_UP, steps = {
    { at = 1, rx = resume(MS, 0), "count resume_refused", nacked("resume", 0x26, MS) },
    suspend(2, MS, 0),
    { at = 3, rx = resume(MS, 1), "count resume_refused", nacked("resume", 0x26, MS) },
    { at = 4, rx = resume(MS, 0), "ms_resume 101 00000010", acked(MS) },
    { at = 5, rx = resume(MS, 255), "count resume_refused", nacked("resume", 0x26, MS) },
  } },
  { name = "a mobile or a routeing area that is not known", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [0] suspend tlli=99 routeing_area=" .. AREA, "count bssgp_suspend_nack",
      nacked("suspend", 4, 99) },
    { at = 1, rx = "0 [0] suspend tlli=16 routeing_area=001-01-13135-1", "count bssgp_suspend_nack",
      nacked("suspend", 4, MS, "001-01-13135-1") },
    { at = 1, rx = "0 [0] resume tlli=99 routeing_area=" .. AREA .. " suspend_ref=0", "count bssgp_resume_nack",
      nacked("resume", 4, 99) },
    { at = 1, rx = "0 [0] resume tlli=16 routeing_area=001-02-13135-0 suspend_ref=0", "count bssgp_resume_nack",
      nacked("resume", 4, MS, "001-02-13135-0") },
  } },
  { name = "two mobiles have reference numbers of their own", given = given.CELL_UP, steps = {
    suspend(1, 0x10, 0),
    suspend(2, 0x20, 0),
    { at = 3, rx = resume(0x20, 0), "ms_resume 101 00000020", acked(0x20) },
    suspend(4, 0x20, 1),
    { at = 5, rx = resume(0x10, 0), "ms_resume 101 00000010", acked(0x10) },
  } },
  { name = "after reference number 255 comes 0", given = given.CELL_UP, steps = all_references() },
  { name = "a suspended mobile that goes is not suspended when it comes back", given = given.CELL_UP, steps = {
    suspend(1, MS, 0),
    { at = 2, call = "ms_del", args = { MS } },
    { at = 3, call = "ms_del", args = { MS } },
    { at = 4, rx = resume(MS, 0), "count bssgp_resume_nack", nacked("resume", 4, MS) },
  } },
}

local radio_status = {
  { name = "RADIO-STATUS by TLLI, by P-TMSI; every cause stops the downlink", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [1234] radio_status tlli=16 radio_cause=0", "count radio_status_0", "ms_lost 101 00000010" },
    { at = 1, rx = "0 [1234] radio_status tmsi=19088743 radio_cause=1", "count radio_status_1",
      "ms_lost 101 c1234567" },
    { at = 1, rx = "0 [1234] radio_status tlli=16 radio_cause=4", "count radio_status_4", "ms_lost 101 00000010" },
    { at = 1, rx = "0 [1234] radio_status tlli=16 radio_cause=99", "count radio_status_0", "ms_lost 101 00000010" },
  } },
  { name = "RADIO-STATUS about a mobile that is elsewhere or nowhere", config = "three_cells",
    given = THREE_UP, steps = {
    { at = 1, rx = "0 [1235] radio_status tlli=16 radio_cause=0", "count radio_status_0",
      "count radio_status_elsewhere" },
    { at = 1, rx = "0 [1234] radio_status tlli=99 radio_cause=0", "count radio_status_0",
      "count radio_status_elsewhere" },
  } },
}

local changes = {
  { name = "cell change within a routeing area: the BSS may carry over, and does", config = "three_cells",
    given = THREE_UP, steps = {
      heard(1, MS, 1235, MOVE:format(1234, 1235), FLUSH:format(1234, 1235), timer(1234, 1)),
      { show = "mobiles all", is = "suspended 0 flushing 1 flows 0 paged 0" },
      { at = 2, rx = "0 [0] flush_ll_ack tlli=16 flush_action=1 bvci_new=1235 octets_affected=1400",
        "cancel flush/1016/101/1234/flush", "flushed 101/1234 00000010 1400 to 101/1235, home 101" },
      { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged 0" },
      { at = 3, rx = "0 [0] flush_ll_ack tlli=16 flush_action=1 bvci_new=1235 octets_affected=1400",
        "count bssgp_flush_ll_ack_unexpected" },
    } },
  { name = "the BSS deletes although it might carry over", config = "three_cells", given = THREE_UP, steps = {
    heard(1, MS, 1235, MOVE:format(1234, 1235), FLUSH:format(1234, 1235), timer(1234, 1)),
    { at = 2, rx = "0 [0] flush_ll_ack tlli=16 flush_action=0 octets_affected=700",
      "cancel flush/1016/101/1234/flush", "flushed 101/1234 00000010 700 to nowhere, home 101" },
  } },
  { name = "to another routeing area: everything is deleted", config = "three_cells", given = THREE_UP, steps = {
    heard(1, MS, 1236, MOVE:format(1234, 1236), FLUSH_ALL:format(1234), timer(1234, 1)),
    { at = 2, rx = "0 [0] flush_ll_ack tlli=16 flush_action=0 octets_affected=0",
      "cancel flush/1016/101/1234/flush", "flushed 101/1234 00000010 0 to nowhere, home 101" },
  } },
  { name = "a BSS that never answers", config = "three_cells", given = THREE_UP, steps = {
    heard(1, MS, 1235, MOVE:format(1234, 1235), FLUSH:format(1234, 1235), timer(1234, 1)),
    { at = 5001, timer = "flush/1016/101/1234/flush", "count flush_ll_unanswered" },
    { at = 5002, rx = "0 [0] flush_ll_ack tlli=16 flush_action=0 octets_affected=700",
      "count bssgp_flush_ll_ack_unexpected" },
  } },
  { name = "there and on: an answer is matched by its new cell, else in order", config = "three_cells",
    given = THREE_UP, steps = {
      heard(1, MS, 1236, MOVE:format(1234, 1236), FLUSH_ALL:format(1234), timer(1234, 1)),
      heard(2, MS, 1235, MOVE:format(1236, 1235), FLUSH_ALL:format(1236), timer(1236, 2)),
      heard(3, MS, 1234, MOVE:format(1235, 1234), FLUSH:format(1235, 1234), timer(1235, 3)),
      { at = 4, rx = "0 [0] flush_ll_ack tlli=16 flush_action=1 bvci_new=1234 octets_affected=3",
        "cancel flush/1016/101/1235/flush", "flushed 101/1235 00000010 3 to 101/1234, home 101" },
      { at = 5, rx = "0 [0] flush_ll_ack tlli=16 flush_action=0 octets_affected=1",
        "cancel flush/1016/101/1234/flush", "flushed 101/1234 00000010 1 to nowhere, home 101" },
      { at = 6, rx = "0 [0] flush_ll_ack tlli=16 flush_action=0 octets_affected=2",
        "cancel flush/1016/101/1236/flush", "flushed 101/1236 00000010 2 to nowhere, home 101" },
    } },
  { name = "back and away again before the answer: the same cell is asked anew", config = "three_cells",
    given = THREE_UP, steps = {
      heard(1, MS, 1235, MOVE:format(1234, 1235), FLUSH:format(1234, 1235), timer(1234, 1)),
      heard(2, MS, 1234, MOVE:format(1235, 1234), FLUSH:format(1235, 1234), timer(1235, 2)),
      heard(3, MS, 1236, MOVE:format(1234, 1236), FLUSH_ALL:format(1234), timer(1234, 3)),
      { at = 4, rx = "0 [0] flush_ll_ack tlli=16 flush_action=0 octets_affected=9",
        "cancel flush/1016/101/1234/flush", "flushed 101/1234 00000010 9 to nowhere, home 101" },
    } },
  { name = "heard in its own cell, in an unknown cell, an unknown mobile: nothing", config = "three_cells",
    given = THREE_UP, steps = {
      heard(1, MS, 1234),
      heard(1, MS, 77, "count move_unknown_cell"),
      heard(1, 99, 1235, "count heard_in_vain"),
      { at = 1, call = "on_heard", args = { MS, 7, 1234 }, "count move_unknown_cell" },
    } },
  { name = "a cell that is not in service is not asked", config = "three_cells", given = THREE_UP, steps = {
    { at = 1, rx = "0 [0] bvc_block bvci=1234 cause=8", "bvc 101/1234 down", "log info",
      "0 > [0] bvc_block_ack bvci=1234" },
    heard(2, MS, 1235, MOVE:format(1234, 1235)),
  } },
  { name = "own values end in the old cell; what is said there of the mobile afterwards", config = "three_cells",
    given = THREE_UP, steps = {
      { at = 1, rx = "0 [1234] flow_control_ms tlli=16 tag=1 bucket_octets=1000 rate_bps=1000",
        "fc_ms 101/1234 00000010 1000/1000", "timer ms/101/1234/1016/th 5001",
        "0 > [1234] flow_control_ms_ack tag=1 tlli=16" },
      heard(2, MS, 1235, "cancel ms/101/1234/1016/th", MOVE:format(1234, 1235), FLUSH:format(1234, 1235),
        timer(1234, 2)),
      { at = 3, rx = "0 [1234] flow_control_ms tlli=16 tag=2 bucket_octets=1000 rate_bps=1000",
        "count ms_flow_elsewhere", "0 > [1234] flow_control_ms_ack tag=2 tlli=16" },
      { at = 4, rx = "0 [0] llc_discarded tlli=16 frames_discarded=2 bvci=1234 octets_affected=900",
        "discarded 101/1234 00000010 900" },
      { at = 5, rx = "0 [1235] flow_control_ms tlli=16 tag=3 bucket_octets=2000 rate_bps=2000",
        "fc_ms 101/1235 00000010 2000/2000", "timer ms/101/1235/1016/th 5005",
        "0 > [1235] flow_control_ms_ack tag=3 tlli=16" },
      { at = 6, rx = "0 [1234] flow_control_ms tlli=99 tag=4 bucket_octets=1000 rate_bps=1000",
        "count ms_flow_unknown", "0 > [1234] flow_control_ms_ack tag=4 tlli=99" },
    } },
  { name = "a reset of the old cell ends the question, in order of TLLI; so does the end of the mobile",
    config = "three_cells", given = THREE_UP, steps = {
      heard(1, 0x20, 1235, "ms_move 101/1234 00000020 to 101/1235", "0 > [0] flush_ll bvci=1234 bvci_new=1235 tlli=32",
        "timer flush/1032/101/1234/flush 5001"),
      heard(1, MS, 1235, MOVE:format(1234, 1235), FLUSH:format(1234, 1235), timer(1234, 1)),
      { at = 2, rx = given.BVC_RESET, "bvc 101/1234 down", "log info", "cancel flush/1016/101/1234/flush",
        "cancel flush/1032/101/1234/flush", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234",
        "bvc 101/1234 up" },
      heard(3, MS, 1236, MOVE:format(1235, 1236), FLUSH_ALL:format(1235), timer(1235, 3)),
      { at = 4, call = "ms_del", args = { MS }, "cancel flush/1016/101/1235/flush" },
    } },
  { name = "own values end with the mobile", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [1234] flow_control_ms tlli=16 tag=1 bucket_octets=1000 rate_bps=1000",
      "fc_ms 101/1234 00000010 1000/1000", "timer ms/101/1234/1016/th 5001",
      "0 > [1234] flow_control_ms_ack tag=1 tlli=16" },
    { at = 2, call = "ms_del", args = { MS }, "cancel ms/101/1234/1016/th" },
    { show = "bvc 101/1234", is = "unblocked up rate 80000 own 0" },
  } },
  { name = "another TLLI: the BSS's values are of the former one, and so are its answers", config = "three_cells",
    given = THREE_UP, steps = {
      heard(1, MS, 1235, MOVE:format(1234, 1235), FLUSH:format(1234, 1235), timer(1234, 1)),
      { at = 2, rx = "0 [1235] flow_control_ms tlli=16 tag=1 bucket_octets=1000 rate_bps=1000",
        "fc_ms 101/1235 00000010 1000/1000", "timer ms/101/1235/1016/th 5002",
        "0 > [1235] flow_control_ms_ack tag=1 tlli=16" },
      { at = 3, call = "ms_called", args = { MS, 0x90, "001010000000009" }, "cancel ms/101/1235/1016/th" },
      { show = "bvc 101/1235", is = "unblocked up rate none own 0" },
      { at = 4, rx = "0 [0] flush_ll_ack tlli=144 flush_action=0 octets_affected=9",
        "count bssgp_flush_ll_ack_unexpected" },
      { at = 4, rx = "0 [0] flush_ll_ack tlli=16 flush_action=0 octets_affected=9",
        "cancel flush/1016/101/1234/flush", "flushed 101/1234 00000090 9 to nowhere, home 101" },
      { at = 5, rx = "0 [1235] flow_control_ms tlli=16 tag=2 bucket_octets=1000 rate_bps=1000",
        "count ms_flow_unknown", "0 > [1235] flow_control_ms_ack tag=2 tlli=16" },
      { at = 6, rx = "0 [1235] flow_control_ms tlli=144 tag=3 bucket_octets=1000 rate_bps=1000",
        "fc_ms 101/1235 00000090 1000/1000", "timer ms/101/1235/1016/th 5006",
        "0 > [1235] flow_control_ms_ack tag=3 tlli=144" },
      heard(7, MS, 1234, "cancel ms/101/1235/1016/th", "ms_move 101/1235 00000090 to 101/1234",
        "0 > [0] flush_ll bvci=1235 bvci_new=1234 tlli=144", timer(1235, 7)),
      { at = 8, rx = "0 [1234] radio_status imsi=#303031303130303030303030303039 radio_cause=1", "count radio_status_1",
        "ms_lost 101 00000090" },
    } },
  { name = "between ACCEPT and COMPLETE a BSS names a mobile by either TLLI, then by the new one (24.008 4.7.1.5)",
    given = given.CELL_UP, steps = {
      { at = 1, call = "ms_offered", args = { MS, NEW } },
      { at = 2, rx = ("0 [0] suspend tlli=144 routeing_area=%s"):format(AREA), "ms_suspend 101 00000010",
        ("0 > [0] suspend_ack routeing_area=%s suspend_ref=0 tlli=144"):format(AREA) },
      { at = 3, rx = resume(NEW, 0), "ms_resume 101 00000010", acked(NEW) },
      suspend(4, MS, 1),
      { at = 5, rx = resume(NEW, 1), "ms_resume 101 00000010", acked(NEW) },
      { at = 6, rx = "0 [1234] ra_capability_update tag=1 tlli=144", "count ra_capability_update_2",
        "0 > [1234] ra_capability_update_ack ra_cap_cause=2 tag=1 tlli=144" },
      { at = 7, rx = "0 [1234] flow_control_ms tlli=144 tag=1 bucket_octets=1000 rate_bps=1000",
        "fc_ms 101/1234 00000010 1000/1000", "timer ms/101/1234/1016/th 5007",
        "0 > [1234] flow_control_ms_ack tag=1 tlli=144" },
      { at = 8, rx = "0 [1234] radio_status tlli=144 radio_cause=1", "count radio_status_1", "ms_lost 101 00000010" },
      { at = 9, call = "ms_called", args = { MS, NEW, "001010000000009" }, "cancel ms/101/1234/1016/th" },
      suspend(10, NEW, 2),
      { at = 11, rx = "0 [0] suspend tlli=16 routeing_area=" .. AREA, "count bssgp_suspend_nack",
        nacked("suspend", 4, MS) },
    } },
  { name = "a TLLI that is not offered any longer, and one of another mobile", given = given.CELL_UP, steps = {
    { at = 1, call = "ms_offered", args = { MS, 0x20 } },
    suspend(2, 0x20, 0),
    { at = 3, call = "ms_offered", args = { MS, NEW } },
    { at = 4, call = "ms_offered", args = { MS, 0x91 } },
    { at = 5, rx = "0 [0] suspend tlli=144 routeing_area=" .. AREA, "count bssgp_suspend_nack",
      nacked("suspend", 4, NEW) },
    { at = 6, call = "ms_offered", args = { MS, MS } },
    { at = 7, rx = "0 [0] suspend tlli=145 routeing_area=" .. AREA, "count bssgp_suspend_nack",
      nacked("suspend", 4, 0x91) },
    suspend(8, MS, 0),
    { at = 9, call = "ms_offered", args = { MS, NEW } },
    { at = 10, call = "ms_called", args = { MS, 0x91, "001010000000009" } },
    { at = 11, rx = "0 [0] suspend tlli=144 routeing_area=" .. AREA, "count bssgp_suspend_nack",
      nacked("suspend", 4, NEW) },
    { at = 12, call = "ms_offered", args = { MS, NEW } },
    { at = 13, call = "ms_del", args = { MS } },
    { at = 14, rx = "0 [0] suspend tlli=144 routeing_area=" .. AREA, "count bssgp_suspend_nack",
      nacked("suspend", 4, NEW) },
  } },
  { name = "of two mobiles with one TLLI the first has it, of two with one IMSI the later", given = given.CELL_UP,
    steps = {
      { at = 1, call = "ms_called", args = { MS, NEW, "001010000000009" } },
      { at = 2, call = "ms_called", args = { 0x20, NEW, "001010000000009" } },
      { at = 3, call = "ms_called", args = { 0x20, 0x91, "001010000000009" } },
      { at = 4, call = "ms_called", args = { MS, NEW, "001010000000008" } },
      { at = 5, rx = "0 [1234] radio_status imsi=#303031303130303030303030303039 radio_cause=1",
        "count radio_status_1", "ms_lost 101 00000091" },
      suspend(6, NEW, 0),
      { at = 7, call = "ms_del", args = { 0x20 } },
      { show = "mobiles all", is = "suspended 1 flushing 0 flows 0 paged 0" },
      { at = 8, rx = resume(NEW, 0), "ms_resume 101 00000090", acked(NEW) },
    } },
  { name = "the same TLLI: the BSS's values and questions stay", config = "three_cells", given = THREE_UP, steps = {
    heard(1, MS, 1235, MOVE:format(1234, 1235), FLUSH:format(1234, 1235), timer(1234, 1)),
    { at = 2, rx = "0 [1235] flow_control_ms tlli=16 tag=1 bucket_octets=1000 rate_bps=1000",
      "fc_ms 101/1235 00000010 1000/1000", "timer ms/101/1235/1016/th 5002",
      "0 > [1235] flow_control_ms_ack tag=1 tlli=16" },
    { at = 3, call = "ms_called", args = { MS, MS, "001010000000009" } },
    { show = "bvc 101/1235", is = "unblocked up rate none own 1" },
    { at = 4, rx = "0 [0] flush_ll_ack tlli=16 flush_action=0 octets_affected=9",
      "cancel flush/1016/101/1234/flush", "flushed 101/1234 00000010 9 to nowhere, home 101" },
  } },
  { name = "an attach ends a suspension, whatever the TLLI", given = given.CELL_UP, steps = {
    suspend(1, MS, 0),
    { at = 2, call = "ms_called", args = { MS, MS, "001010000000009" } },
    { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged 0" },
    suspend(3, MS, 1),
    { at = 4, call = "ms_called", args = { MS, 0x90, "001010000000009" } },
    { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged 0" },
    { at = 5, call = "ms_called", args = { 0x99, 0x98, "001010000000009" } },
  } },
  { name = "a suspended mobile that is heard elsewhere is resumed; a RESUME that comes late is acknowledged",
    config = "three_cells", given = THREE_UP, steps = {
      suspend(1, MS, 0),
      heard(2, MS, 1235, "ms_resume 101 00000010", MOVE:format(1234, 1235), FLUSH:format(1234, 1235), timer(1234, 2)),
      { at = 3, rx = resume(MS, 0), acked(MS) },
      suspend(4, MS, 1),
    } },
}

-- Two NSEs that have agreed on INR, or not.
local function two_nses(bitmap, other)
  local function up(via, nsei, nsvci, features)
    local lead = via .. " "
    return lead .. ("reset cause=1 nsei=%d nsvci=%d"):format(nsei, nsvci), lead .. "unblock", lead .. "alive_ack",
      lead .. "[0] bvc_reset bvci=0 cause=8" .. features, lead .. "[0] bvc_reset bvci=1234 cause=8"
  end
  local list = { up(0, 101, 1800, bitmap) }
  return table.move({ up(1, 102, 1900, other or bitmap) }, 1, 5, #list + 1, list)
end

local between = {
  { name = "to another NSE, with INR on both sides", config = "inr", given = two_nses(" feature_bitmap=4"), steps = {
    { at = 1, call = "on_heard", args = { MS, 102, 1234 }, "ms_move 101/1234 00000010 to 102/1234",
      "0 > [0] flush_ll bvci=1234 bvci_new=1234 nsei_new=102 tlli=16", timer(1234, 1) },
    { at = 2, rx = "1 [0] flush_ll_ack tlli=16 flush_action=0 octets_affected=5",
      "count bssgp_flush_ll_ack_unexpected" },
    { at = 3, rx = "0 [0] flush_ll_ack tlli=16 flush_action=1 bvci_new=1234 nsei_new=102 octets_affected=5",
      "cancel flush/1016/101/1234/flush", "flushed 101/1234 00000010 5 to 102/1234, home 102" },
    { at = 4, rx = "1 [0] suspend tlli=16 routeing_area=001-01-13135-0", "ms_suspend 102 00000010",
      "1 > [0] suspend_ack routeing_area=001-01-13135-0 suspend_ref=0 tlli=16" },
  } },
  { name = "to another NSE, without INR", config = "inr", given = two_nses(""), steps = {
    { at = 1, call = "on_heard", args = { MS, 102, 1234 }, "ms_move 101/1234 00000010 to 102/1234",
      "0 > [0] flush_ll bvci=1234 tlli=16", timer(1234, 1) },
    { at = 2, call = "on_heard", args = { MS, 101, 1234 }, "ms_move 102/1234 00000010 to 101/1234",
      "1 > [0] flush_ll bvci=1234 tlli=16", "timer flush/1016/102/1234/flush 5002" },
    { at = 3, rx = "1 [0] flush_ll_ack tlli=16 flush_action=0 octets_affected=7",
      "cancel flush/1016/102/1234/flush", "flushed 102/1234 00000010 7 to nowhere, home 101" },
    { at = 4, rx = "0 [0] flush_ll_ack tlli=16 flush_action=0 octets_affected=5",
      "cancel flush/1016/101/1234/flush", "flushed 101/1234 00000010 5 to nowhere, home 101" },
  } },
}

for side, given_of in pairs({ old = two_nses(" feature_bitmap=4", ""), new = two_nses("", " feature_bitmap=4") }) do
  between[#between + 1] = { name = "to another NSE, with INR on the side of the " .. side .. " one alone",
    config = "inr", given = given_of, steps = { { at = 1, call = "on_heard", args = { MS, 102, 1234 },
      "ms_move 101/1234 00000010 to 102/1234", "0 > [0] flush_ll bvci=1234 tlli=16", timer(1234, 1) } } }
end

local all = {}
for _, list in ipairs({ suspension, radio_status, changes, between }) do
  table.move(list, 1, #list, #all + 1, all)
end
return all
