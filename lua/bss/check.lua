-- SPDX-License-Identifier: BSD-3-Clause
-- Constraints between the keys of a BSS (bss_schema), and values that follow from them. Values are checked ones: base
-- units, defaults filled in.

local keylines = require "schema.keylines"
local scalar = require "schema.scalar"
local units = require "base.units"

local bss_check = {}

local LLC_OCTETS <const> = 6 -- address, control and FCS of an LLC-PDU
local LARGEST <const> = 0xFFFFFFFF -- TLLI, IPv4 address
local MOST_MOBILES <const> = 4096
local SHOWN <const> = 12

-- A set that reports duplicates and names the place of the first.
local function unique(fail, what)
  local seen = {}
  return function(key, keys)
    if seen[key] then
      fail(keys, string.format("%s %s is taken by %s", what, key, keylines.path_of(seen[key])))
    end
    seen[key] = seen[key] or keys
  end
end

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
  local by_bvci, shown = {}, {}
  for i, cell in ipairs(cells) do
    local id = cell.cell_id
    bvci(cell.bvci, { "cells", i, "bvci" })
    identity(string.format("%s-%s-%d-%d-%d", id.mcc, id.mnc, id.lac, id.rac, id.ci), { "cells", i, "cell_id" })
    by_bvci[cell.bvci] = by_bvci[cell.bvci] or cell
    shown[i] = i <= SHOWN and cell.bvci or nil
  end
  return by_bvci, table.concat(shown, ", ") .. (#cells > SHOWN and ", ..." or "")
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
  local flow, least = cell.flow_control, mobile.n201_u + LLC_OCTETS
  local bucket = (flow.ms or flow.ms_default).bucket
  if bucket < least or flow.bvc.bucket < least then
    fail(keys, string.format("LLC-PDUs of %d octets (n201_u and %d) do not fit the buckets of its cell, %s and %s",
      least, LLC_OCTETS, units.format("octets", bucket), units.format("octets", flow.bvc.bucket)))
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

local function check_script(bss, fail)
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
function bss_check.whole(bss, fail)
  check_nsvcs(bss.nsvcs, fail)
  local cells, shown = check_cells(bss.cells, fail)
  local tlli, address, device = ranges(fail, "TLLI"), ranges(fail, "address"), unique(fail, "device")
  bss.total_mobiles = 0
  for i, mobile in ipairs(bss.mobiles) do
    check_home(bss, i, cells, shown, fail)
    tlli(mobile.tlli, mobile.count, { "mobiles", i, "tlli" })
    address(scalar.ipv4_number(mobile.address), mobile.count, { "mobiles", i, "address" })
    device(name_of(mobile.tun), { "mobiles", i, "tun" })
    bss.total_mobiles = bss.total_mobiles + mobile.count
  end
  if bss.phones then check_script(bss, fail) end
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

return bss_check
