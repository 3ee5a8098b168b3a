-- SPDX-License-Identifier: BSD-3-Clause
-- IP-SNS of one NSE as the SGSN side (48.016 §6.2, §7.4a, §7.4b): the BSS says how many endpoints it has and then which
-- (SNS-SIZE, SNS-CONFIG), hears ours, and from then on either side changes its own (gb/sns_changes.lua). The BSS
-- begins; its SNS-SIZE is a new start at any time.
--
-- Owner: { nse =, wire =, mesh = of sns_endpoints, endpoints = ours, fsm =, own = owner of sns_changes,
-- via = number of the NS-VC that the BSS begins on }, and while the procedure runs
--   size      { max_nsvcs =, endpoints = } of the accepted SNS-SIZE
--   offered   list of endpoints of the SNS-CONFIGs so far
-- `arg`: { via =, pdu = decoded, octets =, cause = why it is refused }; of rx_traffic { vc =, rx = UNITDATA on a new
-- NS-VC }.
--
-- Our NS-VCs are made when we tell the BSS of our endpoints, so that nothing that it says on them is lost.

local fsm = require "base.fsm"
local gb_send = require "gb.send"
local ip_network = require "base.ip_network"
local ns_vc = require "gb.ns_vc"
local sns_changes = require "gb.sns_changes"
local sns_endpoints = require "gb.sns_endpoints"
local cause = require("gb.cause").ns

local gb_sns = {}

local actions = {}

local function send(sns, run, via, pdu)
  pdu.nsei = sns.nse.nsei
  gb_send.ns(run, sns.wire, via, pdu)
end

-- SNS-SIZE

function actions.accept_size(sns, run, rx)
  run:log_of("ns", "info", "NSE %d: SNS-SIZE, %d NS-VCs and %d endpoints", sns.nse.nsei, rx.pdu.max_nsvcs,
    rx.pdu[sns.family.count])
  sns.mesh.nsvcs[rx.via].is_way = true
  if rx.pdu.reset_flag then
    sns.mesh:lose(run)
  end
  sns.mesh:offer_ways(run, sns.endpoints, rx.via)
  run:tell(sns.own.fsm, "stop")
  sns.via, sns.last, sns.offered = rx.via, nil, {}
  sns.size = { max_nsvcs = rx.pdu.max_nsvcs, endpoints = rx.pdu[sns.family.count] }
  send(sns, run, rx.via, { pdu = "sns_size_ack" })
end

function actions.refuse_size(sns, run, rx)
  run:count(("sns_size_refused_%02x"):format(rx.cause))
  run:log_of("ns", "warn", "NSE %d: SNS-SIZE refused, cause %d", sns.nse.nsei, rx.cause)
  send(sns, run, rx.via, { pdu = "sns_size_ack", cause = rx.cause })
end

-- Without a reset there has to be something that it leaves as it is.
function actions.refuse_size_of_nothing(sns, run, rx)
  rx.cause = cause.INCOMPATIBLE_STATE
  actions.refuse_size(sns, run, rx)
end

-- SNS-CONFIG of the BSS

local function refuse_config(sns, run, rx, reason, why)
  run:count(("sns_config_refused_%02x"):format(reason))
  run:log_of("ns", "warn", "NSE %d: SNS-CONFIG refused, cause %d%s", sns.nse.nsei, reason, why and ": " .. why or "")
  send(sns, run, rx.via, { pdu = "sns_config_ack", cause = reason })
end

function actions.ack_config(sns, run, rx)
  send(sns, run, rx.via, { pdu = "sns_config_ack" })
end

function actions.refuse_config(sns, run, rx)
  refuse_config(sns, run, rx, cause.INCOMPATIBLE_STATE)
end

-- One that comes again changes nothing.
local function collect(sns, list)
  for _, endpoint in ipairs(list or {}) do
    local _, at = sns_endpoints.find(sns.offered, endpoint)
    sns.offered[at or #sns.offered + 1] = endpoint
  end
end

function actions.collect(sns, run, rx)
  collect(sns, rx.pdu[sns.family.list])
  run:touch(sns.fsm)
  local reason, _, why = sns_endpoints.judge_config(sns, rx.pdu.end_flag)
  if reason then
    sns.offered = {}
    return refuse_config(sns, run, rx, reason, why)
  end
  actions.ack_config(sns, run, rx)
  if rx.pdu.end_flag then
    run:post(sns.fsm, "config_complete")
  end
end

-- The acknowledgement of the last part may have been lost; another configuration needs an SNS-SIZE first.
function actions.compare(sns, run, rx)
  for _, endpoint in ipairs(rx.pdu[sns.family.list] or {}) do
    local known = sns_endpoints.find(sns.mesh.peers, endpoint)
    if not known then return actions.refuse_config(sns, run, rx) end
  end
  actions.ack_config(sns, run, rx)
end

-- SNS-CONFIG of the SGSN

function actions.build(sns, run)
  sns.mesh:become(run, "own", sns.endpoints)
  sns.mesh:become(run, "peer", sns.offered)
  sns.announced = sns.offered
  actions.send_config(sns, run)
end

function actions.send_config(sns, run)
  sns.via = sns.mesh:living(sns.via)
  send(sns, run, sns.via, { pdu = "sns_config", end_flag = true, [sns.family.list] = sns.mesh.own })
end

function actions.confirm(sns, run)
  run:log_of("ns", "info", "NSE %d: IP-SNS has configured %d endpoints of the BSS and %d of the SGSN", sns.nse.nsei,
    #sns.mesh.peers, #sns.mesh.own)
  sns.mesh:confirm(run)
  run:tell(sns.own.fsm, "begin")
end

-- A PDU on a new NS-VC shows that the BSS knows the NS-VC; the PDU is handled with it.
function actions.begin_with(_, run, early)
  run:tell(early.vc.fsm, "confirmed")
  run:post(early.vc.fsm, "rx_unitdata", early.rx)
end

function actions.confirm_with(sns, run, early)
  actions.confirm(sns, run)
  run:post(early.vc.fsm, "rx_unitdata", early.rx)
end

function actions.report_refusal(sns, run, rx)
  run:count(("sns_config_nacked_%02x"):format(rx.pdu.cause))
  run:log_of("ns", "error", "NSE %d: the BSS refuses our SNS-CONFIG, cause %d", sns.nse.nsei, rx.pdu.cause)
  sns.mesh:lose(run)
end

function actions.give_up(sns, run)
  run:count("sns_config_unanswered")
  run:log_of("ns", "error", "NSE %d: no answer to SNS-CONFIG, waiting for the BSS", sns.nse.nsei)
  sns.mesh:lose(run)
end

-- The end

function actions.stop_own(sns, run)
  run:tell(sns.own.fsm, "stop")
end

-- All local endpoints in one SNS-DELETE (48.016 §7.4b), sent once: NS-VCs over IP are never blocked, and no machine is
-- left to wait for the answer. A BSS that misses it, or refuses to lose the last endpoint, finds out by NS-ALIVE.
function actions.say_goodbye(sns, run)
  sns.own.transaction = (sns.own.transaction + 1) % sns_changes.TRANSACTIONS
  send(sns, run, sns.via, { pdu = "sns_delete", transaction = sns.own.transaction,
    [sns.family.list] = sns.mesh.own })
  actions.stop_own(sns, run)
end

-- Changes

function actions.change(sns, run, rx)
  sns_changes.apply(sns, run, rx)
  run:touch(sns.fsm)
end

actions.refuse_change = sns_changes.refuse

function actions.own_acked(sns, run, rx)
  run:tell(sns.own.fsm, "rx_sns_ack", rx)
end

local function keep(sns)
  if sns.fsm.state == "unconfigured" and not sns.announced then return nil end
  return { nsei = sns.nse.nsei, state = sns.fsm.state, via = sns.via, size = sns.size, offered = sns.offered,
    last = sns.last, announced = sns.announced, own = sns.mesh.own, peers = sns.mesh.peers,
    transaction = sns.own.transaction }
end

local machine = fsm.define({
  name = "ns_sns",
  category = "ns",
  about = "of_nse",
  initial = "unconfigured",
  keep = keep,
  actions = actions,
  timers = {
    prov = { after = "prov", retries = "prov_retries", again = "prov_again", out = "prov_lost" },
  },
  any = {
    rx_size = { action = "accept_size", next = "sized" },
    rx_size_refused = { action = "refuse_size" },
    rx_change = { action = "refuse_change" },
    removed = { action = "stop_own", next = "unconfigured" },
  },
  states = {
    unconfigured = {
      on = {
        rx_size_kept = { action = "refuse_size_of_nothing" },
        rx_config = { action = "refuse_config" },
      },
    },
    sized = {
      on = {
        rx_size_kept = { action = "accept_size", next = "sized" },
        rx_config = { action = "collect" },
        config_complete = { next = "configuring" },
      },
    },
    configuring = {
      enter = "build",
      timer = "prov",
      on = {
        rx_size_kept = { action = "accept_size", next = "sized" },
        rx_config = { action = "compare" },
        rx_config_ack = { action = "confirm", next = "configured" },
        rx_config_nack = { action = "report_refusal", next = "unconfigured" },
        rx_traffic = { action = "confirm_with", next = "configured" },
        prov_again = { action = "send_config" },
        prov_lost = { action = "give_up", next = "unconfigured" },
      },
    },
    configured = {
      on = {
        rx_size_kept = { action = "accept_size", next = "sized" },
        rx_config = { action = "compare" },
        rx_change = { action = "change" },
        rx_traffic = { action = "begin_with" },
        rx_sns_ack = { action = "own_acked" },
        removed = { action = "say_goodbye", next = "unconfigured" },
      },
    },
  },
})

-- An NSE that configures itself, made from its configuration; and its IP-SNS PDUs to events of the machines.

-- Numbers of NS-VCs that an NSE takes: the way, and what may be made.
function gb_sns.numbers(config)
  return 1 + config.max_nsvcs
end

local function new_nsvc(g, timers)
  return function(nse, index)
    local vc = { wire = g.wire, index = index, nse = nse, on_unitdata = g.on_unitdata, sns = nse.sns,
      signalling_weight = 0, data_weight = 0, probed_at = math.mininteger }
    ns_vc.give_machines(vc, timers)
    return vc
  end
end

local function parsed(networks)
  local list = {}
  for i, text in ipairs(networks) do list[i] = assert(ip_network.parse(text)) end
  return list
end

-- Gives the NSE its owner of machine. g: { wire =, nses =, nsvcs = NS-VCs by number, on_unitdata = }; config: checked
-- nses[].sns; first: the first of its numbers.
function gb_sns.add(g, nse, config, first, timers)
  local make = new_nsvc(g, timers)
  local sns = { nse = nse, nses = g.nses, wire = g.wire, endpoints = config.endpoints, announced = {},
    named = { count = 0 },
    networks = config.networks and parsed(config.networks),
    family = sns_endpoints.family_of(config.address) }
  nse.sns = sns
  local way = make(nse, first)
  way.own = { address = config.own_address, udp_port = config.own_port }
  way.peer = { address = config.address, udp_port = config.udp_port }
  way.is_configured = true
  g.nsvcs[first], nse.nsvcs[1] = way, way
  sns.mesh = sns_endpoints.new_mesh({ nse = nse, way = way, first = first + 1, count = config.max_nsvcs,
    nsvcs = g.nsvcs, new_nsvc = make })
  sns.fsm = fsm.new(machine, sns, "sns/" .. nse.nsei, timers)
  sns.own = { sns = sns, queue = {}, transaction = 0 }
  sns.own.fsm = fsm.new(sns_changes.own_machine, sns.own, "sns_own/" .. nse.nsei, timers)
end

-- After a restart of control: the record of the NSE, then those of its NS-VCs, then the end. The BSS keeps its
-- configuration.
function gb_sns.adopt(sns, run, kept)
  sns.via, sns.size, sns.offered, sns.last = kept.via, kept.size, kept.offered, kept.last
  sns.announced = kept.announced
  sns.mesh.own, sns.mesh.peers, sns.own.transaction = kept.own, kept.peers, kept.transaction
  run:restore(sns.fsm, kept.state)
end

function gb_sns.adopt_nsvc(sns, run, kept)
  local vc = sns.mesh:adopt(kept)
  if not vc then return end
  vc.usable = kept.state == "alive"
  sns.nse.usable_nsvcs = sns.nse.usable_nsvcs + (vc.usable and 1 or 0)
  vc.probed_at = run.now
  run:restore(vc.fsm, kept.state)
  if kept.state == "alive" or kept.state == "silent" then run:tell(vc.test, "begin") end
end

-- A change of our endpoints that was under way begins again, but for one that adds some: its NS-VCs are tested.
function gb_sns.adopted(sns, run)
  gb_sns.open(sns, run)
  if sns.fsm.state ~= "configured" then return end
  sns.mesh:confirm(run)
  run:tell(sns.own.fsm, "begin")
  local changes = sns_changes.changes(sns.mesh.own, sns.endpoints)
  table.move(changes, 1, #changes, #sns.own.queue + 1, sns.own.queue)
  run:tell(sns.own.fsm, "changed")
end

-- The BSS may begin on each of our endpoints (48.016 §7.4a: it knows one or more).
function gb_sns.open(sns, run)
  sns.mesh:offer_ways(run, sns.endpoints, sns.via)
end

-- Replaces the local endpoints.
function gb_sns.change_own(sns, run, endpoints)
  local queue = sns.own.queue
  local changes = sns_changes.changes(sns.endpoints, endpoints)
  table.move(changes, 1, #changes, #queue + 1, queue)
  sns.endpoints = endpoints
  if sns.fsm.state ~= "configured" then gb_sns.open(sns, run) end
  run:tell(sns.own.fsm, "changed")
end

local RECEIVERS = {}

function RECEIVERS.sns_size(sns, run, rx)
  rx.cause = sns_endpoints.judge_size(sns, rx.pdu)
  local event = rx.cause and "rx_size_refused" or rx.pdu.reset_flag and "rx_size" or "rx_size_kept"
  run:post(sns.fsm, event, rx)
end

function RECEIVERS.sns_config(sns, run, rx)
  run:post(sns.fsm, "rx_config", rx)
end

function RECEIVERS.sns_config_ack(sns, run, rx)
  run:post(sns.fsm, rx.pdu.cause and "rx_config_nack" or "rx_config_ack", rx)
end

local function on_change(sns, run, rx)
  run:post(sns.fsm, "rx_change", rx)
end

RECEIVERS.sns_add, RECEIVERS.sns_delete, RECEIVERS.sns_changeweight = on_change, on_change, on_change

function RECEIVERS.sns_ack(sns, run, rx)
  run:post(sns.fsm, "rx_sns_ack", rx)
end

-- Only the BSS sends SNS-SIZE.
function RECEIVERS.sns_size_ack(_, run)
  run:count("ns_sns_size_ack_unexpected")
end

-- Answers to a PDU with the NSEI of another NSE than its endpoint's.
local ANSWERS = { sns_size = "sns_size_ack", sns_config = "sns_config_ack" }

local function refuse_nsei(sns, run, rx)
  local name = ANSWERS[rx.pdu.pdu]
  run:count("ns_sns_nsei_mismatch")
  run:log("warn", "NSE %d: %s names NSEI %d", sns.nse.nsei, rx.pdu.pdu, rx.pdu.nsei)
  if name then
    return gb_send.ns(run, sns.wire, rx.via, { pdu = name, nsei = rx.pdu.nsei, cause = cause.PROTOCOL_ERROR })
  end
  if rx.pdu.pdu ~= "sns_ack" and rx.pdu.transaction then
    gb_send.ns(run, sns.wire, rx.via, { pdu = "sns_ack", nsei = rx.pdu.nsei, transaction = rx.pdu.transaction,
      cause = cause.PROTOCOL_ERROR })
  end
end

-- Whether it is a PDU of IP-SNS.
function gb_sns.is_one(pdu)
  return RECEIVERS[pdu.pdu] ~= nil
end

-- rx: { via =, pdu =, octets = }, on one of the NSE's ways.
function gb_sns.receive(sns, run, rx)
  if rx.pdu.nsei ~= sns.nse.nsei then
    return refuse_nsei(sns, run, rx)
  end
  RECEIVERS[rx.pdu.pdu](sns, run, rx)
end

return gb_sns
