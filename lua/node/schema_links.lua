-- SPDX-License-Identifier: BSD-3-Clause
-- The part of a node's configuration that says how it is connected: the devices and links of its ports, how an NSE is
-- reached, and Gn.

local ip_network = require "base.ip_network"
local node_check = require "node.check"
local schema = require "schema.schema"

local links = {}

local FORM <const> = "is not an IPv4 network: such as 192.0.2.0/24, or default"
local MOST_ADDRESSES <const>, MOST_NEIGHBOURS <const>, MOST_ROUTES <const> = 32, 256, 64
local MOST_ENDPOINTS <const>, MOST_NSVCS <const>, MOST_NETWORKS <const> = 16, 63, 64
local MOST_GGSNS <const> = 256

-- The part of a node's schema that only a live node uses: which devices its ports are, who is on their links, how its
-- workers run, what DPDK is told. The checked routes have `address` and `bits` in place of a network as text.

local function check_route(route, fail)
  if route.to == "default" then
    route.address, route.bits = "0.0.0.0", 0
    return
  end
  local network, why = ip_network.parse(route.to)
  if network then
    route.address, route.bits = route.to:match("^[%d.]+"), network.bits
  else
    fail({ "to" }, string.format("'%s' %s", route.to, why == ip_network.FORM and FORM or why))
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
function links.with_link(side, fields)
  fields[#fields + 1] = { name = "port", type = "string", absent = "none", max = 200, pattern = "^[%w_:.,=/@-]+$",
    form = "a DPDK device such as net_af_packet0,iface=eth1",
    doc = "DPDK device of " .. side .. " in a live node: a virtual device with its arguments "
      .. "(`net_af_packet0,iface=eth1`), or a PCI address" }
  fields[#fields + 1] = { name = "vlan", type = "integer", min = 1, max = 4094, absent = "no tag",
    doc = "VLAN identifier: frames are sent with this tag, and received frames with another tag or none are "
      .. "dropped. Without it frames are sent without a tag, and received with any tag or none" }
  fields[#fields + 1] = { name = "offloads", type = "enum", values = { "auto", "none" }, default = "auto",
    doc = "auto: the device does what it can and what saves time, such as UDP checksums over IPv6 and VLAN tags; none: "
      .. "the node does it all" }
  fields[#fields + 1] = { name = "promiscuous", type = "boolean", default = false,
    doc = "the device receives frames to all MAC addresses" }
  fields[#fields + 1] = list("routes", ROUTE, MOST_ROUTES, { default = {},
    doc = "Static routes; the longest prefix applies. A destination without a route is on the link." })
  fields[#fields + 1] = list("neighbours", NEIGHBOUR, MOST_NEIGHBOURS, { default = {},
    doc = "Static MAC addresses, for which no ARP is sent." })
  return fields
end

links.ADDRESSES = list("addresses", { type = "ip" }, MOST_ADDRESSES, { default = {},
  doc = "Further local addresses on Gn that answer ARP or Neighbour Discovery, and ping, besides those of tunnels." })

links.LIVE = { name = "live", type = "record", default = {}, noun = "live", doc = "Settings of a live node.",
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

links.EAL = { name = "eal", type = "record", default = {}, noun = "eal",
  doc = "DPDK environment (EAL) of a live node.", fields = {
    { name = "prefix", type = "string", default = "gbflow", max = 30, pattern = "^[%w_-]+$",
      form = "letters, digits, _ and -",
      doc = "file prefix of this DPDK process; also names the folder of its sockets" },
    { name = "huge_pages", type = "enum", values = { "auto", "yes", "no" }, default = "auto",
      doc = "use huge pages. auto: if enough are free" },
    { name = "shared", type = "boolean", default = false,
      doc = "DPDK's tools can attach: dpdk-proc-info and dpdk-dumpcap (docs/serve.md). Needs huge pages and a mounted "
        .. "hugetlbfs; a killed node leaves its pages until the next start" },
    { name = "memory", type = "octets", min = "64 MiB", max = "1000000 MB", absent = "computed from `limits`",
      doc = "memory for packet buffers and tables" },
    list("arguments", { type = "string" }, 32, { default = {}, doc = "Further EAL arguments, as in DPDK's manual." }),
  } }

-- The part of a node's schema that says how an NSE is reached: NS-VCs that are given, or those of IP-SNS.

local integer = schema.integer

local function address(name, rest)
  rest.name, rest.type = name, "ip"
  return rest
end

local function udp_port(rest)
  return integer("udp_port", 1, 65535, rest)
end

local MAC = { name = "mac", type = "mac", absent = "resolved by ARP or ND",
  doc = "MAC address of the BSS or of the router to it" }

links.NSVC = { type = "record", noun = "an NS-VC", fields = {
  integer("nsvci", 0, 65535, { required = true, doc = "NS-VCI, unique in the node" }),
  address("address", { required = true, doc = "the BSS's address" }),
  udp_port({ default = 23000, doc = "the BSS's UDP port" }),
  MAC,
} }

local function weight(name, doc)
  return integer(name, 0, 255, { default = 1, doc = doc })
end

local ENDPOINT = { type = "record", noun = "an endpoint", fields = {
  address("address", { absent = "`gb.address`", doc = "IP address of the endpoint" }),
  udp_port({ absent = "`gb.udp_port`", doc = "UDP port of the endpoint" }),
  weight("signalling_weight", "weight of BSSGP signalling from the BSS to this endpoint; 0: none"),
  weight("data_weight", "weight of user frames from the BSS to this endpoint; 0: none"),
} }

function links.check_networks(networks, key, fail)
  for i, network in ipairs(networks or {}) do
    local parsed, why = ip_network.parse(network)
    if not parsed then fail({ key, i }, string.format("'%s' %s", network, why)) end
  end
end

local function check_sns(sns, fail)
  links.check_networks(sns.networks, "networks", fail)
end

links.SNS = { name = "sns", type = "record", absent = "none: `nsvcs` apply", noun = "IP-SNS",
  check = check_sns,
  doc = "IP-SNS in place of `nsvcs`: the BSS configures the NS-VCs, starting from this address.", fields = {
    address("address", { required = true, doc = "the BSS's address" }),
    udp_port({ default = 23000, doc = "the BSS's UDP port" }),
    { name = "endpoints", type = "list", item = ENDPOINT, absent = "`gb.address` and `gb.udp_port`", min = 1,
      max = MOST_ENDPOINTS, doc = "Local endpoints with their weights. The BSS may begin at each of them, and at "
        .. "`gb.address`." },
    { name = "networks", type = "list", max = MOST_NETWORKS, absent = "any that no other NSE has",
      item = { type = "string", max = 43, pattern = "^[%x.:/]+$", form = "an IP network such as 192.0.2.0/24" },
      doc = "Networks of the further addresses that the BSS may announce; other NSEs may not announce addresses in "
        .. "them." },
    integer("max_nsvcs", 1, MOST_NSVCS, { default = 16,
      doc = "maximum number of NS-VCs: pairs of a local endpoint and one of the BSS" }),
  } }

links.START = { name = "start", type = "enum", values = { "bss", "sgsn" }, default = "bss",
  doc = "sender of the first NS-RESET on `nsvcs`: the BSS, as with OsmoPCU, or gbflow, which repeats it until it is "
    .. "acknowledged. IP-SNS is always started by the BSS" }

-- DSCP of the IP packets that the node sends on a side.
local function dscp(name, doc)
  return { name = name, type = "integer", min = 0, max = 63, default = 0, doc = doc }
end

function links.dscp(side, signalling, copied)
  return { name = "dscp", type = "record", default = {}, noun = "dscp",
    doc = "DSCP (RFC 2474) of the IP packets that the node sends on " .. side .. ".", fields = {
      { name = "copy", type = "boolean", default = false,
        doc = copied .. " have the DSCP of the user's IP packet, in place of that of their traffic class" },
      dscp("signalling", "of " .. signalling),
      dscp("conversational", "of users' packets of class conversational"),
      dscp("streaming", "of class streaming"),
      dscp("thp1", "of class interactive, traffic handling priority 1"),
      dscp("thp2", "of the same, priority 2"),
      dscp("thp3", "of the same, priority 3"),
      dscp("background", "of class background"),
    } }
end

-- Procedures that BSSs carry out in different ways; `fields` with these keys, of `nses` and nses_accepted.

local BSS_WAYS <const> = {
  { name = "unblock", type = "enum", values = { "auto", "bss", "sgsn" }, default = "auto",
    doc = "sender of NS-UNBLOCK after an NS-RESET of the BSS. bss: the BSS alone, whenever it likes; sgsn: gbflow at "
      .. "once; auto: the BSS, as OsmoPCU, and gbflow if it has not come in `timers.ns.block`, or at once with "
      .. "`start = \"sgsn\"`" },
  { name = "bvc_reset_after", type = "duration", min = "1 s", max = "3600 s",
    absent = "only the BSS resets its cells",
    doc = "gbflow sends BVC-RESET for each cell that the BSS has not reset in this time, and again after it, while the "
      .. "NSE is up; for BSSs that keep their cells over a restart of the SGSN" },
  { name = "bvc_reset", type = "enum", values = { "cells", "signalling" }, default = "cells",
    doc = "what `bvc_reset_after` resets. cells: the cells alone; signalling: also BVCI 0, once after each start of "
      .. "NS, if the BSS says that it does not know a cell while none is in service. osmo-gbproxy needs that after a "
      .. "restart of the SGSN; it resets the cells of all SGSNs behind it" },
  { name = "flush_ll", type = "boolean", default = true,
    doc = "send FLUSH-LL to the cell that a mobile has left; false for a BSS that takes it for an error. OsmoPCU and "
      .. "osmo-sgsn do without" },
}

function links.with_ways(fields)
  return table.move(BSS_WAYS, 1, #BSS_WAYS, #fields + 1, fields)
end

-- The part of a node's configuration that is about Gn.

function links.mac(name, doc)
  return { name = name, type = "mac", absent = "the device's", doc = doc }
end

-- Also part of a scenario.
links.PATH = schema.group("path", "Supervision of the paths to GGSNs by Echo Requests (TS 29.281 §7.2.1).", {
  { name = "every", type = "duration", min = "100 ms", max = "86400 s", absent = "no Echo Requests",
    doc = "interval of Echo Requests on each path that contexts use; at least 60 s, less with `lab`" },
  { name = "echo", type = "enum", values = { "both", "control", "user" }, default = "both",
    doc = "paths with Echo Requests: of GTP-C and GTP-U, of GTP-C alone (port 2123) as osmo-sgsn has them, or of GTP-U "
      .. "alone (port 2152). Echo Requests of GGSNs are always answered" },
  { name = "t3", type = "duration", min = "10 ms", max = "120 s", default = "5 s",
    doc = "T3-RESPONSE: time for the answer" },
  { name = "n3", type = "integer", min = 1, max = 20, default = 3,
    doc = "N3-REQUESTS: number of unanswered Echo Requests after which the path is down" },
  { name = "on_loss", type = "enum", values = { "keep", "delete" }, default = "keep",
    doc = "keep or delete the contexts of a path that is down" },
  { name = "lab", type = "boolean", default = false, doc = "allow `every` below 60 s, for tests" },
}, node_check.path)

local MOST_HOURS <const> = 14

local function check_gtpc(gtpc, fail)
  local hours, minutes = (gtpc.time_zone or "+00:00"):match("(%d%d):(%d%d)")
  local quarters = hours * 4 + minutes // 15
  if minutes % 15 ~= 0 or quarters > MOST_HOURS * 4 then
    fail({ "time_zone" }, ("'%s': must be of quarters of an hour, -14:00 to +14:00"):format(gtpc.time_zone))
  end
end

local function check_ggsn(ggsn, fail)
  links.check_networks(ggsn.user_networks, "user_networks", fail)
end

local GGSN = { type = "record", noun = "a GGSN", check = check_ggsn, fields = {
  { name = "address", type = "ip", required = true, doc = "address of the GGSN, as `ggsn_address` of its contexts" },
  { name = "user_networks", type = "list", max = MOST_NETWORKS, default = {},
    item = { type = "string", max = 43, pattern = "^[%x.:/]+$", form = "an IP network such as 192.0.2.0/24" },
    doc = "Networks, such as 192.0.2.0/24 or 2001:db8::/32, of the further addresses that the GGSN may name in its "
      .. "answers, for signalling and for user packets." },
} }

local FIELDS <const> = links.with_link("Gn", {
  links.mac("mac", "local MAC address on Gn"),
  { name = "peer_mac", type = "mac", absent = "resolved for each next hop",
    doc = "MAC address of the router or GGSN on Gn, for all packets" },
  links.ADDRESSES,
  { name = "mtu", type = "octets", min = "576 octets", max = "9600 octets", default = "1500 octets",
    doc = "largest IP packet towards the GGSN, and above 1500 octets the MTU of the device; "
      .. "over IPv6 a value below 1280 octets counts as 1280 octets"
      .. "; packets have this size with ESP"
  },
  { name = "oversize", type = "enum", values = { "fragment", "drop" }, default = "fragment",
    doc = "send G-PDUs longer than `mtu` in IP fragments, or drop and count them" },
  { name = "ecn", type = "enum", values = { "copy", "clear" }, default = "copy",
    doc = "ECN of the outer headers of G-PDUs (RFC 6040): that of the user's packet; or none, for GGSNs that do not "
      .. "carry CE back into it" },
  links.dscp("Gn", "GTP-C, Echo Requests and answers", "G-PDUs"),
  { name = "check_uplink", type = "boolean", default = true,
    doc = "drop uplink packets from addresses that are not the mobile's, and to addresses of the network" },
  { name = "uplink_any_destination", type = "boolean", default = false,
    doc = "send uplink packets also to loopback, unspecified, broadcast, multicast and IPv4-mapped addresses" },
  links.PATH,
  { name = "ggsns", type = "list", item = GGSN, max = MOST_GGSNS, default = {},
    doc = "GGSNs with more addresses than the `ggsn_address` of their contexts." },
  schema.group("gtpc", "GTP-C towards GGSNs (TS 29.060), for contexts with an `apn`; `path` has T3, N3 and Echo.", {
    { name = "retry", type = "duration", min = "100 ms", max = "86400 s", default = "5 s",
      doc = "time after which gbflow sends Create PDP Context Request again for a context that was refused, not "
        .. "answered or lost" },
    { name = "restart_file", type = "string", max = 255, absent = "derived from the time",
      doc = "file with the restart counter, which tells GGSNs that gbflow has restarted; a node that ends without a "
        .. "context, here or left at a GGSN, keeps its counter" },
    { name = "time_zone", type = "string", absent = "the host's, with its daylight saving time", max = 6,
      pattern = "^[+-]%d%d:[0-5]%d$", form = "+HH:MM or -HH:MM",
      doc = "time zone of the mobiles (MS Time Zone), in quarters of an hour, such as \"+05:30\"" },
    { name = "charging", type = "enum", values = { "normal", "prepaid", "flat_rate", "hot_billing" },
      default = "normal", doc = "charging characteristics (TS 32.298) of contexts for which the HLR gives none" },
    { name = "needs_address", type = "boolean", default = false,
      doc = "refuses a Create PDP Context Response without an address for a context that asked for a dynamic one; "
        .. "else the context carries packets of any address" },
  }, check_gtpc),
})

links.GN = schema.group("gn", "The Gn interface. The addresses of tunnels are those of the contexts.", FIELDS)

return links
