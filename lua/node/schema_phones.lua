-- SPDX-License-Identifier: BSD-3-Clause
-- The part of a node's schema about phones that attach (lua/gmm): without it there are none.

local contexts = require "node.check_contexts"
local schema = require "schema.schema"
local compression = require "node.compression"
local pool = require "node.schema_pool"
local queues = require "node.schema_queues"

local duration, integer = schema.duration, schema.count
local node_schema_phones = {}

-- Of 24.008 §10.5.7.3.
node_schema_phones.STEPS = "2 to 62 s in steps of 2 s, 1 to 31 min in steps of 1 min, 6 to 186 min in steps of 6 min"

local T3312_LEAST <const> = 2000000000
local MOST_ADDRESSES <const> = 32 -- LIVE_CONFIG_ADDRESSES

local PLACES <const> = {} -- of classes, the best first
for i, class in ipairs(queues.CLASSES) do PLACES[class] = i end

local function check_class(apn, fail)
  if apn.best and PLACES[apn.best] > PLACES[apn.class] then
    fail({ "class" }, ("%s is better than best, %s; write a class up to that, or a better best"):format(apn.class,
      apn.best))
  end
end

local APN = { type = "record", noun = "an APN", check = check_class, fields = {
  { name = "name", type = "string", required = true, max = 99, pattern = "^[%w*][%w.-]*$",
    form = "labels of letters, digits and -, or *",
    doc = "access point name without operator identifier, or `*` for all that no other APN names; unique" },
  { name = "sgsn_address", type = "ip", required = true, doc = "local address for GTP-C and tunnels" },
  { name = "ggsn_address", type = "ip", required = true,
    doc = "the GGSN's address for GTP-C, of the same IP version" },
  { name = "any_payload", type = "boolean", default = false, doc = "as `mobiles.list[].contexts[].any_payload`" },
  { name = "class", type = "enum", values = queues.CLASSES, default = "background", doc = "traffic class" },
  { name = "best", type = "enum", values = queues.CLASSES, absent = "as `class`",
    doc = "the most demanding traffic class that a phone may ask for by a secondary context or a modification, or "
      .. "bring from another SGSN, and that its GGSN may ask for" },
  { name = "pfc", type = "boolean", default = false,
    doc = "each context of a phone has a packet flow (PFI 8 to 18), in BSSs that support them" },
  { name = "sapi", type = "integer", values = { 3, 5, 9, 11 }, default = 3,
    doc = "LLC SAPI of a context whose phone names none" },
  compression.OF_CONTEXT,
} }

local SUBSCRIBER = { type = "record", noun = "a subscriber", fields = {
  { name = "imsi", type = "string", required = true, max = 15, pattern = "^%d%d%d%d%d%d+$", form = "6 to 15 digits",
    doc = "IMSI; unique" },
  { name = "msisdn", type = "string", required = true, max = 15, pattern = "^%d+$", form = "1 to 15 digits, without +",
    doc = "MSISDN, international; unique" },
} }

local HLR = { name = "hlr", type = "record", absent = "none", noun = "an HLR",
  doc = "An HLR that speaks GSUP over IPA, such as OsmoHLR, for `policy = \"hlr\"`.", fields = {
    { name = "address", type = "ipv4", required = true, doc = "IPv4 address of the HLR" },
    integer("port", 1, 65535, 4222, "TCP port of the HLR"),
    { name = "name", type = "string", default = "SGSN-gbflow", max = 64, pattern = "^[%w._-]+$",
      form = "letters, digits, ., _ and -", doc = "name of this SGSN at the HLR; unique among its SGSNs" },
  } }

local TIMERS = { name = "timers", type = "record", default = {}, noun = "timers",
  doc = "Timers of GMM and SM (TS 24.008 clause 11.2), and of SMS.", fields = {
    duration("t3312", "0 s", "186 min", "54 min", "T3312: periodic routeing area update; phones are told the next "
      .. "lower of " .. node_schema_phones.STEPS .. "; 0 s: they update no more in the same area, and none is detached "
      .. "for its silence"),
    duration("reachable", "10 s", "24 h", "4 min",
      "time after T3312 without a message of GMM, SM or SMS; the phone is then "
      .. "asked for its identity, and detached if it does not answer"),
    duration("t3322", "1 s", "60 s", "6 s", "T3322: DETACH REQUEST"),
    duration("t3350", "1 s", "60 s", "6 s", "T3350: ATTACH ACCEPT and ROUTING AREA UPDATE ACCEPT"),
    duration("t3360", "1 s", "60 s", "6 s", "T3360: AUTHENTICATION AND CIPHERING REQUEST"),
    duration("t3370", "1 s", "60 s", "6 s", "T3370: IDENTITY REQUEST"),
    duration("t3386", "1 s", "60 s", "8 s", "T3386: MODIFY PDP CONTEXT REQUEST"),
    duration("t3395", "1 s", "60 s", "8 s", "T3395: DEACTIVATE PDP CONTEXT REQUEST"),
    duration("tc1", "1 s", "60 s", "10 s", "TC1* of TS 24.011: CP-DATA, which is sent three times at most"),
    duration("tr1n", "1 s", "120 s", "40 s", "TR1N of TS 24.011: the phone's report of a short message"),
    duration("tr2n", "1 s", "60 s", "15 s", "TR2N of TS 24.011: the service centre's answer to a short message"),
    duration("hlr", "1 s", "60 s", "6 s", "time for an answer of the HLR"),
    duration("guard", "1 s", "300 s", "30 s", "time for the first message of a new phone"),
  } }

local RECORDS = { name = "records", type = "record", absent = "none", noun = "records",
  doc = "Charging records (docs/phones.md), in a live node.", fields = {
    { name = "file", type = "string", required = true, max = 255,
      doc = "file to which each record is appended as a line; a reload opens it again, for programs that rotate it" },
    duration("every", "1 s", "24 h", "5 min", "interval of the records of a context between its first and last one"),
    { name = "format", type = "enum", values = { "json", "osmo_csv" }, default = "json",
      doc = "JSON objects, or CSV as osmo-sgsn 1.9 writes it" },
  } }

local CIPHERING <const> = { 4, 3, 0 }

-- Warns of what is said and has no effect, and fills in defaults of what may not be said.
local function check_effects(phones, warn)
  local policy = ("policy \"%s\""):format(phones.policy)
  local function note(key, why, needed) warn({ key }, ("no effect: %s; it needs %s"):format(why, needed)) end
  if phones.policy ~= "hlr" then
    if phones.hlr then note("hlr", policy .. " asks no HLR", 'policy "hlr"') end
    if phones.authenticate then note("authenticate", policy .. " authenticates no phone", 'policy "hlr"') end
    if phones.update_location then note("update_location", policy .. " asks no HLR", 'policy "hlr"') end
    if phones.ciphering then
      warn({ "ciphering" }, policy .. " ciphers no phone, and refuses those with none of these; ciphering needs policy "
        .. '"hlr"')
    end
  end
  if phones.policy ~= "list" and #phones.imsis > 0 then
    note("imsis", policy .. " does not look at them", 'policy "list"')
  end
  if phones.policy == "hlr" and #phones.subscribers > 0 then
    note("subscribers", "the HLR has the MSISDNs", 'policy "accept_all" or "list"')
  end
  if phones.sms_centre and phones.sms ~= "hlr" then
    note("sms_centre", "short messages are refused", 'sms = "hlr"')
  end
  phones.authenticate = phones.authenticate or "always"
  phones.update_location = phones.update_location or "new"
  phones.ciphering = phones.ciphering or CIPHERING
end

local function check_subscribers(phones, fail)
  local seen = {}
  for i, subscriber in ipairs(phones.subscribers) do
    for _, key in ipairs({ "imsi", "msisdn" }) do
      local name = key .. subscriber[key]
      if seen[name] then
        fail({ "subscribers", i, key }, ("'%s' is there twice: subscribers[%d] has it; remove one of the two"):format(
          subscriber[key], seen[name]))
      end
      seen[name] = i
    end
  end
end

-- With policy "list" a phone that is not in imsis does not attach, whatever else is said of it.
local function check_listed(phones, warn)
  if phones.policy ~= "list" then return end
  local listed = {}
  for _, imsi in ipairs(phones.imsis) do listed[imsi] = true end
  for i, subscriber in ipairs(phones.subscribers) do
    if not listed[subscriber.imsi] then
      warn({ "subscribers", i, "imsi" }, ("no effect: imsis does not have '%s', so that phone may not attach"):format(
        subscriber.imsi))
    end
  end
end

local function check_ciphering(phones, fail)
  local seen = {}
  for i, algorithm in ipairs(phones.ciphering) do
    if seen[algorithm] then
      fail({ "ciphering", i }, ("%d is there twice: ciphering[%d] has it; remove one of the "
        .. "two"):format(algorithm, seen[algorithm]))
    end
    seen[algorithm] = i
  end
end

local function check_one(phones, fail, warn)
  check_effects(phones, warn)
  check_listed(phones, warn)
  check_ciphering(phones, fail)
  check_subscribers(phones, fail)
  local seen = {}
  for i, apn in ipairs(phones.apns) do
    local name = apn.name:lower()
    if name:find("*", 1, true) and name ~= "*" then
      fail({ "apns", i, "name" }, string.format("APN '%s': write \"*\" alone, or a name without it", apn.name))
    end
    local fault = contexts.apn_fault(apn.name)
    if fault then fail({ "apns", i, "name" }, fault) end
    if seen[name] then
      fail({ "apns", i, "name" }, ("APN '%s' is there twice: apns[%d] has it; remove one of the two"):format(apn.name,
        seen[name]))
    end
    seen[name] = seen[name] or i
    if contexts.is_ipv6(apn.sgsn_address) ~= contexts.is_ipv6(apn.ggsn_address) then
      fail({ "apns", i, "ggsn_address" }, string.format("'%s' is of another IP version than sgsn_address '%s'",
        apn.ggsn_address, apn.sgsn_address))
    end
  end
  if phones.timers.t3312 > 0 and phones.timers.t3312 < T3312_LEAST then
    fail({ "timers", "t3312" }, "less than 2 s is out of range: 2 s to 186 min, or 0 s, off")
  end
  if phones.policy == "hlr" and not phones.hlr then fail({ "hlr" }, "missing; policy \"hlr\" needs it") end
  if phones.check_imei and phones.policy ~= "hlr" then fail({ "check_imei" }, "true needs policy \"hlr\"") end
  if phones.sms == "hlr" and phones.policy ~= "hlr" then fail({ "sms" }, "\"hlr\" needs policy \"hlr\"") end
  if phones.policy == "list" and #phones.imsis == 0 then
    fail({ "imsis" }, "empty; policy \"list\" refuses all phones")
  end
end

node_schema_phones.PHONES = { name = "phones", type = "record", absent = "no phone can attach", noun = "phones",
  check = check_one, doc = "Phones that attach (GMM) and activate contexts (SM), in a live node.", fields = {
    { name = "policy", type = "enum", values = { "accept_all", "list", "hlr" }, required = true,
      doc = "which phones may attach: all, those in `imsis`, or those that the HLR has; only with an HLR are they "
        .. "authenticated and their frames ciphered" },
    { name = "imsis", type = "list", default = {}, max = 65536, doc = "IMSIs for `policy = \"list\"`.",
      item = { type = "string", max = 15, pattern = "^%d%d%d%d%d%d+$", form = "6 to 15 digits" } },
    { name = "subscribers", type = "list", default = {}, max = 65536, item = SUBSCRIBER,
      doc = "MSISDNs for policies \"accept_all\" and \"list\", which GGSNs are told. They are told the IMSI in place "
        .. "of an MSISDN that is not known." },
    integer("reject_cause", 2, 111, 11, "GMM cause for a phone that is not in `imsis`; 11: PLMN not allowed. Causes "
      .. "3, 6, 7 and 8 stop a phone until it is switched off and on"),
    HLR,
    { name = "authenticate", type = "enum", values = { "always", "new" }, absent = "`\"always\"`",
      doc = "with an HLR: at each attach and each routeing area update without a right P-TMSI signature or a key; or "
        .. "not again while the phone is registered, where docs/security.md says what that risks" },
    { name = "check_imei", type = "boolean", default = false,
      doc = "ask the HLR about the IMEI of a phone that attaches or comes from another SGSN (GSUP Check-IMEI); one "
        .. "that it refuses gets cause 6, illegal ME" },
    { name = "imei_first", type = "boolean", default = false,
      doc = "ask a phone that attaches for its IMEI before anything else, as osmo-sgsn does" },
    { name = "update_location", type = "enum", values = { "new", "always" }, absent = "`\"new\"`",
      doc = "with an HLR: at an attach, unless it has this SGSN as the phone's already; or at each attach, as "
        .. "osmo-sgsn does" },
    { name = "keep_contexts", type = "boolean", default = false,
      doc = "contexts of a registered phone that attaches again under its TLLI stay; false: they end, as the "
        .. "phone's do" },
    { name = "ciphering", type = "list", min = 1, max = 3, absent = "`{ 4, 3, 0 }`",
      item = { type = "integer", values = { 0, 3, 4 } },
      doc = "GEA algorithms in the order of preference, 0: none; a phone that has none of them is refused. 4 is chosen "
        .. "for phones that UMTS AKA authenticates. Only with an HLR are frames ciphered" },
    { name = "apns", type = "list", item = APN, required = true, min = 1, max = 64,
      doc = "The APNs; that of a phone that names none is the first that the HLR allows it, without an HLR's list "
        .. "the first that is not `*`." },
    { name = "sms", type = "enum", values = { "refuse", "hlr" }, default = "refuse",
      doc = "short messages: refused with cause 69, or exchanged by GSUP with a service centre behind the HLR" },
    { name = "sms_centre", type = "string", absent = "the HLR finds it by the service centre's number", max = 64,
      pattern = "^[%w._-]+$", form = "letters, digits, ., _ and -",
      doc = "name of the service centre at the HLR, for phones' short messages" },
    integer("half_open", 1, 100000, 1000, "phones that have not completed their attach"),
    integer("half_open_per_cell", 1, 100000, 250, "the same, in one cell"),
    { name = "area_checks", type = "boolean", default = true,
      doc = "users' packets and messages of SM and SMS from a cell of another routeing area are dropped, and the phone "
        .. "stays where it is until its routeing area update (TS 23.060 clause 6.9.1.2); false: for BSSs whose Cell "
        .. "Identifiers are wrong" },
    { name = "suspended", type = "enum", values = { "hold", "drop" }, default = "hold",
      doc = "packets for a phone while its BSS has suspended it: hold them until it resumes, and stop the clock of "
        .. "their lifetime; or drop them" },
    { name = "network_name", type = "string", absent = "no GMM INFORMATION", max = 20, pattern = "^[%w .-]+$",
      form = "letters, digits, blanks, . and -", doc = "name that GMM INFORMATION tells phones" },
    pool.POOL,
    RECORDS,
    TIMERS,
  } }

local function own_addresses(phones)
  local list = {}
  for _, apn in ipairs(phones.apns) do list[#list + 1] = apn.sgsn_address end
  if phones.pool then list[#list + 1] = phones.pool.address end
  return list
end

-- The local addresses of the APNs and the pool answer ARP and ping, as those of configured contexts do.
function node_schema_phones.fill_in(node, fail)
  local own = {}
  if not node.phones then return end
  pool.fill_in(node, fail)
  for _, address in ipairs(node.gn.addresses) do own[address] = true end
  for _, address in ipairs(own_addresses(node.phones)) do
    if not own[address] then
      own[address] = true
      node.gn.addresses[#node.gn.addresses + 1] = address
    end
  end
  if #node.gn.addresses > MOST_ADDRESSES then
    fail({ "phones", "apns" }, string.format("with gn.addresses %d local addresses: at most %d", #node.gn.addresses,
      MOST_ADDRESSES))
  end
end

return node_schema_phones
