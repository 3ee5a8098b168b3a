-- SPDX-License-Identifier: BSD-3-Clause
-- The mobiles of the node: the cell of each, and the procedures of single ones: suspension (gb_suspension), flushes of
-- cells that they have left (gb_flush), packet flows (gb_pfcs). A mobile without a procedure costs one entry of `home`.
--
--   home        TLLI -> cell (base.tables)
--   references  TLLI -> reference number of its last suspension
--   suspended   TLLI -> owner of its suspension, while it is suspended
--   flushes     TLLI -> list of its flushes, in the order of asking
--   paged       TLLI -> owner of gb_paging, while it is paged; in `nses`, those of the node, where `paging_area` says
--   radio       what is known of their radio side (gb_radio)
--   moves       whether they may go to another cell (gb_areas)

local gb_areas = require "gb.areas"
local gb_flush = require "gb.flush"
local gb_paging = require "gb.paging"
local gb_pfcs = require "gb.pfcs"
local gb_radio = require "gb.radio"
local gb_suspension = require "gb.suspension"
local tables = require "base.tables"

local gb_mobiles = {}

-- Most work of park_some(): entries of `home` that are read, but for the rest of a shard, and mobiles.
local LOOKS <const>, PARKED <const> = 2000, 100

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

-- bvc: nil: none any more. An NSE has the number of its mobiles (mobile_count).
local function set_home(self, tlli, bvc)
  local old = self.home[tlli]
  if old then old.nse.mobile_count = old.nse.mobile_count - 1 end
  if bvc then bvc.nse.mobile_count = bvc.nse.mobile_count + 1 end
  self.home[tlli] = bvc
end

function Mobiles:add(tlli, bvc, imsi)
  set_home(self, tlli, bvc)
  if bvc.late then bvc.late[#bvc.late + 1] = tlli end
  self.radio:add(tlli, imsi)
end

-- Suspension

function Mobiles:suspension_of(tlli)
  return self.suspended[tlli] or gb_suspension.new(self, tlli)
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
  local flush, list = gb_flush.new(self, tlli, old), self.flushes[tlli] or {}
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
  set_home(self, tlli, new)
  if old.usable and old.nse.is_flushed then
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
  set_home(self, tlli, new)
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

-- A cell was deleted and taken out of its NSE. Its mobiles are assigned to `heir`, nil: to another cell; nothing is
-- sent to them until they are heard, there or elsewhere. Pending flushes towards the deleted cell end.
function Mobiles:lose_cell(run, old, heir)
  tell_flushes_where(self, run, function(flush) return flush.new == old end, "bvc_reset")
  local found = mobiles_in(self, old)
  if #found == 0 then return end
  table.sort(found)
  local new = heir or assert(refuge_of(self.nses, old))
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
  set_home(self, tlli, nil)
  self.references[tlli] = nil
end

return gb_mobiles
