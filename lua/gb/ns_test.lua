-- SPDX-License-Identifier: BSD-3-Clause
-- The test procedure of an NS-VC (48.016 §7.4), run by both ends independently: NS-ALIVE, wait Tns-alive for an answer,
-- rest Tns-test, again. When the retries are used up the NS-VC's own machine is told by the event "alive_lost", after
-- each answer by "peer_alive".
--
-- Owner: { wire =, index =, fsm = machine of the NS-VC }.

local fsm = require "base.fsm"
local gb_send = require "gb.send"

local actions = {}

function actions.send_alive(vc, run)
  gb_send.ns(run, vc.wire, vc.index, { pdu = "alive" })
end

function actions.report_life(vc, run)
  run:post(vc.fsm, "peer_alive")
end

function actions.report_loss(vc, run)
  run:post(vc.fsm, "alive_lost")
end

return fsm.define({
  name = "ns_test",
  initial = "off",
  actions = actions,
  timers = {
    alive = { after = "alive", retries = "alive_retries", again = "alive_again", out = "alive_lost" },
    test = { after = "test", out = "test_due" },
  },
  any = {
    begin = { next = "probing" },
    stop = { next = "off" },
  },
  states = {
    off = {},
    probing = {
      enter = "send_alive",
      timer = "alive",
      on = {
        rx_alive_ack = { action = "report_life", next = "resting" },
        alive_again = { action = "send_alive" },
        alive_lost = { action = "report_loss", next = "off" },
      },
    },
    resting = {
      timer = "test",
      on = {
        test_due = { next = "probing" },
      },
    },
  },
})
