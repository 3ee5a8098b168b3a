-- SPDX-License-Identifier: BSD-3-Clause
-- The restart counter of the node in its requests (29.060 §7.3.1, §7.3.3, §7.7.11): a GGSN that may not know it is told
-- by a Create and by an Update.
local records = require "base.records"
local sessions_rig = require "gn_sessions_rig"

local S <const>, GGSN <const>, OTHER <const> = sessions_rig.S, sessions_rig.GGSN, sessions_rig.OTHER
local WAY <const> = sessions_rig.WAY
local LATER_S <const> = 40 -- N3-REQUESTS times T3-RESPONSE is 15 s
local TAKEN <const> = { teid_control = 0x901, teid_data = 0x902, user = GGSN }

local function taken(more)
  local wanted = { taken = records.pack(TAKEN), ipv4 = "10.45.0.9", is_once = true }
  for key, value in pairs(more or {}) do wanted[key] = value end
  return wanted
end

-- The counters of the requests so far, 0 for none.
local function told(r)
  local out = {}
  for i, message in ipairs(r.sent) do out[i] = message.recovery or 0 end
  return out
end

describe("the restart counter of the node", function()
  it("is in the Updates of contexts of other SGSNs until the GGSN has answered one", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7, taken())
    r.add(8, taken({ nsapi = 6 }))
    r.answer({ cause = 128, teid = r.last().teid_control })
    r.add(9, taken({ nsapi = 7 }))
    assert.same({ 77, 77, 0 }, told(r))
    assert.equal("update_request", r.sent[1].type)
  end)

  it("is in a repeated Update as it was", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7, taken())
    r.wait(5)
    assert.same({ 77, 77 }, told(r))
  end)

  it("is not in an Update behind a Create that the GGSN has answered", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7)
    r.accept()
    r.words(r.node:change(7, "background", nil, nil, 0))
    assert.same({ 77, 0 }, told(r))
  end)

  it("is in the first Update to another address of the GGSN", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7)
    r.accept({ control = OTHER })
    r.words(r.node:change(7, "background", nil, nil, 0))
    assert.same({ 77, 77 }, told(r))
  end)

  it("is told again when the GGSN has restarted", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7, taken())
    r.answer({ cause = 128, teid = r.last().teid_control, recovery = 9 })
    r.words(r.node:change(7, "thp2", nil, nil, 0))
    r.answer({ cause = 128, teid = r.last().teid_control, recovery = 10 })
    r.add(8, taken({ nsapi = 6 }))
    assert.same({ 77, 0, 77 }, told(r))
  end)

  -- Such an answer may be forged.
  it("counts as unknown after an answer without a TEID", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7, taken())
    r.answer({ cause = 192, teid = 0 })
    r.add(8, taken({ nsapi = 6 }))
    assert.same({ 77, 77 }, told(r))
  end)

  it("counts as unknown once the GGSN has no context of the node", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7, taken())
    r.answer({ cause = 128, teid = r.last().teid_control })
    r.words(r.node:moved(7, 0))
    r.add(8, taken())
    assert.same({ 77, 77 }, told(r))
  end)
end)

-- A node that says that it is empty keeps its restart counter over its restart.

-- What happens to context 7, which is requested once.

local function create(r) r.add(7, { is_once = true }) end

local function activate(r)
  create(r)
  r.accept()
end

local function delete(r) r.words(r.node:del(7, 0)) end

local function silence(r) r.wait(LATER_S) end

local function deleted_with(cause)
  return function(r)
    delete(r)
    r.answer({ cause = cause, teid = r.sent[1].teid_control }, 1)
  end
end

local function unfit(more)
  return function(r) r.accept(more) end
end

local NO_ADDRESS <const>, NO_TEID <const> = { pdp_type = "ipv4v6" }, { teid_control = false }

local function lose_tunnel(r) r.words(r.node:lost(7, "its path is down", 0)) end

local function check(r) r.words(r.node:check(7, 0)) end

local function refuse(cause)
  return function(r) r.answer({ cause = cause, teid = r.sent[1].teid_control }, 1) end
end

local function ggsn_deletes(r)
  r.request({ type = "delete_request", teid = r.sent[1].teid_control, teardown = true, nsapi = 5, seq = 77 })
end

local function move(r) r.words(r.node:moved(7, 0)) end

-- Another phone has a context, whose answers have that Recovery.
local function other_phone(recovery)
  return function(r)
    r.add(8, { imsi = "262420000000002", is_once = true })
    r.accept({ recovery = recovery, teid_control = 0x302 }, LATER_S)
    local teid = r.last().teid_control
    r.words(r.node:del(8, LATER_S * S))
    r.answer({ cause = 128, teid = teid }, LATER_S)
  end
end

local function static(r) r.add(7) end

local ENDS <const> = {
  { "confirmed by the GGSN", true, activate, deleted_with(128) },
  { "of which the GGSN knows nothing", true, activate, deleted_with(192) },
  { "that the GGSN refuses", false, activate, deleted_with(204) },
  { "that is not answered", false, activate, delete, silence },
  { "of a context whose Create is not answered", false, create, silence },
  { "of a context that is deleted while its Create is not answered", false, create, delete, silence },
  { "of a context whose Create is refused", true, create, refuse(199) },
  { "of a context that the node refuses, confirmed", true, create, unfit(NO_ADDRESS), refuse(128) },
  { "of a context that the node refuses, not answered", false, create, unfit(NO_ADDRESS), silence },
  { "of a context that the node refuses, with which the GGSN gives no TEID", false, create, unfit(NO_TEID) },
  { "of a permanent one that the node refuses, not answered", false, static, unfit(NO_ADDRESS),
    function(r) r.wait(16) end, delete },
  { "by the loss of the path of GTP-U", false, activate, lose_tunnel },
  { "by an Error Indication that the GGSN confirms", true, activate, check, refuse(192) },
  { "by an Error Indication that the GGSN answers with another cause", false, activate, check, refuse(204) },
  { "by the GGSN", true, activate, ggsn_deletes },
  { "by another SGSN", true, activate, move },
  { "not answered, but another phone's is", false, activate, delete, silence, other_phone(9) },
  { "not answered, before the GGSN restarts", true, activate, delete, silence, other_phone(10) },
  { "of a Create that is answered when it is sent again", true, static,
    function(r) r.wait(22) end, unfit(), deleted_with(128) },
}

describe("whether a node is empty after an end", function()
  for _, row in ipairs(ENDS) do
    it(row[1], function()
      local r = sessions_rig.rig()
      for i = 3, #row do row[i](r) end
      assert.same({}, r.node:list())
      assert.equal(row[2], r.node:is_empty())
    end)
  end

  it("by the loss of the path of GTP-C", function()
    local r = sessions_rig.rig({ every = 60 * S, on_loss = "delete" })
    activate(r)
    r.wait(80)
    assert.same({ {}, false }, { r.node:list(), r.node:is_empty() })
  end)

  it("not answered, before another GGSN restarts", function()
    local r = sessions_rig.rig()
    activate(r)
    delete(r)
    silence(r)
    r.add(8, { ggsn = OTHER, is_once = true })
    r.answer({ cause = 199, recovery = 10 }, LATER_S, { ours = WAY.ours, theirs = OTHER, port = 2123,
      is_right_port = true })
    assert.same({ {}, false }, { r.node:list(), r.node:is_empty() })
  end)
end)

-- As another SGSN may name them.
it("a node keeps 65 entries of GGSNs that do not answer", function()
  local r = sessions_rig.rig()
  for i = 1, 100 do
    r.add(i, { imsi = tostring(262420000000000 + i), ggsn = "10.0.1." .. i, is_once = true })
  end
  silence(r)
  local count = 0
  for _ in pairs(r.node.peers) do count = count + 1 end
  assert.same({ 65, {}, false }, { count, r.node:list(), r.node:is_empty() })
end)

-- A rig that keeps the records of its node.
local function keeping_rig()
  local r, store = sessions_rig.rig(), {}
  local words = r.words
  function r.words(intents)
    local others = {}
    for _, intent in ipairs(intents) do
      if intent.op == "keep" then
        store[intent.key] = intent.octets
      else
        others[#others + 1] = intent
      end
    end
    return words(others)
  end
  return r, store
end

describe("after a restart of control", function()
  setup(function() records.is_on = true end)
  teardown(function() records.is_on = false end)

  for _, row in ipairs({ { "has ended", LATER_S }, { "is to be deleted", 1 } }) do
    it("a node is not empty if a GGSN may have a context that " .. row[1], function()
      local r, store = keeping_rig()
      activate(r)
      delete(r)
      r.wait(row[2])
      local new = keeping_rig()
      for key, octets in pairs(store) do new.words(new.node:adopt(key, octets, 0)) end
      new.words(new.node:adopted(0))
      new.wait(LATER_S)
      assert.same({ {}, false }, { new.node:list(), new.node:is_empty() })
      other_phone(10)(new)
      assert.is_true(new.node:is_empty())
    end)
  end
end)
