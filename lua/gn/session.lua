-- SPDX-License-Identifier: BSD-3-Clause
-- A session: a PDP context that the SGSN requests from a GGSN (29.060 §7.3.1 to §7.3.6). A context that is refused,
-- not answered or lost is requested again after `retry`, until it is deleted here. One with wanted.is_once is not:
-- "ended" tells that it is over.
--
-- Its fields: id, name, wanted (gn_sessions), node (the object of gn_sessions: codec and peers), peer, teid_control,
-- is_left: its GGSN may have it although it is not up here, as no answer said what became of it.

local fsm = require "base.fsm"
local gb_abqp = require "gb.abqp"
local gn_modification = require "gn.modification"
local gn_request = require "gn.request"
local ip_network = require "base.ip_network"

local gn_session = {}

local GERAN <const>, VERIFIED <const>, ARP <const> = 2, 0, 2
local ACCEPTED <const>, FIRST_REFUSAL <const>, NON_EXISTENT <const>, NOT_FOUND <const> = 128, 192, 192, 210
local NO_RESOURCES <const>, SYSTEM_FAILURE <const> = 199, 204
-- Causes of "ended" that no GGSN gives: it deleted the context and asks for no other; the context is lost; no answer,
-- or one that is refused here.
local DELETED <const>, LOST <const>, SILENCE <const> = -2, -1, 0

local CAUSES <const> = {
  [192] = "non-existent", [193] = "invalid message format", [194] = "IMSI not known", [199] = "no resources available",
  [200] = "service not supported", [201] = "mandatory element incorrect", [202] = "mandatory element missing",
  [203] = "optional element incorrect", [204] = "system failure", [205] = "roaming restriction", [209] = "user "
    .. "authentication failed", [210] = "context not found", [211] = "all dynamic PDP addresses are occupied",
  [212] = "no memory is available", [219] = "missing or unknown APN", [220] = "unknown PDP address or PDP type",
  [221] = "PDP context without TFT already activated",
}

local function cause_text(cause)
  return CAUSES[cause] and string.format("%d, %s", cause, CAUSES[cause]) or tostring(cause)
end

local function has_address(field, wanted, answer)
  local address = answer["user_" .. field] or wanted[field]
  return ip_network.given(address) ~= nil
end

-- Why a context sends from, and takes packets for, any address; nil: it has one. A static address need not come back,
-- nor does a context that is linked to another one have its own.
local function address_lack(session, answer)
  local wanted, given = session.wanted, answer.pdp_type or session.wanted.pdp_type
  if wanted.linked or given == "non_ip" or has_address("ipv4", wanted, answer) and given ~= "ipv6"
    or has_address("ipv6", wanted, answer) and given ~= "ipv4" then return nil end
  return answer.pdp_type and "accepts with an End User Address that has no address"
    or "accepts without End User Address"
end

-- Elements about the mobile that GGSNs charge and route by (§7.3.1, §7.3.3).

local CHARGING <const> = { normal = 0x0800, prepaid = 0x0400, flat_rate = 0x0200, hot_billing = 0x0100 } -- 32.298

-- Quality of service, cell, time zone and radio of the mobile, in each Create and Update.
local function add_common(session, message, class)
  local wanted, qos = session.wanted, gb_abqp.of_class(class)
  message.arp = wanted.arp or ARP
  message.qos = wanted.subscribed and gb_abqp.restricted(qos, wanted.subscribed) or qos
  message.rat_type, message.cell, message.zone = GERAN, wanted.cell, session.node.zone or wanted.zone
  return message
end

local actions = {}

local function way_of(session)
  return { ours = session.wanted.ours, theirs = (session.control or session.peer).address }
end

-- A secondary context: the GGSN knows its address and APN by the context that it is linked to (§7.3.1).
local function secondary_message(session, primary)
  local wanted = session.wanted
  return add_common(session, {
    type = "create_request", teid = primary.ggsn_teid_control, recovery = session.node.recovery,
    teid_data = wanted.teid, teid_control = session.teid_control, nsapi = wanted.nsapi,
    linked_nsapi = primary.wanted.nsapi, control = wanted.ours, user = wanted.ours, tft = wanted.tft,
    pco = wanted.pco,
  }, wanted.class)
end

-- Without the flag a GGSN gives a context of IPv4v6 one address alone (23.060 §9.2.1).
local BOTH_VERSIONS <const> = { dual_address = true }

-- Some GGSNs accept no mobile without MSISDN: one that is not known is the IMSI, which no other mobile has.
local function create_message(session)
  local wanted = session.wanted
  return add_common(session, {
    type = "create_request", teid = 0, imsi = wanted.imsi, recovery = session.node.recovery,
    selection = wanted.selection or VERIFIED, teid_data = wanted.teid, teid_control = session.teid_control,
    nsapi = wanted.nsapi, pdp_type = wanted.pdp_type, user_ipv4 = wanted.ipv4, user_ipv6 = wanted.ipv6,
    apn = wanted.apn, control = wanted.ours, user = wanted.ours, msisdn = wanted.msisdn or wanted.imsi,
    pco = wanted.pco, imeisv = wanted.imeisv, charging = wanted.charging or CHARGING[session.node.charging],
    common_flags = wanted.pdp_type == "ipv4v6" and BOTH_VERSIONS or nil,
  }, wanted.class)
end

-- nil: it can be created. One that came up while its primary context changes its address would keep the former.
local function refusal_of_linked(primary)
  if not (primary and primary.control) then return NOT_FOUND end
  return gn_modification.is_moving(primary) and NO_RESOURCES or nil
end

function actions.create(session, run)
  if session.control then session.node:leave_peer(run, session.control) end
  session.control, session.control_other, session.asked, session.has_change = nil, nil, session.wanted.class, nil
  session.is_uncompressed = nil
  local linked = session.wanted.linked
  local primary = linked and session.node.by_id[linked]
  local refusal = linked and refusal_of_linked(primary)
  if refusal then
    session.cause = refusal
    return run:post(session.fsm, "refused", { cause = refusal })
  end
  local message = primary and secondary_message(session, primary) or create_message(session)
  session.request:ask(run, primary and primary.control or session.peer, way_of(primary or session), message)
end

-- A GGSN that hears of a restart of this node only at the next Create ends the contexts that Updates have brought here
-- meanwhile (§7.3.3, 23.007 §12): it is told as early as by a Create.
local function ask_to_update(session, run, class, imsi)
  local wanted = session.wanted
  session.asked = class
  session.request:ask(run, session.control, way_of(session), add_common(session, {
    type = "update_request", teid = session.ggsn_teid_control, imsi = imsi, teid_data = wanted.teid,
    recovery = not session.control.is_told and session.node.recovery or nil,
    teid_control = session.teid_control, nsapi = wanted.nsapi, control = wanted.ours, user = wanted.ours,
    tft = not imsi and session.tft or nil, pco = not imsi and session.pco or nil, imeisv = wanted.imeisv,
  }, class))
end

function actions.update(session, run)
  ask_to_update(session, run, session.wanted.class)
  session.tft_asked, session.pco_asked = session.tft, session.pco
  session.tft, session.pco, session.has_change = nil, nil, nil
end

-- An Error Indication may be forged, so the GGSN is asked by an Update that changes nothing. The IMSI tells a GGSN that
-- has given the TEID to another context since.
function actions.check(session, run)
  session.is_doubted = true
  ask_to_update(session, run, session.class, session.wanted.imsi)
end

-- answer: of its GGSN, with what it gives besides.
local function tell_up(session, run, class, answer)
  local wanted = session.wanted
  run:emit({ op = "up", id = session.id, ggsn = session.ggsn, ggsn_teid = session.ggsn_teid, ipv4 = session.ipv4,
    ipv6 = session.ipv6, class = class, qos = answer.qos, pco = answer.pco, apn = wanted.apn, msisdn = wanted.msisdn,
    imeisv = wanted.imeisv, charging_id = answer.charging_id, uncompressed = session.is_uncompressed })
end

-- A context that another SGSN had: its GGSN is told that it is here (23.060 §6.9.1.2.2).
function actions.take(session, run)
  local wanted, taken = session.wanted, session.wanted.taken
  session.ggsn_teid_control, session.control = taken.teid_control, session.node:use_peer(wanted.ggsn)
  session.ggsn, session.ggsn_teid = taken.user, taken.teid_data
  session.ipv4, session.ipv6, session.class = wanted.ipv4, wanted.ipv6, wanted.class
  session.node:note_up(session, run)
  tell_up(session, run, session.class, {})
  ask_to_update(session, run, session.class)
end

local function ask_to_delete(session, run, is_late)
  session.request:ask(run, session.control, way_of(session), {
    type = "delete_request", teid = session.ggsn_teid_control, nsapi = session.wanted.nsapi,
    teardown = not session.node:shares(session),
  }, is_late)
end

function actions.delete(session, run)
  gn_modification.close(session, run)
  ask_to_delete(session, run)
end

-- After a restart of control. The answer to the former request may be lost, and the TEID of another context by now: the
-- answer to its Create Request, which is asked for again at once, shows that.
function actions.delete_again(session, run)
  ask_to_delete(session, run, true)
end

-- The class that the GGSN grants applies, and whether data stay as they are. A phone's is at most what was asked for,
-- which is within what its APN and the HLR allow: no GGSN was told that it may grant more (§7.7.48).
local function granted(session, run, answer)
  local class = answer.class or session.asked
  if session.wanted.is_once then class = gb_abqp.lesser(class, session.asked) end
  if class ~= session.asked then
    run:log("info", "%s: the GGSN grants %s instead of %s", session.name, class, session.asked)
  end
  session.class = class
  local flags = answer.common_flags
  if flags then session.is_uncompressed = flags.uncompressed or nil end
  return class
end

-- A change that came since the request: its answer is the one that is told, not that of the former.
local function catch_up(session, run)
  if session.has_change then run:post(session.fsm, "change") end
end

local function remember(session, run, answer)
  local primary = session.node.by_id[session.wanted.linked]
  session.is_left = nil -- this context is in place of one that the GGSN may have had (§7.3.1)
  session.ggsn_teid_control = answer.teid_control or primary and primary.ggsn_teid_control
  session.control = session.node:use_peer(answer.control or way_of(primary or session).theirs)
  session.control_other = answer.control_other
  session.ggsn, session.ggsn_teid = answer.user or answer.control or session.peer.address, answer.teid_data
  local given, wanted = answer.pdp_type, session.wanted
  session.ipv4 = given ~= "ipv6" and ip_network.given(answer.user_ipv4 or wanted.ipv4) or nil
  session.ipv6 = given ~= "ipv4" and ip_network.given(answer.user_ipv6 or wanted.ipv6) or nil
  session.node:note_up(session, run)
end

function actions.open(session, run, answer)
  session.request:finish(run)
  remember(session, run, answer)
  session.cause = nil
  run:log("info", "%s: up, %s, GGSN %s", session.name, session.ipv4 or session.ipv6 or "without address", session.ggsn)
  local why = address_lack(session, answer)
  if why then
    run:log("warning", "%s: GGSN %s %s: packets from and to any address pass; gn.gtpc.needs_address refuses such "
      .. "contexts", session.name, session.peer.address, why)
  end
  tell_up(session, run, granted(session, run, answer), answer)
  catch_up(session, run)
end

-- The context was deleted here before the GGSN accepted it.
function actions.open_and_delete(session, run, answer)
  session.request:finish(run)
  remember(session, run, answer)
  actions.delete(session, run)
end

-- A GGSN may have another end for a context that came from another SGSN (§7.3.4).
local function take_ends(session, run, answer)
  local ggsn, teid = answer.user or session.ggsn, answer.teid_data or session.ggsn_teid
  session.ggsn_teid_control = answer.teid_control or session.ggsn_teid_control
  if ggsn == session.ggsn and teid == session.ggsn_teid then return end
  if session.node.addresses:objection(session.peer.address, ggsn) then
    session.node.counts.foreign_addresses = session.node.counts.foreign_addresses + 1
    return
  end
  session.ggsn, session.ggsn_teid = ggsn, teid
  run:emit({ op = "ends", id = session.id, ggsn = ggsn, ggsn_teid = teid, ipv4 = session.ipv4, ipv6 = session.ipv6 })
end

function actions.apply(session, run, answer)
  session.request:finish(run)
  session.cause, session.tft_asked, session.pco_asked = nil, nil, nil
  if session.wanted.taken then take_ends(session, run, answer) end
  local is_check = session.is_doubted
  if is_check then
    local counts = session.node.counts
    session.is_doubted, counts.unconfirmed_errors = nil, counts.unconfirmed_errors + 1
    run:log("warning", "%s: an Error Indication came, but GGSN %s has the context", session.name,
      way_of(session).theirs)
  end
  local before, was_uncompressed = session.class, session.is_uncompressed
  local class = granted(session, run, answer)
  if session.has_change then return catch_up(session, run) end
  if is_check and class == before and session.is_uncompressed == was_uncompressed then return end
  run:emit({ op = "class", id = session.id, class = class, cause = 0, qos = answer.qos, pco = answer.pco,
    uncompressed = session.is_uncompressed })
end

-- Whether a refusal says that the GGSN does not have the context.
local function is_not_there(cause)
  return cause == NON_EXISTENT or cause == NOT_FOUND
end

-- If the GGSN refuses an update because it has no such context, the context is lost.
function actions.note_refusal(session, run, answer)
  local state, why = session.fsm.state, session.is_doubted and "an Error Indication came" or "it does not have it"
  local is_lost = state == "updating" and (session.is_doubted or is_not_there(answer.cause))
  session.is_doubted = nil
  session.request:finish(run)
  if session.cause ~= answer.cause then
    run:log("warning", "%s: the GGSN refuses: cause %s", session.name, cause_text(answer.cause))
  end
  session.cause = answer.cause
  if state == "updating" and not is_lost then actions.keep_class(session, run) end
  if not is_lost then return end
  session.is_left = not is_not_there(answer.cause) or nil
  run:post(session.fsm, "lost", why)
end

-- A change of a context of a phone has failed: the phone is told, and the context stays what it was.
function actions.keep_class(session, run)
  session.tft_asked, session.pco_asked = nil, nil
  if session.has_change then return catch_up(session, run) end
  if not session.wanted.is_once or not session.class then return end
  session.wanted.class = session.class
  run:emit({ op = "class", id = session.id, class = session.class, cause = math.type(session.cause) and session.cause
    or SYSTEM_FAILURE, uncompressed = session.is_uncompressed })
end

-- A modification that the GGSN asked for while a request of this node waited.
function actions.ask_phone(session, run)
  if session.modification then gn_modification.ask(session, run) end
end

-- A check that is not answered changes nothing, and a change that came meanwhile is asked for.
function actions.note_silence(session, run)
  local is_check = session.is_doubted
  if session.cause ~= "silence" then
    run:log("warning", "%s: no answer from GGSN %s", session.name, way_of(session).theirs)
  end
  session.cause, session.is_doubted = "silence", nil
  if session.fsm.state ~= "updating" then return actions.leave(session) end
  if is_check then return catch_up(session, run) end
  actions.keep_class(session, run)
end

function actions.leave(session)
  session.is_left = true
end

function actions.end_request(session, run)
  gn_modification.close(session, run)
  session.request:finish(run)
end

-- A Delete that was refused, or that could not be sent (no answer).
function actions.note_undeleted(session, run, answer)
  session.request:finish(run)
  if not (answer and is_not_there(answer.cause)) then actions.leave(session) end
end

function actions.close(session, run, why)
  session.request:finish(run)
  session.node:note_down(session)
  session.is_lost, session.is_doubted, session.modification = true, nil, nil
  run:log("warning", "%s: lost, %s", session.name, why or "?")
  run:emit({ op = "down", id = session.id })
end

function actions.close_for_good(session, run, why)
  actions.close(session, run, why)
  session.is_over = true
end

-- A context that is requested once ends here, and "ended" tells why.
function actions.rest(session, run)
  if not session.wanted.is_once then return end
  local cause = session.is_over and DELETED or session.is_lost and LOST or math.type(session.cause) and session.cause
    or SILENCE
  run:emit({ op = "ended", id = session.id, cause = cause })
  run:post(session.fsm, "stop")
end

-- The address for GTP-C that an answer names, if its GGSN may.
local function own_control(session, answer)
  local address = answer.control
  return address and not session.node.addresses:objection(session.peer.address, address) and address or nil
end

-- An accepting answer that cannot be used (gn_session.unfit): the GGSN has the context, and is to delete it. Without a
-- TEID for control it cannot be told.
function actions.withdraw(session, run, answer)
  local primary = session.node.by_id[session.wanted.linked]
  local teid = answer.teid_control or primary and primary.ggsn_teid_control
  local why = ("refused here: GGSN %s %s"):format(session.peer.address, answer.unfit)
  session.request:finish(run)
  if session.unfit ~= why then
    run:log("warning", "%s: %s; %s", session.name, why, teid and "the context is deleted there"
      or "the context stays there")
  end
  session.cause, session.unfit = "refused here", why
  if not teid then return run:post(session.fsm, "refused") end
  session.ggsn_teid_control, session.is_left = teid, nil
  session.control = session.node:use_peer(own_control(session, answer) or way_of(primary or session).theirs)
  ask_to_delete(session, run)
end

-- The phone need not wait for the GGSN.
function actions.withdraw_once(session, run, answer)
  run:emit({ op = "ended", id = session.id, cause = SILENCE })
  actions.withdraw(session, run, answer)
end

function actions.stop_and_delete(session, run)
  session.request:finish(run)
  actions.delete(session, run)
end

function actions.forget(session)
  session.node:forget(session)
end

local function keep(session)
  if session.fsm.state == "gone" then return nil end
  return { id = session.id, wanted = session.wanted, state = session.fsm.state, teid_control = session.teid_control,
    ggsn_teid_control = session.ggsn_teid_control, control = session.control and session.control.address,
    control_other = session.control_other, ggsn = session.ggsn, ggsn_teid = session.ggsn_teid, ipv4 = session.ipv4,
    ipv6 = session.ipv6, class = session.class, cause = session.cause,
    is_lost = session.is_lost, is_left = session.is_left, is_doubted = session.is_doubted,
    tft = session.tft or session.tft_asked, pco = session.pco or session.pco_asked, has_change = session.has_change,
    modification = session.modification, is_uncompressed = session.is_uncompressed }
end

gn_session.machine = fsm.define({
  name = "gn_session",
  category = "gtpc",
  about = "session",
  initial = "idle",
  keep = keep,
  actions = actions,
  timers = { retry = { after = "retry", out = "retry" } },
  any = { change = {}, asked = {}, doubted = {}, lost = {}, deleted = {},
    moved = { action = "end_request", next = "gone" },
    stop = { action = "end_request", next = "gone" } },
  states = {
    idle = { on = { begin = { action = "create", next = "creating" },
      take = { action = "take", next = "updating" } } },
    creating = {
      on = {
        accepted = { action = "open", next = "active" },
        refused = { action = "note_refusal", next = "resting" },
        silent = { action = "note_silence", next = "resting" },
        unfit = { action = "withdraw", next = "withdrawing" },
        unfit_once = { action = "withdraw_once", next = "deleting" },
        stop = { next = "leaving" },
      },
    },
    active = {
      enter = "ask_phone",
      on = {
        asked = { action = "ask_phone" },
        change = { action = "update", next = "updating" },
        doubted = { action = "check", next = "updating" },
        lost = { action = "close", next = "resting" },
        deleted = { action = "close_for_good", next = "resting" },
        stop = { action = "delete", next = "deleting" },
        stop_again = { action = "delete_again", next = "deleting" },
      },
    },
    updating = {
      on = {
        accepted = { action = "apply", next = "active" },
        refused = { action = "note_refusal", next = "active" },
        silent = { action = "note_silence", next = "active" },
        lost = { action = "close", next = "resting" },
        deleted = { action = "close_for_good", next = "resting" },
        stop = { action = "stop_and_delete", next = "deleting" },
      },
    },
    resting = {
      timer = "retry", enter = "rest",
      on = {
        retry = { action = "create", next = "creating" },
        withdraw_again = { action = "delete_again", next = "withdrawing" },
      },
    },
    withdrawing = {
      on = {
        accepted = { action = "end_request", next = "resting" },
        refused = { action = "note_undeleted", next = "resting" },
        silent = { action = "leave", next = "resting" },
        stop = { next = "deleting" },
      },
    },
    leaving = {
      on = {
        accepted = { action = "open_and_delete", next = "deleting" },
        unfit = { action = "withdraw", next = "deleting" },
        unfit_once = { action = "withdraw", next = "deleting" },
        refused = { action = "end_request", next = "gone" },
        silent = { action = "leave", next = "gone" },
        stop = {},
      },
    },
    deleting = {
      on = {
        accepted = { action = "end_request", next = "gone" },
        refused = { action = "note_undeleted", next = "gone" },
        silent = { action = "note_silence", next = "gone" },
        lost = { action = "end_request", next = "gone" },
        deleted = { action = "end_request", next = "gone" },
        stop = {},
      },
    },
    gone = { enter = "forget", on = { stop = {}, moved = {} } },
  },
})

function gn_session.is_accepted(answer)
  return answer.cause >= ACCEPTED and answer.cause < FIRST_REFUSAL
end

-- Faults of an accepting answer (§7.3.2), each as the rest of "GGSN 192.0.2.1 ..."; nil: it has none.

local MANDATORY <const> = { { "teid_data", "Tunnel Endpoint Identifier Data I" },
  { "teid_control", "Tunnel Endpoint Identifier Control Plane" }, { "user", "GGSN Address for user traffic" } }

local function missing_of(session, answer)
  for _, row in ipairs(MANDATORY) do
    local is_known = row[1] == "teid_control" and session.wanted.linked
    if not answer[row[1]] and not is_known then return "accepts without " .. row[2] end
  end
end

local NAMED <const> = { { "user", "user packets" }, { "control", "GTP-C" }, { "control_other", "GTP-C" } }

local function foreign_of(session, answer)
  local addresses, ggsn = session.node.addresses, session.peer.address
  for _, row in ipairs(NAMED) do
    local why = answer[row[1]] and addresses:objection(ggsn, answer[row[1]])
    if why then
      return ("names %s for %s, %s"):format(answer[row[1]], row[2], why)
    end
  end
end

local function user_fault(session, answer)
  for _, field in ipairs({ "user_ipv4", "user_ipv6" }) do
    local why = session.node.addresses:user_objection(answer[field])
    if why then return ("accepts with End User Address %s, %s"):format(answer[field], why) end
  end
end

-- A phone that asks for both versions may get one. A GGSN has to give a dynamic address; one that gives none is refused
-- with needs_address.
local function address_fault(session, answer)
  local given, asked = answer.pdp_type or answer.unknown_type, session.wanted.pdp_type
  if session.wanted.linked then return nil end
  if given and given ~= asked and (asked ~= "ipv4v6" or not given:find("^ipv")) then
    return ("accepts with an End User Address of type %s instead of %s"):format(given, asked)
  end
  return session.node.needs_address and address_lack(session, answer) or nil
end

-- Why an accepting answer to a Create cannot be used; nil: it can. Whether that is an address which the GGSN may not
-- name.
function gn_session.unfit(session, answer)
  if answer.fault then return "accepts, and an element is missing or wrong", false end
  local why = missing_of(session, answer)
  if why then return why, false end
  local foreign = foreign_of(session, answer)
  return foreign or user_fault(session, answer) or address_fault(session, answer), foreign ~= nil
end

function gn_session.new(session, durations)
  local id = "gtpc/" .. session.id
  session.fsm = fsm.new(gn_session.machine, session, id, durations)
  session.request = gn_request.new(id .. "/request", durations, session)
  return session
end

return gn_session
