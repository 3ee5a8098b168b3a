-- SPDX-License-Identifier: BSD-3-Clause
-- BSSGP PDUs of one NSE to events of its BVC machines, and STATUS for those that cannot be taken (48.018 §9).
--
-- nse: { nsei =, wire =, bvcs = list of bvc owners, bvc_by_bvci = }.
-- rx: { via = NS-VC index, bvci = of the NS-UNITDATA, octets = BSSGP PDU }, to which receive() adds pdu = decoded.

local gb_cause = require "gb_cause"
local gb_send = require "gb_send"
local cause = gb_cause.bssgp

local gb_bssgp = {}

local SIGNALLING_BVCI = 0

local function refuse(nse, run, rx, value, bvci)
  gb_send.status(run, nse.wire, rx, value, bvci)
end

local function to_named_bvc(nse, run, rx)
  local bvci = rx.pdu.bvci
  if bvci == SIGNALLING_BVCI then
    return refuse(nse, run, rx, cause.INVALID_MANDATORY_INFORMATION)
  end
  local bvc = nse.bvc_by_bvci[bvci]
  if not bvc then
    return refuse(nse, run, rx, cause.BVCI_UNKNOWN, bvci)
  end
  run:post(bvc.fsm, "rx_" .. rx.pdu.pdu, rx)
end

local function to_bvc(nse, run, rx)
  run:post(nse.bvc_by_bvci[rx.bvci].fsm, "rx_" .. rx.pdu.pdu, rx)
end

-- Reset of the signalling BVC takes all cells of the NSE with it; the BSS resets them one by one afterwards.
local function on_bvc_reset(nse, run, rx)
  if rx.pdu.bvci ~= SIGNALLING_BVCI then
    return to_named_bvc(nse, run, rx)
  end
  run:log("info", "NSE %d: signalling BVC reset by the BSS, cause 0x%02x", nse.nsei, rx.pdu.cause)
  for _, bvc in ipairs(nse.bvcs) do
    run:tell(bvc.fsm, "signalling_reset")
  end
  gb_send.bssgp(run, nse.wire, rx.via, SIGNALLING_BVCI, { pdu = "bvc_reset_ack", bvci = SIGNALLING_BVCI })
end

-- An answer to a procedure that the SGSN does not start.
local function only_count(_, run, rx)
  run:count("bssgp_" .. rx.pdu.pdu .. "_unexpected")
end

local function of_feature_set(nse, run, rx)
  run:count("bssgp_unsupported")
  refuse(nse, run, rx, cause.NOT_IN_FEATURE_SET)
end

local function unsupported(nse, run, rx)
  run:count("bssgp_unsupported")
  refuse(nse, run, rx, cause.PROTOCOL_ERROR)
end

-- PDU types without a row here are unsupported.
local RECEIVERS = {
  ul_unitdata = to_bvc,
  flow_control_bvc = to_bvc,
  flow_control_ms = to_bvc,
  flow_control_pfc = of_feature_set,
  download_bss_pfc = of_feature_set,
  modify_bss_pfc = of_feature_set,
  delete_bss_pfc_req = of_feature_set,
  bvc_block = to_named_bvc,
  bvc_unblock = to_named_bvc,
  bvc_reset = on_bvc_reset,
  bvc_reset_ack = only_count,
  llc_discarded = to_named_bvc,
}

local STATUS_EVENTS = {
  [cause.BVCI_UNKNOWN] = "peer_says_unknown",
  [cause.BVCI_BLOCKED] = "peer_says_blocked",
}

-- Some BSSs leave the BVCI out where its cause asks for it; then there is nobody to tell.
local function on_status(nse, run, rx, status)
  if not status then
    return run:count("bssgp_status_malformed")
  end
  run:count(("bssgp_status_received_%02x"):format(status.cause))
  run:log("warn", "NSE %d: STATUS cause 0x%02x on BVCI %d about BVCI %s", nse.nsei, status.cause, rx.bvci,
    status.bvci or "none")
  local bvc, event = nse.bvc_by_bvci[status.bvci or SIGNALLING_BVCI], STATUS_EVENTS[status.cause]
  if bvc and event then
    run:post(bvc.fsm, event, rx)
  end
end

-- Takes one BSSGP PDU. A STATUS is never answered, whatever is wrong with it.
function gb_bssgp.receive(nse, run, rx)
  local pdu, error_cause, _, name = nse.wire.bssgp_decode(rx.octets, "bss", rx.bvci)
  name = pdu and pdu.pdu or name
  if name == "status" then
    return on_status(nse, run, rx, pdu)
  end
  if #rx.octets == 0 then
    return run:count("bssgp_empty")
  end
  if rx.bvci ~= SIGNALLING_BVCI and not nse.bvc_by_bvci[rx.bvci] then
    return refuse(nse, run, rx, cause.BVCI_UNKNOWN, rx.bvci)
  end
  if not pdu then
    run:count("bssgp_malformed")
    return refuse(nse, run, rx, error_cause)
  end
  rx.pdu = pdu
  local receiver = RECEIVERS[name] or unsupported
  receiver(nse, run, rx)
end

return gb_bssgp
