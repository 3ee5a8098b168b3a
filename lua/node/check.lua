-- SPDX-License-Identifier: BSD-3-Clause
-- Constraints between the keys of a node's configuration. Values are checked ones: base units, defaults filled in.

local capabilities = require "node.capabilities"
local check_live = require "node.check_live"
local keylines = require "schema.keylines"
local node_check_contexts = require "node.check_contexts"
local radio = require "node.radio"
local units = require "base.units"

local node_check = {}

local unique, names_of = keylines.unique, require("schema.scalar").first_of

local FLOW_QUEUES <const>, MOBILE_QUANTUM <const>, CREDIT <const> = 32, 1300, 6000

-- CoDel for each flow queue, whose last packet is exempt.
local function codel()
  return { scheme = "codel", scope = "flow", ecn = true, target = 5000000, interval = 100000000, mtu = 0 }
end
local LEAST_FLOW_SETS <const>, MOBILES_PER_FLOW_SET <const>, MOST_FLOW_SETS <const> = 64, 16, 65536
-- UDP/IPv4 28, NS 4, BSSGP with all but a mobile's radio values 40, LLC address, control and FCS 6.
local HEADERS_OCTETS <const>, IPV6_MORE_OCTETS <const> = 78, 20
local LLC_OCTETS <const> = 6
local MOST_CELLS <const> = 65000 -- their index has 16 bits
local MAX_STEPS <const> = 65535 -- of a 16-bit bucket size or rate
local LARGEST_TLLI <const> = 0xFFFFFFFF
local LEAST_LINK_OCTETS <const> = 3200 -- of a link's bucket: two frames
local MOST_LINK_OCTETS <const> = 6553500000
local MOST_IPV6_ENDS <const> = 1024 -- of tunnels
local LEAST_ECHO_NS <const> = 60 * 1000000000 -- between Echo Requests on a path, 29.281 §7.2.1

-- Values that follow from `queues.discipline`. Keys that were given keep their values, but orders do not.

local CLASSES <const> = { "conversational", "streaming", "thp1", "thp2", "thp3", "background" }

local function is_q(queues)
  return queues.discipline == "q"
end

local function fill_in_q(queues)
  for _, name in ipairs(CLASSES) do
    queues.class[name] = queues.class[name] or {}
    queues.class[name].order = "sfq"
  end
  queues.flow_order = "sfq"
  queues.flow_queues = queues.flow_queues or FLOW_QUEUES
  queues.credit = queues.credit or CREDIT
  queues.aqm = queues.aqm or codel()
  queues.mobile_quantum = queues.mobile_quantum or MOBILE_QUANTUM
end

local function fill_in_queues(queues)
  if is_q(queues) then fill_in_q(queues) end
  for _, class in pairs(queues.class) do class.order = class.order or "mobiles" end
  queues.flow_order = queues.flow_order or "drr"
  if queues.drop_duplicates == nil then queues.drop_duplicates = is_q(queues) or #(queues.pacing.classes or {}) > 0 end
end

-- With start tags an idle mobile keeps its set: with q each has one.
local function flow_sets(queues, mobiles)
  local wanted = is_q(queues) and math.min(mobiles, MOST_FLOW_SETS) or mobiles // MOBILES_PER_FLOW_SET
  return math.max(LEAST_FLOW_SETS, wanted)
end

-- Constraints of the NS-VCs and IP-SNS of NSEs.

local function check_version(node, address, keys, fail)
  if node_check_contexts.is_ipv6(address) ~= node_check_contexts.is_ipv6(node.gb.address) then
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

-- nse: also nses_accepted; keys: its place.
local function check_bvc_reset(nse, keys, fail)
  if nse.bvc_reset ~= "signalling" or nse.bvc_reset_after then return end
  keys[#keys + 1] = "bvc_reset"
  fail(keys, "'signalling' without bvc_reset_after: nothing is reset; say after which time")
end

-- Checks the NSE number i. seen: sets that report duplicates, by their contents; seen.own() makes one.
local function check_ways(node, i, seen, fail)
  local nse = node.nses[i]
  if nse.sns and #nse.nsvcs > 0 then
    fail({ "nses", i, "sns" }, "an NSE has nsvcs or sns, not both")
  elseif nse.sns and nse.start == "sgsn" then
    fail({ "nses", i, "start" }, "'sgsn' with sns: the BSS always begins IP-SNS")
  elseif nse.sns and nse.unblock ~= "auto" then
    fail({ "nses", i, "unblock" }, string.format("'%s' with sns: NS-VCs of IP-SNS are never blocked; leave it out",
      nse.unblock))
  elseif nse.sns then
    check_sns(node, i, seen, fail)
  elseif #nse.nsvcs == 0 then
    fail({ "nses", i }, "needs nsvcs or sns")
  end
  check_nsvcs(node, i, seen, fail)
  check_bvc_reset(nse, { "nses", i }, fail)
end

-- Queues

local FEATURES <const> = { "pfc", "cbl", "inr", "pfc_fc", "gigabit" }

local function check_aqm(queues, aqm, keys, fail)
  if aqm and aqm.scope == "flow" and not queues.flow_queues then
    fail(keys, "\"flow\" is one of the mobile's flow queues; `flow_queues` says how many there are")
  end
end

-- Without `scope` a scheme has an instance per flow queue, if there are any, else per mobile.
local function has_order(queues, order)
  for _, class in pairs(queues.class) do
    if class.order == order then return true end
  end
  return false
end

function node_check.queues(queues, fail)
  fill_in_queues(queues)
  if queues.share == "airtime" and not has_order(queues, "sfq") then
    fail({ "share" }, "\"airtime\" is charged to start tags: give a class `order = \"sfq\"`, or all of them by "
      .. "`discipline = \"q\"`")
  end
  if (queues.credit or 0) > 0 and not has_order(queues, "sfq") then
    fail({ "credit" }, "a credit is one of start tags: give a class `order = \"sfq\"`, or all of them by "
      .. "`discipline = \"q\"`")
  end
  if queues.mobile_quantum and not has_order(queues, "sfq") then
    fail({ "mobile_quantum" }, "a quantum is one of start tags: give a class `order = \"sfq\"`, or all of them by "
      .. "`discipline = \"q\"`")
  end
  if queues.flow_order == "sfq" and not queues.flow_queues then
    fail({ "flow_order" }, "\"sfq\" is an order of flow queues; `flow_queues` says how many there are")
  end
  check_aqm(queues, queues.aqm, { "aqm", "scope" }, fail)
  for name, class in pairs(queues.class) do
    check_aqm(queues, class.aqm, { "class", name, "aqm", "scope" }, fail)
    if class.order == "fifo" and queues.flow_queues then
      fail({ "class", name, "order" },
        "\"fifo\" serves a class in order of arrival, `flow_queues` by 5-tuple; remove one")
    end
  end
end

local function cell_name(id)
  return string.format("%s-%s-%d-%d-%d", id.mcc, id.mnc, id.lac, id.rac, id.ci)
end

-- A cell is in one of its NSE's routeing areas. gb.areas says the same of BVC-RESET.
local function check_area(nse, id, keys, fail)
  for _, area in ipairs(nse.routeing_areas or { {} }) do
    local is_in = true
    for field, value in pairs(area) do is_in = is_in and id[field] == value end
    if is_in then return end
  end
  fail(keys, string.format("routeing area %s-%s-%d-%d is in none of routeing_areas of the NSE", id.mcc, id.mnc, id.lac,
    id.rac))
end

local function check_nses(node, fail)
  local seen = { nsei = unique(fail, "NSEI"), nsvci = unique(fail, "NS-VCI"), endpoint = unique(fail, "endpoint"),
    cell_id = unique(fail, "cell identity"), own = function() return unique(fail, "endpoint") end }
  for i, nse in ipairs(node.nses) do
    seen.nsei(nse.nsei, { "nses", i, "nsei" })
    check_ways(node, i, seen, fail)
    local bvci = unique(fail, "BVCI")
    for j, cell in ipairs(nse.cells) do
      bvci(cell.bvci, { "nses", i, "cells", j, "bvci" })
      check_area(nse, cell.cell_id, { "nses", i, "cells", j, "cell_id" }, fail)
      seen.cell_id(cell_name(cell.cell_id), { "nses", i, "cells", j, "cell_id" })
    end
  end
end

-- NSEs without `worker` are assigned to workers in turn, the first to worker 0.
local function deal_nses(node, fail)
  for i, nse in ipairs(node.nses) do
    nse.is_dealt = nse.worker == nil
    nse.worker = nse.worker or (i - 1) % node.workers
    if nse.worker >= node.workers then
      fail({ "nses", i, "worker" }, string.format("%d is out of range, workers is %d: 0 .. %d", nse.worker,
        node.workers, node.workers - 1))
    end
  end
end

local function add(ordered, member)
  if not ordered.set[member] then
    ordered.set[member] = true
    ordered.list[#ordered.list + 1] = member
  end
end

-- NSEI -> { set = {[bvci] = true}, list = {bvci...} }; all BVCIs likewise; NSEIs in order.
local function cells_by_nse(node)
  local by_nse, all, nseis = {}, { set = {}, list = {} }, {}
  for i, nse in ipairs(node.nses) do
    local cells = { set = {}, list = {} }
    for _, cell in ipairs(nse.cells) do
      add(cells, cell.bvci)
      add(all, cell.bvci)
    end
    by_nse[nse.nsei], nseis[i] = cells, nse.nsei
  end
  return by_nse, all, nseis
end

local function check_bvci(cells, nsei, bvci, keys, fail)
  if not cells.set[bvci] then
    local form = "%d is no cell of NSE %d: one of %s"
    fail(keys, form:format(bvci, nsei, names_of(cells.list)))
  end
end

-- The cells of learned mobiles with their NSEs; a BVCI in several NSEs counts for each of them.
local function homes_of(node)
  local wanted, homes = node.mobiles.cells or { false }, {}
  for _, bvci in ipairs(wanted) do
    for _, nse in ipairs(node.nses) do
      for _, cell in ipairs(nse.cells) do
        if not bvci or cell.bvci == bvci then
          homes[#homes + 1] = { nsei = nse.nsei, bvci = cell.bvci }
        end
      end
    end
  end
  return homes
end

local function check_learning(node, all, fail)
  local mobiles = node.mobiles
  for i, bvci in ipairs(mobiles.cells or {}) do
    if not all.set[bvci] then
      fail({ "mobiles", "cells", i }, string.format("%d is no cell of nses: one of %s", bvci, names_of(all.list)))
    end
  end
  if mobiles.first_tlli + node.limits.mobiles - 1 > LARGEST_TLLI then
    fail({ "mobiles", "first_tlli" }, string.format("0x%X leaves no room for %s: 0x80000000 .. 0x%X",
      mobiles.first_tlli, units.counted(node.limits.mobiles, "mobile"), LARGEST_TLLI - node.limits.mobiles + 1))
  end
end

local function check_home(mobile, keys, by_nse, nseis, fail)
  if #nseis == 0 then return end
  mobile.nsei = mobile.nsei or nseis[1]
  local cells = by_nse[mobile.nsei]
  if cells then
    check_bvci(cells, mobile.nsei, mobile.bvci, { keys[1], keys[2], keys[3], "bvci" }, fail)
  else
    fail({ keys[1], keys[2], keys[3], "nsei" }, string.format("%d is no NSE of nses: one of %s", mobile.nsei,
      names_of(nseis)))
  end
end

local function check_list(node, by_nse, nseis, fail)
  local imsi, tlli, teid = unique(fail, "IMSI"), unique(fail, "TLLI"), unique(fail, "TEID")
  local contexts, ends = 0, {}
  for i, mobile in ipairs(node.mobiles.list) do
    local keys = { "mobiles", "list", i }
    imsi(mobile.imsi, { "mobiles", "list", i, "imsi" })
    tlli(mobile.tlli, { "mobiles", "list", i, "tlli" }, string.format("0x%X", mobile.tlli))
    check_home(mobile, keys, by_nse, nseis, fail)
    contexts = contexts + node_check_contexts.check(mobile, keys, { unique = unique, teid = teid, ends = ends }, fail)
  end
  if (ends.count or 0) > MOST_IPV6_ENDS then
    fail({ "mobiles", "list" }, string.format("%d IPv6 addresses of tunnels: at most %d", ends.count, MOST_IPV6_ENDS))
  end
  if contexts > node.limits.contexts then
    fail({ "limits", "contexts" }, string.format("%d is less than the %d contexts of mobiles.list",
      node.limits.contexts, contexts))
  end
end

local function check_source(node, fail)
  local count, file = #node.mobiles.list, node.mobiles.file
  if file and ("/" .. file .. "/"):find("/../", 1, true) then
    fail({ "mobiles", "file" }, string.format("'%s' leaves the configuration's folder; move the table below it", file))
  elseif node.mobiles.source == "list" and count == 0 and not file and not node.phones then
    fail({ "mobiles", "source" }, "'list' needs mobiles in mobiles.list, 1 or more items, or mobiles.file")
  elseif node.mobiles.source ~= "list" and file then
    fail({ "mobiles", "file" }, "would not be used: set mobiles.source = \"list\" or leave it out")
  elseif node.mobiles.source ~= "list" and count > 0 then
    fail({ "mobiles", "list" }, "would not be used: set mobiles.source = \"list\" or leave it out")
  elseif count > node.limits.mobiles then
    fail({ "limits", "mobiles" }, string.format("%d is less than the %d mobiles of mobiles.list",
      node.limits.mobiles, count))
  end
end

local function check_n201_u(node, octets, keys, fail)
  local largest = node.gb.mtu - node.gb.headers_octets
  if octets > largest then
    local form = "size '%s' does not fit gb.mtu of %s with %d octets of headers: 140 octets .. %s"
    fail(keys, form:format(units.format("octets", octets), units.format("octets", node.gb.mtu), node.gb.headers_octets,
      units.format("octets", math.min(largest, 1520))))
  end
end

-- Fills in gb.headers_octets: the most octets around N201-U octets in an IP packet.
local function check_mtu(node, fail)
  node.gb.headers_octets = HEADERS_OCTETS + radio.most_octets(node)
    + (node_check_contexts.is_ipv6(node.gb.address) and IPV6_MORE_OCTETS or 0) + capabilities.gb_octets(node)
  check_n201_u(node, node.mobiles.n201_u, { "mobiles", "n201_u" }, fail)
  if node.llc.n201_u_max then
    check_n201_u(node, node.llc.n201_u_max, { "llc", "n201_u_max" }, fail)
  end
end

local function warn_small_bucket(node, value, keys, warn)
  local largest = node.mobiles.n201_u + LLC_OCTETS
  if value.bucket < largest then
    keys[#keys + 1] = "bucket"
    warn(keys, string.format("size '%s' is less than one LLC-PDU of %d octets: a larger PDU only leaves when the "
      .. "bucket has run empty", units.format("octets", value.bucket), largest))
  end
end

local function check_emulated_cells(node, i, cells, fail, warn)
  local bss, bvci = node.emulated_bss[i], unique(fail, "BVCI")
  for j, cell in ipairs(bss.cells) do
    local place = { "emulated_bss", i, "cells", j, "bvci" }
    check_bvci(cells, bss.nsei, cell.bvci, place, fail)
    bvci(cell.bvci, place)
    warn_small_bucket(node, cell.bvc, { "emulated_bss", i, "cells", j, "bvc" }, warn)
    warn_small_bucket(node, cell.ms_default, { "emulated_bss", i, "cells", j, "ms_default" }, warn)
    for k, ms in ipairs(cell.ms) do
      warn_small_bucket(node, ms, { "emulated_bss", i, "cells", j, "ms", k }, warn)
    end
  end
end

local function check_emulated(node, by_nse, nseis, fail, warn)
  local nsei = unique(fail, "NSEI")
  for i, bss in ipairs(node.emulated_bss) do
    local place = { "emulated_bss", i, "nsei" }
    nsei(bss.nsei, place)
    if node_check_contexts.is_ipv6(node.gb.address) then
      fail(place, "an emulated BSS does not speak IPv6 (gb.address)")
    end
    for _, nse in ipairs(node.nses) do
      if nse.nsei == bss.nsei and nse.sns then fail(place, "an emulated BSS does not speak IP-SNS") end
    end
    if by_nse[bss.nsei] then
      check_emulated_cells(node, i, by_nse[bss.nsei], fail, warn)
    else
      fail(place, string.format("%d is no NSE of nses: one of %s", bss.nsei, names_of(nseis)))
    end
  end
end

-- The N-PDU buffers must suffice for the budget and the reserve.
local function check_budget(node, fail)
  local queues, buffers = node.queues, node.limits.npdu_buffers
  local wanted = (queues.budget_packets or 1) + queues.reserve_packets
  if wanted > buffers then
    fail({ "queues", queues.budget_packets and "budget_packets" or "reserve_packets" }, string.format(
      "%d with all that may wait is more than limits.npdu_buffers, %d", wanted, buffers))
  end
end

-- A cell of nses_accepted has two places (gb.accepted).
local function check_cells(node, fail)
  local accepted, listed = node.nses_accepted, 0
  for _, nse in ipairs(node.nses) do listed = listed + #nse.cells end
  local places = accepted and 2 * accepted.most * accepted.cells or 0
  if listed + places <= MOST_CELLS then return end
  fail(accepted and { "nses_accepted", "cells" } or { "nses" }, ("%d cells of nses and %d places of nses_accepted, "
    .. "2 x most x cells, are more than the %d of a node"):format(listed, places, MOST_CELLS))
end

-- A node without listed cells has nowhere to put mobiles that do not attach.
local function check_accepted(node, fail)
  for i, network in ipairs(node.nses_accepted and node.nses_accepted.networks or {}) do
    check_version(node, network, { "nses_accepted", "networks", i }, fail)
  end
  if node.nses_accepted then check_bvc_reset(node.nses_accepted, { "nses_accepted" }, fail) end
  if #node.nses > 0 then return end
  if not node.nses_accepted then
    fail({ "nses" }, "missing; list the BSSs, or say in nses_accepted which others are served")
  elseif #node.mobiles.list > 0 or node.mobiles.file or node.mobiles.source ~= "list" then
    fail({ "nses" }, "no cell is listed, and mobiles that do not attach need one; with phones alone set "
      .. "mobiles.source = \"list\" and leave mobiles.list out")
  end
end

-- Values that a record lacks.
local function take_over(record, above)
  for key, value in pairs(above) do record[key] = record[key] or value end
end

-- Fills in a cell's values from the node, an NSE's features, and limits that follow from others.
local function fill_in(node)
  local queues = node.queues
  for _, nse in ipairs(node.nses) do
    nse.features = nse.features or FEATURES
    for _, cell in ipairs(nse.cells) do
      take_over(cell.flow_control, nse.flow_control)
      take_over(cell.flow_control, node.flow_control)
    end
  end
  if node.nses_accepted then
    node.nses_accepted.features = node.nses_accepted.features or FEATURES
    take_over(node.nses_accepted.flow_control, node.flow_control)
  end
  queues.mobile.octets = queues.mobile.octets or node.mobiles.queue_limit
  queues.follow = { extra_flows = not queues.extra_flows, flow_sets = not queues.flow_sets }
  queues.extra_flows = queues.extra_flows or node.limits.contexts
  if queues.flow_queues then
    queues.flow_sets = queues.flow_sets or flow_sets(queues, node.limits.mobiles)
  end
end

local BUFFERS_PER_LINK <const>, LEAST_BUFFERS <const> = 8, 64

-- Fills in the links and buffers of acknowledged mode.
local function check_acknowledged(node, fail)
  local settings, count = node.llc.acknowledged, 0
  for i, mobile in ipairs(node.mobiles.list) do
    for j, context in ipairs(mobile.contexts) do
      local is_one = context.llc == "acknowledged"
      if is_one and settings.links == 0 then
        fail({ "mobiles", "list", i, "contexts", j, "llc" },
          "acknowledged mode is off: raise `links` of the record `acknowledged`")
      end
      count = count + (is_one and 1 or 0)
    end
  end
  if settings.links and settings.links * node.workers < count then
    local reason = "%d at each of %d workers are less than the %d listed contexts in acknowledged mode"
    fail({ "llc", "acknowledged", "links" }, reason:format(settings.links, node.workers, count))
  end
  node.mobiles.adds_links = not settings.links -- contexts of mobiles.file do (control/config/mobile_table.c)
  node.mobiles.adds_buffers = not (settings.links or settings.buffers) and BUFFERS_PER_LINK or 0
  settings.links = settings.links or count
  settings.buffers = settings.buffers or math.max(LEAST_BUFFERS, BUFFERS_PER_LINK * settings.links)
  for _, apn in ipairs(node.phones and node.phones.apns or {}) do
    apn.acknowledged = settings.links > 0 or node.mobiles.adds_links and node.mobiles.file ~= nil
  end
end

-- Checks a whole node. Fills in values that depend on other keys: a listed mobile's nsei, mobiles.homes.
function node_check.whole(node, fail, warn)
  local by_nse, all, nseis = cells_by_nse(node)
  check_nses(node, fail)
  deal_nses(node, fail)
  check_mtu(node, fail)
  check_learning(node, all, fail)
  check_source(node, fail)
  check_accepted(node, fail)
  check_cells(node, fail)
  check_list(node, by_nse, nseis, fail)
  check_emulated(node, by_nse, nseis, fail, warn)
  check_budget(node, fail)
  check_acknowledged(node, fail)
  check_live.check(node, warn)
  node.mobiles.homes = homes_of(node)
  radio.fill_in(node)
  fill_in(node)
end

-- bss_min must be at most bss_max and below sgsn_max.
function node_check.lifetime(lifetime, fail)
  local function show(value)
    return units.format("duration", value)
  end
  if lifetime.bss_min > lifetime.bss_max then
    fail({ "bss_min" }, string.format("duration '%s' is more than bss_max: 0 s .. %s", show(lifetime.bss_min),
      show(lifetime.bss_max)))
  end
  if lifetime.mode == "split" and lifetime.bss_min >= lifetime.sgsn_max then
    fail({ "bss_min" }, string.format("duration '%s' leaves nothing of sgsn_max, %s: every packet would be dropped",
      show(lifetime.bss_min), show(lifetime.sgsn_max)))
  end
end

function node_check.path(path, fail)
  if path.every and path.every < LEAST_ECHO_NS and not path.lab then
    fail({ "every" }, string.format("duration '%s' is less than 60 s, which only `lab = true` allows",
      units.format("duration", path.every)))
  end
  if path.echo ~= "both" and not path.every then
    fail({ "echo" }, string.format("'%s' has no effect without path.every, such as \"60 s\"", path.echo))
  end
end

-- A link's bucket follows from its rate.
function node_check.link(link)
  if link.rate and not link.bucket then
    local octets = link.rate * (link.bucket_time // 1000) // 8000000
    link.bucket = math.min(math.max(octets, LEAST_LINK_OCTETS), MOST_LINK_OCTETS)
  end
end

-- Sizes and rates of one message share a step of 100, 1000, 10 000 or 100 000 (Flow Control Granularity in TS 48.018)
-- that is the smallest to hold the largest of them in 16 bits.
local function check_steps(values, fail)
  local largest, step = 0, 100
  for _, value in ipairs(values) do
    largest = math.max(largest, value.amount)
  end
  while largest > MAX_STEPS * step do
    step = step * 10
  end
  for _, value in ipairs(values) do
    if value.amount % step ~= 0 then
      fail(value.keys, string.format("'%s' has to be a multiple of %s, since the largest value of its message is %d "
        .. "(16 bits of that step)", units.format(value.kind, value.amount), units.format(value.kind, step), largest))
      return
    end
  end
end

local function sized(kind, amount, keys)
  return { kind = kind, amount = amount, keys = keys }
end

-- FLOW-CONTROL-MS
function node_check.one_granularity(ms, fail)
  check_steps({ sized("octets", ms.bucket, { "bucket" }), sized("rate", ms.rate, { "rate" }) }, fail)
end

-- FLOW-CONTROL-BVC
function node_check.cell_granularity(cell, fail)
  check_steps({
    sized("octets", cell.bvc.bucket, { "bvc", "bucket" }), sized("rate", cell.bvc.rate, { "bvc", "rate" }),
    sized("octets", cell.ms_default.bucket, { "ms_default", "bucket" }),
    sized("rate", cell.ms_default.rate, { "ms_default", "rate" }),
  }, fail)
  if cell.pfc then
    check_steps({ sized("octets", cell.pfc.bucket, { "pfc", "bucket" }),
      sized("rate", cell.pfc.rate, { "pfc", "rate" }) }, fail)
  end
end

return node_check
