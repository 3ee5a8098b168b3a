-- SPDX-License-Identifier: BSD-3-Clause
-- Addresses of GGSNs for signalling that are kept, and forged refusals. Messages are tables here.
local gn_peers = require "gn.peers"
local gn_sessions = require "gn.sessions"

local S <const> = 1000000000
local OURS <const>, GGSN <const> = "10.0.0.1", "10.0.0.2"
local WIRE <const> = { encode = function(message) return message end, decode = function(octets) return octets end }

local function new()
  local last = 0
  local function random() -- all different
    last = last + 1
    return last
  end
  local node = gn_sessions.new({ gn = { path = { t3 = 5 * S, n3 = 3, on_loss = "keep" }, gtpc = { retry = 7 * S },
    ggsns = { { address = GGSN, user_networks = { "10.0.0.0/24" } } } } }, WIRE, 0, random,
    function() return true end)
  return node, { imsi = "262420000000001", nsapi = 5, apn = "internet", ours = OURS, ggsn = GGSN, pdp_type = "ipv4",
    teid = 0x100000, class = "thp1" }
end

local function sent_in(intents)
  for _, intent in ipairs(intents) do
    if intent.op == "gn_send" then return intent.octets, intent.theirs end
  end
end

-- The answer to a request; control: the address for signalling that the GGSN gives.
local function accept(node, request, theirs, control)
  local message = { type = request.type:gsub("_request", "_response"), seq = request.seq, cause = 128,
    teid = request.teid_control or 1, teid_data = 0x201, teid_control = 0x202, user_ipv4 = "10.45.0.7",
    control = control, user = GGSN, class = "thp1" }
  return node:receive({ ours = OURS, theirs = theirs, port = 2123 }, message, 0)
end

local function kept(node)
  local out = {}
  for address in pairs(node.peers) do out[#out + 1] = address end
  table.sort(out)
  return out
end

describe("addresses for signalling", function()
  it("are those in use, though a GGSN gives another one in each answer", function()
    local node, wanted = new()
    local request, theirs = sent_in(node:add(7, wanted, {}, 0))
    for i = 30, 70 do
      accept(node, request, theirs, "10.0.0." .. i)
      assert.same({ GGSN, "10.0.0." .. i }, kept(node))
      node:lost(7, "its tunnel is gone", 0)
      request, theirs = sent_in(node:advance(7 * S))
      assert.same({ GGSN }, kept(node))
    end
    accept(node, request, theirs, "10.0.0.99")
    request, theirs = sent_in(node:del(7, 0))
    assert.equal("10.0.0.99", theirs)
    request.teid_control = node.by_id[7].teid_control
    accept(node, request, theirs)
    assert.same({}, kept(node))
  end)
end)

-- Numbers in a row from a list, then 100, 101 and so on; TEIDs count up.
local function rig_with(numbers)
  local node, wanted = new()
  local at, teid = 0, 0
  node.random = function(limit)
    if limit ~= 65536 then teid = teid + 1 return teid end
    at = at + 1
    return numbers[at] or 99 + at
  end
  return node, wanted
end

describe("a sequence number", function()
  it("that is free goes to who waits longest, and waits still", function()
    local peer, first, over, last = gn_peers.new_peer(GGSN, math.random), {}, { is_over = true }, {}
    for _, entry in ipairs({ first, over, last }) do peer:wait(entry) end
    assert.equal(first, peer:next_waiting())
    assert.equal(last, peer:next_waiting())
    assert.is_nil(peer:next_waiting())
  end)

  -- Drawn: 7 for the Create, 8 for the Delete, then both once more, and 9.
  it("of a context that is gone is not used at once for a new one", function()
    local node, wanted = rig_with({ 8, 9, 8, 9, 10 })
    local request = sent_in(node:add(7, wanted, {}, 0))
    accept(node, request, GGSN)
    local delete = sent_in(node:del(7, 0))
    delete.teid_control = node.by_id[7].teid_control
    accept(node, delete, GGSN)
    assert.same({ 7, 8 }, { request.seq, delete.seq })
    assert.same({}, kept(node))
    local again = sent_in(node:add(7, wanted, {}, 0))
    assert.equal(9, again.seq)
    accept(node, request, GGSN) -- comes again, late
    assert.same({ "creating", 1 }, { node:list()[1].state, node.counts.unexpected })
    assert.equal(again, sent_in(node:advance(5 * S)))
  end)

  it("rests until 16384 others have been used", function()
    local peer = gn_peers.new_peer(GGSN, nil, nil)
    local draw = 0
    peer.random = function() draw = draw + 1 return draw end
    peer:free_number(peer:take_number({}))
    for _ = 2, 16384 do peer:free_number(peer:take_number({})) end
    draw = 0
    assert.is_nil((peer:take_number({})))
    draw = 16384
    peer:free_number(peer:take_number({}))
    draw = 0
    assert.equal(0, peer:take_number({}))
  end)

  it("rests for 64 addresses without a context", function()
    for _, row in ipairs({ { addresses = 63, expect = 8 }, { addresses = 64, expect = 7 } }) do
      local node = rig_with({})
      local run = node:open_run(0)
      node:peer(GGSN).random = function() return 8 end
      node:use_peer(GGSN):free_number(node:peer(GGSN):take_number({}))
      node:leave_peer(run, node:peer(GGSN))
      for i = 1, row.addresses do node:leave_peer(run, node:use_peer("10.1.0." .. i)) end
      local draws = { 8, 9 }
      local peer = node:use_peer(GGSN)
      peer.random = function() return table.remove(draws, 1) end
      assert.equal(row.expect, peer:take_number({}))
    end
  end)
end)

-- TEID 0 needs no guess: the port of the request has to be known, and the answer shows no restart.
describe("a refusal with TEID 0", function()
  it("counts at the port of its request only", function()
    for _, row in ipairs({ { false, "creating", 1 }, { true, "resting", 0 } }) do
      local node, wanted = new()
      local request = sent_in(node:add(7, wanted, {}, 0))
      local way = { ours = OURS, theirs = GGSN, port = 2123, is_right_port = row[1] }
      node:receive(way, { type = "create_response", seq = request.seq, cause = 199, teid = 0 }, 0)
      assert.same({ row[2], row[3] }, { node:list()[1].state, node.counts.unexpected })
    end
  end)

  for _, row in ipairs({ { teid = 0, restarts = 0 }, { restarts = 1 } }) do
    it((row.teid and "does not show" or "unlike one with the TEID, which shows,") .. " a restart", function()
      local node, wanted = new()
      local request = sent_in(node:add(7, wanted, {}, 0))
      node:receive({ ours = OURS, theirs = GGSN, port = 2123 }, { type = "create_response", seq = request.seq,
        cause = 128, teid = request.teid_control, teid_data = 0x201, teid_control = 0x202, user_ipv4 = "10.45.0.7",
        user = GGSN, class = "thp1", recovery = 9 }, 0)
      wanted.nsapi, wanted.teid = 6, 0x200000
      request = sent_in(node:add(8, wanted, {}, 0))
      local way = { ours = OURS, theirs = GGSN, port = 2123, is_right_port = true }
      node:receive(way, { type = "create_response", seq = request.seq,
        cause = 199, teid = row.teid or request.teid_control, recovery = 10 }, 0)
      assert.equal(row.restarts, node.counts.restarts)
      assert.equal(row.restarts == 0, node:list()[1].state == "active")
    end)
  end
end)
