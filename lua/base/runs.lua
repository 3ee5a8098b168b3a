-- SPDX-License-Identifier: BSD-3-Clause
-- Runs and timers of an object with state machines: a run (fsm.run) is opened for each event, and one for each timer
-- that expires. The object has `armed` (of its machines), `timers` (base.timers) and, if events are counted, `counts`.
--
--   runs.give(Class)      Class has these methods from then on, and may replace any of them:
--     o:open_run(now)     a run for one event
--     o:close_run(run)    its intents, with records, but those of timers and counts, which are done
--     o:next_at()         instant of the first timer, nil when none runs
--     o:advance(now)      lets timers expire, each in a run of its own; their intents

local fsm = require "base.fsm"

local runs = {}

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

function runs.give(class)
  class.open_run, class.close_run, class.next_at, class.advance = open_run, close_run, next_at, advance
end

return runs
