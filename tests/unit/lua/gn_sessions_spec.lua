-- SPDX-License-Identifier: BSD-3-Clause
-- GTP-C as an SGSN, against the real codec: what is sent, when, and what answers mean.
local gn = require "gn_sessions_rig"

local S <const>, OURS <const>, GGSN <const>, OTHER <const>, WAY <const> = gn.S, gn.OURS, gn.GGSN, gn.OTHER, gn.WAY
local QOS <const> = gn.QOS
local rig, wanted, wire = gn.rig, gn.wanted, gn.wire

local UP <const> = { "info: 262420000000001/5: up, 10.45.0.7, GGSN 10.0.0.3",
  "info: 262420000000001/5: the GGSN grants thp3 instead of thp1", "up 7 10.0.0.3 10.45.0.7 thp3" }

describe("a context over GTP-C", function()
  it("is asked for with all that the GGSN has to know", function()
    local r = rig()
    assert.same({ "create_request 1" }, r.add(7, { msisdn = "491701234567", ipv4 = "10.45.0.9" }))
    local m = r.last()
    assert.same({ ours = OURS, theirs = GGSN, port = 2123 }, m.way)
    for key, value in next, { teid = 0, imsi = "262420000000001", recovery = 0, teid_data = 0x100000, teid_control = 1,
      nsapi = 5, pdp_type = "ipv4", user_ipv4 = "10.45.0.9", control = OURS, user = OURS, arp = 2, class = "thp1" } do
      assert.equal(value, m[key], key)
    end
  end)

  it("draws of all numbers and TEIDs", function()
    local limits = {}
    local function random(limit)
      limits[#limits + 1] = limit
      return 2
    end
    assert.same({ "create_request 1" }, rig({ random = random }).add(7))
    table.sort(limits)
    assert.same({ 65536, 0xffffffff }, limits)
  end)

  it("comes up with what was granted", function()
    local r = rig()
    r.add(7)
    assert.same(UP, r.accept())
    assert.equal("active", r.state(7))
    assert.same({}, r.accept()) -- a second answer
    assert.is_nil(r.node:next_at())
  end)

  it("is asked for again while nobody answers, then rests", function()
    local r = rig()
    r.add(7)
    assert.same({ "5 create_request 1", "10 create_request 1",
      "15 warning: 262420000000001/5: no answer from GGSN 10.0.0.2", "22 create_request 2", "27 create_request 2",
      "32 create_request 2" }, r.wait(36))
    assert.same({ "44 create_request 3" }, r.wait(44)) -- silence is told once
    assert.same(UP, r.accept({}, 45))
  end)

  it("rests when it is refused, and says the same once", function()
    local r = rig()
    r.add(7)
    assert.same({ "warning: 262420000000001/5: the GGSN refuses: cause 199, no resources available" },
      r.answer({ cause = 199 }))
    assert.same({ "7 create_request 2" }, r.wait(7))
    assert.same({}, r.answer({ cause = 199 }, 7))
    assert.same({ "14 create_request 3" }, r.wait(14))
    assert.same({ "warning: 262420000000001/5: the GGSN refuses: cause 250" }, r.answer({ cause = 250 }, 14))
    assert.same({ { id = 7, imsi = "262420000000001", nsapi = 5, apn = "internet",
      ggsn_address = GGSN, state = "resting", cause = "250" } }, r.node:list())
    assert.same({ "21 create_request 4" }, r.wait(21))
    assert.same(UP, r.accept({}, 21))
    assert.same({ "active", "-" }, { r.node:list()[1].state, r.node:list()[1].cause })
  end)

  it("rests as long as the latest configuration says, from its next refusal on", function()
    local r = rig()
    r.add(7)
    r.answer({ cause = 199 })
    r.words(r.node:configure({ retry = 2 * S, charging = "prepaid" }, nil, S))
    assert.same({ "7 create_request 2" }, r.wait(7))
    r.answer({ cause = 199 }, 7)
    assert.same({ "9 create_request 3" }, r.wait(9))
  end)

  it("names each cause of a refusal (29.060 §7.7.1)", function()
    local said = {}
    for cause = 192, 223 do
      local r = rig()
      r.add(7)
      said[#said + 1] = r.answer({ cause = cause })[1]:match("cause (%d+, .*)")
    end
    assert.same({ "192, non-existent", "193, invalid message format", "194, IMSI not known",
      "199, no resources available", "200, service not supported", "201, mandatory element incorrect",
      "202, mandatory element missing",
      "203, optional element incorrect", "204, system failure", "205, roaming restriction",
      "209, user authentication failed", "210, context not found", "211, all dynamic PDP addresses are occupied",
      "212, no memory is available", "219, missing or unknown APN", "220, unknown PDP address or PDP type",
      "221, PDP context without TFT already activated" }, said)
  end)

  it("takes no answers of others", function()
    local r = rig()
    r.add(7)
    assert.same({}, r.answer({ cause = 199, seq = 7 }))
    assert.same({ "create_request 2" }, r.answer({ cause = 199, teid = 5 })) -- an answer to a former run
    assert.same({}, r.answer({ cause = 199, type = "update_response" })) -- another one, within T3-RESPONSE
    assert.same({}, r.answer({ cause = 199, seq = 1 }))
    assert.same({}, r.answer({ cause = 199 }, 0, { ours = OURS, theirs = OTHER, port = 2123 }))
    assert.same({}, r.words(r.node:receive(WAY, "1nonsense", 0)))
    assert.same({}, r.accept({ teid = 0 })) -- a GGSN that accepts knows the TEID
    assert.same({ malformed = 1, unexpected = 6, restarts = 0, refused_requests = 0, foreign_requests = 0,
      rate_limited = 0, foreign_addresses = 0, unconfirmed_restarts = 0, unconfirmed_errors = 0,
      unchecked_requests = 0, control_errors = 0, repeated_requests = 0,
      unknown_types = 0, other_versions = 0, rim_sent = 0, rim_received = 0 }, r.node.counts)
    assert.equal(1, #r.answer({ cause = 199, teid = 0 })) -- a GGSN without the context knows no TEID
  end)

  it("is deleted with another number when the answer is one to a request of another kind", function()
    local r = rig()
    r.add(7)
    r.accept()
    assert.same({ "delete_request 2" }, r.words(r.node:del(7, 0)))
    assert.same({ "delete_request 3" }, r.answer({ cause = 128, type = "create_response", teid = 5 }))
    assert.same({}, r.answer({ cause = 128, teid = 1 }))
    assert.is_nil(r.state(7))
    assert.is_nil(r.node:next_at())
  end)

  -- The context before, how it ends, and how the next one differs; what is said of the former, and its state.
  local SUCCESSORS <const> = {
    { "that is being deleted is not deleted again", "del", {}, {}, {}, nil },
    { "of another mobile is lost", nil, { imsi = "262420000000002" }, {},
      { "warning: 262420000000001/5: lost, the GGSN gave its TEID to another context", "down 7" }, "resting" },
    { "with the tunnel of another one is lost", nil, { nsapi = 6 }, {},
      { "warning: 262420000000001/5: lost, the GGSN gave its TEID to another context", "down 7" }, "resting" },
    { "of a GGSN that has one TEID for all contexts of a mobile stays", nil, { nsapi = 6 }, { teid_data = 0x301 }, {},
      "active" },
    { "with another TEID stays", nil, { nsapi = 6 }, { teid_control = 0x302 }, {}, "active" },
  }

  for _, row in ipairs(SUCCESSORS) do
    it("whose TEID the GGSN gives to the next one: " .. row[1], function()
      local r, said = rig(), {}
      r.add(7)
      r.accept()
      if row[2] then r.node[row[2]](r.node, 7, 0) end
      r.add(8, row[3])
      for _, word in ipairs(r.accept(row[4])) do
        if word:find("0001/5: lost", 1, true) or word:find("down", 1, true) then said[#said + 1] = word end
      end
      assert.same(row[5], said)
      assert.same({ row[6] or "gone", "active" }, { r.state(7) or "gone", r.state(8) })
      if row[6] ~= "resting" then assert.same({}, r.wait(100)) end
    end)
  end

  it("is updated, at the address and TEID that the GGSN gave", function()
    local r = rig()
    r.add(7)
    r.accept({ control = OTHER })
    assert.same({ "update_request 2" }, r.words(r.node:change(7, "background", nil, nil, 0)))
    local m = r.last()
    assert.same({ ours = OURS, theirs = OTHER, port = 2123 }, m.way)
    assert.same({ 0x202, 0x100000, 1, "background" }, { m.teid, m.teid_data, m.teid_control, m.class })
    local way = { ours = OURS, theirs = OTHER, port = 2123 }
    local answer = { cause = 128, teid = 1, user = "10.9.9.9", control = "10.9.9.9" } -- which change no address
    assert.same({ "class 7 background" }, r.answer(answer, 0, way))
    assert.same({ "update_request 3" }, r.words(r.node:change(7, "thp2", nil, nil, 0)))
    assert.same({ "warning: 262420000000001/5: the GGSN refuses: cause 192, non-existent",
      "warning: 262420000000001/5: lost, it does not have it", "down 7" }, r.answer({ cause = 192 }, 0, way))
    assert.same({ "7 create_request 4" }, r.wait(7))
    assert.equal("thp2", r.last().class)
  end)

  it("whose class changes while it is asked for is updated then", function()
    local r = rig()
    r.add(7)
    assert.same({}, r.words(r.node:change(7, "thp2", nil, nil, 0)))
    local words = r.accept()
    assert.equal("update_request 2", words[#words])
    assert.equal("thp2", r.last().class)
  end)

  it("is deleted, and forgotten", function()
    local r = rig()
    r.add(7)
    r.accept()
    assert.same({ "delete_request 2" }, r.words(r.node:del(7, 0)))
    assert.same({ 0x202, true, 5 }, { r.last().teid, r.last().teardown, r.last().nsapi })
    assert.same({}, r.answer({ cause = 128, teid = 1 }))
    assert.is_nil(r.state(7))
    assert.is_nil(next(r.node.by_teid))
  end)

  it("is deleted while an update is asked for, whose number is free then", function()
    local r = rig()
    r.add(7)
    r.accept()
    assert.same({ "update_request 2" }, r.words(r.node:change(7, "background", nil, nil, 0)))
    assert.same({ "delete_request 3" }, r.words(r.node:del(7, 0)))
    assert.equal(1, r.node:peer(GGSN).pending_count)
  end)

  it("that is not wanted any more before it is there is deleted when it is", function()
    local r = rig()
    r.add(7)
    assert.same({}, r.words(r.node:del(7, 0)))
    assert.same({ "delete_request 2" }, r.accept())
    assert.same({ "5 delete_request 2", "10 delete_request 2",
      "15 warning: 262420000000001/5: no answer from GGSN 10.0.0.2" }, r.wait(100))
    assert.is_nil(r.state(7))
    local refused = rig()
    refused.add(7)
    refused.node:del(7, 0)
    refused.answer({ cause = 199 })
    assert.is_nil(refused.state(7))
    assert.is_nil(refused.node:next_at())
  end)

  it("that is lost comes again with another TEID", function()
    local r = rig()
    r.add(7)
    r.accept()
    r.node:set_teid(7, 0x200000)
    assert.same({ "warning: 262420000000001/5: lost, its path is down", "down 7" },
      r.words(r.node:lost(7, "its path is down", 0)))
    assert.same({}, r.words(r.node:lost(7, "again", 0)))
    assert.same({ "7 create_request 2" }, r.wait(7))
    assert.equal(0x200000, r.last().teid_data)
  end)

  it("of which an Error Indication comes stays if its GGSN has it, and asks once at a time", function()
    local r = rig()
    r.add(7)
    r.accept()
    assert.same({ "update_request 2" }, r.words(r.node:check(7, 0)))
    assert.same({ "262420000000001", 0x100000 }, { r.last().imsi, r.last().teid_data })
    assert.same({}, r.words(r.node:check(7, 0)))
    assert.same({ "warning: 262420000000001/5: an Error Indication came, but GGSN 10.0.0.2 has the context" },
      r.answer({ cause = 128 }))
    assert.same({ "active", 1 }, { r.state(7), r.node.counts.unconfirmed_errors })
    r.words(r.node:change(7, "thp3", nil, nil, 0))
    assert.is_nil(r.last().imsi)
    assert.same({ "class 7 thp3" }, r.answer({ cause = 128 }))
  end)

  it("of which an Error Indication comes is lost if its GGSN does not update it, whatever the cause", function()
    for _, cause in ipairs({ 192, 200 }) do
      local r = rig()
      r.add(7)
      r.accept()
      r.words(r.node:check(7, 0))
      local words = r.answer({ cause = cause, teid = 0 })
      assert.same({ "warning: 262420000000001/5: lost, an Error Indication came", "down 7" },
        { words[#words - 1], words[#words] })
    end
  end)

  it("of which an Error Indication comes stays if its GGSN does not answer", function()
    local r = rig()
    r.add(7)
    r.accept()
    r.words(r.node:check(7, 0))
    assert.equal("15 warning: 262420000000001/5: no answer from GGSN 10.0.0.2", r.wait(15)[3])
    assert.equal("active", r.state(7))
  end)

  local TFT <const> = "\x21\1\5\3\x50\0\x50"

  it("is linked to another one: the GGSN knows it by that", function()
    local r = rig()
    r.add(7)
    r.accept()
    assert.same({ "create_request 2" }, r.add(8, { nsapi = 6, linked = 7, tft = TFT, is_once = true }))
    local sent = r.last()
    assert.same({ 0x202, 6, 5, TFT, GGSN }, { sent.teid, sent.nsapi, sent.linked_nsapi, sent.tft, sent.way.theirs })
    assert.same({}, { sent.imsi, sent.apn, sent.pdp_type })
    r.accept({ teid_control = false, pdp_type = false, user_ipv4 = false, teid_data = 0x301 })
    assert.same({ "active", "active" }, { r.state(7), r.state(8) })
    r.node:del(8, 0)
    r.words(r.node:advance(0))
  end)

  it("is not created when the one that it is linked to is not there", function()
    local r = rig()
    assert.same({ "ended 8 210" }, r.add(8, { nsapi = 6, linked = 7, is_once = true }))
  end)

  it("ends when its request cannot be made, and frees its number", function()
    local r = rig()
    assert.same({ "warning: 262420000000001/5: the request cannot be made: create_request: field 'apn': wrong "
      .. "value, labels have 1 to 63 characters", "ended 7 204" }, r.add(7, { apn = "a..b", is_once = true }))
    assert.equal(0, r.node:use_peer("10.0.0.2").pending_count)
    assert.is_nil(r.state(7))
  end)

  it("ends alone while others have its address, and with them if the GGSN says so", function()
    local r = rig()
    r.add(7)
    r.accept()
    r.add(8, { nsapi = 6, linked = 7, tft = TFT, is_once = true })
    r.accept()
    r.add(9, { nsapi = 7, linked = 8, tft = TFT, is_once = true })
    r.accept()
    r.words(r.node:del(8, 0))
    assert.same({ "delete_request", false, 6 }, { r.last().type, r.last().teardown, r.last().nsapi })
    r.answer({ cause = 128, teid = r.sent[3].teid_control })
    r.request({ type = "delete_request", seq = 9, teid = r.sent[1].teid_control, nsapi = 5, teardown = true })
    assert.same({ "resting" }, { r.state(7), r.state(9) })
  end)

  it("of a phone keeps its class when the GGSN refuses another one, or says nothing", function()
    local r = rig()
    r.add(7, { is_once = true })
    r.accept()
    r.words(r.node:change(7, "background", TFT, nil, 0))
    assert.equal(TFT, r.last().tft)
    assert.same({ "warning: 262420000000001/5: the GGSN refuses: cause 199, no resources available", "class 7 thp3" },
      r.answer({ cause = 199, teid = r.sent[1].teid_control }))
    r.words(r.node:change(7, "background", nil, nil, 0))
    assert.is_nil(r.last().tft)
    local words = r.wait(30)
    assert.equal("15 class 7 thp3", words[#words])
  end)

  -- Its own request is the one that is answered, not the change before that.
  it("of a phone that asks for a change behind another one is asked for that, whatever became of the first", function()
    for _, cause in ipairs({ 128, 199 }) do
      local r = rig()
      r.add(7, { is_once = true })
      r.accept()
      r.words(r.node:change(7, "background", nil, nil, 0))
      r.words(r.node:change(7, "background", TFT, nil, 0))
      local words = r.answer({ cause = cause, teid = r.sent[1].teid_control })
      assert.same({ "update_request 3", TFT }, { words[#words], r.last().tft })
      for _, word in ipairs(words) do assert.is_nil(word:find("^class")) end
      words = r.answer({ cause = 128, teid = r.sent[1].teid_control })
      assert.equal("class 7 background", words[#words])
      r.words(r.node:change(7, "thp3", nil, nil, 0))
      assert.is_nil(r.last().tft)
    end
  end)

  it("is not made for a PDU Notification, which is refused", function()
    local r = rig()
    assert.same({ "pdu_notification_response 4" }, r.request({ type = "pdu_notification_request", seq = 4, teid = 0,
      imsi = "262420000000001", teid_control = 0x77, pdp_type = "ipv4", user_ipv4 = "10.45.0.7", apn = "internet",
      control = GGSN }))
    assert.same({ 200, 0x77 }, { r.last().cause, r.last().teid })
  end)

  it("does not end by an Error Indication to the port of GTP-C", function()
    local r = rig()
    r.add(7)
    r.accept()
    local octets = "\x32\x1a\0\x10" .. ("\0"):rep(8) .. "\x10\0\0\x11\x01\x85\0\4\10\0\0\2"
    assert.same({}, r.words(r.node:receive(WAY, octets, 0)))
    assert.same({ "active", 1, 0 }, { r.state(7), r.node.counts.control_errors, r.node.counts.malformed })
  end)

  it("is not found by trying TEIDs: after 20 wrong ones no request of its GGSN counts for a while", function()
    local r = rig()
    r.add(7)
    r.accept()
    local right = r.sent[1].teid_control
    for guess = 1, 20 do r.request({ type = "delete_request", seq = guess, teid = right + guess, nsapi = 5 }) end
    local delete = { type = "delete_request", seq = 99, teid = right, nsapi = 5 }
    assert.same({}, r.request(delete))
    assert.same({ "active", 1 }, { r.state(7), r.node.counts.unchecked_requests })
    local elsewhere = { ours = OURS, theirs = "10.0.0.77", port = 2123 }
    for guess = 1, 30 do r.request({ type = "delete_request", seq = guess, teid = guess, nsapi = 5 }, elsewhere) end
    local words = r.words(r.node:receive(WAY, wire.encode(delete), S // 10))
    assert.equal("down 7", words[#words])
  end)
end)

describe("a GGSN", function()
  it("that restarts has none of its contexts but the new one", function()
    local r = rig()
    r.add(7)
    r.accept()
    r.add(8, { nsapi = 6 })
    local words = r.accept({ recovery = 10, teid_data = 0x301, teid_control = 0x302 })
    assert.same({ "warning: GGSN 10.0.0.2: restarted", "info: 262420000000001/6: up, 10.45.0.7, GGSN 10.0.0.3" },
      { words[1], words[2] })
    assert.same({ "warning: 262420000000001/5: lost, the GGSN restarted", "down 7" },
      { words[#words - 1], words[#words] })
    assert.same({ "resting", "active" }, { r.state(7), r.state(8) })
  end)

  it("that answers wrongly each time is not asked faster", function()
    local r, counts = rig(), {}
    r.add(7)
    for second = 0, 14 do
      r.wait(second)
      for _ = 1, 20 do r.answer({ cause = 128, teid = 99 }, second) end -- the TEID of a former run
      counts[second] = #r.sent
    end
    -- At 0, 5 and 10 s, as without answers, and each time once more with another number.
    assert.same({ 2, 2, 4, 4, 6, 6 }, { counts[0], counts[4], counts[5], counts[9], counts[10], counts[14] })
    local numbers = {}
    for _, message in ipairs(r.sent) do numbers[#numbers + 1] = message.seq end
    assert.same({ 1, 2, 3, 4, 5, 6 }, numbers)
    assert.same(UP, r.accept({}, 14))
  end)

  it("deletes a context, and is answered once more as one that it does not have", function()
    local r = rig()
    r.add(7)
    r.accept()
    local request = { type = "delete_request", seq = 77, teid = 1, nsapi = 5, teardown = true }
    local way = { ours = OURS, theirs = GGSN, port = 4000 }
    assert.same({ "delete_response 77", "warning: 262420000000001/5: lost, the GGSN deleted it", "down 7" },
      r.request(request, way))
    assert.same({ 128, 0x202, 4000 }, { r.last().cause, r.last().teid, r.last().way.port })
    request.teid = 99
    r.request(request)
    assert.same({ 192, 0 }, { r.last().cause, r.last().teid })
  end)

  it("is the only one to delete its context, at each of its addresses", function()
    local rows = {
      { GGSN, 128 }, -- as configured
      { "10.0.0.4", 128 }, { "2001:db8::4", 128 }, -- as signalled, and the alternative
      { OTHER, 192 }, { "10.9.9.9", 192 }, { "2001:db8::5", 192 }, -- its user address, and others
    }
    for _, row in ipairs(rows) do
      local r = rig()
      r.add(7)
      r.accept({ control = "10.0.0.4", control_other = "2001:db8::4" })
      local way = { ours = OURS, theirs = row[1], port = 4000 }
      r.request({ type = "delete_request", seq = 77, teid = 1, nsapi = 5 }, way)
      assert.equal(row[2], r.last().cause, row[1])
      assert.equal(row[2] == 128 and 0x202 or 0, r.last().teid, row[1])
      assert.equal(row[2] == 128 and "resting" or "active", r.state(7), row[1])
      assert.equal(row[2] == 128 and 0 or 1, r.node.counts.foreign_requests, row[1])
    end
  end)

  it("cannot guess numbers or TEIDs", function()
    local draws = { 5, 70, 5, 71, 9, 72 }
    local r = rig({ random = function() return table.remove(draws, 1) end })
    r.add(7)
    assert.same({ 5, 69 }, { r.last().teid_control, r.last().seq })
    r.add(8, { nsapi = 6 })
    assert.same({ 71, 8 }, { r.last().teid_control, r.last().seq }) -- the TEID 5 is taken
  end)

  it("has 16384 pending requests at most; the others wait for a place", function()
    local r = rig()
    for id = 1, 16384 + 3 do r.node:add(id, wanted({ imsi = ("%06d"):format(id) }), {}, 0) end
    assert.equal(16384, r.node:peer(GGSN).pending_count)
    r.node:del(16384 + 1, 0)
    assert.equal("creating", r.state(16384 + 2))
    local request = { type = "create_response", seq = 2, teid = 2, cause = 199 }
    local words = r.words(r.node:receive(WAY, wire.encode(request), 0))
    assert.truthy(table.concat(words, "\n"):find("create_request", 1, true))
    assert.equal(16384, r.node:peer(GGSN).pending_count)
  end)

  it("may not change a context, nor create one", function()
    local r = rig()
    r.add(7)
    r.accept()
    assert.same({ "update_response 3" }, r.request({ type = "update_request", seq = 3, teid = 1, nsapi = 5 }))
    assert.equal(200, r.last().cause)
    r.request({ type = "create_request", seq = 4, teid = 1, teid_data = 1, nsapi = 5, control = GGSN, user = GGSN,
      qos = QOS })
    assert.equal(192, r.last().cause)
    assert.equal("active", r.state(7))
  end)

  it("is answered within budgets for its address, but deletes all of its contexts", function()
    local r = rig({ answers = 3 })
    for id = 1, 8 do
      r.add(id, { imsi = "26242000000000" .. id })
      r.accept()
    end
    local victim, before = { ours = OURS, theirs = "10.9.9.9", port = 53 }, #r.sent
    for seq = 1, 5 do
      r.request({ type = "echo_request", seq = seq, teid = 0 }, victim)
      r.request({ type = "delete_request", seq = seq, teid = 99, nsapi = 5 }, victim)
      r.request({ type = "create_request", seq = seq, teid = 0, teid_data = 1, nsapi = 5, control = GGSN, user = GGSN,
        qos = QOS }, victim)
    end
    assert.equal(3, #r.sent - before)
    assert.same({ 12, 10 }, { r.node.counts.rate_limited, r.node.counts.refused_requests })
    for seq = 6, 8 do
      assert.same({ "echo_response " .. seq }, r.request({ type = "echo_request", seq = seq, teid = 0 }))
    end
    for id = 1, 8 do
      local first = r.request({ type = "delete_request", seq = id, teid = id, nsapi = 5 })[1]
      assert.equal(id <= 3, first == "delete_response " .. id)
      assert.equal("resting", r.state(id))
    end
    assert.equal(17, r.node.counts.rate_limited)
  end)

  it("for a change is answered within the budget, too", function()
    local r = rig({ answers = 3 })
    r.add(7)
    r.accept()
    local answers = 0
    for seq = 1, 9 do
      answers = answers + #r.request({ type = "update_request", seq = seq, teid = 1, nsapi = 5 })
    end
    assert.same({ 3, 6, "active" }, { answers, r.node.counts.rate_limited, r.state(7) })
  end)

  it("is told our restart counter", function()
    local r = rig({ recovery = 200 })
    assert.same({ "echo_response 6" }, r.request({ type = "echo_request", seq = 6, teid = 0 }))
    assert.equal(200, r.last().recovery)
  end)
end)

describe("paths of GTP-C", function()
  it("are asked with numbers of their own requests", function()
    local r = rig({ every = 60 * S })
    r.add(7)
    r.accept()
    assert.same({ "60 echo_request 2", "65 echo_request 2" }, r.wait(65))
    assert.equal(0, r.last().teid) -- 29.060 §8.2: a path's message
    assert.same({}, r.answer({ recovery = 9, teid = 0 }, 66))
    assert.same({ "126 echo_request 3" }, r.wait(126))
  end)

  it("end their contexts when they are down, if that is wanted", function()
    local r = rig({ every = 60 * S, on_loss = "delete" })
    r.add(7)
    r.accept()
    local words = r.wait(81)
    assert.same({ "60 echo_request 2", "65 echo_request 2", "70 echo_request 2",
      "75 warning: path 10.0.0.1 - 10.0.0.2 (GTP-C): down, no answer to 3 Echo Requests",
      "75 warning: 262420000000001/5: lost, its path is down", "75 down 7" }, words)
  end)

  it("are left with their last context", function()
    local r = rig({ every = 60 * S })
    r.add(7)
    r.add(8, { nsapi = 6 })
    r.answer({ cause = 199, teid = 2 })
    r.node:del(8, 0)
    assert.equal(1, r.node.echoes.list[1].users)
    r.node:del(7, 0)
    r.wait(50)
    assert.equal(0, r.node.echoes.list[1].users)
    assert.is_nil(r.node:next_at())
  end)
end)
