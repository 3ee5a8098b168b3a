-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of phones_spec.lua: steps with what comes in (a message or its hex, an answer of GGSN or HLR, seconds that pass)
-- and the intents that go out, as words.
local wire = require "wire.phone"

local IMSI <const>, SECOND <const> = "262420000000001", "262420000000002"

local function attach(imsi, changes)
  local message = { message = "attach_request", ms_network_capability = "\xe5\xe0", attach_type = 1, cksn = 7,
    drx = "\x0a\0", identity = imsi and wire.identity_octets("imsi", imsi), old_rai = "\0\xf1\x10\xff\xfe\0",
    ra_capability = "\x18\xb3\x43\x2b\x25" }
  for key, value in pairs(changes or {}) do message[key] = value end
  return message
end

local function rau(changes)
  local message = { message = "rau_request", update_type = 0, cksn = 0, old_rai = "\x62\xf2\x24\x12\x34\5",
    ra_capability = "\x18\xb3\x43\x2b\x25" }
  for key, value in pairs(changes or {}) do message[key] = value end
  return message
end

local COMPLETE <const> = { message = "attach_complete" }
local ACTIVATE <const> = "0a410503030b921f020121280908696e7465726e6574"
local OK <const> = { ipv4 = "10.11.0.2", class = "background", pco = "\x80" }

local function accepted(imsi) return { "imsi " .. imsi, "attach_accept", "tlli c0000001 and old" } end

local ATTACH <const> = { add = attach(IMSI), out = accepted(IMSI) }
local ATTACHED <const> = { rx = COMPLETE, out = { "tlli c0000001" } }

-- Steps, and lists of steps, in one list.
local function row(name, ...)
  local out = { name = name }
  for _, each in ipairs({ ... }) do
    for _, step in ipairs(each[1] and each or { each }) do out[#out + 1] = step end
  end
  return out
end

local function with(fields, list)
  for key, value in pairs(fields) do list[key] = value end
  return list
end

local rows = {
  with({ left = { "registered -" } }, row("attaches with its IMSI", ATTACH, ATTACHED)),
  row("is asked for its IMSI, and no more after five requests",
    { add = attach(nil, { identity = wire.identity_octets("tmsi", 0xc1234567) }), tlli = 0x81234567,
      out = { "identity_request" } },
    { wait = "t3370", out = { "identity_request" } }, { wait = "t3370", out = { "identity_request" } },
    { wait = "t3370", out = { "identity_request" } }, { wait = "t3370", out = { "identity_request" } },
    { wait = "t3370", out = { "attach_reject 9", "del 7" } }),
  with({ left = { "accepting -" } }, row("tells its IMSI when asked",
    { add = attach(nil, { identity = wire.identity_octets("tmsi", 0xc1234567) }), out = { "identity_request" } },
    { rx = { message = "identity_response", identity = wire.identity_octets("imsi", IMSI) }, out = accepted(IMSI) })),
  row("that answers with another identity is refused",
    { add = attach(nil, { identity = wire.identity_octets("tmsi", 0xc1234567) }), out = { "identity_request" } },
    { rx = { message = "identity_response", identity = wire.identity_octets("imei", "351234567890123") },
      out = { "attach_reject 9", "del 7" } }),
  with({ left = { "accepting -" } }, row("repeats its request: ACCEPT again, with the same P-TMSI (4.7.3.1.6 d)",
      ATTACH,
    { rx = attach(IMSI), out = { "attach_accept" } })),
  with({ left = { "accepting -" } }, row("sends another request: the procedure begins again", ATTACH,
    { rx = attach(IMSI, { cksn = 3 }), out = { "attach_accept", "tlli c0000001 and old" } })),
  with({ left = { "registered -" } }, row("gives way to one of mobiles.list, and attaches when that is gone", ATTACH,
    ATTACHED, { listed = IMSI, out = { "del 7" } },
    { add = attach(IMSI), out = { "attach_reject 17", "del 7" } }, { listed = "" },
    { add = attach(IMSI), out = { "imsi " .. IMSI, "attach_accept", "tlli c0000003 and old" } },
    { rx = COMPLETE, out = { "tlli c0000003" } })),
  row("gives way to one of mobiles.list in the midst of its attach", ATTACH, { listed = IMSI, out = { "del 7" } }),
  row("does not answer ACCEPT", ATTACH, { wait = "t3350", out = { "attach_accept" } },
    { wait = "t3350", out = { "attach_accept" } },
    { wait = "t3350", out = { "attach_accept" } }, { wait = "t3350", out = { "attach_accept" } },
    { wait = "t3350", out = { "del 7" } }),
  row("detaches in the midst of an attach", ATTACH, { rx = { message = "detach_request", detach_type = 1 },
    out = { "detach_accept", "del 7" } }),
  row("switches off: no answer", ATTACH, ATTACHED, { rx = { message = "detach_request", detach_type = 9 },
    out = { "del 7" } }),
  with({ left = { "registered -" } }, row("that attaches again ends its older self", ATTACH, ATTACHED,
    { add = attach(IMSI), mobile = 8, tlli = 0x7b000002,
      out = { "imsi " .. IMSI, "attach_accept", "tlli c0000003 and old", "del 7" } },
    { rx = COMPLETE, mobile = 8, out = { "tlli c0000003" } })),
  row("attaches with another IMSI, and leaves nothing behind", ATTACH, ATTACHED,
    { rx = attach(SECOND), out = { "imsi " .. SECOND, "attach_accept", "tlli c0000003 and old" } },
    { rx = COMPLETE, out = { "tlli c0000003" } },
    { rx = { message = "detach_request", detach_type = 9 }, out = { "del 7" } }),
  with({ left = { "registered -" } }, row("updates its routeing area", ATTACH, ATTACHED,
    { rx = rau(), bvci = 3, out = { "heard in 3", "rau_accept in 3", "tlli c0000003 and old" } },
    { rx = rau(), bvci = 3, out = { "rau_accept in 3" } },
    { rx = { message = "rau_complete" }, bvci = 3, out = { "tlli c0000003" } })),
  with({ left = { "updating -" } }, row("repeats its update from a third cell: the answer follows", ATTACH, ATTACHED,
    { rx = rau(), bvci = 3, out = { "heard in 3", "rau_accept in 3", "tlli c0000003 and old" } },
    { rx = rau(), bvci = 4, out = { "heard in 4", "rau_accept in 4", "tlli c0000003 and old" } },
    { rx = rau(), bvci = 4, out = { "rau_accept in 4" } })),
  with({ left = { "registered 5:10.11.0.2" } }, row("activates in a cell of its area, in another "
      .. "one only after its update (TS 23.060 clause 6.9.1.2)", ATTACH, ATTACHED,
    { rx = ACTIVATE, bvci = 3 },
    { rx = ACTIVATE, bvci = 4, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = OK, out = { "activate_accept" } },
    { rx = rau({ pdp_status = "\x20\0" }), bvci = 3,
      out = { "heard in 3", "rau_accept in 3 pdp 2000", "tlli c0000003 and old" } },
    { rx = { message = "rau_complete" }, bvci = 3, out = { "tlli c0000003" } },
    { rx = "0a4624", bvci = 4 },
    { rx = ACTIVATE, bvci = 3, out = { "activate_accept" } })),
  with({ settings = { area_checks = false }, left = { "registered 5:creating" } },
    row("activates in another area, unchecked", ATTACH, ATTACHED,
    { rx = ACTIVATE, bvci = 3, out = { "pdp_add 5 internet 10.0.0.2" } })),
  with({ left = { "registered -" } }, row("does not complete an update: it stays registered", ATTACH, ATTACHED,
    { rx = rau(), out = { "rau_accept", "tlli c0000003 and old" } },
    { wait = "t3350", out = { "rau_accept" } },
    { wait = "t3350", out = { "rau_accept" } }, { wait = "t3350", out = { "rau_accept" } },
    { wait = "t3350", out = { "rau_accept" } },
    { wait = "t3350", out = {} })),
  with({ left = { "registered -" } }, row("comes from another routeing area with its foreign TLLI", ATTACH, ATTACHED,
    { add = rau(), tlli = 0x80000001, verdict = 7, bvci = 3 })),
  with({ left = { "updating -" } }, row("updates in a third area right behind COMPLETE, which is handled later",
    ATTACH, ATTACHED, { rx = rau(), bvci = 3, out = { "heard in 3", "rau_accept in 3", "tlli c0000003 and old" } },
    { add = rau({ old_rai = "\x62\xf2\x24\x12\x34\6" }), tlli = 0x80000003, verdict = 7 },
    { rx = rau({ old_rai = "\x62\xf2\x24\x12\x34\6" }), tlli = 0x80000003,
      out = { "tlli c0000003", "rau_accept to 80000003", "tlli c0000005 and old" } },
    { rx = { message = "rau_complete" }, bvci = 3, tlli = 0xc0000003 })),
  with({ left = { "updating -" } }, row("goes on to another area before ACCEPT reaches it, with its first P-TMSI",
    ATTACH, ATTACHED, { rx = rau(), out = { "rau_accept", "tlli c0000003 and old" } },
    { add = rau(), tlli = 0x80000001, verdict = 7, bvci = 3 },
    { rx = rau(), tlli = 0x80000001, bvci = 3,
      out = { "heard in 3", "rau_accept to 80000001 in 3", "tlli c0000003 and old" } })),
  with({ left = { "registered -" } }, row("answers from its new area under its foreign TLLI", ATTACH, ATTACHED,
    { rx = rau(), tlli = 0x80000001, bvci = 3,
      out = { "heard in 3", "rau_accept to 80000001 in 3", "tlli c0000003 and old" } },
    { add = { message = "rau_complete" }, tlli = 0x80000001, verdict = 7, bvci = 3 },
    { add = { message = "rau_complete" }, tlli = 0xc0000003, verdict = 7, bvci = 3 },
    { rx = { message = "rau_complete" }, tlli = 0xc0000003, bvci = 3, out = { "tlli c0000003" } })),
  row("is answered under the TLLI of its request, also again",
    ATTACH, ATTACHED, { rx = rau(), tlli = 0x80000001,
      out = { "rau_accept to 80000001", "tlli c0000003 and old" } },
    { wait = "t3350", out = { "rau_accept to 80000001" } },
    { rx = { message = "rau_complete" }, tlli = 0xc0000003, out = { "tlli c0000003" } },
    { rx = { message = "detach_request", detach_type = 1 }, tlli = 0xc0000003, out = { "detach_accept", "del 7" } }),
  row("updates, but is not known", { add = rau(), tlli = 0x81234567, out = { "rau_reject 10", "del 7" } }),
  row("detaches, but is not known", { add = { message = "detach_request", detach_type = 1 },
    out = { "detach_accept", "del 7" } }),
  row("sends SM, but is not known", { add = ACTIVATE, out = { "network_detach_request 10", "del 7" } }),
  row("sends another message of GMM, but is not known", { add = "0803",
      out = { "network_detach_request 10", "del 7" } }),
  row("sends an ATTACH REQUEST that is cut", { add = "080102e5e071", out = { "attach_reject 96", "del 7" } }),
  with({ left = { "registered -" } }, row("sends a message that no phone sends", ATTACH, ATTACHED,
    { rx = "0802", out = { "gmm_status 97" } })),
  row("was not heard for long: it is asked, and detached", ATTACH, ATTACHED,
    { wait = "implicit", out = { "identity_request" } }, { wait = "t3370", out = { "identity_request" } },
    { wait = "t3370", out = { "identity_request" } }, { wait = "t3370", out = { "identity_request" } },
    { wait = "t3370", out = { "identity_request" } }, { wait = "t3370", out = { "del 7" } }),
  with({ left = { "registered -" } }, row("was not heard for long, and answers", ATTACH, ATTACHED,
    { wait = "implicit", out = { "identity_request" } },
    { rx = { message = "identity_response", identity = wire.identity_octets("imsi", IMSI) } })),
  with({ settings = { policy = "list", imsis = { SECOND } } }, row("is not in the list",
    { add = attach(IMSI), out = { "attach_reject 11", "del 7" } })),
  with({ settings = { policy = "list", imsis = { IMSI } }, left = { "accepting -" } }, row("is in the list", ATTACH)),
  with({ settings = { ciphering = { 3 } } }, row("has none of the algorithms",
    { add = attach(IMSI, { ms_network_capability = "\x80" }), out = { "attach_reject 111", "del 7" } })),

  with({ settings = { network_name = "gbflow" }, left = { "registered -" } }, row("is told the network's name", ATTACH,
    { rx = COMPLETE, out = { "tlli c0000001",
      "gmm_information full_name 8667b199fdbe03 short_name 8667b199fdbe03" } })),

  -- Session management
  with({ left = { "registered 5:10.11.0.2" } }, row("activates a context", ATTACH, ATTACHED,
    { rx = ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { rx = ACTIVATE }, { up = OK,
      out = { "activate_accept" } },
    { rx = ACTIVATE, out = { "activate_accept" } })),
  with({ left = { "registered -" } }, row("whose context the GGSN refuses", ATTACH, ATTACHED,
    { rx = ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { down = 219, out = { "activate_reject 27" } })),
  with({ left = { "accepting -" } }, row("attaches once more, without the contexts that it had", ATTACH, ATTACHED,
    { rx = ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = OK, out = { "activate_accept" } },
    { rx = attach(IMSI), out = { "pdp_del 5", "attach_accept", "tlli c0000003 and old" } })),
  with({ left = { "registered -" } }, row("names an APN that is not there", ATTACH, ATTACHED,
    { rx = "0a410503030b921f0201212803026e6f", out = { "activate_reject 27" },
      log = IMSI .. "/5: activation refused, cause 27, APN no" })),
  with({ left = { "registered -" } }, row("wants a reserved NSAPI, or PPP", ATTACH, ATTACHED,
    { rx = "0a410403030b921f020121", out = { "activate_reject 96" } },
    { rx = "0a410503030b921f020001", out = { "activate_reject 28" } })),
  with({ left = { "registered 5:2001:db8::1" } }, row("wants IPv6 and gets its address", ATTACH, ATTACHED,
    { rx = "0a410503030b921f020157", out = { "pdp_add 5 internet 10.0.0.2 ipv6" } },
    { up = { ipv6 = "2001:db8::1", class = "background" },
      out = { "activate_accept 015720010db8000000000000000000000001" } })),
  with({ left = { "registered 5:10.11.0.2" } }, row("wants both versions and gets them", ATTACH, ATTACHED,
    { rx = "0a410503030b921f02018d", out = { "pdp_add 5 internet 10.0.0.2 ipv4v6" } },
    { up = { ipv4 = "10.11.0.2", ipv6 = "2001:db8::1", class = "background" },
      out = { "activate_accept 018d0a0b000220010db8000000000000000000000001" } })),
  with({ left = { "registered 5:10.11.0.2" } }, row("wants both versions and gets IPv4: cause 50", ATTACH, ATTACHED,
    { rx = "0a410503030b921f02018d", out = { "pdp_add 5 internet 10.0.0.2 ipv4v6" } },
    { up = OK, out = { "activate_accept 01210a0b0002 second cause 50" } })),
  with({ left = { "registered 5:2001:db8::1" } }, row("wants both versions and gets IPv6: cause 51", ATTACH, ATTACHED,
    { rx = "0a410503030b921f02018d", out = { "pdp_add 5 internet 10.0.0.2 ipv4v6" } },
    { up = { ipv6 = "2001:db8::1", class = "background" },
      out = { "activate_accept 015720010db8000000000000000000000001 second cause 51" } })),
  with({ left = { "updating -" } }, row("attaches and updates for GPRS and the MSC: for GPRS only, cause 16",
    { add = attach(IMSI, { attach_type = 3 }), out = { "imsi " .. IMSI, "attach_accept 16", "tlli c0000001 and old" } },
    ATTACHED, { rx = rau({ update_type = 1 }), out = { "rau_accept 16", "tlli c0000003 and old" } },
    { rx = { message = "rau_complete" }, out = { "tlli c0000003" } },
    { rx = rau({ update_type = 2, cksn = 1 }), out = { "rau_accept 16", "tlli c0000005 and old" } })),
  with({ left = { "registered 5:active" } }, row("wants no IP", ATTACH, ATTACHED,
    { rx = "0a410503030b921f02f002", out = { "pdp_add 5 internet 10.0.0.2 non_ip" } },
    { up = { class = "background" }, out = { "activate_accept" } })),
  row("wants IPv6, both, and each SAPI", ATTACH, ATTACHED,
    { rx = "0a410505030b921f020157", out = { "pdp_add 5 internet 10.0.0.2 ipv6 sapi 5" } },
    { rx = "1a410609030b921f02018d", out = { "pdp_add 6 internet 10.0.0.2 ipv4v6 sapi 9" } },
    { rx = "2a41070b030b921f020121", out = { "pdp_add 7 internet 10.0.0.2 sapi 11" } },
    { rx = "3a410804030b921f020121", out = { "activate_reject 96" } },
    { rx = { message = "detach_request", detach_type = 9 },
      out = { "pdp_del 5", "pdp_del 6", "pdp_del 7", "del 7" } }),
  with({ left = { "registered -" } }, row("deactivates", ATTACH, ATTACHED,
    { rx = ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = OK, out = { "activate_accept" } },
    { rx = "0a4624", out = { "pdp_del 5", "deactivate_accept" } },
    { rx = "0a4624", out = { "deactivate_accept" } })),
  with({ left = { "registered -" } }, row("deactivates before the GGSN answers", ATTACH, ATTACHED,
    { rx = ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { rx = "0a4624",
      out = { "pdp_del 5", "deactivate_accept" } },
    { up = OK })),
  with({ left = { "registered -" } }, row("whose GGSN loses the context is told: reactivation required", ATTACH,
      ATTACHED,
    { rx = ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = OK, out = { "activate_accept" } },
    { down = -1, out = { "deactivate_request 39" } }, { wait = "t3395", out = { "deactivate_request 39" } },
    { rx = "0a47" }, { wait = "t3395" })),
  with({ left = { "registered -" } }, row("wants changes of contexts that it does not have", ATTACH, ATTACHED,
    { rx = "1a4d0605031b921f0100", out = { "secondary_reject 43" } },
    { rx = "0a4a", out = { "sm_status 81" } }, { rx = "0a49", out = { "sm_status 81" } },
    { rx = "0a4526", out = { "sm_status 81" } })),
  row("switches off with a context", ATTACH, ATTACHED,
    { rx = ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = OK, out = { "activate_accept" } },
    { rx = { message = "detach_request", detach_type = 9 }, out = { "pdp_del 5", "del 7" } }),
  with({ left = { "updating 5:10.11.0.2" } }, row("has its context, as its update says and the answer", ATTACH,
      ATTACHED,
    { rx = ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = OK, out = { "activate_accept" } },
    { rx = rau({ pdp_status = "\x20\0" }), out = { "rau_accept pdp 2000", "tlli c0000003 and old" } })),
  with({ left = { "updating -" } }, row("has forgotten its context, as its update says", ATTACH, ATTACHED,
    { rx = ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = OK, out = { "activate_accept" } },
    { rx = rau({ pdp_status = "\0\0" }), out = { "pdp_del 5", "rau_accept", "tlli c0000003 and old" } })),
}

package.loaded.phones_row_kit = { row = row, with = with, ATTACH = ATTACH, ATTACHED = ATTACHED, ACTIVATE = ACTIVATE,
  OK = OK, rau = rau, IMSI = IMSI, SECOND = SECOND }
for _, name in ipairs({ "phones_context_rows", "phones_malformed_rows", "phones_modify_rows",
  "phones_standby_rows" }) do
  for _, each in ipairs(require(name)) do rows[#rows + 1] = each end
end

-- With an HLR: tests of osmo-hlr's answers.
local HLR <const> = { policy = "hlr" }
local CONNECTED <const> = { { start = true, out = { "hlr_open" }, is_up = false },
  { hlr = "up", is_up = false },
  { hlr = "0011fe0401080107010201030104010501010100",
    out = { "ccm 5 8=0/0/0 7= 2= 3= 4= 5= 1=SGSN-test 0=SGSN-test", "ccm 6" }, is_up = false },
  { hlr = "0001fe06", is_up = true } }
local VECTOR <const> = "0070ee050a010862420200000000f103622010748e775de178af4705acdc54683f6c06210443a9e7a02208939f6ce7"
  .. "e59b1c3b2310987086b7bb4ac1661d1e977bb6f813dc24103cba3d5e1eb9f2c72a4b4075f6903c462510b0a1239cd9fd000036e951f84736"
  .. "c8b3270834812f1f7728c8bf"
local TWO_VECTORS <const> = "00d4ee05" .. VECTOR:sub(9) .. VECTOR:sub(31)
local INSERT <const> = "001eee0510010862420200000000f10804039421f305071001011202012a280101"
local LOCATED <const> = "000cee0506010862420200000000f1"

local function response(sres, extension, reference)
  return { message = "auth_response", reference = reference or 1, sres = sres, res_extension = extension }
end

local CANCEL <const> = "000fee051c010862420200000000f10601"
local CANCELLED <const>, WITHDRAWN <const> = CANCEL .. "00", CANCEL .. "01"

local IMSI_1 <const> = "010862420200000000f1" -- element of GSUP

-- A message of GSUP in its frame.
local function ipa(hex)
  return ("%04xee05%s"):format(1 + #hex // 2, hex)
end

local function hlr_row(name, left, ...)
  rows[#rows + 1] = with({ settings = HLR, left = left }, row(name, CONNECTED,
    { add = attach(IMSI), out = { "gsup auth_info_request" } }, ...))
  return rows[#rows]
end

local ASKED <const> = { hlr = VECTOR, out = { "auth_request" } }
local RES <const> = response("\x34\x81\x2f\x1f", "\x77\x28\xc8\xbf")
local KC <const> = "939f6ce7e59b1c3b"

hlr_row("is authenticated with UMTS AKA and ciphered", { "registered -" }, ASKED,
  { rx = RES, out = { "cipher 3 " .. KC, "gsup update_location_request" } },
  { hlr = INSERT, out = { "gsup insert_data_result" } },
  { hlr = LOCATED, out = { "imsi " .. IMSI, "E attach_accept", "tlli c0000001 and old" } },
  { rx = COMPLETE }, -- in clear: dropped
  { rx = COMPLETE, ciphered = true, out = { "tlli c0000001" } },
  { rx = { message = "detach_request", detach_type = 9 } })
hlr_row("with a SIM answers by SRES: the vector's Kc", { "locating -" }, ASKED,
  { rx = response("\x43\xa9\xe7\xa0"), out = { "cipher 3 939f6ce7e59b1c3b", "gsup update_location_request" } })
hlr_row("answers wrong", {}, ASKED, { rx = response("\0\0\0\0"), out = { "auth_reject", "del 7" } })
hlr_row("answers another challenge: ignored", { "challenging -" }, ASKED,
  { rx = response("\x43\xa9\xe7\xa0", nil, 2) })
hlr_row("has lost the sequence: one more vector with AUTS", { "fetching -" }, ASKED,
  { rx = { message = "auth_failure", cause = 21, auts = ("a"):rep(14) }, out = { "gsup auth_info_request auts" } })
hlr_row("has lost the sequence twice", {}, ASKED,
  { rx = { message = "auth_failure", cause = 21, auts = ("a"):rep(14) }, out = { "gsup auth_info_request auts" } },
  { hlr = VECTOR, out = { "auth_request" } },
  { rx = { message = "auth_failure", cause = 21, auts = ("b"):rep(14) }, out = { "auth_reject", "del 7" } })
hlr_row("attaches as another phone: the vectors left are none of that IMSI", { "fetching -" },
  { hlr = TWO_VECTORS, out = { "auth_request" } }, { rx = attach(SECOND), out = { "gsup auth_info_request" } })
hlr_row("attaches as another phone before the HLR answers", { "fetching -" },
  { rx = attach(SECOND), out = { "gsup auth_info_request" } }, { hlr = VECTOR })
hlr_row("is ciphered and updates in another area in clear: challenge and answer go there", { "registered -" }, ASKED,
  { rx = RES, out = { "cipher 3 " .. KC, "gsup update_location_request" } },
  { hlr = LOCATED, out = { "imsi " .. IMSI, "E attach_accept", "tlli c0000001 and old" } },
  { rx = COMPLETE, ciphered = true, out = { "tlli c0000001" } },
  { rx = ACTIVATE, ciphered = true, bvci = 3 },
  { rx = rau(), bvci = 3, out = { "gsup auth_info_request" } },
  { hlr = VECTOR, out = { "auth_request in 3" } },
  { rx = response("\x34\x81\x2f\x1f", "\x77\x28\xc8\xbf", 2), bvci = 3,
    out = { "cipher 3 " .. KC, "heard in 3", "E rau_accept in 3", "tlli c0000003 and old" } },
  { rx = { message = "rau_complete" }, ciphered = true, bvci = 3, out = { "tlli c0000003" } })
hlr_row("begins to attach as another phone, and updates by its own signature: it stays what it was", { "updating -" },
  ASKED, { rx = RES, out = { "cipher 3 " .. KC, "gsup update_location_request" } },
  { hlr = LOCATED, out = { "imsi " .. IMSI, "E attach_accept", "tlli c0000001 and old" } },
  { rx = COMPLETE, ciphered = true, out = { "tlli c0000001" } },
  { rx = attach(SECOND), out = { "gsup auth_info_request" } },
  { rx = rau({ signature = "\0\0\2" }), out = { "E rau_accept", "tlli c0000003 and old" } })
local REGISTERED <const> = { ASKED, { rx = RES, out = { "cipher 3 " .. KC, "gsup update_location_request" } },
  { hlr = LOCATED, out = { "imsi " .. IMSI, "E attach_accept", "tlli c0000001 and old" } },
  { rx = COMPLETE, ciphered = true, out = { "tlli c0000001" } } }
hlr_row("is registered; a request with its TLLI and a wrong answer change nothing (4.7.3.1.6 f)", { "registered -" },
  REGISTERED[1], REGISTERED[2], REGISTERED[3], REGISTERED[4],
  { rx = attach(IMSI, { cksn = 3, ms_network_capability = "\0\0" }), out = { "gsup auth_info_request" } },
  { hlr = VECTOR, out = { "auth_request without AUTN" } },
  { rx = response("\0\0\0\0", nil, 2), out = { "attach_reject 17" } }, -- no AUTHENTICATION REJECT: it would bar the SIM
  { rx = rau({ signature = "\0\0\2" }), out = { "E rau_accept", "tlli c0000003 and old" } },
  { rx = { message = "rau_complete" }, ciphered = true, out = { "tlli c0000003" } })
hlr_row("is registered; after a stranger's wrong P-TMSI signature the right one is a proof", { "updating -" },
  REGISTERED[1], REGISTERED[2], REGISTERED[3], REGISTERED[4],
  { rx = rau({ signature = "\0\0\9" }), out = { "gsup auth_info_request" } },
  { hlr = VECTOR, out = { "auth_request" } },
  { rx = response("\0\0\0\0", nil, 2), out = { "rau_reject 17" } },
  { rx = rau({ signature = "\0\0\2" }), out = { "E rau_accept", "tlli c0000003 and old" } })
hlr_row("is registered; after a wrong P-TMSI signature none is no proof", { "fetching -" },
  REGISTERED[1], REGISTERED[2], REGISTERED[3], REGISTERED[4],
  { rx = rau({ signature = "\0\0\9" }), out = { "gsup auth_info_request" } },
  { rx = rau(), out = { "gsup auth_info_request" } })
hlr_row("is registered; a request with its TLLI that fails ends no context", { "registered 5:10.11.0.2" },
  REGISTERED[1], REGISTERED[2], { hlr = INSERT, out = { "gsup insert_data_result" } }, REGISTERED[3], REGISTERED[4],
  { rx = ACTIVATE, ciphered = true, out = { "pdp_add 5 internet 10.0.0.2 msisdn 49123" } },
  { up = OK, out = { "E activate_accept" } },
  { rx = attach(SECOND), out = { "gsup auth_info_request" } }, { wait = "hlr", out = { "attach_reject 17" } })
-- A phone that is registered, with one vector left.
local TWICE <const> = { { hlr = TWO_VECTORS, out = { "auth_request" } }, REGISTERED[2], REGISTERED[3], REGISTERED[4] }
local AGAIN <const> = { add = attach(IMSI), mobile = 8, tlli = 0x7b000002, bvci = 3, out = { "auth_request in 3" } }
local AGAIN_DONE <const> = { rx = RES, mobile = 8, bvci = 3,
  out = { "cipher 3 " .. KC, "imsi " .. IMSI, "heard in 3", "E attach_accept in 3", "tlli c0000003 and old", "del 7" } }
hlr_row("attaches again in another cell: the vector that is left, and the HLR knows it already", { "accepting -" },
  TWICE[1], TWICE[2], TWICE[3], TWICE[4], AGAIN, AGAIN_DONE)
hlr_row("attaches again while the HLR is away", { "accepting -" }, TWICE[1], TWICE[2], TWICE[3], TWICE[4],
  { hlr = "down" }, AGAIN, AGAIN_DONE)
hlr_row("attaches a third time: the HLR is asked for vectors", { "registered -", "fetching -" }, TWICE[1], TWICE[2],
  TWICE[3], TWICE[4], AGAIN, { add = attach(IMSI), mobile = 9, tlli = 0x7b000003, out = { "gsup auth_info_request" } },
  { rx = { message = "detach_request", detach_type = 1 }, mobile = 8, bvci = 3,
    out = { "detach_accept in 3", "del 8" } })
hlr_row("updates without a signature while the HLR is away: the vector that is left", { "updating -" }, TWICE[1],
  TWICE[2], TWICE[3], TWICE[4], { hlr = "down" }, { rx = rau(), out = { "auth_request" } },
  { rx = response("\x34\x81\x2f\x1f", "\x77\x28\xc8\xbf", 2),
    out = { "cipher 3 " .. KC, "E rau_accept", "tlli c0000003 and old" } })

package.loaded.phones_row_kit = { row = row, with = with, attach = attach, rau = rau, rows = rows, hlr_row = hlr_row,
  ipa = ipa, response = response, TWO_VECTORS = TWO_VECTORS, IMSI = IMSI, SECOND = SECOND,
  IMSI_1 = IMSI_1, ATTACH = ATTACH, ATTACHED = ATTACHED,
  OK = OK,
  COMPLETE = COMPLETE, ACTIVATE = ACTIVATE, CONNECTED = CONNECTED, ASKED = ASKED, RES = RES, KC = KC, INSERT = INSERT,
  LOCATED = LOCATED, REGISTERED = REGISTERED, WITHDRAWN = WITHDRAWN }
require "phones_gmm_rows"
for _, each in ipairs(require "phones_act_rows") do rows[#rows + 1] = each end

hlr_row("is withdrawn from the HLR: its context ends, and it is detached until it says so", {}, REGISTERED[1],
  REGISTERED[2], { hlr = INSERT, out = { "gsup insert_data_result" } }, REGISTERED[3], REGISTERED[4],
  { rx = ACTIVATE, ciphered = true, out = { "pdp_add 5 internet 10.0.0.2 msisdn 49123" } },
  { up = OK, out = { "E activate_accept" } },
  { hlr = WITHDRAWN, out = { "gsup cancel_result", "pdp_del 5", "E network_detach_request 7" },
    log = IMSI .. ": told to detach, cause 7" },
  { wait = "t3322", out = { "E network_detach_request 7" } }, { rx = "0806", ciphered = true, out = { "del 7" },
    log = IMSI .. ": detached" })
hlr_row("switches off: the HLR is told", {}, REGISTERED[1], REGISTERED[2], REGISTERED[3], REGISTERED[4],
  { rx = { message = "detach_request", detach_type = 9 }, ciphered = true, out = { "gsup purge_request", "del 7" } })
hlr_row("is with another SGSN, as the HLR says", {}, REGISTERED[1], REGISTERED[2], REGISTERED[3], REGISTERED[4],
  { hlr = CANCELLED, out = { "gsup cancel_result", "del 7" }, log = IMSI .. ": forgotten without a word to it" })
hlr_row("is authenticated, and not ciphered with GEA/0", { "registered -" }, ASKED,
  { rx = RES, out = { "cipher 0 " .. KC, "gsup update_location_request" } },
  { hlr = LOCATED, out = { "imsi " .. IMSI, "attach_accept", "tlli c0000001 and old" } }, ATTACHED)
rows[#rows].settings = { policy = "hlr", ciphering = { 0 } }
hlr_row("is located although another one claims its IMSI meanwhile", { "registered -", "challenging -" }, ASKED,
  { rx = RES, out = { "cipher 3 " .. KC, "gsup update_location_request" } },
  { add = attach(IMSI), mobile = 8, tlli = 0x7b000002, out = { "gsup auth_info_request" } },
  { hlr = INSERT, out = { "gsup insert_data_result" } },
  { hlr = LOCATED, out = { "imsi " .. IMSI, "E attach_accept", "tlli c0000001 and old" } },
  { rx = COMPLETE, ciphered = true, out = { "tlli c0000001" } }, ASKED)
hlr_row("gets its vector although another one claims its IMSI meanwhile, and that one gets its own",
  { "challenging -", "challenging -" },
  { add = attach(IMSI), mobile = 8, tlli = 0x7b000002, out = { "gsup auth_info_request" } }, ASKED, ASKED)
hlr_row("gets no vector of its former request", { "fetching -" }, { rx = attach(SECOND),
  out = { "gsup auth_info_request" } }, { rx = attach(IMSI), out = { "gsup auth_info_request" } }, { hlr = VECTOR })
hlr_row("is challenged in one NSE: answers from another do not count", { "locating -" }, ASKED,
  { rx = response("\0\0\0\0"), nsei = 102 }, { rx = { message = "auth_failure", cause = 20 }, nsei = 102 },
  { rx = RES, out = { "cipher 3 " .. KC, "gsup update_location_request" } })
hlr_row("has an HLR that sends empty names and APNs as text: it is located", { "registered 5:10.11.0.2" }, ASKED,
  { rx = RES, out = { "cipher 3 " .. KC, "gsup update_location_request" } },
  { hlr = ipa("10" .. IMSI_1 .. "6100" .. "6000" .. "05051000" .. "12012a" .. "050a1208696e7465726e6574" .. "08020394"),
    out = { "gsup insert_data_result" } },
  { hlr = LOCATED, out = { "imsi " .. IMSI, "E attach_accept", "tlli c0000001 and old" } },
  { rx = COMPLETE, ciphered = true, out = { "tlli c0000001" } },
  { rx = ACTIVATE, ciphered = true, out = { "pdp_add 5 internet 10.0.0.2 msisdn 49" } },
  { up = OK, out = { "E activate_accept" } })
hlr_row("gets an answer that is cut: it is refused at once", {}, { hlr = "000eee050a010862420200000000f10350",
  out = { "attach_reject 17", "del 7" } })
hlr_row("gets a vector without Kc, and one: the second is used", { "challenging -" },
  { hlr = ipa("0a" .. IMSI_1 .. "03182010" .. ("11"):rep(16) .. "210443a9e7a0" .. VECTOR:sub(31)),
    out = { "auth_request" } })
hlr_row("gets only a vector without Kc", {}, { hlr = ipa("0a" .. IMSI_1 .. "03182010" .. ("11"):rep(16)
  .. "210443a9e7a0"), out = { "attach_reject 17", "del 7" } })
hlr_row("is not known to the HLR", {}, { hlr = "000fee0509010862420200000000f1020102",
  out = { "attach_reject 2", "del 7" } })
hlr_row("gets no answer of an HLR that is heard", {}, { hlr = ipa("40" .. IMSI_1), out = { "gsup 41 97" } },
  { wait = "hlr", out = { "attach_reject 17", "del 7" } })
hlr_row("attaches while the HLR goes", {}, { hlr = "down", out = { "attach_reject 17", "del 7" },
  is_up = false }, { wait = 1, out = { "hlr_open" } })

rows[#rows + 1] = { name = "attaches without a connection to the HLR", settings = HLR,
  { start = true, out = { "hlr_open" } }, { add = attach(IMSI), out = { "attach_reject 17", "del 7" } } }
rows[#rows + 1] = with({ settings = HLR }, row("of no SGSN: the HLR's PING is answered, its own is awaited",
  CONNECTED[1], CONNECTED[2], CONNECTED[3], CONNECTED[4], { hlr = "0001fe00", out = { "ccm 1" } },
  { wait = 20, out = { "ccm 0" }, is_up = true }, { hlr = "0001fe01" },
  { wait = 20, out = { "ccm 0" } }, { wait = 20, out = { "hlr_close" }, is_up = false },
  { wait = 1, out = { "hlr_open" } }))
rows[#rows + 1] = with({ settings = HLR }, row("of no SGSN: data of an unknown IMSI are refused", CONNECTED[1],
    CONNECTED[2],
  CONNECTED[3], CONNECTED[4], { hlr = INSERT:sub(1, 20) }, { hlr = INSERT:sub(21),
      out = { "gsup insert_data_error 2" } }))

-- What an HLR may do that osmo-hlr does not (rows of no SGSN are those of the connection alone).
local function greeted(name, asks, answers, ...)
  rows[#rows + 1] = with({ settings = HLR }, row("of no SGSN: the HLR asks for " .. name, CONNECTED[1], CONNECTED[2],
    { hlr = ("%04xfe04%s"):format(1 + #asks // 2, asks), out = { "ccm 5" .. answers, "ccm 6" } }, ...))
end
local PINGED <const> = { hlr = "0001fe00", out = { "ccm 1" } }
greeted("its serial number alone", "0100", " 0=SGSN-test", { hlr = "0001fe06" }, PINGED)
greeted("unit name, then unit ID", "01010108", " 1=SGSN-test 8=0/0/0")
greeted("a tag that no one knows", "01aa0100", " 170= 0=SGSN-test")
greeted("nothing", "", " 8=0/0/0 1=SGSN-test 0=SGSN-test")
greeted("a tag behind one that is cut", "010005", " 0=SGSN-test")
greeted("its name twice, and once more when it is ready", "01000100", " 0=SGSN-test 0=SGSN-test",
  { hlr = "0001fe06" }, { hlr = "0003fe040100", out = { "ccm 5 0=SGSN-test", "ccm 6" } })
greeted("its name, and acknowledges nothing: connected after a second", "0100", " 0=SGSN-test",
  { wait = 1 }, { add = attach(IMSI), out = { "gsup auth_info_request" } }, { hlr = "0001fe06" },
  { hlr = "down", out = { "attach_reject 17", "del 7" } })
greeted("its name, and acknowledges nothing: not connected before", "0100", " 0=SGSN-test",
  { add = attach(IMSI), out = { "attach_reject 17", "del 7" } })
rows[#rows + 1] = with({ settings = HLR }, row("of no SGSN: the HLR asks for nothing in 20 s", CONNECTED[1],
  CONNECTED[2], { wait = 20, out = { "hlr_close" } }, { wait = 1, out = { "hlr_open" } }))

-- Each request is answered: type of the answer and cause.
local function asked(name, hex, answer)
  rows[#rows + 1] = with({ settings = HLR }, row("of no SGSN: " .. name .. " of the HLR", CONNECTED[1], CONNECTED[2],
    CONNECTED[3], CONNECTED[4], { hlr = ipa(hex), out = { answer } }))
end
asked("a request of unknown type", "40" .. IMSI_1, "gsup 41 97")
asked("a request that an SGSN sends", "04" .. IMSI_1, "gsup update_location_error 97")
asked("a request that is cut", "10" .. IMSI_1 .. "0508", "gsup insert_data_error 96")
asked("a cancellation with an empty type", "1c" .. IMSI_1 .. "0600", "gsup cancel_error 2")
asked("a request without IMSI", "10280101", nil)
asked("an answer that no one waits for", "0a" .. IMSI_1, nil)

-- A request costs an answer: ten at once, then one in a second.
local many = { name = "sends many requests", left = { "accepting -" }, ATTACH }
for i = 1, 10 do
  many[#many + 1] = { rx = attach(IMSI, { cksn = i % 7, attach_type = 1 + i % 2 * 2 }),
    out = i < 10 and { i % 2 == 1 and "attach_accept 16" or "attach_accept", "tlli c0000001 and old" } or {} }
end
many[#many + 1] = { wait = 1 }
many[#many + 1] = { rx = attach(IMSI, { cksn = 6, attach_type = 1 }),
  out = { "attach_accept", "tlli c0000001 and old" } }
rows[#rows + 1] = many

-- Which APN a phone gets: the node's names, what the HLR allows, what the phone asks for; its APN or the cause.
local function label_of(name)
  return (name:gsub("[^.]+%.?", function(label)
    label = label:gsub("%.", "")
    return ("%02x"):format(#label) .. label:gsub(".", function(c) return ("%02x"):format(c:byte()) end)
  end))
end

local function apn_row(names, allowed, wanted, got)
  local settings, infos, request = { policy = "hlr", apns = {} }, "", "0a410503030b921f02012128"
  for i, name in ipairs(names) do
    settings.apns[i] = { name = name, sgsn_address = "10.0.0.1", ggsn_address = "10.0.0.2", class = "background",
      sapi = 3 }
  end
  for _, name in ipairs(allowed) do
    local charging = allowed.charging and allowed.charging[name]
    infos = infos .. ("05%02x12%02x%s%s"):format(#name + (charging and 7 or 3), #name + 1, label_of(name),
      charging and "1402" .. charging or "")
  end
  if allowed.charging and allowed.charging.all then infos = infos .. "1402" .. allowed.charging.all end
  request = wanted and request .. ("%02x%s"):format(#wanted + 1, label_of(wanted)) or request:sub(1, -3)
  local name = ("wants %s of %s, and may have %s%s"):format(wanted or "no APN", table.concat(names, ", "),
    #allowed > 0 and table.concat(allowed, ", ") or "all", got:match(" charging.*") or "")
  hlr_row(name, { got:find("reject") and "registered -" or "registered 5:creating" }, ASKED,
    { rx = RES, out = { "cipher 3 " .. KC, "gsup update_location_request" } },
    { hlr = ipa("10" .. IMSI_1 .. infos), out = { "gsup insert_data_result" } },
    { hlr = LOCATED, out = { "imsi " .. IMSI, "E attach_accept", "tlli c0000001 and old" } },
    { rx = COMPLETE, ciphered = true, out = { "tlli c0000001" } }, { rx = request, ciphered = true, out = { got } })
  rows[#rows].settings = settings
end
apn_row({ "internet", "mms" }, {}, nil, "pdp_add 5 internet 10.0.0.2")
apn_row({ "internet", "mms" }, { "mms", "internet", charging = { mms = "0400" } }, nil,
  "pdp_add 5 mms 10.0.0.2 charging 0400")
apn_row({ "internet", "mms" }, { "mms", "internet", charging = { mms = "0400", all = "0100" } }, "internet",
  "pdp_add 5 internet 10.0.0.2 charging 0100")
apn_row({ "internet", "mms" }, { "*", charging = { ["*"] = "0200" } }, nil, "pdp_add 5 internet 10.0.0.2 charging 0200")
apn_row({ "internet", "mms" }, { "*" }, nil, "pdp_add 5 internet 10.0.0.2")
apn_row({ "internet", "mms" }, { "mms" }, nil, "pdp_add 5 mms 10.0.0.2")
apn_row({ "internet", "mms" }, { "wap", "mms", "internet" }, nil, "pdp_add 5 mms 10.0.0.2")
apn_row({ "internet", "mms" }, { "wap" }, nil, "E activate_reject 33")
apn_row({ "internet", "mms" }, { "mms" }, "internet", "E activate_reject 33")
apn_row({ "internet", "mms" }, { "mms" }, "MMS", "pdp_add 5 mms 10.0.0.2")
apn_row({ "internet", "mms" }, { "*" }, "wap", "E activate_reject 27")
apn_row({ "internet", "*" }, { "*" }, "wap", "pdp_add 5 wap 10.0.0.2")
apn_row({ "internet", "*" }, { "wap" }, "wap", "pdp_add 5 wap 10.0.0.2")
apn_row({ "internet", "*" }, { "wap" }, nil, "pdp_add 5 wap 10.0.0.2")
apn_row({ "internet", "*" }, { "wap" }, "*", "pdp_add 5 wap 10.0.0.2")
apn_row({ "internet", "*" }, { "wap" }, "mms", "E activate_reject 33")
apn_row({ "*", "internet" }, {}, nil, "pdp_add 5 internet 10.0.0.2")
apn_row({ "*" }, { "*" }, nil, "E activate_reject 33")
apn_row({ "Internet", "MMS" }, { "mms" }, nil, "pdp_add 5 mms 10.0.0.2")
apn_row({ "Internet", "MMS" }, { "INTERNET" }, "internet", "pdp_add 5 internet 10.0.0.2")
apn_row({ "Internet", "MMS" }, { "*" }, nil, "pdp_add 5 internet 10.0.0.2")
apn_row({ "mms", "internet" }, { "internet" }, "Internet.mnc042.mcc262.gprs", "pdp_add 5 internet 10.0.0.2")
apn_row({ "a.b", "b" }, { "a.b.mnc042.mcc262.gprs" }, "a.b", "pdp_add 5 a.b 10.0.0.2")
apn_row({ "*" }, {}, nil, "E activate_reject 27")

-- The cause that a phone is told (24.008 §10.5.6.6) for that of its GGSN (29.060 §7.7.1); 0: no answer.
local TOLD <const> = { [0] = 38, [192] = 30, [199] = 26, [200] = 32, [201] = 96, [202] = 96, [203] = 111, [204] = 38,
  [205] = 33, [206] = 111, [207] = 111, [208] = 29, [209] = 29, [210] = 111, [211] = 26, [212] = 26, [213] = 111,
  [214] = 111, [215] = 41, [216] = 42, [217] = 44, [218] = 45, [219] = 27, [220] = 28, [221] = 46 }
local refused = with({ left = { "registered -" } }, row("is told why its GGSN refuses", ATTACH, ATTACHED))
for cause, told in pairs(TOLD) do
  refused[#refused + 1] = { rx = ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }
  refused[#refused + 1] = { down = cause, out = { "activate_reject " .. told } }
end
rows[#rows + 1] = refused

rows[#rows + 1] = with({ settings = HLR }, row("of no SGSN: more octets than a message of the HLR may have",
  CONNECTED[1], CONNECTED[2], CONNECTED[3], CONNECTED[4], { hlr = "0002ee0501" }, { hlr = "0002ee0601" },
  { hlr = "ffffee05" .. ("00"):rep(1999) }, { hlr = "00", out = { "hlr_close" } }, { wait = 1, out = { "hlr_open" } }))

rows[#rows + 1] = with({ settings = HLR }, row("gets no answer of an HLR that never asked for the name",
  CONNECTED[1], CONNECTED[2], CONNECTED[4], { add = attach(IMSI), out = { "gsup auth_info_request" } },
  { wait = "hlr", out = { "ccm 5 8=0/0/0 1=SGSN-test 0=SGSN-test", "attach_reject 17", "del 7" } }))

-- What some rows count, by name.
local COUNTS <const> = {
  ["switches off: no answer"] = { attach_request = 1, attach_complete = 1, detach_request = 1, sent_attach_accept = 1 },
  ["does not answer ACCEPT"] = { no_answer = 1 },
  ["does not complete an update: it stays registered"] = { no_answer = 1, rx_rau_request = 1, sent_rau_accept = 5 },
  ["updates its routeing area"] = { rau_complete = 1, repeated_request = 1 },
  ["updates in a third area right behind COMPLETE, which is handled later"] = { answer_elsewhere = 1 },
  ["activates in a cell of its area, in another one only after its update (TS 23.060 clause 6.9.1.2)"] = {
    other_area = 2 },
  ["asks for another class"] = { modified = 1, modify_reject = 0 },
  ["asks for another class, which the GGSN refuses"] = { modified = 0, modify_reject = 1 },
  ["asks for another filter, or a wrong one"] = { modified = 1, modify_reject = 1 },
  ["wants changes of contexts that it does not have"] = { modify_reject = 0, sm_unknown_ti = 3 },
  ["is told of another class by its GGSN"] = { told_class = 1, untold_class = 1 },
  ["tells its IMEISV, and the HLR refuses it"] = { imei_refused = 1 },
  ["tells its IMEI to an HLR whose result has no element"] = { imei_refused = 1 },
  ["updates, but is not known"] = { rau_reject_10 = 1 },
  ["sends SM, but is not known"] = { stray = 1 },
  ["sends an ATTACH REQUEST that is cut"] = { bad_message = 1 },
  ["was not heard for long: it is asked, and detached"] = { implicit_detach = 1 },
  ["wants a reserved NSAPI, or PPP"] = { activate_reject_28 = 1, activate_reject_96 = 1, rx_activate_request = 2 },
  ["deactivates"] = { activated = 1, deactivate_request = 2 },
  ["whose GGSN loses the context is told: reactivation required"] = { lost = 1 },
  ["whose GGSN deletes the context for good is told: regular deactivation"] = { lost = 0, deleted = 1 },
  ["is authenticated with UMTS AKA and ciphered"] = { authenticated = 1, not_ciphered = 2, gsup_auth_info_result = 1,
    gsup_sent_update_location_request = 1 },
  ["answers wrong"] = { wrong_response = 1 },
  ["answers another challenge: ignored"] = { answer_to_another = 1 },
  ["is challenged in one NSE: answers from another do not count"] = { answer_elsewhere = 2 },
  ["has lost the sequence twice"] = { auth_failure = 2 },
  ["is registered; a request with its TLLI that fails ends no context"] = { claim_refused = 1, attach_reject_17 = 1 },
  ["attaches without a connection to the HLR"] = { gsup_not_sent_17 = 1 },
  ["of no SGSN: more octets than a message of the HLR may have"] = { gsup_malformed = 1, gsup_other_stream = 1 },
  ["sends many requests"] = { attach_request = 11, request_limit = 1 },
}
rows.by_name = {}
for _, each in ipairs(rows) do
  rows.by_name[each.name], each.counts = each, each.counts or COUNTS[each.name]
end
for name in pairs(COUNTS) do assert(rows.by_name[name], name) end
rows.attach = attach
return rows
