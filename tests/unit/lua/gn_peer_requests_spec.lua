-- SPDX-License-Identifier: BSD-3-Clause
-- Requests of peers: repetitions, which get the same answer again (29.060 §7.6).
local abqp = require "gb.abqp"
local gn_sessions = require "gn.sessions"
local records = require "base.records"
local t = require "gn_sessions_rig"

local rig, wire, S, OURS, GGSN = t.rig, t.wire, t.S, t.OURS, t.GGSN
local WAY <const> = { ours = OURS, theirs = GGSN, port = 4000 }
local RAI <const> = "\0\xf1\x10\0\1\2"
local LIFETIME <const> = 15 -- s: T3-RESPONSE times N3-REQUESTS of the rig

-- A rig with an active context of a phone; r.ask(): what a request brings, at a second.
local function opened(changes)
  local r = rig(changes)
  r.add(7, { is_once = true })
  r.accept()
  function r.ask(message, at, way)
    return r.words(r.node:receive(way or WAY, wire.encode(message), (at or 0) * S))
  end
  return r
end

-- A node of a pool.
local function with_phones()
  local pool = { address = OURS, nri_bits = 0, nris = {}, answer = 2 * S,
    others = { { address = t.OTHER, nris = {}, areas = {} } } }
  local config = { gn = { path = { t3 = 5 * S, n3 = 3, on_loss = "keep" }, gtpc = { retry = 7 * S }, ggsns = {} },
    phones = { pool = pool } }
  return gn_sessions.new(config, wire, 0, function() return 1 end, function() return true end)
end

local function delete(changes)
  local message = { type = "delete_request", seq = 77, teid = 1, nsapi = 5, teardown = true }
  for key, value in pairs(changes or {}) do message[key] = value end
  return message
end

local function update(changes)
  local message = { type = "update_request", seq = 78, teid = 1, nsapi = 5, arp = 2,
    qos = abqp.of_class("background") }
  for key, value in pairs(changes or {}) do message[key] = value end
  return message
end

describe("a repeated request of a GGSN", function()
  it("to delete a context gets the same answer, without another effect", function()
    local r = opened()
    assert.equal("delete_response 77", r.ask(delete())[1])
    local first = { r.last().cause, r.last().teid }
    assert.same({ 128, 0x202 }, first)
    for at = 5, LIFETIME - 1, 5 do
      assert.same({ "delete_response 77" }, r.ask(delete(), at))
      assert.same(first, { r.last().cause, r.last().teid })
    end
    assert.same({ "delete_response 77" }, r.ask(delete(), LIFETIME))
    assert.same({ 192, 0 }, { r.last().cause, r.last().teid })
    assert.same({ 2, 1 }, { r.node.counts.repeated_requests, r.node.counts.refused_requests })
  end)

  it("to change a context gets none while its phone is asked, then the same answer, and changes it once", function()
    local r = opened()
    assert.same({ "modify 7 background" }, r.ask(update()))
    assert.same({}, r.ask(update(), 5))
    assert.same({ "update_response 78", "class 7 background" }, r.modified({ cause = 128, class = "background" }))
    assert.same({ "update_response 78" }, r.ask(update(), 5))
    assert.same({ 128, 0x202, 0x100000 }, { r.last().cause, r.last().teid, r.last().teid_data })
    assert.equal(2, r.node.counts.repeated_requests)
  end)

  it("that was refused is refused again", function()
    local r = opened()
    local request = update({ tft = "\x21\x01\5\3\x50\0\x50" })
    r.ask(request)
    assert.same({ 200, 0x202 }, { r.last().cause, r.last().teid })
    r.node:del(7, 0)
    assert.same({ "update_response 78" }, r.ask(request, 5))
    assert.same({ 200, 0x202 }, { r.last().cause, r.last().teid })
  end)

  it("goes to the port that it comes from", function()
    local r = opened()
    r.ask(delete())
    r.ask(delete(), 1, { ours = OURS, theirs = GGSN, port = 4001 })
    assert.same({ 128, 4001 }, { r.last().cause, r.last().way.port })
  end)

  it("is a request of its own with another number, from another address, or with other contents", function()
    local rows = { { { seq = 76 } }, { { teardown = false } }, { {}, { ours = OURS, theirs = t.OTHER, port = 4000 } } }
    for _, row in ipairs(rows) do
      local r = opened()
      r.ask(delete())
      r.ask(delete(row[1]), 1, row[2])
      assert.same({ 192, 0 }, { r.last().cause, r.last().teid })
    end
  end)

  it("costs none of the wrong TEIDs that a GGSN has", function()
    local r = opened({ answers = 100 })
    for _ = 1, 30 do r.ask(delete()) end
    assert.same({ 29, 0, 128 }, { r.node.counts.repeated_requests, r.node.counts.unchecked_requests, r.last().cause })
  end)

  it("is answered though the first answer was beyond the limit", function()
    local r = opened({ answers = 0 })
    assert.is_nil(table.concat(r.ask(delete())):find("delete_response"))
    r.node.may_answer = function() return true end
    assert.same({ "delete_response 77" }, r.ask(delete(), 5))
    assert.equal(128, r.last().cause)
  end)

  it("is known for 4096 answers at most", function()
    local r = opened({ answers = 10000 })
    local function ask(seq, at) r.ask(update({ seq = seq, tft = "\x21\x01\5\3\x50\0\x50" }), at) end -- refused
    for seq = 1, 4097 do ask(seq) end
    ask(2)
    assert.equal(1, r.node.counts.repeated_requests)
    ask(1)
    assert.equal(1, r.node.counts.repeated_requests)
    ask(9000, LIFETIME)
    assert.equal(1, r.node.given.last - r.node.given.first + 1)
  end)
end)

-- Beside the budget of an address for answers to anybody, one for those to who has named a context of its own.
describe("an answer to a GGSN", function()
  local ECHO <const> = { type = "echo_request", seq = 5, teid = 0 }
  local REFUSED <const> = { tft = "\x21\x01\5\3\x50\0\x50" }

  it("may go to a forged address unless the request, or the one that it repeats, names a context", function()
    local r = opened()
    for i, row in ipairs({ { ECHO, true }, { delete({ teid = 9 }), true }, { update(REFUSED), false },
      { delete(), false }, { delete(), false }, { delete({ seq = 79 }), true } }) do
      r.ask(row[1])
      assert.equal(row[2], r.last().is_answer, i)
    end
  end)

  it("counts in the budget of its kind", function()
    local r = opened({ answers = 1 })
    assert.equal("delete_response 77", r.ask(delete())[1])
    assert.same({}, r.ask(delete()))
    assert.same({ "echo_response 5" }, r.ask(ECHO))
    assert.same({}, r.ask(ECHO))
    assert.equal(2, r.node.counts.rate_limited)
  end)
end)

it("a GGSN that does not speak GTPv1-C is logged once", function()
  local r = opened()
  local message = { type = "version_not_supported", seq = 1, teid = 0 }
  assert.same({ "warning: GGSN " .. GGSN .. ": does not support GTPv1-C" }, r.ask(message))
  assert.same({}, r.ask(message, 1))
  assert.equal(2, r.node.counts.other_versions)
end)

describe("a message to a node without contexts", function()
  local function answers(octets, port)
    local r = rig()
    local words = r.words(r.node:receive({ ours = OURS, theirs = t.OTHER, port = port or 4000 }, octets, 0))
    return words, r
  end
  local function header(first, kind, rest)
    return string.char(first, kind) .. (rest or "\0\4\0\0\0\0\0\9\0\0")
  end

  it("of GTPv1 is answered if it is a request", function()
    local rows = {
      { { type = "echo_request", seq = 6, teid = 0 }, "echo_response 6" },
      { { type = "identification_request", seq = 7, teid = 0, rai = RAI, p_tmsi = 0xc0000001 },
        "identification_response 7", 194, 0 },
      { { type = "context_request", seq = 8, teid = 0, teid_control = 0x77, rai = RAI, tlli = 0x80000001,
        control = t.OTHER }, "context_response 8", 194, 0x77 },
      { { type = "initiate_request", seq = 9, teid = 5, nsapi = 5 }, "initiate_response 9", 192, 0 },
      { { type = "pdu_notification_request", seq = 9, teid = 0, teid_control = 3, imsi = "262420000000001" },
        "pdu_notification_response 9", 200, 3 },
    }
    for _, row in ipairs(rows) do
      local words, r = answers(wire.encode(row[1]))
      assert.same({ row[2] }, words)
      assert.same({ row[3], row[4] or 0, 4000 }, { r.last().cause, r.last().teid, r.last().way.port })
    end
  end)

  it("of another SGSN that lacks an element is told so, with its TEID", function()
    local rai, tlli, teid, address = "\3" .. RAI, "\4\x80\0\0\1", "\x11\0\0\0\x77", "\x85\0\4\xc0\0\2\1"
    local rows = {
      { 50, rai .. tlli .. address, 202, 0 }, { 50, rai .. tlli .. teid, 202, 0x77 },
      { 50, rai .. tlli .. teid .. "\x85\0\3\xc0\0\2", 201, 0x77 },
      { 50, rai .. tlli .. teid .. "\x85\0\4\xc0", 193, 0x77 },
      { 50, rai .. teid .. address, 202, 0x77 }, { 48, rai, 202, 0 },
    }
    for _, row in ipairs(rows) do
      local _, r = answers(header(0x32, row[1], string.pack(">I2I4I2I2", 4 + #row[2], 0, 9, 0) .. row[2]))
      assert.same({ row[3], row[4] }, { r.last().cause, r.last().teid })
    end
  end)

  it("of another version is told the version (29.060 §7.2.3)", function()
    for _, octets in ipairs({ header(0x1e, 1, ("\0"):rep(18)), header(0x48, 1), header(0x40, 1), header(0x6e, 1) }) do
      local r = rig()
      local intents = r.node:receive({ ours = OURS, theirs = t.OTHER, port = 2123 }, octets, 0)
      assert.same({ "\x32\3\0\4\0\0\0\0\0\0\0\0", 2123 }, { intents[1].octets, intents[1].port })
      assert.equal(1, r.node.counts.other_versions)
    end
  end)

  it("that is no request gets no answer", function()
    local rows = {
      { header(0x48, 3), "other_versions" }, { header(0x1e, 3), "other_versions" }, -- Version Not Supported
      { header(0x32, 3), "other_versions" },
      { header(0x32, 200), "unknown_types" }, { header(0x32, 53), "unknown_types" },
      { header(0x32, 26), "control_errors" }, { "\x32", "malformed" }, { "\x48\1\0", "malformed" }, { "", "malformed" },
      { wire.encode({ type = "identification_response", seq = 1, cause = 194, teid = 0 }), "unexpected" },
      { wire.encode({ type = "pdu_notification_response", seq = 1, cause = 128, teid = 1 }), "unexpected" },
    }
    for _, row in ipairs(rows) do
      local _, r = answers(row[1])
      assert.same({ 0, 1 }, { #r.sent, r.node.counts[row[2]] }, row[2])
    end
  end)

  it("is answered within the limit of its address", function()
    local r = rig({ answers = 2 })
    for _ = 1, 5 do r.node:receive({ ours = OURS, theirs = t.OTHER, port = 2123 }, header(0x48, 1), 0) end
    assert.equal(3, r.node.counts.rate_limited)
  end)

  it("of another SGSN is answered as to an address that may be forged, if that SGSN is a stranger", function()
    local question = wire.encode({ type = "context_request", seq = 8, teid = 0, teid_control = 0x77, rai = RAI,
      tlli = 0x80000001, control = t.OTHER })
    for _, is_stranger in ipairs({ true, false }) do
      local node = with_phones()
      assert.equal("phone_sgsn", node:receive({ ours = OURS, theirs = t.OTHER, port = 2123 }, question, 0)[1].op)
      local order = { kind = "answer", ref = 1, message = { cause = 194 }, is_stranger = is_stranger }
      local sent = node:sgsn(records.pack(order), {}, 0)[1]
      assert.same({ "gn_send", t.OTHER, is_stranger or nil }, { sent.op, sent.theirs, sent.is_answer or nil })
    end
  end)

  -- { type, TEID, elements, cause, TEID of the answer }: to a node with a context on TEID 1
  local MALFORMED <const> = {
    { "delete without NSAPI", 20, 1, "", 202, 0x202 }, -- §11.1.6
    { "delete with a cut element", 20, 1, "\x14\5\x85\0\4\1", 193, 0x202 }, -- §11.1.2
    { "update with an address of three octets", 18, 1, "\x14\5\x85\0\3\1\2\3", 201, 0x202 }, -- §11.1.8
    { "delete of no context without NSAPI", 20, 99, "", 192, 0 },
    { "notification without elements", 27, 0, "", 202, 0 },
    { "identification with a cut element", 48, 0, "\x85\0\4\1", 193, 0 },
    { "SGSN context with a cut element", 50, 0, "\x85\0\4\1", 193, 0 },
    { "echo with a cut extension", 1, 0, "\xff\0\4\1", nil, 0 },
  }
  for _, row in ipairs(MALFORMED) do
    it("that is malformed is answered: " .. row[1], function()
      local r = opened()
      local octets = string.pack(">BBI2I4I2I2", 0x32, row[2], 4 + #row[4], row[3], 9, 0) .. row[4]
      assert.equal(1, #r.words(r.node:receive(WAY, octets, 0)))
      assert.same({ row[5] or false, row[6], 9 }, { r.last().cause or false, r.last().teid, r.last().seq })
      assert.same({ 1, "active" }, { r.node.counts.malformed, r.state(7) })
    end)
  end

  it("with the TEID of a context ends none by a response", function()
    local r = opened()
    assert.same({}, r.ask({ type = "pdu_notification_response", seq = 1, cause = 128, teid = 1 }))
    assert.equal("active", r.state(7))
  end)
end)
