-- SPDX-License-Identifier: BSD-3-Clause
-- SNDCP's parameters in XID (44.065 §6.5.1.1, §6.6.1.1, §8): answers a phone's proposal of compression entities. gbflow
-- compresses nothing, so each entity is refused by itself: it comes back without NSAPIs that use it.
--
--   sndcp_xid.answer(octets) -> the answer's octets, the number of entities refused, whether the proposal is
--                               well-formed
--
-- An answered entity has its number, NSAPIs of 0, and its other parameters as proposed; Propose bit, algorithm and
-- numbers of PCOMP or DCOMP belong to proposals alone. An unknown algorithm is answered by its NSAPIs alone: where its
-- parameters begin is not known. The answer begins with version 0, if that was proposed or there is room for it.

local sndcp_xid = {}

local VERSION <const>, DATA <const>, PROTOCOL <const> = 0, 1, 2
local PROPOSE <const>, NUMBER <const>, ALGORITHM <const> = 0x80, 0x1f, 0x1f
-- Octets of the numbers that a proposal of each algorithm has before its parameters: two numbers in each octet.
local NUMBERS <const> = {
  [DATA] = { [0] = 1, [1] = 1 }, -- V.42 bis, V.44
  [PROTOCOL] = { [0] = 1, [1] = 3, [2] = 1 }, -- RFC 1144, RFC 2507, ROHC
}
local NO_NSAPIS <const> = "\0\0"
local MOST <const> = 255 -- octets of layer 3 parameters

-- The answer to the entity at `at`, never longer than that, and where the next one begins; nil: it is cut short.
local function answer_to_entity(kind, octets, at)
  local first, second, third = octets:byte(at, at + 2)
  local is_proposed = first & PROPOSE ~= 0
  local length = is_proposed and third or second
  local begin = at + (is_proposed and 3 or 2)
  local stop = length and begin + length
  if not stop or stop > #octets + 1 then return nil end
  local skip = is_proposed and NUMBERS[kind][second & ALGORITHM] or not is_proposed and 0
  if length < (skip or 0) + #NO_NSAPIS then return nil end
  local parameters = skip and octets:sub(begin + skip + #NO_NSAPIS, stop - 1) or ""
  return string.char(first & NUMBER, #NO_NSAPIS + #parameters) .. NO_NSAPIS .. parameters, stop
end

-- The answers to the entities of a field; nil in place of the number where it is cut short.
local function answer_to_field(kind, octets)
  local at, out = 1, {}
  while at <= #octets do
    local answer, next_at = answer_to_entity(kind, octets, at)
    if not answer then return table.concat(out), #out, false end
    out[#out + 1], at = answer, next_at
  end
  return table.concat(out), #out, true
end

local function append(out, kind, value)
  out[#out + 1] = string.char(kind, #value) .. value
end

-- The answers to all fields with entities, as sndcp_xid.answer() without the version.
local function answer_to_fields(octets)
  local out, refused, at = {}, 0, 1
  while at <= #octets do
    local kind, length = octets:byte(at, at + 1)
    if not length or at + 1 + length > #octets then return table.concat(out), refused, false end
    if NUMBERS[kind] then
      local value, count, is_whole = answer_to_field(kind, octets:sub(at + 2, at + 1 + length))
      if count > 0 then append(out, kind, value) end
      refused = refused + count
      if not is_whole then return table.concat(out), refused, false end
    end
    at = at + 2 + length
  end
  return table.concat(out), refused, true
end

function sndcp_xid.answer(octets)
  local fields, refused, is_whole = answer_to_fields(octets)
  local version = string.char(VERSION, 1, 0)
  return #version + #fields <= MOST and version .. fields or fields, refused, is_whole
end

return sndcp_xid
