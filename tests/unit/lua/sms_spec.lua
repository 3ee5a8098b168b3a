-- SPDX-License-Identifier: BSD-3-Clause
-- Short messages of phones against the control plane, step by step: rows of sms_rows.lua.
local gsup = require "wire.gsup"
local phones = require "gmm.phones"
local records = require "base.records"
local rows = require "sms_rows"
local wire = require "wire.phone"
local spec_tools = require "spec_tools"

local octets_of, hex_of, counting = spec_tools.octets_of, spec_tools.hex_of, spec_tools.counting

local S <const> = 1000000000
local NSEI <const>, BVCI <const>, MOBILE <const> = 101, 2, 7
local CELL <const> = { tlli = 0xc0000001, nsei = NSEI, bvci = BVCI }

local function never() return false end

local function config_of(sms, settings)
  local all = { policy = "hlr", imsis = {}, reject_cause = 11, ciphering = { 0 }, half_open = 4, half_open_per_cell = 3,
    apns = { { name = "internet", sgsn_address = "10.0.0.1", ggsn_address = "10.0.0.2", class = "background",
      sapi = 3 } },
    hlr = { address = "127.0.0.1", port = 4222, name = "SGSN-test" }, sms = sms,
    timers = { t3312 = 54 * 60 * S, reachable = 240 * S, guard = 30 * S, t3350 = 6 * S, t3360 = 6 * S, t3370 = 6 * S,
      t3322 = 6 * S, t3395 = 8 * S, hlr = 6 * S, tc1 = 10 * S, tr1n = 40 * S, tr2n = 15 * S } }
  for key, value in pairs(settings or {}) do all[key] = value end
  local id = { mcc = "262", mnc = "42", lac = 0x1234, rac = 5, ci = 1 }
  return { phones = all, mobiles = { list = {} }, timers = { bssgp = { t3313 = 8 * S, t3313_retries = 2 } },
    nses = { { nsei = NSEI, cells = { { bvci = BVCI, cell_id = id } } } } }
end

local function text_of(message)
  local out = { message.message }
  local function add(field, format)
    if message[field] then out[#out + 1] = format:format(message[field]) end
  end
  for _, row in ipairs({ { "sm_rp_mr", "mr=%02x" }, { "cause", "cause=%02x" }, { "sm_rp_cause", "sm_cause=%02x" },
    { "sm_alert_reason", "alert=%d" } }) do
    add(row[1], row[2])
  end
  for _, name in ipairs({ "da", "oa", "ui" }) do
    local octets = message["sm_rp_" .. name]
    if octets then out[#out + 1] = name .. "=" .. hex_of(octets) end
  end
  add("source_name", "from %s")
  add("destination_name", "to %s")
  return (table.concat(out, " "):gsub("\0", ""))
end

local store = {} -- records by key

local WORDS <const> = {
  phone_send = function(intent)
    if not intent.sapi then return "gmm " .. assert(wire.gmm_decode(intent.octets, "sgsn")).message end
    return (intent.ciphered and "E " or "") .. intent.sapi .. " " .. hex_of(intent.octets)
  end,
  ms_wanted = function(intent)
    assert.equal(MOBILE, intent.mobile)
    return "wanted"
  end,
  phone_radio = function() end,
  hlr_open = function() return "hlr_open" end,
  hlr_close = function() return "hlr_close" end,
  hlr_send = function(intent)
    local _, octets = gsup.ipa_split(intent.octets, 1)
    return text_of(assert(gsup.decode(octets:sub(2))))
  end,
  keep = function(intent) store[intent.key] = intent.octets end,
  log = function() end,
}

local function words_of(intents)
  local out = {}
  for _, intent in ipairs(intents) do out[#out + 1] = assert(WORDS[intent.op], intent.op)(intent) end
  return out
end

local VECTOR <const> = "0070ee050a010862420200000000f103622010748e775de178af4705acdc54683f6c06210443a9e7a02208939f6ce7"
  .. "e59b1c3b2310987086b7bb4ac1661d1e977bb6f813dc24103cba3d5e1eb9f2c72a4b4075f6903c462510b0a1239cd9fd000036e951f84736"
  .. "c8b3270834812f1f7728c8bf"

local function from_hlr(p, message, now)
  return p:hlr_octets(gsup.ipa(0xee, "\5" .. gsup.encode(message)), now)
end

local function send_gmm(p, message, is_ciphered)
  return p:frame(MOBILE, CELL, is_ciphered, wire.gmm_encode(message), 0)
end

-- Until the HLR knows the SGSN's name.
local function connect(p, now)
  p:hlr_up(now)
  p:hlr_octets(octets_of("0001fe06"), now)
end

-- A node with one registered phone.
local function registered(sms, settings)
  local p = phones.new(config_of(sms, settings), wire, counting(), never)
  local is_ciphered = p.config.ciphering[1] ~= 0
  p.durations.hlr_ping = 3600 * S
  p:start(0)
  connect(p, 0)
  p:add(MOBILE, 0x7b000001, NSEI, BVCI, 0)
  send_gmm(p, { message = "attach_request", ms_network_capability = "\xe5\xe0", attach_type = 1, cksn = 7,
    drx = "\x0a\0", identity = wire.identity_octets("imsi", rows.imsi), old_rai = "\0\xf1\x10\xff\xfe\0",
    ra_capability = "\x18\xb3\x43\x2b\x25" }, false)
  p:hlr_octets(octets_of(VECTOR), 0)
  send_gmm(p, { message = "auth_response", reference = 1, sres = "\x43\xa9\xe7\xa0" }, false)
  from_hlr(p, { message = "insert_data_request", imsi = rows.imsi, msisdn = "\3\x94\x71\xf1" }, 0)
  from_hlr(p, { message = "update_location_result", imsi = rows.imsi }, 0)
  for _, intent in ipairs(send_gmm(p, { message = "attach_complete" }, is_ciphered)) do
    if intent.op == "keep" then WORDS.keep(intent) end
  end
  assert.equal("registered", p:list()[1].state)
  p.counts = {}
  return p
end

-- What a step of a row does; each returns intents.
local does = {}

function does.rx(p, step, now)
  return p:frame(MOBILE, CELL, step.ciphered or false, octets_of(step.rx), now)
end

function does.hlr(p, step, now) return from_hlr(p, step.hlr, now) end

function does.reached(p, _, now) return p:reached(MOBILE, now) end
function does.down(p, _, now) return p:hlr_down(now) end
function does.wait(p, step, now) return p:advance(now + step.wait * S) end

-- The words of GMM are left out.
function does.detach(p, _, now)
  local out = {}
  for _, intent in ipairs(p:frame(MOBILE, CELL, false, octets_of("080509"), now)) do
    if intent.op ~= "phone_del" then out[#out + 1] = intent end
  end
  table.remove(out) -- purge
  return out
end

local KINDS <const> = { "rx", "hlr", "reached", "down", "detach", "wait" }

-- A phone for which a message waits is in READY, unless the step says that it is not.
local function in_ready(p, step, intents, now)
  local phone = p.by_mobile[MOBILE]
  if step.standby or not (phone and phone.standby) then return intents end
  if step.wait then now = now + step.wait * S end
  local out = {}
  for _, intent in ipairs(intents) do
    local list = intent.op == "ms_wanted" and p:reached(MOBILE, now) or { intent }
    table.move(list, 1, #list, #out + 1, out)
  end
  return out
end

local function step_on(p, step, now)
  for _, kind in ipairs(KINDS) do
    if step[kind] ~= nil then return words_of(in_ready(p, step, does[kind](p, step, now), now)) end
  end
end

local function assert_counts(p, expected)
  for name, count in pairs(expected or {}) do assert.equal(count, p.counts[name], name) end
end

local function play(p, row)
  local now = 0
  for i, step in ipairs(row) do
    assert.same(step.out or {}, step_on(p, step, now), ("step %d"):format(i))
    now = now + (step.wait or 0) * S
  end
  assert.same({ row.left or 0, row.left or 0 }, { p.sms.count, p.sms.count_of[NSEI] or 0 })
  assert_counts(p, row.counts)
  return now
end

describe("short messages refused:", function()
  for _, row in ipairs(rows.refuse) do
    it(row.name, function() play(registered("refuse"), row) end)
  end
end)

describe("short messages by the HLR:", function()
  for _, row in ipairs(rows.hlr) do
    it(row.name, function() play(registered("hlr"), row) end)
  end
end)

it("short messages are ciphered as the phone's other messages are", function()
  local p = registered("hlr", { ciphering = { 3 } })
  assert.same({}, step_on(p, { rx = rows.mo }, 0)) -- in clear: dropped
  assert.same({ not_ciphered = 1 }, p.counts)
  local out = step_on(p, { rx = rows.mo, ciphered = true }, 0)
  assert.same({ "E 7 b904", rows.submitted }, out)
end)

it("a short message goes to the centre of the configuration", function()
  local p = registered("hlr", { sms_centre = "SMSC" })
  assert.same({ "7 b904", rows.submitted .. " to SMSC" }, step_on(p, { rx = rows.mo }, 0))
end)

it("a phone without a number sends from nobody", function()
  local p = registered("hlr")
  p.by_mobile[MOBILE].msisdn = nil
  assert.same({ "7 b904", (rows.submitted:gsub("oa=%x+", "oa=ff")) }, step_on(p, { rx = rows.mo }, 0))
end)

describe("a short message of a phone that is not registered", function()
  it("is answered as a stray message of GMM is", function()
    local p = phones.new(config_of("hlr"), wire, counting(), never)
    assert.equal(-2, p:admit(0x81234567, NSEI, BVCI, octets_of(rows.mo), 0))
    p:add(MOBILE, 0x81234567, NSEI, BVCI, 0)
    local intents = p:frame(MOBILE, CELL, false, octets_of(rows.mo), 0)
    assert.equal("gmm network_detach_request", words_of({ intents[1] })[1])
    assert.same({}, p:list())
  end)

  it("comes too early in the midst of an attach, and for it the phone is absent", function()
    local p = registered("hlr")
    p.by_mobile[MOBILE].was_registered = nil
    assert.same({}, step_on(p, { rx = rows.mo }, 0))
    assert.same({ rows.failed(27, 10) }, step_on(p, { hlr = rows.mt() }, 0))
    assert_counts(p, { sms_too_early = 1 })
  end)
end)

it("a page for a short message takes as long as a reload says", function()
  local p = registered("hlr")
  p:set("t3313", 2 * S)
  p:set("t3313_retries", 1)
  assert.same({ "wanted" }, step_on(p, { hlr = rows.mt() }, 0))
  assert.same({}, words_of(p:advance(4 * S)))
  assert.same({ rows.failed(27, 10) }, words_of(p:advance(5 * S)))
end)

it("a short message of a subscriber is not for another one who attaches under the same TLLI", function()
  local p = registered("hlr")
  assert.same({ "wanted" }, step_on(p, { hlr = rows.mt() }, 0))
  local other = rows.imsi:gsub("1$", "2")
  send_gmm(p, { message = "attach_request", ms_network_capability = "\xe5\xe0", attach_type = 1, cksn = 7,
    drx = "\x0a\0", identity = wire.identity_octets("imsi", other), old_rai = "\0\xf1\x10\xff\xfe\0",
    ra_capability = "\x18\xb3\x43\x2b\x25" }, false)
  p:hlr_octets(octets_of((VECTOR:gsub("00f1", "00f2", 1))), 0)
  send_gmm(p, { message = "auth_response", reference = 2, sres = "\x43\xa9\xe7\xa0" }, false)
  local intents = from_hlr(p, { message = "update_location_result", imsi = other }, 0)
  assert.equal(rows.failed(27, 10), words_of({ intents[1] })[1])
  send_gmm(p, { message = "attach_complete" }, false)
  assert.same({}, step_on(p, { reached = true }, 0))
end)

it("more than 1024 transactions are refused", function()
  local p = registered("hlr")
  p.sms.count = 1024
  assert.same({ "7 b91016" }, step_on(p, { rx = rows.mo }, 0))
  assert.same({ rows.failed(42, 22) }, step_on(p, { hlr = rows.mt() }, 0))
  p.sms.count = 1023
  assert.equal(2, #step_on(p, { rx = rows.mo }, 0))
end)

it("those of one NSE leave half of the transactions to others", function()
  local p, nsei = registered("hlr")
  for _, phone in ipairs(p:list()) do nsei = phone.nsei end
  p.sms.count, p.sms.count_of[nsei] = 512, 512
  assert.same({ "7 b91016" }, step_on(p, { rx = rows.mo }, 0))
  p.sms.count, p.sms.count_of[nsei] = 1000, 0
  assert.equal(2, #step_on(p, { rx = rows.mo }, 0))
  assert.equal(1, p.sms.count_of[nsei])
end)

it("requests of the phones of one NSE leave half of 1024 places to others", function()
  local request = { message = "attach_request", ms_network_capability = "\xe5\xe0", attach_type = 1, cksn = 7,
    drx = "\x0a\0", identity = wire.identity_octets("imsi", rows.imsi), old_rai = "\0\xf1\x10\xff\xfe\0",
    ra_capability = "\x18\xb3\x43\x2b\x25" }
  -- places of all, of the NSE, and how many are refused
  for _, row in ipairs({ { 512, 512, 1 }, { 511, 511, 0 }, { 1023, 1, 1 }, { 1023, 0, 0 }, { 768, 256, 1 },
    { 768, 255, 0 } }) do
    local p = registered("hlr")
    p.hlr.places, p.hlr.places_of = row[1], { [NSEI] = row[2] }
    send_gmm(p, request, false)
    assert.equal(row[3], p.counts.gsup_not_sent_22 or 0, ("%d %d"):format(row[1], row[2]))
  end
end)

-- The node after a restart of control, and what that sends.
local function restarted(p, now)
  local new, kept = phones.new(config_of("hlr"), wire, p.random, never), store
  new.durations.hlr_ping, store = 3600 * S, {}
  for key, text in pairs(kept) do assert.same({}, words_of(new:adopt(key, text, now))) end
  local out = words_of(in_ready(new, {}, new:adopted(now), now))
  assert.same({ "hlr_close" }, words_of(new:start(now)))
  assert.same({ "hlr_open" }, words_of(new:advance(now + S // 5)))
  connect(new, now)
  return new, out
end

describe("after a restart of control", function()
  setup(function() records.is_on = true end)
  teardown(function() records.is_on = false end)

  for _, row in ipairs(rows.restart) do
    it(row.name, function()
      store = {}
      local p, now = registered("hlr"), 0
      for _, step in ipairs(row.before) do assert(step_on(p, step, now)) end
      local new, out = restarted(p, now)
      assert.same(row.out or {}, out)
      play(new, row)
      for key in pairs(store) do assert.is_nil(key:find("sms")) end
    end)
  end
end)
