-- SPDX-License-Identifier: BSD-3-Clause
-- What follows an operator's walk in a pool of two SGSNs, in virtual time: a phone attaches and activates a context at
-- each node, a packet comes to each phone, twice, and once more ten minutes later. The same of live nodes, but at once,
-- is in tests/system/live/aftermath.py.
local pool_world = require "pool_world"

local octets_of = require("spec_tools").octets_of

local S <const>, MINUTE <const> = pool_world.S, 60 * pool_world.S
local KI <const> = octets_of("000102030405060708090a0b0c0d0e0f")
local VECTOR <const> = { rand = octets_of("07080b1017202b3847586b8097b0cbe8"), sres = octets_of("c0c08040"),
  kc = octets_of("30f0101070309010") }
local PHONES <const>, NEW <const> = 8, 2 -- of the walk; of each node, for what follows: they are off during the walk

local function is_active(w, i)
  local phone = w.handsets:list()[i]
  return phone.state == "registered" and phone.session == "active"
end

local function are_active(w, list)
  return function()
    for _, i in ipairs(list) do
      if not is_active(w, i) then return false end
    end
    return true
  end
end

local function node_of(w, i)
  return w:node_of(w.handsets:list()[i].tlli)
end

-- A world whose first phones are in the walk; w.new: the others, by their nodes. A P-TMSI says whose they are.
local function world(settings)
  settings.nodes, settings.phones = 2, PHONES + 12
  local w, all = pool_world.new(settings), {}
  for i = 1, settings.phones do all[i] = i end
  assert.is_true(w:run_until(are_active(w, all)))
  w.walkers, w.new = {}, { {}, {} }
  for i = settings.phones, 1, -1 do
    local of_node = w.new[node_of(w, i).number]
    local list = #of_node < NEW and of_node or w.walkers
    list[#list + 1] = i
    if list == of_node then w:order(i, "power_off") end
  end
  w:run(5 * S)
  w.watch = w.check
  return w
end

-- A phone of each node attaches, has a context and goes; all others are called, and keep their addresses.
local function once(w, addresses, when)
  for number, list in ipairs(w.new) do
    for _, i in ipairs(list) do
      w:order(i, "attach")
      assert.is_true(w:run_until(are_active(w, { i })), ("%s: phone %d at SGSN %d"):format(when, i, number))
      assert.equal(number, node_of(w, i).number)
      assert.is_nil(w:call(i), when)
    end
  end
  for _, i in ipairs(w.walkers) do
    assert.is_nil(w:call(i), ("%s: phone %d"):format(when, i))
    assert.equal(addresses[i], w.addresses[i], when)
  end
  for _, list in ipairs(w.new) do
    for _, i in ipairs(list) do w:order(i, "power_off") end
  end
  w:run(5 * S)
end

local function aftermath(w)
  assert.is_true(w:run_until(are_active(w, w.walkers)))
  local addresses, downs = table.move(w.addresses, 1, PHONES + 12, 1, {}), w.downs
  once(w, addresses, "at once")
  once(w, addresses, "again")
  w:run(10 * MINUTE)
  once(w, addresses, "ten minutes later")
  assert.equal(3 * 2 * NEW, w.downs - downs) -- those of the phones that go
end

-- --- walks

local function act(node, order)
  local w = node.world
  w.acts = (w.acts or 0) + 1
  local plan = node.p:plan(order)
  assert.is_nil(plan.refusal)
  node:take(node.p:act(order, w.acts, w.now))
  return w.acts
end

-- One that has told all its phones has ended.
local function end_offload(node)
  if node.p.offload.left > 0 then act(node, { verb = "offload", stop = "yes" }) end
end

local function empty(w, i)
  w.nodes[i].allows, w.nodes[3 - i].allows = false, true
  act(w.nodes[i], { verb = "offload", now = "yes" })
  local drain = act(w.nodes[i], { verb = "drain" })
  w:run(MINUTE)
  assert.same({ drain, {}, true }, { w.ended, w.nodes[i].p:list(), w.nodes[i].n:is_empty() })
  end_offload(w.nodes[i])
  w.nodes[i].allows = true
end

local function give_back(w, i)
  act(w.nodes[3 - i], { verb = "offload", phones = "6", to = tostring(2 * i - 1), now = "yes" })
  w:run(MINUTE)
  end_offload(w.nodes[3 - i])
  local here = #w.nodes[i].p:list()
  assert.equal(6, here)
end

-- What a user whose node has forgotten him does, or his phone at its next frame.
local function use_again(w)
  for _, what in ipairs({ "update", "attach", "activate" }) do
    for _, i in ipairs(w.walkers) do
      if not is_active(w, i) or what == "update" then w:order(i, what) end
    end
    w:run(5 * MINUTE)
  end
end

local WALKS <const> = {
  { "an offload and back", keeps = true, walk = function(w)
    empty(w, 1)
    give_back(w, 1)
    assert.same({ 0, 0 }, w.counters)
  end },
  { "an upgrade of one node", keeps = true, walk = function(w)
    empty(w, 1)
    w:stop(1)
    w:run(MINUTE)
    w:start_node(1)
    give_back(w, 1)
    assert.same({ 0, 0 }, w.counters)
  end },
  { "an upgrade of both nodes", keeps = true, walk = function(w)
    for i = 1, 2 do
      empty(w, i)
      w:stop(i)
      w:start_node(i)
      give_back(w, i)
    end
  end },
  { "an upgrade whose node is killed when it is empty", keeps = true, is_standard = true, walk = function(w)
    empty(w, 1)
    w:kill(1)
    w:start_node(1)
    give_back(w, 1)
    assert.same({ 1, 0 }, w.counters)
  end },
  { "an end of a node with phones", walk = function(w)
    w:stop(1)
    w:start_node(1)
    use_again(w)
    assert.same({ 1, 0 }, w.counters)
  end },
  { "an end of a node with phones, to which others come", walk = function(w)
    w:kill(1)
    w:start_node(1)
    act(w.nodes[2], { verb = "offload", phones = "2", to = "1", now = "yes" })
    use_again(w)
    end_offload(w.nodes[2])
  end },
  { "a kill of a node in the midst of an offload", is_standard = true, walk = function(w)
    w.nodes[1].allows = false
    act(w.nodes[1], { verb = "offload", now = "yes" })
    w:run(S)
    w:kill(1)
    w:run(MINUTE)
    w:start_node(1)
    w.nodes[1].allows = true
    use_again(w)
  end },
  { "a restart of the GGSN", walk = function(w)
    w.ggsn:restart()
    use_again(w)
    w:run(5 * MINUTE)
  end },
  { "a restart of the GGSN between the nodes' halves of an upgrade", walk = function(w)
    empty(w, 1)
    w:stop(1)
    w.ggsn:restart()
    w:start_node(1)
    use_again(w)
    give_back(w, 1)
  end },
  { "a restart of the HLR", keeps = true, walk = function(w)
    for imsi in pairs(w.located) do w.located[imsi] = nil end
    for _, i in ipairs(w.walkers) do w:order(i, "update") end
    w:run(MINUTE)
  end },
}

local USERS <const> = { { "without an HLR" }, { "with an HLR", policy = "hlr", ki = KI, vector = VECTOR } }

-- osmo-ggsn keeps a context with the SGSN that created it: when that has restarted, it ends those at another SGSN, too.
local function walks_of_osmo()
  local walks = {}
  for _, row in ipairs(WALKS) do
    if not row.is_standard then walks[#walks + 1] = row end
  end
  return walks
end

local GGSNS <const> = { { "a GGSN that follows the standard", walks = WALKS },
  { "osmo-ggsn", keeps_creator = true, walks = walks_of_osmo() } }

for _, users in ipairs(USERS) do
  for _, ggsn in ipairs(GGSNS) do
    describe(("a pool %s, at %s, after"):format(users[1], ggsn[1]), function()
      for _, row in ipairs(ggsn.walks) do
        it(row[1], function()
          local w = world({ policy = users.policy, ki = users.ki, vector = users.vector, every = MINUTE,
            keeps_creator = ggsn.keeps_creator })
          local addresses, downs = table.move(w.addresses, 1, PHONES + 12, 1, {}), w.downs
          row.walk(w)
          if row.keeps then
            for _, i in ipairs(w.walkers) do assert.equal(addresses[i], w.addresses[i]) end
            assert.equal(downs, w.downs)
          end
          aftermath(w)
        end)
      end
    end)
  end
end
