-- SPDX-License-Identifier: BSD-3-Clause
-- The mode of LLC of a PDP context (23.107 §6.4.4): what workers are ordered, and what became of it. A phone is told
-- reliability class 2 once its worker has a link for the context, and class 3 while all links are in use (24.008
-- §6.1.3.1.1: the network may give less). context.asks: acknowledged mode is to begin (true) or to end.
--
--   sm_llc_mode.order(context, run, is_acknowledged, numbers)   numbers: { send =, receive = } that another SGSN
--                                            had; nil: they begin at 0
--   sm_llc_mode.set(context, run, is_set)   whether the worker has the mode that context.asks says
--   sm_llc_mode.give(actions)              actions of a context about its mode, by others of it: confirm and
--                                            confirm_change, which answer the phone, and tell_change_again

local sm_llc_mode = {}

function sm_llc_mode.order(context, run, is_acknowledged, numbers)
  run:emit({ op = "phone_pdp_llc", mobile = context.phone.mobile, nsapi = context.nsapi,
    acknowledged = is_acknowledged, continued = numbers ~= nil, send_n_pdu = numbers and numbers.send,
    receive_n_pdu = numbers and numbers.receive })
end

local function note_without(context, run)
  run:count("llc_unacknowledged")
  run:log_of("sm", "info", "%s/%d: reliability class 3, as all links of llc.acknowledged.links are in use",
    context.phone.imsi, context.nsapi)
end

function sm_llc_mode.set(context, run, is_set)
  if context.asks and not is_set then note_without(context, run) end
  context.acknowledged, context.asks = context.asks and is_set or nil, nil
end

-- The phone asks for a context, or a change of one, whose worker is asked first. If the worker does not answer,
-- acknowledged mode ends there if it begins after all.
local function give_answers(actions)
  function actions.ask_llc(context, run) sm_llc_mode.order(context, run, context.asks) end

  function actions.accept_llc(context, run, is_set)
    sm_llc_mode.set(context, run, is_set)
    actions.confirm(context, run)
  end

  function actions.accept_without_llc(context, run)
    sm_llc_mode.order(context, run, false)
    actions.accept_llc(context, run, false)
  end

  function actions.answer_llc(context, run, is_set)
    sm_llc_mode.set(context, run, is_set)
    actions.confirm_change(context, run)
  end

  function actions.answer_without_llc(context, run)
    sm_llc_mode.order(context, run, false)
    actions.answer_llc(context, run, false)
  end
end

function sm_llc_mode.give(actions)
  give_answers(actions)

  -- The mobile went to a worker without a free link.
  function actions.lose_llc(context, run)
    context.acknowledged = nil
    note_without(context, run)
    sm_llc_mode.order(context, run, false)
    run:touch(context.fsm)
  end

  function actions.tell_llc_lost(context, run)
    actions.lose_llc(context, run)
    actions.tell_change_again(context, run)
  end
end

return sm_llc_mode
