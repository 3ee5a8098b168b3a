-- SPDX-License-Identifier: BSD-3-Clause
-- GTPv1-C messages as tables: those between SGSNs by wire.gtp_mobility, all others by wire.gtp_sessions, which also say
-- what a message has.
--
--   gtpc.decode(octets)    a UDP payload: a message; or nil and a word: "truncated", "malformed", "unsupported". Of a
--                          message with wrong elements also what answers it: { type =, teid =, seq =, fault = a cause
--                          (193, 201, 202) }, with cause, teid_control and control as far as they were read
--   gtpc.encode(message)   its octets. Raises an error for a value that cannot be encoded
local gtp_mobility = require "wire.gtp_mobility"
local gtp_sessions = require "wire.gtp_sessions"

local gtpc = {}

function gtpc.decode(octets)
  if gtp_mobility.has(octets:byte(2)) then return gtp_mobility.decode(octets) end
  return gtp_sessions.decode(octets)
end

function gtpc.encode(message)
  local codec = gtp_mobility.has(message.type) and gtp_mobility or gtp_sessions
  local is_made, made = pcall(codec.encode, message)
  if not is_made then error(("%s: %s"):format(message.type, made), 2) end
  return made
end

return gtpc
