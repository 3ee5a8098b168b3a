-- SPDX-License-Identifier: BSD-3-Clause
-- The part of a node's schema about queues and flow control: shares, limits, the rate of a Gb link, corrections of
-- announced flow control values.

local aqm = require "node.aqm"
local node_check = require "node.check"
local schema = require "schema.schema"

local group, integer = schema.group, schema.integer

local node_schema_queues = {}

-- In order of precedence, as the program counts them.
local CLASSES = { "signalling", "sms", "conversational", "streaming", "thp1", "thp2", "thp3", "background" }
local WEIGHTS = { signalling = 1000, sms = 500, conversational = 900, streaming = 900, thp1 = 50, thp2 = 35, thp3 = 15,
  background = 5 }

node_schema_queues.CLASSES = CLASSES

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

local CLASS_LIMITS = { name = "class", type = "map", keys = CLASSES, default = {},
  doc = "Limits of a traffic class on a Gb link, all its mobiles together, and the order among them: `class = { thp1 = "
    .. "{ packets = 500 } }`.",
  item = { type = "record", noun = "a class", fields = {
    octets("none", "limit of queued N-PDUs in octets; further ones are dropped on arrival"),
    packets(4294967295, { absent = "none", doc = "the same limit in N-PDUs" }),
    { name = "order", type = "enum", values = { "mobiles", "fifo", "sfq" }, absent = "`mobiles`",
      doc = "order of service: `mobiles` take turns with equal shares; `fifo` serves N-PDUs of all mobiles in order "
        .. "of arrival, not with `flow_queues`; `sfq` serves mobiles by start tags (docs/scheduling.md)" },
    aqm.setting("`queues.aqm`; none for signalling and sms", "as `queues.aqm`, for this class only"),
  } } }

node_schema_queues.QUEUES = group("queues", "Queues, limits and shares.", {
  group("weights", "Shares of the traffic classes with queued N-PDUs, in a cell that is limited by its bucket and on a "
    .. "Gb link. signalling and sms have priority up to their share. The defaults from streaming on are those of a "
    .. "published study of AQM in GPRS.", weights()),
  { name = "discipline", type = "enum", values = { "shares", "q" }, default = "shares",
    doc = "`shares`: order of mobiles and flows and limits are those of the other keys. `q`: mobiles and flows "
      .. "by start tags, with CoDel for each flow queue. It replaces `order` of all classes but signalling and sms "
      .. "and `flow_order`, and has other defaults of `flow_queues`, `flow_sets`, `mobile_quantum`, `credit`, `aqm` "
      .. "and `drop_duplicates` (docs/scheduling.md)" },
  { name = "drop_duplicates", type = "boolean",
    absent = "false; true with `discipline = \"q\"` or `pacing.classes`",
    doc = "a TCP segment that the mobile will have is dropped on arrival, reason `duplicate`: its data is still "
      .. "queued, or, with `pacing`, it went to the mobile and can still be acknowledged" },
  group("mobile", "Limits of each mobile.", {
    { name = "octets", type = "octets", min = "1503 octets", max = "1000 MB", absent = "`queue_limit`",
      doc = "limit of queued N-PDUs in octets; further ones are dropped on arrival" },
    packets(65535, { default = 65535, doc = "the same limit in N-PDUs" }),
  }),
  group("pacing", "Lower windows in the TCP headers that mobiles send, so that a download does not fill its queue "
    .. "(docs/tcp-windows.md).", {
    { name = "classes", type = "list", absent = "off", max = #CLASSES, item = { type = "enum", values = CLASSES },
      doc = "traffic classes whose TCP is changed" },
    integer("flows", 4, 4194304, { default = 4096, doc = "TCP connections of a worker that are known at a time; a new "
      .. "one takes the place of one that was idle for longest" }),
    { name = "window", type = "enum", values = { "share", "ewa" }, default = "share",
      doc = "`share`: the window that a mobile's share needs on its path. `ewa`: explicit window adaptation, a "
        .. "published scheme, by the free octets of `buffer` for the class on the Gb link" },
    { name = "buffer", type = "octets", min = "2 kB", max = "1000 MB", default = "64 kB",
      doc = "with `window = \"ewa\"`: octets that a class should have queued at most on a Gb link. It drops nothing" },
    { name = "mobile_target", type = "duration", min = "10 ms", max = "60 s", default = "600 ms",
      doc = "time for which a mobile's window lasts at its share, beside the time to its servers and back" },
  }),
  CLASS_LIMITS,
  aqm.setting("none: limits only", "AQM scheme of all classes but signalling and sms, with its parameters: "
    .. "`aqm = { scheme = \"codel\", target = \"20 ms\" }`. It is asked before the limits. `gbflow aqm show NAME` "
    .. "lists the parameters, docs/aqm.md describes the schemes."),
  integer("budget_packets", 1, 16777216, { absent = "`limits.npdu_buffers` less a margin",
    doc = "limit of queued N-PDUs of all mobiles; at the limit the longest queue drops one for each new N-PDU" }),
  integer("reserve_packets", 0, 65536, { default = 64,
    doc = "N-PDUs of class signalling that may be queued beyond `budget_packets`" }),
  integer("extra_flows", 0, 4194304, { absent = "one for each context",
    doc = "additional queues of all mobiles, for their further traffic classes and packet flows; without a free one "
      .. "these share a queue" }),
  integer("flow_queues", 2, 64, { absent = "off; 32 with `discipline = \"q\"`",
    doc = "number of queues by 5-tuple for the N-PDUs of a mobile in a class, so that a download does not delay the "
      .. "same user's ping. New queues are served first, then all in turn; packets of one 5-tuple keep their order" }),
  { name = "flow_order", type = "enum", values = { "drr", "sfq" }, absent = "`drr`",
    doc = "order of the flow queues: `drr`, deficit round robin; `sfq`, start-time fair queueing, in which debts "
      .. "and sparse packets count (docs/scheduling.md)" },
  { name = "flow_quantum", type = "octets", min = "256 octets", max = "65535 octets", default = "1526 octets",
    doc = "octets that a flow queue may send in its turn" },
  { name = "mobile_quantum", type = "octets", min = "40 octets", max = "65535 octets",
    absent = "one LLC-PDU; 1300 octets with `discipline = \"q\"`",
    doc = "with order `sfq`: octets that a mobile may send in a row, as its LLC-PDUs then "
      .. "share radio blocks; short packets of others go in between" },
  { name = "credit", type = "octets", min = "0 octets", max = "16000 octets",
    absent = "0 octets; 6000 octets with `discipline = \"q\"`",
    doc = "with order `sfq`: octets that a mobile may send ahead of its class after a pause, in place of what it did "
      .. "not send" },
  { name = "share", type = "enum", values = { "octets", "airtime" }, default = "octets",
    doc = "with order `sfq`: what mobiles share equally. `octets`; `airtime`: a mobile's octets count in inverse "
      .. "proportion to its R in FLOW-CONTROL-MS, where the BSS tells it (docs/scheduling.md)" },
  integer("flow_sets", 0, 4194304, {
    absent = "one for 16 mobiles, 64 or more; with `discipline = \"q\"` one for each, 65536 or less",
    doc = "sets of flow queues; a mobile needs one for each class in which packets of several 5-tuples are queued" }),
}, node_check.queues)

-- Of one NSE.
node_schema_queues.LINK = group("gb", "Committed rate of the NSE's Gb link, in NS-PDU octets (see "
  .. "`gb.overhead_octets`).", {
  { name = "rate", type = "rate", min = "1 kbit/s", max = "100 Gbit/s", absent = "no limit",
    doc = "rate of NS-PDUs towards the BSS" },
  { name = "bucket", type = "octets", min = "1600 octets", max = "6553500 kB",
    absent = "`rate` x `bucket_time`, at least 3200 octets", doc = "size of the link's bucket" },
  { name = "bucket_time", type = "duration", min = "1 ms", max = "10 s", default = "20 ms",
    doc = "determines `bucket` if that is absent" },
  { name = "signalling_share", type = "percent", min = "1 %", max = "100 %", multiple_of = "1 %", default = "50 %",
    doc = "share of the rate that NS, BSSGP and LLC signalling may use" },
}, node_check.link)

local function flow_fields(absent)
  return {
    { name = "bss_target", type = "duration", min = "1 ms", max = "600 s",
      absent = absent or "off: as announced",
      doc = "limits a mobile's octets in the BSS to its rate times this value, and a cell's to what keeps its radio "
        .. "busy; see docs/flow-control.md" },
    { name = "rate_factor", type = "percent", min = "1 %", max = "1000 %", multiple_of = "1 %",
      default = not absent and "100 %" or nil, absent = absent, doc = "factor on every announced rate" },
    { name = "max_rate", type = "rate", min = "100 bit/s", max = "6.5535 Gbit/s", absent = absent or "as announced",
      doc = "limit of a cell's rate" },
    { name = "max_bucket", type = "octets", min = "100 octets", max = "6553500 kB", absent = absent or "as announced",
      doc = "limit of a cell's bucket" },
    { name = "max_rise", type = "percent", min = "100 %", max = "100000 %", multiple_of = "1 %",
      absent = absent or "as announced", doc = "limit of a cell's rate and bucket in percent of the values applied "
        .. "before, if these were not 0; decreases apply at once. It limits implausible announcements, such as 6.5534 "
        .. "Mbit/s by OsmoPCU after a usage of more than 100 %" },
    { name = "initial", type = "record", noun = "initial values", absent = absent or "the cell waits",
      doc = "Values after BVC-RESET, until the first FLOW-CONTROL-BVC, for BSSs that send none (docs/flow-control.md). "
        .. "Without them nothing is sent in the cell before it; a mobile has the cell's values.", fields = {
        { name = "bmax", type = "octets", min = "1600 octets", max = "6553500 kB", required = true,
          doc = "Bmax of the cell" },
        { name = "leak_rate", type = "rate", min = "100 bit/s", max = "6.5535 Gbit/s", required = true,
          doc = "R of the cell" },
      } },
  }
end

node_schema_queues.FLOW_CONTROL = group("flow_control", "Corrections of the flow control values that BSSs announce.",
  flow_fields())

-- Of one NSE, and of one cell.
node_schema_queues.NSE_FLOW_CONTROL = group("flow_control", "Corrections for the cells of this NSE only.",
  flow_fields("as the node's `flow_control`"))
node_schema_queues.CELL_FLOW_CONTROL = group("flow_control", "Corrections for this cell only.",
  flow_fields("as the NSE's `flow_control`"))

node_schema_queues.FEATURES = { name = "features", type = "list", absent = "all of them", max = 5,
  item = { type = "enum", values = { "pfc", "cbl", "inr", "pfc_fc", "gigabit" } },
  doc = "Optional BSSGP features offered to a BSS that sends its feature bitmap: `pfc` packet flows, `cbl` current "
    .. "bucket level, `inr` inter-NSE rerouting, `pfc_fc` flow control of packet flows, `gigabit` granularities of the "
    .. "Gigabit interface." }

return node_schema_queues
