-- SPDX-License-Identifier: BSD-3-Clause
-- Phones (phone.phones) against the node's GMM and SM (gmm.phones) in virtual time, also with each message lost once.
local gmm_phones = require "gmm.phones"
local phone_phones = require "phone.phones"
local aka = require "gmm.aka"
local wire = require "wire.phone"
local spec_tools = require "spec_tools"

local octets_of = spec_tools.octets_of

local S <const> = 1000000000
local NSEI <const>, BVCI <const> = 101, 2
local STEP <const>, LATEST <const> = S // 100, 400 * S

-- As libosmogsm 1.7 answers with OSMO_AUTH_ALG_XOR.
local KI <const> = octets_of("000102030405060708090a0b0c0d0e0f")

-- Two cells of one routeing area, and one of another.
local CELLS <const> = { { mcc = "262", mnc = "42", lac = 0x1234, rac = 5, ci = 1 },
  { mcc = "262", mnc = "42", lac = 0x1234, rac = 5, ci = 2 },
  { mcc = "262", mnc = "42", lac = 0x1234, rac = 6, ci = 1 } }

local function rand_octets()
  local out = {}
  for i = 0, 15 do out[i + 1] = string.char((i * i + 7) & 255) end
  return table.concat(out)
end
local VECTOR <const> = { rand = rand_octets(), sres = octets_of("c0c08040"), kc = octets_of("30f0101070309010") }
local QUINTET <const> = { rand = VECTOR.rand, sres = VECTOR.sres, kc = VECTOR.kc,
  autn = octets_of("1301117b47d58000071b3d456bbfad3f"), res = octets_of("0709091313252d3f4f51618b9bbdc5e7"),
  ck = octets_of("09091313252d3f4f51618b9bbdc5e707"), ik = octets_of("091313252d3f4f51618b9bbdc5e70709") }
local KC128 <const> = octets_of("5a913b5d4b14716ad1f77cae022019c1")

local HLR = {}
HLR.__index = HLR
function HLR.ask(_, run, phone, kind)
  run:post(phone.fsm, kind == "auth_info" and "hlr_vectors" or "hlr_located", { tuples = { phone.phones.hlr.vector } })
end
function HLR.purge() end
function HLR.forget() end
function HLR.end_others() end
function HLR.open() end

local function counting()
  local n = 0
  return function(limit) n = n % limit + 1 return n end
end

local function node_of(settings)
  local all = { policy = settings.policy, imsis = settings.imsis or {}, reject_cause = 11, ciphering = { 4, 3, 0 },
    half_open = 50, half_open_per_cell = 50, hlr = { address = "127.0.0.1", port = 4222, name = "SGSN-test" },
    apns = { { name = "internet", sgsn_address = "10.0.0.1", ggsn_address = "10.0.0.2", class = "background",
      sapi = 3 } },
    timers = { t3312 = 54 * 60 * S, reachable = 240 * S, guard = 30 * S, t3350 = 6 * S, t3360 = 6 * S, t3370 = 6 * S,
      t3322 = 6 * S, t3395 = 8 * S, hlr = 6 * S } }
  local cells = {}
  for i, id in ipairs(CELLS) do cells[i] = { bvci = BVCI + i - 1, cell_id = id } end
  local node = gmm_phones.new({ phones = all, mobiles = { list = {} },
    nses = { { nsei = NSEI, cells = cells } } }, wire, counting(), function() return false end)
  if settings.policy == "hlr" then node.hlr = setmetatable({ vector = settings.vector or VECTOR }, HLR) end
  return node
end

local function handsets_of(settings)
  local list = {}
  for i = 1, settings.count do
    list[i] = { imsi = ("26242000000%04d"):format(i), imeisv = "3512345678901230", ki = settings.ki }
  end
  return phone_phones.new({ list = list, cells = CELLS, script = settings.script or {}, rounds = settings.rounds or 1,
    apn = settings.apn or "internet", nsapi = 5, sapi = 3,
    capability = settings.is_usim and "\xe5\xf0" or "\xe5\xe0", is_usim = settings.is_usim,
    ra_capability = "\x18\xb3\x43\x2b\x25", attach_gap = S // 10,
    timers = { t3302 = 60 * S, t3310 = 15 * S, t3321 = 15 * S, t3330 = 15 * S, t3380 = 30 * S, t3390 = 8 * S } },
    wire, counting())
end

-- Both ends and the messages between them; `lost`: the number of the one that does not arrive.
local World = {}
World.__index = World

local function world_of(settings, lost)
  local w = setmetatable({ node = node_of(settings), handsets = handsets_of(settings), now = 0, queue = {}, sent = 0,
    lost = lost, cell_of = {}, is_open = {}, done = {}, by_tlli = {}, phone_of = {}, mobiles = 0, node_keys = {},
    phone_keys = {}, log = {} }, World)
  w:take(w.handsets:start(0), "of_phone")
  return w
end

function World:put(work)
  self.sent = self.sent + 1
  if self.sent ~= self.lost then self.queue[#self.queue + 1] = work end
end

World.of_node, World.of_phone = {}, {}

function World:take(intents, whose)
  for _, intent in ipairs(intents) do
    local handle = self[whose][intent.op or intent.what]
    if handle then handle(self, intent) end
  end
end

function World.of_node.phone_send(w, intent)
  local phone, key = w.phone_of[intent.mobile], w.node_keys[intent.mobile]
  w:put(function()
    if intent.ciphered then assert.equal(key, w.phone_keys[phone]) end
    w:take(w.handsets:frame(phone, intent.ciphered, intent.octets, w.now), "of_phone")
  end)
end

function World.of_node.phone_cipher(w, intent) w.node_keys[intent.mobile] = intent.key end

function World:forget_tllis(mobile)
  for tlli, owner in pairs(self.by_tlli) do
    if owner == mobile then self.by_tlli[tlli] = nil end
  end
end

function World.of_node.phone_tlli(w, intent)
  if not intent.keeps_old then w:forget_tllis(intent.mobile) end
  w.by_tlli[intent.tlli] = intent.mobile
end

function World.of_node.phone_del(w, intent) w:forget_tllis(intent.mobile) end

function World.of_node.phone_pdp_add(w, intent)
  local given = { ipv4 = "10.11.0." .. w.phone_of[intent.mobile], class = "background" }
  w.queue[#w.queue + 1] = function()
    w:take(w.node:context_up(intent.mobile, intent.nsapi, given, w.now), "of_node")
  end
end

function World:bvci_of(intent)
  return BVCI + (self.cell_of[intent.phone] or (intent.phone - 1) % #CELLS + 1) - 1
end

function World:make_mobile(intent)
  self.mobiles = self.mobiles + 1
  self.by_tlli[intent.tlli], self.phone_of[self.mobiles] = self.mobiles, intent.phone
  self:take(self.node:add(self.mobiles, intent.tlli, NSEI, self:bvci_of(intent), self.now), "of_node")
  return self.mobiles
end

function World:arrive(intent)
  local bvci = self:bvci_of(intent)
  local mobile = self.by_tlli[intent.tlli] or self.node:admit(intent.tlli, NSEI, bvci, intent.octets, self.now)
  if mobile == -1 then return end
  if mobile == -2 then mobile = self:make_mobile(intent) end
  self.phone_of[mobile] = intent.phone
  local from = { tlli = intent.tlli, nsei = NSEI, bvci = bvci }
  self:take(self.node:frame(mobile, from, intent.ciphered, intent.octets, self.now), "of_node")
end

function World.of_phone.send(w, intent) w:put(function() w:arrive(intent) end) end
function World.of_phone.cell(w, intent) w.cell_of[intent.phone] = intent.cell end
function World.of_phone.done(w, intent) w.done[#w.done + 1] = intent.phone end
function World.of_phone.data(w, intent) w.is_open[intent.phone] = intent.is_open end
function World.of_phone.cipher(w, intent) w.phone_keys[intent.phone] = intent.key end
function World.of_phone.up(w, intent) w.log[#w.log + 1] = intent.phone .. " " .. intent.address end
function World.of_phone.down(w, intent) w.log[#w.log + 1] = intent.phone .. " down" end

function World:settle()
  while self.queue[1] do table.remove(self.queue, 1)() end
end

function World:order(number, what)
  self:take(self.handsets:order(number, what, self.now), "of_phone")
  self:settle()
end

function World:lose_context(number)
  for mobile, phone in pairs(self.phone_of) do
    if phone == number then self:take(self.node:context_down(mobile, 5, -1, self.now), "of_node") end
  end
  self:settle()
end

function World:run_until(is_done)
  local limit = self.now + LATEST
  while not is_done(self.handsets:list()) and self.now < limit do
    self:take(self.handsets:advance(self.now), "of_phone")
    self:settle()
    self:take(self.node:advance(self.now), "of_node")
    self:settle()
    local a, b = self.handsets:next_at() or limit, self.node:next_at() or limit
    self.now = math.max(self.now, math.min(a, b, limit)) + STEP
  end
  return is_done(self.handsets:list())
end

local function all(state, session)
  return function(list)
    for _, phone in ipairs(list) do
      if phone.state ~= state or session and phone.session ~= session then return false end
    end
    return true
  end
end

-- Each phone through all cells, and back to the one where it began.
local function move_round(w, settings, name)
  for _ = 1, #CELLS do
    for i = 1, settings.count do w:order(i, "move") end
    assert.is_true(w:run_until(all("registered", "active")), name .. ": move")
    for i = 1, settings.count do assert.is_true(w.is_open[i], name .. ": user data") end
  end
end

-- The tour: attach, activate, update, move, lost context, deactivate, detach, attach again with the P-TMSI, power off.
local function tour(settings, lost)
  local w = world_of(settings, lost)
  local name = ("%s, message %d lost"):format(settings.policy, lost or 0)
  assert.is_true(w:run_until(all("registered", "active")), name .. ": attach")
  if settings.is_usim then assert.equal(KC128, w.phone_keys[1]) end
  for i = 1, settings.count do w:order(i, "update") end
  assert.is_true(w:run_until(all("registered", "active")), name .. ": update")
  move_round(w, settings, name)
  w:lose_context(1)
  assert.is_true(w:run_until(all("registered", "active")), name .. ": lost context")
  for i = 1, settings.count do w:order(i, "detach") end
  assert.is_true(w:run_until(all("off", "idle")), name .. ": detach")
  for i = 1, settings.count do w:order(i, "attach") end
  assert.is_true(w:run_until(all("registered", "active")), name .. ": attach again")
  for i = 1, settings.count do w:order(i, "deactivate") end
  assert.is_true(w:run_until(all("registered", "idle")), name .. ": deactivate")
  for i = 1, settings.count do w:order(i, "power_off") end
  assert.is_true(w:run_until(all("off", "idle")), name .. ": power off")
  return w
end

local function count_of(w, name)
  return w.handsets.counts[name] or 0
end

describe("phones against the node", function()
  for _, settings in ipairs({ { policy = "accept_all", count = 1 }, { policy = "hlr", count = 1, ki = KI },
    { policy = "hlr", count = 3, ki = KI }, { policy = "hlr", count = 2, ki = KI, vector = QUINTET, is_usim = true },
    { policy = "hlr", count = 1, ki = KI, vector = QUINTET } }) do
    it(("make a tour: %s, %d%s%s"):format(settings.policy, settings.count, settings.vector and ", quintets" or "",
      settings.is_usim and ", USIM" or ""), function()
      local w = tour(settings)
      local n = settings.count
      assert.same({ 2 * n, 2 * n + 1, 1, 3 * n, n }, { count_of(w, "attached"), count_of(w, "activated"),
        count_of(w, "deactivated_39"), count_of(w, "updated"), count_of(w, "detached") })
      assert.same({ 3 * n, n }, { count_of(w, "moved"), count_of(w, "cell_updated") })
      assert.equal(settings.ki and 2 * n or 0, count_of(w, "challenged"))
      assert.equal(0, count_of(w, "phone_unexpected") + count_of(w, "phone_session_unexpected"))
      assert.is_nil(w.phone_keys[1])
      assert.equal("1 10.11.0.1", w.log[1])
      assert.same({}, w.node:list())
    end)
  end

  it("come through it with any one message lost", function()
    for _, settings in ipairs({ { policy = "accept_all", count = 1 }, { policy = "hlr", count = 1, ki = KI } }) do
      for lost = 1, tour(settings).sent do tour(settings, lost) end
    end
  end)

  for _, row in ipairs({
    { name = "an IMSI that is not listed", policy = "list", state = "barred", counted = "attach_reject_11" },
    { name = "a wrong key", policy = "hlr", ki = KI:sub(1, 15) .. "\1", state = "barred", counted = "auth_reject" },
    { name = "an AUTN of another network", policy = "hlr", ki = KI, is_usim = true, state = "barred",
      vector = { rand = VECTOR.rand, sres = VECTOR.sres, kc = VECTOR.kc, autn = ("\1"):rep(16), res = QUINTET.res,
        ck = QUINTET.ck, ik = QUINTET.ik }, counted = "challenge_of_another" },
    { name = "no key", policy = "hlr", state = "barred", counted = "challenge_without_key" },
    { name = "an unknown APN", policy = "accept_all", apn = "other", state = "registered",
      counted = "activate_reject_27" },
  }) do
    it("are refused: " .. row.name, function()
      local w = world_of({ policy = row.policy, count = 1, ki = row.ki, apn = row.apn, is_usim = row.is_usim,
        vector = row.vector })
      w:run_until(function(list) return list[1].state == row.state and count_of(w, row.counted) > 0 end)
      assert.equal(row.state, w.handsets:list()[1].state)
      assert.is_true(count_of(w, row.counted) > 0)
      assert.equal("idle", w.handsets:list()[1].session)
    end)
  end

  it("play their script", function()
    local w = world_of({ policy = "accept_all", count = 2, rounds = 2, script = { { after = 5 * S, what = "move" },
      { after = S, what = "detach" }, { after = S, what = "attach" } } })
    assert.is_true(w:run_until(function() return #w.done == 2 end))
    assert.same({ 4, 4, 6 }, { count_of(w, "moved"), count_of(w, "detached"), count_of(w, "activated") })
    assert.same({ 3, 1 }, { w.handsets:list()[1].cell, w.handsets:list()[2].cell })
  end)

  -- 24.008 clauses 4.7.3.1.5, 4.7.4.1.4 and 4.7.5.1.5: a procedure begins again in a new area.
  for _, row in ipairs({
    { "attach", state = "attaching", ends = "registered" },
    { "update", state = "updating", ends = "registered" },
    { "detach", state = "detaching", ends = "off" },
  }) do
    it("may move in the midst of a procedure: " .. row[1], function()
      local w = world_of({ policy = "accept_all", count = 1 })
      assert.is_true(w:run_until(all("registered", "active")))
      w:order(1, "move")
      w:run_until(all("registered", "active"))
      if row[1] == "attach" then w:order(1, "power_off") end
      local take = w.node.frame
      w.node.frame = function() return {} end
      w:order(1, row[1])
      assert.equal(row.state, w.handsets:list()[1].state)
      w.node.frame = take
      w:order(1, "move")
      local began = w.now
      assert.is_true(w:run_until(all(row.ends)), row[1])
      assert.is_true(w.now - began < S, "a timer had to expire")
      assert.equal(3, w.handsets:list()[1].cell)
      if row.ends == "registered" then assert.equal(BVCI + 2, w.node:list()[1].bvci) end
      assert.equal(0, count_of(w, "no_answer"))
    end)
  end

  it("have an IMEI each, in gbflow emulate", function()
    local bss = { cells = { { cell_id = {} } }, phones = { count = 999, imsi = "262420000000001", attaches_per_s = 1,
      script = {}, rounds = 1 } }
    local seen = {}
    for _, subscriber in ipairs(phone_phones.new_live(bss, wire, math.random).settings.list) do
      local imei = subscriber.imeisv:sub(1, 14)
      assert.is_nil(seen[imei])
      seen[imei] = true
      assert.truthy(subscriber.imeisv:find("^%d+00$") and #subscriber.imeisv == 16)
    end
  end)

  it("answer a page with their P-TMSI, attach at one with their IMSI, and heed nobody else's", function()
    local w = world_of({ policy = "accept_all", count = 1 })
    assert.is_true(w:run_until(all("registered", "active")))
    local mine, imsi = w.handsets.list_of[1].p_tmsi, wire.identity_octets("imsi", w.handsets.list_of[1].imsi)
    local other = imsi:sub(1, 7) .. "\x99"
    local rows = { { mine, "", "gmm_status" }, { mine ~ 1, imsi }, { 0, other }, { 0, imsi, "attach_request" } }
    for _, row in ipairs(rows) do
      local sent
      for _, intent in ipairs(w.handsets:page(1, row[1], row[2], w.now)) do
        if intent.octets then sent = wire.gmm_decode(intent.octets, "ms").message end
      end
      assert.equal(row[3], sent)
    end
    assert.same({ 2, 1 }, { count_of(w, "paged"), count_of(w, "paged_by_imsi") })
  end)

  it("do nothing but resume while they are suspended", function()
    local w = world_of({ policy = "accept_all", count = 1 })
    assert.is_true(w:run_until(all("registered", "active")))
    local function order(what) return w.handsets:order(1, what, w.now) end
    assert.same({ { what = "suspend", phone = 1 } }, order("suspend"))
    assert.same({}, w.handsets:suspended(1, w.now))
    for _, what in ipairs({ "suspend", "move", "update", "detach", "deactivate" }) do assert.same({}, order(what)) end
    assert.same({ { what = "resume", phone = 1 } }, order("resume"))
    assert.same({}, w.handsets:resumed(1, true, w.now))
    assert.same({ 5, 1 }, { count_of(w, "order_out_of_turn"), count_of(w, "resumed") })
    w:take(w.handsets:resumed(1, false, w.now), "of_phone")
    assert.equal("updating", w.handsets:list()[1].state)
    assert.is_true(w:run_until(all("registered", "active")))
    order("suspend")
    w:order(1, "resume")
    assert.is_true(w:run_until(all("registered", "active")))
    assert.equal(2, count_of(w, "updated")) -- there was no SUSPEND-ACK
  end)

  it("give up after five requests and try again after T3302", function()
    local w = world_of({ policy = "accept_all", count = 1 })
    w.node.frame = function() return {} end
    w:run_until(function() return count_of(w, "attach_tried") == 2 end)
    assert.same({ 6, 1 }, { count_of(w, "sent_attach_request"), count_of(w, "no_answer") })
  end)
end)

describe("the XOR algorithm", function()
  it("answers as libosmogsm does", function()
    local sres, kc = aka.xor_answer(KI, VECTOR.rand)
    assert.same({ VECTOR.sres, VECTOR.kc }, { sres, kc })
    local vector = aka.xor_usim(KI, QUINTET.rand, QUINTET.autn)
    assert.same({ res = QUINTET.res, ck = QUINTET.ck, ik = QUINTET.ik }, vector)
    assert.equal(KC128, aka.key_of(vector, "usim", 4))
    for i = 1, 16 do
      local autn = QUINTET.autn:sub(1, i - 1) .. string.char(QUINTET.autn:byte(i) ~ 1) .. QUINTET.autn:sub(i + 1)
      assert.is_nil(aka.xor_usim(KI, QUINTET.rand, autn))
    end
  end)
end)
