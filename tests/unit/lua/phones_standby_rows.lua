-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of phones_spec.lua: what is sent to a phone in STANDBY waits until it has answered a page ("wanted", reached),
-- and goes to where it is then (23.060 §6.1.1.2, §8.1.4). In other rows a phone is reached at once.
local t = require "phones_row_kit" -- of phones_rows.lua

local PAGE <const> = 25 -- seconds: three times T3313 of 8 s, and one
local LEFT <const> = "registered 5:10.11.0.2"
local ACTIVE <const> = { { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "activate_accept" } } }
local OTHER <const> = { rx = "1a410603030b921f020121280908696e7465726e6574", out = { "pdp_add 6 internet 10.0.0.2" } }
local ACCEPTED <const> = { rx = "0a47" }
local WANTED <const>, LOST <const> = { "wanted" }, { "deactivate_request 39" }
local REPEAT <const> = { { wait = "t3395", out = WANTED }, { reached = true, out = LOST } }

local rows = {}

local function standby_row(name, left, ...)
  local row = t.row(name, t.ATTACH, t.ATTACHED, ...)
  row.standby, row.left, row.without_restart = true, left, true
  rows[#rows + 1] = row
  return row
end

standby_row("loses its context in STANDBY: it is paged, then told, with all retries from then on", { "registered -" },
  ACTIVE, { wait = 60 }, { down = -1, out = WANTED }, { wait = 20 }, { reached = true, out = LOST },
  REPEAT, REPEAT, REPEAT, REPEAT, { wait = "t3395" })
standby_row("loses its context in STANDBY, and answers", { "registered -" }, ACTIVE, { wait = 60 },
  { down = -1, out = WANTED }, { reached = true, out = LOST }, ACCEPTED, { wait = 60 })
standby_row("loses its context at once after its message: it is told without a page", { "registered -" }, ACTIVE,
  { wait = 1 }, { down = -1, out = LOST }, ACCEPTED)
standby_row("loses its context when it is suspended just after its message: it is told later", { "registered -" },
  ACTIVE, { wait = 1 }, { suspended = true }, { down = -1, out = WANTED }, { wait = 1 }, { reached = true, out = LOST },
  ACCEPTED)
standby_row("loses its context in STANDBY, and answers no page: the context is gone", { "registered -" }, ACTIVE,
  { wait = 60 }, { down = -1, out = WANTED }, { wait = PAGE }, { reached = true }, { wait = 60 })
.counts = { standby_wanted = 1, standby_unreached = 1, sent_deactivate_request = 0 }
standby_row("loses two contexts in STANDBY: one page", { "registered -" }, ACTIVE, OTHER,
  { up = { ipv4 = "10.11.0.3", class = "background" }, nsapi = 6, out = { "activate_accept 01210a0b0003" } },
  { wait = 60 }, { down = -1, out = WANTED }, { down = -1, nsapi = 6 },
  { reached = true, out = { LOST[1], LOST[1] } }, ACCEPTED, { rx = "1a47" })
standby_row("loses its context in STANDBY, and sends by itself: it is told behind that", { "registered -" }, ACTIVE,
  { wait = 60 }, { down = -1, out = WANTED }, { rx = "082061", out = LOST }, { reached = true }, ACCEPTED)
standby_row("loses its context in STANDBY, and ends it by itself: it is not told", { "registered -" }, ACTIVE,
  { wait = 60 }, { down = -1, out = WANTED }, { rx = "0a4624", out = { "deactivate_accept" } },
  { reached = true })
standby_row("is in another routeing area when it is paged: told when its update is complete", { "registered -" },
  ACTIVE, { wait = 60 }, { down = -1, out = WANTED },
  { rx = t.rau(), bvci = 3, out = { "heard in 3", "rau_accept in 3", "tlli c0000003 and old" } }, { reached = true },
  { rx = { message = "rau_complete" }, bvci = 3, out = { "tlli c0000003", LOST[1] } },
  { rx = "0a47", bvci = 3 })
standby_row("is reached in an update that it does not complete: told all the same", { "registered -" },
  ACTIVE, { wait = 60 }, { down = -1, out = WANTED },
  { rx = t.rau(), bvci = 3, out = { "heard in 3", "rau_accept in 3", "tlli c0000003 and old" } }, { reached = true },
  { wait = "t3350", out = { "rau_accept in 3" } }, { wait = "t3350", out = { "rau_accept in 3" } },
  { wait = "t3350", out = { "rau_accept in 3" } }, { wait = "t3350", out = { "rau_accept in 3" } },
  { wait = 1, out = LOST }, { rx = "0a47", bvci = 3 }, { wait = 5 })
local AGAIN <const> = { wait = "t3350", out = { "rau_accept in 3" } }
standby_row("does not complete its update, and sends the same again: it is answered", { "updating -" },
  { rx = t.rau(), bvci = 3, out = { "heard in 3", "rau_accept in 3", "tlli c0000003 and old" } },
  AGAIN, AGAIN, AGAIN, AGAIN, { wait = "t3350" },
  { rx = t.rau(), bvci = 3, out = { "heard in 3", "rau_accept in 3", "tlli c0000003 and old" } })
standby_row("does not complete its update: its user's packet under the new TLLI is its own", { "registered -" },
  { rx = t.rau(), bvci = 3, out = { "heard in 3", "rau_accept in 3", "tlli c0000003 and old" } },
  AGAIN, AGAIN, AGAIN, AGAIN, { wait = "t3350" }, { add = "", tlli = 0xc0000003, verdict = 7 })
standby_row("is told of another class in STANDBY: after a page", { LEFT }, ACTIVE, { wait = 60 },
  { class = "thp1", out = WANTED }, { reached = true, out = { "network_modify_request thp1" } },
  { rx = "0a49" })
standby_row("is told of another class, and answers no page", { LEFT }, ACTIVE, { wait = 60 },
  { class = "thp1", out = WANTED }, { wait = PAGE }).counts = { untold_class = 1, sent_network_modify_request = 0 }
standby_row("whose GGSN is slow is told when it is reached", { LEFT }, ACTIVE[1], { wait = 5 },
  { up = t.OK, out = WANTED }, { class = "thp1" },
  { reached = true, out = { "activate_accept", "network_modify_request thp1" } }, { rx = "0a49" })
-- What waits about a context that has ended, or was asked for again, is withdrawn.
local SLOW <const> = { ACTIVE[1], { wait = 5 }, { up = t.OK, out = WANTED } }
local REFUSED <const> = { ACTIVE[1], { wait = 5 }, { down = 199, out = WANTED } }
local OTHER_TI <const> = { rx = "1a410503030b921f020121280908696e7465726e6574" }
standby_row("ends the context whose ACCEPT waits: it is not accepted after that", { "registered -" }, SLOW,
  { rx = "0a4624", out = { "pdp_del 5", "deactivate_accept" } }, { reached = true })
standby_row("attaches again while ACCEPT of a context waits: that is gone", { "registered -" }, SLOW,
  { rx = t.ATTACH.add, out = { "pdp_del 5", "attach_accept", "tlli c0000003 and old" } },
  { rx = { message = "attach_complete" }, out = { "tlli c0000003" } }, { reached = true })
standby_row("activates again, by another TI, while ACCEPT waits: one ACCEPT", { LEFT }, SLOW,
  { rx = OTHER_TI.rx, out = { "pdp_del 5", "pdp_add 5 internet 10.0.0.2" } }, { reached = true }, ACTIVE[2])
standby_row("repeats its request while ACCEPT waits: one ACCEPT", { LEFT }, SLOW,
  { rx = t.ACTIVATE, out = { "activate_accept" } }, { reached = true })
for _, keeps in ipairs({ false, true }) do
  local row = standby_row("attaches again while REJECT waits: it is not refused" .. (keeps and ", with contexts" or ""),
    { "registered -" }, REFUSED, { rx = t.ATTACH.add, out = { "attach_accept", "tlli c0000003 and old" } },
    { rx = { message = "attach_complete" }, out = { "tlli c0000003" } }, { reached = true })
  row.settings = { keep_contexts = keeps }
end
standby_row("repeats its request while ACCEPT and another class wait: ACCEPT, then the class", { LEFT }, SLOW,
  { class = "thp1" }, { rx = t.ACTIVATE, out = { "activate_accept thp1", "network_modify_request thp1" } },
  { reached = true }, { rx = "0a49" }, { wait = "t3386" })
standby_row("repeats its request, which has got lost with the class: ACCEPT, then the class", { LEFT }, ACTIVE,
  { class = "thp1", out = { "network_modify_request thp1" } }, { wait = 9 },
  { rx = t.ACTIVATE, out = { "activate_accept thp1", "network_modify_request thp1" } }, { wait = 9 },
  { rx = "0a49" }, { wait = "t3386" })
standby_row("is refused in STANDBY: it is told", { "registered -" }, REFUSED,
  { reached = true, out = { "activate_reject 26" } })
standby_row("activates again while REJECT waits: it is not refused", { LEFT }, REFUSED, ACTIVE[1], { reached = true },
  ACTIVE[2])
local MODIFY <const> = { rx = "0a4a30030b921f", out = { "pdp_class 5 background" } }
standby_row("modifies its context again while the answer waits: one answer", { LEFT }, ACTIVE, MODIFY, { wait = 5 },
  { class = "background", out = WANTED }, MODIFY, { reached = true },
  { class = "background", out = { "modify_accept" } })
standby_row("updates while ACCEPT waits, and its class changes: it is told in that order", { LEFT }, SLOW,
  { rx = t.rau(), bvci = 3, out = { "heard in 3", "rau_accept in 3 pdp 2000", "tlli c0000003 and old" } },
  { reached = true }, { class = "thp1" },
  { rx = { message = "rau_complete" }, bvci = 3,
    out = { "tlli c0000003", "activate_accept", "network_modify_request thp1" } }, { rx = "0a49", bvci = 3 })
standby_row("was not heard for long, and answers no page: it is detached", {},
  { wait = "implicit", out = WANTED }, { wait = PAGE, out = { "del 7" } })
.counts = { implicit_detach = 1, sent_identity_request = 0 }
standby_row("was not heard for long, and answers the page: it is asked", { "probing -" },
  { wait = "implicit", out = WANTED }, { wait = 20 }, { reached = true, out = { "identity_request" } },
  { wait = "t3370", out = WANTED }, { reached = true, out = { "identity_request" } })
standby_row("is gone while it is paged: nothing is left", {}, ACTIVE, { wait = 60 }, { down = -1, out = WANTED },
  { rx = { message = "detach_request", detach_type = 9 }, out = { "del 7" } }, { reached = true }, { wait = PAGE })

return rows
