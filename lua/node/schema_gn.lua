-- SPDX-License-Identifier: BSD-3-Clause
-- The part of a node's configuration that is about Gn.

local ip_network = require "base.ip_network"
local live = require "node.schema_live"
local node_check = require "node.check"

local node_schema_gn = {}

local function mac(name, doc)
  return { name = name, type = "mac", absent = "the device's", doc = doc }
end

-- A group of settings that all have defaults, so that it can be left out.
local function group(name, doc, fields, check)
  return { name = name, type = "record", default = {}, doc = doc, fields = fields, noun = name, check = check }
end

-- Also part of a scenario.
node_schema_gn.PATH = group("path", "Supervision of the paths to GGSNs by Echo Requests (TS 29.281 §7.2.1).", {
  { name = "every", type = "duration", min = "100 ms", max = "86400 s", absent = "no Echo Requests",
    doc = "interval of Echo Requests on each path that contexts use; at least 60 s, less with `lab`" },
  { name = "t3", type = "duration", min = "10 ms", max = "120 s", default = "5 s",
    doc = "T3-RESPONSE: time for the answer" },
  { name = "n3", type = "integer", min = 1, max = 20, default = 3,
    doc = "N3-REQUESTS: number of unanswered Echo Requests after which the path is down" },
  { name = "on_loss", type = "enum", values = { "keep", "delete" }, default = "keep",
    doc = "keep or delete the contexts of a path that is down" },
  { name = "lab", type = "boolean", default = false, doc = "allow `every` below 60 s, for tests" },
}, node_check.path)

local MOST_GGSNS <const>, MOST_NETWORKS <const> = 256, 64

local function check_ggsn(ggsn, fail)
  for i, network in ipairs(ggsn.user_networks) do
    local parsed, why = ip_network.parse(network)
    if not parsed then fail({ "user_networks", i }, string.format("'%s' %s", network, why)) end
  end
end

local GGSN = { type = "record", noun = "a GGSN", check = check_ggsn, fields = {
  { name = "address", type = "ip", required = true, doc = "address of the GGSN, as `ggsn_address` of its contexts" },
  { name = "user_networks", type = "list", max = MOST_NETWORKS, default = {},
    item = { type = "string", max = 43, pattern = "^[%x.:/]+$", form = "an IP network such as 192.0.2.0/24" },
    doc = "Networks, such as 192.0.2.0/24 or 2001:db8::/32, of the further addresses that the GGSN may name in its "
      .. "answers, for signalling and for user packets." },
} }

local FIELDS <const> = live.with_link("Gn", {
  mac("mac", "local MAC address on Gn"),
  { name = "peer_mac", type = "mac", absent = "resolved for each next hop",
    doc = "MAC address of the router or GGSN on Gn, for all packets" },
  live.ADDRESSES,
  { name = "mtu", type = "octets", min = "576 octets", max = "9216 octets", default = "1500 octets",
    doc = "largest IP packet towards the GGSN; over IPv6 a value below 1280 octets counts as 1280 octets" },
  { name = "oversize", type = "enum", values = { "fragment", "drop" }, default = "fragment",
    doc = "send G-PDUs longer than `mtu` in IP fragments, or drop and count them" },
  { name = "check_uplink", type = "boolean", default = true,
    doc = "drop uplink packets from addresses that are not the mobile's, and to addresses of the network" },
  { name = "uplink_any_destination", type = "boolean", default = false,
    doc = "send uplink packets also to loopback, unspecified, broadcast, multicast and IPv4-mapped addresses" },
  node_schema_gn.PATH,
  { name = "ggsns", type = "list", item = GGSN, max = MOST_GGSNS, default = {},
    doc = "GGSNs with more addresses than the `ggsn_address` of their contexts." },
  group("gtpc", "GTP-C towards GGSNs (TS 29.060), for contexts with an `apn`; `path` has T3, N3 and Echo.", {
    { name = "retry", type = "duration", min = "100 ms", max = "86400 s", default = "5 s",
      doc = "time after which gbflow sends Create PDP Context Request again for a context that was refused, not "
        .. "answered or lost" },
    { name = "restart_file", type = "string", max = 255, absent = "derived from the time",
      doc = "file with the restart counter, which tells GGSNs that gbflow has restarted" },
  }),
})

node_schema_gn.GN = group("gn", "The Gn interface. The addresses of tunnels are those of the contexts.", FIELDS)

return node_schema_gn
