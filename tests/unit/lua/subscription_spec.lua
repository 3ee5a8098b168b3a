-- SPDX-License-Identifier: BSD-3-Clause
-- What a phone gets of its HLR's subscription (sm.subscription): the HLR's records, what the phone asks for, and the
-- APN, PDP type, addresses and selection mode that it gets, or the cause.
local abqp = require "gb.abqp"
local contexts_of_phones = require "sm.contexts"
local quality = require "sm.quality"
local request = require "sm.request"
local subscription = require "sm.subscription"
local spec_tools = require "spec_tools"

local octets_of = spec_tools.octets_of

local NAMES <const> = { "internet", "mms", "*" }

local function contexts_of(names)
  local list, by_name = {}, {}
  for i, name in ipairs(names) do list[i], by_name[name] = { name = name }, { name = name } end
  return { settings = { apns = list }, apns = by_name }
end

local function labels_of(name)
  return name == "*" and "\1*" or (name .. "."):gsub("([^.]+)%.", function(label) return string.pack("s1", label) end)
end

-- "mms f121 0a0b0009": an APN, its PDP type, its static address, of which the last two may be missing.
local function infos_of(texts)
  local infos = {}
  for i, text in ipairs(texts) do
    local name, kind, address = text:match("^(%S+) ?(%x*) ?(%x*)$")
    infos[i] = { id = i, apn = labels_of(name), type = kind ~= "" and octets_of(kind .. address) or nil }
  end
  return infos
end

-- "mms 0121 0a0b0009", "- 0121": as above, - for no APN. The answer is "mms ipv4 10.11.0.9 mode 0", or a cause.
local function answer_to(asked, records, names)
  local name, kind, address = asked:match("^(%S+) (%x+) ?(%x*)$")
  local wanted, phone = {}, { subscribed = records and subscription.pack(infos_of(records)) }
  wanted.pdp_type, wanted.ipv4, wanted.ipv6 = request.address(octets_of(kind .. address))
  local got, cause = subscription.choose(contexts_of(names or NAMES), phone, name ~= "-" and labels_of(name) or nil,
    wanted)
  if not got then return cause end
  local ipv4 = got.ipv4 and (" %d.%d.%d.%d"):format(string.pack(">I4", got.ipv4):byte(1, 4)) or ""
  return ("%s %s%s%s mode %d"):format(got.apn_name, got.pdp_type, ipv4, got.ipv6 and " " .. got.ipv6 or "",
    got.selection)
end

local V4 <const>, V6 <const>, BOTH <const> = "0121", "0157", "018d"
local HOST <const>, OTHER <const>, PREFIX <const> = "0a0b0009", "0a0b0008", "20010db8000000010000000000000000"
local SUFFIX <const> = "20010db8000000010000000000000007" -- of that prefix

-- Names of the rows, records of the HLR (none: no list), what is asked for, and the answer.
local ROWS <const> = {
  { "nothing is subscribed: a name of the phone's", nil, "mms " .. V4, "mms ipv4 mode 1" },
  { "nothing is subscribed: the node's first name", nil, "- " .. V4, "internet ipv4 mode 2" },
  { "nothing is subscribed: the phone's address", nil, "mms " .. V4 .. " " .. HOST, "mms ipv4 10.11.0.9 mode 1" },
  { "the wildcard, by OsmoHLR: any type", { "*" }, "mms " .. V6, "mms ipv6 mode 1" },
  { "the wildcard, and no name of the phone's", { "*" }, "- " .. BOTH, "internet ipv4v6 mode 2" },
  { "a name without a type: any type", { "mms" }, "mms " .. BOTH, "mms ipv4v6 mode 0" },
  { "a name that the HLR gives alone", { "mms" }, "- " .. V4, "mms ipv4 mode 0" },
  { "a name that is not subscribed", { "mms" }, "internet " .. V4, 33 },
  { "IPv6 alone, and IPv4 is wanted", { "mms f157" }, "mms " .. V4, 33 },
  { "IPv4 alone, and IPv6 is wanted", { "mms f121" }, "mms " .. V6, 33 },
  { "IPv4 alone, and Non-IP is wanted", { "mms f121" }, "mms 0002", 33 },
  { "Non-IP alone", { "mms f002" }, "mms 0002", "mms non_ip mode 0" },
  { "PPP alone, which the node has not", { "mms f001" }, "mms " .. V4, 33 },
  { "spare bits of 0 before the type", { "mms 0121" }, "mms " .. V4, "mms ipv4 mode 0" },
  { "IPv4v6, and each version of it", { "mms f18d" }, "mms " .. V6, "mms ipv6 mode 0" },
  { "IPv4, and both are wanted", { "mms f121" }, "mms " .. BOTH, "mms ipv4 mode 0" },
  { "IPv6, and both are wanted", { "mms f157" }, "mms " .. BOTH, "mms ipv6 mode 0" },
  { "IPv4 and IPv4v6, and both are wanted", { "mms f121", "mms f18d" }, "mms " .. BOTH, "mms ipv4v6 mode 0" },
  { "another type of the wildcard", { "mms f157", "* f121" }, "mms " .. V4, "mms ipv4 mode 1" },
  { "no name: the first that has the type", { "mms f157", "internet f121" }, "- " .. V4, "internet ipv4 mode 0" },
  { "no name: no record has the type", { "mms f157", "internet f157" }, "- " .. V4, 33 },
  { "a static address", { "mms f121 " .. HOST }, "mms " .. V4, "mms ipv4 10.11.0.9 mode 0" },
  { "a static address, which is asked for", { "mms f121 " .. HOST }, "mms " .. V4 .. " " .. HOST,
    "mms ipv4 10.11.0.9 mode 0" },
  { "another address than the static one", { "mms f121 " .. HOST }, "mms " .. V4 .. " " .. OTHER, 33 },
  { "an address, and a dynamic one is subscribed", { "mms f121" }, "mms " .. V4 .. " " .. HOST, 33 },
  { "an address, and all names are subscribed", { "*" }, "mms " .. V4 .. " " .. HOST, 33 },
  { "an address of 0 is none", { "*" }, "mms " .. V4 .. " 00000000", "mms ipv4 mode 1" },
  { "a static address of 0 is none", { "mms f121 00000000" }, "mms " .. V4, "mms ipv4 mode 0" },
  { "a dynamic address and a static one", { "mms f121 " .. HOST, "mms f121" }, "mms " .. V4, "mms ipv4 mode 0" },
  { "the second of two static addresses", { "mms f121 " .. OTHER, "mms f121 " .. HOST }, "mms " .. V4 .. " " .. HOST,
    "mms ipv4 10.11.0.9 mode 0" },
  { "a static prefix", { "mms f157 " .. PREFIX }, "mms " .. V6, "mms ipv6 2001:db8:0:1:: mode 0" },
  { "an address of the static prefix", { "mms f157 " .. PREFIX }, "mms " .. V6 .. " " .. SUFFIX,
    "mms ipv6 2001:db8:0:1:: mode 0" },
  { "addresses of both versions", { "mms f18d " .. HOST .. PREFIX }, "mms " .. BOTH,
    "mms ipv4v6 10.11.0.9 2001:db8:0:1:: mode 0" },
  { "addresses of both versions, and one version", { "mms f18d " .. HOST .. PREFIX }, "mms " .. V4,
    "mms ipv4 10.11.0.9 mode 0" },
}

describe("a subscription that has", function()
  for _, row in ipairs(ROWS) do
    it(row[1], function() assert.equal(row[4], answer_to(row[3], row[2])) end)
  end

  it("no APN of the node refuses, for want of the APN or of the subscription", function()
    assert.equal(27, answer_to("wap " .. V4, { "wap" }, { "mms" }))
    assert.equal(33, answer_to("- " .. V4, { "wap" }, { "mms" }))
    assert.equal(27, answer_to("- " .. V4, nil, { "*" }))
  end)
end)

-- A context, and the records that the HLR has by then; whether one is its own.
local CONTEXTS <const> = {
  { "its type", {}, { "mms f121" }, true }, { "another type", {}, { "mms f157" }, false },
  { "each of two versions", { pdp_type = "ipv4v6" }, { "mms f121", "mms f157" }, false },
  { "its static address", { ipv4 = 0x0a0b0009 }, { "mms f121 " .. HOST }, true },
  { "another static address", { ipv4 = 0x0a0b0008 }, { "mms f121 " .. HOST }, false },
  { "a dynamic address", { ipv4 = 0x0a0b0008 }, { "mms f121" }, true },
  { "its static prefix", { pdp_type = "ipv6", ipv6 = "2001:db8:0:1::7" }, { "mms f157 " .. PREFIX }, true },
  { "another static prefix", { pdp_type = "ipv6", ipv6 = "2001:db8:0:2::7" }, { "mms f157 " .. PREFIX }, false },
  { "a static prefix, where the GGSN gives the interface alone", { pdp_type = "ipv6", ipv6 = "fe80::7" },
    { "mms f157 " .. PREFIX }, true },
  { "all names", {}, { "*" }, true }, { "another name", {}, { "internet" }, false }, { "no list", {}, nil, true },
}

describe("a context whose HLR has", function()
  for _, row in ipairs(CONTEXTS) do
    it(row[1] .. (row[4] and " stays" or " is not subscribed"), function()
      local context = { apn_name = "mms", pdp_type = "ipv4",
        phone = { subscribed = row[3] and subscription.pack(infos_of(row[3])) } }
      for key, value in pairs(row[2]) do context[key] = value end
      assert.equal(row[4], subscription.of_context(context) ~= nil)
    end)
  end
end)

-- APNs of PDP Infos, and the names that their records have; nil: it is none.
local APNS <const> = {
  { "labels", "\8internet", "internet" }, { "its text", "Internet", "internet" },
  { "a text of labels", "a-9.b", "a-9.b" },
  { "all", "*", "*" }, { "labels and an octet of 0", "\8internet\0", "internet" },
  { "a text and an octet of 0", "internet\0", "internet" }, { "63 characters", ("a"):rep(63), ("a"):rep(63) },
  { "the operator, too", "mms.mnc042.mcc262.gprs", "mms" }, { "64 characters", ("a"):rep(64) },
  { "more than 100 octets", ("a"):rep(63) .. "." .. ("a"):rep(37) }, { "nothing", "" }, { "an octet of 0 alone", "\0" },
  { "an octet of 0 within", "foo\0bar" }, { "one at the start", "\0foo" }, { "two at the end", "foo\0\0" },
  { "one in a label", "\7foo\0bar" }, { "a space", " " }, { "a control character", "foo\x7f" },
  { "octets above 0x7f", ("\xff"):rep(63) }, { "an empty label", "a..b" }, { "the root at its end", "foo.", "foo" },
}

describe("an APN of the HLR that is", function()
  for _, row in ipairs(APNS) do
    it(row[1] .. (row[3] and " is a name" or " is no name: its record is left out, and the log names it"), function()
      local told, counts = {}, {}
      local run = { count = function(_, name) counts[#counts + 1] = name end,
        log_of = function(_, _, _, format, ...) told[#told + 1] = format:format(...) end }
      local phone = { imsi = "262420000000001" }
      contexts_of_phones.new({ apns = {} }, {}):subscribe(run, phone, { { apn = row[2] }, { apn = "mms" } })
      assert.equal(subscription.pack({ { apn = row[3] }, { apn = "mms" } }), phone.subscribed)
      assert.same(row[3] and {} or { "subscribed_no_apn" }, counts)
      assert.equal(row[3] and 0 or 1, #told)
      assert.is_nil(table.concat(told):find("[^ -~]"))
    end)
  end

  it("no name leaves nothing subscribed", function()
    assert.equal("", subscription.pack({ { apn = "a..b" } }))
    assert.is_nil(subscription.pack({}))
  end)
end)

it("charging characteristics are those of the record, else the subscriber's", function()
  local infos = infos_of({ "mms", "internet" })
  infos[1].charging = "\4\0"
  local phone = { subscribed = subscription.pack(infos, "\1\0") }
  for name, charging in pairs({ mms = 0x0400, internet = 0x0100 }) do
    assert.equal(charging, subscription.of_context({ phone = phone, apn_name = name, pdp_type = "ipv4" }).charging)
  end
end)

-- Quality of service values of PDP Infos: of R97, or allocation/retention priority and 11 octets.
local R97_BACKGROUND <const> = "23431f"
local function r99(first, traffic, rates) return "01" .. first .. traffic .. "96" .. rates .. "7400" .. "ffff" end
local BACKGROUND <const> = r99("23521f", "93", "4010") -- reliability 3, 64 and 16 kbit/s

describe("a subscribed quality of service", function()
  local function context_of(qos)
    local infos = infos_of({ "mms" })
    infos[1].qos = octets_of(qos)
    return { apn_name = "mms", pdp_type = "ipv4", phone = { subscribed = subscription.pack(infos) } }
  end

  -- The value, the class that the APN allows, the class that the context gets.
  for _, row in ipairs({ { "of no octets", "", "thp1", "thp1" }, { "of two octets", "2343", "thp1", "thp1" },
    { "of R97", R97_BACKGROUND, "thp1", "background" }, { "of R97 with a priority", "02" .. R97_BACKGROUND, "streaming",
      "background" }, { "of R99", BACKGROUND, "thp1", "background" }, { "that is more than the APN's",
      r99("0b921f", "42", "8686"), "background", "background" }, { "that is cut", "01" .. "0b921f" .. "91", "thp2",
      "thp2" } }) do
    it(row[1] .. " bounds the class", function()
      assert.equal(row[4], subscription.lesser(subscription.of_context(context_of(row[2])), row[3]))
    end)
  end

  it("bounds the class that a GGSN gives, and what the phone is told of it", function()
    for octets, class in pairs({ [BACKGROUND] = "background", [""] = "conversational" }) do
      local context, granted = context_of(octets), abqp.of_class("conversational")
      quality.take(context, "conversational", granted)
      assert.same({ class, class }, { context.class, abqp.class_of(quality.negotiated(context)) })
      quality.take(context, nil, granted)
      assert.equal(class, context.class)
    end
  end)

  it("bounds delay, peak and mean throughput, precedence and rates", function()
    local context = context_of(r99("235304", "93", "4010"))
    local qos = abqp.of_class("thp2")
    assert.equal("235304739640107402ffff", spec_tools.hex_of(subscription.restricted(context, qos)))
    context.phone.subscribed = nil
    assert.equal(qos, subscription.restricted(context, qos))
  end)

  it("of R97 leaves the other octets, and one of 0 all", function()
    local qos = abqp.of_class("thp2")
    assert.equal("\x23\x43\x1f" .. qos:sub(4), abqp.restricted(qos, octets_of(R97_BACKGROUND)))
    assert.equal(qos, abqp.restricted(qos, ("\0"):rep(11)))
  end)

  it("bounds a guaranteed rate by the maximum one, of which 0 kbit/s is the least", function()
    for uplink, rates in pairs({ ["08"] = "085674800810", ff = "ff567480ff10", ["43"] = "435674801010" }) do
      local qos = abqp.restricted(abqp.of_class("streaming"), octets_of("0000000000" .. uplink .. "00"))
      assert.equal("0b511f5396" .. rates, spec_tools.hex_of(qos))
    end
  end)

  it("has its allocation/retention priority", function()
    for qos, arp in pairs({ [BACKGROUND] = 1, ["03" .. R97_BACKGROUND] = 3 }) do
      assert.equal(arp, subscription.of_context(context_of(qos)).arp)
    end
    assert.is_nil(subscription.of_context(context_of("04" .. R97_BACKGROUND)).arp)
  end)

  -- Reliability classes that are asked for and subscribed, 0: the subscribed one, none; whether LLC acknowledges.
  for _, row in ipairs({ { 2, 2, true }, { 2, 3, nil }, { 0, 2, true }, { 0, 3, nil }, { 3, 2, nil }, { 0, 0, nil },
    { 2, 0, true } }) do
    it(("of reliability %2$d bounds the mode that %1$d asks for"):gsub("%%(%d)%$d", function(i)
      return row[tonumber(i)]
    end), function()
      local asked, most = string.char(row[1], 0, 0), string.char(row[2], 0, 0)
      assert.equal(row[3], request.is_acknowledged({ acknowledged = true }, asked, most))
      assert.equal(row[3], request.other_mode({ apn = { acknowledged = true } }, asked, most))
    end)
  end
end)
