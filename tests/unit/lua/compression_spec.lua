-- SPDX-License-Identifier: BSD-3-Clause
local llc = require "llc.unnumbered"
local records = require "base.records"
local wire = require "gbflow_llc"
local spec_tools = require "spec_tools"

local octets_of = spec_tools.octets_of

local S <const> = 1000000000
local MOBILE <const>, PLACE <const> = 4, "101/1800"

local function config_with(changes)
  local compression = { mode = "passive", entities = 10, rfc1144 = { slots = 8 },
    v42bis = { direction = "downlink", codewords = 512, string = 20 } }
  for key, value in next, changes or {} do compression[key] = value or nil end
  return { gb = { mtu = 1500, headers_octets = 78 }, mobiles = { n201_u = 500 }, sndcp = { compression = compression },
    llc = { reset_at_start = false, t200 = 5 * S, n200 = 1, acknowledged = { links = 0 } } }
end

local is_full = false -- of the pool of entities
local function has_memory() return not is_full end

local FIELDS <const> = { "kind", "number", "nsapis", "first", "second", "slots", "codewords", "string_octets",
  "directions" }

-- Intents as words: frames in hex, entities as "SAPI: FIELDS", with "+" if they take memory, "*" if they restart.
local function words_of(intents)
  local out = {}
  for _, intent in ipairs(intents) do
    assert.equal(MOBILE, intent.mobile)
    if intent.op == "llc_frame" then
      out[#out + 1] = "-> " .. intent.octets:gsub(".", function(c) return ("%02x"):format(c:byte()) end)
    elseif intent.op == "ms_compression" then
      local values = {}
      for _, name in ipairs(FIELDS) do values[#values + 1] = intent[name] end
      local sign = intent.is_added and "+" or intent.is_new and "*" or ""
      out[#out + 1] = sign .. intent.sapi .. ": " .. table.concat(values, " ")
    else
      out[#out + 1] = intent.op
    end
  end
  return out
end

local function frame_of(text)
  return "-> " .. text:gsub(" ", "")
end

-- A mobile with contexts: { nsapi, sapi, takes_headers }.
local function with_mobile(config, ...)
  local l = llc.new(config, wire, has_memory)
  l:cell_open(PLACE, 0)
  l:ms_add(MOBILE, PLACE, nil, 0)
  for _, context in ipairs({ ... }) do
    l:pdp_add(MOBILE, { nsapi = context[1], sapi = context[2], takes_headers = context[3], takes_data = true }, 0)
  end
  return l
end

local WEB <const> = { 5, 3, true }
local V42BIS_AND_RFC1144 <const> = "03fb ac60 000100 010a 81000710 0020 03080014 0207 80000412 0020 0f"
local BOTH_ACCEPTED <const> = "03fb ac50 000100 0108 0106 0020 02020014 0205 0003 0020 07"
local V42BIS <const>, RFC1144 <const> = "+3: 1 1 32 1 0 512 20 2", "+3: 0 0 32 1 2 8"

-- Title; proposals; what is said of each; counters. A mobile with NSAPI 5 on SAPI 3 and NSAPI 6 on SAPI 5.
local rows = {
  { "accepts both within its bounds, and tells the worker before the phone", { V42BIS_AND_RFC1144 },
    { V42BIS, RFC1144, frame_of(BOTH_ACCEPTED) }, { accepted = 2 } },
  { "takes defaults for what is left out", { "03fb ac40 0106 81000310 0020 0206 80000312 0020" },
    { V42BIS, RFC1144, frame_of(BOTH_ACCEPTED) }, { accepted = 2 } },
  { "accepts one of a real phone's, only on a NSAPI that is there",
    { "03fb acd8 000100 0231 82022789 ffe0 000f00a8 0000000101010002010200030103000401040005010500060007010700080108 "
      .. "80000412 0060 07" },
    { "+3: 0 0 32 1 2 8", frame_of("03fb acc8 000100 022d 0226 0000 000f00a8 "
      .. "0000000101010002010200030103000401040005010500060007010700080108 0003 0020 07") },
    { accepted = 1, refused_algorithm = 1 } },
  { "refuses what is not one of its contexts", { "03fb ac24 0207 80000412 0040 0f" },
    { frame_of("03fb ac28 000100 0205 0003 0000 0f") }, { refused_context = 1 } },
  { "refuses numbers of PCOMP and DCOMP that are 0 or equal",
    { "03fb ac54 0207 80000402 0020 0f 010a 81000700 0020 03080014", "03fb ac24 0207 80000411 0020 0f" },
    { frame_of("03fb ac50 000100 0205 0003 0000 0f 0108 0106 0000 03080014"),
    frame_of("03fb ac28 000100 0205 0003 0000 0f") },
    { refused_number = 3 } },
  { "refuses parameters out of range", { "03fb ac30 010a 81000710 0020 0301ff14",
    "03fb ac30 010a 81000710 0020 03080005" },
    { frame_of("03fb ac34 000100 0108 0106 0000 0301ff14"), frame_of("03fb ac34 000100 0108 0106 0000 03080005") },
    { refused_parameter = 2 } },
  { "refuses a direction that it does not compress", { "03fb ac30 010a 81000710 0020 01080014" },
    { frame_of("03fb ac34 000100 0108 0106 0000 01080014") }, { refused_direction = 1 } },
  { "refuses a second entity of a kind on a SAPI", { "03fb ac40 020e 80000412 0020 0f 81000434 0020 0f" },
    { "+3: 0 0 32 1 2 8", frame_of("03fb ac3c 000100 020a 0003 0020 07 0103 0000 0f") }, { accepted = 1,
    refused_taken = 1 } },
  { "has the same number on another SAPI", { "03fb ac24 0207 80000412 0020 03", "05fb ac24 0207 80000412 0040 03" },
    { "+3: 0 0 32 1 2 4", frame_of("03fb ac28 000100 0205 0003 0020 03"), "+5: 0 0 64 1 2 4",
      frame_of("05fb ac28 000100 0205 0003 0040 03") }, { accepted = 2 } },
  { "replaces an entity whose number is proposed again",
    { "03fb ac24 0207 80000412 0020 03", "03fb ac24 0207 80000434 0020 01" },
    { "+3: 0 0 32 1 2 4", frame_of("03fb ac28 000100 0205 0003 0020 03"), "*3: 0 0 32 3 4 2",
      frame_of("03fb ac28 000100 0205 0003 0020 01") }, { accepted = 2, ended = 1 } },
  { "changes entities; what is left out stays",
    { V42BIS_AND_RFC1144, "03fb ac44 000100 0105 0103 0020 02 0205 0003 0020 02" },
    { V42BIS, RFC1144, frame_of(BOTH_ACCEPTED), "3: 1 1 32 1 0 512 20 2", "3: 0 0 32 1 2 3",
      frame_of("03fb ac50 000100 0108 0106 0020 02020014 0205 0003 0020 02") }, { accepted = 2, changed = 2 } },
  { "ends an entity without NSAPIs, or whose values are out of range",
    { V42BIS_AND_RFC1144, "03fb ac4c 000100 0204 0002 0000 0108 0106 0020 03000014" },
    { V42BIS, RFC1144, frame_of(BOTH_ACCEPTED), "3: 1 1 0 1 0 512 20 2", "3: 0 0 0 1 2 8",
      frame_of("03fb ac4c 000100 0204 0002 0000 0108 0106 0000 03000014") },
    { accepted = 2, ended = 2, refused_parameter = 1 } },
  { "takes memory once, and tells the worker once, whatever a block proposes",
    { "03fb ac6c 0207 80000412 0020 03 0207 80000434 0020 01 0207 80000412 0020 02" },
    { "+3: 0 0 32 1 2 3", frame_of("03fb ac50 000100 020f 00030020 03 00030020 01 00030020 02") },
    { accepted = 3, ended = 2 } },
  { "tells the worker nothing of an entity that begins and ends in one block",
    { "03fb ac3c 0207 80000412 0020 03 0204 0002 0000" },
    { frame_of("03fb ac38 000100 0209 00030020 03 00020000") }, { accepted = 1, ended = 1 } },
  { "refuses to change what is not there", { "03fb ac1c 0205 0403 0020 0f" },
    { frame_of("03fb ac28 000100 0205 0403 0000 0f") },
    { refused_unknown = 1 } },
  { "accepts nothing of a field that is cut short", { "03fb ac28 0207 80000412 0020 0f 02" },
    { frame_of("03fb ac28 000100 0205 0003 0000 0f") }, { refused_malformed = 1 } },
  { "answers nothing with nothing, and a version with a version", { "03fb 2c", "03fb 2f 000100" },
    { frame_of("03fb 2c"), frame_of("03fb 2f 000100") }, {} },
}

describe("compression, asked by a phone,", function()
  for _, row in ipairs(rows) do
    it(row[1], function()
        local l, said = with_mobile(config_with(), WEB, { 6, 5, true }), {}
        for _, frame in ipairs(row[2]) do
          local octets = octets_of(frame)
          table.move(words_of(l:frame(MOBILE, octets, S)), 1, 9, #said + 1, said)
        end
        assert.same(row[3], said)
        for name, count in next, l.counts do
          local short = name:match("^compression_(.+)")
          if short then assert.equal(row[4][short] or 0, count, name) end
        end
        for name, count in next, row[4] do assert.equal(count, l.counts["compression_" .. name], name) end
      end)
  end
end)

describe("compression", function()
  it("is refused without a kind that is allowed, and when it is off", function()
    for _, change in ipairs({ { mode = "off" }, { rfc1144 = false, v42bis = false } }) do
      local l = with_mobile(config_with(change), WEB)
      assert.same({ frame_of("03fb ac50 000100 0108 0106 0000 03080014 0205 0003 0000 0f") },
        words_of(l:frame(MOBILE, octets_of(V42BIS_AND_RFC1144), S)))
      assert.equal(2, l.counts.compression_refused_algorithm)
    end
  end)

  it("of headers is refused for contexts whose headers stay as they are", function()
    local l = with_mobile(config_with(), { 5, 3, false })
    assert.same({ V42BIS, frame_of("03fb ac50 000100 0108 0106 0020 02020014 0205 0003 0000 0f") },
      words_of(l:frame(MOBILE, octets_of(V42BIS_AND_RFC1144), S)))
  end)

  it("is refused without room, and an entity that ends gives its room back", function()
    local l = with_mobile(config_with({ entities = 1 }), WEB)
    l:frame(MOBILE, octets_of(V42BIS_AND_RFC1144), S)
    assert.equal(1, l.counts.compression_refused_room)
    assert.same({ "3: 1 1 0 1 0 512 20 2" }, words_of(l:pdp_del(MOBILE, 5, S)))
    l:pdp_add(MOBILE, { nsapi = 6, sapi = 3, takes_headers = true, takes_data = true }, S)
    l:frame(MOBILE, octets_of("03fb ac24 0207 80000412 0040 0f"), S)
    assert.equal(2, l.counts.compression_accepted)
  end)

  it("is refused while no memory is free, but not to an entity that has some", function()
    local l = with_mobile(config_with(), WEB)
    l:frame(MOBILE, octets_of("03fb ac24 0207 80000412 0020 03"), S)
    is_full = true
    local said = words_of(l:frame(MOBILE, octets_of("03fb ac54 010a 81000710 0020 03080014 0207 80000412 0020 01"), S))
    is_full = false
    assert.same({ "*3: 0 0 32 1 2 2", frame_of("03fb ac50 000100 0108 0106 0000 03080014 0205 0003 0020 01") }, said)
    assert.equal(1, l.counts.compression_refused_room)
  end)

  it("has the kinds that a context takes", function()
    for _, row in ipairs({ { true, false, { RFC1144 } }, { false, true, { V42BIS } }, { false, false, {} } }) do
      local l = with_mobile(config_with())
      l:pdp_add(MOBILE, { nsapi = 5, sapi = 3, takes_headers = row[1], takes_data = row[2] }, 0)
      local said = words_of(l:frame(MOBILE, octets_of(V42BIS_AND_RFC1144), S))
      said[#said] = nil
      assert.same(row[3], said)
      assert.equal(2 - #row[3], l.counts.compression_refused_context or 0)
    end
  end)

  it("follows a change of a context's mode", function()
    local l = with_mobile(config_with(), WEB, { 6, 3, true })
    l:pdp_mode(MOBILE, 6, true, 0)
    l:pdp_mode(MOBILE, 7, true, 0)
    local _, answer = table.unpack(words_of(l:frame(MOBILE, octets_of("03fb ac24 0207 80000412 0060 0f"), S)))
    assert.equal(frame_of("03fb ac28 000100 0205 0003 0020 07"), answer)
    l:pdp_mode(MOBILE, 6, false, 0)
    _, answer = table.unpack(words_of(l:frame(MOBILE, octets_of("03fb ac24 0207 80000412 0060 0f"), S)))
    assert.equal(frame_of("03fb ac28 000100 0205 0003 0060 07"), answer)
  end)

  -- 29.060 §7.7.48: the phone is told by XID, in both modes, and what it proposes again is refused.
  it("of data ends for contexts whose GGSN prohibits it, that of headers stays", function()
    local l = with_mobile(config_with(), WEB, { 6, 3, true })
    l:frame(MOBILE, octets_of((V42BIS_AND_RFC1144:gsub(" 0020", " 0060"))), S)
    assert.same({ frame_of("43fb ac34 000100 0108 0106 0040 02020014") }, words_of(l:pdp_data(MOBILE, 5, false, S)))
    assert.same({ "3: 1 1 64 1 0 512 20 2" },
      words_of(l:frame(MOBILE, octets_of("43fb ac34 000100 0108 0106 0040 02020014"), S)))
    assert.same({}, words_of(l:pdp_data(MOBILE, 5, true, S))) -- only the phone asks for more
    assert.same({ frame_of("43fb ac34 000100 0108 0106 0000 02020014") }, words_of(l:pdp_data(MOBILE, 6, false, S)))
    assert.same({ "3: 1 1 0 1 0 512 20 2" },
      words_of(l:frame(MOBILE, octets_of("43fb ac34 000100 0108 0106 0000 02020014"), S)))
    l:pdp_data(MOBILE, 5, false, S)
    assert.same({ frame_of("03fb ac34 000100 0108 0106 0000 03080014") },
      words_of(l:frame(MOBILE, octets_of("03fb ac30 010a 81000710 0060 03080014"), S)))
    assert.same({ 1, 0, 1, 9 }, { l.counts.compression_ended, l.counts.compression_refused_peer,
      l.counts.compression_refused_context, l.compression.room })
  end)

  it("loses a context, and ends with its last", function()
    local l = with_mobile(config_with(), WEB, { 6, 3, true })
    l:frame(MOBILE, octets_of("03fb ac24 0207 80000412 0060 0f"), S)
    assert.same({ "3: 0 0 64 1 2 8" }, words_of(l:pdp_del(MOBILE, 5, S)))
    assert.same({ "3: 0 0 0 1 2 8" }, words_of(l:pdp_del(MOBILE, 6, S)))
    assert.same({}, words_of(l:pdp_del(MOBILE, 6, S)))
    assert.same({}, words_of(l:ms_del(MOBILE, S)))
    assert.equal(1, l.counts.compression_ended)
    assert.equal(10, l.compression.room)
  end)

  it("is not shared by contexts in acknowledged mode and others", function()
    local l = with_mobile(config_with(), WEB, { 7, 3, true })
    l:pdp_add(MOBILE, { nsapi = 6, sapi = 3, takes_headers = true, takes_data = true, is_acknowledged = true }, 0)
    assert.same({ "+3: 0 0 160 1 2 8", frame_of("03fb ac28 000100 0205 0003 00a0 07") },
      words_of(l:frame(MOBILE, octets_of("03fb ac24 0207 80000412 00e0 0f"), S)))
    l:frame(MOBILE, octets_of("03fb ac24 0207 80000412 0040 0f"), S)
    assert.same({ "3: 0 0 64 1 2 8", frame_of("03fb ac28 000100 0205 0003 0040 07") },
      words_of(l:frame(MOBILE, octets_of("03fb ac1c 0205 0003 00e0 0f"), S)))
  end)

  it("ends when LLC is reset", function()
    local l = with_mobile(config_with(), WEB)
    l:frame(MOBILE, octets_of(V42BIS_AND_RFC1144), S)
    assert.same({ "3: 1 1 0 1 0 512 20 2", "3: 0 0 0 1 2 8", "ms_llc_await", frame_of("41fb 30") },
      words_of(l:reset(MOBILE, S)))
    assert.equal(10, l.compression.room)
  end)

  it("ends with the answer to Reset if it was agreed on before that", function()
    local l = with_mobile(config_with(), WEB)
    l:reset(MOBILE, S)
    local words = words_of(l:frame(MOBILE, octets_of(V42BIS_AND_RFC1144), S))
    assert.same({ V42BIS, RFC1144, frame_of(BOTH_ACCEPTED) }, words)
    assert.same({ "3: 1 1 0 1 0 512 20 2", "3: 0 0 0 1 2 8" }, words_of(l:frame(MOBILE, octets_of("41fb"), S)))
    assert.equal(10, l.compression.room)
  end)
end)

local PROPOSED <const> = "43fb ac60 000100 010a 80000710 0020 02020014 0207 81000412 0020 07"

describe("compression, proposed by the node,", function()
  local active = config_with({ mode = "active" })

  local function asking()
    local l = llc.new(active, wire, has_memory)
    l:cell_open(PLACE, 0)
    l:ms_add(MOBILE, PLACE, nil, 0)
    return l, words_of(l:pdp_add(MOBILE, { nsapi = 5, sapi = 3, takes_headers = true, takes_data = true }, 0))
  end

  it("is what the phone answers", function()
    local l, said = asking()
    assert.same({ frame_of(PROPOSED) }, said)
    assert.same({ "+3: 1 0 32 1 0 512 20 2", "+3: 0 1 32 1 2 4" },
      words_of(l:frame(MOBILE, octets_of("43fb ac50 000100 0108 0006 0020 03040014 0205 0103 0020 03"), S)))
    assert.equal(2, l.counts.compression_accepted)
    assert.equal(8, l.compression.room)
    assert.is_nil(l:next_at())
  end)

  it("is refused by NSAPIs of 0, by an answer without it, or by none", function()
    for _, answer in ipairs({ "43fb ac3c 000100 0104 0002 0000 0204 0102 0000", "43fb 2f 000100", "43fb" }) do
      local l = asking()
      assert.same({}, words_of(l:frame(MOBILE, octets_of(answer), S)))
      assert.equal(2, l.counts.compression_refused_peer)
      assert.equal(10, l.compression.room)
    end
  end)

  it("is repeated, then given up", function()
    local l = asking()
    assert.same({ frame_of(PROPOSED) }, words_of(l:advance(5 * S)))
    assert.same({}, words_of(l:advance(10 * S)))
    assert.equal(1, l.counts.compression_unanswered)
    assert.equal(10, l.compression.room)
    assert.is_nil(l:next_at())
  end)

  it("stands where both propose", function()
    local l = asking()
    assert.same({ frame_of("03fb ac50 000100 0108 0106 0000 03080014 0205 0003 0000 0f") },
      words_of(l:frame(MOBILE, octets_of(V42BIS_AND_RFC1144), S)))
    assert.equal(2, l.counts.compression_refused_collision)
    assert.same({ "+3: 1 0 32 1 0 512 20 2", "+3: 0 1 32 1 2 8" },
      words_of(l:frame(MOBILE, octets_of("43fb ac50 000100 0108 0006 0020 02020014 0205 0103 0020 07"), S)))
    assert.is_nil(l:next_at())
  end)

  it("is proposed once more where both proposed and the phone refused, too", function()
    local l = asking()
    l:frame(MOBILE, octets_of(V42BIS_AND_RFC1144), S)
    assert.same({ frame_of(PROPOSED) }, words_of(l:frame(MOBILE, octets_of("43fb"), S)))
    assert.same({}, words_of(l:frame(MOBILE, octets_of("43fb"), S)))
    assert.equal(4, l.counts.compression_refused_peer)
    assert.is_nil(l:next_at())
  end)

  it("is for the contexts that are there when the answer comes", function()
    local l = with_mobile(active, WEB, { 6, 3, true })
    l:frame(MOBILE, octets_of("43fb"), S) -- to the proposal for NSAPI 5 alone; NSAPI 6 came meanwhile
    assert.same({}, words_of(l:pdp_del(MOBILE, 5, S)))
    assert.same({ "+3: 1 0 64 1 0 512 20 2", "+3: 0 1 64 1 2 8" },
      words_of(l:frame(MOBILE, octets_of("43fb ac50 000100 0108 0006 0060 02020014 0205 0103 0060 07"), S)))
    assert.equal(8, l.compression.room)
  end)

  -- What ends an entity, or restarts it, while the phone is asked to use it for one more context; what the worker is
  -- told; what is proposed after the answer, which means nothing.
  local OTHERS <const> = "43fb ac50 000100 0108 0006 0060 02020014 0205 0103 0060 07"
  for title, row in pairs({
    ["its context ends"] = { nil, { "3: 1 0 0 1 0 512 20 2", "3: 0 1 0 1 2 8" },
      "43fb ac60 000100 010a 80000710 0040 02020014 0207 81000412 0040 07" },
    ["the phone ends it"] = { "03fb ac34 0104 0002 0000 0205 0103 0000 07",
      { "3: 1 0 0 1 0 512 20 2", "3: 0 1 0 1 2 8" },
      "43fb ac60 000100 010a 80000710 0060 02020014 0207 81000412 0060 07" },
    ["the phone proposes it again"] = { "03fb ac24 0207 81000434 0020 03", {}, nil } }) do
    it("counts for nothing if " .. title .. " before the answer", function()
      local l = asking()
      l:frame(MOBILE, octets_of("43fb ac50 000100 0108 0006 0020 02020014 0205 0103 0020 07"), S)
      l:pdp_add(MOBILE, { nsapi = 6, sapi = 3, takes_headers = true, takes_data = true }, S)
      local said = words_of(row[1] and l:frame(MOBILE, octets_of(row[1]), S) or l:pdp_del(MOBILE, 5, S))
      assert.same(row[2], { table.unpack(said, 1, 2 - (row[3] and 0 or 2)) })
      local after = words_of(l:frame(MOBILE, octets_of(OTHERS), S))
      assert.same(row[3] and { frame_of(row[3]) } or { "3: 1 0 96 1 0 512 20 2", "3: 0 1 96 1 2 8" }, after)
      assert.equal(8, l.compression.room)
    end)
  end

  it("is asked again after an unexpected answer, so that a late one does no harm for long", function()
    local l, first = asking(), octets_of("43fb ac50 000100 0108 0006 0020 02020014 0205 0103 0020 07")
    l:frame(MOBILE, first, S)
    l:pdp_add(MOBILE, { nsapi = 6, sapi = 3, takes_headers = true, takes_data = true }, S)
    l:frame(MOBILE, first, S)
    assert.same({ frame_of("43fb ac50 000100 0108 0006 0060 02020014 0205 0103 0060 07") },
      words_of(l:frame(MOBILE, octets_of(OTHERS), S)))
    assert.same({ "3: 1 0 96 1 0 512 20 2", "3: 0 1 96 1 2 8" }, words_of(l:frame(MOBILE, octets_of(OTHERS), S)))
  end)

  it("is not proposed for ever to a phone that proposes in turn and refuses", function()
    local l, asked = asking(), 1
    for _ = 1, 20 do
      l:frame(MOBILE, octets_of(V42BIS_AND_RFC1144), S)
      asked = asked + #words_of(l:frame(MOBILE, octets_of("43fb"), S))
      if next(l.mobiles[MOBILE].entities) then break end
    end
    assert.equal(4, asked)
    assert.equal(2, l.counts.compression_accepted) -- of the phone's, when nothing is asked any more
  end)

  it("is over with the last context that it is for", function()
    local l = asking()
    l:pdp_del(MOBILE, 5, S)
    assert.is_nil(l:next_at())
    assert.equal(10, l.compression.room)
    local late = octets_of("43fb ac50 000100 0108 0006 0020 02020014 0205 0103 0020 07")
    assert.same({}, words_of(l:frame(MOBILE, late, S)))
    assert.equal(1, l.counts.xid_unexpected)
  end)

  it("is proposed again if there was no memory when the answer came", function()
    local l = asking()
    is_full = true
    assert.same({}, words_of(l:frame(MOBILE, octets_of("43fb ac34 000100 0108 0006 0020 02020014"), S)))
    is_full = false
    assert.equal(10, l.compression.room)
    assert.same({ frame_of(PROPOSED) }, words_of(l:pdp_add(MOBILE, { nsapi = 6, sapi = 3 }, S)))
  end)

  it("waits for the cell", function()
    local l = llc.new(active, wire, has_memory)
    l:ms_add(MOBILE, PLACE, nil, 0)
    assert.same({}, words_of(l:pdp_add(MOBILE, { nsapi = 5, sapi = 3, takes_headers = true, takes_data = true }, 0)))
    assert.same({ frame_of(PROPOSED) }, words_of(l:cell_open(PLACE, S)))
  end)

  it("waits for LLC's Reset", function()
    local l = asking()
    assert.same({ "ms_llc_await", frame_of("41fb 30") }, words_of(l:reset(MOBILE, S)))
    assert.equal(10, l.compression.room)
    assert.same({ frame_of(PROPOSED) }, words_of(l:frame(MOBILE, octets_of("41fb"), S)))
  end)

  it("gains a context that is activated later", function()
    local l = asking()
    l:frame(MOBILE, octets_of("43fb ac50 000100 0108 0006 0020 02020014 0205 0103 0020 07"), S)
    assert.same({ frame_of("43fb ac50 000100 0108 0006 0060 02020014 0205 0103 0060 07") },
      words_of(l:pdp_add(MOBILE, { nsapi = 6, sapi = 3, takes_headers = true, takes_data = true }, S)))
    assert.same({ "3: 1 0 96 1 0 512 20 2", "3: 0 1 96 1 2 8" },
      words_of(l:frame(MOBILE, octets_of("43fb ac40 000100 0104 0002 0060 0205 0103 0060 07"), S)))
    assert.equal(2, l.counts.compression_changed)
  end)

  it("ends with its mobile", function()
    local l = asking()
    assert.same({}, words_of(l:pdp_del(MOBILE, 5, S)))
    assert.same({}, words_of(l:ms_del(MOBILE, S)))
    assert.is_nil(l:next_at())
    assert.equal(10, l.compression.room)
  end)
end)

describe("compression after a restart of control", function()
  before_each(function() records.is_on = true end)
  after_each(function() records.is_on = false end)

  -- Applies the records among intents; returns the others.
  local function kept(store, intents)
    local out = {}
    for _, intent in ipairs(intents) do
      if intent.op == "keep" then
        store[intent.key] = intent.octets
      else
        out[#out + 1] = intent
      end
    end
    return out
  end

  local function again(config, store)
    local l = llc.new(config, wire, has_memory)
    kept(store, l:ms_add(MOBILE, PLACE, nil, S))
    local context = { nsapi = 5, sapi = 3, takes_headers = true, takes_data = true, is_old = true }
    assert.same({}, kept(store, l:pdp_add(MOBILE, context, S)))
    for key, text in pairs(store) do kept(store, l:adopt(key, text, S)) end
    kept(store, l:adopted(S))
    return l
  end

  it("keeps entities", function()
    local store, l = {}, with_mobile(config_with(), WEB)
    kept(store, l:frame(MOBILE, octets_of(V42BIS_AND_RFC1144), S))
    l = again(config_with(), store)
    assert.equal(8, l.compression.room)
    assert.same({ "3: 1 1 0 1 0 512 20 2", "3: 0 0 0 1 2 8" }, words_of(kept(store, l:pdp_del(MOBILE, 5, S))))
    assert.is_nil(store["llc/" .. MOBILE])
  end)

  it("still awaits an answer", function()
    local config, store = config_with({ mode = "active" }), {}
    local l = llc.new(config, wire, has_memory)
    kept(store, l:cell_open(PLACE, 0))
    kept(store, l:ms_add(MOBILE, PLACE, nil, 0))
    kept(store, l:pdp_add(MOBILE, { nsapi = 5, sapi = 3, takes_headers = true, takes_data = true }, 0))
    l = again(config, store)
    assert.equal(8, l.compression.room)
    assert.same({ "+3: 1 0 32 1 0 512 20 2", "+3: 0 1 32 1 2 8" },
      words_of(kept(store, l:frame(MOBILE, octets_of("43fb ac50 000100 0108 0006 0020 02020014 0205 0103 0020 07"),
        S))))
  end)
end)

describe("compression of spoilt proposals", function()
  local BLOCKS <const> = { "000100 010a 81000710 0020 03080014 0207 80000412 0020 0f",
    "000100 0108 0106 0020 02020014 0205 0003 0020 02", "0204 0002 0000 0104 0102 0000",
    "000100 0215 8001040000200f 80000412006007 81000434004003" }

  -- xorshift64
  local state = 44065
  local function random(below)
    state = state ~ state << 13
    state = state ~ state >> 7
    state = state ~ state << 17
    return (state >> 11) % below
  end

  local function spoilt()
    local octets = octets_of(BLOCKS[1 + random(#BLOCKS)])
    for _ = 1, random(4) do
      local at = 1 + random(#octets)
      octets = octets:sub(1, at - 1) .. string.char(random(256)) .. octets:sub(at + 1)
    end
    return octets:sub(1, #octets - (random(8) == 0 and random(6) or 0))
  end

  local function room_of(l)
    local room = l.compression.room
    for _, ms in next, l.mobiles do
      for _, own in next, ms.entities do
        for _ in next, own do room = room + 1 end
      end
      for _, machine in next, ms.asking do room = room + machine.owner.taken end
    end
    return room
  end

  local function frame(is_command)
    return wire.encode({ sapi = 3 + 2 * random(2), frame = "xid", is_command = not is_command, pf = true,
      xid = { l3 = spoilt() } })
  end

  -- The worker's entities, by SAPI and kind: what is told fits them.
  local function note(there, intent)
    local key = ("%d %d"):format(intent.sapi, intent.kind)
    assert.equal(intent.is_added or false, not there[key])
    there[key] = intent.nsapis ~= 0 or nil
  end

  it("answers each, keeps count of entities, and tells the worker what fits", function()
    local l, now, there = with_mobile(config_with({ mode = "active", entities = 3 })), 0, {}
    local function told(intents)
      for _, intent in ipairs(intents) do
        if intent.op == "ms_compression" then note(there, intent) end
      end
      return intents
    end
    for _ = 1, 20000 do
      local what, nsapi = random(12), 5 + random(3)
      now = now + S
      if what == 0 then
        local context = { nsapi = nsapi, sapi = 3 + 2 * (nsapi & 1), takes_headers = true, takes_data = true }
        told(l:pdp_add(MOBILE, context, now))
      elseif what == 1 then
        told(l:pdp_del(MOBILE, nsapi, now))
      elseif what == 2 then
        told(l:advance(now))
      else
        for _, intent in ipairs(told(l:frame(MOBILE, frame(what > 4), now))) do
          local answer = intent.octets and wire.decode(intent.octets)
          if answer then assert.is_true(wire.sndcp_decode(answer.xid.l3 or "").is_whole) end
        end
      end
      assert.equal(3, room_of(l))
    end
    assert.is_true(l.counts.compression_accepted > 100 and l.counts.compression_changed > 50)
    for nsapi = 5, 7 do l:pdp_del(MOBILE, nsapi, now) end
    l:ms_del(MOBILE, now)
    assert.equal(l.counts.compression_accepted, l.counts.compression_ended)
    assert.equal(3, l.compression.room)
    assert.is_nil(l:next_at())
  end)
end)
