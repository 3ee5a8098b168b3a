-- SPDX-License-Identifier: BSD-3-Clause
-- BVC-RESET by the SGSN (48.018 §8.4), where `bvc_reset_after` of the NSE says so: a BSS may keep its cells over a
-- restart of the SGSN without resetting them. While the NSE is up, each cell that is unknown after such a time is
-- reset, again and again until the BSS acknowledges that or resets the cell itself.
--
-- A BSS that answers that it does not know the cell may have forgotten which cells this SGSN has, as osmo-gbproxy does
-- when NS was down. With `bvc_reset = "signalling"` the signalling BVC is reset then, after which a BSS resets all of
-- its cells: once in the time that the NSE is up, and while no cell of it is in service, since behind a gbproxy that
-- resets the cells of all SGSNs.
--
--   gb_bvc_reset.give(nse, config)  config: as in config.nses. The machine gets nse_up and nse_down
--   gb_bvc_reset.is_awaited(bvc)    whether a BVC-RESET-ACK answers the BVC-RESET of the SGSN
--   gb_bvc_reset.take_turn(nse, bvc)   the BSS does not know the cell: whether the signalling BVC is to be reset
--
-- Owner: the NSE, with resetting = { fsm =, is_signalling =, is_spent = the signalling BVC was reset }.

local fsm = require "base.fsm"
local gb_send = require "gb.send"
local cause = require("gb.cause").bssgp

local gb_bvc_reset = {}

local SIGNALLING_BVCI <const> = 0

local actions = {}

local function ask(nse, run, bvc)
  if not bvc.is_reset_by_us then
    run:log_of("bssgp", "info", "NSE %d BVCI %d: the BSS has not reset it, so it is reset here", nse.nsei, bvc.bvci)
  end
  bvc.is_reset_by_us = true
  run:count("bvc_reset_sent")
  gb_send.to_nse(run, nse, SIGNALLING_BVCI, { pdu = "bvc_reset", bvci = bvc.bvci, cause = cause.OM_INTERVENTION })
end

function actions.look(nse, run)
  for _, bvc in ipairs(nse.bvcs) do
    if bvc.fsm.state == "unknown" and not bvc.is_refused then ask(nse, run, bvc) end
  end
end

function actions.begin(nse)
  nse.resetting.is_spent = false
end

local machine = fsm.define({
  name = "bvc_reset",
  category = "bssgp",
  about = "nse",
  initial = "off",
  actions = actions,
  timers = { look = { after = "after", out = "look" } },
  states = {
    off = { on = { nse_up = { action = "begin", next = "watching" }, nse_down = {} } },
    watching = {
      timer = "look",
      on = { nse_up = {}, nse_down = { next = "off" }, look = { action = "look", next = "watching" } },
    },
  },
})

function gb_bvc_reset.give(nse, config)
  local after = config.bvc_reset_after
  if not after then return end
  nse.resetting = { fsm = fsm.new(machine, nse, "bvc_reset/" .. nse.nsei, { after = after }),
    is_signalling = config.bvc_reset == "signalling" }
end

function gb_bvc_reset.is_awaited(bvc)
  return bvc ~= nil and bvc.is_reset_by_us and bvc.fsm.state == "unknown"
end

function gb_bvc_reset.take_turn(nse, bvc)
  local resetting = nse.resetting
  if not resetting or not resetting.is_signalling or resetting.is_spent then return false end
  for _, other in ipairs(nse.bvcs) do
    if other.fsm.state ~= "unknown" then return false end
  end
  resetting.is_spent = gb_bvc_reset.is_awaited(bvc) or false
  return resetting.is_spent
end

return gb_bvc_reset
