-- SPDX-License-Identifier: BSD-3-Clause
-- The part of a node's configuration that is about Gn.

local live = require "node.schema_live"
local node_check = require "node.check"

local node_schema_gn = {}

local function mac(name, doc)
  return { name = name, type = "mac", absent = "found out", doc = doc }
end

-- A group of settings that all have defaults, so that it can be left out.
local function group(name, doc, fields, check)
  return { name = name, type = "record", default = {}, doc = doc, fields = fields, noun = name, check = check }
end

-- Also part of a scenario.
node_schema_gn.PATH = group("path", "Supervision of the paths to GGSNs by Echo Requests (TS 29.281 §7.2.1).", {
  { name = "every", type = "duration", min = "100 ms", max = "86400 s", absent = "none are sent",
    doc = "an Echo Request so often on each path that contexts use; 60 s at least, less with `lab`" },
  { name = "t3", type = "duration", min = "10 ms", max = "120 s", default = "5 s",
    doc = "T3-RESPONSE: for the answer" },
  { name = "n3", type = "integer", min = 1, max = 20, default = 3,
    doc = "N3-REQUESTS: an Echo Request is sent so often before the path is down" },
  { name = "on_loss", type = "enum", values = { "keep", "delete" }, default = "keep",
    doc = "contexts of a path that is down" },
  { name = "lab", type = "boolean", default = false, doc = "allow `every` below 60 s: for tests" },
}, node_check.path)

local FIELDS <const> = live.with_link("Gn", {
  mac("mac", "our MAC address on Gn"),
  mac("peer_mac", "MAC address of the router or GGSN on Gn, for all packets"),
  live.ADDRESSES,
  { name = "mtu", type = "octets", min = "576 octets", max = "9216 octets", default = "1500 octets",
    doc = "largest IP packet towards the GGSN; over IPv6 at least 1280 octets are sent" },
  { name = "oversize", type = "enum", values = { "fragment", "drop" }, default = "fragment",
    doc = "G-PDUs longer than `mtu`: sent in IP fragments, or dropped and counted" },
  { name = "check_uplink", type = "boolean", default = true,
    doc = "drop what mobiles send from other addresses than theirs, or to the network's own" },
  node_schema_gn.PATH,
  group("gtpc", "GTP-C towards GGSNs (TS 29.060), for contexts with an `apn`; T3, N3 and Echo as `path` says.", {
    { name = "retry", type = "duration", min = "100 ms", max = "86400 s", default = "5 s",
      doc = "a context that was refused, not answered or lost is asked for again after so long" },
    { name = "restart_file", type = "string", max = 255, absent = "derived from the time",
      doc = "file that keeps our restart counter, by which GGSNs see that we began anew" },
  }),
})

node_schema_gn.GN = group("gn", "The side of the GGSNs. Addresses of tunnels come from the sessions.", FIELDS)

return node_schema_gn
