-- SPDX-License-Identifier: BSD-3-Clause
-- Each rule at each door: doors_rows.lua, in the worlds of doors_rig.lua.
local abqp = require "gb.abqp"
local records = require "base.records"
local rig = require "doors_rig"
local rows = require "doors_rows"
local schema = require "node.schema_phones"
local wire = require "wire.phone"

local S <const> = 1000000000

local function merged(settings, more)
  local out = {}
  for _, list in ipairs({ settings, more or {} }) do
    for key, value in pairs(list) do out[key] = value end
  end
  return out
end

-- What a cell may say besides counters.
local VIEWS <const> = {
  here = function(door)
    local phone = door:mobile()
    return phone ~= nil and phone.fsm.state == "registered"
  end,
  gea = function(door)
    local phone = door:mobile()
    return phone and phone.key and phone.algorithm or 0
  end,
  class = function(door) return door:context() and door:context().class or "none" end,
  second = function(door)
    local context = door:mobile().contexts[6]
    return context and context.class or "none"
  end,
  best = function(door) return door:context().apn.best or door:context().apn.class end,
  at_ggsn = function(door) return door:at_ggsn() end,
  other_has = function(door)
    local phone = door.other.p.by_imsi[rig.IMSI]
    return phone ~= nil and not phone.has_left
  end,
  mme = function(door) return door.told_mme end,
}

local function assert_cell(cell, door)
  local expected, seen = {}, {}
  for name, value in pairs(cell) do
    if name == "counted" then
      assert.is_true(door:count(value) > 0, value)
    elseif name ~= "settings" then
      expected[name], seen[name] = value, VIEWS[name] and VIEWS[name](door) or not VIEWS[name] and door:count(name)
    end
  end
  assert.same(expected, seen)
end

-- What the phone does after the door, to show a rule of contexts.
local function go_on(door)
  if door.settings.activates then
    door.w:order(1, "activate")
  elseif door.settings.modifies then
    rig.say(door, { message = "modify_request", ti = 0, ti_flag = 0, qos = abqp.of_class("thp1") })
  end
  door.w:run(5 * S)
end

describe("a rule at a door:", function()
  teardown(function() records.is_on = false end)

  for _, rule in ipairs(rows.rules) do
    for _, door in ipairs(rows.doors) do
      local cell = rule.at[door]
      if type(cell) == "table" then
        it(rule.name .. " / " .. door, function()
          local through = rig.doors[door](merged(rule.settings, cell.settings))
          go_on(through)
          assert_cell(cell, through)
        end)
      end
    end
  end

  -- What no rule is against passes: the refusals above are the rules'.
  for _, door in ipairs(rows.doors) do
    it("none / " .. door, function()
      local through = rig.doors[door]({})
      assert_cell({ here = true, gea = 0 }, through)
      assert_cell(door == "secondary" and { second = "background" } or { at_ggsn = 1 }, through)
    end)
  end
end)

-- What another SGSN, or an MME, says of ciphers and capabilities, of a phone whose update may say nothing of them.
describe("a phone that comes from elsewhere", function()
  local function is_silent(door) door.w.handsets.settings.capability = nil end
  local function tells(changes)
    return function(message)
      for key, value in pairs(changes) do message.mm[key] = value end
    end
  end

  -- GTP-C lets another SGSN leave them out.
  local function says_nothing(door)
    local node = door.node
    local take = node.phone_sgsn
    is_silent(door)
    function node:phone_sgsn(intent)
      local event = records.unpack(intent.octets)
      if event.message and event.message.mm then event.message.mm.capability = "" end
      take(self, { octets = records.pack(event) })
    end
  end
  local NEW <const>, ONLY_3 <const> = { ciphering = { 0 }, authenticate = "new" }, { ciphering = { 3 } }

  for _, row in ipairs({
    { "was ciphered by an algorithm that is not listed: it gets one of the list", lied = tells({ cipher = 1 }),
      set = ONLY_3, cell = { authenticated = 1, gea = 3, here = true } },
    { "was ciphered, and is in clear here: it is authenticated all the same", lied = tells({ cipher = 1, mode = 1,
      kc = "12345678", triplets = {} }),
      set = { ciphering = { 0 } }, cell = { authenticated = 1, gea = 0, here = true } },
    { "is in clear where it may be: its signature is enough", set = {}, cell = { authenticated = 0, here = true } },
    { "is in clear, and has no signature: it is authenticated", set = {}, is_unsigned = true,
      before = function(door) door.phone.signature = nil end, cell = { authenticated = 1, here = true } },
    { "has only told there what it is capable of", before = is_silent, set = ONLY_3,
      cell = { authenticated = 1, gea = 3, here = true } },
    { "has told there that it has no algorithm of the list", before = is_silent, set = ONLY_3,
      lied = tells({ capability = "\1\0" }), cell = { rau_reject_111 = 1, here = false, at_ggsn = 1 } },
    { "has told nowhere what it is capable of", before = says_nothing, set = ONLY_3,
      cell = { rau_reject_111 = 1, here = false, at_ggsn = 1 } },
    { "cannot be authenticated, as the HLR is silent", set = ONLY_3, hlr = { is_away = true },
      cell = { rau_reject_17 = 1, here = false, at_ggsn = 1 } },
  }) do
    for _, door in ipairs({ "from_sgsn", "from_mme" }) do
      it(row[1] .. " / " .. door, function()
        assert_cell(row.cell, rig.doors[door](merged({ free = NEW }, row)))
      end)
    end
  end

  it("and is authenticated before its capabilities are told gets the algorithm that they allow", function()
    local door = rig.doors.from_sgsn({ set = { ciphering = { 3, 0 } }, before = function(door)
      is_silent(door)
      door.phone.signature = "\0\0\0"
    end })
    assert_cell({ sgsn_refused_206 = 1, authenticated = 2, gea = 3, here = true }, door)
  end)
end)

describe("a phone that another SGSN has keeps its context there when the one that it left", function()
  local function message_of_phone(door)
    rig.say(door, { message = "deactivate_request", ti = 0, ti_flag = 0, cause = 36 })
  end

  for _, row in ipairs({
    -- It may not know yet that the phone has gone.
    { "hears from the HLR that its APN is not allowed", function(door)
      door.w.hlr.apns = { "other" }
      door.w.hlr:insert(door.node)
    end, "gsup_insert_data_request" },
    { "hears from the phone, or from another in its name, that it ends", message_of_phone, "sm_too_early" },
    { "is told by the operator to end it", function(door)
      local order = { verb = "deactivate", imsi = rig.IMSI }
      assert.truthy(door.node.p:plan(order).refusal:find("it has gone to SGSN", 1, true))
    end },
  }) do
    it(row[1], function()
      local through = rig.doors.from_sgsn({ before = function(door)
        door.w:later(2 * S, function()
          assert.equal("forwarding", door.other.p:list()[1].state)
          local left = setmetatable({ node = door.other }, { __index = door })
          local before = left.node.p.counts[row[3]] or 0
          row[2](left)
          if row[3] then assert.equal(before + 1, left.node.p.counts[row[3]]) end
        end)
      end })
      assert_cell({ class = "background", at_ggsn = 1, here = true }, through)
    end)
  end
end)

describe("a registered phone", function()
  local CIPHERED <const> = { free = { ciphering = { 3, 0 } } }

  -- Its algorithm is told to the next SGSN, which is to authenticate a ciphered phone.
  it("keeps its algorithm when an attach with its TLLI has claimed none", function()
    local door = rig.doors.reload(CIPHERED)
    local w, handset = door.w, door.phone
    local key = w.keys[1]
    w.keys[1], w.loses = nil, function() return true end -- what is sent to it is lost meanwhile
    rig.say(door, { message = "attach_request", attach_type = 1, cksn = 7, drx = "\0\0", old_rai = handset.rai,
      identity = wire.identity_octets("imsi", rig.IMSI), ra_capability = w.handsets.settings.ra_capability,
      ms_network_capability = "\1\0" })
    w.keys[1], w.loses = key, nil
    assert_cell({ gea = 0 }, door)
    w:order(1, "update")
    w:run(5 * S)
    assert_cell({ gea = 3, here = true, authenticated = 0 }, door)
  end)

  it("that is ciphered activates nothing in clear", function()
    local door = rig.doors.reload(CIPHERED)
    door.w.keys[1] = nil
    rig.say(door, { message = "activate_request", ti = 1, ti_flag = 0, nsapi = 6, sapi = 3, qos = "\0\0\0",
      pdp_address = "\1\x21" })
    assert_cell({ not_ciphered = 1, second = "none" }, door)
  end)
end)

it("a phone that is not registered activates nothing", function()
  local door = rig.doors.attach({ hlr = { is_away = true }, before = function(door)
    door.w:run(2 * S)
    local mobile = door.node.p.by_mobile[door.node.p:list()[1].mobile]
    assert.equal("fetching", mobile.fsm.state)
    door.mobile = function() return mobile end
    rig.say(door, { message = "activate_request", ti = 0, ti_flag = 0, nsapi = 5, sapi = 3, qos = "\0\0\0",
      pdp_address = "\1\x21" })
    assert_cell({ sm_too_early = 1, class = "none" }, door)
  end })
  assert.equal(0, door:at_ggsn())
end)

describe("the table of rules and doors", function()
  it("has a cell for each", function()
    for _, rule in ipairs(rows.rules) do
      for _, door in ipairs(rows.doors) do
        assert.truthy(rule.at[door], ("%s has nothing at the door %s"):format(rule.name, door))
      end
      for door in pairs(rule.at) do assert.is_function(rig.doors[door], door) end
    end
    for door in pairs(rig.doors) do
      local is_listed = false
      for _, name in ipairs(rows.doors) do is_listed = is_listed or name == door end
      assert.is_true(is_listed, door)
    end
  end)

  -- A new key is a rule, or it is said why not.
  local function assert_keys(fields, key_list, others)
    local known = {}
    for name in pairs(others) do known[name] = true end
    for _, rule in ipairs(rows.rules) do
      for _, name in ipairs(rule[key_list]) do known[name] = true end
    end
    for _, field in ipairs(fields) do
      assert.is_true(known[field.name], ("%s is neither a rule of doors_rows.lua nor none"):format(field.name))
      known[field.name] = nil
    end
    assert.is_nil(next(known))
  end

  it("has each key of phones", function()
    assert_keys(schema.PHONES.fields, "keys", rows.others)
    for _, field in ipairs(schema.PHONES.fields) do
      if field.name == "apns" then assert_keys(field.item.fields, "apn_keys", rows.other_apn_keys) end
    end
  end)
end)
