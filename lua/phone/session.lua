-- SPDX-License-Identifier: BSD-3-Clause
-- A session: the PDP context of a phone, its own side (TS 24.008 clause 6.1.3). Owner: a phone of phone.phones.
-- Events rx_*: the SGSN's messages; drop: the phone is not attached any more.

local fsm = require "base.fsm"
local pco = require "phone.pco"

local session = {}

local REGULAR <const>, REACTIVATE <const> = 36, 39
local IPV4 <const> = "\1\x21"
local SUBSCRIBED_QOS <const> = "\0\0\0"
local ACKNOWLEDGED_QOS <const> = "\2\0\0" -- reliability class 2: LLC and RLC acknowledged (24.008 clause 10.5.6.5)
local RELIABILITY_MASK <const>, LAST_ACKNOWLEDGED <const> = 7, 2

local actions = {}

local function send(phone, run, message)
  message.ti, message.ti_flag = 0, message.ti_flag or 0
  phone.phones:send(run, phone, message)
end

function actions.ask(phone, run)
  local settings = phone.phones.settings
  send(phone, run, { message = "activate_request", nsapi = settings.nsapi, sapi = settings.sapi,
    qos = session.qos_wanted(settings.is_acknowledged),
    pdp_address = IPV4, apn = string.pack("s1", settings.apn), pco = pco.question() })
end

function session.qos_wanted(is_acknowledged)
  return is_acknowledged and ACKNOWLEDGED_QOS or SUBSCRIBED_QOS
end

-- Reliability classes 1 and 2 are LLC's acknowledged mode (23.107 clause 6.4.4); no SGSN gives 0.
function session.is_acknowledged(qos)
  local class = (qos and qos:byte(1) or 0) & RELIABILITY_MASK
  return class > 0 and class <= LAST_ACKNOWLEDGED
end

-- nil: it is not of IPv4.
local function address_of(message)
  local given = message.pdp_address or ""
  return #given == 6 and given:sub(1, 2) == IPV4 and ("%d.%d.%d.%d"):format(given:byte(3, 6)) or nil
end

local function tell_up(phone, run, message)
  run:emit({ what = "up", phone = phone.number, address = phone.address, nsapi = phone.phones.settings.nsapi,
    sapi = message.sapi, acknowledged = session.is_acknowledged(message.qos) })
end

-- Without an address that is one of IPv4 the context is of no use to the phone.
function actions.take(phone, run, message)
  local address = address_of(message)
  if not address then
    run:count("no_address")
    return run:post(phone.session, "give_back")
  end
  phone.address = address
  phone.dns = table.concat(pco.dns_servers(message.pco or ""), " ")
  run:count("activated")
  tell_up(phone, run, message)
  phone.phones:note_ready(run, phone)
end

-- The network modifies the context (clause 6.1.3.3.1): whatever it says is taken.
function actions.take_changes(phone, run, message)
  local address, servers = address_of(message), pco.dns_servers(message.pco or "")
  run:count("modified")
  send(phone, run, { message = "network_modify_accept" })
  if #servers > 0 then phone.dns = table.concat(servers, " ") end
  if not address or address == phone.address then return end
  run:emit({ what = "down", phone = phone.number })
  phone.address = address
  tell_up(phone, run, message)
end

function actions.note_reject(_, run, message)
  run:count(("activate_reject_%d"):format(message.cause))
end

function actions.note_silence(_, run)
  run:count("activate_no_answer")
end

function actions.send_deactivate(phone, run)
  send(phone, run, { message = "deactivate_request", cause = REGULAR })
end

-- The flag says who began the transaction, and the phone did (24.007 clause 11.2.3.1.3).
function actions.answer(phone, run, message)
  send(phone, run, { message = "deactivate_accept" })
  run:count(("deactivated_%d"):format(message.cause))
  if message.cause == REACTIVATE then run:post(phone.session, "want") end
end

function actions.forget(phone, run)
  if not phone.address then return end
  phone.address, phone.dns = nil, nil
  run:emit({ what = "down", phone = phone.number })
end

local ENDS <const> = { action = "answer", next = "idle" }

session.machine = fsm.define({
  name = "phone_session",
  initial = "idle",
  actions = actions,
  timers = {
    t3380 = { after = "t3380", retries = "repeats", again = "t3380", out = "t3380_out" },
    t3390 = { after = "t3390", retries = "repeats", again = "t3390", out = "t3390_out" },
  },
  any = { want = {}, unwant = {}, rx_accept = {}, rx_reject = {}, rx_deactivate_accept = {}, rx_modify = {},
    give_back = {}, rx_deactivate = { action = "answer" }, drop = { next = "idle" } },
  states = {
    idle = { enter = "forget", on = { want = { next = "activating" } } },
    activating = {
      enter = "ask", timer = "t3380",
      on = {
        t3380 = { action = "ask" },
        t3380_out = { action = "note_silence", next = "idle" },
        rx_accept = { action = "take", next = "active" },
        rx_reject = { action = "note_reject", next = "idle" },
        rx_deactivate = ENDS,
      },
    },
    active = {
      on = { rx_modify = { action = "take_changes" }, unwant = { next = "deactivating" },
        give_back = { next = "deactivating" }, rx_deactivate = ENDS },
    },
    deactivating = {
      enter = "send_deactivate", timer = "t3390",
      on = {
        t3390 = { action = "send_deactivate" },
        t3390_out = { next = "idle" },
        rx_deactivate_accept = { next = "idle" },
        rx_deactivate = ENDS,
      },
    },
  },
})

return session
