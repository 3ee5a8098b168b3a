-- SPDX-License-Identifier: BSD-3-Clause
-- What requests tell a GGSN of the mobile (29.060 §7.3.1, §7.3.3): the elements by their types, in the order in which
-- they are sent.
local gn = require "gn_sessions_rig"

local rig, wanted = gn.rig, gn.wanted

local S <const>, OURS <const>, GGSN <const> = gn.S, gn.OURS, gn.GGSN
local CELL <const>, OTHER_CELL <const> = "\x62\xf2\x24\x12\x34\x05\x12\x35", "\x62\xf2\x24\x12\x36\x05\x00\x07"
local RAI <const> = "62f224fffeff" -- its LAC and RAC are fixed (§7.3.1)
local FIXED <const> = { [1] = 1, [2] = 8, [3] = 6, [14] = 1, [15] = 1, [16] = 4, [17] = 4, [19] = 1, [20] = 1,
  [26] = 2 }

local function hex(octets)
  return (octets:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

-- { { type, value in hex } ... } of a message.
local function elements_of(octets)
  local out, at = {}, 13
  while at <= #octets do
    local kind = octets:byte(at)
    local first, count = at + 1, FIXED[kind]
    if not count then first, count = at + 3, string.unpack(">I2", octets, at + 1) end
    out[#out + 1] = { kind, hex(octets:sub(first, first + count - 1)) }
    at = first + count
  end
  return out
end

local function types_of(elements)
  local types = {}
  for i, element in ipairs(elements) do types[i] = element[1] end
  return types
end

local function value_of(elements, kind)
  for _, element in ipairs(elements) do
    if element[1] == kind then return element[2] end
  end
end

-- The elements of the message that intents send.
local function sent(intents)
  for _, intent in ipairs(intents) do
    if intent.op == "gn_send" then return elements_of(intent.octets) end
  end
end

local function new(changes)
  local r = rig()
  for key, value in next, changes or {} do r.node[key] = value end
  r.node.charging = r.node.charging or "normal"
  return r
end

local FULL <const> = { msisdn = "491701234567", imeisv = "3512345678901231", cell = CELL, zone = 8 * 4 + 1,
  pco = "\x80\0" }

describe("a Create PDP Context Request", function()
  it("has all that a strict GGSN demands, in the order of the types", function()
    local elements = sent(new().node:add(7, wanted(FULL), {}, 0))
    assert.same({ 2, 3, 14, 15, 16, 17, 20, 26, 128, 131, 132, 133, 133, 134, 135, 151, 152, 153, 154 },
      types_of(elements))
    local values = {}
    for _, kind in ipairs({ 3, 26, 134, 151, 152, 153, 154 }) do values[kind] = value_of(elements, kind) end
    assert.same({ [3] = RAI, [26] = "0800", [134] = "91947110325476", [151] = "02",
      [152] = "0062f22412341235", [153] = "8001", [154] = "5321436587092113" }, values)
  end)

  it("has the IMSI in place of an MSISDN that is not known, and nothing that is not known besides", function()
    local elements = sent(new().node:add(7, wanted(), {}, 0))
    assert.same({ 2, 14, 15, 16, 17, 20, 26, 128, 131, 133, 133, 134, 135, 151 }, types_of(elements))
    assert.equal("91" .. "62420200000000f1", value_of(elements, 134))
  end)

  it("has the configured time zone and charging characteristics", function()
    for name, value in next, { normal = "0800", prepaid = "0400", flat_rate = "0200", hot_billing = "0100" } do
      local elements = sent(new({ charging = name, zone = -20 * 4 }).node:add(7, wanted(FULL), {}, 0))
      assert.same({ value, "0a00" }, { value_of(elements, 26), value_of(elements, 153) })
    end
  end)

  it("has those of the latest configuration", function()
    local node = new({ charging = "normal" }).node
    node:configure({ retry = 1, charging = "hot_billing", time_zone = "+01:00" }, nil, 0)
    local elements = sent(node:add(7, wanted(FULL), {}, 0))
    assert.same({ "0100", "4000" }, { value_of(elements, 26), value_of(elements, 153) })
  end)

  it("has the charging characteristics that the HLR gave", function()
    local given = wanted(FULL)
    given.charging = 0x0100
    assert.equal("0100", value_of(sent(new().node:add(7, given, {}, 0)), 26))
  end)

  it("has the selection mode of the choice, and 0 of a context that the configuration subscribes", function()
    for selection, value in pairs({ [0] = "fc", [1] = "fd", [2] = "fe", none = "fc" }) do
      local given = wanted(FULL)
      given.selection = math.type(selection) and selection
      assert.equal(value, value_of(sent(new().node:add(7, given, {}, 0)), 15))
    end
  end)

  it("has the subscribed quality of service and priority, and so has an Update", function()
    local r = new()
    r.add(7, { class = "thp1", subscribed = "\x23\x43\x1f", arp = 3 })
    local created = r.last()
    r.accept()
    r.words(r.node:change(7, "thp2", nil, nil, 0))
    assert.same({ "create_request", 3, "\x23\x43\x1f", "thp1" },
      { created.type, created.arp, created.qos:sub(1, 3), created.class })
    assert.same({ "update_request", 3, "\x23\x43\x1f", "thp2" },
      { r.last().type, r.last().arp, r.last().qos:sub(1, 3), r.last().class })
  end)

  it("asks for both addresses of IPv4v6 by the Dual Address Bearer Flag, of other types for none (7.7.48)", function()
    for pdp_type, flags in pairs({ ipv4v6 = "80", ipv4 = "none", ipv6 = "none", non_ip = "none" }) do
      local given = wanted(FULL)
      given.pdp_type = pdp_type
      assert.equal(flags, value_of(sent(new().node:add(7, given, {}, 0)), 148) or "none", pdp_type)
    end
  end)

  it("of a secondary context has what is not its primary one's", function()
    local r = new()
    r.add(7, FULL)
    r.accept()
    local elements = sent(r.node:add(8, wanted({ nsapi = 6, linked = 7, cell = CELL, zone = 4,
      tft = "\x21\1\5\3\x50\0\x50", imeisv = FULL.imeisv, msisdn = FULL.msisdn }), {}, 0))
    assert.same({ 3, 14, 16, 17, 20, 20, 133, 133, 135, 137, 151, 152, 153 }, types_of(elements))
    local other = sent(r.node:add(9, wanted({ nsapi = 7, linked = 7, class = "background" }), {}, 0))
    assert.not_equal(value_of(elements, 135), value_of(other, 135))
  end)
end)

describe("a context that is up", function()
  -- The intent "up" of one that the GGSN accepts with these elements, and the node.
  local function up(more, fields)
    local r, found = new(), nil
    local receive = r.node.receive
    local decode = r.node.wire.decode
    r.node.wire = setmetatable({ decode = function(octets)
      local message, err, head = decode(octets)
      if message then message.charging_id = 99 end -- which the codec only reads
      return message, err, head
    end }, { __index = r.node.wire })
    function r.node.receive(...)
      local intents = receive(...)
      for _, intent in ipairs(intents) do found = intent.op == "up" and intent or found end
      return intents
    end
    r.add(7, more)
    r.accept(fields)
    return found, r
  end

  it("tells what phones and charging records need", function()
    local more = { ipv6 = "2001:db8::5", pdp_type = "ipv4v6" }
    for key, value in next, FULL do more[key] = value end
    local found = up(more, { pdp_type = "ipv4v6", pco = "\x80\1" })
    assert.same({ "internet", "491701234567", FULL.imeisv, "\x80\1", 99, "10.45.0.7", "2001:db8::5", 0x201 },
      { found.apn, found.msisdn, found.imeisv, found.pco, found.charging_id, found.ipv4, found.ipv6, found.ggsn_teid })
    assert.is_nil(up({ msisdn = nil }).msisdn)
  end)

  it("has no address of a version that the GGSN did not give", function()
    local found = up({ pdp_type = "ipv4v6", ipv4 = "10.45.0.9" },
      { pdp_type = "ipv6", user_ipv4 = false, user_ipv6 = "2001:db8::7" })
    assert.same({ "2001:db8::7" }, { found.ipv6, found.ipv4 })
  end)

  it("keeps its ends whatever an Update's answer names", function()
    local _, other = up()
    other.words(other.node:change(7, "background", nil, nil, 0))
    for _, word in ipairs(other.answer({ cause = 128, user = "10.0.0.9", teid_data = 0x777, qos = gn.QOS })) do
      assert.is_nil(word:find("^ends"), word)
    end
  end)

  it("of a phone wants the class that it has after a refused change", function()
    local _, other = up({ is_once = true })
    other.words(other.node:change(7, "background", nil, nil, 0))
    other.answer({ cause = 199 })
    assert.equal("thp3", other.node.by_id[7].wanted.class)
  end)

  it("asks for both the last class and the last filter that came meanwhile", function()
    local r = new()
    r.add(7)
    r.node:change(7, "thp1", "\x21\1\5\3\x50\0\x50", nil, 0)
    r.node:change(7, "background", nil, nil, 0)
    r.accept()
    assert.equal("\x21\1\5\3\x50\0\x50", r.last().tft)
  end)
end)

describe("an address of zeros", function()
  it("is none", function()
    assert.equal("f121", value_of(sent(new().node:add(7, wanted({ ipv4 = "0.0.0.0" }), {}, 0)), 128))
  end)
end)

describe("an Update PDP Context Request", function()
  it("has the place of the mobile, where it is then", function()
    local r = new()
    r.add(7, FULL)
    r.accept()
    r.node:set_place(7, -20 * 4, OTHER_CELL)
    local elements = sent(r.node:change(7, "background", nil, nil, 0))
    assert.same({ 3, 16, 17, 20, 133, 133, 135, 151, 152, 153, 154 }, types_of(elements))
    assert.same({ RAI, "0062f22412360007", "0a00" }, { value_of(elements, 3), value_of(elements, 152),
      value_of(elements, 153) })
  end)

  it("after an Error Indication has the same, and the IMSI", function()
    local r = new()
    r.add(7, FULL)
    r.accept()
    assert.same({ 2, 3, 16, 17, 20, 133, 133, 135, 151, 152, 153, 154 }, types_of(sent(r.node:check(7, 0))))
  end)
end)

describe("the time zone of the configuration", function()
  local gn_sessions = require "gn.sessions"

  it("is in quarters of an hour", function()
    for text, zone in next, { ["+00:00"] = 0, ["+01:00"] = 16, ["-05:00"] = -80, ["+05:45"] = 92, ["-00:15"] = -4 } do
      local node = gn_sessions.new({ gn = { path = { t3 = S, n3 = 3, on_loss = "keep" }, gtpc = { retry = S,
        time_zone = text, charging = "normal" }, ggsns = { { address = GGSN, user_networks = {} } },
        addresses = { OURS } } }, gn.wire, 0, function() return 1 end, function() return true end)
      assert.equal(zone, node.zone, text)
    end
  end)
end)
