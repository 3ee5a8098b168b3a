-- SPDX-License-Identifier: BSD-3-Clause
-- Deactivation of a PDP context by an operator (24.008 §6.1.3.4.2), `gbflow deactivate`, or because the HLR no longer
-- allows it.
--
--   sm_acts.give(actions, states)   adds its rows and actions to those of sm.contexts; returns the states

local acts = require "base.acts"

local sm_acts = {}

local REGULAR <const> = 36
local FROM <const> = { "active", "changing", "relinking", "telling" }

local function settle(context, run, is_done, text)
  acts.settle(run, context, is_done, ("NSAPI %d: %s"):format(context.nsapi, text))
end

-- The GGSN deletes it meanwhile (23.060 §9.2.4.2).
local function deactivate(context, run, actions, who)
  context.reason = REGULAR
  run:log_of("sm", "info", "%s/%d: deactivated by the %s", context.phone.imsi, context.nsapi, who or "operator")
  run:count("deactivated")
  actions.release(context, run)
  actions.send_deactivate(context, run)
end

local function give_actions(actions)
  local forget = actions.forget

  function actions.deactivate(context, run, who) deactivate(context, run, actions, who) end

  function actions.end_deactivation(context, run)
    settle(context, run, true, "the phone has answered by DEACTIVATE PDP CONTEXT ACCEPT")
  end

  function actions.note_no_answer(context, run)
    settle(context, run, false, "the phone has answered neither a page nor DEACTIVATE PDP CONTEXT REQUEST; the context "
      .. "is gone here")
  end

  function actions.forget(context, run)
    settle(context, run, true, "the context has ended by another procedure")
    forget(context)
  end
end

function sm_acts.give(actions, states)
  give_actions(actions)
  for _, name in ipairs(FROM) do
    states[name].on.deactivate = { action = "deactivate", next = "deactivating" }
  end
  local on = states.deactivating.on
  on.t3395_out.action, on.rx_deactivate_accept.action = "note_no_answer", "end_deactivation"
  return states
end

return sm_acts
