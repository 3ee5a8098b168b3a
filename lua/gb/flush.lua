-- SPDX-License-Identifier: BSD-3-Clause
-- LLC-PDUs in a cell that a mobile has left: FLUSH-LL and its answer (48.018 §8.1). The BSS may carry the
-- frames over only within a routeing area, and to another NSE only where both have agreed on INR; else it is not told
-- where the mobile went and deletes them. An instance exists from the question to the answer. Some BSSs never answer;
-- then their LLC-PDUs stay in the buckets, which leak as before.
--
-- Owner: { mobiles = registry, ms =, slot =, tlli = it was asked by, old = cell, new = cell, fsm = }; `arg` of
-- rx_flush_ll_ack is the decoded PDU.

local fsm = require "base.fsm"
local gb_areas = require "gb.areas"
local gb_send = require "gb.send"

local gb_flush = {}

local SIGNALLING_BVCI <const> = 0
local TRANSFERRED <const> = 1

local actions = {}

local function may_transfer(old, new)
  if not gb_areas.is_in(old.cell_id, new.cell_id) then
    return false
  end
  return old.nse == new.nse or (old.nse.features.inr and new.nse.features.inr)
end

function actions.ask(flush, run)
  local old, new = flush.old, flush.new
  flush.mobiles:note_asked(flush, flush.ms.tlli)
  local pdu = { pdu = "flush_ll", tlli = flush.tlli, bvci = old.bvci }
  if may_transfer(old, new) then
    pdu.bvci_new = new.bvci
    pdu.nsei_new = old.nse ~= new.nse and new.nse.nsei or nil
  end
  gb_send.to_nse(run, old.nse, SIGNALLING_BVCI, pdu)
end

-- At most what a BSS may hold for a mobile of the new cell: more would close that cell's bucket.
local function octets_of(new, pdu)
  local announced = new.announced
  return announced and math.min(pdu.octets_affected, announced.ms_bucket_octets) or pdu.octets_affected
end

function actions.correct(flush, run, pdu)
  local old, new = flush.old, flush.new
  local is_transferred = pdu.flush_action == TRANSFERRED and may_transfer(old, new)
  local intent = { op = "ms_flushed", nsei = old.nse.nsei, bvci = old.bvci, tlli = flush.ms.tlli,
    octets = pdu.octets_affected, nsei_home = flush.ms.cell.nse.nsei }
  if pdu.flush_action == TRANSFERRED and not is_transferred then
    run:count("flush_ll_ack_not_allowed")
  elseif is_transferred then
    intent.octets = octets_of(new, pdu)
    intent.nsei_new, intent.bvci_new = new.nse.nsei, new.bvci
  end
  run:emit(intent)
end

function actions.give_up(_, run)
  run:count("flush_ll_unanswered")
end

function actions.forget(flush)
  flush.mobiles:forget_flush(flush)
end

local function place_of(cell)
  return { nsei = cell.nse.nsei, bvci = cell.bvci }
end

local function keep(flush)
  if flush.fsm.state ~= "asked" then return nil end
  return { mobile = flush.slot, tlli = flush.tlli, old = place_of(flush.old), new = place_of(flush.new) }
end

local machine = fsm.define({
  name = "ms_flush",
  category = "bssgp",
  about = "of_ms",
  initial = "done",
  keep = keep,
  actions = actions,
  timers = {
    flush = { after = "flush", out = "flush_expired" },
  },
  states = {
    done = {
      enter = "forget",
      on = {
        ask = { action = "ask", next = "asked" },
      },
    },
    asked = {
      timer = "flush",
      on = {
        ask = { action = "ask", next = "asked" },
        rx_flush_ll_ack = { action = "correct", next = "done" },
        flush_expired = { action = "give_up", next = "done" },
        bvc_reset = { next = "done" },
        ms_gone = { next = "done" },
      },
    },
  },
})

function gb_flush.new(mobiles, ms, old)
  local flush = { mobiles = mobiles, ms = ms, slot = ms.slot, old = old }
  flush.fsm = fsm.new(machine, flush, ("flush/%d/%d/%d"):format(ms.slot, old.nse.nsei, old.bvci), mobiles.durations)
  return flush
end

return gb_flush
