-- SPDX-License-Identifier: BSD-3-Clause
-- One NS-VC of an NSE that configures itself by IP-SNS: a pair of endpoints (48.016 §4.2, §7.4). It is never blocked.
-- It carries traffic as soon as both ends know of it, before any NS-ALIVE was answered; when the test procedure gives
-- it up it is tested on, and is back with the first answer.
--
-- Owner: { wire =, index =, nse =, fsm =, test = machine of ns_test, on_unitdata = function(vc, run, pdu), sns = owner
-- of ns_sns, own =, peer = its endpoints, signalling_weight =, data_weight =, probed_ns = when it was last asked for a
-- sign of life out of turn }.
-- An event's `arg` is { via =, pdu = }.
-- "absent": no NS-VC; "waiting": the BSS has been told of our end, and has not said yet that it knows.

local fsm = require "base.fsm"
local gb_send = require "gb.send"
local ns_service = require "gb.ns_service"
local cause = require("gb.cause").ns

local NO_NSVCI <const> = 0 -- the cause asks for one, and an NS-VC over IP has none
local PROBE_PAUSE_NS <const> = 200000000

local actions = {}

local function send(vc, run, pdu)
  gb_send.ns(run, vc.wire, vc.index, pdu)
end

function actions.in_service(vc, run)
  ns_service.set_usable(vc, run, true)
end

function actions.out_of_service(vc, run)
  ns_service.set_usable(vc, run, false)
end

function actions.begin_test(vc, run)
  run:tell(vc.test, "begin")
end

function actions.stop_test(vc, run)
  run:tell(vc.test, "stop")
end

function actions.report_silence(vc, run)
  run:count("ns_vc_silent")
  run:log_of("ns", "warn", "NS-VC %d: no answer to NS-ALIVE", vc.index)
end

-- Tested on, at once: the peer is silent, not the procedure over.
function actions.test_on(vc, run)
  vc.probed_ns = run.now
  run:tell(vc.test, "begin")
end

-- A peer that sends may receive again: NS-ALIVE is sent now, not at the next timeout.
local function probe(vc, run)
  if run.now - vc.probed_ns >= PROBE_PAUSE_NS then
    actions.test_on(vc, run)
  end
end

function actions.ack_alive(vc, run)
  send(vc, run, { pdu = "alive_ack" })
end

function actions.ack_alive_and_probe(vc, run)
  actions.ack_alive(vc, run)
  probe(vc, run)
end

function actions.pass_up(vc, run, arg)
  vc.on_unitdata(vc, run, arg.pdu)
end

function actions.pass_up_and_probe(vc, run, arg)
  actions.pass_up(vc, run, arg)
  probe(vc, run)
end

-- The BSS speaks on an NS-VC that only we told it of: its acknowledgement was lost, or is behind.
function actions.report_early(vc, run, arg)
  run:count("ns_unitdata_early")
  run:post(vc.sns.fsm, "rx_traffic", { vc = vc, rx = arg })
end

function actions.say_unknown(vc, run)
  gb_send.ns_status(run, vc.wire, vc.index, cause.NS_VC_UNKNOWN, { nsvci = NO_NSVCI })
end

local function place_of(endpoint)
  return { address = endpoint.address, udp_port = endpoint.udp_port }
end

local function keep(vc)
  return vc.fsm.state ~= "absent" and { nsvc = vc.index, nsei = vc.nse.nsei, own = place_of(vc.own),
    peer = place_of(vc.peer), state = vc.fsm.state } or nil
end

return fsm.define({
  name = "ns_vc_ip",
  initial = "absent",
  keep = keep,
  actions = actions,
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
