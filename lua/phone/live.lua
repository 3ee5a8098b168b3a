-- SPDX-License-Identifier: BSD-3-Clause
-- The phones of `gbflow emulate` (app/emulate/phones.c): phone.phones from the key `phones` of its configuration, and
-- the counts of its report.

local phones = require "phone.phones"

local live = {}

local S <const> = 1000000000
local NSAPI <const>, SAPI <const> = 5, 3
local CAPABILITY <const> = "\x65\xa0" -- no GEA/1, GEA/2 or GEA/4; GEA/3; R99
local RA_CAPABILITY <const> = "\x18\xb3\x43\x2b\x25\x96\x62\x00\x60\x80\x9a\xc2\xc6\x62\x00\x60\x80\xba\xc8\xc6"
  .. "\x62\x00\x60\x80\x00"
local TIMERS <const> = { t3302 = 720 * S, t3310 = 15 * S, t3321 = 15 * S, t3330 = 15 * S, t3380 = 30 * S,
  t3390 = 8 * S } -- 24.008 clauses 11.2.2 and 11.2.3

local function octets_of(hex)
  return hex and (hex:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

-- bss: the checked configuration, with the key `phones`.
function live.new(bss, wire, random)
  local config = bss.phones
  local list, ki = {}, octets_of(config.ki)
  for i = 1, config.count do
    local imsi = ("%015d"):format(math.tointeger(tonumber(config.imsi)) + i - 1)
    list[i] = { imsi = imsi, imeisv = ("35000000%08d"):format(i), ki = ki }
  end
  local cells = {}
  for i, cell in ipairs(bss.cells) do cells[i] = cell.cell_id end
  return phones.new({ list = list, cells = cells, script = config.script, rounds = config.rounds,
    apn = config.apn, nsapi = NSAPI, sapi = SAPI, capability = CAPABILITY,
    ra_capability = RA_CAPABILITY, attach_gap = S // config.attaches_per_s, timers = TIMERS }, wire, random)
end

return live
