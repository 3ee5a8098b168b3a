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

local function tell(at, tlli, capability, drx, ...)
  return { at = at, call = "ms_told", args = { tlli, capability, drx }, ... }
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
  { name = "what a phone tells holds instead, and what it does not tell stays", config = "radio", given = given.CELL_UP,
    steps = {
      tell(1, 0x20, "\x11\x12\x03\x14\x15", false, "ms_elements 101 00000020 drx=0a0b ra_capability=1112031415"),
      ask(2, 0x20, "count ra_capability_update_0",
        ACK .. "ms_ra_capability=#1112031415 ra_cap_cause=0 tag=2 tlli=32"),
      tell(3, 0x20, "\x21\x22\x23\x24\x25", "\x20\x07", "0 > [1234] ra_capability ms_ra_capability=#2122232425 tlli=32",
        "ms_elements 101 00000020 drx=2007 ra_capability=2122232425"),
      tell(4, 0x20, "\x21\x22\x23\x24\x25", "\x20\x07"),
      tell(5, 0x20, false, "\x30\x07", "ms_elements 101 00000020 drx=3007 ra_capability=2122232425"),
      tell(6, 0x20, false, false),
      { at = 7, call = "ms_called", args = { 0x20, 0xc0000020, "001010000000002" } },
      { at = 8, rx = "0 [1234] ra_capability_update tag=8 tlli=3221225504", "count ra_capability_update_0",
        ACK .. "imsi=#303031303130303030303030303032 ms_ra_capability=#2122232425 ra_cap_cause=0 tag=8 "
          .. "tlli=3221225504" },
      tell(9, 0x99, "\x21\x22\x23\x24\x25", false),
      { at = 10, call = "ms_del", args = { 0x20 } },
      tell(11, 0x20, "\x21\x22\x23\x24\x25", false),
    } },
  { name = "a mobile that goes leaves the capability of the list to no other of its TLLI", config = "radio",
    given = given.CELL_UP, steps = {
      { at = 1, call = "ms_del", args = { 0x10 } },
      { at = 2, call = "ms_add", args = { 0x10, 101, 1234 }, is_plain = true },
      ask(3, 0x10, "count ra_capability_update_2", ACK .. "ra_cap_cause=2 tag=3 tlli=16"),
    } },
  { name = "a capability of the longest and of the shortest", config = "radio", given = given.CELL_UP, steps = {
      tell(1, 0x20, ("\1"):rep(51), false, "ms_elements 101 00000020 drx=0a0b ra_capability=" .. ("01"):rep(51)),
      tell(2, 0x40, "\x10\x06", false, "ms_elements 101 00000040 drx=0a0b ra_capability=1006000000"),
      tell(3, 0x40, "\x10\x00", "\0\0", "0 > [1234] ra_capability ms_ra_capability=#1000000000 tlli=64",
        "ms_elements 101 00000040 drx=0000 ra_capability=1000000000"),
    } },
  { name = "a bad capability is counted, and the former one stays", config = "radio", given = given.CELL_UP, steps = {
      tell(1, 0x20, ("\1"):rep(52), false, "count ra_capability_too_long"),
      tell(2, 0x20, "", "\x20\x07", "count ra_capability_truncated", "ms_elements 101 00000020 drx=2007"),
      tell(3, 0x20, "\x11", false, "count ra_capability_truncated"),
      tell(4, 0x20, "\x18\xb3\x43\x2b\x25", false, "count ra_capability_truncated"),
      tell(5, 0x20, "\x11\x12\x13\x14\x15", false, "count ra_capability_truncated"),
      ask(6, 0x20, "count ra_capability_update_2", ACK .. "ra_cap_cause=2 tag=6 tlli=32"),
    } },
  { name = "the end of a capability may be that of an octet", config = "radio", given = given.CELL_UP, steps = {
      tell(1, 0x20, "\x10\xa0", false, "ms_elements 101 00000020 drx=0a0b ra_capability=10a0000000"),
    } },
  { name = "what two phones tell is not the same if its octets are", config = "radio", given = given.CELL_UP, steps = {
      tell(1, 0x10, "\x11\x12\x03\x14\x15\x0a\x0b", false,
        "0 > [1234] ra_capability ms_ra_capability=#11120314150a0b tlli=16",
        "ms_elements 101 00000010 ra_capability=11120314150a0b"),
      tell(2, 0x20, "\x11\x12\x03\x14\x15", false, "ms_elements 101 00000020 drx=0a0b ra_capability=1112031415"),
    } },
  { name = "the other values stay, and a capability without room beside them is counted", config = "radio_full",
    given = PFC_UP, steps = {
      tell(1, 0x20, ("\1"):rep(51), false, "count ra_capability_too_long"),
      tell(2, 0x20, "\x11\x12\x03\x14\x15", false, "ms_elements 101 00000020"),
      { at = 3, call = "pfc_add", args = { 0x20, 70, 9, "background" }, "0 > [1234] create_bss_pfc abqp=" .. ABQP
        .. " ms_ra_capability=#1112031415 pfi=9 pft=224 spid=3 tlli=32", "timer pfc/1032/9/t7 3003" },
    } },
  { name = "a capability told while the cell cannot be sent to", config = "radio", given = given.CELL_BLOCKED,
    steps = { tell(1, 0x30, "\x11\x12\x03\x14\x15", false, "ms_elements 101 00000030 ra_capability=1112031415") } },
  { name = "a packet flow is asked for with what is known of the mobile (48.018 §10.4.17)", config = "pfc_radio",
    given = PFC_UP, steps = {
      { at = 1, call = "pfc_add", args = { 0x10, 70, 9, "background" }, "0 > [1234] create_bss_pfc abqp=" .. ABQP
        .. " imsi=#303031303130303030303030303031 ms_ra_capability=#0102030405 pfi=9 pft=224 priority=70 "
        .. "service_utran_cco=4 spid=3 t10=5 tlli=16", "timer pfc/1016/9/t7 3001" },
      { at = 2, call = "pfc_add", args = { 0x20, 71, 9, "background" },
        "0 > [1234] create_bss_pfc abqp=" .. ABQP .. " pfi=9 pft=224 priority=4 tlli=32",
        "timer pfc/1032/9/t7 3002" },
      { at = 2, call = "pfc_add", args = { 0x30, 72, 9, "background" },
        "0 > [1234] create_bss_pfc abqp=" .. ABQP .. " pfi=9 pft=224 tlli=48", "timer pfc/1048/9/t7 3002" },
      tell(3, 0x30, "\1\2\3\4\5\6", false, "ms_elements 101 00000030"),
      { at = 4, rx = "0 [1234] create_bss_pfc_ack tlli=16 pfi=9 abqp=" .. ABQP, "cancel pfc/1016/9/t7",
        "pfc_add 101/1234 00000010 9", "pdp 70 pfi 9" },
      { at = 5, rx = "0 [1234] create_bss_pfc_ack tlli=32 pfi=9 abqp=" .. ABQP, "cancel pfc/1032/9/t7",
        "pfc_add 101/1234 00000020 9", "pdp 71 pfi 9" },
      { at = 3002, timer = "pfc/1048/9/t7", "0 > [1234] create_bss_pfc abqp=" .. ABQP
        .. " ms_ra_capability=#010203040506 pfi=9 pft=224 tlli=48", "timer pfc/1048/9/t7 6002" },
    } },
}
