-- SPDX-License-Identifier: BSD-3-Clause
-- Stands between the state machines and the C host: keeps their timers and hands the host every other intent.
--
--   local h = gb_host.new(config, wire)
--   h:start(now), h:pdu(nsvc_index, octets, now), h:advance(now), h:heard(tlli, nsei, bvci, now), h:ms_del(tlli, now),
--   h:pfc_add(tlli, pdp, pfi, class, now), h:pfc_del(tlli, pdp, pfi, now)    intents but timer, cancel, count
--   h:page_wanted(tlli, now), h:reached(tlli, now), h:sns_endpoints(nsei, endpoints, now),
--   h:ms_ra_capability(tlli, octets, now)                            likewise
--   h:ms_add(tlli, nsei, bvci, imsi)
--   h:next_at()                                                      when to call advance, nil when no timer runs
--
-- Timers are a binary heap by the instant at which they were to expire when they came to their place. One that is put
-- off keeps its place, since most are put off again and again before they expire; next_at() moves it when it comes to
-- the top. One that is cancelled stays until then, or until there are more such than live ones. `order` makes timers
-- of one instant expire in the order in which they were set.

local config = require "schema.config"
local gb = require "gb.node"

local gb_host = {}

local SPARE <const> = 64

local Host = {}
Host.__index = Host

function gb_host.new(node, wire)
  return setmetatable({ gb = gb.new(node, wire), heap = {}, running = {}, live = 0, order = 0 }, Host)
end

-- A timer: { id =, at =, order = as last set, place_at =, place_order = those of its place in the heap }.
local function before(a, b)
  return a.place_at < b.place_at or a.place_at == b.place_at and a.place_order < b.place_order
end

local function push(heap, timer)
  local i = #heap + 1
  while i > 1 and before(timer, heap[i // 2]) do
    heap[i] = heap[i // 2]
    i = i // 2
  end
  heap[i] = timer
end

-- Puts a timer in the place of the first, and then where it belongs.
local function sink(heap, timer)
  local count, i = #heap, 1
  while true do
    local child = 2 * i
    if child < count and before(heap[child + 1], heap[child]) then child = child + 1 end
    if child > count or before(timer, heap[child]) then break end
    heap[i] = heap[child]
    i = child
  end
  heap[i] = timer
end

local function pop(heap)
  local last = table.remove(heap)
  if heap[1] then sink(heap, last) end
end

local function find_place(timer)
  timer.place_at, timer.place_order = timer.at, timer.order
end

function Host:clear(id)
  if self.running[id] then
    self.running[id] = nil
    self.live = self.live - 1
  end
end

function Host:compact()
  local kept = {}
  for _, timer in ipairs(self.heap) do
    if self.running[timer.id] == timer then
      find_place(timer)
      kept[#kept + 1] = timer
    end
  end
  table.sort(kept, before) -- a sorted list is a heap
  self.heap = kept
end

function Host:add(id, at)
  local timer = { id = id, at = at, order = self.order }
  find_place(timer)
  self.running[id] = timer
  self.live = self.live + 1
  push(self.heap, timer)
  if #self.heap > 2 * self.live + SPARE then self:compact() end
end

function Host:set(id, at)
  local timer = self.running[id]
  self.order = self.order + 1
  if timer and at >= timer.place_at then
    timer.at, timer.order = at, self.order
  else
    self:clear(id)
    self:add(id, at)
  end
end

-- Keeps of a list of intents what is the host's, in place.
function Host:take(intents)
  local kept = 0
  for i = 1, #intents do
    local intent = intents[i]
    local op = intent.op
    intents[i] = nil
    if op == "timer" then
      self:set(intent.id, intent.at)
    elseif op == "cancel" then
      self:clear(intent.id)
    elseif op ~= "count" then
      kept = kept + 1
      intents[kept] = intent
    end
  end
  return intents
end

function Host:start(now)
  return self:take(self.gb:start(now))
end

function Host:pdu(nsvc_index, octets, now)
  return self:take(self.gb:on_pdu(nsvc_index, octets, now))
end

function Host:heard(tlli, nsei, bvci, now)
  return self:take(self.gb:on_heard(tlli, nsei, bvci, now))
end

function Host:page_wanted(tlli, now)
  return self:take(self.gb:on_page_wanted(tlli, now))
end

function Host:reached(tlli, now)
  return self:take(self.gb:on_reached(tlli, now))
end

function Host:ms_add(tlli, nsei, bvci, imsi)
  self.gb:ms_add(tlli, nsei, bvci, imsi)
end

function Host:ms_ra_capability(tlli, octets, now)
  return self:take(self.gb:ms_ra_capability(tlli, octets, now))
end

function Host:ms_del(tlli, now)
  return self:take(self.gb:ms_del(tlli, now))
end

function Host:pfc_add(tlli, pdp, pfi, class, now)
  return self:take(self.gb:pfc_add(tlli, pdp, pfi, class, now))
end

function Host:pfc_del(tlli, pdp, pfi, now)
  return self:take(self.gb:pfc_del(tlli, pdp, pfi, now))
end

function Host:next_at()
  local heap = self.heap
  local first = heap[1]
  while first do
    if self.running[first.id] ~= first then
      pop(heap)
    elseif first.place_order ~= first.order then
      find_place(first)
      sink(heap, first)
    else
      return first.at
    end
    first = heap[1]
  end
end

function Host:advance(now)
  local out = {}
  local at = self:next_at()
  while at and at <= now do
    local id = self.heap[1].id
    pop(self.heap)
    self:clear(id)
    for _, intent in ipairs(self:take(self.gb:on_timer(id, now))) do out[#out + 1] = intent end
    at = self:next_at()
  end
  return out
end

function Host:state()
  return self.gb:state()
end

-- The NSE of that index in a configuration that is right, with the first of its NS-VCs' numbers.
function Host:nse_add(text, index, first, now)
  local node = assert(config.load(text, "", "node"))
  return self:take(self.gb:nse_add(node.nses[index], first, now))
end

function Host:nse_close(nsei, now)
  return self:take(self.gb:nse_close(nsei, now))
end

function Host:nse_del(nsei, now)
  return self:take(self.gb:nse_del(nsei, now))
end

-- The cell of these indices there.
function Host:cell_add(text, nse, cell)
  local node = assert(config.load(text, "", "node"))
  self.gb:cell_add(node.nses[nse].nsei, node.nses[nse].cells[cell])
end

function Host:cell_del(nsei, bvci, now)
  return self:take(self.gb:cell_del(nsei, bvci, now))
end

function Host:nsvc_add(nsei, nsvci, number, now)
  return self:take(self.gb:nsvc_add(nsei, { nsvci = nsvci, number = number }, now))
end

function Host:nsvc_del(number, now)
  return self:take(self.gb:nsvc_del(number, now))
end

function Host:sns_endpoints(nsei, endpoints, now)
  return self:take(self.gb:sns_endpoints(nsei, endpoints, now))
end

function Host:set_flow_control(nsei, bvci, values)
  self.gb:set_flow_control(nsei, bvci, values)
end

function Host:set_duration(group, name, value)
  self.gb:set_duration(group, name, value)
end

function Host:ms_state(tlli)
  return self.gb:ms_state(tlli)
end

-- { counts = { { name =, count = }, ... } }, by name.
function Host:count_list()
  local list = {}
  for name, count in pairs(self.gb.counts) do list[#list + 1] = { name = name, count = count } end
  table.sort(list, function(a, b) return a.name < b.name end)
  return { counts = list }
end

return gb_host
