-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of phones_spec.lua: each message of a phone with each fault that a message can have, and its answer (24.008 §8,
-- §4.7, §6.1.3). t: what phones_rows.lua builds its rows of.
local t = require "phones_row_kit" -- of phones_rows.lua

local rows = {}

local function add(fields, ...) rows[#rows + 1] = t.with(fields, t.row(...)) end

-- { message, fault, octets, answer }, of a registered phone with a context on TI 0. `cut` ends in a mandatory element,
-- `long` is a length that overruns the message, `short` one of fewer octets than the element has, `required`
-- is an unknown element that requires comprehension. Optional elements with a fault count as absent (§8.7).
local MALFORMED <const> = {
  { "ATTACH REQUEST", "cut", "080102e5e0", "attach_reject 96" },
  { "ATTACH REQUEST", "without all", "0801", "attach_reject 96" },
  { "ATTACH REQUEST", "long", "080102e5e0710a0008f962422000", "attach_reject 96" },
  { "ATTACH REQUEST", "short", "080100710a00082926240000000010fff110fffe000518b3432b25", "attach_reject 96" },
  { "ATTACH REQUEST", "required", "080102e5e0710a00082926240000000010" .. "00f110fffe00" .. "0518b3432b25" .. "0100",
    "attach_reject 96" },
  { "RAU REQUEST", "cut", "08087062f224", "rau_reject 96" },
  { "RAU REQUEST", "without all", "0808", "rau_reject 96" },
  { "RAU REQUEST", "long", "08087062f22412340509" .. "18b3", "rau_reject 96" },
  { "RAU REQUEST", "short", "08087062f22412340500", "rau_reject 96" },
  { "RAU REQUEST", "required", "08087062f224123405" .. "0518b3432b25" .. "0100", "rau_reject 96" },
  { "DETACH REQUEST", "cut", "0805", "gmm_status 96" },
  { "DETACH REQUEST", "required", "08050100", "gmm_status 96" },
  { "ATTACH COMPLETE", "required", "08030100", "gmm_status 96" },
  { "RAU COMPLETE", "required", "080a0100", "gmm_status 96" },
  { "DETACH ACCEPT", "required", "08060100", "gmm_status 96" },
  { "P-TMSI REALLOCATION COMPLETE", "required", "08110100", "gmm_status 96" },
  { "IDENTITY RESPONSE", "cut", "0816", "gmm_status 96" },
  { "IDENTITY RESPONSE", "long", "08160829", "gmm_status 96" },
  { "IDENTITY RESPONSE", "short", "081600", "gmm_status 96" },
  { "AUTHENTICATION RESPONSE", "cut", "0813", "gmm_status 96" },
  { "AUTHENTICATION RESPONSE", "required", "0813010100", "gmm_status 96" },
  { "AUTHENTICATION FAILURE", "cut", "081c", "gmm_status 96" },
  { "GMM STATUS", "cut", "0820" },
  { "GMM STATUS", "required", "0820610100" },
  { "message of GMM that no phone sends", "type", "0802", "gmm_status 97" },
  { "message of GMM", "too short", "08" },
  { "ACTIVATE REQUEST", "cut", "1a41", "activate_reject 96" },
  { "ACTIVATE REQUEST", "cut in its NSAPI", "1a4105", "activate_reject 96" },
  { "ACTIVATE REQUEST", "long", "1a410503030b921f0a0121", "activate_reject 96" },
  { "ACTIVATE REQUEST", "short", "1a410503020b92020121", "activate_reject 96" },
  { "ACTIVATE REQUEST", "required", "1a410503030b921f0201210100", "activate_reject 96" },
  { "ACTIVATE REQUEST", "long, of an extended TI", "7a87410503030b921f0a0121", "activate_reject 96 ti 7" },
  { "SECONDARY REQUEST", "cut", "1a4d06", "secondary_reject 96" },
  { "SECONDARY REQUEST", "short", "1a4d0605030b921f00", "secondary_reject 96" },
  { "SECONDARY REQUEST", "required", "1a4d0605030b921f01000100", "secondary_reject 96" },
  { "MODIFY REQUEST", "required", "0a4a0100", "modify_reject 96" },
  { "MODIFY REQUEST of an unknown TI", "required", "1a4a0100", "sm_status 81" },
  { "MODIFY REQUEST of an unknown TI", "none", "1a4a", "sm_status 81" },
  { "MODIFY REQUEST of an unknown TI", "required, extended", "7aff4a0100", "sm_status 81 ti 127" },
  { "MODIFY REQUEST of a transaction of the network", "none", "8a4a", "sm_status 81 flag 0" },
  { "MODIFY ACCEPT", "required", "0a490100", "sm_status 96" },
  { "MODIFY ACCEPT of an unknown TI", "none", "2a49", "sm_status 81" },
  { "DEACTIVATE ACCEPT", "required", "0a470100", "sm_status 96" },
  { "DEACTIVATE ACCEPT of an unknown TI", "none", "2a47", "sm_status 81" },
  { "DEACTIVATE REQUEST of an unknown TI", "cut", "2a46", "deactivate_accept" },
  { "DEACTIVATE REQUEST of an unknown TI", "none", "2a4624", "deactivate_accept" },
  { "DEACTIVATE REQUEST of a transaction of the network", "none", "8a4624", "deactivate_accept flag 0" },
  { "REQUEST ACTIVATION REJECT", "cut", "0a45", "sm_status 96" },
  { "REQUEST ACTIVATION REJECT", "none", "0a4526", "sm_status 98" },
  { "REQUEST ACTIVATION REJECT of an unknown TI", "cut", "2a45", "sm_status 81" },
  { "SM STATUS", "cut", "0a55" },
  { "SM STATUS of an unknown TI", "none", "2a5551" },
  { "message of SM that no phone sends", "type", "0a5b", "sm_status 97" },
  { "message of SM that no phone sends", "type and TI", "2a5b", "sm_status 81" },
  { "message of SM", "too short", "0a" },
  { "message of SM", "too short, extended", "7a" },
  { "message of SM", "too short, extended by an octet", "7a87" },
  { "ACTIVATE REQUEST of a transaction of the network", "cut", "9a4106" }, -- §8.3.2
  { "SECONDARY REQUEST of a transaction of the network", "none", "9a4d0605030b921f0100" },
  { "ACTIVATE REQUEST", "TI EXT of 0", "7a07410603030b921f020121" },
  { "ACTIVATE REQUEST", "a reserved TI", "7a86410603030b921f020121" }, -- 24.007 §11.2.3.1.3
}

for _, each in ipairs(MALFORMED) do
  add({ left = { "registered 5:10.11.0.2" } }, ("sends a %s: %s (%s)"):format(each[1], each[2], each[3]), t.ATTACH,
    t.ATTACHED, { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } },
    { up = t.OK, out = { "activate_accept" } },
    { rx = each[3], out = { each[4] } })
end

add({ left = { "registered -" } }, "deactivates its context by a cut message: the context ends (8.5)", t.ATTACH,
  t.ATTACHED, { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = t.OK, out = { "activate_accept" } },
  { rx = "0a46", out = { "pdp_del 5", "deactivate_accept" } })
add({ counts = { bad_message = 1 } }, "sends an update that is cut, but is not known", { add = "080870",
  out = { "rau_reject 96", "del 7" } })
add({ counts = { bad_message = 1 } }, "sends a detach that is cut, but is not known", { add = "0805",
  out = { "del 7" } })
add({ left = { "registered -" } }, "sends an update that is cut in another area under a foreign TLLI", t.ATTACH,
  t.ATTACHED, { rx = "080870", bvci = 3, tlli = 0x80000001, out = { "rau_reject to 80000001 in 3 96" } })
add({ left = { "registered -" } }, "sends what no phone sends after minutes: it is not paged for the answer", t.ATTACH,
  t.ATTACHED, { wait = 600 }, { rx = "0802", bvci = 3, tlli = 0xc0000001, out = { "gmm_status to c0000001 in 3 97" } })
add({ left = { "registered -" }, counts = { too_short = 1, sm_ignored = 2 } },
  "sends nothing but heads", t.ATTACH, t.ATTACHED, { rx = "08" }, { rx = "0a" }, { rx = "7a87" })

-- TI flag 1 is that of the network (24.007 §11.2.3.1.3).
local function flagged(ti, nsapi) return ("%xa41%02x03030b921f020121"):format(8 | ti, nsapi) end
add({ left = { "registered 5:10.11.0.2" }, counts = { sm_wrong_flag = 2, sm_ignored = 0 } },
  "activates with TI flag 1, as libosmo-gprs does, and repeats that", t.ATTACH, t.ATTACHED,
  { rx = flagged(0, 5), out = { "pdp_add 5 internet 10.0.0.2" } }, { up = t.OK, out = { "activate_accept" } },
  { rx = flagged(0, 5), out = { "activate_accept" } })
add({ left = { "registered 5:10.11.0.2 6:creating" }, counts = { sm_wrong_flag = 4, sm_ignored = 3 } },
  "activates with TI flag 1, which ends no context that is there", t.ATTACH, t.ATTACHED,
  { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } }, { up = t.OK, out = { "activate_accept" } },
  { rx = flagged(0, 6) }, { rx = flagged(1, 5) }, { rx = "9a4d0603030b921f0100" },
  { rx = flagged(1, 6), out = { "pdp_add 6 internet 10.0.0.2" } })

-- All NSAPIs, by TIs of both kinds (24.007 §11.2.3.1.3).
local all, states = {}, {}
for nsapi = 5, 15 do
  local ti = nsapi - 5
  local head = ti < 7 and ("%02x"):format(ti << 4 | 10) or ("7a%02x"):format(0x80 | ti)
  local told = ti < 7 and "" or " ti " .. ti
  all[#all + 1] = { rx = ("%s41%02x03030b921f020121"):format(head, nsapi),
    out = { ("pdp_add %d internet 10.0.0.2"):format(nsapi) } }
  all[#all + 1] = { up = t.OK, nsapi = nsapi, out = { "activate_accept" .. told } }
  states[#states + 1] = ("%d:10.11.0.2"):format(nsapi)
end
add({ left = { "registered " .. table.concat(states, " "):gsub(" 13:[%d.]+", "") } },
  "has all NSAPIs, and ends that of TI 8", t.ATTACH, t.ATTACHED, all,
  { rx = "7a884624", out = { "pdp_del 13", "deactivate_accept ti 8" } },
  { rx = "7a884a", out = { "sm_status 81 ti 8" } })
add({ left = { "registered 5:10.11.0.2 6:creating" } }, "links a context to one with an extended TI", t.ATTACH,
  t.ATTACHED, { rx = "7a8c410503030b921f020121", out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "activate_accept ti 12" } },
  { rx = "1a4d0605030b921f0170", out = { "secondary_reject 43" } },
  { rx = "1a4d0605030b921f01c0", out = { "secondary_reject 43" } },
  { rx = "1a4d0605030b921f02708c" .. "360721010503500050",
    out = { "pdp_add 6 internet 10.0.0.2 sapi 5 background linked 5 10.11.0.2 tft 21010503500050" } })
add({ left = { "registered 5:10.11.0.2" } }, "is told by an extended TI that its class changes", t.ATTACH, t.ATTACHED,
  { rx = "7aff410503030b921f020121", out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "activate_accept ti 127" } },
  { class = "thp3", out = { "network_modify_request thp3 ti 127" } }, { rx = "7aff49" }, { wait = "t3386" })

return rows
