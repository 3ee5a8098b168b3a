-- SPDX-License-Identifier: BSD-3-Clause
-- SNDCP's parameters in XID (44.065 §6.5.1.1, §6.6.1.1, §6.8): answers a phone's entities of compression one by one,
-- proposes some, and reads the answers to those. An entity is accepted with at most what the node allows, or refused:
-- it comes back without NSAPIs that use it.
--
--   sndcp_xid.answer(wire, octets, side) -> { octets =, changes =, outcomes =, ends =, is_whole = }
--   sndcp_xid.wanted(name, bounds, nsapis, number) -> a new entity of the node's, for a plan
--   sndcp_xid.proposal(wire, plan)       -> octets; plan: name -> entity
--   sndcp_xid.answered(wire, octets, plan) -> the plan's entities as the phone has answered them: name -> entity, its
--                                           nsapis 0: refused
--   sndcp_xid.NAMES                      names of algorithms, in the order of proposals
--
-- side: nil: nothing is compressed; else of a SAPI { allowed = { NAME = bounds }, nsapis = { NAME = bits },
-- acknowledged = bits: those among them in acknowledged mode, with which others share no entity, entities = { NAME =
-- entity }, asked = { NAME = true }: proposed by the node and not answered, room = how many more,
-- has_memory(kind) = whether the pool has some for a new one }.
-- An entity is what the intent ms_compression has of it. changes are such intents without op, mobile and SAPI, at most
-- one of an algorithm for all proposals; outcomes are words: "accepted", "changed", "ended", or "refused_" and why.
-- ends: how many entities have ended, those that began in the block among them.
--
-- An answered entity has its number and parameters; Propose bit, algorithm and numbers of PCOMP or DCOMP belong to
-- proposals alone. One that is refused has its parameters as proposed. An unknown algorithm is answered by its NSAPIs
-- alone: where its parameters begin is not known. The answer begins with version 0, if there is room for it. Of a field
-- that is cut short nothing is accepted.

local sndcp_xid = { NAMES = { "v42bis", "rfc1144" } }

local kinds = {}

-- kind: of the intent; class: header or data; initial: parameters that are not there. taken(values, bounds): fields of
-- an entity, or nil: out of range; packed(entity): values again.

kinds.rfc1144 = { kind = 0, class = "header", algorithm = 0, initial = { 15 },
  taken = function(values, bounds)
    return { slots = math.min(values[1] + 1, bounds.slots) }
  end,
  packed = function(entity)
    return { entity.slots - 1 }
  end }

local LEAST_CODEWORDS <const>, LEAST_STRING <const>, MOST_STRING <const> = 512, 6, 250

kinds.v42bis = { kind = 1, class = "data", algorithm = 0, initial = { 3, 2048, 20 },
  taken = function(values, bounds)
    local directions, codewords, string_octets = table.unpack(values)
    if codewords < LEAST_CODEWORDS or string_octets < LEAST_STRING or string_octets > MOST_STRING then return nil end
    return { directions = directions & 3 & bounds.directions, codewords = math.min(codewords, bounds.codewords),
      string_octets = math.min(string_octets, bounds.string_octets) }
  end,
  packed = function(entity)
    return { entity.directions, entity.codewords, entity.string_octets }
  end }

-- An entity's own parameters with those of a list for its first ones.
local function values_of(wire, kind, octets, initial)
  local values = wire.sndcp_parameters(kind.class, kind.algorithm, octets)
  for i = #values + 1, #initial do values[i] = initial[i] end
  return values
end

-- Those of the NSAPIs that have the mode of the others, `own`, or of the lowest among them.
function sndcp_xid.of_one_mode(nsapis, acknowledged, own)
  local first = own ~= 0 and own or nsapis
  local is_acknowledged = first & -first & acknowledged ~= 0
  return is_acknowledged and nsapis & acknowledged or nsapis & ~acknowledged
end

-- A changed copy.
local function with(entity, fields)
  local out = {}
  for key, value in next, entity do out[key] = value end
  for key, value in next, fields do out[key] = value end
  return out
end

local function packed(wire, name, entity)
  local kind = kinds[name]
  return wire.sndcp_pack(kind.class, kind.algorithm, kind.packed(entity))
end

-- Answers

local Answer = {}
Answer.__index = Answer

function Answer:ended(name)
  self.entities[name], self.is_new[name] = nil, nil
  self.room, self.ends = self.room + 1, self.ends + 1
end

-- Entities after all proposals that differ from those before.
function Answer:changed()
  local list, before = {}, self.side and self.side.entities or {}
  for _, name in ipairs(sndcp_xid.NAMES) do
    local old, entity = before[name], self.entities[name]
    if entity and entity ~= old then
      list[#list + 1] = with(entity, { is_new = self.is_new[name] })
    elseif old and not entity then
      list[#list + 1] = with(old, { nsapis = 0 })
    end
  end
  return list
end

-- Each is nil and why, or the entity.
function Answer:accept(name, proposed)
  local side, kind, first, second = self.side, kinds[name], proposed.values[1], proposed.values[2]
  local nsapis = sndcp_xid.of_one_mode(proposed.nsapis & side.nsapis[name], side.acknowledged, 0)
  if self.entities[name] then return nil, "taken" end
  if nsapis == 0 then return nil, "context" end
  if first == 0 or second == 0 or first == second then return nil, "number" end
  local fields = kind.taken(values_of(self.wire, kind, proposed.parameters, kind.initial), side.allowed[name])
  if not fields then return nil, "parameter" end
  if fields.directions == 0 then return nil, "direction" end
  if self.room <= 0 or not (side.entities[name] or side.has_memory(kind.kind)) then return nil, "room" end
  self.room = self.room - 1
  return with(fields, { kind = kind.kind, number = proposed.number, nsapis = nsapis, first = first,
    second = second or 0 })
end

function Answer:propose(proposed)
  local name = proposed.name
  if not (self.side and name and self.side.allowed[name]) then return nil, "algorithm" end
  if self.side.asked[name] then return nil, "collision" end
  local old = self.entities[name]
  if old and old.number == proposed.number then self:ended(name) end
  local entity, why = self:accept(name, proposed)
  if entity then self.entities[name], self.is_new[name] = entity, true end
  return entity, why or "accepted"
end

-- The name of an entity that is there.
function Answer:name_of(proposed)
  for name, entity in next, self.entities do
    if entity.number == proposed.number and kinds[name].class == proposed.kind then return name end
  end
  return nil
end

function Answer:alter(proposed)
  local name = self:name_of(proposed)
  if not name then return nil, "unknown" end
  local old, kind = self.entities[name], kinds[name]
  local nsapis = sndcp_xid.of_one_mode(proposed.nsapis & self.side.nsapis[name], self.side.acknowledged, old.nsapis)
  local fields = kind.taken(values_of(self.wire, kind, proposed.parameters, kind.packed(old)), self.side.allowed[name])
  if nsapis == 0 or not fields or fields.directions == 0 then
    self:ended(name)
    if proposed.nsapis == 0 then return nil, "ended" end
    return nil, nsapis == 0 and "context" or fields and "direction" or "parameter"
  end
  local entity = with(with(old, fields), { nsapis = nsapis })
  self.entities[name] = entity
  return entity, "changed"
end

function Answer:take(proposed)
  local entity, outcome
  if not self.is_whole then
    outcome = "malformed"
  elseif proposed.is_proposal then
    entity, outcome = self:propose(proposed)
  else
    entity, outcome = self:alter(proposed)
  end
  local is_refused = not entity and outcome ~= "ended"
  self.outcomes[#self.outcomes + 1] = is_refused and "refused_" .. outcome or outcome
  local name = entity and (proposed.name or self:name_of(proposed))
  local is_bare = proposed.is_proposal and not proposed.name
  return { kind = proposed.kind, number = proposed.number, nsapis = entity and entity.nsapis or 0,
    parameters = entity and packed(self.wire, name, entity) or is_bare and "" or proposed.parameters }
end

-- As octets, with a version if it fits; nil: it does not fit at all.
local function encoded(wire, list)
  list.version = 0
  local octets = wire.sndcp_encode(list)
  if octets then return octets end
  list.version = nil
  return wire.sndcp_encode(list)
end

local function answer_of(wire, side, decoded)
  local answer = setmetatable({ wire = wire, side = side, entities = {}, is_new = {}, ends = 0, outcomes = {},
    room = side and side.room, is_whole = decoded.is_whole }, Answer)
  for name, entity in next, side and side.entities or {} do answer.entities[name] = entity end
  local list = {}
  for i, proposed in ipairs(decoded) do list[i] = answer:take(proposed) end
  answer.octets, answer.changes = encoded(wire, list), answer:changed()
  return answer
end

-- Parameters that a proposal left out can make the answer too long: then all is refused, which never is.
function sndcp_xid.answer(wire, octets, side)
  local decoded = wire.sndcp_decode(octets)
  local answer = answer_of(wire, side, decoded)
  return answer.octets and answer or answer_of(wire, nil, decoded)
end

-- Proposals

-- A new entity of the node's with all that its bounds allow, and a number that no other entity has.
function sndcp_xid.wanted(name, bounds, nsapis, number)
  return with(bounds, { kind = kinds[name].kind, number = number, nsapis = nsapis, first = 1,
    second = name == "rfc1144" and 2 or 0, is_new = true })
end

function sndcp_xid.proposal(wire, plan)
  local list = { version = 0 }
  for _, name in ipairs(sndcp_xid.NAMES) do
    local entity, kind = plan[name], kinds[name]
    if entity then
      list[#list + 1] = { kind = kind.class, number = entity.number, nsapis = entity.nsapis,
        is_proposal = entity.is_new, algorithm = kind.algorithm,
        values = { entity.first, entity.second ~= 0 and entity.second or nil },
        parameters = packed(wire, name, entity) }
    end
  end
  return wire.sndcp_encode(list)
end

local function reduced(wire, name, entity, answer)
  local kind = kinds[name]
  local nsapis = answer and not answer.is_proposal and answer.nsapis & entity.nsapis or 0
  local values = answer and values_of(wire, kind, answer.parameters, kind.packed(entity))
  local fields = values and kind.taken(values, entity)
  if not fields or fields.directions == 0 then nsapis = 0 end
  return with(with(entity, fields or {}), { nsapis = nsapis })
end

-- An entity that the answer lacks is refused. More than was proposed counts as what was proposed.
function sndcp_xid.answered(wire, octets, plan)
  local decoded, out = wire.sndcp_decode(octets), {}
  for name, entity in next, plan do
    local found
    for _, answer in ipairs(decoded.is_whole and decoded or {}) do
      if answer.kind == kinds[name].class and answer.number == entity.number then found = answer end
    end
    out[name] = reduced(wire, name, entity, found)
  end
  return out
end

return sndcp_xid
