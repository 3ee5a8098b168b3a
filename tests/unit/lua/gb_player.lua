-- SPDX-License-Identifier: BSD-3-Clause
-- Plays a scenario against gb.lua and writes down what should and what did come out. A scenario is
--   { name =, config = name in gb_player.configs or nil,
--     given = list of received lines at 0 ms, their answers unchecked,
--     steps = list of
--       { at = ms, rx = "received line", expected intents... }
--       { at = ms, timer = "id", expected intents... }        must be due right then
--       { at = ms, call = "method", args = {...}, expected intents... }    what the host calls, `now` added
--         but where is_plain; a mobile is named by its TLLI, and has the slot gb_player.slot_of(tlli)
--       { to = ms, expected "ms intent"... }                  every timer on the way expires, none is answered
--       { at_start = true, expected intents... }              what the start has said
--       { show = "nsvc 0" | "bvc 101/1234" | "mobiles all", is = "text" } }
-- A timer that a row forgets to let expire is an error of the scenario.

local gb = require "gb.plane"
local gb_text = require "gb_text"
local tables = require "base.tables"

local gb_player = {}

local NS_PER_MS = 1000000
local SECOND = 1000 * NS_PER_MS

local function node(nses, limits, mobiles)
  return {
    nses = nses,
    limits = limits,
    mobiles = mobiles or {},
    timers = {
      ns = {
        reset = 3 * SECOND, reset_retries = 3, block = 3 * SECOND, block_retries = 3,
        test = 30 * SECOND, alive = 3 * SECOND, alive_retries = 10, prov = 3 * SECOND, prov_retries = 3,
      },
      bssgp = { th = 5 * SECOND, flush = 5 * SECOND, t7 = 3 * SECOND, t7_retries = 2, t3313 = 8 * SECOND,
        t3313_retries = 2 },
    },
  }
end

local function nse(nsei, nsvcis, bvcis, features)
  local config = { nsei = nsei, nsvcs = {}, cells = {}, features = features }
  for i, nsvci in ipairs(nsvcis) do
    config.nsvcs[i] = { nsvci = nsvci, address = "10.99.0." .. i, udp_port = 23000 }
  end
  for i, bvci in ipairs(bvcis) do
    config.cells[i] = { bvci = bvci, cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 + i - 1 } }
  end
  return config
end

-- The configuration of a node with one cell, for other specs.
function gb_player.node_of(nsei, nsvci, bvci) return node({ nse(nsei, { nsvci }, { bvci }) }, nil, {}) end

-- A mobile's slot, which is no part of its TLLI.
function gb_player.slot_of(tlli) return 1000 + (tlli & 0xff) end

-- TLLI, NSEI, BVCI
local MOBILES = { { 0xc1234567, 101, 1234 }, { 0x10, 101, 1234 }, { 0x20, 101, 1234 }, { 0x30, 101, 1234 } }
local ALL = { "pfc", "cbl", "inr", "pfc_fc", "gigabit" }

local function apart(config, cell, rac)
  config.cells[cell].cell_id.rac = rac
  return config
end

gb_player.configs = {
  one = node({ nse(101, { 1800 }, { 1234 }) }, nil, MOBILES),
  features = node({ nse(101, { 1800 }, { 1234, 1235 }, ALL) }, nil, MOBILES),
  three_cells = node({ apart(nse(101, { 1800 }, { 1234, 1235, 1236 }), 3, 7) }, nil, MOBILES),
  inr = node({ nse(101, { 1800 }, { 1234 }, ALL), nse(102, { 1900 }, { 1234 }, ALL) }, nil, MOBILES),
  two_nsvcs = node({ nse(101, { 1800, 1801 }, { 1234, 1235 }) }, nil, { { 0xc1234567, 101, 1235 } }),
  two_nses = node({ nse(101, { 1800 }, { 1234 }), nse(102, { 1900 }, { 1234 }) }),
  small = node({ nse(101, { 1800 }, { 1234 }) }, { mobiles = 2 },
    { { 1, 101, 1234 }, { 2, 101, 1234 }, { 3, 101, 1234 } }),
}

-- An NSE that configures itself. Ours are endpoints of 10.99.0.1, { port, signalling weight, data weight }; the BSS
-- begins from 10.99.0.2. Its NS-VCs are 0, the way, and 1 to 4.
local function sns(own, address)
  local config = nse(101, {}, { 1234 })
  config.sns = { address = address or "10.99.0.2", udp_port = 23000, own_address = "10.99.0.1", own_port = 23000,
    max_nsvcs = 4, endpoints = {} }
  for i, endpoint in ipairs(own) do
    config.sns.endpoints[i] = { address = "10.99.0.1", udp_port = endpoint[1], signalling_weight = endpoint[2],
      data_weight = endpoint[3] }
  end
  return config
end

gb_player.configs.ours_to_start = node({ nse(101, { 1800, 1801 }, { 1234 }) }, nil, MOBILES)
gb_player.configs.ours_to_start.nses[1].start = "sgsn"
gb_player.configs.unblock_now = node({ nse(101, { 1800 }, { 1234 }) }, nil, MOBILES)
gb_player.configs.unblock_now.nses[1].start, gb_player.configs.unblock_now.nses[1].unblock = "sgsn", "auto"
gb_player.configs.unblock_later = node({ nse(101, { 1800 }, { 1234 }) }, nil, MOBILES)
gb_player.configs.unblock_later.nses[1].unblock = "auto"
-- Behind a gbproxy, which speaks for its BSSs; what: key bvc_reset.
local function proxy(what)
  local config = node({ apart(nse(101, { 1800 }, { 1234, 1235, 1236 }), 3, 7) }, nil, MOBILES)
  local settings = config.nses[1]
  settings.bvc_reset_after, settings.bvc_reset, settings.flush_ll = 5000000000, what, false
  return config
end
gb_player.configs.proxy, gb_player.configs.proxy_signalling = proxy("cells"), proxy("signalling")
gb_player.configs.rise = node({ nse(101, { 1800 }, { 1234 }) }, nil, MOBILES)
gb_player.configs.rise.nses[1].cells[1].flow_control = { max_rise = 2000000 }
gb_player.configs.initial = node({ nse(101, { 1800 }, { 1234 }) }, nil, MOBILES)
gb_player.configs.initial.nses[1].cells[1].flow_control = { initial = { bmax = 50000, leak_rate = 20000 } }
gb_player.configs.sns = node({ sns({ { 23000, 1, 1 } }) }, nil, MOBILES)
-- Beside one whose endpoint is 10.99.0.7:23000.
gb_player.configs.sns_beside = node({ sns({ { 23000, 1, 1 } }), nse(102, { 1900 }, { 1234 }) }, nil, MOBILES)
gb_player.configs.sns_beside.nses[2].nsvcs[1].address = "10.99.0.7"
-- Two that configure themselves; the second begins from 10.99.0.7, on NS-VC 5. Networks of the second or of both.
local function sns_pair(first, second)
  local nses = { sns({ { 23000, 1, 1 } }), sns({ { 23000, 1, 1 } }, "10.99.0.7") }
  nses[2].nsei, nses[2].cells = 102, {}
  nses[1].sns.networks, nses[2].sns.networks = first, second
  return node(nses, nil, MOBILES)
end

gb_player.configs.sns_pair = sns_pair()
gb_player.configs.sns_pair_second = sns_pair(nil, { "10.99.0.8/29" })
gb_player.configs.sns_pair_both = sns_pair({ "10.99.0.8/30", "2001:db8::/64" }, { "10.99.0.8/29" })
gb_player.configs.sns_two = node({ sns({ { 23000, 1, 1 }, { 23001, 1, 1 } }) }, nil, MOBILES)
gb_player.configs.sns_ipv6 = node({ sns({ { 23000, 1, 1 } }, "2001:db8::2") }, nil, MOBILES)
local ipv6 = gb_player.configs.sns_ipv6.nses[1].sns
ipv6.endpoints[1].address, ipv6.own_address = "2001:db8::1", "2001:db8::1"

local RADIO = { { 0x10, 101, 1234, "001010000000001" }, { 0x20, 101, 1234 }, { 0x30, 101, 1234 },
  { 0x40, 101, 1234, "001010000000003" }, radio = { drx = "0a0b", spid = 3 },
  list = { { tlli = 0x10, radio = { ra_capability = "0102030405" } },
    { tlli = 0x30, radio = { ra_capability = "0a0b0c0d0e0f" } } } }

gb_player.configs.radio = node({ nse(101, { 1800 }, { 1234 }) }, nil, RADIO)
-- Values of mobiles without a record, which leave little room to what phones tell.
gb_player.configs.radio_full = node({ nse(101, { 1800 }, { 1234 }, ALL) }, nil, { { 0x20, 101, 1234 },
  radio = { spid = 3, lsa_information = ("aa"):rep(150) } })
local FOUND_BY_TMSI = { { 0xc1234567, 101, 1234, "001010000000002" } }
gb_player.configs.paging = node({ nse(101, { 1800 }, { 1234 }) }, nil, FOUND_BY_TMSI)
gb_player.configs.paging_cell = node({ nse(101, { 1800 }, { 1234 }) }, nil, FOUND_BY_TMSI)
gb_player.configs.paging_cell.gb = { paging_area = "cell" }
gb_player.configs.paging_nses = node({ nse(101, { 1800 }, { 1234 }), nse(102, { 1900 }, { 1234 }),
  apart(nse(103, { 2000 }, { 1234 }), 1, 7) }, nil, FOUND_BY_TMSI)
-- The first cell's routeing area is that of the other NSE's.
gb_player.configs.area_elsewhere = node({ apart(nse(101, { 1800 }, { 1234, 1235 }), 2, 7),
  nse(102, { 1900 }, { 1234 }) }, nil, FOUND_BY_TMSI)
gb_player.configs.paging_two_cells = node({ nse(101, { 1800 }, { 1234, 1235 }) }, nil, FOUND_BY_TMSI)

-- Mobiles in a cell with packet flows, of which much is known, little, and nothing.
gb_player.configs.pfc_radio = node({ nse(101, { 1800 }, { 1234 }, ALL) }, nil, {
  { 0x10, 101, 1234, "001010000000001" }, { 0x20, 101, 1234 }, { 0x30, 101, 1234 },
  list = { { tlli = 0x10, radio = { ra_capability = "0102030405", spid = 3, service_utran_cco = 4,
    priority = { octet = 0x46, may_queue = true } } }, { tlli = 0x20, radio = { priority = { octet = 0x04 } } } } })

-- Two NSEs with one routeing area, of which the second may have that one only; a mobile moves twice, and once more
-- each second.
gb_player.configs.elsewhere = node({ nse(101, { 1800 }, { 1234, 1235 }), nse(102, { 1900 }, { 1234 }) }, nil, {
  { 0x10, 101, 1234, "001010000000001" }, moves = { burst = 2, every = SECOND },
  list = { { tlli = 0x10, radio = { ra_capability = "0102030405" } } } })
gb_player.configs.elsewhere.nses[2].routeing_areas = { { mcc = "001", mnc = "01", lac = 1 },
  { mcc = "001", mnc = "01", lac = 13135, rac = 0 } }

-- Two NSEs; NS-VC 1 leads to the second, whose cell is in another routeing area.
gb_player.configs.rim = node({ nse(101, { 1800 }, { 1234, 1235 }), apart(nse(102, { 1900 }, { 1234 }), 1, 7) }, nil, {})

gb_player.configs.radio.gb = { dl_unitdata = { ra_capability = true, drx = true, spid = false } }

local Player = {}
Player.__index = Player

-- The control plane of a configuration, with its mobiles.
-- The configuration with other timers, and what a reload then does to the node.
local function with_other_timers(config)
  local other = tables.copy(config)
  other.timers = {}
  for group, values in pairs(config.timers) do
    other.timers[group] = {}
    for name, value in pairs(values) do other.timers[group][name] = 5 * value end
  end
  return other, function(g)
    for group, values in pairs(config.timers) do
      for name, value in pairs(values) do g:set_duration(group, name, value) end
    end
  end
end

function gb_player.node(name, wire, is_reloaded)
  local config, reload = assert(gb_player.configs[name]), function() end
  if is_reloaded then config, reload = with_other_timers(config) end
  local g = gb.new(config, wire)
  reload(g)
  for _, ms in ipairs(config.mobiles) do
    g:ms_add(gb_player.slot_of(ms[1]), table.unpack(ms))
  end
  return g
end

function gb_player.new(scenario, wire, is_reloaded)
  local g = gb_player.node(scenario.config or "one", wire, is_reloaded)
  local player = setmetatable({ wire = wire, g = g, due = {}, want = {}, got = {},
    shows_wait = scenario.shows_wait }, Player)
  player.at_start = player:take(player.g:start(0), {})
  return player
end

-- The wait of a cell for its first FLOW-CONTROL-BVC is shown in scenarios that say `shows_wait`.
function Player:take(intents, rx)
  local lines = {}
  for _, intent in ipairs(intents) do
    local is_shown = self.shows_wait or not tostring(intent.id):find("/wait$")
    if is_shown then
      self:note(intent)
      lines[#lines + 1] = gb_text.intent(self.wire, intent, rx)
    end
  end
  return lines
end

function Player:note(intent)
  if intent.op == "timer" then self.due[intent.id] = intent.at end
  if intent.op == "cancel" then
    assert(self.due[intent.id], "cancels what does not run: " .. intent.id)
    self.due[intent.id] = nil
  end
end

-- The next timer that is due, ties by id.
function Player:next_due()
  local first
  for id, at in pairs(self.due) do
    if not first or at < self.due[first] or (at == self.due[first] and id < first) then first = id end
  end
  return first, first and self.due[first]
end

function Player:expire(id, now)
  self.due[id] = nil
  return self:take(self.g:on_timer(id, now), {})
end

function Player:receive(text, now)
  local rx = gb_text.parse_received(self.wire, text)
  return self:take(self.g:on_pdu(rx.nsvc, rx.octets, now), rx)
end

-- A question's answer, and what it counted.
local function answer_lines(answer, before, after)
  local lines = { tostring(answer) }
  for name, count in pairs(after) do
    if count ~= before[name] then lines[#lines + 1] = "count " .. name end
  end
  return lines
end

-- Calls about a mobile; whether they name its TLLI, too.
local OF_MOBILES <const> = { ms_add = true, ms_called = false, ms_offered = false, ms_del = false, ms_radio = false,
  ms_told = false, on_heard = false, may_move = false, on_page_wanted = false, on_page_imsi = false,
  on_reached = false, pfc_add = false, pfc_del = false, ms_state = false }

local function args_of(row)
  local args, has_tlli = { table.unpack(row.args) }, OF_MOBILES[row.call]
  if has_tlli then table.insert(args, 1, args[1]) end
  if has_tlli ~= nil then args[1] = gb_player.slot_of(args[1]) end
  return args
end

function Player:call(row, now)
  local args, before = args_of(row), {}
  for name, count in pairs(self.g.counts) do before[name] = count end
  if not row.is_plain then args[#args + 1] = now end
  local result = self.g[row.call](self.g, table.unpack(args))
  if type(result) == "boolean" then return answer_lines(result, before, self.g.counts) end
  return self:take(result or {}, {})
end

local function append(list, heading, lines)
  list[#list + 1] = heading
  for _, line in ipairs(lines) do list[#list + 1] = "  " .. line end
end

function Player:pass_to(to_ns)
  local lines = {}
  local id, at = self:next_due()
  while id and at <= to_ns do
    for _, line in ipairs(self:expire(id, at)) do
      lines[#lines + 1] = ("%g %s"):format(at / NS_PER_MS, line)
    end
    id, at = self:next_due()
  end
  return lines
end

local function shown(state, what)
  local kind, key = what:match("^(%S+) (%S+)$")
  if kind == "mobiles" then
    local mobiles = state.mobiles
    return ("suspended %d flushing %d flows %d paged %d"):format(mobiles.suspended, mobiles.flushing, mobiles.flows,
      mobiles.paged)
  end
  for _, vc in ipairs(state.nsvcs) do
    if kind == "nsvc" and tostring(vc.index) == key then return vc.state .. " " .. vc.test end
  end
  for _, bvc in ipairs(state.bvcs) do
    if kind == "bvc" and ("%d/%d"):format(bvc.nsei, bvc.bvci) == key then
      return ("%s %s rate %s own %d"):format(bvc.state, bvc.usable == "no" and "down" or "up", bvc.rate_bps or "none",
        bvc.ms_buckets)
    end
  end
end

function Player:step(row)
  if row.show then
    append(self.want, row.show, { row.is })
    return append(self.got, row.show, { shown(self.g:state(), row.show) })
  end
  local heading, lines
  if row.at_start then
    heading, lines = "start", self.at_start
  elseif row.to then
    heading, lines = "to " .. row.to, self:pass_to(row.to * NS_PER_MS)
  else
    local now = row.at * NS_PER_MS
    local id, at = self:next_due()
    heading = ("%g %s"):format(row.at, row.rx or row.timer or row.call)
    assert(not id or at >= now, heading .. ": overdue " .. tostring(id))
    assert(not row.timer or self.due[row.timer] == now, heading .. ": not due now")
    if row.rx then
      lines = self:receive(row.rx, now)
    elseif row.call then
      lines = self:call(row, now)
    else
      lines = self:expire(row.timer, now)
    end
  end
  append(self.want, heading, row)
  append(self.got, heading, lines)
end

-- Returns the expected and the actual protocol as text.
-- is_reloaded: timers are others at first, and a reload brings those of the scenario before the start.
function gb_player.play(scenario, wire, is_reloaded)
  local player = gb_player.new(scenario, wire, is_reloaded)
  for _, text in ipairs(scenario.given or {}) do player:receive(text, 0) end
  for _, row in ipairs(scenario.steps) do player:step(row) end
  return table.concat(player.want, "\n"), table.concat(player.got, "\n")
end

return gb_player
