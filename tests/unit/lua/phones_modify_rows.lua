-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of phones_spec.lua: modifications that a GGSN asks for (24.008 §6.1.3.3.1, 23.060 §9.2.3.2). "modified": what
-- the GGSN is answered, a cause and what holds then.
local abqp = require "gb.abqp"
local t = require "phones_row_kit" -- of phones_rows.lua

local DNS <const>, HEX <const> = "\x80\0\x0d\4\xc0\0\2\x35", "80000d04c0000235"
local LEFT <const> = "registered 5:10.11.0.2"
local LONG <const> = "0b" .. "0b921f8196686874010000" -- of the phone: background, 11 octets
local ASKED <const> = "0a410503" .. LONG .. "02012128" .. "0908696e7465726e6574"
local TOLD <const> = "network_modify_request qos 11"
local ACCEPT <const> = { message = "network_modify_accept", ti = 0, ti_flag = 0 }
local OF_R97 <const> = { { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "activate_accept" } } }
local ACTIVE <const> = { { rx = ASKED, out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "activate_accept qos 11" } } }
local ANSWERED <const> = { rx = ACCEPT, out = { "modified 5 128 background" } }
local PCO <const>, TOLD_PCO <const> = { pco = DNS }, "network_modify_request pco " .. HEX
local MODIFY <const> = { rx = "0a4a30" .. "030b921f", out = { "pdp_class 5 background" } }

-- A value of a class with other maximum rates.
local function of_rates(rates, class)
  local qos = abqp.of_class(class or "background")
  return qos:sub(1, 5) .. rates .. qos:sub(8)
end

local IPV6 <const> = "015720010db800000000000000000000000"
local TOLD_IPV6 <const> = "network_modify_request " .. IPV6

local rows = {}

local function of_apn(changes)
  return { apns = { t.with(changes, { name = "internet", sgsn_address = "10.0.0.1", ggsn_address = "10.0.0.2",
    class = "background", sapi = 3 }) } }
end

local BETTER <const> = of_apn({ best = "thp2" })

local function add(name, fields, ...)
  rows[#rows + 1] = t.with(fields, t.row("whose GGSN asks for a modification: " .. name, t.ATTACH, t.ATTACHED, ...))
end

local function of_r97(name, left, ...) add(name, { left = { left } }, OF_R97, ...) end

of_r97("is told of a DNS server, and says what it wants of it", LEFT, { modify = PCO, out = { TOLD_PCO } },
  { wait = "t3386", out = { TOLD_PCO } },
  { rx = t.with({ pco = "\x80\0\x0d\0" }, { message = "network_modify_accept", ti = 0, ti_flag = 0 }),
    out = { "modified 5 128 background pco 80000d00" } }, { wait = "t3386" },
  { rx = t.ACTIVATE, out = { "activate_accept" } })
add("is told of other rates, and has them", { left = { LEFT }, counts = { modified_by_ggsn = 2, told_class = 0 } },
  ACTIVE,
  { modify = { class = "background", qos = of_rates("\x20\x30") }, out = { TOLD .. " rates 2030" } },
  { rx = ACCEPT, out = { "modified 5 128 background rates 2030" } }, { class = "background" }, { rx = ASKED,
    out = { "activate_accept qos 11 rates 2030" } },
  { modify = { class = "background", qos = of_rates("\xfe\xfe") }, out = { TOLD } }, ANSWERED)
add("is told of another class and its rates", { left = { LEFT }, settings = BETTER }, ACTIVE,
  { modify = { class = "thp3", qos = of_rates("\x20\x30", "thp3") },
    out = { "network_modify_request thp3 qos 11 rates 2030" } },
  { rx = ACCEPT, out = { "modified 5 128 thp3 rates 2030" } }, { class = "thp3" })
add("has the rates of its GGSN from the start", { left = { LEFT } }, ACTIVE[1],
  { up = { ipv4 = "10.11.0.2", class = "background", qos = of_rates("\x20\x30") },
    out = { "activate_accept qos 11 rates 2030" } })
add("asks for another class, and has the rates and options that its GGSN gives with it", { left = { LEFT } }, ACTIVE,
  { rx = { message = "modify_request", ti = 0, ti_flag = 0, pco = "\x80" }, out = { "pdp_class 5 background pco 80" } },
  { class = "background", qos = of_rates("\x20\x30"), pco = DNS,
    out = { "modify_accept qos 11 rates 2030 pco " .. HEX } })
of_r97("is told nothing of what it knows", LEFT,
  { modify = { class = "background", ipv4 = "10.11.0.2" }, out = { "modified 5 128 background" } },
  { modify = {}, out = { "modified 5 128 background" } })
of_r97("is told of its address", "registered 5:10.11.0.9",
  { modify = { ipv4 = "10.11.0.9" }, out = { "network_modify_request 01210a0b0009" } }, ANSWERED,
  { rx = t.ACTIVATE, out = { "activate_accept 01210a0b0009" } })
add("does not answer: it keeps what it had", { left = { LEFT }, settings = BETTER,
  counts = { unmodified_by_ggsn = 1 } }, ACTIVE,
  { modify = { class = "thp3", qos = of_rates("\x20\x30", "thp3"), ipv4 = "10.11.0.9" },
    out = { "network_modify_request thp3 qos 11 rates 2030 01210a0b0009" } },
  { wait = "t3386", out = { "network_modify_request thp3 qos 11 rates 2030 01210a0b0009" } },
  { wait = "t3386", out = { "network_modify_request thp3 qos 11 rates 2030 01210a0b0009" } },
  { wait = "t3386", out = { "network_modify_request thp3 qos 11 rates 2030 01210a0b0009" } },
  { wait = "t3386", out = { "network_modify_request thp3 qos 11 rates 2030 01210a0b0009" } },
  { wait = "t3386", out = { "modified 5 196 background" } }, { rx = ACCEPT },
  { rx = ASKED, out = { "activate_accept qos 11" } })
add("a class that is better than the best of its APN: it is told of that",
  { left = { LEFT }, settings = BETTER }, ACTIVE,
  { modify = { class = "thp1" }, out = { "network_modify_request thp2 qos 11" } },
  { rx = ACCEPT, out = { "modified 5 128 thp2" } })
add("a better class, of an APN that has no best one: it is told nothing", { left = { LEFT } }, ACTIVE,
  { modify = { class = "thp3" }, out = { "modified 5 128 background" } })
of_r97("its own modification at that time is ignored", LEFT, { modify = PCO, out = { TOLD_PCO } }, { rx = MODIFY.rx },
  ANSWERED, MODIFY, { class = "background", out = { "modify_accept" } })
of_r97("deactivates the context instead", "registered -", { modify = PCO, out = { TOLD_PCO } },
  { rx = "0a4624", out = { "modified 5 197 background", "pdp_del 5", "deactivate_accept" } })
of_r97("has lost the context, as its update says", "registered -", { modify = PCO, out = { TOLD_PCO } },
  { rx = t.rau({ pdp_status = "\0\0" }), out = { "modified 5 197 background", "pdp_del 5", "rau_accept",
    "tlli c0000003 and old" } }, { rx = { message = "rau_complete" }, out = { "tlli c0000003" } })
add("detaches", {}, OF_R97, { modify = PCO, out = { TOLD_PCO } },
  { rx = { message = "detach_request", detach_type = 1 },
    out = { "detach_accept", "modified 5 195 background", "pdp_del 5", "del 7" } })
of_r97("is deactivated by the operator", "registered -", { modify = PCO, out = { TOLD_PCO } },
  { act = { verb = "deactivate", imsi = t.IMSI },
    out = { "modified 5 204 background", "pdp_del 5", "deactivate_request 36" } },
  { rx = "0a47", out = { "acted done" } })
of_r97("loses the context", "registered -", { modify = PCO, out = { TOLD_PCO } },
  { down = -1, out = { "deactivate_request 39" } }, { rx = "0a47" })
of_r97("has not got ACCEPT of its activation: both come again", LEFT, { modify = PCO, out = { TOLD_PCO } },
  { rx = t.ACTIVATE, out = { "activate_accept", TOLD_PCO } }, ANSWERED)
of_r97("in the midst of one of the phone's: that ends first", LEFT, MODIFY, { modify = PCO },
  { class = "background", out = { "modify_accept", TOLD_PCO } }, ANSWERED)
of_r97("in the midst of one of the phone's, which the GGSN refuses", LEFT, MODIFY, { modify = PCO },
  { class = "background", cause = 199, out = { "modify_reject 26", TOLD_PCO } }, ANSWERED)
of_r97("waits for one of the phone's, which gives the context back", "registered -", MODIFY, { modify = PCO },
  { rx = "0a4624", out = { "modified 5 197 background", "pdp_del 5", "deactivate_accept" } })
of_r97("is being told of another class: of both at once", LEFT, { class = "thp3",
  out = { "network_modify_request thp3" } }, { modify = PCO, out = { "network_modify_request thp3 pco " .. HEX } },
  { rx = ACCEPT, out = { "modified 5 128 thp3" } })
of_r97("another class comes meanwhile: it is told of both", LEFT, { modify = PCO, out = { TOLD_PCO } },
  { class = "background" }, { class = "thp3", out = { "network_modify_request thp3 pco " .. HEX } },
  { rx = ACCEPT, out = { "modified 5 128 thp3" } })
of_r97("comes again: nothing more. Another one is told in its place", LEFT, { modify = PCO, out = { TOLD_PCO } },
  { modify = { pco = DNS } }, { modify = { class = "background" }, out = { "network_modify_request" } }, ANSWERED)
add("of a context that it has not", { left = { "registered -" } },
  { modify = PCO, out = { "modified 5 192 - without QoS" } })
add("its context in acknowledged mode stays in it, or loses it meanwhile",
  { left = { LEFT }, settings = of_apn({ best = "thp3", acknowledged = true }) },
  { rx = t.ACTIVATE:gsub("030b921f", "030a921f"), out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "pdp_llc 5 acknowledged" } }, { modify = PCO },
  { mode = true, out = { "activate_accept reliability 2", "network_modify_request reliability 2 pco " .. HEX } },
  ANSWERED, { modify = { class = "thp3" }, out = { "network_modify_request thp3 reliability 2" } },
  { lost = 5, out = { "pdp_llc 5 unacknowledged", "network_modify_request thp3" } },
  { rx = ACCEPT, out = { "modified 5 128 thp3" } })
add("another one comes that differs in rates alone: it is told in its place", { left = { LEFT } }, ACTIVE,
  { modify = { class = "background", qos = of_rates("\x20\x30") }, out = { TOLD .. " rates 2030" } },
  { modify = { class = "background", qos = of_rates("\x30\x40") }, out = { TOLD .. " rates 3040" } },
  { rx = ACCEPT, out = { "modified 5 128 background rates 3040" } })
of_r97("does not read rates: they hold, and it is told nothing", LEFT,
  { modify = { class = "background", qos = of_rates("\x20\x30") }, out = { "modified 5 128 background rates 2030" } },
  { modify = {}, out = { "modified 5 128 background rates 2030" } })
-- A phone that is in READY is sent it at once: no page has T3386 begin again.
add("has its time again when another one comes meanwhile", { left = { LEFT }, settings = BETTER }, OF_R97,
  { modify = PCO, out = { TOLD_PCO } }, { wait = 6 }, { rx = MODIFY.rx },
  { modify = { class = "thp2" }, out = { "network_modify_request thp2" } },
  { wait = "t3386", out = { "network_modify_request thp2" } }, { rx = ACCEPT, out = { "modified 5 128 thp2" } })
of_r97("has its time again when another class comes", LEFT, { modify = PCO, out = { TOLD_PCO } }, { wait = 6 },
  { rx = MODIFY.rx }, { class = "thp3", out = { "network_modify_request thp3 pco " .. HEX } },
  { wait = "t3386", out = { "network_modify_request thp3 pco " .. HEX } },
  { rx = ACCEPT, out = { "modified 5 128 thp3" } })
local function of_ipv6(name, left, ...)
  add(name, { left = { left } }, { rx = "0a410503030b921f020157", out = { "pdp_add 5 internet 10.0.0.2 ipv6" } },
    { up = { ipv6 = "2001:db8::1", class = "background" }, out = { "activate_accept " .. IPV6 .. "1" } }, ...)
end
of_ipv6("is told of another address of IPv6, and of another one in its place", "registered 5:2001:db8::9",
  { modify = { ipv6 = "2001:db8::8" }, out = { TOLD_IPV6 .. "8" } },
  { modify = { ipv6 = "2001:db8::8" } }, { modify = { ipv6 = "2001:db8::9" }, out = { TOLD_IPV6 .. "9" } },
  { wait = "t3386", out = { TOLD_IPV6 .. "9" } }, ANSWERED,
  { modify = { ipv6 = "2001:db8::9" }, out = { "modified 5 128 background" } })
of_ipv6("takes no other address of IPv6 that it has not accepted", "registered 5:2001:db8::1",
  { modify = { ipv6 = "2001:db8::8" }, out = { TOLD_IPV6 .. "8" } })

-- In STANDBY.
local function standby(name, left, ...)
  add(name, { left = { left }, standby = true, without_restart = true }, OF_R97, { wait = 60 }, ...)
end
local WANTED <const> = { modify = PCO, out = { "wanted" } }
standby("is paged first", LEFT, WANTED, { reached = true, out = { TOLD_PCO } }, ANSWERED)
standby("answers no page", LEFT, WANTED, { wait = 25, out = { "modified 5 196 background" } })
standby("is told in another routeing area, when its update is complete", LEFT, WANTED,
  { rx = t.rau(), bvci = 3, out = { "heard in 3", "rau_accept in 3 pdp 2000", "tlli c0000003 and old" } },
  { reached = true },
  { rx = { message = "rau_complete" }, bvci = 3, out = { "tlli c0000003", TOLD_PCO } },
  { rx = ACCEPT, bvci = 3, out = { "modified 5 128 background" } })

return rows
