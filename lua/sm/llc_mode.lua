-- SPDX-License-Identifier: BSD-3-Clause
-- The mode of LLC of a PDP context: what workers are ordered, and what became of it.
--
--   sm_llc_mode.order(context, run, is_acknowledged, numbers)   numbers: { send =, receive = } that another SGSN
--                                            had; nil: they begin at 0
--   sm_llc_mode.take(context, run, is_set)   whether the worker has the mode that context.asks says
--   sm_llc_mode.note_without(context, run)   it has no link

local sm_llc_mode = {}

function sm_llc_mode.order(context, run, is_acknowledged, numbers)
  run:emit({ op = "phone_pdp_llc", mobile = context.phone.mobile, nsapi = context.nsapi,
    acknowledged = is_acknowledged, continued = numbers ~= nil, send_n_pdu = numbers and numbers.send,
    receive_n_pdu = numbers and numbers.receive })
end

function sm_llc_mode.note_without(context, run)
  run:count("llc_unacknowledged")
  run:log_of("sm", "info", "%s/%d: reliability class 3, as all links of llc.acknowledged.links are in use",
    context.phone.imsi, context.nsapi)
end

function sm_llc_mode.take(context, run, is_set)
  if context.asks and not is_set then sm_llc_mode.note_without(context, run) end
  context.acknowledged, context.asks = context.asks and is_set or nil, nil
end

return sm_llc_mode
