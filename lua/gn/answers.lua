-- SPDX-License-Identifier: BSD-3-Clause
-- Responses of GGSNs: which of them are taken, and what they mean (29.060 §7.3, §8.2, §18.1).
--
--   gn_answers.request_of(type)               the request that a message of this type answers; nil: it is no answer
--   gn_answers.take(node, run, way, message)  node: gn.sessions

local gn_session = require "gn.session"

local gn_answers = {}

local INCORRECT <const>, MISSING <const> = 201, 202
local ANSWERS <const> = { create_response = "create_request", update_response = "update_request",
  delete_response = "delete_request", echo_response = "echo_request" }

function gn_answers.request_of(type)
  return ANSWERS[type]
end

-- A GGSN whose restart counter changes has lost the contexts that were up (§18.1).
local function note_restart(node, run, peer, recovery)
  local before = peer.recovery
  peer.recovery = recovery or before
  if recovery and recovery ~= before then
    run:record("peer/" .. peer.address, { address = peer.address, recovery = recovery })
  end
  if not recovery or not before or before == recovery then return end
  node.counts.restarts = node.counts.restarts + 1
  run:log("warning", "GGSN %s: restarted", peer.address)
  node:lose_contexts(peer, "the GGSN restarted")
end

-- An accepting response to a Create that lacks something, or names a foreign address, is a refusal.
local function judge_creation(node, run, session, message)
  local missing = gn_session.missing_of(message)
  if missing then
    run:log("warning", "%s: the GGSN accepts without %s", session.name, missing)
    message.cause = MISSING
    return
  end
  local foreign, why = gn_session.foreign_of(session, message)
  if foreign then
    node.counts.foreign_addresses = node.counts.foreign_addresses + 1
    run:log("warning", "%s: the GGSN %s names %s, %s", session.name, session.peer.address, foreign, why)
    message.cause = INCORRECT
  end
end

local function take_answer_of(node, session, run, message)
  if gn_session.is_accepted(message) and message.type == "create_response" then
    judge_creation(node, run, session, message)
  end
  run:tell(session.fsm, gn_session.is_accepted(message) and "accepted" or "refused", message)
end

-- A GGSN repeats its response to a sequence number that it had within the last minute, also to a former run of gbflow:
-- such a response has another TEID, and the request needs another number. A GGSN without the context knows no TEID and
-- answers with 0 (§8.2); a GGSN that accepts knows it. As 0 can be forged, such an answer must come to the port of its
-- request, and its Recovery is not taken.
local function is_for(session, way, message)
  if message.teid ~= 0 then return message.teid == session.teid_control end
  return way.is_right_port and not gn_session.is_accepted(message)
end

local function take_echo(node, run, way, request, message)
  local peer = node.peers[way.theirs]
  local intents, recovery = node.echoes:answered(run, way, request, message)
  note_restart(node, run, peer, recovery)
  node:take_path_intents(run, intents)
end

local function take_answer(node, run, way, request, message)
  local session = request.session
  if not is_for(session, way, message) then
    node.counts.unexpected = node.counts.unexpected + 1
    if message.teid ~= 0 then request:renumber(run) end
    return
  end
  note_restart(node, run, node.peers[way.theirs], message.teid ~= 0 and message.recovery or nil)
  take_answer_of(node, session, run, message)
end

function gn_answers.take(node, run, way, message)
  local peer = node.peers[way.theirs]
  local request = peer and peer.pending[message.seq]
  if not request or request.message.type ~= ANSWERS[message.type] then
    node.counts.unexpected = node.counts.unexpected + 1
  elseif request.path then
    take_echo(node, run, way, request, message)
  else
    take_answer(node, run, way, request, message)
  end
end

return gn_answers
