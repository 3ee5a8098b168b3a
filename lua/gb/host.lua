-- SPDX-License-Identifier: BSD-3-Clause
-- Stands between the state machines and the C host: keeps their timers and hands the host every other intent. An
-- error in one harms the NSE that it was about, and nothing else (gb.faults).
--
--   local h = gb_host.new(config, wire)
--   h:NAME(..., now)      an input of the state machines (gb/plane.lua); intents but timer, cancel, count
--   h:advance(now)        what is due; likewise
--   h:next_at()           when to call advance, nil when no timer runs

local gb = require "gb.plane"
local gb_faults = require "gb.faults"
local tables = require "base.tables"
local timers = require "base.timers"

local gb_host = {}

-- The NSE of an NS-VC's number, of a cell, of a mobile; nil: not known.
local function of_nsvc(g, number)
  local vc = g.nsvcs[number]
  return vc and vc.nse
end

local function of_cell(g, _, nsei)
  return g.nse_by_nsei[nsei]
end

local function of_nsei(g, nsei)
  return g.nse_by_nsei[nsei]
end

local function of_unlisted(g, unlisted)
  return g.nse_by_nsei[unlisted.nsei]
end

local function of_mobile(g, slot)
  local ms = g.mobiles.book.at[slot]
  return ms and ms.cell.nse
end

-- A PDU of another SGSN names cells, and comes from none.
local function of_none()
  return nil
end

-- Events of BSSs, mobiles and GGSNs; an error harms the NSE of its arguments alone.
local EVENTS <const> = { on_pdu = of_nsvc, on_unlisted = of_unlisted, on_heard = of_cell, on_waiting = of_nsei,
  on_rim = of_none, on_page_wanted = of_mobile, on_page_imsi = of_mobile, on_reached = of_mobile,
  ms_told = of_mobile, ms_called = of_mobile, ms_offered = of_mobile, ms_del = of_mobile,
  pfc_add = of_mobile, pfc_del = of_mobile }
-- Orders of the operator.
local ORDERS <const> = { "nse_again", "cell_again", "start", "nse_add", "nse_close", "nse_del", "cell_del", "park",
  "nsvc_del", "sns_endpoints", "set_flow_control", "set_flow_control_accepted",
  "act", "adopt", "adopted" }
local WITHOUT_INTENTS <const> = { "ms_add", "ms_radio", "cell_add", "cell_leaves", "is_parking", "is_cell", "nsvc_of",
  "may_move", "ms_state", "plan", "state", "set_duration" }

local Host = {}
Host.__index = Host

function gb_host.new(node, wire)
  local g = gb.new(node, wire)
  local faults = gb_faults.new(g, node.limits and node.limits.lua_errors)
  return setmetatable({ gb = g, faults = faults, timers = timers.new() }, Host)
end

for name, nse_of in pairs(EVENTS) do
  Host[name] = function(self, ...)
    return self.timers:take(self.faults:call(nse_of(self.gb, ...), select(-1, ...), name, ...))
  end
end

for _, name in ipairs(ORDERS) do
  Host[name] = function(self, ...) return self.timers:take(self.gb[name](self.gb, ...)) end
end

for _, name in ipairs(WITHOUT_INTENTS) do
  Host[name] = function(self, ...) return self.gb[name](self.gb, ...) end
end

function Host:next_at()
  return self.timers:next_at()
end

function Host:advance(now)
  return self.timers:advance(now, function(id) return self.timers:take(self.faults:expire(id, now)) end)
end

function Host:nsvc_add(nsei, nsvci, number, address, udp_port, now)
  local nsvc = { nsvci = nsvci, number = number, address = address, udp_port = udp_port }
  return self.timers:take(self.gb:nsvc_add(nsei, nsvc, now))
end

-- By the rows `gb_events` of gb.shown, sorted by name.
function Host:count_list()
  return tables.counts(self.gb.counts)
end

return gb_host
