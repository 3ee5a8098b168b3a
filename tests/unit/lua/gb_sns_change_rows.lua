-- SPDX-License-Identifier: BSD-3-Clause
-- IP-SNS while it runs: SNS-ADD, SNS-DELETE, SNS-CHANGEWEIGHT of the BSS's endpoints and of ours (48.016 §7.4b). Times
-- in milliseconds; Tns-prov is 3 s.

local given = require "gb_given"

local TWO = { "0 sns_size nsei=101 reset_flag=yes max_nsvcs=4 ip4_endpoints=2",
  "0 sns_config end_flag=yes nsei=101 ip4_list=10.99.0.2:23000/1/1,10.99.0.3:23000/1/1", "0 sns_config_ack nsei=101",
  "0 alive_ack", "1 alive_ack" }
local ADD = "0 sns_add nsei=101 transaction=%d ip4_list=%s"
local DELETE = "0 sns_delete nsei=101 transaction=%d %s"
local WEIGHT = "0 sns_changeweight nsei=101 transaction=%d ip4_list=%s"

local function acked(transaction)
  return ("0 > sns_ack nsei=101 transaction=%d"):format(transaction)
end

-- What the BSS asks, and why it is refused; `failed`: what the SNS-ACK names.
local function refused(received, cause, failed)
  local name, transaction = received:match("(sns_%w+) nsei=101 transaction=(%d+)")
  return { at = 1, rx = received, ("count %s_refused_%02x"):format(name, cause), "log warn",
    ("0 > sns_ack cause=%d %snsei=101 transaction=%s"):format(cause, failed and failed .. " " or "", transaction) }
end

local function own(at, endpoints, ...)
  local list = {}
  for i, e in ipairs(endpoints) do
    list[i] = { address = "10.99.0.1", udp_port = e[1], signalling_weight = e[2], data_weight = e[3] }
  end
  return { at = at, call = "sns_endpoints", args = { 101, list }, ... }
end

local ASK_ADD = "0 > sns_add ip4_list=10.99.0.1:23001/1/1 nsei=101 transaction=1"

return {
  { name = "an endpoint more carries traffic at once; the same again is acknowledged again", config = "sns",
    given = given.SNS_CELL_UP, steps = {
      { at = 1, rx = ADD:format(7, "10.99.0.3:23000/1/5"), acked(7), "log info",
        "nsvc_add 1 101 10.99.0.1:23000 to 10.99.0.3:23000 weight 5", "1 > alive", "timer nsvc/1/alive 3001",
        "nsvc 1 up" },
      { at = 2, rx = ADD:format(7, "10.99.0.3:23000/1/5"), "count sns_change_repeated", acked(7) },
      { at = 3, rx = "1 [0] bvc_unblock bvci=1234", "1 > [0] bvc_unblock_ack bvci=1234" },
      { at = 4, rx = "1 alive_ack", "cancel nsvc/1/alive", "timer nsvc/1/test 30004" },
      { show = "nsvc 1", is = "alive resting" },
    } },
  { name = "two endpoints at once", config = "sns", given = given.SNS_UP, steps = {
    { at = 1, rx = ADD:format(8, "10.99.0.3:23000/1/1,10.99.0.3:23001/1/1"), acked(8), "log info",
      "nsvc_add 1 101 10.99.0.1:23000 to 10.99.0.3:23000 weight 1", "nsvc_add 2 101 10.99.0.1:23000 to "
      .. "10.99.0.3:23001 weight 1", "1 > alive", "timer nsvc/1/alive 3001", "nsvc 1 up", "2 > alive",
      "timer nsvc/2/alive 3001", "nsvc 2 up" },
  } },
  { name = "SNS-ADD that cannot be", config = "sns", given = given.SNS_UP, steps = {
    refused("0 sns_add nsei=101 transaction=1", 13),
    refused(ADD:format(2, "10.99.0.2:23000/1/1"), 11, "ip4_list=10.99.0.2:23000/1/1"),
    refused(ADD:format(3, "10.99.0.3:23000/1/1,10.99.0.3:23000/1/1"), 11, "ip4_list=10.99.0.3:23000/1/1"),
    refused(ADD:format(4, "10.99.0.3:1/1/1,10.99.0.3:2/1/1,10.99.0.3:3/1/1,10.99.0.3:4/1/1"), 14),
    refused("0 sns_add nsei=101 transaction=5 ip6_list=[2001:db8::3]:23000/1/1", 15,
      "ip6_list=[2001:db8::3]:23000/1/1"),
    { show = "nsvc 0", is = "alive resting" },
  } },
  { name = "SNS-ADD of an endpoint where nobody can be", config = "sns", given = given.SNS_UP, steps = {
    refused(ADD:format(1, "10.99.0.3:1/1/1,10.99.0.1:2/1/1"), 18, "ip4_list=10.99.0.1:2/1/1"),
    { show = "nsvc 0", is = "alive resting" },
  } },
  { name = "SNS-ADD of more than the BSS's own NS-VCs", config = "sns", given = TWO, steps = {
    refused(ADD:format(1, "10.99.0.4:1/1/1,10.99.0.4:2/1/1,10.99.0.4:3/1/1"), 16),
  } },
  { name = "an endpoint goes, its share with it; the NS-VCs that are left go on", config = "sns", given = TWO, steps = {
    { at = 1, rx = DELETE:format(9, "ip4_list=10.99.0.3:23000/1/1"), acked(9), "log info", "nsvc 1 down",
      "cancel nsvc/1/test", "nsvc_del 1" },
    { at = 2, rx = DELETE:format(9, "ip4_list=10.99.0.3:23000/1/1"), "count sns_change_repeated", acked(9) },
    { at = 3, rx = "1 alive", "count ns_unknown_endpoint" },
    { show = "nsvc 0", is = "alive resting" },
    { at = 4, rx = ADD:format(10, "10.99.0.4:23000/1/1"), acked(10), "log info",
      "nsvc_add 1 101 10.99.0.1:23000 to 10.99.0.4:23000 weight 1", "1 > alive", "timer nsvc/1/alive 3004",
      "nsvc 1 up" },
  } },
  { name = "all endpoints of an address, and the pair that it began on", config = "sns", given = TWO, steps = {
    { at = 1, rx = DELETE:format(9, "address=10.99.0.2"), acked(9), "log info", "nsvc 0 down", "cancel nsvc/0/test",
      "nsvc_weight 0 0" },
    { show = "nsvc 0", is = "absent off" },
    { show = "nsvc 1", is = "alive resting" },
  } },
  { name = "SNS-DELETE that cannot be", config = "sns", given = TWO, steps = {
    refused("0 sns_delete nsei=101 transaction=1", 13),
    refused(DELETE:format(2, "ip4_list=10.99.0.4:23000/1/1"), 18, "ip4_list=10.99.0.4:23000/1/1"),
    refused(DELETE:format(3, "ip4_list=10.99.0.2:23001/1/1"), 18, "ip4_list=10.99.0.2:23001/1/1"),
    { at = 1, rx = "0 sns_delete nsei=101 transaction=4 address=10.99.0.4", "count sns_delete_refused_13", "log warn",
      "0 > sns_ack address=10.99.0.4 cause=19 nsei=101 transaction=4" },
    refused(DELETE:format(5, "ip4_list=10.99.0.2:23000/1/1,10.99.0.3:23000/1/1"), 17),
    refused("0 sns_delete nsei=101 transaction=6 ip6_list=[2001:db8::3]:23000/1/1", 15,
      "ip6_list=[2001:db8::3]:23000/1/1"),
    { show = "nsvc 1", is = "alive resting" },
  } },
  { name = "weights change, and nothing else", config = "sns", given = TWO, steps = {
    { at = 1, rx = WEIGHT:format(9, "10.99.0.3:23000/0/7"), "nsvc_weight 1 7", acked(9), "log info" },
    { at = 2, rx = WEIGHT:format(10, "10.99.0.3:23000/1/7"), acked(10), "log info" },
    { at = 3, rx = WEIGHT:format(11, "10.99.0.2:23000/0/0"), "nsvc_weight 0 0", acked(11), "log info" },
    { show = "nsvc 0", is = "alive resting" },
  } },
  { name = "SNS-CHANGEWEIGHT that cannot be", config = "sns", given = TWO, steps = {
    refused("0 sns_changeweight nsei=101 transaction=1", 13),
    refused(WEIGHT:format(2, "10.99.0.4:23000/1/1"), 18, "ip4_list=10.99.0.4:23000/1/1"),
    refused(WEIGHT:format(3, "10.99.0.2:23000/1/0,10.99.0.3:23000/1/0"), 17),
    refused(WEIGHT:format(4, "10.99.0.2:23000/0/1,10.99.0.3:23000/0/1"), 17),
    refused("0 sns_changeweight nsei=101 transaction=5 ip6_list=[2001:db8::3]:23000/1/1", 15,
      "ip6_list=[2001:db8::3]:23000/1/1"),
  } },
  { name = "changes where nothing is configured", config = "sns", steps = {
    refused(ADD:format(1, "10.99.0.3:23000/1/1"), 10),
    refused(DELETE:format(2, "ip4_list=10.99.0.3:23000/1/1"), 10),
    refused(WEIGHT:format(3, "10.99.0.3:23000/1/1"), 10),
    { at = 2, rx = "0 sns_ack nsei=101 transaction=0", "count ns_sns_unexpected" },
  } },
  { name = "signalling of ours takes the ways that the BSS wants it on", config = "sns", given = TWO, steps = {
    { at = 1, rx = WEIGHT:format(9, "10.99.0.2:23000/0/1"), acked(9), "log info" },
    { at = 2, rx = "0 [0] bvc_reset bvci=0 cause=8", "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=0" },
    { at = 3, rx = given.BVC_RESET, "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234",
      "bvc 101/1234 up" },
    { at = 4, call = "ms_told", args = { 0x10, "\1\2\3\4\6", false }, "ms_elements 101 00000010" },
    { at = 4, call = "ms_told", args = { 0x10, "\1\2\3\4\5", false },
      "1 > [1234] ra_capability ms_ra_capability=#0102030405 tlli=16", "ms_elements 101 00000010" },
  } },
  { name = "our endpoints change: one more, another weight, one less, one after the other", config = "sns_two",
    given = { given.SNS_SIZE, given.SNS_CONFIG, "0 sns_config_ack nsei=101", "0 alive_ack", "1 alive_ack" }, steps = {
      own(1, { { 23000, 2, 2 }, { 23002, 1, 1 } }, "nsvc_add 2 101 10.99.0.1:23002 to 10.99.0.2:23000 weight 1",
        "0 > sns_add ip4_list=10.99.0.1:23002/1/1 nsei=101 transaction=1", "timer sns_own/101/prov 3001"),
      { at = 2, rx = "0 sns_ack nsei=101 transaction=9", "count sns_ack_stale" },
      { at = 3, rx = "0 sns_ack nsei=101 transaction=1", "2 > alive", "timer nsvc/2/alive 3003", "nsvc 2 up",
        "cancel sns_own/101/prov", "0 > sns_changeweight ip4_list=10.99.0.1:23000/2/2 nsei=101 transaction=2",
        "timer sns_own/101/prov 3003" },
      { at = 4, rx = "0 sns_ack nsei=101 transaction=2", "cancel sns_own/101/prov",
        "0 > sns_delete ip4_list=10.99.0.1:23001/1/1 nsei=101 transaction=3", "timer sns_own/101/prov 3004" },
      { at = 5, rx = "0 sns_ack nsei=101 transaction=3", "nsvc 1 down", "cancel nsvc/1/test", "nsvc_del 1",
        "cancel sns_own/101/prov" },
      { at = 6, rx = "0 sns_ack nsei=101 transaction=3" },
    } },
  { name = "a change of ours that nobody answers, one that is refused", config = "sns", given = given.SNS_UP, steps = {
    own(1, { { 23000, 1, 1 }, { 23001, 1, 1 } }, "nsvc_add 1 101 10.99.0.1:23001 to 10.99.0.2:23000 weight 1", ASK_ADD,
      "timer sns_own/101/prov 3001"),
    { to = 9001, "3001 " .. ASK_ADD, "3001 timer sns_own/101/prov 6001", "6001 " .. ASK_ADD,
      "6001 timer sns_own/101/prov 9001", "9001 " .. ASK_ADD, "9001 timer sns_own/101/prov 12001" },
    own(9002, { { 23000, 1, 1 }, { 23001, 1, 2 } }),
    { at = 12001, timer = "sns_own/101/prov", "count sns_change_unanswered", "log error", "1 > alive",
      "timer nsvc/1/alive 15001", "nsvc 1 up",
      "0 > sns_changeweight ip4_list=10.99.0.1:23001/1/2 nsei=101 transaction=2", "timer sns_own/101/prov 15001" },
    { at = 12002, rx = "0 sns_ack nsei=101 transaction=2 cause=18", "count sns_change_nacked_12", "log error",
      "cancel sns_own/101/prov" },
  } },
  { name = "no NS-VC is free for one more endpoint of the SGSN", config = "sns", given = TWO, steps = {
    own(1, { { 23000, 1, 1 }, { 23001, 1, 1 }, { 23002, 1, 1 } },
      "nsvc_add 2 101 10.99.0.1:23001 to 10.99.0.2:23000 weight 1",
      "nsvc_add 3 101 10.99.0.1:23001 to 10.99.0.3:23000 weight 1", ASK_ADD, "timer sns_own/101/prov 3001"),
    { at = 2, rx = "0 sns_ack nsei=101 transaction=1",
      "nsvc_add 4 101 10.99.0.1:23002 to 10.99.0.2:23000 weight 0", "2 > alive", "timer nsvc/2/alive 3002", "nsvc 2 up",
      "3 > alive", "timer nsvc/3/alive 3002", "nsvc 3 up", "cancel sns_own/101/prov", "count sns_change_no_room",
      "log error" },
    own(3, { { 23000, 1, 1 }, { 23001, 1, 1 } }, "0 > sns_delete ip4_list=10.99.0.1:23002/1/1 nsei=101 transaction=2",
      "timer sns_own/101/prov 3003"),
    { at = 4, rx = "0 sns_ack nsei=101 transaction=2 cause=18", "count sns_change_nacked_12", "log error",
      "nsvc_del 4", "cancel sns_own/101/prov" },
  } },
  { name = "the BSS takes a new endpoint of ours before it says so", config = "sns", given = given.SNS_UP, steps = {
    own(1, { { 23000, 1, 1 }, { 23001, 1, 1 } }, "nsvc_add 1 101 10.99.0.1:23001 to 10.99.0.2:23000 weight 1", ASK_ADD,
      "timer sns_own/101/prov 3001"),
    { at = 2, rx = "1 [0] bvc_reset bvci=0 cause=8", "count ns_unitdata_early", "1 > alive", "timer nsvc/1/alive 3002",
      "nsvc 1 up", "log info", "reset 101/1234", "1 > [0] bvc_reset_ack bvci=0" },
    { at = 3, rx = "0 sns_ack nsei=101 transaction=1", "cancel sns_own/101/prov" },
  } },
  { name = "a change of ours while nothing is configured needs no words", config = "sns", steps = {
    own(1, { { 23000, 1, 1 }, { 23001, 1, 1 } }, "nsvc_add 1 101 10.99.0.1:23001 to 10.99.0.2:23000 weight 0"),
    { at = 2, rx = "0 sns_size nsei=101 reset_flag=yes max_nsvcs=4 ip4_endpoints=1", "log info",
      "0 > sns_size_ack nsei=101" },
    { at = 3, rx = given.SNS_CONFIG, "0 > sns_config_ack nsei=101", "nsvc_weight 0 1", "nsvc_weight 1 1",
      "0 > sns_config end_flag=yes ip4_list=10.99.0.1:23000/1/1,10.99.0.1:23001/1/1 nsei=101",
      "timer sns/101/prov 3003" },
  } },
}
