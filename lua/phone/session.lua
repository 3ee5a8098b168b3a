-- SPDX-License-Identifier: BSD-3-Clause
-- The PDP context of a phone, its own side (TS 24.008 clause 6.1.3). Owner: a phone of phone.phones. Events rx_*: the
-- SGSN's messages; drop: the phone is not attached any more.

local fsm = require "base.fsm"

local session = {}

local PPP <const>, IPCP <const>, DNS_IPV4 <const> = 0x80, 0x8021, 0x000d
local REQUEST <const>, ACK <const>, NAK <const> = 1, 2, 3
local PRIMARY <const>, SECONDARY <const> = 129, 131
local NONE <const> = "\0\0\0\0"
local REGULAR <const>, REACTIVATE <const> = 36, 39
local IPV4 <const> = "\1\x21"
local SUBSCRIBED_QOS <const> = "\0\0\0"
local ACKNOWLEDGED_QOS <const> = "\2\0\0" -- reliability class 2: LLC and RLC acknowledged (24.008 clause 10.5.6.5)
local RELIABILITY_MASK <const>, LAST_ACKNOWLEDGED <const> = 7, 2

-- Protocol configuration options (TS 24.008 clause 10.5.6.3) of a phone that asks for its DNS servers, in both forms:
-- options 129 and 131 of IPCP (RFC 1877), and container 000D.
--
--   pco.question()           the octets to send
--   pco.dns_servers(octets)  { "192.0.2.53", ... } of an answer, in order, each once; malformed rest: left out

function session.pco_question()
  local options = string.pack("BBc4BBc4", PRIMARY, 6, NONE, SECONDARY, 6, NONE)
  local ipcp = string.pack(">BBI2", REQUEST, 0, #options + 4) .. options
  return string.pack(">BI2s1I2s1", PPP, IPCP, ipcp, DNS_IPV4, "")
end

local function add(list, address)
  if #address ~= 4 or address == NONE then return end
  local text = ("%d.%d.%d.%d"):format(address:byte(1, 4))
  for _, known in ipairs(list) do
    if known == text then return end
  end
  list[#list + 1] = text
end

-- Configure-Nak proposes the addresses, Configure-Ack repeats them.
local function read_ipcp(list, octets)
  if #octets < 4 or octets:byte(1) ~= ACK and octets:byte(1) ~= NAK then return end
  local at, last = 5, math.min(#octets, (string.unpack(">I2", octets, 3)))
  while at < last do
    local kind, length = octets:byte(at, at + 1)
    if length < 2 or at + length - 1 > last then return end
    if kind == PRIMARY or kind == SECONDARY then add(list, octets:sub(at + 2, at + length - 1)) end
    at = at + length
  end
end

function session.dns_servers(octets)
  local list, at = {}, 2
  while at + 2 <= #octets do
    local protocol, length = string.unpack(">I2B", octets, at)
    local content = octets:sub(at + 3, at + 2 + length)
    if #content < length then break end
    if protocol == IPCP then read_ipcp(list, content) end
    if protocol == DNS_IPV4 then add(list, content) end
    at = at + 3 + length
  end
  return list
end

-- The PDP context of a phone, its own side (TS 24.008 clause 6.1.3). Owner: a phone of phone.phones. Events rx_*: the
-- SGSN's messages; drop: the phone is not attached any more.

local actions = {}

local function send(phone, run, message)
  message.ti, message.ti_flag = 0, message.ti_flag or 0
  phone.phones:send(run, phone, message)
end

function actions.ask(phone, run)
  local settings = phone.phones.settings
  send(phone, run, { message = "activate_request", nsapi = settings.nsapi, sapi = settings.sapi,
    qos = session.qos_wanted(settings.is_acknowledged),
    pdp_address = IPV4, apn = string.pack("s1", settings.apn), pco = session.pco_question() })
end

function session.qos_wanted(is_acknowledged)
  return is_acknowledged and ACKNOWLEDGED_QOS or SUBSCRIBED_QOS
end

-- Reliability classes 1 and 2 are LLC's acknowledged mode (23.107 clause 6.4.4); no SGSN gives 0.
function session.is_acknowledged(qos)
  local class = (qos and qos:byte(1) or 0) & RELIABILITY_MASK
  return class > 0 and class <= LAST_ACKNOWLEDGED
end

-- Without an address that is one of IPv4 the context is of no use to the phone.
function actions.take(phone, run, message)
  local given = message.pdp_address or ""
  if #given ~= 6 or given:sub(1, 2) ~= IPV4 then
    run:count("no_address")
    return run:post(phone.session, "give_back")
  end
  phone.address = ("%d.%d.%d.%d"):format(given:byte(3, 6))
  phone.dns = table.concat(session.dns_servers(message.pco or ""), " ")
  run:count("activated")
  run:emit({ what = "up", phone = phone.number, address = phone.address, nsapi = phone.phones.settings.nsapi,
    sapi = message.sapi, acknowledged = session.is_acknowledged(message.qos) })
  phone.phones:note_ready(run, phone)
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
  any = { want = {}, unwant = {}, rx_accept = {}, rx_reject = {}, rx_deactivate_accept = {}, give_back = {},
    rx_deactivate = { action = "answer" }, drop = { next = "idle" } },
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
      on = { unwant = { next = "deactivating" }, give_back = { next = "deactivating" }, rx_deactivate = ENDS },
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
