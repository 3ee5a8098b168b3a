-- SPDX-License-Identifier: BSD-3-Clause
-- Traffic of a scenario's mobiles: the kinds of items, a row each, with their keys and checks. app/run/traffic_*.c has
-- what they do.

local fields = require "scenario.fields"
local keylines = require "schema.keylines"
local scenario_radio = require "scenario.radio"
local scenario_transport = require "scenario.transport"
local units = require "base.units"

local absent, also, count, duration = fields.absent, fields.also, fields.count, fields.duration
local octets, quantity, record, required = fields.octets, fields.quantity, fields.record, fields.required

local scenario_traffic = {}

local TCP_PARALLEL <const> = 16 -- connections of a web item

-- Checks of kinds: those of values that do not agree with the item's transport, and others of several keys.

local function check_download(work, fail)
  if work.transport == "quic" and work.server ~= "answers" then
    fail({ "server" }, string.format('"%s" needs transport = "tcp"', work.server))
  end
end

-- Fills in the number of items.
local function check_web(work, fail)
  if work.close_awaited and work.persistent then
    fail({ "close_awaited" }, "connections that persist are not closed: `persistent` is false with it")
  end
  if work.sizes then
    work.items = #work.sizes
    if work.parallel > 1 then
      fail({ "parallel" }, string.format("%d connections and items of several sizes: 1", work.parallel))
    end
  end
  if work.transport == "quic" and work.close_awaited then
    fail({ "close_awaited" }, 'needs transport = "tcp"')
  elseif work.transport == "tcp" and work.parallel > TCP_PARALLEL then
    fail({ "parallel" }, string.format("%d is out of range with TCP: 1 .. %d", work.parallel, TCP_PARALLEL))
  end
end

local function check_script(work, fail)
  if work.transport == "quic" then
    fail({ "transport" }, 'scripts of exchanges need transport = "tcp"')
  end
end

-- The kinds

local SIZE = also(required(quantity("octets", "octets", "1 octet", "1000000 MB", { allow_infinite = true,
  doc = "size of the file; \"infinite\": until `stop`" })), "size")

local ECN = { name = "ecn", type = "boolean", default = false, doc = "send ECN capable packets (ECT(0))" }

-- name: the key of an item; noun, doc: of its record; fields: its own keys, which those of all kinds follow;
-- connects: it has connections over TCP or QUIC, and their keys in place of `content`; check(work, fail), optional: of
-- an item whose transport is known.
local KINDS = {
  { name = "download", noun = "a download", doc = "One file from the server over one connection.", connects = true,
    check = check_download, fields = { SIZE,
      { name = "server", type = "enum", values = { "answers", "refuses", "silent" }, default = "answers",
        doc = "answers: the server accepts the connection. refuses: it resets it. silent: it does not answer. The last "
          .. "two for TCP" },
    } },
  { name = "web", noun = "web traffic", doc = "Web pages: a main object, its items, then reading time.",
    connects = true, check = check_web, fields = {
      absent(count("pages", 1, 1000000, nil, "number of pages"), "until `stop`"),
      also(octets("page", "1 octet", "100 MB", "10 kB", "size of the main object"), "size"),
      count("items", 0, 1000, 30, "number of items of a page"),
      octets("item", "1 octet", "100 MB", "4910 octets", "size of an item"),
      { name = "sizes", type = "list", min = 1, max = 32, absent = "`items` times `item`",
        item = { type = "octets", min = "1 octet", max = "100 MB" },
        doc = "sizes of the items, in place of `items` and `item`; the items are then loaded one by one "
          .. "(`parallel` 1)" },
      count("parallel", 1, 100, 4, "number of objects in transfer at a time: over TCP connections, at most 16; over "
        .. "QUIC streams of one connection"),
      octets("request", "1 octet", "100 kB", "350 octets", "size of the request for an object"),
      { name = "persistent", type = "boolean", default = true,
        doc = "a connection carries several objects; false: a new connection for each object, over QUIC for each "
          .. "page" },
      { name = "close_awaited", type = "boolean", default = false,
        doc = "TCP without `persistent`: a connection counts for `parallel` until the mobile has closed it" },
      duration("reading", "3600 s", "1 s", "time from the end of a page to the next page"),
      { name = "reading_law", type = "enum", values = { "fixed", "exponential" }, default = "fixed",
        doc = "fixed: always `reading`. exponential: random with the mean `reading`" },
    } },
  { name = "ping", noun = "a ping", doc = "Echo requests from the mobile to the server.", fields = {
    also(quantity("every", "duration", "1 ms", "3600 s", { default = "1 s", doc = "interval of requests" }),
      "interval"),
    also(octets("octets", "28 octets", "1500 octets", "64 octets", "the IP packet's length"), "size"),
    absent(count("count", 1, 65536, nil, "number of requests"), "until `stop`, at most 65536"),
  } },
  { name = "cbr", noun = "constant traffic", doc = "UDP from the server to the mobile, packets of one size.", fields = {
    also(required(quantity("rate", "rate", "8 bit/s", "1 Gbit/s", { doc = "rate in IP octets" })), "rate"),
    also(octets("packet", "44 octets", "1500 octets", "500 octets", "the IP packet's length"), "size"),
    absent(quantity("burst", "duration", "1 ms", "3600 s", { doc = "length of a burst, before a pause" }), "always"),
    duration("pause", "3600 s", "0 s", "time between two bursts"),
    { name = "burst_law", type = "enum", values = { "fixed", "exponential" }, default = "fixed",
      doc = "distribution of `burst` and `pause`. exponential: random with these means" },
    { name = "interval_law", type = "enum", values = { "fixed", "exponential" }, default = "fixed",
      doc = "distribution of the time between packets. exponential: a Poisson process with the mean `rate`" }, ECN,
  } },
  { name = "trace", noun = "a trace", doc = "UDP packets with the times and sizes of a table (CSV) or of a capture "
    .. "(pcap, pcapng), whatever becomes of them.", fields = {
      scenario_radio.trace_file("rows `time_s,octets`: time since `start`, length of the IP packet, 44 to 1500 octets; "
        .. "of a capture all IP packets, timed from the first one, short ones as 44 octets"),
      { name = "to", type = "ipv4", absent = "all of them", doc = "of a capture only the packets to this address" },
      { name = "way", type = "enum", values = { "down", "up" }, default = "down",
        doc = "down: from the server to the mobile. up: from the mobile to the server" },
      scenario_radio.trace_every("the packets"), ECN,
    } },
  { name = "upload", noun = "an upload", doc = "One file from the mobile to the server over one connection.",
    connects = true, fields = { SIZE } },
  { name = "request", noun = "a request", doc = "UDP requests from the mobile to the server, and its answers, as of a "
    .. "meter: messages of CoAP (RFC 7252).", fields = {
      also(quantity("every", "duration", "1 ms", "86400 s", { default = "60 s", doc = "interval of requests; a "
        .. "confirmable request waits until the one before has its answer or is given up" }), "interval"),
      { name = "interval_law", type = "enum", values = { "fixed", "exponential" }, default = "fixed",
        doc = "fixed: always `every`. exponential: random with the mean `every`" },
      also(octets("octets", "36 octets", "1500 octets", "100 octets", "the request's length as an IP packet"), "size"),
      octets("answer", "36 octets", "1500 octets", "50 octets", "the answer's length as an IP packet"),
      absent(count("count", 1, 1000000, nil, "number of requests"), "until `stop`"),
      { name = "confirmable", type = "boolean", default = true,
        doc = "a request is sent again until its answer comes, as RFC 7252 section 4.2 has it; false: it is sent once, "
          .. "and its answer counts however late" },
      quantity("timeout", "duration", "1 ms", "3600 s", { default = "2 s", doc = "ACK_TIMEOUT: a confirmable request "
        .. "is repeated after 1 to 1.5 times this, then each time after twice the time before" }),
      count("repeats", 0, 10, 4, "MAX_RETRANSMIT: repetitions of a confirmable request, after which it is given up"),
    } },
  { name = "script", noun = "a script", doc = "Exchanges over TCP, each a time after an earlier one is done, as a "
    .. "table has them.", connects = true, check = check_script, fields = {
      scenario_radio.trace_file("a table (CSV) whose first line names its columns: exchange, after, wait_s, "
        .. "connection, request_octets, response_octets; as wanted think_s, page, transport, server; docs/run.md"),
      { name = "again", type = "boolean", default = true, doc = "at its end the script begins again" },
    } },
}

-- The keys of all kinds

local CONTENT = absent({ name = "content", type = "enum", values = { "zeros", "random", "text" },
  doc = "octets of the payload. random: they cannot be compressed. text: as `tcp.content`" },
  "random where the mobile has `compression`, else zeros")
local START = also(duration("start", "86400 s", "0 s", "start of the traffic"), "begin")
local STOP = also(absent(duration("stop", "86400 s", nil, "end of the traffic"), "the end of the run"), "finish")

-- The server of a mobile or an item: where it is.
local function server_keys(whose, otherwise)
  return also(absent(duration("server_delay", "10 s", nil, "one-way delay between the server of " .. whose
      .. " and the GGSN"), otherwise), "delay"),
    absent(duration("server_delay_max", "10 s", nil, "the delay is drawn once, by the seed, evenly between "
      .. "`server_delay` and this"), "as `server_delay`")
end

local SERVER_DELAY, SERVER_DELAY_MAX = server_keys("the item", "the mobile's")

-- Of a mobile.
scenario_traffic.SERVER_DELAY, scenario_traffic.SERVER_DELAY_MAX = server_keys("the mobile's traffic",
  "`network.server_delay`")

local function common_keys(kind)
  if kind.connects then return START, STOP, SERVER_DELAY, SERVER_DELAY_MAX, scenario_transport.own_keys() end
  return CONTENT, START, STOP, SERVER_DELAY, SERVER_DELAY_MAX
end

local function record_of(kind)
  local all = { table.unpack(kind.fields) }
  for _, field in ipairs({ common_keys(kind) }) do
    all[#all + 1] = field
  end
  return record(kind.name, kind.noun, kind.doc, all)
end

-- Names of the kinds that `is_wanted` is true of.
local function names_of(is_wanted)
  local names = {}
  for _, kind in ipairs(KINDS) do
    if is_wanted(kind) then names[#names + 1] = kind.name end
  end
  return names
end

local function check_one(item, fail)
  local given = names_of(function(kind) return item[kind.name] end)
  if #given == 0 then
    fail({}, "an item of traffic without a kind: one of " .. table.concat(names_of(function() return true end), ", "))
  elseif #given > 1 then
    fail({ given[2] }, string.format("a second kind beside %s: write an item for each, { %s = ... }, { %s = ... }",
      given[1], given[1], given[2]))
  end
end

local RECORDS = {}
for i, kind in ipairs(KINDS) do
  RECORDS[i] = record_of(kind)
end

-- An item, which has exactly one kind.
scenario_traffic.ITEM = { type = "record", noun = "an item of traffic", check = check_one, fields = RECORDS }

-- Checks of a whole scenario

local function check_times(work, duration_ns, fail)
  local function wrong(key, message, value, ...)
    fail({ key }, message:format(units.format("duration", value), ...))
  end
  local last = units.format("duration", work.stop or duration_ns)
  if work.stop and work.stop > duration_ns then
    wrong("stop", "duration '%s' is after the end: 0 s .. %s", work.stop, units.format("duration", duration_ns))
  elseif work.start >= (work.stop or duration_ns) then
    wrong("start", "duration '%s' is not before the %s, %s", work.start, work.stop and "stop" or "end", last)
  end
end

-- Of a mobile or an item. Fills in the greater delay.
local function check_server(it, fail)
  local delay, most = it.server_delay, it.server_delay_max
  if most and not delay then
    fail({ "server_delay_max" }, "needs `server_delay`, the least delay")
  elseif most and most < delay then
    fail({ "server_delay_max" }, string.format("duration '%s' is less than server_delay: %s .. 10 s",
      units.format("duration", most), units.format("duration", delay)))
  end
  it.server_delay_max = most or delay
end

-- The kind of an item, and its record.
local function kind_of(item)
  for _, kind in ipairs(KINDS) do
    if item[kind.name] then return kind, item[kind.name] end
  end
end

local function check_item(item, mobile, scenario, fail)
  local kind, work = kind_of(item)
  local within = keylines.within(fail, kind.name)
  check_times(work, scenario.duration, within)
  check_server(work, within)
  work.stop = work.stop or scenario.duration
  if kind.connects then
    scenario_transport.fill(work, scenario, within)
    if work.transport == "quic" and work.server_delay then
      within({ "server_delay" }, 'needs transport = "tcp": all QUIC items of a mobile have one server, whose delay is '
        .. "the mobile's `server_delay`")
    end
  else -- V.42bis would compress zeros as no traffic is
    work.content = work.content or mobile.compression and "random" or "zeros"
  end
  if kind.check then kind.check(work, within) end
end

-- Text that no item sends.
local function check_text(scenario, fail)
  if scenario.tcp.content ~= "text" then return end
  for _, mobile in ipairs(scenario.mobiles) do
    for _, item in ipairs(mobile.traffic) do
      if select(2, kind_of(item)).transport == "tcp" then return end
    end
  end
  local others = names_of(function(kind) return not kind.connects end)
  local last = table.remove(others)
  fail({ "tcp", "content" }, string.format('"text" without an item of traffic over TCP: %s and %s have a `content` of '
    .. "their own, and QUIC enciphers what it carries", table.concat(others, ", "), last))
end

-- Checks the items of all mobiles. Fills in their stop, transport or content.
function scenario_traffic.check(scenario, fail)
  for i, mobile in ipairs(scenario.mobiles) do
    check_server(mobile, keylines.within(fail, "mobiles", i))
    for j, item in ipairs(mobile.traffic) do
      check_item(item, mobile, scenario, keylines.within(fail, "mobiles", i, "traffic", j))
    end
  end
  check_text(scenario, fail)
end

return scenario_traffic
