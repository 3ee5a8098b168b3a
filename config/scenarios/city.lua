-- SPDX-License-Identifier: BSD-3-Clause
-- A town: 1000 users in 20 cells of two BSSs for ten minutes. Every second cell fades.
--
--   gbflow run config/scenarios/city.lua --out out/city
--   gbflow run config/scenarios/city.lua --set sgsn.queues.discipline=q --out out/city-q
--
-- Users and cells are those of preset/users.lua and preset/radio.lua, which a scenario beside this folder may use, too.

local radio = require "preset.radio"
local users = require "preset.users"

local CELLS <const>, START_S <const> = 20, 60
-- Of each kind 20 x n users, in all cells alike.
local KINDS = {
  { name = "browser", class = "thp2", n = 18 },
  { name = "mailer", class = "thp3", n = 12 },
  { name = "talker", class = "streaming", n = 4 },
  { name = "loader", class = "background", n = 6 },
  { name = "meter", class = "thp1", n = 10 },
}

local function cells()
  local list = {}
  for i = 1, CELLS do
    local own = { bvci = 100 + i, nse = i <= CELLS // 2 and 1 or 2, pdchs = 4 }
    list[i] = i % 2 == 0 and radio.cell(own, radio.fading) or radio.cell(own)
  end
  return list
end

local function mobiles()
  local list = {}
  for k = 1, #KINDS do
    local kind = KINDS[k]
    for i = 1, CELLS * kind.n do
      list[#list + 1] = { name = kind.name .. i, cell = 101 + i % CELLS, class = kind.class,
        traffic = users[kind.name](START_S) }
    end
  end
  return list
end

return {
  title = "1000 users in 20 cells",
  duration = "10 min",
  warmup = "1 min",
  sgsn = { queue_limit = "30 kB", lifetime = { mode = "split", sgsn_max = "20 s" } },
  cells = cells(),
  mobiles = mobiles(),
  tcp = { cc = "cubic", slow_start = "hystart++", growth = "octets", rack = true, prr = true, initial_cwnd = 10 },
  series = { every = "5 s" },
}
