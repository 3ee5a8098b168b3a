-- SPDX-License-Identifier: BSD-3-Clause
-- The mobiles of the node: the cell of each, and the procedures of single ones: suspension (gb_suspension), flushes of
-- cells that they have left (gb_flush), packet flows (gb_pfcs). A mobile without a procedure costs its record in the
-- book.
--
--   book        their records (mobile.book); ms.cell: the cell of one, ms.reference: number of its last suspension
--   suspended   mobile -> owner of its suspension, while it is suspended
--   flushes     mobile -> list of its flushes, in the order of asking
--   asked       TLLI -> list of flushes that were asked for by it, in the order of asking
--   paged       mobile -> owner of gb_paging, while it is paged; in `nses`, those of the node, where `paging_area` says
--   radio       what is known of their radio side (gb_radio)
--   moves       whether they may go to another cell (gb_areas)

local gb_areas = require "gb.areas"
local gb_flush = require "gb.flush"
local gb_paging = require "gb.paging"
local gb_pfcs = require "gb.pfcs"
local gb_radio = require "gb.radio"
local gb_suspension = require "gb.suspension"
local mobile_book = require "mobile.book"
local tables = require "base.tables"
local units = require "base.units"

local gb_mobiles = {}

-- Most work of park_some(): records that are read, but for the rest of a shard, and mobiles.
local LOOKS <const>, PARKED <const> = 2000, 100

local function by_slot(a, b)
  return a.slot < b.slot
end

local Mobiles = {}
Mobiles.__index = Mobiles

-- nses: list of the node's, which may be filled later.
function gb_mobiles.new(config, nses)
  local durations = config.timers.bssgp
  return setmetatable({ durations = durations, book = mobile_book.new(), suspended = {}, flushes = {},
    asked = {}, paged = {},
    nses = nses, paging_area = config.gb and config.gb.paging_area,
    moves = gb_areas.new_moves(config.mobiles and config.mobiles.moves),
    pfcs = gb_pfcs.new(durations), radio = gb_radio.new(config) }, Mobiles)
end

-- bvc: nil: none any more. An NSE has the number of its mobiles (mobile_count).
local function set_cell(ms, bvc)
  if ms.cell then ms.cell.nse.mobile_count = ms.cell.nse.mobile_count - 1 end
  if bvc then bvc.nse.mobile_count = bvc.nse.mobile_count + 1 end
  ms.cell = bvc
end

function Mobiles:add(slot, tlli, bvc, imsi)
  local ms = self.book:add(slot, tlli, imsi)
  set_cell(ms, bvc)
  if bvc.late then bvc.late[#bvc.late + 1] = ms end
  self.radio:add(ms)
end

-- Suspension

function Mobiles:suspension_of(ms)
  return self.suspended[ms] or gb_suspension.new(self, ms)
end

function Mobiles:adopt_suspension(run, ms, reference)
  local owner = self:suspension_of(ms)
  ms.reference, self.suspended[ms] = reference, owner
  run:restore(owner.fsm, "suspended")
end

local function end_suspension(self, run, ms, event)
  if self.suspended[ms] then run:tell(self.suspended[ms].fsm, event) end
end

-- Paging

function Mobiles:adopt_paging(run, ms, state)
  self.paged[ms] = gb_paging.new(self, ms)
  run:restore(self.paged[ms].fsm, state)
end

-- The worker has something for a mobile that has to be found first.
function Mobiles:page(run, ms)
  local owner = self.paged[ms] or gb_paging.new(self, ms)
  run:tell(owner.fsm, "wanted")
end

-- A cell is usable again: pages for its mobiles, which could not be sent, are sent now.
function Mobiles:page_again(run, cell)
  for _, owner in ipairs(tables.sorted(self.paged, "slot")) do
    if owner.ms.cell == cell then run:tell(owner.fsm, "cell_up") end
  end
end

-- Whether it was paged.
function Mobiles:end_paging(run, ms, event)
  if self.paged[ms] then run:tell(self.paged[ms].fsm, event) end
end

-- The owner of gb_paging of the mobile with this IMSI, nil: it is not paged.
function Mobiles:paged_of(imsi)
  local ms = self.book:of_imsi(imsi)
  return ms and self.paged[ms]
end

-- Flushes

-- The flush that an answer of an NSE is to: by the TLLI that it was asked by, whatever its mobile's is by now. A
-- carried-over one names the new cell; else answers come in the order of the questions, since nothing in them tells
-- more.
function Mobiles:flush_of(nse, pdu)
  for _, flush in ipairs(self.asked[pdu.tlli] or {}) do
    if flush.old.nse == nse and (not pdu.bvci_new or flush.new.bvci == pdu.bvci_new) then
      return flush
    end
  end
end

local function put(lists, key, flush)
  lists[key] = lists[key] or {}
  table.insert(lists[key], flush)
end

local function take(lists, key, flush)
  tables.remove(lists[key], flush)
  if #lists[key] == 0 then lists[key] = nil end
end

-- It is asked for by this TLLI, nil: it is over.
function Mobiles:note_asked(flush, tlli)
  if flush.tlli == tlli then return end
  if flush.tlli then take(self.asked, flush.tlli, flush) end
  flush.tlli = tlli
  if tlli then put(self.asked, tlli, flush) end
end

function Mobiles:forget_flush(flush)
  self:note_asked(flush, nil)
  take(self.flushes, flush.ms, flush)
end

local function add_flush(self, ms, old)
  local flush = gb_flush.new(self, ms, old)
  put(self.flushes, ms, flush)
  return flush
end

-- Sends FLUSH-LL to the cell that a mobile has left. A pending flush there, from an earlier visit, is restarted.
function Mobiles:flush(run, ms, old, new)
  local flush
  for _, other in ipairs(self.flushes[ms] or {}) do
    flush = other.old == old and other or flush
  end
  flush = flush or add_flush(self, ms, old)
  flush.new = new
  run:tell(flush.fsm, "ask")
end

-- A flush that was pending before a restart of control: its answer may still come.
function Mobiles:adopt_flush(run, ms, tlli, old, new)
  local flush = add_flush(self, ms, old)
  flush.new = new
  self:note_asked(flush, tlli)
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
  table.sort(found, by_slot)
  tell_flushes(run, found, event)
end

-- A cell was reset: it holds nothing any more.
function Mobiles:forget_flushes_of(run, old)
  tell_flushes_where(self, run, function(flush) return flush.old == old end, "bvc_reset")
end

-- Moves and ends

-- A mobile was proven to be in a cell, nil: there is no such cell. It moves there if it may.
function Mobiles:heard(run, ms, cell)
  local refusal = self.moves:refusal(ms, cell, run.now)
  if refusal then return run:count("move_" .. refusal) end
  self.moves:charge(run, ms)
  self:move(run, ms, cell)
end

local function order_move(run, ms, new, lost)
  local old = ms.cell
  run:emit({ op = "ms_cell", nsei = old.nse.nsei, bvci = old.bvci, tlli = ms.tlli, nsei_new = new.nse.nsei,
    bvci_new = new.bvci, lost = lost })
  set_cell(ms, new)
end

-- The mobile's queue goes to its new cell, and what the old cell holds is asked for.
function Mobiles:move(run, ms, new)
  local old = ms.cell
  old.own_buckets:leave(run, ms)
  self.pfcs:leave(run, ms)
  self:end_paging(run, ms, "reached")
  end_suspension(self, run, ms, "ms_heard")
  order_move(run, ms, new, false)
  if old.usable and old.nse.is_flushed then
    self:flush(run, ms, old, new)
  end
  self.pfcs:arrive(run, ms)
end

local function offer_key(ms)
  return ("offer/%d"):format(ms.slot)
end

-- It is offered another TLLI, and answers to both until it is called by one of them; its own: it is offered none.
function Mobiles:offer(run, ms, tlli)
  local book = self.book
  local before = book.offered[ms.slot]
  book:offer(ms, tlli ~= ms.tlli and tlli or nil)
  local offered = book.offered[ms.slot]
  if offered ~= before then run:record(offer_key(ms), offered and { mobile = ms.slot, tlli = offered } or nil) end
end

-- It has attached or updated: a suspension is over (23.060 §16.2.1.1.1). A BSS has no bucket or packet flow of a new
-- TLLI yet, but answers flushes of the former one.
function Mobiles:call(run, ms, tlli, imsi)
  local is_other = tlli ~= ms.tlli
  if is_other then
    self:offer(run, ms, ms.tlli)
    ms.cell.own_buckets:leave(run, ms)
    self.pfcs:leave(run, ms)
    self:end_paging(run, ms, "ms_gone")
  end
  end_suspension(self, run, ms, "ms_gone")
  if is_other then self.book:call(ms, tlli) end
  self.book:identify(ms, imsi)
  if is_other then self.pfcs:arrive(run, ms) end
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

function Mobiles:park(run, ms, new)
  self.pfcs:leave(run, ms)
  order_move(run, ms, new, true)
  self.pfcs:arrive(run, ms)
end

-- A cell will be deleted: no mobile moves there any more. `late` has those that are added until then.
function Mobiles:leave_cell(bvc)
  bvc.late = {}
  self.parking = { shard = 0, found = {}, at = 0, refuges = {} }
end

-- The mobiles of leaving cells in the next shard of the book; returns its size.
local function look_at_next(self, parking)
  local size, found = 0, {}
  parking.shard, parking.found, parking.at = parking.shard + 1, found, 0
  for _, ms in pairs(tables.shard(self.book.at, parking.shard)) do
    if ms.cell.late then found[#found + 1] = ms end
    size = size + 1
  end
  table.sort(found, by_slot)
  return size
end

local function park_next(self, run, parking)
  parking.at = parking.at + 1
  local ms, refuges = parking.found[parking.at], parking.refuges
  local old = ms.cell
  if not old or not old.late then return end
  refuges[old] = refuges[old] or assert(refuge_of(self.nses, old))
  self:park(run, ms, refuges[old])
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
  for _, ms in ipairs(cell.late or {}) do
    if ms.cell == cell then found[#found + 1] = ms end
  end
  if cell.late then return found end
  for _, ms in pairs(self.book.at) do
    if ms.cell == cell then found[#found + 1] = ms end
  end
  return found
end

-- A cell was deleted and taken out of its NSE. Its mobiles are assigned to `heir`, nil: to another cell; nothing is
-- sent to them until they are heard, there or elsewhere. Pending flushes towards the deleted cell end.
function Mobiles:lose_cell(run, old, heir)
  tell_flushes_where(self, run, function(flush) return flush.new == old end, "bvc_reset")
  local found = mobiles_in(self, old)
  if #found == 0 then return end
  table.sort(found, by_slot)
  local new = heir or assert(refuge_of(self.nses, old))
  run:log("info", "NSE %d BVCI %d is gone: %s to look for", old.nse.nsei, old.bvci,
    units.counted(#found, "mobile"))
  for _, ms in ipairs(found) do self:park(run, ms, new) end
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
function Mobiles:remove(run, ms)
  self:offer(run, ms, ms.tlli)
  ms.cell.own_buckets:leave(run, ms)
  tell_flushes(run, self.flushes[ms] or {}, "ms_gone")
  self.pfcs:remove(run, ms)
  self:end_paging(run, ms, "ms_gone")
  self.radio:forget(run, ms)
  self.moves:remove(run, ms)
  end_suspension(self, run, ms, "ms_gone")
  set_cell(ms, nil)
  self.book:remove(ms)
end

return gb_mobiles
