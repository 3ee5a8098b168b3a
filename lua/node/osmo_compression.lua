-- SPDX-License-Identifier: BSD-3-Clause
-- Compression in SNDCP of osmo-sgsn's configuration, for rows of node.osmo_lines.

local osmo_take = require "node.osmo_take"

local osmo_compression = {}

local KINDS <const> = { "rfc1144", "v42bis" }
local DIRECTIONS <const> = { ms = "uplink", sgsn = "downlink", both = "both" }
local MOST_CODEWORDS <const> = 4096

local function is_active(kind)
  return kind and kind.mode == "active" and kind or nil
end

-- One mode of both kinds.
local function finish(state)
  local kinds = state.kinds_of_compression
  local active = is_active(kinds.rfc1144) or is_active(kinds.v42bis)
  local first = active or kinds.rfc1144 or kinds.v42bis
  for _, name in ipairs(KINDS) do
    local kind = kinds[name]
    state.line = kind and kind.line
    if kind then osmo_take.put(state, "sndcp.compression." .. name, kind.values) end
    if kind and active and not is_active(kind) then
      osmo_take.comment(state, kind.line, ("`sndcp.compression.mode` is that of both kinds: active, by line %d"):format(
        active.line))
    end
  end
  if not first then return end
  state.line = first.line
  osmo_take.put(state, "sndcp.compression.mode", first.mode)
end

local function set_kind(state, name, kind)
  state.kinds_of_compression = state.kinds_of_compression or {}
  state.kinds_of_compression[name] = kind
  state.ends.compression = finish
end

function osmo_compression.take_rfc1144(state, words)
  set_kind(state, "rfc1144", { mode = words[3], line = state.line, values = { slots = tonumber(words[5]) } })
end

function osmo_compression.take_v42bis(state, words)
  local codewords = tonumber(words[7])
  set_kind(state, "v42bis", { mode = words[3], line = state.line, values = { direction = DIRECTIONS[words[5]],
    string = tonumber(words[9]), codewords = codewords and math.min(codewords, MOST_CODEWORDS) } })
  if codewords and codewords > MOST_CODEWORDS then
    return ("`sndcp.compression.v42bis.codewords` is at most %d"):format(MOST_CODEWORDS)
  end
end

function osmo_compression.take_no(state, words)
  set_kind(state, words[3], nil)
end

return osmo_compression
