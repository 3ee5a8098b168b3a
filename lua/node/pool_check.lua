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

-- By address; place: in phones.pool.others.
local function others_of(pool)
  local others = {}
  for i, other in ipairs(pool.others) do
    others[other.address] = { place = i, nris = other.nris,
      offload = other.offload_area and area.text(other.offload_area) or nil }
  end
  return others
end

function pools.summary(node)
  local pool = node.phones and node.phones.pool
  if not pool or pool.nri_bits == 0 then return nil end
  return { bits = pool.nri_bits, nris = pool.nris, null = pool.null_nri, areas = areas_of(node),
    offload = pool.offload_area and area.text(pool.offload_area), address = pool.address, others = others_of(pool) }
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

local function nris_text(nris)
  local sorted = table.move(nris, 1, #nris, 1, {})
  table.sort(sorted)
  return #sorted == 0 and "none" or table.concat(sorted, " ")
end

-- `others` of each node names the other one, by which phones are found. A pool may do without: then neither does.
local function add_others(a, b, add)
  if not a.address or not b.address then return end
  local of_a, of_b = b.others[a.address], a.others[b.address]
  if of_b and not of_a then
    return add({ "others" }, "none has %s, the address there; add it, since that node has this one", a.address)
  elseif of_a and not of_b then
    return add({ "address" }, "no entry of others there has %s; add it there", b.address)
  elseif not of_a then
    return
  end
  if nris_text(of_a.nris) ~= nris_text(a.nris) then
    add({ "others", of_a.place, "nris" }, "%s, but nris there has %s", nris_text(of_a.nris), nris_text(a.nris))
  end
  if nris_text(of_b.nris) ~= nris_text(b.nris) then
    add({ "nris" }, "%s, but others[%d].nris there has %s", nris_text(b.nris), of_b.place, nris_text(of_b.nris))
  end
  if of_a.offload ~= a.offload then
    add({ "others", of_a.place, "offload_area" }, "%s, but offload_area there is %s", of_a.offload or "none",
      a.offload or "none")
  end
  if of_b.offload ~= b.offload then
    add({ "offload_area" }, "%s, but others[%d].offload_area there is %s", b.offload or "none", of_b.place,
      of_b.offload or "none")
  end
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
  else
    add_others(a, b, add)
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
