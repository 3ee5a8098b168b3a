-- SPDX-License-Identifier: BSD-3-Clause
local llc = require "llc.unnumbered"
local records = require "base.records"
local rows = require "llc_rows"
local wire = require "gbflow_llc"
local spec_tools = require "spec_tools"

local octets_of = spec_tools.octets_of

local S <const> = 1000000000
local MOBILE <const>, PLACE <const> = 4, "101/1800"

local function config_with(changes)
  local settings = { reset_at_start = false, t200 = 5 * S, n200 = 3, acknowledged = { links = 0, n201_i = 1503,
    m_down = 0, m_up = 0, k_down = 16, k_up = 8, t200 = 20 * S, n200 = 3 } }
  for key, value in next, changes or {} do settings[key] = value end
  return { gb = { mtu = 1500, headers_octets = 78 }, mobiles = { n201_u = settings.n201_u or 500 }, llc = settings }
end

-- Intents as words; frames in hex without blanks.
local function words_of(intents, out)
  for _, intent in ipairs(intents) do
    assert.equal(MOBILE, intent.mobile)
    local word = intent.op
    if word == "llc_frame" then
      word = "-> " .. intent.octets:gsub(".", function(c) return ("%02x"):format(c:byte()) end)
    elseif word == "ms_n201" then
      word = "n201_u " .. intent.octets
    end
    if out[#out] == "ms_llc_await" then
      out[#out] = "await " .. word
    else
      out[#out + 1] = word
    end
  end
  return out
end

local function without_blanks(list)
  local out = {}
  for i, word in ipairs(list) do
    local before, octets = word:match("^(.*%-> )(.*)$")
    out[i] = before and before .. octets:gsub(" ", "") or word
  end
  return out
end

local function with_mobile(config)
  local l = llc.new(config, wire)
  return l, words_of(l:ms_add(MOBILE, PLACE, nil, 0), {})
end

describe("llc in acknowledged mode", function()
  local PROPOSED <const> = "03fb 0e0032 1103 1a05df 1e05f0 2205f0 2510 2910" -- T200 5 s, N200 3, N201-I 1503, m, k 16

  local function intents_of(settings, frame)
    local config = config_with()
    for name, value in pairs(settings) do config.llc.acknowledged[name] = value end
    local l = with_mobile(config)
    return l:frame(MOBILE, octets_of(frame), 0)
  end

  it("answers within its own bounds, and tells the worker", function()
    local intents = intents_of({ links = 1, k_down = 8, k_up = 4, n201_i = 500, m_up = 100, n200 = 7 }, PROPOSED)
    assert.equal(octets_of("03fb 0e00c8 1107 1a01f4 1e05f0 220064 2508 2904"), intents[2].octets)
    assert.same({ op = "ms_abm", mobile = MOBILE, sapi = 3, t200_ds = 200, n200 = 7, n201_i_octets = 500, m_d = 1520,
      m_u = 100, k_d = 8, k_u = 4 }, intents[1])
  end)

  it("bounds nothing else", function()
    local intents = intents_of({ links = 1 }, "03fb 2503")
    assert.same({ op = "ms_abm", mobile = MOBILE, sapi = 3, t200_ds = 1, n200 = 1, n201_i_octets = 1520, m_d = 0,
      m_u = 0, k_d = 3, k_u = 255 }, intents[1])
  end)

  it("says nothing where it is off, or not of that SAPI", function()
    assert.equal(1, #intents_of({ links = 0 }, PROPOSED))
    assert.equal(1, #intents_of({ links = 1 }, "01fb 2503"))
  end)
end)

describe("llc reports", function()
  it("counters that are zero, too, and kinds of messages that nobody handles", function()
    local l = with_mobile(config_with())
    for _, frame in ipairs({ "07c0011901", "01c0010801", "01c0050a41ff", "01c0090801", "01c00d08", "03fb" }) do
      l:frame(MOBILE, (frame:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end)), 0)
    end
    local named, kinds = l:count(), {}
    for i, entry in ipairs(l:messages()) do
      kinds[i] = table.concat({ entry.sapi, entry.protocol, entry.message, entry.frames }, " ")
    end
    assert.same({ "1 8 0 1", "1 8 1 2", "1 10 65 1", "7 9 1 1" }, kinds)
    assert.equal(4, named.gmm)
    assert.equal(1, named.xid_answered)
    assert.equal(0, named.reset_unanswered)
  end)
end)

describe("llc answers", function()
  for _, row in ipairs(rows) do
    it(row[1], function()
      local l, said = with_mobile(config_with())
      for _, frame in ipairs(row[2]) do
        words_of(l:frame(MOBILE, octets_of(frame), S), said)
      end
      assert.same(without_blanks(row[3]), said)
      for name, count in next, row.counts or {} do
        assert.equal(count, l.counts[name] or 0, name)
      end
      assert.is_nil(l:next_at())
    end)
  end

  it("nobody that it does not know", function()
    local l = with_mobile(config_with())
    assert.same({}, l:frame(5, octets_of("03fb"), S))
    l:ms_del(MOBILE, S)
    assert.same({}, l:frame(MOBILE, octets_of("03fb"), S))
    assert.equal(2, l.counts.unknown_mobile)
  end)

  it("within a limit that is configured", function()
    local l = with_mobile(config_with({ n201_u_max = 300 }))
    assert.same({ "-> 03fb16012c", "n201_u 300" }, words_of(l:frame(MOBILE, octets_of("03fb 1605dc"), S), {}))
  end)

  it("any octets without failing itself", function()
    local l = with_mobile(config_with())
    local state = 1
    for _ = 1, 20000 do
      local octets = {}
      state = (state * 6364136223846793005 + 1442695040888963407)
      for i = 1, (state >> 60) + 2 do
        state = (state * 6364136223846793005 + 1442695040888963407)
        octets[i] = string.char(state >> 56)
      end
      octets[1] = string.char(3)
      octets[2] = string.char(0xf0 | octets[2]:byte()) -- P = 1
      l:frame(MOBILE, table.concat(octets), S)
    end
    assert.is_truthy(l.counts.xid_answered > 100)
    assert.is_truthy(l.counts.xid_malformed > 100)
  end)
end)

-- Its counters that have counted.
local function counted(l)
  local out = {}
  for name, count in next, l:count() do out[name] = count > 0 and count or nil end
  return out
end

-- Steps of { at, what, argument, expected }.
local function play(config, steps, iov_ui)
  local l = llc.new(config, wire)
  for i, step in ipairs(steps) do
    local at, what, argument = step[1] * S, step[2], step[3]
    local intents
    if what == "add" then
      intents = l:ms_add(MOBILE, PLACE, iov_ui, at)
    elseif what == "del" then
      intents = l:ms_del(MOBILE, at)
    elseif what == "open" then
      intents = l:cell_open(argument or PLACE, at)
    elseif what == "rx" then
      intents = l:frame(MOBILE, octets_of(argument), at)
    elseif what == "want_reset" then
      intents = l:reset(MOBILE, at)
    elseif what == "settled" then
      intents = l:settled(MOBILE, at)
    else
      intents = l:advance(at)
    end
    assert.same(without_blanks(step[4] or {}), words_of(intents, {}), "step " .. i)
    assert.equal(step[5] and step[5] * S, l:next_at(), "step " .. i)
  end
  return l
end

local RESET <const> = "await -> 41fb 30"

describe("a reset after the start", function()
  it("is not sent when nobody wants it", function()
    play(config_with(), { { 0, "add" }, { 1, "open" }, { 99, "time" } })
  end)

  it("goes when the cell opens, once", function()
    local l = play(config_with({ reset_at_start = true }), {
      { 0, "add" }, { 1, "open", "101/7" }, { 2, "open", nil, { RESET }, 7 }, { 3, "open", nil, {}, 7 },
      { 4, "rx", "41fb" }, { 5, "open" }, { 99, "time" },
    })
    assert.same({ reset_sent = 1, reset_done = 1 }, counted(l))
  end)

  it("goes at once in a cell that is open", function()
    play(config_with({ reset_at_start = true }), { { 1, "open" }, { 2, "add", nil, { RESET }, 7 } })
  end)

  it("is repeated until it is answered, or given up", function()
    local l = play(config_with({ reset_at_start = true, n200 = 2 }), {
      { 0, "add" }, { 1, "open", nil, { RESET }, 6 }, { 5, "time", nil, {}, 6 }, { 6, "time", nil, { RESET }, 11 },
      { 11, "time", nil, { RESET }, 16 }, { 16, "time" }, { 17, "rx", "41fb" }, { 18, "open" },
    })
    assert.same({ reset_sent = 3, reset_unanswered = 1, xid_unexpected = 1 }, counted(l))
  end)

  it("is answered after a repetition", function()
    play(config_with({ reset_at_start = true }), {
      { 0, "add" }, { 1, "open", nil, { RESET }, 6 }, { 6, "time", nil, { RESET }, 11 },
      { 7, "rx", "41fb" }, { 11, "time" },
    })
  end)

  it("goes to a new mobile that has sent before, and ends when its frames are ciphered", function()
    local l = play(config_with(), {
      { 1, "open" }, { 2, "add" }, { 3, "want_reset", nil, { RESET }, 8 }, { 4, "want_reset", nil, {}, 8 },
      { 8, "time", nil, { RESET }, 13 }, { 9, "settled" }, { 99, "time" }, { 100, "rx", "41fb" },
    })
    assert.same({ reset_sent = 2, xid_unexpected = 1 }, counted(l))
    play(config_with(), {
      { 1, "add" }, { 2, "want_reset", nil, { RESET }, 7 }, { 3, "rx", "41fb" }, { 4, "settled" },
    })
  end)

  it("names IOV-UI when the mobile ciphers", function()
    play(config_with({ reset_at_start = true }), { { 1, "open" },
      { 2, "add", nil, { "await -> 41fb 30 8410 12345678" }, 7 } }, 0x12345678)
  end)

  it("brings the default N201-U back, and answers proposals meanwhile", function()
    play(config_with({ reset_at_start = true, n201_u = 1400 }), {
      { 0, "add" }, { 1, "open", nil, { "n201_u 500", RESET }, 6 },
      { 2, "rx", "03fb 160578", { "-> 03fb 160578", "n201_u 1400" }, 6 }, { 3, "rx", "43fb", {}, 6 },
      { 4, "rx", "41fb" },
    })
  end)

  it("forgets what was agreed on", function()
    play(config_with({ reset_at_start = true }), {
      { 0, "add" }, { 1, "rx", "03fb 1600c8", { "-> 03fb 1600c8", "n201_u 200" } }, { 2, "open", nil, { RESET }, 7 },
      { 3, "rx", "05fb 160578", { "-> 05fb 160578", "n201_u 1400" }, 7 },
    })
  end)

  it("ends with its mobile, and begins with the next in its place", function()
    play(config_with({ reset_at_start = true }), {
      { 0, "add" }, { 1, "open", nil, { RESET }, 6 }, { 2, "del" }, { 3, "add", nil, { RESET }, 8 },
      { 6, "time", nil, {}, 8 }, { 8, "time", nil, { RESET }, 13 },
    })
  end)

  it("is repeated after a restart of control, where a phone was told", function()
    records.is_on = true
    local l, kept = llc.new(config_with({}), wire), nil
    l:ms_add(MOBILE, PLACE, nil, 0)
    for _, intent in ipairs(l:reset(MOBILE, 0)) do kept = intent.op == "keep" and intent or kept end
    local after = llc.new(config_with({}), wire)
    after:ms_add(MOBILE, PLACE, nil, S)
    after:adopt(kept.key, kept.octets, S)
    after:adopted(S)
    records.is_on = false
    assert.equal(6 * S, after:next_at())
    assert.same({ (RESET:gsub("fb ", "fb")) }, words_of(after:advance(6 * S), {}))
  end)

  it("goes to many mobiles in the order of their slots", function()
    local l = llc.new(config_with({ reset_at_start = true }), wire)
    for _, mobile in ipairs { 9, 3, 7, 1 } do l:ms_add(mobile, PLACE, nil, 0) end
    local order = {}
    for i, intent in ipairs(l:cell_open(PLACE, S)) do order[i] = intent.mobile .. " " .. intent.op end
    for i, mobile in ipairs { 1, 3, 7, 9 } do
      assert.equal(mobile .. " ms_llc_await", order[2 * i - 1])
      assert.equal(mobile .. " llc_frame", order[2 * i])
    end
    assert.equal(8, #l:advance(6 * S))
    assert.equal(11 * S, l:next_at())
  end)
end)

describe("the codec", function()
  it("refuses to write what cannot stand on the wire", function()
    for _, frame in ipairs {
      { sapi = 4, frame = "xid" }, { sapi = 3, frame = "xyz" }, { sapi = 3 }, { frame = "xid" },
      { sapi = 3, frame = "xid", xid = { n201_u_octets = 139 } },
      { sapi = 3, frame = "xid", xid = { n201_u_octets = "?" } },
      { sapi = 3, frame = "xid", xid = { l3 = ("x"):rep(256) } },
    } do
      assert.has_error(function() wire.encode(frame) end)
    end
    assert.has_error(function() wire.encode(5) end)
    assert.has_error(function() wire.decode(nil) end)
  end)

  it("says what it refuses to read", function()
    local frame = wire.decode(octets_of("03fb 160578 16008b 0103 841000000000 7f112233"))
    assert.same({ n201_u_octets = 1400, version = 3, iov_ui = 0, refused = { "n201_u_octets" } }, frame.xid)
    assert.is_nil(wire.decode(("x"):rep(3000)))
  end)
end)
