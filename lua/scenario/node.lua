-- SPDX-License-Identifier: BSD-3-Clause
-- The node that a scenario runs: its SGSN and its BSSs' announcements, in the form of a node's configuration file.
-- Gb has 10.99.0.1, the BSSs .2 and those after it, Gn 10.98.0.2 and .1 (app/run/scenario_config.h), mobiles have
-- 10.45.0.1 and those after it. SGSN k of several has 10.99.k-1.1 and 10.98.0.k+1, and is made of its view of the
-- scenario (scenario.sgsns).

local acknowledged = require "node.acknowledged"
local links = require "node.schema_links"
local node_schema = require "node.schema"
local node_schema_queues = require "node.schema_queues"
local schema = require "schema.schema"
local tables = require "base.tables"
local units = require "base.units"

local scenario_node = {}

local FIRST_NSEI <const>, FIRST_NSVCI <const> = 101, 101
local GB_ADDRESS <const>, BSS_ADDRESS <const> = "10.99.%d.1", "10.99.0.%d"
local SGSN_ADDRESS <const>, GGSN_ADDRESS <const> = "10.98.0.%d", "10.98.0.1"
local GN_MTU <const> = "2000 octets" -- the GGSN of a run does not reassemble fragments
local FIRST_TLLI <const> = 0xC0000001
local NSAPI <const>, PFI <const> = 5, 8 -- PFI: the first that is not predefined
local GB_MTU_OCTETS <const>, GB_HEADERS_OCTETS <const> = 1500, 128
local SMALL_PACKET_OCTETS <const> = 200 -- the mean size of queued N-PDUs that is assumed for the number of buffers
local LEAST_BUFFERS <const>, MOST_BUFFERS <const> = 8191, 262143
local SPARE_SHARE <const> = 8 -- 1/8 more buffers than a given budget

local function octets(value)
  return units.format("octets", value)
end

local function duration(value)
  return units.format("duration", value)
end

local function bucket(value)
  return { bucket = octets(value.bucket), rate = units.format("rate", value.rate) }
end

local function tlli_of(i)
  return FIRST_TLLI + i - 1
end

local function ciphering_of(mobile)
  local given = mobile.ciphering
  return given and { algorithm = given.algorithm, kc = given.kc, iov_ui = given.iov_ui }
end

local function nsei_of(nse)
  return FIRST_NSEI + nse - 1
end

local function imsi_of(i)
  return string.format("00101%010d", i)
end

local function address_of(i)
  return string.format("10.45.%d.%d", i >> 8, i & 255)
end

local function number_of(scenario)
  return scenario.number or 1
end

-- cells: by BVCI, { nse =, has_flow =, sgsn_address = }.
local function mobile_of(mobile, i, cells)
  local cell = cells[mobile.cell]
  return { imsi = imsi_of(i), tlli = tlli_of(i), bvci = mobile.cell, nsei = nsei_of(cell.nse), contexts = { {
    nsapi = NSAPI, ggsn_teid = i, address = address_of(i), class = mobile.class, pfi = cell.has_flow and PFI or nil,
    sgsn_address = cell.sgsn_address, ggsn_address = GGSN_ADDRESS, llc = mobile.llc,
  } }, ciphering = ciphering_of(mobile) }
end

-- Mobiles that only differ in identity, address and cell are of one kind, which the node checks once.
local function kind_of(mobile, cells)
  return mobile.ciphering or mobile.class .. (cells[mobile.cell].has_flow and "+" or "") .. mobile.llc
end

-- The numbers of the first mobiles of each kind, in order.
local function samples_of(scenario, cells)
  local numbers, seen = {}, {}
  for i, mobile in ipairs(scenario.mobiles) do
    local kind = kind_of(mobile, cells)
    if not seen[kind] then
      seen[kind], numbers[#numbers + 1] = true, i
    end
  end
  return numbers
end

local function each(list, make)
  local made = {}
  for i, item in ipairs(list) do
    made[#made + 1] = make(item, i)
  end
  return made
end

-- i: its place in the whole scenario.
local function cell_of(cell, i)
  return { bvci = cell.bvci, cell_id = { mcc = "001", mnc = "01", lac = 1, rac = cell.routing_area, ci = i } }
end

-- FLOW-CONTROL-MS for each mobile of a cell that wants it.
local function own_buckets(scenario, cell)
  local list, ms = {}, cell.flow_control.ms
  for i, mobile in ipairs(ms and scenario.mobiles or {}) do
    if mobile.cell == cell.bvci and not mobile.is_elsewhere then
      local entry = bucket(ms)
      entry.tlli, entry.at, entry.by_coding = tlli_of(i), duration(ms.start), ms.by_coding
      list[#list + 1] = entry
    end
  end
  return list
end

local function announcement_of(scenario, cell)
  local flow = cell.flow_control
  return { bvci = cell.bvci, bvc = bucket(flow.bvc), ms_default = bucket(flow.ms_default),
    pfc = flow.pfc and bucket(flow.pfc) or nil,
    announce_every = flow.every and duration(flow.every) or nil, measurement = flow.measurement,
    bucket_level = flow.bucket_level, ms = own_buckets(scenario, cell) }
end

local AS_THEY_ARE <const> = { integer = true, enum = true, boolean = true }

-- A checked value in the form of a configuration file.
local function as_given(d, value)
  d = schema.variant_of(d, value)
  if value == nil or AS_THEY_ARE[d.type] then
    return value
  elseif d.type == "record" then
    local given = {}
    for _, field in ipairs(d.fields) do
      given[field.name] = as_given(field, value[field.name])
    end
    return given
  elseif d.type == "map" then
    local given = {}
    for key, item in pairs(value) do
      given[key] = as_given(d.item, item)
    end
    return given
  end
  return units.is_kind(d.type) and units.format(d.type, value) or value
end

-- The number of buffers, one less than a power of two, for all queues.
local function buffers_for(scenario)
  local sgsn, queues = scenario.sgsn, scenario.sgsn.queues
  local wanted = #scenario.mobiles * ((queues.mobile.octets or sgsn.queue_limit) // SMALL_PACKET_OCTETS + 16)
  if queues.budget_packets then
    wanted = queues.budget_packets + queues.reserve_packets
    wanted = wanted + wanted // SPARE_SHARE
  end
  local count = LEAST_BUFFERS
  while count < wanted and count < MOST_BUFFERS do
    count = 2 * count + 1
  end
  return count
end

local function lifetime_of(lifetime)
  return { mode = lifetime.mode, sgsn_max = duration(lifetime.sgsn_max), bss_min = duration(lifetime.bss_min),
    bss_max = duration(lifetime.bss_max) }
end

-- Calls make(nse, cells) for each BSS, in order; returns the results.
local function each_nse(scenario, make)
  local list, before = {}, (scenario.first_cell or 1) - 1
  for i, cell in ipairs(scenario.cells) do
    if i == 1 or cell.nse ~= list[#list].nse then list[#list + 1] = { nse = cell.nse } end
    table.insert(list[#list], { cell = cell, number = before + i })
  end
  return each(list, function(cells) return make(cells.nse, cells) end)
end

local function by_bvci(scenario)
  local cells, address = {}, SGSN_ADDRESS:format(number_of(scenario) + 1)
  for _, cell in ipairs(scenario.cells) do
    cells[cell.bvci] = { nse = cell.nse, has_flow = cell.flow_control.pfc ~= nil, sgsn_address = address }
  end
  return cells
end

local function nses_of(scenario)
  return each_nse(scenario, function(nse, list)
    return { nsei = nsei_of(nse), gb = as_given(node_schema_queues.LINK, scenario.sgsn.gb),
      nsvcs = { { nsvci = FIRST_NSVCI + nse - 1, address = string.format(BSS_ADDRESS, nse + 1) } },
      cells = each(list, function(item) return cell_of(item.cell, item.number) end) }
  end)
end

local function bsses_of(scenario)
  return each_nse(scenario, function(nse, list)
    return { nsei = nsei_of(nse), cells = each(list, function(item)
      return announcement_of(scenario, item.cell)
    end) }
  end)
end

-- Links are for all mobiles, of which the node checks samples.
local function llc_of(scenario)
  local settings, count = as_given(acknowledged.LINKS, scenario.sgsn.acknowledged), 0
  for _, mobile in ipairs(scenario.mobiles) do count = count + (mobile.llc == "acknowledged" and 1 or 0) end
  settings.links = settings.links or count
  return { acknowledged = settings }
end

-- The most that any mobile offers; nil: none offers any.
local function most_offered(scenario)
  local most = { mode = "passive", entities = 0 }
  for _, mobile in ipairs(scenario.mobiles) do
    for name, values in pairs(mobile.compression or {}) do
      local own = most[name] or { direction = values.direction and "both" }
      for key, value in pairs(values) do
        if key ~= "direction" then own[key] = math.max(own[key] or 0, value) end
      end
      most[name], most.entities = own, most.entities + 1
    end
  end
  return most.entities > 0 and most or nil
end

local function sndcp_of(scenario)
  local given = scenario.sgsn.compression
  return { compression = given and as_given(schema.field(node_schema, "sndcp", "compression"), given)
    or most_offered(scenario) }
end

-- The longest LLC-PDU of user data.
local function llc_octets(scenario)
  local longest = scenario.sgsn.n201_u
  for _, mobile in ipairs(scenario.mobiles) do
    if mobile.llc == "acknowledged" then
      longest = math.max(longest, acknowledged.llc_octets(scenario.sgsn.acknowledged))
    end
  end
  return longest
end

-- table_of(checked scenario) -> a node's configuration, unchecked, with the first mobile of each kind.
function scenario_node.table_of(scenario)
  local sgsn, count = scenario.sgsn, #scenario.mobiles
  local cells = by_bvci(scenario)
  return {
    workers = sgsn.workers,
    gb = { address = GB_ADDRESS:format(number_of(scenario) - 1),
      mtu = octets(math.max(GB_MTU_OCTETS, llc_octets(scenario) + GB_HEADERS_OCTETS)) },
    nses = nses_of(scenario),
    gn = { mtu = GN_MTU, path = as_given(links.PATH, sgsn.path) },
    crypto = { engine = sgsn.crypto.engine },
    mobiles = { source = "list", sapi = sgsn.sapi, unprotected_sapis = sgsn.unprotected_sapis,
      n201_u = octets(sgsn.n201_u), queue_limit = octets(sgsn.queue_limit),
      moves = { every = "0 s" }, -- scenarios move mobiles as often as they say
      list = each(samples_of(scenario, cells), function(i)
        return mobile_of(scenario.mobiles[i], i, cells)
      end) },
    queues = as_given(node_schema_queues.QUEUES, sgsn.queues),
    flow_control = as_given(node_schema_queues.FLOW_CONTROL, sgsn.flow_control),
    lifetime = lifetime_of(sgsn.lifetime),
    emulated_bss = bsses_of(scenario),
    llc = llc_of(scenario),
    sndcp = sndcp_of(scenario),
    timers = { bssgp = { th = duration(sgsn.th) } },
    limits = { mobiles = count, contexts = count, npdu_buffers = buffers_for(scenario),
      reassemblies = math.min(65536, math.max(1024, 2 * count)) },
  }
end

-- Gives the checked table of that configuration all mobiles: mobile i of the one is mobile i of the other.
function scenario_node.add_mobiles(node, scenario)
  local cells, of_kind, list = by_bvci(scenario), {}, {}
  for k, i in ipairs(samples_of(scenario, cells)) do
    of_kind[kind_of(scenario.mobiles[i], cells)] = node.mobiles.list[k]
  end
  for i, mobile in ipairs(scenario.mobiles) do
    local sample = of_kind[kind_of(mobile, cells)]
    local own, context = tables.copy(sample), tables.copy(sample.contexts[1])
    own.imsi, own.tlli, own.bvci, own.nsei = imsi_of(i), tlli_of(i), mobile.cell, nsei_of(cells[mobile.cell].nse)
    context.ggsn_teid, context.address = i, address_of(i)
    own.contexts = { context }
    list[i] = own
  end
  node.mobiles.list = list
end

return scenario_node
