-- SPDX-License-Identifier: BSD-3-Clause
-- Timers of state machines, each with an id: a binary heap by the instant at which they were to expire when they came
-- to their place. One that is put off keeps its place, since most are put off again and again before they expire;
-- when it comes to the top, next_at() or advance() moves it, a few in each call. `order` makes timers of one instant
-- expire in the order in which they were set.
--
--   local t = timers.new()     ids are texts or numbers
--   local t = timers.new(true) ids are instances of fsm, each with one timer, which stands in its field `clock`
--   t:take(intents, counts)    sets and clears the timers among them, and adds each `count` to the table `counts`, or
--                              drops it where that is nil; returns the same list with the other intents
--   t:next_at()                instant of the first, or an earlier one; nil when no timer runs
--   t:advance(now, expire)     expire(id) for each that is due, BURST at most: further ones stay due, so that a million
--                              do not hold up everything else; returns the intents of all of these calls
--   t.live                     how many run
--
-- The heap is a list of lists of CHUNK timers: Lua's collector goes through a list at once, and a list that is full is
-- copied at once.
--
-- The runs of an object with state machines: a run (fsm.run) is opened for each event, and one for each timer that
-- expires. The object has `armed` (of its machines, nil: see fsm.run), `timers`, if events are counted, `counts`, and
-- if they are seen, `observe`.
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

local BURST <const>, MOVES_OF_ONE <const> = 20, 8 -- a move costs an eighth of what the least expiry does
local MOVES <const> = 64
local CHUNK_BITS <const> = 9
local CHUNK_MASK <const> = (1 << CHUNK_BITS) - 1

-- A timer is a list: its id, instant and order as last set, the two of its place, and the number of its place.
local ID <const>, AT <const>, ORDER <const>, PLACE_AT <const>, PLACE_ORDER <const>, PLACE <const> = 1, 2, 3, 4, 5, 6

local Timers = {}
Timers.__index = Timers

function timers.new(are_in_instances)
  return setmetatable({ heap = {}, running = not are_in_instances and {} or nil, live = 0, order = 0 }, Timers)
end

local function before(a, b)
  local a_at, b_at = a[PLACE_AT], b[PLACE_AT]
  return a_at < b_at or a_at == b_at and a[PLACE_ORDER] < b[PLACE_ORDER]
end

local function at_place(heap, i)
  return heap[1 + (i >> CHUNK_BITS)][1 + (i & CHUNK_MASK)]
end

local function put(heap, i, timer)
  local number = 1 + (i >> CHUNK_BITS)
  local chunk = heap[number]
  if not chunk then
    chunk = {}
    heap[number] = chunk
  end
  chunk[1 + (i & CHUNK_MASK)] = timer
  timer[PLACE] = i
end

-- Puts a timer in place i, or nearer to the top, where it belongs.
local function raise(heap, i, timer)
  while i > 1 do
    local parent = at_place(heap, i // 2)
    if not before(timer, parent) then break end
    put(heap, i, parent)
    i = i // 2
  end
  put(heap, i, timer)
end

-- Puts a timer in place i, or further from the top, where it belongs.
local function sink(heap, count, i, timer)
  while 2 * i <= count do
    local child = 2 * i
    local other = at_place(heap, child)
    if child < count then
      local right = at_place(heap, child + 1)
      if before(right, other) then child, other = child + 1, right end
    end
    if before(timer, other) then break end
    put(heap, i, other)
    i = child
  end
  put(heap, i, timer)
end

-- The last timer takes the place of one that goes.
local function remove(heap, count, timer)
  local i, last = timer[PLACE], at_place(heap, count)
  heap[1 + (count >> CHUNK_BITS)][1 + (count & CHUNK_MASK)] = nil
  if last == timer then return end
  if i > 1 and before(last, at_place(heap, i // 2)) then
    raise(heap, i, last)
  else
    sink(heap, count - 1, i, last)
  end
end

local function find_place(timer)
  timer[PLACE_AT], timer[PLACE_ORDER] = timer[AT], timer[ORDER]
end

function Timers:find(id)
  if self.running then return self.running[id] end
  return id.clock
end

function Timers:note(id, timer)
  if self.running then self.running[id] = timer else id.clock = timer end
end

function Timers:clear(id)
  local timer = self:find(id)
  if not timer then return end
  remove(self.heap, self.live, timer)
  self:note(id, nil)
  self.live = self.live - 1
end

function Timers:set(id, at)
  local timer, order = self:find(id), self.order + 1
  self.order = order
  if not timer then
    timer = { id, at, order, at, order, 0 }
    self:note(id, timer)
    self.live = self.live + 1
    return raise(self.heap, self.live, timer)
  end
  timer[AT], timer[ORDER] = at, order
  if at < timer[PLACE_AT] then
    find_place(timer)
    raise(self.heap, timer[PLACE], timer)
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

local function is_put_off(timer)
  return timer[PLACE_ORDER] ~= timer[ORDER]
end

function Timers:move(timer)
  find_place(timer)
  sink(self.heap, self.live, 1, timer)
end

function Timers:next_at()
  if self.live == 0 then return nil end
  local first = at_place(self.heap, 1)
  for _ = 1, MOVES do
    if not is_put_off(first) then break end
    self:move(first)
    first = at_place(self.heap, 1)
  end
  return first[PLACE_AT]
end

function Timers:advance(now, expire)
  local out, left = {}, BURST * MOVES_OF_ONE
  while self.live > 0 and left > 0 do
    local first = at_place(self.heap, 1)
    if first[PLACE_AT] > now then break end
    if is_put_off(first) then
      left = left - 1
      self:move(first)
    else
      left = left - MOVES_OF_ONE
      local id = first[ID]
      self:clear(id)
      local intents = expire(id)
      table.move(intents, 1, #intents, #out + 1, out)
    end
  end
  return out
end

-- Runs

local function open_run(self, now)
  return fsm.run(now, self.armed, self.observe)
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
