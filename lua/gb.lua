-- SPDX-License-Identifier: BSD-3-Clause
-- The Gb control plane of one node: NS-VCs, cells and flow control of all its NSEs as state machines.
--
--   local g = gb.new(config, wire)         config: checked node configuration; wire: the codec module
--   g:start(now)                           intents of the start
--   g:on_pdu(nsvc_index, octets, now)      one NS PDU that the worker left to the control plane
--   g:on_timer(id, now)                    a timer has expired
--   g:state()                              what there is to show
--
-- `now` is in nanoseconds and never goes back. The first three return a list of intents, to be carried out in order:
--   { op = "send", nsvc =, octets = }                    one NS PDU
--   { op = "timer", id =, at = ns }                      replaces a running timer of the same id
--   { op = "cancel", id = }
--   { op = "nsvc_state", nsvc =, usable = }
--   { op = "bvc_reset", nsei =, bvci = }                 forget buckets, defaults and mobiles' values of the cell
--   { op = "bvc_state", nsei =, bvci =, usable = }
--   { op = "flow_control_bvc", nsei =, bvci =, bucket_octets =, rate_bps =, ms_bucket_octets =, ms_rate_bps =,
--     ratio_percent = }
--   { op = "flow_control_ms", nsei =, bvci =, tlli =, bucket_octets =, rate_bps =, ratio_percent = }
--   { op = "ms_defaults", nsei =, bvci =, tlli = }       Th has expired
--   { op = "discarded", nsei =, bvci =, tlli =, octets = }
--   { op = "count", name = }
--   { op = "log", level = "info" | "warn" | "error", text = }
-- `ratio_percent` stays nil until the feature behind it is offered. NS-VCs are numbered from 0 over all NSEs in the
-- order of the configuration. Nothing is usable before an intent says so.

local bvc_machine = require "bvc"
local flow_control = require "flow_control"
local fsm = require "fsm"
local gb_bssgp = require "gb_bssgp"
local gb_ns = require "gb_ns"
local ns_test = require "ns_test"
local ns_vc = require "ns_vc"

local gb = {}

local Gb = {}
Gb.__index = Gb

local function pass_up(vc, run, unitdata)
  gb_bssgp.receive(vc.nse, run, { via = vc.index, bvci = unitdata.bvci, octets = unitdata.sdu })
end

local function add_nsvc(g, nse, nsvc, durations)
  local index = g.nsvc_count
  local vc = { wire = g.wire, index = index, nsvci = nsvc.nsvci, nse = nse, on_unitdata = pass_up }
  vc.fsm = fsm.new(ns_vc, vc, "nsvc/" .. index, durations)
  vc.test = fsm.new(ns_test, vc, "nsvc/" .. index, durations)
  nse.nsvcs[#nse.nsvcs + 1] = vc
  g.nsvcs[index] = vc
  g.nsvc_count = index + 1
end

local function add_bvc(g, nse, cell, durations)
  local bvc = {
    wire = g.wire, bvci = cell.bvci, cell_id = cell.cell_id, nse = nse, durations = durations, usable = false,
    own_buckets = flow_control.new_own_buckets(g.room),
  }
  bvc.fsm = fsm.new(bvc_machine, bvc, ("bvc/%d/%d"):format(nse.nsei, cell.bvci), durations)
  nse.bvcs[#nse.bvcs + 1] = bvc
  nse.bvc_by_bvci[cell.bvci] = bvc
end

local function add_nse(g, config, timers)
  local nse = { nsei = config.nsei, wire = g.wire, usable_nsvcs = 0, nsvcs = {}, bvcs = {}, bvc_by_bvci = {} }
  for _, nsvc in ipairs(config.nsvcs) do
    add_nsvc(g, nse, nsvc, timers.ns)
  end
  for _, cell in ipairs(config.cells) do
    add_bvc(g, nse, cell, timers.bssgp)
  end
  g.nses[#g.nses + 1] = nse
end

-- config.limits.mobiles bounds the mobiles with buckets of their own. `observe`, optional: see fsm.run().
function gb.new(config, wire, observe)
  local g = setmetatable({
    wire = wire, observe = observe, armed = {}, counts = {}, nses = {}, nsvcs = {}, nsvc_count = 0,
    room = flow_control.new_room(config.limits and config.limits.mobiles),
  }, Gb)
  for _, nse in ipairs(config.nses) do
    add_nse(g, nse, config.timers)
  end
  return g
end

function Gb:open_run(now)
  return fsm.run(now, self.armed, self.observe)
end

function Gb:close_run(run)
  local intents = run:drain()
  for _, intent in ipairs(intents) do
    if intent.op == "count" then
      self.counts[intent.name] = (self.counts[intent.name] or 0) + 1
    end
  end
  return intents
end

-- The BSS opens the dialogue, so there is nothing to do yet but to say so.
function Gb:start(now)
  local run = self:open_run(now)
  run:log("info", "waiting for NS-RESET on %d NS-VCs of %d NSEs", self.nsvc_count, #self.nses)
  return self:close_run(run)
end

function Gb:on_pdu(nsvc_index, octets, now)
  local run = self:open_run(now)
  local vc = self.nsvcs[nsvc_index]
  if vc then
    gb_ns.receive(vc, run, octets)
  else
    run:count("ns_unknown_endpoint")
  end
  return self:close_run(run)
end

function Gb:on_timer(id, now)
  local run = self:open_run(now)
  run:expire(id)
  return self:close_run(run)
end

local function show_nsvc(vc)
  return { index = vc.index, nsei = vc.nse.nsei, nsvci = vc.nsvci, state = vc.fsm.state, test = vc.test.state }
end

local function copy(t)
  local new = {}
  for key, value in pairs(t or {}) do new[key] = value end
  return new
end

local function show_bvc(bvc)
  return {
    nsei = bvc.nse.nsei, bvci = bvc.bvci, state = bvc.fsm.state, usable = bvc.usable,
    announced = bvc.announced and copy(bvc.announced), own_buckets = #bvc.own_buckets:sorted(),
  }
end

-- Lists in the order of the configuration: { nsvcs = { { index, nsei, nsvci, state, test } }, bvcs = { { nsei, bvci,
-- state, usable, announced = last FLOW-CONTROL-BVC or nil, own_buckets = mobiles with Th running } }, counts = }.
function Gb:state()
  local shown = { nsvcs = {}, bvcs = {}, counts = copy(self.counts) }
  for _, nse in ipairs(self.nses) do
    for _, vc in ipairs(nse.nsvcs) do shown.nsvcs[#shown.nsvcs + 1] = show_nsvc(vc) end
    for _, bvc in ipairs(nse.bvcs) do shown.bvcs[#shown.bvcs + 1] = show_bvc(bvc) end
  end
  return shown
end

return gb
