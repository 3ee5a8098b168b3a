-- SPDX-License-Identifier: BSD-3-Clause
-- The part of a node's schema that says how packets wait and are let go: shares, limits, the rate of a Gb link, what is
-- made of announced flow control.

local aqm_schema = require "node.aqm_schema"
local node_check = require "node.check"

local node_schema_queues = {}

-- In order of precedence, as the program counts them.
local CLASSES = { "signalling", "sms", "conversational", "streaming", "thp1", "thp2", "thp3", "background" }
local WEIGHTS = { signalling = 1000, sms = 500, conversational = 900, streaming = 900, thp1 = 50, thp2 = 35, thp3 = 15,
  background = 5 }

node_schema_queues.CLASSES = CLASSES

-- A group of settings that can be left out.
local function group(name, doc, fields, check)
  return { name = name, type = "record", default = {}, doc = doc, fields = fields, noun = name, check = check }
end

local function weights()
  local fields = {}
  for i, class in ipairs(CLASSES) do
    fields[i] = { name = class, type = "integer", min = 1, max = 65535, default = WEIGHTS[class],
      doc = "weight of class " .. class }
  end
  return fields
end

local function octets(absent, doc)
  return { name = "octets", type = "octets", min = "1503 octets", max = "1000000 MB", absent = absent, doc = doc }
end

local function packets(max, rest)
  rest.name, rest.type, rest.min, rest.max = "packets", "integer", 1, max
  return rest
end

local function number(name, min, max, rest)
  rest.name, rest.type, rest.min, rest.max = name, "integer", min, max
  return rest
end

local CLASS_LIMITS = { name = "class", type = "map", keys = CLASSES, default = {},
  doc = "Limits of a traffic class on a Gb link, all its mobiles together: `class = { thp1 = { packets = 500 } }`.",
  item = { type = "record", noun = "a class", fields = {
    octets("none", "N-PDUs that wait, in octets; more are dropped as they come"),
    packets(4294967295, { absent = "none", doc = "the same in packets" }),
    aqm_schema.setting("`queues.aqm`, for signalling and sms none", "the same as `queues.aqm` for this class alone"),
  } } }

node_schema_queues.QUEUES = group("queues", "How packets wait, and who goes first.", {
  group("weights", "Shares of the traffic classes of a cell that its bucket limits, and of a Gb link, among those that "
    .. "have something to send. signalling and sms go first until they are ahead of their share. From streaming on the "
    .. "defaults are those of a published study of AQM in GPRS.", weights()),
  group("mobile", "Limits of one mobile.", {
    { name = "octets", type = "octets", min = "1503 octets", max = "1000 MB", absent = "`queue_limit`",
      doc = "N-PDUs that wait, in octets; more are dropped as they come" },
    packets(65535, { default = 65535, doc = "the same in packets" }),
  }),
  CLASS_LIMITS,
  aqm_schema.setting("none: limits only", "The scheme that drops or marks before limits do, of all classes but "
    .. "signalling and sms: `aqm = { scheme = \"codel\", target = \"20 ms\" }`. Its parameters stand beside; `gbflow "
    .. "aqm show NAME` and docs/aqm.md say which there are."),
  number("budget_packets", 1, 16777216, { absent = "all buffers but some",
    doc = "packets that wait, of all mobiles; when more come the longest queue gives one up" }),
  number("reserve_packets", 0, 65536, { default = 64, doc = "more of them, for class signalling only" }),
  number("extra_flows", 0, 4194304, { absent = "one for each context",
    doc = "further queues of mobiles with several traffic classes or packet flows; without one they share the first" }),
  number("flow_queues", 2, 64, { absent = "off",
    doc = "queues by 5-tuple for what waits of a mobile in a class, so that a download does not delay the same user's "
      .. "ping: new ones go first, then they take turns. No packet overtakes another of its 5-tuple" }),
  { name = "flow_quantum", type = "octets", min = "256 octets", max = "65535 octets", default = "1526 octets",
    doc = "what each of them may send in a turn" },
  number("flow_sets", 0, 4194304, { absent = "one for 16 mobiles, 64 or more",
    doc = "mobiles' classes that can have `flow_queues` at a time: those of which packets of several 5-tuples wait" }),
}, node_check.queues)

-- Of one NSE.
node_schema_queues.LINK = group("gb", "The committed rate of its Gb link, in NS-PDU octets (see "
  .. "`gb.overhead_octets`).", {
  { name = "rate", type = "rate", min = "1 kbit/s", max = "100 Gbit/s", absent = "none: as much as there is",
    doc = "NS-PDUs towards the BSS" },
  { name = "bucket", type = "octets", min = "1600 octets", max = "6553500 kB",
    absent = "`rate` x `bucket_time`, 3200 octets or more", doc = "what may go at once" },
  { name = "bucket_time", type = "duration", min = "1 ms", max = "10 s", default = "20 ms",
    doc = "for a bucket that is not given" },
  { name = "signalling_share", type = "percent", min = "1 %", max = "100 %", multiple_of = "1 %", default = "50 %",
    doc = "of the rate, that BSSGP and NS signalling may take" },
}, node_check.link)

local function flow_fields(absent)
  return {
    { name = "bss_target", type = "duration", min = "1 ms", max = "600 s", absent = absent or "off: as announced",
      doc = "keeps what is believed to wait in the BSS below so much of a mobile's rate, and a cell's below what keeps "
        .. "its air full" },
    { name = "rate_factor", type = "percent", min = "1 %", max = "1000 %", multiple_of = "1 %",
      default = not absent and "100 %" or nil, absent = absent, doc = "by which announced rates count" },
    { name = "max_rate", type = "rate", min = "100 bit/s", max = "6.5535 Gbit/s", absent = absent or "as announced",
      doc = "a cell's rate counts as no more" },
    { name = "max_bucket", type = "octets", min = "100 octets", max = "6553500 kB", absent = absent or "as announced",
      doc = "a cell's bucket counts as no more" },
    { name = "max_rise", type = "percent", min = "100 %", max = "100000 %", multiple_of = "1 %",
      absent = absent or "as announced", doc = "a cell's rate and bucket count as no more than so much of what they "
        .. "counted as before, from one announcement to the next, unless that was 0; less holds at once. Against what "
        .. "cannot be, such as OsmoPCU's 6.5534 Mbit/s after a usage of more than 100 %" },
  }
end

node_schema_queues.FLOW_CONTROL = group("flow_control", "What is made of the buckets that BSSs announce.",
  flow_fields())

-- Of one cell.
node_schema_queues.CELL_FLOW_CONTROL = group("flow_control", "What this cell does differently.",
  flow_fields("as `flow_control`"))

node_schema_queues.FEATURES = { name = "features", type = "list", absent = "all of them", max = 5,
  item = { type = "enum", values = { "pfc", "cbl", "inr", "pfc_fc", "gigabit" } },
  doc = "Optional BSSGP features to offer to a BSS that names its own: packet flows, current bucket level, inter-NSE "
    .. "rerouting, flow control of packet flows, granularities of the Gigabit interface." }

return node_schema_queues
