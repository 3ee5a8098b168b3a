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
local schema_scalar = require "schema.scalar"
local tables = require "base.tables"
local units = require "base.units"

local scenario_check = {}

scenario_check.MOST_PACKETS = 200000 -- limit of queued packets of all mobiles

scenario_check.CONTENTS = { "zeros", "random", "text" } -- of packets of ping, cbr and trace

local KINDS = { "download", "web", "ping", "cbr", "trace", "upload" }
local LLC_OCTETS <const> = 6 -- address, control and FCS of an LLC-PDU
local STEP_OCTETS <const> = 100 -- of a bucket size
local LARGEST_BUCKET <const> = 6553500 -- largest with that step
local MAX_MOBILES <const> = 10000
local TCP_PARALLEL <const> = 16 -- connections of a web item
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

-- TCP

-- Checks that the parameters of one TCP agree.
function scenario_check.tcp(tcp, fail)
  if tcp.receive_window < tcp.mss then
    fail({ "receive_window" }, string.format("size '%s' is less than one segment (mss): %s or more",
      octets_text(tcp.receive_window), octets_text(tcp.mss)))
  end
  if tcp.stack ~= "rfc" and not tcp.sack then
    fail({ "stack" }, string.format('"%s" needs sack = true', tcp.stack))
  end
  for name, plain in next, { cc = "newreno", growth = "acks", slow_start = "standard", prr = false, rack = false } do
    if tcp.stack ~= "rfc" and tcp[name] ~= plain then
      fail({ name }, string.format('%s = %s needs stack = "rfc": "%s" has its own rules', name,
        tcp[name] == true and "true" or '"' .. tcp[name] .. '"', tcp.stack))
    end
  end
  for _, name in ipairs({ "prr", "rack" }) do
    if tcp[name] and not tcp.sack then
      fail({ name }, name .. " = true needs sack = true")
    end
  end
  for _, name in ipairs({ "initial_rto", "min_rto" }) do
    if tcp[name] > tcp.max_rto then
      fail({ name }, string.format("duration '%s' is more than max_rto: 1 ms .. %s", duration_text(tcp[name]),
        duration_text(tcp.max_rto)))
    end
  end
end

-- Without values of its own an item shares the general ones.
local function merged(own, general)
  if not own then return general end
  local tcp = tables.copy(general)
  for key, value in next, own do
    tcp[key] = type(value) == "table" and merged(value, general[key]) or value
  end
  return tcp
end

-- Values of QUIC that agree with no value of another key. tcp: the item's own, nil.
local function check_quic(work, tcp, fail)
  if tcp and tcp.content == "text" then
    fail({ "tcp", "content" }, '"text" needs transport = "tcp": QUIC enciphers what it carries')
  end
  if work.server and work.server ~= "answers" then
    fail({ "server" }, string.format('"%s" needs transport = "tcp"', work.server))
  end
  if work.close_awaited then
    fail({ "close_awaited" }, 'needs transport = "tcp"')
  end
end

local function fill_tcp(work, general, fail)
  local own = work.tcp
  work.tcp = merged(own, general)
  if own then scenario_check.tcp(work.tcp, keylines.within(fail, "tcp")) end
end

-- Fills in the transport of an item with connections, and the parameters of TCP and QUIC.
local function fill_transport(work, scenario, fail)
  local own = work.tcp
  work.transport = work.transport or scenario.transport
  fill_tcp(work, scenario.tcp, fail)
  work.quic = merged(work.quic, scenario.quic)
  if work.transport == "quic" then
    check_quic(work, own, fail)
  elseif work.parallel and work.parallel > TCP_PARALLEL then
    fail({ "parallel" }, string.format("%d is out of range with TCP: 1 .. %d", work.parallel, TCP_PARALLEL))
  end
end

-- Traffic

local function kinds_of(item)
  local given = {}
  for _, kind in ipairs(KINDS) do
    if item[kind] then
      given[#given + 1] = kind
    end
  end
  return given
end

-- Checks that an item of traffic has exactly one kind.
function scenario_check.one_kind(item, fail)
  local given = kinds_of(item)
  if #given == 0 then
    fail({}, "an item of traffic without a kind: one of " .. table.concat(KINDS, ", "))
  elseif #given > 1 then
    fail({ given[2] }, string.format("a second kind beside %s: write an item for each, { %s = ... }, { %s = ... }",
      given[1], given[1], given[2]))
  end
end

local function check_times(work, duration_ns, fail)
  local function wrong(key, message, ...)
    fail({ key }, message:format(...))
  end
  if work.stop and work.stop > duration_ns then
    wrong("stop", "duration '%s' is after the end: 0 s .. %s", duration_text(work.stop), duration_text(duration_ns))
  elseif work.start >= (work.stop or duration_ns) then
    wrong("start", "duration '%s' is not before the %s, %s", duration_text(work.start), work.stop and "stop" or "end",
      duration_text(work.stop or duration_ns))
  end
end

local function check_work(work, kind, scenario, fail)
  check_times(work, scenario.duration, fail)
  work.stop = work.stop or scenario.duration
  if work.close_awaited and work.persistent then
    fail({ "close_awaited" }, "connections that persist are not closed: `persistent` is false with it")
  end
  if work.sizes then
    work.items = #work.sizes
    if work.parallel > 1 then
      fail({ "parallel" }, string.format("%d connections and items of several sizes: 1", work.parallel))
    end
  end
  if kind == "download" or kind == "web" or kind == "upload" then fill_transport(work, scenario, fail) end
end

-- V.42bis would compress zeros as no traffic is.
local function fill_content(work, mobile)
  work.content = work.content or mobile.compression and "random" or "zeros"
end

local function check_traffic(scenario, i, fail)
  local mobile = scenario.mobiles[i]
  for j, item in ipairs(mobile.traffic) do
    local kind = kinds_of(item)[1]
    check_work(item[kind], kind, scenario, keylines.within(fail, "mobiles", i, "traffic", j, kind))
    if not item[kind].transport then fill_content(item[kind], mobile) end
  end
end

-- Text that no item sends.
local function check_text(scenario, fail)
  if scenario.tcp.content ~= "text" then return end
  for _, mobile in ipairs(scenario.mobiles) do
    for _, item in ipairs(mobile.traffic) do
      if item[kinds_of(item)[1]].transport == "tcp" then return end
    end
  end
  fail({ "tcp", "content" }, '"text" without an item of traffic over TCP: ping, cbr and trace have a `content` of '
    .. "their own, and QUIC enciphers what it carries")
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

-- One item for each mobile, those of a kind one after the other.
local function each_mobile(scenario, fail)
  local mobiles, first = {}, {}
  if is_too_many(scenario, fail) then
    return mobiles
  end
  check_crowd(scenario, fail)
  for i, mobile in ipairs(scenario.mobiles) do
    local place = { "mobiles", i, "name" }
    for _, name in ipairs(names_of(mobile)) do
      if first[name] then
        fail(place, string.format("name %s is taken by %s", name, keylines.path_of(first[name])))
        break
      end
      first[name] = place
      mobiles[#mobiles + 1] = { name = name, cell = mobile.cell, class = mobile.class, traffic = mobile.traffic,
        ciphering = mobile.ciphering, llc = mobile.llc, acknowledged = mobile.acknowledged,
        compression = mobile.compression,
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
    check_traffic(scenario, i, fail)
  end
  check_text(scenario, fail)
  scenario_link.check_mobiles(scenario, fail)
  local given = scenario.mobiles
  scenario.mobiles = each_mobile(scenario, fail)
  check_links(scenario, fail)
  scenario_mobility.check(scenario, given, fail)
  check_moves(scenario, place, fail)
  scenario_sgsns.check(scenario, given, fail)
end

return scenario_check
