-- SPDX-License-Identifier: BSD-3-Clause
-- Requests of GGSNs, which echo and delete contexts, and change nothing about them (29.060 §7.2.1, §7.3.5).
--
--   gn_incoming.take(node, run, way, message)   node: gn.sessions

local gn_incoming = {}

local ACCEPTED <const>, NON_EXISTENT <const>, NOT_SUPPORTED <const> = 128, 192, 200

local function answer(node, run, way, request, fields)
  fields.type, fields.seq = request.type:gsub("_request$", "_response"), request.seq
  fields.teid = fields.teid or 0
  run:emit(node:send(way, fields))
end

-- Whether the request comes from the context's GGSN: the configured address, or one that it gave for signalling, the
-- alternative in the other IP version included (§7.3.2).
local function is_from_ggsn(session, way)
  local theirs = way.theirs
  return theirs == session.peer.address or theirs == session.control_other
    or session.control ~= nil and theirs == session.control.address
end

-- An address has a budget of answers without a TEID, and another one with it: a forger of its address cannot empty it.
local function answer_within(node, run, way, message, fields)
  local is_proven = fields.teid ~= nil
  if not node.may_answer(way.theirs, run.now, is_proven) then
    node.counts.rate_limited = node.counts.rate_limited + 1
    return
  end
  way = { ours = way.ours, theirs = way.theirs, port = way.port, is_unproven = not is_proven }
  return answer(node, run, way, message, fields)
end

-- The context of a request. A request from another address is answered as one for a context that is not there: it
-- learns nothing about TEIDs.
local function session_of(node, way, message)
  local session = node.by_teid[message.teid]
  if session and not is_from_ggsn(session, way) then
    node.counts.foreign_requests = node.counts.foreign_requests + 1
    return nil
  end
  return session
end

-- A Delete needs nothing but a TEID, and its source can be forged. So an address may send MISSES requests with TEIDs of
-- no context at once, and one in each MISS_EVERY; beyond that its requests are dropped, and a GGSN repeats its own.
-- Addresses that are no GGSN's share this.
local MISSES <const>, MISS_EVERY <const> = 20, 100000000

local function has_misses(of, now)
  return (of.misses_whole_at or now) - now <= (MISSES - 1) * MISS_EVERY
end

local function charge_miss(of, now)
  of.misses_whole_at = math.max(of.misses_whole_at or now, now) + MISS_EVERY
end

-- A context that its GGSN deletes ends also if the answer is beyond the budget: the GGSN repeats its request, and then
-- hears that the context is not there.
function gn_incoming.take(node, run, way, message)
  if message.type == "echo_request" then
    return answer_within(node, run, way, message, { recovery = node.recovery })
  end
  local guesses = node.peers[way.theirs] or node.strangers
  if not has_misses(guesses, run.now) then
    node.counts.unchecked_requests = node.counts.unchecked_requests + 1
    return
  end
  local session = session_of(node, way, message)
  if not session then charge_miss(guesses, run.now) end
  if not session or message.type == "create_request" then
    node.counts.refused_requests = node.counts.refused_requests + 1
    return answer_within(node, run, way, message, { cause = NON_EXISTENT })
  end
  local teid = session.ggsn_teid_control
  if message.type == "update_request" then
    node.counts.refused_requests = node.counts.refused_requests + 1
    return answer_within(node, run, way, message, { cause = NOT_SUPPORTED, teid = teid })
  end
  answer_within(node, run, way, message, { cause = ACCEPTED, teid = teid })
  run:post(session.fsm, "lost", "the GGSN deleted it")
end

return gn_incoming
