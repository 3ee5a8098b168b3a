-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of phones_spec.lua about who a phone is, what it is told, and what of it is dropped. t: what phones_rows.lua
-- builds its rows of.
local t = require "phones_row_kit" -- of phones_rows.lua
local wire = require "wire.phone"

local S <const> = 1000000000
local DETACH <const>, SWITCH_OFF <const> = { message = "detach_request", detach_type = 1 },
  { message = "detach_request", detach_type = 9 }
local NO_CIPHERING <const> = { ms_network_capability = "\1\0" } -- of R99, without GEA

local rows = t.rows
local function add(fields, ...) rows[#rows + 1] = t.with(fields, t.row(...)) end

-- What is refused or dropped
add({ counts = { attach_reject_17 = 1 } }, "is one of the configuration", { listed = t.IMSI },
  { add = t.attach(t.IMSI), out = { "attach_reject 17", "del 7" } })
add({ left = { "accepting -" } }, "is none of the configuration", { listed = t.SECOND }, t.ATTACH)
add({ counts = { attach_reject_17 = 1 } }, "attaches in a cell that the node does not have", t.ATTACH, t.ATTACHED,
  { rx = t.attach(t.IMSI), bvci = 99, out = { "attach_reject in 99 17", "del 7" } })
add({ counts = { rau_reject_17 = 1 } }, "updates in a cell that the node does not have", t.ATTACH, t.ATTACHED,
  { rx = t.rau(), bvci = 99, out = { "rau_reject in 99 17", "del 7" } })
add({ left = { "accepting -" }, counts = { sm_too_early = 1, sms_too_early = 1, rx_activate_request = 0 } },
  "sends SM and SMS before it is registered", t.ATTACH, { rx = t.ACTIVATE }, { rx = "090103000101" })
add({ left = { "registered -" }, counts = { empty = 1, unknown_mobile = 1, other_protocol = 2, bad_message = 2 } },
  "sends what no phone sends", t.ATTACH, t.ATTACHED, { rx = "" }, { rx = t.ACTIVATE, mobile = 9 },
  { rx = "0301" }, { rx = "180801" }, -- call control; a skip indicator
  { rx = "0a4105", out = { "activate_reject 96" } }, { rx = "0802", out = { "gmm_status 97" } })

local OF_AREA_5 <const> = "\x62\xf2\x24\x12\x34\5"
local function attach_by(kind, value, old_rai)
  return t.attach(nil, { identity = wire.identity_octets(kind, value), old_rai = old_rai or OF_AREA_5 })
end

-- A P-TMSI is one subscriber's (23.003 §2.4), also if two have the same TLLI.
local OF_AREA_6 <const> = "\x62\xf2\x24\x12\x34\6"
local SECOND_ACCEPTED <const> = { "imsi " .. t.SECOND, "attach_accept", "tlli c0000003 and old" }
add({ left = { "registered -" }, counts = { changed_hands = 1 } },
  "attaches under the TLLI of another one that has been sent its ACCEPT: it gets a P-TMSI of its own", t.ATTACH,
  { rx = t.attach(t.SECOND), out = { "tlli 7b000001", table.unpack(SECOND_ACCEPTED) } },
  { rx = t.ACTIVATE },
  { add = t.ACTIVATE, tlli = 0xc0000001, mobile = 8, out = { "network_detach_request 10", "del 8" } },
  { rx = t.COMPLETE, out = { "tlli c0000003" } })
add({ left = { "accepting -", "identifying -" }, counts = { changed_hands = 1 } },
  "attaches under the TLLI of a registered one, whose P-TMSI names nobody from then on", t.ATTACH, t.ATTACHED,
  { rx = t.attach(t.SECOND), tlli = 0xc0000001,
    out = { "imsi " .. t.SECOND, "attach_accept to c0000001", "tlli c0000003 and old" } },
  { rx = t.ACTIVATE, tlli = 0xc0000001 },
  { add = attach_by("tmsi", 0xc0000001), mobile = 8, tlli = 0x7b000002, out = { "identity_request" } })
add({ left = { "accepting -" }, counts = { tlli_of_another = 1, attach_complete = 1 } },
  "attaches in another area under the TLLI of another one, and again when that has its own", t.ATTACH,
  { rx = t.attach(t.SECOND), bvci = 3 },
  { rx = t.COMPLETE, out = { "tlli c0000001" } },
  { rx = { message = "detach_request", detach_type = 9 }, out = { "del 7" } },
  { add = t.attach(t.SECOND), bvci = 3,
    out = { "imsi " .. t.SECOND, "heard in 3", "attach_accept in 3", "tlli c0000003 and old" } })
for bvci, area in pairs({ [3] = "that area", [4] = "another area" }) do
  add({ left = { "updating -" }, counts = { tlli_of_owner = 1 } },
    "updates in " .. area .. " under its foreign TLLI, which a stranger has taken: that one ends", t.ATTACH, t.ATTACHED,
    { add = attach_by("imei", "351234567890120"), mobile = 8, tlli = 0x80000001, bvci = 3,
      out = { "identity_request in 3" } },
    { rx = t.rau(), mobile = 8, tlli = 0x80000001, bvci = bvci, out = { "del 8" } },
    { add = t.rau(), tlli = 0x80000001, verdict = 7, bvci = bvci },
    { rx = t.rau(), tlli = 0x80000001, bvci = 3,
      out = { "heard in 3", "rau_accept to 80000001 in 3", "tlli c0000003 and old" } })
end
add({ left = { "accepting -" } }, "goes to another area in the midst of its attach, and begins again", t.ATTACH,
  { rx = t.attach(t.IMSI), bvci = 3, out = { "heard in 3", "attach_accept in 3", "tlli c0000001 and old" } },
  { rx = t.COMPLETE })
add({ left = { "registered -" } }, "updates with a foreign TLLI like another's, given by another network", t.ATTACH,
  t.ATTACHED, { add = t.rau({ old_rai = "\x62\xf2\x25\x12\x34\5" }), tlli = 0x80000001, mobile = 8,
    out = { "rau_reject 10", "del 8" } })
add({ left = { "registered -" } }, "updates from an area that the node has, and from one that it has no more", t.ATTACH,
  t.ATTACHED, { add = t.rau({ old_rai = OF_AREA_6 }), tlli = 0x80000001, verdict = 7 },
  { add = t.rau(), tlli = 0x80000001, verdict = 7 })
add({ left = { "accepting -" } }, "updates in another NSE right behind its ATTACH COMPLETE, which is handled later",
  t.ATTACH, { add = t.rau({ old_rai = OF_AREA_5 }), tlli = 0x80000001, verdict = 7 })
local function identified(kind, digits)
  return { message = "identity_response", identity = wire.identity_octets(kind, digits) }
end
add({ left = { "accepting -" } }, "attaches again with its P-TMSI", t.ATTACH, t.ATTACHED,
  { rx = attach_by("tmsi", 0xc0000001), out = { "attach_accept", "tlli c0000003 and old" } })
add({ left = { "identifying -" } }, "attaches again with its P-TMSI of another network", t.ATTACH, t.ATTACHED,
  { rx = attach_by("tmsi", 0xc0000001, "\x62\xf2\x25\x12\x34\5"), out = { "identity_request" } })
add({ left = { "identifying -" } }, "attaches again with a P-TMSI that no phone has", t.ATTACH, t.ATTACHED,
  { rx = attach_by("tmsi", 0xc1234567), out = { "identity_request" } })
add({ left = { "accepting -" } }, "attaches a third time: its second self ends", t.ATTACH, t.ATTACHED,
  { add = t.attach(t.IMSI), mobile = 8, tlli = 0x7b000002,
    out = { "imsi " .. t.IMSI, "attach_accept", "tlli c0000003 and old", "del 7" } },
  { add = t.attach(t.IMSI), mobile = 9, tlli = 0x7b000003,
    out = { "imsi " .. t.IMSI, "attach_accept", "tlli c0000005 and old", "del 8" } })
add({ left = { "identifying -" } }, "attaches again with its IMEI", t.ATTACH, t.ATTACHED,
  { rx = attach_by("imei", "351234567890120"), out = { "identity_request" } })
add({ counts = { rau_reject_10 = 1 } }, "updates before it is registered", t.ATTACH,
  { rx = t.rau(), out = { "rau_reject 10", "del 7" } })
add({ left = { "accepting -" }, counts = { answer_elsewhere = 1 } },
  "is asked for its IMSI in one NSE: an answer from another does not count",
  { add = attach_by("tmsi", 0xc1234567), out = { "identity_request" } },
  { rx = identified("imsi", t.IMSI), nsei = 102 },
  { rx = attach_by("tmsi", 0xc1234567) },
  { rx = identified("imsi", t.IMSI), out = { "imsi " .. t.IMSI, "attach_accept", "tlli c0000001 and old" } })
for algorithm, capability in pairs({ "\x80", "\0\x40", "\0\x20" }) do
  add({ settings = { ciphering = { algorithm } }, left = { "accepting -" } }, "has GEA/" .. algorithm .. " alone",
    { add = t.attach(t.IMSI, { ms_network_capability = capability }), out = t.ATTACH.out })
  local others = ("\xe5\xe0"):gsub("()(.)", function(at, c)
    return string.char(c:byte() & ~(capability:byte(at) or 0))
  end)
  add({ settings = { ciphering = { algorithm } } }, "has all but GEA/" .. algorithm,
    { add = t.attach(t.IMSI, { ms_network_capability = others }), out = { "attach_reject 111", "del 7" } })
end

-- Phones that the node does not know, for example after its restart
add({ counts = { stray = 1 } }, "sends a user's packet, but is not known", { stray = "clear", tlli = 0xc1234567,
  out = { "network_detach_request 10", "del 7" } })
add({ counts = { stray_ciphered = 1 } }, "sends what may be ciphered, but is not known: paged by its IMSI",
  { stray = "ciphered", tlli = 0xc1234567, out = { "identity_request" } },
  { rx = identified("imsi", t.IMSI), out = { "page " .. t.IMSI, "del 7" } })
add({ left = { "probing -" }, counts = { stray_registered = 2 } },
  "is registered, and a stray tells its IMSI: it is asked, and not paged by that, which would detach it", t.ATTACH,
  t.ATTACHED, { add = "0a4503", mobile = 8, tlli = 0xc1234567, out = { "network_detach_request 10", "del 8" } },
  { stray = "ciphered", mobile = 8, tlli = 0xc1234567, out = { "identity_request" } },
  { rx = identified("imsi", t.IMSI), mobile = 8, out = { "del 8", "identity_request" } },
  { stray = "ciphered", mobile = 8, tlli = 0xc1234567, out = { "identity_request" } },
  { rx = identified("imsi", t.IMSI), mobile = 8, out = { "del 8" } })
add({ counts = { stray_without_imsi = 1 } }, "sends what may be ciphered, and tells no IMSI", { stray = "ciphered",
  out = { "identity_request" } }, { rx = identified("imei", "351234567890120"), out = { "del 7" } })
add({}, "sends what may be ciphered, and nothing more", { stray = "ciphered", out = { "identity_request" } },
  { wait = "t3370", out = { "del 7" } })
add({ left = { "accepting -" } }, "sends what may be ciphered, and attaches by itself", { stray = "ciphered",
  out = { "identity_request" } }, t.with({ out = t.ATTACH.out }, { rx = t.attach(t.IMSI) }))
add({ settings = { half_open_per_cell = 0 } }, "sends what may be ciphered in a cell with too many half-open phones",
  { stray = "ciphered", verdict = -1 })

-- 23.060 §6.9.1.2: no stranger takes the foreign TLLI of a phone by the packets that it sends before its update.
add({ left = { "registered -" }, counts = { admit_before_update = 3, stray = 0, stray_ciphered = 0 } },
  "sends users' packets and SM under its foreign TLLI before its update", t.ATTACH, t.ATTACHED,
  { stray = "ciphered", tlli = 0x80000001, bvci = 3, verdict = -1 },
  { stray = "clear", tlli = 0x80000001, bvci = 3, verdict = -1 },
  { add = t.ACTIVATE, tlli = 0x80000001, bvci = 3, verdict = -1 },
  { add = t.rau(), tlli = 0x80000001, bvci = 3, verdict = 7 })

-- A phone whose LLC begins again (44.064 §8.5.3.1) under a TLLI that the node knows
add({ left = { "updating -" }, counts = { old_frame = 2 } }, "updates with an LLC that begins again: a new entity here",
  t.ATTACH, t.ATTACHED, { rx = "0a4624", restarted = true }, { rx = { message = "rau_complete" }, restarted = true },
  { rx = t.rau(), restarted = true, out = { "reset 7", "rau_accept", "tlli c0000003 and old" } })
t.hlr_row("is ciphered, and updates with an LLC that begins again: it is authenticated, and both ends begin again",
  { "updating -" }, t.REGISTERED,
  { rx = t.rau({ signature = "\0\0\2" }), restarted = true, out = { "gsup auth_info_request" } },
  { hlr = t.ASKED.hlr, out = { "auth_request" } },
  { rx = t.response("\x34\x81\x2f\x1f", "\x77\x28\xc8\xbf", 2),
    out = { "reset 7", "cipher 3 " .. t.KC, "E rau_accept", "tlli c0000003 and old" } })

-- What it is told
local TEN_YEARS <const> = 10 * 365 * 86400 * S
add({ settings = { mobiles = { list = {}, ready_timer = TEN_YEARS } }, left = { "accepting -" } },
  "is told that READY does not end", { add = t.attach(t.IMSI),
    out = { "imsi " .. t.IMSI, "attach_accept timers 49 e0", "tlli c0000001 and old" } })
add({ settings = { timers = { t3312 = 0 } }, left = { "registered -" } },
  "is told that T3312 is off, and is silent for a year", { add = t.attach(t.IMSI),
    out = { "imsi " .. t.IMSI, "attach_accept timers e0 16", "tlli c0000001 and old" } }, t.ATTACHED,
  { wait = 365 * 86400 })
add({ settings = { mobiles = { list = {}, ready_timer = TEN_YEARS - 1 }, timers = { t3312 = 3 * 60 * S - 1 } },
  left = { "updating -" } }, "is told the longest timers that are not longer than those of the node",
  { add = t.attach(t.IMSI), out = { "imsi " .. t.IMSI, "attach_accept timers 22 5f", "tlli c0000001 and old" } },
  t.ATTACHED, { rx = t.rau(), out = { "rau_accept timers 22 5f", "tlli c0000003 and old" } })

add({ settings = { network_name = "gbflow22" }, left = { "registered -" } }, "is told a name without spare bits",
  t.ATTACH, { rx = t.COMPLETE, out = { "tlli c0000001",
    "gmm_information full_name 8067b199fdbecb64 short_name 8067b199fdbecb64" } })

-- Timers of a phone with an HLR, and what the HLR is told
local CHALLENGED <const> = { wait = "t3360", out = { "auth_request" } }
t.with({ counts = { no_answer = 1 } }, t.hlr_row("does not answer its challenge", {}, t.ASKED, CHALLENGED, CHALLENGED,
  CHALLENGED, CHALLENGED, { wait = "t3360", out = { "del 7" } }))
t.with({ counts = { attach_reject_17 = 1 } }, t.hlr_row("is not located in time", {}, t.ASKED,
  { rx = t.RES, out = { "cipher 3 " .. t.KC, "gsup update_location_request" } },
  { wait = "hlr", out = { "attach_reject 17", "del 7" } }))
local DETACHED <const> = { wait = "t3322", out = { "E network_detach_request 7" } }
-- An IMSI detach, alone (2) or by a phone that switches off (10); a combined one, or one of a reserved type, ends GPRS.
local function detached(kind) return { message = "detach_request", detach_type = kind } end
local ACTIVE <const> = { { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "activate_accept" } } }
add({ left = { "registered 5:10.11.0.2" }, counts = { imsi_detach_request = 2, detach_request = 0 } },
  "detaches its IMSI alone: GPRS and its context stay", t.ATTACH, t.ATTACHED, ACTIVE,
  { rx = detached(2), out = { "detach_accept" } }, { rx = detached(10) })
for _, kind in ipairs { 1, 3, 4, 7 } do
  add({ counts = { imsi_detach_request = 0, detach_request = 1 } }, "detaches by type " .. kind .. ": its context ends",
    t.ATTACH, t.ATTACHED, ACTIVE, { rx = detached(kind), out = { "detach_accept", "pdp_del 5", "del 7" } })
end
add({ left = { "accepting -" } }, "detaches its IMSI in the midst of its attach, which completes", t.ATTACH,
  { rx = detached(2), out = { "detach_accept" } })
add({ left = { "detaching -" } }, "detaches its IMSI while it is to detach", t.ATTACH, t.ATTACHED,
  { act = { verb = "detach", imsi = t.IMSI }, out = { "network_detach_request" } },
  { rx = detached(2), out = { "detach_accept" } })
add({}, "detaches its IMSI, but is not known", { add = detached(2), out = { "detach_accept", "del 7" } })

-- The HLR's cause, and what the phone is told (24.008 §10.5.5.14): 0, 4 and 200 stand in no table, and 23 is a phone's.
for cause, told in pairs { [0] = 17, [2] = 2, [4] = 17, [7] = 7, [9] = 17, [13] = 13, [23] = 17, [48] = 48, [96] = 111,
  [111] = 111, [200] = 17 } do
  t.with({ counts = { hlr_cause_not_told = cause == told and 0 or 1 } },
    t.hlr_row(("is refused by its HLR with cause %d"):format(cause), {}, { hlr = t.ipa(("09%s0201%02x"):format(t.IMSI_1,
      cause)), out = { ("attach_reject %d"):format(told), "del 7" } }))
end
t.hlr_row("is withdrawn from the HLR and says nothing", {}, t.REGISTERED,
  { hlr = t.WITHDRAWN, out = { "gsup cancel_result", "E network_detach_request 7" } }, DETACHED, DETACHED, DETACHED,
  DETACHED, { wait = "t3322", out = { "del 7" } })
t.hlr_row("is ciphered, and sends requests in clear that are cut", { "registered -" }, t.REGISTERED,
  { rx = "0801", out = { "attach_reject 96" } }, { rx = "080870", out = { "rau_reject 96" } }, { rx = "0816" },
  { rx = "0816", ciphered = true, out = { "E gmm_status 96" } })
t.hlr_row("detaches before it is registered: the HLR is told nothing", {}, t.REGISTERED[1], t.REGISTERED[2],
  t.REGISTERED[3], { rx = DETACH, ciphered = true, out = { "E detach_accept", "del 7" } })
t.hlr_row("switches off before it is authenticated: the HLR is told nothing", {}, t.ASKED,
  { rx = SWITCH_OFF, out = { "del 7" } })
t.hlr_row("has an HLR that sends its APN as text, in capitals too", { "registered 5:creating" }, t.REGISTERED[1],
  t.REGISTERED[2], { hlr = t.ipa("10" .. t.IMSI_1 .. "050a1208496e7465726e6574"),
    out = { "gsup insert_data_result" } }, t.REGISTERED[3], t.REGISTERED[4],
  { rx = t.ACTIVATE, ciphered = true, out = { "pdp_add 5 internet 10.0.0.2" } })

-- What the HLR's records say of the PDP type and address: 10.11.0.9 is static.
local function info_of(kind)
  return ("05%02x120908696e7465726e657411%02x%s"):format(13 + #kind // 2, #kind // 2, kind)
end
local function record_row(name, left, records, ...)
  local infos = ""
  for _, kind in ipairs(records) do infos = infos .. info_of(kind) end
  t.hlr_row(name, left, t.REGISTERED[1], t.REGISTERED[2], { hlr = t.ipa("10" .. t.IMSI_1 .. infos),
    out = { "gsup insert_data_result" } }, t.REGISTERED[3], t.REGISTERED[4], ...)
end
local IPV4 <const>, IPV6 <const>, STATIC <const> = "f121", "f157", "f1210a0b0009"
local WANTS_BOTH <const>, ONE <const> = "0a410503030b921f02018d", { "pdp_add 5 internet 10.0.0.2" }
record_row("has IPv6 alone, and wants IPv4", { "registered -" }, { IPV6 },
  { rx = t.ACTIVATE, ciphered = true, out = { "E activate_reject 33" } })
record_row("has a static address, and does not ask for it", { "registered 5:10.11.0.9" }, { STATIC },
  { rx = t.ACTIVATE, ciphered = true, out = { "pdp_add 5 internet 10.0.0.2 asks 10.11.0.9" } },
  { up = { ipv4 = "10.11.0.9", class = "background" }, out = { "E activate_accept 01210a0b0009" } })
record_row("has a static address, and its GGSN gives another one", { "registered -" }, { STATIC },
  { rx = t.ACTIVATE, ciphered = true, out = { "pdp_add 5 internet 10.0.0.2 asks 10.11.0.9" } },
  { up = t.OK, out = { "pdp_del 5", "E activate_reject 38" } })
record_row("has a static address, and its GGSN changes it", { "registered 5:10.11.0.9" }, { STATIC },
  { rx = t.ACTIVATE, ciphered = true, out = { "pdp_add 5 internet 10.0.0.2 asks 10.11.0.9" } },
  { up = { ipv4 = "10.11.0.9", class = "background" }, out = { "E activate_accept 01210a0b0009" } },
  { modify = { ipv4 = "10.11.0.2" }, out = { "modified 5 203 - without QoS" } },
  { modify = { ipv4 = "10.11.0.9" }, out = { "modified 5 128 background" } })
record_row("has a static address and a dynamic one, and its GGSN changes that", { "registered 5:10.11.0.8" },
  { STATIC, IPV4 }, { rx = t.ACTIVATE, ciphered = true, out = ONE },
  { up = t.OK, out = { "E activate_accept" } },
  { modify = { ipv4 = "10.11.0.8" }, out = { "E network_modify_request 01210a0b0008" } },
  { rx = { message = "network_modify_accept", ti = 0, ti_flag = 0 }, ciphered = true,
    out = { "modified 5 128 background" } })
record_row("has a dynamic address, and asks for another phone's", { "registered -" }, { IPV4 },
  { rx = "0a410503030b921f0601210a0b0009", ciphered = true, out = { "E activate_reject 33" } })
for cause, records in pairs({ [50] = { IPV4 }, [52] = { IPV4, IPV6 } }) do
  record_row(("wants both versions, and may have %d of them: cause %d"):format(#records, cause),
    { "registered 5:10.11.0.2" }, records, { rx = WANTS_BOTH, ciphered = true, out = ONE },
    { up = t.OK, out = { ("E activate_accept 01210a0b0002 second cause %d"):format(cause) } })
end
record_row("has a context, and the HLR takes its type away", { "registered 5:10.11.0.2" }, { IPV4 },
  { rx = t.ACTIVATE, ciphered = true, out = ONE }, { up = t.OK, out = { "E activate_accept" } },
  { hlr = t.ipa("10" .. t.IMSI_1 .. info_of(IPV6)), out = { "pdp_del 5", "E deactivate_request 36",
    "gsup insert_data_result" } })

-- A silent HLR
local NAMED <const> = "ccm 5 8=0/0/0 7= 2= 3= 4= 5= 1=SGSN-test 0=SGSN-test"
t.hlr_row("gets no answer of an HLR that has answered nothing: the name is told again, others keep waiting",
  { "challenging -" }, { wait = 7 },
  { add = t.attach(t.SECOND), mobile = 8, tlli = 0x7b000002, out = { "gsup auth_info_request" } },
  { wait = 5, out = { NAMED, "attach_reject 17", "del 7" } },
  { hlr = t.ASKED.hlr:gsub("0000f1", "0000f2", 1), out = { "auth_request" } })
t.hlr_row("gets no answer, nor do two others: the name is told once in their time, and PINGs go on", {},
  { wait = 2 }, { add = t.attach(t.SECOND), mobile = 8, tlli = 0x7b000002, out = { "gsup auth_info_request" } },
  { wait = 7 },
  { add = t.attach("262420000000003"), mobile = 9, tlli = 0x7b000003, out = { "gsup auth_info_request" } },
  { wait = 3, out = { NAMED, "attach_reject 17", "del 7" } },
  { wait = 2, out = { "attach_reject 17", "del 8" } }, { wait = 6, out = { "ccm 0", NAMED } }, { hlr = "0001fe01" },
  { wait = 1, out = { "attach_reject 17", "del 9" } },
  { add = t.attach(t.IMSI), tlli = 0x7b000004, out = { "gsup auth_info_request" } },
  { wait = "hlr", out = { NAMED, "attach_reject 17", "del 7" } },
  { hlr = t.ipa("40" .. t.IMSI_1), out = { "gsup 41 97" } }, { wait = 7, out = { "ccm 0" } })

-- Answers to a challenge
t.hlr_row("takes no network for its own: it is asked for its IMSI, and for other vectors", { "fetching -" },
  { hlr = t.TWO_VECTORS, out = { "auth_request" } },
  { rx = { message = "auth_failure", cause = 20, auts = ("a"):rep(14) }, out = { "identity_request" } },
  { rx = identified("imsi", t.IMSI), out = { "gsup auth_info_request" } })
t.hlr_row("has lost the sequence and tells no AUTS: it is asked for its IMSI", { "identifying -" }, t.ASKED,
  { rx = { message = "auth_failure", cause = 21 }, out = { "identity_request" } })
t.hlr_row("is ciphered, and refuses a challenge in clear", { "identifying -" }, t.REGISTERED,
  { rx = t.rau({ cksn = 7 }), out = { "gsup auth_info_request" } }, t.ASKED,
  { rx = { message = "auth_failure", cause = 20 }, out = { "identity_request" } })
t.hlr_row("answers wrong after its P-TMSI: it is asked for its IMSI, once", { "registered -" }, t.REGISTERED,
  { add = attach_by("tmsi", 0xc0000001), mobile = 8, tlli = 0x7b000002, out = { "gsup auth_info_request" } },
  { hlr = t.TWO_VECTORS, out = { "auth_request" } },
  { rx = t.response("\0\0\0\0"), mobile = 8, out = { "identity_request" } },
  { rx = identified("imsi", t.IMSI), mobile = 8, out = { "gsup auth_info_request" } }, t.ASKED,
  { rx = t.response("\0\0\0\0", nil, 2), mobile = 8, out = { "auth_reject", "del 8" } })
add({ settings = { policy = "hlr" }, left = { "challenging -" } }, "of R97 is challenged without AUTN", t.CONNECTED,
  { add = t.attach(t.IMSI, { ms_network_capability = "\xe4\xe0" }), out = { "gsup auth_info_request" } },
  { hlr = t.ASKED.hlr, out = { "auth_request without AUTN" } })

-- GEA/4: its key, Kc128, is made of CK and IK (TS 33.102 annex B.5), which no triplet and no SIM has
local KC128 <const> = "501e44bc8848fd838cc8147cfceef61e"
local ALL_GEA <const>, GEA4_ALONE <const>, OF_R97 <const> = "\xe5\xf0", "\1\x10", "\0\x10"
local SRES <const> = t.response("\x43\xa9\xe7\xa0")
local TRIPLET <const> = t.ipa("0a" .. t.IMSI_1 .. "03222010" .. ("11"):rep(16) .. "210443a9e7a02208" .. t.KC)
local function gea_row(name, ciphering, capability, left, ...)
  add({ settings = { policy = "hlr", ciphering = ciphering }, left = left }, name, t.CONNECTED,
    { add = t.attach(t.IMSI, { ms_network_capability = capability }), out = { "gsup auth_info_request" } }, ...)
end
local function ciphered(algorithm, key)
  return { rx = t.RES, out = { ("cipher %d %s"):format(algorithm, key), "gsup update_location_request" } }
end
local WITH_GEA4 <const>, WITHOUT <const> = { hlr = t.TWO_VECTORS, out = { "auth_request GEA/4" } },
  { rx = SRES, out = { "auth_request" } }
gea_row("has GEA/4 alone and UMTS AKA: Kc128", { 4, 3, 0 }, GEA4_ALONE, { "updating -" }, WITH_GEA4,
  ciphered(4, KC128), { hlr = t.LOCATED, out = { "imsi " .. t.IMSI, "E attach_accept", "tlli c0000001 and old" } },
  { rx = t.COMPLETE, ciphered = true, out = { "tlli c0000001" } },
  { rx = t.rau({ signature = "\0\0\2" }), out = { "E rau_accept", "tlli c0000003 and old" } })
gea_row("has GEA/3 and GEA/4: the first of the list", { 4, 3, 0 }, ALL_GEA, { "locating -" }, WITH_GEA4,
  ciphered(4, KC128))
gea_row("has GEA/3 and GEA/4: the first of another list", { 3, 4 }, ALL_GEA, { "locating -" },
  { hlr = t.TWO_VECTORS, out = { "auth_request" } }, ciphered(3, t.KC))
gea_row("has GEA/4, and answers as a SIM: GEA/3 by the next vector", { 4, 3, 0 }, ALL_GEA, { "locating -" }, WITH_GEA4,
  WITHOUT, { rx = t.response("\x43\xa9\xe7\xa0", nil, 2),
    out = { "cipher 3 939f6ce7e59b1c3b", "gsup update_location_request" } })
gea_row("has GEA/4 alone, and answers as a SIM: not ciphered", { 4, 0 }, GEA4_ALONE, { "locating -" }, WITH_GEA4,
  WITHOUT, { rx = t.response("\x43\xa9\xe7\xa0", nil, 2),
    out = { "cipher 0 " .. t.KC, "gsup update_location_request" } })
gea_row("has GEA/4 alone, and answers as a SIM: refused by a list without 0", { 4 }, GEA4_ALONE, {}, WITH_GEA4,
  { rx = SRES, out = { "attach_reject 111", "del 7" } })
gea_row("has GEA/4, and its HLR has triplets: GEA/3", { 4, 3, 0 }, ALL_GEA, { "challenging -" },
  { hlr = TRIPLET, out = { "auth_request without AUTN" } })
gea_row("has GEA/4 alone, and its HLR has triplets: refused by a list without 0", { 4 }, GEA4_ALONE, {},
  { hlr = TRIPLET, out = { "attach_reject 111", "del 7" } })
add({ settings = { policy = "hlr", ciphering = { 4, 3 } } }, "of R97 has GEA/4 alone: refused", t.CONNECTED,
  { add = t.attach(t.IMSI, { ms_network_capability = OF_R97 }), out = { "attach_reject 111", "del 7" } })

t.hlr_row("updates, and a request with its TLLI fails: its new signature holds", { "updating -" }, t.REGISTERED,
  { rx = t.rau({ signature = "\0\0\2" }), out = { "E rau_accept", "tlli c0000003 and old" } },
  { rx = { message = "rau_complete" }, ciphered = true, out = { "tlli c0000003" } },
  { rx = t.attach(t.SECOND), out = { "gsup auth_info_request" } }, { wait = "hlr", out = { "attach_reject 17" } },
  { rx = t.rau({ signature = "\0\0\4" }), out = { "E rau_accept", "tlli c0000005 and old" } })

-- What it says of its radio (24.008 §10.5.5.6, §10.5.5.12a): each request has a capability, some have no DRX parameter.
add({ left = { "updating -" } }, "tells other values of its radio when it updates, and then no DRX parameter", t.ATTACH,
  t.ATTACHED, { rx = t.rau({ drx = "\x20\7", ra_capability = "\x10\0" }),
    out = { "radio 1000 2007", "rau_accept", "tlli c0000003 and old" } },
  { rx = { message = "rau_complete" }, out = { "tlli c0000003" } },
  { rx = t.rau({ ra_capability = "\x10\0" }), out = { "radio 1000 2007", "rau_accept", "tlli c0000005 and old" } })
t.hlr_row("tells them when its request is accepted, and not when one with its TLLI fails", { "updating -" },
  t.REGISTERED, { rx = t.attach(t.SECOND, { drx = "\x20\7" }), out = { "gsup auth_info_request" } },
  { wait = "hlr", out = { "attach_reject 17" } },
  { rx = t.rau({ signature = "\0\0\2", ra_capability = "\x10\0" }),
    out = { "radio 1000 0a00", "E rau_accept", "tlli c0000003 and old" } })

local PROBED <const> = { wait = "t3370", out = { "identity_request" } }
t.with({ settings = { policy = "hlr", timers = { t3312 = 4 * S, reachable = 5 * S } },
    counts = { implicit_detach = 1 } },
  t.hlr_row("was not heard for long: the HLR is told", {}, t.REGISTERED[1], t.REGISTERED[2],
    { hlr = t.LOCATED, out = { "imsi " .. t.IMSI, "E attach_accept timers 02 16", "tlli c0000001 and old" } },
    t.REGISTERED[4], { wait = "implicit", out = { "identity_request" } }, PROBED,
    { wait = 4, out = { "ccm 0" } }, { hlr = "0001fe01" }, { wait = 3, out = { "identity_request" } }, PROBED, PROBED,
    { wait = 3, out = { "ccm 0" } }, { wait = 4, out = { "gsup purge_request", "del 7" } }))

-- 24.008 §4.7.3.1.6: the newest attempt of a phone counts, also while the HLR is silent about the first.
local SECOND_TRY <const> = {
  { add = t.attach(t.IMSI), mobile = 8, tlli = 0x7b000002, out = { "gsup auth_info_request" } },
  { hlr = t.ASKED.hlr, out = { "auth_request" } },
  { rx = t.RES, mobile = 8, out = { "cipher 3 " .. t.KC, "gsup update_location_request", "del 7" } },
  { hlr = t.LOCATED, out = { "imsi " .. t.IMSI, "E attach_accept", "tlli c0000001 and old" } } }
t.hlr_row("attaches again from a new TLLI while its location is updated: ACCEPT goes to the new one, at once",
  { "accepting -" }, t.REGISTERED[1], t.REGISTERED[2], SECOND_TRY, { hlr = t.LOCATED })
t.hlr_row("attaches again from a new TLLI, and its first attempt ended: the answer counts for the second",
  { "accepting -" }, t.REGISTERED[1], t.REGISTERED[2],
  { rx = SWITCH_OFF, ciphered = true, out = { "del 7" } },
  SECOND_TRY[1], SECOND_TRY[2],
  { rx = t.RES, mobile = 8, out = { "cipher 3 " .. t.KC, "gsup update_location_request" } }, SECOND_TRY[4])

-- Numbers of keys (§10.5.1.2): another one than that of the key that the phone holds
local function cksn_row(name, held, given)
  t.hlr_row(name, { "challenging -" })
  local row = t.rows[#t.rows]
  row[#row] = { add = t.attach(t.IMSI, { cksn = held }), out = { "gsup auth_info_request" } }
  row[#row + 1] = { hlr = t.ASKED.hlr, out = { "auth_request" }, cksn = given }
end
cksn_row("without a key gets key number 0", 7, 0)
cksn_row("that holds key 0 gets number 1", 0, 1)
cksn_row("that holds key 6 gets number 0", 6, 0)

-- Keys for those who come from osmo-sgsn
local function keyed_row(name, settings, left, ...)
  settings.policy = "hlr"
  t.with({ settings = settings }, t.hlr_row(name, left, ...))
end
keyed_row("attaches again, and its location is updated all the same", { update_location = "always" }, { "locating -" },
  t.REGISTERED, { rx = t.attach(t.IMSI, { cksn = 3 }), out = { "gsup auth_info_request" } }, t.ASKED,
  { rx = t.response("\x34\x81\x2f\x1f", "\x77\x28\xc8\xbf", 2),
    out = { "cipher 3 " .. t.KC, "gsup update_location_request" } })
local IMEI_TOLD <const> = { rx = identified("imei", "351234567890120") }
add({ settings = { imei_first = true }, left = { "accepting -" } }, "is asked for its IMEI first",
  { add = t.attach(t.IMSI), out = { "identity_request" } }, t.with({ out = t.ATTACH.out }, { rx = IMEI_TOLD.rx }))
add({ settings = { imei_first = true }, left = { "accepting -" } }, "is asked for its IMEI first, and has none",
  { add = t.attach(t.IMSI), out = { "identity_request" } },
  t.with({ out = t.ATTACH.out }, { rx = identified("imsi", t.IMSI) }))
add({ settings = { imei_first = true } }, "is asked for its IMEI first, and does not answer",
  { add = t.attach(t.IMSI), out = { "identity_request" } }, { wait = "t3370", out = { "identity_request" } },
  { wait = "t3370", out = { "identity_request" } }, { wait = "t3370", out = { "identity_request" } },
  { wait = "t3370", out = { "identity_request" } }, { wait = "t3370", out = { "attach_reject 9", "del 7" } })
add({ settings = { imei_first = true, policy = "list", imsis = { t.SECOND } } },
  "is asked for its IMEI first, then refused, as it is not in the list",
  { add = t.attach(t.IMSI), out = { "identity_request" } },
  { rx = IMEI_TOLD.rx, out = { "attach_reject 11", "del 7" } })
add({ settings = { policy = "list", imsis = { t.SECOND } } }, "is asked for its IMSI, then refused",
  { add = attach_by("tmsi", 0xc1234567), tlli = 0x81234567, out = { "identity_request" } },
  { rx = identified("imsi", t.IMSI), out = { "attach_reject 11", "del 7" } })
add({ settings = { policy = "hlr" } }, "has the IMSI of one of mobiles.list: refused, and the HLR not asked",
  t.CONNECTED, { listed = t.IMSI }, { add = t.attach(t.IMSI), out = { "attach_reject 17", "del 7" } })
add({ left = { "identifying -" }, counts = { bad_message = 2 } },
  "is in the midst of its attach, and others send requests with its TLLI that cannot be read: none is rejected",
  { add = attach_by("tmsi", 0xc1234567), tlli = 0x81234567, out = { "identity_request" } },
  { rx = "080102e5e071", bvci = 3 }, { rx = "080870" })
add({ settings = { policy = "hlr", imei_first = true }, left = { "fetching -" } },
  "claims another IMSI and equipment under the TLLI of a registered one", t.CONNECTED,
  { add = t.attach(t.IMSI), out = { "identity_request" } },
  { rx = identified("imei", "351234567890138"), out = { "gsup auth_info_request" } }, t.REGISTERED,
  { rx = t.attach(t.SECOND), out = { "identity_request" } }, { rx = IMEI_TOLD.rx, out = { "gsup auth_info_request" } })
for keeps, left in pairs({ [true] = "accepting 5:10.11.0.2", [false] = "accepting -" }) do
  add({ settings = { keep_contexts = keeps }, left = { left } },
    "attaches again under its TLLI: its contexts " .. (keeps and "stay" or "end"), t.ATTACH, t.ATTACHED,
    { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = t.OK, out = { "activate_accept" } },
    { rx = t.attach(t.IMSI, { cksn = 3 }), out = keeps and { "attach_accept", "tlli c0000003 and old" }
      or { "pdp_del 5", "attach_accept", "tlli c0000003 and old" } })
end
add({ settings = { keep_contexts = true }, left = { "accepting -" } },
  "attaches under the TLLI of another one, whose contexts end", t.ATTACH, t.ATTACHED,
  { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = t.OK, out = { "activate_accept" } },
  { rx = t.attach(t.SECOND), out = { "pdp_del 5", "imsi " .. t.SECOND, "attach_accept", "tlli c0000003 and old" } })

-- phones.check_imei
local function checked_row(name, left, ...)
  t.with({ settings = { policy = "hlr", check_imei = true } }, t.hlr_row(name, left, t.ASKED, ...))
end
local IMEISV_TOLD <const> = { rx = { message = "auth_response", reference = 1, sres = "\x34\x81\x2f\x1f",
  res_extension = "\x77\x28\xc8\xbf", imeisv = wire.identity_octets("imeisv", "3512345678901234") },
  out = { "cipher 3 " .. t.KC, "gsup check_imei_request 0753214365870921" } }
local IMEI_WANTED <const> = { rx = t.RES, out = { "cipher 3 " .. t.KC, "identity_request" } }
local CHECKED <const>, REFUSED <const> = t.ipa("32" .. t.IMSI_1 .. "510100"), t.ipa("32" .. t.IMSI_1 .. "510101")
checked_row("tells its IMEISV with its response: the HLR takes it", { "accepting -" }, IMEISV_TOLD,
  { hlr = CHECKED, out = { "gsup update_location_request" } },
  { hlr = t.LOCATED, out = { "imsi " .. t.IMSI, "E attach_accept", "tlli c0000001 and old" } })
checked_row("tells its IMEISV, and so does the node to the GGSN", { "registered 5:creating" }, IMEISV_TOLD,
  { hlr = CHECKED, out = { "gsup update_location_request" } },
  { hlr = t.LOCATED, out = { "imsi " .. t.IMSI, "E attach_accept", "tlli c0000001 and old" } },
  { rx = t.COMPLETE, ciphered = true, out = { "tlli c0000001" } },
  { rx = t.ACTIVATE, ciphered = true, out = { "pdp_add 5 internet 10.0.0.2 imeisv 3512345678901234" } })
local function of_second(octets) return (octets:gsub("0000f1", "0000f2", 1)) end
t.hlr_row("whose TLLI another one takes: no GGSN is told that its equipment or number is the other's",
  { "registered 5:creating" },
  t.ASKED, t.with({ rx = IMEISV_TOLD.rx }, { out = { "cipher 3 " .. t.KC, "gsup update_location_request" } }),
  { hlr = t.INSERT, out = { "gsup insert_data_result" } },
  { hlr = t.LOCATED, out = { "imsi " .. t.IMSI, "E attach_accept", "tlli c0000001 and old" } },
  { rx = t.COMPLETE, ciphered = true, out = { "tlli c0000001" } },
  { rx = t.attach(t.SECOND), out = { "gsup auth_info_request" } },
  { hlr = of_second(t.ASKED.hlr), out = { "auth_request" } },
  { rx = t.response("\x34\x81\x2f\x1f", "\x77\x28\xc8\xbf", 2),
    out = { "cipher 3 " .. t.KC, "gsup update_location_request" } },
  { hlr = of_second(t.LOCATED), out = { "imsi " .. t.SECOND, "E attach_accept", "tlli c0000003 and old" } },
  { rx = t.COMPLETE, ciphered = true, out = { "tlli c0000003" } },
  { rx = t.ACTIVATE, ciphered = true, out = { "pdp_add 5 internet 10.0.0.2" } })
checked_row("tells its IMEISV, and the HLR refuses it", {}, IMEISV_TOLD,
  { hlr = REFUSED, out = { "attach_reject 6", "del 7" } })
checked_row("is asked for its IMEI", { "locating -" }, IMEI_WANTED,
  { rx = { message = "identity_response", identity = wire.identity_octets("imei", "351234567890120") },
    out = { "gsup check_imei_request 0753214365870921" } },
  { hlr = CHECKED, out = { "gsup update_location_request" } })
checked_row("tells its IMSI instead of its IMEI", {}, IMEI_WANTED,
  { rx = { message = "identity_response", identity = wire.identity_octets("imsi", t.IMSI) },
    out = { "attach_reject 6", "del 7" } })
checked_row("tells no IMEI", {}, IMEI_WANTED, { wait = "t3370", out = { "identity_request" } },
  { wait = "t3370", out = { "identity_request" } }, { wait = 6, out = { "ccm 0" } },
  { wait = 1, out = { "identity_request" } },
  { wait = "t3370", out = { "identity_request" } }, { wait = "t3370", out = { "attach_reject 9", "del 7" } })
checked_row("tells its IMEI to an HLR that does not answer, or says nothing", {}, IMEISV_TOLD, { wait = "hlr",
  out = { "attach_reject 17", "del 7" } })
checked_row("tells its IMEI to an HLR whose result has no element", {}, IMEISV_TOLD, { hlr = t.ipa("32" .. t.IMSI_1),
  out = { "attach_reject 6", "del 7" } })

-- phones.authenticate = "new"
local function believed_row(name, left, ciphering, ...)
  t.with({ settings = { policy = "hlr", authenticate = "new", ciphering = ciphering } }, t.hlr_row(name, left, ...))
end
local PLAIN <const> = { t.ASKED, { rx = t.RES, out = { "cipher 0 " .. t.KC, "gsup update_location_request" } },
  { hlr = t.INSERT, out = { "gsup insert_data_result" } },
  { hlr = t.LOCATED, out = { "imsi " .. t.IMSI, "attach_accept", "tlli c0000001 and old" } }, t.ATTACHED }
believed_row("attaches again and is believed, with its subscriber's data", { "registered 5:creating" }, { 0 }, PLAIN,
  { add = t.attach(t.IMSI), mobile = 8, tlli = 0x7b000002,
    out = { "imsi " .. t.IMSI, "attach_accept", "tlli c0000003 and old", "del 7" } },
  { rx = t.COMPLETE, mobile = 8, out = { "tlli c0000003" } },
  { rx = t.ACTIVATE, mobile = 8, out = { "pdp_add 5 internet 10.0.0.2 msisdn 49123" } })
believed_row("updates without a signature and is believed", { "updating -" }, { 0 }, PLAIN,
  { rx = t.rau({ cksn = 7 }), out = { "rau_accept", "tlli c0000003 and old" } })
believed_row("is ciphered and attaches again: it is authenticated", { "registered -", "fetching -" }, { 3 },
  t.REGISTERED,
  { add = t.attach(t.IMSI), mobile = 8, tlli = 0x7b000002, out = { "gsup auth_info_request" } })
believed_row("is ciphered and updates with its key's number, without a signature: it is believed", { "updating -" },
  { 3 }, t.REGISTERED,
  { rx = t.rau(), out = { "E rau_accept", "tlli c0000003 and old" } })
believed_row("is ciphered and updates with another key's number: it is authenticated", { "fetching -" }, { 3 },
  t.REGISTERED, { rx = t.rau({ cksn = 7 }),
    out = { "gsup auth_info_request" } })
believed_row("is ciphered and updates with a wrong signature: it is authenticated", { "fetching -" }, { 3 },
  t.REGISTERED, { rx = t.rau({ signature = "\0\0\9" }),
    out = { "gsup auth_info_request" } })
local REGISTERED_WITH_IMEI <const> = { IMEISV_TOLD, { hlr = CHECKED, out = { "gsup update_location_request" } },
  t.REGISTERED[3], t.REGISTERED[4] }
checked_row("updates: its IMEI is not checked", { "updating -" }, REGISTERED_WITH_IMEI,
  { rx = t.rau({ signature = "\0\0\2" }), out = { "E rau_accept", "tlli c0000003 and old" } })

believed_row("is ciphered and attaches again as one that cannot be: it is authenticated",
  { "registered -", "fetching -" }, { 3, 0 }, t.REGISTERED,
  { add = t.attach(t.IMSI, NO_CIPHERING), mobile = 8, tlli = 0x7b000002, out = { "gsup auth_info_request" } })
believed_row("is ciphered and attaches again with its TLLI as one that cannot be: it is authenticated",
  { "fetching -" }, { 3, 0 }, t.REGISTERED,
  { rx = t.attach(t.IMSI, NO_CIPHERING), out = { "gsup auth_info_request" } })
add({ settings = { policy = "hlr", authenticate = "new", ciphering = { 3, 0 } },
  left = { "registered -", "fetching -" } },
  "is not ciphered and attaches again as one that can be: it is authenticated", t.CONNECTED,
  { add = t.attach(t.IMSI, NO_CIPHERING), out = { "gsup auth_info_request" } }, PLAIN,
  { add = t.attach(t.IMSI), mobile = 8, tlli = 0x7b000002, out = { "gsup auth_info_request" } })
believed_row("is ciphered, and a claim in clear of its TLLI waits for the HLR: an attach as it is not believed either",
  { "fetching -", "fetching -" }, { 3, 0 }, t.REGISTERED,
  { rx = t.attach(t.IMSI, NO_CIPHERING), out = { "gsup auth_info_request" } },
  { add = t.attach(t.IMSI, NO_CIPHERING), mobile = 8, tlli = 0x7b000002, out = { "gsup auth_info_request" } })
