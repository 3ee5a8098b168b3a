-- SPDX-License-Identifier: BSD-3-Clause
-- NSEs and cells that come and go with the configuration (48.016 §7.3, §7.4b; 48.018 §8.3, §9).

local given = require "gb_given"

local FC = "0 [1234] flow_control_bvc tag=9 bucket_octets=100000 rate_bps=80000 ms_bucket_octets=25000 "
  .. "ms_rate_bps=20000"
local CELL = { bvci = 1300, cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 7 } }

return {
  { name = "a cell goes: the BSS is told, its mobiles are looked for in the other one, its frames are unknown",
    config = "two_nsvcs", given = given.TWO_UP, steps = {
      { at = 1, call = "cell_del", args = { 101, 1235 }, "bvc 101/1235 down",
        "0 > [0] status bvci=1235 cause=5", "log info", "ms_park 101/1235 c1234567 at 101/1234", "bvc_del 101/1235" },
      { show = "bvc 101/1235" },
      { at = 2, rx = "1 [1235] flow_control_ms tlli=16 tag=1 bucket_octets=100 rate_bps=100",
        "count bssgp_status_sent_05", "1 > [0] status bvci=1235 cause=5 pdu_in_error=received" },
      { at = 3, rx = "1 [0] bvc_reset bvci=1235 cause=8 cell_id=001-01-13135-0-20961", "count bssgp_status_sent_05",
        "1 > [0] status bvci=1235 cause=5 pdu_in_error=received" },
      { at = 4, call = "cell_add", args = { 101, CELL }, is_plain = true },
      { at = 5, rx = "0 [0] bvc_reset bvci=1300 cause=8 cell_id=001-01-13135-0-7", "log info", "reset 101/1300",
        "0 > [0] bvc_reset_ack bvci=1300", "bvc 101/1300 up" },
      { at = 6, call = "on_heard", args = { 0xc1234567, 101, 1300 }, "ms_move 101/1234 c1234567 to 101/1300",
        "0 > [0] flush_ll bvci=1234 bvci_new=1300 tlli=3240314215", "timer flush/1103/101/1234/flush 5006" },
      { at = 7, call = "cell_del", args = { 101, 1234 }, "bvc 101/1234 down", "0 > [0] status bvci=1234 cause=5",
        "cancel flush/1103/101/1234/flush", "bvc_del 101/1234" },
      { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged 0" },
    } },
  { name = "a cell that is blocked, and one that never was there", config = "three_cells", given = {
    "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack", given.BVC_RESET,
    "0 [0] bvc_block bvci=1234 cause=8" }, steps = {
      { at = 1, call = "cell_del", args = { 101, 1234 }, "0 > [0] status bvci=1234 cause=5", "log info",
        "ms_park 101/1234 00000010 at 101/1235", "ms_park 101/1234 00000020 at 101/1235",
        "ms_park 101/1234 00000030 at 101/1235", "ms_park 101/1234 c1234567 at 101/1235", "bvc_del 101/1234" },
      { at = 2, call = "cell_del", args = { 101, 1236 }, "bvc_del 101/1236" },
    } },
  { name = "buckets, paging and carried frames of a cell that goes", config = "paging_two_cells", given = {
    "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack", given.BVC_RESET,
    "0 [0] bvc_reset bvci=1235 cause=8 cell_id=001-01-13135-0-20961" }, steps = {
      { at = 1, rx = "0 [1234] flow_control_ms tlli=3240314215 tag=1 bucket_octets=100 rate_bps=100",
        "fc_ms 101/1234 c1234567 100/100", "timer ms/101/1234/1103/th 5001",
        "0 > [1234] flow_control_ms_ack tag=1 tlli=3240314215" },
      { at = 2, call = "on_page_wanted", args = { 0xc1234567 }, "count paging_started", "count paging_sent",
        "0 > [0] paging_ps imsi=#303031303130303030303030303032 qos_profile=#000020 routeing_area=001-01-13135-0 "
          .. "tmsi=3240314215", "timer paging/1103/t3313 8002" },
      { at = 3, call = "cell_del", args = { 101, 1234 }, "bvc 101/1234 down", "0 > [0] status bvci=1234 cause=5",
        "cancel ms/101/1234/1103/th", "log info", "ms_park 101/1234 c1234567 at 101/1235", "bvc_del 101/1234" },
      { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged 1" },
      { at = 4, call = "on_reached", args = { 0xc1234567 }, "cancel paging/1103/t3313",
        "count paging_answered" },
    } },
  { name = "the routeing area goes before the NSE", config = "area_elsewhere", given = {
    "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack", given.BVC_RESET }, steps = {
      { at = 1, call = "cell_del", args = { 101, 1234 }, "bvc 101/1234 down", "0 > [0] status bvci=1234 cause=5",
        "log info", "ms_park 101/1234 c1234567 at 102/1234", "bvc_del 101/1234" },
    } },
  { name = "a packet flow in a cell that goes is asked for in the other one", config = "features", given = {
    "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack",
    "0 [0] bvc_reset bvci=0 cause=8 feature_bitmap=39 extended_feature_bitmap=2", given.BVC_RESET,
    "0 [0] bvc_reset bvci=1235 cause=8 cell_id=001-01-13135-0-20961",
    "0 [1234] flow_control_bvc tag=1 bucket_octets=1000 rate_bps=1000 ms_bucket_octets=1000 ms_rate_bps=1000" },
    steps = {
      { at = 1, call = "pfc_add", args = { 0x10, 70, 9, "background" },
        "0 > [1234] create_bss_pfc abqp=#23531f939656567400ffff pfi=9 pft=224 tlli=16", "timer pfc/1016/9/t7 3001" },
      { at = 2, call = "cell_del", args = { 101, 1234 }, "bvc 101/1234 down", "0 > [0] status bvci=1234 cause=5",
        "log info", "cancel pfc/1016/9/t7", "ms_park 101/1234 00000010 at 101/1235",
        "0 > [1235] create_bss_pfc abqp=#23531f939656567400ffff pfi=9 pft=224 tlli=16", "timer pfc/1016/9/t7 3002",
        "ms_park 101/1234 00000020 at 101/1235", "ms_park 101/1234 00000030 at 101/1235",
        "ms_park 101/1234 c1234567 at 101/1235", "bvc_del 101/1234" },
    } },
  { name = "the cell that a mobile went to goes before the old one has answered", config = "three_cells", given = {
    "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack", given.BVC_RESET }, steps = {
      { at = 1, call = "on_heard", args = { 0x10, 101, 1235 }, "ms_move 101/1234 00000010 to 101/1235",
        "0 > [0] flush_ll bvci=1234 bvci_new=1235 tlli=16", "timer flush/1016/101/1234/flush 5001" },
      { at = 2, call = "cell_del", args = { 101, 1235 }, "cancel flush/1016/101/1234/flush", "log info",
        "ms_park 101/1235 00000010 at 101/1234", "bvc_del 101/1235" },
      { at = 3, rx = "0 [0] flush_ll_ack tlli=16 flush_action=1 bvci_new=1235 octets_affected=100",
        "count bssgp_flush_ll_ack_unexpected" },
    } },
  { name = "the first of two NSEs goes: each NS-VC is blocked; its numbers are another's", config = "paging_nses",
    given = { "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack", given.BVC_RESET, FC }, steps = {
      { at = 1, call = "nse_del", args = { 101 }, "nsvc 0 down", "log warn", "bvc 101/1234 down",
        "0 > block cause=1 nsvci=1800", "cancel nsvc/0/test", "nsvc_del 0", "log info",
        "ms_park 101/1234 c1234567 at 102/1234", "bvc_del 101/1234", "nse_del 101" },
      { at = 2, rx = "0 alive", "count ns_unknown_endpoint" },
      { at = 3, call = "nse_add", args = { { nsei = 104, nsvcs = { { nsvci = 7 } }, cells = { CELL } }, 0 } },
      { show = "nsvc 0", is = "dead off" },
      { at = 4, rx = "0 reset cause=1 nsei=104 nsvci=7", "0 > reset_ack nsei=104 nsvci=7", "0 > alive",
        "timer nsvc/0/alive 3004" },
      { at = 5, call = "nse_del", args = { 104 }, "cancel nsvc/0/alive", "nsvc_del 0", "bvc_del 104/1300",
        "nse_del 104" },
    } },
  { name = "an NSE with IP-SNS goes: our endpoints are deleted at the BSS", config = "sns_beside",
    given = given.SNS_CELL_UP, steps = {
      { at = 1, call = "nse_del", args = { 101 },
        "0 > sns_delete ip4_list=10.99.0.1:23000/1/1 nsei=101 transaction=1", "nsvc 0 down", "log warn",
        "bvc 101/1234 down", "cancel nsvc/0/test", "nsvc_del 0", "log info", "ms_park 101/1234 00000010 at 102/1234",
        "ms_park 101/1234 00000020 at 102/1234", "ms_park 101/1234 00000030 at 102/1234",
        "ms_park 101/1234 c1234567 at 102/1234", "bvc_del 101/1234", "nse_del 101" },
    } },
  { name = "one with IP-SNS goes that is not configured yet", config = "sns_beside",
    given = { given.SNS_SIZE, given.SNS_CONFIG }, steps = {
      { at = 1, call = "cell_del", args = { 101, 1234 }, "log info", "ms_park 101/1234 00000010 at 102/1234",
        "ms_park 101/1234 00000020 at 102/1234", "ms_park 101/1234 00000030 at 102/1234",
        "ms_park 101/1234 c1234567 at 102/1234", "bvc_del 101/1234" },
      { at = 2, call = "nse_del", args = { 101 }, "cancel sns/101/prov", "nsvc_del 0", "nse_del 101" },
    } },
}
