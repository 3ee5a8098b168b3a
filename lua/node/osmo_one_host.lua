-- SPDX-License-Identifier: BSD-3-Clause
-- A node on the host of all its peers, as Osmocom's packages are set up: all addresses are of 127.0.0.0/8, and
-- 127.0.0.1 is both the node's and the kernel's.
--
--   osmo_one_host.PACKAGED         text: what osmo-sgsn of the package has besides its defaults
--   osmo_one_host.fill(state)      entries (node.osmo_take) for the addresses that no line gives, and the BSSs' network
--   osmo_one_host.objections(state)   lines: addresses that cannot be, see NETWORK; empty: none
--   osmo_one_host.head(entries)    the head of the node's text, with commands for the host's network
--
-- The kernel keeps what is sent to 127.0.0.1, where the HLR is, too. Rules before its own (ip-rule(8)) give the node
-- the datagrams of BSSs and GGSNs. A BSS is known by the node's port on Gb; a GGSN by its address, since it answers to
-- the ports of requests, which the node draws at random.

local ip_network = require "base.ip_network"
local osmo_take = require "node.osmo_take"

local osmo_one_host = {}

local NODE <const>, GGSN <const>, NETWORK <const> = "127.0.0.1", "127.0.0.2", "127.0.0.0/8"
local OTHER_HOST <const> = "programs of one host have addresses of 127.0.0.0/8; write one, or leave out --one-host"
local NO_GGSN <const> = "it is the node's, too; write another one for the GGSN"
local NS_PORT <const> = 23000
local ANY <const> = { ["0.0.0.0"] = true, ["::"] = true }

osmo_one_host.PACKAGED = [[
sgsn
 gtp local-ip 127.0.0.1
 ggsn 0 remote-ip 127.0.0.2
 authentication required
 auth-policy remote
 gsup remote-ip 127.0.0.1
ns
 bind udp local
  listen 127.0.0.1 23000
  accept-ipaccess
]]

local function given(address)
  return not ANY[address] and address or nil
end

local function entry_of(entries, path)
  for _, entry in ipairs(entries) do
    if entry.path == path then return entry end
  end
  return {}
end

function osmo_one_host.fill(state)
  local entries = {}
  for _, entry in ipairs(state.entries) do
    if entry.path ~= "nses_accepted.networks" then entries[#entries + 1] = entry end
    if entry.path == "phones.apns" then
      local apn = entry.value
      apn.sgsn_address, apn.ggsn_address = given(apn.sgsn_address) or NODE, apn.ggsn_address or GGSN
    end
  end
  entries[#entries + 1] = { path = "nses_accepted.networks", value = NETWORK, is_item = true }
  state.entries, state.line = entries, entry_of(entries, "gb.address").line
  osmo_take.put(state, "gb.address", given(entry_of(entries, "gb.address").value) or NODE)
  state.line = nil
  if state.policy == "hlr" and not entry_of(entries, "phones.hlr.address").value then
    osmo_take.put(state, "phones.hlr.address", NODE)
  end
end

-- Addresses on Gb and Gn, first those of the node: look(address, line, is_ggsn).
local function each_address(entries, look)
  local gb = entry_of(entries, "gb.address")
  look(gb.value or NODE, gb.line, false)
  for _, whose in ipairs({ "sgsn_address", "ggsn_address" }) do
    for _, entry in ipairs(entries) do
      if entry.path == "phones.apns" then look(entry.value[whose], entry.lines[whose], whose == "ggsn_address") end
    end
  end
end

function osmo_one_host.objections(state)
  local list, is_said, is_own = {}, {}, {}
  each_address(state.entries, function(address, line, is_ggsn)
    local is_here = ip_network.octets(address) and address:find("^127%.")
    local why = not is_here and OTHER_HOST or is_ggsn and is_own[address] and NO_GGSN or nil
    is_own[address] = is_own[address] or not is_ggsn
    if why and not is_said[address] then
      list[#list + 1] = ("%s:%d: address %s: %s"):format(state.filename, line, address, why)
    end
    is_said[address] = why
  end)
  return list
end

-- Of the GGSNs, each once.
local function ggsns_of(entries)
  local list, is_there = {}, {}
  for _, entry in ipairs(entries) do
    local address = entry.path == "phones.apns" and entry.value.ggsn_address
    if address and not is_there[address] then list[#list + 1] = address end
    is_there[address] = true
  end
  return list
end

-- A loopback address for the BSSs that no other program has.
local function bss_address(entries)
  local taken, last = {}, 1
  each_address(entries, function(address) taken[address] = true end)
  repeat last = last + 1 until not taken["127.0.0." .. last]
  return "127.0.0." .. last
end

local HEAD <const> = [[
-- Made by gbflow import-osmo --one-host. All keys: docs/reference/node.md.
--
-- All programs are on this host (docs/from-osmo-sgsn.md). Two veth pairs join the node, at gb0 and gn0, and the kernel,
-- at gb1 and gn1. The kernel sends there what BSSs send to %s, UDP port %d, and what GGSNs send to
-- %s by UDP. BSSs have the address %s. All else that is sent to these addresses stays with the kernel.
-- As root, after each start of the host and before that of the node:
--[=[ up
%s]=]
-- As root, to undo it when the node has ended:
--[=[ down
%s]=]
]]

local LINKS <const> = [[
ip link add gb0 type veth peer name gb1
ip link add gn0 type veth peer name gn1
for name in gb0 gb1 gn0 gn1; do ip link set $name up; done
for name in gb1 gn1; do
  sysctl -qw net.ipv4.conf.$name.route_localnet=1 net.ipv4.conf.$name.accept_local=1
  sysctl -qw net.ipv4.conf.$name.rp_filter=2 net.ipv4.conf.$name.arp_ignore=1
done
]]

local NO_LINKS <const> = [[
for name in gb0 gn0; do ip link del $name 2>/dev/null || true; done
]]

-- The kernel's own rule, which has priority 0, comes after these.
local LAST <const> = [[
ip rule add priority %d lookup local protocol kernel
ip rule del priority 0
]]

-- Rules are named by all that they say, as others may have their priority. Each line holds without its object, too:
-- the commands above may have ended half-way.
local KERNELS <const> = "ip rule add priority 0 lookup local protocol kernel 2>/dev/null || true\n"
local UNDO <const> = "while ip rule del %s 2>/dev/null; do :; done\n"

function osmo_one_host.head(entries)
  local gb, port = entry_of(entries, "gb.address").value or NODE, entry_of(entries, "gb.udp_port").value or NS_PORT
  local apn, bss, ggsns = entry_of(entries, "phones.apns").value or {}, bss_address(entries), ggsns_of(entries)
  local gn, up, down, last = apn.sgsn_address or NODE, { LINKS }, { KERNELS }, #ggsns + 2
  local function put(...) up[#up + 1] = (...):format(select(2, ...)) .. "\n" end
  local function put_rule(priority, ...)
    local rule = (...):format(select(2, ...))
    put("ip rule add priority %d %s", priority, rule)
    down[#down + 1] = UNDO:format(rule)
  end
  put("ip address add %s/32 dev gb1 scope host", bss)
  put("ip route add %s dev gb1 src %s table 23000", gb, bss)
  put_rule(1, "to %s ipproto udp dport %d lookup 23000", gb, port)
  put("ip route add %s dev gn1 table 2123", gn)
  for i, ggsn in ipairs(ggsns) do
    put("ip address add %s/32 dev gn1 scope host", ggsn)
    put_rule(i + 1, "from %s to %s ipproto udp lookup 2123", ggsn, gn)
  end
  up[#up + 1] = LAST:format(last)
  down[#down + 1] = UNDO:format(("priority %d lookup local protocol kernel"):format(last)) .. NO_LINKS
  return HEAD:format(gb, port, gn, bss, table.concat(up), table.concat(down))
end

return osmo_one_host
