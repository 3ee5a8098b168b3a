-- SPDX-License-Identifier: BSD-3-Clause
-- Requests of peers, the GGSNs and other hosts on Gn, which echo, delete and modify contexts (29.060 §7.2.1, §7.3.3,
-- §7.3.5), and their answers; requests that the node does not serve are refused.
--
--   gn_peer_requests.receive(node, run, way, message)   node: the object of gn.sessions; message: decoded, with
--                                                    `octets`, or with `fault`, a cause, if elements are wrong
--   gn_peer_requests.take_unread(node, run, way, octets, err)   octets of which not even the head can be read

local gn_answers = require "gn.answers"
local gn_modification = require "gn.modification"
local gn_rim = require "gn.rim"

local gn_peer_requests = {}

local ACCEPTED <const>, NON_EXISTENT <const>, IMSI_UNKNOWN <const>, NOT_SUPPORTED <const> = 128, 192, 194, 200
local VERSION <const>, HEADER_OCTETS <const>, VERSION_NOT_SUPPORTED <const> = 1, 8, 3
local ERROR_INDICATION <const> = 26
-- A Delete needs nothing but a TEID, and its source can be forged. So an address may send MISSES requests with TEIDs of
-- no context at once, and one in each MISS_EVERY; beyond that its requests are dropped, and a GGSN repeats its own.
-- Addresses that are no GGSN's share this.
local MISSES <const>, MISS_EVERY <const> = 20, 100000000

-- Whether the request comes from the context's GGSN: the configured address, or one that it gave for signalling, the
-- alternative in the other IP version included (§7.3.2).
local function is_from_ggsn(session, way)
  local theirs = way.theirs
  return theirs == session.peer.address or theirs == session.control_other
    or session.control ~= nil and theirs == session.control.address
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

local function has_misses(of, now)
  return (of.misses_whole_at or now) - now <= (MISSES - 1) * MISS_EVERY
end

local function charge_miss(of, now)
  of.misses_whole_at = math.max(of.misses_whole_at or now, now) + MISS_EVERY
end

-- A GGSN may ask for a secondary context (Initiate PDP Context Activation, §7.3.20): the node asks no phone for one. A
-- request with wrong elements is refused, too (§11.1). So is one whose TEID and NSAPI are of two contexts: the NSAPI is
-- no wrong element, and there is no such context (§7.7.1).
local function refuse_of_context(node, run, way, session, message)
  node.counts.refused_requests = node.counts.refused_requests + 1
  gn_answers.once(node, run, way, message, { cause = message.fault or NOT_SUPPORTED,
    teid = session.ggsn_teid_control })
end

-- A GGSN may ask for a context of a phone (PDU Notification, §7.3.9): the node activates none for it.
local function refuse_notification(node, run, way, message)
  node.counts.refused_requests = node.counts.refused_requests + 1
  gn_answers.within(node, run, way, message, { cause = message.fault or NOT_SUPPORTED, teid = message.teid_control })
end

-- Causes of a Delete whose context may come back (§7.7.1): reactivation requested, network failure. 8 is also the
-- number by which GTPv2-C asks for that (29.274 §8.4). A context that is deleted for another reason, or none, is over.
local REACTIVATES <const> = { [6] = true, [8] = true }

-- A context that its GGSN deletes ends also if the answer is beyond the budget.
local function take_delete(node, run, way, session, message)
  gn_answers.once(node, run, way, message, { cause = ACCEPTED, teid = session.ggsn_teid_control })
  local event = REACTIVATES[message.cause] and "lost" or "deleted"
  if message.teardown then return node:lose_group(run, session, "the GGSN deleted it", event) end
  run:post(session.fsm, event, "the GGSN deleted it")
end

-- Requests about a context; a node is no GGSN, which alone creates them.
local TAKE_OF_CONTEXT <const> = { update_request = gn_modification.take, delete_request = take_delete,
  initiate_request = refuse_of_context, create_request = false }

local function take_of_context(node, run, way, message)
  if gn_answers.is_repeated(node, run, way, message) then return end
  local guesses = node.peers[way.theirs] or node.strangers
  if not has_misses(guesses, run.now) then
    node.counts.unchecked_requests = node.counts.unchecked_requests + 1
    return
  end
  local session, take = session_of(node, way, message), TAKE_OF_CONTEXT[message.type]
  if not session then charge_miss(guesses, run.now) end
  local named = session and node:of_nsapi(session, message.nsapi)
  if session and not named then message.fault = message.fault or NON_EXISTENT end
  if message.fault then take = refuse_of_context end
  if session and take then return take(node, run, way, named or session, message) end
  node.counts.refused_requests = node.counts.refused_requests + 1
  gn_answers.within(node, run, way, message, { cause = NON_EXISTENT })
end

local take_of_path = {}

function take_of_path.echo_request(node, run, way, message)
  gn_answers.within(node, run, way, message, { recovery = node.recovery })
end

-- Another SGSN asks for a phone that was here (§7.5.1, §7.5.3). Without phones.pool it is told that no such phone is
-- known, and asks the phone for its IMSI then.
function take_of_path.identification_request(node, run, way, message)
  if not message.fault and node.sgsns.ours then return node.sgsns:take_request(run, way, message) end
  node.counts.refused_requests = node.counts.refused_requests + 1
  gn_answers.within(node, run, way, message, { cause = message.fault or IMSI_UNKNOWN })
end

function take_of_path.context_request(node, run, way, message)
  if not message.fault and node.sgsns.ours then return node.sgsns:take_request(run, way, message) end
  node.counts.refused_requests = node.counts.refused_requests + 1
  gn_answers.within(node, run, way, message, { cause = message.fault or IMSI_UNKNOWN, teid = message.teid_control })
end

function take_of_path.ran_information_relay(node, run, way, message) gn_rim.receive(node, run, way, message) end

function take_of_path.context_acknowledge(node, run, way, message)
  if message.fault or not node.sgsns:take_acknowledge(run, way, message) then
    node.counts.unexpected = node.counts.unexpected + 1
  end
end

take_of_path.pdu_notification_request = refuse_notification

-- Logged once for a GGSN with contexts, as its address can be forged.
function take_of_path.version_not_supported(node, run, way)
  node.counts.other_versions = node.counts.other_versions + 1
  local peer = node.peers[way.theirs]
  if not peer or peer.is_of_other_version then return end
  peer.is_of_other_version = true
  run:log("warning", "GGSN %s: does not support GTPv1-C", way.theirs)
end

function gn_peer_requests.receive(node, run, way, message)
  local take = take_of_path[message.type]
  if take then return take(node, run, way, message) end
  if TAKE_OF_CONTEXT[message.type] ~= nil then return take_of_context(node, run, way, message) end
  node.counts.unexpected = node.counts.unexpected + 1
end

-- A message of another version gets the version that is spoken here (§7.2.3, §11.1.1), unless it is such an answer
-- itself; one of an unknown type is ignored (§11.1.3). An Error Indication comes to the port of GTP-U (29.281
-- §4.4.2.3); one that comes here ends nothing.
local function judge_unread(octets, err)
  local first, kind = octets:byte(1, 2)
  if #octets >= HEADER_OCTETS and first >> 5 ~= VERSION then return "other_versions", kind ~= VERSION_NOT_SUPPORTED end
  if kind == ERROR_INDICATION then return "control_errors" end
  return err == "unsupported" and "unknown_types" or "malformed"
end

function gn_peer_requests.take_unread(node, run, way, octets, err)
  local counter, is_to_answer = judge_unread(octets, err)
  node.counts[counter] = node.counts[counter] + 1
  if is_to_answer then gn_answers.within(node, run, way, { type = "version_not_supported", seq = 0 }, {}) end
end

return gn_peer_requests
