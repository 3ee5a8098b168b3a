-- SPDX-License-Identifier: BSD-3-Clause
-- Traffic flow templates (24.008 §10.5.6.12) as phones send them. The GGSN filters; the SGSN checks their syntax and
-- passes them on.
--
--   sm_tft.fault(octets, is_new)   the cause of SM for a template that cannot be; nil: it can. is_new: the context has
--                                  none yet
--   sm_tft.is_left(octets, has_tft)   true if the context has one after such a template, else nil; octets nil: none was
--                                  sent

local sm_tft = {}

local SEMANTIC <const>, SYNTACTICAL <const>, FILTER_SEMANTIC <const>, FILTER_SYNTACTICAL <const> = 41, 42, 44, 45
local CREATE <const>, DELETE <const>, ADD <const>, REPLACE <const>, DELETE_FILTERS <const>, NOTHING <const> =
  1, 2, 3, 4, 5, 6
local MOST_FILTERS <const> = 8
local HAS_PARAMETERS <const> = 0x10
-- Octets of a component of a packet filter, by its type.
local COMPONENTS <const> = { [0x10] = 8, [0x11] = 8, [0x20] = 32, [0x21] = 17, [0x23] = 17, [0x30] = 1, [0x40] = 2,
  [0x41] = 4, [0x50] = 2, [0x51] = 4, [0x60] = 4, [0x70] = 2, [0x80] = 3 }

-- Components, each once.
local function filter_fault(contents)
  local at, seen = 1, {}
  if #contents == 0 then return FILTER_SYNTACTICAL end
  while at <= #contents do
    local kind = contents:byte(at)
    local octets = COMPONENTS[kind]
    if not octets or at + octets > #contents then return FILTER_SYNTACTICAL end
    if seen[kind] then return FILTER_SEMANTIC end
    seen[kind] = true
    at = at + 1 + octets
  end
end

-- Filters with their contents: identifier, precedence, length, contents. Returns where they end, or nil and the cause.
local function take_filters(octets, count)
  local at, ids, precedences = 2, {}, {}
  for _ = 1, count do
    local id, precedence, length = octets:byte(at, at + 2)
    if not length or at + 2 + length > #octets then return nil, SYNTACTICAL end
    local fault = filter_fault(octets:sub(at + 3, at + 2 + length))
    if fault then return nil, fault end
    if ids[id & 15] or precedences[precedence] then return nil, FILTER_SEMANTIC end
    ids[id & 15], precedences[precedence] = true, true
    at = at + 3 + length
  end
  return at
end

function sm_tft.fault(octets, is_new)
  local head = octets:byte(1)
  if not head then return SYNTACTICAL end
  local operation, count = head >> 5, head & 15
  local has_filters = operation == CREATE or operation == ADD or operation == REPLACE
  if operation < CREATE or operation > NOTHING or (is_new and operation ~= CREATE) then return SEMANTIC end
  if count > MOST_FILTERS or (count == 0) ~= (operation == DELETE or operation == NOTHING) then return SYNTACTICAL end
  local at, fault = 2, nil
  if has_filters then
    at, fault = take_filters(octets, count)
  elseif operation == DELETE_FILTERS then
    at = 2 + count
  end
  if fault then return fault end
  if at > #octets + 1 or (at <= #octets and head & HAS_PARAMETERS == 0) then return SYNTACTICAL end
end

function sm_tft.is_left(octets, has_tft)
  local operation = octets and octets:byte(1) >> 5 or NOTHING
  if operation == DELETE then return nil end
  return has_tft or operation < DELETE_FILTERS or nil
end

return sm_tft
