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
local schema = require "schema.schema"
local study_schema = require "study.schema"
local tables = require "base.tables"

-- A field of a node's configuration, by its path.
local function of_node(...)
  return schema.field(node_schema, ...)
end

-- A copy of a descriptor with other entries.
local function with(d, changes)
  local copy = tables.copy(d)
  for key, value in next, changes do
    copy[key] = value
  end
  return copy
end

local group = schema.group

-- A group whose presence has a meaning.
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

-- Words by which a field is called elsewhere: `octets`, `packet`, `page` and `item` are sizes, by the kind of traffic.
local OTHER_NAMES <const> = {
  size = { "octets", "size", "bytes", "packet", "page", "item", "length" },
  slots = { "slots", "timeslots", "channels" }, interval = { "interval", "period" },
  rate = { "bitrate", "bandwidth", "capacity" }, delay = { "delay", "rtt", "latency" }, loss = { "loss", "per" },
  time = { "time", "length" }, begin = { "begin", "from", "at" }, finish = { "end", "until", "to" },
}

local function also(d, what)
  d.other_names = OTHER_NAMES[what]
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
    absent = "as in `tcp`", doc = "Delayed ACKs of the receiver.", fields = {
      d(count("every", 1, 64, nil, "number of full segments per ACK; 1: every segment is acknowledged "
        .. "at once; stack linux-...: without effect, its receiver has rules of its own"), 2),
      d(duration("timeout", "10 s", nil, "longest delay of an ACK"), "200 ms"),
    } }
  return {
    d(octets("mss", "88 octets", "1460 octets", nil, "largest segment, TCP options included"), "1460 octets"),
    d({ name = "stack", type = "enum", values = { "rfc", "linux-2.4.0", "linux-2.4.17" },
      doc = "rfc: the RFCs named in docs/tcp.md. linux-...: the sender's RTO, timer, window and loss recovery, the "
        .. "receiver's ACK delay, D-SACK and growth of the announced window as in that kernel; needs sack" },
      "rfc"),
    d({ name = "fack", type = "boolean", doc = "linux-...: forward acknowledgements; false: as after "
      .. "reordering on this route, each partial acknowledgement shows one lost segment" }, true),
    d({ name = "recovery", type = "enum", values = { "newreno", "reno", "tahoe", "time-out" },
      doc = "sender without SACK, at the third duplicate ACK: newreno: RFC 6582; reno: RFC 2581, the first ACK of "
        .. "new data ends the recovery; tahoe: slow start from the lost segment on; time-out: nothing, until the RTO" },
      "newreno"),
    d({ name = "cc", type = "enum", values = { "newreno", "cubic" },
      doc = "growth and reduction of the congestion window: newreno: RFC 5681; cubic: RFC 9438. Stack rfc" },
      "newreno"),
    d({ name = "growth", type = "enum", values = { "acks", "octets" },
      doc = "what the window grows by: acks: each ACK (RFC 5681 (2)); octets: acknowledged octets, in slow start at "
        .. "most two segments an ACK (RFC 3465). Stack rfc; cubic counts octets after slow start" }, "acks"),
    d({ name = "slow_start", type = "enum", values = { "standard", "hystart++" },
      doc = "first slow start: standard: RFC 5681, until a loss or `initial_ssthresh`; hystart++: RFC 9406, until the "
        .. "RTT rises. Stack rfc" }, "standard"),
    d({ name = "rack", type = "boolean", doc = "RACK-TLP with SACK (RFC 8985): losses by the time of sending, and a "
      .. "probe at the end of a flight. Stack rfc" }, false),
    d({ name = "prr", type = "boolean", doc = "proportional rate reduction in recoveries with SACK (RFC 6937): "
      .. "the window falls as segments arrive, not at once. Stack rfc" }, false),
    d({ name = "sack", type = "boolean", doc = "selective acknowledgements (RFC 2018, RFC 6675)" }, true),
    d({ name = "timestamps", type = "boolean", doc = "timestamps (RFC 7323)" }, true),
    d({ name = "ecn", type = "boolean", doc = "explicit congestion notification (RFC 3168)" }, false),
    d({ name = "content", type = "enum", values = { "random", "text" }, doc = "octets of the payload, both ways. "
      .. "random: they cannot be compressed. text: words, which V.42bis compresses as web pages" }, "random"),
    d(octets("receive_window", "512 octets", "1000 MB", nil,
      "receive buffer; from 64 KiB on with window scaling"), "65535 octets"),
    delayed_ack,
    d(count("initial_cwnd", 1, 64, nil, "initial congestion window, in segments"), 3),
    absent(count("initial_ssthresh", 2, 65535, nil, "initial slow start threshold, in segments"),
      inherits and "as in `tcp`" or "no threshold before a loss"),
    absent(count("max_cwnd", 1, 65535, nil, "largest congestion window, in segments"),
      inherits and "as in `tcp`" or "the receive window"),
    d(time_out("initial_rto", "before the first RTT sample"), "1 s"),
    d(time_out("min_rto", "minimum"), "1 s"),
    d(time_out("max_rto", "maximum"), "60 s"),
  }
end

local TCP = group("tcp", "TCP of server and mobiles.", tcp_fields(false), scenario_check.tcp)

-- QUIC, likewise

local function quic_fields(inherits)
  local function d(field, default)
    if inherits then
      return absent(field, "as in `quic`")
    end
    field.default = default
    return field
  end
  return {
    d({ name = "congestion", type = "enum", values = { "reno", "cubic", "bbr", "bbr2" },
      doc = "congestion control of the sender, as ngtcp2 has it" }, "cubic"),
    d(octets("datagram", "1200 octets", "1472 octets", nil, "largest UDP payload; the size is not probed"),
      "1200 octets"),
    d(octets("receive_window", "1200 octets", "1000 MB", nil,
      "flow control window of a connection and of each of its streams"), "1 MB"),
    d(octets("certificate", "100 octets", "65536 octets", nil, "the server's certificate message in the handshake"),
      "3000 octets"),
    d(count("ack_every", 1, 64, nil, "number of packets per ACK"), 2),
    d(duration("ack_delay", "10 s", nil, "longest delay of an ACK, known to the peer (max_ack_delay)"), "25 ms"),
    d(quantity("initial_rtt", "duration", "1 ms", "60 s", {
      doc = "RTT before the first sample; the first probe timeout is three times as long" }), "333 ms"),
    d(quantity("idle_timeout", "duration", "1 s", "3600 s", {
      doc = "silence after which a connection ends, or is given up while it opens" }), "30 s"),
    d({ name = "ecn", type = "boolean", doc = "explicit congestion notification (RFC 9000 section 13.4)" }, false),
  }
end

local QUIC = group("quic", "QUIC of server and mobiles, for traffic with `transport` \"quic\".", quic_fields(false))

local TRANSPORTS = { "tcp", "quic" }

-- Traffic of mobiles

local function own_transport()
  return { name = "transport", type = "enum", values = TRANSPORTS, absent = "the scenario's",
    doc = "transport protocol of this item" }
end

local function own_quic()
  return with(record("quic", "quic", "QUIC parameters of this item only.", quic_fields(true)), { like = "quic" })
end

local function start()
  return also(duration("start", "86400 s", "0 s", "start of the traffic"), "begin")
end

local function stop()
  return also(absent(duration("stop", "86400 s", nil, "end of the traffic"), "the end of the run"), "finish")
end

local function own_tcp()
  return with(record("tcp", "tcp", "TCP parameters of this item only.", tcp_fields(true)), { like = "tcp",
    other_names = { "content" } })
end

-- Of packets without TCP and QUIC.
local function content()
  return absent({ name = "content", type = "enum", values = scenario_check.CONTENTS, doc = "octets of the payload. "
    .. "random: they cannot be compressed. text: as `tcp.content`" }, "random where the mobile has `compression`, else "
    .. "zeros")
end

local SIZE = also(required(quantity("octets", "octets", "1 octet", "1000000 MB", { allow_infinite = true,
  doc = "size of the file; \"infinite\": until `stop`" })), "size")

local DOWNLOAD = record("download", "a download", "One file from the server over one connection.", { SIZE,
  { name = "server", type = "enum", values = { "answers", "refuses", "silent" }, default = "answers",
    doc = "answers: the server accepts the connection. refuses: it resets it. silent: it does not answer. The last "
      .. "two for TCP" },
  start(), stop(), own_transport(), own_tcp(), own_quic(),
})

local UPLOAD = record("upload", "an upload", "One file from the mobile to the server over one connection.",
  { SIZE, start(), stop(), own_transport(), own_tcp(), own_quic() })

local WEB = record("web", "web traffic", "Web pages: a main object, its items, then reading time.", {
  absent(count("pages", 1, 1000000, nil, "number of pages"), "until `stop`"),
  also(octets("page", "1 octet", "100 MB", "10 kB", "size of the main object"), "size"),
  count("items", 0, 1000, 30, "number of items of a page"),
  octets("item", "1 octet", "100 MB", "4910 octets", "size of an item"),
  { name = "sizes", type = "list", min = 1, max = 32, absent = "`items` times `item`",
    item = { type = "octets", min = "1 octet", max = "100 MB" },
    doc = "sizes of the items, in place of `items` and `item`; the items are then loaded one by one (`parallel` 1)" },
  count("parallel", 1, 100, 4, "number of objects in transfer at a time: over TCP connections, at most 16; over QUIC "
    .. "streams of one connection"),
  octets("request", "1 octet", "100 kB", "350 octets", "size of the request for an object"),
  { name = "persistent", type = "boolean", default = true,
    doc = "a connection carries several objects; false: a new connection for each object, over QUIC for each page" },
  { name = "close_awaited", type = "boolean", default = false,
    doc = "TCP without `persistent`: a connection counts for `parallel` until the mobile has closed it" },
  duration("reading", "3600 s", "1 s", "time from the end of a page to the next page"),
  { name = "reading_law", type = "enum", values = { "fixed", "exponential" }, default = "fixed",
    doc = "fixed: always `reading`. exponential: random with the mean `reading`" },
  start(), stop(), own_transport(), own_tcp(), own_quic(),
})

local PING = record("ping", "a ping", "Echo requests from the mobile to the server.", {
  also(quantity("every", "duration", "1 ms", "3600 s", { default = "1 s", doc = "interval of requests" }), "interval"),
  also(octets("octets", "28 octets", "1500 octets", "64 octets", "the IP packet's length"), "size"),
  absent(count("count", 1, 65536, nil, "number of requests"), "until `stop`, at most 65536"),
  content(), start(), stop(),
})

local CBR = record("cbr", "constant traffic", "UDP from the server to the mobile, packets of one size.", {
  also(required(quantity("rate", "rate", "8 bit/s", "1 Gbit/s", { doc = "rate in IP octets" })), "rate"),
  also(octets("packet", "44 octets", "1500 octets", "500 octets", "the IP packet's length"), "size"),
  absent(quantity("burst", "duration", "1 ms", "3600 s", { doc = "length of a burst, before a pause" }), "always"),
  duration("pause", "3600 s", "0 s", "time between two bursts"),
  { name = "burst_law", type = "enum", values = { "fixed", "exponential" }, default = "fixed",
    doc = "distribution of `burst` and `pause`. exponential: random with these means" },
  { name = "interval_law", type = "enum", values = { "fixed", "exponential" }, default = "fixed",
    doc = "distribution of the time between packets. exponential: a Poisson process with the mean `rate`" },
  { name = "ecn", type = "boolean", default = false, doc = "send ECN capable packets (ECT(0))" },
  content(), start(), stop(),
})

local TRACE = record("trace", "a trace", "UDP packets with the times and sizes of a table (CSV) or of a capture "
  .. "(pcap, pcapng), whatever becomes of them.", {
  scenario_radio.trace_file("rows `time_s,octets`: time since `start`, length of the IP packet, 44 to 1500 octets; "
    .. "of a capture all IP packets, timed from the first one, short ones as 44 octets"),
  { name = "to", type = "ipv4", absent = "all of them", doc = "of a capture only the packets to this address" },
  { name = "way", type = "enum", values = { "down", "up" }, default = "down",
    doc = "down: from the server to the mobile. up: from the mobile to the server" },
  scenario_radio.trace_every("the packets"),
  { name = "ecn", type = "boolean", default = false, doc = "send ECN capable packets (ECT(0))" },
  content(), start(), stop(),
})

local TRAFFIC = { type = "record", noun = "an item of traffic", check = scenario_check.one_kind,
  fields = { DOWNLOAD, WEB, PING, CBR, TRACE, UPLOAD } }

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
  list("traffic", TRAFFIC, 1, 64, "The mobile's traffic; all items run at the same time. Each item has one of the "
    .. "following keys."),
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
    { name = "transport", type = "enum", values = TRANSPORTS, default = "tcp",
      doc = "transport protocol of downloads, uploads and web traffic; quic: docs/quic.md" },
    TCP,
    QUIC,
    group("series", "Figures over time (series.csv).", {
      quantity("every", "duration", "1 ms", "3600 s", { default = "1 s", doc = "interval of samples" }),
    }),
    STUDY,
  },
}
