-- SPDX-License-Identifier: BSD-3-Clause
-- Plays a scenario against gb.lua and writes down what should and what did come out. A scenario is
--   { name =, config = name in gb_player.configs or nil,
--     given = list of received lines at 0 ms, their answers unchecked,
--     steps = list of
--       { at = ms, rx = "received line", expected intents... }
--       { at = ms, timer = "id", expected intents... }        must be due right then
--       { to = ms, expected "ms intent"... }                  every timer on the way expires, none is answered
--       { show = "nsvc 0" | "bvc 101/1234", is = "text" } }
-- A timer that a row forgets to let expire is an error of the scenario.

local gb = require "gb"
local gb_text = require "gb_text"

local gb_player = {}

local NS_PER_MS = 1000000
local SECOND = 1000 * NS_PER_MS

local function node(nses, limits)
  return {
    nses = nses,
    limits = limits,
    timers = {
      ns = {
        reset = 3 * SECOND, reset_retries = 3, block = 3 * SECOND, block_retries = 3,
        test = 30 * SECOND, alive = 3 * SECOND, alive_retries = 10,
      },
      bssgp = { th = 5 * SECOND },
    },
  }
end

local function nse(nsei, nsvcis, bvcis)
  local config = { nsei = nsei, nsvcs = {}, cells = {} }
  for i, nsvci in ipairs(nsvcis) do
    config.nsvcs[i] = { nsvci = nsvci, address = "10.99.0." .. i, udp_port = 23000 }
  end
  for i, bvci in ipairs(bvcis) do
    config.cells[i] = { bvci = bvci, cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 + i - 1 } }
  end
  return config
end

gb_player.configs = {
  one = node({ nse(101, { 1800 }, { 1234 }) }),
  two_nsvcs = node({ nse(101, { 1800, 1801 }, { 1234, 1235 }) }),
  two_nses = node({ nse(101, { 1800 }, { 1234 }), nse(102, { 1900 }, { 1234 }) }),
  small = node({ nse(101, { 1800 }, { 1234 }) }, { mobiles = 2 }),
}

local Player = {}
Player.__index = Player

function gb_player.new(scenario, wire, observe)
  local config = assert(gb_player.configs[scenario.config or "one"])
  local player = setmetatable({ wire = wire, g = gb.new(config, wire, observe), due = {}, want = {}, got = {} }, Player)
  player:take(player.g:start(0), {})
  return player
end

function Player:take(intents, rx)
  local lines = {}
  for _, intent in ipairs(intents) do
    if intent.op == "timer" then self.due[intent.id] = intent.at end
    if intent.op == "cancel" then
      assert(self.due[intent.id], "cancels what does not run: " .. intent.id)
      self.due[intent.id] = nil
    end
    lines[#lines + 1] = gb_text.intent(self.wire, intent, rx)
  end
  return lines
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
  for _, vc in ipairs(state.nsvcs) do
    if kind == "nsvc" and tostring(vc.index) == key then return vc.state .. " " .. vc.test end
  end
  for _, bvc in ipairs(state.bvcs) do
    if kind == "bvc" and ("%d/%d"):format(bvc.nsei, bvc.bvci) == key then
      local announced = bvc.announced and bvc.announced.rate_bps or "none"
      return ("%s %s rate %s own %d"):format(bvc.state, bvc.usable and "up" or "down", announced, bvc.own_buckets)
    end
  end
end

function Player:step(row)
  if row.show then
    append(self.want, row.show, { row.is })
    return append(self.got, row.show, { shown(self.g:state(), row.show) })
  end
  local heading, lines
  if row.to then
    heading, lines = "to " .. row.to, self:pass_to(row.to * NS_PER_MS)
  else
    local now = row.at * NS_PER_MS
    local id, at = self:next_due()
    heading = ("%g %s"):format(row.at, row.rx or row.timer)
    assert(not id or at >= now, heading .. ": overdue " .. tostring(id))
    assert(not row.timer or self.due[row.timer] == now, heading .. ": not due now")
    lines = row.rx and self:receive(row.rx, now) or self:expire(row.timer, now)
  end
  append(self.want, heading, row)
  append(self.got, heading, lines)
end

-- Returns the expected and the actual protocol as text.
function gb_player.play(scenario, wire, observe)
  local player = gb_player.new(scenario, wire, observe)
  for _, text in ipairs(scenario.given or {}) do player:receive(text, 0) end
  for _, row in ipairs(scenario.steps) do player:step(row) end
  return table.concat(player.want, "\n"), table.concat(player.got, "\n")
end

return gb_player
