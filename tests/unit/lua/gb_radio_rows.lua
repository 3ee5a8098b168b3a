-- SPDX-License-Identifier: BSD-3-Clause
-- MS Radio Access Capability: a BSS asks for it, and is told of a new one. The configuration "radio" knows one of 0x10
-- and its IMSI, a default without a capability for 0x20, one without an IMSI for 0x30.

local given = require "gb_given"

local ABQP = "#23531f939656567400ffff" -- of the background class
local PFC_UP = { "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack",
  "0 [0] bvc_reset bvci=0 cause=8 feature_bitmap=39 extended_feature_bitmap=2", given.BVC_RESET }

local function ask(at, tlli, ...)
  return { at = at, rx = ("0 [1234] ra_capability_update tag=%d tlli=%d"):format(at, tlli), ... }
end

local function tell(at, tlli, octets, ...)
  return { at = at, call = "ms_ra_capability", args = { tlli, octets }, ... }
end

local ACK = "0 > [1234] ra_capability_update_ack "

local BLOCKED = "0 > [0] status bvci=1234 cause=9 pdu_in_error=received"

return {
  { name = "RA-CAPABILITY-UPDATE: what is known, what is not, and of nobody", config = "radio", given = given.CELL_UP,
    steps = {
      ask(1, 0x10, "count ra_capability_update_0",
        ACK .. "imsi=#303031303130303030303030303031 ms_ra_capability=#0102030405 ra_cap_cause=0 tag=1 tlli=16"),
      ask(2, 0x20, "count ra_capability_update_2", ACK .. "ra_cap_cause=2 tag=2 tlli=32"),
      ask(3, 0x30, "count ra_capability_update_0",
        ACK .. "ms_ra_capability=#0a0b0c0d0e0f ra_cap_cause=0 tag=3 tlli=48"),
      ask(4, 0x99, "count ra_capability_update_1", ACK .. "ra_cap_cause=1 tag=4 tlli=153"),
    } },
  { name = "RA-CAPABILITY-UPDATE on a blocked cell", config = "radio", given = given.CELL_BLOCKED,
    steps = { ask(1, 0x10, "count bvc_unexpected", "count bssgp_status_sent_09", BLOCKED) } },
  { name = "a capability that a mobile tells later holds instead", config = "radio", given = given.CELL_UP,
    steps = {
      tell(1, 0x20, "\x11\x12\x13\x14\x15", "0 > [1234] ra_capability ms_ra_capability=#1112131415 tlli=32",
        "ms_elements 101 00000020 drx=0a0b ra_capability=1112131415"),
      ask(2, 0x20, "count ra_capability_update_0",
        ACK .. "ms_ra_capability=#1112131415 ra_cap_cause=0 tag=2 tlli=32"),
      tell(3, 0x20, "\x21\x22\x23\x24\x25", "0 > [1234] ra_capability ms_ra_capability=#2122232425 tlli=32",
        "ms_elements 101 00000020 drx=0a0b ra_capability=2122232425"),
      tell(4, 0x99, "\x21\x22\x23\x24\x25"),
      { at = 5, call = "ms_del", args = { 0x20 } },
      tell(6, 0x20, "\x21\x22\x23\x24\x25"),
    } },
  { name = "a capability of the longest, and a longer one", config = "radio", given = given.CELL_UP,
    steps = {
      tell(1, 0x10, ("\1"):rep(187), "0 > [1234] ra_capability ms_ra_capability=#" .. ("01"):rep(187) .. " tlli=16",
        "ms_elements 101 00000010 ra_capability=" .. ("01"):rep(187)),
      tell(2, 0x10, ("\1"):rep(188), "count ra_capability_too_long"),
    } },
  { name = "a capability told while the cell cannot be sent to", config = "radio", given = given.CELL_BLOCKED,
    steps = { tell(1, 0x30, "\x11\x12\x13\x14\x15", "ms_elements 101 00000030 ra_capability=1112131415") } },
  { name = "a packet flow is asked for with what is known of the mobile (48.018 §10.4.17)", config = "pfc_radio",
    given = PFC_UP, steps = {
      { at = 1, call = "pfc_add", args = { 0x10, 70, 9, "background" }, "0 > [1234] create_bss_pfc abqp=" .. ABQP
        .. " imsi=#303031303130303030303030303031 ms_ra_capability=#0102030405 pfi=9 pft=224 priority=70 "
        .. "service_utran_cco=4 spid=3 t10=5 tlli=16", "timer pfc/00000010/9/t7 3001" },
      { at = 2, call = "pfc_add", args = { 0x20, 71, 9, "background" },
        "0 > [1234] create_bss_pfc abqp=" .. ABQP .. " pfi=9 pft=224 priority=4 tlli=32",
        "timer pfc/00000020/9/t7 3002" },
      { at = 2, call = "pfc_add", args = { 0x30, 72, 9, "background" },
        "0 > [1234] create_bss_pfc abqp=" .. ABQP .. " pfi=9 pft=224 tlli=48", "timer pfc/00000030/9/t7 3002" },
      { at = 3, call = "ms_ra_capability", args = { 0x30, "\1\2\3\4\5\6" },
        "0 > [1234] ra_capability ms_ra_capability=#010203040506 tlli=48",
        "ms_elements 101 00000030" },
      { at = 4, rx = "0 [1234] create_bss_pfc_ack tlli=16 pfi=9 abqp=" .. ABQP, "cancel pfc/00000010/9/t7",
        "pfc_add 101/1234 00000010 9", "pdp 70 pfi 9" },
      { at = 5, rx = "0 [1234] create_bss_pfc_ack tlli=32 pfi=9 abqp=" .. ABQP, "cancel pfc/00000020/9/t7",
        "pfc_add 101/1234 00000020 9", "pdp 71 pfi 9" },
      { at = 3002, timer = "pfc/00000030/9/t7", "0 > [1234] create_bss_pfc abqp=" .. ABQP
        .. " ms_ra_capability=#010203040506 pfi=9 pft=224 tlli=48", "timer pfc/00000030/9/t7 6002" },
    } },
}
