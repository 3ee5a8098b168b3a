-- SPDX-License-Identifier: BSD-3-Clause
-- Other SGSNs in a configuration: the pool that the node is in (TS 23.236), and SGSNs of other areas, which phones come
-- from and go to (TS 23.060 clause 6.9.1.2).
--
--   schema_pool.POOL                    the field `pool` of `phones`
--   schema_pool.fill_in(node, fail)     what follows from other keys

local area = require "node.area"
local links = require "node.schema_links"
local schema = require "schema.schema"

local schema_pool = {}

local duration, integer = schema.duration, schema.integer
local MOST_SERVERS <const> = 8
local MOST_BITS <const>, NRIS <const>, MOST_OTHERS <const>, MOST_AREAS <const> = 10, 1024, 256, 256

local function nris(doc)
  return { name = "nris", type = "list", default = {}, max = NRIS, doc = doc,
    item = { type = "integer", min = 0, max = NRIS - 1 } }
end

local function offload_area(doc)
  return { name = "offload_area", type = "record", absent = "none", noun = "a routeing area", fields = area.WHOLE,
    doc = doc }
end

local DNS = { name = "dns", type = "record", absent = "no DNS", noun = "dns",
  check = function(dns, fail) links.check_networks(dns.networks, "networks", fail) end,
  doc = "DNS, which is asked for the SGSN of a routeing area that no entry of `others` has (TS 23.003 annex C.1).",
  fields = {
    { name = "servers", type = "list", required = true, min = 1, max = MOST_SERVERS, item = { type = "ip" },
      doc = "addresses of DNS servers, in the order in which they are asked" },
    integer("port", 1, 65535, { default = 53, doc = "their UDP port" }),
    { name = "networks", type = "list", required = true, min = 1, max = 64,
      item = { type = "string", max = 43, pattern = "^[%x.:/]+$", form = "an IP network such as 192.0.2.0/24" },
      doc = "Networks of SGSNs that DNS may name, and that may ask here." },
  } }

local OTHER = { type = "record", noun = "another SGSN", fields = {
  { name = "address", type = "ip", required = true, doc = "its address for GTP-C between SGSNs; unique" },
  nris("its NRIs, if it is one of this pool"),
  { name = "areas", type = "list", default = {}, max = MOST_AREAS, item = area.PATTERN,
    doc = "Routeing areas that it serves and this node does not." },
  offload_area("Its own `offload_area`."),
  { name = "eutran", type = "boolean", default = false,
    doc = "it is an MME, or has one behind it: RAN information for eNodeBs of the networks of `areas`, or of any, goes "
      .. "there" },
} }

-- seen: by NRI, whose it is.
local function check_nris(list, bits, whose, seen, fail)
  for i, nri in ipairs(list) do
    if nri >= 1 << bits then
      fail({ i }, bits == 0 and ("%d has no effect: set nri_bits"):format(nri)
        or ("%d is out of range: 0 .. %d with nri_bits %d"):format(nri, (1 << bits) - 1, bits))
    elseif seen[nri] then
      fail({ i }, ("NRI %d is there twice: %s has it; remove one of the two"):format(nri, seen[nri]))
    else
      seen[nri] = ("%s[%d]"):format(whose, i)
    end
  end
end

local function below(keys, fail)
  return function(more, text)
    local all = table.move(more, 1, #more, #keys + 1, table.move(keys, 1, #keys, 1, {}))
    fail(all, text)
  end
end

local function check_null(pool, seen, fail)
  local null = pool.null_nri
  if not null then return end
  if null >= 1 << pool.nri_bits then
    fail({ "null_nri" }, pool.nri_bits == 0 and "no effect: set nri_bits"
      or ("%d is out of range: 0 .. %d with nri_bits %d"):format(null, (1 << pool.nri_bits) - 1, pool.nri_bits))
  elseif seen[null] then
    fail({ "null_nri" }, ("%d is an SGSN's NRI: %s has it; it must be none's"):format(null, seen[null]))
  end
end

local function check_others(pool, seen, fail, warn)
  local addresses = {}
  for i, other in ipairs(pool.others) do
    local keys, address = { "others", i }, other.address
    if addresses[address] then
      fail({ "others", i, "address" }, ("'%s' is there twice: others[%d] has it; make one entry of the two")
        :format(address, addresses[address]))
    end
    addresses[address] = i
    check_nris(other.nris, pool.nri_bits, ("others[%d].nris"):format(i), seen, below({ "others", i, "nris" }, fail))
    if #other.nris == 0 and #other.areas == 0 and not other.offload_area and not other.eutran then
      warn(keys, "no phone is found there: it has neither nris, areas nor offload_area")
    end
  end
end

-- Each says which SGSN a phone comes from.
local function check_offload_areas(pool, fail)
  local seen = {}
  if pool.offload_area then seen[area.text(pool.offload_area)] = "offload_area" end
  for i, other in ipairs(pool.others) do
    local text = other.offload_area and area.text(other.offload_area)
    if seen[text] then
      fail({ "others", i, "offload_area" }, ("%s is there twice: %s is the same; give each SGSN its own")
        :format(text, seen[text]))
    elseif text then
      seen[text] = ("others[%d].offload_area"):format(i)
    end
  end
end

local function check(pool, fail, warn)
  local seen = {}
  check_offload_areas(pool, fail)
  if pool.nri_bits > 0 and #pool.nris == 0 then
    fail({ "nris" }, "empty; nri_bits needs at least one NRI of this node")
  end
  check_nris(pool.nris, pool.nri_bits, "nris", seen, below({ "nris" }, fail))
  check_others(pool, seen, fail, warn)
  check_null(pool, seen, fail)
  if pool.offload_area and not pool.null_nri then
    warn({ "offload_area" }, "no effect without null_nri, which phones in offload are given")
  end
end

schema_pool.POOL = { name = "pool", type = "record", absent = "the node knows no other SGSN", noun = "pool",
  check = check, doc = "Other SGSNs: a pool behind a Gb proxy, and SGSNs of neighbouring areas (docs/pool.md).",
  fields = {
    integer("nri_bits", 0, MOST_BITS, { default = 0,
      doc = "bits of a Network Resource Identifier (NRI) in P-TMSIs, the same in all SGSNs of the pool and its proxy; "
        .. "0: no pool, other SGSNs are found by routeing areas alone" }),
    nris("NRIs of this node: all its P-TMSIs have one of them; unique in the pool"),
    integer("null_nri", 0, NRIS - 1, { absent = "no offload",
      doc = "NRI that is no SGSN's: the proxy takes a phone with it to another SGSN" }),
    offload_area("Routeing area that no cell has, and that is this node's alone: a phone in offload is told it, so "
      .. "that it updates at once and its next SGSN finds this one."),
    { name = "address", type = "ip", absent = "`sgsn_address` of the first APN",
      doc = "local address for GTP-C between SGSNs, and for the N-PDUs that they forward" },
    { name = "others", type = "list", default = {}, max = MOST_OTHERS, item = OTHER,
      doc = "The SGSNs that phones may come from and go to. No other host is told of a phone." },
    DNS,
    duration("answer", "500 ms", "10 s", "2 s", "time for the answer of another SGSN, which is asked twice: a phone "
      .. "waits 15 s for its own"),
    duration("hold", "1 s", "60 s", "10 s", "time for which a phone that has gone to another SGSN is kept, and its "
      .. "N-PDUs are forwarded"),
    { name = "forward", type = "boolean", default = true,
      doc = "N-PDUs that wait for a phone that has gone to another SGSN are forwarded to it; false: they are dropped" },
  } }

-- By text: the first cell of each routeing area.
local function cells_by_area(node)
  local cells = {}
  for i, nse in ipairs(node.nses) do
    for k, cell in ipairs(nse.cells) do
      local text = area.text(cell.cell_id)
      cells[text] = cells[text] or ("nses[%d].cells[%d]"):format(i, k)
    end
  end
  return cells
end

-- One that lacks a value may be for areas beside this node's.
local function check_areas(other, place, cells, fail)
  for i, pattern in ipairs(other.areas) do
    local at = { "phones", "pool", "others", place, "areas", i }
    local text = pattern.mcc and pattern.mnc and pattern.lac and pattern.rac and area.text(pattern)
    if next(pattern) == nil then
      fail(at, "{} is each routeing area, this node's too; say which ones that SGSN serves, such as { lac = 2 }")
    elseif cells[text] then
      fail(at, ("%s is the routeing area of %s, which this node serves; take it out"):format(text, cells[text]))
    end
  end
end

-- A phone that is told the area of its cell does not update.
local function check_cells(node, pool, fail)
  local text, cells = pool.offload_area and area.text(pool.offload_area), cells_by_area(node)
  if cells[text] then
    fail({ "phones", "pool", "offload_area" }, ("%s is the routeing area of %s; take one that no cell has"):format(text,
      cells[text]))
  end
  for i, other in ipairs(pool.others) do check_areas(other, i, cells, fail) end
end

-- The address, which has to be one of the node's.
function schema_pool.fill_in(node, fail)
  local pool, first = node.phones.pool, node.phones.apns[1]
  if not pool then return end
  check_cells(node, pool, fail)
  pool.address = pool.address or first and first.sgsn_address
  for i, other in ipairs(pool.others) do
    if pool.address and (other.address:find(":", 1, true) == nil) ~= (pool.address:find(":", 1, true) == nil) then
      fail({ "phones", "pool", "others", i, "address" }, ("'%s' is of another IP version than the node's address '%s'")
        :format(other.address, pool.address))
    elseif other.address == pool.address then
      fail({ "phones", "pool", "others", i, "address" }, ("'%s' is the node's own address; write the other "
        .. "SGSN's, or leave the entry out"):format(other.address))
    end
  end
end

return schema_pool
