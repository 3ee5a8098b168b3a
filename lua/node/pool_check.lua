-- SPDX-License-Identifier: BSD-3-Clause
-- Nodes of one pool whose configurations contradict each other, for `gbflow check a.lua b.lua`. A key that must
-- differ between them, or agree, is a row of RULES; docs/pool.md has the same table.
--
--   pools.summary(node)           what the rules compare; nil: the node knows no other SGSN
--   pools.conflicts(a, b, path)   of two summaries: how they contradict, a list of { keys =, text = } about b; path:
--                                 the file of a
--   pools.pack(node)              a summary as a text, "" if there is none
--   pools.add(path, packed, text) enters a file with its summary and its text; returns the lines "FILE:LINE: KEY: ..."
--                                 about what contradicts the files before
--   pools.document()              the rules as a table of Markdown

local area = require "node.area"
local keylines = require "schema.keylines"
local records = require "base.records"

local pools = {}

-- --- what is compared: of each key a list of { keys =, value = }

local function one(...)
  local keys = { ... }
  return function(node)
    local value = node
    for _, key in ipairs(keys) do value = value and value[key] end
    return value ~= nil and { { keys = keys, value = value } } or {}
  end
end

-- field: of the items, nil: they are the values.
local function each(list_of, keys, field)
  return function(node)
    local out = {}
    for i, item in ipairs(list_of(node) or {}) do
      local value = item
      if field then value = item[field] end
      if value ~= nil then out[#out + 1] = { keys = keylines.below(keys, i, field), value = value } end
    end
    return out
  end
end

local function all_of(...)
  local readers = { ... }
  return function(node)
    local out = {}
    for _, read in ipairs(readers) do table.move(read(node), 1, #read(node), #out + 1, out) end
    return out
  end
end

local function offload_area(node)
  local id = node.phones.pool.offload_area
  return id and { { keys = { "phones", "pool", "offload_area" }, value = area.text(id) } } or {}
end

-- Of a list in each NSE; value_of: of an item.
local function of_nses(list, field, value_of)
  return function(node)
    local out, seen = {}, {}
    for i, nse in ipairs(node.nses) do
      for k, item in ipairs(nse[list]) do
        local value = value_of(item)
        if not seen[value] then out[#out + 1] = { keys = { "nses", i, list, k, field }, value = value } end
        seen[value] = true
      end
    end
    return out
  end
end

local function area_of(cell) return area.text(cell.cell_id) end

local function bvcs(node)
  local out = {}
  for i, nse in ipairs(node.nses) do
    for k, cell in ipairs(nse.cells) do
      out[#out + 1] = { keys = { "nses", i, "cells", k, "cell_id", "ci" }, value = cell.cell_id.ci,
        bvc = area_of(cell) .. " " .. cell.bvci }
    end
  end
  return out
end

local function apns_of(node) return node.phones.apns end

local function apn_names(node)
  local out = each(apns_of, { "phones", "apns" }, "name")(node)
  for _, entry in ipairs(out) do entry.value = entry.value:lower() end
  return out
end

local READ <const> = {
  bits = one("phones", "pool", "nri_bits"),
  null = one("phones", "pool", "null_nri"),
  nris = each(function(node) return node.phones.pool.nris end, { "phones", "pool", "nris" }),
  offload = offload_area,
  cells = of_nses("cells", "cell_id", area_of),
  bvcs = bvcs,
  nseis = each(function(node) return node.nses end, { "nses" }, "nsei"),
  nsvcis = of_nses("nsvcs", "nsvci", function(nsvc) return nsvc.nsvci end),
  ggsns = each(apns_of, { "phones", "apns" }, "ggsn_address"),
  gn = all_of(one("phones", "pool", "address"),
    each(apns_of, { "phones", "apns" }, "sgsn_address"),
    each(function(node) return node.gn.addresses end, { "gn", "addresses" })),
  gb = one("gb", "address"),
  macs = all_of(one("gn", "mac"), one("gb", "mac")),
  hlr_name = function(node) return node.phones.policy == "hlr" and one("phones", "hlr", "name")(node) or {} end,
  policy = one("phones", "policy"),
  apns = apn_names,
}

-- --- rules; in their texts {a} is "in" and the file of a

local function path_of(entry) return keylines.path_of(entry.keys) end

local function find_common(mine, theirs, rule, add)
  local there, said = {}, {}
  for _, entry in ipairs(theirs) do there[entry.value] = there[entry.value] or entry end
  for _, entry in ipairs(mine) do
    local other = there[entry.value]
    if other and not said[entry.value] then
      add(entry.keys, "%s is %s {a}; %s", entry.value, path_of(other), rule.remedy)
    end
    said[entry.value] = true
  end
end

-- No value of one is one of the other's: of `than` if the rule has that, in either of the two.
local function differs(rule, a, b, add)
  find_common(b[rule.of], a[rule.than or rule.of], rule, add)
  if rule.than then find_common(b[rule.than], a[rule.of], rule, add) end
end

-- A key that one of them lacks is there, too.
local function agrees(rule, a, b, add)
  local mine, theirs = b[rule.of][1], a[rule.of][1]
  local value, other = mine and mine.value or "none", theirs and theirs.value or "none"
  if value ~= other then add((mine or theirs).keys, "%s, but %s {a}; %s", value, other, rule.remedy) end
end

-- By BVCI and area the cell; false: the node has two, behind two proxies.
local function cells_by_bvc(list)
  local out = {}
  for _, entry in ipairs(list) do out[entry.bvc] = out[entry.bvc] == nil and entry end
  return out
end

local function agrees_on_bvcs(rule, a, b, add)
  local mine, theirs = cells_by_bvc(b[rule.of]), cells_by_bvc(a[rule.of])
  for _, entry in ipairs(b[rule.of]) do
    local other = theirs[entry.bvc]
    if other and mine[entry.bvc] and other.value ~= entry.value then
      add(entry.keys, "%d, but %s {a} is %d, of the same BVCI and area; %s", entry.value, path_of(other), other.value,
        rule.remedy)
    end
  end
end

local LIST <const> = { "phones", "apns" }

-- Both have the same APNs, in any order.
local function has_all(rule, a, b, add)
  local function missing(from, to, text)
    local there = {}
    for _, entry in ipairs(to[rule.of]) do there[entry.value] = true end
    for _, entry in ipairs(from[rule.of]) do
      if not there[entry.value] and not there["*"] then
        add(from == b and entry.keys or LIST, text, entry.value, path_of(entry), rule.remedy)
      end
    end
  end
  missing(b, a, "%s is not {a}; %.0s%s")
  missing(a, b, "no %s, which is %s {a}; %s")
end

local function list_text(list)
  return #list == 0 and "none" or table.concat(list, " ")
end

local function entry_keys(entry, ...)
  return keylines.below({ "phones", "pool", "others", entry.place }, ...)
end

-- Facts that two entries, or an entry and the node itself, tell of NRIs and of the area of offload. An entry of an SGSN
-- of another pool has no NRIs.
local FACTS <const> = { { key = "nris", is_of_pool = true, text = function(of) return list_text(of.nris) end },
  { key = "offload_area", text = function(of) return of.offload_area or "none" end } }

local function is_contradicted(fact, of, by, are_one)
  return of and by and (are_one or not fact.is_of_pool) and fact.text(of) ~= fact.text(by)
end

-- By NRI, the entry.
local function owners_of(summary)
  local owners = {}
  for address, entry in pairs(summary.others) do
    for _, nri in ipairs(entry.nris) do owners[nri] = { address = address, entry = entry } end
  end
  return owners
end

-- The first NRI of a node that a summary has at another address, and whose it is there; nil: none.
local function wrong_owner(summary, other)
  local owners = owners_of(summary)
  for _, nri in ipairs(other.me.nris) do
    local owner = owners[nri]
    if owner and other.address and owner.address ~= other.address then return owner, nri end
  end
end

-- The entry of a in b, and of b in a; a node that names others of the pool names this one, too. A pool may do without.
-- An entry with a wrong address (has_no_wrong_address) is to be mended, not another one added.
local function names_each_other(_, a, b, add, are_one)
  if not a.address or not b.address or a.address == b.address then return end
  local of_a, of_b = b.others[a.address], a.others[b.address]
  local function lacks(summary, other) return not (are_one and wrong_owner(summary, other)) end
  if of_b and not of_a and lacks(b, a) then
    add({ "phones", "pool", "others" }, "none has %s, phones.pool.address {a}; add it, since that node has this one",
      a.address)
  elseif of_a and not of_b and lacks(a, b) then
    add({ "phones", "pool", "address" }, "no entry of phones.pool.others {a} has %s; add it {a}", b.address)
  end
  for _, fact in ipairs(FACTS) do
    if is_contradicted(fact, of_a, a.me, are_one) then
      add(entry_keys(of_a, fact.key), "%s, but phones.pool.%s {a} is %s; write what that node has", fact.text(of_a),
        fact.key, fact.text(a.me))
    end
    if is_contradicted(fact, of_b, b.me, are_one) then
      add({ "phones", "pool", fact.key }, "%s, but phones.pool.others[%d].%s {a} is %s; write what this node has "
        .. "{a}", fact.text(b.me), of_b.place, fact.key, fact.text(of_b))
    end
  end
end

-- An NRI leads to the address of its node, in the entries of both.
local function has_no_wrong_address(_, a, b, add)
  local owner, nri = wrong_owner(b, a)
  if owner then
    add(entry_keys(owner.entry, "address"), "%s with NRI %d, which is of %s, phones.pool.address {a}; write that",
      owner.address, nri, a.address)
  end
  owner, nri = wrong_owner(a, b)
  if owner then
    add({ "phones", "pool", "address" }, "%s, but phones.pool.others[%d] {a} has NRI %d of this node with %s; write "
      .. "this node's address {a}", b.address, owner.entry.place, nri, owner.address)
  end
end

-- Of any third SGSN both have the same entry.
local function agrees_on_others(_, a, b, add, are_one)
  local theirs = owners_of(a)
  for _, address in ipairs(b.addresses) do
    local mine, other = b.others[address], a.others[address]
    for _, fact in ipairs(FACTS) do
      if is_contradicted(fact, mine, other, are_one) then
        add(entry_keys(mine, fact.key), "%s, but %s in phones.pool.others[%d] {a}; write what %s has, in both",
          fact.text(mine), fact.text(other), other.place, address)
      end
    end
    for _, nri in ipairs(are_one and not other and mine.nris or {}) do
      if theirs[nri] and theirs[nri].address ~= address and address ~= a.address then
        add(entry_keys(mine, "nris"), "NRI %d of %s, but of %s in phones.pool.others[%d] {a}; give it to the one "
          .. "SGSN that has it, in both", nri, address, theirs[nri].address, theirs[nri].entry.place)
        break
      end
    end
  end
end

local OWN <const> = "give each node its own"
local ALL <const> = "give all nodes of the pool the same"

-- key, must, why and clause stand in docs/pool.md. of, than: keys of READ. ends: the rest would say the same again.
-- is_of_pool: only of nodes that share NRIs; the others also hold for SGSNs that name each other.
local RULES <const> = {
  { key = "phones.pool.nri_bits", must = "agrees", judge = agrees, of = "bits", remedy = ALL, ends = true,
    is_of_pool = true, why = "the proxy and the nodes read so many bits of a P-TMSI", clause = "TS 23.236 4.2" },
  { key = "phones.pool.null_nri", must = "agrees", judge = agrees, of = "null", remedy = ALL, is_of_pool = true,
    why = "the proxy knows one NULL-NRI of the pool; none is a value, too, and each file by itself has to have "
      .. "other `nris`", clause = "TS 23.236 4.5" },
  { key = "phones.pool.nris", must = "differs", judge = differs, of = "nris", remedy = OWN, is_of_pool = true,
    why = "an NRI leads to one node", clause = "TS 23.236 4.2" },
  { key = "phones.pool.offload_area", must = "differs", judge = differs, of = "offload", remedy = OWN,
    why = "the area of offload says which node a phone comes from", clause = "TS 23.236 4.5" },
  { key = "phones.pool.offload_area", must = "differs from areas of cells", judge = differs, of = "offload",
    than = "cells", remedy = "take an area of offload that no cell has", why = "a phone in it must update at once",
    clause = "TS 23.236 4.5" },
  { key = "phones.pool.address, phones.apns[].sgsn_address, gn.addresses", must = "differs", judge = differs, of = "gn",
    remedy = OWN, why = "hosts on Gn reach a node by its address", clause = "TS 29.060 10.1.2" },
  { key = "phones.apns[].ggsn_address", must = "differs from these addresses of the other node", judge = differs,
    of = "ggsns", than = "gn", remedy = "write the GGSN's", why = "a node is no GGSN", clause = "TS 29.060 10.1.2" },
  { key = "nses[].nsei", must = "differs", judge = differs, of = "nseis", remedy = OWN, is_of_pool = true,
    why = "the proxy tells nodes apart by it", clause = "TS 48.016 4.3" },
  { key = "nses[].nsvcs[].nsvci", must = "differs", judge = differs, of = "nsvcis", remedy = OWN, is_of_pool = true,
    why = "the proxy finds an NS-VC by it", clause = "TS 48.016 4.2" },
  { key = "nses[].cells[].cell_id.ci", must = "agrees, of cells with one BVCI in one routeing area",
    judge = agrees_on_bvcs, of = "bvcs", remedy = "write what the BSS has", is_of_pool = true,
    why = "the proxy has the BVCIs and cells of its BSSs", clause = "TS 48.018 8.4" },
  { key = "gb.address", must = "differs", judge = differs, of = "gb", remedy = OWN,
    why = "the proxy reaches a node by its address", clause = "TS 48.016 4.4" },
  { key = "gn.mac, gb.mac", must = "differs", judge = differs, of = "macs", remedy = OWN,
    why = "a switch sends frames to one port", clause = "RFC 826" },
  { key = "phones.hlr.name", must = "differs", judge = differs, of = "hlr_name",
    remedy = "set another name in one of them, such as SGSN-2",
    why = "the HLR sends what is for a node to this name, such as the end of a phone's registration",
    clause = "TS 23.060 6.9.1.2.2" },
  { key = "phones.policy", must = "agrees", judge = agrees, of = "policy", remedy = ALL, is_of_pool = true,
    why = "any node may get a phone, which has an HLR at all of them or at none; `imsis` are not compared",
    clause = "TS 23.236 4.3" },
  { key = "phones.apns[].name", must = "agrees", judge = has_all, of = "apns", remedy = ALL, is_of_pool = true,
    why = "a context of an APN that the next node does not have ends there", clause = "TS 23.060 6.9.1.2.2" },
  { key = "phones.pool.others", must = "names the other node, with its `nris` and `offload_area`; or neither does",
    judge = names_each_other, clause = "TS 23.060 6.9.1.2.2",
    why = "a phone is found at the node that it comes from, and only a known SGSN is answered" },
  { key = "phones.pool.others[].address", must = "agrees with `address` of the node whose NRI it has",
    judge = has_no_wrong_address, is_of_pool = true, why = "the question for a phone goes to that address",
    clause = "TS 29.060 7.5.3" },
  { key = "phones.pool.others[]", judge = agrees_on_others,
    must = "`nris` and `offload_area` agree, of a third SGSN that both name; an NRI is one SGSN's. `areas`, and what "
      .. "one node alone names, are not compared", why = "both ask it for the same phones",
    clause = "TS 23.060 6.9.1.2.2" },
}

function pools.document()
  local lines = { "| Key | Rule | Reason | Clause |", "| --- | --- | --- | --- |" }
  for _, rule in ipairs(RULES) do
    lines[#lines + 1] = ("| %s | %s | %s | %s |"):format(rule.key:gsub("[^, ]+", "`%0`"), rule.must, rule.why,
      rule.clause)
  end
  return table.concat(lines, "\n") .. "\n"
end

-- --- nodes

local function sorted(list)
  local out = table.move(list, 1, #list, 1, {})
  table.sort(out)
  return out
end

-- FACTS of an SGSN, as others are told them.
local function facts_of(of)
  return { nris = sorted(of.nris), offload_area = of.offload_area and area.text(of.offload_area) }
end

function pools.summary(node)
  local pool = node.phones and node.phones.pool
  if not pool then return nil end
  local out = { address = pool.address, me = facts_of(pool), others = {}, addresses = {} }
  for key, read in pairs(READ) do out[key] = read(node) end
  for i, other in ipairs(pool.others) do
    out.others[other.address], out.addresses[i] = facts_of(other), other.address
    out.others[other.address].place = i
  end
  return out
end

local function has_common(a, b)
  local there = {}
  for _, entry in ipairs(a) do there[entry.value] = true end
  for _, entry in ipairs(b) do
    if there[entry.value] then return true end
  end
  return false
end

-- Nodes with cells of one routeing area are in one pool; one without cells may be in any.
local function are_of_one_pool(a, b)
  local shares = has_common(a.cells, b.cells)
  if a.bits[1].value == 0 or b.bits[1].value == 0 then return shares and a.bits[1].value ~= b.bits[1].value end
  return shares or #a.cells == 0 or #b.cells == 0
end

function pools.conflicts(a, b, path)
  local found, in_a = {}, "in " .. path:gsub("%%", "%%%%")
  local function add(keys, text, ...)
    found[#found + 1] = { keys = keys, text = text:gsub("{a}", function() return in_a end):format(...) }
  end
  local are_one, know = are_of_one_pool(a, b), b.others[a.address or ""] or a.others[b.address or ""]
  for _, rule in ipairs(RULES) do
    if are_one or know and not rule.is_of_pool then rule.judge(rule, a, b, add, are_one) end
    if rule.ends and #found > 0 then break end
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
    for _, conflict in ipairs(pools.conflicts(other.summary, mine, other.path)) do
      lines[#lines + 1] = ("%s:%d: %s: %s"):format(path, where:line(conflict.keys), keylines.path_of(conflict.keys),
        conflict.text)
    end
  end
  before[#before + 1] = { path = path, summary = mine }
  return lines
end

return pools
