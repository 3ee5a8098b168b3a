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
    doc = "network of the destinations; default: all others" },
  { name = "via", type = "ipv4", absent = "on the link", doc = "address of the next hop" },
} }

local NEIGHBOUR = { type = "record", noun = "a neighbour", fields = {
  { name = "address", type = "ipv4", required = true, doc = "IP address of the neighbour" },
  { name = "mac", type = "mac", required = true, doc = "MAC address of the neighbour" },
} }

local function list(name, item, max, rest)
  rest.name, rest.type, rest.item, rest.max = name, "list", item, max
  return rest
end

-- The fields of one side with those of its link at their end.
function node_schema_live.with_link(side, fields)
  fields[#fields + 1] = { name = "port", type = "string", absent = "none", max = 200, pattern = "^[%w_:.,=/@-]+$",
    form = "a DPDK device such as net_af_packet0,iface=eth1",
    doc = "DPDK device of " .. side .. " in a live node: a virtual device with its arguments "
      .. "(`net_af_packet0,iface=eth1`), or a PCI address" }
  fields[#fields + 1] = list("routes", ROUTE, MOST_ROUTES, { default = {},
    doc = "Static routes; the longest prefix applies. A destination without a route is on the link." })
  fields[#fields + 1] = list("neighbours", NEIGHBOUR, MOST_NEIGHBOURS, { default = {},
    doc = "Static MAC addresses, for which no ARP is sent." })
  return fields
end

node_schema_live.ADDRESSES = list("addresses", { type = "ipv4" }, MOST_ADDRESSES, { default = {},
  doc = "Further local addresses on Gn that answer ARP and ping, besides those of tunnels." })

node_schema_live.LIVE = { name = "live", type = "record", default = {}, noun = "live", doc = "Settings of a live node.",
  fields = {
    { name = "idle", type = "enum", values = { "sleep", "poll" }, default = "sleep",
      doc = "an idle worker sleeps for a short time, or polls its ports without sleeping" },
    { name = "max_sleep", type = "duration", min = "10 us", max = "10 ms", default = "250 us",
      doc = "longest sleep of an idle worker; an arriving packet may wait for this time" },
    list("cores", { type = "integer", min = 0, max = 1023 }, 16, { absent = "the last CPUs of the affinity mask",
      doc = "CPU numbers of the workers, in the order of the workers" }),
    { name = "log_lines", type = "integer", min = 1, max = 1000, default = 10,
      doc = "maximum number of log lines per second; the number of suppressed lines is logged" },
    { name = "metrics", type = "record", absent = "off", noun = "live.metrics",
      doc = "Metrics for Prometheus over HTTP (docs/watch.md).", fields = {
        { name = "address", type = "ip", default = "127.0.0.1", doc = "local address of the HTTP server" },
        { name = "port", type = "integer", min = 1, max = 65535, default = 9469, doc = "its TCP port" },
        { name = "mobiles", type = "integer", min = 0, max = 10000, default = 0,
          doc = "export metrics of each of the first so many mobiles; each mobile has about 15 time series" },
      } },
  } }

node_schema_live.EAL = { name = "eal", type = "record", default = {}, noun = "eal",
  doc = "DPDK environment (EAL) of a live node.", fields = {
    { name = "prefix", type = "string", default = "gbflow", max = 30, pattern = "^[%w_-]+$",
      form = "letters, digits, _ and -",
      doc = "file prefix of this DPDK process; also names the folder of its telemetry socket" },
    { name = "huge_pages", type = "enum", values = { "auto", "yes", "no" }, default = "auto",
      doc = "use huge pages. auto: if enough are free" },
    { name = "memory", type = "octets", min = "64 MiB", max = "1000000 MB", absent = "computed from `limits`",
      doc = "memory for packet buffers and tables" },
    list("arguments", { type = "string" }, 32, { default = {}, doc = "Further EAL arguments, as in DPDK's manual." }),
  } }

return node_schema_live
