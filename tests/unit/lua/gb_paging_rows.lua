-- SPDX-License-Identifier: BSD-3-Clause
-- PAGING-PS: mobiles that something waits for and that have to be found first (48.018 §7.1). Times in milliseconds;
-- T3313 is 8 s and is repeated twice.

local given = require "gb_given"

local MS, LOCAL = 0x10, 0xc1234567 -- a TLLI that tells no P-TMSI, and one that does
local PAGE = "0 > [0] paging_ps imsi=#303031303130303030303030303031 qos_profile=#000020 routeing_area=001-01-13135-0"
local UNSENT = "count bssgp_paging_ps_unsent" -- to the other NSE, which is down
local TIMER = "timer paging/1016/t3313 %d"
local LATER = "timer paging/1016/later %d"
local REJECT = '0 [0] paging_ps_reject imsi="001010000000001" time_until_paging=60'

local function wanted(at, tlli, ...)
  return { at = at, call = "on_page_wanted", args = { tlli }, ... }
end

local function reached(at, tlli, ...)
  return { at = at, call = "on_reached", args = { tlli }, ... }
end

local function paged(count)
  return { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged " .. count }
end

local function first(at)
  return wanted(at, MS, "count paging_started", "count paging_sent", PAGE, TIMER:format(at + 8000))
end

-- The same of two NSEs with the same routeing area, the mobile in the first.
local TWO_NSES_UP = { "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack",
  "1 reset cause=1 nsei=102 nsvci=1900", "1 unblock", "1 alive_ack" }

return {
  { name = "one page however much comes, until the mobile is heard", config = "radio", given = given.CELL_UP, steps = {
    first(1),
    wanted(2, MS),
    paged(1),
    reached(500, MS, "cancel paging/1016/t3313", "count paging_answered"),
    paged(0),
    reached(501, MS),
    first(502),
  } },
  { name = "repeated by T3313, given up, asked for anew by the next packet", config = "radio", given = given.CELL_UP,
    steps = {
      first(0),
      { at = 8000, timer = "paging/1016/t3313", "count paging_sent", PAGE, TIMER:format(16000) },
      { at = 16000, timer = "paging/1016/t3313", "count paging_sent", PAGE, TIMER:format(24000) },
      { at = 24000, timer = "paging/1016/t3313", "count paging_unanswered", "page_end 101 00000010" },
      paged(0),
      first(24001),
    } },
  { name = "again, at once, by a cell that is back", config = "radio", given = given.CELL_UP, steps = {
    first(1),
    { at = 1000, rx = "0 [0] bvc_block bvci=1234 cause=8", "bvc 101/1234 down", "log info",
      "0 > [0] bvc_block_ack bvci=1234" },
    { at = 2000, rx = "0 [0] bvc_unblock bvci=1234", "0 > [0] bvc_unblock_ack bvci=1234", "bvc 101/1234 up",
      "count paging_sent", PAGE, TIMER:format(10000) },
  } },
  { name = "a mobile of a P-TMSI is paged by it", config = "paging", given = given.CELL_UP, steps = {
    wanted(1, LOCAL, "count paging_started", "count paging_sent",
      "0 > [0] paging_ps imsi=#303031303130303030303030303032 qos_profile=#000020 routeing_area=001-01-13135-0 "
      .. "tmsi=3240314215", "timer paging/1103/t3313 8001"),
  } },
  { name = "in the last cell alone", config = "paging_cell", given = given.CELL_UP, steps = {
    wanted(1, LOCAL, "count paging_started", "count paging_sent",
      "0 > [1234] paging_ps bvci=1234 imsi=#303031303130303030303030303032 qos_profile=#000020 tmsi=3240314215",
      "timer paging/1103/t3313 8001"),
  } },
  { name = "in every NSE of the routeing area that is up", config = "paging_nses", given = TWO_NSES_UP, steps = {
    wanted(1, LOCAL, "count paging_started", "count paging_sent",
      "0 > [0] paging_ps imsi=#303031303130303030303030303032 qos_profile=#000020 routeing_area=001-01-13135-0 "
      .. "tmsi=3240314215",
      "1 > [0] paging_ps imsi=#303031303130303030303030303032 qos_profile=#000020 routeing_area=001-01-13135-0 "
      .. "tmsi=3240314215",
      "timer paging/1103/t3313 8001"),
    { at = 2, rx = "1 block cause=1 nsvci=1900", "nsvc 1 down", "log warn", "log info", "1 > block_ack nsvci=1900" },
    { at = 8001, timer = "paging/1103/t3313", "count paging_sent",
      "0 > [0] paging_ps imsi=#303031303130303030303030303032 qos_profile=#000020 routeing_area=001-01-13135-0 "
      .. "tmsi=3240314215",
      "count bssgp_paging_ps_unsent", "timer paging/1103/t3313 16001" },
  } },
  { name = "without an IMSI nobody can be paged", config = "radio", given = given.CELL_UP, steps = {
    wanted(1, 0x20, "count paging_started", "count paging_without_imsi", "timer paging/1032/t3313 8001"),
    { at = 8001, timer = "paging/1032/t3313", "count paging_without_imsi", "timer paging/1032/t3313 16001" },
  } },
  { name = "the BSS is told of DRX parameters", config = "radio", given = given.CELL_UP, steps = {
    wanted(1, 0x40, "count paging_started", "count paging_sent",
      "0 > [0] paging_ps drx_parameters=#0a0b imsi=#303031303130303030303030303033 qos_profile=#000020 "
      .. "routeing_area=001-01-13135-0", "timer paging/1064/t3313 8001"),
  } },
  { name = "nobody is paged that nobody knows", config = "radio", given = given.CELL_UP, steps = {
    wanted(1, 0x77),
    reached(1, 0x77),
  } },
  { name = "a BSS that refuses is not asked for T3313, then by the next one", config = "radio", given = given.CELL_UP,
    steps = {
      first(1),
      { at = 100, rx = REJECT, "cancel paging/1016/t3313", "count paging_rejected", LATER:format(8100) },
      wanted(101, MS),
      { at = 102, rx = REJECT },
      paged(1),
      { at = 8100, timer = "paging/1016/later", "page_end 101 00000010" },
      paged(0),
      first(8101),
      { at = 8200, rx = REJECT, "cancel paging/1016/t3313", "count paging_rejected", LATER:format(16200) },
      reached(8300, MS, "cancel paging/1016/later", "count paging_answered"),
      paged(0),
    } },
  { name = "a refusal is over with the end of its mobile, and when the cell is back",
    config = "radio", given = given.CELL_UP, steps = {
      first(1),
      { at = 2, rx = REJECT, "cancel paging/1016/t3313", "count paging_rejected", LATER:format(8002) },
      { at = 1000, rx = "0 [0] bvc_block bvci=1234 cause=8", "bvc 101/1234 down", "log info",
        "0 > [0] bvc_block_ack bvci=1234" },
      { at = 2000, rx = "0 [0] bvc_unblock bvci=1234", "0 > [0] bvc_unblock_ack bvci=1234", "bvc 101/1234 up",
        "cancel paging/1016/later", "count paging_sent", PAGE, TIMER:format(10000) },
      { at = 2001, rx = REJECT, "cancel paging/1016/t3313", "count paging_rejected", LATER:format(10001) },
      { at = 2002, call = "ms_del", args = { MS }, "cancel paging/1016/later" },
      paged(0),
    } },
  { name = "a suspended mobile whose page was refused", config = "radio", given = given.CELL_UP, steps = {
    first(1),
    { at = 2, rx = REJECT, "cancel paging/1016/t3313", "count paging_rejected", LATER:format(8002) },
    { at = 3, rx = "0 [0] suspend tlli=16 routeing_area=001-01-13135-0", "ms_suspend 101 00000010",
      "0 > [0] suspend_ack routeing_area=001-01-13135-0 suspend_ref=0 tlli=16", "cancel paging/1016/later",
      "page_end 101 00000010" },
  } },
  { name = "another TLLI ends the page by the former one", config = "radio", given = given.CELL_UP, steps = {
    first(1),
    { at = 2, call = "ms_called", args = { MS, 0x90, "001010000000001" }, "cancel paging/1016/t3313" },
    paged(0),
  } },
  { name = "given up in the second NSE", config = "paging_nses", given = TWO_NSES_UP, steps = {
    { at = 1, call = "on_heard", args = { LOCAL, 102, 1234 }, "ms_move 101/1234 c1234567 to 102/1234" },
    wanted(2, LOCAL, "count paging_started", "count paging_sent",
      "0 > [0] paging_ps imsi=#303031303130303030303030303032 qos_profile=#000020 routeing_area=001-01-13135-0 "
      .. "tmsi=3240314215",
      "1 > [0] paging_ps imsi=#303031303130303030303030303032 qos_profile=#000020 routeing_area=001-01-13135-0 "
      .. "tmsi=3240314215",
      "timer paging/1103/t3313 8002"),
    { at = 3, rx = "1 [0] suspend tlli=3240314215 routeing_area=001-01-13135-0", "ms_suspend 102 c1234567",
      "1 > [0] suspend_ack routeing_area=001-01-13135-0 suspend_ref=0 tlli=3240314215", "cancel paging/1103/t3313",
      "page_end 102 c1234567" },
  } },
  { name = "a refusal of a stranger's page, while another mobile is paged", config = "radio", given = given.CELL_UP,
    steps = {
    first(1),
    { at = 2, rx = "0 [0] paging_ps_reject imsi=\"999999999999999\" time_until_paging=60",
      "count paging_ps_reject_unexpected" },
    paged(1),
  } },
  { name = "a cell comes up again: of the mobiles that are sought, its own are paged", config = "elsewhere",
    given = { "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack", "0 [0] bvc_reset bvci=0 cause=8",
      given.BVC_RESET, "0 [0] bvc_reset bvci=1235 cause=8 cell_id=001-01-13135-0-20961" }, steps = {
      wanted(1, MS, "count paging_started", "count paging_sent", PAGE, UNSENT, TIMER:format(8001)),
      { at = 2, rx = "0 [0] bvc_block bvci=1235 cause=1", "bvc 101/1235 down", "log info",
        "0 > [0] bvc_block_ack bvci=1235" },
      { at = 3, rx = "0 [0] bvc_unblock bvci=1235", "0 > [0] bvc_unblock_ack bvci=1235", "bvc 101/1235 up" },
      { at = 4, rx = "0 [0] bvc_block bvci=1234 cause=1", "bvc 101/1234 down", "log info",
        "0 > [0] bvc_block_ack bvci=1234" },
      { at = 5, rx = "0 [0] bvc_unblock bvci=1234", "0 > [0] bvc_unblock_ack bvci=1234", "bvc 101/1234 up",
        "count paging_sent", PAGE, UNSENT, TIMER:format(8005) },
    } },
  { name = "a refusal of nobody's page", config = "radio", given = given.CELL_UP, steps = {
    { at = 1, rx = REJECT, "count paging_ps_reject_unexpected" },
    { at = 2, rx = "0 [1234] paging_ps_reject imsi=\"999999999999999\"", "count paging_ps_reject_unexpected" },
  } },
  { name = "a suspended mobile is not paged", config = "radio", given = given.CELL_UP, steps = {
    first(1),
    { at = 2, rx = "0 [0] suspend tlli=16 routeing_area=001-01-13135-0", "ms_suspend 101 00000010",
      "0 > [0] suspend_ack routeing_area=001-01-13135-0 suspend_ref=0 tlli=16", "cancel paging/1016/t3313",
      "page_end 101 00000010" },
  } },
  { name = "a phone that the node does not know is paged by its IMSI alone, once, in its cell", config = "radio",
    given = given.CELL_UP, steps = {
    { at = 1, call = "on_page_imsi", args = { MS, "262420000000001" }, "count paging_by_imsi",
      "0 > [1234] paging_ps bvci=1234 imsi=#323632343230303030303030303031 qos_profile=#000020" },
    { at = 2, call = "on_page_imsi", args = { 0x77, "262420000000001" } },
  } },
  { name = "a paged mobile goes", config = "radio", given = given.CELL_UP, steps = {
    first(1),
    { at = 2, call = "ms_del", args = { MS }, "cancel paging/1016/t3313" },
    paged(0),
  } },
  { name = "a paged mobile is heard in another cell", config = "paging_two_cells", given = given.CELL_UP, steps = {
    wanted(1, LOCAL, "count paging_started", "count paging_sent",
      "0 > [0] paging_ps imsi=#303031303130303030303030303032 qos_profile=#000020 routeing_area=001-01-13135-0 "
      .. "tmsi=3240314215", "timer paging/1103/t3313 8001"),
    { at = 2, call = "on_heard", args = { LOCAL, 101, 1235 }, "cancel paging/1103/t3313", "count paging_answered",
      "ms_move 101/1234 c1234567 to 101/1235", "0 > [0] flush_ll bvci=1234 bvci_new=1235 tlli=3240314215",
      "timer flush/1103/101/1234/flush 5002" },
    { show = "mobiles all", is = "suspended 0 flushing 1 flows 0 paged 0" },
  } },
}
