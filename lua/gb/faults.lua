-- SPDX-License-Identifier: BSD-3-Clause
-- Faults of the Gb control plane, contained. A call that raises an error loses its event, and the NSE that it was about
-- returns to a known state: its cells are unknown until the BSS resets them, and each of its machines has the timer of
-- its state. An NSE with more errors in a minute than its limit is shut: its cells stay blocked and its events are
-- dropped, so that the BSS finds its NS-VCs dead, until the NSE is removed and added or the node starts again.
--
--   local f = gb_faults.new(g, most)          g: of gb.plane; most: errors of an NSE in a minute
--   f:call(nse, now, method, ...)          intents of g[method](g, ...); nse: whose event it is, nil: not known
--   f:expire(id, now)                      intents of a timer

local gb_bssgp = require "gb.bssgp"
local gb_send = require "gb.send"
local cause = require("gb.cause").bssgp

local gb_faults = {}

local SIGNALLING_BVCI <const> = 0
local MINUTE_NS <const> = 60 * 1000000000
local MOST <const> = 10

local Faults = {}
Faults.__index = Faults

function gb_faults.new(g, most)
  return setmetatable({ gb = g, most = most or MOST }, Faults)
end

local function machines_of(nse)
  local list = {}
  for _, vc in ipairs(nse.nsvcs) do
    list[#list + 1] = vc.fsm
    list[#list + 1] = vc.test
  end
  for _, bvc in ipairs(nse.bvcs) do list[#list + 1] = bvc.fsm end
  if nse.sns then list[#list + 1] = nse.sns.fsm end
  return list
end

local function block(run, nse)
  for _, bvc in ipairs(nse.bvcs) do
    run:tell(bvc.fsm, "signalling_reset")
  end
end

-- The BSS resets a cell that is unknown here (48.018 §9).
local function begin_again(run, nse)
  block(run, nse)
  for _, fsm in ipairs(machines_of(nse)) do run:settle(fsm) end
  for _, bvc in ipairs(nse.usable_nsvcs > 0 and nse.bvcs or {}) do
    gb_send.to_nse(run, nse, SIGNALLING_BVCI, { pdu = "status", cause = cause.BVCI_UNKNOWN, bvci = bvc.bvci })
  end
end

local function shut(run, nse, count)
  nse.is_shut = true
  run:log("error", "NSE %d is shut after %d errors in a minute; its cells are blocked. Remove the NSE from the "
    .. "configuration and add it again, or restart the node", nse.nsei, count)
  block(run, nse)
  gb_bssgp.keep_features(run, nse)
end

-- Errors of the last minute, with this one.
local function note(nse, now)
  local times = {}
  for _, at in ipairs(nse.fault_times or {}) do
    if now - at < MINUTE_NS then times[#times + 1] = at end
  end
  times[#times + 1] = now
  nse.fault_times = times
  return #times
end

-- Events that the failed call has posted are dropped; intents that it has given hold, since they belong to changes that
-- it has made.
function Faults:contain(nse, text, now)
  local run = self.gb.run
  run.posted = 0
  run:emit({ op = "fault", nsei = nse and nse.nsei, text = tostring(text) })
  if nse then
    local count = note(nse, now)
    local act = count > self.most and shut or begin_again
    local is_done = pcall(act, run, nse, count)
    nse.is_shut = nse.is_shut or not is_done
  end
  return self.gb:close_run(run)
end

function Faults:call(nse, now, method, ...)
  local g = self.gb
  if nse and nse.is_shut then
    local run = g:open_run(now)
    run:count("nse_shut")
    return g:close_run(run)
  end
  local is_good, result = xpcall(g[method], debug.traceback, g, ...)
  return is_good and result or self:contain(nse, result, now)
end

local function nse_of_owner(owner)
  local bvc = owner.bvc or owner.ms and owner.ms.cell
  return owner.nse or bvc and bvc.nse
end

function Faults:expire(id, now)
  local instance = self.gb.armed[id]
  return self:call(instance and nse_of_owner(instance.owner), now, "on_timer", id, now)
end

return gb_faults
