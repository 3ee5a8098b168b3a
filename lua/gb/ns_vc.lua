-- SPDX-License-Identifier: BSD-3-Clause
-- One NS-VC of the SGSN in the dialect with NS-RESET and NS-BLOCK over UDP (48.016 §7.2, §7.3). The BSS starts reset
-- and unblock; the SGSN starts them itself only to win back an NS-VC whose peer fell silent (§7.4), forgot it, or holds
-- it blocked without having said so; or at its start, where the configuration says that it is ours ("open").
--
-- Owner: { wire =, index =, nsvci =, nse = as in ns_service, with is_ours_to_start, fsm =, test = machine of ns_test,
-- on_unitdata = function(vc, run, pdu), reset_ns = when it was reset last }.
-- An event's `arg` is { via = NS-VC index it came on, pdu = decoded }.
-- "dead": no reset yet, or given up; the peer is told "NS-VC unknown", which makes a live one reset.

local fsm = require "base.fsm"
local gb_send = require "gb.send"
local ns_service = require "gb.ns_service"
local cause = require("gb.cause").ns

local RESET_PAUSE_NS <const> = 200000000

local actions = {}

local function send(vc, run, pdu)
  gb_send.ns(run, vc.wire, vc.index, pdu)
end

function actions.in_service(vc, run) ns_service.set_usable(vc, run, true) end

function actions.out_of_service(vc, run) ns_service.set_usable(vc, run, false) end

local function ack_reset(vc, run)
  send(vc, run, { pdu = "reset_ack", nsvci = vc.nsvci, nsei = vc.nse.nsei })
end

-- A BSS that resets its last way to us has restarted: what it knew of its cells is gone.
function actions.accept_reset(vc, run)
  if vc.nse.usable_nsvcs == 0 then
    ns_service.tell_bvcs(vc.nse, run, "lost")
  end
  ack_reset(vc, run)
  run:tell(vc.test, "begin")
end

function actions.refuse_reset(vc, run, arg)
  run:count("ns_reset_mismatch")
  run:log_of("ns", "warn", "NS-VC %d: NS-RESET names NSVCI %d NSEI %d, configured are %d and %d",
    vc.index, arg.pdu.nsvci,
    arg.pdu.nsei, vc.nsvci, vc.nse.nsei)
  ack_reset(vc, run)
end

function actions.send_reset(vc, run)
  vc.reset_ns = run.now
  send(vc, run, { pdu = "reset", cause = cause.TRANSIT_NETWORK_FAILURE, nsvci = vc.nsvci, nsei = vc.nse.nsei })
end

-- A peer that sends may receive again: NS-RESET is sent now, not at the next timeout.
local function ask_again(vc, run)
  if run.now - vc.reset_ns >= RESET_PAUSE_NS then
    actions.send_reset(vc, run)
  end
end

function actions.begin_reset(vc, run)
  run:log_of("ns", "warn", "NS-VC %d (NSVCI %d): resetting", vc.index, vc.nsvci)
  run:tell(vc.test, "stop")
  actions.send_reset(vc, run)
end

-- NS-RESET to an NSE that the SGSN starts is repeated without limit.
function actions.give_up(vc, run)
  run:count("ns_reset_failed")
  run:log_of("ns", "error", "NS-VC %d (NSVCI %d): no answer to NS-RESET", vc.index, vc.nsvci)
  if vc.nse.is_ours_to_start then
    run:post(vc.fsm, "open")
  end
end

function actions.stop_test(vc, run)
  run:tell(vc.test, "stop")
end

function actions.say_goodbye(vc, run)
  send(vc, run, { pdu = "block", cause = cause.OM_INTERVENTION, nsvci = vc.nsvci })
  actions.stop_test(vc, run)
end

function actions.reset_done(vc, run)
  run:tell(vc.test, "begin")
end

function actions.report_mismatch(vc, run, arg)
  run:count("ns_reset_mismatch")
  run:log_of("ns", "warn", "NS-VC %d: NS-RESET-ACK names NSVCI %d NSEI %d", vc.index, arg.pdu.nsvci, arg.pdu.nsei)
end

function actions.send_unblock(vc, run)
  send(vc, run, { pdu = "unblock" })
end

function actions.stay_blocked(vc, run)
  run:count("ns_unblock_failed")
  run:log_of("ns", "warn", "NS-VC %d (NSVCI %d): no answer to NS-UNBLOCK", vc.index, vc.nsvci)
end

function actions.ack_unblock(vc, run)
  send(vc, run, { pdu = "unblock_ack" })
end

-- NS-BLOCK may come on another NS-VC of the NSE than the one that it names; the answer goes back the same way.
function actions.ack_block(vc, run, arg)
  run:log_of("ns", "info", "NS-VC %d (NSVCI %d): blocked by the BSS, cause %d", vc.index, vc.nsvci, arg.pdu.cause)
  gb_send.ns(run, vc.wire, arg.via, { pdu = "block_ack", nsvci = vc.nsvci })
end

function actions.ack_alive(vc, run)
  send(vc, run, { pdu = "alive_ack" })
end

function actions.pass_up(vc, run, arg)
  vc.on_unitdata(vc, run, arg.pdu)
end

function actions.say_blocked(vc, run)
  gb_send.ns_status(run, vc.wire, vc.index, cause.NS_VC_BLOCKED, { nsvci = vc.nsvci })
end

function actions.say_unknown(vc, run, arg)
  gb_send.ns_status(run, vc.wire, arg.via, cause.NS_VC_UNKNOWN, { nsvci = vc.nsvci })
end

function actions.drop(vc, run)
  run:count("ns_dropped_in_reset")
  ask_again(vc, run)
end

function actions.ack_alive_in_reset(vc, run)
  actions.ack_alive(vc, run)
  ask_again(vc, run)
end

-- "dead" is the state of a new one.
local function keep(vc)
  if vc.fsm.state == "dead" then return nil end
  return { nsvc = vc.index, nsvci = vc.nsvci, nsei = vc.nse.nsei, state = vc.fsm.state }
end

return fsm.define({
  name = "ns_vc",
  initial = "dead",
  keep = keep,
  actions = actions,
  timers = {
    reset = { after = "reset", retries = "reset_retries", again = "reset_again", out = "reset_lost" },
    unblock = { after = "block", retries = "block_retries", again = "unblock_again", out = "unblock_lost" },
  },
  any = {
    rx_reset = { action = "accept_reset", next = "blocked" },
    rx_reset_foreign = { action = "refuse_reset" },
    rx_alive = { action = "ack_alive" },
    rx_block = { action = "ack_block", next = "blocked" },
    rx_unblock = { action = "ack_unblock", next = "unblocked" },
    rx_unitdata = { action = "say_blocked" },
    alive_lost = { next = "resetting" },
    peer_alive = {},
    peer_says_blocked = {},
    peer_says_unknown = { next = "resetting" },
    removed = { action = "stop_test", next = "dead" },
  },
  states = {
    dead = {
      on = {
        rx_alive = { action = "say_unknown" },
        rx_block = { action = "say_unknown" },
        rx_unblock = { action = "say_unknown" },
        rx_unitdata = { action = "say_unknown" },
        peer_says_unknown = {},
        open = { next = "resetting" },
      },
    },
    resetting = {
      enter = "begin_reset",
      timer = "reset",
      on = {
        rx_reset_ack = { action = "reset_done", next = "unblocking" },
        rx_reset_ack_foreign = { action = "report_mismatch" },
        rx_alive = { action = "ack_alive_in_reset" },
        rx_block = { action = "drop" },
        rx_unblock = { action = "drop" },
        rx_unitdata = { action = "drop" },
        peer_says_unknown = {},
        reset_again = { action = "send_reset" },
        reset_lost = { action = "give_up", next = "dead" },
      },
    },
    blocked = {},
    unblocking = {
      enter = "send_unblock",
      timer = "unblock",
      on = {
        rx_unblock_ack = { next = "unblocked" },
        unblock_again = { action = "send_unblock" },
        unblock_lost = { action = "stay_blocked", next = "blocked" },
      },
    },
    unblocked = {
      enter = "in_service",
      leave = "out_of_service",
      on = {
        rx_unblock = { action = "ack_unblock" },
        rx_unitdata = { action = "pass_up" },
        peer_says_blocked = { next = "unblocking" },
        removed = { action = "say_goodbye", next = "dead" },
      },
    },
  },
})
