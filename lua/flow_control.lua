-- SPDX-License-Identifier: BSD-3-Clause
-- Downlink flow control as the control plane sees it (48.018 §8.2): announcements are acknowledged with their Tag and
-- passed on to the worker, which keeps the buckets. The mobiles with values of their own are counted over the whole
-- node and bounded; a mobile that finds no room is acknowledged and stays with the cell's defaults.
--
-- No optional feature is offered in BVC-RESET-ACK, so a Bucket_Full Ratio is not negotiated and is left out of account.

local fsm = require "fsm"
local gb_send = require "gb_send"
local ms_flow = require "ms_flow"

local flow_control = {}

-- Mobiles of the node that can have Th running at once when the configuration does not say.
flow_control.MS_LIMIT = 4096

-- Room shared by the cells of a node.
function flow_control.new_room(limit)
  return { used = 0, limit = limit or flow_control.MS_LIMIT }
end

local Own = {}
Own.__index = Own

-- The mobiles of one cell that have buckets of their own, by TLLI.
function flow_control.new_own_buckets(room)
  return setmetatable({ room = room, by_tlli = {} }, Own)
end

function Own:add(ms)
  self.by_tlli[ms.tlli] = ms
  self.room.used = self.room.used + 1
end

function Own:remove(ms)
  self.by_tlli[ms.tlli] = nil
  self.room.used = self.room.used - 1
end

-- In order of TLLI, so that what follows does not depend on the hash.
function Own:sorted()
  local list = {}
  for _, ms in pairs(self.by_tlli) do list[#list + 1] = ms end
  table.sort(list, function(a, b) return a.tlli < b.tlli end)
  return list
end

local function ignore_ratio(run, pdu)
  if pdu.ratio_percent then run:count("ratio_not_negotiated") end
end

function flow_control.on_bvc(bvc, run, rx)
  local pdu = rx.pdu
  ignore_ratio(run, pdu)
  bvc.announced = {
    bucket_octets = pdu.bucket_octets, rate_bps = pdu.rate_bps,
    ms_bucket_octets = pdu.ms_bucket_octets, ms_rate_bps = pdu.ms_rate_bps, measurement_cs = pdu.measurement_cs,
  }
  run:emit({
    op = "flow_control_bvc", nsei = bvc.nse.nsei, bvci = bvc.bvci,
    bucket_octets = pdu.bucket_octets, rate_bps = pdu.rate_bps,
    ms_bucket_octets = pdu.ms_bucket_octets, ms_rate_bps = pdu.ms_rate_bps,
  })
  gb_send.bssgp(run, bvc.wire, rx.via, bvc.bvci, { pdu = "flow_control_bvc_ack", tag = pdu.tag })
end

local function new_ms(bvc, tlli)
  local ms = { bvc = bvc, tlli = tlli }
  local id = ("ms/%d/%d/%08x"):format(bvc.nse.nsei, bvc.bvci, tlli)
  ms.fsm = fsm.new(ms_flow, ms, id, bvc.durations)
  bvc.own_buckets:add(ms)
  return ms
end

function flow_control.on_ms(bvc, run, rx)
  local pdu, own = rx.pdu, bvc.own_buckets
  ignore_ratio(run, pdu)
  local ms = own.by_tlli[pdu.tlli]
  if not ms and own.room.used < own.room.limit then
    ms = new_ms(bvc, pdu.tlli)
  end
  if ms then
    run:tell(ms.fsm, "rx_flow_control_ms", pdu)
  else
    run:count("ms_flow_full")
  end
  gb_send.bssgp(run, bvc.wire, rx.via, bvc.bvci, { pdu = "flow_control_ms_ack", tlli = pdu.tlli, tag = pdu.tag })
end

-- The cell was reset: announcements are forgotten, running Th stop.
function flow_control.forget(bvc, run)
  bvc.announced = nil
  for _, ms in ipairs(bvc.own_buckets:sorted()) do
    run:tell(ms.fsm, "bvc_reset")
  end
end

return flow_control
