-- SPDX-License-Identifier: BSD-3-Clause
-- Changes of endpoints while IP-SNS runs (48.016 §7.4b): those of the BSS, which are judged and answered, and our own,
-- which the BSS is told of.

local fsm = require "base.fsm"
local gb_send = require "gb.send"
local sns_endpoints = require "gb.sns_endpoints"
local cause = require("gb.cause").ns

local sns_changes = {}

-- Changes of the BSS's endpoints: SNS-ADD, SNS-DELETE, SNS-CHANGEWEIGHT, each answered by an SNS-ACK with
-- its transaction (48.016 §7.4b). A change is made as a whole or not at all. The one that came last is answered again
-- in the same way when it comes again: its answer was lost, and what it asks for is done.
--
-- sns: owner of gb.sns, with last = { octets = of the change, answer = PDU }.

local DOERS = {}

function DOERS.sns_add(sns, run, pdu)
  for _, endpoint in ipairs(pdu[sns.family.list]) do
    sns.mesh:add(run, "peer", endpoint)
  end
  sns.mesh:confirm(run)
end

function DOERS.sns_delete(sns, run, pdu)
  for _, endpoint in ipairs(sns_endpoints.deleted(sns, pdu)) do
    sns.mesh:delete(run, "peer", endpoint)
  end
end

function DOERS.sns_changeweight(sns, run, pdu)
  for _, endpoint in ipairs(pdu[sns.family.list]) do
    sns.mesh:reweigh(run, "peer", endpoint)
  end
end

-- refusal: { cause =, fields = more of the answer, why = text for the log }; the change is made when it has no cause.
local function answer(sns, run, rx, refusal)
  local reason, why = refusal.cause, refusal.why
  local ack = { pdu = "sns_ack", nsei = sns.nse.nsei, transaction = rx.pdu.transaction, cause = reason }
  for name, value in pairs(refusal.fields or {}) do ack[name] = value end
  if reason then
    run:count(("%s_refused_%02x"):format(rx.pdu.pdu, reason))
    local text = why and ": " .. why or ""
    run:log_of("ns", "warn", "NSE %d: %s refused, cause %d%s", sns.nse.nsei, rx.pdu.pdu, reason, text)
  end
  gb_send.ns(run, sns.wire, rx.via, ack)
  return ack
end

-- An action of gb.sns: carries a change out, or says why not.
function sns_changes.apply(sns, run, rx)
  if sns.last and sns.last.octets == rx.octets then
    run:count("sns_change_repeated")
    return gb_send.ns(run, sns.wire, rx.via, sns.last.answer)
  end
  local reason, fields, why = sns_endpoints.judge_change(sns, rx.pdu)
  -- Weights hold before they are acknowledged; the answer is sent before the NS-VC that may carry it is deleted.
  local is_early = rx.pdu.pdu == "sns_changeweight"
  if not reason and is_early then DOERS.sns_changeweight(sns, run, rx.pdu) end
  sns.last = { octets = rx.octets, answer = answer(sns, run, rx, { cause = reason, fields = fields, why = why }) }
  if reason then return end
  run:log_of("ns", "info", "NSE %d: %s by the BSS", sns.nse.nsei, rx.pdu.pdu)
  if not is_early then DOERS[rx.pdu.pdu](sns, run, rx.pdu) end
  sns.announced = table.move(sns.mesh.peers, 1, #sns.mesh.peers, 1, {})
end

-- Another action: nothing is configured that could be changed.
function sns_changes.refuse(sns, run, rx)
  answer(sns, run, rx, { cause = cause.INCOMPATIBLE_STATE })
end

-- Changes of our own endpoints: the BSS is told of one after the other, and each is
-- repeated until it is acknowledged. A new endpoint is there before the BSS hears of it, one that goes until it has
-- agreed. A BSS that refuses or stays silent is left as it is; its next SNS-SIZE hears of all.
--
-- Owner: { sns = owner of gb.sns, queue = list of changes { pdu = name, endpoint = }, the first under way, transaction
-- = of the last, fsm = }; `arg` of rx_sns_ack is { via =, pdu = }.

sns_changes.TRANSACTIONS = 256

local actions = {}

function actions.ask(own, run)
  local sns, change = own.sns, own.queue[1]
  sns.via = sns.mesh:living(sns.via)
  gb_send.ns(run, sns.wire, sns.via, { pdu = change.pdu, nsei = sns.nse.nsei, transaction = own.transaction,
    [sns.family.list] = { change.endpoint } })
end

function actions.begin(own, run)
  local change = own.queue[1]
  own.transaction = (own.transaction + 1) % sns_changes.TRANSACTIONS
  if change.pdu == "sns_add" then
    own.sns.mesh:add(run, "own", change.endpoint)
  elseif change.pdu == "sns_changeweight" then
    own.sns.mesh:reweigh(run, "own", change.endpoint)
  end
  run:touch(own.sns.fsm)
  actions.ask(own, run)
end

-- Is there room for the NS-VCs of one more local endpoint, here and at the BSS?
local function has_room(sns)
  local wanted = (#sns.mesh.own + 1) * #sns.mesh.peers
  return wanted <= sns.mesh.limit and wanted <= sns.size.max_nsvcs
end

function actions.look(own, run)
  while own.queue[1] and own.queue[1].pdu == "sns_add" and not has_room(own.sns) do
    run:count("sns_change_no_room")
    run:log_of("ns", "error", "NSE %d: no NS-VC is free for one more endpoint of the SGSN", own.sns.nse.nsei)
    table.remove(own.queue, 1)
  end
  if own.queue[1] then run:post(own.fsm, "due") end
end

local function finish(own, run)
  local change = table.remove(own.queue, 1)
  own.sns.mesh:offer_ways(run, own.sns.endpoints, own.sns.via)
  if change.pdu == "sns_delete" then
    own.sns.mesh:delete(run, "own", change.endpoint)
  end
  own.sns.mesh:confirm(run)
  run:touch(own.sns.fsm)
end

function actions.take_ack(own, run, rx)
  if rx.pdu.transaction ~= own.transaction then
    return run:count("sns_ack_stale")
  end
  if rx.pdu.cause then
    run:count(("sns_change_nacked_%02x"):format(rx.pdu.cause))
    run:log_of("ns", "error", "NSE %d: the BSS refuses %s, cause %d", own.sns.nse.nsei, own.queue[1].pdu, rx.pdu.cause)
  end
  finish(own, run)
  run:post(own.fsm, "done")
end

function actions.give_up(own, run)
  run:count("sns_change_unanswered")
  run:log_of("ns", "error", "NSE %d: no answer to %s", own.sns.nse.nsei, own.queue[1].pdu)
  finish(own, run)
end

-- Pending changes end when IP-SNS restarts.
function actions.forget(own)
  own.queue = {}
end

-- The changes from one list of endpoints to another: new ones first, so that there is always one.
function sns_changes.changes(before, after)
  local adds, weights, deletes = {}, {}, {}
  for _, endpoint in ipairs(after) do
    local known = sns_endpoints.find(before, endpoint)
    if not known then
      adds[#adds + 1] = { pdu = "sns_add", endpoint = endpoint }
    elseif known.signalling_weight ~= endpoint.signalling_weight or known.data_weight ~= endpoint.data_weight then
      weights[#weights + 1] = { pdu = "sns_changeweight", endpoint = endpoint }
    end
  end
  for _, endpoint in ipairs(before) do
    if not sns_endpoints.find(after, endpoint) then
      deletes[#deletes + 1] = { pdu = "sns_delete", endpoint = endpoint }
    end
  end
  table.move(weights, 1, #weights, #adds + 1, adds)
  return table.move(deletes, 1, #deletes, #adds + 1, adds)
end

sns_changes.own_machine = fsm.define({
  name = "ns_sns_own",
  category = "ns",
  about = "of_sns",
  initial = "off",
  actions = actions,
  timers = {
    prov = { after = "prov", retries = "prov_retries", again = "prov_again", out = "prov_lost" },
  },
  any = {
    stop = { next = "off" },
  },
  states = {
    off = {
      enter = "forget",
      on = {
        begin = { next = "ready" },
        changed = { action = "forget" },
      },
    },
    ready = {
      enter = "look",
      on = {
        changed = { action = "look" },
        due = { next = "asking" },
        rx_sns_ack = {},
      },
    },
    asking = {
      enter = "begin",
      timer = "prov",
      on = {
        changed = {},
        rx_sns_ack = { action = "take_ack" },
        done = { next = "ready" },
        prov_again = { action = "ask" },
        prov_lost = { action = "give_up", next = "ready" },
      },
    },
  },
})

return sns_changes
