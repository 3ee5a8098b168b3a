-- SPDX-License-Identifier: BSD-3-Clause
-- The Gb control plane after a restart of control: takes over what its records say (base.records). BSSs notice nothing:
-- no NS-VC and no cell is reset. The configuration's parts and the mobiles are there, as new ones.
--
--   gb_adopt.record(g, run, key, text)   one record
--   gb_adopt.finish(g, run)              after the last one
--
-- A part without a record begins as a new one: its cell is blocked at the worker, and the next PDU of the BSS is
-- answered by the STATUS that makes it reset the NS-VC or the cell (48.016 §7.4.1, 48.018 §9).

local drain = require "gb.drain"
local flow_control = require "gb.flow_control"
local gb_bssgp = require "gb.bssgp"
local gb_bvc_order = require "gb.bvc_order"
local gb_sns = require "gb.sns"
local records = require "base.records"

local gb_adopt = {}

local ADOPT = {}

function ADOPT.nse(g, run, kept)
  local nse = g.nse_by_nsei[kept.nsei]
  if not nse then return end
  nse.features, nse.is_shut = kept.features, kept.is_shut
  gb_bssgp.keep_features(run, nse)
end

-- IP-SNS: after the record of its NSE, which has the endpoints.
local function hold(nse, kept)
  nse.held = nse.held or {}
  nse.held[#nse.held + 1] = kept
end

function ADOPT.nsvc(g, run, kept)
  local nse, vc = g.nse_by_nsei[kept.nsei], g.nsvcs[kept.nsvc]
  if nse and nse.sns then return hold(nse, kept) end
  if not nse or not vc or vc.nse ~= nse or vc.nsvci ~= kept.nsvci then return end
  vc.usable, vc.reset_at, vc.act = kept.state == "unblocked", run.now, kept.act
  nse.usable_nsvcs = nse.usable_nsvcs + (vc.usable and 1 or 0)
  run:restore(vc.fsm, kept.state)
  if kept.state ~= "resetting" then run:tell(vc.test, "begin") end
end

function ADOPT.sns(g, run, kept)
  local nse = g.nse_by_nsei[kept.nsei]
  if nse and nse.sns then gb_sns.adopt(nse.sns, run, kept) end
end

function ADOPT.bvc(g, run, kept)
  local bvc = g:cell(kept.nsei, kept.bvci)
  if not bvc then return end
  bvc.announced, bvc.counts_as, bvc.named, bvc.is_refused = kept.announced, kept.counts_as, kept.named, kept.is_refused
  bvc.is_barred = kept.is_barred
  drain.adopt(bvc.drain, kept.drain)
  run:restore(bvc.fsm, kept.state)
end

function ADOPT.order(g, run, kept)
  local bvc = g:cell(kept.nsei, kept.bvci)
  if bvc then gb_bvc_order.adopt(run, bvc, kept) end
end

function ADOPT.ms(g, run, kept, ms)
  local bvc = g:cell(kept.nsei, kept.bvci)
  if bvc then flow_control.adopt_ms(bvc, run, ms) end
end

function ADOPT.suspension(g, run, kept, ms)
  g.mobiles:adopt_suspension(run, ms, kept.reference)
end

function ADOPT.paging(g, run, kept, ms)
  g.mobiles:adopt_paging(run, ms, kept.state)
end

function ADOPT.flush(g, run, kept, ms)
  local old, new = g:cell(kept.old.nsei, kept.old.bvci), g:cell(kept.new.nsei, kept.new.bvci)
  if old and new then g.mobiles:adopt_flush(run, ms, kept.tlli, old, new) end
end

function ADOPT.offer(g, run, kept, ms)
  g.mobiles:offer(run, ms, kept.tlli)
end

function ADOPT.pfc(g, run, kept, ms)
  g.mobiles.pfcs:adopt(run, ms, kept)
end

function ADOPT.moves(g, run, kept, ms)
  g.mobiles.moves:adopt(run, ms, kept.whole)
end

function ADOPT.radio(g, run, kept, ms)
  g.mobiles.radio:adopt(run, ms, kept)
end

-- The key begins with the kind of the machine that wrote the record. That of a mobile that is gone is of no use.
function gb_adopt.record(g, run, key, text)
  local adopt = ADOPT[key:match("^%a+")] or error("no record is called " .. key)
  local kept = records.unpack(text)
  local ms = kept.mobile and g.mobiles.book.at[kept.mobile]
  if ms or not kept.mobile then adopt(g, run, kept, ms) end
end

local function finish_nsvc(run, nse, vc)
  if not vc.usable then run:emit({ op = "nsvc_state", nsvc = vc.index, usable = false }) end
  if not nse.sns and nse.is_ours_to_start and vc.fsm.state == "dead" then run:post(vc.fsm, "open") end
end

-- The worker has been told of usable cells before; the others are blocked, whatever it was told.
local function finish_bvc(run, nse, bvc)
  bvc.usable = bvc.fsm.state == "unblocked" and nse.usable_nsvcs > 0 and not bvc.is_barred
  if not bvc.usable then run:emit({ op = "bvc_state", nsei = nse.nsei, bvci = bvc.bvci, usable = false }) end
  if bvc.usable and not bvc.announced and not bvc.initial then run:restore(bvc.waiting, "waiting") end
end

function gb_adopt.finish(g, run)
  for _, nse in ipairs(g.nses) do
    for _, kept in ipairs(nse.held or {}) do gb_sns.adopt_nsvc(nse.sns, run, kept) end
    nse.held = nil
    if nse.sns then gb_sns.adopted(nse.sns, run) end
    if nse.resetting and nse.usable_nsvcs > 0 then run:tell(nse.resetting.fsm, "nse_up") end
    for _, vc in ipairs(nse.nsvcs) do finish_nsvc(run, nse, vc) end
    for _, bvc in ipairs(nse.bvcs) do finish_bvc(run, nse, bvc) end
  end
end

return gb_adopt
