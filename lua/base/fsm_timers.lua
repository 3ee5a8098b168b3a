-- SPDX-License-Identifier: BSD-3-Clause
-- Timers of many machines, of equal duration per name: the deadlines of a name are in the order of setting, so a queue
-- for each name suffices. Cancelled timers are skipped at the head of the queue.
--
--   local t = fsm_timers.new(armed, names, counts)
--                            armed: as fsm.run() keeps it; names: of timers in the machines, those that come first at
--                            one instant in front; counts: a table for what is counted, by name, or nil
--   t:take(intents)          keeps the timers among them and counts what wants that; returns the rest, without cancels
--   t:next_at()              deadline of the first, nil
--   t:advance(now, close)    expires what is due, each in a run that close(run) turns into intents; returns them all

local fsm = require "base.fsm"

local fsm_timers = {}

local Timers = {}
Timers.__index = Timers

function fsm_timers.new(armed, names, counts)
  local queues = {}
  for _, name in ipairs(names) do queues[name] = { first = 1, last = 0 } end
  return setmetatable({ armed = armed, names = names, counts = counts, queues = queues }, Timers)
end

function Timers:take(intents)
  local out = {}
  for _, intent in ipairs(intents) do
    if intent.op == "timer" then
      local queue = self.queues[intent.id:match("[^/]+$")]
      queue.last = queue.last + 1
      queue[queue.last] = intent
    elseif intent.op == "count" then
      if self.counts then self.counts[intent.name] = (self.counts[intent.name] or 0) + 1 end
    elseif intent.op ~= "cancel" then
      out[#out + 1] = intent
    end
  end
  return out
end

local function pop(queue)
  local timer = queue[queue.first]
  queue[queue.first] = nil
  queue.first = queue.first + 1
  return timer
end

local function is_stale(self, timer)
  local instance = self.armed[timer.id]
  return not instance or instance.deadline_ns ~= timer.at
end

-- The queue with the earliest deadline; nil: none.
local function next_queue(self)
  local found
  for _, name in ipairs(self.names) do
    local queue = self.queues[name]
    while queue.first <= queue.last and is_stale(self, queue[queue.first]) do
      pop(queue)
    end
    if queue.first <= queue.last and (not found or queue[queue.first].at < found[found.first].at) then
      found = queue
    end
  end
  return found
end

function Timers:next_at()
  local queue = next_queue(self)
  return queue and queue[queue.first].at
end

-- Removes the first timer if it is due and returns its id.
local function due(self, now)
  local queue = next_queue(self)
  return queue and queue[queue.first].at <= now and pop(queue).id or nil
end

function Timers:advance(now, close)
  local out, id = {}, due(self, now)
  while id do
    local run = fsm.run(now, self.armed)
    run:expire(id)
    local intents = close(run)
    table.move(intents, 1, #intents, #out + 1, out)
    id = due(self, now)
  end
  return out
end

return fsm_timers
