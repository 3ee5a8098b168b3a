-- SPDX-License-Identifier: BSD-3-Clause
-- Turns PDU tables into send intents. `wire` is the codec module, `nsvc` the index of the NS-VC to send on.

local fsm = require "base.fsm"

local gb_send = {}

-- Room for the offending PDU inside a STATUS: with all headers around it the packet stays below 1500 octets, and an
-- error report need not be longer than what a person reads.
gb_send.PDU_IN_ERROR_LIMIT_OCTETS = 1024

local SIGNALLING_BVCI = 0

-- The NS-VC for a PDU that answers nothing: by the shares of signalling among those that are up, always the same one
-- for a BVC as long as none fails, so that its PDUs do not overtake each other (48.016 §4.4); nil: none.
local function pick(nse, bvci)
  local sum = 0
  for _, vc in ipairs(nse.nsvcs) do
    sum = sum + (vc.usable and vc.signalling_weight or 0)
  end
  local skip = sum > 0 and bvci % sum
  for _, vc in ipairs(nse.nsvcs) do
    local weight = vc.usable and vc.signalling_weight or 0
    if skip and skip < weight then return vc end
    skip = skip and skip - weight
  end
end

function gb_send.ns(run, wire, nsvc, pdu)
  if fsm.trace then fsm.trace.message(run, "ns", nsvc, "way", "sends ns_" .. pdu.pdu) end
  run:emit({ op = "send", nsvc = nsvc, octets = wire.ns_encode(pdu) })
end

function gb_send.bssgp(run, wire, nsvc, bvci, pdu)
  if fsm.trace then
    fsm.trace.message(run, "bssgp", { nsvc = nsvc, bvci = bvci, pdu = pdu }, "bssgp", "sends " .. pdu.pdu)
  end
  run:emit({ op = "send", nsvc = nsvc, octets = wire.unitdata_encode(bvci, pdu) })
end

-- The number of that NS-VC; nil: none.
function gb_send.nsvc_of(nse, bvci)
  local vc = pick(nse, bvci)
  return vc and vc.index
end

-- A PDU that answers nothing.
function gb_send.to_nse(run, nse, bvci, pdu)
  local vc = pick(nse, bvci)
  if vc then
    return gb_send.bssgp(run, nse.wire, vc.index, bvci, pdu)
  end
  run:count("bssgp_" .. pdu.pdu .. "_unsent")
end

-- NS-STATUS (48.016 §9.2.7): `ie` holds the IE that the cause asks for, an NS PDU already complete.
function gb_send.ns_status(run, wire, nsvc, cause, ie)
  run:count(("ns_status_sent_%02x"):format(cause))
  local ns_pdu = ie.ns_pdu and ie.ns_pdu:sub(1, gb_send.PDU_IN_ERROR_LIMIT_OCTETS)
  gb_send.ns(run, wire, nsvc, { pdu = "status", cause = cause, nsvci = ie.nsvci, ns_pdu = ns_pdu })
end

-- BSSGP STATUS (48.018 §9, §10.4.14) about the received PDU `rx` ({ via = NS-VC index, octets = }), on the signalling
-- BVC of the same NSE. `bvci` belongs to the causes "BVCI unknown" and "BVCI blocked" only.
function gb_send.status(run, wire, rx, cause, bvci)
  run:count(("bssgp_status_sent_%02x"):format(cause))
  gb_send.bssgp(run, wire, rx.via, SIGNALLING_BVCI, {
    pdu = "status", cause = cause, bvci = bvci, pdu_in_error = rx.octets:sub(1, gb_send.PDU_IN_ERROR_LIMIT_OCTETS),
  })
end

return gb_send
