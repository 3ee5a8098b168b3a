-- SPDX-License-Identifier: BSD-3-Clause
-- Modification of a phone's context that its GGSN asks for (29.060 §7.3.3, §7.3.4, 23.060 §9.2.3.2): the phone is asked
-- by SM, and the phone's answer decides on the GGSN's. session.modification: the Update PDP Context Request that waits
-- for that, also over a restart of control; a repetition of it gets no answer meanwhile.
--
--   gn_modification.take(node, run, way, session, message)   the request; node: the object of gn.sessions
--   gn_modification.ask(session, run)               asks the phone: at the latest when no request of this node waits
--   gn_modification.end_at(session, run, given)     given: { cause =, class =, qos =, pco = } of sm.modification
--   gn_modification.close(session, run, cause)      it comes to nothing; cause: of GTP-C, nil: the session ends
--   gn_modification.is_moving(session)              whether one for another address waits
--
-- A request with a traffic flow template is refused: no phone is told that the network controls its bearers. So is
-- one for another address while other contexts have the former, and a secondary context that begins while one for
-- another address waits: the phone may have the new one by then. A newer request takes the place of the one that waits.

local gn_answers = require "gn.answers"
local ip_network = require "base.ip_network"

local gn_modification = {}

local ACCEPTED <const>, FIRST_REFUSAL <const>, NON_EXISTENT <const>, NO_RESOURCES <const> = 128, 192, 192, 199
local NOT_SUPPORTED <const>, OPTIONAL_INCORRECT <const>, FAILURE <const> = 200, 203, 204
local ARP <const> = 2
local TAKES <const> = { active = true, updating = true }

-- Addresses that are others than those of the session.
local function others_of(session, message)
  local ipv4, ipv6 = ip_network.given(message.user_ipv4), ip_network.given(message.user_ipv6)
  return ipv4 ~= session.ipv4 and ipv4 or nil, ipv6 ~= session.ipv6 and ipv6 or nil
end

-- Of another IP version than the context, or of none.
local function is_of_other_type(session, message)
  local own, given = session.wanted.pdp_type, message.pdp_type
  return given and given ~= own and (own ~= "ipv4v6" or given == "non_ip")
end

-- Whether no context may have an address of the message.
local function has_unfit_address(node, message)
  return (node.addresses:user_objection(message.user_ipv4) or node.addresses:user_objection(message.user_ipv6)) ~= nil
end

-- nil: it is taken.
local function refusal(session, message, has_moved)
  local state = session.fsm.state
  if message.tft or not session.wanted.is_once then return NOT_SUPPORTED end
  if message.has_wrong_option or is_of_other_type(session, message) or has_unfit_address(session.node, message) then
    return OPTIONAL_INCORRECT
  end
  if has_moved and session.node:shares(session) then return NOT_SUPPORTED end
  if not TAKES[state] then return state == "creating" and NO_RESOURCES or NON_EXISTENT end
end

local function answer_ggsn(session, run, asked, fields)
  fields.teid = session.ggsn_teid_control
  run:touch(session.fsm)
  gn_answers.once(session.node, run, asked.way, { type = "update_request", seq = asked.seq, octets = asked.octets },
    fields)
end

local function refuse(session, run, asked, cause)
  local counts = session.node.counts
  counts.refused_requests = counts.refused_requests + 1
  answer_ggsn(session, run, asked, { cause = cause })
end

local function is_repeated(session, way, message)
  local asked = session.modification
  return asked ~= nil and asked.octets == message.octets and asked.way.theirs == way.theirs
end

function gn_modification.take(node, run, way, session, message)
  if is_repeated(session, way, message) then
    node.counts.repeated_requests = node.counts.repeated_requests + 1
    return
  end
  local ipv4, ipv6 = others_of(session, message)
  local asked = { way = { ours = way.ours, theirs = way.theirs, port = way.port }, seq = message.seq,
    octets = message.octets, arp = message.arp, class = message.class, qos = message.qos, pco = message.pco,
    ipv4 = ipv4, ipv6 = ipv6, common_flags = message.common_flags }
  local cause = refusal(session, message, ipv4 or ipv6)
  if cause then return refuse(session, run, asked, cause) end
  gn_modification.close(session, run, NO_RESOURCES)
  session.modification = asked
  run:touch(session.fsm)
  if session.fsm.state == "active" then gn_modification.ask(session, run) end
end

function gn_modification.ask(session, run)
  local asked = session.modification
  run:emit({ op = "modify", id = session.id, class = asked.class, qos = asked.qos, pco = asked.pco, ipv4 = asked.ipv4,
    ipv6 = asked.ipv6 })
end

local function tell_ends(session, run)
  run:emit({ op = "ends", id = session.id, ggsn = session.ggsn, ggsn_teid = session.ggsn_teid, ipv4 = session.ipv4,
    ipv6 = session.ipv6 })
end

-- Quality of service but for the class is known to who answers for the phone.
local function apply(session, run, asked, given)
  local has_moved = asked.ipv4 or asked.ipv6
  session.wanted.class, session.class = given.class, given.class
  session.ipv4, session.ipv6 = asked.ipv4 or session.ipv4, asked.ipv6 or session.ipv6
  if asked.common_flags then session.is_uncompressed = asked.common_flags.uncompressed or nil end
  if has_moved then tell_ends(session, run) end
  run:emit({ op = "class", id = session.id, class = given.class, cause = 0, uncompressed = session.is_uncompressed })
end

function gn_modification.end_at(session, run, given)
  local asked = session.modification
  if not asked then return end
  if given.cause >= FIRST_REFUSAL then return gn_modification.close(session, run, given.cause) end
  session.modification = nil
  answer_ggsn(session, run, asked, { cause = ACCEPTED, teid_data = session.wanted.teid,
    arp = asked.arp or session.wanted.arp or ARP, qos = given.qos, pco = given.pco })
  apply(session, run, asked, given)
end

function gn_modification.is_moving(session)
  local asked = session.modification
  return asked ~= nil and (asked.ipv4 or asked.ipv6) ~= nil
end

function gn_modification.close(session, run, cause)
  local asked = session.modification
  session.modification = nil
  if asked then refuse(session, run, asked, cause or FAILURE) end
end

return gn_modification
