-- SPDX-License-Identifier: BSD-3-Clause
-- IP-SNS: SIZE, CONFIG, the NS-VCs that follow (48.016 §6.2, §7.4a). Times in milliseconds; Tns-prov is 3 s. NS-VC 0 is
-- the pair that it begins on, 1 to 4 are made.

local given = require "gb_given"

local SIZE_ACK = "0 > sns_size_ack nsei=101"
local CONFIG_ACK = "0 > sns_config_ack nsei=101"
local OUR_CONFIG = "0 > sns_config end_flag=yes ip4_list=10.99.0.1:23000/1/1 nsei=101"
local UNIT = "0 [0] bvc_reset bvci=0 cause=8"

local function size(rest)
  return "0 sns_size nsei=101 " .. rest
end

local function config(list, is_last)
  return ("0 sns_config nsei=101 end_flag=%s ip4_list=%s"):format(is_last == false and "no" or "yes", list)
end

local function config6(address)
  return ("0 sns_config nsei=101 end_flag=no ip6_list=[%s]:23000/1/1"):format(address)
end

local function size_refused(rest, cause)
  return { at = 1, rx = size(rest), ("count sns_size_refused_%02x"):format(cause), "log warn",
    ("0 > sns_size_ack cause=%d nsei=101"):format(cause) }
end

local function config_refused(at, received, cause)
  return { at = at, rx = received, ("count sns_config_refused_%02x"):format(cause), "log warn",
    ("0 > sns_config_ack cause=%d nsei=101"):format(cause) }
end

local function sized(rest)
  return { at = 0, rx = size(rest), "log info", SIZE_ACK }
end

local function unknown(received)
  return { at = 1, rx = received, "count ns_status_sent_04", "0 > status cause=4 nsvci=0" }
end

return {
  { name = "bring-up as osmo-pcu does it: BVC-RESET comes before the first NS-ALIVE", config = "sns", steps = {
    { at = 0, rx = "0 sns_size nsei=101 reset_flag=yes max_nsvcs=8192 ip4_endpoints=1", "log info", SIZE_ACK },
    { at = 0.1, rx = given.SNS_CONFIG, CONFIG_ACK, "nsvc_weight 0 1", OUR_CONFIG, "timer sns/101/prov 3000.1" },
    { show = "nsvc 0", is = "waiting off" },
    { at = 0.2, rx = "0 sns_config_ack nsei=101", "cancel sns/101/prov", "log info", "0 > alive",
      "timer nsvc/0/alive 3000.2", "nsvc 0 up", "log info" },
    { at = 0.3, rx = UNIT, "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=0" },
    { at = 0.4, rx = "0 alive", "0 > alive_ack" },
    { at = 0.5, rx = "0 alive_ack", "cancel nsvc/0/alive", "timer nsvc/0/test 30000.5" },
    { show = "nsvc 0", is = "alive resting" },
  } },
  { name = "octets of a real osmo-pcu", config = "sns", steps = {
    { at = 0, rx = "0 #12048200650a01072000080001", "log info", SIZE_ACK },
    { at = 0.1, rx = "0 #0f010482006505880a63000259d80101", CONFIG_ACK, "nsvc_weight 0 1", OUR_CONFIG,
      "timer sns/101/prov 3000.1" },
  } },
  { name = "two endpoints on both sides are four NS-VCs, and the worker has them before the BSS hears of ours",
    config = "sns_two", steps = {
      { at = 0, rx = size("reset_flag=yes max_nsvcs=4 ip4_endpoints=2"), "log info", SIZE_ACK },
      { at = 1, rx = config("10.99.0.2:23000/1/1,10.99.0.3:23000/0/2"), CONFIG_ACK,
        "nsvc_weight 0 1", "nsvc_weight 1 1",
        "nsvc_add 2 101 10.99.0.1:23000 to 10.99.0.3:23000 weight 2",
        "nsvc_add 3 101 10.99.0.1:23001 to 10.99.0.3:23000 weight 2",
        "0 > sns_config end_flag=yes ip4_list=10.99.0.1:23000/1/1,10.99.0.1:23001/1/1 nsei=101",
        "timer sns/101/prov 3001" },
      { at = 2, rx = "0 sns_config_ack nsei=101", "cancel sns/101/prov", "log info",
        "0 > alive", "timer nsvc/0/alive 3002", "nsvc 0 up", "log info", "1 > alive", "timer nsvc/1/alive 3002",
        "nsvc 1 up", "2 > alive", "timer nsvc/2/alive 3002", "nsvc 2 up", "3 > alive", "timer nsvc/3/alive 3002",
        "nsvc 3 up" },
      { at = 3, rx = "3 [0] bvc_reset bvci=0 cause=8", "log info", "reset 101/1234", "3 > [0] bvc_reset_ack bvci=0" },
    } },
  { name = "begins at our second endpoint, and after that at the first (48.016 7.4a)", config = "sns_two", steps = {
    { at = 0, rx = "1 sns_size nsei=101 reset_flag=yes max_nsvcs=4 ip4_endpoints=1", "log info",
      "1 > sns_size_ack nsei=101" },
    { at = 1, rx = (config("10.99.0.2:23000/1/1"):gsub("^0", "1")), "1 > sns_config_ack nsei=101",
      "nsvc_weight 0 1", "nsvc_weight 1 1",
      "1 > sns_config end_flag=yes ip4_list=10.99.0.1:23000/1/1,10.99.0.1:23001/1/1 nsei=101",
      "timer sns/101/prov 3001" },
    { at = 2, rx = "1 sns_config_ack nsei=101", "cancel sns/101/prov", "log info", "0 > alive",
      "timer nsvc/0/alive 3002", "nsvc 0 up", "log info", "1 > alive", "timer nsvc/1/alive 3002", "nsvc 1 up" },
    { at = 3, rx = size("reset_flag=yes max_nsvcs=4 ip4_endpoints=1"), "log info", "nsvc 0 down",
      "cancel nsvc/0/alive", "nsvc_weight 0 0", "nsvc 1 down", "log warn", "cancel nsvc/1/alive", "nsvc_weight 1 0",
      SIZE_ACK },
  } },
  { name = "begins anew at an endpoint of its own that it had announced: the answer goes there", config = "sns",
    given = given.SNS_UP, steps = {
      { at = 1, rx = "0 sns_add nsei=101 transaction=1 ip4_list=10.99.0.3:23000/1/1",
        "0 > sns_ack nsei=101 transaction=1", "log info", "nsvc_add 1 101 10.99.0.1:23000 to 10.99.0.3:23000 weight 1",
        "1 > alive", "timer nsvc/1/alive 3001", "nsvc 1 up" },
      { at = 2, rx = "1 sns_size nsei=101 reset_flag=yes max_nsvcs=4 ip4_endpoints=1", "log info", "nsvc 0 down",
        "cancel nsvc/0/test", "nsvc_weight 0 0", "nsvc 1 down", "log warn", "cancel nsvc/1/alive", "nsvc_weight 1 0",
        "1 > sns_size_ack nsei=101" },
      { at = 3, rx = size("reset_flag=yes max_nsvcs=4 ip4_endpoints=1"), "log info", "nsvc_del 1", SIZE_ACK },
    } },
  { name = "its endpoint is not the configured one, and needs all NS-VCs: the further way makes room",
    config = "sns_two", steps = {
      { at = 0, rx = size("reset_flag=yes max_nsvcs=4 ip4_endpoints=2"), "log info", SIZE_ACK },
      { at = 1, rx = config("10.99.0.8:23000/1/1,10.99.0.9:23000/1/1"), CONFIG_ACK,
        "nsvc_add 2 101 10.99.0.1:23000 to 10.99.0.8:23000 weight 1",
        "nsvc_add 3 101 10.99.0.1:23001 to 10.99.0.8:23000 weight 1",
        "nsvc_add 4 101 10.99.0.1:23000 to 10.99.0.9:23000 weight 1", "nsvc_del 1",
        "nsvc_add 1 101 10.99.0.1:23001 to 10.99.0.9:23000 weight 1",
        "0 > sns_config end_flag=yes ip4_list=10.99.0.1:23000/1/1,10.99.0.1:23001/1/1 nsei=101",
        "timer sns/101/prov 3001" },
    } },
  { name = "the pair that it begins on need not be an NS-VC", config = "sns", steps = {
    sized("reset_flag=yes max_nsvcs=4 ip4_endpoints=1"),
    { at = 1, rx = config("10.99.0.9:23009/1/1"), CONFIG_ACK,
      "nsvc_add 1 101 10.99.0.1:23000 to 10.99.0.9:23009 weight 1", OUR_CONFIG, "timer sns/101/prov 3001" },
    { at = 2, rx = "0 sns_config_ack nsei=101", "cancel sns/101/prov", "log info", "1 > alive",
      "timer nsvc/1/alive 3002", "nsvc 1 up", "log info" },
    { show = "nsvc 0", is = "absent off" },
    { show = "nsvc 1", is = "alive probing" },
    { at = 3, rx = "0 alive", "count ns_status_sent_04", "0 > status cause=4 nsvci=0" },
  } },
  { name = "endpoints in several SNS-CONFIGs, one of them twice", config = "sns", steps = {
    sized("reset_flag=yes max_nsvcs=4 ip4_endpoints=2"),
    { at = 1, rx = config("10.99.0.2:23000/1/0", false), CONFIG_ACK },
    { at = 2, rx = config("10.99.0.2:23000/1/0", false), CONFIG_ACK },
    { at = 3, rx = config("10.99.0.3:23000/0/1"), CONFIG_ACK, "nsvc_weight 0 0",
      "nsvc_add 1 101 10.99.0.1:23000 to 10.99.0.3:23000 weight 1", OUR_CONFIG, "timer sns/101/prov 3003" },
    { at = 4, rx = config("10.99.0.3:23000/0/1"), CONFIG_ACK },
  } },
  { name = "an NSE of IPv6", config = "sns_ipv6", steps = {
    { at = 0, rx = size("reset_flag=yes max_nsvcs=4 ip6_endpoints=1"), "log info", SIZE_ACK },
    { at = 1, rx = "0 sns_config nsei=101 end_flag=yes ip6_list=[2001:db8::3]:23000/1/1", CONFIG_ACK,
      "nsvc_add 1 101 2001:db8::1:23000 to 2001:db8::3:23000 weight 1",
      "0 > sns_config end_flag=yes ip6_list=[2001:db8::1]:23000/1/1 nsei=101", "timer sns/101/prov 3001" },
  } },
  { name = "SNS-SIZE that cannot be", config = "sns", steps = {
    size_refused("reset_flag=yes max_nsvcs=4", 13),
    size_refused("reset_flag=yes max_nsvcs=4 ip4_endpoints=0", 14),
    size_refused("reset_flag=yes max_nsvcs=4 ip6_endpoints=1", 14),
    size_refused("reset_flag=yes max_nsvcs=1 ip4_endpoints=2", 16),
    size_refused("reset_flag=yes max_nsvcs=0 ip4_endpoints=1", 16),
    size_refused("reset_flag=yes max_nsvcs=99 ip4_endpoints=5", 14),
    size_refused("reset_flag=no max_nsvcs=4 ip4_endpoints=1", 10),
    { show = "nsvc 0", is = "absent off" },
  } },
  { name = "endpoints of IPv6 where nobody can be", config = "sns_ipv6", steps = {
    sized("reset_flag=yes max_nsvcs=4 ip6_endpoints=2"),
    config_refused(1, config6("::"), 18),
    config_refused(1, config6("::1"), 18),
    config_refused(1, config6("ff02::1"), 18),
    config_refused(1, config6("::ffff:10.99.0.2"), 18),
    config_refused(1, config6("2001:db8::1"), 18),
    { show = "nsvc 0", is = "absent off" },
  } },
  { name = "SNS-SIZE without a common kind of endpoint, for IPv6", config = "sns_ipv6", steps = {
    size_refused("reset_flag=yes max_nsvcs=4 ip4_endpoints=1", 15),
  } },
  { name = "two endpoints of ours need two NS-VCs for each of the BSS's", config = "sns_two", steps = {
    size_refused("reset_flag=yes max_nsvcs=3 ip4_endpoints=2", 16),
    sized("reset_flag=yes max_nsvcs=4 ip4_endpoints=2"),
  } },
  { name = "SNS-CONFIG that cannot be", config = "sns_beside", steps = {
    config_refused(0, given.SNS_CONFIG, 10),
    sized("reset_flag=yes max_nsvcs=4 ip4_endpoints=2"),
    config_refused(1, config("10.99.0.2:23000/1/1"), 14),
    config_refused(1, config("10.99.0.2:23000/1/1,10.99.0.3:23000/1/1,10.99.0.4:23000/1/1"), 14),
    config_refused(1, config("10.99.0.2:23000/0/1,10.99.0.3:23000/0/1"), 17),
    config_refused(1, config("10.99.0.2:23000/1/0,10.99.0.3:23000/1/0"), 17),
    config_refused(1, "0 sns_config nsei=101 end_flag=yes", 14),
    config_refused(1, config("10.99.0.2:23000/1/1,0.0.0.0:23000/1/1"), 18),
    config_refused(1, config("10.99.0.2:23000/1/1,127.0.0.1:23000/1/1"), 18),
    config_refused(1, config("10.99.0.2:23000/1/1,224.0.0.1:23000/1/1"), 18),
    config_refused(1, config("10.99.0.2:23000/1/1,255.255.255.255:23000/1/1"), 18),
    config_refused(1, config("10.99.0.2:23000/1/1,10.99.0.3:0/1/1"), 18),
    config_refused(1, config("10.99.0.2:23000/1/1,10.99.0.1:1/1/1"), 18),
    config_refused(1, config("10.99.0.2:23000/1/1,10.99.0.7:23000/1/1"), 18),
    config_refused(1, "0 sns_config nsei=101 end_flag=yes ip6_list=[2001:db8::2]:23000/1/1", 14),
    { show = "nsvc 0", is = "absent off" },
    { at = 2, rx = config("10.99.0.2:23000/1/1", false), CONFIG_ACK },
    { at = 2, rx = config("10.99.0.3:23000/1/1", false), CONFIG_ACK },
    config_refused(2, config("10.99.0.4:23000/1/1", false), 14),
  } },
  { name = "another NSEI than that of the endpoint", config = "sns", steps = {
    { at = 0, rx = "0 sns_size nsei=102 reset_flag=yes max_nsvcs=4 ip4_endpoints=1", "count ns_sns_nsei_mismatch",
      "log warn", "0 > sns_size_ack cause=11 nsei=102" },
    { at = 0, rx = "0 sns_config nsei=102 end_flag=yes ip4_list=10.99.0.2:23000/1/1", "count ns_sns_nsei_mismatch",
      "log warn", "0 > sns_config_ack cause=11 nsei=102" },
    { at = 0, rx = "0 sns_add nsei=102 transaction=3 ip4_list=10.99.0.3:23000/1/1", "count ns_sns_nsei_mismatch",
      "log warn", "0 > sns_ack cause=11 nsei=102 transaction=3" },
    { at = 0, rx = "0 sns_ack nsei=102 transaction=3", "count ns_sns_nsei_mismatch", "log warn" },
    { at = 0, rx = "0 sns_config_ack nsei=102", "count ns_sns_nsei_mismatch", "log warn" },
  } },
  { name = "our SNS-CONFIG is repeated three times, then the BSS has to begin anew", config = "sns",
    given = { given.SNS_SIZE, given.SNS_CONFIG }, steps = {
      { to = 9000, "3000 " .. OUR_CONFIG, "3000 timer sns/101/prov 6000", "6000 " .. OUR_CONFIG,
        "6000 timer sns/101/prov 9000", "9000 " .. OUR_CONFIG, "9000 timer sns/101/prov 12000" },
      { at = 12000, timer = "sns/101/prov", "count sns_config_unanswered", "log error", "nsvc_weight 0 0" },
      { show = "nsvc 0", is = "absent off" },
      { at = 13000, rx = "0 sns_config_ack nsei=101", "count ns_sns_unexpected" },
      { at = 13001, rx = given.SNS_SIZE, "log info", SIZE_ACK },
    } },
  { name = "our SNS-CONFIG is refused", config = "sns", given = { given.SNS_SIZE, given.SNS_CONFIG }, steps = {
    { at = 1, rx = "0 sns_config_ack nsei=101 cause=14", "cancel sns/101/prov", "count sns_config_nacked_0e",
      "log error", "nsvc_weight 0 0" },
    { show = "nsvc 0", is = "absent off" },
  } },
  { name = "the acknowledgement of our SNS-CONFIG is lost: traffic says the same", config = "sns",
    given = { given.SNS_SIZE, given.SNS_CONFIG }, steps = {
      { at = 1, rx = "0 alive", "0 > alive_ack" },
      { at = 1, rx = UNIT, "count ns_unitdata_early", "cancel sns/101/prov", "log info", "0 > alive",
        "timer nsvc/0/alive 3001", "nsvc 0 up", "log info", "log info", "reset 101/1234",
        "0 > [0] bvc_reset_ack bvci=0" },
    } },
  { name = "the acknowledgement of the BSS's SNS-CONFIG is lost; another one afterwards", config = "sns",
    given = given.SNS_UP, steps = {
      { at = 1, rx = given.SNS_CONFIG, CONFIG_ACK },
      { at = 1, rx = "0 sns_config nsei=101 end_flag=yes", CONFIG_ACK },
      config_refused(1, config("10.99.0.3:23000/1/1"), 10),
      { show = "nsvc 0", is = "alive resting" },
    } },
  { name = "SNS-SIZE with reset is a restart of the BSS at any time", config = "sns",
    given = given.SNS_CELL_UP, steps = {
    { at = 1, rx = given.SNS_SIZE, "log info", "nsvc 0 down", "log warn", "bvc 101/1234 down",
      "cancel nsvc/0/test", "nsvc_weight 0 0", SIZE_ACK },
    { show = "bvc 101/1234", is = "unknown down rate none own 0" },
    { at = 2, rx = given.SNS_CONFIG, CONFIG_ACK, "nsvc_weight 0 1", OUR_CONFIG, "timer sns/101/prov 3002" },
    { at = 3, rx = given.SNS_SIZE, "cancel sns/101/prov", "log info", "nsvc_weight 0 0", SIZE_ACK },
    { at = 4, rx = given.SNS_SIZE, "log info", SIZE_ACK },
  } },
  { name = "SNS-SIZE without reset leaves what is there", config = "sns", given = given.SNS_CELL_UP, steps = {
    { at = 1, rx = size("reset_flag=no max_nsvcs=8 ip4_endpoints=2"), "log info", SIZE_ACK },
    { at = 1, rx = size("reset_flag=no max_nsvcs=8 ip4_endpoints=2"), "log info", SIZE_ACK },
    { show = "bvc 101/1234", is = "unblocked up rate none own 0" },
    { at = 2, rx = config("10.99.0.2:23000/1/3,10.99.0.3:23000/1/1"), CONFIG_ACK, "nsvc_weight 0 3",
      "nsvc_add 1 101 10.99.0.1:23000 to 10.99.0.3:23000 weight 1", OUR_CONFIG, "timer sns/101/prov 3002" },
    { at = 3, rx = size("reset_flag=no max_nsvcs=8 ip4_endpoints=1"), "cancel sns/101/prov", "log info", SIZE_ACK },
    { at = 3, rx = "1 [0] bvc_reset bvci=0 cause=8", "count ns_unitdata_early", "count ns_sns_unexpected" },
    { at = 4, rx = config("10.99.0.3:23000/1/1"), CONFIG_ACK, "nsvc 0 down", "log warn", "bvc 101/1234 down",
      "cancel nsvc/0/test", "nsvc_weight 0 0", OUR_CONFIG, "timer sns/101/prov 3004" },
    { at = 5, rx = "0 sns_config_ack nsei=101", "cancel sns/101/prov", "log info", "1 > alive",
      "timer nsvc/1/alive 3005", "nsvc 1 up", "log info", "bvc 101/1234 up" },
    { show = "bvc 101/1234", is = "unblocked up rate none own 0" },
  } },
  { name = "we have restarted: whatever comes makes the BSS begin anew", config = "sns", steps = {
    unknown("0 alive"),
    unknown(UNIT),
    { at = 1, rx = "0 alive_ack", "count ns_test_unexpected" },
    { at = 2, rx = "0 reset cause=1 nsei=101 nsvci=0", "count ns_reset_unexpected" },
    { at = 2, rx = given.SNS_SIZE, "log info", SIZE_ACK },
  } },
  { name = "what belongs to other links is counted and not answered", config = "sns", given = given.SNS_UP, steps = {
    { at = 1, rx = "0 reset cause=1 nsei=101 nsvci=0", "count ns_reset_unexpected" },
    { at = 1, rx = "0 reset_ack nsei=101 nsvci=0", "count ns_reset_ack_unexpected" },
    { at = 1, rx = "0 block cause=1 nsvci=0", "count ns_block_unexpected" },
    { at = 1, rx = "0 block_ack nsvci=0", "count ns_block_ack_unexpected" },
    { at = 1, rx = "0 unblock", "count ns_unblock_unexpected" },
    { at = 1, rx = "0 unblock_ack", "count ns_unblock_ack_unexpected" },
    { at = 1, rx = "0 sns_size_ack nsei=101", "count ns_sns_size_ack_unexpected" },
    { at = 1, rx = "0 sns_config_ack nsei=101", "count ns_sns_unexpected" },
    { show = "nsvc 0", is = "alive resting" },
  } },
  { name = "a silent peer is tested on and is back with its first answer", config = "sns", given = given.SNS_CELL_UP,
    steps = {
      { at = 30000, timer = "nsvc/0/test", "0 > alive", "timer nsvc/0/alive 33000" },
      { to = 60000,
        "33000 0 > alive", "33000 timer nsvc/0/alive 36000", "36000 0 > alive", "36000 timer nsvc/0/alive 39000",
        "39000 0 > alive", "39000 timer nsvc/0/alive 42000", "42000 0 > alive", "42000 timer nsvc/0/alive 45000",
        "45000 0 > alive", "45000 timer nsvc/0/alive 48000", "48000 0 > alive", "48000 timer nsvc/0/alive 51000",
        "51000 0 > alive", "51000 timer nsvc/0/alive 54000", "54000 0 > alive", "54000 timer nsvc/0/alive 57000",
        "57000 0 > alive", "57000 timer nsvc/0/alive 60000", "60000 0 > alive", "60000 timer nsvc/0/alive 63000" },
      { at = 63000, timer = "nsvc/0/alive", "nsvc 0 down", "log warn", "bvc 101/1234 down", "count ns_vc_silent",
        "log warn", "0 > alive", "timer nsvc/0/alive 66000" },
      { show = "nsvc 0", is = "silent probing" },
      { to = 93000,
        "66000 0 > alive", "66000 timer nsvc/0/alive 69000", "69000 0 > alive", "69000 timer nsvc/0/alive 72000",
        "72000 0 > alive", "72000 timer nsvc/0/alive 75000", "75000 0 > alive", "75000 timer nsvc/0/alive 78000",
        "78000 0 > alive", "78000 timer nsvc/0/alive 81000", "81000 0 > alive", "81000 timer nsvc/0/alive 84000",
        "84000 0 > alive", "84000 timer nsvc/0/alive 87000", "87000 0 > alive", "87000 timer nsvc/0/alive 90000",
        "90000 0 > alive", "90000 timer nsvc/0/alive 93000", "93000 0 > alive", "93000 timer nsvc/0/alive 96000" },
      { at = 96000, timer = "nsvc/0/alive", "0 > alive", "timer nsvc/0/alive 99000" },
      { at = 97000, rx = "0 alive_ack", "cancel nsvc/0/alive", "timer nsvc/0/test 127000", "nsvc 0 up", "log info",
        "bvc 101/1234 up" },
    } },
  { name = "a silent peer that speaks is asked at once, not more than five times a second", config = "sns",
    given = given.SNS_CELL_UP, steps = {
      { at = 1, rx = "0 status cause=4 nsvci=0", "count ns_status_received_04", "log warn", "nsvc 0 down",
        "log warn", "bvc 101/1234 down", "cancel nsvc/0/test", "0 > alive", "timer nsvc/0/alive 3001" },
      { at = 2, rx = "0 alive", "0 > alive_ack" },
      { at = 202, rx = "0 alive", "0 > alive_ack", "0 > alive", "timer nsvc/0/alive 3202" },
      { at = 203, rx = "0 [0] bvc_unblock bvci=1234", "0 > [0] bvc_unblock_ack bvci=1234" },
      { at = 402, rx = "0 [0] bvc_unblock bvci=1234", "0 > alive", "timer nsvc/0/alive 3402",
        "0 > [0] bvc_unblock_ack bvci=1234" },
      { at = 403, rx = "0 status cause=4 nsvci=0", "count ns_status_received_04", "log warn" },
      { at = 404, rx = "0 alive_ack", "cancel nsvc/0/alive", "timer nsvc/0/test 30404", "nsvc 0 up", "log info",
        "bvc 101/1234 up" },
    } },
}
