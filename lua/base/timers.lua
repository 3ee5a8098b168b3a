-- SPDX-License-Identifier: BSD-3-Clause
-- Timers of state machines, each with an id: a binary heap by the instant at which they were to expire when they came
-- to their place. One that is put off keeps its place, since most are put off again and again before they expire;
-- next_at() moves it when it comes to the top. One that is cancelled stays until then, or until there are more such
-- than live ones. `order` makes timers of one instant expire in the order in which they were set.
--
--   local t = timers.new()
--   t:take(intents, counts)    sets and clears the timers among them, and adds each `count` to the table `counts`, or
--                              drops it where that is nil; returns the same list with the other intents
--   t:next_at()                instant of the first, nil when no timer runs
--   t:advance(now, expire)     expire(id) for each that is due, BURST at most: further ones stay due, so that a million
--                              do not hold up everything else; returns the intents of all of these calls
--   t.live                     how many run
--
-- The runs of an object with state machines: a run (fsm.run) is opened for each event, and one for each timer that
-- expires. The object has `armed` (of its machines), `timers` and, if events are counted, `counts`.
--
--   timers.give_runs(Class)   Class has these methods from then on, and may replace any of them:
--     o:open_run(now)         a run for one event
--     o:close_run(run)        its intents, with records, but those of timers and counts, which are done
--     o:next_at()             instant of the first timer, nil when none runs
--     o:advance(now)          lets timers expire, each in a run of its own; their intents
--   timers.give_inputs(Class, inputs)   each input(o, run, ...) is a method o:NAME(..., now) from then on: does it in
--                           a run of its own, and returns the intents

local fsm = require "base.fsm"

local timers = {}

local SPARE <const>, BURST <const> = 64, 1000

local Timers = {}
Timers.__index = Timers

function timers.new()
  return setmetatable({ heap = {}, running = {}, live = 0, order = 0 }, Timers)
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

function Timers:clear(id)
  if self.running[id] then
    self.running[id] = nil
    self.live = self.live - 1
  end
end

function Timers:compact()
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

function Timers:add(id, at)
  local timer = { id = id, at = at, order = self.order }
  find_place(timer)
  self.running[id] = timer
  self.live = self.live + 1
  push(self.heap, timer)
  if #self.heap > 2 * self.live + SPARE then self:compact() end
end

function Timers:set(id, at)
  local timer = self.running[id]
  self.order = self.order + 1
  if timer and at >= timer.place_at then
    timer.at, timer.order = at, self.order
  else
    self:clear(id)
    self:add(id, at)
  end
end

-- In place.
function Timers:take(intents, counts)
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
    elseif counts then
      counts[intent.name] = (counts[intent.name] or 0) + 1
    end
  end
  return intents
end

function Timers:next_at()
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

function Timers:advance(now, expire)
  local out, left = {}, BURST
  local at = self:next_at()
  while at and at <= now and left > 0 do
    left = left - 1
    local id = self.heap[1].id
    pop(self.heap)
    self:clear(id)
    local intents = expire(id)
    table.move(intents, 1, #intents, #out + 1, out)
    at = self:next_at()
  end
  return out
end

-- Runs

local function open_run(self, now)
  return fsm.run(now, self.armed)
end

local function close_run(self, run)
  run:drain()
  run:keep()
  return self.timers:take(run.intents, self.counts)
end

local function next_at(self)
  return self.timers:next_at()
end

local function advance(self, now)
  return self.timers:advance(now, function(id)
    local run = self:open_run(now)
    run:expire(id)
    return self:close_run(run)
  end)
end

function timers.give_runs(class)
  class.open_run, class.close_run, class.next_at, class.advance = open_run, close_run, next_at, advance
end

function timers.give_inputs(class, inputs)
  for name, take in pairs(inputs) do
    class[name] = function(self, ...)
      local run = self:open_run((select(-1, ...)))
      take(self, run, ...)
      return self:close_run(run)
    end
  end
end

return timers
