-- SPDX-License-Identifier: BSD-3-Clause
-- The packet flows of the node's mobiles: which there are, and what happens to them when cells and contexts come and
-- go.
--
--   flows   mobile -> { ms = mobile, slot =, bvc = cell, pfcs = { PFI -> owner of its machine } }; also in its cell's
--           `flows`
--
-- Contexts share a packet flow by its PFI; `users` are their slots in the worker. A predefined one (24.008 §10.5.6.11)
-- has no `abqp`: it is there as soon as the BSS speaks of it, and needs no creation.

local fsm = require "base.fsm"
local gb_send = require "gb.send"
local tables = require "base.tables"

local gb_pfcs = {}

local NEVER_EXPIRES = 0xe0 -- Packet Flow Timer: unit 7 (24.008 §10.5.7.3)
local T10_10S <const> = 0x05 -- the same for T10: five times 2 s
local LAST_PREDEFINED_PFI, FIRST_DYNAMIC_PFI = 3, 8

-- One packet flow of a mobile in the cell that it is in (48.018 §8a): created by the SGSN when the cell can have it,
-- or when the BSS asks for it; gone with the cell. The worker hears of it once the BSS has accepted it.
--
-- Owner: { ms = mobile, flows =, pfi =, abqp = octets, users = list of slots of contexts, fsm = }; `arg` of
-- received events is { via =, pdu = }. "predefined": a PFI below 8, which needs no creation. While it is there the
-- packets of its contexts say so to the BSS.

local actions = {}

local function send_of(pfc, run, pdu)
  pdu.tlli, pdu.pfi = pfc.ms.tlli, pfc.pfi
  local bvc = pfc.flows.bvc
  gb_send.to_nse(run, bvc.nse, bvc.bvci, pdu)
end

-- The intent of one that is accepted or gone.
local function order(pfc, run, intent)
  local bvc = pfc.flows.bvc
  intent.nsei, intent.bvci, intent.tlli, intent.pfi = bvc.nse.nsei, bvc.bvci, pfc.ms.tlli, pfc.pfi
  run:emit(intent)
end

-- With what is known of the mobile; a BSS that may let it wait for a place is told how long.
function actions.create(pfc, run)
  local known = pfc.flows.bvc.mobiles.radio:known_of(pfc.ms)
  local priority = known.priority
  send_of(pfc, run, { pdu = "create_bss_pfc", pft = NEVER_EXPIRES, abqp = pfc.abqp, imsi = known.imsi,
    ms_ra_capability = known.ra_capability, priority = priority and priority.octet,
    t10 = priority and priority.may_queue and T10_10S or nil, service_utran_cco = known.service_utran_cco,
    spid = known.spid })
end

-- The BSS may accept less than it was asked for.
function actions.accepted(pfc, _, rx)
  pfc.abqp = rx.pdu.abqp
end

function actions.refused(pfc, run, rx)
  run:count(("pfc_refused_%02x"):format(rx.pdu.cause))
  run:log_of("bssgp", "warn", "TLLI %08x: the BSS refuses packet flow %d, cause 0x%02x",
    pfc.ms.tlli, pfc.pfi, rx.pdu.cause)
end

function actions.unanswered(_, run)
  run:count("pfc_unanswered")
end

function actions.modify(pfc, run, rx)
  pfc.abqp = rx.pdu.abqp
  run:touch(pfc.fsm)
  send_of(pfc, run, { pdu = "modify_bss_pfc_ack", pft = NEVER_EXPIRES, abqp = pfc.abqp })
end

function actions.delete(pfc, run)
  send_of(pfc, run, { pdu = "delete_bss_pfc" })
end

-- A context joins it (`pfi`), or is left without any.
local function label(run, pdp, pfi)
  run:emit({ op = "pdp_pfi", pdp = pdp, pfi = pfi })
end

function actions.begin(pfc, run)
  order(pfc, run, { op = "pfc_add" })
  for _, pdp in ipairs(pfc.users) do label(run, pdp, pfc.pfi) end
end

function actions.join(pfc, run, pdp)
  label(run, pdp, pfc.pfi)
end

function actions.finish(pfc, run)
  for _, pdp in ipairs(pfc.users) do label(run, pdp, nil) end
  order(pfc, run, { op = "pfc_del" })
end

local function keep(pfc)
  return pfc.fsm.state ~= "absent" and { mobile = pfc.ms.slot, pfi = pfc.pfi, state = pfc.fsm.state, abqp = pfc.abqp,
    users = pfc.users } or nil
end

local ms_pfc = fsm.define({
  name = "ms_pfc",
  category = "bssgp",
  about = "of_ms",
  initial = "absent",
  keep = keep,
  actions = actions,
  timers = {
    t7 = { after = "t7", retries = "t7_retries", again = "t7_again", out = "t7_out" },
  },
  any = {
    wanted = {},
    lost = { next = "absent" },
    rx_download_bss_pfc = { action = "create", next = "creating" },
  },
  states = {
    absent = {
      on = {
        wanted = { action = "create", next = "creating" },
        predefined = { next = "present" },
        unwanted = {},
        rx_delete_bss_pfc_ack = {},
      },
    },
    creating = {
      timer = "t7",
      on = {
        rx_create_bss_pfc_ack = { action = "accepted", next = "present" },
        rx_create_bss_pfc_nack = { action = "refused", next = "absent" },
        unwanted = { action = "delete", next = "absent" },
        t7_again = { action = "create" },
        t7_out = { action = "unanswered", next = "absent" },
      },
    },
    present = {
      enter = "begin",
      leave = "finish",
      on = {
        predefined = {},
        joined = { action = "join" },
        unwanted = { action = "delete", next = "absent" },
        rx_modify_bss_pfc = { action = "modify" },
        rx_delete_bss_pfc_req = { action = "delete", next = "absent" },
      },
    },
  },
})

-- All packet flows of the node

local Pfcs = {}
Pfcs.__index = Pfcs

function gb_pfcs.new(durations)
  return setmetatable({ durations = durations, flows = {} }, Pfcs)
end

local function tell(run, flows, event)
  for _, pfc in ipairs(tables.sorted(flows.pfcs, "pfi")) do
    run:tell(pfc.fsm, event)
  end
end

local function tell_wanted(run, flows)
  for _, pfc in ipairs(tables.sorted(flows.pfcs, "pfi")) do
    if pfc.abqp then run:tell(pfc.fsm, "wanted") end
  end
end

local function can_have_flows(bvc)
  return bvc.usable and bvc.nse.features.pfc
end

local function each_of_cell(bvc, act)
  for _, flows in ipairs(tables.sorted(bvc.flows, "slot")) do act(flows) end
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

function Pfcs:new_pfc(ms, pfi, abqp)
  local flows = self.flows[ms]
  if not flows then
    flows = { ms = ms, slot = ms.slot, bvc = ms.cell, pfcs = {} }
    self.flows[ms], ms.cell.flows[ms] = flows, flows
  end
  local pfc = { ms = ms, flows = flows, pfi = pfi, abqp = abqp, users = {} }
  pfc.fsm = fsm.new(ms_pfc, pfc, ("pfc/%d/%d"):format(ms.slot, pfi), self.durations)
  flows.pfcs[pfi] = pfc
  return pfc
end

function Pfcs:get(ms, pfi)
  local flows = self.flows[ms]
  return flows and flows.pfcs[pfi]
end

-- The packet flow that the BSS of its cell speaks of; nil.
function Pfcs:find_or_new(run, ms, pfi)
  local pfc = self:get(ms, pfi)
  if pfi <= LAST_PREDEFINED_PFI then
    pfc = pfc or self:new_pfc(ms, pfi)
    run:tell(pfc.fsm, "predefined")
  end
  return pfc
end

-- A packet flow that was there before a restart of control: the worker knows it and its contexts.
function Pfcs:adopt(run, ms, kept)
  local pfc = self:get(ms, kept.pfi) or self:new_pfc(ms, kept.pfi, kept.abqp)
  pfc.abqp, pfc.users = kept.abqp, kept.users
  run:restore(pfc.fsm, kept.state)
end

-- A context (slot `pdp`) of a mobile wants a packet flow with this quality of service. After a restart of control it
-- says so again.
function Pfcs:want(run, ms, pdp, wanted)
  local pfi = wanted.pfi
  local abqp = pfi >= FIRST_DYNAMIC_PFI and wanted.abqp or nil
  local pfc = self:get(ms, pfi) or self:new_pfc(ms, pfi, abqp)
  if not tables.has(pfc.users, pdp) then pfc.users[#pfc.users + 1] = pdp end
  run:touch(pfc.fsm)
  if pfc.fsm.state == "present" then
    run:tell(pfc.fsm, "joined", pdp)
  elseif abqp and can_have_flows(ms.cell) then
    run:tell(pfc.fsm, "wanted")
  end
end

function Pfcs:forget(flows)
  self.flows[flows.ms], flows.bvc.flows[flows.ms] = nil, nil
end

-- A predefined one is not deleted in the BSS.
local function tell_unwanted(run, pfc)
  run:tell(pfc.fsm, pfc.abqp and "unwanted" or "lost")
end

-- A context is gone; with its last one the packet flow goes.
function Pfcs:unwant(run, ms, pdp, pfi)
  local pfc = self:get(ms, pfi)
  if not pfc then
    return
  end
  tables.remove(pfc.users, pdp)
  run:touch(pfc.fsm)
  if #pfc.users == 0 then
    tell_unwanted(run, pfc)
    pfc.flows.pfcs[pfi] = nil
    if not next(pfc.flows.pfcs) then self:forget(pfc.flows) end
  end
end

-- The mobile leaves its cell for another; arrive() follows once the worker knows.
function Pfcs:leave(run, ms)
  local flows = self.flows[ms]
  if flows then
    tell(run, flows, "lost")
    flows.bvc.flows[ms] = nil
  end
end

function Pfcs:arrive(run, ms)
  local flows, bvc = self.flows[ms], ms.cell
  if flows then
    flows.bvc, bvc.flows[ms] = bvc, flows
    if can_have_flows(bvc) then tell_wanted(run, flows) end
  end
end

-- The mobile is gone.
function Pfcs:remove(run, ms)
  local flows = self.flows[ms]
  if flows then
    for _, pfc in ipairs(tables.sorted(flows.pfcs, "pfi")) do
      tell_unwanted(run, pfc)
    end
    self:forget(flows)
  end
end

return gb_pfcs
