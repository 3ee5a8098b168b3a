-- SPDX-License-Identifier: BSD-3-Clause
-- The keys of ESP on Gn and Gb of a node (node.capabilities): what is protected. The associations, with their keys,
-- are in a file of their own (lua/esp/schema.lua).

local ip_network = require "base.ip_network"

local esp = {}

local MOST_RULES <const> = 64
local NETWORK <const> = "an IP network or address such as 192.0.2.0/24 or 2001:db8::1"

local function network(name, doc)
  return { name = name, type = "string", max = 43, pattern = "^[%x.:/]+$", form = NETWORK, absent = "any", doc = doc }
end

local function port(name, doc)
  return { name = name, type = "integer", min = 1, max = 65535, absent = "any", doc = doc }
end

-- The checked rule has the octets and the bits of a network, too.
local function take_network(rule, key, fail)
  local text = rule[key]
  if not text then return end
  local whole = text:find("/", 1, true) and text or text .. (text:find(":", 1, true) and "/128" or "/32")
  local net, why = ip_network.parse(whole)
  if not net then
    fail({ key }, ("'%s' %s"):format(text, why))
  elseif (#net.octets == 16) ~= (rule.ip == "ipv6") then
    fail({ key }, ("'%s': not of ip = \"%s\""):format(text, rule.ip))
  else
    rule[key .. "_octets"], rule[key .. "_bits"] = net.octets, net.bits
  end
end

local function check_rule(rule, fail)
  take_network(rule, "remote", fail)
  take_network(rule, "local_address", fail)
  if rule.action ~= "protect" and rule.sas then
    fail({ "sas" }, ("'%s': only a rule that protects has associations"):format(rule.sas))
  elseif (rule.local_port or rule.remote_port) and not rule.protocol then
    fail({ "protocol" }, "is missing: ports are those of udp, tcp or sctp")
  end
end

local RULE <const> = { type = "record", noun = "a rule", check = check_rule, fields = {
  network("remote", "addresses of the other end"),
  network("local_address", "addresses of the node"),
  { name = "ip", type = "enum", values = { "ipv4", "ipv6" }, default = "ipv4", doc = "version of the packets" },
  { name = "protocol", type = "enum", values = { "udp", "tcp", "sctp", "icmp", "icmpv6" }, absent = "any",
    doc = "protocol of the packets" },
  port("local_port", "port of the node"), port("remote_port", "port of the other end"),
  { name = "action", type = "enum", values = { "protect", "pass", "drop" }, default = "protect",
    doc = "protect: packets come and leave in ESP alone. pass: they come and leave as they are" },
  { name = "sas", type = "string", max = 31, pattern = "^[%w_-]+$", form = "a name of letters, digits, _ and -",
    absent = "those of IKE", doc = "name of the associations in `esp.keys` that protect these packets" },
} }

local function side(name, title)
  return { name = name, type = "record", noun = "esp." .. name, absent = "no ESP",
    doc = "ESP on " .. title .. ". Neighbour Discovery and ARP always pass.", fields = {
      { name = "rules", type = "list", item = RULE, min = 1, max = MOST_RULES, required = true,
        doc = "Rules in their order; the first that fits a packet holds." },
      { name = "others", type = "enum", values = { "drop", "pass" }, default = "drop",
        doc = "packets that no rule fits" },
    } }
end

local function check_sas(record, name, fail)
  for i, rule in ipairs(record[name] and record[name].rules or {}) do
    if rule.action == "protect" and not rule.sas and not record.ike then
      fail({ name, "rules", i, "sas" }, "is missing: a rule that protects names its associations in esp.keys")
    elseif rule.sas and not record.keys then
      fail({ name, "rules", i, "sas" }, ("'%s': esp.keys is missing, the file of these"):format(rule.sas))
    end
  end
end

local function check(record, fail)
  if not record.gn and not record.gb then fail({}, "has neither gn nor gb: name what is to be protected") end
  if not record.keys and not record.ike then
    fail({}, "has neither keys nor ike: name the file of the associations, or whence IKE's come")
  end
  for _, name in ipairs { "gn", "gb" } do check_sas(record, name, fail) end
end

local IKE <const> = { name = "ike", type = "record", noun = "esp.ike", absent = "none",
  doc = "Associations and policies are those of an IKE daemon in a network namespace, which gives them to its kernel "
    .. "(docs/esp.md). Its policies hold before the rules.", fields = {
    { name = "netns", type = "string", max = 255, pattern = "^[%w_./-]+$", form = "a name, or a path",
      absent = "the node's", doc = "network namespace of the daemon: a name below /run/netns, or a path" },
    { name = "interface", type = "string", max = 15, pattern = "^[%w_.-]+$", form = "a name of an interface",
      default = "gbflow-ike", doc = "TUN device there, for the daemon's own packets" },
  } }

local ESP <const> = { name = "esp", type = "record", noun = "esp", absent = "no ESP", check = check,
  doc = "ESP (RFC 4303) on the ports of a live node.", fields = {
    { name = "keys", type = "string", absent = "none", max = 255,
      doc = "file with the associations, of mode 0600; relative to the folder of the configuration (docs/esp.md)" },
    { name = "device", type = "enum",
      values = { "auto", "ipsec_mb", "crypto_aesni_gcm", "crypto_aesni_mb", "crypto_openssl" }, default = "auto",
      doc = "crypto device of DPDK, or ipsec_mb: IPsec-mb without a device, for AES-GCM alone. auto: for each "
        .. "association the first in this order that has its algorithms" },
    IKE, side("gn", "Gn"), side("gb", "Gb"),
  } }

esp.FIELDS = { ESP }

esp.CHANGES = {
  { "esp", restart = "guards are put on ports, and crypto devices opened, at the start" },
  { "esp.gn", at_once = "rules change between two bursts of a worker",
    presence = "a guard is put on the port at the start" },
  { "esp.gb", at_once = "likewise", presence = "a guard is put on the port at the start" },
}

-- SA_OVERHEAD_MAX_OCTETS of dataplane/esp/sa.h. The associations, whose modes and suites decide, are in another file
-- and may change while the node runs.
local MOST_OCTETS <const> = 105

-- The most octets by which ESP makes a packet on Gb longer. Policies of IKE hold before the rules.
function esp.gb_octets(node)
  if node.esp and node.esp.gb and node.esp.ike then return MOST_OCTETS end
  for _, rule in ipairs(node.esp and node.esp.gb and node.esp.gb.rules or {}) do
    if rule.action == "protect" then return MOST_OCTETS end
  end
  return 0
end

return esp

