-- SPDX-License-Identifier: BSD-3-Clause
-- An operator's acts on NS-VCs and cells (lua/gb/acts.lua). "acted": the end that is told.

local given = require "gb_given"

local RESET <const> = "0 reset cause=1 nsei=101 nsvci=1800"
local ACK <const> = "0 reset_ack nsei=101 nsvci=1800"
local BLOCKED_MS <const> = 8

local function act(at, verb, number, what, ...)
  local order = { verb = verb, act = what }
  order[verb == "nsvc" and "nsvci" or "bvci"] = tostring(number)
  return { at = at, call = "act", args = { order, 7 }, "log warn", ... }
end

local function nsvc(at, what, ...) return act(at, "nsvc", 1800, what, ...) end
local function bvc(at, what, ...) return act(at, "bvc", 1234, what, ...) end

local BEGUN <const> = { "nsvc 0 down", "log warn", "log warn", "cancel nsvc/0/test",
  "0 > reset cause=1 nsei=101 nsvci=1800" }

local function reset(at)
  local row = nsvc(at, "reset", table.unpack(BEGUN))
  row[#row + 1] = ("timer nsvc/0/reset %g"):format(at + 3000)
  return row
end

local function block(at)
  return nsvc(at, "block", "nsvc 0 down", "log warn", "0 > block cause=1 nsvci=1800",
    ("timer nsvc/0/unblock %g"):format(at + 3000))
end

-- Blocked by the operator at 5 ms, as the BSS has acknowledged.
local BLOCKED <const> = { block(5), { at = 6, rx = "0 block_ack nsvci=1800", "cancel nsvc/0/unblock",
  "acted 7 done" } }

local function blocked(...)
  local steps = { BLOCKED[1], BLOCKED[2] }
  for _, step in ipairs({ ... }) do steps[#steps + 1] = step end
  return steps
end

-- NS-ALIVE and its ten repetitions, none answered, from a time on.
local function alives(at)
  local lines = {}
  for i = 0, 10 do
    lines[#lines + 1] = ("%d 0 > alive"):format(at + 3000 * i)
    lines[#lines + 1] = ("%d timer nsvc/0/alive %d"):format(at + 3000 * i, at + 3000 * (i + 1))
  end
  return lines
end

local function with(fields, list)
  for key, value in pairs(fields) do list[key] = value end
  return list
end

-- NS-ALIVE of the bring-up, which was at 0, is not answered; the last of these lines is of 30 s.
local SILENT <const> = with({ to = 30000 }, table.move(alives(0), 3, 22, 1, {}))

local rows = {
  { name = "NS-RESET by the operator, answered", given = given.NS_UP, steps = {
    reset(5),
    { at = 6, rx = ACK, "cancel nsvc/0/reset", "0 > alive", "timer nsvc/0/alive 3006", "0 > unblock",
      "timer nsvc/0/unblock 3006" },
    { at = 7, rx = "0 unblock_ack", "cancel nsvc/0/unblock", "nsvc 0 up", "log info", "acted 7 done" },
    { show = "nsvc 0", is = "unblocked probing" },
  } },
  { name = "NS-RESET by the operator, not answered", given = given.NS_UP, steps = {
    reset(0),
    { to = 12000, "3000 0 > reset cause=1 nsei=101 nsvci=1800", "3000 timer nsvc/0/reset 6000",
      "6000 0 > reset cause=1 nsei=101 nsvci=1800", "6000 timer nsvc/0/reset 9000",
      "9000 0 > reset cause=1 nsei=101 nsvci=1800", "9000 timer nsvc/0/reset 12000",
      "12000 count ns_reset_failed", "12000 log error", "12000 acted 7 failed" },
    { show = "nsvc 0", is = "dead off" },
  } },
  { name = "NS-RESET by the operator, whose NS-UNBLOCK is not answered", given = given.NS_UP, steps = {
    reset(5),
    { at = 6, rx = ACK, "cancel nsvc/0/reset", "0 > alive", "timer nsvc/0/alive 3006", "0 > unblock",
      "timer nsvc/0/unblock 3006" },
    { at = 7, rx = "0 alive_ack", "cancel nsvc/0/alive", "timer nsvc/0/test 30007" },
    { to = 12006, "3006 0 > unblock", "3006 timer nsvc/0/unblock 6006", "6006 0 > unblock",
      "6006 timer nsvc/0/unblock 9006", "9006 0 > unblock", "9006 timer nsvc/0/unblock 12006",
      "12006 count ns_unblock_failed", "12006 log warn", "12006 acted 7 failed" },
  } },
  { name = "the BSS resets at the same time: done when it has unblocked", given = given.NS_UP, steps = {
    reset(5),
    { at = 6, rx = RESET, "cancel nsvc/0/reset", "0 > reset_ack nsei=101 nsvci=1800", "0 > alive",
      "timer nsvc/0/alive 3006" },
    { at = 7, rx = "0 unblock", "0 > unblock_ack", "nsvc 0 up", "log info", "acted 7 done" },
  } },
  { name = "NS-BLOCK by the operator: the BSS cannot end it", given = given.NS_UP, steps = blocked(
    { show = "nsvc 0", is = "barred resting" },
    { at = 7, rx = "0 unblock", "count ns_status_sent_03", "0 > status cause=3 nsvci=1800" },
    { at = 7, rx = "0 block cause=1 nsvci=1800", "log info", "0 > block_ack nsvci=1800" },
    { at = 7, rx = "0 status cause=4 nsvci=1800", "count ns_status_received_04", "log warn" },
    { at = BLOCKED_MS, rx = RESET, "0 > reset_ack nsei=101 nsvci=1800", "cancel nsvc/0/test", "0 > alive",
      "timer nsvc/0/alive 3008" },
    { show = "nsvc 0", is = "barred probing" },
    nsvc(9, "unblock", "0 > unblock", "timer nsvc/0/unblock 3009"),
    { at = 10, rx = "0 unblock_ack", "cancel nsvc/0/unblock", "nsvc 0 up", "log info", "acted 7 done" }) },
  { name = "NS-BLOCK by the operator, to a BSS that is to be unblocked after its reset", config = "unblock_later",
    given = given.NS_UP, steps = blocked(
    { at = 7, rx = RESET, "0 > reset_ack nsei=101 nsvci=1800", "cancel nsvc/0/test", "0 > alive",
      "timer nsvc/0/alive 3007" },
    { show = "nsvc 0", is = "barred probing" }) },
  { name = "NS-BLOCK by the operator, not answered: blocked all the same", given = given.NS_UP, steps = {
    block(0),
    { at = 1, rx = "0 [0] bvc_unblock bvci=1234", "count bvc_unexpected", "count bssgp_status_sent_05",
      "0 > [0] status bvci=1234 cause=5 pdu_in_error=received" },
    { at = 2, rx = "0 unblock", "count ns_status_sent_03", "0 > status cause=3 nsvci=1800" },
    { at = 2, rx = "0 block cause=1 nsvci=1800", "log info", "0 > block_ack nsvci=1800" },
    { at = 2, rx = "0 status cause=4 nsvci=1800", "count ns_status_received_04", "log warn" },
    { to = 12000, "3000 0 > block cause=1 nsvci=1800", "3000 timer nsvc/0/unblock 6000",
      "6000 0 > block cause=1 nsvci=1800", "6000 timer nsvc/0/unblock 9000",
      "9000 0 > block cause=1 nsvci=1800", "9000 timer nsvc/0/unblock 12000",
      "12000 count ns_block_failed", "12000 acted 7 failed" },
    { show = "nsvc 0", is = "barred resting" },
    { at = 12001, rx = "0 block_ack nsvci=1800", "count ns_block_ack_unexpected" },
    { at = 12001, rx = "0 block_ack nsvci=9", "count ns_block_ack_unexpected" },
  } },
}

local more = {
  { name = "an NS-VC that the operator has blocked is tested on", given = given.NS_UP, steps = blocked(
    with({ to = 60000 }, alives(30000)),
    { to = 63000, "63000 0 > alive", "63000 timer nsvc/0/alive 66000" },
    { show = "nsvc 0", is = "barred probing" }) },
  { name = "an NS-VC is tested on while NS-BLOCK has no answer", given = { RESET, "0 unblock" }, steps = {
    SILENT,
    block(31000),
    { to = 33000, "33000 0 > alive", "33000 timer nsvc/0/alive 36000" },
    { at = 33001, rx = RESET, "cancel nsvc/0/unblock", "0 > reset_ack nsei=101 nsvci=1800", "0 > alive",
      "timer nsvc/0/alive 36001", "acted 7 done" },
  } },
  { name = "the BSS resets while NS-BLOCK has no answer", config = "unblock_later",
    given = { RESET, "0 unblock", "0 alive_ack" }, steps = {
    block(5),
    { at = 6, rx = RESET, "cancel nsvc/0/unblock", "0 > reset_ack nsei=101 nsvci=1800", "cancel nsvc/0/test",
      "0 > alive", "timer nsvc/0/alive 3006", "acted 7 done" },
  } },
  { name = "the operator unblocks what the BSS has reset", given = { RESET }, steps = {
    nsvc(5, "unblock", "0 > unblock", "timer nsvc/0/unblock 3005"),
    { at = 6, rx = "0 unblock_ack", "cancel nsvc/0/unblock", "nsvc 0 up", "log info", "acted 7 done" },
  } },
  { name = "the operator unblocks before the node would", config = "unblock_later", given = { RESET }, steps = {
    nsvc(5, "unblock", "cancel nsvc/0/turn", "0 > unblock", "timer nsvc/0/unblock 3005"),
    { at = 6, rx = "0 unblock_ack", "cancel nsvc/0/unblock", "nsvc 0 up", "log info", "acted 7 done" },
  } },
  { name = "an NS-VC is deleted in the midst of an act", given = given.NS_UP, steps = {
    reset(5),
    { at = 6, call = "nsvc_del", args = { 0 }, "cancel nsvc/0/reset", "acted 7 failed", "nsvc_del 0" },
  } },
}

-- --- cells

local function bvc_reset(at)
  return bvc(at, "reset", "bvc 101/1234 down", "reset 101/1234", "count bvc_reset_sent",
    "0 > [0] bvc_reset bvci=1234 cause=8", ("timer order/101/1234/t2 %g"):format(at + 5000))
end

local cells = {
  { name = "BVC-RESET by the operator, answered", given = given.CELL_UP, steps = {
    bvc_reset(5),
    { at = 6, rx = "0 [0] bvc_reset_ack bvci=1234 cell_id=001-01-13135-0-20960", "log info", "reset 101/1234",
      "cancel order/101/1234/t2", "acted 7 done", "bvc 101/1234 up" },
    { show = "bvc 101/1234", is = "unblocked up rate none own 0" },
  } },
  { name = "BVC-RESET by the operator, while the BSS resets the cell", given = given.CELL_UP, steps = {
    bvc_reset(5),
    { at = 6, rx = given.BVC_RESET, "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234",
      "cancel order/101/1234/t2", "acted 7 done", "bvc 101/1234 up" },
  } },
  { name = "BVC-RESET by the operator, not answered", given = given.CELL_UP, steps = {
    bvc_reset(0),
    { to = 20000, "5000 count bvc_reset_sent", "5000 0 > [0] bvc_reset bvci=1234 cause=8",
      "5000 timer order/101/1234/t2 10000", "10000 count bvc_reset_sent",
      "10000 0 > [0] bvc_reset bvci=1234 cause=8", "10000 timer order/101/1234/t2 15000",
      "15000 count bvc_reset_sent", "15000 0 > [0] bvc_reset bvci=1234 cause=8",
      "15000 timer order/101/1234/t2 20000", "20000 count bvc_reset_failed", "20000 acted 7 failed" },
    { show = "bvc 101/1234", is = "unknown down rate none own 0" },
  } },
  { name = "a cell is deleted in the midst of BVC-RESET by the operator", config = "three_cells",
    given = given.CELL_UP, steps = {
    bvc_reset(5),
    { at = 6, call = "cell_del", args = { 101, 1234 }, "cancel order/101/1234/t2", "acted 7 failed", "log info",
      "ms_park 101/1234 00000010 at 101/1235", "ms_park 101/1234 00000020 at 101/1235",
      "ms_park 101/1234 00000030 at 101/1235", "ms_park 101/1234 c1234567 at 101/1235", "bvc_del 101/1234" },
  } },
  { name = "the operator blocks a cell, and ends that", given = given.CELL_UP, steps = {
    bvc(5, "block", "bvc 101/1234 down", "acted 7 done"),
    { show = "bvc 101/1234", is = "barred down rate 80000 own 0" },
    bvc(6, "unblock", "bvc 101/1234 up", "acted 7 done"),
    { show = "bvc 101/1234", is = "unblocked up rate 80000 own 0" },
  } },
  { name = "the operator blocks a cell that the BSS has not reset: it stays so", given = given.NS_UP, steps = {
    bvc(5, "block", "acted 7 done"),
    bvc(5, "unblock", "acted 7 done"),
    bvc(5, "block", "acted 7 done"),
    { at = 6, rx = given.BVC_RESET, "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234" },
    { show = "bvc 101/1234", is = "barred down rate none own 0" },
    bvc(7, "unblock", "bvc 101/1234 up", "acted 7 done"),
  } },
}

for _, list in ipairs({ more, cells }) do table.move(list, 1, #list, #rows + 1, rows) end
return rows
