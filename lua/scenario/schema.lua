-- SPDX-License-Identifier: BSD-3-Clause
-- Schema of a scenario file: the network between a server and its mobiles, the SGSN, the cells, the mobiles' traffic.
-- Keys that a node's configuration has, too, come from node_schema.
--
-- The checked table has the same keys in base units (bit/s, octets, ns, millionths), "infinite" the largest integer,
-- and what scenario_check adds: default buckets, `mobiles` with one item for each mobile, traffic with its stop
-- and TCP.

local acknowledged = require "node.acknowledged"
local node_schema = require "node.schema"
local offer = require "node.offer"
local scenario_link = require "scenario.link"
local scenario_mobility = require "scenario.mobility"
local scenario_radio = require "scenario.radio"
local scenario_access = require "scenario.access"
local scenario_sgsns = require "scenario.sgsns"
local scenario_check = require "scenario.check"
local scenario_fields = require "scenario.fields"
local scenario_traffic = require "scenario.traffic"
local scenario_transport = require "scenario.transport"
local schema = require "schema.schema"
local study_schema = require "study.schema"

-- A field of a node's configuration, by its path.
local function of_node(...)
  return schema.field(node_schema, ...)
end

local group = schema.group
local absent, also, count, duration = scenario_fields.absent, scenario_fields.also, scenario_fields.count,
  scenario_fields.duration
local list, octets, quantity = scenario_fields.list, scenario_fields.octets, scenario_fields.quantity
local record, required, with = scenario_fields.record, scenario_fields.required, scenario_fields.with

-- The network and the SGSN

-- A record with other entries in one of its fields.
local function with_field(d, name, changes)
  local fields = {}
  for i, field in ipairs(d.fields) do
    fields[i] = field.name == name and with(field, changes) or field
  end
  return with(d, { fields = fields })
end

local function loss(name, doc)
  return quantity(name, "percent", "0 %", "100 %", { default = "0 %", doc = doc })
end

local NETWORK = group("network", "The network between the server and the BSS.", {
  also(duration("server_delay", "10 s", "20 ms", "one-way delay between the server and the GGSN"), "delay"),
  duration("gn_delay", "10 s", "1 ms", "one-way delay between GGSN and SGSN (Gn)"),
  duration("gb_delay", "10 s", "1 ms", "one-way delay between SGSN and BSS (Gb)"),
  duration("ack_delay", "10 s", "0 s", "delay of TCP segments without data before they leave the server or mobile; "
    .. "packets behind them wait, too"),
  also(loss("internet_loss", "share of user packets lost between server and GGSN (in front of a monitor at Gi), each "
    .. "way"), "loss"),
  loss("gn_loss", "share of user packets lost between GGSN and SGSN (behind a monitor at Gi), each way"),
  loss("reorder", "share of packets to mobiles that arrive `reorder_delay` later at the GGSN, behind later packets"),
  duration("reorder_delay", "10 s", "50 ms", "additional delay of reordered packets"),
})

local COMPRESSION = with_field(of_node("sndcp", "compression"), "mode", { values = { "off", "passive" },
  doc = "off: offers of mobiles are refused. passive: they are accepted within these bounds. Without "
    .. "`sgsn.compression` all offers are accepted" })
COMPRESSION.default, COMPRESSION.absent = nil, "passive, for all that mobiles offer"

local SGSN = group("sgsn", "The SGSN.", {
  of_node("workers"),
  of_node("lifetime"),
  with(of_node("mobiles", "queue_limit"), { default = "64 kB" }),
  with_field(of_node("queues"), "budget_packets", { max = scenario_check.MOST_PACKETS }),
  of_node("nses", "gb"),
  of_node("flow_control"),
  of_node("mobiles", "n201_u"),
  of_node("mobiles", "sapi"),
  of_node("mobiles", "unprotected_sapis"),
  of_node("crypto"),
  of_node("timers", "bssgp", "th"),
  of_node("gn", "path"),
  of_node("llc", "acknowledged"),
  COMPRESSION,
})

-- Cells

local TBF = group("tbf", "Set-up and release of temporary block flows (TBFs).", {
  duration("setup", "10 s", "200 ms", "set-up time of a downlink TBF for a mobile without a TBF; without effect where "
    .. "the mobile has an uplink TBF whenever data arrives: `setup_with_uplink`"),
  quantity("setup_with_uplink", "duration", "1 ms", "10 s", { default = "100 ms",
    doc = "set-up time of a downlink TBF while the mobile has an uplink TBF" }),
  duration("release", "60 s", "2 s", "time for which a downlink TBF stays open after its last block"),
  duration("uplink_access", "10 s", "200 ms", "time from a mobile's first LLC-PDU to its first uplink block"),
  duration("uplink_hold", "60 s", "500 ms", "time for which an uplink TBF stays open after its last block"),
})
for _, field in ipairs(scenario_access.TBF_FIELDS) do
  table.insert(TBF.fields, field)
end

local BUFFER = group("buffer", "Buffer of the BSS; LLC-PDUs that do not fit are discarded on arrival.", {
  octets("mobile", "1600 octets", "1000 MB", "1 MB", "size for each mobile"),
  octets("cell", "1600 octets", "1000 MB", "4 MB", "size for the cell"),
})

local function bucket_of(name, doc, rate_from)
  local bss = of_node("emulated_bss", "cells", "bvc")
  return group(name, doc, {
    with(schema.field(bss, "bucket"), { required = false, absent = "`rate` x `bucket_time`" }),
    with(schema.field(bss, "rate"), { required = false, absent = rate_from }),
  })
end

local OWN_BUCKET = bucket_of("ms", "Bucket of each mobile in FLOW-CONTROL-MS; `{}` is enough.",
  "as `ms_default`")
OWN_BUCKET.default, OWN_BUCKET.absent = nil, "not sent"
local PFC_BUCKET = bucket_of("pfc", "Bucket of each mobile's packet flow in FLOW-CONTROL-PFC; `{}` is enough. "
  .. "Mobiles that begin in a cell with it have a packet flow.", "as `ms_default`")
PFC_BUCKET.default, PFC_BUCKET.absent = nil, "no packet flows"
table.insert(OWN_BUCKET.fields, duration("start", "86400 s", "0 s", "time of the first FLOW-CONTROL-MS"))
table.insert(OWN_BUCKET.fields, { name = "by_coding", type = "boolean", default = false,
  doc = "with link adaptation: R is `rate` x payload x (1 - BLER) of the mobile's coding scheme / payload of `coding`, "
    .. "at each announcement" })

local FLOW_CONTROL = group("flow_control", "The leaky buckets that the BSS announces to the SGSN.", {
  { name = "policy", type = "enum", values = { "fixed", "osmo_pcu" }, default = "fixed",
    doc = "rate that a cell announces. fixed: `bvc.rate`. osmo_pcu: OsmoPCU's formula, `bvc.rate` x (1 - bad "
      .. "blocks / possible blocks since the last announcement); the bucket is then always rate x `bucket_time` "
      .. "(OsmoPCU's default is 10 s), and the default of `every` is 1 s" },
  quantity("bucket_time", "duration", "10 ms", "600 s", { default = "1 s",
    doc = "default size of buckets, as a time of their rate" }),
  bucket_of("bvc", "Bucket of the cell in FLOW-CONTROL-BVC.", "capacity of the PDCHs"),
  bucket_of("ms_default", "Default bucket of mobiles in FLOW-CONTROL-BVC.", "capacity of `downlink_slots`"),
  OWN_BUCKET,
  PFC_BUCKET,
  record("thresholds", "thresholds", "Queue lengths of the BSS at which it announces rate 0 and the normal rate.", {
    required(quantity("stop", "octets", "1600 octets", "1000 MB", {
      doc = "queue length from which the BSS announces rate 0" })),
    required(quantity("go", "octets", "0 octets", "1000 MB", {
      doc = "queue length at which the BSS announces the normal rate again" })),
  }),
  with(of_node("emulated_bss", "cells", "announce_every"), { name = "every",
    doc = "interval of these announcements; what is announced "
    .. "again unchanged changes nothing" }),
  of_node("emulated_bss", "cells", "measurement"),
  of_node("emulated_bss", "cells", "bucket_level"),
})

local function share(name, rest)
  return quantity(name, "percent", "0 %", "90 %", rest)
end

local CELL = { type = "record", noun = "a cell", check = scenario_check.cell, fields = {
  required(count("bvci", 2, 65535, nil, "BVCI of the cell, unique")),
  count("nse", 1, 64, 1, "number of the cell's BSS; list the cells of BSS 1 first, then those of BSS 2, and so on"),
  count("routing_area", 0, 255, 1, "RAC of the cell; the BSS deletes a mobile's queue when the mobile moves to "
    .. "another routing area"),
  also(absent(count("pdchs", 1, 64, nil, "number of packet channels: timeslots for GPRS"),
    "of `rate`; one is required"), "slots"),
  also(scenario_radio.RATE, "rate"),
  { name = "coding", type = "enum", values = scenario_radio.NAMES, absent = "of `rate`; required with `pdchs`",
    doc = "coding scheme; octets in a block of 20 ms: " .. scenario_radio.describe() },
  absent(count("block_octets", 8, 1600, nil, "octets of a downlink block"), "of `coding`"),
  absent(count("block_octets_up", 8, 1600, nil, "octets of an uplink block"), "as downlink"),
  share("bler", { default = "0 %", doc = "share of downlink blocks with errors" }),
  share("bler_up", { absent = "as `bler`", doc = "share of uplink blocks with errors" }),
  duration("retransmission", "10 s", "100 ms", "time from the end of a block with errors to its earliest repetition"),
  duration("processing", "10 s", "0 s", "additional delay of an LLC-PDU in BSS and mobile, in each direction"),
  absent(count("control_one_in", 2, 1000, nil, "n: every n-th block carries control instead of data"), "none"),
  count("window", 1, 2048, 64, "RLC window, in blocks from the oldest one that has not arrived"),
  { name = "rlc", type = "enum", values = { "acknowledged", "unacknowledged" }, default = "acknowledged",
    doc = "mode of RLC. acknowledged: a block with errors is repeated until it arrives. unacknowledged: it is not, and "
      .. "the LLC-PDUs with octets in it are lost" },
  { name = "schedule", type = "enum", values = { "mobile", "class" }, default = "mobile",
    doc = "mobile: mobiles take turns, block by block. class: by priority, signalling first, background last; mobiles "
      .. "of one class take turns" },
  count("downlink_slots", 1, 8, 4, "number of timeslots on which one mobile can receive"),
  count("uplink_slots", 1, 8, 1, "number of timeslots on which one mobile can send"),
  scenario_radio.FADING, scenario_radio.TRACE, scenario_link.FIELD, TBF, scenario_access.ACCESS, BUFFER, FLOW_CONTROL,
  scenario_radio.CALLS, scenario_mobility.CELL_KEY,
} }

-- Mobiles

local MOBILE = { type = "record", noun = "a mobile", fields = {
  { name = "name", type = "string", required = true, max = 32, pattern = "^%a[%w_-]*$",
    form = "at most 32 letters, digits, - and _, a letter first", doc = "name in reports, unique" },
  absent(count("count", 1, 10000, nil, "number of mobiles of this item: NAME1, NAME2, ..."), "one, called NAME"),
  absent(count("cell", 2, 65535, nil, "BVCI of the mobile's first cell"), "the first cell"),
  of_node("mobiles", "list", "contexts", "class"),
  of_node("mobiles", "list", "ciphering"),
  acknowledged.MODE, acknowledged.BOUNDS, offer.FIELD,
  scenario_link.MOBILE,
  scenario_mobility.MOBILE_KEY,
  scenario_traffic.SERVER_DELAY, scenario_traffic.SERVER_DELAY_MAX,
  list("traffic", scenario_traffic.ITEM, 1, 64, "The mobile's traffic; all items run at the same time. Each item has "
    .. "one of the following keys."),
} }

local MOVES = { name = "moves", type = "list", default = {}, max = 65536, doc = "Cell changes.",
  item = { type = "record", noun = "a move", fields = {
    required(duration("at", "86400 s", nil, "time of the cell change")),
    { name = "mobile", type = "string", required = true, max = 40, doc = "name of one mobile" },
    required(count("cell", 2, 65535, nil, "BVCI of the new cell")),
    duration("gap", "600 s", "0 s", "time between the old cell and the new one, in which the mobile receives and sends "
      .. "nothing; with a gap `cell` may be the old cell"),
  } } }

-- The keys of a study but its scenario, which is this one, with this one's title.
local function study_fields()
  local fields = {}
  for _, field in ipairs(study_schema.fields) do
    if field.name ~= "scenario" and field.name ~= "title" then
      fields[#fields + 1] = field
    end
  end
  return fields
end

local STUDY = record("study", "a study", "Axes over which `gbflow sweep` varies this scenario (docs/study.md). "
  .. "`gbflow run` plays the scenario as it is.", study_fields(), study_schema.check)

return {
  type = "record",
  noun = "a scenario",
  check = scenario_check.whole,
  sections = { { title = "Transport keys", keys = { "tcp", "quic" }, about = "Keys of `tcp` and `quic`: at the top of "
    .. "a scenario, and as `tcp` and `quic` of a download, an\nupload or web traffic. There they have no defaults: a "
    .. "key that is left out is as at the top." } },
  fields = {
    { name = "title", type = "string", required = true, max = 120, pattern = "^[^%c]+$",
      form = "one line of 1 to 120 octets", doc = "title in reports" },
    also(required(quantity("duration", "duration", "1 s", "2678400 s", { doc = "length of the run in virtual time" })),
      "time"),
    duration("warmup", "86400 s", "0 s", "time after which delays, goodput, shares and page times are evaluated; "
      .. "other counters are of the whole run"),
    NETWORK, SGSN,
    list("cells", CELL, 1, 256, "The cells. Each BSS is an NSE; NSEs are assigned to workers in turn."),
    list("mobiles", MOBILE, 1, 10000, "The mobiles."),
    MOVES, scenario_mobility.KEY, scenario_sgsns.key(SGSN), scenario_sgsns.RELOCATION,
    scenario_transport.KEY,
    scenario_transport.TCP, scenario_transport.QUIC,
    group("series", "Figures over time (series.csv).", {
      quantity("every", "duration", "1 ms", "3600 s", { default = "1 s", doc = "interval of samples" }),
    }),
    STUDY,
  },
}
