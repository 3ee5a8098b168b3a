-- SPDX-License-Identifier: BSD-3-Clause
-- GGSNs' answers that are refused here (docs/gtpc.md), checks after an Error Indication, and causes of a Delete.
local gb_abqp = require "gb.abqp"
local gn = require "gn_sessions_rig"

local OURS <const>, GGSN <const>, WAY <const> = gn.OURS, gn.GGSN, gn.WAY
local QOS <const> = gn.QOS
local rig, wire = gn.rig, gn.wire

describe("a context over GTP-C", function()
  -- An accepting answer, what of it differs, why it cannot be used (29.060 §7.3.2), and whether the GGSN can be told.
  local EUA <const> = "accepts with an End User Address "
  local GIVEN <const> = "accepts with End User Address "
  local UNFIT <const> = {
    { {}, { teid_data = false }, "accepts without Tunnel Endpoint Identifier Data I", true },
    { {}, { teid_data = false, control = "10.9.0.4" }, "accepts without Tunnel Endpoint Identifier Data I", true },
    { {}, { teid_control = false }, "accepts without Tunnel Endpoint Identifier Control Plane", false },
    { {}, { user = false }, "accepts without GGSN Address for user traffic", true },
    { {}, { pdp_type = false, user_ipv4 = false }, "accepts without End User Address", true },
    { {}, { is_cut = true }, "accepts, and an element is missing or wrong", true },
    { {}, { user_ipv4 = false }, EUA .. "that has no address", true },
    { {}, { user_ipv4 = "0.0.0.0" }, EUA .. "that has no address", true },
    { {}, { pdp_type = "ipv6", user_ipv4 = false, user_ipv6 = "2001:db8::7" }, EUA .. "of type ipv6 instead of ipv4",
      true },
    { {}, { kind = "\xf0\1", user_ipv4 = false }, EUA .. "of type f001 instead of ipv4", true },
    { { pdp_type = "non_ip" }, { kind = "\xf1\x99" }, EUA .. "of type f199 instead of non_ip", true },
    { {}, { pdp_type = "ipv4v6" }, EUA .. "of type ipv4v6 instead of ipv4", true },
    { { pdp_type = "ipv6" }, {}, EUA .. "of type ipv4 instead of ipv6", true },
    { { pdp_type = "ipv6" }, { pdp_type = "ipv6", user_ipv4 = false }, EUA .. "that has no address", true },
    { { pdp_type = "ipv4v6" }, { pdp_type = "ipv4v6", user_ipv4 = false }, EUA .. "that has no address", true },
    { { pdp_type = "ipv4v6", ipv4 = "10.45.0.9" }, { pdp_type = "ipv6", user_ipv4 = false },
      EUA .. "that has no address", true },
    { { pdp_type = "ipv4v6", ipv6 = "2001:db8::9" }, { pdp_type = "ipv4", user_ipv4 = false },
      EUA .. "that has no address", true },
    { { pdp_type = "ipv4v6" }, { pdp_type = "non_ip", user_ipv4 = false }, EUA .. "of type non_ip instead of ipv4v6",
      true },
    { { pdp_type = "non_ip" }, {}, EUA .. "of type ipv4 instead of non_ip", true },
    { {}, { user = "10.9.0.3" }, "names 10.9.0.3 for user packets, which is not in its user_networks; to allow it: "
      .. 'gn.ggsns = { { address = "10.0.0.2", user_networks = { "10.9.0.3/32" } } }', true },
    { {}, { user = "2001:db9::3" }, "names 2001:db9::3 for user packets, which is not in its user_networks; to allow "
      .. 'it: gn.ggsns = { { address = "10.0.0.2", user_networks = { "2001:db9::3/128" } } }', true },
    { {}, { user = OURS }, "names 10.0.0.1 for user packets, which is an address of this node", true },
    { {}, { user = "224.0.0.1" }, "names 224.0.0.1 for user packets, which is no address of a host", true },
    { {}, { user_ipv4 = "224.0.0.1" }, GIVEN .. "224.0.0.1, which is no address of a host", true },
    { {}, { user_ipv4 = "127.0.0.1" }, GIVEN .. "127.0.0.1, which is no address of a host", true },
    { {}, { user_ipv4 = OURS }, GIVEN .. "10.0.0.1, which is an address of this node", true },
    { { pdp_type = "ipv6" }, { pdp_type = "ipv6", user_ipv4 = false, user_ipv6 = "ff02::1" },
      GIVEN .. "ff02::1, which is no address of a host", true },
    { {}, { control = "10.9.0.4" }, "names 10.9.0.4 for GTP-C, which is not in its user_networks; to allow it: "
      .. 'gn.ggsns = { { address = "10.0.0.2", user_networks = { "10.9.0.4/32" } } }', true },
  }

  local function refused_here(why, is_told)
    return ("warning: 262420000000001/5: refused here: GGSN 10.0.0.2 %s; the context %s there"):format(why,
      is_told and "is deleted" or "stays")
  end

  for _, row in ipairs(UNFIT) do
    it("whose GGSN " .. row[3] .. " is deleted there at once, and asked for again", function()
      local r = rig({ needs_address = true })
      r.add(7, row[1])
      local words = { refused_here(row[3], row[4]) }
      if row[4] then words[2] = "delete_request 2" end
      assert.same(words, r.accept(row[2]))
      if row[4] then
        local sent = r.last()
        assert.same({ GGSN, 0x202, 5, true }, { sent.way.theirs, sent.teid, sent.nsapi, sent.teardown })
        assert.same({}, r.answer({ cause = 128, teid = 1 }))
      end
      assert.same({ "resting", "refused here" }, { r.node:list()[1].state, r.node:list()[1].cause })
      assert.equal(row[3]:find("^names") and 1 or 0, r.node.counts.foreign_addresses)
      assert.equal(1, #r.wait(7))
      assert.equal("create_request", r.last().type)
    end)

    it("of a phone whose GGSN " .. row[3] .. " ends with no cause of the GGSN", function()
      local r = rig({ needs_address = true })
      r.add(7, row[1])
      r.node.by_id[7].wanted.is_once = true
      local words = r.accept(row[2])
      assert.equal("ended 7 0", words[1])
      assert.equal(row[4] and 3 or 2, #words)
      assert.equal(row[4] and "deleting" or "gone", r.state(7) or "gone")
      r.wait(100)
      assert.is_nil(r.state(7))
      assert.equal(0, r.node:peer(GGSN).users)
    end)
  end

  it("comes up with one address of two, and with a static address that does not come back", function()
    local rows = {
      { { pdp_type = "ipv4v6" }, { pdp_type = "ipv4", cause = 129 } },
      { { pdp_type = "ipv4v6" }, { pdp_type = "ipv4v6" } },
      { { pdp_type = "ipv4v6" }, { pdp_type = "ipv6", user_ipv4 = false, user_ipv6 = "2001:db8::7", cause = 130 } },
      { { ipv4 = "10.45.0.9" }, { pdp_type = false, user_ipv4 = false }, "10.45.0.9" },
      { { ipv4 = "10.45.0.9" }, { user_ipv4 = false }, "10.45.0.9" },
      { { pdp_type = "ipv6" }, { pdp_type = "ipv6", user_ipv4 = false, user_ipv6 = "fe80::7" } },
      { { pdp_type = "non_ip" }, { pdp_type = false, user_ipv4 = false } },
      { { pdp_type = "non_ip" }, { pdp_type = "non_ip", user_ipv4 = false } },
    }
    for i, row in ipairs(rows) do
      local r = rig({ needs_address = true })
      r.add(7, row[1])
      r.accept(row[2])
      assert.equal("active", r.state(7), i)
      if row[3] then assert.equal(row[3], r.node.by_id[7].ipv4, i) end
    end
  end)

  it("of a phone has at most the class that was asked for", function()
    for is_once, class in pairs({ [true] = "thp3", [false] = "conversational" }) do
      local r = rig()
      r.add(7, { is_once = is_once, class = "thp3" })
      r.accept({ qos = gb_abqp.of_class("conversational") })
      assert.equal(class, r.node.by_id[7].class)
    end
  end)

  it("of the other version than the static address does not have that", function()
    local rows = {
      { { ipv4 = "10.45.0.9" }, { pdp_type = "ipv6", user_ipv4 = false, user_ipv6 = "2001:db8::7" }, "ipv6" },
      { { ipv6 = "2001:db8::9" }, { pdp_type = "ipv4" }, "ipv4" },
    }
    for _, row in ipairs(rows) do
      local r = rig({ needs_address = true })
      row[1].pdp_type = "ipv4v6"
      r.add(7, row[1])
      r.accept(row[2])
      local session = r.node.by_id[7]
      assert.same({ "active", [row[3]] = row[2]["user_" .. row[3]] or "10.45.0.7" },
        { r.state(7), ipv4 = session.ipv4, ipv6 = session.ipv6 })
    end
  end)

  it("without an address comes up with a warning, and packets of any address pass", function()
    for _, row in ipairs({ { { pdp_type = false, user_ipv4 = false }, "out End User Address" },
      { { user_ipv4 = false }, " an End User Address that has no address" },
      { { user_ipv4 = "0.0.0.0" }, " an End User Address that has no address" },
      { { pdp_type = "ipv6", user_ipv4 = false, user_ipv6 = "::" }, " an End User Address that has no address" } }) do
      local r = rig()
      r.add(7, { pdp_type = row[1].pdp_type or nil })
      assert.same({ "info: 262420000000001/5: up, without address, GGSN 10.0.0.3",
        "warning: 262420000000001/5: GGSN 10.0.0.2 accepts with" .. row[2] .. ": packets from and to any address pass; "
          .. "gn.gtpc.needs_address refuses such contexts",
        "info: 262420000000001/5: the GGSN grants thp3 instead of thp1", "up 7 10.0.0.3 thp3" }, r.accept(row[1]))
      assert.equal("active", r.state(7))
    end
  end)

  it("that cannot be used is deleted there also when it is not wanted any more", function()
    for _, is_once in ipairs({ false, true }) do
      local r = rig({ needs_address = true })
      r.add(7, { is_once = is_once })
      r.node:del(7, 0)
      assert.same({ refused_here("accepts without End User Address", true), "delete_request 2" },
        r.accept({ pdp_type = false, user_ipv4 = false }))
      assert.same({}, r.answer({ cause = 128, teid = 1 }))
      assert.is_nil(r.state(7))
    end
  end)

  it("that cannot be used is asked for again when its GGSN does not answer the Delete", function()
    local r = rig({ needs_address = true })
    r.add(7)
    r.accept({ pdp_type = false, user_ipv4 = false })
    r.wait(14)
    assert.same({ "withdrawing", "delete_request" }, { r.state(7), r.last().type })
    r.wait(15 + 7)
    assert.same({ "creating", "create_request" }, { r.state(7), r.last().type })
  end)

  -- The answer to a check, and what becomes of the context of a phone: nothing that the phone would be told.
  local CHECKS <const> = {
    { "its class again", { cause = 128, arp = 2, qos = QOS }, {} },
    { "another class", { cause = 128, arp = 2, qos = "\x23\x93\x1f\x91\x96\xfe\xfe\x74\x03\0\0" },
      { "class 7 background" } },
    { "nothing", nil, {} },
  }

  for _, row in ipairs(CHECKS) do
    it("of which an Error Indication comes, and whose GGSN answers " .. row[1], function()
      local r, classes = rig(), {}
      r.add(7, { is_once = true })
      r.accept()
      r.words(r.node:check(7, 0))
      for _, word in ipairs(row[2] and r.answer(row[2]) or r.wait(100)) do
        if not word:find("warning:") and not word:find("info:") and not word:find("update_request") then
          classes[#classes + 1] = word
        end
      end
      assert.same(row[3], classes)
      assert.equal("active", r.state(7))
    end)
  end

  it("that is checked is changed afterwards, if a change comes meanwhile", function()
    local TEMPLATE <const> = "\x21\1\5\3\x50\0\x50"
    for _, answer in ipairs({ { cause = 128, arp = 2, qos = QOS }, false }) do
      local r = rig({ needs_address = true })
      r.add(7, { is_once = true })
      r.accept()
      r.words(r.node:check(7, 0))
      r.words(r.node:change(7, "thp3", TEMPLATE, nil, 0)) -- the class is the same
      local words = answer and r.answer(answer) or r.wait(15)
      assert.truthy(words[#words]:find("update_request %d+$"))
      assert.same({ TEMPLATE, "thp3" }, { r.last().tft, r.last().class })
      assert.same({ "class 7 thp3" }, r.answer({ cause = 128, arp = 2, qos = QOS }, 15))
    end
  end)
end)

describe("a GGSN", function()
  -- The cause of its Delete (29.060 §7.7.1), and that of "ended" for a phone's context: -2 for good, -1 lost.
  it("says by the cause of its Delete whether the context may come back", function()
    for _, row in ipairs({ { nil, -2 }, { 6, -1 }, { 7, -2 }, { 8, -1 }, { 9, -2 }, { 204, -2 } }) do
      for _, teardown in ipairs({ true, false }) do
        local r, cause = rig(), nil
        r.add(7, { is_once = true })
        r.accept()
        local request = { type = "delete_request", seq = 77, teid = 1, nsapi = 5, teardown = teardown, cause = row[1] }
        for _, intent in ipairs(r.node:receive(WAY, wire.encode(request), 0)) do
          if intent.op == "ended" then cause = intent.cause end
        end
        assert.equal(row[2], cause, row[1])
      end
    end
  end)
end)
