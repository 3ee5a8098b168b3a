-- SPDX-License-Identifier: BSD-3-Clause
-- Restart counters in Echo Responses: which of them end contexts. Messages are tables here.
local gn_sessions = require "gn.sessions"

local S <const> = 1000000000
local OURS <const>, GGSN <const> = "10.0.0.1", "10.0.0.2"
local WIRE <const> = { encode = function(message) return message end, decode = function(octets) return octets end }

local function number_of(intents)
  for _, intent in ipairs(intents) do
    if intent.op == "gn_send" then return intent.octets.seq end
  end
end

-- A node with an active context at a GGSN with restart counter 9, and a pending Echo Request.
local function rig(echo)
  local last, r = 0, {}
  local function random() -- all different
    last = last + 1
    return last
  end
  r.node = gn_sessions.new({ gn = { path = { every = 60 * S, echo = echo, t3 = 5 * S, n3 = 3, on_loss = "keep" },
    gtpc = { retry = 7 * S }, ggsns = {} } }, WIRE, 0, random, function() return true end)
  local wanted = { imsi = "262420000000001", nsapi = 5, apn = "internet", ours = OURS, ggsn = GGSN, pdp_type = "ipv4",
    teid = 0x100000, class = "thp1" }
  local seq = number_of(r.node:add(7, wanted, {}, 0))
  r.node:receive({ ours = OURS, theirs = GGSN, port = 2123 }, { type = "create_response", seq = seq, cause = 128,
    teid = r.node.by_id[7].teid_control, teid_data = 0x201, teid_control = 0x202, user_ipv4 = "10.45.0.7", user = GGSN,
    class = "thp1", recovery = 9 }, 0)
  r.seq = number_of(r.node:advance(60 * S))
  -- An Echo Response to the latest Echo Request; the number of an Echo Request that it causes replaces that.
  function r.echo(recovery, is_right_port, seq_more)
    local way = { ours = OURS, theirs = GGSN, port = 2123, is_right_port = is_right_port }
    local intents = r.node:receive(way, { type = "echo_response", seq = r.seq + (seq_more or 0), teid = 0,
      recovery = recovery }, 60 * S)
    r.seq = number_of(intents) or r.seq
  end
  return r
end

describe("a restart counter in an Echo Response", function()
  -- answers: { recovery, is_right_port, number after the pending one }
  local rows = {
    { "is asked for again before it counts", { { 10, true } }, {} },
    { "counts when the next answer confirms it", { { 10, true }, { 10, true } }, { restarts = 1, is_lost = true } },
    { "is forged when the next answer has the former one", { { 10, true }, { 9, true } }, { unconfirmed = 1 } },
    { "counts when it is confirmed after a forged one", { { 10, true }, { 11, true }, { 11, true } },
      { unconfirmed = 1, restarts = 1, is_lost = true } },
    { "does not count at another port", { { 10, false } }, {} },
    { "is not confirmed at another port", { { 10, true }, { 10, false } }, { unconfirmed = 0 } },
    { "does not count with another number", { { 10, true, 5 }, { 10, true, 6 } }, { unexpected = 2 } },
    { "is not confirmed by the same answer again", { { 10, true }, { 10, true, -1 } }, { unexpected = 1 } },
    { "that stays asks for nothing", { { 9, true }, { 9, true } }, { unexpected = 1 } },
  }
  for _, row in ipairs(rows) do
    it(row[1], function()
      local r, want = rig(), row[3]
      for _, answer in ipairs(row[2]) do r.echo(table.unpack(answer)) end
      local counts = r.node.counts
      assert.same({ want.restarts or 0, want.unconfirmed or 0, want.unexpected or 0 },
        { counts.restarts, counts.unconfirmed_restarts, counts.unexpected })
      assert.equal(want.is_lost and "resting" or "active", r.node:list()[1].state)
    end)
  end

  it("is asked for with another number after an answer to a former request", function()
    local r = rig()
    local before = r.seq
    r.node:receive({ ours = OURS, theirs = GGSN, port = 2123, is_right_port = true }, { type = "create_response",
      seq = r.seq, cause = 128, teid = 5 }, 60 * S)
    r.seq = number_of(r.node:advance(65 * S))
    assert.not_equal(before, r.seq)
    r.echo(9, true)
    assert.equal("up", r.node.echoes.paths:state(1).state)
    assert.equal(0, r.node:peer(GGSN).pending_count)
  end)

  it("leaves no number taken", function()
    local r = rig()
    for recovery = 20, 60 do r.echo(recovery, true) end
    assert.equal(1, r.node:peer(GGSN).pending_count) -- the latest confirmation
    r.node:moved(7, 60 * S)
    assert.same({}, r.node.peers)
  end)
end)

describe("an Echo Request to a GGSN's port of GTP-C", function()
  it("is sent as gn.path.echo says", function()
    local is_sent = {}
    for _, echo in ipairs({ "both", "control", "user" }) do is_sent[echo] = rig(echo).seq ~= nil end
    assert.same({ both = true, control = true, user = false }, is_sent)
  end)
end)
