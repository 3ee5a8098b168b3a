-- SPDX-License-Identifier: BSD-3-Clause
-- Runner of state machines that are plain data.
--
-- A machine is a table:
--   name, initial   strings
--   states          state -> { on = { event -> row }, enter = action, leave = action, timer = timer, otherwise = row }
--   any             event -> row, for states that have no row of their own for the event
--   timers          timer -> { after = duration, retries = count, again = event, out = event }
--   actions         action -> function(owner, run, arg)
--   keep            optional: function(owner) -> what the machine has to know again after a restart of control, a value
--                   of base.records; nil: nothing, it may be new then
--   id              optional: function(owner) -> id of an instance that is made without one
--   category, about optional: of its lines of level debug (base.trace)
-- A row is { action = , next = }, both optional. A row with `next` leaves its state and enters the next one, also when
-- that is the same; a row without stays inside. Order: leave, action, enter, timer. `otherwise` answers an event that
-- has no row; such an event is counted as "<name>_unexpected" whether or not it is answered.
-- A state's timer runs while the machine is in the state. `after` and `retries` name entries of the instance's table of
-- durations (nanoseconds and counts). Each expiry raises `again` and restarts the timer until the retries are used up;
-- the next one raises `out`. One timer per state suffices: parallel procedures are separate machines.
--
-- Actions do no input or output; they add intents to the run, in order. Machines own others in a tree: down the tree an
-- action tells, and the event is handled at once; up or across it posts, and the event waits until the current one is
-- complete, so that no machine gets an event between two states.
--
-- While what an action sends has to wait, the timer of the state that the action leads to does not count: run:hold() in
-- the action; expiries only put it off. run:release() starts it, run:lapse() ends it.

local records = require "base.records"

-- trace: nil, or functions that see each event and the end of each run (base.trace).
local fsm = { defined = {}, trace = nil }

local Run = {}
Run.__index = Run

-- One pass over events at the instant `now` (ns). `armed` maps the ids of running timers to instances and outlives the
-- run; nil: instances are the ids of their timers. `observe(machine, state, event, instance, now)`, optional, sees each
-- row that is taken.
function fsm.run(now, armed, observe)
  local run = { armed = armed, observe = observe, events = {}, posted = 0, touched = {}, touches = 0 }
  return setmetatable(run, Run):reopen(now)
end

-- Reopens a drained run with a new list of intents: cheaper than a new run, and a list made with room for the usual
-- number is cheaper than one that grows.
function Run:reopen(now)
  self.now, self.intents, self.emitted, self.has_counted, self.posted = now, { nil, nil, nil, nil }, 0, false, 0
  self.acting = nil
  return self
end

function Run:emit(intent)
  local n = self.emitted + 1
  self.intents[n], self.emitted = intent, n
end

function Run:count(name)
  self.has_counted = true
  self:emit({ op = "count", name = name })
end

function Run:log(level, format, ...)
  self:emit({ op = "log", level = level, text = format:format(...) })
end

-- The same for a category of its own (control/log/log.h); run:log() has that of the object.
function Run:log_of(category, level, format, ...)
  self:emit({ op = "log", who = category, level = level, text = format:format(...) })
end

-- The intent that keeps a record until the next one of its key; value nil: deletes it.
function Run:record(key, value)
  if records.is_on then
    self:emit({ op = "keep", key = key, octets = value ~= nil and records.pack(value) or nil })
  end
end

-- The record of a machine may have changed: keep() makes it again.
function Run:touch(instance)
  if records.is_on and self.touched[self.touches] ~= instance then
    self.touches = self.touches + 1
    self.touched[self.touches] = instance
  end
end

-- A machine whose record cannot be made has none.
local function text_of(instance)
  local is_good, value = pcall(instance.machine.keep, instance.owner)
  local is_text, text = pcall(records.pack, value)
  return is_good and value ~= nil and is_text and text or nil
end

-- At the end of the events of a call: the records of the machines that have changed, by their ids. They go before the
-- other intents, of which one may call back at once and change a record again.
function Run:keep()
  if self.touches == 0 then return end
  local touched, kept = self.touched, {}
  for i = 1, self.touches do
    local instance = touched[i]
    local text = text_of(instance)
    if text or instance.is_kept then
      instance.is_kept = text ~= nil
      kept[#kept + 1] = { op = "keep", key = fsm.id_of(instance), octets = text }
    end
    touched[i] = nil
  end
  self.touches = 0
  if #kept == 0 then return end
  table.move(self.intents, 1, self.emitted, #kept + 1)
  table.move(kept, 1, #kept, 1, self.intents)
  self.emitted = self.emitted + #kept
end

-- Posted events are three entries each of one list: cheaper than a table per event.
function Run:post(instance, event, arg)
  local events, n = self.events, self.posted
  events[n + 1], events[n + 2], events[n + 3] = instance, event, arg
  self.posted = n + 3
end

-- Instances of a machine with the same durations share a metatable, since a node has many of them.
local NO_DURATIONS <const> = {}

local function class_of(machine, durations)
  local classes = machine.classes
  local class = classes[durations]
  if not class then
    class = { __index = { machine = machine, durations = durations } }
    classes[durations] = class
  end
  return class
end

-- A machine in its initial state. `id` prefixes the ids of its timers, so it is unique; `owner` is handed to actions.
-- The fields that are nil have their room from the start: eight take half the memory of nine.
function fsm.new(machine, owner, id, durations)
  return setmetatable({ owner = owner, id = id, state = machine.initial, timer = nil, deadline_at = nil,
    retries_left = nil, is_kept = nil, clock = nil }, class_of(machine, durations or NO_DURATIONS))
end

function fsm.id_of(instance)
  return instance.id or instance.machine.id(instance.owner)
end

local function timer_id(run, instance)
  return run.armed and fsm.id_of(instance) .. "/" .. instance.timer or instance
end

local function arm(run, instance)
  local row, id = instance.machine.timers[instance.timer], timer_id(run, instance)
  instance.deadline_at = run.now + instance.durations[row.after]
  if run.armed then run.armed[id] = instance end
  run:emit({ op = "timer", id = id, at = instance.deadline_at })
end

local function disarm(run, instance)
  if run.armed then run.armed[timer_id(run, instance)] = nil end
  instance.timer = nil
end

-- A timer that continues under the same id gets a new deadline, without a cancel first.
local function stop_timer(run, instance, next_timer)
  if instance.timer and instance.timer ~= next_timer then
    if run.armed or not next_timer then run:emit({ op = "cancel", id = timer_id(run, instance) }) end
    disarm(run, instance)
  end
end

local function start_timer(run, instance, name)
  if not name then return end
  if instance.held then instance.held.is_timed = true end
  instance.timer = name
  local retries = instance.machine.timers[name].retries
  instance.retries_left = retries and instance.durations[retries] or 0
  arm(run, instance)
end

local function act(run, instance, action, arg)
  if action then
    local outer = run.acting
    run.acting = instance
    instance.machine.actions[action](instance.owner, run, arg)
    run.acting = outer
  end
end

local function take_row(run, instance, row, arg)
  if not row.next then
    return act(run, instance, row.action, arg)
  end
  local states = instance.machine.states
  local target = states[row.next]
  if instance.held then instance.held = nil end
  act(run, instance, states[instance.state].leave, arg)
  stop_timer(run, instance, target.timer)
  act(run, instance, row.action, arg)
  instance.state = row.next
  act(run, instance, target.enter, arg)
  start_timer(run, instance, target.timer)
  if instance.machine.keep then run:touch(instance) end
end

local function step(run, instance, event, arg)
  local machine = instance.machine
  local state = machine.states[instance.state]
  local row, taken = state.on[event] or machine.any[event], event
  if not row then
    run:count(machine.name .. "_unexpected")
    row, taken = state.otherwise, "otherwise"
  end
  if fsm.trace then fsm.trace.step(run, instance, event, row) end
  if row then
    if run.observe then run.observe(machine, instance.state, taken, instance, run.now) end
    take_row(run, instance, row, arg)
  end
end

-- Gives an event to a machine below the caller's in the tree.
function Run:tell(instance, event, arg)
  step(self, instance, event, arg)
end

-- Handles the posted events, and those posted meanwhile, one by one; returns the intents.
function Run:drain()
  local events, i = self.events, 0
  while i < self.posted do
    step(self, events[i + 1], events[i + 2], events[i + 3])
    i = i + 3
  end
  self.posted = 0
  if fsm.trace then fsm.trace.close(self) end
  return self.intents
end

-- After an error inside a row: the machine has the timer of its state again.
function Run:settle(instance)
  if instance.machine.keep then self:touch(instance) end
  local timer = instance.machine.states[instance.state].timer
  if instance.timer ~= timer then
    stop_timer(self, instance, timer)
    start_timer(self, instance, timer)
  elseif timer and instance.deadline_at <= self.now then
    arm(self, instance)
  end
end

-- The timer of the machine whose action runs waits. Returns the machine and a mark of its state; nil outside of
-- actions.
function Run:hold()
  local instance = self.acting
  if not instance then return nil end
  instance.held = instance.held or { is_timed = instance.timer ~= nil }
  return instance, instance.held
end

-- Whether the machine has left the state that waited, which had a timer.
function fsm.is_past(instance, mark)
  return mark.is_timed and instance.held ~= mark
end

-- The timer of a machine that is held runs from now on.
function Run:release(instance)
  if not instance.held then return end
  instance.held = nil
  if instance.timer then arm(self, instance) end
end

-- As if the timer of a machine that is held had expired for the last time.
function Run:lapse(instance)
  if not instance.held then return end
  instance.held = nil
  if instance.timer then self:post(instance, instance.machine.timers[instance.timer].out) end
end

-- Gives a new machine the state that its record says. No action runs; the timer of the state starts; an act of an
-- operator (base.acts) continues.
function Run:restore(instance, state)
  local row = assert(instance.machine.states[state], "a record has an unknown state")
  instance.state = state
  start_timer(self, instance, row.timer)
  self:touch(instance)
  if instance.owner.act then self:emit({ op = "act_kept", id = instance.owner.act }) end
end

-- The timer `id` has expired. A timer that was cancelled meanwhile is counted and ignored.
function Run:expire(id)
  local instance = id
  if self.armed then instance = self.armed[id] end
  if not instance or not instance.timer or self.now < instance.deadline_at then
    return self:count("timer_stale")
  end
  if instance.held then return arm(self, instance) end
  local row = instance.machine.timers[instance.timer]
  if instance.retries_left == 0 then
    disarm(self, instance)
    return step(self, instance, row.out)
  end
  instance.retries_left = instance.retries_left - 1
  local state = instance.state
  step(self, instance, row.again)
  if instance.state == state then arm(self, instance) end
end

-- Rows of a machine as a list of { state = , event = , row = }, sorted; rows of `any` have state "*".
function fsm.rows(machine)
  local list = {}
  local function add(state, rows)
    for event, row in pairs(rows) do
      list[#list + 1] = { state = state, event = event, row = row }
    end
  end
  for name, state in pairs(machine.states) do
    add(name, state.on)
    if state.otherwise then add(name, { otherwise = state.otherwise }) end
  end
  add("*", machine.any)
  table.sort(list, function(a, b)
    if a.state ~= b.state then return a.state < b.state end
    return a.event < b.event
  end)
  return list
end

local function check_timer(machine, name, state)
  local row = assert(machine.timers[state.timer], machine.name .. ": timer of " .. name)
  for _, event in ipairs({ row.out, row.again }) do
    assert(state.on[event] or machine.any[event], machine.name .. ": " .. name .. " takes no " .. event)
  end
  assert((row.again == nil) == (row.retries == nil), machine.name .. ": retries of " .. state.timer)
end

local function check_reachable(machine, rows)
  local reached, grown = { [machine.initial] = true }, true
  while grown do
    grown = false
    for _, item in ipairs(rows) do
      local next_state = item.row.next
      if next_state and not reached[next_state] and (item.state == "*" or reached[item.state]) then
        reached[next_state], grown = true, true
      end
    end
  end
  for name in pairs(machine.states) do
    assert(reached[name], machine.name .. ": state " .. name .. " is never reached")
  end
end

-- Fills in empty parts, asserts that a machine is consistent, and returns it. fsm.defined has it by its name.
function fsm.define(machine)
  machine.any = machine.any or {}
  machine.classes = setmetatable({}, { __mode = "k" }) -- by the durations of their instances
  machine.timers = machine.timers or {}
  for name, state in pairs(machine.states) do
    state.on = state.on or {}
    if state.timer then check_timer(machine, name, state) end
    for _, action in ipairs({ state.enter or state.leave, state.leave }) do
      assert(machine.actions[action], machine.name .. ": action " .. action)
    end
  end
  local rows = fsm.rows(machine)
  for _, item in ipairs(rows) do
    local action, next_state = item.row.action, item.row.next
    assert(not action or machine.actions[action], machine.name .. ": action " .. tostring(action))
    assert(not next_state or machine.states[next_state], machine.name .. ": state " .. tostring(next_state))
  end
  check_reachable(machine, rows)
  fsm.defined[machine.name] = machine
  return machine
end

return fsm
