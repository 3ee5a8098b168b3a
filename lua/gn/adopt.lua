-- SPDX-License-Identifier: BSD-3-Clause
-- GTP-C after a restart of control: takes over what its records say (base.records). GGSNs notice nothing: an active
-- context keeps its TEIDs and addresses; a request that waited for its answer is sent again, with a number of its own.
--
--   gn_adopt.record(node, run, text)   one record; node: gn.sessions
--   gn_adopt.finish(node)              after the last one

local gn_session = require "gn.session"
local records = require "base.records"

local gn_adopt = {}

local FIELDS <const> = { "ggsn_teid_control", "control_other", "ggsn", "ggsn_teid", "ipv4", "ipv6", "asked", "cause",
  "is_lost" }

-- Of a state that waits for an answer: the state before, and the events that ask again.
local AGAIN <const> = {
  creating = { "idle", "begin" }, updating = { "active", "change" }, deleting = { "active", "stop" },
  leaving = { "idle", "begin", "stop" },
}

local function adopt_session(node, run, kept)
  local wanted = kept.wanted
  local session = gn_session.new({
    id = kept.id, wanted = wanted, node = node, name = wanted.imsi .. "/" .. wanted.nsapi,
    peer = node:use_peer(wanted.ggsn), teid_control = kept.teid_control,
  }, node.durations)
  for _, field in ipairs(FIELDS) do session[field] = kept[field] end
  session.control = kept.control and node:use_peer(kept.control) or nil
  node:enter(run, session)
  local again = AGAIN[kept.state] or { kept.state }
  if again[1] == "active" then node:note_up(session) end
  run:restore(session.fsm, again[1])
  for i = 2, #again do run:post(session.fsm, again[i]) end
end

function gn_adopt.record(node, run, text)
  local kept = records.unpack(text)
  if kept.id then return adopt_session(node, run, kept) end
  node:peer(kept.address).recovery = kept.recovery
  run:record("peer/" .. kept.address, kept)
end

-- Peers without a context.
function gn_adopt.finish(node, run)
  local idle = {}
  for address, peer in pairs(node.peers) do
    if peer.users == 0 and peer.pending_count == 0 then idle[#idle + 1] = address end
  end
  for _, address in ipairs(idle) do
    node.peers[address] = nil
    run:record("peer/" .. address, nil)
  end
end

return gn_adopt
