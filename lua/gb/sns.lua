-- SPDX-License-Identifier: BSD-3-Clause
-- IP-SNS PDUs of an NSE to events of its machines; and an NSE that configures itself, made from its configuration.

local fsm = require "base.fsm"
local gb_send = require "gb.send"
local ip_network = require "base.ip_network"
local ns_sns = require "gb.ns_sns"
local ns_sns_judge = require "gb.ns_sns_judge"
local ns_sns_mesh = require "gb.ns_sns_mesh"
local ns_sns_own = require "gb.ns_sns_own"
local ns_test = require "gb.ns_test"
local ns_vc_ip = require "gb.ns_vc_ip"
local cause = require("gb.cause").ns

local gb_sns = {}

-- Numbers of NS-VCs that an NSE takes: the way, and what may be made.
function gb_sns.numbers(config)
  return 1 + config.max_nsvcs
end

local function new_nsvc(g, timers)
  return function(nse, index)
    local vc = { wire = g.wire, index = index, nse = nse, on_unitdata = g.on_unitdata, sns = nse.sns,
      signalling_weight = 0, data_weight = 0, probed_ns = math.mininteger }
    vc.fsm = fsm.new(ns_vc_ip, vc, "nsvc/" .. index, timers)
    vc.test = fsm.new(ns_test, vc, "nsvc/" .. index, timers)
    return vc
  end
end

local function parsed(networks)
  local list = {}
  for i, text in ipairs(networks) do list[i] = assert(ip_network.parse(text)) end
  return list
end

-- Gives the NSE its owner of ns_sns. g: { wire =, nses =, nsvcs = NS-VCs by number, on_unitdata = }; config: checked
-- nses[].sns; first: the first of its numbers.
function gb_sns.add(g, nse, config, first, timers)
  local make = new_nsvc(g, timers)
  local sns = { nse = nse, nses = g.nses, wire = g.wire, endpoints = config.endpoints, announced = {},
    named = { count = 0 },
    networks = config.networks and parsed(config.networks),
    family = ns_sns_judge.family_of(config.address) }
  nse.sns = sns
  local way = make(nse, first)
  way.own = { address = config.own_address, udp_port = config.own_port }
  way.peer = { address = config.address, udp_port = config.udp_port }
  way.is_configured = true
  g.nsvcs[first], nse.nsvcs[1] = way, way
  sns.mesh = ns_sns_mesh.new({ nse = nse, way = way, first = first + 1, count = config.max_nsvcs, nsvcs = g.nsvcs,
    new_nsvc = make })
  sns.fsm = fsm.new(ns_sns, sns, "sns/" .. nse.nsei, timers)
  sns.own = { sns = sns, queue = {}, transaction = 0 }
  sns.own.fsm = fsm.new(ns_sns_own.machine, sns.own, "sns_own/" .. nse.nsei, timers)
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
  vc.probed_ns = run.now
  run:restore(vc.fsm, kept.state)
  if kept.state ~= "waiting" then run:tell(vc.test, "begin") end
end

-- A change of our endpoints that was under way begins again, but for one that adds some: its NS-VCs are tested.
function gb_sns.adopted(sns, run)
  if sns.fsm.state ~= "configured" then return end
  sns.mesh:confirm(run)
  run:tell(sns.own.fsm, "begin")
  local changes = ns_sns_own.changes(sns.mesh.own, sns.endpoints)
  table.move(changes, 1, #changes, #sns.own.queue + 1, sns.own.queue)
  run:tell(sns.own.fsm, "changed")
end

-- Replaces the local endpoints.
function gb_sns.change_own(sns, run, endpoints)
  local queue = sns.own.queue
  local changes = ns_sns_own.changes(sns.endpoints, endpoints)
  table.move(changes, 1, #changes, #queue + 1, queue)
  sns.endpoints = endpoints
  run:tell(sns.own.fsm, "changed")
end

local RECEIVERS = {}

function RECEIVERS.sns_size(sns, run, rx)
  rx.cause = ns_sns_judge.size(sns, rx.pdu)
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
