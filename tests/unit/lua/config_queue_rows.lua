-- SPDX-License-Identifier: BSD-3-Clause
-- What is wrong with how packets wait and are let go, as in config_bad_rows.

-- A key of the node before `lifetime`.
local function with(text, ...)
  return { "lifetime = {", text .. ", lifetime = {", ... }
end

-- Keys of the NSE.
local function nse(text, ...)
  return { "nsei = 101,", "nsei = 101, " .. text .. ",", ... }
end

local MOBILE = '{ imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, contexts = { { nsapi = 5, pfi = %d, '
  .. 'teid = 1, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", ggsn_teid = 1, address = "10.45.0.1" } } },'

return {
  pieces = {
    with("queues = { weights = { streaming = 0 } }",
      "n.lua:14: queues.weights.streaming: 0 is out of range: 1 .. 65535"),
    with("queues = { weights = { streming = 900 } }",
      "n.lua:14: queues.weights.streming: unknown key 'streming'; did you mean 'streaming'?"),
    with("queues = { class = { thp4 = { packets = 5 } } }",
      "n.lua:14: queues.class.thp4: unknown key 'thp4'; did you mean 'thp1'?"),
    with("queues = { class = { voice = { packets = 5 } } }",
      "n.lua:14: queues.class.voice: unknown key 'voice'; allowed keys: signalling, sms, conversational, streaming, "
        .. "thp1, thp2, thp3, background"),
    with('queues = { class = { thp1 = { packets = 0, octets = "10 octets" } } }',
      "n.lua:14: queues.class.thp1.octets: size '10 octets' is out of range: 1503 octets .. 1000000 MB",
      "n.lua:14: queues.class.thp1.packets: 0 is out of range: 1 .. 4294967295"),
    with('queues = { class = { thp1 = { order = "lifo" } } }',
      "n.lua:14: queues.class.thp1.order: 'lifo' is not a known word: one of mobiles, fifo, sfq; did you mean 'fifo'?"),
    with('queues = { flow_queues = 4, class = { thp1 = { order = "mobiles" }, thp2 = { order = "fifo" } } }',
      "n.lua:14: queues.class.thp2.order: \"fifo\" serves a class in order of arrival, `flow_queues` by 5-tuple; "
        .. "remove one"),
    with('queues = { flow_order = "sfq" }',
      "n.lua:14: queues.flow_order: \"sfq\" is an order of flow queues; `flow_queues` says how many there are"),
    with('queues = { credit = "6000 octets" }',
      "n.lua:14: queues.credit: a credit is one of start tags: give a class `order = \"sfq\"`, or all of them by "
        .. "`discipline = \"q\"`"),
    with('queues = { mobile_quantum = "1300 octets", class = { thp1 = { order = "fifo" } } }',
      "n.lua:14: queues.mobile_quantum: a quantum is one of start tags: give a class `order = \"sfq\"`, or all of them "
        .. "by `discipline = \"q\"`"),
    with('queues = { share = "airtime", class = { thp1 = { order = "mobiles" } } }',
      "n.lua:14: queues.share: \"airtime\" is charged to start tags: give a class `order = \"sfq\"`, or all of them by "
        .. "`discipline = \"q\"`"),
    with("queues = { class = { 5 } }",
      "n.lua:14: queues.class[1]: key 1 is not text"),
    with("queues = { class = 5 }",
      "n.lua:14: queues.class: 5 where a table belongs: a table with some of the keys signalling, sms, conversational, "
        .. "streaming, thp1, thp2, thp3, background"),
    with("queues = { mobile = { packets = 65536 } }",
      "n.lua:14: queues.mobile.packets: 65536 is out of range: 1 .. 65535"),
    with('queues = { flow_queues = 1, flow_quantum = "255 octets", flow_sets = -1 }',
      "n.lua:14: queues.flow_quantum: size '255 octets' is out of range: 256 octets .. 65535 octets",
      "n.lua:14: queues.flow_queues: 1 is out of range: 2 .. 64",
      "n.lua:14: queues.flow_sets: -1 is out of range: 0 .. 4194304"),
    with('queues = { mobile_quantum = "0 octets" }',
      "n.lua:14: queues.mobile_quantum: size '0 octets' is out of range: 40 octets .. 65535 octets"),
    with("queues = { budget_packets = 32767 }",
      "n.lua:14: queues.budget_packets: 32831 with all that may wait is more than limits.npdu_buffers, 32767"),
    with("limits = { npdu_buffers = 64 }",
      "n.lua:1: queues.reserve_packets: 65 with all that may wait is more than limits.npdu_buffers, 64"),
    with('flow_control = { bss_target = "0 s", rate_factor = "99.5 %" }',
      "n.lua:14: flow_control.bss_target: duration '0 s' is out of range: 1 ms .. 600 s",
      "n.lua:14: flow_control.rate_factor: share '99.5 %' is not a multiple of 1 %: 1 % .. 1000 %"),
    nse('gb = { rate = "999 bit/s", signalling_share = "0 %" }',
      "n.lua:5: nses[1].gb.rate: rate '999 bit/s' is out of range: 1 kbit/s .. 100 Gbit/s",
      "n.lua:5: nses[1].gb.signalling_share: share '0 %' is out of range: 1 % .. 100 %"),
    nse('features = { "pfc", "pfcfc" }',
      "n.lua:5: nses[1].features[2]: 'pfcfc' is not a known word: one of pfc, cbl, inr, pfc_fc, gigabit; "
        .. "did you mean 'pfc_fc'?"),
    { 'address = "10.99.0.1"', 'address = "10.99.0.1", overhead_octets = "-65 octets"',
      "n.lua:2: gb.overhead_octets: size '-65 octets' is out of range: -64 octets .. 191 octets" },
  },
  lists = {
    { MOBILE:format(4), "n.lua:15: mobiles.list[1].contexts[1].pfi: 4 is reserved: 0 .. 3 or 8 .. 127" },
    { MOBILE:format(128), "n.lua:15: mobiles.list[1].contexts[1].pfi: 128 is out of range: 0 .. 127" },
  },
}
