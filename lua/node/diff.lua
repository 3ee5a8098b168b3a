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
--   told       the keys that differ as lines of text, without those of mobiles: path, value before, value after; or nil
--   told_count how many keys these are, without NSEs, cells and NS-VCs that come or go
--   timers, limits, live, phones, addresses, accepted, gtpc, llc   whether a key with that in its row differs

local changes = require "node.changes"
local classes = require "node.schema_queues"
local keylines = require "schema.keylines"
local tables = require "base.tables"
local units = require "base.units"

local node_diff = {}

local MOST_TOLD <const> = 100
local REMEDY <const> = "; a restart of the node changes it, and ends contexts and registrations"

-- The row of a path that has items' positions and names of classes.
local function row_of(path)
  return changes.row_of((path:gsub("%[%d+%]", "[]"):gsub("^queues%.class%.[%w_]+", "queues.class[]")))
end

-- explain(paths, text, filename) -> lines "FILE:LINE: PATH cannot change while the node runs: REASON; REMEDY". A key
-- that was removed from the text has the line of its table.
function node_diff.explain(paths, text, filename)
  local where, lines = keylines.scan(text), {}
  for i, path in ipairs(paths) do
    lines[i] = string.format("%s:%d: %s cannot change while the node runs: %s", filename, where:line(path), path,
      (row_of(path).restart or row_of(path).presence) .. REMEDY)
  end
  return lines
end

-- The comparison

local is_same = changes.is_same

local function without(record, ...)
  local copy = tables.copy(record)
  for _, key in ipairs { ... } do copy[key] = nil end
  return copy
end

local function index_by(list, field)
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
  local known = index_by(old, "imsi")
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
  local known = index_by(new, "nsvci")
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
  if old and new and not is_same(old.endpoints, new.endpoints) then result.endpoints[#result.endpoints + 1] = i end
end

-- A cell is identified by its BVCI in its NSE.
local function compare_cells(i, nsei, old, new, result)
  local known = index_by(old, "bvci")
  for j, cell in ipairs(new) do
    local before = known[cell.bvci]
    known[cell.bvci] = nil
    if not before then
      result.cells[#result.cells + 1] = { nse = i, cell = j }
    else
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
  local known = index_by(old, "nsei")
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

-- The AQM scheme of a class.
local function scheme_of(queues, class)
  local own = queues.class[class]
  if own and own.aqm then return own.aqm end
  return class ~= "signalling" and class ~= "sms" and queues.aqm or nil
end

local function compare_schemes(old, new, result)
  for _, class in ipairs(classes.CLASSES) do
    if not is_same(scheme_of(old, class), scheme_of(new, class)) then
      result.schemes[#result.schemes + 1] = class
    end
  end
end

-- Values that the program chose: where both configurations leave them open they do not differ.
local FOLLOWING <const> = { ["queues.extra_flows"] = "extra_flows", ["queues.flow_sets"] = "flow_sets" }

local function is_chosen(old, new, difference)
  local key = FOLLOWING[difference.path]
  if key then return old.queues.follow[key] and new.queues.follow[key] end
  return difference.row[1] == "nses[].worker" -- compare_nse()
end

-- Of code that is loaded at the start alone: the path of its key.
local function code_of(new, difference)
  local path = difference.path:match("^queues%.aqm") or difference.path:match("^queues%.class%.[%w_]+%.aqm")
  local class = path and path:match("class%.([%w_]+)")
  local scheme = path and (not class and new.queues.aqm or class and (new.queues.class[class] or {}).aqm)
  local file = scheme and (scheme.plugin and ".plugin" or scheme.lua and ".lua")
  return file and path .. file
end

-- The path under which a difference is refused; nil: it is not.
local function refused(new, running, difference, paths)
  local row, limit = difference.row, difference.path:match("^limits%.([%w_]+)$")
  if limit and running.limits[limit] and not row.restart then
    return new.limits[limit] > running.limits[limit] and difference.path or nil
  end
  local moves = difference.moves
  local is_record = row[1] == difference.path
  if row.restart and not paths[row.with or ""] then return difference.path end
  if row.presence and moves and is_record then return difference.path end
  return code_of(new, difference)
end

-- Keys from which the values of others follow: these are refused with them, and need no line.
local FOLLOWED <const> = { { "^queues%.discipline$", "^queues%." }, { "^queues%.", "^queues%.drop_duplicates$" } }

local function follows(path, paths)
  for _, row in ipairs(FOLLOWED) do
    for _, other in ipairs(path:find(row[2]) and paths or {}) do
      if other ~= path and other:find(row[1]) then return true end
    end
  end
  return false
end

local function without_followers(paths)
  local out = {}
  for _, path in ipairs(paths) do
    if not follows(path, paths) then out[#out + 1] = path end
  end
  return out
end

local function compare_keys(old, new, running, result)
  local lines, seen, more, items, paths = {}, {}, 0, 0, {}
  local differences = changes.compare(old, new)
  for _, difference in ipairs(differences) do paths[difference.path] = true end
  for _, difference in ipairs(differences) do
    if not is_chosen(old, new, difference) then
      local path, row = refused(new, running, difference, paths), difference.row
      if path and not seen[path] then result.refused[#result.refused + 1] = path end
      seen[path or ""] = true
      if row.sets then result[row.sets] = true end
      if difference.moves and difference.path:find("^nses.*%]$") then items = items + 1 end
      if #lines == MOST_TOLD then more = more + 1 else
        lines[#lines + 1] = ("%s: %s -> %s"):format(difference.path, difference.before, difference.after)
      end
    end
  end
  result.refused = without_followers(result.refused)
  result.told_count = #lines + more - items
  if more > 0 then lines[#lines + 1] = ("and %s more"):format(units.counted(more, "key")) end
  result.told = lines[1] and table.concat(lines, "\n") .. "\n"
end

function node_diff.diff(old, new, running)
  local result = { refused = {}, added = {}, removed = {}, classes = {}, policies = {}, links = {}, nsvcs = {},
    gone = {}, endpoints = {}, nses = {}, gone_nses = {}, cells = {}, gone_cells = {}, schemes = {}, timers = false,
    limits = false, live = false, phones = false, addresses = false, accepted = false,
    gtpc = false, llc = false }
  compare_keys(old, new, running, result)
  compare_schemes(old.queues, new.queues, result)
  compare_nses(old.nses, new.nses, running.workers, result)
  compare_mobiles(old.mobiles.list, new.mobiles.list, result)
  return result
end

return node_diff
