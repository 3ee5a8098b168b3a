-- SPDX-License-Identifier: BSD-3-Clause
-- One NS-VC of the SGSN (48.016 §4.2, §7.2 to §7.4) has two machines: the test procedure, which is the same for all,
-- and that of its NSE's dialect, with NS-RESET and NS-BLOCK, or with IP-SNS.
--
--   ns_vc.give_machines(vc, durations)   vc: owner of both machines, of the second dialect if it has `sns`
--   ns_vc.tell_bvcs(nse, run, event)     an event for all cells of an NSE
--
-- nse: { nsei =, usable_nsvcs = count, bvcs = list of bvc owners, is_ours_to_start =, unblock =, resetting = of
-- gb.bvc_reset }.
-- Owner: { wire =, index =, nse =, usable =, fsm =, test =, on_unitdata = function(vc, run, pdu) }.

local acts = require "base.acts"
local fsm = require "base.fsm"
local gb_send = require "gb.send"
local cause = require("gb.cause").ns

local ns_vc = {}

local RESET_PAUSE_NS <const> = 200000000
local NO_NSVCI <const> = 0 -- the cause asks for one, and an NS-VC over IP has none
local PROBE_PAUSE_NS <const> = 200000000

-- Which NS-VCs of an NSE carry traffic, and what that means for its cells: the NSE is up while one of them does.

function ns_vc.tell_bvcs(nse, run, event)
  for _, bvc in ipairs(nse.bvcs) do
    run:tell(bvc.fsm, event)
  end
end

local function set_usable(vc, run, usable)
  local nse = vc.nse
  local was_up = nse.usable_nsvcs > 0
  vc.usable, vc.down_ns = usable, not usable and run.now or nil
  nse.usable_nsvcs = nse.usable_nsvcs + (usable and 1 or -1)
  run:emit({ op = "nsvc_state", nsvc = vc.index, usable = usable })
  local is_up = nse.usable_nsvcs > 0
  if is_up ~= was_up then
    nse.silent_at, nse.is_new = not is_up and run.now or nil, nil
    run:log_of("ns", is_up and "info" or "warn", "NSE %d is %s", nse.nsei, is_up and "up" or "down")
    ns_vc.tell_bvcs(nse, run, is_up and "nse_up" or "nse_down")
    if nse.resetting then run:tell(nse.resetting.fsm, is_up and "nse_up" or "nse_down") end
  end
end

-- The test procedure of an NS-VC (48.016 §7.4), run by both ends independently: NS-ALIVE, wait Tns-alive for an answer,
-- rest Tns-test, again. When the retries are used up the NS-VC's own machine is told by the event "alive_lost", after
-- each answer by "peer_alive".
--
-- Owner: { wire =, index =, fsm = machine of the NS-VC }.

local test_actions = {}

function test_actions.send_alive(vc, run)
  gb_send.ns(run, vc.wire, vc.index, { pdu = "alive" })
end

function test_actions.report_life(vc, run)
  run:post(vc.fsm, "peer_alive")
end

function test_actions.report_loss(vc, run)
  run:post(vc.fsm, "alive_lost")
end

local test_machine = fsm.define({
  name = "ns_test",
  category = "ns",
  about = "nsvc",
  initial = "off",
  actions = test_actions,
  timers = {
    alive = { after = "alive", retries = "alive_retries", again = "alive_again", out = "alive_lost" },
    test = { after = "test", out = "test_due" },
  },
  any = {
    begin = { next = "probing" },
    stop = { next = "off" },
  },
  states = {
    off = {},
    probing = {
      enter = "send_alive",
      timer = "alive",
      on = {
        rx_alive_ack = { action = "report_life", next = "resting" },
        alive_again = { action = "send_alive" },
        alive_lost = { action = "report_loss", next = "off" },
      },
    },
    resting = {
      timer = "test",
      on = {
        test_due = { next = "probing" },
      },
    },
  },
})

-- One NS-VC of the SGSN in the dialect with NS-RESET and NS-BLOCK over UDP (48.016 §7.2, §7.3). The BSS starts reset;
-- the SGSN starts it itself only to win back an NS-VC whose peer fell silent (§7.4), forgot it, or holds it blocked
-- without having said so; or at its start, where the configuration says that it is ours ("open"). After a reset both
-- ends hold the NS-VC blocked, and either may unblock it (§7.3.2): nse.unblock says when we do after one of the BSS
-- ("reset"), "now", "later" or nil, never. An NS-VC that the BSS has blocked it unblocks ("blocked").
--
-- Owner: { wire =, index =, nsvci =, nse =, fsm =, test = machine of its test,
-- on_unitdata = function(vc, run, pdu), reset_at = when it was reset last, ends_bar = the act ends an
-- operator's block }.
-- An event's `arg` is { via = NS-VC index it came on, pdu = decoded }.
-- An operator blocks an NS-VC and resets it (gb.acts). One that is barred by an operator stays so until that ends it:
-- it is tested on, and a reset by the BSS leaves it blocked.
-- "dead": no reset yet, or given up; the peer is told "NS-VC unknown", which makes a live one reset.

local actions = {}

local function send(vc, run, pdu)
  gb_send.ns(run, vc.wire, vc.index, pdu)
end

function actions.in_service(vc, run)
  set_usable(vc, run, true)
  acts.settle(run, vc, true, "the BSS has answered, and the NS-VC is in service"
    .. (vc.ends_bar and "; the block by the operator is over" or ""))
end

function actions.out_of_service(vc, run) set_usable(vc, run, false) end

local function ack_reset(vc, run)
  send(vc, run, { pdu = "reset_ack", nsvci = vc.nsvci, nsei = vc.nse.nsei })
end

-- A BSS that resets its last way to us has restarted: what it knew of its cells is gone.
function actions.accept_reset(vc, run)
  if vc.nse.usable_nsvcs == 0 then
    ns_vc.tell_bvcs(vc.nse, run, "lost")
  end
  ack_reset(vc, run)
  run:tell(vc.test, "begin")
end

function actions.refuse_reset(vc, run, arg)
  run:count("ns_reset_mismatch")
  run:log_of("ns", "warn", "NSVCI %d: NS-RESET names NSVCI %d NSEI %d, configured are %d and %d", vc.nsvci,
    arg.pdu.nsvci, arg.pdu.nsei, vc.nsvci, vc.nse.nsei)
  ack_reset(vc, run)
end

function actions.send_reset(vc, run)
  vc.reset_at = run.now
  send(vc, run, { pdu = "reset", cause = vc.act and cause.OM_INTERVENTION or cause.TRANSIT_NETWORK_FAILURE,
    nsvci = vc.nsvci, nsei = vc.nse.nsei })
end

-- A peer that sends may receive again: NS-RESET is sent now, not at the next timeout.
local function ask_again(vc, run)
  if run.now - vc.reset_at >= RESET_PAUSE_NS then
    actions.send_reset(vc, run)
  end
end

function actions.begin_reset(vc, run)
  run:log_of("ns", "warn", "NSVCI %d: resetting", vc.nsvci)
  run:tell(vc.test, "stop")
  actions.send_reset(vc, run)
end

-- NS-RESET to an NSE that the SGSN starts is repeated without limit.
function actions.give_up(vc, run)
  run:count("ns_reset_failed")
  run:log_of("ns", "error", "NSVCI %d: no answer to NS-RESET", vc.nsvci)
  acts.settle(run, vc, false, "no answer to NS-RESET and its repetitions (timers.ns.reset, reset_retries)")
  if vc.nse.is_ours_to_start then
    run:post(vc.fsm, "open")
  end
end

function actions.stop_test(vc, run)
  acts.settle(run, vc, false, "the NS-VC was deleted")
  run:tell(vc.test, "stop")
end

function actions.send_block(vc, run)
  send(vc, run, { pdu = "block", cause = cause.OM_INTERVENTION, nsvci = vc.nsvci })
end

function actions.end_block(vc, run)
  acts.settle(run, vc, true, "the BSS has answered, and the NS-VC is blocked at both ends")
end

function actions.note_no_block(vc, run)
  run:count("ns_block_failed")
  acts.settle(run, vc, false, "no answer to NS-BLOCK and its repetitions (timers.ns.block, block_retries); nothing is "
    .. "sent on the NS-VC all the same")
end

function actions.count_block_ack(_, run)
  run:count("ns_block_ack_unexpected")
end

function actions.test_on(vc, run)
  run:tell(vc.test, "begin")
end

function actions.say_goodbye(vc, run)
  send(vc, run, { pdu = "block", cause = cause.OM_INTERVENTION, nsvci = vc.nsvci })
  actions.stop_test(vc, run)
end

function actions.look_at_turn(vc, run)
  if vc.nse.unblock == "now" then run:post(vc.fsm, "unblock_due") end
end

function actions.note_turn(vc, run)
  run:log_of("ns", "info", "NSVCI %d: unblocking after the NS-RESET of the BSS", vc.nsvci)
end

function actions.reset_done(vc, run)
  run:tell(vc.test, "begin")
end

function actions.report_mismatch(vc, run, arg)
  run:count("ns_reset_mismatch")
  run:log_of("ns", "warn", "NSVCI %d: NS-RESET-ACK names NSVCI %d NSEI %d", vc.nsvci, arg.pdu.nsvci, arg.pdu.nsei)
end

function actions.send_unblock(vc, run)
  send(vc, run, { pdu = "unblock" })
end

function actions.stay_blocked(vc, run)
  run:count("ns_unblock_failed")
  run:log_of("ns", "warn", "NSVCI %d: no answer to NS-UNBLOCK", vc.nsvci)
  acts.settle(run, vc, false, "no answer to NS-UNBLOCK and its repetitions (timers.ns.block, block_retries)")
end

function actions.ack_unblock(vc, run)
  send(vc, run, { pdu = "unblock_ack" })
end

-- NS-BLOCK may come on another NS-VC of the NSE than the one that it names; the answer goes back the same way.
function actions.ack_block(vc, run, arg)
  run:log_of("ns", "info", "NSVCI %d: blocked by the BSS, cause %d", vc.nsvci, arg.pdu.cause)
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
  return { nsvc = vc.index, nsvci = vc.nsvci, nsei = vc.nse.nsei, state = vc.fsm.state, act = vc.act }
end

-- Rows of an NS-VC that an operator has blocked: what the BSS does leaves it so.
local function with_bar(rows)
  rows.rx_block, rows.rx_unblock = { action = "ack_block" }, { action = "say_blocked" }
  rows.rx_reset = { action = "accept_reset", next = "barred" }
  rows.rx_reset_to_unblock = rows.rx_reset
  rows.alive_lost, rows.peer_says_unknown = { action = "test_on" }, {}
  return rows
end

local reset_machine = fsm.define({
  name = "ns_vc",
  category = "ns",
  about = "nsvc",
  initial = "dead",
  keep = keep,
  actions = actions,
  timers = {
    reset = { after = "reset", retries = "reset_retries", again = "reset_again", out = "reset_lost" },
    unblock = { after = "block", retries = "block_retries", again = "unblock_again", out = "unblock_lost" },
    turn = { after = "block", out = "unblock_due" },
  },
  any = {
    rx_reset = { action = "accept_reset", next = "blocked" },
    rx_reset_to_unblock = { action = "accept_reset", next = "reset" },
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
    order_reset = { next = "resetting" },
    rx_block_ack = { action = "count_block_ack" },
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
    blocked = { on = { order_unblock = { next = "unblocking" } } },
    blocking = {
      enter = "send_block",
      timer = "unblock",
      on = with_bar({
        rx_block_ack = { next = "barred" },
        unblock_again = { action = "send_block" },
        unblock_lost = { action = "note_no_block", next = "barred" },
        rx_unitdata = { action = "pass_up" },
      }),
    },
    barred = { enter = "end_block", on = with_bar({ order_unblock = { next = "unblocking" } }) },
    reset = {
      enter = "look_at_turn",
      timer = "turn",
      on = {
        order_unblock = { next = "unblocking" },
        unblock_due = { action = "note_turn", next = "unblocking" },
      },
    },
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
        order_block = { next = "blocking" },
        peer_says_blocked = { next = "unblocking" },
        removed = { action = "say_goodbye", next = "dead" },
      },
    },
  },
})

-- One NS-VC of an NSE that configures itself by IP-SNS: a pair of endpoints (48.016 §4.2, §7.4). It is never blocked.
-- It carries traffic as soon as both ends know of it, before any NS-ALIVE was answered; when the test procedure gives
-- it up it is tested on, and is back with the first answer.
--
-- Owner: { wire =, index =, nse =, fsm =, test = machine of its test, on_unitdata = function(vc, run, pdu), sns = owner
-- of gb.sns, own =, peer = its endpoints, signalling_weight =, data_weight =, probed_at = when it was last asked for a
-- sign of life out of turn }.
-- An event's `arg` is { via =, pdu = }.
-- "absent": no NS-VC; "waiting": the BSS has been told of our end, and has not said yet that it knows.

local ip_actions = { in_service = actions.in_service, out_of_service = actions.out_of_service,
  stop_test = actions.stop_test, ack_alive = actions.ack_alive, pass_up = actions.pass_up }

function ip_actions.begin_test(vc, run)
  run:tell(vc.test, "begin")
end

function ip_actions.report_silence(vc, run)
  run:count("ns_vc_silent")
  run:log_of("ns", "warn", "NS-VC %d: no answer to NS-ALIVE", vc.index)
end

-- Tested on, at once: the peer is silent, not the procedure over.
function ip_actions.test_on(vc, run)
  vc.probed_at = run.now
  run:tell(vc.test, "begin")
end

-- A peer that sends may receive again: NS-ALIVE is sent now, not at the next timeout.
local function probe(vc, run)
  if run.now - vc.probed_at >= PROBE_PAUSE_NS then
    ip_actions.test_on(vc, run)
  end
end

function ip_actions.ack_alive_and_probe(vc, run)
  actions.ack_alive(vc, run)
  probe(vc, run)
end

function ip_actions.pass_up_and_probe(vc, run, arg)
  actions.pass_up(vc, run, arg)
  probe(vc, run)
end

-- The BSS speaks on an NS-VC that only we told it of: its acknowledgement was lost, or is behind.
function ip_actions.report_early(vc, run, arg)
  run:count("ns_unitdata_early")
  run:post(vc.sns.fsm, "rx_traffic", { vc = vc, rx = arg })
end

function ip_actions.say_unknown(vc, run)
  gb_send.ns_status(run, vc.wire, vc.index, cause.NS_VC_UNKNOWN, { nsvci = NO_NSVCI })
end

local function place_of(endpoint)
  return { address = endpoint.address, udp_port = endpoint.udp_port }
end

-- One that is absent is kept if it is a way of its own (sns_endpoints).
local function keep_ip(vc)
  local is_there = vc.fsm.state ~= "absent" or vc.is_way and vc ~= vc.sns.mesh.way
  return is_there and { nsvc = vc.index, nsei = vc.nse.nsei, own = place_of(vc.own), peer = place_of(vc.peer),
    state = vc.fsm.state } or nil
end

local ip_machine = fsm.define({
  name = "ns_vc_ip",
  category = "ns",
  about = "nsvc",
  initial = "absent",
  keep = keep_ip,
  actions = ip_actions,
  any = {
    removed = { action = "stop_test", next = "absent" },
    rx_alive = { action = "ack_alive" },
    peer_alive = {},
    peer_says_unknown = {},
  },
  states = {
    absent = {
      on = {
        created = { next = "waiting" },
        rx_alive = { action = "say_unknown" },
        rx_unitdata = { action = "say_unknown" },
      },
    },
    waiting = {
      on = {
        confirmed = { action = "begin_test", next = "alive" },
        rx_unitdata = { action = "report_early" },
      },
    },
    alive = {
      enter = "in_service",
      leave = "out_of_service",
      on = {
        rx_unitdata = { action = "pass_up" },
        alive_lost = { action = "report_silence", next = "silent" },
        peer_says_unknown = { next = "silent" },
      },
    },
    silent = {
      enter = "test_on",
      on = {
        rx_alive = { action = "ack_alive_and_probe" },
        rx_unitdata = { action = "pass_up_and_probe" },
        alive_lost = { action = "test_on" },
        peer_alive = { next = "alive" },
      },
    },
  },
})

-- The machine of its dialect, and that of its test.
function ns_vc.give_machines(vc, durations)
  local id = "nsvc/" .. vc.index
  vc.fsm = fsm.new(vc.sns and ip_machine or reset_machine, vc, id, durations)
  vc.test = fsm.new(test_machine, vc, id, durations)
end

return ns_vc
