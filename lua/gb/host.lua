-- SPDX-License-Identifier: BSD-3-Clause
-- Stands between the state machines and the C host: keeps their timers and hands the host every other intent.
--
--   local h = gb_host.new(config, wire)
--   h:NAME(..., now)      an input of the state machines (gb/node.lua); intents but timer, cancel, count
--   h:advance(now)        what is due; likewise
--   h:next_at()           when to call advance, nil when no timer runs

local gb = require "gb.node"
local gb_faults = require "gb.faults"
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

local function of_mobile(g, tlli)
  local bvc = g.mobiles:cell_of(tlli)
  return bvc and bvc.nse
end

-- Events of BSSs, mobiles and GGSNs; an error harms the NSE of its arguments alone (gb/faults.lua).
local EVENTS <const> = { on_pdu = of_nsvc, on_heard = of_cell, on_page_wanted = of_mobile, on_reached = of_mobile,
  ms_ra_capability = of_mobile, ms_del = of_mobile, pfc_add = of_mobile, pfc_del = of_mobile }
-- Orders of the operator.
local ORDERS <const> = { "start", "nse_add", "nse_close", "nse_del", "cell_del", "park", "nsvc_del", "sns_endpoints",
  "adopt", "adopted" }
local WITHOUT_INTENTS <const> = { "ms_add", "cell_add", "cell_leaves", "is_parking", "is_cell",
  "may_move", "ms_state", "state", "set_flow_control",
  "set_duration" }

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

-- { counts = { { name =, count = }, ... } }, by name.
function Host:count_list()
  local list = {}
  for name, count in pairs(self.gb.counts) do list[#list + 1] = { name = name, count = count } end
  table.sort(list, function(a, b) return a.name < b.name end)
  return { counts = list }
end

return gb_host
