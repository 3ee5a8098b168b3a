-- SPDX-License-Identifier: BSD-3-Clause
-- The part of a node's schema that says how an NSE is reached: NS-VCs that are given, or those of IP-SNS.

local ip_network = require "base.ip_network"

local node_schema_ns = {}

local MOST_ENDPOINTS <const>, MOST_NSVCS <const>, MOST_NETWORKS <const> = 16, 63, 64

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

local MAC = { name = "mac", type = "mac", absent = "resolved by ARP or ND",
  doc = "MAC address of the BSS or of the router to it" }

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
  address("address", { absent = "`gb.address`", doc = "IP address of the endpoint" }),
  udp_port({ absent = "`gb.udp_port`", doc = "UDP port of the endpoint" }),
  weight("signalling_weight", "weight of BSSGP signalling from the BSS to this endpoint; 0: none"),
  weight("data_weight", "weight of user frames from the BSS to this endpoint; 0: none"),
} }

local function check_sns(sns, fail)
  for i, network in ipairs(sns.networks or {}) do
    local parsed, why = ip_network.parse(network)
    if not parsed then fail({ "networks", i }, string.format("'%s' %s", network, why)) end
  end
end

node_schema_ns.SNS = { name = "sns", type = "record", absent = "none: `nsvcs` apply", noun = "IP-SNS",
  check = check_sns,
  doc = "IP-SNS in place of `nsvcs`: the BSS configures the NS-VCs, starting from this address.", fields = {
    address("address", { required = true, doc = "the BSS's address" }),
    udp_port({ default = 23000, doc = "the BSS's UDP port" }),
    { name = "endpoints", type = "list", item = ENDPOINT, absent = "`gb.address` and `gb.udp_port`", min = 1,
      max = MOST_ENDPOINTS, doc = "Local endpoints with their weights." },
    { name = "networks", type = "list", max = MOST_NETWORKS, absent = "any that no other NSE has",
      item = { type = "string", max = 43, pattern = "^[%x.:/]+$", form = "an IP network such as 192.0.2.0/24" },
      doc = "Networks of the further addresses that the BSS may announce; other NSEs may not announce addresses in "
        .. "them." },
    integer("max_nsvcs", 1, MOST_NSVCS, { default = 16,
      doc = "maximum number of NS-VCs: pairs of a local endpoint and one of the BSS" }),
  } }

node_schema_ns.START = { name = "start", type = "enum", values = { "bss", "sgsn" }, default = "bss",
  doc = "sender of the first NS-RESET on `nsvcs`: the BSS, as with OsmoPCU, or gbflow, which repeats it until it is "
    .. "acknowledged. IP-SNS is always started by the BSS" }

return node_schema_ns
