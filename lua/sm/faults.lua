-- SPDX-License-Identifier: BSD-3-Clause
-- Faults in messages of SM: which messages are ignored, and what answers the others (24.008 §8.2 to §8.5). The
-- transaction is judged before what the message says (§8.1: in this order).
--
--   sm_faults.find(message, is_known) a decoded message, or what its refusal says: { ti =, ti_flag =, type =, cause =};
--                                     is_known: there is a context with its TI. Returns nil: it is taken; else the
--                                     name of a counter and the answer without its transaction, nil: no answer
--   sm_faults.mend_flag(run, phone, message, octets)   sets a wrong flag of a request right where it can mean one thing
--   sm_faults.OF_GTP                  the cause of SM for a cause of GTP-C

local sm_faults = {}

local INSUFFICIENT_RESOURCES <const>, NETWORK_FAILURE <const> = 26, 38
local INVALID_TI <const>, NOT_COMPATIBLE <const> = 81, 98

-- The cause of SM (24.008 §10.5.6.6) that a phone is told for a cause of GTP-C (29.060 §7.7.1).

sm_faults.OF_GTP = {
  [0] = NETWORK_FAILURE, [199] = INSUFFICIENT_RESOURCES, [200] = 32, [201] = 96, [202] = 96, [203] = 111,
  [204] = NETWORK_FAILURE, [205] = 33, [206] = 111, [207] = 111, [208] = 29, [209] = 29, [210] = 111,
  [211] = INSUFFICIENT_RESOURCES, [212] = INSUFFICIENT_RESOURCES, [213] = 111, [214] = 111, [215] = 41, [216] = 42,
  [217] = 44, [218] = 45, [219] = 27, [220] = 28, [221] = 46,
}

-- Whether a message begins a transaction: any TI is right then.
local BEGINS <const> = { activate_request = true, secondary_request = true }

-- Whether the network takes a message of a phone at all.
local TAKEN <const> = { activate_request = true, secondary_request = true, modify_request = true,
  deactivate_request = true, deactivate_accept = true, network_modify_accept = true, sm_status = true }

-- By their types: the names of messages that get an answer of their own, and that answer (§8.5.5).
local NAMES <const> = { [0x41] = "activate_request", [0x46] = "deactivate_request", [0x4a] = "modify_request",
  [0x4d] = "secondary_request", [0x55] = "sm_status" }
local ANSWERS <const> = { activate_request = "activate_reject", modify_request = "modify_reject",
  secondary_request = "secondary_reject", deactivate_request = "deactivate_accept" }

local function status(cause)
  return { message = "sm_status", cause = cause }
end

-- The type was read, the rest is wrong.
local function answer_to(name, cause)
  local answer = ANSWERS[name]
  if not answer then return status(cause) end
  return { message = answer, cause = answer ~= "deactivate_accept" and cause or nil }
end

-- Requests that begin a transaction with flag 1, which would be one of the network. §8.3.2 c has them ignored. Yet this
-- network begins no transaction, so an ACTIVATE of libosmo-gprs, which is made so, can only mean one of the phone: it
-- is taken as one with flag 0, unless another context has its NSAPI or TI, which it would end. Answers have flag 1, as
-- to any phone; libosmo-gprs does not look at theirs.
function sm_faults.mend_flag(run, phone, message, octets)
  if message.ti_flag ~= 1 or not BEGINS[message.message] then return end
  local is_taken = message.message == "activate_request"
  for nsapi, context in pairs(phone.contexts) do
    if (nsapi == message.nsapi or context.ti == message.ti) and context.octets ~= octets then is_taken = false end
  end
  run:count("sm_wrong_flag")
  run:log_of("sm", "info", "%s/%d: %s has TI flag 1, which is the network's: %s", phone.imsi, message.nsapi,
    message.message, is_taken and "taken as 0" or "ignored")
  if is_taken then message.ti_flag = 0 end
end

-- A phone begins its transactions with flag 0, and the network begins none: a message with flag 1 belongs to no
-- transaction (§8.3.2 d). DEACTIVATE is answered by ACCEPT all the same, so that both ends agree; SM STATUS by nothing.
function sm_faults.find(message, is_known)
  local name = message.message or NAMES[message.type]
  if message.cause == 0 and not message.message then return "sm_ignored" end
  if BEGINS[name] and message.ti_flag == 1 then return "sm_ignored" end
  if name == "sm_status" then
    if message.message then return nil end
    return "bad_message"
  end
  if not BEGINS[name] and name ~= "deactivate_request" and (not is_known or message.ti_flag == 1) then
    return "sm_unknown_ti", status(INVALID_TI)
  end
  if not message.message then return "bad_message", answer_to(name, message.cause) end
  if not TAKEN[name] then return "bad_message", status(NOT_COMPATIBLE) end
end

return sm_faults
