-- SPDX-License-Identifier: BSD-3-Clause
-- What differs between the configuration that a node runs with and a new one, as far as it can change while it runs.
--
-- diff(old, new) of two checked nodes ->
--   refused    paths of what differs and cannot change
--   added      indices, in the new mobiles.list, of mobiles that are new or differ
--   removed    IMSIs of those that are gone or differ
--   classes    {mobile, context} indices, in the new list, of contexts over GTP-C whose class alone differs, in mobiles
--              that differ in nothing else
--   policies   {nse, cell} indices of cells with another flow control
--   links      indices of NSEs with another rate of their link
--   nses       indices of NSEs that are new, at the end of the list
--   nsvcs      {nse, nsvc} indices of NS-VCs that are new or differ
--   gone       {nse = index, nsvci} of those that are gone or differ
--   endpoints  indices of NSEs with other endpoints of ours, which IP-SNS tells
--   timers     whether those of Gb differ
--   log_lines  whether live.log_lines differs

local keylines = require "keylines"

local node_diff = {}

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

local function path_below(keys, key)
  local list = table.move(keys, 1, #keys, 1, {})
  list[#list + 1] = key
  return list
end

local function by_name(a, b)
  return tostring(a) < tostring(b)
end

-- Appends the paths of what differs, the deepest that say it.
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
    differences(a[key], b[key], path_below(keys, key), out)
  end
end

local function without(record, ...)
  local copy = {}
  for key, value in pairs(record) do copy[key] = value end
  for _, key in ipairs { ... } do copy[key] = nil end
  return copy
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
  local known = {}
  for _, mobile in ipairs(old) do known[mobile.imsi] = mobile end
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

-- An NS-VC is known by its NS-VCI; one that differs goes, and comes anew.
local function compare_nsvcs(i, old, new, result)
  local known = {}
  for _, nsvc in ipairs(new) do known[nsvc.nsvci] = nsvc end
  for _, nsvc in ipairs(old) do
    if not is_same(nsvc, known[nsvc.nsvci]) then
      result.gone[#result.gone + 1] = { nse = i, nsvci = nsvc.nsvci }
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
  differences(without(old, "endpoints"), without(new, "endpoints"), { "nses", i, "sns" }, result.refused)
  if not is_same(old.endpoints, new.endpoints) then result.endpoints[#result.endpoints + 1] = i end
end

local function compare_nse(i, old, new, result)
  local mine = { "cells", "nsvcs", "sns", "gb" }
  differences(without(old, table.unpack(mine)), without(new, table.unpack(mine)), { "nses", i }, result.refused)
  compare_sns(i, old.sns, new.sns, result)
  compare_nsvcs(i, old.nsvcs, new.nsvcs, result)
  if not is_same(old.gb, new.gb) then result.links[#result.links + 1] = i end
  for j = 1, math.max(#old.cells, #new.cells) do
    local before, after, keys = old.cells[j], new.cells[j], { "nses", i, "cells", j }
    if not before or not after then
      result.refused[#result.refused + 1] = keylines.path_of(keys)
    else
      differences(without(before, "flow_control"), without(after, "flow_control"), keys, result.refused)
      if not is_same(before.flow_control, after.flow_control) then
        result.policies[#result.policies + 1] = { nse = i, cell = j }
      end
    end
  end
end

function node_diff.diff(old, new)
  local result = { refused = {}, added = {}, removed = {}, classes = {}, policies = {}, links = {}, nsvcs = {},
    gone = {}, endpoints = {}, nses = {} }
  local mine = { "nses", "mobiles", "timers", "live", "flow_control" } -- flow_control is in the cells already
  differences(without(old, table.unpack(mine)), without(new, table.unpack(mine)), {}, result.refused)
  differences(without(old.mobiles, "list", "homes"), without(new.mobiles, "list", "homes"), { "mobiles" },
    result.refused) -- homes are of mobiles that are learned
  differences(without(old.live, "log_lines"), without(new.live, "log_lines"), { "live" }, result.refused)
  for i = 1, math.max(#old.nses, #new.nses) do
    if old.nses[i] and new.nses[i] then
      compare_nse(i, old.nses[i], new.nses[i], result)
    elseif new.nses[i] then
      result.nses[#result.nses + 1] = i
    else
      result.refused[#result.refused + 1] = keylines.path_of { "nses", i }
    end
  end
  compare_mobiles(old.mobiles.list, new.mobiles.list, result)
  result.timers = not is_same(old.timers, new.timers)
  result.log_lines = old.live.log_lines ~= new.live.log_lines
  return result
end

return node_diff
