-- SPDX-License-Identifier: BSD-3-Clause
-- Constraints of the NS-VCs and IP-SNS of NSEs.

local node_check_ns = {}

-- Whether an address is one of IPv6.
function node_check_ns.is_ipv6(address)
  return address:find(":", 1, true) ~= nil
end

local function check_version(node, address, keys, fail)
  if node_check_ns.is_ipv6(address) ~= node_check_ns.is_ipv6(node.gb.address) then
    fail(keys, string.format("'%s' is of another IP version than gb.address", address))
  end
end

local function check_nsvcs(node, i, seen, fail)
  for j, nsvc in ipairs(node.nses[i].nsvcs) do
    local keys = { "nses", i, "nsvcs", j }
    local endpoint = nsvc.address .. ":" .. nsvc.udp_port
    check_version(node, nsvc.address, { "nses", i, "nsvcs", j, "address" }, fail)
    seen.nsvci(nsvc.nsvci, { "nses", i, "nsvcs", j, "nsvci" })
    seen.endpoint(endpoint, keys)
    if nsvc.address == node.gb.address then
      fail({ "nses", i, "nsvcs", j, "address" }, string.format("'%s' is our own address (gb.address)", nsvc.address))
    end
  end
end

-- Checks the address at which IP-SNS begins, and the local endpoints; fills in their defaults.
local function check_sns(node, i, seen, fail)
  local sns = node.nses[i].sns
  local place = { "nses", i, "sns" }
  seen.endpoint(sns.address .. ":" .. sns.udp_port, place)
  check_version(node, sns.address, { "nses", i, "sns", "address" }, fail)
  if sns.address == node.gb.address then
    fail({ "nses", i, "sns", "address" }, string.format("'%s' is our own address (gb.address)", sns.address))
  end
  sns.own_address, sns.own_port = node.gb.address, node.gb.udp_port
  sns.endpoints = sns.endpoints or { { signalling_weight = 1, data_weight = 1 } }
  local own, signalling, data = seen.own(), 0, 0
  for j, endpoint in ipairs(sns.endpoints) do
    endpoint.address = endpoint.address or node.gb.address
    endpoint.udp_port = endpoint.udp_port or node.gb.udp_port
    check_version(node, endpoint.address, { "nses", i, "sns", "endpoints", j, "address" }, fail)
    own(endpoint.address .. ":" .. endpoint.udp_port, { "nses", i, "sns", "endpoints", j })
    signalling, data = signalling + endpoint.signalling_weight, data + endpoint.data_weight
  end
  if signalling == 0 or data == 0 then
    fail({ "nses", i, "sns", "endpoints" }, "the sums of signalling_weight and of data_weight have to be 1 or more")
  end
  if #sns.endpoints > sns.max_nsvcs then
    fail({ "nses", i, "sns", "max_nsvcs" }, string.format("%d is less than the %d local endpoints", sns.max_nsvcs,
      #sns.endpoints))
  end
end

-- Checks the NSE number i. seen: sets that report duplicates, by their contents; seen.own() makes one.
function node_check_ns.ways(node, i, seen, fail)
  local nse = node.nses[i]
  if nse.sns and #nse.nsvcs > 0 then
    fail({ "nses", i, "sns" }, "an NSE has nsvcs or sns, not both")
  elseif nse.sns and nse.start == "sgsn" then
    fail({ "nses", i, "start" }, "'sgsn' with sns: the BSS always begins IP-SNS")
  elseif nse.sns then
    check_sns(node, i, seen, fail)
  elseif #nse.nsvcs == 0 then
    fail({ "nses", i }, "needs nsvcs or sns")
  end
  check_nsvcs(node, i, seen, fail)
end

return node_check_ns
