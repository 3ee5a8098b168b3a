-- SPDX-License-Identifier: BSD-3-Clause
-- Sessions by GTPv1-C towards GGSNs (29.060), as the SGSN: PDP contexts created, updated and deleted at GGSNs, their
-- paths, and the restart counters of both ends.
--
--   local n = gn_sessions.new(config, wire, recovery, random, may_answer)   the checked configuration, the codec, our
--                               restart counter; random(limit): an integer in 1 .. limit that peers cannot predict;
--                               may_answer(theirs, now, is_proven): charges an answer to a budget of an address, or
--                               false; is_proven: its sender has shown that it is a context's GGSN
--   n:add(id, wanted, place, now)   wanted: { imsi =, nsapi =, apn =, ours =, ggsn =, pdp_type =, class =, msisdn =,
--                               imeisv =, ipv4 =, ipv6 =, pco =, tft =, charging =, selection =, subscribed =, arp =,
--                               is_once =, taken = }, which the session keeps; addresses: texts; twelve may be nil;
--                               selection: §7.7.12, nil: 0, as the configuration subscribes; subscribed: the quality
--                               of service that bounds that of the class; taken: of sm.relocation, of a context that
--                               another SGSN had. place: { teid =, linked =, zone =, cell = }, also fields of wanted
--                               from then on; linked: the id of a context whose address this one shares; cell: Cell
--                               Identifier, 8 octets; zone: time zone, 4 times quarters of an hour and hours of
--                               daylight saving time
--   n:set_place(id, zone, cell) of the requests from now on
--   n:set_teid(id, teid)        of the next attempt
--   n:change(id, class, tft, pco, now)   tft: traffic flow template, nil: stays; pco: protocol options, or nil
--   n:modified(id, given, now)  the phone's answer to "modify" (sm.modification)
--   n:lost(id, why, now)        its path is down: it ends here, and its GGSN may have it
--   n:check(id, now)            an Error Indication says so: asks the GGSN, and keeps the context until it confirms it
--   n:del(id, now)              deletes it, at the GGSN, too
--   n:moved(id, now)            it is another SGSN's: deletes it here alone
--   n:rim(octets, routing, now) RAN information for a cell of another SGSN (gn.rim)
--   n:configure(settings, pool, now)   another config.gn.gtpc and config.phones.pool, the latter or nil
--   n:sgsn(octets, ids, now)    what phones order of other SGSNs (gn.sgsns), a packed record; ids: of the contexts of
--                               the order's mobile, { { nsapi =, id = } ... }
--   n:receive(way, octets, now) way: { ours =, theirs =, port =, is_right_port = }; is_right_port: a response that came
--                               to the port of its request
--   n:adopt(key, text, now), n:adopted(now), n:has(id)   after a restart of control (below)
--   n:advance(now), n:next_at() timers
--   n:count()                   what happened: the row gtpc_counts of gn.shown
--   n:is_empty()                no GGSN has a context of it: it has none here, and GGSNs have confirmed the end of all
--                               that it had, or have restarted since
--   n:list()                    { { id =, imsi =, nsapi =, apn =, ggsn_address =, state =, cause = } ... }
-- All but set_teid, set_place, next_at, count, is_empty and list return intents, in order:
--   { op = "gn_send", ours =, theirs =, port =, is_answer =, octets = }   is_answer: theirs may be forged
--   { op = "up", id =, ggsn =, ggsn_teid =, ipv4 =, ipv6 =, class =, qos =, pco =, apn =, msisdn =, imeisv =,
--     charging_id =, uncompressed = }        the context is there; uncompressed: its data stay so (29.060 §7.7.48)
--   { op = "class", id =, class =, cause =, qos =, pco =, uncompressed = }   it has that class now; cause of GTP-C:
--                                            another one was refused, 0: none
--   { op = "modify", id =, class =, qos =, pco =, ipv4 =, ipv6 = }   its GGSN asks for that (sm.modification)
--   { op = "ends", id =, ggsn =, ggsn_teid =, ipv4 =, ipv6 = }   its GGSN's end, or its addresses, are others now
--   { op = "down", id = }, { op = "ended", id =, cause = }   it is lost and tried again; with is_once it is over
--   { op = "log", level =, text = }

local fsm = require "base.fsm"
local gn_answers = require "gn.answers"
local gn_modification = require "gn.modification"
local gn_paths = require "gn.paths"
local gn_peer_requests = require "gn.peer_requests"
local gn_peers = require "gn.peers"
local gn_rim = require "gn.rim"
local gn_session = require "gn.session"
local gn_sgsns = require "gn.sgsns"
local gn_shown = require "gn.shown"
local ip_network = require "base.ip_network"
local records = require "base.records"
local shown = require "base.shown"
local tables = require "base.tables"
local timers = require "base.timers"

local gn_sessions = {}

local PORT <const> = 2123
local TEIDS <const>, TEID_DRAWS <const> = 0xffffffff, 64

-- GTP-C after a restart of control: takes over what its records say (base.records). GGSNs notice nothing: an active
-- context keeps its TEIDs and addresses; a request that waited for its answer is sent again, with a number of its own.
--
--   adopt_record(node, run, key, text)   one record
--   adopt_finish(node, run)              after the last one

local FIELDS <const> = { "ggsn_teid_control", "control_other", "ggsn", "ggsn_teid", "ipv4", "ipv6", "class",
  "cause", "is_lost", "is_left", "tft", "pco", "has_change", "modification", "is_uncompressed" }

-- Of a state that waits for an answer: the state before, and the events that ask again.
local AGAIN <const> = {
  creating = { "idle", "begin" }, withdrawing = { "resting", "withdraw_again" }, updating = { "active", "change" },
  deleting = { "active", "stop_again" },
  leaving = { "idle", "begin", "stop" },
}

local DOUBTED <const> = { "active", "doubted" }

local function new_session(node, id, wanted, teid_control)
  return gn_session.new({ id = id, wanted = wanted, node = node, name = wanted.imsi .. "/" .. wanted.nsapi,
    peer = node:use_peer(wanted.ggsn), teid_control = teid_control }, node.durations)
end

local function adopt_session(node, run, kept)
  local session = new_session(node, kept.id, kept.wanted, kept.teid_control)
  for _, field in ipairs(FIELDS) do session[field] = kept[field] end
  session.control = kept.control and node:use_peer(kept.control) or nil
  node:enter(run, session)
  local again = kept.is_doubted and DOUBTED or AGAIN[kept.state] or { kept.state, kept.modification and "asked" }
  if again[1] == "active" then node:note_up(session, run) end
  run:restore(session.fsm, again[1])
  if again[2] then node.waiting[#node.waiting + 1] = { id = session.id, fsm = session.fsm, events = again } end
end

local function adopt_record(node, run, _, text)
  local kept = records.unpack(text)
  if kept.id then return adopt_session(node, run, kept) end
  local peer = node:peer(kept.address)
  peer.recovery, peer.is_told, peer.has_left = kept.recovery, kept.is_told, kept.has_left
  node:keep_peer(run, peer)
end

-- All contexts are there: those of which a secondary one needs its address, too. Primary ones first.
local function ask_again(node, run)
  for _, item in ipairs(tables.sorted(node.waiting, "id")) do
    for i = 2, #item.events do run:post(item.fsm, item.events[i]) end
  end
  node.waiting = {}
end

-- Peers without a context, here or left there.
local function forget_idle(node, run)
  local idle = {}
  for address, peer in pairs(node.peers) do
    if peer.users == 0 and peer.pending_count == 0 and not peer.has_left then idle[#idle + 1] = address end
  end
  for _, address in ipairs(idle) do
    node.peers[address] = nil
    run:record("peer/" .. address, nil)
  end
end

local function adopt_finish(node, run)
  ask_again(node, run)
  forget_idle(node, run)
end

-- Responses of GGSNs: which of them are taken, and what they mean (29.060 §7.3, §8.2, §18.1).
--
--   take_response(node, run, way, message)

-- The request that a message of this type answers.
local ANSWERS <const> = { create_response = "create_request", update_response = "update_request",
  delete_response = "delete_request", echo_response = "echo_request",
  identification_response = "identification_request", context_response = "context_request" }

-- A GGSN whose restart counter changes has lost all contexts, and what it was told (§18.1).
local function note_restart(node, run, peer, recovery)
  local before = peer.recovery
  if not recovery or recovery == before then return end
  peer.recovery, peer.is_told = recovery, peer.is_told and not before or nil
  peer.has_left = peer.has_left and not before or nil
  node:keep_peer(run, peer)
  if not before then return end
  node.counts.restarts = node.counts.restarts + 1
  run:log("warning", "GGSN %s: restarted", peer.address)
  node:lose_contexts(peer, "the GGSN restarted")
end

-- A GGSN that answers a request with our restart counter knows that (§7.7.11).
local function note_told(node, run, peer, request)
  if peer.is_told or not request.message.recovery then return end
  peer.is_told = true
  node:keep_peer(run, peer)
end

-- An accepting response to a Create that lacks something, or names a foreign address, is refused here.
local function event_of(node, session, message)
  if message.fault and session.mobile then return "malformed" end
  if not gn_session.is_accepted(message) then return "refused" end
  if message.type ~= "create_response" then return "accepted" end
  local why, is_foreign = gn_session.unfit(session, message)
  if is_foreign then node.counts.foreign_addresses = node.counts.foreign_addresses + 1 end
  message.unfit = why
  return not why and "accepted" or session.wanted.is_once and "unfit_once" or "unfit"
end

-- A GGSN repeats its response to a sequence number that it had within the last minute, also to a former run of gbflow:
-- such a response has another TEID, and the request needs another number. A GGSN without the context knows no TEID and
-- answers with 0 (§8.2); a GGSN that accepts knows it. As 0 can be forged, such an answer must come to the port of its
-- request, and its Recovery is not taken.
-- Identification has no TEIDs (§7.5.2).
local function is_for(session, way, message)
  if message.type == "identification_response" then return way.is_right_port end
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
    if message.teid ~= 0 then run:tell(request.fsm, "renumber") end
    return
  end
  if fsm.trace then fsm.trace.message(run, "gtpc", session, "session", "received " .. message.type) end
  message.from = way.theirs
  if message.teid ~= 0 then
    note_restart(node, run, node.peers[way.theirs], message.recovery)
    note_told(node, run, node.peers[way.theirs], request)
  end
  run:tell(session.fsm, event_of(node, session, message), message)
end

-- An answer of another kind is one to a former run or to control before its restart: the request needs another number.
local function take_other_kind(node, run, request)
  node.counts.unexpected = node.counts.unexpected + 1
  if request and request.path then
    node.echoes:renumber(request)
  elseif request then
    run:tell(request.fsm, "renumber")
  end
end

local function take_response(node, run, way, message)
  if message.type == "context_response" and node.sgsns:take_response(run, way, message) then return end
  local peer = node.peers[way.theirs]
  local request = peer and peer.pending[message.seq]
  if not request or request.message.type ~= ANSWERS[message.type] then
    take_other_kind(node, run, request)
  elseif request.path then
    if message.fault then return end
    take_echo(node, run, way, request, message)
  else
    take_answer(node, run, way, request, message)
  end
end

-- Groups of contexts with one address: a primary one and its secondary ones. groups: by the id of the primary one, sets
-- of contexts by id; one without secondary contexts has none.

local function group_of(node, session)
  return node.groups[session.wanted.root or session.id]
end

local function join_group(node, session)
  local wanted, id = session.wanted, session.id
  if not wanted.linked then
    if node.groups[id] then node.groups[id][id] = session end
    return
  end
  local linked = node.by_id[wanted.linked]
  wanted.root = wanted.root or linked and linked.wanted.root or wanted.linked
  node.groups[wanted.root] = node.groups[wanted.root] or { [wanted.root] = node.by_id[wanted.root] }
  node.groups[wanted.root][id] = session
end

local function leave_group(node, session)
  local group = group_of(node, session)
  if not group then return end
  group[session.id] = nil
  if next(group) == nil then node.groups[session.wanted.root or session.id] = nil end
end

-- The node

local Node = {}
Node.__index = Node

-- "+05:30" as the codec has it, without daylight saving time.
local function zone_of(text)
  local sign, hours, minutes = text:match("^([+-])(%d%d):(%d%d)$")
  return (sign == "-" and -4 or 4) * math.tointeger(hours * 4 + minutes // 15)
end

-- config.gn.gtpc, for requests that are sent and times that begin from then on.
function Node:configure_requests(settings)
  self.durations.retry, self.charging, self.needs_address = settings.retry, settings.charging, settings.needs_address
  self.zone = settings.time_zone and zone_of(settings.time_zone)
end

function gn_sessions.new(config, wire, recovery, random, may_answer)
  local armed, path = {}, config.gn.path
  local node = setmetatable({
    wire = wire, recovery = recovery, random = random, may_answer = may_answer, armed = armed,
    timers = timers.new(),
    durations = { t3 = path.t3, repeats = path.n3 - 1 },
    addresses = gn_peers.new_addresses(config),
    given = gn_answers.new_given(path.t3 * path.n3),
    by_id = {}, by_teid = {}, groups = {}, peers = {}, losing = {}, waiting = {}, strangers = {},
    idle = gn_peers.new_idle_peers(),
    counts = shown.zeros(gn_shown.gtpc_counts),
  }, Node)
  node:configure_requests(config.gn.gtpc)
  node.echoes, node.sgsns = gn_paths.new_echoes(config, node), gn_sgsns.new(node, config)
  return node
end

function Node:send(way, message)
  return { op = "gn_send", ours = way.ours, theirs = way.theirs, port = way.port or PORT, is_answer = way.is_unproven,
    octets = self.wire.encode(message) }
end

-- Intents of gn.paths.
function Node:take_path_intents(run, intents)
  for _, intent in ipairs(intents) do
    if intent.op == "gn_echo" then
      self.echoes:send(run, intent)
    elseif intent.op == "lose" then
      self:lose_path(intent.path)
    else
      run:emit(intent)
    end
  end
end

gn_peers.give(Node)

-- --- runs

timers.give_runs(Node)

-- Deleted sessions leave their paths, which may add intents in turn.
function Node:close_run(run)
  run:drain()
  for session in pairs(self.leaving or {}) do
    self:take_path_intents(run, self.echoes:leave(session, run.now))
    if session.control then self:leave_peer(run, session.control) end
    if session.is_left then self:note_left(run, session.peer) end
    self:leave_peer(run, session.peer)
  end
  self.leaving = nil
  run:drain()
  run:keep()
  return self.timers:take(run.intents)
end

function Node:forget(session)
  self:note_down(session)
  leave_group(self, session)
  self.by_id[session.id], self.by_teid[session.teid_control] = nil, nil
  self.leaving = self.leaving or {}
  self.leaving[session] = true
end

-- --- sessions

-- Whether another context has its address, too: then its end is not theirs.
function Node:shares(session)
  local group = group_of(self, session)
  for id in pairs(group or {}) do
    if id ~= session.id then return true end
  end
  return false
end

-- That with this NSAPI among the contexts with the address of one, which may have one TEID for control (29.060 §7.3.1).
function Node:of_nsapi(session, nsapi)
  if session.wanted.nsapi == nsapi then return session end
  for _, other in pairs(group_of(self, session) or {}) do
    if other.wanted.nsapi == nsapi then return other end
  end
end

-- Ends all contexts with the address of one, which the GGSN does not have any more; event: "lost" if nil.
function Node:lose_group(run, session, why, event)
  for _, other in ipairs(tables.sorted(group_of(self, session) or { session }, "id")) do
    run:post(other.fsm, event or "lost", why)
  end
end

-- A TEID that cannot be guessed. With a million sessions one draw of 4000 meets a TEID that is taken.
local function take_teid(self)
  for _ = 1, TEID_DRAWS do
    local teid = self.random(TEIDS)
    if not self.by_teid[teid] then return teid end
  end
  error("no free control TEID in " .. TEID_DRAWS .. " draws")
end

function Node:enter(run, session)
  self.by_id[session.id], self.by_teid[session.teid_control] = session, session
  join_group(self, session)
  self.addresses:add_own(session.wanted.ours)
  self:take_path_intents(run, self.echoes:use(session, run.now))
end

local inputs = {}

function inputs.add(node, run, id, wanted, place)
  for key, value in pairs(place) do wanted[key] = value end
  wanted.ipv4, wanted.ipv6 = ip_network.given(wanted.ipv4), ip_network.given(wanted.ipv6)
  local session = new_session(node, id, wanted, take_teid(node))
  node:enter(run, session)
  run:tell(session.fsm, wanted.taken and "take" or "begin")
end

function Node:set_teid(id, teid)
  local session = self.by_id[id]
  if session then session.wanted.teid = teid end
end

function Node:set_place(id, zone, cell)
  local session = self.by_id[id]
  if session then session.wanted.zone, session.wanted.cell = zone, cell end
end

local function tell(run, session, event, arg)
  if session then
    run:tell(session.fsm, event, arg)
    run:touch(session.fsm)
  end
end

function inputs.change(node, run, id, class, ...)
  local session, tft, pco = node.by_id[id], ...
  if session then
    session.wanted.class, session.tft, session.pco, session.has_change = class, tft or session.tft, pco or session.pco,
      true
  end
  tell(run, session, "change")
end

function inputs.modified(node, run, id, given)
  if node.by_id[id] then gn_modification.end_at(node.by_id[id], run, given) end
end

function inputs.lost(node, run, id, why)
  local session = node.by_id[id]
  if session and session.up_in then session.is_left = true end
  tell(run, session, "lost", why)
end

function inputs.check(node, run, id) tell(run, node.by_id[id], "doubted") end

function inputs.del(node, run, id) tell(run, node.by_id[id], "stop") end

function inputs.moved(node, run, id) tell(run, node.by_id[id], "moved") end

function inputs.rim(node, run, octets, routing) gn_rim.send(node, run, octets, routing) end

function inputs.configure(node, _, settings, pool)
  node:configure_requests(settings)
  node.sgsns:set_pool(pool)
end

function inputs.sgsn(node, run, octets, ids)
  local by_nsapi = {}
  for _, item in ipairs(ids) do by_nsapi[item.nsapi] = item.id end
  node.sgsns:order(run, records.unpack(octets), by_nsapi)
end

-- --- after a restart of control

inputs.adopt, inputs.adopted = adopt_record, adopt_finish

function Node:has(id)
  return self.by_id[id] ~= nil
end

-- --- received messages

-- Contexts that a response shows to be lost are told at once, up to a slice.
function inputs.receive(node, run, way, octets)
  local message, err, head = node.wire.decode(octets)
  local was_losing = node:is_losing()
  if head then
    node.counts.malformed, message = node.counts.malformed + 1, head
    head.cause = head.cause or head.fault
  end
  if not message then
    gn_peer_requests.take_unread(node, run, way, octets, err)
  elseif ANSWERS[message.type] then
    take_response(node, run, way, message)
  else
    message.octets = octets
    gn_peer_requests.receive(node, run, way, message)
  end
  if not was_losing then node:lose_some(run) end
end

timers.give_inputs(Node, inputs)

-- --- time

-- Contexts that are lost wait for no instant.
function Node:next_at()
  if self:is_losing() then return 0 end
  local mine, paths = self.timers:next_at(), self.echoes.paths:next_at()
  return mine and paths and math.min(mine, paths) or mine or paths
end

local advance_sessions = Node.advance

function Node:advance(now)
  local out = advance_sessions(self, now)
  local run = self:open_run(now)
  self:take_path_intents(run, self.echoes.paths:advance(now))
  self:lose_some(run)
  local intents = self:close_run(run)
  return table.move(intents, 1, #intents, #out + 1, out)
end

function Node:count()
  return self.counts
end

function Node:is_empty()
  return next(self.by_id) == nil and not self:has_left()
end

-- In the order in which the contexts were added.
function Node:list()
  local out = {}
  for i, session in ipairs(tables.sorted(self.by_id, "id")) do
    local wanted = session.wanted
    out[i] = { id = session.id, imsi = wanted.imsi, nsapi = wanted.nsapi, apn = wanted.apn, ggsn_address = wanted.ggsn,
      state = session.fsm.state, cause = session.cause and tostring(session.cause) or "-" }
  end
  return out
end

return gn_sessions
