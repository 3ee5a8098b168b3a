-- SPDX-License-Identifier: BSD-3-Clause
-- Phones against the control plane's GMM, SM and GSUP, step by step: rows of phones_rows.lua.
local phones = require "gmm.phones"
local records = require "base.records"
local rows = require "phones_rows"
local rows_before = require "phones_rows_before"
local words = require "phones_words"
local gsup, wire = require "wire.gsup", require "wire.phone"
local spec_tools = require "spec_tools"

-- counting: so that P-TMSIs are c0000001, c0000003 and so on, with a signature between.
local hex_of, counting = spec_tools.hex_of, spec_tools.counting

local S <const>, MS <const> = 1000000000, 1000000
local NSEI <const>, BVCI <const>, MOBILE <const>, TLLI <const> = 101, 2, 7, 0x7b000001

-- No two are the same, so that each timer is seen to be the one that its state has.
local TIMERS <const> = { t3312 = 54 * 60 * S, reachable = 240 * S, guard = 31 * S, t3350 = 6 * S, t3360 = 3 * S,
  t3370 = 7 * S, t3322 = 2 * S, t3386 = 10 * S, t3395 = 8 * S, hlr = 12 * S }

-- settings: of a row, in place of the usual ones; `mobiles` is not one of phones.
local function config_of(settings)
  local all = { policy = "accept_all", area_checks = true, authenticate = "always", imsis = {}, reject_cause = 11,
    ciphering = { 3, 0 }, half_open = 4, half_open_per_cell = 3,
    apns = { { name = "internet", sgsn_address = "10.0.0.1", ggsn_address = "10.0.0.2", class = "background",
        sapi = 3 } },
    hlr = { address = "127.0.0.1", port = 4222, name = "SGSN-test" },
    timers = TIMERS, mobiles = { list = {} } }
  for key, value in pairs(settings or {}) do all[key] = value end
  local timers = {}
  for name, value in pairs(TIMERS) do timers[name] = all.timers[name] or value end
  all.timers = timers
  local id = { mcc = "262", mnc = "42", lac = 0x1234, rac = 5, ci = 1 }
  return { phones = all, mobiles = all.mobiles, nses = { { nsei = NSEI, cells = { { bvci = BVCI, cell_id = id },
    { bvci = 3, cell_id = { mcc = "262", mnc = "42", lac = 0x1234, rac = 6, ci = 2 } },
    { bvci = 4, cell_id = { mcc = "262", mnc = "42", lac = 0x1234, rac = 5, ci = 3 } } } } } }
end

local first_tllis, cksn_given, in_list = {}, nil, nil -- by mobile; of the latest step; the IMSI of mobiles.list
local function is_listed(imsi) return imsi == in_list end
local ACT <const> = 3 -- the number of an operator's act

local WORDS <const> = {
  phone_send = function(intent)
    local decode = intent.octets:byte() & 15 == 8 and wire.gmm_decode or wire.sm_decode
    local message = assert(decode(intent.octets, "sgsn"))
    local text = (intent.ciphered and "E " or "") .. message.message
    local is_other = intent.tlli and intent.tlli ~= first_tllis[intent.mobile]
    if is_other then text = ("%s to %08x"):format(text, intent.tlli) end
    if intent.bvci and intent.bvci ~= BVCI then text = text .. " in " .. intent.bvci end
    if message.pdp_status and message.pdp_status ~= "\0\0" then text = text .. " pdp " .. hex_of(message.pdp_status) end
    text = text .. words.quality_of(message) .. words.values_told(message)
    if message.message:find("modify") then text = text .. words.octets_told(message, "pco") end
    if message.message == "auth_request" and message.algorithm == 4 then text = text .. " GEA/4" end
    cksn_given = message.cksn or cksn_given
    if message.message == "auth_request" and not message.autn then text = text .. " without AUTN" end
    local address = message.pdp_address and hex_of(message.pdp_address) or ""
    if #address > 4 and address ~= "01210a0b0002" or message.second_cause then text = text .. " " .. address end
    if message.second_cause then text = text .. " second cause " .. message.second_cause end
    if message.message == "network_detach_request" and message.detach_type == 1 and not message.cause then
      text = text .. " type 1"
    end
    if message.teardown == 0 then text = text .. " alone" end
    if message.cause then text = text .. " " .. message.cause end
    if (message.ti or 0) > 6 then text = text .. " ti " .. message.ti end
    return message.ti_flag == 0 and text .. " flag 0" or text
  end,
  acted = function(intent) return intent.done and "acted done" or "acted failed" end,
  act_kept = function(intent) assert.equal(ACT, intent.id) end,
  ms_wanted = function(intent)
    assert.equal(MOBILE, intent.mobile)
    return "wanted"
  end,
  phone_heard = function(intent) return intent.bvci ~= BVCI and "heard in " .. intent.bvci or nil end,
  phone_tlli = function(intent) return ("tlli %08x%s"):format(intent.tlli, intent.keeps_old and " and old" or "") end,
  phone_cipher = function(intent) return ("cipher %d %s"):format(intent.algorithm, hex_of(intent.key)) end,
  phone_imsi = function(intent) return "imsi " .. intent.imsi end,
  phone_radio = function(intent)
    local capability, drx = hex_of(intent.ra_capability or ""), hex_of(intent.drx or "")
    if capability ~= "18b3432b25" or drx ~= "" and drx ~= "0a00" then return ("radio %s %s"):format(capability, drx) end
  end,
  phone_page = function(intent) return "page " .. intent.imsi end,
  ms_llc_reset = function(intent) return "reset " .. intent.mobile end,
  phone_del = function(intent) return "del " .. intent.mobile end,
  phone_pdp_add = function(intent)
    local wanted, text = intent.wanted, ("pdp_add %d %s %s"):format(intent.nsapi, intent.wanted.apn, intent.wanted.ggsn)
    assert.same({ "10.0.0.1", wanted.ours, wanted.nsapi }, { intent.ours, intent.ours, intent.nsapi })
    if intent.pdp_type ~= "ipv4" then text = text .. " " .. intent.pdp_type end
    if intent.any_payload then text = text .. " any" end
    if intent.sapi ~= 3 then text = ("%s sapi %d"):format(text, intent.sapi) end
    if not intent.linked and wanted.class ~= "background" then text = text .. " " .. wanted.class end
    if not intent.linked and wanted.ipv4 then text = text .. " asks " .. wanted.ipv4 end
    if intent.linked then
      text = ("%s %s linked %d %s%s"):format(text, wanted.class, intent.linked, wanted.ipv4,
        wanted.tft and " tft " .. hex_of(wanted.tft) or "")
    end
    if intent.pfi then text = text .. " pfi " .. intent.pfi end
    if wanted.msisdn then text = text .. " msisdn " .. wanted.msisdn end
    if wanted.charging then text = ("%s charging %04x"):format(text, wanted.charging) end
    return wanted.imeisv and text .. " imeisv " .. wanted.imeisv or text
  end,
  phone_record = function(intent)
    local what = intent.attached and "attach" or "detach " .. intent.cause
    return ("record %s %s%s"):format(what, intent.imsi, intent.msisdn and " " .. intent.msisdn or "")
  end,
  phone_pdp_class = function(intent)
    return ("pdp_class %d %s%s%s"):format(intent.nsapi, intent.class, words.octets_told(intent, "tft"),
      words.octets_told(intent, "pco"))
  end,
  phone_pdp_modified = function(intent)
    return ("modified %d %d %s%s%s"):format(intent.nsapi, intent.cause, intent.class or "-",
      words.qos_given(intent), words.octets_told(intent, "pco"))
  end,
  phone_pdp_llc = function(intent)
    return ("pdp_llc %d %s"):format(intent.nsapi, intent.acknowledged and "acknowledged" or "unacknowledged")
  end,
  phone_pdp_del = function(intent) return "pdp_del " .. intent.nsapi end,
  hlr_open = function() return "hlr_open" end,
  hlr_close = function() return "hlr_close" end,
  hlr_send = function(intent)
    local stream, octets = gsup.ipa_split(intent.octets, 1)
    if stream == 0xfe then return "ccm " .. octets:byte() .. words.texts_of(octets) end
    local message = assert(gsup.decode(octets:sub(2)))
    if not message.message then return ("gsup %02x %d"):format(message.type, message.cause) end
    assert.equal(message.message == "update_location_request" and "\1" or nil, message.rat_types) -- GERAN A/Gb
    assert.equal(message.message == "auth_info_request" and 5 or nil, message.vectors)
    if message.imei then return ("gsup %s %s"):format(message.message, hex_of(message.imei)) end
    local text = "gsup " .. message.message .. (message.auts and " auts" or "")
    return message.cause and text .. " " .. message.cause or text
  end,
}

local last_line -- of the log

function WORDS.log(intent) last_line = intent.text end

local store = {} -- records by key

function WORDS.keep(intent) store[intent.key] = intent.octets end

local function words_of(intents)
  local out = {}
  for _, intent in ipairs(intents) do out[#out + 1] = assert(WORDS[intent.op], intent.op)(intent) end
  return out
end

local function octets_of(message)
  if type(message) == "string" then
    return (message:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
  end
  return message.ti and wire.sm_encode(message) or wire.gmm_encode(message)
end

-- What a step of a row does; each returns intents.
local does = {}

function does.rx(p, step, now)
  local tlli = step.tlli or first_tllis[step.mobile or MOBILE] or TLLI
  local from = { tlli = tlli, nsei = step.nsei or NSEI, bvci = step.bvci or BVCI, restarted = step.restarted }
  return p:frame(step.mobile or MOBILE, from, step.ciphered or false, octets_of(step.rx), now)
end

function does.add(p, step, now)
  local tlli = step.tlli or TLLI
  local verdict = p:admit(tlli, NSEI, step.bvci or BVCI, octets_of(step.add), now)
  assert.equal(step.verdict or -2, verdict)
  if verdict ~= -2 then return {} end
  first_tllis[step.mobile or MOBILE] = tlli
  local from = { tlli = tlli, nsei = NSEI, bvci = step.bvci or BVCI }
  local intents = p:add(step.mobile or MOBILE, tlli, NSEI, step.bvci or BVCI, now)
  for _, intent in ipairs(p:frame(step.mobile or MOBILE, from, false, octets_of(step.add), now)) do
    intents[#intents + 1] = intent
  end
  return intents
end

function does.stray(p, step, now)
  local tlli, mobile = step.tlli or TLLI, step.mobile or MOBILE
  assert.equal(step.verdict or -2, p:admit(tlli, NSEI, step.bvci or BVCI, "", now))
  if step.verdict then return {} end
  first_tllis[mobile] = tlli
  p:add(mobile, tlli, NSEI, step.bvci or BVCI, now)
  return p:stray(mobile, step.stray == "ciphered", now)
end

function does.up(p, step, now) return p:context_up(MOBILE, step.nsapi or 5, step.up, now) end
function does.down(p, step, now) return p:context_down(MOBILE, step.nsapi or 5, step.down, now) end
function does.class(p, step, now)
  local given = { class = step.class, cause = step.cause or 0, qos = step.qos, pco = step.pco }
  return p:context_class(MOBILE, step.nsapi or 5, given, now)
end
function does.modify(p, step, now) return p:context_modify(MOBILE, step.nsapi or 5, step.modify, now) end
function does.mode(p, step, now) return p:context_llc(MOBILE, step.nsapi or 5, step.mode, now) end
function does.lost(p, step, now) return p:context_llc_lost(MOBILE, step.lost, now) end
function does.reached(p, _, now) return p:reached(MOBILE, now) end
function does.suspended(p, _, now) return p:suspended(MOBILE, now) end
function does.act(p, step, now)
  assert.is_nil(p:plan(step.act).refusal)
  return p:act(step.act, ACT, now)
end
function does.listed(p, step, now) in_list = step.listed; return p:listed(in_list, now) end
function does.reload(p, step, now) return p:configure(config_of(step.reload).phones, now) end
function does.start(p, _, now) return p:start(now) end
function does.hlr(p, step, now)
  if step.hlr == "up" then return p:hlr_up(now) end
  if step.hlr == "down" then return p:hlr_down(now) end
  return p:hlr_octets(octets_of(step.hlr), now)
end

-- step.wait: seconds, or the name of a timer.
local function duration_of(p, wait)
  local timers = p.config.timers
  if wait == "implicit" then return timers.t3312 + timers.reachable end
  return timers[wait] or wait * S
end

function does.wait(p, step, now) return p:advance(now + duration_of(p, step.wait)) end

local KINDS <const> = { "rx", "add", "stray", "up", "down", "class", "modify", "mode", "lost", "reached",
  "suspended", "start", "hlr", "act", "listed", "reload", "wait" }

-- Where a row is not about that, a phone that is wanted is in READY.
local function step_of(p, row, kind, step, now)
  local intents, out = does[kind](p, step, now), {}
  if row.standby then return intents end
  if kind == "wait" then now = now + duration_of(p, step.wait) end
  for _, intent in ipairs(intents) do
    local list = intent.op == "ms_wanted" and p:reached(intent.mobile, now) or { intent }
    table.move(list, 1, #list, #out + 1, out)
  end
  return out
end

-- Without the keys, which have the first TLLI of a phone.
local function values_of(kept)
  local values = {}
  for _, text in pairs(kept) do values[#values + 1] = text end
  table.sort(values)
  return values
end

-- Another object with the records of the one before.
local function restarted(p, now)
  local new, kept = phones.new(config_of(p.config), wire, p.random, is_listed), store
  store = {}
  for key, text in pairs(kept) do assert.same({}, words_of(new:adopt(key, text, now))) end
  assert.same({}, words_of(new:adopted(now)))
  assert.equal(p.admission.open, new.admission.open)
  assert.same(values_of(kept), values_of(store))
  return new
end

local function assert_counts(report, expected)
  local counts, last = {}, ""
  for _, entry in ipairs(report) do
    assert.is_true(last < entry.name)
    counts[entry.name], last = entry.count, entry.name
  end
  for name, count in pairs(expected) do assert.equal(count, counts[name] or 0, name) end
end

local function size_of(map)
  local count = 0
  for _ in pairs(map) do count = count + 1 end
  return count
end

-- restart_at: the step after which control restarts, nil: none.
-- other: settings before a reload brings those of the row.
local function play(row, restart_at, other)
  local p, now = phones.new(config_of(other or row.settings), wire, counting(), is_listed), 0
  store, in_list = {}, nil
  if other then assert.same({}, words_of(p:configure(config_of(row.settings).phones, now))) end
  for i, step in ipairs(row) do
    if step.wait then
      local early = p:advance(now + duration_of(p, step.wait) - MS)
      assert.same({}, words_of(early), ("step %d, before its time"):format(i))
    end
    for _, kind in ipairs(KINDS) do
      if step[kind] ~= nil then
        cksn_given, last_line = nil, nil
        assert.same(step.out or {}, words_of(step_of(p, row, kind, step, now)), ("step %d, %s"):format(i, kind))
        if step.is_up ~= nil then assert.equal(step.is_up and "up" or "down", p:hlr_state().state, i) end
        if step.cksn then assert.equal(step.cksn, cksn_given) end
        if step.log then assert.equal(step.log, last_line) end
      end
    end
    if step.wait then now = now + duration_of(p, step.wait) end
    if i == restart_at then p = restarted(p, now) end
  end
  if not restart_at then assert_counts(p:report(), row.counts or {}) end
  local left = {}
  for _, entry in ipairs(p:list()) do left[#left + 1] = entry.state .. " " .. entry.contexts end
  assert.same(row.left or {}, left)
  if #left == 0 then assert.same({ 0, 0 }, { size_of(p.by_imsi), size_of(p.by_p_tmsi) }) end
  return p
end

describe("a phone", function()
  for _, row in ipairs(rows) do
    it(row.name, function() play(row) end)
    it(row.name .. ", after a reload", function() play(row, nil, rows_before.settings_of(row, TIMERS)) end)
  end
end)

local LASTING <const> = { registered = true, accepting = true, updating = true, probing = true, detaching = true }

-- Steps of a row after which all phones are in a state that lasts, and behind which no timer expires. Without an HLR:
-- the connection to it is a new one after a restart.
local function steps_that_last(row)
  local p, steps, now = phones.new(config_of(row.settings), wire, counting(), is_listed), {}, 0
  in_list = nil
  for i, step in ipairs(row) do
    for _, kind in ipairs(KINDS) do
      if step[kind] ~= nil then step_of(p, row, kind, step, now) end
    end
    if step.start or step.hlr then return {} end
    if step.wait then now, steps = now + duration_of(p, step.wait), {} end
    local is_lasting = not row.without_restart
    for _, phone in pairs(p.by_mobile) do is_lasting = is_lasting and LASTING[phone.fsm.state] end
    if is_lasting then steps[#steps + 1] = i end
  end
  return steps
end

describe("a restart of control", function()
  setup(function() records.is_on = true end)
  teardown(function() records.is_on = false end)

  for _, row in ipairs(rows) do
    local steps = steps_that_last(row)
    if #steps > 0 then
      it("is not noticed: " .. row.name, function()
        for _, i in ipairs(steps) do play(row, i) end
      end)
    end
  end

  it("makes the HLR forget its connection first", function()
    local p = restarted(phones.new(config_of({ policy = "hlr" }), wire, counting(), is_listed), 0)
    assert.same({ "hlr_close" }, words_of(p:start(0)))
    assert.same({}, words_of(p:advance(S // 5 - MS)))
    assert.same({ "hlr_open" }, words_of(p:advance(S // 5)))
  end)

  it("keeps why a context has ended, for the next time that the phone is told", function()
    local row = rows.by_name["whose GGSN deletes the context for good says nothing"]
    local p = restarted(play(row), 0)
    assert.same({ "wanted" }, words_of(p:advance(60 * S)))
    assert.same({ "deactivate_request 36" }, words_of(p:reached(MOBILE, 60 * S)))
  end)

  it("forgets what a request has claimed, and not proven", function()
    local row = rows.by_name["claims another IMSI and equipment under the TLLI of a registered one"]
    local p = play(row)
    local phone = p.by_mobile[MOBILE]
    local former = phone.former
    assert.same({ "262420000000002", "351234567890120" }, { phone.imsi, phone.imeisv })
    phone = restarted(p, 0).by_mobile[MOBILE]
    assert.same({ "262420000000001", "262420000000001" }, { phone.imsi, phone.known })
    for _, name in ipairs({ "signature", "cksn", "algorithm", "imeisv" }) do assert.equal(former[name], phone[name]) end
  end)

  it("forgets a phone that has not been sent its ACCEPT", function()
    local p = phones.new(config_of({ policy = "hlr" }), wire, counting(), is_listed)
    store = {}
    words_of(does.add(p, { add = rows.attach("262420000000001") }, 0))
    assert.is_nil(next(store))
    assert.is_false(restarted(p, 0):has(MOBILE))
  end)
end)

it("a phone is given no P-TMSI of another one", function()
  local p = phones.new(config_of(), wire, function() return 2 end, is_listed)
  does.add(p, { add = rows.attach("262420000000001") }, 0)
  assert.error_matches(function()
    does.add(p, { add = rows.attach("262420000000002"), mobile = 8, tlli = 0x7b000002 }, 0)
  end, "no free P%-TMSI in 64 draws")
  assert.equal("262420000000001", p.by_p_tmsi[0xc0000002].known)
end)

it("a P-TMSI is free when no messages have its TLLI any more, however many subscribers attach under it", function()
  local p = play(rows.by_name["attaches with its IMSI"])
  for number = 2, 4 do
    does.rx(p, { rx = rows.attach("26242000000000" .. number), tlli = 0xc0000001 }, 0)
    assert.equal(p.by_mobile[MOBILE], p.by_p_tmsi[0xc0000001])
  end
  does.rx(p, { rx = { message = "attach_complete" }, tlli = 0xc0000001 }, 0)
  assert.is_nil(p.by_p_tmsi[0xc0000001])
  assert.equal(1, size_of(p.by_p_tmsi))
end)

it("a P-TMSI holds in the areas that the node has, as cells come and go", function()
  local p = phones.new(config_of(), wire, counting(), is_listed)
  does.add(p, { add = rows.attach("262420000000001") }, 0)
  local id, rai = { mcc = "262", mnc = "42", lac = 1, rac = 7 }, "\x62\xf2\x24\0\1\7"
  local function is_claimed() return p:claimed_by(0xc0000001, rai) ~= nil end
  assert.is_false(is_claimed())
  p:cell_add(102, 2, id)
  p:cell_add(102, 3, id)
  p:cell_add(102, 3, id)
  p:cell_del(102, 2)
  assert.is_true(is_claimed())
  p:cell_add(102, 3, { mcc = "262", mnc = "42", lac = 1, rac = 8 })
  assert.is_false(is_claimed())
end)

it("a phone is told the READY timer of a reload", function()
  local p = phones.new(config_of(), wire, counting(), is_listed)
  local function told()
    for _, intent in ipairs(does.add(p, { add = rows.attach("262420000000001") }, 0)) do
      if intent.op == "phone_send" then return wire.gmm_decode(intent.octets, "sgsn").ready_timer end
    end
  end
  assert.equal(22, told()) -- 44 s
  for value, octet in pairs({ [9 * S] = 4, [125 * S] = 0x22, [0] = 0xe0 }) do
    p:set("ready_timer", value)
    does.rx(p, { rx = { message = "detach_request", detach_type = 9 } }, 0)
    assert.equal(octet, told())
  end
end)

-- By section, or by section and number, the values of a phone's detail.
local function detail_of(p, now)
  local found = {}
  for _, row in ipairs(p:detail(MOBILE, now)) do
    local key = row.section .. (row.item or "")
    found[key] = found[key] or {}
    found[key][row.name] = row.value
  end
  return found
end

it("a phone is shown in detail, without its key", function()
  local p = play(rows.by_name["is ciphered and updates in another area in clear: challenge and answer go there"])
  local shown = detail_of(p, 3600 * S)
  assert.same({ "262420000000001", "c0000003" }, { shown.identity.imsi, shown.identity.tlli })
  assert.same({ "registered", "implicit" }, { shown.gmm.state, shown.gmm.timer })
  assert.is_true(shown.security.ciphered)
  assert.equal("GEA/3", shown.security.algorithm)
  assert.equal("262-42-4660-6", shown.place.routeing_area_accepted)
  assert.equal("rx_complete", shown.events1.event)
  assert.is_nil(shown.events11)
  for _, row in ipairs(p:detail(MOBILE, 0)) do assert.is_false(row.value == p.by_mobile[MOBILE].key, row.name) end
  assert.same({}, p:detail(99, 0))
end)

it("a context is shown with its timer, and what waits for a page", function()
  local p = play(rows.by_name["loses two contexts in STANDBY: one page"])
  assert.is_nil(detail_of(p, 0).contexts1)
  p = play(rows.by_name["activates in a cell of its area, in another "
    .. "one only after its update (TS 23.060 clause 6.9.1.2)"])
  local context = detail_of(p, 0).contexts1
  assert.same({ 5, "active", "internet", "10.11.0.2", "background", "none runs" },
    { context.nsapi, context.state, context.apn, context.ipv4, context.class, context.timer })
  p:act({ verb = "deactivate", imsi = "262420000000001" }, ACT, 60 * S)
  local shown = detail_of(p, 60 * S)
  assert.equal("deactivate_request", shown.signalling.waiting)
  assert.same({ "deactivating", "t3395" }, { shown.contexts1.state, shown.contexts1.timer })
end)

it("an act that cannot be done is refused with what to do", function()
  local p = play(rows.by_name["attaches with its IMSI"])
  local function refusal(order) return p:plan(order).refusal end
  assert.matches("IMSI 2624: no phone has it", refusal({ verb = "detach", imsi = "2624" }), 1, true)
  assert.matches("no active context", refusal({ verb = "deactivate", imsi = "262420000000001" }), 1, true)
  assert.matches("NSAPI 5", refusal({ verb = "deactivate", imsi = "262420000000001", nsapi = "5" }), 1, true)
  p:act({ verb = "detach", imsi = "262420000000001" }, ACT, 0)
  assert.matches("an act on it is in progress", refusal({ verb = "forget", imsi = "262420000000001" }), 1, true)
  p.by_mobile[MOBILE].act = nil
  assert.matches("it is detaching", refusal({ verb = "detach", imsi = "262420000000001" }), 1, true)
end)

it("a phone is listed with what it is", function()
  local p = play(rows.by_name["is ciphered and updates in another area in clear: challenge and answer go there"])
  local entry = p:list()[1]
  assert.same({ "262420000000001", "c0000003", NSEI, 3, 3 },
    { entry.imsi, entry.tlli, entry.nsei, entry.bvci, entry.gea })
  p = phones.new(config_of(), wire, counting(), is_listed)
  p:add(MOBILE, 0x7b000001, NSEI, BVCI, 0)
  assert.same({ "-", 0 }, { p:list()[1].imsi, p:list()[1].gea })
end)

it("cells come and go one by one, or all of an NSE", function()
  local p, request = phones.new(config_of(), wire, counting(), is_listed), octets_of(rows.attach("262420000000001"))
  local function verdicts()
    local out = {}
    for i, at in ipairs({ { NSEI, BVCI }, { NSEI, 3 }, { 102, 2 } }) do
      out[i] = p:admit(1, at[1], at[2], request, 0)
    end
    return out
  end
  assert.same({ -2, -2, -1 }, verdicts())
  p:cell_add(102, 2, { mcc = "262", mnc = "42", lac = 1, rac = 7 })
  assert.same({ -2, -2, -2 }, verdicts())
  p:cell_del(NSEI, 3)
  assert.same({ -2, -1, -2 }, verdicts())
  p:cell_del(NSEI, 0)
  assert.same({ -1, -1, -2 }, verdicts())
end)

describe("half-open phones", function()
  it("are bounded by cell and in all, and free their place at the end", function()
    local p = phones.new(config_of(), wire, counting(), is_listed)
    local request = octets_of(rows.attach("262420000000001"))
    for mobile = 1, 3 do
      assert.equal(-2, p:admit(0x78000000 + mobile, NSEI, BVCI, request, 0))
      p:add(mobile, 0x78000000 + mobile, NSEI, BVCI, 0)
    end
    assert.same({ -1, -2 }, { p:admit(0x78000009, NSEI, BVCI, request, 0), p:admit(0x78000009, NSEI, 3, request, 0) })
    p:add(4, 0x78000009, NSEI, 3, 0)
    assert.equal(-1, p:admit(0x7800000a, NSEI, 3, request, 0))
    assert_counts(p:report(), { admit_cell_limit = 1, admit_limit = 1, admit_nse_limit = 0 })
    assert.same({}, p:advance(TIMERS.guard - MS))
    assert.equal(4, #p:advance(TIMERS.guard))
    assert.same({ 0, 0, {}, {} }, { p.admission.open, #p:list(), p.admission.of_cell, p.admission.of_nse })
  end)

  it("of one NSE leave half of the places to the others", function()
    local config = config_of()
    config.nses[2] = { nsei = 102, cells = { { bvci = 2, cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 7 } } } }
    local p, request = phones.new(config, wire, counting(), is_listed), octets_of(rows.attach("262420000000001"))
    for mobile = 1, 2 do p:add(mobile, 0x78000000 + mobile, NSEI, 1 + mobile, 0) end
    assert.same({ -1, -2 }, { p:admit(0x78000009, NSEI, BVCI, request, 0), p:admit(0x78000009, 102, 2, request, 0) })
    assert_counts(p:report(), { admit_nse_limit = 1, admit_limit = 0, admit_cell_limit = 0 })
  end)

  it("of two NSEs leave places to a third one", function()
    local config = config_of({ half_open = 12, half_open_per_cell = 12 })
    for i = 2, 3 do
      config.nses[i] = { nsei = 100 + i, cells = {
        { bvci = 2, cell_id = { mcc = "262", mnc = "42", lac = i, rac = 7 } } } }
    end
    local p, request = phones.new(config, wire, counting(), is_listed), octets_of(rows.attach("262420000000001"))
    local count = 0
    for mobile = 1, 100 do
      local at = mobile % 2 == 0 and { 102, 2 } or { NSEI, BVCI }
      if p:admit(0x78000000 + mobile, at[1], at[2], request, 0) == -2 then
        p:add(mobile, 0x78000000 + mobile, at[1], at[2], 0)
        count = count + 1
      end
    end
    assert.same({ 8, -2 }, { count, p:admit(0x78000fff, 103, 2, request, 0) })
  end)

  it("of one NSE leave the smaller half of the places, also to NSEs that are accepted later", function()
    local config = config_of({ half_open = 5 })
    config.nses_accepted = true
    local p, request = phones.new(config, wire, counting(), is_listed), octets_of(rows.attach("262420000000001"))
    for mobile = 1, 3 do
      assert.equal(-2, p:admit(0x78000000 + mobile, NSEI, 1 + mobile, request, 0))
      p:add(mobile, 0x78000000 + mobile, NSEI, 1 + mobile, 0)
    end
    assert.equal(-1, p:admit(0x78000009, NSEI, BVCI, request, 0))
    assert_counts(p:report(), { admit_nse_limit = 1 })
  end)

  it("of one NSE leave half while a reload has added another one", function()
    local p, request = phones.new(config_of(), wire, counting(), is_listed), octets_of(rows.attach("262420000000001"))
    for mobile = 1, 2 do p:add(mobile, 0x78000000 + mobile, NSEI, 1 + mobile, 0) end
    local function verdict() return p:admit(0x78000009, NSEI, BVCI, request, 0) end
    assert.equal(-2, verdict())
    for _, bvci in ipairs({ 2, 3, 3 }) do p:cell_add(102, bvci, { mcc = "262", mnc = "42", lac = 1, rac = 7 }) end
    assert.equal(-1, verdict())
    p:cell_del(102, 2)
    assert.equal(-1, verdict())
    p:cell_del(102, 0)
    assert.equal(-2, verdict())
  end)

  it("need a cell of the configuration, and a message that begins something", function()
    local p = phones.new(config_of(), wire, counting(), is_listed)
    assert.equal(-1, p:admit(1, NSEI, 99, octets_of(rows.attach("262420000000001")), 0))
    for _, hex in ipairs({ "08", "0806", "082011", "0a5511", "7a875511", "7a87", "0a47", "1801", "0904", "7901" }) do
      assert.equal(-1, p:admit(1, NSEI, BVCI, octets_of(hex), 0), hex)
    end
    assert_counts(p:report(), { admit_unknown_cell = 1, admit_no_request = 10 })
  end)
end)
