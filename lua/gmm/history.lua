-- SPDX-License-Identifier: BSD-3-Clause
-- The history of the machines of all phones: the latest KEPT events, in a ring of fixed size, so that a million phones
-- take no more. An event of one phone is there until the others have had as many.
--
--   local h = gmm_history.new()
--   h.observe                        for fsm.run()
--   h:events_of(mobile, most)        of one phone, the latest first: { { machine =, state = in which it was, event =,
--                                    at = ns } ... }

local gmm_history = {}

local KEPT <const>, FIELDS <const> = 4096, 5

local History = {}
History.__index = History

-- The number of the phone that a machine is about; nil: none.
local function mobile_of(owner)
  local phone = owner.phone or owner
  return phone.mobile
end

function gmm_history.new()
  local ring, count = {}, 0
  local history = setmetatable({ ring = ring, count = 0 }, History)
  function history.observe(machine, state, event, instance, now)
    local mobile = mobile_of(instance.owner)
    if not mobile then return end
    local at = count % KEPT * FIELDS
    ring[at + 1], ring[at + 2], ring[at + 3], ring[at + 4], ring[at + 5] = mobile, machine.name, state, event, now
    count = count + 1
    history.count = count
  end
  return history
end

function History:events_of(mobile, most)
  local found, ring = {}, self.ring
  for i = self.count - 1, math.max(0, self.count - KEPT), -1 do
    local at = i % KEPT * FIELDS
    if ring[at + 1] == mobile then
      found[#found + 1] = { machine = ring[at + 2], state = ring[at + 3], event = ring[at + 4], at = ring[at + 5] }
    end
    if #found == most then break end
  end
  return found
end

return gmm_history
