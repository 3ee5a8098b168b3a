-- SPDX-License-Identifier: BSD-3-Clause
-- Changes of the BSS's endpoints while it runs: SNS-ADD, SNS-DELETE, SNS-CHANGEWEIGHT, each answered by an SNS-ACK with
-- its transaction (48.016 §7.4b). A change is made as a whole or not at all. The one that came last is answered again
-- in the same way when it comes again: its answer was lost, and what it asks for is done.
--
-- sns: owner of ns_sns, with last = { octets = of the change, answer = PDU }.

local gb_send = require "gb.send"
local ns_sns_judge = require "gb.ns_sns_judge"
local cause = require("gb.cause").ns

local ns_sns_change = {}

local DOERS = {}

function DOERS.sns_add(sns, run, pdu)
  for _, endpoint in ipairs(pdu[sns.family.list]) do
    sns.mesh:add(run, "peer", endpoint)
  end
  sns.mesh:confirm(run)
end

function DOERS.sns_delete(sns, run, pdu)
  for _, endpoint in ipairs(ns_sns_judge.deleted(sns, pdu)) do
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

-- An action of ns_sns: carries a change out, or says why not.
function ns_sns_change.apply(sns, run, rx)
  if sns.last and sns.last.octets == rx.octets then
    run:count("sns_change_repeated")
    return gb_send.ns(run, sns.wire, rx.via, sns.last.answer)
  end
  local reason, fields, why = ns_sns_judge.change(sns, rx.pdu)
  -- The answer is sent before the NS-VC that may carry it is deleted.
  sns.last = { octets = rx.octets, answer = answer(sns, run, rx, { cause = reason, fields = fields, why = why }) }
  if not reason then
    run:log_of("ns", "info", "NSE %d: %s by the BSS", sns.nse.nsei, rx.pdu.pdu)
    DOERS[rx.pdu.pdu](sns, run, rx.pdu)
    sns.announced = table.move(sns.mesh.peers, 1, #sns.mesh.peers, 1, {})
  end
end

-- Another action: nothing is configured that could be changed.
function ns_sns_change.refuse(sns, run, rx)
  answer(sns, run, rx, { cause = cause.INCOMPATIBLE_STATE })
end

return ns_sns_change
