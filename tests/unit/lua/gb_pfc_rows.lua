-- SPDX-License-Identifier: BSD-3-Clause
-- Optional features, bucket ratios, packet flows and their flow control. Times in milliseconds; T7 is 3 s and two
-- retries.

local given = require "gb_given"

local ABQP = "#23531f939656567400ffff" -- of the background class
local LESS = "#23531f93961010740010ff"
local MS = 0x10

local RESET = "0 [0] bvc_reset bvci=0 cause=8 feature_bitmap=%d extended_feature_bitmap=%d"
local FEATURES = 0x27 -- PFC, CBL, INR, PFC flow control

local function up_to_reset(bitmap, extended)
  return { "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack", RESET:format(bitmap, extended) }
end

local function up(bitmap)
  local list = up_to_reset(bitmap, 2)
  list[#list + 1] = given.BVC_RESET
  list[#list + 1] = "0 [0] bvc_reset bvci=1235 cause=8 cell_id=001-01-13135-0-20961"
  return list
end

local function answered(bitmap, extended, answer)
  return { at = 1, rx = RESET:format(bitmap, extended), "log info", "reset 101/1234", "reset 101/1235", answer }
end

local function want(at, pdp, ...)
  return { at = at, call = "pfc_add", args = { MS, pdp, 9, "background" }, ... }
end

local function unwant(at, pdp, ...)
  return { at = at, call = "pfc_del", args = { MS, pdp, 9 }, ... }
end

local function create(bvci)
  return ("0 > [%d] create_bss_pfc abqp=%s pfi=9 pft=224 tlli=16"):format(bvci, ABQP)
end

local T7 = "pfc/1016/9/t7"
local DELETE = "0 > [1234] delete_bss_pfc pfi=9 tlli=16"

local function t7(at)
  return ("timer %s %d"):format(T7, at + 3000)
end

local function accept(at, bvci)
  return { at = at, rx = ("0 [%d] create_bss_pfc_ack tlli=16 pfi=9 abqp=%s"):format(bvci or 1234, ABQP),
    "cancel " .. T7,
    ("pfc_add 101/%d 00000010 9"):format(bvci or 1234), "pdp 70 pfi 9" }
end

local CREATED = { want(1, 70, create(1234), t7(1)), accept(2) }

local function after_creation(steps)
  return table.move(steps, 1, #steps, #CREATED + 1, { table.unpack(CREATED) })
end

local FC_PFC = "0 [1234] flow_control_pfc tlli=16 tag=%d %s"
local ACK = "0 > [1234] flow_control_pfc_ack tag=%d tlli=16"

local features = {
  { name = "what we have is named to a BSS that names what it has", config = "features", given = given.NS_UP, steps = {
    answered(0xff, 0xff, "0 > [0] bvc_reset_ack bvci=0 extended_feature_bitmap=2 feature_bitmap=55"),
    answered(0, 0, "0 > [0] bvc_reset_ack bvci=0 extended_feature_bitmap=2 feature_bitmap=39"),
    { at = 1, rx = "0 [0] bvc_reset bvci=0 cause=8 feature_bitmap=1", "log info", "reset 101/1234", "reset 101/1235",
      "0 > [0] bvc_reset_ack bvci=0 feature_bitmap=39" },
    { at = 1, rx = "0 [0] bvc_reset bvci=0 cause=8", "log info", "reset 101/1234", "reset 101/1235",
      "0 > [0] bvc_reset_ack bvci=0" },
  } },
  { name = "with CBL a ratio counts, for cell, mobile and packet flow; one that is missing changes no level",
    config = "features", given = up(FEATURES), steps = {
      { at = 1, rx = "0 [1234] flow_control_bvc tag=2 bucket_octets=100000 rate_bps=80000 ms_bucket_octets=25000 "
        .. "ms_rate_bps=20000 ratio_percent=50 measurement_cs=12",
        "fc 101/1234 100000/80000 ratio 50 ms 25000/20000 delay 12",
        "0 > [1234] flow_control_bvc_ack tag=2" },
      { at = 1, rx = "0 [1234] flow_control_bvc tag=3 bucket_octets=100000 rate_bps=80000 ms_bucket_octets=25000 "
        .. "ms_rate_bps=20000 measurement_cs=65535", "count ratio_missing", "fc 101/1234 100000/80000 ms 25000/20000",
        "0 > [1234] flow_control_bvc_ack tag=3" },
      { at = 2, rx = "0 [1234] flow_control_ms tlli=16 tag=4 bucket_octets=1000 rate_bps=1000 ratio_percent=255",
        "fc_ms 101/1234 00000010 1000/1000 ratio 255", "timer ms/101/1234/1016/th 5002",
        "0 > [1234] flow_control_ms_ack tag=4 tlli=16" },
      { at = 3, rx = FC_PFC:format(5, "bucket_octets=2000 rate_bps=3000 ratio_percent=10 pfcs=0:5000/20000/7"),
        "fc_ms 101/1234 00000010 2000/3000 ratio 10", "timer ms/101/1234/1016/th 5003",
        "pfc_add 101/1234 00000010 0",
        "fc_pfc 101/1234 00000010 0 5000/20000 ratio 7", ACK:format(5) },
    } },
  { name = "features hold until the signalling BVC is reset with others", config = "features", given = up(FEATURES),
    steps = {
      { at = 1, rx = RESET:format(0x21, 0), "log info", "bvc 101/1234 down", "reset 101/1234", "bvc 101/1235 down",
        "reset 101/1235", "0 > [0] bvc_reset_ack bvci=0 extended_feature_bitmap=2 feature_bitmap=39" },
      { at = 2, rx = given.BVC_RESET, "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234",
        "bvc 101/1234 up" },
      { at = 3, rx = "0 [1234] flow_control_ms tlli=16 tag=4 bucket_octets=1000 rate_bps=1000 ratio_percent=255",
        "count ratio_not_negotiated", "fc_ms 101/1234 00000010 1000/1000", "timer ms/101/1234/1016/th 5003",
        "0 > [1234] flow_control_ms_ack tag=4 tlli=16" },
    } },
  { name = "flow control of packet flows without packet flows is none", config = "features", given = up(0x20), steps = {
    { at = 1, rx = FC_PFC:format(1, "pfcs=0:5000/20000"), "count bssgp_unsupported", "count bssgp_status_sent_28",
      "0 > [0] status cause=40 pdu_in_error=received" },
    want(1, 70),
  } },
}
local creation = {
  { name = "created, modified, deleted", config = "features", given = up(FEATURES), steps = after_creation({
    { at = 3, rx = "0 [1234] modify_bss_pfc tlli=16 pfi=9 abqp=" .. LESS,
      ("0 > [1234] modify_bss_pfc_ack abqp=%s pfi=9 pft=224 tlli=16"):format(LESS) },
    unwant(4, 70, "pfc_del 101/1234 00000010 9", DELETE),
    { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged 0" },
    { at = 5, rx = "0 [1234] delete_bss_pfc_ack tlli=16 pfi=9" },
    { at = 6, rx = "0 [1234] modify_bss_pfc tlli=16 pfi=9 abqp=" .. LESS, "count pfc_unknown" },
  }) },
  { name = "the BSS accepts less, and is asked for that from then on", config = "features", given = up(FEATURES),
    steps = {
      want(1, 70, create(1234), t7(1)),
      { at = 2, rx = "0 [1234] create_bss_pfc_ack tlli=16 pfi=9 abqp=" .. LESS, "cancel " .. T7,
        "pfc_add 101/1234 00000010 9", "pdp 70 pfi 9" },
      { at = 3, rx = "0 [1234] download_bss_pfc tlli=16 pfi=9", "pdp 70 pfi none", "pfc_del 101/1234 00000010 9",
        ("0 > [1234] create_bss_pfc abqp=%s pfi=9 pft=224 tlli=16"):format(LESS), t7(3) },
    } },
  { name = "two contexts share one", config = "features", given = up(FEATURES), steps = after_creation({
    want(3, 71, "pdp 71 pfi 9"),
    { at = 3, rx = "0 [1234] download_bss_pfc tlli=16 pfi=9", "pdp 70 pfi none", "pdp 71 pfi none",
      "pfc_del 101/1234 00000010 9", create(1234), t7(3) },
    { at = 3, rx = "0 [1234] create_bss_pfc_ack tlli=16 pfi=9 abqp=" .. ABQP, "cancel " .. T7,
      "pfc_add 101/1234 00000010 9", "pdp 70 pfi 9", "pdp 71 pfi 9" },
    unwant(4, 70),
    unwant(5, 71, "pfc_del 101/1234 00000010 9", DELETE),
    unwant(6, 71),
  }) },
  { name = "no answer: asked again, then given up until the cell comes up anew", config = "features",
    given = up(FEATURES), steps = {
      want(1, 70, create(1234), t7(1)),
      { at = 3001, timer = T7, create(1234), t7(3001) },
      { at = 6001, timer = T7, create(1234), t7(6001) },
      { at = 9001, timer = T7, "count pfc_unanswered" },
      { at = 9002, rx = "0 [1234] create_bss_pfc_ack tlli=16 pfi=9 abqp=" .. ABQP, "count ms_pfc_unexpected" },
      { at = 9003, rx = "0 [0] bvc_block bvci=1234 cause=8", "bvc 101/1234 down", "log info",
        "0 > [0] bvc_block_ack bvci=1234" },
      { at = 9004, rx = "0 [0] bvc_unblock bvci=1234", "0 > [0] bvc_unblock_ack bvci=1234", "bvc 101/1234 up",
        create(1234), t7(9004) },
    } },
  { name = "refused; the BSS asks for it later", config = "features", given = up(FEATURES), steps = {
    want(1, 70, create(1234), t7(1)),
    { at = 2, rx = "0 [1234] create_bss_pfc_nack tlli=16 pfi=9 cause=10", "cancel " .. T7, "count pfc_refused_0a",
      "log warn" },
    { at = 3, rx = "0 [1234] download_bss_pfc tlli=16 pfi=9", create(1234), t7(3) },
    { at = 4, rx = "0 [1234] download_bss_pfc tlli=16 pfi=9", create(1234), t7(4) },
    accept(5),
    { at = 6, rx = "0 [1234] download_bss_pfc tlli=16 pfi=9", "pdp 70 pfi none",
      "pfc_del 101/1234 00000010 9", create(1234), t7(6) },
  } },
  { name = "the BSS wants to be rid of it", config = "features", given = up(FEATURES), steps = after_creation({
    { at = 3, rx = "0 [1234] delete_bss_pfc_req tlli=16 pfi=9 cause=11", "pdp 70 pfi none",
      "pfc_del 101/1234 00000010 9", DELETE },
    { at = 4, rx = "0 [1234] delete_bss_pfc_ack tlli=16 pfi=9" },
    unwant(5, 70),
  }) },
  { name = "the end of the context while the BSS thinks", config = "features", given = up(FEATURES), steps = {
    want(1, 70, create(1234), t7(1)),
    unwant(2, 70, "cancel " .. T7, DELETE),
    { at = 3, rx = "0 [1234] create_bss_pfc_ack tlli=16 pfi=9 abqp=" .. ABQP, "count pfc_unknown" },
  } },
  { name = "packet flows that are not known, of mobiles that are not here", config = "features", given = up(FEATURES),
    steps = after_creation({
      { at = 3, rx = "0 [1234] download_bss_pfc tlli=16 pfi=10", "count pfc_unknown" },
      { at = 3, rx = "0 [1234] download_bss_pfc tlli=99 pfi=9", "count pfc_unknown" },
      { at = 3, rx = "0 [1235] download_bss_pfc tlli=16 pfi=9", "count pfc_unknown" },
      { at = 3, rx = "0 [1234] download_bss_pfc tlli=16 pfi=1", "count pfc_unknown" },
    }) },
  { name = "a predefined one is not created", config = "features", given = up(FEATURES), steps = {
    { at = 1, call = "pfc_add", args = { MS, 70, 3, "background" } },
    { at = 2, rx = FC_PFC:format(1, "pfcs=3:5000/20000"), "pfc_add 101/1234 00000010 3", "pdp 70 pfi 3",
      "count ratio_missing",
      "fc_pfc 101/1234 00000010 3 5000/20000", ACK:format(1) },
    { at = 3, rx = "0 [1234] download_bss_pfc tlli=16 pfi=3", "count pfc_unknown" },
    { at = 4, call = "pfc_del", args = { MS, 70, 3 }, "pfc_del 101/1234 00000010 3" },
    { at = 5, rx = FC_PFC:format(2, "pfcs=3:5000/20000"), "pfc_add 101/1234 00000010 3", "count ratio_missing",
      "fc_pfc 101/1234 00000010 3 5000/20000", ACK:format(2) },
    { at = 6, call = "ms_del", args = { MS }, "pfc_del 101/1234 00000010 3" },
  } },
}

local control = {
  { name = "flow control lists several; those that are not there are left out", config = "features", given = up(0x21),
    steps = after_creation({
      { at = 3, rx = FC_PFC:format(7, "pfcs=9:5000/20000,10:100/100,4:100/100,1:0/0"),
        "fc_pfc 101/1234 00000010 9 5000/20000", "count pfc_flow_unknown", "count pfc_flow_unknown",
        "pfc_add 101/1234 00000010 1", "fc_pfc 101/1234 00000010 1 0/0", ACK:format(7) },
      { at = 4, rx = FC_PFC:format(8, "pfcs=1:100/100"), "fc_pfc 101/1234 00000010 1 100/100", ACK:format(8) },
      { at = 5, rx = FC_PFC:format(9, "bucket_octets=100 pfcs=1:200/100"), "fc_pfc 101/1234 00000010 1 200/100",
        ACK:format(9) },
      { at = 6, rx = "0 [1234] flow_control_pfc tlli=99 tag=10 pfcs=1:100/100", "count ms_flow_unknown",
        "0 > [1234] flow_control_pfc_ack tag=10 tlli=99" },
    }) },
  { name = "not before the BSS has created it", config = "features", given = up(0x21), steps = {
    want(1, 70, create(1234), t7(1)),
    { at = 2, rx = FC_PFC:format(7, "pfcs=9:5000/20000"), "count pfc_flow_unknown", ACK:format(7) },
  } },
  { name = "LLC-DISCARDED of a packet flow", config = "features", given = up(FEATURES), steps = {
    { at = 1, rx = "0 [0] llc_discarded tlli=16 frames_discarded=2 bvci=1234 octets_affected=900 pfi=9",
      "discarded 101/1234 00000010 900 pfi 9" },
  } },
}

-- Wanted out of order while the cell is blocked, created in order when it comes up.
local function in_order()
  local steps = { { at = 1, rx = "0 [0] bvc_block bvci=1234 cause=8", "bvc 101/1234 down", "log info",
    "0 > [0] bvc_block_ack bvci=1234" } }
  local pfis = { 100, 9, 40, 12, 77, 8, 126 }
  for _, tlli in ipairs({ 0x30, 0x10, 0x20 }) do
    for i, pfi in ipairs(pfis) do
      steps[#steps + 1] = { at = 1, call = "pfc_add", args = { tlli, 100 * tlli + i, pfi, "background" } }
    end
  end
  local came_up = { at = 2, rx = "0 [0] bvc_unblock bvci=1234", "0 > [0] bvc_unblock_ack bvci=1234", "bvc 101/1234 up" }
  table.sort(pfis)
  for _, tlli in ipairs({ 0x10, 0x20, 0x30 }) do
    for _, pfi in ipairs(pfis) do
      came_up[#came_up + 1] = ("0 > [1234] create_bss_pfc abqp=%s pfi=%d pft=224 tlli=%d"):format(ABQP, pfi, tlli)
      came_up[#came_up + 1] = ("timer pfc/%d/%d/t7 3002"):format(1000 + (tlli & 0xff), pfi)
    end
  end
  steps[#steps + 1] = came_up
  return steps
end

local moves = {
  { name = "a cell change ends it here and begins it there", config = "features", given = up(FEATURES),
    steps = after_creation({
      { at = 3, call = "on_heard", args = { MS, 101, 1235 }, "pdp 70 pfi none", "pfc_del 101/1234 00000010 9",
        "ms_move 101/1234 00000010 to 101/1235", "0 > [0] flush_ll bvci=1234 bvci_new=1235 tlli=16",
        "timer flush/1016/101/1234/flush 5003", create(1235), t7(3) },
      accept(4, 1235),
      { at = 5, rx = "0 [0] bvc_reset bvci=1234 cause=8", "bvc 101/1234 down", "log info",
        "count bvc_reset_without_cell_id", "cancel flush/1016/101/1234/flush", "reset 101/1234",
        "0 > [0] bvc_reset_ack bvci=1234", "bvc 101/1234 up" },
      { show = "mobiles all", is = "suspended 0 flushing 0 flows 1 paged 0" },
      { at = 6, call = "ms_del", args = { MS },
        "pdp 70 pfi none", "pfc_del 101/1235 00000010 9",
        "0 > [1235] delete_bss_pfc pfi=9 tlli=16" },
      { show = "mobiles all", is = "suspended 0 flushing 0 flows 0 paged 0" },
      { at = 7, rx = "0 [0] bvc_reset bvci=1235 cause=8", "bvc 101/1235 down", "log info",
        "count bvc_reset_without_cell_id", "reset 101/1235", "0 > [0] bvc_reset_ack bvci=1235", "bvc 101/1235 up" },
    }) },
  { name = "a PFI below 8 needs no creation, 8 does", config = "features", given = up(FEATURES), steps = {
    { at = 1, call = "pfc_add", args = { MS, 70, 7, "background" } },
    { at = 2, call = "pfc_add", args = { MS, 71, 8, "background" },
      ("0 > [1234] create_bss_pfc abqp=%s pfi=8 pft=224 tlli=16"):format(ABQP), "timer pfc/1016/8/t7 3002" },
  } },
  { name = "another TLLI ends it at the BSS by the former one, and begins it by the new one", config = "features",
    given = up(FEATURES), steps = after_creation({
      { at = 3, call = "ms_called", args = { MS, 0x90, "001010000000009" }, "pdp 70 pfi none",
        "pfc_del 101/1234 00000010 9",
        ("0 > [1234] create_bss_pfc abqp=%s imsi=#303031303130303030303030303039 pfi=9 pft=224 tlli=144")
          :format(ABQP), t7(3) },
      { show = "mobiles all", is = "suspended 0 flushing 0 flows 1 paged 0" },
    }) },
  { name = "several, of several mobiles: in order of slots and PFI", config = "features", given = up(FEATURES),
    steps = in_order() },
  { name = "into a cell that is blocked: created when that comes up", config = "features", given = up(FEATURES),
    steps = after_creation({
      { at = 3, rx = "0 [0] bvc_block bvci=1235 cause=8", "bvc 101/1235 down", "log info",
        "0 > [0] bvc_block_ack bvci=1235" },
      { at = 4, call = "on_heard", args = { MS, 101, 1235 }, "pdp 70 pfi none", "pfc_del 101/1234 00000010 9",
        "ms_move 101/1234 00000010 to 101/1235", "0 > [0] flush_ll bvci=1234 bvci_new=1235 tlli=16",
        "timer flush/1016/101/1234/flush 5004" },
      { at = 5, rx = "0 [0] bvc_unblock bvci=1235", "0 > [0] bvc_unblock_ack bvci=1235", "bvc 101/1235 up",
        create(1235), t7(5) },
    }) },
  { name = "a reset of the cell ends all of its packet flows, and begins them anew", config = "features",
    given = up(FEATURES), steps = after_creation({
      { at = 3, call = "pfc_add", args = { 0x20, 80, 8, "background" },
        ("0 > [1234] create_bss_pfc abqp=%s pfi=8 pft=224 tlli=32"):format(ABQP), "timer pfc/1032/8/t7 3003" },
      { at = 4, rx = given.BVC_RESET, "bvc 101/1234 down", "log info", "pdp 70 pfi none",
        "pfc_del 101/1234 00000010 9", "cancel pfc/1032/8/t7", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234",
        "bvc 101/1234 up", create(1234), t7(4),
        ("0 > [1234] create_bss_pfc abqp=%s pfi=8 pft=224 tlli=32"):format(ABQP),
        "timer pfc/1032/8/t7 3004" },
    }) },
  { name = "when the NSE comes back, what is there stays", config = "features", given = up(FEATURES),
    steps = after_creation({
      { at = 3, rx = "0 block cause=1 nsvci=1800", "nsvc 0 down", "log warn", "bvc 101/1234 down", "bvc 101/1235 down",
        "log info", "0 > block_ack nsvci=1800" },
      unwant(4, 70, "pfc_del 101/1234 00000010 9", "count bssgp_delete_bss_pfc_unsent"),
      want(5, 70),
      { at = 6, rx = "0 unblock", "0 > unblock_ack", "nsvc 0 up", "log info", "bvc 101/1234 up", create(1234), t7(6),
        "bvc 101/1235 up" },
      accept(7),
      { at = 8, rx = "0 block cause=1 nsvci=1800", "nsvc 0 down", "log warn", "bvc 101/1234 down", "bvc 101/1235 down",
        "log info", "0 > block_ack nsvci=1800" },
      { at = 9, rx = "0 unblock", "0 > unblock_ack", "nsvc 0 up", "log info", "bvc 101/1234 up", "bvc 101/1235 up" },
    }) },
}

local all = {}
for _, list in ipairs({ features, creation, control, moves }) do
  table.move(list, 1, #list, #all + 1, all)
end
return all
