-- SPDX-License-Identifier: BSD-3-Clause
-- Constraints between the keys of a scenario, and values that follow from them. Values are checked ones: base units,
-- defaults filled in.

local acknowledged = require "node.acknowledged"
local keylines = require "schema.keylines"
local node_check = require "node.check"
local scenario_link = require "scenario.link"
local scenario_mobility = require "scenario.mobility"
local scenario_radio = require "scenario.radio"
local scenario_access = require "scenario.access"
local scenario_sgsns = require "scenario.sgsns"
local scenario_traffic = require "scenario.traffic"
local schema_scalar = require "schema.scalar"
local units = require "base.units"

local scenario_check = {}

scenario_check.MOST_PACKETS = 200000 -- limit of queued packets of all mobiles

local LLC_OCTETS <const> = 6 -- address, control and FCS of an LLC-PDU
local STEP_OCTETS <const> = 100 -- of a bucket size
local LARGEST_BUCKET <const> = 6553500 -- largest with that step
local MAX_MOBILES <const> = 10000
local MAX_CELL_MOBILES <const> = 4096 -- limit of the radio

local function duration_text(value)
  return units.format("duration", value)
end

local function octets_text(value)
  return units.format("octets", value)
end

-- Cells

local function at_most(octets)
  return math.min(octets // STEP_OCTETS * STEP_OCTETS, LARGEST_BUCKET)
end

-- The octets of a rate in bucket_time, in whole steps.
local function default_bucket(rate_bps, bucket_time_ns)
  return at_most(rate_bps * (bucket_time_ns // 1000000) // 8000)
end

local function fill_bucket(bucket, rate_bps, bucket_time_ns)
  bucket.rate = bucket.rate or rate_bps
  bucket.bucket = bucket.bucket or default_bucket(bucket.rate, bucket_time_ns)
end

local function fill_buckets(cell)
  local flow = cell.flow_control
  flow.every = flow.every or flow.policy == "osmo_pcu" and 1000000000 or nil
  local mobile_pdchs = math.min(cell.pdchs, cell.downlink_slots)
  fill_bucket(flow.bvc, scenario_radio.rate_bps(cell.block_payload, cell.pdchs), flow.bucket_time)
  fill_bucket(flow.ms_default, scenario_radio.rate_bps(cell.block_payload, mobile_pdchs), flow.bucket_time)
  if flow.ms then
    flow.ms.bucket = flow.ms.bucket or not flow.ms.rate and flow.ms_default.bucket or nil
    fill_bucket(flow.ms, flow.ms_default.rate, flow.bucket_time)
  end
  if flow.pfc then
    fill_bucket(flow.pfc, flow.ms_default.rate, flow.bucket_time)
  end
end

-- Checks a single cell. Fills in its buckets, bler_up and the octets of a block.
function scenario_check.cell(cell, fail)
  if not scenario_radio.fill_rate(cell, fail) then return end
  scenario_link.check(cell, fail)
  cell.bler_up = cell.bler_up or cell.bler
  cell.block_payload = cell.block_octets or scenario_radio.PAYLOAD_OCTETS[cell.coding]
  cell.block_payload_up = cell.block_octets_up or cell.block_payload
  scenario_access.check(cell, fail)
  scenario_radio.check_calls(cell, fail)
  scenario_radio.check_errors(cell, fail)
  fill_buckets(cell)
  local flow = cell.flow_control
  node_check.cell_granularity(flow, keylines.within(fail, "flow_control"))
  if flow.ms then node_check.one_granularity(flow.ms, keylines.within(fail, "flow_control", "ms")) end
  local thresholds = flow.thresholds
  if thresholds and thresholds.go >= thresholds.stop then
    fail({ "flow_control", "thresholds", "go" }, string.format("size '%s' is not less than stop, %s",
      octets_text(thresholds.go), octets_text(thresholds.stop)))
  end
  if cell.buffer.mobile > cell.buffer.cell then
    fail({ "buffer", "mobile" }, string.format("size '%s' is more than buffer.cell: 1600 octets .. %s",
      octets_text(cell.buffer.mobile), octets_text(cell.buffer.cell)))
  end
end

-- Any worker may serve all mobiles.
local function check_links(scenario, fail)
  local links, count = scenario.sgsn.acknowledged.links, 0
  for _, mobile in ipairs(scenario.mobiles) do count = count + (mobile.llc == "acknowledged" and 1 or 0) end
  if links and links < count then
    local reason = ("%d is less than the %d mobiles in acknowledged mode"):format(links, count)
    fail({ "sgsn", "acknowledged", "links" }, reason)
  end
end

local function is_any_acknowledged(scenario)
  for _, mobile in ipairs(scenario.mobiles) do
    if mobile.llc == "acknowledged" then return true end
  end
  return false
end

-- An LLC-PDU larger than its bucket leaves only when the bucket has run empty, which is no intended configuration of a
-- BSS.
local function check_buckets(scenario, i, fail)
  local least, of = scenario.sgsn.n201_u + LLC_OCTETS, "sgsn.n201_u and " .. LLC_OCTETS
  if is_any_acknowledged(scenario) then
    least, of = math.max(least, acknowledged.llc_octets(scenario.sgsn.acknowledged)), "sgsn.acknowledged.n201_i"
  end
  for _, name in ipairs({ "bvc", "ms_default", "ms", "pfc" }) do
    local flow = scenario.cells[i].flow_control
    if flow[name] and flow[name].bucket < least then
      fail({ "cells", i, "flow_control", name, "bucket" }, string.format("size '%s' is less than one LLC-PDU of %d "
        .. "octets (%s): give a larger bucket or a longer bucket_time", octets_text(flow[name].bucket), least, of))
    end
  end
end

-- Cells and BSSs have the same numbers here and in the node made of them.
local function check_nse(cells, i, fail)
  local last = i > 1 and cells[i - 1].nse or 0
  if cells[i].nse ~= last and cells[i].nse ~= last + 1 then
    fail({ "cells", i, "nse" }, string.format("%d is out of order: %s", cells[i].nse,
      last == 0 and "1" or string.format("%d or %d", last, last + 1)))
  end
end

local function check_cells(scenario, fail)
  local place = {}
  for i, cell in ipairs(scenario.cells) do
    check_nse(scenario.cells, i, fail)
    if place[cell.bvci] then
      fail({ "cells", i, "bvci" }, string.format("BVCI %d is taken by cells[%d].bvci", cell.bvci, place[cell.bvci]))
    end
    place[cell.bvci] = place[cell.bvci] or i
    check_buckets(scenario, i, fail)
    local ms = cell.flow_control.ms
    if ms and ms.start >= scenario.duration then
      fail({ "cells", i, "flow_control", "ms", "start" }, string.format("duration '%s' is not before the end, %s",
        duration_text(ms.start), duration_text(scenario.duration)))
    end
  end
  return place
end

-- Mobiles

local function names_of(mobile)
  if not mobile.count then
    return { mobile.name }
  end
  local names = {}
  for k = 1, mobile.count do
    names[k] = mobile.name .. k
  end
  return names
end

local function bvcis_of(scenario)
  return schema_scalar.first_of(scenario.cells, function(cell) return cell.bvci end)
end

local function check_cell(scenario, i, place, fail)
  local mobile = scenario.mobiles[i]
  mobile.cell = mobile.cell or scenario.cells[1].bvci
  if not place[mobile.cell] then
    fail({ "mobiles", i, "cell" }, string.format("%d is no cell: one of %s", mobile.cell, bvcis_of(scenario)))
  end
end

local function is_too_many(scenario, fail)
  local total = 0
  for _, mobile in ipairs(scenario.mobiles) do
    total = total + (mobile.count or 1)
  end
  if total > MAX_MOBILES then
    fail({ "mobiles" }, string.format("%d mobiles in all are out of range: 1 .. %d", total, MAX_MOBILES))
    return true
  end
end

local function check_crowd(scenario, fail)
  local crowd = {}
  for i, mobile in ipairs(scenario.mobiles) do
    crowd[mobile.cell] = (crowd[mobile.cell] or 0) + (mobile.count or 1)
    if crowd[mobile.cell] > MAX_CELL_MOBILES then
      return fail({ "mobiles", i }, string.format("%d mobiles in the cell with BVCI %d are out of range: 0 .. %d",
        crowd[mobile.cell], mobile.cell, MAX_CELL_MOBILES))
    end
  end
end

-- One item for each mobile, those of a kind one after the other. Fills in the groups, the items with a count.
local function each_mobile(scenario, fail)
  local mobiles, first = {}, {}
  scenario.groups = {}
  if is_too_many(scenario, fail) then
    return mobiles
  end
  check_crowd(scenario, fail)
  for i, mobile in ipairs(scenario.mobiles) do
    local place = { "mobiles", i, "name" }
    if mobile.count then
      table.insert(scenario.groups, { name = mobile.name, first = #mobiles, count = mobile.count })
    end
    for _, name in ipairs(names_of(mobile)) do
      if first[name] then
        fail(place, string.format("name %s is taken by %s", name, keylines.path_of(first[name])))
        break
      end
      first[name] = place
      mobiles[#mobiles + 1] = { name = name, cell = mobile.cell, class = mobile.class, traffic = mobile.traffic,
        ciphering = mobile.ciphering, llc = mobile.llc, acknowledged = mobile.acknowledged,
        compression = mobile.compression,
        server_delay = mobile.server_delay, server_delay_max = mobile.server_delay_max,
        ci_db = mobile.ci_db, speed_kmh = mobile.speed_kmh }
    end
  end
  return mobiles
end

-- The moves as instants: a move with a gap is two, of which the first leaves the old cell.
local function in_time(moves)
  local list = {}
  for i, move in ipairs(moves) do
    if move.gap > 0 then
      list[#list + 1] = { at = move.at, number = move.number, cell = move.cell, is_leaving = true, order = i }
    end
    list[#list + 1] = { at = move.at + move.gap, number = move.number, cell = move.cell, is_leaving = false, order = i }
  end
  table.sort(list, function(a, b)
    return a.at < b.at or a.at == b.at and a.order < b.order
  end)
  return list
end

-- Checks moves of single mobiles. Fills in the number of each move's mobile and sorts by time.
local function check_moves(scenario, place, fail)
  local number, names = {}, {}
  for i, mobile in ipairs(scenario.mobiles) do
    number[mobile.name], names[i] = i, mobile.name
  end
  for i, move in ipairs(scenario.moves) do
    move.number = number[move.mobile]
    if not move.number then
      fail({ "moves", i, "mobile" }, schema_scalar.unknown(move.mobile, "mobile", names))
    end
    if not place[move.cell] then
      fail({ "moves", i, "cell" }, string.format("%d is no cell: one of %s", move.cell, bvcis_of(scenario)))
    end
    if move.at >= scenario.duration then
      fail({ "moves", i, "at" }, string.format("duration '%s' is not before the end, %s", duration_text(move.at),
        duration_text(scenario.duration)))
    end
  end
  scenario.moves = in_time(scenario.moves)
end

-- Checks a whole scenario. Fills in values that depend on other keys; `mobiles` becomes a list of single mobiles.
function scenario_check.whole(scenario, fail)
  if scenario.warmup >= scenario.duration then
    fail({ "warmup" }, string.format("duration '%s' leaves nothing of the run, %s", duration_text(scenario.warmup),
      duration_text(scenario.duration)))
  end
  local place = check_cells(scenario, fail)
  for i in ipairs(scenario.mobiles) do
    check_cell(scenario, i, place, fail)
  end
  scenario_traffic.check(scenario, fail)
  scenario_link.check_mobiles(scenario, fail)
  local given = scenario.mobiles
  scenario.mobiles = each_mobile(scenario, fail)
  check_links(scenario, fail)
  scenario_mobility.check(scenario, given, fail)
  check_moves(scenario, place, fail)
  scenario_sgsns.check(scenario, given, fail)
end

return scenario_check
