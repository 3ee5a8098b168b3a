-- SPDX-License-Identifier: BSD-3-Clause
-- Several SGSNs in one scenario: the keys `sgsns` and `relocation`, their check, and the scenario as one SGSN has it.
-- app/run/relocation.h has the model of the inter-SGSN routeing area update.

local schema = require "schema.schema"
local schema_scalar = require "schema.scalar"
local tables = require "base.tables"
local units = require "base.units"

local scenario_sgsns = {}

scenario_sgsns.MOST = 16

local OWN = { "queues", "queue_limit", "lifetime", "flow_control", "gb" } -- keys of `sgsn` that one may have

local duration = schema.duration

scenario_sgsns.RELOCATION = { name = "relocation", type = "record", noun = "relocation",
  absent = "the defaults of its keys", doc = "The routeing area update of a mobile that goes to another SGSN. "
    .. "It begins when the mobile is in that cell; until its end the mobile neither sends nor receives user data. The "
    .. "defaults are assumed.", fields = {
    { name = "forward", type = "boolean", default = true,
      doc = "true: the old SGSN sends the mobile's N-PDUs to the new one. false: it drops them (`handed_over`)" },
    duration("request", "0 s", "60 s", "300 ms",
      "time from the new cell until the new SGSN has ROUTING AREA UPDATE REQUEST: random access, two or three radio "
      .. "blocks, Gb"),
    duration("delay", "1 ms", "10 s", "5 ms", "one-way delay between two SGSNs, of messages and of N-PDUs"),
    duration("security", "0 s", "60 s", "0 s",
      "time for identity and authentication, before the new SGSN takes the contexts over; the default is that of a "
      .. "right P-TMSI signature"),
    duration("update", "0 s", "60 s", "50 ms",
      "time for UPDATE LOCATION at the HLR, at the same time as Update PDP Context at the GGSN, which takes two "
      .. "`gn_delay`"),
    duration("accept", "0 s", "60 s", "400 ms",
      "time from ROUTING AREA UPDATE ACCEPT until the new SGSN has COMPLETE: a downlink TBF, an uplink TBF, radio "
      .. "blocks of both, Gb"),
    duration("hold", "0 s", "600 s", "20 s",
      "time for which the old SGSN keeps the contexts and forwards, from SGSN Context Request on"),
  } }

-- key(sgsn) -> the field `sgsns`; sgsn: the descriptor of `sgsn`.
function scenario_sgsns.key(sgsn)
  local fields = {
    { name = "name", type = "string", required = true, max = 32, pattern = "^%a[%w_-]*$",
      form = "at most 32 letters, digits, - and _, a letter first", doc = "name in reports, unique" },
    { name = "cells", type = "list", required = true, min = 1, max = 256,
      item = { type = "integer", min = 2, max = 65535 },
      doc = "BVCIs of its cells; list the cells of the first SGSN first, then those of the second, and so on" },
  }
  for _, field in ipairs(sgsn.fields) do
    if tables.has(OWN, field.name) then
      local own = tables.copy(field)
      own.default, own.required, own.absent = nil, nil, "as in `sgsn`"
      fields[#fields + 1] = own
    end
  end
  return { name = "sgsns", type = "list", default = {}, max = scenario_sgsns.MOST,
    doc = "Several SGSNs, each with its own cells, Gb links, worker and queues; one GGSN serves all. Without it there "
      .. "is one SGSN with all cells.", item = { type = "record", noun = "an SGSN", fields = fields } }
end

-- --- check

local function check_names(sgsns, fail)
  local first = {}
  for i, sgsn in ipairs(sgsns) do
    if first[sgsn.name] then
      fail({ "sgsns", i, "name" }, string.format("name %s is taken by sgsns[%d].name", sgsn.name, first[sgsn.name]))
    end
    first[sgsn.name] = first[sgsn.name] or i
  end
end

-- The SGSN of each BVCI, by place; nil, with errors: one has none, or two.
local function owners_of(scenario, fail)
  local known, owner, is_right = {}, {}, true
  local function wrong(keys, ...)
    fail(keys, string.format(...))
    is_right = false
  end
  for _, cell in ipairs(scenario.cells) do known[cell.bvci] = true end
  local names = schema_scalar.first_of(scenario.cells, function(cell) return cell.bvci end)
  for i, sgsn in ipairs(scenario.sgsns) do
    for k, bvci in ipairs(sgsn.cells) do
      if not known[bvci] then
        wrong({ "sgsns", i, "cells", k }, "%d is no cell: one of %s", bvci, names)
      elseif owner[bvci] then
        wrong({ "sgsns", i, "cells", k }, "%d is taken by sgsns[%d]", bvci, owner[bvci])
      end
      owner[bvci] = owner[bvci] or i
    end
  end
  for i, cell in ipairs(scenario.cells) do
    if not owner[cell.bvci] then
      wrong({ "cells", i, "bvci" }, "%d is in no item of sgsns: add it to the `cells` of one", cell.bvci)
    end
  end
  return is_right and owner or nil
end

-- Cells, BSSs and SGSNs have the same order, and a BSS has one SGSN.
local function check_order(scenario, owner, fail)
  local last, nse = 1, 0
  for i, cell in ipairs(scenario.cells) do
    local own = owner[cell.bvci]
    if own ~= last and own ~= last + 1 then
      fail({ "cells", i, "bvci" }, string.format("%d of %s is out of order: cells of %s belong here", cell.bvci,
        scenario.sgsns[own].name, scenario.sgsns[last].name))
    elseif own ~= last and cell.nse == nse then
      fail({ "cells", i, "nse" }, string.format("BSS %d has cells of %s and %s: give the cells of each SGSN a BSS of "
        .. "their own", nse, scenario.sgsns[last].name, scenario.sgsns[own].name))
    end
    last, nse = own, cell.nse
  end
end

-- The old SGSN keeps the contexts until the new one has acknowledged them.
local function check_hold(times, fail)
  local least = 2 * times.delay + times.security
  if times.hold < least then
    fail({ "relocation", "hold" }, string.format("duration '%s' is less than two `delay` and `security`: %s or more",
      units.format("duration", times.hold), units.format("duration", least)))
  end
end

-- Mobiles with acknowledged mode or compression, which an update does not carry.
local function check_mobiles(given, fail)
  for i, mobile in ipairs(given) do
    if mobile.llc == "acknowledged" then
      fail({ "mobiles", i, "llc" }, '"acknowledged" needs one SGSN: with `sgsns` LLC is unacknowledged')
    elseif mobile.compression then
      fail({ "mobiles", i, "compression" }, "needs one SGSN: with `sgsns` SNDCP does not compress")
    end
  end
end

-- Checks the keys. Gives each cell the number of its SGSN; given: the mobiles of the file.
function scenario_sgsns.check(scenario, given, fail)
  if #scenario.sgsns == 0 then
    if scenario.relocation then fail({ "relocation" }, "needs sgsns = { ... }, at least two") end
    return
  end
  scenario.relocation = scenario.relocation or schema.check(scenario_sgsns.RELOCATION, {})
  check_hold(scenario.relocation, fail)
  if #scenario.sgsns == 1 then
    fail({ "sgsns" }, "has one SGSN: give two or more, or leave it out")
  elseif scenario.sgsn.workers ~= 1 then
    fail({ "sgsn", "workers" }, string.format("%d is out of range with `sgsns`: each SGSN has 1",
      scenario.sgsn.workers))
  end
  check_names(scenario.sgsns, fail)
  check_mobiles(given, fail)
  local owner = owners_of(scenario, fail)
  if not owner then return end
  check_order(scenario, owner, fail)
  for _, cell in ipairs(scenario.cells) do cell.sgsn = owner[cell.bvci] end
end

-- --- views

-- views(checked scenario) -> a list of scenarios, one for each SGSN: its own keys and cells, and all mobiles, those of
-- other SGSNs in its first cell and marked as is_elsewhere. Without `sgsns`: the scenario alone.
function scenario_sgsns.views(scenario)
  if #scenario.sgsns == 0 then return { scenario } end
  local views = {}
  for i, own in ipairs(scenario.sgsns) do
    local view, sgsn, is_own = tables.copy(scenario), tables.copy(scenario.sgsn), {}
    for _, key in ipairs(OWN) do
      if own[key] ~= nil then sgsn[key] = own[key] end
    end
    view.sgsn, view.number, view.cells, view.mobiles = sgsn, i, {}, {}
    for place, cell in ipairs(scenario.cells) do
      if cell.sgsn == i then
        is_own[cell.bvci] = true
        view.first_cell = view.first_cell or place
        view.cells[#view.cells + 1] = cell
      end
    end
    for k, mobile in ipairs(scenario.mobiles) do
      view.mobiles[k] = mobile
      if not is_own[mobile.cell] then
        view.mobiles[k] = tables.copy(mobile)
        view.mobiles[k].cell, view.mobiles[k].is_elsewhere = view.cells[1].bvci, true
      end
    end
    views[i] = view
  end
  return views
end

return scenario_sgsns
