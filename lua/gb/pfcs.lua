-- SPDX-License-Identifier: BSD-3-Clause
-- The packet flows of the node's mobiles: which there are, and what happens to them when cells and contexts come and
-- go. ms_pfc is the machine of one.
--
--   flows   TLLI -> { tlli =, bvc = cell, pfcs = { PFI -> owner of ms_pfc } }; also in its cell's `flows`
--
-- Contexts share a packet flow by its PFI; `users` are their slots in the worker. A predefined one (24.008 §10.5.6.11)
-- has no `abqp`: it is there as soon as the BSS speaks of it, and needs no creation.

local fsm = require "base.fsm"
local tables = require "base.tables"
local ms_pfc = require "gb.ms_pfc"

local gb_pfcs = {}

local LAST_PREDEFINED_PFI, FIRST_DYNAMIC_PFI = 3, 8

local Pfcs = {}
Pfcs.__index = Pfcs

function gb_pfcs.new(durations)
  return setmetatable({ durations = durations, flows = {} }, Pfcs)
end

local function sorted(flows)
  local list = {}
  for _, pfc in pairs(flows.pfcs) do list[#list + 1] = pfc end
  table.sort(list, function(a, b) return a.pfi < b.pfi end)
  return list
end

local function tell(run, flows, event)
  for _, pfc in ipairs(sorted(flows)) do
    run:tell(pfc.fsm, event)
  end
end

local function tell_wanted(run, flows)
  for _, pfc in ipairs(sorted(flows)) do
    if pfc.abqp then run:tell(pfc.fsm, "wanted") end
  end
end

local function can_have_flows(bvc)
  return bvc.usable and bvc.nse.features.pfc
end

local function each_of_cell(bvc, act)
  local list = {}
  for _, flows in pairs(bvc.flows) do list[#list + 1] = flows end
  table.sort(list, function(a, b) return a.tlli < b.tlli end)
  for _, flows in ipairs(list) do act(flows) end
end

-- A cell came into service: the packet flows of its mobiles may be created.
function gb_pfcs.cell_up(run, bvc)
  if can_have_flows(bvc) then
    each_of_cell(bvc, function(flows) tell_wanted(run, flows) end)
  end
end

-- A cell was reset, or has restarted: its packet flows are gone.
function gb_pfcs.cell_lost(run, bvc)
  each_of_cell(bvc, function(flows) tell(run, flows, "lost") end)
end

function Pfcs:new_pfc(tlli, bvc, pfi, abqp)
  local flows = self.flows[tlli]
  if not flows then
    flows = { tlli = tlli, bvc = bvc, pfcs = {} }
    self.flows[tlli], bvc.flows[tlli] = flows, flows
  end
  local pfc = { ms = flows, pfi = pfi, abqp = abqp, users = {} }
  pfc.fsm = fsm.new(ms_pfc, pfc, ("pfc/%08x/%d"):format(tlli, pfi), self.durations)
  flows.pfcs[pfi] = pfc
  return pfc
end

function Pfcs:get(tlli, pfi)
  local flows = self.flows[tlli]
  return flows and flows.pfcs[pfi]
end

-- The packet flow that the BSS speaks of, for a mobile in the cell `bvc`; nil.
function Pfcs:named(run, tlli, bvc, pfi)
  local pfc = self:get(tlli, pfi)
  if pfi <= LAST_PREDEFINED_PFI then
    pfc = pfc or self:new_pfc(tlli, bvc, pfi)
    run:tell(pfc.fsm, "predefined")
  end
  return pfc
end

-- A packet flow that was there before a restart of control: the worker knows it and its contexts.
function Pfcs:adopt(run, tlli, bvc, kept)
  local pfc = self:get(tlli, kept.pfi) or self:new_pfc(tlli, bvc, kept.pfi, kept.abqp)
  pfc.abqp, pfc.users = kept.abqp, kept.users
  run:restore(pfc.fsm, kept.state)
end

-- A context (slot `pdp`) of a mobile in the cell `bvc` wants a packet flow with this quality of service.
function Pfcs:want(run, tlli, bvc, pdp, wanted)
  local pfi = wanted.pfi
  local abqp = pfi >= FIRST_DYNAMIC_PFI and wanted.abqp or nil
  local pfc = self:get(tlli, pfi) or self:new_pfc(tlli, bvc, pfi, abqp)
  pfc.users[#pfc.users + 1] = pdp
  run:touch(pfc.fsm)
  if pfc.fsm.state == "present" then
    run:tell(pfc.fsm, "joined", pdp)
  elseif abqp and can_have_flows(bvc) then
    run:tell(pfc.fsm, "wanted")
  end
end

function Pfcs:forget(flows)
  self.flows[flows.tlli], flows.bvc.flows[flows.tlli] = nil, nil
end

-- A predefined one is not deleted in the BSS.
local function tell_unwanted(run, pfc)
  run:tell(pfc.fsm, pfc.abqp and "unwanted" or "lost")
end

-- A context is gone; with its last one the packet flow goes.
function Pfcs:unwant(run, tlli, pdp, pfi)
  local pfc = self:get(tlli, pfi)
  if not pfc then
    return
  end
  tables.remove(pfc.users, pdp)
  run:touch(pfc.fsm)
  if #pfc.users == 0 then
    tell_unwanted(run, pfc)
    pfc.ms.pfcs[pfi] = nil
    if not next(pfc.ms.pfcs) then self:forget(pfc.ms) end
  end
end

-- The mobile leaves its cell for another; arrive() follows once the worker knows.
function Pfcs:leave(run, tlli)
  local flows = self.flows[tlli]
  if flows then
    tell(run, flows, "lost")
    flows.bvc.flows[tlli] = nil
  end
end

function Pfcs:arrive(run, tlli, bvc)
  local flows = self.flows[tlli]
  if flows then
    flows.bvc, bvc.flows[tlli] = bvc, flows
    if can_have_flows(bvc) then tell_wanted(run, flows) end
  end
end

-- The mobile is gone.
function Pfcs:remove(run, tlli)
  local flows = self.flows[tlli]
  if flows then
    for _, pfc in ipairs(sorted(flows)) do
      tell_unwanted(run, pfc)
    end
    self:forget(flows)
  end
end

return gb_pfcs
