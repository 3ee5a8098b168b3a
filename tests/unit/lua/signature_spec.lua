-- SPDX-License-Identifier: BSD-3-Clause
-- P-TMSI signatures of phones that go from one SGSN to another (23.060 §6.8.1), in a world of two nodes.
local pool_world = require "pool_world"

local S <const> = pool_world.S

local function is_active(list)
  return list[1].state == "registered" and list[1].session == "active"
end

describe("a P-TMSI signature", function()
  -- A phone that one node has; the proxy has the other one for its P-TMSIs from hand_over() on.
  local function begin()
    local w = pool_world.new({ nodes = 2, phones = 1 })
    assert.is_true(w:run_until(is_active))
    local from = #w.nodes[1].p:list() == 1 and 1 or 2
    local old, new = w.nodes[from], w.nodes[3 - from]
    return w, old, new, function()
      old.takes, new.takes = {}, { 1, 2, 3, 4 }
    end
  end

  -- What it is told is lost.
  local function update_unheard(w)
    local sent = 0
    w.loses = function(kind)
      sent = sent + (kind == "gb" and 1 or 0)
      return kind == "gb" and sent > 1
    end
    w:order(1, "update")
    w:run(S)
    w.loses = nil
  end

  local function move(w)
    w:order(1, "move")
    w:run(3 * S)
    assert.is_true(w:run_until(is_active))
  end

  it("holds until the phone has another one", function()
    local w, old, new, hand_over = begin()
    update_unheard(w)
    assert.equal(1, old.p.counts.sent_rau_accept)
    hand_over()
    move(w)
    assert.same({ 1, 1, 0 }, { old.p.counts.sgsn_left, new.p.counts.sgsn_arrived, w.downs })
  end)

  it("ends when the phone has another one", function()
    local w, old = begin()
    local before = old.p:list()[1] and old.p.by_mobile[1].signature
    move(w)
    local phone = old.p.by_mobile[1]
    assert.is_true(old.p.has_signature(phone, phone.signature))
    assert.is_false(old.p.has_signature(phone, before))
    assert.is_false(old.p.has_signature(phone, nil))
  end)
end)
