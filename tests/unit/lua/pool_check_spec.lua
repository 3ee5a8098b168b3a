-- SPDX-License-Identifier: BSD-3-Clause
-- Nodes of a pool that contradict each other, and SGSNs that name each other: a row for each rule of node.pool_check.
local config = require "schema.config"
local pools = require "node.pool_check"

local NODE <const> = [[return {
gb = { address = "10.99.0.$link"$gb },
gn = { $gn },
mobiles = { source = "list" }, nses = { { nsei = $nsei,
  nsvcs = { { nsvci = $nsei, address = "10.99.0.200" } }, cells = { { bvci = 2, cell_id = { mcc = "262", mnc = "42",
  lac = 1, rac = $rac, ci = $ci } }, { bvci = 3, cell_id = { mcc = "262", mnc = "42", lac = $lac, rac = 9,
  ci = 2 } } } }$nse },
phones = { policy = "$policy", hlr = { address = "10.97.0.1", name = "$name" }, apns = {
  { name = "$apn", sgsn_address = "$sgsn", ggsn_address = "$ggsn" } },
pool = { $pool } } }
]]

-- Both nodes: one is right for the other.
local AREA <const> = 'offload_area = { mcc = "262", mnc = "42", lac = 90, rac = %d }'

local function entry(values)
  return ('{ address = "10.98.0.%d", nris = { %s }, %s }'):format(values.own, values.nris, AREA:format(values.offload))
end

local function node_of(own, other, changes)
  local values = { own = own, link = own, name = "SGSN-" .. own, gb = "", gn = "", rac = 1, lac = own,
    sgsn = "10.98.0." .. own, ggsn = "10.98.0.1", nsei = own, ci = 1, nse = "", policy = "hlr", apn = "a",
    bits = 5, nris = tostring(own), null = 0, offload = own, address = "10.98.0." .. own, more = "" }
  for key, value in pairs(changes or {}) do values[key] = value end
  if values.other == nil then
    values.other = entry({ own = other, nris = tostring(other), offload = other })
  end
  values.pool = ('nri_bits = %d, nris = { %s }, %s%s, address = "%s", others = { %s }'):format(values.bits,
    values.nris, values.null and ("null_nri = %d, "):format(values.null) or "",
    AREA:format(values.offload), values.address, values.other .. values.more)
  local text = NODE:gsub("%$(%l+)", values)
  local node, errors = config.load(text, "n.lua", "node")
  return assert(node, errors and errors[1])
end

-- What the check says of node 3 beside node 2. The files in the other order are wrong, too.
local function conflicts(of_2, of_3)
  local found = {}
  local a, b = pools.summary(node_of(2, 3, of_2)), pools.summary(node_of(3, 2, of_3))
  assert.equal(#pools.conflicts(a, b, "a.lua") > 0, #pools.conflicts(b, a, "b.lua") > 0)
  for i, conflict in ipairs(pools.conflicts(a, b, "a.lua")) do
    found[i] = table.concat(conflict.keys, ".") .. ": " .. conflict.text
  end
  return found
end

local OWN <const>, ALL <const> = "give each node its own", "give all nodes of the pool the same"
local THIRD <const> = ', { address = "10.98.0.7", nris = { %s }, ' .. AREA:format(7) .. " }"

local SECOND <const> = [[, { nsei = 99, nsvcs = { { nsvci = 99, address = "10.99.0.201" } }, cells = { { bvci = 2,
  cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 1, ci = %d } } } }]]

local ROWS <const> = {
  { "bits", {}, { bits = 6 }, { "phones.pool.nri_bits: 6, but 5 in a.lua; " .. ALL } },
  { "a node without NRIs", {}, { bits = 0, nris = "", null = false, other = "" },
    { "phones.pool.nri_bits: 0, but 5 in a.lua; " .. ALL } },
  { "NULL-NRI", {}, { null = 9 }, { "phones.pool.null_nri: 9, but 0 in a.lua; " .. ALL } },
  { "no NULL-NRI", {}, { null = false }, { "phones.pool.null_nri: none, but 0 in a.lua; " .. ALL } },
  { "no NULL-NRI in the other one", { null = false }, {}, { "phones.pool.null_nri: 0, but none in a.lua; " .. ALL } },
  { "one NRI in both", { other = "" }, { nris = "3, 2", other = "" },
    { "phones.pool.nris.2: 2 is phones.pool.nris[1] in a.lua; " .. OWN } },
  { "area of offload", { other = "" }, { offload = 2, other = "" },
    { "phones.pool.offload_area: 262-42-90-2 is phones.pool.offload_area in a.lua; " .. OWN } },
  { "area of offload of a cell", { other = "", lac = 90, rac = 1 }, { offload = 9, other = "" },
    { "phones.pool.offload_area: 262-42-90-9 is nses[1].cells[2].cell_id in a.lua; take an area of offload that no "
      .. "cell has" } },
  { "area of a cell that is one of offload", { other = "", offload = 9 }, { other = "", lac = 90 },
    { "nses.1.cells.2.cell_id: 262-42-90-9 is phones.pool.offload_area in a.lua; take an area of offload that no cell "
      .. "has" } },
  { "a GGSN's address", {}, { ggsn = "10.98.0.2" },
    { "phones.apns.1.ggsn_address: 10.98.0.2 is phones.pool.address in a.lua; write the GGSN's" } },
  { "a node's address that is the GGSN's", { ggsn = "10.98.0.50" }, { gn = 'addresses = { "10.98.0.50" }' },
    { "gn.addresses.1: 10.98.0.50 is phones.apns[1].ggsn_address in a.lua; write the GGSN's" } },
  { "NSEI and NS-VCI", {}, { nsei = 2 }, { "nses.1.nsei: 2 is nses[1].nsei in a.lua; " .. OWN,
    "nses.1.nsvcs.1.nsvci: 2 is nses[1].nsvcs[1].nsvci in a.lua; " .. OWN } },
  { "cell of a BVCI", {}, { ci = 7 }, { "nses.1.cells.1.cell_id.ci: 7, but nses[1].cells[1].cell_id.ci in a.lua is 1, "
    .. "of the same BVCI and area; write what the BSS has" } },
  { "cells of one BVCI behind two proxies", {}, { ci = 7, nse = SECOND:format(1) }, {} },
  { "address of the pool", { other = "" }, { address = "10.98.0.2", other = "" },
    { "phones.pool.address: 10.98.0.2 is phones.pool.address in a.lua; " .. OWN } },
  { "addresses on Gn", { gn = 'addresses = { "10.98.0.50" }' }, { gn = 'addresses = { "10.98.0.51", "10.98.0.50" }' },
    { "gn.addresses.2: 10.98.0.50 is gn.addresses[1] in a.lua; " .. OWN } },
  { "address of an APN", { gn = 'addresses = { "10.98.0.3" }' }, {},
    { "phones.pool.address: 10.98.0.3 is gn.addresses[1] in a.lua; " .. OWN } },
  { "address on Gb", {}, { link = 2 }, { "gb.address: 10.99.0.2 is gb.address in a.lua; " .. OWN } },
  { "MAC addresses", { gn = 'mac = "02:00:00:00:00:0a"' }, { gb = ', mac = "02:00:00:00:00:0A"' },
    { "gb.mac: 02:00:00:00:00:0a is gn.mac in a.lua; " .. OWN } },
  { "name at the HLR", {}, { name = "SGSN-2" },
    { "phones.hlr.name: SGSN-2 is phones.hlr.name in a.lua; set another name in one of them, such as SGSN-2" } },
  { "policy", {}, { policy = "accept_all", name = "SGSN-2" },
    { "phones.policy: accept_all, but hlr in a.lua; " .. ALL } },
  { "an APN", {}, { apn = "b" }, { "phones.apns.1.name: b is not in a.lua; " .. ALL,
    "phones.apns: no a, which is phones.apns[1].name in a.lua; " .. ALL } },
  { "all APNs", { apn = "*" }, { apn = "b" }, { "phones.apns: no *, which is phones.apns[1].name in a.lua; " .. ALL } },
  { "neither names the other", { other = "" }, { other = "" }, {} },
  { "one is not named", {}, { other = "" },
    { "phones.pool.others: none has 10.98.0.2, phones.pool.address in a.lua; add it, since that node has this one" } },
  { "this one is not named", { other = "" }, {},
    { "phones.pool.address: no entry of phones.pool.others in a.lua has 10.98.0.3; add it in a.lua" } },
  { "NRIs of an entry", {}, { other = entry({ own = 2, nris = "4", offload = 2 }) },
    { "phones.pool.others.1.nris: 4, but phones.pool.nris in a.lua is 2; write what that node has" } },
  { "NRIs of the entry in a.lua", {}, { nris = "3, 5" },
    { "phones.pool.nris: 3 5, but phones.pool.others[1].nris in a.lua is 3; write what this node has in a.lua" } },
  { "area of an entry", {}, { other = entry({ own = 2, nris = "2", offload = 4 }) },
    { "phones.pool.others.1.offload_area: 262-42-90-4, but phones.pool.offload_area in a.lua is 262-42-90-2; write "
      .. "what that node has" } },
  { "area of the entry in a.lua", {}, { offload = 4 },
    { "phones.pool.offload_area: 262-42-90-4, but phones.pool.others[1].offload_area in a.lua is 262-42-90-3; write "
      .. "what this node has in a.lua" } },
  { "a wrong address in each", { other = entry({ own = 13, nris = "3", offload = 3 }) },
    { other = entry({ own = 12, nris = "2", offload = 2 }) },
    { "phones.pool.others.1.address: 10.98.0.12 with NRI 2, which is of 10.98.0.2, phones.pool.address in a.lua; write "
      .. "that",
      "phones.pool.address: 10.98.0.3, but phones.pool.others[1] in a.lua has NRI 3 of this node with 10.98.0.13; "
        .. "write this node's address in a.lua" } },
  { "a wrong address in one: nothing is to be added", {}, { other = entry({ own = 12, nris = "2", offload = 2 }) },
    { "phones.pool.others.1.address: 10.98.0.12 with NRI 2, which is of 10.98.0.2, phones.pool.address in a.lua; "
      .. "write that" } },
  { "a wrong address in the other one", { other = entry({ own = 13, nris = "3", offload = 3 }) }, {},
    { "phones.pool.address: 10.98.0.3, but phones.pool.others[1] in a.lua has NRI 3 of this node with 10.98.0.13; "
      .. "write this node's address in a.lua" } },
  { "address of an APN that is the other's", { gn = 'addresses = { "10.98.0.60" }' }, { sgsn = "10.98.0.60" },
    { "phones.apns.1.sgsn_address: 10.98.0.60 is gn.addresses[1] in a.lua; " .. OWN } },
  { "a third one", { more = THIRD:format("7") }, { more = THIRD:format("7, 8") },
    { "phones.pool.others.2.nris: 7 8, but 7 in phones.pool.others[2] in a.lua; write what 10.98.0.7 has, in both" } },
  { "a third one with two addresses", { more = THIRD:format("7") },
    { more = (THIRD:format("7"):gsub("0%.7", "0.8")) },
    { "phones.pool.others.2.nris: NRI 7 of 10.98.0.8, but of 10.98.0.7 in phones.pool.others[2] in a.lua; give it "
      .. "to the one SGSN that has it, in both" } },
}

-- The same of nodes of two pools, each of which has its own areas, and names the other one without NRIs.
local function neighbour(own, other)
  return ('{ address = "10.98.0.%d", areas = { { lac = %d } }, %s }'):format(own, 10 + own, AREA:format(other or own))
end

local MATE <const> = ", " .. entry({ own = 12, nris = "2", offload = 12 })
local APART <const> = {
  { "NRIs, bits, policy and APNs", {}, { bits = 6, policy = "accept_all", apn = "b" }, {} },
  { "NULL-NRI", {}, { null = 9 }, {} },
  { "one NRI in both", {}, { nris = "2" }, {} },
  { "an NRI that is null", {}, { nris = "0", null = 9 }, {} },
  { "a NULL-NRI that is one's", {}, { null = 2 }, {} },
  { "the NRI is that of another one of its pool", {}, { more = MATE }, {} },
  { "NRIs of a third one", { more = THIRD:format("7") }, { more = THIRD:format("7, 8") }, {} },
  { "an NRI is that of one of each pool", { more = THIRD:format("7") },
    { more = (THIRD:format("7"):gsub("0%.7", "0.8")) }, {} },
  { "name at the HLR", {}, { name = "SGSN-2" },
    { "phones.hlr.name: SGSN-2 is phones.hlr.name in a.lua; set another name in one of them, such as SGSN-2" } },
  { "area of an entry", {}, { other = neighbour(2, 4) },
    { "phones.pool.others.1.offload_area: 262-42-90-4, but phones.pool.offload_area in a.lua is 262-42-90-2; write "
      .. "what that node has" } },
  { "one is not named", {}, { other = MATE:sub(3) },
    { "phones.pool.others: none has 10.98.0.2, phones.pool.address in a.lua; add it, since that node has this one" } },
  { "this one is not named", { other = neighbour(12) }, {},
    { "phones.pool.address: no entry of phones.pool.others in a.lua has 10.98.0.3; add it in a.lua" } },
  { "neither names the other", { other = "" }, { other = "", name = "SGSN-2" }, {} },
}

local function apart(own, other, changes)
  local values = { rac = own, lac = 10 + own, other = neighbour(other) }
  for key, value in pairs(changes) do values[key] = value end
  return values
end

describe("nodes of one pool", function()
  it("that fit each other are all right, in any order", function()
    assert.same({}, conflicts())
    assert.same({}, conflicts({ more = THIRD:format("7, 8") }, { more = THIRD:format("8, 7") }))
  end)

  for _, row in ipairs(ROWS) do
    it("are compared: " .. row[1], function() assert.same(row[4], conflicts(row[2], row[3])) end)
  end

  for _, row in ipairs(APART) do
    it("are neighbours instead: " .. row[1], function()
      assert.same(row[4], conflicts(apart(2, 3, row[2]), apart(3, 2, row[3])))
    end)
  end

  it("have a routeing area in common", function()
    local alone, far = { other = "", lac = 5 }, { other = "", rac = 3, lac = 6, name = "SGSN-2", nris = "2" }
    assert.same({}, conflicts(alone, far))
    local a, b = pools.summary(node_of(2, 3, alone)), pools.summary(node_of(3, 2, far))
    b.cells = {} -- it may be in any pool
    assert.equal(2, #pools.conflicts(a, b, "a.lua"))
    far.rac = 1
    assert.equal(2, #conflicts(alone, far))
    assert.same({}, conflicts({ bits = 0, nris = "", null = false, other = "" },
      { bits = 0, nris = "", null = false, other = "", apn = "b" }))
  end)

  it("are remembered by their files", function()
    local text = "return {\nphones = { hlr = {\nname = 1 } } }"
    local function add(path, node) return pools.add(path, pools.pack(node), text) end
    assert.same({}, add("a.lua", node_of(2, 3)))
    assert.same({ "b.lua:3: phones.hlr.name: SGSN-2 is phones.hlr.name in a.lua; set another name in one of them, "
      .. "such as SGSN-2" }, add("b.lua", node_of(3, 2, { name = "SGSN-2" })))
    local named = pools.conflicts(pools.summary(node_of(2, 3)), pools.summary(node_of(3, 2, { null = 9 })), "100%d.lua")
    assert.equal("9, but 0 in 100%d.lua; " .. ALL, named[1].text)
  end)

  it("have their rules in docs/pool.md, as scripts/gen-docs.sh writes them", function()
    local file <close> = assert(io.open("docs/pool.md"))
    assert.truthy(file:read("a"):find(pools.document(), 1, true))
  end)
end)
