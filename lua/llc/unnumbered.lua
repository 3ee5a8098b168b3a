-- SPDX-License-Identifier: BSD-3-Clause
-- LLC's unnumbered frames (44.064): answers XID within the configured limits, refuses acknowledged mode, and resets
-- mobiles: after a restart if configured, and phones whose LLC has a state that the node has not.
--
--   local l = llc.new(config, wire, has_memory)   the checked configuration; wire: the module gbflow_llc;
--                                         has_memory(kind): whether a new entity of compression can begin
--   l:ms_add(mobile, place, iov_ui, now)  a slot of the worker's is taken; place: a cell, NSEI << 16 | BVCI
--   l:ms_del(mobile, now)
--   l:reset(mobile, now)                  a new mobile is a phone that has sent LLC frames before: it is told to reset
--   l:settled(mobile, now)                no Reset is repeated any more, as its frames are ciphered, or it ends soon
--   l:cell_open(place, now)               the cell can be sent to
--   l:cell_closed(place)                  it was deleted
--   l:pdp_add(mobile, context, now)       { nsapi =, sapi =, takes_headers =, takes_data = whether headers of IPv4
--                                         in its N-PDUs, and these as a whole, may be compressed, is_acknowledged =,
--                                         is_old = true: it was there before control restarted }
--   l:pdp_mode(mobile, nsapi, is_acknowledged, now)   it gets another mode of LLC
--   l:pdp_data(mobile, nsapi, takes_data, now)   its N-PDUs as a whole may be compressed, or may not any more
--   l:pdp_del(mobile, nsapi, now)         before the worker deletes it
--   l:frame(mobile, octets, now)          a frame that the worker punted, without FCS
--   l:set_values(settings)                another config.llc, for XID that comes and times that begin from then on
--   l:adopt(key, text, now), l:adopted(now)   after a restart of control, when its mobiles are added: a record, the end
--   l:advance(now), l:next_at()           timers
-- All but set_values and the last return intents, in order:
--   { op = "llc_frame", mobile =, octets = }   a frame without FCS
--   { op = "ms_n201", mobile =, octets = } agreed on: from the next segment on
--   { op = "ms_abm", mobile =, sapi =, n201_i_octets =, ... } bounds of acknowledged mode, agreed on
--   { op = "ms_compression", mobile =, sapi =, kind =, number =, nsapis =, ... } an entity of SNDCP, before the answer
--   { op = "ms_llc_await", mobile = }            what is expected of it begins at N(U) = 0 when it answers XID
--   { op = "count", name = }
-- What there is to show, by the rows of llc.shown:
--   l:count()                             its counters
--   l:messages()                          messages that are not handled (GMM, SM, SMS), a list

local compression = require "llc.compression"
local fsm = require "base.fsm"
local llc_shown = require "llc.shown"
local records = require "base.records"
local shown = require "base.shown"
local tables = require "base.tables"
local timers = require "base.timers"

local llc = {}

local DEFAULT_N201_U <const> = 500 -- of the SAPIs of users' packets, 44.064 table 9
local GMM_SAPI <const> = 1
local LARGEST_N201_U <const> = 1520

-- XID with Reset after a restart (44.064 §6.4.1.6, §8.5.3): a mobile whose LLC state gbflow has lost is told to reset
-- its own, on SAPI 1, at most 1 + n200 times. gbflow restarts with V(U) = 0, so only the N(U) expected from the mobile
-- is reset: by its worker, at the answer, as the mobile's next frames may come in the same burst.
--
-- Owner: { index =, fsm =, llc = }; llc:send(run, ms, frame) sends. The worker is told to use the default N201-U, which
-- holds for the mobile from then on.

local actions = {}

function actions.send(ms, run)
  run:emit({ op = "ms_llc_await", mobile = ms.index })
  ms.llc:send(run, ms, { sapi = GMM_SAPI, frame = "xid", is_command = true, pf = true,
    xid = { reset = true, iov_ui = ms.iov_ui } })
  run:count("reset_sent")
end

function actions.begin(ms, run)
  ms.agreed = {}
  compression.clear(ms.llc, run, ms)
  if ms.n201_u > DEFAULT_N201_U then
    ms.n201_u = DEFAULT_N201_U
    run:emit({ op = "ms_n201", mobile = ms.index, octets = DEFAULT_N201_U })
  end
  actions.send(ms, run)
end

-- A mobile that answers has ended the entities of before, also those that were agreed on while Reset was on its way.
function actions.done(ms, run)
  compression.clear(ms.llc, run, ms)
  run:count("reset_done")
end

function actions.give_up(_, run)
  run:count("reset_unanswered")
end

-- The record of a mobile, whether it has a machine or not; nil: it has agreed on nothing, and was not told to reset.
local function kept_of(ms)
  local state = ms.fsm and ms.fsm.state ~= "wanted" and ms.fsm.state or nil
  local entities = compression.kept(ms)
  if not (state or entities or next(ms.agreed)) then return nil end
  return { mobile = ms.index, n201_u = ms.n201_u, agreed = ms.agreed, iov_ui = ms.iov_ui, state = state,
    compression = entities }
end

local reset_machine = fsm.define({
  name = "llc_reset",
  category = "llc",
  about = "of_mobile",
  initial = "wanted",
  keep = kept_of,
  actions = actions,
  timers = {
    t200 = { after = "t200", retries = "n200", again = "t200", out = "t200_out" },
  },
  states = {
    wanted = {
      on = {
        cell_open = { action = "begin", next = "sent" },
      },
    },
    sent = {
      timer = "t200",
      on = {
        cell_open = {},
        t200 = { action = "send" },
        t200_out = { action = "give_up", next = "over" },
        rx_response = { action = "done", next = "over" },
        settled = { next = "over" },
        deleted = { next = "over" },
      },
    },
    over = {
      on = {
        cell_open = {},
      },
    },
  },
})

-- All mobiles

local Llc = {}
Llc.__index = Llc

local DATA_SAPIS <const> = { [3] = true, [5] = true, [9] = true, [11] = true }
local SIGNALLING_N201_U <const> = { [1] = 400, [2] = 270, [7] = 270, [8] = 270 } -- table 9
-- Parameters that only the network may set; in a mobile's XID they are not answered.
local NETWORKS <const> = { "iov_ui", "iov_i" }
-- Parameters of acknowledged mode, and the value of each that bounds nothing. Sizes are negotiated downwards, T200 and
-- N200 upwards (§8.5.3.2); m = 0 is no limit.
local FREE <const> = { t200_ds = 1, n200 = 1, n201_i_octets = 1520, m_d = 0, m_u = 0, k_d = 255, k_u = 255 }
local ABM <const> = { "t200_ds", "n200", "n201_i_octets", "m_d", "m_u", "k_d", "k_u" }
local UPWARDS <const> = { t200_ds = true, n200 = true }
local DECISECOND_NS <const> = 100000000

-- nil: acknowledged mode is off.
local function abm_bounds_of(settings)
  if settings.links == 0 then return nil end
  return { t200_ds = settings.t200 // DECISECOND_NS, n200 = settings.n200, n201_i_octets = settings.n201_i,
    m_d = settings.m_down, m_u = settings.m_up, k_d = settings.k_down, k_u = settings.k_up }
end

function Llc:set_values(settings)
  self.limit, self.abm = settings.n201_u_max or self.room, abm_bounds_of(settings.acknowledged)
  self.durations.t200, self.durations.n200 = settings.t200, settings.n200
end

function llc.new(config, wire, has_memory)
  local settings, armed = config.llc, {}
  local l = setmetatable({
    wire = wire, mobiles = {}, open = {}, armed = armed, counts = shown.zeros(llc_shown.llc_counts), unhandled = {},
    timers = timers.new(),
    room = math.min(LARGEST_N201_U, config.gb.mtu - config.gb.headers_octets),
    n201_u = config.mobiles.n201_u, wants_reset = settings.reset_at_start,
    durations = {}, compression = compression.new(config.sndcp, has_memory),
  }, Llc)
  l:set_values(settings)
  return l
end

-- Runs and timers

timers.give_runs(Llc)

local close_run = Llc.close_run

function Llc:close_run(run)
  for _, place in ipairs(self.closed or {}) do run:record("open/" .. place, nil) end
  self.closed = nil
  return close_run(self, run)
end

-- "xid_command on SAPI 3".
local function name_of(frame)
  if not frame then return "a malformed frame" end
  local name = frame.frame or frame.format
  if frame.is_command ~= nil then name = name .. (frame.is_command and "_command" or "_response") end
  return ("%s on SAPI %s"):format(name, frame.sapi)
end

local function key_of(ms)
  return ms.fsm and ms.fsm.id or "llc/" .. ms.index
end

local function keep(run, ms)
  run:record(key_of(ms), kept_of(ms))
end

function Llc.keep(_, run, ms)
  keep(run, ms)
end

-- Mobiles

local NONE <const> = {} -- of mobiles without compression
local inputs = {}

function inputs.ms_add(l, run, mobile, place, iov_ui)
  local ms = { index = mobile, place = place, llc = l, n201_u = l.n201_u, agreed = {}, iov_ui = iov_ui,
    contexts = NONE, entities = NONE, asking = NONE }
  if l.compression then ms.contexts, ms.entities, ms.asking = {}, {}, {} end
  l.mobiles[mobile] = ms
  if l.wants_reset then
    ms.fsm = fsm.new(reset_machine, ms, "llc/" .. mobile, l.durations)
    if l.open[place] then run:tell(ms.fsm, "cell_open") end
  end
end

function inputs.ms_del(l, run, mobile)
  local ms = l.mobiles[mobile]
  if ms and ms.fsm and ms.fsm.state == "sent" then run:tell(ms.fsm, "deleted") end
  local kept = ms and kept_of(ms)
  if ms then compression.clear(l, run, ms) end
  if kept then
    run:keep()
    run:record(key_of(ms), nil)
  end
  l.mobiles[mobile] = nil
end

function inputs.pdp_add(l, run, mobile, context)
  local ms = l.mobiles[mobile]
  if not (ms and l.compression) then return end
  ms.contexts[context.nsapi] = context
  if context.is_old then return end
  ms.again = nil
  compression.propose(l, run, ms, context.sapi)
  keep(run, ms)
end

-- Entities of before stay as they are, though contexts of both modes may share one then.
function inputs.pdp_mode(l, run, mobile, nsapi, is_acknowledged)
  local ms = l.mobiles[mobile]
  local context = ms and ms.contexts[nsapi]
  if not context then return end
  context.is_acknowledged = is_acknowledged
  compression.propose(l, run, ms, context.sapi)
  keep(run, ms)
end

function inputs.pdp_data(l, run, mobile, nsapi, takes_data)
  local ms = l.mobiles[mobile]
  local context = ms and ms.contexts[nsapi]
  if not context then return end
  context.takes_data = takes_data
  compression.propose(l, run, ms, context.sapi)
  keep(run, ms)
end

function inputs.pdp_del(l, run, mobile, nsapi)
  local ms = l.mobiles[mobile]
  local context = ms and ms.contexts[nsapi]
  if not context then return end
  ms.contexts[nsapi] = nil
  compression.leave(l, run, ms, context.sapi, nsapi)
  keep(run, ms)
end

-- XID Reset goes before what the phone is sent next (§8.5.3.1): the node begins with a low N(U), and a phone that keeps
-- its state would discard that as old. A Reset while frames are ciphered would have the same keystream used again.
function inputs.reset(l, run, mobile)
  local ms = l.mobiles[mobile]
  if not ms then return end
  ms.fsm = ms.fsm or fsm.new(reset_machine, ms, "llc/" .. mobile, l.durations)
  run:tell(ms.fsm, "cell_open")
end

function inputs.settled(l, run, mobile)
  local ms = l.mobiles[mobile]
  if ms and ms.fsm and ms.fsm.state == "sent" then run:tell(ms.fsm, "settled") end
end

-- Those of the mobiles that are meant, in the order of their slots.
local function tell_open(l, run, is_meant)
  local waiting = {}
  for index, ms in next, l.mobiles do
    if is_meant(ms) then waiting[#waiting + 1] = index end
  end
  table.sort(waiting)
  for _, index in ipairs(waiting) do run:tell(l.mobiles[index].fsm, "cell_open") end
end

function inputs.cell_open(l, run, place)
  if l.open[place] then return end
  if l.wants_reset then tell_open(l, run, function(ms) return ms.place == place end) end
  compression.cell_open(l, run, place)
  run:record("open/" .. place, { open = place })
  l.open[place] = true
end

-- After a restart of control. A mobile without a record that waits for its cell is told to reset now.
function inputs.adopt(l, run, _, text)
  local kept = records.unpack(text)
  local ms = l.mobiles[kept.mobile]
  if kept.open then
    l.open[kept.open] = true
    run:record("open/" .. kept.open, kept)
  elseif ms then
    ms.n201_u, ms.agreed, ms.iov_ui = kept.n201_u, kept.agreed, kept.iov_ui
    compression.adopt(l, run, ms, kept.compression)
    if kept.state then
      ms.fsm = ms.fsm or fsm.new(reset_machine, ms, "llc/" .. ms.index, l.durations)
      run:restore(ms.fsm, kept.state)
    end
    keep(run, ms)
  end
end

function inputs.adopted(l, run)
  tell_open(l, run, function(ms) return ms.fsm and ms.fsm.state == "wanted" and l.open[ms.place] end)
end

-- The cell was deleted; a new cell of that name has to open first.
function Llc:cell_closed(place)
  self.open[place], self.closed = nil, self.closed or {}
  table.insert(self.closed, place)
end

function Llc:send(run, ms, frame)
  if fsm.trace then fsm.trace.message(run, "llc", ms.index, "mobile", "sends " .. name_of(frame)) end
  run:emit({ op = "llc_frame", mobile = ms.index, octets = self.wire.encode(frame) })
end

-- XID

-- One N201-U holds for all SAPIs of users' packets: the smallest that any of them agreed on.
local function apply_n201_u(run, ms, sapi, octets)
  if not DATA_SAPIS[sapi] then return end
  ms.agreed[sapi] = octets
  local least = octets
  for _, other in next, ms.agreed do
    least = math.min(least, other)
  end
  if least ~= ms.n201_u then
    ms.n201_u = least
    run:emit({ op = "ms_n201", mobile = ms.index, octets = least })
  end
  keep(run, ms)
end

-- A parameter of acknowledged mode as proposed, within the own bound.
local function within(name, proposed, bound)
  if UPWARDS[name] then return math.max(proposed, bound) end
  if name:sub(1, 2) == "m_" and (proposed == 0 or bound == 0) then return math.max(proposed, bound) end
  return math.min(proposed, bound)
end

-- Answers the proposals of acknowledged mode; where that is off, with what was proposed.
function Llc:answer_abm(run, ms, sapi, proposed, answer)
  local own, bounds, is_any = DATA_SAPIS[sapi] and self.abm, { op = "ms_abm", mobile = ms.index, sapi = sapi }, false
  for _, name in ipairs(ABM) do
    answer[name] = proposed[name] and own and within(name, proposed[name], own[name]) or proposed[name]
    bounds[name], is_any = answer[name] or FREE[name], is_any or answer[name] ~= nil
  end
  if own and is_any then run:emit(bounds) end
end

-- The answer to a mobile's proposals. A value that is not allowed is answered with the one in force.
function Llc:answer_to(run, ms, sapi, proposed)
  local answer = {}
  self:answer_abm(run, ms, sapi, proposed, answer)
  if proposed.version then answer.version = 0 end
  if proposed.n201_u_octets then
    answer.n201_u_octets = math.min(proposed.n201_u_octets, self.limit)
  elseif tables.has(proposed.refused, "n201_u_octets") then
    answer.n201_u_octets = SIGNALLING_N201_U[sapi] or ms.n201_u
  end
  if proposed.l3 then answer.l3 = compression.answer(self, run, ms, sapi, proposed.l3) end
  return answer
end

local function count_what_is_not_answered(run, proposed)
  for _, name in ipairs(NETWORKS) do
    if proposed[name] then run:count("xid_networks_parameter") end
  end
  if proposed.reset then run:count("xid_networks_parameter") end
  for _ = 1, #proposed.refused do
    run:count("xid_refused_parameter")
  end
end

local receive = {}

function receive.xid(l, run, ms, frame)
  if not frame.xid then
    return run:count("xid_malformed")
  elseif not frame.is_command then
    if ms.fsm and frame.sapi == 1 and ms.fsm.state == "sent" then
      run:tell(ms.fsm, "rx_response")
      compression.propose_all(l, run, ms)
      return keep(run, ms)
    end
    if compression.answered(l, run, ms, frame) then return keep(run, ms) end
    return run:count("xid_unexpected")
  end
  count_what_is_not_answered(run, frame.xid)
  local answer = l:answer_to(run, ms, frame.sapi, frame.xid)
  l:send(run, ms, { sapi = frame.sapi, frame = "xid", is_command = false, pf = frame.pf, xid = answer })
  run:count("xid_answered")
  if frame.xid.n201_u_octets then
    apply_n201_u(run, ms, frame.sapi, answer.n201_u_octets)
  elseif answer.l3 then
    keep(run, ms)
  end
end

-- Acknowledged mode is not offered: SABM and DISC are answered with DM.
function receive.sabm(l, run, ms, frame)
  if frame.is_command then
    l:send(run, ms, { sapi = frame.sapi, frame = "dm", is_command = false, pf = frame.pf })
  end
  run:count(frame.frame)
end

receive.disc = receive.sabm

local function count_frame(_, run, _, frame)
  run:count(frame.frame or "undefined")
end

-- SABM, DISC and XID commands have P = 1; with P = 0 they are discarded (44.064 §8.2).
local POLLS <const> = { sabm = true, disc = true, xid = true }

local function discard_without_poll(_, run)
  run:count("poll_missing")
end

local function handler_of(frame)
  if POLLS[frame.frame] and frame.is_command and not frame.pf then return discard_without_poll end
  return receive[frame.frame] or count_frame
end

-- Layer 3 begins with protocol discriminator and message type (24.007 §11.2). A worker leaves UI frames of other SAPIs
-- to SNDCP.
local SIGNALLING <const> = { [1] = "gmm", [7] = "sms" }

local function count_signalling(l, run, frame)
  local first, message = frame.info:byte(1, 2)
  if not first then
    return run:count("empty")
  elseif not SIGNALLING[frame.sapi] then
    return run:count("undefined")
  end
  local key = frame.sapi << 16 | (first & 15) << 8 | (message or 0)
  l.unhandled[key] = (l.unhandled[key] or 0) + 1
  run:count(SIGNALLING[frame.sapi])
end

local OTHERS <const> = { i = "i_frame", s = "s_frame" }

function inputs.frame(l, run, mobile, octets)
  local ms, frame = l.mobiles[mobile], l.wire.decode(octets)
  if fsm.trace then fsm.trace.message(run, "llc", mobile, "mobile", "received " .. name_of(frame)) end
  if not ms then
    run:count("unknown_mobile")
  elseif not frame then
    run:count("malformed")
  elseif frame.format == "u" then
    handler_of(frame)(l, run, ms, frame)
  elseif frame.format == "ui" then
    count_signalling(l, run, frame)
  else
    run:count(OTHERS[frame.format])
  end
end

timers.give_inputs(Llc, inputs)

function Llc:count() return self.counts end

function Llc:messages()
  local out, keys = {}, {}
  for key in pairs(self.unhandled) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do
    out[i] = { sapi = key >> 16, protocol = key >> 8 & 15, message = key & 255, frames = self.unhandled[key] }
  end
  return out
end

return llc
