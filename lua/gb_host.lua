-- SPDX-License-Identifier: BSD-3-Clause
-- Stands between the state machines and the C host: keeps their timers and hands the host every other intent.
--
--   local h = gb_host.new(config, wire)
--   h:start(now), h:pdu(nsvc_index, octets, now), h:advance(now)    lists of intents without timer and cancel
--   h:next_at()                                                      when to call advance, nil when no timer runs
--
-- Timers are a binary heap of {at, order, id}; one that was set anew or cancelled stays in it until its turn comes or
-- there are more such than live ones. `order` makes timers of one instant expire in the order in which they were set.

local gb = require "gb"

local gb_host = {}

local SPARE <const> = 64

local Host = {}
Host.__index = Host

function gb_host.new(config, wire)
  return setmetatable({ gb = gb.new(config, wire), heap = {}, running = {}, live = 0, order = 0 }, Host)
end

local function before(a, b)
  return a.at < b.at or a.at == b.at and a.order < b.order
end

local function push(heap, timer)
  local i = #heap + 1
  while i > 1 and before(timer, heap[i // 2]) do
    heap[i] = heap[i // 2]
    i = i // 2
  end
  heap[i] = timer
end

local function pop(heap)
  local top, last = heap[1], table.remove(heap)
  local count, i = #heap, 1
  while top ~= last do
    local child = 2 * i
    if child < count and before(heap[child + 1], heap[child]) then child = child + 1 end
    if child > count or before(last, heap[child]) then
      heap[i] = last
      break
    end
    heap[i] = heap[child]
    i = child
  end
  return top
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
    if self.running[timer.id] == timer then kept[#kept + 1] = timer end
  end
  table.sort(kept, before) -- a sorted list is a heap
  self.heap = kept
end

function Host:set(id, at)
  self:clear(id)
  self.order = self.order + 1
  local timer = { at = at, order = self.order, id = id }
  self.running[id] = timer
  self.live = self.live + 1
  push(self.heap, timer)
  if #self.heap > 2 * self.live + SPARE then self:compact() end
end

function Host:take(intents, out)
  for _, intent in ipairs(intents) do
    if intent.op == "timer" then
      self:set(intent.id, intent.at)
    elseif intent.op == "cancel" then
      self:clear(intent.id)
    else
      out[#out + 1] = intent
    end
  end
  return out
end

function Host:start(now)
  return self:take(self.gb:start(now), {})
end

function Host:pdu(nsvc_index, octets, now)
  return self:take(self.gb:on_pdu(nsvc_index, octets, now), {})
end

function Host:next_at()
  local heap = self.heap
  while heap[1] and self.running[heap[1].id] ~= heap[1] do
    pop(heap)
  end
  return heap[1] and heap[1].at
end

function Host:advance(now)
  local out = {}
  local at = self:next_at()
  while at and at <= now do
    local id = pop(self.heap).id
    self:clear(id)
    self:take(self.gb:on_timer(id, now), out)
    at = self:next_at()
  end
  return out
end

function Host:state()
  return self.gb:state()
end

return gb_host
