-- SPDX-License-Identifier: BSD-3-Clause
-- Nodes of one pool whose configurations contradict each other, for `gbflow check a.lua b.lua`.
--
--   pools.summary(node)           what nodes of a pool must agree on; nil: the node is in none
--   pools.conflicts(a, b)         of two summaries: how they contradict, a list of { keys =, text = } about b
--   pools.pack(node)              a summary as a text, "" if there is none
--   pools.add(path, packed, text) enters a file with its summary and its text; returns the lines "FILE:LINE: KEY: ..."
--                                 about what contradicts the files before

local area = require "node.area"
local keylines = require "schema.keylines"
local records = require "base.records"

local pools = {}

local function areas_of(node)
  local areas = {}
  for _, nse in ipairs(node.nses) do
    for _, cell in ipairs(nse.cells) do areas[area.text(cell.cell_id)] = true end
  end
  return areas
end

function pools.summary(node)
  local pool = node.phones and node.phones.pool
  if not pool or pool.nri_bits == 0 then return nil end
  return { bits = pool.nri_bits, nris = pool.nris, null = pool.null_nri, areas = areas_of(node),
    offload = pool.offload_area and area.text(pool.offload_area), address = pool.address }
end

-- Nodes with cells of one routeing area are in one pool; one without cells may be in any.
local function are_of_one_pool(a, b)
  if not next(a.areas) or not next(b.areas) then return true end
  for text in pairs(b.areas) do
    if a.areas[text] then return true end
  end
  return false
end

local function set_of(list)
  local set = {}
  for _, value in ipairs(list) do set[value] = true end
  return set
end

function pools.conflicts(a, b)
  local found = {}
  local function add(keys, text, ...) found[#found + 1] = { keys = keys, text = text:format(...) } end
  if not are_of_one_pool(a, b) then return found end
  if a.bits ~= b.bits then
    add({ "nri_bits" }, "%d, but %d there; all nodes of a pool have the same", b.bits, a.bits)
    return found
  end
  local theirs = set_of(a.nris)
  for i, nri in ipairs(b.nris) do
    if theirs[nri] then add({ "nris", i }, "NRI %d is there, too; give each node of a pool its own", nri) end
    if nri == a.null then add({ "nris", i }, "NRI %d is null_nri there; take another one", nri) end
  end
  if b.null and theirs[b.null] then add({ "null_nri" }, "%d is an NRI there; it must be none's", b.null) end
  if a.null and b.null and a.null ~= b.null then
    add({ "null_nri" }, "%d, but %d there; all nodes of a pool have the same", b.null, a.null)
  end
  if b.offload and a.areas[b.offload] then
    add({ "offload_area" }, "%s is the routeing area of a cell there; take one that no cell has", b.offload)
  elseif b.offload and b.offload == a.offload then
    add({ "offload_area" }, "%s is there, too; give each node its own", b.offload)
  end
  if a.address and a.address == b.address then
    add({ "address" }, "%s is there, too; give each node its own", b.address)
  end
  return found
end

-- --- files

local before = {}

function pools.pack(node)
  local summary = pools.summary(node)
  return summary and records.pack(summary) or ""
end

function pools.add(path, packed, text)
  if packed == "" then return {} end
  local mine, lines, where = records.unpack(packed), {}, keylines.scan(text)
  for _, other in ipairs(before) do
    for _, conflict in ipairs(pools.conflicts(other.summary, mine)) do
      local keys = keylines.below({ "phones", "pool" }, table.unpack(conflict.keys))
      lines[#lines + 1] = ("%s:%d: %s: %s: %s"):format(path, where:line(keys), keylines.path_of(keys), other.path,
        conflict.text)
    end
  end
  before[#before + 1] = { path = path, summary = mine }
  return lines
end

return pools
