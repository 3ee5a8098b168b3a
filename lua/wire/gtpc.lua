-- SPDX-License-Identifier: BSD-3-Clause
-- GTPv1-C messages as tables: those between SGSNs by wire.gtp_mobility, all others by the module gbflow_gtpc
-- (control/lua/lua_wire.h), which also say what a message has.
--
--   gtpc.decode(octets)    a UDP payload: a message; or nil and a word: "truncated", "malformed", "unsupported". Of a
--                          request with wrong elements also what answers it: { type =, teid =, seq =, fault = a cause
--                          (193, 201, 202) }, of one between SGSNs with teid_control and control as far as they were
--                          read
--   gtpc.encode(message)   its octets. Raises an error for a value that cannot be encoded
local contexts = require "gbflow_gtpc"
local gtp_mobility = require "wire.gtp_mobility"

local gtpc = {}

function gtpc.decode(octets)
  if gtp_mobility.has(octets:byte(2)) then return gtp_mobility.decode(octets) end
  return contexts.decode(octets)
end

function gtpc.encode(message)
  if not gtp_mobility.has(message.type) then return contexts.encode(message) end
  local is_made, made = pcall(gtp_mobility.encode, message)
  if not is_made then error(message.type .. ": " .. tostring(made), 2) end
  return made
end

return gtpc
