-- SPDX-License-Identifier: BSD-3-Clause
-- Offload (23.236 §4.5): phones are told to go to other SGSNs of the pool, so that the node can be stopped. One that is
-- told gets a P-TMSI with the NULL-NRI, or another SGSN's, in a routeing area that no cell has: it updates at once, the
-- proxy takes it to another SGSN, and that one fetches its contexts here. Acts of an operator: `gbflow offload` and
-- `gbflow drain`.
--
--   local o = gmm_offload.new(p)          p: gmm.phones
--   o:wants(phone)                        whether ACCEPT tells this phone to go
--   o:tell(run, phone, message)           ACCEPT, or P-TMSI REALLOCATION COMMAND, gets its other area and timer
--   o:note_gone(run)                      a phone is not here any more
--   o:plan(order), o:begin(run, order, id)   as of gmm.acts; order, of texts: { verb = "offload", phones = count, nil:
--                                         all, to = NRI, now = "yes", stop = "yes" } or { verb = "drain" }
--   o:configure(run)                      p.config is another one: an offload that it does not allow ends
--   o:adopt(run, kept), o:resume(run)     after a restart of control, before and after its phones
--   o:text()                              what is in progress, in words; nil: nothing
--   o:state()                             of gmm.phones:pool_state()

local fsm = require "base.fsm"
local gmm_phone = require "gmm.phone"
local tables = require "base.tables"
local units = require "base.units"

local gmm_offload = {}

local TIMES_MAX <const> = 3 -- a phone that comes back as often stays: no other SGSN takes it
-- Phones that are told by a message that they have not asked for: 50 a second.
local PACE <const>, AT_ONCE <const> = 100000000, 5
local SHORT <const> = 2 -- periodic update timer: 4 s (24.008 §10.5.7.3)
local DRAIN_MARGIN <const> = 60 * 1000000000
local DRAINS <const> = 32 -- acts that control has in progress at most

-- Owner: { p =, left = phones to be told, math.maxinteger: all; to = NRI, nil: NULL-NRI; shard = the next one of
-- p.by_mobile; drains = ids of acts that wait for the last phone, of which some may have ended by their time }.

local actions = {}

-- Phones in the midst of a procedure update soon enough.
local function tell_shard(offload, run, shard, most)
  local told = 0
  for _, phone in pairs(tables.shard(offload.p.by_mobile, shard)) do
    if told >= most then return told end
    local is_staying = phone.fsm.state == "registered" and phone.p_tmsi and offload.p.pool:is_own(phone.p_tmsi)
    if is_staying and offload:wants(phone) then
      told = told + 1
      run:post(phone.fsm, "reallocate")
    end
  end
  return told
end

function actions.tell_some(offload, run)
  local left = math.min(AT_ONCE, offload.left)
  while left > 0 and offload.shard <= tables.SHARDS do
    local told = tell_shard(offload, run, offload.shard, left)
    left = left - told
    if left > 0 then offload.shard = offload.shard + 1 end
  end
  if offload.shard > tables.SHARDS then run:post(offload.fsm, "all_told") end
end

local machine = fsm.define({
  name = "offload", category = "gmm", about = "offload",
  initial = "idle",
  actions = actions,
  id = function() return "offload" end,
  timers = { pace = { after = "pace", out = "pace" } },
  any = { begin = { next = "telling" }, stop = { next = "idle" }, all_told = {} },
  states = {
    idle = {},
    telling = {
      timer = "pace", enter = "tell_some",
      on = { pace = { next = "telling" }, all_told = { next = "idle" } },
    },
  },
})

local Offload = {}
Offload.__index = Offload

function gmm_offload.new(p)
  local offload = setmetatable({ p = p, left = 0, drains = {} }, Offload)
  offload.fsm = fsm.new(machine, offload, nil, { pace = PACE })
  return offload
end

function Offload:wants(phone)
  return self.left > 0 and (phone.times_told or 0) < TIMES_MAX
end

local function keep(offload, run)
  local is_on = offload.left > 0
  run:record("offload", is_on and { offload = true, left = offload.left, to = offload.to,
    now = offload.is_resumed or offload.fsm.state == "telling" or nil } or nil)
end

-- An offload to an NRI (nil: the NULL-NRI) needs more than the configuration has: the text about it, nil: it does not.
local function lack_of(self, to)
  local pool = self.p.config.pool
  if not pool or not pool.null_nri or not pool.offload_area then
    return "offload needs phones.pool with null_nri and offload_area; set them and reload"
  elseif to and not self.p.pool.owners[to] then
    return ("no SGSN of phones.pool.others has NRI %s; name one that is there, or leave --to out"):format(to)
  end
end

-- The P-TMSI of the message is already one that takes the phone elsewhere, perhaps of an offload that has ended since.
function Offload:tell(run, phone, message)
  local pool = self.p.config.pool
  message.rai = pool and pool.offload_area or message.rai
  if message.update_timer then message.update_timer = SHORT end
  phone.times_told = (phone.times_told or 0) + 1
  if self.left > 0 and self.left ~= math.maxinteger then self.left = self.left - 1 end
  if self.left == 0 then run:tell(self.fsm, "stop") end
  keep(self, run)
  run:count("offload_told")
end

local function count_phones(p)
  local count = 0
  for shard = 1, tables.SHARDS do
    for _, phone in pairs(tables.shard(p.by_mobile, shard)) do
      if gmm_phone.is_served(phone) then count = count + 1 end
    end
  end
  return count
end

-- Also one that has left, as long as its N-PDUs are forwarded.
local function has_phone(p)
  for shard = 1, tables.SHARDS do
    for _, phone in pairs(tables.shard(p.by_mobile, shard)) do
      if phone.was_registered then return true end
    end
  end
  return false
end

local function end_drains(self, run, done, text)
  for _, id in ipairs(self.drains) do run:emit({ op = "acted", id = id, done = done, text = text }) end
  self.drains = {}
end

function Offload:note_gone(run)
  if #self.drains == 0 or has_phone(self.p) then return end
  end_drains(self, run, true, "no phone is here any more; the node can be stopped")
end

-- --- acts

local function refuse(text, ...)
  return { refusal = text:format(...) }
end

local function phones_text(count)
  return units.counted(count, "phone")
end

local function whole_of(text)
  return math.tointeger(tonumber(text))
end

-- Drains would wait for phones that the node tells no more.
local function give_up(self, run)
  local left = count_phones(self.p)
  if left == 0 then return end
  end_drains(self, run, false, ("the offload has ended with %s here; begin again with gbflow offload --all"):format(
    phones_text(left)))
end

local function fault_of(self, order)
  local most = order.phones and whole_of(order.phones)
  local fault = lack_of(self, order.to and (whole_of(order.to) or order.to))
  if not fault and order.phones and (not most or most < 1) then
    return ("%s phones: name a whole number above 0, or all"):format(order.phones)
  end
  return fault
end

local plans = {}

function plans.offload(self, order)
  if order.stop then
    if self.left == 0 then return refuse("no offload is in progress") end
    return { says = "nothing more: phones keep their P-TMSIs from now on", parts = 1, most_ns = 0 }
  end
  local fault = fault_of(self, order)
  if fault then return refuse("%s", fault) end
  local which = order.phones and "the next " .. phones_text(whole_of(order.phones))
    or ("each of %s here"):format(phones_text(count_phones(self.p)))
  return { says = ("%s: a P-TMSI with %s, %s"):format(which, order.to and "NRI " .. order.to or "the NULL-NRI",
    order.now and ("at once, %d a second"):format(AT_ONCE * 1000000000 // PACE)
      or "when it attaches or updates its routeing area"), parts = 1, most_ns = 0 }
end

function plans.drain(self)
  local left = count_phones(self.p)
  if self.left == 0 and left > 0 then
    return refuse("%s here, and no offload is in progress: begin with gbflow offload --all", phones_text(left))
  end
  return { says = ("nothing: waits until %s gone"):format(phones_text(left) .. (left == 1 and " is" or " are")),
    parts = 1, most_ns = self.p.durations.implicit + DRAIN_MARGIN }
end

function Offload:plan(order)
  return plans[order.verb](self, order)
end

local begins = {}

function begins.offload(self, run, order, id)
  self.left = order.stop and 0 or order.phones and whole_of(order.phones) or math.maxinteger
  self.to = order.to and whole_of(order.to)
  self.shard = 1
  run:tell(self.fsm, order.now and not order.stop and "begin" or "stop")
  keep(self, run)
  run:log_of("gmm", "info", order.stop and "offload ends" or "offload begins")
  run:emit({ op = "acted", id = id, done = true, text = order.stop and "the offload has ended"
    or order.phones and "the offload is in progress; gbflow show pool says how many phones are told"
    or "the offload is in progress; gbflow drain says when no phone is left" })
  if order.stop then give_up(self, run) end
end

-- The client of an earlier drain may be gone, by Ctrl-C.
function begins.drain(self, run, _, id)
  self.drains[#self.drains + 1] = id
  if #self.drains > DRAINS then table.remove(self.drains, 1) end -- its time is over
  self:note_gone(run)
end

function Offload:begin(run, order, id)
  begins[order.verb](self, run, order, id)
end

function Offload:configure(run)
  local lack = self.left > 0 and lack_of(self, self.to)
  if not lack then return end
  self.left = 0
  run:tell(self.fsm, "stop")
  keep(self, run)
  run:log_of("gmm", "warning", "the offload ends: %s", lack)
  give_up(self, run)
end

function Offload:adopt(run, kept)
  self.left, self.to = kept.left, kept.to
  self.is_resumed = kept.now
  keep(self, run)
  self:configure(run)
end

-- All phones are there again: those that were to be told at once are.
function Offload:resume(run)
  self.shard = 1
  if self.is_resumed and self.left > 0 then run:tell(self.fsm, "begin") end
  self.is_resumed = nil
end

function Offload:text()
  if self.left == 0 then return nil end
  local to = self.to and "NRI " .. self.to or "the NULL-NRI"
  return ("%s to %s"):format(self.left == math.maxinteger and "all phones" or "the next " .. phones_text(self.left), to)
end

-- A phone is leaving while another SGSN may ask for it, or has it.
function Offload:state()
  local p, leaving, count = self.p, {}, 0
  if not p.config.pool then return nil end
  for _, departure in pairs(p.departures) do
    leaving[departure.phone] = departure.phone.departure and true or nil
  end
  for _ in pairs(leaving) do count = count + 1 end
  return { nris = p.pool.has_nris and table.concat(p.pool.nris, " ") or "-", offload = self:text() or "-",
    leaving = count, told = p.counts.offload_told or 0 }
end

return gmm_offload
