-- SPDX-License-Identifier: BSD-3-Clause
-- NS PDUs to events of the NS-VC machines, and the answers to what is no proper NS PDU (48.016 §7.5, §9.2).

local fsm = require "base.fsm"
local gb_cause = require "gb.cause"
local gb_send = require "gb.send"
local gb_sns = require "gb.sns"
local trace = require "base.trace"

local gb_ns = {}

local function is_own(vc, pdu)
  return pdu.nsvci == vc.nsvci and pdu.nsei == vc.nse.nsei
end

local function find_nsvc(nse, nsvci)
  for _, vc in ipairs(nse.nsvcs) do
    if vc.nsvci == nsvci then return vc end
  end
end

-- The event of a peer's NS-STATUS, by cause. Others are only logged.
local STATUS_EVENTS = {
  [gb_cause.ns.NS_VC_BLOCKED] = "peer_says_blocked",
  [gb_cause.ns.NS_VC_UNKNOWN] = "peer_says_unknown",
}

local function on_status(vc, run, rx)
  local status = rx.pdu
  run:count(("ns_status_received_%02x"):format(status.cause))
  run:log_of("ns", "warn", "%s: NS-STATUS cause %d", trace.nsvc(vc), status.cause)
  local named = vc
  if status.nsvci and not vc.nse.sns then named = find_nsvc(vc.nse, status.nsvci) end
  local event = STATUS_EVENTS[status.cause]
  if event and named then
    run:post(named.fsm, event, rx)
  end
end

local function on_block(vc, run, rx)
  local named = find_nsvc(vc.nse, rx.pdu.nsvci)
  if not named then
    return gb_send.ns_status(run, vc.wire, vc.index, gb_cause.ns.NS_VC_UNKNOWN, { nsvci = rx.pdu.nsvci })
  end
  run:post(named.fsm, "rx_block", rx)
end

local function to_machine(event)
  return function(vc, run, rx) run:post(vc.fsm, event, rx) end
end

local function to_machine_if_own(event)
  return function(vc, run, rx)
    run:post(vc.fsm, is_own(vc, rx.pdu) and event or event .. "_foreign", rx)
  end
end

local function on_reset(vc, run, rx)
  local event = not is_own(vc, rx.pdu) and "rx_reset_foreign" or vc.nse.unblock and "rx_reset_to_unblock" or "rx_reset"
  run:post(vc.fsm, event, rx)
end

local function only_count(_, run, rx)
  run:count("ns_" .. rx.pdu.pdu .. "_unexpected")
end

local RECEIVERS = {
  unitdata = to_machine("rx_unitdata"),
  reset = on_reset,
  reset_ack = to_machine_if_own("rx_reset_ack"),
  block = on_block,
  block_ack = function(vc, run, rx)
    local named = find_nsvc(vc.nse, rx.pdu.nsvci)
    if not named then return only_count(vc, run, rx) end
    run:post(named.fsm, "rx_block_ack", rx)
  end,
  unblock = to_machine("rx_unblock"),
  unblock_ack = to_machine("rx_unblock_ack"),
  alive = to_machine("rx_alive"),
  alive_ack = function(vc, run, rx) run:post(vc.test, "rx_alive_ack", rx) end,
  status = on_status,
}

-- On NS-VCs of an NSE that configures itself; a BSS that restarts may send an NS-RESET there, out of habit.
local SNS_RECEIVERS = {
  unitdata = RECEIVERS.unitdata,
  alive = RECEIVERS.alive,
  alive_ack = RECEIVERS.alive_ack,
  status = on_status,
  reset = only_count, reset_ack = only_count, block = only_count, block_ack = only_count,
  unblock = only_count, unblock_ack = only_count,
}

local function receiver_of(nse, pdu)
  if not nse.sns then
    return RECEIVERS[pdu.pdu]
  end
  if gb_sns.is_one(pdu) then
    return function(_, run, rx) gb_sns.receive(nse.sns, run, rx) end
  end
  return SNS_RECEIVERS[pdu.pdu]
end

local function refuse(vc, run, octets, cause)
  gb_send.ns_status(run, vc.wire, vc.index, cause, { ns_pdu = octets })
end

-- `octets`: one NS PDU that came on the NS-VC `vc`.
function gb_ns.receive(vc, run, octets)
  local pdu, errname, cause, name = vc.wire.ns_decode(octets)
  if not pdu then
    run:count("ns_" .. errname)
    if name ~= "status" and #octets > 0 then refuse(vc, run, octets, cause) end
    return
  end
  local receiver = receiver_of(vc.nse, pdu)
  if not receiver then
    run:count("ns_unsupported")
    return refuse(vc, run, octets, gb_cause.ns.PROTOCOL_ERROR)
  end
  if fsm.trace then fsm.trace.message(run, "ns", vc, "nsvc", "received ns_" .. pdu.pdu) end
  receiver(vc, run, { via = vc.index, pdu = pdu, octets = octets })
end

return gb_ns
