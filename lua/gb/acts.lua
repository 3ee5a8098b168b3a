-- SPDX-License-Identifier: BSD-3-Clause
-- Acts of an operator on an NS-VC or a cell of a running node: `gbflow nsvc` and `gbflow bvc`.
--
--   local plan = gb_acts.plan(g, order)    g: gb.plane; order: { verb = "nsvc" or "bvc", act =, nsvci =, bvci =,
--                                     nsei = }, texts. As gmm_acts.plan()
--   gb_acts.begin(g, run, order, id)  carries it out, after a plan without a refusal

local acts = require "base.acts"
local gb_bvc_order = require "gb.bvc_order"

local gb_acts = {}

local function refuse(text, ...)
  return { refusal = text:format(...) }
end

-- --- which one is meant

-- The one of a list of { nsei =, part = }; nil and why not.
local function only_one(found, what)
  if #found == 1 then return found[1].part end
  local nseis = {}
  for i, each in ipairs(found) do nseis[i] = each.nsei end
  if #found > 1 then
    return nil, ("%s: the NSEs %s have one each; choose one by --nsei"):format(what, table.concat(nseis, ", "))
  end
end

-- list: "nsvcs" or "bvcs" of an NSE; field: the name of its number.
local function parts_of(g, order, list, field)
  local found, nsei, number = {}, tonumber(order.nsei), tonumber(order[field])
  for _, nse in ipairs(g.nses) do
    for _, part in ipairs((not nsei or nse.nsei == nsei) and nse[list] or {}) do
      if number and part[field] == number then found[#found + 1] = { nsei = nse.nsei, part = part } end
    end
  end
  return found
end

local function where(order)
  return order.nsei and " of NSE " .. order.nsei or ""
end

local function find_nsvc(g, order)
  local what = "NSVCI " .. order.nsvci .. where(order)
  local vc, why = only_one(parts_of(g, order, "nsvcs", "nsvci"), what)
  if vc then return vc end
  return nil, why or what .. ": no NS-VC has it, or the NS-VC is one of IP-SNS, which has neither NSVCI nor reset nor "
    .. "block (TS 48.016 clause 4.4); `gbflow show nse` lists the NS-VCs"
end

local function find_bvc(g, order)
  local what = "BVCI " .. order.bvci .. where(order)
  local bvc, why = only_one(parts_of(g, order, "bvcs", "bvci"), what)
  if bvc then return bvc end
  return nil, why or what .. ": no cell has it; `gbflow show bvc` lists the cells"
end

-- --- NS-VCs (48.016 §7.2, §7.3)

local NSVC <const> = {
  reset = { says = "NS-RESET, then NS-UNBLOCK", event = "order_reset" },
  block = { says = "NS-BLOCK", event = "order_block",
    from = { unblocked = true } },
  unblock = { says = "NS-UNBLOCK", event = "order_unblock", from = { blocked = true, barred = true, reset = true } },
}

local plans, begins = {}, {}

local function nsvc_name(vc)
  return ("NSVCI %d of NSE %d"):format(vc.nsvci, vc.nse.nsei)
end

-- A reset asks for the NS-VC in service.
local function ends_bar(vc, order)
  return order.act == "reset" and vc.fsm.state == "barred"
end

local function most_of(durations)
  return durations.reset * (durations.reset_retries + 1) + durations.block * (durations.block_retries + 1)
end

function plans.nsvc(g, order)
  local vc, why = find_nsvc(g, order)
  local row = NSVC[order.act]
  if not vc then return refuse("%s", why) end
  if not row then return refuse("%s: '%s' is not one of reset, block, unblock", nsvc_name(vc), order.act) end
  if vc.act then return refuse("%s: an act on it is in progress; `gbflow show acts` shows it", nsvc_name(vc)) end
  if row.from and not row.from[vc.fsm.state] then
    return refuse("%s: it is %s, so there is nothing to %s; `gbflow show nse` shows its state", nsvc_name(vc),
      vc.fsm.state, order.act)
  end
  local then_ = ends_bar(vc, order) and ", which ends the block by the operator" or ""
  return { says = row.says .. " to " .. nsvc_name(vc) .. then_, parts = 1, most_ns = most_of(g.timers.ns) }
end

function begins.nsvc(g, run, order, id)
  local vc = find_nsvc(g, order)
  acts.begin(vc, id)
  run:log_of("ns", "warn", "NSVCI %d: %s by the operator", vc.nsvci, order.act)
  vc.ends_bar = ends_bar(vc, order)
  run:post(vc.fsm, NSVC[order.act].event)
end

-- --- cells (48.018 §8.3, §8.4): BVC-BLOCK and BVC-UNBLOCK go from a BSS to an SGSN only (§10.4.8, §10.4.10). So a
-- cell that is blocked here is told nothing: the node sends no LLC-PDU there, as in one that the BSS has blocked,
-- and takes the PDUs of the BSS.

local BVC <const> = {
  reset = "BVC-RESET of %s; the node forgets what the BSS has announced there",
  block = "nothing: TS 48.018 clause 8.3 lets only a BSS block a cell. The node sends no LLC-PDU in %s",
  unblock = "nothing: the node sends LLC-PDUs in %s again",
}

local function bvc_name(bvc)
  return ("BVCI %d of NSE %d"):format(bvc.bvci, bvc.nse.nsei)
end

local function bvc_refusal(bvc, act)
  if act == "reset" and bvc.nse.usable_nsvcs == 0 then return "no NS-VC of its NSE is in service to carry BVC-RESET" end
  if act == "reset" and bvc.order then return "an act on it is in progress; `gbflow show acts` shows it" end
  if act == "block" and bvc.is_barred then return "it is blocked already" end
  if act == "unblock" and not bvc.is_barred then
    return "it is not blocked by an operator; what the BSS has blocked only the BSS unblocks (TS 48.018 clause 8.3)"
  end
end

function plans.bvc(g, order)
  local bvc, why = find_bvc(g, order)
  if not bvc then return refuse("%s", why) end
  if not BVC[order.act] then return refuse("%s: '%s' is not one of reset, block, unblock", bvc_name(bvc), order.act) end
  local refusal = bvc_refusal(bvc, order.act)
  if refusal then return refuse("%s: %s", bvc_name(bvc), refusal) end
  return { says = BVC[order.act]:format(bvc_name(bvc)), parts = 1, most_ns = gb_bvc_order.MOST_NS }
end

function begins.bvc(g, run, order, id)
  local bvc = find_bvc(g, order)
  run:log_of("bssgp", "warn", "NSE %d BVCI %d: %s by the operator", bvc.nse.nsei, bvc.bvci, order.act)
  if order.act == "reset" then return gb_bvc_order.reset(run, bvc, id) end
  run:tell(bvc.fsm, order.act == "block" and "order_block" or "order_unblock")
  acts.begin(bvc, id)
  acts.settle(run, bvc, true, order.act == "block" and "the node sends nothing there until `gbflow bvc ... unblock`"
    or "the node sends there again as soon as the BSS allows it")
end

function gb_acts.plan(g, order)
  return plans[order.verb](g, order)
end

function gb_acts.begin(g, run, order, id)
  begins[order.verb](g, run, order, id)
end

return gb_acts
