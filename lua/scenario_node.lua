-- SPDX-License-Identifier: BSD-3-Clause
-- The node that a scenario runs: its SGSN and what its BSS announces, as a node's configuration file would have it.
-- Gb has 10.99.0.1 and .2, Gn 10.98.0.2 and .1 (control/scenario_config.h), mobiles have 10.45.0.1 and those after it.

local units = require "units"

local scenario_node = {}

local NSEI <const>, NSVCI <const> = 101, 101
local GB_ADDRESS <const>, BSS_ADDRESS <const> = "10.99.0.1", "10.99.0.2"
local SGSN_ADDRESS <const>, GGSN_ADDRESS <const> = "10.98.0.2", "10.98.0.1"
local FIRST_TLLI <const> = 0xC0000001
local NSAPI <const> = 5
local GB_MTU_OCTETS <const>, GB_HEADERS_OCTETS <const> = 1500, 128
local SMALL_PACKET_OCTETS <const> = 200 -- buffers are counted as if what waits were no smaller on average
local LEAST_BUFFERS <const>, MOST_BUFFERS <const> = 8191, 262143

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

local function mobile_of(mobile, i)
  return { imsi = string.format("00101%010d", i), tlli = tlli_of(i), bvci = mobile.cell, nsei = NSEI, contexts = { {
    nsapi = NSAPI, teid = i, ggsn_teid = i, address = string.format("10.45.%d.%d", i >> 8, i & 255),
    class = mobile.class, sgsn_address = SGSN_ADDRESS, ggsn_address = GGSN_ADDRESS,
  } } }
end

local function each(list, make)
  local made = {}
  for i, item in ipairs(list) do
    made[#made + 1] = make(item, i)
  end
  return made
end

local function cell_of(cell, i)
  return { bvci = cell.bvci, cell_id = { mcc = "001", mnc = "01", lac = 1, rac = 1, ci = i } }
end

-- FLOW-CONTROL-MS for each mobile of a cell that wants it.
local function own_buckets(scenario, cell)
  local list, ms = {}, cell.flow_control.ms
  for i, mobile in ipairs(ms and scenario.mobiles or {}) do
    if mobile.cell == cell.bvci then
      local entry = bucket(ms)
      entry.tlli, entry.at = tlli_of(i), duration(ms.start)
      list[#list + 1] = entry
    end
  end
  return list
end

local function announcement_of(scenario, cell)
  local flow = cell.flow_control
  return { bvci = cell.bvci, bvc = bucket(flow.bvc), ms_default = bucket(flow.ms_default),
    announce_every = flow.every and duration(flow.every) or nil, ms = own_buckets(scenario, cell) }
end

-- One less than a power of two, enough for what queues hold.
local function buffers_for(scenario)
  local wanted = #scenario.mobiles * (scenario.sgsn.queue_limit // SMALL_PACKET_OCTETS + 16)
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

-- table_of(checked scenario) -> a node's configuration, unchecked. Mobile i of the one is mobile i of the other.
function scenario_node.table_of(scenario)
  local sgsn, count = scenario.sgsn, #scenario.mobiles
  return {
    gb = { address = GB_ADDRESS, mtu = octets(math.max(GB_MTU_OCTETS, sgsn.n201_u + GB_HEADERS_OCTETS)) },
    nses = { { nsei = NSEI, nsvcs = { { nsvci = NSVCI, address = BSS_ADDRESS } },
      cells = each(scenario.cells, cell_of) } },
    mobiles = { source = "list", sapi = sgsn.sapi, n201_u = octets(sgsn.n201_u), queue_limit = octets(sgsn.queue_limit),
      list = each(scenario.mobiles, mobile_of) },
    lifetime = lifetime_of(sgsn.lifetime),
    emulated_bss = { { nsei = NSEI, cells = each(scenario.cells, function(cell)
      return announcement_of(scenario, cell)
    end) } },
    timers = { bssgp = { th = duration(sgsn.th) } },
    limits = { mobiles = count, contexts = count, npdu_buffers = buffers_for(scenario),
      reassemblies = math.min(65536, math.max(1024, 2 * count)) },
  }
end

return scenario_node
