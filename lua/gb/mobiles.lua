-- SPDX-License-Identifier: BSD-3-Clause
-- The cell of each mobile of the node, and the procedures of single mobiles: suspension, flushes of cells that they
-- have left, packet flows (gb_pfcs). A mobile without a procedure costs one entry of `home`.
--
--   home        TLLI -> cell (base.tables)
--   references  TLLI -> reference number of its last suspension
--   suspended   TLLI -> owner of its suspension, while it is suspended
--   flushes     TLLI -> list of its flushes, in the order of asking
--   paged       TLLI -> owner of gb_paging, while it is paged; in `nses`, those of the node, where `paging_area` says
--   radio       what is known of their radio side (gb_radio)
--   moves       whether they may go to another cell (gb_areas)

local fsm = require "base.fsm"
local gb_areas = require "gb.areas"
local gb_paging = require "gb.paging"
local gb_pfcs = require "gb.pfcs"
local gb_radio = require "gb.radio"
local gb_send = require "gb.send"
local tables = require "base.tables"
local cause = require("gb.cause").bssgp

local gb_mobiles = {}

local SIGNALLING_BVCI = 0
local REFERENCES = 256
local TRANSFERRED = 1
-- Most work of park_some(): entries of `home` that are read, but for the rest of a shard, and mobiles.
local LOOKS <const>, PARKED <const> = 2000, 100

-- A mobile that its BSS has suspended (48.018 §7.4, §7.5). An instance exists only while the mobile is suspended, or
-- for the length of one event; the reference number of its last suspension outlives it, so that a RESUME which the BSS
-- repeats because it missed the answer is acknowledged again.
--
-- Owner: { mobiles = registry, tlli =, fsm = }; `arg` of received events is { via =, pdu =, nse = it came from }.
-- A mobile that is heard in another cell is back, whatever its BSS forgot to say ("ms_heard").
-- rx_resume is one with the right reference number, rx_resume_foreign one with another.

local suspension_actions = {}

local function answer_suspension(run, rx, pdu)
  pdu.tlli, pdu.routeing_area = rx.pdu.tlli, rx.pdu.routeing_area
  gb_send.bssgp(run, rx.nse.wire, rx.via, SIGNALLING_BVCI, pdu)
end

local function order(ms, run, suspended)
  run:emit({ op = "ms_suspend", nsei = ms.mobiles:cell_of(ms.tlli).nse.nsei, tlli = ms.tlli, suspended = suspended })
end

-- Also when it is suspended already: a BSS that missed the acknowledgement asks again, with the same meaning.
function suspension_actions.freeze(ms, run, rx)
  order(ms, run, true)
  answer_suspension(run, rx, { pdu = "suspend_ack", suspend_ref = ms.mobiles.references[ms.tlli] })
end

function suspension_actions.begin(ms, run, rx)
  local references = ms.mobiles.references
  references[ms.tlli] = ((references[ms.tlli] or -1) + 1) % REFERENCES
  ms.mobiles.suspended[ms.tlli] = ms
  ms.mobiles:end_paging(run, ms.tlli, "suspended")
  suspension_actions.freeze(ms, run, rx)
end

function suspension_actions.ack_resume(_, run, rx)
  answer_suspension(run, rx, { pdu = "resume_ack" })
end

function suspension_actions.thaw_silently(ms, run)
  order(ms, run, false)
end

function suspension_actions.thaw(ms, run, rx)
  suspension_actions.thaw_silently(ms, run)
  suspension_actions.ack_resume(ms, run, rx)
end

function suspension_actions.refuse_resume(_, run, rx)
  run:count("resume_refused")
  answer_suspension(run, rx, { pdu = "resume_nack", cause = cause.INCOMPATIBLE_STATE })
end

function suspension_actions.forget(ms)
  ms.mobiles.suspended[ms.tlli] = nil
end

local function keep_suspension(ms)
  return ms.fsm.state == "suspended" and { tlli = ms.tlli, reference = ms.mobiles.references[ms.tlli] } or nil
end

local suspension_machine = fsm.define({
  name = "ms_suspension",
  initial = "active",
  keep = keep_suspension,
  actions = suspension_actions,
  any = {
    rx_resume_foreign = { action = "refuse_resume" },
  },
  states = {
    active = {
      enter = "forget",
      on = {
        rx_suspend = { action = "begin", next = "suspended" },
        rx_resume = { action = "ack_resume" },
      },
    },
    suspended = {
      on = {
        rx_suspend = { action = "freeze" },
        rx_resume = { action = "thaw", next = "active" },
        ms_heard = { action = "thaw_silently", next = "active" },
        ms_gone = { next = "active" },
      },
    },
  },
})

-- LLC-PDUs in a cell that a mobile has left: FLUSH-LL and its answer (48.018 §8.1). The BSS may carry the
-- frames over only within a routeing area, and to another NSE only where both have agreed on INR; else it is not told
-- where the mobile went and deletes them. An instance exists from the question to the answer. Some BSSs never answer;
-- then their LLC-PDUs stay in the buckets, which leak as before.
--
-- Owner: { mobiles = registry, tlli =, old = cell, new = cell, fsm = }; `arg` of rx_flush_ll_ack is the decoded PDU.

local flush_actions = {}

local function may_transfer(old, new)
  if not gb_areas.is_in(old.cell_id, new.cell_id) then
    return false
  end
  return old.nse == new.nse or (old.nse.features.inr and new.nse.features.inr)
end

function flush_actions.ask(flush, run)
  local old, new = flush.old, flush.new
  local pdu = { pdu = "flush_ll", tlli = flush.tlli, bvci = old.bvci }
  if may_transfer(old, new) then
    pdu.bvci_new = new.bvci
    pdu.nsei_new = old.nse ~= new.nse and new.nse.nsei or nil
  end
  gb_send.to_nse(run, old.nse, SIGNALLING_BVCI, pdu)
end

-- At most what a BSS may hold for a mobile of the new cell: more would close that cell's bucket.
local function octets_of(new, pdu)
  local announced = new.announced
  return announced and math.min(pdu.octets_affected, announced.ms_bucket_octets) or pdu.octets_affected
end

function flush_actions.correct(flush, run, pdu)
  local old, new = flush.old, flush.new
  local is_transferred = pdu.flush_action == TRANSFERRED and may_transfer(old, new)
  local intent = { op = "ms_flushed", nsei = old.nse.nsei, bvci = old.bvci, tlli = flush.tlli,
    octets = pdu.octets_affected, nsei_home = flush.mobiles:cell_of(flush.tlli).nse.nsei }
  if pdu.flush_action == TRANSFERRED and not is_transferred then
    run:count("flush_ll_ack_not_allowed")
  elseif is_transferred then
    intent.octets = octets_of(new, pdu)
    intent.nsei_new, intent.bvci_new = new.nse.nsei, new.bvci
  end
  run:emit(intent)
end

function flush_actions.give_up(_, run)
  run:count("flush_ll_unanswered")
end

function flush_actions.forget(flush)
  flush.mobiles:forget_flush(flush)
end

local function place_of(cell)
  return { nsei = cell.nse.nsei, bvci = cell.bvci }
end

local function keep_flush(flush)
  if flush.fsm.state ~= "asked" then return nil end
  return { tlli = flush.tlli, old = place_of(flush.old), new = place_of(flush.new) }
end

local flush_machine = fsm.define({
  name = "ms_flush",
  initial = "done",
  keep = keep_flush,
  actions = flush_actions,
  timers = {
    flush = { after = "flush", out = "flush_expired" },
  },
  states = {
    done = {
      enter = "forget",
      on = {
        ask = { action = "ask", next = "asked" },
      },
    },
    asked = {
      timer = "flush",
      on = {
        ask = { action = "ask", next = "asked" },
        rx_flush_ll_ack = { action = "correct", next = "done" },
        flush_expired = { action = "give_up", next = "done" },
        bvc_reset = { next = "done" },
        ms_gone = { next = "done" },
      },
    },
  },
})

-- All mobiles of the node

local Mobiles = {}
Mobiles.__index = Mobiles

-- nses: list of the node's, which may be filled later.
function gb_mobiles.new(config, nses)
  local durations = config.timers.bssgp
  return setmetatable({ durations = durations, home = tables.large_map(), references = {}, suspended = {}, flushes = {},
    paged = {},
    nses = nses, paging_area = config.gb and config.gb.paging_area,
    moves = gb_areas.new_moves(config.mobiles and config.mobiles.moves),
    pfcs = gb_pfcs.new(durations), radio = gb_radio.new(config) }, Mobiles)
end

function Mobiles:cell_of(tlli)
  return self.home[tlli]
end

function Mobiles:add(tlli, bvc, imsi)
  self.home[tlli] = bvc
  if bvc.late then bvc.late[#bvc.late + 1] = tlli end
  self.radio:add(tlli, imsi)
end

-- Suspension

function Mobiles:suspension_of(tlli)
  local owner = self.suspended[tlli]
  if not owner then
    owner = { mobiles = self, tlli = tlli }
    owner.fsm = fsm.new(suspension_machine, owner, ("suspension/%08x"):format(tlli), self.durations)
  end
  return owner
end

function Mobiles:adopt_suspension(run, tlli, reference)
  local owner = self:suspension_of(tlli)
  self.references[tlli], self.suspended[tlli] = reference, owner
  run:restore(owner.fsm, "suspended")
end

-- Paging

function Mobiles:adopt_paging(run, tlli, state)
  self.paged[tlli] = gb_paging.new(self, tlli)
  run:restore(self.paged[tlli].fsm, state)
end

-- The worker has something for a mobile that has to be found first.
function Mobiles:page(run, tlli)
  local owner = self.paged[tlli] or gb_paging.new(self, tlli)
  run:tell(owner.fsm, "wanted")
end

-- A cell is usable again: pages for its mobiles, which could not be sent, are sent now.
function Mobiles:page_again(run, cell)
  for _, owner in ipairs(tables.sorted(self.paged, "tlli")) do
    if self.home[owner.tlli] == cell then run:tell(owner.fsm, "cell_up") end
  end
end

-- Whether it was paged.
function Mobiles:end_paging(run, tlli, event)
  if self.paged[tlli] then run:tell(self.paged[tlli].fsm, event) end
end

-- The owner of gb_paging of the mobile with this IMSI, nil: it is not paged.
function Mobiles:paged_of(imsi)
  local tlli = self.radio.tlli_of[imsi]
  return tlli and self.paged[tlli]
end

-- Flushes

-- The flush that an answer of an NSE is to. A carried-over one names the new cell; else answers come in the order of
-- the questions, since nothing in them tells more.
function Mobiles:flush_of(nse, pdu)
  for _, flush in ipairs(self.flushes[pdu.tlli] or {}) do
    if flush.old.nse == nse and (not pdu.bvci_new or flush.new.bvci == pdu.bvci_new) then
      return flush
    end
  end
end

function Mobiles:forget_flush(flush)
  local list = self.flushes[flush.tlli]
  tables.remove(list, flush)
  if #list == 0 then
    self.flushes[flush.tlli] = nil
  end
end

local function add_flush(self, tlli, old)
  local flush, list = { mobiles = self, tlli = tlli, old = old }, self.flushes[tlli] or {}
  flush.fsm = fsm.new(flush_machine, flush, ("flush/%08x/%d/%d"):format(tlli, old.nse.nsei, old.bvci), self.durations)
  list[#list + 1], self.flushes[tlli] = flush, list
  return flush
end

-- Sends FLUSH-LL to the cell that a mobile has left. A pending flush there, from an earlier visit, is restarted.
function Mobiles:flush(run, tlli, old, new)
  local flush
  for _, other in ipairs(self.flushes[tlli] or {}) do
    flush = other.old == old and other or flush
  end
  flush = flush or add_flush(self, tlli, old)
  flush.new = new
  run:tell(flush.fsm, "ask")
end

-- A flush that was pending before a restart of control: its answer may still come.
function Mobiles:adopt_flush(run, tlli, old, new)
  local flush = add_flush(self, tlli, old)
  flush.new = new
  run:restore(flush.fsm, "asked")
end

local function tell_flushes(run, list, event)
  for _, flush in ipairs(table.move(list, 1, #list, 1, {})) do
    run:tell(flush.fsm, event)
  end
end

local function tell_flushes_where(self, run, is_meant, event)
  local found = {}
  for _, list in pairs(self.flushes) do
    for _, flush in ipairs(list) do
      if is_meant(flush) then found[#found + 1] = flush end
    end
  end
  table.sort(found, function(a, b) return a.tlli < b.tlli end)
  tell_flushes(run, found, event)
end

-- A cell was reset: it holds nothing any more.
function Mobiles:forget_flushes_of(run, old)
  tell_flushes_where(self, run, function(flush) return flush.old == old end, "bvc_reset")
end

-- Moves and ends

-- A mobile was proven to be in a cell, nil: there is no such cell. It moves there if it may.
function Mobiles:heard(run, tlli, cell)
  local refusal = self.moves:refusal(tlli, cell, run.now)
  if refusal then return run:count("move_" .. refusal) end
  self.moves:charge(run, tlli)
  self:move(run, tlli, cell)
end

-- The mobile's queue goes to its new cell, and what the old cell holds is asked for.
function Mobiles:move(run, tlli, new)
  local old = self.home[tlli]
  old.own_buckets:leave(run, tlli)
  self.pfcs:leave(run, tlli)
  self:end_paging(run, tlli, "reached")
  if self.suspended[tlli] then
    run:tell(self.suspended[tlli].fsm, "ms_heard")
  end
  run:emit({ op = "ms_cell", nsei = old.nse.nsei, bvci = old.bvci, tlli = tlli, nsei_new = new.nse.nsei,
    bvci_new = new.bvci, lost = false })
  self.home[tlli] = new
  if old.usable then
    self:flush(run, tlli, old, new)
  end
  self.pfcs:arrive(run, tlli, new)
end

-- The cell to which the mobiles of a deleted cell are assigned: preferably in its routeing area, where they are paged,
-- then in its NSE, else any that stays.
local function refuge_of(nses, old)
  local best, most = nil, -1
  for _, nse in ipairs(nses) do
    for _, bvc in ipairs(nse.bvcs) do
      local score = (gb_areas.is_in(bvc.cell_id, old.cell_id) and 2 or 0) + (nse == old.nse and 1 or 0)
      if score > most and not bvc.late then best, most = bvc, score end
    end
  end
  return best
end

function Mobiles:park(run, tlli, old, new)
  self.pfcs:leave(run, tlli)
  run:emit({ op = "ms_cell", nsei = old.nse.nsei, bvci = old.bvci, tlli = tlli, nsei_new = new.nse.nsei,
    bvci_new = new.bvci, lost = true })
  self.home[tlli] = new
  self.pfcs:arrive(run, tlli, new)
end

-- A cell will be deleted: no mobile moves there any more. `late` has those that are added until then.
function Mobiles:leave_cell(bvc)
  bvc.late = {}
  self.parking = { shard = 0, found = {}, at = 0, refuges = {} }
end

-- The mobiles of leaving cells in the next shard of `home`; returns its size.
local function look_at_next(self, parking)
  local size, found = 0, {}
  parking.shard, parking.found, parking.at = parking.shard + 1, found, 0
  for tlli, bvc in pairs(tables.shard(self.home, parking.shard)) do
    if bvc.late then found[#found + 1] = tlli end
    size = size + 1
  end
  table.sort(found)
  return size
end

local function park_next(self, run, parking)
  parking.at = parking.at + 1
  local tlli, refuges = parking.found[parking.at], parking.refuges
  local old = self.home[tlli]
  if not old or not old.late then return end
  refuges[old] = refuges[old] or assert(refuge_of(self.nses, old))
  self:park(run, tlli, old, refuges[old])
end

-- Assigns some of the mobiles of leaving cells to other cells; self.parking is nil after the last ones.
function Mobiles:park_some(run)
  local parking, looked, parked = self.parking, 0, 0
  while parking and looked < LOOKS and parked < PARKED do
    if parking.at < #parking.found then
      park_next(self, run, parking)
      parked = parked + 1
    elseif parking.shard < tables.SHARDS then
      looked = looked + 1 + look_at_next(self, parking)
    else
      self.parking, parking = nil, nil
    end
  end
end

-- The mobiles of a cell; of one whose mobiles were parked, those that are left.
local function mobiles_in(self, cell)
  local found = {}
  for _, tlli in ipairs(cell.late or {}) do
    if self.home[tlli] == cell then found[#found + 1] = tlli end
  end
  if cell.late then return found end
  for tlli, bvc in pairs(self.home) do
    if bvc == cell then found[#found + 1] = tlli end
  end
  return found
end

-- Whether a cell of an NSE has mobiles.
function Mobiles:has_in(nse)
  for _, bvc in pairs(self.home) do
    if bvc.nse == nse then return true end
  end
  return false
end

-- A cell was deleted and taken out of its NSE. Its mobiles are assigned to another cell; nothing is sent to them until
-- they are heard, there or elsewhere. Pending flushes towards the deleted cell end.
function Mobiles:lose_cell(run, old)
  tell_flushes_where(self, run, function(flush) return flush.new == old end, "bvc_reset")
  local found = mobiles_in(self, old)
  if #found == 0 then return end
  table.sort(found)
  local new = assert(refuge_of(self.nses, old))
  run:log("info", "NSE %d BVCI %d is gone: %d mobiles are looked for", old.nse.nsei, old.bvci, #found)
  for _, tlli in ipairs(found) do self:park(run, tlli, old, new) end
end

local function count(map)
  local n = 0
  for _ in pairs(map) do n = n + 1 end
  return n
end

-- Numbers of mobiles with a procedure.
function Mobiles:state()
  return { suspended = count(self.suspended), flushing = count(self.flushes), flows = count(self.pfcs.flows),
    paged = count(self.paged) }
end

-- The worker forgets the mobile by itself, with all that it has.
function Mobiles:remove(run, tlli)
  self.home[tlli].own_buckets:leave(run, tlli)
  tell_flushes(run, self.flushes[tlli] or {}, "ms_gone")
  self.pfcs:remove(run, tlli)
  self:end_paging(run, tlli, "ms_gone")
  self.radio:forget(run, tlli)
  self.moves:remove(run, tlli)
  if self.suspended[tlli] then
    run:tell(self.suspended[tlli].fsm, "ms_gone")
  end
  self.home[tlli], self.references[tlli] = nil, nil
end

return gb_mobiles
