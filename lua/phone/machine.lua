-- SPDX-License-Identifier: BSD-3-Clause
-- The machine of GMM of one phone, its own side (TS 24.008 clause 4.7). Owner: a phone of phone.phones. Events rx_*:
-- the SGSN's messages; attach, update, detach, power_off: what its user does; moved_*: to another cell, of the
-- routeing area that the SGSN has for it, or of another one; bar: a cause that forbids to try again.

local aka = require "gmm.aka"
local fsm = require "base.fsm"
local n_pdu_numbers = require "sm.n_pdu_numbers"

-- Routeing area identification as phones send and store it (TS 24.008 clause 10.5.5.15).

local gmm = {}

local function digit(text, at) return tonumber(text:sub(at, at)) or 15 end

-- The 6 octets of { mcc =, mnc =, lac =, rac = }; MNC of 2 or 3 digits.
function gmm.rai_octets(rai)
  local mcc, mnc = rai.mcc, rai.mnc
  return string.char(digit(mcc, 2) << 4 | digit(mcc, 1), digit(mnc, 3) << 4 | digit(mcc, 3),
    digit(mnc, 2) << 4 | digit(mnc, 1)) .. string.pack(">I2B", rai.lac, rai.rac)
end

-- The actions of the machine.

local steps = {}

local GPRS <const>, NO_KEY <const>, DRX <const> = 1, 7, "\x0a\0"
local NO_AREA <const> = "\0\xf1\x10\xff\xfe\0" -- old RAI of a phone that has none
local IMSI_TYPE <const>, IMEI_TYPE <const> = 1, 2
local REATTACH <const>, DETACH <const>, POWER_OFF <const> = 1, 1, 9
local LOCAL <const>, FOREIGN <const>, RANDOM <const> = 0xc0000000, 0x80000000, 0x78000000
local MAC_FAILURE <const>, UNSPECIFIED <const> = 20, 111
local TIMES_AWAY <const> = 3 -- in turn
local NORMAL <const>, PERIODIC <const> = 0, 3 -- types of update
-- Causes after which a phone attaches at once with its IMSI, and causes after which it never does again (24.008 clauses
-- 4.7.3.1.4, 4.7.5.1.4). After all others it tries again later.
local FORGET <const> = { [9] = true, [10] = true }
local BAR <const> = { [2] = true, [3] = true, [6] = true, [7] = true, [8] = true, [11] = true, [12] = true, [13] = true,
  [14] = true, [15] = true }

local function send(phone, run, message)
  phone.phones:send(run, phone, message)
end

local function use_tlli(phone, run, tlli, restarts)
  phone.tlli = tlli
  run:emit({ what = "tlli", phone = phone.number, tlli = tlli, restarts = restarts or false })
end

local function foreign_of(p_tmsi)
  return FOREIGN | p_tmsi & 0x3fffffff
end

local function stop_ciphering(phone, run)
  if phone.key then run:emit({ what = "cipher", phone = phone.number, algorithm = 0 }) end
  phone.key = nil
end

-- --- attach

-- A P-TMSI is asked for with a foreign TLLI (clause 4.7.1.4.1); a phone without one draws a random TLLI.
function steps.begin_attach(phone, run)
  run:count("attach_tried")
  stop_ciphering(phone, run)
  use_tlli(phone, run, phone.p_tmsi and foreign_of(phone.p_tmsi) or RANDOM | phone.phones.random(0x7ffffff), true)
  steps.send_attach(phone, run)
end

function steps.send_attach(phone, run)
  local phones = phone.phones
  local wire = phones.wire
  send(phone, run, { message = "attach_request", ms_network_capability = phones.settings.capability, attach_type = GPRS,
    cksn = phone.cksn or NO_KEY, drx = DRX, old_rai = phone.rai or NO_AREA,
    identity = phone.p_tmsi and wire.identity_octets("tmsi", phone.p_tmsi) or wire.identity_octets("imsi", phone.imsi),
    ra_capability = phones.settings.ra_capability, signature = phone.p_tmsi and phone.signature or nil })
end

local function is_away(phone)
  return phone.rai ~= gmm.rai_octets(phone.phones.settings.cells[phone.cell])
end

-- An SGSN that wants to be rid of a phone says that it is in another area than its cell's: it updates at once (23.236
-- clause 4.5). One that says so again and again is left alone.
local function update_if_away(phone, run)
  phone.times_away = is_away(phone) and (phone.times_away or 0) + 1 or nil
  if phone.times_away and phone.times_away <= TIMES_AWAY then run:post(phone.fsm, "update") end
end

-- An SGSN that has another one's contexts says what that had received in acknowledged mode, and is told the same.
local function exchange_numbers(phone, run, message)
  local nsapi = phone.phones.settings.nsapi
  if not message.received_n_pdus then return nil end
  for _, told in ipairs(n_pdu_numbers.list(message.received_n_pdus)) do
    if told.nsapi == nsapi then run:emit({ what = "received", phone = phone.number, n_pdu = told.number }) end
  end
  return phone.expects and n_pdu_numbers.octets({ { nsapi = nsapi, number = phone.expects } })
end

-- The new P-TMSI holds from ACCEPT on; COMPLETE goes with it.
local function take_accept(phone, run, message, complete)
  phone.rai, phone.signature = gmm.rai_octets(message.rai), message.signature
  local kind, value = phone.phones.wire.identity(message.p_tmsi or message.identity or "")
  if kind == "tmsi" then
    phone.p_tmsi = LOCAL | value
    use_tlli(phone, run, phone.p_tmsi)
    send(phone, run, { message = complete, received_n_pdus = exchange_numbers(phone, run, message) })
  elseif phone.p_tmsi then
    use_tlli(phone, run, phone.p_tmsi)
  end
  update_if_away(phone, run)
end

function steps.take_reallocation(phone, run, message)
  run:count("reallocated")
  take_accept(phone, run, message, "p_tmsi_reallocation_complete")
end

function steps.take_attach_accept(phone, run, message)
  run:count("attached")
  take_accept(phone, run, message, "attach_complete")
  if phone.phones.settings.apn then run:post(phone.session, "want") else phone.phones:note_ready(run, phone) end
end

-- ACCEPT once more: COMPLETE was lost, or the ACCEPT before was a late one of an earlier request. Its P-TMSI holds.
function steps.complete_attach_again(phone, run, message)
  take_accept(phone, run, message, "attach_complete")
end

function steps.complete_update_again(phone, run, message)
  take_accept(phone, run, message, "rau_complete")
end

local function forget(phone)
  phone.p_tmsi, phone.signature, phone.rai, phone.cksn = nil, nil, nil, nil
end

local function judge(phone, run, cause)
  if FORGET[cause] then
    forget(phone)
    run:post(phone.fsm, "attach")
  elseif BAR[cause] then
    run:post(phone.fsm, "bar")
  end
end

function steps.judge_reject(phone, run, message)
  local kind = message.message == "attach_reject" and "attach" or "update"
  run:count(("%s_reject_%d"):format(kind, message.cause))
  judge(phone, run, message.cause)
end

function steps.note_silence(_, run)
  run:count("no_answer")
end

-- --- identity and authentication

function steps.answer_identity(phone, run, message)
  local wire, kind = phone.phones.wire, message.identity_type
  local name = kind == IMSI_TYPE and "imsi" or kind == IMEI_TYPE and "imei" or "imeisv"
  local value = name == "imsi" and phone.imsi or name == "imei" and phone.imeisv:sub(1, 15) or phone.imeisv
  send(phone, run, { message = "identity_response", identity = wire.identity_octets(name, value) })
end

-- A SIM answers a challenge by SRES whether or not it has AUTN, a USIM one with AUTN by RES. SRES, the rest of RES, and
-- the key of the algorithm; nil: AUTN is wrong.
local function answer_of(phone, message)
  local sres, kc = aka.xor_answer(phone.ki, message.rand)
  if not (phone.is_usim and message.autn) then return sres, nil, kc end
  local vector = aka.xor_usim(phone.ki, message.rand, message.autn)
  if not vector then return nil end
  return vector.res:sub(1, 4), vector.res:sub(5), aka.key_of(vector, "usim", message.algorithm)
end

-- The key holds from the frame after the response.
function steps.answer_challenge(phone, run, message)
  local phones = phone.phones
  if not message.rand then return run:count("challenge_without_rand") end
  if not phone.ki then
    run:count("challenge_without_key")
    return send(phone, run, { message = "auth_failure", cause = MAC_FAILURE })
  end
  local sres, extension, key = answer_of(phone, message)
  if not sres then
    run:count("challenge_of_another")
    return send(phone, run, { message = "auth_failure", cause = MAC_FAILURE })
  end
  phone.cksn = message.cksn
  send(phone, run, { message = "auth_response", reference = message.reference, sres = sres, res_extension = extension,
    imeisv = message.imeisv_request == 1 and phones.wire.identity_octets("imeisv", phone.imeisv) or nil })
  run:count("challenged")
  phone.key = message.algorithm > 0 and key or nil
  run:emit({ what = "cipher", phone = phone.number, algorithm = message.algorithm, key = phone.key })
end

function steps.note_auth_reject(phone, run)
  run:count("auth_reject")
  forget(phone)
end

-- --- cells and routeing areas

-- Any LLC frame tells the SGSN the cell and answers a page; GMM STATUS is one that asks for nothing.
function steps.answer_page(phone, run)
  send(phone, run, { message = "gmm_status", cause = UNSPECIFIED })
end

-- An SGSN that does not know a phone pages it by its IMSI (24.008 clause 4.7.9.1.2): it attaches again.
function steps.begin_again(phone, run)
  run:count("paged_by_imsi")
  forget(phone)
  run:post(phone.fsm, "attach")
end

-- Cell update (23.060 clause 6.9.1.1).
function steps.send_sign(phone, run)
  run:count("cell_updated")
  steps.answer_page(phone, run)
end

-- In an area where its P-TMSI was not allocated a phone has a foreign TLLI (23.003 clause 2.6). No user data leave
-- until the update is complete (clause 4.7.5.1).
function steps.begin_update(phone, run)
  run:emit({ what = "data", phone = phone.number, is_open = false })
  if is_away(phone) and phone.p_tmsi then use_tlli(phone, run, foreign_of(phone.p_tmsi)) end
  steps.send_update(phone, run)
end

function steps.open_data(phone, run)
  run:emit({ what = "data", phone = phone.number, is_open = true })
end

-- A phone that leaves the area while it detaches updates first (clause 4.7.4.1.4).
function steps.note_detach_wanted(phone)
  phone.wants_detach = true
end

function steps.send_update(phone, run)
  local settings = phone.phones.settings
  local nsapi = phone.address and settings.nsapi
  send(phone, run, { message = "rau_request", update_type = is_away(phone) and NORMAL or PERIODIC,
    cksn = phone.cksn or NO_KEY, old_rai = phone.rai,
    ra_capability = settings.ra_capability, signature = phone.signature, ms_network_capability = settings.capability,
    pdp_status = string.pack("<I2", nsapi and 1 << nsapi or 0) })
end

function steps.take_update_accept(phone, run, message)
  run:count("updated")
  take_accept(phone, run, message, "rau_complete")
  if phone.wants_detach then run:post(phone.fsm, "detach") end
  phone.wants_detach = nil
  local status = message.pdp_status and string.unpack("<I2", message.pdp_status)
  if status and status >> phone.phones.settings.nsapi & 1 == 0 then run:post(phone.session, "drop") end
end

-- --- detach

function steps.send_detach(phone, run)
  send(phone, run, { message = "detach_request", detach_type = DETACH })
end

function steps.send_power_off(phone, run)
  run:count("powered_off")
  send(phone, run, { message = "detach_request", detach_type = POWER_OFF })
end

function steps.note_detached(_, run)
  run:count("detached")
end

function steps.answer_detach(phone, run, message)
  run:count(("network_detach_%d"):format(message.cause or 0))
  send(phone, run, { message = "ms_detach_accept" })
  judge(phone, run, message.cause)
  if message.detach_type & 7 == REATTACH then run:post(phone.fsm, "attach") end
end

function steps.lose_session(phone, run)
  stop_ciphering(phone, run)
  run:post(phone.session, "drop")
end

local REJECTED <const> = { action = "judge_reject", next = "resting" }
local DETACHED <const> = { action = "answer_detach", next = "off" }
local BEGINS_AGAIN <const> = { action = "begin_again", next = "off" }
local SIGN <const> = { action = "send_sign" } -- clause 4.7.5.1.5: cell update before the procedure is complete

gmm.machine = fsm.define({
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
    rx_reallocation = {},
    moved_within = {}, moved_out = {}, page = {}, imsi_page = {},
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
        imsi_page = BEGINS_AGAIN,
        moved_within = SIGN,
        moved_out = { next = "updating" },
        update = { next = "updating" },
        detach = { next = "detaching" },
        rx_attach_accept = { action = "complete_attach_again" },
        rx_update_accept = { action = "complete_update_again" },
        rx_reallocation = { action = "take_reallocation" },
        rx_network_detach = DETACHED,
      },
    },
    updating = {
      enter = "begin_update", timer = "t3330",
      on = {
        moved_within = SIGN,
        moved_out = { next = "updating" },
        imsi_page = BEGINS_AGAIN,
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

return gmm
