-- SPDX-License-Identifier: BSD-3-Clause
-- One point-to-point BVC (cell) of the SGSN (48.018 §8.2-8.4). The BSS starts reset, block and unblock. After a reset
-- the cell is unblocked: some BSSs send BVC-UNBLOCK then and some do not. A cell is usable while it is unblocked and
-- its NSE has a usable NS-VC; losing the NSE for a while changes nothing else.
--
-- Owner: { wire =, bvci =, cell_id = configured, nse =, fsm =, durations =, own_buckets =, announced =, usable = }.
-- An event's `arg` is { via = NS-VC index, bvci = of the NS-UNITDATA, pdu = decoded, octets = BSSGP PDU }.

local flow_control = require "flow_control"
local fsm = require "fsm"
local gb_send = require "gb_send"
local cause = require("gb_cause").bssgp

local SIGNALLING_BVCI = 0

local actions = {}

local function set_usable(bvc, run, usable)
  if bvc.usable ~= usable then
    bvc.usable = usable
    run:emit({ op = "bvc_state", nsei = bvc.nse.nsei, bvci = bvc.bvci, usable = usable })
  end
end

function actions.in_service(bvc, run)
  set_usable(bvc, run, bvc.nse.usable_nsvcs > 0)
end

function actions.out_of_service(bvc, run)
  set_usable(bvc, run, false)
end

local function ack(bvc, run, rx, name)
  gb_send.bssgp(run, bvc.wire, rx.via, SIGNALLING_BVCI, { pdu = name, bvci = bvc.bvci })
end

function actions.forget(bvc, run)
  flow_control.forget(bvc, run)
  run:emit({ op = "bvc_reset", nsei = bvc.nse.nsei, bvci = bvc.bvci })
end

local CELL_ID_FIELDS = { "mcc", "mnc", "lac", "rac", "ci" }

local function check_cell_id(bvc, run, announced)
  if not announced then
    return run:count("bvc_reset_without_cell_id")
  end
  for _, field in ipairs(CELL_ID_FIELDS) do
    if announced[field] ~= bvc.cell_id[field] then
      run:count("bvc_cell_id_mismatch")
      return run:log("warn", "NSE %d BVCI %d: the BSS names another cell, %s is %s and not %s", bvc.nse.nsei, bvc.bvci,
        field, announced[field], bvc.cell_id[field])
    end
  end
end

function actions.reset(bvc, run, rx)
  run:log("info", "NSE %d BVCI %d: reset by the BSS, cause 0x%02x", bvc.nse.nsei, bvc.bvci, rx.pdu.cause)
  check_cell_id(bvc, run, rx.pdu.cell_id)
  actions.forget(bvc, run)
  ack(bvc, run, rx, "bvc_reset_ack")
end

function actions.ack_block(bvc, run, rx)
  run:log("info", "NSE %d BVCI %d: blocked by the BSS, cause 0x%02x", bvc.nse.nsei, bvc.bvci, rx.pdu.cause)
  ack(bvc, run, rx, "bvc_block_ack")
end

function actions.ack_unblock(bvc, run, rx)
  ack(bvc, run, rx, "bvc_unblock_ack")
end

actions.flow_control_bvc = flow_control.on_bvc

actions.flow_control_ms = flow_control.on_ms

function actions.discarded(bvc, run, rx)
  run:emit({
    op = "discarded", nsei = bvc.nse.nsei, bvci = bvc.bvci, tlli = rx.pdu.tlli, octets = rx.pdu.octets_affected,
  })
end

-- The worker hands over only what it could not place: a mobile without a context here.
function actions.unplaced(_, run)
  run:count("ul_unitdata_unplaced")
end

function actions.say_unknown(bvc, run, rx)
  gb_send.status(run, bvc.wire, rx, cause.BVCI_UNKNOWN, bvc.bvci)
end

function actions.say_blocked(bvc, run, rx)
  gb_send.status(run, bvc.wire, rx, cause.BVCI_BLOCKED, bvc.bvci)
end

return fsm.define({
  name = "bvc",
  initial = "unknown",
  actions = actions,
  any = {
    rx_bvc_reset = { action = "reset", next = "unblocked" },
    signalling_reset = { action = "forget", next = "unknown" },
    lost = { next = "unknown" },
    nse_up = {},
    nse_down = {},
    peer_says_unknown = { next = "unknown" },
    peer_says_blocked = {},
  },
  states = {
    unknown = {
      otherwise = { action = "say_unknown" },
    },
    blocked = {
      on = {
        rx_bvc_block = { action = "ack_block" },
        rx_bvc_unblock = { action = "ack_unblock", next = "unblocked" },
        rx_llc_discarded = { action = "discarded" },
      },
      otherwise = { action = "say_blocked" },
    },
    unblocked = {
      enter = "in_service",
      leave = "out_of_service",
      on = {
        rx_bvc_block = { action = "ack_block", next = "blocked" },
        rx_bvc_unblock = { action = "ack_unblock" },
        rx_flow_control_bvc = { action = "flow_control_bvc" },
        rx_flow_control_ms = { action = "flow_control_ms" },
        rx_llc_discarded = { action = "discarded" },
        rx_ul_unitdata = { action = "unplaced" },
        nse_up = { action = "in_service" },
        nse_down = { action = "out_of_service" },
        peer_says_blocked = { next = "blocked" },
      },
    },
  },
})
