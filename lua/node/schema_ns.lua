-- SPDX-License-Identifier: BSD-3-Clause
-- The part of a node's schema that says how an NSE is reached: NS-VCs that are given, or those of IP-SNS.

local node_schema_ns = {}

local MOST_ENDPOINTS <const>, MOST_NSVCS <const> = 16, 63

local function integer(name, min, max, rest)
  rest.name, rest.type, rest.min, rest.max = name, "integer", min, max
  return rest
end

local function address(name, rest)
  rest.name, rest.type = name, "ip"
  return rest
end

local function udp_port(rest)
  return integer("udp_port", 1, 65535, rest)
end

local MAC = { name = "mac", type = "mac", absent = "found out", doc = "the BSS's MAC address, or the router's" }

node_schema_ns.NSVC = { type = "record", noun = "an NS-VC", fields = {
  integer("nsvci", 0, 65535, { required = true, doc = "NS-VCI, unique in the node" }),
  address("address", { required = true, doc = "the BSS's address" }),
  udp_port({ default = 23000, doc = "the BSS's UDP port" }),
  MAC,
} }

local function weight(name, doc)
  return integer(name, 0, 255, { default = 1, doc = doc })
end

local ENDPOINT = { type = "record", noun = "an endpoint", fields = {
  address("address", { absent = "`gb.address`", doc = "its address" }),
  udp_port({ absent = "`gb.udp_port`", doc = "its UDP port" }),
  weight("signalling_weight", "the share of BSSGP signalling that the BSS shall send here; 0: none"),
  weight("data_weight", "the share of users' frames likewise"),
} }

node_schema_ns.SNS = { name = "sns", type = "record", absent = "`nsvcs` are given", noun = "IP-SNS",
  doc = "In place of `nsvcs`: the BSS says by IP-SNS how it is reached, from this address to `gb.address`.", fields = {
    address("address", { required = true, doc = "the BSS's address" }),
    udp_port({ default = 23000, doc = "the BSS's UDP port" }),
    { name = "endpoints", type = "list", item = ENDPOINT, absent = "`gb.address` and `gb.udp_port`", min = 1,
      max = MOST_ENDPOINTS, doc = "Our endpoints, with our weights." },
    integer("max_nsvcs", 1, MOST_NSVCS, { default = 16,
      doc = "NS-VCs that there can be: pairs of an endpoint of ours and one of the BSS's" }),
  } }

node_schema_ns.START = { name = "start", type = "enum", values = { "bss", "sgsn" }, default = "bss",
  doc = "who sends the first NS-RESET on `nsvcs`; the BSS, as OsmoPCU does, or we, again and again. IP-SNS is always "
    .. "begun by the BSS" }

return node_schema_ns
