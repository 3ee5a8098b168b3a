-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of phones_spec.lua about secondary contexts and modification. t: what phones_rows.lua builds its rows of.
local spec_tools = require "spec_tools"

local hex_of = spec_tools.hex_of

local t = require "phones_row_kit" -- of phones_rows.lua

-- An APN with thp2 at best; a filter for TCP port 80.
local BETTER <const> = { apns = { { name = "internet", sgsn_address = "10.0.0.1", ggsn_address = "10.0.0.2",
  class = "background", best = "thp2", sapi = 3, pfc = true } } }
local FILTER <const> = "21010503500050"
local QOS <const> = "0b" .. "0b921f6196686874010000"
local function secondary(rest) return "1a4d0603" .. rest end
local THP1_QOS <const> = "090b921f61966868" .. "7405" -- 9 octets: interactive, THP 1
local SECONDARY <const> = { { rx = secondary(THP1_QOS .. "01003607" .. FILTER),
  out = { "pdp_add 6 internet 10.0.0.2 thp2 linked 5 10.11.0.2 tft " .. FILTER .. " pfi 9" } },
  { up = { ipv4 = "10.11.0.2", class = "thp2" }, nsapi = 6, out = { "secondary_accept thp2 pfi 9 qos 11" } } }
local BOTH <const> = "registered 5:10.11.0.2 6:10.11.0.2"

-- An APN `*` that takes all.
local ANY <const> = { apns = { { name = "*", sgsn_address = "10.0.0.1", ggsn_address = "10.0.0.2",
  class = "background", sapi = 3 } } }

local function apn_of(label, count)
  return "0a410503030b921f02012128" .. hex_of(string.pack("s1", string.pack("s1", label):rep(count or 1)))
end

local NO_APNS <const> = { apn_of(("a"):rep(64)), apn_of("a..b"), apn_of("a.b"), apn_of("a\0b"), apn_of("\0"),
  apn_of("a\0\0"), apn_of("a_b"), apn_of("\xe4"), apn_of(""), apn_of("a", 2):sub(1, -3), apn_of("*", 2) }

-- A message in the last minute before the phone is asked, and one in answer to the question.
local function reachable_rows(rows)
  for _, each in ipairs({ { "SM", "0a5561" }, { "SMS", "091061" }, { "GMM STATUS", "082061" } }) do
    local message = { rx = each[2] }
    rows[#rows + 1] = t.with({ left = { "probing -" } }, t.row("is heard by a message of " .. each[1], t.ATTACH,
      t.ATTACHED, { wait = 57 * 60 }, message, { wait = 57 * 60 }, { wait = 60, out = { "identity_request" } }, message,
      { wait = 6 }, { wait = 58 * 60 - 6, out = { "identity_request" } }))
  end
end

-- Charging records, of a phone with MSISDN.
local function recorded_row(rows, name, ...)
  local settings = { records = { file = "r" }, subscribers = { { imsi = t.IMSI, msisdn = "491701" } } }
  rows[#rows + 1] = t.with({ settings = settings }, t.row("is recorded: " .. name, t.ATTACH, ...))
end

local function record_rows(rows)
  local attached = { rx = { message = "attach_complete" },
    out = { "tlli c0000001", "record attach " .. t.IMSI .. " 491701" } }
  local function ended(cause) return ("record detach %d %s 491701"):format(cause, t.IMSI) end
  local silence, question = {}, { "identity_request" }
  for i = 1, 5 do silence[i] = { wait = i == 1 and "implicit" or "t3370", out = question } end
  silence[6] = { wait = "t3370", out = { ended(4), "del 7" } }
  local detach = { message = "detach_request", detach_type = 1 }
  recorded_row(rows, "switches off", attached, { rx = { message = "detach_request", detach_type = 9 },
    out = { ended(0), "del 7" } })
  recorded_row(rows, "detaches, and gets its answer afterwards", attached,
    { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2 msisdn 491701" } },
    { up = t.OK, out = { "activate_accept" } },
    { rx = detach, out = { "pdp_del 5", ended(0), "detach_accept", "del 7" } })
  recorded_row(rows, "is silent", attached, silence)
  recorded_row(rows, "nothing of one that is not attached yet", { rx = detach, out = { "detach_accept", "del 7" } })
end

local function more_rows(rows)
  local bad = t.with({ settings = ANY, left = { "registered 5:creating" } }, t.row("names what is no APN", t.ATTACH,
    t.ATTACHED))
  for _, octets in ipairs(NO_APNS) do bad[#bad + 1] = { rx = octets, out = { "activate_reject 27" } } end
  bad[#bad + 1] = { rx = apn_of(("a"):rep(63)), out = { "pdp_add 5 " .. ("a"):rep(63) .. " 10.0.0.2" } }
  bad[#bad + 1] = { rx = apn_of("A-9", 25), out = { "pdp_del 5",
    "pdp_add 5 " .. ("a-9."):rep(24) .. "a-9 10.0.0.2" } }
  rows[#rows + 1] = bad
  local ended = t.with({ settings = ANY, left = { "registered 5:creating" }, counts = { apn_with_end = 2 } },
    t.row("ends its APN with an octet of 0, in the last label or behind it", t.ATTACH, t.ATTACHED))
  for i, labels in ipairs({ "\3mms\5a-9a\0", "\3mms\4a-9a\0" }) do
    local added = "pdp_add 5 mms.a-9a 10.0.0.2"
    ended[#ended + 1] = { rx = "0a410503030b921f02012128" .. hex_of(string.pack("s1", labels)),
      out = i == 1 and { added } or { "pdp_del 5", added } }
  end
  rows[#rows + 1] = ended
  reachable_rows(rows)
end

local rows = {}

local ACTIVE <const> = { { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2 pfi 8" } },
  { up = t.OK, out = { "activate_accept background pfi 8" } } }
local function better_row(name, left, ...)
  local steps = t.row(name, t.ATTACH, t.ATTACHED, ACTIVE[1], ACTIVE[2], ...)
  rows[#rows + 1] = t.with({ settings = BETTER, left = { left } }, steps)
end
better_row("activates a secondary context, of a class as the APN allows", BOTH, SECONDARY[1],
  { rx = SECONDARY[1].rx }, SECONDARY[2], { rx = SECONDARY[1].rx, out = { "secondary_accept thp2 pfi 9 qos 11" } })
better_row("whose secondary context the GGSN refuses", "registered 5:10.11.0.2", SECONDARY[1],
  { down = 215, nsapi = 6, out = { "secondary_reject 41" } })
better_row("ends its secondary context alone, and then both by the first", "registered -", SECONDARY[1], SECONDARY[2],
  { rx = "1a4624", out = { "pdp_del 6", "deactivate_accept" } }, SECONDARY[1], SECONDARY[2],
  { rx = "0a462491", out = { "pdp_del 5", "pdp_del 6", "deactivate_accept" } })
better_row("ends its first context without the second", "registered 6:10.11.0.2", SECONDARY[1], SECONDARY[2],
  { rx = "0a462490", out = { "pdp_del 5", "deactivate_accept" } })
-- The secondary context keeps its address; that of the new first context is another one.
local OTHER_FIRST <const> = { { rx = "0a462490", out = { "pdp_del 5", "deactivate_accept" } },
  { rx = "2a410503030b921f020121280908696e7465726e6574", out = { "pdp_add 5 internet 10.0.0.2 pfi 8" } },
  { up = { ipv4 = "10.11.0.9", class = "background" }, out = { "activate_accept background pfi 8 01210a0b0009" } } }
better_row("ends its first context alone, activates it again, and ends that with its address", "registered 6:10.11.0.2",
  SECONDARY, OTHER_FIRST, { rx = "2a462491", out = { "pdp_del 5", "deactivate_accept" } })
better_row("loses its first context, which is not that of its secondary one any more",
  "registered 5:10.11.0.9 6:10.11.0.2", SECONDARY, OTHER_FIRST, { down = -1, out = { "deactivate_request 39" } })
better_row("wants a context without a filter beside its secondary one, whose first one has ended",
  "registered 5:10.11.0.9 6:10.11.0.2 7:creating", SECONDARY, OTHER_FIRST, { rx = "3a4d0703" .. THP1_QOS .. "0110",
    out = { "pdp_add 7 internet 10.0.0.2 thp2 linked 6 10.11.0.2 pfi 10" } })
better_row("deletes the filter of its secondary context, whose first one has ended: no other may be without one",
  "registered 6:10.11.0.2", SECONDARY, { rx = "0a462490", out = { "pdp_del 5", "deactivate_accept" } },
  { rx = "1a4a3101" .. "40", out = { "pdp_class 6 thp2 tft 40" } },
  { class = "thp2", nsapi = 6, out = { "modify_accept thp2 pfi 9 qos 11" } },
  { rx = "3a4d0703" .. THP1_QOS .. "0110", out = { "secondary_reject 46" } })
better_row("wants secondary contexts that cannot be", "registered 5:10.11.0.2",
  { rx = secondary(THP1_QOS .. "0100"), out = { "secondary_reject 46" } }, -- a second one without a filter
  { rx = secondary(THP1_QOS .. "01303607" .. FILTER), out = { "secondary_reject 43" } }, -- linked to TI 3
  { rx = "1a4d0403" .. THP1_QOS .. "01003607" .. FILTER, out = { "secondary_reject 96" } }, -- NSAPI 4
  { rx = "0a4d0603" .. THP1_QOS .. "01003607" .. FILTER, out = { "secondary_reject 96" } }, -- its own TI
  { rx = secondary(THP1_QOS .. "01003607" .. "81010503500050"), out = { "secondary_reject 41" } }, -- replaces nothing
  { rx = secondary(THP1_QOS .. "01003606" .. "210105035000"), out = { "secondary_reject 42" } }, -- cut
  { rx = secondary(THP1_QOS .. "010036" .. "0120"), out = { "secondary_reject 42" } }, -- no filter
  { rx = secondary(THP1_QOS .. "01003607" .. "21010503ff0050"), out = { "secondary_reject 45" } }, -- no component
  { rx = secondary(THP1_QOS .. "0100360d" .. "22010503500050" .. "010603500051"), out = { "secondary_reject 44" } })
better_row("asks for another class", "registered 5:10.11.0.2", { rx = "0a4a30" .. QOS,
  out = { "pdp_class 5 thp2" } }, { rx = "0a4a30" .. QOS },
  { class = "thp2", out = { "modify_accept thp2 pfi 8 qos 11" } },
  { rx = t.ACTIVATE, out = { "activate_accept thp2 pfi 8 qos 11" } })
better_row("asks for another class, which the GGSN refuses", "registered 5:10.11.0.2",
  { rx = "0a4a30" .. QOS, out = { "pdp_class 5 thp2" } },
  { class = "background", cause = 199, out = { "modify_reject 26" } },
  { rx = t.ACTIVATE, out = { "activate_accept background pfi 8" } })
better_row("asks for another filter, or a wrong one", BOTH, SECONDARY[1], SECONDARY[2],
  { rx = "1a4a3107" .. "81010503500051", out = { "pdp_class 6 thp2 tft 81010503500051" } },
  { class = "thp2", nsapi = 6, out = { "modify_accept thp2 pfi 9 qos 11" } },
  { rx = "1a4a3102" .. "8101", out = { "modify_reject 42" } })
better_row("is told of another class by its GGSN", "registered 5:10.11.0.2",
  { class = "thp3", out = { "network_modify_request thp3 pfi 8" } },
  { wait = "t3386", out = { "network_modify_request thp3 pfi 8" } }, { rx = "0a49" }, { wait = "t3386" },
  { class = "background", out = { "network_modify_request background pfi 8" } },
  { wait = "t3386", out = { "network_modify_request background pfi 8" } },
  { wait = "t3386", out = { "network_modify_request background pfi 8" } },
  { wait = "t3386", out = { "network_modify_request background pfi 8" } },
  { wait = "t3386", out = { "network_modify_request background pfi 8" } }, { wait = "t3386" })
better_row("is not told the class that it has", "registered 5:10.11.0.2",
  { class = "background" }, { class = "background", cause = 204 }, { class = "thp3",
    out = { "network_modify_request thp3 pfi 8" } }, { class = "thp3" }, { rx = "0a49" }, { class = "thp3" })
better_row("wants SAPIs for its contexts, or that of the APN",
  "registered 5:10.11.0.2 6:10.11.0.2 7:10.11.0.2",
  { rx = "1a4d0605" .. THP1_QOS .. "01003607" .. FILTER,
    out = { "pdp_add 6 internet 10.0.0.2 sapi 5 thp2 linked 5 10.11.0.2 tft " .. FILTER .. " pfi 9" } },
  { up = { ipv4 = "10.11.0.2", class = "thp2" }, nsapi = 6, out = { "secondary_accept thp2 pfi 9 qos 11 sapi 5" } },
  { rx = "2a4d0700" .. THP1_QOS .. "01003607" .. FILTER,
    out = { "pdp_add 7 internet 10.0.0.2 thp2 linked 5 10.11.0.2 tft " .. FILTER .. " pfi 10" } },
  { up = { ipv4 = "10.11.0.2", class = "thp2" }, nsapi = 7, out = { "secondary_accept thp2 pfi 10 qos 11" } })
local NO_FILTER <const> = "2a4d0703" .. THP1_QOS .. "0100"
better_row("keeps a context with a filter, and wants one without", "registered 6:10.11.0.2 7:creating", SECONDARY,
  { rx = NO_FILTER, out = { "secondary_reject 46" } },
  { rx = "0a462490", out = { "pdp_del 5", "deactivate_accept" } },
  { rx = "2a4d0703" .. THP1_QOS .. "0110",
    out = { "pdp_add 7 internet 10.0.0.2 thp2 linked 6 10.11.0.2 pfi 10" } })
better_row("gives its first context a filter, and wants one without", "registered 5:10.11.0.2 7:creating",
  { rx = "0a4a3107" .. FILTER, out = { "pdp_class 5 background tft " .. FILTER } },
  { class = "background", out = { "modify_accept background pfi 8" } },
  { rx = NO_FILTER, out = { "pdp_add 7 internet 10.0.0.2 thp2 linked 5 10.11.0.2 pfi 10" } })
better_row("changes the class of its first context, and wants one without a filter", "registered 5:10.11.0.2",
  { rx = "0a4a30" .. QOS, out = { "pdp_class 5 thp2" } },
  { class = "thp2", out = { "modify_accept thp2 pfi 8 qos 11" } },
  { rx = NO_FILTER, out = { "secondary_reject 46" } })
better_row("uses an NSAPI or a TI once more: the older context ends", "registered 5:10.11.0.2 8:creating",
  SECONDARY, { rx = "2a4d0603" .. THP1_QOS .. "01003607" .. FILTER,
    out = { "pdp_del 6", "pdp_add 6 internet 10.0.0.2 thp2 linked 5 10.11.0.2 tft " .. FILTER .. " pfi 9" } },
  { rx = "2a4d0703" .. THP1_QOS .. "01003607" .. FILTER,
    out = { "pdp_del 6", "pdp_add 7 internet 10.0.0.2 thp2 linked 5 10.11.0.2 tft " .. FILTER .. " pfi 10" } },
  { rx = "3a410703030b921f020121", out = { "pdp_del 7", "pdp_add 7 internet 10.0.0.2 pfi 10" } },
  { rx = "3a410803030b921f020121", out = { "pdp_del 7", "pdp_add 8 internet 10.0.0.2 pfi 11" } })
better_row("asks for another SAPI: it keeps its own", "registered 5:10.11.0.2",
  { rx = "0a4a3204", out = { "modify_reject 96" } }, { rx = "0a4a3205", out = { "pdp_class 5 background" } },
  { class = "background", out = { "modify_accept background pfi 8" } })

-- Traffic flow templates (§10.5.6.12): taken, or the cause.
local filters, templates = { one = "0005" .. "03500050", nine = "" }, {}
for i = 0, 8 do filters.nine = filters.nine .. ("%02x%02x03500050"):format(i, i) end
for _, each in ipairs({ { "c0", 0 }, { "d0" .. "010101", 0 }, { "c0" .. "010101", 42 }, { "c1" .. "01", 42 },
  { "40", 0 }, { "41" .. "00", 42 }, { "a1" .. "00", 0 }, { "a2" .. "00", 42 }, { "a0", 42 }, { "e1", 41 },
  { "01" .. filters.one, 41 }, { "61" .. filters.one, 0 }, { "81" .. filters.one, 0 },
  { "28" .. filters.nine:sub(1, 96), 0 }, { "29" .. filters.nine, 42 },
  { "22" .. filters.one .. filters.one, 44 }, { "21" .. filters.one .. "00", 42 },
  { "31" .. filters.one .. "00", 0 }, { "21" .. "0005" .. "06500050500051", 44 },
  { "21" .. "0005" .. "0450005030", 45 }, { "21" .. "0005" .. "0550005030" .. "06", 0 },
  { "21" .. "0005" .. "00", 45 }, { "21" .. "0005" .. "035000", 42 } }) do
  local tft, cause = each[1], each[2]
  local rx = ("1a4a31%02x%s"):format(#tft // 2, tft)
  if cause == 0 then
    templates[#templates + 1] = { rx = rx, out = { "pdp_class 6 thp2 tft " .. tft } }
    templates[#templates + 1] = { class = "thp2", nsapi = 6,
      out = { "modify_accept thp2 pfi 9 qos 11" } }
  else
    templates[#templates + 1] = { rx = rx, out = { "modify_reject " .. cause } }
  end
end
better_row("gives its context every kind of template", BOTH, SECONDARY, templates)
rows[#rows].without_restart = true
better_row("has the last NSAPI, and no further one", "registered 5:10.11.0.2 15:creating",
  { rx = "1a410f03030b921f020121", out = { "pdp_add 15 internet 10.0.0.2 pfi 18" } })
-- Contexts keep the APN that they began with, which a reload takes away or changes.
local function apns_with(name, best)
  return { apns = { { name = name, sgsn_address = "10.0.0.1", ggsn_address = "10.0.0.2", class = "background",
    best = best, sapi = 3 } } }
end
for _, changed in ipairs({ apns_with("other"), apns_with("internet") }) do
  better_row("has a context of the former APN, and wants another one of it and one of today's " .. changed.apns[1].name,
    "registered 5:10.11.0.2 6:10.11.0.2 7:creating", { reload = apns_with("other", "thp3") }, { reload = changed },
    SECONDARY[1], SECONDARY[2], { reload = apns_with("internet", "thp1") }, { reload = changed },
    { rx = "1a4a30" .. THP1_QOS, out = { "pdp_class 6 thp2" } }, { class = "thp2", nsapi = 6,
      out = { "modify_accept thp2 pfi 9 qos 11" } },
    { rx = "3a410703030b921f020121" .. "28" .. hex_of(string.pack("s1", string.pack("s1", changed.apns[1].name))),
      out = { ("pdp_add 7 %s 10.0.0.2"):format(changed.apns[1].name) } })
end
better_row("loses its secondary context alone, and the first one with it", "registered -", SECONDARY[1], SECONDARY[2],
  { down = -2, nsapi = 6, out = { "deactivate_request alone 36" } }, { rx = "1a47" },
  { down = -1, out = { "deactivate_request 39" } }, { rx = "0a47" })
better_row("loses both contexts of its address", "registered -", SECONDARY[1], SECONDARY[2],
  { down = -1, out = { "deactivate_request alone 39" } },
  { down = -1, nsapi = 6, out = { "deactivate_request 39" } }, { rx = "1a47" }, { rx = "0a47" })
better_row("loses its context while it asks for another class", "registered 5:10.11.0.2",
  { rx = "0a4a30" .. QOS, out = { "pdp_class 5 thp2" } },
  { down = -1, out = { "deactivate_request 39" } }, { class = "thp2" })

-- MSISDNs of the configuration; a context that its GGSN deletes for good.
local function plain_row(name, left, settings, ...)
  rows[#rows + 1] = t.with({ left = { left }, settings = settings }, t.row(name, t.ATTACH, t.ATTACHED, ...))
end
plain_row("has an MSISDN by the configuration", "registered 5:creating",
  { subscribers = { { imsi = t.SECOND, msisdn = "49170" }, { imsi = t.IMSI, msisdn = "49171" } } },
  { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2 msisdn 49171" } })
plain_row("has no MSISDN by the configuration", "registered 5:creating",
  { policy = "list", imsis = { t.IMSI }, subscribers = { { imsi = t.SECOND, msisdn = "49170" } } },
  { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } })
plain_row("whose GGSN deletes the context for good is told: regular deactivation", "registered -", nil,
  { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = { ipv4 = "10.11.0.2", class = "background" }, out = { "activate_accept" } },
  { down = -2, out = { "deactivate_request 36" } }, { wait = "t3395", out = { "deactivate_request 36" } },
  { rx = "0a47" }, { wait = "t3395" })

plain_row("activates its context again, by the same request, before it answers that it is lost",
  "registered 5:10.11.0.2", nil, { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "activate_accept" } },
  { down = -1, out = { "deactivate_request 39" } }, { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } },
  { rx = t.ACTIVATE }, { up = t.OK, out = { "activate_accept" } }, { rx = "0a47" }, { wait = "t3395" })
better_row("activates its secondary context again, by the same request, before it answers that it is lost", BOTH,
  SECONDARY, { down = -1, nsapi = 6, out = { "deactivate_request alone 39" } }, SECONDARY)
plain_row("whose GGSN deletes the context for good says nothing", "registered 5:10.11.0.2", nil,
  { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = { ipv4 = "10.11.0.2", class = "background" }, out = { "activate_accept" } },
  { down = -2, out = { "deactivate_request 36" } })

-- One context, of an APN with these values besides the usual ones.
local function active_row(name, left, apn, ...)
  for key, value in pairs({ name = "internet", sgsn_address = "10.0.0.1", ggsn_address = "10.0.0.2",
    class = "background", sapi = 3 }) do apn[key] = apn[key] or value end
  rows[#rows + 1] = t.with({ settings = { apns = { apn } }, left = { left } }, t.row(name, t.ATTACH, t.ATTACHED, ...))
end
active_row("gets SAPI, class and payload of its APN", "registered 5:10.11.0.2",
  { name = "Internet", class = "thp3", sapi = 9, any_payload = true },
  { rx = "0a410500030b921f020121", out = { "pdp_add 5 internet 10.0.0.2 any sapi 9 thp3" } },
  { up = { ipv4 = "10.11.0.2" }, out = { "activate_accept thp3 sapi 9" } })
active_row("wants an SAPI, and is given another class by the GGSN", "registered 5:10.11.0.2", { sapi = 9 },
  { rx = "0a41050b030b921f020121", out = { "pdp_add 5 internet 10.0.0.2 sapi 11" } },
  { up = { ipv4 = "10.11.0.2", class = "thp1" }, out = { "activate_accept thp1 sapi 11" } })
active_row("asks for an IPv4 address", "registered 5:10.11.0.7", {},
  { rx = "0a410503030b921f0601210a0b0007", out = { "pdp_add 5 internet 10.0.0.2 asks 10.11.0.7" } },
  { up = { ipv4 = "10.11.0.7", class = "background" }, out = { "activate_accept 01210a0b0007" } })
active_row("asks with a quality of service of 11 octets", "registered 5:10.11.0.2", {},
  { rx = "0a410503" .. QOS .. "020121", out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "activate_accept qos 11" } })
local LOST <const> = { wait = "t3395", out = { "deactivate_request 39" } }
active_row("does not answer that its context is lost", "registered -", {},
  { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = t.OK, out = { "activate_accept" } },
  { down = -1, out = { "deactivate_request 39" } }, LOST, LOST, LOST, LOST, { wait = "t3395" }, { wait = "t3395" })
rows[#rows + 1] = t.with({ left = { "registered 5:10.11.0.2" }, settings = { apns = {
  { name = "internet", sgsn_address = "10.0.0.1", ggsn_address = "10.0.0.2", class = "background", sapi = 3 },
  { name = "MMS", sgsn_address = "10.0.0.1", ggsn_address = "10.0.0.3", class = "background", best = "thp2",
    sapi = 3 } } } }, t.row("asks for another class of the second APN", t.ATTACH, t.ATTACHED,
  { rx = t.ACTIVATE:sub(1, 22) .. "2804034d6d53", out = { "pdp_add 5 mms 10.0.0.3" } },
  { up = t.OK, out = { "activate_accept" } }, { rx = "0a4a30" .. QOS, out = { "pdp_class 5 thp2" } }))

-- LLC's acknowledged mode: what the worker says decides on the class that the phone is told.
local RELIABLE <const>, PLAIN <const> = "030a921f", "030b921f"
local function modify(qos) return "0a4a30" .. qos end
local LINKED <const> = { { rx = t.ACTIVATE:gsub(PLAIN, RELIABLE), out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "pdp_llc 5 acknowledged" } } }
local HAS_LINK <const> = { mode = true, out = { "activate_accept reliability 2" } }
local NO_LINK <const> = { mode = false, out = { "activate_accept" } }
local function mode_row(name, counts, ...)
  active_row(name, "registered 5:10.11.0.2", { acknowledged = true }, LINKED, ...)
  rows[#rows].counts = counts
end
local function granted(mode) return t.with({ out = { "pdp_llc 5 " .. mode } }, { class = "background" }) end
mode_row("asks for reliability class 2, and its worker has a link", { activated = 1, llc_unacknowledged = 0 },
  { rx = LINKED[1].rx }, HAS_LINK, { mode = false }, { rx = LINKED[1].rx, out = { "activate_accept reliability 2" } },
  { class = "thp3", out = { "network_modify_request thp3 reliability 2" } })
mode_row("asks for reliability class 2 while all links are in use: it gets class 3",
  { activated = 1, llc_unacknowledged = 1 }, NO_LINK, { mode = true },
  { rx = LINKED[1].rx, out = { "activate_accept" } })
mode_row("asks for reliability class 2 again by a modification: class 3, and class 2 when a link is free",
  { modified = 2, llc_unacknowledged = 2 }, NO_LINK,
  { rx = modify(RELIABLE), out = { "pdp_class 5 background" } }, granted("acknowledged"), { rx = modify(RELIABLE) },
  { mode = false, out = { "modify_accept" } },
  { rx = modify(RELIABLE), out = { "pdp_class 5 background" } }, granted("acknowledged"),
  { mode = true, out = { "modify_accept reliability 2" } })
mode_row("asks for reliability class 3 by a modification: its link is free", { modified = 1, llc_unacknowledged = 0 },
  HAS_LINK, { rx = modify(PLAIN), out = { "pdp_class 5 background" } }, granted("unacknowledged"),
  { mode = true, out = { "modify_accept" } })
mode_row("keeps its mode: it asks for the same one, for the subscribed one, or for none", { modified = 3 }, HAS_LINK,
  { rx = modify(RELIABLE), out = { "pdp_class 5 background" } },
  t.with({ out = { "modify_accept reliability 2" } }, { class = "background" }),
  { rx = modify("03" .. "08921f"), out = { "pdp_class 5 background" } },
  t.with({ out = { "modify_accept reliability 2" } }, { class = "background" }),
  { rx = "0a4a", out = { "pdp_class 5 background" } },
  t.with({ out = { "modify_accept reliability 2" } }, { class = "background" }))
mode_row("asks for reliability class 2 by a modification that the GGSN refuses", { modified = 0, modify_reject = 1 },
  NO_LINK, { rx = modify(RELIABLE), out = { "pdp_class 5 background" } },
  { class = "background", cause = 199, out = { "modify_reject 26" } })
mode_row("gets another class of its GGSN while it waits for a link", { modified = 1 }, { class = "thp3" },
  { mode = false, out = { "activate_accept thp3" } }, { rx = modify(RELIABLE), out = { "pdp_class 5 background" } },
  granted("acknowledged"), { class = "thp2" }, { mode = true, out = { "modify_accept thp2 reliability 2" } })
mode_row("whose worker does not answer gets class 3", { activated = 1, modified = 1, llc_unacknowledged = 2 },
  { wait = 5, out = { "pdp_llc 5 unacknowledged", "activate_accept" } }, { mode = true }, { mode = true },
  { rx = modify(RELIABLE), out = { "pdp_class 5 background" } }, granted("acknowledged"),
  { wait = 5, out = { "pdp_llc 5 unacknowledged", "modify_accept" } })
local TOLD_LOST <const> = { lost = 5, out = { "pdp_llc 5 unacknowledged", "network_modify_request" } }
mode_row("goes to a worker without a link: is told class 3, and asks again", { llc_unacknowledged = 1, modified = 1 },
  HAS_LINK, TOLD_LOST, { mode = true }, { wait = "t3386", out = { "network_modify_request" } }, { rx = "0a49" },
  { lost = 5 }, { lost = 6 }, { rx = modify(RELIABLE), out = { "pdp_class 5 background" } }, granted("acknowledged"),
  { mode = true, out = { "modify_accept reliability 2" } })
mode_row("goes to a worker without a link while it is told a class, or asks for one", { llc_unacknowledged = 2 },
  HAS_LINK, { class = "thp3", out = { "network_modify_request thp3 reliability 2" } },
  { lost = 5, out = { "pdp_llc 5 unacknowledged", "network_modify_request thp3" } }, { rx = "0a49" },
  { rx = modify(RELIABLE), out = { "pdp_class 5 background" } }, granted("acknowledged"),
  { mode = true, out = { "modify_accept reliability 2" } },
  { rx = "0a4a", out = { "pdp_class 5 background" } }, { lost = 5, out = { "pdp_llc 5 unacknowledged" } },
  t.with({ out = { "modify_accept" } }, { class = "background" }))
local function ends_row(name, left, ...)
  active_row(name, left, { acknowledged = true }, LINKED, ...)
end
mode_row("repeats its first request while a modification is in progress", { modified = 1 }, NO_LINK,
  { rx = modify(RELIABLE), out = { "pdp_class 5 background" } }, { rx = LINKED[1].rx, out = { "activate_accept" } },
  granted("acknowledged"), { rx = LINKED[1].rx, out = { "activate_accept" } },
  { mode = true, out = { "modify_accept reliability 2" } })
ends_row("loses its context while it waits for a link", "registered -", { down = -1, out = { "activate_reject 30" } })
ends_row("gives its context back while it waits for a link", "registered -",
  { rx = "0a462490", out = { "pdp_del 5", "deactivate_accept" } }, { mode = true })
ends_row("loses its context while a modification waits for a link", "registered 5:10.11.0.2", NO_LINK,
  { rx = modify(RELIABLE), out = { "pdp_class 5 background" } }, granted("acknowledged"),
  { down = -1, out = { "deactivate_request 39" } })
ends_row("gives its context back while a modification waits for a link", "registered -", NO_LINK,
  { rx = modify(RELIABLE), out = { "pdp_class 5 background" } }, granted("acknowledged"),
  { rx = "0a462490", out = { "pdp_del 5", "deactivate_accept" } })
active_row("asks for reliability class 2 of a node without links", "registered 5:10.11.0.2", {}, LINKED[1],
  { up = t.OK, out = { "activate_accept" } }, { rx = modify(RELIABLE), out = { "pdp_class 5 background" } },
  t.with({ out = { "modify_accept" } }, { class = "background" }))
active_row("asks for reliability class 2 for its second context alone", "registered 5:10.11.0.2 6:10.11.0.2",
  { acknowledged = true }, { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "activate_accept" } },
  { rx = secondary(RELIABLE .. "01003607" .. FILTER),
    out = { "pdp_add 6 internet 10.0.0.2 background linked 5 10.11.0.2 tft " .. FILTER } },
  { up = { ipv4 = "10.11.0.2", class = "background" }, nsapi = 6, out = { "pdp_llc 6 acknowledged" } },
  { mode = true, nsapi = 6, out = { "secondary_accept reliability 2" } })
more_rows(rows)
record_rows(rows)
return rows
