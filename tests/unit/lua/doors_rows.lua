-- SPDX-License-Identifier: BSD-3-Clause
-- What is asked of a phone, or of a context, at each door by which it can come to be served: rows of doors_spec.lua.
--
--   rows.doors              their names, in doors_rig.lua
--   rows.rules              { name =, keys = (of the schema's `phones`), apn_keys = (of its `apns`), settings = (of the
--                           rig: the rule, and a phone or context that is against it), at = { door = cell } }
--   rows.others             keys of the schema that are no rule of a door: { name = why }
--   rows.other_apn_keys     likewise, of `apns`
--
-- A cell is what follows at the door, or why the rule is not asked there. What follows: counters of gmm.phones that
-- rise by as many, `here` (the phone is registered), `gea` (its algorithm), `class` (its context's, "none": it has
-- none), `second` (that of its secondary one), `best` (of its context's APN), `at_ggsn` (contexts there), `other_has`
-- (the SGSN that it came from has it), `mme` (the cause that an MME is told) and `counted` (a counter that has risen).
-- `settings`: in place of some of the rule's.

local rows = { rules = {} }

rows.doors = { "attach", "identified", "update", "from_sgsn", "from_mme", "back", "offload", "restart", "reload",
  "activation", "secondary", "modification", "arrival", "ggsn_update", "hlr_data" }

local IMSI <const> = "262420000000001"

-- --- why a rule is not asked

local RELOAD <const> = "a reload changes nothing of phones that are there: the rule holds from their next attach or "
  .. "update (docs/serve.md, Phones and a reload), which the door `update` has"
local OF_PHONES <const> = "messages of SM count of phones alone that GMM has let in (24.008 §6.1.1; `sm_too_early`)"
local OF_CONTEXTS <const> = "the phone has no context yet; those that it brings are at the door `arrival`"
local OF_ITS_OWN <const> = "no context begins here: those of the phone have gone through a door before"
local WITH_PHONE <const> = "the phone that brings it is at the door `from_sgsn`"
local BY_NETWORK <const> = "the GGSN or the HLR says it, not a phone (29.060 §7.3.3, 23.060 §6.11.1)"
local SAME_APN <const> = "has the APN of the context that it is linked to, or changes (24.008 §6.1.3.2)"

-- The same cell at several doors.
local function each(names, cell, into)
  for name in names:gmatch("%S+") do
    assert(not into[name], name)
    into[name] = cell
  end
  return into
end

-- A rule about phones: cells of its doors, then the reason at those of contexts. of_sm: why SM is not asked.
local function rule_of_phones(name, keys, settings, at, of_sm)
  each("activation secondary modification", of_sm or OF_PHONES, at)
  each("arrival", WITH_PHONE, at)
  each("ggsn_update hlr_data", BY_NETWORK, at)
  rows.rules[#rows.rules + 1] = { name = name, keys = keys, apn_keys = {}, settings = settings, at = at }
end

local function rule_of_contexts(name, apn_keys, settings, at)
  each("attach identified from_sgsn from_mme back offload", OF_CONTEXTS, at)
  each("update", OF_ITS_OWN, at)
  rows.rules[#rows.rules + 1] = { name = name, keys = {}, apn_keys = apn_keys, settings = settings, at = at }
end

local COMING <const>, STAYING <const> = "from_sgsn offload", "update restart"

-- --- rules about phones

local LIST <const> = { policy = "list", imsis = {}, reject_cause = 11 }

rule_of_phones("policy: a phone that is not in imsis", { "policy", "imsis", "reject_cause" }, { set = LIST },
  each("attach identified", { attach_reject_11 = 1, here = false },
  each(COMING, { rau_reject_11 = 1, here = false, at_ggsn = 1, other_has = true },
  each(STAYING, { rau_reject_11 = 1, here = false, at_ggsn = 0 }, {
    from_mme = { rau_reject_11 = 1, here = false, at_ggsn = 1, mme = 208 },
    back = { rau_reject_11 = 1, here = false },
    reload = RELOAD,
  }))))

rule_of_phones("policy: a phone that the HLR refuses", { "hlr" }, { hlr = { refuses = 7 } },
  each("attach identified", { attach_reject_7 = 1, here = false },
  each(COMING .. " from_mme back", { rau_reject_7 = 1, here = false, at_ggsn = 0 }, {
    -- One that was accepted before there was an HLR is asked about; of others the HLR withdraws the subscription.
    update = { rau_reject_7 = 1, here = false, at_ggsn = 0,
      settings = { free = { policy = "accept_all" }, set = { policy = "hlr" } } },
    restart = { rau_reject_7 = 1, here = false, at_ggsn = 0,
      settings = { free = { policy = "accept_all" }, set = { policy = "hlr" } } },
    reload = RELOAD,
  })))

-- It has another key than its HLR knows. A registered phone may not have sent the request: it stays (24.008
-- §4.7.3.1.6 f).
local FALSE <const> = { before = function(door) door.phone.ki = "\1" .. ("\0"):rep(15) end }

rule_of_phones("authentication", { "authenticate" }, FALSE,
  each("attach identified", { sent_auth_reject = 1, here = false },
  each(COMING, { sent_auth_reject = 1, here = false, at_ggsn = 1, other_has = true },
  each(STAYING, { wrong_response = 1, rau_reject_17 = 1, authenticated = 0, here = true }, {
    from_mme = { sent_auth_reject = 1, here = false, at_ggsn = 1, mme = 208 },
    back = { wrong_response = 1, rau_reject_17 = 1, sgsn_arrived = 0 },
    reload = RELOAD,
  }))))

-- The phone is not believed because it was accepted without authentication.
rule_of_phones('authentication: "new", and a phone of a time without an HLR', {}, { before = FALSE.before,
    free = { policy = "accept_all", authenticate = "new" }, set = { policy = "hlr", authenticate = "new" } },
  each("attach identified", { sent_auth_reject = 1, here = false },
  each(STAYING, { wrong_response = 1, authenticated = 0 },
  each(COMING, 'the other SGSN has found the signature right, which is enough with "new" (23.060 §6.9.1.2.2)', {
    from_mme = "likewise: the MME has found the signature right, 8 bits of the M-TMSI and 16 of the NAS token "
      .. "(23.003 §2.8.2, 33.401 §10.2.1)",
    back = { wrong_response = 1, rau_reject_17 = 1, sgsn_arrived = 0 },
    reload = RELOAD,
  }))))

-- With "new", which believes a phone in clear where it may be.
local function list_of(...)
  return { free = { ciphering = { 0 }, authenticate = "new" }, set = { ciphering = { ... } } }
end

rule_of_phones("ciphering: a phone in clear", { "ciphering" }, list_of(3),
  each("attach identified update from_sgsn from_mme back offload restart", { authenticated = 1, gea = 3,
    here = true }, { reload = RELOAD }))

rule_of_phones("ciphering: the first algorithm that the phone has", {}, list_of(4, 3, 0),
  each("attach identified from_sgsn from_mme offload", { authenticated = 1, gea = 3, here = true },
  each("update restart back", "a phone in clear whose algorithm is in the list keeps it: the order is a preference", {
    reload = RELOAD,
  })))

local NONE <const> = list_of(3)
NONE.capability = "\1\0"
NONE.lied = function(message) if message.mm then message.mm.capability = "\1\0" end end

rule_of_phones("ciphering: a phone that has none of the list", {}, NONE,
  each("attach identified", { attach_reject_111 = 1, here = false },
  each("from_sgsn offload", { rau_reject_111 = 1, here = false, at_ggsn = 1, other_has = true },
  each("update restart", { rau_reject_111 = 1, here = false, at_ggsn = 0 }, {
    from_mme = { rau_reject_111 = 1, here = false, at_ggsn = 1 },
    back = { rau_reject_111 = 1, here = false },
    reload = RELOAD,
  }))))

rule_of_phones("equipment", { "check_imei" }, { set = { check_imei = true }, hlr = { refuses_imei = true } },
  each("attach identified", { imei_refused = 1, attach_reject_6 = 1, here = false },
  each("from_sgsn offload", { imei_refused = 1, rau_reject_6 = 1, here = false, at_ggsn = 1, other_has = true },
  each("update restart", "other equipment attaches (24.008 §4.7.3.1): the doors `attach` and `identified`", {
    from_mme = { imei_refused = 1, rau_reject_6 = 1, here = false, at_ggsn = 1, mme = 208 },
    back = { imei_refused = 1, rau_reject_6 = 1, here = false },
    reload = RELOAD,
  }))))

local function list_mobile(door)
  door.node.p.policy.is_listed = function(imsi) return imsi == IMSI end
end

rule_of_phones("mobiles.list: a phone that is configured", {}, { before = list_mobile },
  each("attach identified", { attach_reject_17 = 1, here = false },
  each("from_sgsn offload", { rau_reject_17 = 1, here = false, at_ggsn = 1, other_has = true }, {
    from_mme = { rau_reject_17 = 1, here = false, at_ggsn = 1, mme = 208 },
    update = "a reload that lists the phone forgets it: the door `reload`",
    restart = "likewise",
    back = "likewise",
    reload = { here = false, at_ggsn = 0, settings = { before = function(door)
      door.node:take(door.node.p:listed(IMSI, door.w.now))
    end } },
  })))

for key, counter in pairs({ half_open = "admit_limit", half_open_per_cell = "admit_cell_limit" }) do
  rule_of_phones("limit of phones that have not completed their attach: " .. key, { key }, { set = { [key] = 0 } },
    each("attach identified from_sgsn from_mme offload", { here = false, counted = counter },
    each("update back restart", "the phone has completed its attach", { reload = RELOAD })))
end

local function use_up(door)
  local phone = door:mobile()
  if phone then phone.requests_whole_at = door.w.now + 3600 * 1000000000 end
end

rule_of_phones("limit of requests of a phone", {}, { before = use_up },
  each("attach identified from_sgsn from_mme offload", "the first request of a phone that is new: half_open bounds "
    .. "these", {
    update = { counted = "request_limit", authenticated = 0, here = true },
    back = { counted = "request_limit", authenticated = 0 },
    restart = "the allowance begins again, as often as control restarts: five times in ten minutes",
    reload = RELOAD,
  }), "messages of SM have no such limit")

-- The node has no cell any more from which the phone sends.
local function forget_cells(door)
  for key in pairs(door.node.p.areas) do door.node.p:cell_del(key >> 16, key & 0xffff) end
end

rule_of_phones("a cell that is not the node's", {}, { before = forget_cells },
  each("attach identified from_sgsn from_mme offload", { here = false, counted = "admit_unknown_cell" },
  each("update", { rau_reject_17 = 1, here = true }, {
    back = { counted = "admit_unknown_cell", sgsn_arrived = 0 },
    restart = "cells are those of the configuration and of their BVC-RESETs: the door `update`",
    reload = "phones of a removed cell are assigned to another one (docs/serve.md, Removed NSEs and cells)",
  })))

-- --- rules about contexts

local function apn(changes)
  local one = { name = "internet", sgsn_address = "10.0.0.1", ggsn_address = "10.0.9.1", class = "background",
    sapi = 3 }
  for key, value in pairs(changes) do one[key] = value end
  return { set = { apns = { one } } }
end

rule_of_contexts("APN: one that the node has not", { "name" }, apn({ name = "other", best = "thp1" }), {
  activation = { activate_reject_27 = 1, class = "none", at_ggsn = 0 },
  secondary = SAME_APN, modification = SAME_APN,
  arrival = { context_not_taken = 1, class = "none", at_ggsn = 0, here = true },
  ggsn_update = BY_NETWORK, hlr_data = "the HLR's list of APNs is the next rule",
  reload = "a context keeps the APN that it was activated with (docs/serve.md, Phones and a reload)",
  -- It keeps its own limit, and does not get another APN's.
  restart = { class = "background", at_ggsn = 1, best = "background" },
})

rule_of_contexts("APN: one that the HLR does not allow", {}, { hlr = { apns = { "other" } } }, {
  activation = { activate_reject_33 = 1, class = "none", at_ggsn = 0,
    settings = { before = function(door) door.w.hlr:insert(door.node) end } },
  secondary = SAME_APN, modification = SAME_APN,
  arrival = { context_not_subscribed = 1, class = "none", at_ggsn = 0, here = true },
  ggsn_update = BY_NETWORK,
  hlr_data = { context_not_subscribed = 1, deactivated = 1, class = "none", at_ggsn = 0, here = true },
  reload = "a reload does not change the HLR's list",
  restart = { activate_reject_33 = 1, class = "none", at_ggsn = 0,
    settings = { before = function(door) door.w.hlr:insert(door.node) end, activates = true } },
})

-- In force from the start, as a context keeps what it was activated with.
rule_of_contexts("quality of service: more than `best`", { "class", "best" }, { free = apn({ best = "thp2" }).set }, {
  activation = { class = "background" }, -- that of the APN, whatever the phone asks for
  secondary = { second = "thp2", class = "background" },
  modification = { class = "thp2" },
  arrival = { class = "thp2", counted = "sent_network_modify_request", here = true },
  ggsn_update = { class = "thp2" },
  hlr_data = "the HLR's quality of service is the next rule",
  reload = "a context keeps the limits of the APN that it was activated with",
  restart = { class = "thp2", settings = { modifies = true } },
})

local function insert(door) door.w.hlr:insert(door.node) end

-- The HLR has background, ARP 3. Contexts that are there get it with the HLR's data.
rule_of_contexts("quality of service: more than the HLR's", { "class", "best" }, { free = apn({ class = "thp1" }).set,
  hlr = { apns = { "internet" }, qos = "\3\x23\x43\x1f" }, before = insert }, {
  activation = { class = "background" },
  secondary = { second = "background", class = "background" },
  modification = { class = "background" },
  arrival = { class = "background", counted = "sent_network_modify_request", here = true },
  ggsn_update = { class = "thp1", settings = { before = false } }, -- as above
  hlr_data = { class = "background", class_not_subscribed = 1, counted = "sent_network_modify_request",
    settings = { before = false } },
  reload = "a reload does not change the HLR's data",
  restart = { class = "background", settings = { modifies = true } },
})

-- The worker's places are used up (limits.contexts): control refuses, as it does a context of a phone.
local function no_place(door)
  function door.node:phone_pdp_add(intent)
    self:take(self.p:context_down(intent.mobile, intent.nsapi, 199, self.world.now))
  end
end

rule_of_contexts("limit of contexts", {}, { before = no_place }, {
  activation = { activate_reject_26 = 1, class = "none" },
  secondary = { secondary_reject_26 = 1, class = "background" },
  modification = "no context begins here",
  arrival = { class = "none", here = true, sent_deactivate_request = 0 },
  ggsn_update = "no context begins here", hlr_data = "no context begins here",
  reload = "a reload that lowers the limit is refused (docs/serve.md)", restart = "no context begins here",
})

local ELSEWHERE <const> = 3 -- BVCI of a cell in another routeing area

-- Of a phone whose APN lets it change the class.
local function rule_of_area(name, checks, secondary, modification)
  local free = apn({ best = "thp2" }).set
  free.area_checks = checks
  rule_of_contexts("routeing area: a message from another one" .. name, {}, { free = free, bvci = ELSEWHERE }, {
    activation = "the door `secondary` has a message of SM, whichever it is",
    secondary = secondary, modification = modification,
    arrival = "the phone updates in the area in which it is (23.060 §6.9.1.2)",
    ggsn_update = BY_NETWORK, hlr_data = BY_NETWORK,
    reload = "a reload does not change `area_checks`", restart = "the area is in the phone's record",
  })
  rows.rules[#rows.rules].keys = { "area_checks" }
end

rule_of_area("", true, { other_area = 1, second = "none" }, { other_area = 1, class = "background" })
rule_of_area(", without area_checks", false, { other_area = 0, second = "thp2" }, { other_area = 0, class = "thp2" })

-- --- keys that are no rules

rows.others = {
  subscribers = "numbers that GGSNs are told", imei_first = "the order of questions",
  update_location = "how often the HLR is told", keep_contexts = "what an attach ends", apns = "rules of its own",
  sms = "a service, refused or not at each message: sms_spec.lua", sms_centre = "where messages go",
  suspended = "what a worker does with packets meanwhile", network_name = "text for phones",
  pool = "which other SGSNs are believed: relocation_values_spec.lua and relocation_lies_spec.lua",
  records = "what is written", timers = "times",
}

rows.other_apn_keys = {
  sgsn_address = "where the node is", ggsn_address = "where the GGSN is; another SGSN may name another (docs/pool.md)",
  any_payload = "of the worker, from the APN at each door", pfc = "of the BSS, from the APN at each door",
  sapi = "where the phone names none; another SAPI than one of packets is none: relocation_values_spec.lua",
  compression = "agreed by XID, from the APN at each door",
}

return rows
