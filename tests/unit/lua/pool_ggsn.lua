-- SPDX-License-Identifier: BSD-3-Clause
-- The GGSN of pool_world.lua: its contexts, and what becomes of them when it, or an SGSN, has restarted.
--
--   local g = pool_ggsn.new(address, keeps_creator)   keeps_creator: a context stays one of the SGSN that created it,
--                                as at osmo-ggsn; else it is one of the SGSN that updated it last (29.060 §7.3.3)
--   g:answer(from, request)      the fields of its answer to an SGSN
--   g:restart()                  it has no context, and another restart counter
--   g:of_address(ipv4)           the context that has it
--   g.by_teid                    its contexts: { imsi =, nsapi =, ipv4 =, teid =, user =, teid_data =, owner =, ... }
--   g.ended                      how many contexts it has ended for a restart of an SGSN

local pool_ggsn = {}

local CAUSE_ACCEPTED <const>, CAUSE_NON_EXISTENT <const> = 128, 192

local Ggsn = {}
Ggsn.__index = Ggsn

function pool_ggsn.new(address, keeps_creator)
  return setmetatable({ address = address, keeps_creator = keeps_creator, by_teid = {}, last = 0, given = {}, ended = 0,
    recovery = 0, counters = {} }, Ggsn)
end

-- Contexts of the former run of an SGSN end, but not that of the message which tells so (23.007 §12, 29.060 §7.7.11).
local function hear(ggsn, from, recovery, context)
  local before = ggsn.counters[from]
  ggsn.counters[from] = recovery or before
  if not recovery or not before or before == recovery then return end
  for teid, other in pairs(ggsn.by_teid) do
    if other ~= context and other.owner == from then
      ggsn.by_teid[teid] = nil
      ggsn.ended = ggsn.ended + 1
    end
  end
end

local function create(ggsn, from, request)
  for teid, other in pairs(ggsn.by_teid) do -- one context of an NSAPI (29.060 §7.3.1)
    if other.imsi == request.imsi and other.nsapi == request.nsapi then ggsn.by_teid[teid] = nil end
  end
  ggsn.last = ggsn.last + 1
  local context = { imsi = request.imsi, nsapi = request.nsapi, ipv4 = "10.11.0." .. ggsn.last, teid = ggsn.last,
    owner = from }
  ggsn.by_teid[ggsn.last] = context
  return context
end

function Ggsn:answer(from, request)
  if request.type == "echo_request" then return { teid = 0, recovery = self.recovery } end
  local context = request.type == "create_request" and create(self, from, request) or self.by_teid[request.teid]
  hear(self, from, request.recovery, context)
  if not context then return { cause = CAUSE_NON_EXISTENT, teid = 0 } end
  if request.type == "delete_request" then
    self.by_teid[request.teid] = nil
    return { cause = CAUSE_ACCEPTED, teid = context.teid_control }
  end
  if not self.keeps_creator then context.owner = from end
  context.user, context.teid_data = request.user, request.teid_data
  context.teid_control, context.control = request.teid_control or context.teid_control, request.control
  return { cause = CAUSE_ACCEPTED, teid = context.teid_control, recovery = self.recovery,
    teid_data = 0x70000000 | context.teid, teid_control = context.teid, control = self.address, user = self.address,
    user_ipv4 = context.ipv4, pdp_type = "ipv4", arp = 2, qos = request.qos, charging_id = 1 }
end

function Ggsn:restart()
  self.by_teid, self.given, self.counters, self.recovery = {}, {}, {}, self.recovery + 1
end

function Ggsn:of_address(ipv4)
  for _, context in pairs(self.by_teid) do
    if context.ipv4 == ipv4 then return context end
  end
end

return pool_ggsn
