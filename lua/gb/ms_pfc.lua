-- SPDX-License-Identifier: BSD-3-Clause
-- One packet flow of a mobile in the cell that it is in (48.018 §8a): created by the SGSN when the cell can have it,
-- or when the BSS asks for it; gone with the cell. The worker hears of it once the BSS has accepted it.
--
-- Owner: { ms = { tlli =, bvc = cell }, pfi =, abqp = octets, users = list of slots of contexts, fsm = }; `arg` of
-- received events is { via =, pdu = }. "predefined": a PFI below 8, which needs no creation. While it is there the
-- packets of its contexts say so to the BSS.

local fsm = require "base.fsm"
local gb_send = require "gb.send"

local NEVER_EXPIRES = 0xe0 -- Packet Flow Timer: unit 7 (24.008 §10.5.7.3)
local T10_10S <const> = 0x05 -- the same for T10: five times 2 s

local actions = {}

local function send(pfc, run, pdu)
  pdu.tlli, pdu.pfi = pfc.ms.tlli, pfc.pfi
  local bvc = pfc.ms.bvc
  gb_send.to_nse(run, bvc.nse, bvc.bvci, pdu)
end

local function order_add(pfc, run)
  local bvc = pfc.ms.bvc
  run:emit({ op = "pfc_add", nsei = bvc.nse.nsei, bvci = bvc.bvci, tlli = pfc.ms.tlli, pfi = pfc.pfi })
end

local function order_del(pfc, run)
  local bvc = pfc.ms.bvc
  run:emit({ op = "pfc_del", nsei = bvc.nse.nsei, bvci = bvc.bvci, tlli = pfc.ms.tlli, pfi = pfc.pfi })
end

-- With what is known of the mobile; a BSS that may let it wait for a place is told how long.
function actions.create(pfc, run)
  local known = pfc.ms.bvc.mobiles.radio:known_of(pfc.ms.tlli)
  local priority = known.priority
  send(pfc, run, { pdu = "create_bss_pfc", pft = NEVER_EXPIRES, abqp = pfc.abqp, imsi = known.imsi,
    ms_ra_capability = known.ra_capability, priority = priority and priority.octet,
    t10 = priority and priority.may_queue and T10_10S or nil, service_utran_cco = known.service_utran_cco,
    spid = known.spid })
end

-- The BSS may accept less than it was asked for.
function actions.accepted(pfc, _, rx)
  pfc.abqp = rx.pdu.abqp
end

function actions.refused(pfc, run, rx)
  run:count(("pfc_refused_%02x"):format(rx.pdu.cause))
  run:log_of("bssgp", "warn", "TLLI %08x: the BSS refuses packet flow %d, cause 0x%02x",
    pfc.ms.tlli, pfc.pfi, rx.pdu.cause)
end

function actions.unanswered(_, run)
  run:count("pfc_unanswered")
end

function actions.modify(pfc, run, rx)
  pfc.abqp = rx.pdu.abqp
  run:touch(pfc.fsm)
  send(pfc, run, { pdu = "modify_bss_pfc_ack", pft = NEVER_EXPIRES, abqp = pfc.abqp })
end

function actions.delete(pfc, run)
  send(pfc, run, { pdu = "delete_bss_pfc" })
end

-- A context joins it (`pfi`), or is left without any.
local function label(run, pdp, pfi)
  run:emit({ op = "pdp_pfi", pdp = pdp, pfi = pfi })
end

function actions.begin(pfc, run)
  order_add(pfc, run)
  for _, pdp in ipairs(pfc.users) do label(run, pdp, pfc.pfi) end
end

function actions.join(pfc, run, pdp)
  label(run, pdp, pfc.pfi)
end

function actions.finish(pfc, run)
  for _, pdp in ipairs(pfc.users) do label(run, pdp, nil) end
  order_del(pfc, run)
end

local function keep(pfc)
  return pfc.fsm.state ~= "absent" and { tlli = pfc.ms.tlli, pfi = pfc.pfi, state = pfc.fsm.state, abqp = pfc.abqp,
    users = pfc.users } or nil
end

return fsm.define({
  name = "ms_pfc",
  initial = "absent",
  keep = keep,
  actions = actions,
  timers = {
    t7 = { after = "t7", retries = "t7_retries", again = "t7_again", out = "t7_out" },
  },
  any = {
    wanted = {},
    lost = { next = "absent" },
    rx_download_bss_pfc = { action = "create", next = "creating" },
  },
  states = {
    absent = {
      on = {
        wanted = { action = "create", next = "creating" },
        predefined = { next = "present" },
        unwanted = {},
        rx_delete_bss_pfc_ack = {},
      },
    },
    creating = {
      timer = "t7",
      on = {
        rx_create_bss_pfc_ack = { action = "accepted", next = "present" },
        rx_create_bss_pfc_nack = { action = "refused", next = "absent" },
        unwanted = { action = "delete", next = "absent" },
        t7_again = { action = "create" },
        t7_out = { action = "unanswered", next = "absent" },
      },
    },
    present = {
      enter = "begin",
      leave = "finish",
      on = {
        predefined = {},
        joined = { action = "join" },
        unwanted = { action = "delete", next = "absent" },
        rx_modify_bss_pfc = { action = "modify" },
        rx_delete_bss_pfc_req = { action = "delete", next = "absent" },
      },
    },
  },
})
