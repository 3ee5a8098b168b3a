-- SPDX-License-Identifier: BSD-3-Clause
-- What a scenario file says: the network between a server and its mobiles, the SGSN, the cells, who does what. What an
-- SGSN's own configuration has, too, is described there (node_schema).
--
-- The checked table has the same keys in base units (bit/s, octets, ns, millionths), "infinite" the largest integer,
-- and what scenario_check adds: buckets that were not given, `mobiles` with one item for each, traffic with its stop
-- and TCP.

local node_schema = require "node.schema"
local scenario_calls = require "scenario.calls"
local scenario_check = require "scenario.check"
local scenario_coding = require "scenario.coding"

local function named(list, name)
  for _, field in ipairs(list) do
    if field.name == name then
      return field
    end
  end
  error("the node's schema has no " .. name)
end

-- A field of a node's configuration, by its path.
local function of_node(...)
  local field = node_schema
  for _, name in ipairs({ ... }) do
    field = named((field.item or field).fields, name)
  end
  return field
end

-- A copy of a descriptor with other entries.
local function with(d, changes)
  local copy = {}
  for key, value in next, d do
    copy[key] = value
  end
  for key, value in next, changes do
    copy[key] = value
  end
  return copy
end

-- A group of settings that all have defaults, so that it can be left out.
local function group(name, doc, fields, check)
  return { name = name, type = "record", default = {}, doc = doc, fields = fields, noun = name, check = check }
end

-- A group that means something by being there.
local function record(name, noun, doc, fields, check)
  return { name = name, type = "record", absent = "none", doc = doc, fields = fields, noun = noun, check = check }
end

local function list(name, item, min, max, doc)
  return { name = name, type = "list", item = item, required = true, min = min, max = max, doc = doc }
end

local function quantity(name, kind, min, max, rest)
  return with({ name = name, type = kind, min = min, max = max }, rest)
end

local function duration(name, max, default, doc)
  return quantity(name, "duration", "0 s", max, { default = default, doc = doc })
end

local function octets(name, min, max, default, doc)
  return quantity(name, "octets", min, max, { default = default, doc = doc })
end

local function count(name, min, max, default, doc)
  return { name = name, type = "integer", min = min, max = max, default = default, doc = doc }
end

local function required(d)
  d.required = true
  return d
end

local function absent(d, what)
  d.absent = what
  return d
end

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

local NETWORK = group("network", "The way between the server and the BSS.", {
  duration("server_delay", "10 s", "20 ms", "one way between the server and the GGSN"),
  duration("gn_delay", "10 s", "1 ms", "one way between GGSN and SGSN (Gn)"),
  duration("gb_delay", "10 s", "1 ms", "one way between SGSN and BSS (Gb)"),
  duration("ack_delay", "10 s", "0 s", "what TCP segments that only acknowledge wait before they leave, at either "
    .. "end; what follows them waits, too"),
  loss("internet_loss", "users' packets that are lost between server and GGSN, each way: in front of a monitor at Gi"),
  loss("gn_loss", "users' packets that are lost between GGSN and SGSN, each way: behind a monitor at Gi"),
  loss("reorder", "packets to mobiles that take `reorder_delay` longer to the GGSN, so that later ones overtake them"),
  duration("reorder_delay", "10 s", "50 ms", "what they take longer"),
})

local SGSN = group("sgsn", "Where packets wait until the flow control of Gb lets them go.", {
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
})

-- Cells

local TBF = group("tbf", "How long it takes to get a channel, and how long it is kept.", {
  duration("setup", "10 s", "200 ms", "set-up of a downlink TBF for a mobile that has none"),
  quantity("setup_with_uplink", "duration", "1 ms", "10 s", { default = "100 ms",
    doc = "the same while the mobile has an uplink TBF" }),
  duration("release", "60 s", "2 s", "a downlink TBF stays open so long after its last block"),
  duration("uplink_access", "10 s", "200 ms", "from a mobile's wish to send to its first uplink block"),
  duration("uplink_hold", "60 s", "500 ms", "an uplink TBF stays open so long after its last block"),
})

local BUFFER = group("buffer", "What the BSS can hold; more is discarded as it comes.", {
  octets("mobile", "1600 octets", "1000 MB", "1 MB", "for one mobile"),
  octets("cell", "1600 octets", "1000 MB", "4 MB", "for all of them"),
})

local function bucket_of(name, doc, rate_from)
  local bss = of_node("emulated_bss", "cells", "bvc")
  return group(name, doc, {
    with(named(bss.fields, "bucket"), { required = false, absent = "`rate` x `bucket_time`" }),
    with(named(bss.fields, "rate"), { required = false, absent = rate_from }),
  })
end

local OWN_BUCKET = bucket_of("ms", "Of each mobile, by a FLOW-CONTROL-MS of its own; `{}` is enough.",
  "as `ms_default`")
OWN_BUCKET.default, OWN_BUCKET.absent = nil, "not sent"
table.insert(OWN_BUCKET.fields, duration("start", "86400 s", "0 s", "when, counted from the start"))

local FLOW_CONTROL = group("flow_control", "The leaky buckets that the BSS announces to the SGSN.", {
  { name = "policy", type = "enum", values = { "fixed", "osmo_pcu" }, default = "fixed",
    doc = "of a cell's rate. fixed: as `bvc.rate` says. osmo_pcu: by OsmoPCU's formula, that one less the share that "
      .. "bad blocks took since the last report; the bucket is then always rate x `bucket_time` (10 s in an OsmoPCU "
      .. "that is not told otherwise), and `every` is 1 s unless given" },
  quantity("bucket_time", "duration", "10 ms", "600 s", { default = "1 s",
    doc = "a bucket that is not given holds so much of its rate" }),
  bucket_of("bvc", "Of the cell, by FLOW-CONTROL-BVC.", "what the PDCHs carry"),
  bucket_of("ms_default", "Of each mobile, in the same message.", "what `downlink_slots` carry"),
  OWN_BUCKET,
  record("thresholds", "thresholds", "The queue in the BSS decides, too: rate 0 is announced when it is long.", {
    required(quantity("stop", "octets", "1600 octets", "1000 MB", { doc = "from here on nothing is to come" })),
    required(quantity("go", "octets", "0 octets", "1000 MB", { doc = "down to here, and it goes on" })),
  }),
  with(of_node("emulated_bss", "cells", "announce_every"), { name = "every", doc = "announce all of that so often" }),
  of_node("emulated_bss", "cells", "measurement"),
  of_node("emulated_bss", "cells", "bucket_level"),
})

local function share(name, rest)
  return quantity(name, "percent", "0 %", "90 %", rest)
end

local CELL = { type = "record", noun = "a cell", check = scenario_check.cell, fields = {
  required(count("bvci", 2, 65535, nil, "BVCI of the cell, unique")),
  count("nse", 1, 64, 1, "which BSS has it; the cells of BSS 1 come first, then those of 2, and so on"),
  count("routing_area", 0, 255, 1, "its RAC; what it holds of a mobile that goes to another one's is deleted"),
  required(count("pdchs", 1, 64, nil, "packet channels: timeslots for GPRS")),
  { name = "coding", type = "enum", values = scenario_coding.NAMES, required = true,
    doc = "coding scheme; octets in a block of 20 ms: " .. scenario_coding.describe() },
  absent(count("block_octets", 8, 1600, nil, "octets of a downlink block, instead of the scheme's"), "of `coding`"),
  absent(count("block_octets_up", 8, 1600, nil, "the same of an uplink block"), "as downlink"),
  share("bler", { default = "0 %", doc = "downlink blocks that arrive broken" }),
  share("bler_up", { absent = "as `bler`", doc = "uplink blocks that arrive broken" }),
  duration("retransmission", "10 s", "100 ms", "from a broken block to when it is sent again"),
  duration("processing", "10 s", "0 s", "what BSS and mobile add to an LLC-PDU's way, each direction"),
  absent(count("control_one_in", 2, 1000, nil, "one block in so many carries control instead of data"), "none"),
  count("window", 1, 2048, 64, "RLC window: blocks from the oldest that has not arrived"),
  { name = "schedule", type = "enum", values = { "mobile", "class" }, default = "mobile",
    doc = "mobile: they take turns, block by block. class: signalling first, background last, in turns within one" },
  count("downlink_slots", 1, 8, 4, "timeslots that one mobile can receive on"),
  count("uplink_slots", 1, 8, 1, "timeslots that one mobile can send on"),
  TBF, BUFFER, FLOW_CONTROL, scenario_calls.FIELD,
} }

-- TCP. For one item of traffic the same keys, without defaults.

local function time_out(name, when)
  return quantity(name, "duration", "1 ms", "240 s", { doc = "retransmission time-out " .. when })
end

local function tcp_fields(inherits)
  local function default(value)
    if not inherits then
      return value
    end
  end
  local function d(field, value)
    field.default = default(value)
    return field.default == nil and absent(field, "as in `tcp`") or field
  end
  local delayed_ack = { name = "delayed_ack", type = "record", noun = "delayed_ack", default = default({}),
    absent = "as in `tcp`", doc = "When the receiver acknowledges.", fields = {
      d(count("every", 1, 64, nil, "each so many full segments; 1: each segment at once"), 2),
      d(duration("timeout", "10 s", nil, "at the latest so long after a segment"), "200 ms"),
    } }
  return {
    d(octets("mss", "88 octets", "1460 octets", nil, "largest segment, options included"), "1460 octets"),
    d({ name = "sack", type = "boolean", doc = "selective acknowledgements (RFC 2018, RFC 6675)" }, true),
    d({ name = "timestamps", type = "boolean", doc = "timestamps (RFC 7323)" }, true),
    d({ name = "ecn", type = "boolean", doc = "explicit congestion notification (RFC 3168)" }, false),
    d(octets("receive_window", "512 octets", "1000 MB", nil,
      "what the receiver can hold; from 64 KiB on with window scaling"), "65535 octets"),
    delayed_ack,
    d(count("initial_cwnd", 1, 64, nil, "segments that may go at first"), 3),
    absent(count("initial_ssthresh", 2, 65535, nil, "segments at which slow start ends"),
      inherits and "as in `tcp`" or "not before a loss"),
    absent(count("max_cwnd", 1, 65535, nil, "segments that are on their way at most"),
      inherits and "as in `tcp`" or "the window"),
    d(time_out("initial_rto", "before the first sample"), "1 s"),
    d(time_out("min_rto", "at least"), "1 s"),
    d(time_out("max_rto", "at most"), "60 s"),
  }
end

local TCP = group("tcp", "The TCP of server and mobiles: NewReno.", tcp_fields(false), scenario_check.tcp)

-- What mobiles do

local function start()
  return duration("start", "86400 s", "0 s", "when it begins")
end

local function stop()
  return absent(duration("stop", "86400 s", nil, "when it ends"), "the end of the run")
end

local function own_tcp()
  return record("tcp", "tcp", "What this item's TCP does differently.", tcp_fields(true))
end

local DOWNLOAD = record("download", "a download", "One file from the server by one TCP connection.", {
  required(quantity("octets", "octets", "1 octet", "1000000 MB", { allow_infinite = true,
    doc = "size of the file; \"infinite\" sends until `stop`" })),
  { name = "server", type = "enum", values = { "answers", "refuses", "silent" }, default = "answers",
    doc = "refuses: the server resets the connection. silent: nothing there answers" },
  start(), stop(), own_tcp(),
})

local WEB = record("web", "web traffic", "Pages: a main object, then its items, then time to read.", {
  absent(count("pages", 1, 1000000, nil, "number of pages"), "until `stop`"),
  octets("page", "1 octet", "100 MB", "10 kB", "the main object"),
  count("items", 0, 1000, 30, "items of a page"),
  octets("item", "1 octet", "100 MB", "4910 octets", "each item"),
  { name = "sizes", type = "list", min = 1, max = 32, absent = "`items` times `item`",
    item = { type = "octets", min = "1 octet", max = "100 MB" },
    doc = "items of different sizes, one by one, instead of `items` and `item`; `parallel` is 1 then" },
  count("parallel", 1, 16, 4, "connections at a time"),
  octets("request", "1 octet", "100 kB", "350 octets", "what the mobile asks for an object with"),
  { name = "persistent", type = "boolean", default = true,
    doc = "connections carry one object after the other; false: a new connection for each" },
  { name = "close_awaited", type = "boolean", default = false,
    doc = "without `persistent`: a connection counts as one of `parallel` until the mobile has closed it" },
  duration("reading", "3600 s", "1 s", "from the end of a page to the next"),
  { name = "reading_law", type = "enum", values = { "fixed", "exponential" }, default = "fixed",
    doc = "fixed: always `reading`. exponential: drawn, with `reading` as the mean" },
  start(), stop(), own_tcp(),
})

local PING = record("ping", "a ping", "Echo requests from the mobile to the server.", {
  quantity("every", "duration", "1 ms", "3600 s", { default = "1 s", doc = "from one request to the next" }),
  octets("octets", "28 octets", "1500 octets", "64 octets", "the IP packet's length"),
  absent(count("count", 1, 65536, nil, "number of requests"), "until `stop`, at most 65536"),
  start(), stop(),
})

local CBR = record("cbr", "constant traffic", "UDP from the server to the mobile, packets of one size.", {
  required(quantity("rate", "rate", "8 bit/s", "1 Gbit/s", { doc = "of IP octets" })),
  octets("packet", "44 octets", "1500 octets", "500 octets", "the IP packet's length"),
  absent(quantity("burst", "duration", "1 ms", "3600 s", { doc = "it sends for so long, then pauses" }), "always"),
  duration("pause", "3600 s", "0 s", "between bursts"),
  { name = "burst_law", type = "enum", values = { "fixed", "exponential" }, default = "fixed",
    doc = "of both lengths; exponential: drawn, with those as means" },
  { name = "interval_law", type = "enum", values = { "fixed", "exponential" }, default = "fixed",
    doc = "from one packet to the next; exponential: drawn, a Poisson process of mean `rate`" },
  { name = "ecn", type = "boolean", default = false, doc = "its packets say that they are ECN capable (ECT(0))" },
  start(), stop(),
})

local TRAFFIC = { type = "record", noun = "an item of traffic", check = scenario_check.one_kind,
  fields = { DOWNLOAD, WEB, PING, CBR } }

local MOBILE = { type = "record", noun = "a mobile", fields = {
  { name = "name", type = "string", required = true, max = 32, pattern = "^%a[%w_-]*$",
    form = "at most 32 letters, digits, - and _, a letter first", doc = "unique; what reports call it" },
  absent(count("count", 1, 10000, nil, "so many of its kind: NAME1, NAME2, ..."), "one, called NAME"),
  absent(count("cell", 2, 65535, nil, "BVCI of the cell it is in"), "the first cell"),
  of_node("mobiles", "list", "contexts", "class"),
  of_node("mobiles", "list", "ciphering"),
  list("traffic", TRAFFIC, 1, 64, "What it does, all at once. Each item has one of the following keys."),
} }

local MOVES = { name = "moves", type = "list", default = {}, max = 65536, doc = "Cell changes.",
  item = { type = "record", noun = "a move", fields = {
    required(duration("at", "86400 s", nil, "when")),
    { name = "mobile", type = "string", required = true, max = 40, doc = "who: the name of one mobile" },
    required(count("cell", 2, 65535, nil, "BVCI of the cell that it goes to")),
  } } }

return {
  type = "record",
  noun = "a scenario",
  check = scenario_check.whole,
  fields = {
    { name = "title", type = "string", required = true, max = 120, pattern = "^[^%c]+$",
      form = "one line of 1 to 120 octets", doc = "what a report calls it" },
    required(quantity("duration", "duration", "1 s", "86400 s", { doc = "how long the run takes, in its own time" })),
    duration("warmup", "86400 s", "0 s", "delays, goodput and page times count from here on"),
    NETWORK, SGSN,
    list("cells", CELL, 1, 256, "The cells. Each BSS is an NSE; workers have them in turn."),
    list("mobiles", MOBILE, 1, 10000, "The mobiles."),
    MOVES,
    TCP,
    group("series", "Figures over time.", {
      quantity("every", "duration", "1 ms", "3600 s", { default = "1 s", doc = "from one sample to the next" }),
    }),
  },
}
