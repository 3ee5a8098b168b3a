-- SPDX-License-Identifier: BSD-3-Clause
-- Acts of an operator on one phone of a running node: `gbflow detach`, `deactivate` and `forget`.
--
--   local plan = gmm_acts.plan(p, order)   p: gmm.phones; order: { verb =, imsi =, nsapi =, reattach = }, texts.
--                                     { refusal = } or { says = what will be sent, parts = how often the end is told,
--                                     most_ns = the longest time until then }
--   gmm_acts.begin(p, run, order, id) carries it out, after a plan without a refusal
--   gmm_acts.forget(run, phone)       the phone is forgotten

local acts = require "base.acts"
local gmm_phone = require "gmm.phone"

local gmm_acts = {}

local OF_ALL <const> = { offload = true, drain = true } -- gmm.offload carries them out
local FIRST_NSAPI <const>, LAST_NSAPI <const> = 5, 15
-- States in which a phone takes DETACH REQUEST as a procedure of its own.
local REGISTERED <const> = { registered = true, probing = true, updating = true }
local DEACTIVATED <const> = { active = true, telling = true, changing = true, relinking = true, modifying = true }

local function name_of(order)
  return "IMSI " .. order.imsi
end

-- Each repetition may have to wait for a page.
local function most_of(p, timer)
  return (p.durations.repeats + 1) * (p.durations[timer] + p.standby.durations.page)
end

local function refuse(order, text, ...)
  return { refusal = name_of(order) .. ": " .. text:format(...) }
end

local plans = {}

function plans.detach(p, order, phone)
  if not REGISTERED[phone.fsm.state] then
    return refuse(order, "it is %s; detach it when it is registered, or forget it", phone.fsm.state)
  end
  local kind = order.reattach and "re-attach required" or "re-attach not required"
  return { says = ("DETACH REQUEST (%s) to %08x, and a Delete PDP Context Request for each of its contexts")
    :format(kind, phone.tlli), parts = 1, most_ns = most_of(p, "t3322") }
end

function plans.forget(_, _, phone)
  return { says = ("nothing to the phone %08x; a Delete PDP Context Request for each of its contexts%s")
    :format(phone.tlli, phone.was_registered and phone.phones.policy.hlr and ", and PURGE MS to the HLR" or ""),
    parts = 1, most_ns = 0 }
end

-- The contexts that the order means, in the order of their NSAPIs; nil and why not.
local function contexts_of(order, phone)
  local found, nsapi = {}, tonumber(order.nsapi)
  for number = nsapi or FIRST_NSAPI, nsapi or LAST_NSAPI do
    local context = phone.contexts[number]
    if context and DEACTIVATED[context.fsm.state] then
      found[#found + 1] = context
    elseif context and nsapi then
      return nil, ("NSAPI %d is %s; deactivate it when it is active"):format(nsapi, context.fsm.state)
    end
  end
  if #found > 0 then return found end
  local which = order.nsapi and "context of NSAPI " .. order.nsapi or "active context"
  return nil, ("no %s; `gbflow show subscribers` lists them"):format(which)
end

function plans.deactivate(p, order, phone)
  if phone.has_left then
    return refuse(order, "it has gone to SGSN %s; deactivate its contexts there", phone.departure)
  end
  local contexts, why = contexts_of(order, phone)
  if not contexts then return refuse(order, "%s", why) end
  local nsapis = {}
  for i, context in ipairs(contexts) do nsapis[i] = context.nsapi end
  return { says = ("DEACTIVATE PDP CONTEXT REQUEST to %08x and Delete PDP Context Request, each for NSAPI %s")
    :format(phone.tlli, table.concat(nsapis, ", ")), parts = #contexts, most_ns = most_of(p, "t3395") }
end

function gmm_acts.plan(p, order)
  if OF_ALL[order.verb] then return p.offload:plan(order) end
  local phone, plan = p.by_imsi[order.imsi], plans[order.verb]
  if not phone then return refuse(order, "no phone has it; `gbflow show subscribers` lists the phones") end
  if phone.act then return refuse(order, "an act on it is in progress; `gbflow show acts` shows it") end
  return plan(p, order, phone)
end

local begins = {}

-- The HLR is told, as after a detach by the phone: it does not know.
function begins.detach(_, run, order, id, phone)
  acts.begin(phone, id)
  phone.is_purged = phone.was_registered
  gmm_phone.post_end(run, phone, "detach", { reattach = order.reattach ~= nil })
end

-- As if the HLR had cancelled its location because the phone is with another SGSN.
function gmm_acts.forget(run, phone)
  phone.is_purged = phone.was_registered
  gmm_phone.post_end(run, phone, "cancelled")
end

function begins.forget(_, run, _, id, phone)
  acts.begin(phone, id)
  gmm_acts.forget(run, phone)
end

function begins.deactivate(_, run, order, id, phone)
  for _, context in ipairs(contexts_of(order, phone)) do
    acts.begin(context, id)
    run:tell(context.fsm, "deactivate")
  end
end

function gmm_acts.begin(p, run, order, id)
  if OF_ALL[order.verb] then return p.offload:begin(run, order, id) end
  begins[order.verb](p, run, order, id, p.by_imsi[order.imsi])
end

return gmm_acts
