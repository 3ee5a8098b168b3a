-- SPDX-License-Identifier: BSD-3-Clause
-- One point-to-point BVC (cell) of the SGSN (48.018 §8.2-8.4). The BSS starts reset, block and unblock; where it does
-- not, gb.bvc_reset starts the reset. After a reset
-- the cell is unblocked: some BSSs send BVC-UNBLOCK then and some do not. A cell is usable while it is unblocked and
-- its NSE has a usable NS-VC; losing the NSE for a while changes nothing else.
--
-- Owner: { wire =, bvci =, cell_id = configured, nse =, fsm =, durations =, own_buckets =, mobiles = registry, flows =,
-- order = of gb.bvc_order, is_barred = by an operator, announced =, waiting = machine of flow_control, usable =,
-- named = cell identity of its last BVC-RESET }.
-- An event's `arg` is { via = NS-VC index, bvci = of the NS-UNITDATA, pdu = decoded, octets = BSSGP PDU }.

local drain = require "gb.drain"
local flow_control = require "gb.flow_control"
local fsm = require "base.fsm"
local gb_bvc_order = require "gb.bvc_order"
local gb_pfcs = require "gb.pfcs"
local gb_send = require "gb.send"
local cause = require("gb.cause").bssgp

local SIGNALLING_BVCI = 0
local LOCAL_TLLI = 0xc0000000 -- on top of a P-TMSI (23.003 §2.6)
local RADIO_CAUSES = 5 -- another one counts as the first

local actions = {}

local function set_usable(bvc, run, usable)
  if bvc.usable ~= usable then
    bvc.usable = usable
    run:emit({ op = "bvc_state", nsei = bvc.nse.nsei, bvci = bvc.bvci, usable = usable })
  end
end

function actions.in_service(bvc, run)
  local was_usable = bvc.usable
  set_usable(bvc, run, bvc.nse.usable_nsvcs > 0 and not bvc.is_barred)
  flow_control.begin(bvc, run)
  gb_pfcs.cell_up(run, bvc)
  if bvc.usable and not was_usable then bvc.mobiles:page_again(run, bvc) end
end

function actions.out_of_service(bvc, run)
  flow_control.pause(bvc, run)
  set_usable(bvc, run, false)
end

local function ack(bvc, run, rx, name)
  gb_send.bssgp(run, bvc.wire, rx.via, SIGNALLING_BVCI, { pdu = name, bvci = bvc.bvci })
end

function actions.forget(bvc, run)
  flow_control.reset(bvc, run)
  gb_pfcs.cell_lost(run, bvc)
  bvc.mobiles:forget_flushes_of(run, bvc)
  run:emit({ op = "bvc_reset", nsei = bvc.nse.nsei, bvci = bvc.bvci })
end

-- The cell is deleted here. Its mobiles' queued N-PDUs are kept, unlike at a reset.
function actions.end_service(bvc, run)
  gb_bvc_order.stop(run, bvc)
  flow_control.reset(bvc, run)
  bvc.mobiles:forget_flushes_of(run, bvc)
end

-- Only a BSS can block a BVC (48.018 §8.3), and a reset would announce that the cell stays. So the BSS gets at once the
-- STATUS with which each PDU of that cell is answered from now on (§9).
function actions.say_goodbye(bvc, run)
  if bvc.nse.usable_nsvcs > 0 then
    gb_send.to_nse(run, bvc.nse, SIGNALLING_BVCI, { pdu = "status", cause = cause.BVCI_UNKNOWN, bvci = bvc.bvci })
  end
  actions.end_service(bvc, run)
end

function actions.begin_anew(bvc)
  drain.restart(bvc.drain)
end

local CELL_ID_FIELDS = { "mcc", "mnc", "lac", "rac", "ci" }

local function check_cell_id(bvc, run, announced)
  if not announced then
    return run:count("bvc_reset_without_cell_id")
  end
  for _, field in ipairs(CELL_ID_FIELDS) do
    if announced[field] ~= bvc.cell_id[field] then
      run:count("bvc_cell_id_mismatch")
      return run:log_of("bssgp", "warn", "NSE %d BVCI %d: the BSS names another cell, %s is %s and not %s",
        bvc.nse.nsei, bvc.bvci,
        field, announced[field], bvc.cell_id[field])
    end
  end
end

function actions.reset(bvc, run, rx)
  run:log_of("bssgp", "info", "NSE %d BVCI %d: reset by the BSS, cause 0x%02x", bvc.nse.nsei, bvc.bvci, rx.pdu.cause)
  check_cell_id(bvc, run, rx.pdu.cell_id)
  bvc.named, bvc.is_reset_by_us = rx.pdu.cell_id, nil
  actions.forget(bvc, run)
  ack(bvc, run, rx, "bvc_reset_ack")
  gb_bvc_order.done(run, bvc)
end

function actions.take_reset_ack(bvc, run, rx)
  run:log_of("bssgp", "info", "NSE %d BVCI %d: the BSS has reset it", bvc.nse.nsei, bvc.bvci)
  check_cell_id(bvc, run, rx.pdu.cell_id)
  bvc.named, bvc.is_reset_by_us = rx.pdu.cell_id, nil
  actions.forget(bvc, run)
  gb_bvc_order.done(run, bvc)
end

-- By an operator (gb.acts).
function actions.bar(bvc, run)
  bvc.is_barred = true
  set_usable(bvc, run, false)
  run:touch(bvc.fsm)
end

function actions.lift_bar(bvc, run)
  bvc.is_barred = nil
  run:touch(bvc.fsm)
end

function actions.serve_again(bvc, run)
  actions.lift_bar(bvc, run)
  actions.in_service(bvc, run)
end

function actions.ack_block(bvc, run, rx)
  run:log_of("bssgp", "info", "NSE %d BVCI %d: blocked by the BSS, cause 0x%02x", bvc.nse.nsei, bvc.bvci, rx.pdu.cause)
  ack(bvc, run, rx, "bvc_block_ack")
end

function actions.ack_unblock(bvc, run, rx)
  ack(bvc, run, rx, "bvc_unblock_ack")
end

actions.flow_control_bvc = flow_control.on_bvc

actions.flow_control_ms = flow_control.on_ms

actions.flow_control_pfc = flow_control.on_pfc

actions.discarded = flow_control.on_discarded

-- The mobile that a RADIO-STATUS means; nil: no mobile has this identity.
local function mobile_of(book, pdu)
  local tlli = pdu.tlli or pdu.tmsi and pdu.tmsi | LOCAL_TLLI
  return tlli and book:of_tlli(tlli) or not tlli and book:of_imsi(pdu.imsi) or nil
end

-- Nothing may be sent to the mobile until it is heard again, whatever the cause (48.018 §7.3). The cause that a mobile
-- has left the cell does not tell its new cell.
function actions.radio_status(bvc, run, rx)
  local pdu = rx.pdu
  local ms = mobile_of(bvc.mobiles.book, pdu)
  run:count(("radio_status_%d"):format(pdu.radio_cause < RADIO_CAUSES and pdu.radio_cause or 0))
  if not ms or ms.cell ~= bvc then
    return run:count("radio_status_elsewhere")
  end
  run:emit({ op = "ms_lost", nsei = bvc.nse.nsei, tlli = ms.tlli })
end

function actions.capability_asked(bvc, run, rx)
  local ms = bvc.mobiles.book:of_tlli(rx.pdu.tlli)
  local is_here = ms and ms.cell.nse == bvc.nse
  if ms and not is_here then run:count("ra_capability_update_elsewhere") end
  bvc.mobiles.radio:answer(run, bvc, rx, is_here and ms or nil)
end

-- A PDU of the BSS about one packet flow. DELETE-BSS-PFC-ACK for a flow without a machine is expected and not counted.
function actions.packet_flow(bvc, run, rx)
  local pdu = rx.pdu
  local ms = bvc.mobiles.book:of_tlli(pdu.tlli)
  local pfc = ms and ms.cell == bvc and bvc.mobiles.pfcs:get(ms, pdu.pfi)
  if pfc and pfc.abqp then
    run:tell(pfc.fsm, "rx_" .. pdu.pdu, rx)
  elseif pdu.pdu ~= "delete_bss_pfc_ack" then
    run:count("pfc_unknown")
  end
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

local function keep(bvc)
  local state, share = bvc.fsm.state, drain.kept_of(bvc.drain)
  local is_new = state == "unknown" and not share and not bvc.announced and not bvc.is_refused and not bvc.is_barred
  if is_new then return nil end
  return { nsei = bvc.nse.nsei, bvci = bvc.bvci, state = state, announced = bvc.announced, counts_as = bvc.counts_as,
    drain = share, named = bvc.named, is_refused = bvc.is_refused, is_barred = bvc.is_barred }
end

return fsm.define({
  name = "bvc",
  category = "bssgp",
  about = "bvc",
  initial = "unknown",
  keep = keep,
  actions = actions,
  any = {
    rx_bvc_reset = { action = "reset", next = "unblocked" },
    signalling_reset = { action = "forget", next = "unknown" },
    lost = { action = "begin_anew", next = "unknown" },
    nse_up = {},
    nse_down = {},
    peer_says_unknown = { next = "unknown" },
    peer_says_blocked = {},
    removed = { action = "say_goodbye", next = "unknown" },
    order_block = { action = "bar" },
    order_unblock = { action = "lift_bar" },
  },
  states = {
    unknown = {
      on = {
        removed = { action = "end_service" },
        rx_bvc_reset_ack = { action = "take_reset_ack", next = "unblocked" },
      },
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
        rx_radio_status = { action = "radio_status" },
        rx_ra_capability_update = { action = "capability_asked" },
        rx_flow_control_pfc = { action = "flow_control_pfc" },
        rx_download_bss_pfc = { action = "packet_flow" },
        rx_create_bss_pfc_ack = { action = "packet_flow" },
        rx_create_bss_pfc_nack = { action = "packet_flow" },
        rx_modify_bss_pfc = { action = "packet_flow" },
        rx_delete_bss_pfc_req = { action = "packet_flow" },
        rx_delete_bss_pfc_ack = { action = "packet_flow" },
        order_unblock = { action = "serve_again" },
        nse_up = { action = "in_service" },
        nse_down = { action = "out_of_service" },
        peer_says_blocked = { next = "blocked" },
      },
    },
  },
})
