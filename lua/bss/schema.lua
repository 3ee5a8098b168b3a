-- SPDX-License-Identifier: BSD-3-Clause
-- Schema of a file for `gbflow emulate`: one BSS, its NS-VCs to the SGSN, its cells, and its mobiles, which are hosts
-- behind TUN devices. A cell is described as in a scenario (scenario_schema), its identity and ciphering as in a node
-- (node_schema).
--
-- The checked table has the same keys in base units, and what bss_check and scenario_check.cell add.

local acknowledged = require "node.acknowledged"
local ciphering = require "node.ciphering"
local keylines = require "schema.keylines"
local node_schema = require "node.schema"
local offer = require "node.offer"
local queues = require "node.schema_queues"
local scenario_schema = require "scenario.schema"
local schema = require "schema.schema"
local schema_scalar = require "schema.scalar"
local tables = require "base.tables"
local units = require "base.units"

-- Constraints between the keys of a BSS (bss_schema), and values that follow from them. Values are checked ones: base
-- units, defaults filled in.

local unique, below, integer = keylines.unique, schema.field, schema.integer
local LLC_OCTETS <const> = 6 -- address, control and FCS of an LLC-PDU
local LARGEST <const> = 0xFFFFFFFF -- TLLI, IPv4 address
local MOST_MOBILES <const> = 4096

local function check_nsvcs(nsvcs, fail)
  local nsvci, pair = unique(fail, "NS-VCI"), unique(fail, "the pair of endpoints")
  for i, nsvc in ipairs(nsvcs) do
    nsvci(nsvc.nsvci, { "nsvcs", i, "nsvci" })
    pair(string.format("%s:%d, %s:%d", nsvc.address, nsvc.udp_port, nsvc.sgsn_address, nsvc.sgsn_udp_port),
      { "nsvcs", i })
  end
end

-- BVCI -> cell, and the BVCIs as a text.
local function check_cells(cells, fail)
  local bvci, identity = unique(fail, "BVCI"), unique(fail, "cell identity")
  local by_bvci = {}
  for i, cell in ipairs(cells) do
    local id = cell.cell_id
    bvci(cell.bvci, { "cells", i, "bvci" })
    identity(string.format("%s-%s-%d-%d-%d", id.mcc, id.mnc, id.lac, id.rac, id.ci), { "cells", i, "cell_id" })
    by_bvci[cell.bvci] = by_bvci[cell.bvci] or cell
  end
  return by_bvci, schema_scalar.first_of(cells, function(cell) return cell.bvci end)
end

-- A set of ranges; reports a range that does not fit or overlaps an earlier one.
local function ranges(fail, what)
  local taken = {}
  return function(first, count, keys)
    if first + count - 1 > LARGEST then
      return fail(keys, string.format("%d %ss from here on go beyond the last one", count, what))
    end
    for _, other in ipairs(taken) do
      if first <= other.last and other.first <= first + count - 1 then
        return fail(keys, string.format("the %s is taken by %s", what, keylines.path_of(other.keys)))
      end
    end
    taken[#taken + 1] = { first = first, last = first + count - 1, keys = keys }
  end
end

-- An LLC-PDU larger than its bucket leaves only when the bucket has run empty, which is no intended configuration of a
-- BSS.
local function check_bucket(mobile, cell, keys, fail)
  local flow, least, of = cell.flow_control, mobile.n201_u + LLC_OCTETS, "n201_u and " .. LLC_OCTETS
  local bucket = (flow.ms or flow.ms_default).bucket
  if mobile.llc == "acknowledged" and acknowledged.llc_octets(mobile.acknowledged) > least then
    least, of = acknowledged.llc_octets(mobile.acknowledged), "acknowledged.n201_i and its headers"
  end
  if bucket < least or flow.bvc.bucket < least then
    fail(keys, string.format("LLC-PDUs of %d octets (%s) do not fit the buckets of its cell, %s and %s",
      least, of, units.format("octets", bucket), units.format("octets", flow.bvc.bucket)))
  end
end

local function check_home(bss, i, cells, shown, fail)
  local mobile = bss.mobiles[i]
  mobile.cell = mobile.cell or bss.cells[1].bvci
  if cells[mobile.cell] then
    check_bucket(mobile, cells[mobile.cell], { "mobiles", i, "n201_u" }, fail)
  else
    fail({ "mobiles", i, "cell" }, string.format("%d is no cell: one of %s", mobile.cell, shown))
  end
end

local function check_phones(bss, fail)
  if bss.phones.usim and not bss.phones.ki then
    fail({ "phones", "usim" }, "true without ki: a USIM needs a key; give `ki`")
  end
  for i, step in ipairs(bss.phones.script) do
    if step.what == "move" and #bss.cells == 1 then
      fail({ "phones", "script", i, "what" }, "move needs two cells")
    end
  end
end

local function name_of(tun)
  return string.format("%s of namespace %s", tun.device, tun.namespace or "(ours)")
end

-- Checks a whole BSS. Fills in each mobile's cell and device, and the number of all mobiles, total_mobiles.
local function check_whole(bss, fail)
  check_nsvcs(bss.nsvcs, fail)
  local cells, shown = check_cells(bss.cells, fail)
  local tlli, address, device = ranges(fail, "TLLI"), ranges(fail, "address"), unique(fail, "device")
  bss.total_mobiles = 0
  for i, mobile in ipairs(bss.mobiles) do
    check_home(bss, i, cells, shown, fail)
    tlli(mobile.tlli, mobile.count, { "mobiles", i, "tlli" })
    address(schema_scalar.ipv4_number(mobile.address), mobile.count, { "mobiles", i, "address" })
    device(name_of(mobile.tun), { "mobiles", i, "tun" })
    bss.total_mobiles = bss.total_mobiles + mobile.count
  end
  if bss.phones then check_phones(bss, fail) end
  if bss.phones and bss.phones.tun then
    device(name_of(bss.phones.tun), { "phones", "tun" })
  end
  if bss.total_mobiles == 0 and not bss.phones then
    fail({ "mobiles" }, "a BSS needs mobiles or phones")
  end
  if bss.total_mobiles > MOST_MOBILES then
    fail({ "mobiles" }, string.format("%d mobiles in all are out of range: 1 .. %d", bss.total_mobiles, MOST_MOBILES))
  end
end

-- The fields

-- Keys of a scenario's cell.
local NOT_HERE <const> = { nse = true, routing_area = true, bler_trace = true, reselect_offset_db = true }

-- A record without one of its fields.
local function without(record, name)
  local copy = tables.copy(record)
  copy.fields = {}
  for _, field in ipairs(record.fields) do
    copy.fields[#copy.fields + 1] = field.name ~= name and field or nil
  end
  return copy
end

local function list(name, item, max, doc)
  return { name = name, type = "list", item = item, required = true, min = 1, max = max, doc = doc }
end

local function ipv4(name, doc)
  return { name = name, type = "ipv4", required = true, doc = doc }
end

local function cell()
  local like = below(scenario_schema, "cells").item
  local fields = { below(like, "bvci"), below(node_schema, "nses", "cells", "cell_id") }
  for _, field in ipairs(like.fields) do
    if field.name ~= "bvci" and not NOT_HERE[field.name] then
      fields[#fields + 1] = field.name == "link" and without(field, "trace") or field
    end
  end
  return { type = "record", noun = "a cell", fields = fields, check = like.check }
end

local NSVC = { type = "record", noun = "an NS-VC", fields = {
  integer("nsvci", 0, 65535, { required = true, doc = "NS-VCI, unique" }),
  ipv4("address", "the BSS's address; must be an address of this machine"),
  integer("udp_port", 1, 65535, { default = 23000, doc = "the BSS's UDP port" }),
  ipv4("sgsn_address", "the SGSN's address"),
  integer("sgsn_udp_port", 1, 65535, { default = 23000, doc = "the SGSN's UDP port" }),
} }

local TUN_FIELDS = {
  { name = "device", type = "string", default = "gbf0", max = 11, pattern = "^%a[%w_-]*$",
    form = "at most 11 letters, digits, - and _, a letter first", doc = "name of the device" },
  { name = "namespace", type = "string", absent = "the program's own", max = 64, pattern = "^[%w_][%w_.-]*$",
    form = "a name as `ip netns` has it", doc = "network namespace of the device" },
  { name = "mtu", type = "octets", min = "576 octets", max = "1500 octets", default = "1500 octets",
    doc = "largest IP packet" },
  { name = "default_route", type = "boolean", default = false, doc = "add a default route through the device" },
}

local TUN = { name = "tun", type = "record", default = {}, noun = "tun", fields = TUN_FIELDS,
  doc = "The TUN device of the mobile's host; each item of `mobiles` has its own." }

local MOBILE = { type = "record", noun = "a mobile", fields = {
  integer("tlli", 0x80000000, 0xFFFFFFFF, { required = true, hex = true, doc = "TLLI, as the SGSN knows it; unique" }),
  integer("count", 1, 999, { default = 1, doc = "number of mobiles of this item; TLLIs and addresses count up" }),
  integer("cell", 2, 65535, { absent = "the first cell", doc = "BVCI of the mobile's cell" }),
  ipv4("address", "IPv4 address, as in the SGSN's PDP context; unique"),
  TUN,
  integer("nsapi", 5, 15, { default = 5, doc = "NSAPI of the PDP context" }),
  below(node_schema, "mobiles", "sapi"),
  below(node_schema, "mobiles", "n201_u"),
  { name = "class", type = "enum", values = queues.CLASSES, default = "background",
    doc = "priority on the air in a cell with `schedule = \"class\"`" },
  acknowledged.MODE, acknowledged.BOUNDS, offer.FIELD,
  ciphering.MOBILE,
} }

local STEP = { type = "record", noun = "a step", fields = {
  { name = "after", type = "duration", required = true, min = "0 s", max = "86400 s",
    doc = "time since the step before; all but move also wait until no procedure is in progress" },
  { name = "what", type = "enum", required = true,
    values = { "move", "update", "detach", "power_off", "attach", "deactivate", "activate", "suspend", "resume" },
    doc = "move: to the next cell of `cells`, with a routeing area update into another area; update: a periodic "
      .. "routeing area update; power_off: detach without an answer; suspend: a call "
      .. "begins; resume: it ends" },
} }

local PHONES = { name = "phones", type = "record", absent = "none", noun = "phones",
  doc = "Phones that attach, authenticate and activate a context by themselves.", fields = {
    integer("count", 1, 999, { default = 1, doc = "number of phones; IMSIs count up, and cells take turns" }),
    { name = "imsi", type = "string", required = true, max = 15, pattern = "^%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d$",
      form = "15 digits", doc = "IMSI of the first phone" },
    { name = "ki", type = "string", absent = "no authentication", max = 32, pattern = "^" .. ("%x"):rep(32) .. "$",
      form = "32 hexadecimal digits", is_secret = true,
      doc = "test key of all phones, for the XOR algorithm of test SIMs (OsmoHLR's `aud3g xor`); it protects nothing" },
    { name = "usim", type = "boolean", default = false,
      doc = "answer challenges as a USIM: AUTN is tested, RES has 16 octets, and GEA/4 with Kc128 is there besides "
        .. "GEA/3; false: as a SIM" },
    { name = "apn", type = "string", absent = "no context", max = 63, pattern = "^[%w-]+$",
      form = "letters, digits and -", doc = "APN of the context that each phone activates after its attach" },
    { name = "llc", type = "enum", values = { "unacknowledged", "acknowledged" }, default = "unacknowledged",
      doc = "mode of LLC that the phone asks for: acknowledged is reliability class 2. The class that the SGSN gives "
        .. "decides: 1 and 2 are acknowledged mode" },
    acknowledged.BOUNDS,
    offer.FIELD,
    integer("attaches_per_s", 1, 1000, { default = 10,
      doc = "first attaches per second, when all cells are up" }),
    { name = "script", type = "list", item = STEP, default = {}, min = 0, max = 100,
      doc = "Steps of each phone from its first context on, or from its attach where it has no `apn`." },
    integer("rounds", 1, 1000000, { default = 1, doc = "times that each phone plays `script`" }),
    { name = "tun", type = "record", absent = "no user data", noun = "tun", fields = TUN_FIELDS,
      doc = "The TUN device of the phones' host. It has the address of each phone with a context." },
  } }

return {
  type = "record",
  noun = "a BSS",
  check = check_whole,
  fields = {
    integer("nsei", 0, 65535, { required = true, doc = "NSEI" }),
    list("nsvcs", NSVC, 16, "The NS-VCs to the SGSN, over UDP. The BSS brings up all of them."),
    integer("seed", 0, 0x7FFFFFFF, { default = 1, doc = "seed of the random numbers for block errors and calls" }),
    list("cells", cell(), 256, "The cells."),
    { name = "mobiles", type = "list", item = MOBILE, default = {}, min = 0, max = 1000,
      doc = "The mobiles; without `phones` at least one." },
    PHONES,
  },
}
