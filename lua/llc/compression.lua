-- SPDX-License-Identifier: BSD-3-Clause
-- Entities of SNDCP's compression of each mobile and SAPI (44.065 §6.5, §6.6, §6.8): answers a phone's proposals within
-- the configuration, proposes entities when a context is activated if that says so, and tells the worker. Entities end
-- with LLC's Reset, with the mobile and with the last of their contexts.
--
--   compression.new(config.sndcp, has_memory)   the policy; nil: off. has_memory(kind): whether a new entity can
--                                               begin; nil: always
--   compression.answer(l, run, ms, sapi, octets) -> octets of the answer
--   compression.propose(l, run, ms, sapi), compression.propose_all(l, run, ms)
--   compression.answered(l, run, ms, frame)     -> whether the XID response was one to a proposal
--   compression.leave(l, run, ms, sapi, nsapi)  a context was deleted
--   compression.clear(l, run, ms)               all of the mobile ends
--   compression.cell_open(l, run, place)
--   compression.kept(ms), compression.adopt(l, run, ms, kept)   across a restart of control
--
-- l is the object of llc.unnumbered, with l:keep(run, ms) for the record of its mobile ms. That has contexts: nsapi ->
-- { sapi =, takes_headers =, takes_data =, is_acknowledged = }; entities: SAPI -> name -> entity; asking: SAPI ->
-- machine of a proposal. Proposals that are not answered take room, too.

local fsm = require "base.fsm"
local sndcp_xid = require "llc.sndcp_xid"

local compression = {}

local AGAIN <const> = 3
local DIRECTIONS <const> = { uplink = 1, downlink = 2, both = 3 }

function compression.new(sndcp, has_memory)
  local settings = sndcp and sndcp.compression
  if not settings or settings.mode == "off" then return nil end
  local allowed, v42bis = {}, settings.v42bis
  allowed.rfc1144 = settings.rfc1144 and { slots = settings.rfc1144.slots }
  allowed.v42bis = v42bis and { directions = DIRECTIONS[v42bis.direction], codewords = v42bis.codewords,
    string_octets = v42bis.string }
  return { is_active = settings.mode == "active", room = settings.entities, allowed = allowed,
    has_memory = has_memory or function() return true end }
end

-- Entities

local function tell(run, ms, sapi, entity, is_added)
  local intent = { op = "ms_compression", mobile = ms.index, sapi = sapi }
  for key, value in next, entity do intent[key] = value end
  intent.is_added = is_added
  run:emit(intent)
end

-- A question about the entity that is still open means nothing any more: what is missing is proposed after its answer.
local function void(asking, name)
  if not (asking and asking.owner.plan[name]) then return end
  asking.owner.plan[name], asking.owner.is_late = nil, true
end

local function set(l, run, ms, sapi, entity)
  local name = entity.kind == 0 and "rfc1144" or "v42bis"
  void(ms.asking[sapi], name)
  local own = ms.entities[sapi] or {}
  l.compression.room = l.compression.room + (own[name] and 1 or 0) - (entity.nsapis ~= 0 and 1 or 0)
  tell(run, ms, sapi, entity, entity.is_new and not own[name] or nil)
  own[name] = entity.nsapis ~= 0 and entity or nil
  if entity.is_new then own[name].is_new = nil end
  ms.entities[sapi] = next(own) and own or nil
end

local function without(entity, nsapis)
  local out = {}
  for key, value in next, entity do out[key] = value end
  out.nsapis = entity.nsapis & ~nsapis
  return out
end

-- Those of the contexts on a SAPI that an algorithm can serve, as bits, and those in acknowledged mode.
local function nsapis_of(ms, sapi)
  local bits, acknowledged = { rfc1144 = 0, v42bis = 0 }, 0
  for nsapi, context in next, ms.contexts do
    if context.sapi == sapi then
      if context.takes_data then bits.v42bis = bits.v42bis | 1 << nsapi end
      if context.takes_headers then bits.rfc1144 = bits.rfc1144 | 1 << nsapi end
      if context.is_acknowledged then acknowledged = acknowledged | 1 << nsapi end
    end
  end
  return bits, acknowledged
end

local function has_context(ms, sapi)
  for _, context in next, ms.contexts do
    if context.sapi == sapi then return true end
  end
  return false
end

local function sorted(map)
  local keys = {}
  for key in next, map do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

-- The names of entities in the order of proposals, since a list of intents has an order.
local function each_name(own)
  local names = {}
  for _, name in ipairs(sndcp_xid.NAMES) do
    if own and own[name] then names[#names + 1] = name end
  end
  return ipairs(names)
end

function compression.leave(l, run, ms, sapi, nsapi)
  local own = ms.entities[sapi]
  for _, name in each_name(own) do
    if own[name].nsapis >> nsapi & 1 == 1 then
      local entity = without(own[name], 1 << nsapi)
      run:count(entity.nsapis == 0 and "compression_ended" or "compression_changed")
      set(l, run, ms, sapi, entity)
    end
  end
  if ms.asking[sapi] and not has_context(ms, sapi) then run:tell(ms.asking[sapi], "deleted") end
end

-- Answers

local function side_of(l, ms, sapi)
  local policy, machine = l.compression, ms.asking[sapi]
  if not policy then return nil end
  local nsapis, acknowledged = nsapis_of(ms, sapi)
  return { allowed = policy.allowed, room = policy.room, nsapis = nsapis, acknowledged = acknowledged,
    entities = ms.entities[sapi] or {}, asked = machine and machine.owner.plan or {}, has_memory = policy.has_memory }
end

-- An empty proposal gets an empty answer: some phones deactivate their context when it gets parameters.
function compression.answer(l, run, ms, sapi, octets)
  if octets == "" then return "" end
  local answer = sndcp_xid.answer(l.wire, octets, side_of(l, ms, sapi))
  for _ = 1, answer.ends do run:count("compression_ended") end
  for _, outcome in ipairs(answer.outcomes) do
    if outcome ~= "ended" then run:count("compression_" .. outcome) end
    if outcome:find("^refused") then run:count("xid_compression_refused") end
    if outcome == "refused_collision" then ms.asking[sapi].owner.is_late = true end
  end
  for _, entity in ipairs(answer.changes) do set(l, run, ms, sapi, entity) end
  if not answer.is_whole then run:count("xid_sndcp_malformed") end
  return answer.octets
end

-- Proposals: XID with entities, on the SAPI of a context, at most 1 + n200 times.
--
-- Owner: { llc =, ms =, sapi =, plan = NAME -> entity as proposed, taken = new ones among them, is_late: the
-- answer may leave entities missing, as a context was activated meanwhile, the phone proposed some, too, or there was
-- no memory }.

local actions = {}

function actions.send(asked, run)
  asked.llc:send(run, asked.ms, { sapi = asked.sapi, frame = "xid", is_command = true, pf = true,
    xid = { l3 = sndcp_xid.proposal(asked.llc.wire, asked.plan) } })
  run:count("compression_proposed")
end

local function end_wait(asked)
  asked.ms.asking[asked.sapi] = nil
  asked.llc.compression.room = asked.llc.compression.room + asked.taken
end

function actions.give_up(asked, run)
  end_wait(asked)
  run:count("compression_unanswered")
  asked.llc:keep(run, asked.ms)
end

function actions.drop(asked)
  end_wait(asked)
end

function actions.take(asked, run, octets)
  local l, ms, sapi = asked.llc, asked.ms, asked.sapi
  end_wait(asked)
  local own, answers = ms.entities[sapi] or {}, sndcp_xid.answered(l.wire, octets, asked.plan)
  local nsapis = nsapis_of(ms, sapi)
  for _, name in each_name(answers) do
    local entity = answers[name]
    local is_refused, is_new = entity.nsapis == 0, entity.is_new
    entity.nsapis = entity.nsapis & nsapis[name]
    local is_without_memory = is_new and entity.nsapis ~= 0 and not l.compression.has_memory(entity.kind)
    if is_refused and asked.plan[name].nsapis ~= 0 then run:count("compression_refused_peer") end
    if is_without_memory then run:count("compression_refused_room") end
    if entity.nsapis == 0 and own[name] then run:count("compression_ended") end
    if entity.nsapis ~= 0 and not is_without_memory then
      run:count(is_new and "compression_accepted" or "compression_changed")
    end
    if is_without_memory then
      asked.is_late = true
    elseif entity.nsapis ~= 0 or own[name] then
      set(l, run, ms, sapi, entity)
    end
  end
end

local machine = fsm.define({
  name = "llc_compression",
  category = "llc",
  about = "of_mobile",
  initial = "wanted",
  actions = actions,
  timers = {
    t200 = { after = "t200", retries = "n200", again = "t200", out = "t200_out" },
  },
  states = {
    wanted = {
      on = {
        cell_open = { action = "send", next = "sent" },
        deleted = { action = "drop", next = "over" },
      },
    },
    sent = {
      timer = "t200",
      on = {
        cell_open = {},
        t200 = { action = "send" },
        t200_out = { action = "give_up", next = "over" },
        rx_response = { action = "take", next = "over" },
        deleted = { action = "drop", next = "over" },
      },
    },
    over = {},
  },
})

local function free_number(entities, plan)
  local is_used = {}
  for _, list in ipairs({ entities, plan }) do
    for _, entity in next, list do is_used[entity.number] = true end
  end
  local number = 0
  while is_used[number] do number = number + 1 end
  return number
end

-- Entities that are missing, and those that the contexts of a SAPI have outgrown, both of an active node, and those of
-- contexts that no longer take what they compress; the number of new ones.
local function plan_of(l, ms, sapi)
  local policy, own, plan, taken = l.compression, ms.entities[sapi] or {}, {}, 0
  local bits, acknowledged = nsapis_of(ms, sapi)
  for _, name in each_name(policy.allowed) do
    local entity = own[name]
    local nsapis = sndcp_xid.of_one_mode(bits[name], acknowledged, entity and entity.nsapis or 0)
    if not policy.is_active then nsapis = 0 end
    local changed = entity and entity.nsapis & bits[name] | nsapis
    if entity and changed ~= entity.nsapis then
      plan[name] = without(entity, 0)
      plan[name].nsapis = changed
    elseif not entity and nsapis ~= 0 and policy.room > taken then
      local wanted = sndcp_xid.wanted(name, policy.allowed[name], nsapis, free_number(own, plan))
      if policy.has_memory(wanted.kind) then plan[name], taken = wanted, taken + 1 end
    end
  end
  return plan, taken
end

-- asked: its plan, taken and is_late.
local function ask(l, ms, sapi, asked)
  l.compression.room = l.compression.room - asked.taken
  ms.asking[sapi] = fsm.new(machine, { llc = l, ms = ms, sapi = sapi, plan = asked.plan, taken = asked.taken,
    is_late = asked.is_late, index = ms.index }, ("llc/%d/%d"):format(ms.index, sapi), l.durations)
  return ms.asking[sapi]
end

-- While LLC is being reset proposals wait, since Reset ends what they agree on.
local function is_resetting(ms)
  return ms.fsm and (ms.fsm.state == "sent" or ms.fsm.state == "wanted")
end

function compression.propose(l, run, ms, sapi)
  if is_resetting(ms) then return end
  if ms.asking[sapi] then
    ms.asking[sapi].owner.is_late = true
    return
  end
  local plan, taken = plan_of(l, ms, sapi)
  if not next(plan) then return end
  local asking = ask(l, ms, sapi, { plan = plan, taken = taken })
  if l.open[ms.place] then run:tell(asking, "cell_open") end
end

function compression.propose_all(l, run, ms)
  local sapis = {}
  for _, context in next, ms.contexts do sapis[context.sapi] = true end
  for _, sapi in ipairs(sorted(sapis)) do compression.propose(l, run, ms, sapi) end
end

-- A phone that refuses all, or answers twice, is asked so often and no more until it activates a context.
local function propose_again(l, run, ms, sapi)
  ms.again = (ms.again or 0) + 1
  if ms.again <= AGAIN then compression.propose(l, run, ms, sapi) end
end

-- An answer to a repetition may be taken for one to the next question, whose own answer is unexpected then.
function compression.answered(l, run, ms, frame)
  local asking = ms.asking[frame.sapi]
  local is_one = asking ~= nil and asking.state == "sent"
  if is_one then run:tell(asking, "rx_response", frame.xid.l3 or "") end
  if l.compression and (is_one and asking.owner.is_late or not is_one and frame.xid.l3) then
    propose_again(l, run, ms, frame.sapi)
  end
  return is_one
end

function compression.cell_open(l, run, place)
  if not l.compression then return end
  local waiting = {}
  for index, ms in next, l.mobiles do
    if ms.place == place and next(ms.asking) then waiting[index] = ms end
  end
  for _, index in ipairs(sorted(waiting)) do
    local ms = waiting[index]
    for _, sapi in ipairs(sorted(ms.asking)) do run:tell(ms.asking[sapi], "cell_open") end
    l:keep(run, ms)
  end
end

-- Ends and restarts

function compression.clear(l, run, ms)
  for _, sapi in ipairs(sorted(ms.asking)) do run:tell(ms.asking[sapi], "deleted") end
  for _, sapi in ipairs(sorted(ms.entities)) do
    local own = ms.entities[sapi]
    for _, name in each_name(own) do
      run:count("compression_ended")
      set(l, run, ms, sapi, without(own[name], 0xffff))
    end
  end
end

function compression.kept(ms)
  local asking
  for sapi, own in next, ms.asking do
    asking = asking or {}
    asking[sapi] = { plan = own.owner.plan, taken = own.owner.taken, is_late = own.owner.is_late, state = own.state }
  end
  if not (asking or next(ms.entities)) then return nil end
  return { entities = ms.entities, asking = asking }
end

function compression.adopt(l, run, ms, kept)
  if not (kept and l.compression) then return end
  ms.entities = kept.entities
  for _, own in next, ms.entities do
    for _ in next, own do l.compression.room = l.compression.room - 1 end
  end
  for sapi, asked in next, kept.asking or {} do
    run:restore(ask(l, ms, sapi, asked), asked.state)
  end
end

return compression
