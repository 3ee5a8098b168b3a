-- SPDX-License-Identifier: BSD-3-Clause
-- What cannot be taken, and its answer (48.018 §9, 48.016 §7.5). Times in milliseconds.

local given = require "gb_given"

local rows = {}

local function refused(received, cause, ...)
  local step = { at = 1, rx = received, ... }
  step[#step + 1] = ("count bssgp_status_sent_%02x"):format(cause)
  step[#step + 1] = ("0 > [0] status cause=%d pdu_in_error=received"):format(cause)
  return step
end

local function malformed(received, cause)
  return refused(received, cause, "count bssgp_malformed")
end

local function unsupported(received, cause)
  return refused(received, cause, "count bssgp_unsupported")
end

local function unknown_bvci(received, bvci)
  return { at = 1, rx = received, "count bssgp_status_sent_05",
    ("0 > [0] status bvci=%d cause=5 pdu_in_error=received"):format(bvci) }
end

-- A PDU of mandatory IEs: each left out in turn, then each cut short, are refused, and nothing changes.
local function add_ie_rows(name, lead, type_hex, ies)
  for i, ie in ipairs(ies) do
    local without = { table.unpack(ies) }
    table.remove(without, i)
    local short = { table.unpack(ies) }
    short[i] = ie:sub(1, 2) .. "80"
    rows[#rows + 1] = {
      name = ("%s without IE %s, and with it empty"):format(name, ie:sub(1, 2)), given = given.CELL_UP,
      steps = {
        malformed(lead .. "#" .. type_hex .. table.concat(without), 0x22),
        malformed(lead .. "#" .. type_hex .. table.concat(short), 0x21),
        { show = "bvc 101/1234", is = "unblocked up rate 80000 own 0" },
      },
    }
  end
end

local FLOW_CONTROL_BVC = { "1e8105", "058201f4", "03820640", "018200fa", "1c820320" }
local FLOW_CONTROL_MS = { "1f84c1234567", "1e8109", "12820064", "03820190" }
local LLC_DISCARDED = { "1f84c1234567", "0f8102", "048204d2", "2583000410" }

add_ie_rows("FLOW-CONTROL-BVC", "0 [1234] ", "26", FLOW_CONTROL_BVC)
add_ie_rows("FLOW-CONTROL-MS", "0 [1234] ", "28", FLOW_CONTROL_MS)
add_ie_rows("LLC-DISCARDED", "0 [0] ", "2c", LLC_DISCARDED)
add_ie_rows("BVC-RESET", "0 [0] ", "22", { "048204d2", "078108" })
add_ie_rows("BVC-BLOCK", "0 [0] ", "20", { "048204d2", "078108" })
add_ie_rows("BVC-UNBLOCK", "0 [0] ", "24", { "048204d2" })

local FIXED = {
  { name = "PDU on the wrong kind of BVC", given = given.CELL_UP, steps = {
    malformed("0 [0] #26" .. table.concat(FLOW_CONTROL_BVC), 0x26),
    malformed("0 [0] #28" .. table.concat(FLOW_CONTROL_MS), 0x26),
    malformed("0 [1234] #2c" .. table.concat(LLC_DISCARDED), 0x26),
    malformed("0 [1234] bvc_reset bvci=1234 cause=8", 0x26),
    malformed("0 [1234] bvc_block bvci=1234 cause=8", 0x26),
  } },
  { name = "PDU type unknown, or of the other direction", given = given.CELL_UP, steps = {
    malformed("0 [1234] #aa", 0x27),
    malformed("0 [0] #ff00112233", 0x27),
    malformed("0 [1234] flow_control_bvc_ack tag=1", 0x27),
    malformed("0 [0] bvc_unblock_ack bvci=1234", 0x27),
    malformed("0 [1234] dl_unitdata tlli=1 qos_profile=#000020 lifetime_cs=100 llc_pdu=#0102", 0x27),
  } },
  { name = "PDUs of features that are not offered", given = given.CELL_UP, steps = {
    unsupported("0 [1234] #2d1f84c12345671e8103528b0209003200c80a00140064", 0x28),
    unsupported("0 [1234] download_bss_pfc tlli=1 pfi=9", 0x28),
    unsupported("0 [1234] create_bss_pfc_ack tlli=1 pfi=9 abqp=#13921f7396fefe744bffff", 0x28),
    unsupported("0 [1234] create_bss_pfc_nack tlli=1 pfi=9 cause=10", 0x28),
    unsupported("0 [1234] delete_bss_pfc_ack tlli=1 pfi=9", 0x28),
    unsupported("0 [1234] modify_bss_pfc tlli=1 pfi=9 abqp=#13921f7396fefe744bffff", 0x28),
    unsupported("0 [1234] delete_bss_pfc_req tlli=1 pfi=9 cause=11", 0x28),
  } },
  { name = "PDUs whose procedures are not there yet", given = given.CELL_UP, steps = {
    unsupported("0 [0] ms_registration_enquiry imsi=\"001010000000001\"", 0x27),
    unsupported("0 [1234] dummy_paging_ps_response imsi=\"001010000000001\" time_until_paging=1", 0x27),
  } },
  { name = "an answer to nothing", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [0] bvc_reset_ack bvci=1234", "count bssgp_bvc_reset_ack_unexpected" },
    { at = 1, rx = "0 [0] flush_ll_ack tlli=1 flush_action=0 octets_affected=100",
      "count bssgp_flush_ll_ack_unexpected" },
  } },
  { name = "anything on a BVCI that is not configured", given = given.CELL_UP, steps = {
    unknown_bvci("0 [77] #aa", 77),
    unknown_bvci("0 [77] #26", 77),
    unknown_bvci("0 [77] radio_status tlli=1 radio_cause=0", 77),
    unknown_bvci("0 [77] download_bss_pfc tlli=1 pfi=9", 77),
    unknown_bvci("0 [1] #80", 1),
  } },
  { name = "STATUS is never answered, however broken, wherever", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [0] #41", "count bssgp_status_malformed" },
    { at = 1, rx = "0 [1234] #4107", "count bssgp_status_malformed" },
    { at = 1, rx = "0 [77] #410780", "count bssgp_status_malformed" },
    { at = 1, rx = "0 [0] #41078127157f", "count bssgp_status_received_27", "log warn" },
  } },
  { name = "no BSSGP PDU at all", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [0] #", "count bssgp_empty" },
    { at = 1, rx = "0 [1234] #", "count bssgp_empty" },
    { at = 1, rx = "0 [77] #", "count bssgp_empty" },
  } },
  { name = "NS octets that are no PDU", given = given.NS_UP, steps = {
    { at = 1, rx = "0 #", "count ns_truncated" },
    { at = 1, rx = "0 #00", "count ns_truncated", "count ns_status_sent_0c", "0 > status cause=12 ns_pdu=received" },
    { at = 1, rx = "0 #02", "count ns_malformed", "count ns_status_sent_0d", "0 > status cause=13 ns_pdu=received" },
    { at = 1, rx = "0 #020081010182", "count ns_truncated", "count ns_status_sent_0c",
      "0 > status cause=12 ns_pdu=received" },
    { at = 1, rx = "0 #ff", "count ns_unsupported", "count ns_status_sent_0b", "0 > status cause=11 ns_pdu=received" },
    { at = 1, rx = "0 #08", "count ns_malformed" },
    { at = 1, rx = "0 #080082", "count ns_truncated" },
    { show = "nsvc 0", is = "unblocked resting" },
  } },
}

return table.move(FIXED, 1, #FIXED, #rows + 1, rows)
