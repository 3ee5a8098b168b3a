-- SPDX-License-Identifier: BSD-3-Clause
-- BVCs: reset of the signalling BVC and of cells, block, unblock, status about them. Times in milliseconds.

local given = require "gb_given"

local FLOW_CONTROL = "0 [1234] flow_control_bvc tag=9 bucket_octets=100000 rate_bps=80000 ms_bucket_octets=25000 "
  .. "ms_rate_bps=20000"

return {
  { name = "bring-up of a cell as osmo-pcu does it", given = given.NS_UP, steps = {
    { at = 0.7, rx = "0 [0] bvc_reset bvci=0 cause=8", "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=0" },
    { at = 0.8, rx = given.BVC_RESET,
      "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234", "bvc 101/1234 up" },
    { at = 0.9, rx = "0 [0] bvc_unblock bvci=1234", "0 > [0] bvc_unblock_ack bvci=1234" },
    { at = 1.0, rx = FLOW_CONTROL, "fc 101/1234 100000/80000 ms 25000/20000", "0 > [1234] flow_control_bvc_ack tag=9" },
    { show = "bvc 101/1234", is = "unblocked up rate 80000 own 0" },
  } },
  { name = "a feature bitmap is answered without one", given = given.NS_UP, steps = {
    { at = 0, rx = "0 [0] bvc_reset bvci=0 cause=8 feature_bitmap=35 extended_feature_bitmap=2",
      "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=0" },
  } },
  { name = "a cell may be reset before the signalling BVC", given = given.NS_UP, steps = {
    { at = 0, rx = given.BVC_RESET,
      "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234", "bvc 101/1234 up" },
  } },
  { name = "reset of the signalling BVC loses live cells", config = "two_nsvcs", given = given.TWO_UP, steps = {
    { at = 1, rx = "1 [1235] flow_control_ms tlli=3240314215 tag=1 bucket_octets=1000 rate_bps=1000",
      "fc_ms 101/1235 c1234567 1000/1000", "timer ms/101/1235/1103/th 5001",
      "1 > [1235] flow_control_ms_ack tag=1 tlli=3240314215" },
    { at = 2, rx = "1 [0] bvc_reset bvci=0 cause=8", "log info",
      "bvc 101/1234 down", "reset 101/1234", "bvc 101/1235 down", "cancel ms/101/1235/1103/th", "reset 101/1235",
      "1 > [0] bvc_reset_ack bvci=0" },
    { show = "bvc 101/1235", is = "unknown down rate none own 0" },
  } },
  { name = "reset of a live cell", given = given.CELL_UP, steps = {
    { at = 1, rx = given.BVC_RESET, "bvc 101/1234 down", "log info", "reset 101/1234",
      "0 > [0] bvc_reset_ack bvci=1234", "bvc 101/1234 up" },
    { show = "bvc 101/1234", is = "unblocked up rate none own 0" },
  } },
  { name = "reset of a blocked cell unblocks it", given = given.CELL_BLOCKED, steps = {
    { at = 1, rx = given.BVC_RESET, "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234",
      "bvc 101/1234 up" },
  } },
  { name = "reset with another cell identifier, and with none", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [0] bvc_reset bvci=1234 cause=8 cell_id=001-01-13135-0-1", "bvc 101/1234 down", "log info",
      "count bvc_cell_id_mismatch", "log warn", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234",
      "bvc 101/1234 up" },
    { at = 2, rx = "0 [0] bvc_reset bvci=1234 cause=8", "bvc 101/1234 down", "log info",
      "count bvc_reset_without_cell_id", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234", "bvc 101/1234 up" },
  } },
  { name = "reset, block, unblock and discarded of a BVCI that is not configured", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [0] bvc_reset bvci=77 cause=8 cell_id=001-01-13135-0-1",
      "count bssgp_status_sent_05", "0 > [0] status bvci=77 cause=5 pdu_in_error=received" },
    { at = 1, rx = "0 [0] bvc_block bvci=77 cause=8",
      "count bssgp_status_sent_05", "0 > [0] status bvci=77 cause=5 pdu_in_error=received" },
    { at = 1, rx = "0 [0] bvc_unblock bvci=77",
      "count bssgp_status_sent_05", "0 > [0] status bvci=77 cause=5 pdu_in_error=received" },
    { at = 1, rx = "0 [0] llc_discarded tlli=1 frames_discarded=1 bvci=77 octets_affected=10",
      "count bssgp_status_sent_05", "0 > [0] status bvci=77 cause=5 pdu_in_error=received" },
  } },
  { name = "the signalling BVC is never blocked", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [0] bvc_block bvci=0 cause=8",
      "count bssgp_status_sent_21", "0 > [0] status cause=33 pdu_in_error=received" },
    { at = 1, rx = "0 [0] bvc_unblock bvci=0",
      "count bssgp_status_sent_21", "0 > [0] status cause=33 pdu_in_error=received" },
    { at = 1, rx = "0 [0] llc_discarded tlli=1 frames_discarded=1 bvci=0 octets_affected=10",
      "count bssgp_status_sent_21", "0 > [0] status cause=33 pdu_in_error=received" },
    { show = "bvc 101/1234", is = "unblocked up rate 80000 own 0" },
  } },
  { name = "block and unblock, each repeated", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [0] bvc_block bvci=1234 cause=8", "bvc 101/1234 down", "log info",
      "0 > [0] bvc_block_ack bvci=1234" },
    { at = 2, rx = "0 [0] bvc_block bvci=1234 cause=8", "log info", "0 > [0] bvc_block_ack bvci=1234" },
    { show = "bvc 101/1234", is = "blocked down rate 80000 own 0" },
    { at = 3, rx = "0 [0] bvc_unblock bvci=1234", "0 > [0] bvc_unblock_ack bvci=1234", "bvc 101/1234 up" },
    { at = 4, rx = "0 [0] bvc_unblock bvci=1234", "0 > [0] bvc_unblock_ack bvci=1234" },
  } },
  { name = "PDUs on a blocked cell", given = given.CELL_BLOCKED, steps = {
    { at = 1, rx = FLOW_CONTROL, "count bvc_unexpected", "count bssgp_status_sent_09",
      "0 > [0] status bvci=1234 cause=9 pdu_in_error=received" },
    { at = 1, rx = "0 [0] llc_discarded tlli=3240314215 frames_discarded=2 bvci=1234 octets_affected=1040",
      "discarded 101/1234 c1234567 1040" },
  } },
  { name = "PDUs on a cell that was not reset make the BSS reset it", given = given.NS_UP, steps = {
    { at = 1, rx = FLOW_CONTROL, "count bvc_unexpected", "count bssgp_status_sent_05",
      "0 > [0] status bvci=1234 cause=5 pdu_in_error=received" },
    { at = 1, rx = "0 [0] bvc_unblock bvci=1234", "count bvc_unexpected", "count bssgp_status_sent_05",
      "0 > [0] status bvci=1234 cause=5 pdu_in_error=received" },
    { at = 2, rx = given.BVC_RESET,
      "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234", "bvc 101/1234 up" },
  } },
  { name = "two NSEs with the same BVCI are two cells", config = "two_nses", given = {
      "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "1 reset cause=1 nsei=102 nsvci=1900", "1 unblock",
      "0 [0] bvc_reset bvci=1234 cause=8", "1 [0] bvc_reset bvci=1234 cause=8" },
    steps = {
      { at = 1, rx = "1 [0] bvc_block bvci=1234 cause=8", "bvc 102/1234 down", "log info",
        "1 > [0] bvc_block_ack bvci=1234" },
      { show = "bvc 101/1234", is = "unblocked up rate none own 0" },
      { at = 2, rx = "0 block cause=1 nsvci=1900", "count ns_status_sent_04", "0 > status cause=4 nsvci=1900" },
    } },
  { name = "STATUS about a cell takes it out of service and is not answered", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [0] status cause=9 bvci=1234", "count bssgp_status_received_09", "log warn",
      "bvc 101/1234 down" },
    { show = "bvc 101/1234", is = "blocked down rate 80000 own 0" },
    { at = 2, rx = "0 [0] status cause=9 bvci=1234", "count bssgp_status_received_09", "log warn" },
    { at = 3, rx = "0 [0] bvc_unblock bvci=1234", "0 > [0] bvc_unblock_ack bvci=1234", "bvc 101/1234 up" },
    { at = 4, rx = "0 [0] status cause=5 bvci=1234", "count bssgp_status_received_05", "log warn",
      "bvc 101/1234 down" },
    { show = "bvc 101/1234", is = "unknown down rate 80000 own 0" },
    { at = 5, rx = "0 [0] status cause=5 bvci=77", "count bssgp_status_received_05", "log warn" },
    { at = 5, rx = "0 [0] status cause=9 bvci=1234", "count bssgp_status_received_09", "log warn" },
  } },
  { name = "STATUS without a BVCI, on a cell, of another cause", given = given.CELL_UP, steps = {
    { at = 1, rx = "0 [0] status cause=5", "count bssgp_status_received_05", "log warn" },
    { at = 1, rx = "0 [0] status cause=5 bvci=0", "count bssgp_status_received_05", "log warn" },
    { at = 1, rx = "0 [0] status cause=39 pdu_in_error=#41", "count bssgp_status_received_27", "log warn" },
    { at = 1, rx = "0 [1234] status cause=39", "count bssgp_status_received_27", "log warn" },
    { at = 1, rx = "0 [77] status cause=5 bvci=77", "count bssgp_status_received_05", "log warn" },
    { show = "bvc 101/1234", is = "unblocked up rate 80000 own 0" },
  } },
}
