-- SPDX-License-Identifier: BSD-3-Clause
-- GMM of one phone, its own side (TS 24.008 clause 4.7). Owner: a phone of phone.phones. Events rx_*: the SGSN's
-- messages; attach, update, detach, power_off: what its user does; moved_*: to another cell, of the routeing area that
-- the SGSN has for it, or of another one; bar: a cause that forbids to try again.

local fsm = require "base.fsm"
local steps = require "phone.steps"

local REJECTED <const> = { action = "judge_reject", next = "resting" }
local DETACHED <const> = { action = "answer_detach", next = "off" }
local SIGN <const> = { action = "send_sign" } -- clause 4.7.5.1.5: cell update before the procedure is complete

return fsm.define({
  name = "phone",
  initial = "off",
  actions = steps,
  timers = {
    turn = { after = "turn", out = "attach" },
    t3302 = { after = "t3302", out = "attach" },
    t3310 = { after = "t3310", retries = "repeats", again = "t3310", out = "t3310_out" },
    t3321 = { after = "t3321", retries = "repeats", again = "t3321", out = "t3321_out" },
    t3330 = { after = "t3330", retries = "repeats", again = "t3330", out = "t3330_out" },
  },
  any = {
    wait = {}, attach = {}, update = {}, detach = {}, bar = {}, rx_attach_accept = {}, rx_attach_reject = {},
    rx_update_accept = {}, rx_update_reject = {}, rx_detach_accept = {}, rx_information = {}, rx_network_detach = {},
    moved_within = {}, moved_out = {}, page = {},
    power_off = { action = "send_power_off", next = "off" },
    rx_identity = { action = "answer_identity" },
    rx_challenge = { action = "answer_challenge" },
    rx_auth_reject = { action = "note_auth_reject", next = "barred" },
  },
  states = {
    off = {
      enter = "lose_session",
      on = { wait = { next = "waiting" }, attach = { next = "attaching" }, bar = { next = "barred" }, power_off = {},
        rx_identity = {}, rx_challenge = {}, rx_auth_reject = {} },
    },
    waiting = { timer = "turn", on = { attach = { next = "attaching" } } },
    attaching = {
      enter = "begin_attach", timer = "t3310",
      on = {
        t3310 = { action = "send_attach" },
        t3310_out = { action = "note_silence", next = "resting" },
        rx_attach_accept = { action = "take_attach_accept", next = "registered" },
        rx_attach_reject = REJECTED,
        moved_out = { next = "attaching" },
      },
    },
    resting = {
      enter = "lose_session", timer = "t3302",
      on = { attach = { next = "attaching" }, moved_out = { next = "attaching" }, bar = { next = "barred" } },
    },
    barred = { enter = "lose_session" },
    registered = {
      enter = "open_data",
      on = {
        page = { action = "answer_page" },
        moved_within = SIGN,
        moved_out = { next = "updating" },
        update = { next = "updating" },
        detach = { next = "detaching" },
        rx_attach_accept = { action = "complete_attach_again" },
        rx_update_accept = { action = "complete_update_again" },
        rx_network_detach = DETACHED,
      },
    },
    updating = {
      enter = "begin_update", timer = "t3330",
      on = {
        moved_within = SIGN,
        moved_out = { next = "updating" },
        t3330 = { action = "send_update" },
        t3330_out = { action = "note_silence", next = "resting" },
        rx_update_accept = { action = "take_update_accept", next = "registered" },
        rx_update_reject = REJECTED,
        rx_network_detach = DETACHED,
      },
    },
    detaching = {
      enter = "send_detach", timer = "t3321",
      on = {
        moved_within = SIGN,
        moved_out = { action = "note_detach_wanted", next = "updating" },
        t3321 = { action = "send_detach" },
        t3321_out = { action = "note_silence", next = "off" },
        rx_detach_accept = { action = "note_detached", next = "off" },
        rx_network_detach = DETACHED,
      },
    },
  },
})
