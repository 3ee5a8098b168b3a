-- SPDX-License-Identifier: BSD-3-Clause
-- Values that follow from `queues.discipline`. Keys that were given keep their values, but orders do not.

local discipline = {}

local CLASSES <const> = { "conversational", "streaming", "thp1", "thp2", "thp3", "background" }
local FLOW_QUEUES <const>, PACKETS <const> = 32, 2
local BSS_TARGET <const> = 250000000
local LEAST_FLOW_SETS <const>, MOBILES_PER_FLOW_SET <const>, MOST_FLOW_SETS <const> = 64, 16, 65536

local function is_q(queues)
  return queues.discipline == "q"
end

local function fill_in_q(queues)
  for _, name in ipairs(CLASSES) do
    queues.class[name] = queues.class[name] or {}
    queues.class[name].order = "sfq"
  end
  queues.flow_order = "sfq"
  queues.flow_queues = queues.flow_queues or FLOW_QUEUES
  queues.share_limit.packets = queues.share_limit.packets or PACKETS
end

function discipline.fill_in_queues(queues)
  if is_q(queues) then fill_in_q(queues) end
  for _, class in pairs(queues.class) do class.order = class.order or "mobiles" end
  queues.flow_order = queues.flow_order or "drr"
  if queues.drop_duplicates == nil then queues.drop_duplicates = is_q(queues) end
end

-- Before the cells take over the node's values.
function discipline.fill_in_flow_control(node)
  if is_q(node.queues) then node.flow_control.bss_target = node.flow_control.bss_target or BSS_TARGET end
end

-- With start tags an idle mobile keeps its set: with q each has one.
function discipline.flow_sets(queues, mobiles)
  local wanted = is_q(queues) and math.min(mobiles, MOST_FLOW_SETS) or mobiles // MOBILES_PER_FLOW_SET
  return math.max(LEAST_FLOW_SETS, wanted)
end

return discipline
