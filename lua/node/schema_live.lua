-- SPDX-License-Identifier: BSD-3-Clause
-- The part of a node's schema that only a live node uses: which devices its ports are, who is on their links, how its
-- workers run, what DPDK is told. The checked routes have `address` and `bits` in place of a network as text.

local scalar = require "schema.scalar"

local node_schema_live = {}

local FORM <const> = "is not an IPv4 network: such as 192.0.2.0/24, or default"
local MOST_ADDRESSES <const>, MOST_NEIGHBOURS <const>, MOST_ROUTES <const> = 32, 256, 64

-- "192.0.2.0/24" -> "192.0.2.0", 24; or nil and what is wrong.
local function network_of(text)
  local address, bits = text:match("^([%d.]+)/(%d%d?)$")
  local value = address and scalar.ipv4_number(address)
  bits = value and math.tointeger(tonumber(bits))
  if not value or bits > 32 then return nil, FORM end
  if value & ((1 << (32 - bits)) - 1) ~= 0 then return nil, "has bits set behind its prefix" end
  return address, bits
end

local function check_route(route, fail)
  if route.to == "default" then
    route.address, route.bits = "0.0.0.0", 0
    return
  end
  local address, rest = network_of(route.to)
  if address then
    route.address, route.bits = address, rest
  else
    fail({ "to" }, string.format("'%s' %s", route.to, rest))
  end
end

local ROUTE = { type = "record", noun = "a route", check = check_route, fields = {
  { name = "to", type = "string", required = true, max = 18, pattern = "^[%w./]+$",
    form = "an IPv4 network such as 192.0.2.0/24, or default",
    doc = "the destinations, as a network; default: all others" },
  { name = "via", type = "ipv4", absent = "on the link", doc = "the router that takes packets there" },
} }

local NEIGHBOUR = { type = "record", noun = "a neighbour", fields = {
  { name = "address", type = "ipv4", required = true, doc = "its IP address" },
  { name = "mac", type = "mac", required = true, doc = "its MAC address; it is not asked for" },
} }

local function list(name, item, max, rest)
  rest.name, rest.type, rest.item, rest.max = name, "list", item, max
  return rest
end

-- The fields of one side with those of its link at their end.
function node_schema_live.with_link(side, fields)
  fields[#fields + 1] = { name = "port", type = "string", absent = "none", max = 200, pattern = "^[%w_:.,=/@-]+$",
    form = "a DPDK device such as net_af_packet0,iface=eth1",
    doc = "DPDK device of " .. side .. ", for a live node: a virtual one with its arguments "
      .. "(`net_af_packet0,iface=eth1`) or a PCI address" }
  fields[#fields + 1] = list("routes", ROUTE, MOST_ROUTES, { default = {},
    doc = "Static routes; the longest prefix wins. Without one that fits, a destination is on the link." })
  fields[#fields + 1] = list("neighbours", NEIGHBOUR, MOST_NEIGHBOURS, { default = {},
    doc = "MAC addresses that are not asked for by ARP." })
  return fields
end

node_schema_live.ADDRESSES = list("addresses", { type = "ipv4" }, MOST_ADDRESSES, { default = {},
  doc = "Addresses of ours on Gn that answer ARP and ping besides those of the tunnels." })

node_schema_live.LIVE = { name = "live", type = "record", default = {}, noun = "live", doc = "How a live node runs.",
  fields = {
    { name = "idle", type = "enum", values = { "sleep", "poll" }, default = "sleep",
      doc = "what a worker does that has nothing to do: sleep a little, or ask its ports again and again" },
    { name = "max_sleep", type = "duration", min = "10 us", max = "10 ms", default = "250 us",
      doc = "the longest such sleep, which a packet may have to wait for" },
    list("cores", { type = "integer", min = 0, max = 1023 }, 16, { absent = "the last ones that we may use",
      doc = "CPU of each worker, in turn" }),
    { name = "log_lines", type = "integer", min = 1, max = 1000, default = 10,
      doc = "lines of the log in a second, at the most; how many were left out is said" },
  } }

node_schema_live.EAL = { name = "eal", type = "record", default = {}, noun = "eal",
  doc = "DPDK's environment, for a live node.", fields = {
    { name = "prefix", type = "string", default = "gbflow", max = 30, pattern = "^[%w_-]+$",
      form = "letters, digits, _ and -",
      doc = "name of this process among DPDK's, and of the folder with its telemetry socket" },
    { name = "huge_pages", type = "enum", values = { "auto", "yes", "no" }, default = "auto",
      doc = "auto: when enough of them are free" },
    { name = "memory", type = "octets", min = "64 MiB", max = "1000000 MB", absent = "what `limits` need",
      doc = "memory for packet buffers and tables" },
    list("arguments", { type = "string" }, 32, { default = {}, doc = "More arguments, as DPDK's manual lists them." }),
  } }

return node_schema_live
