-- SPDX-License-Identifier: BSD-3-Clause
-- BSSGP PDUs of one NSE to events of its BVC machines, and STATUS for those that cannot be taken (48.018 §9).
--
-- nse: { routeing_areas = patterns of those that its cells may have, nil: any, nsei =, wire =, nsvcs =, bvcs = list of
-- bvc owners, bvc_by_bvci =, mobiles = registry, offered = list of names of features, features = set of those agreed
-- on }.
-- rx: { via = NS-VC index, bvci = of the NS-UNITDATA, octets = BSSGP PDU }, to which receive() adds pdu = decoded.

local fsm = require "base.fsm"
local gb_areas = require "gb.areas"
local gb_bvc_reset = require "gb.bvc_reset"
local gb_rim = require "gb.rim"
local gb_send = require "gb.send"
local cause = require("gb.cause").bssgp

local gb_bssgp = {}

local SIGNALLING_BVCI = 0

-- Optional features of BSSGP (48.018 §8.4, §11.3.40, §11.3.84): what both sides name when the signalling BVC is reset
-- holds for the NSE until the next time. A BSS that names nothing has none of them, and is told of none.

-- Of the Feature Bitmap, and of the Extended Feature Bitmap.
local BITS = { pfc = 0x01, cbl = 0x02, inr = 0x04, pfc_fc = 0x20 }
local RIM <const> = 0x10
local EXTENDED_BITS = { gigabit = 0x02 }

local function bitmap(names, bits)
  local sum = 0
  for _, name in ipairs(names) do
    sum = sum | (bits[name] or 0)
  end
  return sum
end

-- The two bitmaps of a list of names.
local function bitmaps_of(names)
  return bitmap(names, BITS), bitmap(names, EXTENDED_BITS)
end

-- Set of the names that both the list and a received BVC-RESET have. Flow control of packet flows needs packet flows.
local function agreed_features(names, pdu)
  local set = {}
  for _, name in ipairs(names) do
    local received = BITS[name] and pdu.feature_bitmap or pdu.extended_feature_bitmap
    set[name] = (received or 0) & (BITS[name] or EXTENDED_BITS[name]) ~= 0
  end
  set.pfc_fc = set.pfc_fc and set.pfc
  return set
end

-- The record of an NSE for a restart of control.
function gb_bssgp.keep_features(run, nse)
  run:record("nse/" .. nse.nsei, { nsei = nse.nsei, features = nse.features, is_shut = nse.is_shut })
end

-- The event of a received PDU, by its name.
local EVENTS = setmetatable({}, { __index = function(events, name)
  events[name] = "rx_" .. name
  return events[name]
end })

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
  run:post(bvc.fsm, EVENTS[rx.pdu.pdu], rx)
end

local function to_bvc(nse, run, rx)
  run:post(nse.bvc_by_bvci[rx.bvci].fsm, EVENTS[rx.pdu.pdu], rx)
end

-- A BSS that names features is told which ones we have; what both have holds from now on. RIM is for all BSSs, and told
-- to those that ask.
local function acknowledge_reset(nse, run, rx)
  local ack = { pdu = "bvc_reset_ack", bvci = SIGNALLING_BVCI }
  local features, extended = bitmaps_of(nse.offered)
  features = features | (rx.pdu.feature_bitmap or 0) & RIM
  ack.feature_bitmap = rx.pdu.feature_bitmap and features > 0 and features or nil
  ack.extended_feature_bitmap = rx.pdu.extended_feature_bitmap and extended > 0 and extended or nil
  nse.features = agreed_features(nse.offered, rx.pdu)
  gb_bssgp.keep_features(run, nse)
  gb_send.bssgp(run, nse.wire, rx.via, SIGNALLING_BVCI, ack)
end

local function tell_cells_of_reset(nse, run)
  for _, bvc in ipairs(nse.bvcs) do
    run:tell(bvc.fsm, "signalling_reset")
  end
end

-- The SGSN resets the signalling BVC; the BSS resets its cells afterwards.
local function reset_signalling(nse, run)
  local features, extended = bitmaps_of(nse.offered)
  run:count("bvc_reset_signalling_sent")
  run:log_of("bssgp", "info", "NSE %d: the BSS does not know its cells, so the signalling BVC is reset here", nse.nsei)
  tell_cells_of_reset(nse, run)
  gb_send.to_nse(run, nse, SIGNALLING_BVCI, { pdu = "bvc_reset", bvci = SIGNALLING_BVCI, cause = cause.OM_INTERVENTION,
    feature_bitmap = features > 0 and features or nil, extended_feature_bitmap = extended > 0 and extended or nil })
end

-- A BSS may reset a cell only with a Cell Identifier in the routeing areas of its NSE. Else the cell is not served, and
-- no mobile moves there, until it is reset with another one.
local function reset_cell(nse, run, rx)
  local bvc, cell_id = nse.bvc_by_bvci[rx.pdu.bvci], rx.pdu.cell_id
  local is_refused
  if nse.accepts then bvc, is_refused = nse.accepts:cell(run, nse, rx.pdu) end
  if not bvc then
    return to_named_bvc(nse, run, rx)
  end
  bvc.is_refused = is_refused or not gb_areas.is_allowed(cell_id or bvc.cell_id, nse.routeing_areas)
  if not bvc.is_refused then
    return to_named_bvc(nse, run, rx)
  end
  if is_refused then
    run:tell(bvc.fsm, "signalling_reset")
    return refuse(nse, run, rx, cause.SEMANTICALLY_INCORRECT)
  end
  run:count("bvc_reset_routeing_area")
  run:log_of("bssgp", "warn",
    "NSE %d BVCI %d: the BSS names the routeing area %s, which nses[].routeing_areas does not allow",
    nse.nsei, bvc.bvci, gb_areas.name_of(cell_id or bvc.cell_id))
  run:tell(bvc.fsm, "signalling_reset")
  refuse(nse, run, rx, cause.SEMANTICALLY_INCORRECT)
end

-- Reset of the signalling BVC takes all cells of the NSE with it; the BSS resets them one by one afterwards.
local function on_bvc_reset(nse, run, rx)
  if rx.pdu.bvci ~= SIGNALLING_BVCI then
    return reset_cell(nse, run, rx)
  end
  run:log_of("bssgp", "info", "NSE %d: signalling BVC reset by the BSS, cause 0x%02x", nse.nsei, rx.pdu.cause)
  tell_cells_of_reset(nse, run)
  acknowledge_reset(nse, run, rx)
end

-- The answer to our own BVC-RESET of a cell. A Cell Identifier that the cell may not have keeps it out of service.
local function on_bvc_reset_ack(nse, run, rx)
  local bvc, cell_id = nse.bvc_by_bvci[rx.pdu.bvci], rx.pdu.cell_id
  if rx.pdu.bvci == SIGNALLING_BVCI and nse.resetting and nse.resetting.is_spent then
    nse.features = agreed_features(nse.offered, rx.pdu)
    return gb_bssgp.keep_features(run, nse)
  end
  if not gb_bvc_reset.is_awaited(bvc) then return run:count("bssgp_bvc_reset_ack_unexpected") end
  local is_other = nse.accepts and cell_id and not gb_areas.is_cell(cell_id, bvc.cell_id)
  bvc.is_refused = is_other or not gb_areas.is_allowed(cell_id or bvc.cell_id, nse.routeing_areas)
  if not bvc.is_refused then return run:post(bvc.fsm, "rx_bvc_reset_ack", rx) end
  run:count("bvc_reset_ack_refused")
  run:log_of("bssgp", "warn", "NSE %d BVCI %d: the BSS names another cell or routeing area, %s", nse.nsei, bvc.bvci,
    gb_areas.name_of(cell_id or bvc.cell_id))
end

-- SUSPEND or RESUME; `nack` is the answer for an unknown mobile or routeing area, and for a mobile of another NSE.
local function to_suspension(nack, event_of)
  return function(nse, run, rx)
    local pdu, mobiles = rx.pdu, nse.mobiles
    local ms = mobiles.book:of_tlli(pdu.tlli)
    local is_elsewhere = ms and ms.cell.nse ~= nse
    if not ms or is_elsewhere or not gb_areas.has(nse, pdu.routeing_area) then
      run:count("bssgp_" .. nack .. (is_elsewhere and "_elsewhere" or ""))
      return gb_send.bssgp(run, nse.wire, rx.via, SIGNALLING_BVCI, { pdu = nack, tlli = pdu.tlli,
        routeing_area = pdu.routeing_area, cause = cause.UNKNOWN_MS })
    end
    rx.nse = nse
    run:post(mobiles:suspension_of(ms).fsm, event_of(ms, pdu), rx)
  end
end

local function event_of_suspend()
  return "rx_suspend"
end

local function event_of_resume(ms, pdu)
  return ms.reference == pdu.suspend_ref and "rx_resume" or "rx_resume_foreign"
end

local function on_flush_ll_ack(nse, run, rx)
  local flush = nse.mobiles:flush_of(nse, rx.pdu)
  if flush then
    run:post(flush.fsm, "rx_flush_ll_ack", rx.pdu)
  else
    run:count("bssgp_flush_ll_ack_unexpected")
  end
end

local function on_paging_reject(nse, run, rx)
  local paged = nse.mobiles:paged_of(rx.pdu.imsi)
  if not paged then
    run:count("paging_ps_reject_unexpected")
  elseif paged.ms.cell.nse ~= nse then
    run:count("paging_ps_reject_elsewhere")
  else
    run:post(paged.fsm, "rejected")
  end
end

-- A PDU of an optional feature.
local function to_bvc_with(feature)
  return function(nse, run, rx)
    if nse.features[feature] then
      return to_bvc(nse, run, rx)
    end
    run:count("bssgp_unsupported")
    refuse(nse, run, rx, cause.NOT_IN_FEATURE_SET)
  end
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
  radio_status = to_bvc,
  ra_capability_update = to_bvc,
  suspend = to_suspension("suspend_nack", event_of_suspend),
  resume = to_suspension("resume_nack", event_of_resume),
  flush_ll_ack = on_flush_ll_ack,
  paging_ps_reject = on_paging_reject,
  flow_control_pfc = to_bvc_with("pfc_fc"),
  download_bss_pfc = to_bvc_with("pfc"),
  create_bss_pfc_ack = to_bvc_with("pfc"),
  create_bss_pfc_nack = to_bvc_with("pfc"),
  modify_bss_pfc = to_bvc_with("pfc"),
  delete_bss_pfc_req = to_bvc_with("pfc"),
  delete_bss_pfc_ack = to_bvc_with("pfc"),
  ran_information = gb_rim.route,
  ran_information_request = gb_rim.route,
  ran_information_ack = gb_rim.route,
  ran_information_error = gb_rim.route,
  ran_information_application_error = gb_rim.route,
  bvc_block = to_named_bvc,
  bvc_unblock = to_named_bvc,
  bvc_reset = on_bvc_reset,
  bvc_reset_ack = on_bvc_reset_ack,
  llc_discarded = to_named_bvc,
}

local STATUS_EVENTS = {
  [cause.BVCI_UNKNOWN] = "peer_says_unknown",
  [cause.BVCI_BLOCKED] = "peer_says_blocked",
}

-- Some BSSs omit the BVCI that the cause requires; then no BVC machine gets an event.
local function on_status(nse, run, rx, status)
  if not status then
    return run:count("bssgp_status_malformed")
  end
  run:count(("bssgp_status_received_%02x"):format(status.cause))
  run:log_of("bssgp", "warn", "NSE %d: STATUS cause 0x%02x on BVCI %d about BVCI %s", nse.nsei, status.cause, rx.bvci,
    status.bvci or "none")
  local bvc, event = nse.bvc_by_bvci[status.bvci or SIGNALLING_BVCI], STATUS_EVENTS[status.cause]
  if bvc and event then
    run:post(bvc.fsm, event, rx)
  end
  if bvc and event == "peer_says_unknown" and gb_bvc_reset.take_turn(nse, bvc) then reset_signalling(nse, run) end
end

-- Takes one BSSGP PDU. A STATUS is never answered, whatever is wrong with it.
function gb_bssgp.receive(nse, run, rx)
  local pdu, _, error_cause, name = nse.wire.bssgp_decode(rx.octets, "bss", rx.bvci)
  name = pdu and pdu.pdu or name
  if fsm.trace then
    fsm.trace.message(run, "bssgp", { nsvc = rx.via, bvci = rx.bvci, pdu = pdu or {} }, "bssgp",
      ("received %s%s"):format(name or "a PDU", pdu and "" or ", which is malformed"))
  end
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
