-- SPDX-License-Identifier: BSD-3-Clause
-- What a BSS has sent before a scenario begins.

local gb_given = {}

gb_given.NS_UP = {
  "0 reset cause=1 nsei=101 nsvci=1800",
  "0 unblock",
  "0 alive_ack",
}

gb_given.BVC_RESET = "0 [0] bvc_reset bvci=1234 cause=8 cell_id=001-01-13135-0-20960"

gb_given.CELL_UP = {
  "0 reset cause=1 nsei=101 nsvci=1800",
  "0 unblock",
  "0 alive_ack",
  "0 [0] bvc_reset bvci=0 cause=8",
  gb_given.BVC_RESET,
  "0 [0] bvc_unblock bvci=1234",
  "0 [1234] flow_control_bvc tag=1 bucket_octets=100000 rate_bps=80000 ms_bucket_octets=25000 ms_rate_bps=20000",
}

gb_given.CELL_BLOCKED = { table.unpack(gb_given.CELL_UP) }
table.insert(gb_given.CELL_BLOCKED, "0 [0] bvc_block bvci=1234 cause=8")

-- Both NS-VCs and both cells of the configuration "two_nsvcs".
gb_given.TWO_UP = {
  "0 reset cause=1 nsei=101 nsvci=1800",
  "0 unblock",
  "0 alive_ack",
  "1 reset cause=1 nsei=101 nsvci=1801",
  "1 unblock",
  "1 alive_ack",
  "0 [0] bvc_reset bvci=0 cause=8",
  gb_given.BVC_RESET,
  "1 [0] bvc_reset bvci=1235 cause=8 cell_id=001-01-13135-0-20961",
}

-- IP-SNS with one endpoint of the BSS, which is where it began.
gb_given.SNS_SIZE = "0 sns_size nsei=101 reset_flag=yes max_nsvcs=8 ip4_endpoints=1"
gb_given.SNS_CONFIG = "0 sns_config end_flag=yes nsei=101 ip4_list=10.99.0.2:23000/1/1"
gb_given.SNS_UP = { gb_given.SNS_SIZE, gb_given.SNS_CONFIG, "0 sns_config_ack nsei=101", "0 alive_ack" }
gb_given.SNS_CELL_UP = { gb_given.SNS_SIZE, gb_given.SNS_CONFIG, "0 sns_config_ack nsei=101", "0 alive_ack",
  "0 [0] bvc_reset bvci=0 cause=8", gb_given.BVC_RESET }

return gb_given
