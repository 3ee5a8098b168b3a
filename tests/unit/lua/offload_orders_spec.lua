-- SPDX-License-Identifier: BSD-3-Clause
-- Offloads that are ordered wrongly, or lose what they need while they are in progress.
local pool_world = require "pool_world"
local records = require "base.records"

local S <const> = pool_world.S
local PHONES <const> = 6

local function ACTIVE(list)
  for _, phone in ipairs(list) do
    if phone.state ~= "registered" or phone.session ~= "active" then return false end
  end
  return true
end

local function world(settings)
  local w = pool_world.new(settings or { nodes = 2, phones = PHONES })
  assert.is_true(w:run_until(ACTIVE))
  w.watch = w.check
  return w, w.nodes[1]
end

local function act(node, order)
  local plan = node.p:plan(order)
  if not plan.refusal then node:take(node.p:act(order, 1, node.world.now)) end
  return plan.refusal or plan.says
end

-- The node's configuration with other values of phones.pool; false: none.
local function configured(node, values)
  local settings, pool = {}, {}
  for key, value in pairs(node.config.phones) do settings[key] = value end
  for key, value in pairs(settings.pool) do pool[key] = value end
  for key, value in pairs(values) do pool[key] = value or nil end
  settings.pool = pool
  return settings
end

local function update_all(w)
  for i = 1, PHONES do w:order(i, "update") end
  w:run(20 * S)
end

describe("an offload with a wrong argument", function()
  for _, row in ipairs({ { phones = "0" }, { phones = "-5" }, { phones = "1.5" }, { phones = "many" },
    { phones = ("9"):rep(20) }, { to = "many" }, { to = ("9"):rep(20) }, { to = "0" }, { to = "1" } }) do
    local name, value = next(row)
    it("is refused: " .. name .. " " .. value, function()
      local _, node = world()
      row.verb = "offload"
      local says = act(node, row)
      assert.equal(name == "to" and ("no SGSN of phones.pool.others has NRI %s; name one that is there, or leave --to "
        .. "out"):format(value) or value .. " phones: name a whole number above 0, or all", says)
      assert.equal("-", node.p:pool_state().offload)
    end)
  end
end)

describe("an offload in progress", function()
  for _, row in ipairs({ { "null_nri", null_nri = false }, { "offload_area", offload_area = false },
    { "the SGSN that it is to", to = "3", others = {} },
    { "all NRIs", nri_bits = 0, nris = {}, null_nri = false } }) do
    it("ends when a reload takes away " .. row[1], function()
      local w, node = world()
      act(node, { verb = "offload", to = row.to, now = not row.to and "yes" or nil })
      assert.not_equal("-", node.p:pool_state().offload)
      local settings = configured(node, { null_nri = row.null_nri, offload_area = row.offload_area,
        others = row.others, nri_bits = row.nri_bits, nris = row.nris })
      node:take(node.p:configure(settings, w.now))
      assert.equal("-", node.p:pool_state().offload)
      update_all(w)
      assert.is_true(ACTIVE(w.handsets:list()))
      assert.equal(0, w.downs)
    end)
  end

  it("stays when a reload leaves all that it needs", function()
    local w, node = world()
    act(node, { verb = "offload", to = "3" })
    node:take(node.p:configure(configured(node, { hold = 5 * S }), w.now))
    assert.equal("all phones to NRI 3", node.p:pool_state().offload)
  end)

  for _, kept in ipairs({ { left = math.maxinteger, now = true }, { left = math.maxinteger } }) do
    it("continues after a restart of control, " .. (kept.now and "at once" or "when phones update"), function()
      local w, node = world()
      node.allows = false
      local here = #node.p:list()
      assert.is_true(here > 0)
      local run = node.p:open_run(w.now)
      node.p.offload:adopt(run, kept)
      node.p.offload:resume(run)
      node:take(node.p:close_run(run))
      w:run(20 * S)
      assert.equal(kept.now and 0 or here, #node.p:list())
      assert.equal("all phones to the NULL-NRI", node.p:pool_state().offload)
    end)
  end

  it("is kept with whether phones are told at once", function()
    local w, node = world()
    local kept = {}
    records.is_on = true
    for _, now in ipairs({ "yes", false }) do
      for _, intent in ipairs(node.p:act({ verb = "offload", now = now or nil }, 1, w.now)) do
        if intent.op == "keep" and intent.key == "offload" then kept[now] = records.unpack(intent.octets) end
      end
    end
    records.is_on = false
    assert.same({ ["yes"] = { offload = true, left = math.maxinteger, now = true },
      [false] = { offload = true, left = math.maxinteger } }, kept)
  end)

  it("is the same after a restart of control", function()
    local w, node = world()
    act(node, { verb = "offload", to = "3", phones = "4" })
    local kept
    local run = node.p:open_run(w.now)
    function run.record(_, key, value) kept = key == "offload" and value end
    node.p.offload:tell(run, node.p:list()[1], {})
    node:take(node.p:close_run(run))
    act(node, { verb = "offload", stop = "yes" })
    run = node.p:open_run(w.now)
    node.p.offload:adopt(run, kept)
    node:take(node.p:close_run(run))
    assert.equal("the next 3 phones to NRI 3", node.p:pool_state().offload)
    for i = 1, PHONES do w:order(i, "update") end
    w:run(5 * S)
    assert.equal(math.min(3, #node.p:list()), node.p.counts.sgsn_left)
  end)

  it("that a restart of control finds without what it needs, ends", function()
    local _, node = world()
    node.p.config = configured(node, { offload_area = false })
    local run = node.p:open_run(0)
    node.p.offload:adopt(run, { left = 3 })
    node.p:close_run(run)
    assert.equal("-", node.p:pool_state().offload)
  end)
end)

describe("an offload at once", function()
  it("has an ACCEPT tell the shortest timer there is for updates", function()
    local w = world({ nodes = 2, phones = 1 })
    local node = w.nodes[#w.nodes[1].p:list() == 1 and 1 or 2]
    act(node, { verb = "offload", phones = "1" })
    local run, message = node.p:open_run(w.now), { update_timer = 0x54 }
    node.p.offload:tell(run, node.p:list()[1], message)
    node:take(node.p:close_run(run))
    assert.same({ update_timer = 2, rai = node.pool.offload_area }, message) -- 4 s (24.008 §10.5.7.3)
    assert.is_nil(node.p.offload:text())
  end)

  -- Control goes through its phones by shards of their numbers.
  for where, step in pairs({ ["of many shards"] = 1, ["of one shard"] = 1025 }) do
    it("tells 50 phones a second, and each of them: " .. where, function()
      local w = pool_world.new({ nodes = 1, phones = 40 })
      local node = w.nodes[1]
      local take = node.arrive
      function node:arrive(intent)
        self.mobiles = intent.phone * step - 1
        take(self, intent)
      end
      assert.is_true(w:run_until(ACTIVE))
      w:run(10 * S)
      local before, at, told = w.now, {}, 0
      local p = node.p
      local reallocate = p.offload.tell
      function p.offload.tell(offload, run, phone, message)
        reallocate(offload, run, phone, message)
        told = told + 1
        at[told] = w.now - before
        if told == 1 then
          assert.same({ node.pool.offload_area, "all phones to the NULL-NRI" }, { message.rai, offload:text() })
        end
      end
      node.phone_send = function() end -- no phone leaves, and none is told twice
      node:take(p:act({ verb = "offload", now = "yes" }, 1, w.now))
      w:run(S)
      assert.equal(40, told)
      for i = 1, 40 do assert.equal((i - 1) // 5 * S // 10, at[i]) end
    end)
  end
end)

-- Phones whose P-TMSI is another SGSN's already, and that ask again before they have confirmed it.
describe("an offload that has ended", function()
  for _, row in ipairs({ { "by an order" }, { "by a reload", offload_area = false } }) do
    it(row[1] .. " counts no phone", function()
      local w, node = world()
      act(node, { verb = "offload" })
      local accepted = 0
      function node.phone_send() accepted = accepted + 1 end -- no phone hears its ACCEPT
      for i = 1, PHONES do w:order(i, "update") end
      w:run(S)
      assert.is_true(accepted > 0)
      if row.offload_area == false then
        node:take(node.p:configure(configured(node, { offload_area = false }), w.now))
      else
        act(node, { verb = "offload", stop = "yes" })
      end
      node.phone_send = nil
      for i = 1, PHONES do w:order(i, "move") end
      w:run(60 * S)
      assert.equal("-", node.p:pool_state().offload)
      assert.equal("no offload is in progress", act(node, { verb = "offload", stop = "yes" }))
      assert.is_true(ACTIVE(w.handsets:list()))
    end)
  end
end)

describe("a drain", function()
  local function drain(w, node)
    local plan, ended = node.p:plan({ verb = "drain" }), {}
    function node.acted(_, intent) ended[intent.id] = intent.done end
    node:take(node.p:act({ verb = "drain" }, 7, w.now))
    return ended, plan
  end

  it("of a node without phones ends at once", function()
    local w = pool_world.new({ nodes = 1, phones = 0 })
    assert.same({ [7] = true }, (drain(w, w.nodes[1])))
  end)

  it("lasts longer than a phone that says nothing", function()
    local w, node = world()
    act(node, { verb = "offload" })
    local _, plan = drain(w, node)
    assert.is_true(plan.most_ns > node.p.durations.implicit)
  end)

  it("waits for phones whose N-PDUs are forwarded, which no figure counts any more", function()
    local w, node = world()
    node.allows = false
    act(node, { verb = "offload" })
    local ended = drain(w, node)
    for i = 1, PHONES do w:order(i, "update") end
    w:run(5 * S)
    assert.is_true(#node.p:list() > 0)
    for _, phone in ipairs(node.p:list()) do assert.equal("forwarding", phone.state) end
    assert.equal("each of 0 phones here: a P-TMSI with the NULL-NRI, when it attaches or updates its routeing area",
      act(node, { verb = "offload" }))
    ended[1] = nil
    act(node, { verb = "offload", stop = "yes" })
    assert.same({ true }, ended) -- the end of the offload, not that of the drain
    w:run(10 * S)
    assert.same({ {}, true }, { node.p:list(), ended[7] })
  end)

  it("can be asked for again, and each ends with the last phone", function()
    local w, node = world()
    local ended = {}
    function node.acted(_, intent) ended[#ended + 1] = { intent.id, intent.done } end
    node.allows = false
    act(node, { verb = "offload", now = "yes" })
    ended = {}
    for id = 1, 40 do -- the command of each was stopped, or its time was over
      local plan = node.p:plan({ verb = "drain" })
      assert.is_nil(plan.refusal)
      node:take(node.p:act({ verb = "drain" }, id, w.now))
    end
    assert.equal(0, #ended)
    w:run(60 * S)
    assert.same({}, node.p:list())
    assert.same({ 32, { 9, true }, { 40, true } }, { #ended, ended[1], ended[32] })
    w:run(60 * S)
    assert.equal(32, #ended)
  end)
end)
