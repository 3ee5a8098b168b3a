-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of phones_spec.lua: an operator's acts on one phone (lua/gmm/acts.lua). "acted": the end that is told.
local t = require "phones_row_kit" -- of phones_rows.lua

local IMSI <const> = "262420000000001"
local ACTIVE <const> = { { rx = t.ACTIVATE, out = { "pdp_add 5 internet 10.0.0.2" } },
  { up = t.OK, out = { "activate_accept" } } }
local OTHER <const> = {
  { rx = "1a410603030b921f020121280908696e7465726e6574", out = { "pdp_add 6 internet 10.0.0.2" } },
  { up = { ipv4 = "10.11.0.3", class = "background" }, nsapi = 6, out = { "activate_accept 01210a0b0003" } } }
local DETACH <const>, DEACTIVATE <const> = { "network_detach_request" }, { "deactivate_request 36" }
local ACCEPTED <const> = { message = "ms_detach_accept" }

local function act(verb, out, more)
  local order = { verb = verb, imsi = IMSI }
  for name, value in pairs(more or {}) do order[name] = value end
  return { act = order, out = out }
end

local function repeats(timer, out)
  local step = { wait = timer, out = out }
  return { step, step, step, step }
end

local rows = {}

local function add(name, fields, ...)
  rows[#rows + 1] = t.with(fields, t.row(name, t.ATTACH, t.ATTACHED, ...))
end

add("is detached by the operator, and accepts", {}, ACTIVE,
  act("detach", { "pdp_del 5", DETACH[1] }), { rx = ACCEPTED, out = { "acted done", "del 7" } })
add("is detached by the operator, and is to attach again", {},
  act("detach", { "network_detach_request type 1" }, { reattach = "yes" }),
  { rx = ACCEPTED, out = { "acted done", "del 7" }, log = "262420000000001: detached" })
add("is detached by the operator, and does not answer", {}, act("detach", DETACH), repeats("t3322", DETACH),
  { wait = "t3322", out = { "acted failed", "del 7" }, log = "262420000000001: detached without its answer" })
add("is detached by the operator, and detaches by itself", {}, act("detach", DETACH),
  { rx = { message = "detach_request", detach_type = 1 }, out = { "acted done", "detach_accept", "del 7" } })
add("is detached by the operator, and attaches again", { left = { "accepting -" } }, act("detach", DETACH),
  { rx = t.attach(IMSI), out = { "acted failed", "attach_accept", "tlli c0000003 and old" } })
add("is forgotten by the operator: it hears nothing", {}, ACTIVE,
  act("forget", { "acted done", "pdp_del 5", "del 7" }))
add("has one context deactivated by the operator", { left = { "registered 6:10.11.0.3" } }, ACTIVE, OTHER,
  act("deactivate", { "pdp_del 5", DEACTIVATE[1] }, { nsapi = "5" }), { rx = "0a47", out = { "acted done" } })
add("has all contexts deactivated by the operator", { left = { "registered -" }, without_restart = true },
  ACTIVE, OTHER,
  act("deactivate", { "pdp_del 5", DEACTIVATE[1], "pdp_del 6", DEACTIVATE[1] }),
  { rx = "0a47", out = { "acted done" } }, { rx = "1a47", out = { "acted done" } })
add("has a context deactivated by the operator, and does not answer", { left = { "registered -" } }, ACTIVE,
  act("deactivate", { "pdp_del 5", DEACTIVATE[1] }), repeats("t3395", DEACTIVATE),
  { wait = "t3395", out = { "acted failed" } })
add("has a context deactivated by the operator, and detaches", {}, ACTIVE,
  act("deactivate", { "pdp_del 5", DEACTIVATE[1] }),
  { rx = { message = "detach_request", detach_type = 9 }, out = { "acted done", "del 7" } })
add("is in STANDBY, is detached by the operator, and answers no page", { standby = true, without_restart = true },
  { wait = 60 }, act("detach", { "wanted" }), { wait = 25, out = { "acted failed", "del 7" } })

return rows
