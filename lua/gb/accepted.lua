-- SPDX-License-Identifier: BSD-3-Clause
-- NSEs and cells that the configuration does not list (nses_accepted): a BSS brings itself up by NS-RESET and BVC-RESET
-- as one of `nses` does, and is an NSE like those from then on.
--
--   local a = accepted.new(settings, node)
--   a:take(run, unlisted) -> NS-VC    of an NS-RESET from an unknown endpoint (gb.plane); nil: refused, and counted
--   a:cell(run, nse, pdu) -> cell, is_refused   of a BVC-RESET; a refusal is counted; nil: there is no such cell
--   a:words()                         who may come, for a log line
--   a:again(run, nsei)                an NSE that was there before a restart of control
--
-- settings: config.nses_accepted. node: { nses =, nse_by_nsei =, mobiles =, and what adds and removes: add_nse(nse),
-- add_nsvc(nse, nsvc), add_cell(run, nse, cell), remove_nsvc(run, vc), remove_cell(run, bvc, heir),
-- remove_nse(run, nse) }.
--
-- The NS-RESET proves but that a host of that network sends it: it takes no NSE of the configuration, no NSE and no
-- place of another address, and no cell identity that another cell has. An NSE is its address's: NS-VCs from others are
-- refused, and a BSS with several addresses has to be listed. An NSE is deleted when no NS-VC of it was usable for
-- `idle` and no mobile is in it; before, when another needs its place and it has never been up, or for its own address.

local fsm = require "base.fsm"
local gb_areas = require "gb.areas"
local ip_network = require "base.ip_network"
local units = require "base.units"

local accepted = {}

local Accepted = {}
Accepted.__index = Accepted

local LOOKS <const> = 4 -- in `idle`
local CONFIRMED_NS <const> = 10000000000 -- workers have deleted a cell by then
local PREFIX_ADDRESSES <const> = 64 -- of the 128 places of IPv6 addresses, those that one /64 may have

local actions = {}

local function is_down(nse)
  return nse.usable_nsvcs == 0
end

local function end_nse(a, run, nse, why)
  run:log_of("ns", "info", "NSE %d is deleted: %s (nses_accepted)", nse.nsei, why)
  run:count("nse_accepted_deleted")
  run:post(nse.watch, "removed")
  a.count = a.count - 1
  a.node.remove_nse(run, nse)
end

function actions.look(nse, run)
  local a = nse.accepts
  if is_down(nse) and run.now - nse.silent_at >= a.idle and nse.mobile_count == 0 then
    end_nse(a, run, nse, "no usable NS-VC in `idle`")
  end
end

local machine = fsm.define({
  name = "nse_accepted",
  category = "ns",
  about = "nse",
  initial = "new",
  actions = actions,
  timers = { look = { after = "look", out = "look" } },
  any = { begin = { next = "watched" }, removed = { next = "gone" } },
  states = {
    new = {},
    watched = { timer = "look", on = { look = { action = "look", next = "watched" } } },
    gone = {},
  },
})

function accepted.new(settings, node)
  local networks = {}
  for i, text in ipairs(settings.networks) do networks[i] = assert(ip_network.parse(text)) end
  return setmetatable({ settings = settings, node = node, networks = networks, count = 0, named = {},
    idle = settings.idle, durations = { look = settings.idle // LOOKS } }, Accepted)
end

-- NS-VCs

local function find(nse, nsvci)
  for _, vc in ipairs(nse.nsvcs) do
    if vc.nsvci == nsvci then return vc end
  end
end

-- The NS-VC that has been down for longest.
local function longest_down(nse)
  local found
  for _, vc in ipairs(nse.nsvcs) do
    if not vc.usable and (not found or vc.down_ns < found.down_ns) then found = vc end
  end
  return found
end

-- Of an NSE that was there before a restart of control, by its NS-VCs.
local function address_of(nse)
  return nse.address or nse.nsvcs[1] and nse.nsvcs[1].peer.address
end

-- nil, or the reason to refuse one more NS-VC of an NSE that is there; one that is down makes room.
local function refusal_of_nsvc(a, run, nse, unlisted)
  if (address_of(nse) or unlisted.address) ~= unlisted.address then return "address" end
  local same = find(nse, unlisted.nsvci)
  if same and same.usable then return "nsvci_in_use" end
  local old = same or #nse.nsvcs >= a.settings.nsvcs and longest_down(nse)
  if #nse.nsvcs >= a.settings.nsvcs and not old then return "nsvcs_most" end
  if old then a.node.remove_nsvc(run, old) end
  return not unlisted.number and "room" or nil
end

-- Whether an NSE that is down may go before `idle` is over: it has never been up, or the one that comes is its own
-- host's. A BSS that starts again is down for a moment, and keeps its place.
local function is_given_up(nse, address)
  return is_down(nse) and nse.mobile_count == 0 and (nse.is_new or address_of(nse) == address)
end

-- The one of these that has been down for longest.
local function least_needed(a, address)
  local found
  for _, nse in ipairs(a.node.nses) do
    if nse.accepts and is_given_up(nse, address) and (not found or nse.silent_at < found.silent_at) then
      found = nse
    end
  end
  return found
end

-- The place of an NSE is free when its worker has confirmed that: the BSS repeats NS-RESET.
local function refusal_of_nse(a, run, unlisted)
  if a.count >= a.settings.most then
    local old = least_needed(a, unlisted.address)
    if not old then return "most" end
    end_nse(a, run, old, "another one needs its place")
  end
  return not (unlisted.number and unlisted.has_room) and "room" or nil
end

-- One host may have all addresses of an IPv6 prefix of 64 bits.
local function named_by(a, address)
  local octets = ip_network.octets(address)
  return #octets == 16 and (a.named[octets:sub(1, 8)] or { count = 0 }) or nil
end

local function has_address_room(a, unlisted)
  local named = named_by(a, unlisted.address)
  return unlisted.has_address_room and (not named or named[unlisted.address] or named.count < PREFIX_ADDRESSES)
end

-- The node keeps the place of an IPv6 address until it ends.
local function keep_address(a, address)
  local named = named_by(a, address)
  if not named or named[address] then return end
  named[address], named.count = true, named.count + 1
  a.named[ip_network.octets(address):sub(1, 8)] = named
end

-- A loopback address is that of a host whose node has one, too: all is on one host.
local function is_host(unlisted)
  local address, own = unlisted.address, unlisted.own_address
  local is_here = ip_network.is_loopback(address) and ip_network.is_loopback(own)
  return (is_here or ip_network.is_host(address)) and unlisted.udp_port > 0 and address ~= own
end

local function refusal(a, run, unlisted)
  local nse, range = a.node.nse_by_nsei[unlisted.nsei], a.settings.nseis
  if not is_host(unlisted) or not ip_network.is_in(a.networks, unlisted.address) then return "network" end
  if unlisted.nsei < range.first or unlisted.nsei > range.last then return "nsei" end
  if nse and not nse.accepts then return "nsei_listed" end
  if not has_address_room(a, unlisted) then return "addresses" end
  if nse then return refusal_of_nsvc(a, run, nse, unlisted) end
  return refusal_of_nse(a, run, unlisted)
end

local function add_nse(a, run, nsei)
  local nse = a.node.add_nse({ nsei = nsei, nsvcs = {}, cells = {}, features = a.settings.features,
    unblock = a.settings.unblock, flush_ll = a.settings.flush_ll, bvc_reset_after = a.settings.bvc_reset_after,
    bvc_reset = a.settings.bvc_reset,
    routeing_areas = a.settings.routeing_areas, accepts = a })
  nse.silent_at = run.now
  nse.watch = fsm.new(machine, nse, "accepted/" .. nsei, a.durations)
  run:tell(nse.watch, "begin")
  a.count = a.count + 1
  return nse
end

local REASONS <const> = {
  network = "its address is in none of nses_accepted.networks",
  nsei = "its NSEI is outside nses_accepted.nseis",
  nsei_listed = "nses lists this NSEI with other endpoints",
  address = "the NSE is that of a BSS with another address; list a BSS with several addresses in nses",
  addresses = "128 other IPv6 addresses have been accepted, or 64 of its /64",
  nsvci_in_use = "this NS-VC is in service from another endpoint",
  nsvcs_most = "the NSE has nses_accepted.nsvcs NS-VCs, all of them up",
  most = "there are nses_accepted.most NSEs, all of them up, with mobiles, or of BSSs that were up within `idle`",
  room = "a deleted one's place is not free yet; the BSS asks again",
}

function Accepted:take(run, unlisted)
  local why = refusal(self, run, unlisted)
  if why then
    run:count("nse_refused_" .. why)
    run:log_of("ns", "warn", "NS-RESET of NSEI %d NSVCI %d from %s:%d is refused: %s", unlisted.nsei,
      unlisted.nsvci, unlisted.address, unlisted.udp_port, REASONS[why])
    return nil
  end
  local nse = self.node.nse_by_nsei[unlisted.nsei]
  if not nse then
    nse = add_nse(self, run, unlisted.nsei)
    nse.is_new = true
    run:count("nse_accepted")
    run:log_of("ns", "info", "NSE %d from %s:%d is accepted", nse.nsei, unlisted.address, unlisted.udp_port)
    run:emit({ op = "nse_accept", nsei = nse.nsei })
  end
  nse.address = unlisted.address
  keep_address(self, unlisted.address)
  local vc = self.node.add_nsvc(nse, { nsvci = unlisted.nsvci, number = unlisted.number, address = unlisted.address,
    udp_port = unlisted.udp_port })
  vc.down_ns = run.now
  run:emit({ op = "nsvc_add", nsvc = vc.index, nsei = nse.nsei, nsvci = vc.nsvci, own_address = unlisted.own_address,
    own_port = unlisted.own_port, address = unlisted.address, udp_port = unlisted.udp_port, weight = 1 })
  return vc
end

-- Cells

function accepted.emit_cell(run, bvc)
  local id = bvc.cell_id
  run:emit({ op = "cell_accept", nsei = bvc.nse.nsei, bvci = bvc.bvci, mcc = id.mcc, mnc = id.mnc, lac = id.lac,
    rac = id.rac, ci = id.ci })
end

-- The cell that has an identity, by the configuration or by its BSS's latest reset, unless it is this one; nil: none.
local function holder_of(a, bvc, id)
  for _, nse in ipairs(a.node.nses) do
    for _, other in ipairs(nse.bvcs) do
      local is_held = gb_areas.is_cell(id, other.cell_id) or other.named and gb_areas.is_cell(id, other.named)
      if other ~= bvc and is_held then return other end
    end
  end
end

-- A reset of BVCI 0 makes the BSS reset all of its cells (48.018 §8.4): until then the identity of one, and its place,
-- are free for another BVCI of the NSE.
local function is_free(nse, bvc)
  return bvc.nse == nse and bvc.fsm.state == "unknown"
end

-- The cell whose identity, or else whose place, a cell takes; nil: none.
local function replaced_by(a, nse, bvc, id)
  local holder = holder_of(a, bvc, id)
  if holder then return is_free(nse, holder) and holder or nil end
  if bvc or #nse.bvcs < a.settings.cells then return nil end
  for _, other in ipairs(nse.bvcs) do
    if is_free(nse, other) then return other end
  end
end

-- Whether a cell of an NSE may be replaced now. The rows of the node (node_config_accepted_rows) have room for the
-- cells of each NSE twice, until workers have confirmed that the replaced ones are gone.
local function may_replace(a, nse, now)
  if not nse.replaced_at or now - nse.replaced_at > CONFIRMED_NS then nse.replaced_at, nse.replaced = now, 0 end
  return nse.replaced < a.settings.cells
end

-- BVCI 0 is signalling, 1 is PTM.
local function refusal_of_cell(a, nse, bvc, pdu, old)
  local id = pdu.cell_id
  if pdu.bvci < 2 then return "bvci" end
  if not id then return "cell_id_missing" end
  if not gb_areas.is_allowed(id, nse.routeing_areas) then return "routeing_area" end
  if not old and holder_of(a, bvc, id) then return "cell_id_in_use" end
  if not bvc and not old and #nse.bvcs >= a.settings.cells then return "most" end
end

-- The reason in words, with the value and the key that it is measured by.
local function explain_cell(a, bvc, id, why)
  local name = id and gb_areas.name_of(id) .. "-" .. id.ci
  if why == "bvci" then return "it is no BVCI of a cell" end
  if why == "cell_id_missing" then return "it has no Cell Identifier" end
  if why == "routeing_area" then return name .. " is in none of nses_accepted.routeing_areas" end
  if why == "room" then return "the places of cells that it replaces are not free yet; the BSS asks again" end
  if why == "most" then
    return ("the NSE has %s already (nses_accepted.cells)"):format(units.counted(a.settings.cells, "cell"))
  end
  local other = holder_of(a, bvc, id)
  return ("Cell Identity %s is that of NSE %d BVCI %d"):format(name, other.nse.nsei, other.bvci)
end

-- A cell that is there may come again with another identity, as a BSS with a changed configuration has it.
function Accepted:cell(run, nse, pdu)
  local bvc, id = nse.bvc_by_bvci[pdu.bvci], pdu.cell_id
  if bvc and (not id or gb_areas.is_cell(id, bvc.cell_id)) then return bvc end
  local old = id and replaced_by(self, nse, bvc, id)
  local why = refusal_of_cell(self, nse, bvc, pdu, old)
  if not why and old and not may_replace(self, nse, run.now) then why = "room" end
  if why then
    run:count("cell_refused_" .. why)
    run:log_of("bssgp", "warn", "NSE %d: BVC-RESET of BVCI %d is refused: %s", nse.nsei, pdu.bvci,
      explain_cell(self, bvc, id, why))
    return bvc, true
  end
  run:count("cell_accepted")
  if bvc then
    bvc.cell_id = id
    accepted.emit_cell(run, bvc)
  else
    bvc = self.node.add_cell(run, nse, { bvci = pdu.bvci, cell_id = id, flow_control = self.settings.flow_control })
  end
  if old then
    run:log_of("bssgp", "info", "NSE %d: BVCI %d is BVCI %d now", nse.nsei, old.bvci, bvc.bvci)
    nse.replaced = nse.replaced + 1
    self.node.remove_cell(run, old, bvc)
  end
  return bvc
end

-- After a restart

-- For the line of the start.
function Accepted:words()
  return (" and at most %d others from %s"):format(self.settings.most, table.concat(self.settings.networks, ", "))
end

function Accepted:again(run, nsei)
  add_nse(self, run, nsei)
end

return accepted
