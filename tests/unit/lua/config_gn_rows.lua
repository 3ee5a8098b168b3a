-- SPDX-License-Identifier: BSD-3-Clause
-- What is wrong with Gn and the addresses of contexts, as in config_bad_rows.

-- A key of the node before `lifetime`.
local function with(text, ...)
  return { "lifetime = {", text .. ", lifetime = {", ... }
end

local function mobile(addresses)
  return '{ imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, contexts = { { nsapi = 5, teid = 1, '
    .. 'ggsn_teid = 1, ' .. addresses .. ' } } },'
end

local function context(fields)
  return '{ imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, contexts = { { nsapi = 5, '
    .. 'sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", ' .. fields .. ' } } },'
end

local V6 <const> = 'sgsn_address = "2001:db8::1", ggsn_address = "2001:db8::2", '
local CONTEXT <const> = "n.lua:15: mobiles.list[1].contexts[1]"

return {
  pieces = {
    with('gn = { mtu = "575 octets" }',
      "n.lua:14: gn.mtu: size '575 octets' is out of range: 576 octets .. 9600 octets"),
    with('gn = { oversize = "truncate" }',
      "n.lua:14: gn.oversize: 'truncate' is not a known word: one of fragment, drop"),
    with('gn = { ecn = "drop" }', "n.lua:14: gn.ecn: 'drop' is not a known word: one of copy, clear"),
    with("gn = { dscp = { signalling = 64 } }", "n.lua:14: gn.dscp.signalling: 64 is out of range: 0 .. 63"),
    with('gn = { path = { every = "59 s" } }',
      "n.lua:14: gn.path.every: duration '59 s' is less than 60 s, which only `lab = true` allows"),
    with('gn = { path = { every = "50 ms", lab = true } }',
      "n.lua:14: gn.path.every: duration '50 ms' is out of range: 100 ms .. 86400 s"),
    with('gn = { gtpc = { retry = "10 ms" } }',
      "n.lua:14: gn.gtpc.retry: duration '10 ms' is out of range: 100 ms .. 86400 s"),
    with('gn = { ggsns = { { address = "10.98.0.1", user_networks = { "10.98.0.1/24" } } } }',
      "n.lua:14: gn.ggsns[1].user_networks[1]: '10.98.0.1/24' has bits set behind its prefix"),
    with('gn = { ggsns = { { address = "10.98.0.1", user_networks = { "10.98.0.0/33" } } } }',
      "n.lua:14: gn.ggsns[1].user_networks[1]: '10.98.0.0/33' is not an IP network: such as 192.0.2.0/24 or "
        .. "2001:db8::/32"),
    with('gn = { path = { n3 = 0 } }', "n.lua:14: gn.path.n3: 0 is out of range: 1 .. 20"),
    with('gn = { path = { echo = "gtpc" } }',
      "n.lua:14: gn.path.echo: 'gtpc' is not a known word: one of both, control, user"),
    with('gn = { path = { echo = "control" } }',
      "n.lua:14: gn.path.echo: 'control' has no effect without path.every, such as \"60 s\""),
    with('gn = { path = { on_loss = "panic" } }',
      "n.lua:14: gn.path.on_loss: 'panic' is not a known word: one of keep, delete"),
  },
  lists = {
    { mobile('sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1"'),
      CONTEXT .. ": needs address, ipv6_address or both" },
    { mobile('sgsn_address = "10.98.0.2", ggsn_address = "2001:db8::2", address = "10.45.0.1"'),
      CONTEXT .. ".ggsn_address: '2001:db8::2' is of another IP version than sgsn_address" },
    { mobile(V6 .. 'ipv6_address = "2001:db8::10.0.0.1"'),
      CONTEXT .. ".ipv6_address: '2001:db8::10.0.0.1' is not an IPv6 address of a host: such as 2001:db8::1" },
    { mobile('sgsn_address = "224.0.0.1", ggsn_address = "10.98.0.1", address = "10.45.0.1"'),
      CONTEXT .. ".sgsn_address: '224.0.0.1' is not an IP address of a host: such as 10.99.0.1 or 2001:db8::1" },
    { context('address = "10.45.0.1"'),
      CONTEXT .. ".ggsn_teid: missing; a context without `apn` needs it: 1 .. 4294967295" },
    { context('address = "10.45.0.1", ggsn_teid = 1, pdp_type = "ipv4"'),
      CONTEXT .. ".pdp_type: would not be used: it is for contexts with `apn`" },
    { context('apn = "internet", ggsn_teid = 1'),
      CONTEXT .. ".ggsn_teid: would not be used: with `apn` it is agreed on by GTP-C" },
    { context('apn = "internet", teid = 1'),
      CONTEXT .. ".teid: would not be used: with `apn` it is agreed on by GTP-C" },
    { context('apn = "internet", pdp_type = "ipv6", address = "10.45.0.1"'),
      CONTEXT .. ".address: is not an address of pdp_type \"ipv6\"" },
    { context('apn = "a..b"'), CONTEXT .. ".apn: 'a..b' has a label of 0 octets: 1 .. 63" },
    { context('apn = "x.mnc042.mcc262.gprs"'),
      CONTEXT .. ".apn: 'x.mnc042.mcc262.gprs' has an operator identifier: write 'x'" },
    { context('apn = "a_b"'), CONTEXT .. ".apn: 'a_b' is not a valid text: labels of letters, digits and -" },
    { context('apn = "internet", pdp_type = "ppp"'),
      CONTEXT .. ".pdp_type: 'ppp' is not a known word: one of ipv4, ipv6, ipv4v6, non_ip" },
  },
  texts = {},
}
