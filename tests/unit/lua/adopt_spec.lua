-- SPDX-License-Identifier: BSD-3-Clause
-- GTP-C, LLC and phones after a restart of control: each state comes back from its records, and peers get nothing but
-- the requests that wait for their answers.

local gmm_phones = require "gmm.phones"
local gn_sessions = require "gn.sessions"
local gtpc = require "wire.gtpc"
local llc = require "llc.unnumbered"
local llc_wire = require "gbflow_llc"
local pool_world = require "pool_world"
local records = require "base.records"
local wire = require "wire.phone"

local S <const> = 1000000000
local GGSN <const> = "10.0.0.2"
local WAY <const> = { ours = "10.0.0.1", theirs = GGSN, port = 2123, is_right_port = true }
local WANTED <const> = { imsi = "262420000000001", nsapi = 5, apn = "internet", ours = WAY.ours, ggsn = GGSN,
  pdp_type = "ipv4", teid = 0x100000, class = "thp1", msisdn = "491701234567", pco = "\x80\0" }

-- Keeps the records of an object and gives the other intents as words.
local function words_of(store, intents)
  local out = {}
  for _, intent in ipairs(intents) do
    if intent.op == "keep" then
      store[intent.key] = intent.octets
    elseif intent.op == "gn_send" then
      local message = assert(gtpc.decode(intent.octets))
      store.sent = message
      out[#out + 1] = message.type
    elseif intent.op ~= "log" then
      out[#out + 1] = intent.op
    end
  end
  return out
end

-- Gives the records of one object to another; its words.
local function adopt(store, object, new_store, now)
  local words = {}
  local function take(intents)
    for _, word in ipairs(words_of(new_store, intents)) do words[#words + 1] = word end
  end
  for key, octets in pairs(store) do
    if key ~= "sent" then take(object:adopt(key, octets, now)) end
  end
  take(object:adopted(now))
  return words
end

local function new_node()
  local last = {}
  local function draw(limit)
    last[limit] = (last[limit] or 0) + 1
    return last[limit]
  end
  return gn_sessions.new({ gn = { path = { t3 = 5 * S, n3 = 3, every = 60 * S, on_loss = "keep" },
    gtpc = { retry = 7 * S }, ggsns = { { address = GGSN, user_networks = { "10.0.0.0/24" } } } } }, gtpc, 0, draw,
    function() return true end)
end

local function accept(node, store, more)
  local request = store.sent
  local message = { type = request.type:gsub("_request", "_response"), seq = request.seq, cause = 128, recovery = 9,
    teid = request.teid_control or 1, teid_data = 0x201, teid_control = 0x202, pdp_type = "ipv4",
    user_ipv4 = "10.45.0.7", control = GGSN, user = "10.0.0.3", arp = 2,
    qos = "\x1b\x93\x1f\x71\x96\xfe\xfe\x74\x4b\xff\xff" }
  for key, value in pairs(more or {}) do message[key] = value or nil end
  return words_of(store, node:receive(WAY, gtpc.encode(message), S))
end

local function wanted(changes)
  local w = {}
  for key, value in pairs(WANTED) do w[key] = value end
  for key, value in pairs(changes or {}) do w[key] = value end
  return w
end

-- Steps of a context before the restart; its state after it, and what is sent.
local STATES <const> = {
  { name = "a request that waits", steps = {}, state = "creating", sends = { "create_request" } },
  { name = "an active context", steps = { "accept" }, state = "active", sends = {} },
  { name = "one whose class was to change", steps = { "accept", "granted", "change" }, state = "updating",
    sends = { "update_request" } },
  { name = "one that was refused", steps = { "refuse" }, state = "resting", sends = {} },
  { name = "one whose answer could not be used", steps = { "unfit" }, state = "withdrawing", sends = {},
    later = { "delete_request" } },
  { name = "one that was lost", steps = { "accept", "lost" }, state = "resting", sends = {} },
  { name = "one that is deleted", steps = { "accept", "del" }, state = "deleting", sends = {},
    later = { "delete_request" } },
  { name = "one that is deleted before the GGSN has it", steps = { "del" }, state = "leaving",
    sends = { "create_request" } },
}

local DOES <const> = {
  accept = function(node, store) accept(node, store, { class = "thp1" }) end,
  granted = function(node, store) accept(node, store, { qos = store.sent.qos }) end,
  refuse = function(node, store) accept(node, store, { cause = 199 }) end,
  unfit = function(node, store) accept(node, store, { pdp_type = "ipv4v6" }) end,
  change = function(node, store) words_of(store, node:change(7, "background", nil, nil, S)) end,
  lost = function(node, store) words_of(store, node:lost(7, "test", S)) end,
  del = function(node, store) words_of(store, node:del(7, S)) end,
}

local function state_of(node)
  return node:list()[1] and node:list()[1].state
end

describe("GTP-C after a restart", function()
  setup(function() records.is_on = true end)
  teardown(function() records.is_on = false end)

  for _, row in ipairs(STATES) do
    it("has " .. row.name, function()
      local node, store = new_node(), {}
      words_of(store, node:add(7, wanted(), {}, 0))
      for _, step in ipairs(row.steps) do DOES[step](node, store) end
      local before, new, new_store = state_of(node), new_node(), {}
      assert.same(row.sends, adopt(store, new, new_store, 10 * S))
      assert.equal(row.state, state_of(new))
      assert.equal(before, state_of(new))
      assert.is_true(new:has(7))
      if row.later then assert.same(row.later, words_of(new_store, new:advance(15 * S))) end
      store.sent, new_store.sent = nil, nil
      assert.same(store, new_store)
    end)
  end

  local TFT <const> = "\x21\x01\x05\x03\x50\x00\x50"

  -- A context with these changes, and its request after the restart.
  local function asked_again(...)
    local node, store, new, new_store = new_node(), {}, new_node(), {}
    words_of(store, node:add(7, wanted({ is_once = true }), {}, 0))
    accept(node, store, { qos = false })
    for _, step in ipairs({ ... }) do words_of(store, node[step[1]](node, 7, table.unpack(step, 2))) end
    adopt(store, new, new_store, 10 * S)
    return new_store.sent, new, new_store
  end

  it("asks again for a change with the traffic flow template that it had", function()
    assert.equal(TFT, asked_again({ "change", "thp1", TFT, nil, S }).tft)
    assert.equal(TFT, asked_again({ "change", "thp2", nil, nil, S }, { "change", "thp1", TFT, nil, S }).tft)
    assert.equal(TFT, asked_again({ "change", "thp1", TFT, nil, S }, { "change", "thp2", nil, nil, S }).tft)
  end)

  -- With the IMSI: its GGSN may have given the TEID to another mobile's context since.
  it("checks a context again after an Error Indication, and asks for the change behind that", function()
    local sent, new, store = asked_again({ "check", S }, { "change", "thp1", TFT, nil, S })
    assert.same({ "262420000000001" }, { sent.imsi, sent.tft })
    accept(new, store)
    assert.same({ TFT }, { store.sent.tft, store.sent.imsi })
  end)

  it("has an active context that its GGSN can delete, and that has its path and its peer", function()
    local node, store, new, new_store = new_node(), {}, new_node(), {}
    words_of(store, node:add(7, wanted(), {}, 0))
    local teid = store.sent.teid_control
    accept(node, store)
    adopt(store, new, new_store, 10 * S)
    assert.same({ "echo_request" }, words_of(new_store, new:advance(70 * S)))
    local request = { type = "delete_request", teid = teid, teardown = true, nsapi = 5, seq = 77 }
    local other = { ours = WAY.ours, theirs = "10.0.0.9", port = 2123 }
    assert.same({ "delete_response" }, words_of(new_store, new:receive(other, gtpc.encode(request), 71 * S)))
    assert.equal("active", state_of(new))
    assert.same({ "delete_response", "down" }, words_of(new_store, new:receive(WAY, gtpc.encode(request), 71 * S)))
    assert.equal("resting", state_of(new))
  end)

  it("knows the restart counter of its GGSN, and forgets contexts when that changes", function()
    for recovery, state in pairs({ [9] = "active", [10] = "resting" }) do
      local node, store, new, new_store = new_node(), {}, new_node(), {}
      words_of(store, node:add(7, wanted(), {}, 0))
      accept(node, store)
      adopt(store, new, new_store, 10 * S)
      words_of(new_store, new:advance(70 * S))
      for _ = 1, 2 do -- a counter that changes is asked for again
        local echo = { type = "echo_response", seq = new_store.sent.seq, teid = 0, recovery = recovery }
        words_of(new_store, new:receive(WAY, gtpc.encode(echo), 71 * S))
      end
      assert.equal(state, state_of(new))
    end
  end)

  -- An Update has our restart counter until the GGSN knows that.
  it("knows whether its GGSN knows our restart counter", function()
    for is_told, recovery in pairs({ [true] = "none", [false] = 0 }) do
      local node, store, new, new_store = new_node(), {}, new_node(), {}
      local taken = { teid_control = 0x202, teid_data = 0x201, user = GGSN }
      words_of(store, node:add(7, wanted({ taken = taken, ipv4 = "10.45.0.7" }), {}, 0))
      if is_told then accept(node, store, { class = "thp1" }) end
      adopt(store, new, new_store, 10 * S)
      words_of(new_store, new:change(7, "background", nil, nil, 10 * S))
      assert.same({ "update_request", recovery }, { new_store.sent.type, new_store.sent.recovery or "none" })
    end
  end)

  -- A record moves to the end when it changes: that of a context may come before or behind that of its primary one.
  local CHAIN <const> = { [7] = {}, [8] = { linked = 7 }, [9] = { linked = 8 }, [10] = { linked = 9 } }
  for _, order in ipairs({ { 7, 8, 9, 10 }, { 10, 9, 8, 7 }, { 10, 7, 9, 8 }, { 8, 10, 9, 7 } }) do
    it("requests secondary contexts, whose records come in the order " .. table.concat(order, " "), function()
      local node, store, new, new_store = new_node(), {}, new_node(), {}
      for id = 7, 10 do
        local nsapi = id - 2
        words_of(store, node:add(id, wanted({ nsapi = nsapi, is_once = true }), CHAIN[id], 0))
        if id < 10 then accept(node, store, { teid_data = id, teid_control = 9 }) end
      end
      local words = {}
      local function take(intents) table.move(words_of(new_store, intents), 1, 9, #words + 1, words) end
      for _, id in ipairs(order) do take(new:adopt("gtpc/" .. id, store["gtpc/" .. id], 10 * S)) end
      take(new:adopted(10 * S))
      assert.same({ "create_request" }, words)
      assert.same({ 8, 7, 9 }, { new_store.sent.nsapi, new_store.sent.linked_nsapi, new_store.sent.teid })
      for id = 7, 10 do
        assert.is_true(new:has(id))
        assert.is_true(new:shares(new.by_id[id]))
        assert.equal(id > 7 and 7 or nil, new.by_id[id].wanted.root)
      end
    end)
  end

  it("has no peer without a context", function()
    local new, store = new_node(), {}
    adopt({ ["peer/" .. GGSN] = records.pack({ address = GGSN, recovery = 9 }) }, new, store, 0)
    assert.is_nil(next(new.peers))
    assert.is_nil(next(store))
  end)

  it("leaves nothing of a context that has ended", function()
    local node, store = new_node(), {}
    words_of(store, node:add(7, wanted(), {}, 0))
    accept(node, store)
    words_of(store, node:del(7, S))
    accept(node, store)
    store.sent = nil
    assert.is_nil(next(store))
  end)

  it("refuses a record that is none", function()
    for _, text in ipairs({ "", "x", records.pack({ id = 7 }), records.pack(true) }) do
      assert.is_false(pcall(function(node) node:adopt("gtpc/7", text, 0) end, new_node()))
    end
  end)
end)

-- LLC

local function new_llc(resets)
  local l = llc.new({ gb = { mtu = 1500, headers_octets = 78 }, mobiles = { n201_u = 1400 },
    llc = { reset_at_start = resets, t200 = 5 * S, n200 = 3, acknowledged = { links = 0 } } }, llc_wire)
  return l
end

local XID_1000 <const> = "\x03\xfb\x16\x03\xe8" -- N201-U 1000 on SAPI 3, of the mobile

describe("LLC after a restart", function()
  setup(function() records.is_on = true end)
  teardown(function() records.is_on = false end)

  it("has the N201-U that it has agreed on", function()
    local l, store, new, new_store = new_llc(false), {}, new_llc(false), {}
    words_of(store, l:ms_add(4, "101/1800", nil, 0))
    assert.is_nil(next(store))
    words_of(store, l:frame(4, XID_1000, 0))
    assert.equal(1000, l.mobiles[4].n201_u)
    words_of(new_store, new:ms_add(4, "101/1800", nil, S))
    assert.same({}, adopt(store, new, new_store, S))
    assert.equal(1000, new.mobiles[4].n201_u)
    assert.same(store, new_store)
    words_of(new_store, new:ms_del(4, S))
    assert.is_nil(next(new_store))
  end)

  -- Steps before the restart; what is sent after it, at once, and what the mobile's answer gives.
  for _, row in ipairs({
    { name = "waits for its cell", steps = {}, sends = {}, open = { "llc_frame" } },
    { name = "was told to reset", steps = { "open" }, sends = {}, open = {} },
  }) do
    it("tells a mobile that " .. row.name .. " once", function()
      local l, store, new, new_store = new_llc(true), {}, new_llc(true), {}
      words_of(store, l:ms_add(4, "101/1800", nil, 0))
      if row.steps[1] then words_of(store, l:cell_open("101/1800", 0)) end
      words_of(new_store, new:ms_add(4, "101/1800", nil, S))
      assert.same(row.sends, adopt(store, new, new_store, S))
      assert.same(store, new_store)
      local words = words_of(new_store, new:cell_open("101/1800", S))
      assert.equal(row.open[1], words[#words])
    end)
  end

  it("forgets a cell that was deleted", function()
    local l, store = new_llc(true), {}
    words_of(store, l:cell_open("101/1800", 0))
    assert.is_string(store["open/101/1800"])
    l:cell_closed("101/1800")
    words_of(store, l:cell_open("101/1801", 0))
    assert.is_nil(store["open/101/1800"])
  end)
end)

-- Phones

describe("phones after a restart", function()
  setup(function() records.is_on = true end)
  teardown(function() records.is_on = false end)

  -- A record of an unknown state, for that of the context of one phone, or a short message of it.
  local function spoilt(text, number)
    local value = records.unpack(text)
    if value.nsapi and value.mobile == number then value.state = "unknown" end
    return records.pack(value)
  end

  for number = 1, 3 do
    it("have all but the context and the short message whose records are wrong, of phone " .. number, function()
      local w, store = pool_world.new({ nodes = 1, phones = 3 }), {}
      local node = w.nodes[1]
      function node.keep(_, intent)
        if intent.key:find("^phone/") or intent.key:find("^apn/") then store[intent.key] = intent.octets end
      end
      assert.is_true(w:run_until(function(list)
        for _, phone in ipairs(list) do
          if phone.session ~= "active" then return false end
        end
        return true
      end))
      local p, faults = gmm_phones.new(node.config, wire, w.random, function() return false end), 0
      store["sms/1"] = records.pack({ sms = true, mobile = number, key = 8, state = "unknown" })
      for key, text in pairs(store) do words_of({}, p:adopt(key, spoilt(text, number), w.now)) end
      for _, word in ipairs(words_of({}, p:adopted(w.now))) do faults = faults + (word == "fault" and 1 or 0) end
      assert.equal(2, faults)
      for mobile, phone in pairs(p.by_mobile) do
        local context = phone.contexts[5]
        assert.equal(mobile ~= number and "active" or nil, context and context.fsm.state)
        assert.is_nil(next(phone.sms or {}))
      end
      assert.same({ 3, 0 }, { #p:list(), p.sms.count })
    end)
  end
end)
