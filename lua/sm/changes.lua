-- SPDX-License-Identifier: BSD-3-Clause
-- Modification of a PDP context by its phone (24.008 §6.1.3.3.2), and what a phone is told of another class that its
-- GGSN or HLR gives (§6.1.3.3.1), which the context has before. context.change: what the phone asks for, until it is
-- answered, and `given`, protocol options of its GGSN for it.
--
--   sm_changes.give(actions)    its actions, for those of sm.contexts

local sm_faults = require "sm.faults"
local sm_quality = require "sm.quality"
local sm_tft = require "sm.tft"

local sm_changes = {}

local REJECTED_BY_GGSN <const>, PRIORITY <const> = 30, 4

-- The flag: the phone began the transaction.
local function send(context, run, message)
  message.ti, message.ti_flag = context.ti, 1
  context.contexts.phones:send(run, context.phone, message)
end

local function give_answers(actions)
  function actions.ask_change(context, run, request)
    context.change = request
    run:emit({ op = "phone_pdp_class", mobile = context.phone.mobile, nsapi = context.nsapi, class = request.class,
      tft = request.tft, pco = request.pco })
  end

  function actions.confirm_change(context, run)
    local request = context.change
    context.change = nil
    run:count("modified")
    context.has_tft = sm_tft.is_left(request.tft, context.has_tft)
    context.qos_octets = request.qos_octets or context.qos_octets
    send(context, run, { message = "modify_accept", qos = sm_quality.told(context),
      sapi = request.sapi and context.sapi, pco = request.given, pfi = context.pfi })
  end

  function actions.answer_change(context, run, result)
    context.change.given = result.pco
    if result.cause == 0 then return actions.confirm_change(context, run) end
    context.change = nil
    run:count("modify_reject")
    send(context, run, { message = "modify_reject", cause = sm_faults.OF_GTP[result.cause] or REJECTED_BY_GGSN })
  end

  function actions.take_class(context, run) run:touch(context.fsm) end

  function actions.take_change(context, _, result)
    context.asks, context.change.given = context.change.asks, result.pco
  end
end

local function give_news(actions)
  function actions.tell_change(context, run)
    run:log_of("sm", "info", "%s/%d: its class is %s now", context.phone.imsi, context.nsapi, context.class)
    actions.tell_change_again(context, run)
  end

  -- values: what the message has besides.
  function actions.tell_values(context, run, values)
    values.message, values.radio_priority, values.sapi, values.pfi = "network_modify_request", PRIORITY, context.sapi,
      context.pfi
    send(context, run, values)
  end

  function actions.tell_change_again(context, run)
    actions.tell_values(context, run, { qos = sm_quality.told(context) })
  end

  -- The phone has not got ACCEPT, and takes no change of a context before that.
  function actions.accept_and_tell(context, run)
    actions.accept_again(context, run)
    actions.tell_change_again(context, run)
  end

  function actions.note_told(_, run)
    run:count("told_class")
  end

  function actions.note_untold(context, run)
    run:count("untold_class")
    run:log_of("sm", "info", "%s/%d: the phone does not answer the change of its class", context.phone.imsi,
      context.nsapi)
  end
end

function sm_changes.give(actions)
  give_answers(actions)
  give_news(actions)
end

return sm_changes
