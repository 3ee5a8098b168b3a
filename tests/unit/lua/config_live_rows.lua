-- SPDX-License-Identifier: BSD-3-Clause
-- What is wrong with what only a live node uses, as in config_bad_rows.

-- A key of the node before `lifetime`.
local function with(text, ...)
  return { "lifetime = {", text .. ", lifetime = {", ... }
end

local function route(text, ...)
  return with("gn = { routes = { { " .. text .. " } } }", ...)
end

local FORM <const> = "is not an IPv4 network: such as 192.0.2.0/24, or default"

return {
  pieces = {
    route('to = "10.0.0.0/33"', "n.lua:14: gn.routes[1].to: '10.0.0.0/33' " .. FORM),
    route('to = "10.0.0/8"', "n.lua:14: gn.routes[1].to: '10.0.0/8' " .. FORM),
    route('to = "10.0.0.256/32"', "n.lua:14: gn.routes[1].to: '10.0.0.256/32' " .. FORM),
    route('to = "077.0.2.0/24"', "n.lua:14: gn.routes[1].to: '077.0.2.0/24' " .. FORM),
    route('to = "10.0.0.1"', "n.lua:14: gn.routes[1].to: '10.0.0.1' " .. FORM),
    route('to = "10.0.0.1/8"', "n.lua:14: gn.routes[1].to: '10.0.0.1/8' has bits set behind its prefix"),
    route('to = "default", via = "10.0.0"',
      "n.lua:14: gn.routes[1].via: '10.0.0' is not an IPv4 address: such as 10.99.0.1"),
    route('via = "10.0.0.1"', "n.lua:14: gn.routes[1].to: missing; a route needs it: an IPv4 network such as "
      .. "192.0.2.0/24, or default"),
    with('gn = { neighbours = { { address = "10.0.0.1", mac = "01:00:00:00:00:01" } } }',
      "n.lua:14: gn.neighbours[1].mac: '01:00:00:00:00:01' is not a unicast MAC address: such as 02:00:00:00:00:01"),
    with('gn = { port = "net_ring0; x" }',
      "n.lua:14: gn.port: 'net_ring0; x' is not a valid text: a DPDK device such as net_af_packet0,iface=eth1"),
    with('gn = { addresses = { "192.0.2.1", "" } }',
      "n.lua:14: gn.addresses[2]: '' is not an IP address of a host: such as 10.99.0.1 or 2001:db8::1"),
    with('live = { idle = "doze" }', "n.lua:14: live.idle: 'doze' is not a known word: one of sleep, poll"),
    with('live = { max_sleep = "9 us" }', "n.lua:14: live.max_sleep: duration '9 us' is out of range: 10 us .. 10 ms"),
    with("live = { cores = { 1024 } }", "n.lua:14: live.cores[1]: 1024 is out of range: 0 .. 1023"),
    with("live = { log_lines = 0 }", "n.lua:14: live.log_lines: 0 is out of range: 1 .. 1000"),
    with("live = { metrics = { port = 0 } }", "n.lua:14: live.metrics.port: 0 is out of range: 1 .. 65535"),
    with('eal = { prefix = "../x" }', "n.lua:14: eal.prefix: '../x' is not a valid text: letters, digits, _ and -"),
    with('eal = { huge_pages = true }', "n.lua:14: eal.huge_pages: true where text belongs: one of auto, yes, no"),
    with('eal = { memory = "63 MiB" }',
      "n.lua:14: eal.memory: size '63 MiB' is out of range: 67108864 octets .. 1000000 MB"),
  },
  lists = {},
  texts = {},
}
