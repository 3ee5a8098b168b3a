-- SPDX-License-Identifier: BSD-3-Clause
-- A PDP context of a phone (24.008 §6.1.3). Owner: { phone =, contexts = (sm.contexts), nsapi =, ti =, sapi =, ... }.

local fsm = require "base.fsm"

local actions = {}

function actions.ask(context, run)
  context.contexts:ask(run, context)
end

function actions.accept(context, run, given)
  context.given = given
  run:log_of("sm", "info", "%s/%d: active, APN %s, %s", context.phone.imsi, context.nsapi, context.apn.name,
    given.ipv4 or given.ipv6 or "without address")
  context.contexts:count(run, "activated")
  actions.accept_again(context, run)
end

function actions.accept_again(context, run)
  context.contexts:accept(run, context)
end

function actions.reject(context, run, cause)
  context.contexts:reject(run, context, cause)
end

function actions.release(context, run)
  context.contexts:release(run, context)
end

-- The GGSN or its path has lost it: the phone is told to activate it once more, never given another address in silence.
function actions.tell_lost(context, run)
  run:log_of("sm", "info", "%s/%d: lost, the phone is told to activate it again", context.phone.imsi, context.nsapi)
  context.contexts:count(run, "lost")
  actions.send_deactivate(context, run)
end

function actions.send_deactivate(context, run)
  context.contexts:deactivate(run, context)
end

function actions.forget(context, run)
  context.contexts:forget(context, run)
end

local FIELDS <const> = { "nsapi", "ti", "sapi", "pdp_type", "address", "pdp_address", "qos_octets", "pco", "octets",
  "given" }

local function keep(context)
  if context.fsm.state == "gone" then return nil end
  local kept = { mobile = context.phone.mobile, apn = context.apn.name, state = context.fsm.state }
  for _, field in ipairs(FIELDS) do kept[field] = context[field] end
  return kept
end

return fsm.define({
  name = "sm",
  initial = "idle",
  keep = keep,
  actions = actions,
  timers = { t3395 = { after = "t3395", retries = "repeats", again = "t3395", out = "t3395_out" } },
  any = { rx_again = {}, up = {}, down = {}, rx_deactivate_accept = {} },
  states = {
    idle = { on = { begin = { action = "ask", next = "creating" }, drop = { next = "gone" } } },
    creating = {
      on = {
        up = { action = "accept", next = "active" },
        down = { action = "reject", next = "gone" },
        drop = { action = "release", next = "gone" },
      },
    },
    active = {
      on = {
        rx_again = { action = "accept_again" },
        down = { action = "tell_lost", next = "deactivating" },
        drop = { action = "release", next = "gone" },
      },
    },
    deactivating = {
      timer = "t3395",
      on = {
        t3395 = { action = "send_deactivate" },
        t3395_out = { next = "gone" },
        rx_deactivate_accept = { next = "gone" },
        drop = { next = "gone" },
      },
    },
    gone = { enter = "forget", on = { drop = {} } },
  },
})
