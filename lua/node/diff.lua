-- SPDX-License-Identifier: BSD-3-Clause
-- Differences between the configuration of a running node and a new one, by kind of change.
--
-- diff(old, new, running) of two checked nodes; running: { workers = { [NSEI] = its worker }, limits = those at
-- start }. Indices are those of `new`. The mobiles of mobiles.file are compared elsewhere
-- (mobile_row.c) ->
--   refused    paths of values that differ and cannot change
--   added      indices, in mobiles.list, of mobiles that are new or differ
--   removed    IMSIs of those that are gone or differ
--   classes    {mobile, context} indices of contexts over GTP-C whose class alone differs, in mobiles that differ in
--              nothing else
--   policies   {nse, cell} indices of cells with another flow control
--   links      indices of NSEs with another rate of their link
--   nses       indices of NSEs that are new
--   gone_nses  NSEIs of those that are gone
--   cells      {nse, cell} indices of cells that are new, of NSEs that are not
--   gone_cells {nsei, bvci} of those that are gone, of NSEs that are not
--   nsvcs      {nse, nsvc} indices of NS-VCs that are new or differ, likewise
--   gone       {nsei, nsvci} of those that are gone or differ, likewise
--   endpoints  indices of NSEs with changed local endpoints, which IP-SNS announces
--   schemes    classes with another AQM scheme, or other parameters of it
--   timers     whether those of Gb differ
--   limits     whether queue limits, lifetimes, shares or the READY timer differ
--   log_lines  whether live.log_lines differs

local classes = require "node.schema_queues"
local keylines = require "schema.keylines"
local tables = require "base.tables"

local node_diff = {}

-- Reasons why a value of the configuration cannot change while the node runs, and its line in the new text.

-- The first row that matches a path applies.
local REASONS <const> = {
  { "^workers", "workers, and the rings between them, are made at the start" },
  { "^limits%.fragments", "memory for them is taken at the start" },
  { "^limits%.lua_", "the limits of Lua are set at the start" },
  { "^limits%.", "memory for it is taken at the start: it can become less, and again what it was then" },
  { "^queues%.extra_flows", "it follows from limits.contexts: memory for it is taken at the start" },
  { "^g[nb]%.port", "devices are opened at the start" },
  { "^gn%.gtpc", "it is read at the start" },
  { "^g[nb]%.", "workers, neighbours and NS-VCs were told of it at the start" },
  { "^live%.metrics", "the HTTP server is started once" },
  { "^live%.", "threads and their processors are settled at the start" },
  { "^eal%.", "DPDK is set up once" },
  { "^nses%[%d+%]%.worker", "an NSE, its cells and its mobiles stay with their worker" },
  { "^nses%[%d+%]%.cells", "a cell keeps its identity; take it out and put it in again" },
  { "^nses%[%d+%]", "it is read when the NSE begins; take the NSE out and put it in again" },
  { "^nses_accepted", "memory and rules of its NSEs are set at the start" },
  { "^llc%.acknowledged", "memory for links is taken at the start; give `links` as many as will be needed" },
  { "^mobiles%.", "it is what all mobiles were made with" },
  { "^queues%..*aqm", "code is loaded at the start alone" },
  { "^queues%.", "queues are made with it at the start" },
  { "^emulated_bss", "a live node emulates none" },
}

local function reason_of(path)
  for _, row in ipairs(REASONS) do
    if path:find(row[1]) then return row[2] end
  end
  return "it is read at the start"
end

-- explain(paths, text, filename) -> lines "FILE:LINE: PATH cannot change while the node runs: REASON". A key that was
-- removed from the text has the line of its table.
function node_diff.explain(paths, text, filename)
  local where, lines = keylines.scan(text), {}
  for i, path in ipairs(paths) do
    lines[i] = string.format("%s:%d: %s cannot change while the node runs: %s", filename, where:line(path), path,
      reason_of(path))
  end
  return lines
end

-- The comparison

local function is_same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then
    return a == b
  end
  for key, value in pairs(a) do
    if not is_same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

local function by_name(a, b)
  return tostring(a) < tostring(b)
end

-- Appends the paths of different values, the deepest paths that differ.
local function differences(a, b, keys, out)
  if type(a) ~= "table" or type(b) ~= "table" then
    if a ~= b then out[#out + 1] = keylines.path_of(keys) end
    return
  end
  local names, seen = {}, {}
  for _, side in ipairs { a, b } do
    for key in pairs(side) do
      if not seen[key] then names[#names + 1] = key end
      seen[key] = true
    end
  end
  table.sort(names, by_name)
  for _, key in ipairs(names) do
    differences(a[key], b[key], keylines.below(keys, key), out)
  end
end

local function without(record, ...)
  local copy = tables.copy(record)
  for _, key in ipairs { ... } do copy[key] = nil end
  return copy
end

-- The same of two records but for some keys; what differs is refused.
local function refuse(result, old, new, keys, ...)
  differences(without(old, ...), without(new, ...), keys, result.refused)
end

local function by(list, field)
  local items = {}
  for _, item in ipairs(list) do items[item[field]] = item end
  return items
end

local function without_classes(mobile)
  local copy = without(mobile)
  copy.contexts = {}
  for i, context in ipairs(mobile.contexts) do
    copy.contexts[i] = context.apn and without(context, "class") or context
  end
  return copy
end

local function compare_classes(i, before, mobile, result)
  for j, context in ipairs(mobile.contexts) do
    if context.class ~= before.contexts[j].class then
      result.classes[#result.classes + 1] = { mobile = i, context = j }
    end
  end
end

local function compare_mobiles(old, new, result)
  local known = by(old, "imsi")
  for i, mobile in ipairs(new) do
    local before = known[mobile.imsi]
    known[mobile.imsi] = nil
    if not before then
      result.added[#result.added + 1] = i
    elseif is_same(without_classes(before), without_classes(mobile)) then
      compare_classes(i, before, mobile, result)
    else
      result.added[#result.added + 1] = i
      result.removed[#result.removed + 1] = mobile.imsi
    end
  end
  for imsi in pairs(known) do result.removed[#result.removed + 1] = imsi end
  table.sort(result.removed)
end

-- An NS-VC is identified by its NS-VCI; one that differs is deleted and added again.
local function compare_nsvcs(i, nsei, old, new, result)
  local known = by(new, "nsvci")
  for _, nsvc in ipairs(old) do
    if not is_same(nsvc, known[nsvc.nsvci]) then
      result.gone[#result.gone + 1] = { nsei = nsei, nsvci = nsvc.nsvci }
    else
      known[nsvc.nsvci] = nil
    end
  end
  for j, nsvc in ipairs(new) do
    if known[nsvc.nsvci] then result.nsvcs[#result.nsvcs + 1] = { nse = i, nsvc = j } end
  end
end

local function compare_sns(i, old, new, result)
  if not old or not new then
    return differences(old, new, { "nses", i, "sns" }, result.refused)
  end
  refuse(result, old, new, { "nses", i, "sns" }, "endpoints")
  if not is_same(old.endpoints, new.endpoints) then result.endpoints[#result.endpoints + 1] = i end
end

-- A cell is identified by its BVCI in its NSE.
local function compare_cells(i, nsei, old, new, result)
  local known = by(old, "bvci")
  for j, cell in ipairs(new) do
    local before = known[cell.bvci]
    known[cell.bvci] = nil
    if not before then
      result.cells[#result.cells + 1] = { nse = i, cell = j }
    else
      refuse(result, before, cell, { "nses", i, "cells", j }, "flow_control")
      if not is_same(before.flow_control, cell.flow_control) then
        result.policies[#result.policies + 1] = { nse = i, cell = j }
      end
    end
  end
  for _, cell in ipairs(old) do
    if known[cell.bvci] then result.gone_cells[#result.gone_cells + 1] = { nsei = nsei, bvci = cell.bvci } end
  end
end

local function compare_nse(i, old, new, worker, result)
  -- flow_control: of the cells
  refuse(result, old, new, { "nses", i }, "cells", "nsvcs", "sns", "gb", "worker", "is_dealt", "flow_control")
  if not new.is_dealt and new.worker ~= worker then
    result.refused[#result.refused + 1] = keylines.path_of { "nses", i, "worker" }
  end
  compare_sns(i, old.sns, new.sns, result)
  compare_nsvcs(i, new.nsei, old.nsvcs, new.nsvcs, result)
  if not is_same(old.gb, new.gb) then result.links[#result.links + 1] = i end
  compare_cells(i, new.nsei, old.cells, new.cells, result)
end

-- An NSE is identified by its NSEI, at any position, and stays with its worker.
local function compare_nses(old, new, workers, result)
  local known = by(old, "nsei")
  for i, nse in ipairs(new) do
    local before = known[nse.nsei]
    known[nse.nsei] = nil
    if before then
      compare_nse(i, before, nse, workers[nse.nsei] or before.worker, result)
    else
      result.nses[#result.nses + 1] = i
    end
  end
  for _, nse in ipairs(old) do
    if known[nse.nsei] then result.gone_nses[#result.gone_nses + 1] = nse.nsei end
  end
end

local function fixed_limits(limits)
  return { fragments = limits.fragments, lua_call = limits.lua_call, lua_errors = limits.lua_errors,
    lua_memory = limits.lua_memory }
end

-- Memory was allocated for the numbers at start; lower numbers are possible.
local function compare_limits(old, new, most, result)
  for _, key in ipairs { "mobiles", "contexts", "npdu_buffers", "reassemblies" } do
    if new[key] > most[key] then result.refused[#result.refused + 1] = keylines.path_of { "limits", key } end
  end
  differences(fixed_limits(old), fixed_limits(new), { "limits" }, result.refused)
  if not is_same(old, new) then result.limits = true end
end

-- The limits of the classes, without their schemes.
local function limits_of(classes)
  local limits = {}
  for name, class in pairs(classes) do limits[name] = { octets = class.octets, packets = class.packets } end
  return limits
end

-- Orders of classes that are not the default, which are fixed at the start.
local function fixed_of(classes)
  local fixed = {}
  for name, class in pairs(classes) do
    if class.order and class.order ~= "mobiles" then fixed[name] = { order = class.order } end
  end
  return fixed
end

-- The AQM scheme of a class, and its path.
local function scheme_of(queues, class)
  local own = queues.class[class]
  if own and own.aqm then return own.aqm, { "queues", "class", class, "aqm" } end
  if class ~= "signalling" and class ~= "sms" then return queues.aqm, { "queues", "aqm" } end
end

-- A scheme that is not built in is code, which is loaded at the start alone.
local function compare_schemes(old, new, result)
  local seen = {}
  for _, class in ipairs(classes.CLASSES) do
    local before, after = scheme_of(old, class), scheme_of(new, class)
    if not is_same(before, after) then
      local _, path = scheme_of(new, class)
      local file = after and (after.plugin and "plugin" or after.lua and "lua")
      path = file and keylines.path_of(keylines.below(path, file))
      if path and not seen[path] then result.refused[#result.refused + 1] = path end
      if not path then result.schemes[#result.schemes + 1] = class end
      seen[path or class] = true
    end
  end
end

local FREE <const> = { "weights", "mobile", "budget_packets", "reserve_packets", "flow_quantum" }
local FOLLOWING <const> = { "extra_flows", "flow_sets" } -- of `limits` unless they are given

local function compare_queues(old, new, result)
  compare_schemes(old.queues, new.queues, result)
  local before, after = without(old.queues, "class", "aqm", table.unpack(FREE)),
    without(new.queues, "class", "aqm", table.unpack(FREE))
  for _, key in ipairs(FOLLOWING) do
    if old.queues.follow[key] and new.queues.follow[key] then before[key], after[key] = nil, nil end
  end
  before.follow, after.follow = nil, nil
  differences(before, after, { "queues" }, result.refused)
  differences(fixed_of(old.queues.class), fixed_of(new.queues.class), { "queues", "class" }, result.refused)
  for _, key in ipairs(FREE) do
    if not is_same(old.queues[key], new.queues[key]) then result.limits = true end
  end
  if not is_same(limits_of(old.queues.class), limits_of(new.queues.class)) then result.limits = true end
end

-- Listed cells follow the flow control of the node by their own configuration; accepted ones keep what they had.
local function compare_accepted(old, new, result)
  if old and new then old, new = without(old, "flow_control"), without(new, "flow_control") end
  differences(old, new, { "nses_accepted" }, result.refused)
end

local function compare_mobile_settings(old, new, result)
  -- homes are those of learned mobiles
  refuse(result, old, new, { "mobiles" }, "list", "file", "adds_links", "adds_buffers", "homes", "queue_limit",
    "ready_timer")
  if old.ready_timer ~= new.ready_timer then result.limits = true end
end

function node_diff.diff(old, new, running)
  local result = { refused = {}, added = {}, removed = {}, classes = {}, policies = {}, links = {}, nsvcs = {},
    gone = {}, endpoints = {}, nses = {}, gone_nses = {}, cells = {}, gone_cells = {}, schemes = {}, limits = false }
  -- flow_control is part of the cells
  refuse(result, old, new, {}, "nses", "nses_accepted", "mobiles", "timers", "live", "limits", "queues", "lifetime",
    "flow_control")
  compare_accepted(old.nses_accepted, new.nses_accepted, result)
  compare_limits(old.limits, new.limits, running.limits, result)
  compare_queues(old, new, result)
  compare_mobile_settings(old.mobiles, new.mobiles, result)
  refuse(result, old.live, new.live, { "live" }, "log_lines")
  compare_nses(old.nses, new.nses, running.workers, result)
  compare_mobiles(old.mobiles.list, new.mobiles.list, result)
  result.timers = not is_same(old.timers, new.timers)
  result.limits = result.limits or not is_same(old.lifetime, new.lifetime)
  result.log_lines = old.live.log_lines ~= new.live.log_lines
  return result
end

return node_diff
