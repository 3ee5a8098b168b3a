-- SPDX-License-Identifier: BSD-3-Clause
-- Changes of our own endpoints while IP-SNS runs (48.016 §7.4b): the BSS is told of one after the other, and each is
-- repeated until it is acknowledged. A new endpoint is there before the BSS hears of it, one that goes until it has
-- agreed. A BSS that refuses or stays silent is left as it is; its next SNS-SIZE hears of all.
--
-- Owner: { sns = owner of ns_sns, queue = list of changes { pdu = name, endpoint = }, the first under way, transaction
-- = of the last, fsm = }; `arg` of rx_sns_ack is { via =, pdu = }.

local fsm = require "base.fsm"
local gb_send = require "gb.send"
local mesh = require "gb.ns_sns_mesh"

local ns_sns_own = {}

ns_sns_own.TRANSACTIONS = 256

local actions = {}

function actions.ask(own, run)
  local sns, change = own.sns, own.queue[1]
  gb_send.ns(run, sns.wire, sns.via, { pdu = change.pdu, nsei = sns.nse.nsei, transaction = own.transaction,
    [sns.family.list] = { change.endpoint } })
end

function actions.begin(own, run)
  local change = own.queue[1]
  own.transaction = (own.transaction + 1) % ns_sns_own.TRANSACTIONS
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
function ns_sns_own.changes(before, after)
  local adds, weights, deletes = {}, {}, {}
  for _, endpoint in ipairs(after) do
    local known = mesh.find(before, endpoint)
    if not known then
      adds[#adds + 1] = { pdu = "sns_add", endpoint = endpoint }
    elseif known.signalling_weight ~= endpoint.signalling_weight or known.data_weight ~= endpoint.data_weight then
      weights[#weights + 1] = { pdu = "sns_changeweight", endpoint = endpoint }
    end
  end
  for _, endpoint in ipairs(before) do
    if not mesh.find(after, endpoint) then deletes[#deletes + 1] = { pdu = "sns_delete", endpoint = endpoint } end
  end
  table.move(weights, 1, #weights, #adds + 1, adds)
  return table.move(deletes, 1, #deletes, #adds + 1, adds)
end

ns_sns_own.machine = fsm.define({
  name = "ns_sns_own",
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

return ns_sns_own
