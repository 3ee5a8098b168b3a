-- SPDX-License-Identifier: BSD-3-Clause
-- The configuration of a node: one SGSN's downlink, its Gb links, and the mobiles and BSSs a replay needs. Ranges are
-- those of TS 48.016, 48.018, 44.064 and 44.065 where these have one, else what a machine can sensibly be asked for.
--
-- The checked table has the same keys. Rates are bit/s, sizes octets, durations ns, "infinite" the largest integer.
-- mobiles.homes is added: the cells of learned mobiles as {nsei, bvci}, in turn.

local ciphering = require "node.ciphering"
local gn = require "node.schema_gn"
local node_check = require "node.check"
local live = require "node.schema_live"
local ns = require "node.schema_ns"
local queues = require "node.schema_queues"
local radio = require "node.radio"

-- Fields of the same kind, here once.

local function integer(name, min, max, rest)
  rest.name, rest.type, rest.min, rest.max = name, "integer", min, max
  return rest
end

local function required_integer(name, min, max, doc)
  return integer(name, min, max, { required = true, doc = doc })
end

local function ip(name, doc)
  return { name = name, type = "ip", required = true, doc = doc }
end

local function mac(name, doc)
  return { name = name, type = "mac", absent = "found out", doc = doc }
end

local function udp_port(doc)
  return integer("udp_port", 1, 65535, { default = 23000, doc = doc })
end

local function digits(name, pattern, form, doc)
  return { name = name, type = "string", required = true, pattern = pattern, form = form, doc = doc }
end

local function duration(name, min, max, default, doc)
  return { name = name, type = "duration", min = min, max = max, default = default, doc = doc }
end

local function tlli(name, rest)
  rest.hex = true
  return integer(name, 0x80000000, 0xFFFFFFFF, rest)
end

local function list(name, item, rest)
  rest.name, rest.type, rest.item = name, "list", item
  return rest
end

-- A group of settings that all have defaults, so that it can be left out.
local function group(name, doc, fields, check)
  return { name = name, type = "record", default = {}, doc = doc, fields = fields, noun = name, check = check }
end

local function nsei(doc)
  return required_integer("nsei", 0, 65535, doc)
end

local function bvci(doc)
  return required_integer("bvci", 2, 65535, doc)
end

local function bucket()
  return { name = "bucket", type = "octets", required = true, min = "0 octets", max = "6553500 kB",
    multiple_of = "100 octets", doc = "Bmax: how much the BSS is willing to hold" }
end

local function rate()
  return { name = "rate", type = "rate", required = true, min = "0 bit/s", max = "6.5535 Gbit/s",
    multiple_of = "100 bit/s", doc = "R: how fast it drains; 0 stops it" }
end

-- Gb

local GB = { name = "gb", type = "record", required = true, noun = "gb", doc = "Our end of Gb over IP.",
  fields = live.with_link("Gb", {
  ip("address", "our address on Gb, IPv4 or IPv6; all ends of Gb are of the same version"),
  udp_port("our UDP port on Gb"),
  { name = "mtu", type = "octets", min = "576 octets", max = "9216 octets", default = "1500 octets",
    doc = "largest IP packet on Gb; a whole LLC frame with its headers has to fit" },
  mac("mac", "our MAC address on Gb"),
  { name = "overhead_octets", type = "octets", min = "-64 octets", max = "191 octets", default = "0 octets",
    doc = "what each NS-PDU costs on a Gb link on top of its own octets; 0 to 249 in all around an LLC frame" },
  radio.SWITCHES,
  { name = "paging_area", type = "enum", values = { "routeing_area", "cell" }, default = "routeing_area",
    doc = "where a mobile is paged: in all of its routeing area, or in the cell where it was heard last" },
}) }

local CELL_ID = { name = "cell_id", type = "record", required = true, noun = "a cell identity",
  doc = "Cell identity as the BSS gives it in BVC-RESET; unique in the node.", fields = {
    digits("mcc", "^%d%d%d$", "3 digits", "mobile country code, as text"),
    digits("mnc", "^%d%d%d?$", "2 or 3 digits", "mobile network code, as text"),
    required_integer("lac", 1, 65533, "location area code"),
    required_integer("rac", 0, 255, "routing area code"),
    required_integer("ci", 0, 65535, "cell identity"),
  } }

local CELL = { type = "record", noun = "a cell", fields = {
  bvci("BVCI of the cell, unique in its NSE"),
  CELL_ID,
  queues.CELL_FLOW_CONTROL,
} }

local NSE = { type = "record", noun = "an NSE", fields = {
  nsei("NSEI, unique in the node"),
  integer("worker", 0, 15, { absent = "workers in turn; one added to a running node: the one with the fewest",
    doc = "which worker has it, its cells and their mobiles" }),
  list("nsvcs", ns.NSVC, { default = {}, max = 64, doc = "The NS-VCs that reach it." }),
  ns.SNS, ns.START,
  list("cells", CELL, { required = true, min = 1, max = 4096, doc = "Its cells, one PTP BVC each." }),
  queues.LINK, queues.FEATURES,
} }

-- Mobiles

local CONTEXT = { type = "record", noun = "a context", fields = {
  required_integer("nsapi", 5, 15, "NSAPI, unique in the mobile"),
  integer("teid", 1, 0xFFFFFFFF, { absent = "one that gbflow gives out",
    doc = "downlink TEID, the one in packets from the GGSN; unique in the node" }),
  ip("sgsn_address", "our address of the tunnel"),
  ip("ggsn_address", "the GGSN's address of the tunnel, of the same IP version; with `apn`, its address for GTP-C"),
  integer("ggsn_teid", 1, 0xFFFFFFFF, { absent = "the GGSN gives it, with `apn`", doc = "uplink TEID" }),
  { name = "apn", type = "string", max = 100, pattern = "^%w[%w.-]*$", form = "labels of letters, digits and -",
    absent = "the tunnel is what stands here",
    doc = "the GGSN is asked for the context by GTP-C, with this access point name; what it gives counts" },
  { name = "pdp_type", type = "enum", values = { "ipv4", "ipv6", "ipv4v6" }, absent = "as the addresses say, else ipv4",
    doc = "with `apn`: PDP type" },
  { name = "address", type = "ipv4", absent = "none", doc = "the mobile's IPv4 address" },
  { name = "ipv6_address", type = "ipv6", absent = "none",
    doc = "its IPv6 address: 64 bits of prefix, and the interface identifier of its link-local address" },
  { name = "class", type = "enum", values = queues.CLASSES, default = "background", doc = "traffic class" },
  integer("pfi", 0, 127, { absent = "none", doc = "packet flow identifier: 0 best effort, 1 signalling, 2 SMS, 3 TOM8, "
    .. "8 and above: created in BSSs that have packet flows" }),
  { name = "sapi", type = "integer", values = { 3, 5, 9, 11 }, absent = "as mobiles.sapi", doc = "LLC SAPI" },
} }

local MOBILE = { type = "record", noun = "a mobile", fields = {
  digits("imsi", "^%d%d%d%d%d%d+$", "6 to 15 digits", "IMSI, as text; unique"),
  { name = "msisdn", type = "string", absent = "none", max = 15, pattern = "^%d+$", form = "1 to 15 digits",
    doc = "its telephone number, international, for GGSNs that want to know" },
  tlli("tlli", { required = true, doc = "TLLI, local or foreign; unique" }),
  bvci("the cell it is in"),
  integer("nsei", 0, 65535, { absent = "first NSE", doc = "the NSE of that cell" }),
  ciphering.MOBILE,
  ciphering.unprotected("as mobiles.unprotected_sapis"),
  radio.record("as mobiles.radio"),
  list("contexts", CONTEXT, { required = true, min = 1, max = 11, doc = "Its PDP contexts." }),
} }
MOBILE.fields[1].max = 15

local MOBILES = group("mobiles", "Who the packets are for.", {
  { name = "source", type = "enum", values = { "gtpc", "list" }, default = "gtpc",
    doc = "learn sessions from GTP-C in a capture, or take those of `list`" },
  tlli("first_tlli", { default = 0xC0000001, doc = "TLLI of the first learned mobile; those after it count up" }),
  list("cells", integer(nil, 2, 65535, {}), { absent = "all cells", min = 1, max = 4096,
    doc = "BVCIs that learned mobiles are put in, one after the other" }),
  { name = "sapi", type = "integer", values = { 3, 5, 9, 11 }, default = 3, doc = "LLC SAPI of user data" },
  ciphering.unprotected(nil, {}),
  radio.record("none"),
  { name = "n201_u", type = "octets", min = "140 octets", max = "1520 octets", default = "500 octets",
    doc = "largest information field of an LLC UI frame: where N-PDUs are cut into segments" },
  { name = "queue_limit", type = "octets", min = "1503 octets", max = "1000 MB", default = "64 kB",
    doc = "N-PDUs waiting for one mobile, in octets; more are dropped as they come" },
  { name = "ready_timer", type = "duration", min = "1 s", max = "30000 s", allow_infinite = true,
    absent = "44 s in a live node, else infinite", doc = "READY timer (T3314 of TS 24.008): a mobile that has not been "
      .. "heard for so long is paged when a packet comes for it, which waits until it is heard" },
  list("list", MOBILE, { default = {}, max = 1048576, doc = "Mobiles and their contexts, for `source = \"list\"`." }),
})

local LIFETIME = group("lifetime", "How old a packet may grow.", {
  { name = "mode", type = "enum", values = { "split", "sgsn_only", "per_node" }, default = "split",
    doc = "split: the BSS gets what is left of `sgsn_max`. sgsn_only: it ends here, the BSS is told infinite. "
      .. "per_node: it ends here, and the BSS counts `bss_max` anew" },
  { name = "sgsn_max", type = "duration", min = "1 ms", max = "3600 s", allow_infinite = true, default = "15 s",
    doc = "from the packet's arrival on Gn" },
  { name = "bss_min", type = "duration", min = "0 s", max = "655.34 s", multiple_of = "10 ms", default = "10 ms",
    doc = "a packet with less left is dropped here" },
  { name = "bss_max", type = "duration", min = "10 ms", max = "655.34 s", multiple_of = "10 ms",
    allow_infinite = true, default = "655.34 s", doc = "the most that PDU Lifetime says" },
}, node_check.lifetime)

-- The other end of Gb

local MS_BUCKET = { type = "record", noun = "an MS announcement", check = node_check.one_granularity, fields = {
  tlli("tlli", { required = true, doc = "which mobile" }),
  bucket(), rate(),
  duration("at", "0 s", "86400 s", "0 s", "when, counted from the start"),
} }

local function bucket_of(name, doc)
  return { name = name, type = "record", required = true, noun = name, doc = doc, fields = { bucket(), rate() } }
end

local BSS_CELL = { type = "record", noun = "an emulated cell", check = node_check.cell_granularity, fields = {
  bvci("a cell of this NSE"),
  bucket_of("bvc", "Bucket of the cell, announced by FLOW-CONTROL-BVC."),
  bucket_of("ms_default", "Bucket of each mobile that has none of its own, in the same message."),
  { name = "announce_every", type = "duration", min = "1 s", max = "3600 s", absent = "once",
    doc = "repeat FLOW-CONTROL-BVC so often" },
  { name = "measurement", type = "boolean", default = false,
    doc = "say there how long LLC-PDUs have waited for their first block on average (BVC Measurement)" },
  { name = "bucket_level", type = "boolean", default = false,
    doc = "say there and in FLOW-CONTROL-MS how full the buckets really are (feature Current Bucket Level)" },
  list("ms", MS_BUCKET, { default = {}, max = 65536, doc = "FLOW-CONTROL-MS for single mobiles." }),
} }

local BSS = { type = "record", noun = "an emulated BSS", fields = {
  nsei("an NSE of `nses`"),
  list("cells", BSS_CELL, { required = true, min = 1, max = 4096, doc = "What its cells announce." }),
} }

-- Timers and limits

local function retries(name, default, doc)
  return integer(name, 1, 20, { default = default, doc = doc })
end

local TIMERS = group("timers", "Timers of Gb.", {
  group("ns", "Network Service (TS 48.016).", {
    duration("reset", "1 s", "120 s", "3 s", "Tns-reset"),
    retries("reset_retries", 3, "NS-RESET is repeated so often"),
    duration("block", "1 s", "120 s", "3 s", "Tns-block, for BLOCK and UNBLOCK"),
    retries("block_retries", 3, "NS-BLOCK and NS-UNBLOCK are repeated so often"),
    duration("test", "1 s", "60 s", "30 s", "Tns-test: from an answered NS-ALIVE to the next"),
    duration("alive", "100 ms", "10 s", "3 s", "Tns-alive: for the answer to NS-ALIVE"),
    retries("alive_retries", 10, "unanswered NS-ALIVEs until the NS-VC is dead"),
    duration("prov", "1 s", "10 s", "3 s", "Tsns-prov, for SNS-CONFIG, SNS-ADD, SNS-DELETE and SNS-CHANGEWEIGHT"),
    retries("prov_retries", 3, "these are repeated so often"),
  }),
  group("bssgp", "BSSGP (TS 48.018).", {
    duration("th", "5 s", "6000 s", "5 s", "Th: how long a FLOW-CONTROL-MS holds"),
    duration("flush", "100 ms", "120 s", "5 s", "for the answer to FLUSH-LL"),
    duration("t7", "100 ms", "10 s", "3 s", "T7: for the answer to CREATE-BSS-PFC"),
    retries("t7_retries", 3, "CREATE-BSS-PFC is repeated so often"),
    duration("t3313", "1 s", "60 s", "8 s", "T3313 of TS 24.008: for the answer to PAGING-PS; OsmoPCU lets a second "
      .. "one within 7 s pass unnoticed"),
    retries("t3313_retries", 2, "PAGING-PS is repeated so often; then the next packet starts it anew"),
  }),
})

local LLC = group("llc", "LLC (TS 44.064): XID, which mobiles propose and we answer, and its Reset.", {
  { name = "n201_u_max", type = "octets", min = "140 octets", max = "1520 octets", absent = "what gb.mtu has room for",
    doc = "the largest N201-U that a mobile may agree on; until it does, mobiles.n201_u holds" },
  { name = "reset_at_start", type = "boolean", default = false,
    doc = "send XID with Reset to each mobile, once its cell can be sent to: its LLC state is from before our start" },
  duration("t200", "100 ms", "409.5 s", "5 s", "T200: for the answer"),
  integer("n200", 1, 15, { default = 3, doc = "N200: XID with Reset is repeated so often" }),
})

local function limit(name, max, default, doc)
  return integer(name, 1, max, { default = default, doc = doc })
end

local LIMITS = group("limits", "Memory is taken at start; what does not fit is dropped and counted. A running node can "
  .. "be given less of all but `fragments`, and again as much as at its start; mobiles and contexts that are there "
  .. "stay.", {
  limit("mobiles", 1048576, 4096, "mobiles"),
  limit("contexts", 2097152, 8192, "PDP contexts"),
  limit("npdu_buffers", 16777216, 32767, "waiting packets of all mobiles; one less than a power of two packs best. "
    .. "The pool stays that of the start; `queues.budget_packets` follows"),
  limit("reassemblies", 65536, 1024, "uplink N-PDUs that are being put together"),
  limit("fragments", 65536, 4096, "outer IP packets that are being put together"),
})

return {
  type = "record",
  noun = "a node",
  check = node_check.whole,
  fields = {
    integer("workers", 1, 16, { default = 1, doc = "workers that share the work, one processor core each" }),
    gn.GN, GB, ciphering.CRYPTO,
    list("nses", NSE, { required = true, min = 1, max = 256, doc = "The BSSs, one NSE each." }),
    MOBILES, queues.QUEUES, LIFETIME, queues.FLOW_CONTROL,
    list("emulated_bss", BSS, { default = {}, max = 256,
      doc = "BSSs that the program plays itself, with the buckets they announce." }),
    TIMERS, LLC, LIMITS, live.LIVE, live.EAL,
  },
}
