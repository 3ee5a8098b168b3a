-- SPDX-License-Identifier: BSD-3-Clause
-- Keys in configurations (schema.hidden): no message shows one, whatever is wrong with the text.
local config = require "schema.config"
local hidden = require "schema.hidden"
local scenario = require "scenario.read"
local scalar = require "schema.scalar"
local scenario_random = require "scenario.random"

local WINDOW <const> = hidden.DIGITS
local KEYS <const> = { "9f3ac47b12de5608", "fedcbaabcdefacdbbadcaffedeadbeef", "7305912846207193" }
local CIPHERING <const> = ('ciphering = { algorithm = "gea3", kc = "%s" },'):format(KEYS[1])

local NODE <const> = [[
return {
  gb = { address = "10.99.0.1" },
  nses = { { nsei = 101, nsvcs = { { nsvci = 1, address = "10.99.0.2" } }, cells = { { bvci = 2,
    cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 1, ci = 1 } } } } },
  mobiles = { source = "list", list = { { imsi = "262420000000001", tlli = 0xC0000001, bvci = 2,
    ]] .. CIPHERING .. [[ contexts = { { nsapi = 5, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1",
      ggsn_teid = 7, address = "10.45.0.1" } } },
    { imsi = "262420000000002", tlli = 0xC0000002, bvci = 2,
      ciphering = { algorithm = "gea4", kc = "]] .. KEYS[2] .. [[" },
      contexts = { { nsapi = 5, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", apn = "internet" } } },
    { imsi = "262420000000003", tlli = 0xC0000003, bvci = 2,
      ciphering = { algorithm = "gea3", kc = "]] .. KEYS[3] .. [[" },
      contexts = { { nsapi = 5, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", apn = "internet" } } } } },
}
]]

local BSS <const> = [[
return { nsei = 101, nsvcs = { { nsvci = 1, address = "198.51.100.2", sgsn_address = "198.51.100.1" } },
  cells = { { bvci = 2, cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 1, ci = 1 }, pdchs = 4, coding = "CS-2" } },
  phones = { imsi = "262420000000001", apn = "internet", ki = "]] .. KEYS[2] .. [[" },
}
]]

-- Which key has WINDOW digits in a text; nil: none.
local function shown_in(text)
  text = text:lower()
  for _, key in ipairs(KEYS) do
    for at = 1, #key - WINDOW + 1 do
      if text:find(key:sub(at, at + WINDOW - 1), 1, true) then return key end
    end
  end
end

local PIECES <const> = { '"', "'", ",", "=", " ", "\n", "{", "}", "[", "]", "[[", "--", ".", "..", "0x", "x", "return ",
  "error(", "\\", "+", ":", "local " }

-- A string or a name of the text, at random: where it begins and ends.
local function word(text, random)
  local pattern = random(2) == 1 and '()"[^"\n]*"()' or "()%f[%w_][%w_]+()"
  local from, behind = text:match(pattern, random(#text))
  return from or 1, behind or 1
end

local EDITS <const> = {
  function(text, at, random) return text:sub(1, at - 1) .. text:sub(at + random(3)) end,
  function(text, at, random) return text:sub(1, at - 1) .. PIECES[random(#PIECES)] .. text:sub(at) end,
  function(text, at, random) return text:sub(1, at - 1) .. PIECES[random(#PIECES)] .. text:sub(at + 1) end,
  function(text, _, random) -- a word in the place of another
    local from, behind = word(text, random)
    local to, after = word(text, random)
    return text:sub(1, to - 1) .. text:sub(from, behind - 1) .. text:sub(after)
  end,
  function(text, _, random) -- a key in the place of a word
    local to, after = word(text, random)
    local key = KEYS[random(#KEYS)]
    return text:sub(1, to - 1) .. (random(2) == 1 and key or '"' .. key .. '"') .. text:sub(after)
  end,
  function(text, at) return text:sub(1, at) end,
}

local function mutated(text, random)
  for _ = 1, random(3) do
    text = EDITS[random(#EDITS)](text, random(#text), random)
  end
  return text
end

local function check(kind, text, count)
  local random, wrong = scenario_random.new(7), 0
  assert.is_nil(shown_in(table.concat(select(2, assert(config.load(text, "n.lua", kind))), "\n")))
  for _ = 1, count do
    local given = mutated(text, random)
    local value, lines = config.load(given, "n.lua", kind)
    wrong = wrong + (value and 0 or 1)
    local shown = table.concat(lines, "\n")
    local key = shown_in(shown)
    if key then error(("%s of\n%s\nis in\n%s"):format(key, given, shown)) end
  end
  assert.is_true(wrong > count // 2)
end

describe("a key", function()
  it("is in no message about a node", function() check("node", NODE, 4000) end)
  it("is in no message about an emulated BSS", function() check("bss", BSS, 2000) end)

  it("is in no message about --set", function()
    local text = 'return { duration = "10 s", cells = { { name = "c", bvci = 2 } }, mobiles = { { name = "anna" } } }'
    local paths = { "sgsn.mobiles.kc", "kc", "", "mobiles.anna.class", KEYS[1], "cells[1].pdchs", "duration" }
    for _, path in ipairs(paths) do
      for _, key in ipairs(KEYS) do
        for _, value in ipairs({ key, '"' .. key .. '"', "{ " .. key .. " }", key .. " x" }) do
          local _, lines = scenario.load(text, "s.lua", { sets = { { path = path, value = value } } })
          assert.is_nil(shown_in(table.concat(lines, "\n")))
        end
      end
    end
  end)

  it("is in no message about its own place, in whatever form", function()
    local forms = { '"9f3ac4-7b12de-5608"', '"9f3ac47 b12de56 08"', "9305912", '"9f3ac47"', "9305912.5" }
    for _, form in ipairs(forms) do
      for kind, place in pairs({ node = { NODE, 'kc = "' .. KEYS[1] .. '"', "kc = " },
        bss = { BSS, 'ki = "' .. KEYS[2] .. '"', "ki = " } }) do
        local from, to = place[1]:find(place[2], 1, true)
        local text = place[1]:sub(1, from - 1) .. place[3] .. form .. place[1]:sub(to + 1)
        local value, lines = config.load(text, "n", kind)
        assert.is_nil(value)
        assert.is_nil(table.concat(lines, "\n"):find("9[f3][30][a5]"), form)
      end
    end
  end)

  it("is no number of more than 32 bits, nor eight digits in a text's place", function()
    for _, place in ipairs({ { "bvci = 2,", "bvci = %s," }, { 'imsi = "262420000000001"', "imsi = %s" } }) do
      for _, key in ipairs({ "0073059128462071", "12345678901", "0x1234567890a" }) do
        local from, to = NODE:find(place[1], 1, true)
        local value, lines = config.load(NODE:sub(1, from - 1) .. place[2]:format(key) .. NODE:sub(to + 1), "n", "node")
        assert.is_nil(value)
        assert.is_nil(table.concat(lines, "\n"):find("%d%d%d%d%d%d%d%d"), key)
      end
    end
    assert.same({ "1234567", "a number", "a number" },
      { scalar.given(1234567), scalar.given(12345678), scalar.given(-12345678) })
  end)

  it("is in no line of any message", function()
    for _, key in ipairs(KEYS) do
      assert.same({ "n:1: a: b ..." }, config.formatted("n", { { line = 1, path = "a", message = "b " .. key } }))
    end
  end)

  it("is what has eight digits, but for numbers and IMSIs of a whole message", function()
    assert.equal("a ... b 1234567", hidden.all("a 12345678abcdEF b 1234567"))
    assert.equal("262420000000001 0xC0000001 .. 0xFFFFFFFF", hidden.keys("262420000000001 0xC0000001 .. 0xFFFFFFFF"))
    assert.equal("... ... 0x... deadbee", hidden.keys("1234567890123456 deadbeef 0xC0000001a deadbee"))
  end)
end)
