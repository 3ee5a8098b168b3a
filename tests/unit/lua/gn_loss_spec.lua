-- SPDX-License-Identifier: BSD-3-Clause
-- Contexts that a GGSN loses together: told in slices, at the cost of that GGSN's contexts only. Messages are tables
-- here.
local gn_sessions = require "gn.sessions"
local spec_tools = require "spec_tools"

local count, thousands_of = spec_tools.count, spec_tools.thousands_of

local S <const> = 1000000000
local OURS <const>, GGSN <const>, OTHER <const> = "10.0.0.1", "10.0.0.2", "10.0.0.3"
local WIRE <const> = { encode = function(message) return message end, decode = function(octets) return octets end }
local SLICE <const> = 500

local function new(path)
  local last = 0
  local function random() -- all different
    last = last + 1
    return last
  end
  return gn_sessions.new({ gn = { path = path or { t3 = 5 * S, n3 = 1, on_loss = "keep" }, gtpc = { retry = 7 * S },
    ggsns = {} } }, WIRE, 0, random, function() return true end)
end

local function way_of(theirs)
  return { ours = OURS, theirs = theirs, port = 2123, is_right_port = true }
end

local function request_in(intents)
  for _, intent in ipairs(intents) do
    if intent.op == "gn_send" then return intent.octets end
  end
end

local function respond(node, request, theirs, more, at)
  local message = { type = request.type:gsub("_request", "_response"), seq = request.seq, cause = 128, recovery = 9,
    teid = request.teid_control or 0, teid_data = 0x201, teid_control = (request.teid_control or 0) + 0x10000,
    user_ipv4 = "10.45.0.7", user = theirs, class = "thp1" }
  for key, value in next, more or {} do message[key] = value end
  return node:receive(way_of(theirs), message, at or 0)
end

local function ask(node, id, ggsn, ours)
  return request_in(node:add(id, { imsi = ("%06d"):format(id), nsapi = 5, apn = "internet", ours = ours or OURS,
    ggsn = ggsn, pdp_type = "ipv4", class = "thp1" }, { teid = id << 8 }, 0))
end

local function bring_up(node, first, last, ggsn, ours)
  for id = first, last do respond(node, ask(node, id, ggsn, ours), ggsn) end
end

describe("a GGSN that restarts with many contexts", function()
  it("loses them in slices, and none that comes up meanwhile", function()
    local node = new()
    bring_up(node, 1, 1200, GGSN)
    bring_up(node, 2001, 2003, OTHER)
    local late = ask(node, 3001, GGSN)
    local first = respond(node, ask(node, 3000, GGSN), GGSN, { recovery = 10 })
    assert.same({ SLICE, 1 }, { count(first, "down"), count(first, "up") })
    assert.is_true(node:next_at() <= 0)
    respond(node, late, GGSN, { recovery = 10 })
    assert.same({ SLICE, 200 }, { count(node:advance(0), "down"), count(node:advance(0), "down") })
    assert.equal(0, count(node:advance(0), "down"))
    assert.is_true(node:next_at() > 0)
    local states = {}
    for _, row in ipairs(node:list()) do states[row.id] = row.state end
    assert.same({ "resting", "resting", "active", "active", "active" },
      { states[1], states[1200], states[2001], states[3000], states[3001] })
  end)

  it("costs nothing for the contexts of others, nor for its own that are lost already", function()
    local node = new()
    bring_up(node, 1, 5000, GGSN)
    bring_up(node, 6001, 6001, OTHER)
    local refusal = { cause = 199, recovery = 11 }
    local request = ask(node, 6002, OTHER)
    assert.is_true(thousands_of(respond, node, request, OTHER, refusal) < 5)
    respond(node, ask(node, 6003, GGSN), GGSN, refusal)
    while node:is_losing() do node:advance(0) end
    request = ask(node, 6004, GGSN)
    assert.is_true(thousands_of(respond, node, request, GGSN, { cause = 199, recovery = 12 }) < 5)
  end)
end)

describe("a path that is down", function()
  it("loses its contexts, not those of another address of ours", function()
    local node = new({ every = 60 * S, t3 = 5 * S, n3 = 1, on_loss = "delete" })
    bring_up(node, 1, 600, GGSN)
    bring_up(node, 601, 602, GGSN, "10.0.0.9")
    local echoes = node:advance(60 * S)
    for _, intent in ipairs(echoes) do
      if intent.op == "gn_send" and intent.ours == "10.0.0.9" then respond(node, intent.octets, GGSN, nil, 60 * S) end
    end
    local downs = count(node:advance(65 * S), "down")
    while node:is_losing() do downs = downs + count(node:advance(65 * S), "down") end
    assert.equal(600, downs)
    assert.same({ "resting", "active", "active" },
      { node:list()[600].state, node:list()[601].state, node:list()[602].state })
    node:lost(601, "its tunnel is gone", 65 * S) -- is still known to be up
    assert.is_nil(node:peer(GGSN).contexts[601])
    assert.truthy(node:peer(GGSN).contexts[602])
  end)
end)
