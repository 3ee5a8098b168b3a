-- SPDX-License-Identifier: BSD-3-Clause
-- Modification of a PDP context that its GGSN asks for (24.008 §6.1.3.3.1, 23.060 §9.2.3.2): the phone is told by
-- MODIFY PDP CONTEXT REQUEST, and the GGSN gets its answer. context.modification: what is asked for, until it is
-- answered: { class =, qos =, pco =, ipv4 =, ipv6 = }, the last two texts; nil: as before.
--
--   sm_modification.event(context, asked)      the event of such a request; nil: it is the one that is under way
--   sm_modification.refuse(context, run, cause)   it comes to nothing; cause: of GTP-C
--   sm_modification.give(actions, states)      adds its rows and actions to those of sm.contexts; returns the states
--
-- A modification of the phone's own at that time is ignored: the network's continues. If the phone does not answer, the
-- context stays what it was (§6.1.3.3.3). In states in which the phone waits for an answer, or is told nothing, the
-- request waits.

local sm_address = require "sm.address"
local sm_quality = require "sm.quality"
local sm_request = require "sm.request"

local sm_modification = {}

local ACCEPTED <const>, NOT_RESPONDING <const>, MS_REFUSES <const>, FAILURE <const> = 128, 196, 197, 204
local FIELDS <const> = { "class", "qos", "pco", "ipv4", "ipv6" }
local VALUES <const> = { "class", "granted", "ipv4", "ipv6" }
local FROM <const> = { "active", "telling" } -- in other states it waits

local function answer_ggsn(context, run, cause, pco)
  context.modification = nil
  run:touch(context.fsm)
  run:emit({ op = "phone_pdp_modified", mobile = context.phone.mobile, nsapi = context.nsapi, cause = cause,
    class = context.class, qos = sm_quality.negotiated(context), pco = pco })
end

function sm_modification.refuse(context, run, cause)
  if context.modification then answer_ggsn(context, run, cause) end
end

local function is_same(one, other)
  for _, field in ipairs(FIELDS) do
    if one[field] ~= other[field] then return false end
  end
  return true
end

local function take(context, asked)
  sm_quality.take(context, asked.class and sm_request.lesser(context.apn, asked.class), asked.qos)
  sm_address.change(context, asked.ipv4, asked.ipv6)
end

-- Values that the phone would be told: its quality of service, and its address, if that is another one.
local function told_of(context, asked)
  local before = {}
  for _, field in ipairs(VALUES) do before[field] = context[field] end
  take(context, asked)
  local qos, address = sm_quality.told(context), sm_address.octets(context)
  for _, field in ipairs(VALUES) do context[field] = before[field] end
  return qos, address ~= sm_address.octets(context) and address or nil
end

local function event_of(context, asked)
  local qos, address = told_of(context, asked)
  local is_news = asked.pco or address or qos ~= sm_quality.told(context) or context.fsm.state == "modifying"
  return is_news and "modify" or "modify_untold"
end

function sm_modification.event(context, asked)
  if context.modification and is_same(context.modification, asked) then return nil end
  return event_of(context, asked)
end

local function give_actions(actions)
  function actions.tell_modification(context, run, asked)
    context.modification = asked or context.modification
    local qos, address = told_of(context, context.modification)
    actions.tell_values(context, run, { qos = qos, pdp_address = address, pco = context.modification.pco })
  end

  function actions.tell_modification_again(context, run) actions.tell_modification(context, run) end

  function actions.accept_and_modify(context, run)
    actions.accept_again(context, run)
    actions.tell_modification(context, run)
  end

  function actions.lose_llc_and_modify(context, run)
    actions.lose_llc(context, run)
    actions.tell_modification(context, run)
  end

  function actions.take_modification(context, run, message)
    run:count("modified_by_ggsn")
    take(context, context.modification)
    answer_ggsn(context, run, ACCEPTED, message and message.pco)
  end

  -- The phone knows all of it.
  function actions.take_untold(context, run, asked)
    take(context, asked)
    answer_ggsn(context, run, ACCEPTED)
  end

  function actions.note_unmodified(context, run)
    run:count("unmodified_by_ggsn")
    run:log_of("sm", "info", "%s/%d: the phone does not answer what its GGSN asks for", context.phone.imsi,
      context.nsapi)
    sm_modification.refuse(context, run, NOT_RESPONDING)
  end

  function actions.keep_modification(context, run, asked)
    context.modification = asked
    run:touch(context.fsm)
  end

  function actions.resume_modification(context, run)
    local asked = context.modification
    if asked then run:post(context.fsm, event_of(context, asked), asked) end
  end
end

-- The contexts that are in use by its phone end, or are another SGSN's.
local function give_ends(actions)
  local release, release_moved = actions.release, actions.release_moved

  function actions.release(context, run)
    sm_modification.refuse(context, run, FAILURE)
    release(context, run)
  end

  function actions.release_moved(context, run)
    sm_modification.refuse(context, run, NOT_RESPONDING)
    release_moved(context, run)
  end

  -- cause: of GTP-C, nil: the phone has ended it.
  function actions.drop(context, run, cause)
    sm_modification.refuse(context, run, cause or MS_REFUSES)
    release(context, run)
  end
end

function sm_modification.give(actions, states)
  give_actions(actions)
  give_ends(actions)
  states.active.enter = "resume_modification"
  for _, name in ipairs(FROM) do
    local on = states[name].on
    on.modify, on.modify_untold = { action = "tell_modification", next = "modifying" }, { action = "take_untold" }
  end
  states.modifying = {
    timer = "t3386",
    on = {
      rx_again = { action = "accept_and_modify", next = "modifying" },
      t3386 = { action = "tell_modification_again" },
      t3386_out = { action = "note_unmodified", next = "active" },
      rx_modify_accept = { action = "take_modification", next = "active" },
      modify = { action = "tell_modification", next = "modifying" },
      class = { action = "tell_modification_again", next = "modifying" },
      mode_lost = { action = "lose_llc_and_modify", next = "modifying" },
      down = { action = "tell_lost", next = "deactivating" },
      deactivate = { action = "deactivate", next = "deactivating" },
      moved = { action = "release_moved", next = "gone" },
    },
  }
  return states
end

return sm_modification
