-- SPDX-License-Identifier: BSD-3-Clause
-- Requests of peers: repetitions, which get the same answer again (29.060 §7.6).
local abqp = require "gb.abqp"
local t = require "gn_sessions_rig"

local rig, wire, S, OURS, GGSN = t.rig, t.wire, t.S, t.OURS, t.GGSN
local WAY <const> = { ours = OURS, theirs = GGSN, port = 4000 }
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

  it("to change a context gets the same answer, and changes it once", function()
    local r = opened()
    assert.same({ "update_response 78", "class 7 background" }, r.ask(update()))
    assert.same({ "update_response 78" }, r.ask(update(), 5))
    assert.same({ 128, 0x202, 0x100000 }, { r.last().cause, r.last().teid, r.last().teid_data })
    assert.equal(1, r.node.counts.repeated_requests)
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
    for seq = 1, 4097 do r.ask(update({ seq = seq })) end
    r.ask(update({ seq = 2 }))
    assert.equal(1, r.node.counts.repeated_requests)
    r.ask(update({ seq = 1 }))
    assert.equal(1, r.node.counts.repeated_requests)
    r.ask(update({ seq = 9000 }), LIFETIME)
    assert.equal(1, r.node.given.last - r.node.given.first + 1)
  end)
end)
