-- SPDX-License-Identifier: BSD-3-Clause
-- A BSS speaks of a mobile that is in another NSE's cell; cells that claim a routeing area that is not their NSE's; and
-- how often a mobile may move. The mobile is in NSE 101, which NS-VC 0 leads to; NS-VC 1 leads to NSE 102.

local AREA = "routeing_area=001-01-13135-0"
local MS = 0x10

local function up(via, nsei, nsvci, ...)
  local lead = via .. " "
  return { lead .. ("reset cause=1 nsei=%d nsvci=%d"):format(nsei, nsvci), lead .. "unblock", lead .. "alive_ack",
    lead .. "[0] bvc_reset bvci=0 cause=8", ... }
end

local BOTH_UP = up(0, 101, 1800, "0 [0] bvc_reset bvci=1234 cause=8 cell_id=001-01-13135-0-20960",
  "0 [0] bvc_reset bvci=1235 cause=8 cell_id=001-01-13135-0-20961")
table.move(up(1, 102, 1900, "1 [0] bvc_reset bvci=1234 cause=8 cell_id=001-01-13135-0-20960"), 1, 5, #BOTH_UP + 1,
  BOTH_UP)

local function nacked(name)
  return ("1 > [0] %s_nack cause=4 %s tlli=16"):format(name, AREA)
end

local function heard(at, nsei, bvci, ...)
  return { at = at, call = "on_heard", args = { MS, nsei, bvci }, ... }
end

-- Whether a Cell Identifier, { mcc, mnc, lac, rac, ci }, may come from a cell.
local function named(at, nsei, bvci, id, ...)
  local cell_id = { mcc = id[1], mnc = id[2], lac = id[3], rac = id[4], ci = id[5] }
  return { at = at, call = "is_cell", args = { nsei, bvci, cell_id }, tostring(select("#", ...) == 0), ... }
end

-- A move from one cell of NSE 101 to the other, and FLUSH-LL.
local function moved(at, from, to)
  return heard(at, 101, to, ("ms_move 101/%d 00000010 to 101/%d"):format(from, to),
    ("0 > [0] flush_ll bvci=%d bvci_new=%d tlli=16"):format(from, to),
    ("timer flush/1016/101/%d/flush %d"):format(from, at + 5000))
end

return {
  { name = "SUSPEND, RESUME from another NSE: as of an unknown mobile", config = "elsewhere", given = BOTH_UP, steps = {
    { at = 1, rx = "1 [0] suspend tlli=16 " .. AREA, "count bssgp_suspend_nack_elsewhere", nacked("suspend") },
    { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged 0" },
    { at = 2, rx = "0 [0] suspend tlli=16 " .. AREA, "ms_suspend 101 00000010",
      "0 > [0] suspend_ack " .. AREA .. " suspend_ref=0 tlli=16" },
    { at = 3, rx = "1 [0] resume tlli=16 " .. AREA .. " suspend_ref=0", "count bssgp_resume_nack_elsewhere",
      nacked("resume") },
    { show = "mobiles all", is = "suspended 1 flushing 0 flows 0 paged 0" },
  } },
  { name = "RADIO-STATUS by IMSI counts from the mobile's cell alone", config = "elsewhere", given = BOTH_UP, steps = {
    { at = 1, rx = '1 [1234] radio_status imsi="001010000000001" radio_cause=2', "count radio_status_2",
      "count radio_status_elsewhere" },
    { at = 1, rx = '0 [1235] radio_status imsi="001010000000001" radio_cause=2', "count radio_status_2",
      "count radio_status_elsewhere" },
    { at = 1, rx = '0 [1234] radio_status imsi="001010000000009" radio_cause=2', "count radio_status_2",
      "count radio_status_elsewhere" },
    { at = 1, rx = '0 [1234] radio_status imsi="001010000000001" radio_cause=2', "count radio_status_2",
      "ms_lost 101 00000010" },
  } },
  { name = "RA-CAPABILITY-UPDATE tells no other NSE IMSI and capability", config = "elsewhere", given = BOTH_UP,
    steps = {
    { at = 1, rx = "1 [1234] ra_capability_update tag=1 tlli=16", "count ra_capability_update_elsewhere",
      "count ra_capability_update_1", "1 > [1234] ra_capability_update_ack ra_cap_cause=1 tag=1 tlli=16" },
    { at = 2, rx = "0 [1235] ra_capability_update tag=2 tlli=16", "count ra_capability_update_0",
      "0 > [1235] ra_capability_update_ack imsi=#303031303130303030303030303031 "
        .. "ms_ra_capability=#0102030405 ra_cap_cause=0 tag=2 tlli=16" },
  } },
  { name = "PAGING-PS-REJECT of another NSE leaves the mobile paged", config = "elsewhere", given = BOTH_UP, steps = {
    { at = 1, call = "on_page_wanted", args = { MS }, "count paging_started", "count paging_sent",
      "0 > [0] paging_ps imsi=#303031303130303030303030303031 qos_profile=#000020 " .. AREA,
      "1 > [0] paging_ps imsi=#303031303130303030303030303031 qos_profile=#000020 " .. AREA,
      "timer paging/1016/t3313 8001" },
    { at = 2, rx = '1 [0] paging_ps_reject imsi="001010000000001" time_until_paging=60',
      "count paging_ps_reject_elsewhere" },
    { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged 1" },
  } },
  { name = "FLUSH-LL-ACK: no more octets than the new cell has for a mobile, no transfer that was not offered",
    config = "elsewhere", given = BOTH_UP, steps = {
      { at = 1, rx = "0 [1235] flow_control_bvc tag=1 bucket_octets=100000 rate_bps=80000 ms_bucket_octets=2500 "
        .. "ms_rate_bps=20000", "fc 101/1235 100000/80000 ms 2500/20000",
        "0 > [1235] flow_control_bvc_ack tag=1" },
      moved(2, 1234, 1235),
      { at = 3, rx = "0 [0] flush_ll_ack tlli=16 flush_action=1 bvci_new=1235 octets_affected=16777215",
        "cancel flush/1016/101/1234/flush", "flushed 101/1234 00000010 2500 to 101/1235, home 101" },
      heard(4, 102, 1234, "ms_move 101/1235 00000010 to 102/1234", "0 > [0] flush_ll bvci=1235 tlli=16",
        "timer flush/1016/101/1235/flush 5004"),
      { at = 5, rx = "0 [0] flush_ll_ack tlli=16 flush_action=1 bvci_new=1234 nsei_new=102 octets_affected=16777215",
        "cancel flush/1016/101/1235/flush", "count flush_ll_ack_not_allowed",
        "flushed 101/1235 00000010 16777215 to nowhere, home 102" },
    } },
  { name = "a cell of a routeing area that is not the NSE's is not served, and no mobile moves there",
    config = "elsewhere", given = BOTH_UP, steps = {
      { at = 1, rx = "1 [0] bvc_reset bvci=1234 cause=8 cell_id=001-01-13135-1-20960", "count bvc_reset_routeing_area",
        "log warn", "bvc 102/1234 down", "reset 102/1234", "count bssgp_status_sent_20",
        "1 > [0] status cause=32 pdu_in_error=received" },
      { at = 2, rx = "1 [1234] radio_status tlli=16 radio_cause=0", "count bvc_unexpected",
        "count bssgp_status_sent_05",
        "1 > [0] status bvci=1234 cause=5 pdu_in_error=received" },
      heard(3, 102, 1234, "count move_policy"),
      { at = 4, rx = "1 [0] bvc_reset bvci=1234 cause=8 cell_id=001-01-1-77-20960", "log info",
        "count bvc_cell_id_mismatch", "log warn", "reset 102/1234", "1 > [0] bvc_reset_ack bvci=1234",
        "bvc 102/1234 up" },
      heard(5, 102, 1234, "ms_move 101/1234 00000010 to 102/1234", "0 > [0] flush_ll bvci=1234 tlli=16",
        "timer flush/1016/101/1234/flush 5005"),
    } },
  { name = "a frame whose Cell Identifier is not its cell's proves no cell", config = "elsewhere", given = BOTH_UP,
    steps = {
      named(1, 101, 1235, { "001", "01", 13135, 0, 20961 }),
      named(2, 101, 1235, { "001", "01", 13135, 0, 20960 }, "count move_cell_id"),
      named(3, 101, 1235, { "001", "01", 13135, 1, 20961 }, "count move_cell_id"),
      named(4, 101, 1235, { "001", "001", 13135, 0, 20961 }, "count move_cell_id"),
      named(5, 101, 1235, { "", "", 0, 0, 0 }, "count move_cell_id"),
      named(6, 102, 1234, { "001", "01", 13135, 0, 20960 }),
      named(7, 102, 1234, { "001", "01", 13135, 1, 20960 }, "count move_policy"),
      named(8, 102, 1234, { "001", "01", 1, 77, 20960 }, "count move_cell_id"),
      { at = 9, rx = "1 [0] bvc_reset bvci=1234 cause=8 cell_id=001-01-1-77-20960",
        "bvc 102/1234 down", "log info", "count bvc_cell_id_mismatch", "log warn", "reset 102/1234",
        "1 > [0] bvc_reset_ack bvci=1234", "bvc 102/1234 up" },
      named(10, 102, 1234, { "001", "01", 1, 77, 20960 }),
      named(11, 102, 1234, { "001", "01", 13135, 0, 20960 }, "count move_cell_id"),
    } },
  { name = "two moves at once, then one a second; a refused one costs nothing", config = "elsewhere", given = BOTH_UP,
    steps = {
      moved(1, 1234, 1235),
      moved(2, 1235, 1234),
      heard(3, 101, 1235, "count move_rate"),
      heard(1000, 101, 1235, "count move_rate"),
      moved(1001, 1234, 1235),
      heard(1002, 101, 1234, "count move_rate"),
      heard(1003, 102, 77, "count move_unknown_cell"),
      moved(4001, 1235, 1234),
      moved(4002, 1234, 1235),
      heard(4003, 101, 1234, "count move_rate"),
    } },
}
