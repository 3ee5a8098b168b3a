-- SPDX-License-Identifier: BSD-3-Clause
-- What is believed of a request that has the TLLI of a registered phone, and what the phone is again if it was not its
-- own (gmm.claims): each condition alone, then what follows at a node of doors_rig.lua.
local claims = require "gmm.claims"
local gea = require "gmm.gea"
local gmm_identities = require "gmm.identities"
local records = require "base.records"
local rig = require "doors_rig"

local S <const> = 1000000000
local GEA_3 <const>, NONE <const>, KEY <const>, RIGHT <const>, LEFT <const>, WRONG <const> = "\xe5\xe0", "\1\0",
  "12345678", "\1\2\3", "\4\5\6", "\7\7\7"

-- A registered phone, ciphered by GEA/3; `changes` of its fields, of the settings and of the policy. `absent` is nil.
local function phone_of(changes, settings, has_hlr)
  local phones = { config = { ciphering = { 3, 0 }, authenticate = "always" },
    policy = { hlr = has_hlr ~= false }, by_imsi = {} }
  gmm_identities.give(phones)
  for name, value in pairs(settings or {}) do phones.config[name] = value end
  local phone = { phones = phones, was_registered = true, located_at = true, imsi = rig.IMSI, known = rig.IMSI,
    key = KEY, algorithm = 3, capability = GEA_3, is_r99 = true, cksn = 2, signature = RIGHT,
    imeisv = "3534900698733190", pending = { kind = "attach" } }
  for name, value in pairs(changes or {}) do phone[name] = value ~= "absent" and value or nil end
  phones.by_imsi[rig.IMSI] = phone
  return phone
end

local function pending_of(request, is_restarted)
  return { kind = "rau", request = request, is_restarted = is_restarted }
end

describe("an update is the phone's by its own means:", function()
  local CLEAR <const>, NEW <const> = { key = "absent", algorithm = 0 }, { authenticate = "new" }
  local NEW_3 <const> = { authenticate = "new", ciphering = { 3 } }

  for _, row in ipairs({
    { "its signature", true, {}, {}, { signature = RIGHT } },
    { "the signature before its last one, while that may not have come", true, { signature_left = LEFT }, {},
      { signature = LEFT } },
    { "no other signature", false, {}, {}, { signature = WRONG } },
    { "not if its LLC begins again with the same key", false, {}, {}, { signature = RIGHT }, is_restarted = true },
    { "its LLC begins again, in clear", true, CLEAR, NEW, {}, is_restarted = true },
    { "not if its algorithm is listed no more", false, {}, { ciphering = { 4, 0 } }, { signature = RIGHT } },
    { "not in clear, if that is listed no more", false, CLEAR, NEW_3, {} },
    -- What a request in progress has claimed, which began when the phone could not stay, is no algorithm without a key.
    { "not in clear, if an algorithm of the list is claimed", false, { key = "absent", algorithm = 3 }, NEW_3, {} },
    { 'the number of its key, with "new"', true, {}, NEW, { cksn = 2 } },
    { 'another number of a key, with "new"', false, {}, NEW, { cksn = 3 } },
    { 'the number of its key beside a wrong signature, with "new"', false, {}, NEW, { cksn = 2, signature = WRONG } },
    { 'the number of its key, with "always"', false, {}, {}, { cksn = 2 } },
    { "its signature, without an HLR", true, {}, {}, { signature = RIGHT }, has_hlr = false },
    { 'in clear, with "new"', true, CLEAR, NEW, {} },
    { 'in clear, with "always"', false, CLEAR, {}, { signature = RIGHT } },
    { 'in clear and of a time without an HLR, with "new"', false,
      { key = "absent", algorithm = 0, located_at = "absent" }, NEW, {} },
  }) do
    it(row[1], function()
      local phone = phone_of(row[3], row[4], row.has_hlr)
      assert.equal(row[2], claims.is_signed(phone, pending_of(row[5], row.is_restarted)) or false)
    end)
  end

  it("after three wrong signatures none is right, also if the requests come to nothing", function()
    local phone = phone_of({ signature_left = LEFT })
    for i = 1, 3 do
      assert.is_true(claims.is_signed(phone, pending_of({ signature = i & 1 == 1 and RIGHT or LEFT })))
      claims.begin(phone)
      assert.is_false(claims.is_signed(phone, pending_of({})) or false) -- tries none
      assert.is_false(claims.is_signed(phone, pending_of({ signature = WRONG })))
      claims.undo(phone)
    end
    for _, signature in ipairs({ RIGHT, LEFT }) do
      assert.is_false(claims.is_signed(phone, pending_of({ signature = signature })), signature)
    end
  end)
end)

describe("an attach is that of the registered phone with its IMSI:", function()
  local NEW <const>, CLEAR <const> = { authenticate = "new" }, { key = "absent", algorithm = 0 }

  -- claim: another record, which claims the IMSI of the first one; nil: the first one attaches itself.
  for _, row in ipairs({
    { "in clear", true, CLEAR },
    { "in clear, under another TLLI", true, CLEAR, { key = "absent", algorithm = 0 } },
    { 'in clear, with "always"', false, CLEAR, settings = {} },
    { "an update", false, { key = "absent", algorithm = 0, pending = { kind = "rau" } } },
    { "of a time without an HLR", false, { key = "absent", algorithm = 0, located_at = "absent" } },
    { "that is ciphered, under another TLLI", false, {}, { key = "absent", algorithm = 0 } },
    { "in clear, under the TLLI of a ciphered one", false, CLEAR, { key = KEY, algorithm = 0 } },
    { "that is to be ciphered", false, CLEAR, { key = "absent", algorithm = 3 } },
    { "of one that is not registered", false, { key = "absent", algorithm = 0, was_registered = false } },
  }) do
    it(row[1], function()
      local phone = phone_of(row[3], row.settings or NEW)
      local claim = phone
      if row[4] then
        claim = phone_of(row[4], NEW)
        claim.phones = phone.phones
      end
      assert.equal(row[2], claims.is_known(claim) or false)
    end)
  end
end)

describe("a request that was not the phone's", function()
  local BEFORE <const> = { cksn = 2, signature = RIGHT, algorithm = 3, capability = GEA_3, is_r99 = true,
    imeisv = "3534900698733190" }
  local CLAIM <const> = { cksn = 3, signature = WRONG, algorithm = 1, capability = NONE, is_r99 = false,
    imeisv = "3534900698733191" }

  local function fields_of(phone)
    local out = {}
    for name in pairs(BEFORE) do out[name] = phone[name] end
    return out
  end

  local function claim(phone, is_authentic)
    claims.begin(phone)
    phone.pending = { kind = "attach", is_authentic = is_authentic }
    for name, value in pairs(CLAIM) do phone[name] = value end
  end

  it("leaves nothing of what it has claimed", function()
    local phone = phone_of()
    claim(phone)
    claims.undo(phone)
    assert.same({ BEFORE }, { fields_of(phone), phone.former })
  end)

  it("leaves nothing when another one begins", function()
    local phone = phone_of()
    claim(phone)
    claims.begin(phone)
    assert.same(BEFORE, fields_of(phone))
  end)

  it("is not one that was authenticated: what that has said stays when another one begins", function()
    local phone = phone_of()
    claim(phone, true)
    claims.begin(phone)
    assert.same(CLAIM, fields_of(phone))
  end)

  it("leaves a record of before", function()
    local phone, kept = phone_of(), {}
    claim(phone)
    claims.fill_in(phone, kept)
    assert.same({ BEFORE, CLAIM }, { kept, fields_of(phone) })
  end)

  for _, row in ipairs({
    { "the phone's algorithm is listed, which it tells no more", true, { capability = NONE }, { ciphering = { 3 } } },
    { "its algorithm is listed no more, and it has another one", true, {}, { ciphering = { 2 } } },
    { "clear is listed no more, and it has an algorithm", true, { key = "absent", algorithm = 0 },
      { ciphering = { 3 } } },
    { "it is in clear, which is listed", true, { key = "absent", algorithm = 3, capability = NONE },
      { ciphering = { 0 } } },
    { "it has none of the list", false, { capability = NONE }, { ciphering = { 2 } } },
    { "it has GEA/4 alone, for which there is no key", false, { capability = "\4\x10", is_r99 = false },
      { ciphering = { 4 } } },
    { "an algorithm is listed that is claimed, without a key", false,
      { key = "absent", algorithm = 3, capability = NONE }, { ciphering = { 3 } } },
    { "there is no HLR", false, {}, {}, false },
    { "it is not registered", false, { was_registered = false }, {} },
  }) do
    it((row[2] and "leaves the phone: " or "ends the phone: ") .. row[1], function()
      local phone = phone_of(row[3], row[4], row[5])
      claims.begin(phone)
      assert.equal(row[2], phone.former ~= nil)
    end)
  end
end)

it("a list has clear for a phone without an algorithm", function()
  assert.is_true(gea.has({ 3, 0 }, nil))
  assert.is_false(gea.has({ 3 }, nil))
  assert.is_false(gea.has({ 0 }, 3))
end)

describe("at a node", function()
  teardown(function() records.is_on = false end)

  -- update_location = "always" is about attaches: the HLR knows where a phone is that updates.
  it("an update tells the HLR nothing that it knows", function()
    for _, value in ipairs({ "new", "always" }) do
      local door = rig.doors.update({ free = { update_location = value } })
      assert.same({ 1, 1, 1 }, { door.w.hlr.asked.update_location_request, door:count("rau_complete"),
        door:count("authenticated") })
    end
  end)

  -- Its key is for one algorithm, which the next SGSN is told; there is no HLR to agree on another one.
  it("a ciphered phone keeps its algorithm when a reload has taken the HLR away", function()
    local door = rig.doors.update({ free = { ciphering = { 3 } },
      set = { policy = "accept_all", ciphering = { 1, 3 } } })
    local phone = door:mobile()
    assert.same({ 1, "registered", 3 }, { door:count("rau_complete"), phone.fsm.state, phone.algorithm })
  end)

  -- It may not know yet that the phone has gone.
  it("an SMS to the SGSN that the phone has left is not taken", function()
    local was_sent = false
    rig.doors.from_sgsn({ before = function(door)
      door.w:later(2 * S, function()
        local p, before = door.other.p, door.other.p.counts.sms_too_early or 0
        local phone = p:list()[1]
        assert.equal("forwarding", phone.state)
        p:frame(phone.mobile, { tlli = tonumber(phone.tlli, 16), nsei = phone.nsei, bvci = phone.bvci }, false,
          "\9\1\1\0", door.w.now)
        assert.equal(before + 1, p.counts.sms_too_early)
        was_sent = true
      end)
    end })
    assert.is_true(was_sent)
  end)
end)
