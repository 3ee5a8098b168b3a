-- SPDX-License-Identifier: BSD-3-Clause
-- NSEs, NS-VCs and cells of the Gb control plane, added and deleted with the configuration.
--
-- g: { wire =, timers = config.timers, nses =, nse_by_nsei =, nsvcs = by number, nsvc_count = numbers so far,
-- mobiles =, room = of flow_control, on_unitdata =, pdu_octets = of the largest LLC-PDU, nil: not known }. A deleted
-- part leaves nothing behind: its timers are stopped, its number may be reused.

local bvc_machine = require "gb.bvc"
local drain = require "gb.drain"
local flow_control = require "gb.flow_control"
local fsm = require "base.fsm"
local gb_sns = require "gb.sns"
local tables = require "base.tables"
local ns_vc = require "gb.ns_vc"

local gb_parts = {}

-- nsvc: { nsvci =, address =, udp_port =, number = of its own }.
function gb_parts.add_nsvc(g, nse, nsvc)
  local index = nsvc.number or g.nsvc_count
  local vc = { wire = g.wire, index = index, nsvci = nsvc.nsvci, nse = nse, on_unitdata = g.on_unitdata,
    signalling_weight = 1, is_configured = true, peer = { address = nsvc.address, udp_port = nsvc.udp_port } }
  ns_vc.give_machines(vc, g.timers.ns)
  nse.nsvcs[#nse.nsvcs + 1] = vc
  g.nsvcs[index] = vc
  g.nsvc_count = math.max(g.nsvc_count, index + 1)
  return vc
end

function gb_parts.remove_nsvc(g, run, vc)
  run:tell(vc.fsm, "removed")
  run:emit({ op = "nsvc_del", nsvc = vc.index })
  g.nsvcs[vc.index] = nil
  tables.remove(vc.nse.nsvcs, vc)
end

-- cell: as in config.nses[].cells.
function gb_parts.add_bvc(g, nse, cell)
  local durations = g.timers.bssgp
  local bvc = {
    wire = g.wire, bvci = cell.bvci, cell_id = cell.cell_id, nse = nse, durations = durations, usable = false,
    own_buckets = flow_control.new_own_buckets(g.room), mobiles = g.mobiles, flows = {},
    max_rise = cell.flow_control and cell.flow_control.max_rise,
    drain = drain.new(cell.flow_control and cell.flow_control.bss_target, g.pdu_octets),
  }
  bvc.fsm = fsm.new(bvc_machine, bvc, ("bvc/%d/%d"):format(nse.nsei, cell.bvci), durations)
  nse.bvcs[#nse.bvcs + 1] = bvc
  nse.bvc_by_bvci[cell.bvci] = bvc
end

-- The cell's mobiles keep their queued N-PDUs and are assigned to another cell, which must exist.
function gb_parts.remove_bvc(g, run, bvc)
  local nse = bvc.nse
  run:tell(bvc.fsm, "removed")
  tables.remove(nse.bvcs, bvc)
  nse.bvc_by_bvci[bvc.bvci] = nil
  g.mobiles:lose_cell(run, bvc)
  run:emit({ op = "bvc_del", nsei = nse.nsei, bvci = bvc.bvci })
end

-- config: as in config.nses; first: the first of its NS-VCs' numbers, nil: the next. An NS-VC, and IP-SNS, may have a
-- `number` of its own, which it had before a restart of control.
function gb_parts.add_nse(g, config, first)
  local number = first or g.nsvc_count
  local nse = { nsei = config.nsei, wire = g.wire, usable_nsvcs = 0, nsvcs = {}, bvcs = {}, bvc_by_bvci = {},
    mobiles = g.mobiles, routeing_areas = config.routeing_areas,
    offered = config.features or {}, features = {}, is_ours_to_start = config.start == "sgsn" }
  for _, nsvc in ipairs(config.nsvcs) do
    gb_parts.add_nsvc(g, nse, { nsvci = nsvc.nsvci, address = nsvc.address, udp_port = nsvc.udp_port,
      number = nsvc.number or number })
    number = number + 1
  end
  if config.sns then
    number = config.sns.number or number
    gb_sns.add(g, nse, config.sns, number, g.timers.ns)
    g.nsvc_count = math.max(g.nsvc_count, number + gb_sns.numbers(config.sns))
  end
  for _, cell in ipairs(config.cells) do
    gb_parts.add_bvc(g, nse, cell)
  end
  g.nses[#g.nses + 1] = nse
  g.nse_by_nsei[nse.nsei] = nse
  return nse
end

-- The ways to it go first: the BSS is told once, on each of them, and not cell by cell.
function gb_parts.close_nse(g, run, nse)
  if nse.sns then run:tell(nse.sns.fsm, "removed") end
  for _, vc in ipairs(table.move(nse.nsvcs, 1, #nse.nsvcs, 1, {})) do
    gb_parts.remove_nsvc(g, run, vc)
  end
end

function gb_parts.remove_nse(g, run, nse)
  gb_parts.close_nse(g, run, nse)
  tables.remove(g.nses, nse)
  for _, bvc in ipairs(table.move(nse.bvcs, 1, #nse.bvcs, 1, {})) do
    gb_parts.remove_bvc(g, run, bvc)
  end
  g.nse_by_nsei[nse.nsei] = nil
  run:record("nse/" .. nse.nsei, nil)
  run:emit({ op = "nse_del", nsei = nse.nsei })
end

return gb_parts
