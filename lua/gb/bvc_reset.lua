-- SPDX-License-Identifier: BSD-3-Clause
-- BVC-RESET of cells by the SGSN (48.018 §8.4), where `bvc_reset_after` of the NSE says so: a BSS may keep its cells
-- over a restart of the SGSN without resetting them, as osmo-gbproxy does. While the NSE is up, each cell that is
-- unknown after such a time is reset, again and again until the BSS acknowledges that or resets the cell itself. The
-- signalling BVC is the BSS's to reset: behind a gbproxy its reset would reset the cells of all SGSNs.
--
--   gb_bvc_reset.give(nse, after)   `after` in ns, nil: never. The machine gets nse_up and nse_down
--   gb_bvc_reset.is_awaited(bvc)    whether a BVC-RESET-ACK answers the BVC-RESET of the SGSN
--
-- Owner: the NSE, with resetting = { fsm = }.

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

local machine = fsm.define({
  name = "bvc_reset",
  initial = "off",
  actions = actions,
  timers = { look = { after = "after", out = "look" } },
  states = {
    off = { on = { nse_up = { next = "watching" }, nse_down = {} } },
    watching = {
      timer = "look",
      on = { nse_up = {}, nse_down = { next = "off" }, look = { action = "look", next = "watching" } },
    },
  },
})

function gb_bvc_reset.give(nse, after)
  if not after then return end
  nse.resetting = { fsm = fsm.new(machine, nse, "bvc_reset/" .. nse.nsei, { after = after }) }
end

function gb_bvc_reset.is_awaited(bvc)
  return bvc ~= nil and bvc.is_reset_by_us and bvc.fsm.state == "unknown"
end

return gb_bvc_reset
