-- SPDX-License-Identifier: BSD-3-Clause
-- Warnings of what a live node can be given, and has no use for.
--
--   check_live.check(node, warn)   a node whose values are right

local ip_network = require "base.ip_network"
local below = require("schema.keylines").below

local check_live = { LOOPBACK = "is a loopback address" } -- in each warning of such an address

-- A worker has one of live.cores, in turn (control/base/eal.c).
local function check_cores(node, warn)
  local cores, workers, worker_of = node.live.cores or {}, node.workers, {}
  for i, cpu in ipairs(cores) do
    local other = worker_of[cpu]
    local what = i > workers and ("CPU %d gets no worker, workers is %d: raise workers, or take the CPU out")
      :format(cpu, workers) or other and ("workers %d and %d share CPU %d: name another one"):format(other, i - 1, cpu)
    if what then warn({ "live", "cores", i }, what) end
    worker_of[cpu] = other or i - 1
  end
  if #cores > 0 and #cores < workers then
    warn({ "live", "cores" }, ("%d CPUs, workers is %d: some workers share a CPU; name %d"):format(#cores, workers,
      workers))
  end
end

-- Remedies where a port has frames of a link. Hosts drop frames with addresses of 127.0.0.0/8 or ::1 that come from a
-- link (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3); Linux takes those of 127.0.0.0/8 from an interface of its own, if it is
-- told to (node.osmo_one_host). With other ports, such as net_memif, and with the interface lo, all may be one host.
local CARD <const> = "hosts drop packets from or to it that come through %s; take %s on its network"
local INTERFACE <const> = "without the commands of `gbflow import-osmo --one-host` the kernel drops packets from "
  .. "or to it that come through %s; type them if all programs are on this host, else take %s on its network"

local function remedy_of(port, address)
  if port and port:find("^%x+:%x+[:.]") then return CARD end
  local is_interface = port and (port:find("^net_af_") or port:find("^net_tap")) and not port:find("iface=lo%f[,%z]")
  return is_interface and (address == "::1" and CARD or INTERFACE) or nil
end

-- warn_of(keys, address, whose)
local function addresses_of_gb(node, warn_of)
  warn_of({ "gb", "address" }, node.gb.address, "the node's")
  for i, nse in ipairs(node.nses) do
    for j, nsvc in ipairs(nse.nsvcs) do warn_of({ "nses", i, "nsvcs", j, "address" }, nsvc.address, "the BSS's") end
    if nse.sns then warn_of({ "nses", i, "sns", "address" }, nse.sns.address, "the BSS's") end
  end
end

local function addresses_of_gn(node, warn_of)
  local function tunnel(keys, from)
    warn_of(below(keys, "sgsn_address"), from.sgsn_address, "the node's")
    warn_of(below(keys, "ggsn_address"), from.ggsn_address, "the GGSN's")
  end
  for i, mobile in ipairs(node.mobiles.list) do
    for j, context in ipairs(mobile.contexts) do tunnel({ "mobiles", "list", i, "contexts", j }, context) end
  end
  for i, apn in ipairs(node.phones and node.phones.apns or {}) do tunnel({ "phones", "apns", i }, apn) end
end

-- One for each port.
local function check_loopback(node, warn, port, addresses_of)
  local is_said = false
  addresses_of(node, function(keys, address, whose)
    local remedy = not is_said and ip_network.is_loopback(address) and remedy_of(port, address)
    if not remedy then return end
    is_said = true
    warn(keys, ("%s %s: " .. remedy):format(address, check_live.LOOPBACK, port, whose))
  end)
end

-- A node that phones leave for its restart, and come back to.
local function check_restart_file(node, warn)
  local pool = node.phones and node.phones.pool
  if not (pool and pool.nri_bits > 0 and node.gn and node.gn.port) or node.gn.gtpc.restart_file then return end
  warn({ "phones", "pool" }, "without gn.gtpc.restart_file GGSNs take each start for one that has lost contexts, "
    .. "also when no phone was here; set it")
end

function check_live.check(node, warn)
  check_cores(node, warn)
  check_loopback(node, warn, node.gb and node.gb.port, addresses_of_gb)
  check_loopback(node, warn, node.gn and node.gn.port, addresses_of_gn)
  check_restart_file(node, warn)
end

return check_live
