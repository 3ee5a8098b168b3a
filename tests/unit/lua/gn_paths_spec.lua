-- SPDX-License-Identifier: BSD-3-Clause
local gn_paths = require "gn.paths"

local S <const> = 1000000000

local function new(changes, plane)
  local path = { every = 60 * S, t3 = 5 * S, n3 = 3, on_loss = "keep" }
  for key, value in next, changes or {} do path[key] = value or nil end
  return gn_paths.new({ gn = { path = path } }, plane)
end

local function words_of(intents, out)
  for _, intent in ipairs(intents) do
    if intent.op == "gn_echo" then
      out[#out + 1] = string.format("echo %d %d", intent.path, intent.seq)
    elseif intent.op == "log" then
      out[#out + 1] = intent.level .. ": " .. intent.text
    else
      out[#out + 1] = intent.op .. " " .. intent.path
    end
  end
  return out
end

-- Plays rows { at in seconds, method, ... } and lets timers expire before each; returns "SECOND WORD" of all intents.
local function play(p, rows, until_s)
  local said = {}
  local function note(at, intents)
    for _, word in ipairs(words_of(intents, {})) do said[#said + 1] = at .. " " .. word end
  end
  local function advance_to(at)
    local next_at = p:next_at()
    while next_at and next_at <= at * S do
      note(next_at // S, p:advance(next_at))
      next_at = p:next_at()
    end
  end
  for _, row in ipairs(rows) do
    advance_to(row[1])
    local arguments = table.pack(table.unpack(row, 3))
    arguments[#arguments + 1] = row[1] * S
    note(row[1], p[row[2]](p, table.unpack(arguments)))
  end
  advance_to(until_s)
  return said
end

local ROWS = {
  { "asks, hears, asks again", nil,
    { { 0, "add", 7, "a - b" }, { 61, "answered", 7, 0 }, { 122, "answered", 7, 1 } }, 185,
    { "60 echo 7 0", "121 echo 7 1", "182 echo 7 2" },
    { state = "up", requests = 3, retransmissions = 0, answers = 2, failures = 0 } },
  { "repeats with the same number", nil,
    { { 0, "add", 7, "a - b" }, { 71, "answered", 7, 0 } }, 100,
    { "60 echo 7 0", "65 echo 7 0", "70 echo 7 0" },
    { state = "up", requests = 1, retransmissions = 2, answers = 1, failures = 0 } },
  { "goes down, stays down, comes up", nil,
    { { 0, "add", 7, "a - b" }, { 221, "answered", 7, 2 } }, 222,
    { "60 echo 7 0", "65 echo 7 0", "70 echo 7 0", "75 warning: path a - b: down, no answer to 3 Echo Requests",
      "135 echo 7 1", "140 echo 7 1", "145 echo 7 1", "210 echo 7 2", "215 echo 7 2", "220 echo 7 2",
      "221 warning: path a - b: up again" },
    { state = "up", requests = 3, retransmissions = 6, answers = 1, failures = 1 } },
  { "one attempt", { n3 = 1 },
    { { 0, "add", 7, "a - b" } }, 70,
    { "60 echo 7 0", "65 warning: path a - b: down, no answer to 1 Echo Requests" },
    { state = "down", requests = 1, retransmissions = 0, answers = 0, failures = 1 } },
  { "contexts end with the path", { on_loss = "delete", n3 = 1 },
    { { 0, "add", 7, "a - b" } }, 70,
    { "60 echo 7 0", "65 warning: path a - b: down, no answer to 1 Echo Requests", "65 lose 7" },
    { state = "down", requests = 1, retransmissions = 0, answers = 0, failures = 1 } },
  { "answers that nobody waits for", nil,
    { { 0, "add", 7, "a - b" }, { 10, "answered", 7, 65535 }, { 61, "answered", 7, 65535 }, { 62, "answered", 8, 0 },
      { 63, "answered", 7, 0 }, { 64, "answered", 7, 0 } }, 65,
    { "60 echo 7 0" },
    { state = "up", requests = 1, retransmissions = 0, answers = 1, failures = 0 } },
  { "no context any more", nil,
    { { 0, "add", 7, "a - b" }, { 62, "del", 7 }, { 63, "answered", 7, 0 } }, 500,
    { "60 echo 7 0" },
    { state = "off", requests = 1, retransmissions = 0, answers = 0, failures = 0 } },
  { "contexts come again", nil,
    { { 0, "add", 7, "a - b" }, { 62, "del", 7 }, { 100, "add", 7, "a - b" } }, 161,
    { "60 echo 7 0", "160 echo 7 1" },
    { state = "unknown", requests = 2, retransmissions = 0, answers = 0, failures = 0 } },
  { "two paths", nil,
    { { 0, "add", 7, "a - b" }, { 2, "add", 8, "a - c" }, { 61, "answered", 7, 0 }, { 63, "answered", 8, 0 } }, 122,
    { "60 echo 7 0", "62 echo 8 0", "121 echo 7 1" },
    { state = "up", requests = 2, retransmissions = 0, answers = 1, failures = 0 } },
  { "switched off", { every = false },
    { { 0, "add", 7, "a - b" }, { 10, "answered", 7, 0 }, { 11, "del", 7 } }, 10000, {},
    { state = "off", requests = 0, retransmissions = 0, answers = 0, failures = 0 } },
}

describe("paths to GGSNs", function()
  for _, row in ipairs(ROWS) do
    it(row[1], function()
      local p = new(row[2])
      assert.same(row[5], play(p, row[3], row[4]))
      local state = p:state(7)
      for key, value in next, row[6] do assert.equal(value, state[key], key) end
    end)
  end

  it("of a plane without Echo are not asked", function()
    for _, row in ipairs({ { "both", true, true }, { "control", true, false }, { "user", false, true } }) do
      for i, plane in ipairs({ "control", "user" }) do
        local p = new({ echo = row[1] }, plane)
        assert.same(row[i + 1] and { "60 echo 7 0" } or {}, play(p, { { 0, "add", 7, "a - b" } }, 61))
        assert.equal(row[i + 1] and "unknown" or "off", p:state(7).state)
      end
    end
  end)

  it("count Echo Requests modulo 65536", function()
    local p = new()
    p:add(1, "a - b", 0)
    p:state(1).seq = 65534
    assert.same({ "60 echo 1 65535", "120 echo 1 0" },
      play(p, { { 60, "answered", 1, 65535 }, { 120, "answered", 1, 0 } }, 121))
  end)

  it("leave no timer behind when they are gone", function()
    local p = new()
    for i = 1, 50 do p:add(i, "a - " .. i, i) end
    for i = 1, 50 do p:del(i, 100 + i) end
    assert.is_nil(p:next_at())
  end)
end)
