-- SPDX-License-Identifier: BSD-3-Clause
-- The control plane of Gb: NS-VCs, cells and flow control of all its NSEs as state machines.
--
--   local g = gb.new(config, wire)         config: checked node configuration; wire: the codec module
--   g:start(now)                           intents of the start
--   g:on_pdu(nsvc_index, octets, now)      one NS PDU that the worker left to the control plane
--   g:on_timer(id, now)                    a timer has expired
--   g:on_heard(mobile, nsei, bvci, now)    a mobile, by its slot, was proven to be in a cell that is not its own: by a
--                                          frame of it, or by GMM signalling that has authenticated it there
--   g:on_waiting(nsei, bvci, npdus, now)   so many N-PDUs wait in a cell without flow control, as bvc_waits has asked
--   g:nsvc_of(nsei, bvci, now)             -> the NS-VC for an LLC-PDU of a mobile that is not in that cell; nil: none
--   g:on_unlisted(unlisted, octets, now)   an NS-RESET of an endpoint that no NS-VC has (gb.accepted)
--   g:nse_again(nsei, now), g:cell_again(nsei, bvci, cell_id, now)   such an NSE, and a cell of it, after a restart of
--                                          control, before adopt(); its NS-VCs by nsvc_add()
--   g:is_cell(nsei, bvci, cell_id, now)    -> whether UL-UNITDATA of that cell may have this Cell Identifier, a table
--                                          { mcc =, mnc =, lac =, rac =, ci = }; a refusal is counted
--   g:may_move(mobile, nsei, bvci, now)    -> whether it may move there; a refusal is counted
--   g:on_rim(octets, is_returned, now)     RAN information of another SGSN, or that was to go to one (gb.rim)
--   g:on_page_wanted(mobile, now)          something waits for a mobile that has to be paged
--   g:on_reached(mobile, now)              such a one was heard
--   g:ms_add(mobile, tlli, nsei, bvci, imsi)   a mobile is there, in a cell; the worker has been told; imsi: nil, not
--                                          known
--   g:ms_offered(mobile, tlli, now)        it may use this TLLI, too, until it is called by one; its own: no other
--   g:ms_called(mobile, tlli, imsi, now)   it has attached or updated, and has these identities from now on
--   g:ms_del(mobile, now)                  it is not there any more
--   g:ms_told(mobile, ra_capability, drx, now)   it has told its MS Radio Access Capability and DRX Parameters (value
--                                          parts); nil: not this time
--   g:pfc_add(mobile, pdp, pfi, class, now)   one of its contexts, by its slot in the worker, wants a packet flow
--   g:pfc_del(mobile, pdp, pfi, now)       that context is gone
--   g:nse_add(nse, first, now), g:nse_close(nsei, now), g:nse_del(nsei, now),
--   g:cell_add(nsei, cell), g:cell_del(nsei, bvci, now),
--   g:cell_leaves(nsei, bvci)              a cell will be deleted, bvci 0: those of an NSE
--   g:park(now), g:is_parking()            re-homes some mobiles of these cells; whether there may be more
--   g:nsvc_add(nsei, nsvc, now), g:nsvc_del(number, now),
--   g:set_duration(group, name, value),
--   g:set_flow_control(nsei, bvci, values, now),
--   g:sns_endpoints(nsei, endpoints, now)  the configuration has changed
--   g:adopt(key, text, now), g:adopted(now)   after a restart of control (gb.adopt)
--   g:plan(order), g:act(order, id, now)   an operator's act (gb.acts)
--   g:state(), g:ms_state(mobile)            what there is to show
--
-- `now` is in nanoseconds and never goes back. Methods with `now` return a list of intents, to be carried out in order:
--   { op = "timer", id =, at = ns }                      replaces a running timer of the same id
--   { op = "cancel", id = }
--   { op = "count", name = }
--   { op = "log", level = "info" | "warn" | "error", text = }
--   { op = "acted", id =, done =, text = }, { op = "act_kept", id = }   an act has ended, or continues (base.acts)
--   { op = "keep", key =, octets = }                     a record (base.records); octets nil: deleted
--   { op = "fault", nsei =, text = }                     a call has raised an error (gb.host); nsei nil: not known
--   { op = name of a message, its subject and payload }  dataplane/worker/msgs.def, control/core/intents.def
-- `ratio_percent`, `measurement_cs` and `pfi` are nil where the BSS did not say. NS-VCs are numbered from 0 over all
-- NSEs in the order of the configuration; an NSE with IP-SNS has one for where that begins and then max_nsvcs. Nothing
-- is usable before an intent says so.

local accepted = require "gb.accepted"
local bvc_machine = require "gb.bvc"
local drain = require "gb.drain"
local flow_control = require "gb.flow_control"
local fsm = require "base.fsm"
local gb_acts = require "gb.acts"
local gb_abqp = require "gb.abqp"
local gb_adopt = require "gb.adopt"
local gb_areas = require "gb.areas"
local gb_bssgp = require "gb.bssgp"
local gb_bvc_reset = require "gb.bvc_reset"
local gb_mobiles = require "gb.mobiles"
local gb_ns = require "gb.ns"
local gb_paging = require "gb.paging"
local gb_rim = require "gb.rim"
local gb_send = require "gb.send"
local gb_sns = require "gb.sns"
local ns_vc = require "gb.ns_vc"
local tables = require "base.tables"
local timers = require "base.timers"
local trace = require "base.trace"

local gb = {}

local LLC_OCTETS <const> = 6 -- address, control and FCS of an LLC-PDU

-- NSEs, NS-VCs and cells of the Gb control plane, added and deleted with the configuration.
--
-- g: { wire =, timers = config.timers, nses =, nse_by_nsei =, nsvcs = by number, nsvc_count = numbers so far,
-- mobiles =, room = of flow_control, on_unitdata =, pdu_octets = of the largest LLC-PDU, nil: not known }. A deleted
-- part leaves nothing behind: its timers are stopped, its number may be reused.

-- nsvc: { nsvci =, address =, udp_port =, number = of its own }.
local function add_nsvc(g, nse, nsvc)
  local index = nsvc.number or g.nsvc_count
  local vc = { wire = g.wire, index = index, nsvci = nsvc.nsvci, nse = nse, on_unitdata = g.on_unitdata,
    signalling_weight = 1, is_configured = true, peer = { address = nsvc.address, udp_port = nsvc.udp_port } }
  ns_vc.give_machines(vc, g.timers.ns)
  nse.nsvcs[#nse.nsvcs + 1] = vc
  g.nsvcs[index] = vc
  g.nsvc_count = math.max(g.nsvc_count, index + 1)
  return vc
end

local function remove_nsvc(g, run, vc)
  run:tell(vc.fsm, "removed")
  run:emit({ op = "nsvc_del", nsvc = vc.index })
  g.nsvcs[vc.index] = nil
  tables.remove(vc.nse.nsvcs, vc)
end

-- cell: as in config.nses[].cells.
local function add_bvc(g, nse, cell)
  local durations = g.timers.bssgp
  local bvc = {
    wire = g.wire, bvci = cell.bvci, cell_id = cell.cell_id, nse = nse, durations = durations, usable = false,
    own_buckets = flow_control.new_own_buckets(g.room), mobiles = g.mobiles, flows = {},
    max_rise = cell.flow_control and cell.flow_control.max_rise,
    initial = cell.flow_control and cell.flow_control.initial,
    drain = drain.new(cell.flow_control and cell.flow_control.bss_target, g.pdu_octets),
  }
  bvc.fsm = fsm.new(bvc_machine, bvc, ("bvc/%d/%d"):format(nse.nsei, cell.bvci), durations)
  bvc.waiting = flow_control.new_wait(bvc, bvc.fsm.id)
  nse.bvcs[#nse.bvcs + 1] = bvc
  nse.bvc_by_bvci[cell.bvci] = bvc
  return bvc
end

-- The cell's mobiles keep their queued N-PDUs and are assigned to `heir`, nil: to another cell, which must exist.
local function remove_bvc(g, run, bvc, heir)
  local nse = bvc.nse
  run:tell(bvc.fsm, "removed")
  tables.remove(nse.bvcs, bvc)
  nse.bvc_by_bvci[bvc.bvci] = nil
  g.mobiles:lose_cell(run, bvc, heir)
  run:emit({ op = "bvc_del", nsei = nse.nsei, bvci = bvc.bvci })
end

-- A cell that a BSS of nses_accepted resets.
local function accept_cell(g, run, nse, cell)
  local bvc = add_bvc(g, nse, cell)
  accepted.emit_cell(run, bvc)
  return bvc
end

-- When we send NS-UNBLOCK after an NS-RESET of the BSS: "now", "later", nil: never.
local function unblock_of(config)
  if config.unblock == "sgsn" then return "now" end
  if config.unblock ~= "auto" then return nil end
  return config.start == "sgsn" and "now" or "later"
end

-- config: as in config.nses; first: the first of its NS-VCs' numbers, nil: the next. An NS-VC, and IP-SNS, may have a
-- `number` of its own, which it had before a restart of control.
local function add_nse(g, config, first)
  local number = first or g.nsvc_count
  local nse = { nsei = config.nsei, wire = g.wire, usable_nsvcs = 0, nsvcs = {}, bvcs = {}, bvc_by_bvci = {},
    mobile_count = 0, all = g.nses, mobiles = g.mobiles, routeing_areas = config.routeing_areas,
    offered = config.features or {}, features = {}, is_ours_to_start = config.start == "sgsn",
    unblock = unblock_of(config), is_flushed = config.flush_ll ~= false,
    accepts = config.accepts, has_pool = g.has_pool }
  gb_bvc_reset.give(nse, config)
  for _, nsvc in ipairs(config.nsvcs) do
    add_nsvc(g, nse, { nsvci = nsvc.nsvci, address = nsvc.address, udp_port = nsvc.udp_port,
      number = nsvc.number or number })
    number = number + 1
  end
  if config.sns then
    number = config.sns.number or number
    gb_sns.add(g, nse, config.sns, number, g.timers.ns)
    g.nsvc_count = math.max(g.nsvc_count, number + gb_sns.numbers(config.sns))
  end
  for _, cell in ipairs(config.cells) do
    add_bvc(g, nse, cell)
  end
  g.nses[#g.nses + 1] = nse
  g.nse_by_nsei[nse.nsei] = nse
  return nse
end

-- The ways to it go first: the BSS is told once, on each of them, and not cell by cell.
local function close_nse(g, run, nse)
  if nse.sns then run:tell(nse.sns.fsm, "removed") end
  for _, vc in ipairs(table.move(nse.nsvcs, 1, #nse.nsvcs, 1, {})) do
    remove_nsvc(g, run, vc)
  end
end

local function remove_nse(g, run, nse)
  close_nse(g, run, nse)
  tables.remove(g.nses, nse)
  for _, bvc in ipairs(table.move(nse.bvcs, 1, #nse.bvcs, 1, {})) do
    remove_bvc(g, run, bvc)
  end
  g.nse_by_nsei[nse.nsei] = nil
  run:record("nse/" .. nse.nsei, nil)
  run:emit({ op = "nse_del", nsei = nse.nsei })
end

-- The node

local Gb = {}
Gb.__index = Gb

local function pass_up(vc, run, unitdata)
  gb_bssgp.receive(vc.nse, run, { via = vc.index, bvci = unitdata.bvci, octets = unitdata.sdu })
end

-- The largest LLC-PDU that mobiles have before they agree on another N201-U; nil where mobiles are not told.
local function largest_pdu(config)
  return config.mobiles and config.mobiles.n201_u and config.mobiles.n201_u + LLC_OCTETS
end

-- config.limits.mobiles bounds the mobiles with buckets of their own.
function gb.new(config, wire)
  local nses = {}
  local g = setmetatable({
    wire = wire, timers = config.timers, armed = {}, counts = {}, nses = nses, nsvcs = {},
    nsvc_count = 0, room = flow_control.new_room(config.limits and config.limits.mobiles),
    mobiles = gb_mobiles.new(config, nses), nse_by_nsei = {}, on_unitdata = pass_up, pdu_octets = largest_pdu(config),
    has_pool = config.phones ~= nil and config.phones.pool ~= nil,
  }, Gb)
  g.run = fsm.run(0, g.armed)
  trace.ways(g.nsvcs)
  for _, nse in ipairs(config.nses) do
    add_nse(g, nse)
  end
  g.accepted = config.nses_accepted and accepted.new(config.nses_accepted, {
    wire = wire, nses = nses, nse_by_nsei = g.nse_by_nsei, mobiles = g.mobiles,
    add_nse = function(nse) return add_nse(g, nse) end,
    add_nsvc = function(nse, nsvc) return add_nsvc(g, nse, nsvc) end,
    add_cell = function(run, nse, cell) return accept_cell(g, run, nse, cell) end,
    remove_nsvc = function(run, vc) remove_nsvc(g, run, vc) end,
    remove_cell = function(run, bvc, heir) remove_bvc(g, run, bvc, heir) end,
    remove_nse = function(run, nse) remove_nse(g, run, nse) end,
  })
  return g
end

-- Where a BSS may begin with IP-SNS, or we do with NS-RESET.
local function open_nse(run, nse)
  if nse.sns then return gb_sns.open(nse.sns, run) end
  for _, vc in ipairs(nse.nsvcs) do
    if nse.is_ours_to_start then run:post(vc.fsm, "open") end
  end
end

-- Methods with `now` behind the arguments that are named here.
local inputs = {}

-- One more NSE, as in config.nses, and the first of its NS-VCs' numbers, nil: the next ones. The worker has been told
-- by the caller of what is added.
function inputs.nse_add(g, run, config, first)
  open_nse(run, add_nse(g, config, first))
end

-- Deletes an NSE in two steps: first its NS-VCs, whose endpoints a new NSE may then use; then, when cells exist to
-- which its mobiles can be assigned, the rest.
function inputs.nse_close(g, run, nsei)
  close_nse(g, run, assert(g.nse_by_nsei[nsei]))
end

function inputs.nse_del(g, run, nsei)
  remove_nse(g, run, assert(g.nse_by_nsei[nsei]))
end

-- One more cell of an NSE that is there, as in config.nses[].cells.
function Gb:cell_add(nsei, cell)
  add_bvc(self, assert(self.nse_by_nsei[nsei]), cell)
end

function Gb:cell_leaves(nsei, bvci)
  for _, bvc in ipairs(assert(self.nse_by_nsei[nsei]).bvcs) do
    if bvci == 0 or bvc.bvci == bvci then self.mobiles:leave_cell(bvc) end
  end
end

function Gb:is_parking()
  return self.mobiles.parking ~= nil
end

function inputs.park(g, run)
  g.mobiles:park_some(run)
end

function inputs.cell_del(g, run, nsei, bvci)
  remove_bvc(g, run, assert(g:cell(nsei, bvci)))
end

-- One more NS-VC of an NSE that is there, { nsvci =, number = of its own, address =, udp_port = }.
function inputs.nsvc_add(g, run, nsei, nsvc)
  local nse = assert(g.nse_by_nsei[nsei])
  local vc = add_nsvc(g, nse, nsvc)
  if nse.is_ours_to_start then run:post(vc.fsm, "open") end
end

function inputs.nsvc_del(g, run, number)
  remove_nsvc(g, run, assert(g.nsvcs[number]))
end

-- A timer or number of retries, as in config.timers[group], from the next time on that it is set.
function Gb:set_duration(group, name, value)
  self.timers[group][name] = value
end

-- A cell's max_rise (millionths), bss_target (ns) and initial, as in config.nses[].cells[].flow_control; nil: none.
function inputs.set_flow_control(g, run, nsei, bvci, values)
  flow_control.change(assert(g:cell(nsei, bvci)), run, values)
end

-- The same of all cells by nses_accepted, those that come included.
function inputs.set_flow_control_accepted(g, run, values)
  g.accepted.settings.flow_control = values
  for _, nse in ipairs(g.nses) do
    for _, bvc in ipairs(nse.accepts and nse.bvcs or {}) do flow_control.change(bvc, run, values) end
  end
end

-- The radio values of a mobile of mobiles.list that a reload adds.
function Gb:ms_radio(mobile, record)
  local ms = self.mobiles.book.at[mobile]
  if ms then ms.radio = record or nil end
end

-- Other local endpoints of an NSE with IP-SNS.
function inputs.sns_endpoints(g, run, nsei, endpoints)
  gb_sns.change_own(g.nse_by_nsei[nsei].sns, run, endpoints)
end

function Gb:open_run(now)
  return self.run:reopen(now)
end

local function add_up(counts, intents)
  for _, intent in ipairs(intents) do
    if intent.op == "count" then counts[intent.name] = (counts[intent.name] or 0) + 1 end
  end
end

function Gb:close_run(run)
  local intents = run:drain()
  run:keep()
  if run.has_counted then add_up(self.counts, intents) end
  return intents
end

-- The BSS opens the dialogue, unless that is said to be ours.
function inputs.start(g, run)
  run:log("info", "waiting for BSSs, NSEs: %d%s", #g.nses, g.accepted and g.accepted:words() or "")
  for _, nse in ipairs(g.nses) do
    open_nse(run, nse)
  end
end

-- After a restart of control, when the mobiles have been added, in place of start(): one record, and the end of the
-- records.
inputs.adopt, inputs.adopted = gb_adopt.record, gb_adopt.finish

function inputs.on_pdu(g, run, nsvc_index, octets)
  local vc = g.nsvcs[nsvc_index]
  if not vc then return run:count("ns_unknown_endpoint") end
  gb_ns.receive(vc, run, octets)
end

-- unlisted: { nsei =, nsvci =, address =, udp_port =, own_address =, own_port =, number = a free one for its NS-VC,
-- nil: none; has_room = for another NSE and its cells, has_address_room = for its address }; octets: its NS-RESET.
function inputs.on_unlisted(g, run, unlisted, octets)
  if not g.accepted then return run:count("ns_unknown_endpoint") end
  local vc = g.accepted:take(run, unlisted)
  if vc then gb_ns.receive(vc, run, octets) end
end

function inputs.nse_again(g, run, nsei)
  if g.accepted then g.accepted:again(run, nsei) end
end

function inputs.cell_again(g, _, nsei, bvci, cell_id)
  local nse = g.nse_by_nsei[nsei]
  if nse then add_bvc(g, nse, { bvci = bvci, cell_id = cell_id, flow_control = g.accepted.settings.flow_control }) end
end

function inputs.on_waiting(g, run, nsei, bvci, npdus)
  local bvc = g:cell(nsei, bvci)
  if bvc then flow_control.tell_waiting(bvc, run, npdus) end
end

function inputs.on_timer(_, run, id)
  run:expire(id)
end

function Gb:cell(nsei, bvci)
  local nse = self.nse_by_nsei[nsei]
  return nse and nse.bvc_by_bvci[bvci]
end

function Gb:ms_add(mobile, tlli, nsei, bvci, imsi)
  self.mobiles:add(mobile, tlli, assert(self:cell(nsei, bvci)), imsi)
end

function inputs.on_heard(g, run, mobile, nsei, bvci)
  local ms, new = g.mobiles.book.at[mobile], g:cell(nsei, bvci)
  if not ms then
    run:count("heard_in_vain")
  elseif ms.cell ~= new then
    g.mobiles:heard(run, ms, new)
  end
end

-- An event of a mobile; it says nothing of one that is gone.
local function of_mobile(take)
  return function(g, run, mobile, ...)
    local ms = g.mobiles.book.at[mobile]
    if ms then take(g.mobiles, run, ms, ...) end
  end
end

inputs.ms_called = of_mobile(function(mobiles, run, ms, tlli, imsi) mobiles:call(run, ms, tlli, imsi) end)
inputs.ms_offered = of_mobile(function(mobiles, run, ms, tlli) mobiles:offer(run, ms, tlli) end)
inputs.ms_del = of_mobile(function(mobiles, run, ms) mobiles:remove(run, ms) end)
inputs.ms_told = of_mobile(function(mobiles, run, ms, ...) mobiles.radio:take_told(run, ms, ...) end)
inputs.on_page_wanted = of_mobile(function(mobiles, run, ms) mobiles:page(run, ms) end)
inputs.on_page_imsi = of_mobile(function(_, run, ms, imsi) gb_paging.by_imsi(run, ms.cell, imsi) end)
inputs.on_reached = of_mobile(function(mobiles, run, ms) mobiles:end_paging(run, ms, "reached") end)
local function wanted_of(pfi, class) return { pfi = pfi, abqp = gb_abqp.of_class(class) } end

inputs.pfc_add = of_mobile(function(mobiles, run, ms, pdp, ...) mobiles.pfcs:want(run, ms, pdp, wanted_of(...)) end)
inputs.pfc_del = of_mobile(function(mobiles, run, ms, pdp, pfi) mobiles.pfcs:unwant(run, ms, pdp, pfi) end)

-- Counts a refusal; whether there is none.
local function is_granted(g, now, refusal)
  local run = g:open_run(now)
  if refusal then run:count("move_" .. refusal) end
  g:close_run(run)
  return not refusal
end

-- A PDU of a cell that the configuration does not have is left to on_heard() and may_move().
function Gb:is_cell(nsei, bvci, cell_id, now)
  local cell = self:cell(nsei, bvci)
  return is_granted(self, now, cell and gb_areas.refusal_of_id(cell, cell_id))
end

function Gb:may_move(mobile, nsei, bvci, now)
  local ms, new, moves = self.mobiles.book.at[mobile], self:cell(nsei, bvci), self.mobiles.moves
  return is_granted(self, now, not ms and "unknown_mobile" or ms.cell ~= new and moves:refusal(ms, new, now))
end

-- For an LLC-PDU that goes to a cell whose buckets do not count it.
function Gb:nsvc_of(nsei, bvci, now)
  local bvc = self:cell(nsei, bvci)
  local nsvc = bvc and bvc.usable and gb_send.nsvc_of(bvc.nse, bvci)
  local run = self:open_run(now)
  run:count(nsvc and "dl_unitdata_apart" or "dl_unitdata_apart_unsent")
  self:close_run(run)
  return nsvc or nil
end

function inputs.on_rim(g, run, octets, is_returned) gb_rim.receive(g, run, octets, is_returned) end

function Gb:plan(order) return gb_acts.plan(self, order) end

function inputs.act(g, run, order, id) gb_acts.begin(g, run, order, id) end

timers.give_inputs(Gb, inputs)

local function show_nsvc(vc)
  return { index = vc.index, nsei = vc.nse.nsei, nsvci = vc.nsvci, state = vc.fsm.state, test = vc.test.state }
end

local function show_bvc(bvc)
  local announced = bvc.announced or {}
  return {
    nsei = bvc.nse.nsei, bvci = bvc.bvci, state = bvc.is_barred and "barred" or bvc.fsm.state,
    usable = not bvc.usable and "no" or bvc.waiting.state == "waiting" and "waits for flow control" or "yes",
    bucket_octets = announced.bucket_octets, rate_bps = announced.rate_bps,
    ms_bucket_octets = announced.ms_bucket_octets, ms_rate_bps = announced.ms_rate_bps,
    ms_buckets = #bvc.own_buckets:sorted(),
  }
end

-- Lists in the order of the configuration, by the rows `gb_nsvcs` and `gb_bvcs` of gb.shown: { nsvcs =, bvcs =,
-- counts =, mobiles = { suspended, flushing, flows = how many mobiles are so, or have packet flows } }.
function Gb:state()
  local shown = { nsvcs = {}, bvcs = {}, counts = tables.copy(self.counts), mobiles = self.mobiles:state() }
  for _, nse in ipairs(self.nses) do
    for _, vc in ipairs(nse.nsvcs) do shown.nsvcs[#shown.nsvcs + 1] = show_nsvc(vc) end
    for _, bvc in ipairs(nse.bvcs) do shown.bvcs[#shown.bvcs + 1] = show_bvc(bvc) end
  end
  return shown
end

-- Where a mobile is, by the rows `gb_ms` of gb.shown, and whether it is suspended, paged; nil: there is none.
function Gb:ms_state(mobile, now)
  local mobiles = self.mobiles
  local ms = mobiles.book.at[mobile]
  if not ms then return nil end
  local is_suspended, is_paged = mobiles.suspended[ms] ~= nil, mobiles.paged[ms] ~= nil
  return { nsei = ms.cell.nse.nsei, bvci = ms.cell.bvci, suspended = is_suspended, paged = is_paged,
    state = is_suspended and "suspended" or is_paged and "paged" or "ready",
    moves = mobiles.moves:tokens_of(ms, now) }
end

return gb
