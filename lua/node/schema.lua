-- SPDX-License-Identifier: BSD-3-Clause
-- The schema of the configuration of a node: one SGSN's downlink, its Gb links, and the mobiles and BSSs a replay
-- needs. Ranges are those of TS 48.016, 48.018, 44.064 and 44.065 where these have one, else what a machine can
-- sensibly be asked for.
--
-- The checked table has the same keys. Rates are bit/s, sizes octets, durations ns, "infinite" the largest integer.
-- mobiles.homes is added: the cells of learned mobiles as {nsei, bvci}, in turn.

local acknowledged = require "node.acknowledged"
local area = require "node.area"
local capabilities = require "node.capabilities"
local ciphering = require "node.ciphering"
local compression = require "node.compression"
local links = require "node.schema_links"
local node_check = require "node.check"
local phones = require "node.schema_phones"
local queues = require "node.schema_queues"
local radio = require "node.radio"
local schema = require "schema.schema"

-- Fields of the same kind, here once.

local duration, group, integer, mac = schema.duration, schema.group, schema.integer, links.mac

local function required_integer(name, min, max, doc)
  return integer(name, min, max, { required = true, doc = doc })
end

local function ip(name, doc)
  return { name = name, type = "ip", required = true, doc = doc }
end

local function udp_port(doc)
  return integer("udp_port", 1, 65535, { default = 23000, doc = doc })
end

local function digits(name, pattern, form, doc)
  return { name = name, type = "string", required = true, pattern = pattern, form = form, doc = doc }
end

local function tlli(name, rest)
  rest.hex = true
  return integer(name, 0x80000000, 0xFFFFFFFF, rest)
end

local function list(name, item, rest)
  rest.name, rest.type, rest.item = name, "list", item
  return rest
end

local function nsei(doc)
  return required_integer("nsei", 0, 65535, doc)
end

local function bvci(doc)
  return required_integer("bvci", 2, 65535, doc)
end

local function bucket()
  return { name = "bucket", type = "octets", required = true, min = "0 octets", max = "6553500 kB",
    multiple_of = "100 octets", doc = "Bmax: size of the bucket" }
end

local function rate()
  return { name = "rate", type = "rate", required = true, min = "0 bit/s", max = "6.5535 Gbit/s",
    multiple_of = "100 bit/s", doc = "R: leak rate of the bucket; 0: no LLC-PDUs" }
end

-- Gb

local GB = { name = "gb", type = "record", required = true, noun = "gb", doc = "The local end of Gb over IP.",
  fields = links.with_link("Gb", {
  ip("address", "local address on Gb, IPv4 or IPv6; all addresses on Gb have the same version"),
  udp_port("local UDP port on Gb"),
  { name = "mtu", type = "octets", min = "576 octets", max = "9600 octets", default = "1500 octets",
    doc = "largest IP packet on Gb, and above 1500 octets the MTU of the device; "
      .. "must hold an LLC frame of the largest N201-U with its headers"
      .. ", and 105 octets of ESP where `esp.gb` protects, or with `esp.ike`"
  },
  mac("mac", "local MAC address on Gb"),
  { name = "overhead_octets", type = "octets", min = "-64 octets", max = "191 octets", default = "0 octets",
    doc = "octets charged to the bucket of a Gb link for each NS-PDU in addition to its length, such as those of UDP "
      .. "and IP; the sum with the NS and BSSGP headers counts as 0 if it is below 0, as 249 if it is above 249" },
  links.dscp("Gb", "NS and BSSGP signalling, and of LLC frames with GMM, SM and short messages", "users' frames"),
  radio.SWITCHES,
  { name = "paging_area", type = "enum", values = { "routeing_area", "cell" }, default = "routeing_area",
    doc = "area in which a mobile is paged: its routeing area, or the cell in which it was last heard" },
}) }

local CELL_ID = { name = "cell_id", type = "record", required = true, noun = "a cell identity",
  doc = "Cell identity in the BSS's BVC-RESET; unique in the node.", fields = {
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

local NSE = { type = "record", noun = "an NSE", fields = links.with_ways({
  nsei("NSEI, unique in the node"),
  integer("worker", 0, 15, { absent = "workers in turn; for an NSE that a reload adds, the worker with the fewest NSEs",
    doc = "number of the worker that serves the NSE, its cells and their mobiles" }),
  list("nsvcs", links.NSVC, { default = {}, max = 64, doc = "The NS-VCs to the BSS." }),
  links.SNS, links.START,
  list("cells", CELL, { required = true, min = 1, max = 4096, doc = "The cells of the NSE, one PTP BVC each." }),
  list("routeing_areas", area.PATTERN, { absent = "any", min = 1, max = 256,
    doc = "Routeing areas that the NSE's cells may have, in the configuration and in BVC-RESET; "
      .. "a BVC-RESET with another one is refused." }),
  queues.LINK, queues.NSE_FLOW_CONTROL, queues.FEATURES,
}) }

local NSEIS = { name = "nseis", type = "record", required = true, noun = "a range of NSEIs",
  doc = "NSEIs that such a BSS may name; those of `nses` are never accepted so.",
  check = function(nseis, fail)
    if nseis.first > nseis.last then fail({ "first" }, string.format("%d is more than last, %d", nseis.first,
      nseis.last)) end
  end,
  fields = { required_integer("first", 0, 65535, "the lowest"), required_integer("last", 0, 65535, "the highest") } }

local ACCEPTED = { name = "nses_accepted", type = "record", absent = "NS PDUs of other endpoints are dropped",
  noun = "nses_accepted",
  check = function(accepted, fail) links.check_networks(accepted.networks, "networks", fail) end,
  doc = "BSSs that `nses` does not list: one that sends NS-RESET from these networks becomes an NSE, its cells those "
    .. "that it resets. docs/security.md says what that trusts.", fields = links.with_ways({
    list("networks", { type = "string" }, { required = true, min = 1, max = 64,
      doc = "Networks of their addresses, such as `10.0.0.0/24`." }),
    NSEIS,
    list("routeing_areas", area.PATTERN, { absent = "any", min = 1, max = 256,
      doc = "Routeing areas, or networks by `mcc` and `mnc` alone, that their cells may have." }),
    integer("most", 1, 256, { default = 16, doc = "NSEs at once; beyond, one that is down makes room if it has "
      .. "never been up, or has no mobiles and is of the same address" }),
    integer("cells", 1, 256, { default = 16, doc = "cells of each" }),
    integer("nsvcs", 1, 64, { default = 4, doc = "NS-VCs of each" }),
    duration("idle", "1 s", "86400 s", "600 s", "time without a usable NS-VC after which an NSE without mobiles is "
      .. "deleted, within a quarter more"),
    queues.LINK, queues.NSE_FLOW_CONTROL, queues.FEATURES,
  }) }

-- Mobiles

local CONTEXT = { type = "record", noun = "a context", fields = {
  required_integer("nsapi", 5, 15, "NSAPI, unique in the mobile"),
  integer("teid", 1, 0xFFFFFFFF, { absent = "allocated by gbflow",
    doc = "downlink TEID, the one in G-PDUs from the GGSN; unique in the node" }),
  ip("sgsn_address", "local address of the tunnel"),
  ip("ggsn_address", "the GGSN's address of the tunnel, of the same IP version; with `apn`, its address for GTP-C"),
  integer("ggsn_teid", 1, 0xFFFFFFFF, { absent = "from the GGSN, with `apn`", doc = "uplink TEID" }),
  { name = "apn", type = "string", max = 99, pattern = "^%w[%w.-]*$", form = "labels of letters, digits and -",
    absent = "the tunnel is configured here",
    doc = "access point name without operator identifier; gbflow creates the context at the GGSN by GTP-C and takes "
      .. "TEID and addresses from the response" },
  { name = "pdp_type", type = "enum", values = { "ipv4", "ipv6", "ipv4v6", "non_ip" },
    absent = "by the addresses, else ipv4", doc = "with `apn`: PDP type" },
  { name = "address", type = "ipv4", absent = "none", doc = "the mobile's IPv4 address" },
  { name = "ipv6_address", type = "ipv6", absent = "none",
    doc = "the mobile's IPv6 address: a prefix of 64 bits and the interface identifier of its link-local address" },
  { name = "any_payload", type = "boolean", default = false,
    doc = "N-PDUs that are no IP packets pass, too, and nothing looks into any: no check of addresses, ECN mark or "
      .. "pacing" },
  { name = "class", type = "enum", values = queues.CLASSES, default = "background", doc = "traffic class" },
  integer("pfi", 0, 127, { absent = "none", doc = "packet flow identifier: 0 best effort, 1 signalling, 2 SMS, 3 TOM8, "
    .. "8 and above: created in BSSs that support packet flows" }),
  { name = "sapi", type = "integer", values = { 3, 5, 9, 11 }, absent = "as mobiles.sapi", doc = "LLC SAPI" },
  acknowledged.MODE,
  compression.OF_CONTEXT,
} }

local MOBILE = { type = "record", noun = "a mobile", fields = {
  digits("imsi", "^%d%d%d%d%d%d+$", "6 to 15 digits", "IMSI, as text; unique"),
  { name = "msisdn", type = "string", absent = "none", max = 15, pattern = "^%d+$", form = "1 to 15 digits, without +",
    doc = "MSISDN, international, sent to GGSNs" },
  tlli("tlli", { required = true, doc = "TLLI, local or foreign; unique" }),
  bvci("BVCI of the mobile's first cell"),
  integer("nsei", 0, 65535, { absent = "the first NSE", doc = "NSEI of that cell" }),
  ciphering.MOBILE,
  ciphering.unprotected("as mobiles.unprotected_sapis"),
  radio.record("as mobiles.radio"),
  list("contexts", CONTEXT, { required = true, min = 1, max = 11, doc = "The mobile's PDP contexts." }),
} }
MOBILE.fields[1].max = 15

local MOBILES = group("mobiles", "Mobiles and their PDP contexts.", {
  { name = "source", type = "enum", values = { "gtpc", "list" }, default = "gtpc",
    doc = "source of mobiles and contexts. gtpc: the GTP-C messages in a replayed capture. list: `list`" },
  tlli("first_tlli", { default = 0xC0000001, doc = "TLLI of the first mobile learned from GTP-C; others count up" }),
  list("cells", integer(nil, 2, 65535, {}), { absent = "all cells", min = 1, max = 4096,
    doc = "BVCIs of the cells to which learned mobiles are assigned in turn" }),
  { name = "sapi", type = "integer", values = { 3, 5, 9, 11 }, default = 3, doc = "LLC SAPI of user data" },
  ciphering.unprotected(nil, {}),
  radio.record("none"),
  { name = "n201_u", type = "octets", min = "140 octets", max = "1520 octets", default = "500 octets",
    doc = "N201-U: largest information field of an LLC UI frame, which limits the SNDCP segments" },
  { name = "queue_limit", type = "octets", min = "1503 octets", max = "1000 MB", default = "64 kB",
    doc = "limit of a mobile's queued N-PDUs in octets; further ones are dropped on arrival" },
  { name = "ready_timer", type = "duration", min = "1 s", max = "30000 s", allow_infinite = true,
    absent = "44 s in a live node, else infinite", doc = "READY timer (T3314 of TS 24.008). A mobile that was not "
      .. "heard for this time is paged when an N-PDU arrives for it; the N-PDU waits until the mobile is heard. Phones "
      .. "that attach are told the next lower of " .. phones.STEPS .. "; below 2 s that is 0" },
  group("moves", "Limit of a mobile's cell changes, against a BSS that draws mobiles to and fro. A mobile that may not "
    .. "move stays in its cell; it moves when it is heard elsewhere again and the limit allows it.", {
    integer("burst", 1, 1000, { default = 16, doc = "cell changes at once" }),
    duration("every", "0 s", "3600 s", "2 s", "time in which one more is allowed; 0 s: no limit"),
  }),
  list("list", MOBILE, { default = {}, max = 1048576, doc = "Mobiles and their contexts, for `source = \"list\"`." }),
  { name = "file", type = "string", max = 200, pattern = "^[%w_][%w_./-]*$", absent = "none",
    form = "a relative path of letters, digits, _, . and -",
    doc = "table of mobiles, for `source = \"list\"`: a CSV file in the configuration's folder or below "
      .. "(docs/mobiles.md); they are added to those of `list`" },
})

local LIFETIME = group("lifetime", "Maximum age of N-PDUs.", {
  { name = "mode", type = "enum", values = { "split", "sgsn_only", "per_node" }, default = "split",
    doc = "PDU Lifetime sent to the BSS. split: the rest of `sgsn_max`. sgsn_only: infinite. per_node: `bss_max`. "
      .. "`sgsn_max` applies in the SGSN in all modes" },
  { name = "sgsn_max", type = "duration", min = "1 ms", max = "3600 s", allow_infinite = true, default = "15 s",
    doc = "maximum age of an N-PDU in the SGSN, from its arrival on Gn" },
  { name = "bss_min", type = "duration", min = "0 s", max = "655.34 s", multiple_of = "10 ms", default = "10 ms",
    doc = "split: an N-PDU is dropped in the SGSN if less than this is left of `sgsn_max`" },
  { name = "bss_max", type = "duration", min = "10 ms", max = "655.34 s", multiple_of = "10 ms",
    allow_infinite = true, default = "655.34 s", doc = "largest PDU Lifetime" },
}, node_check.lifetime)

-- The other end of Gb

local MS_BUCKET = { type = "record", noun = "an MS announcement", check = node_check.one_granularity, fields = {
  tlli("tlli", { required = true, doc = "TLLI of the mobile" }),
  bucket(), rate(),
  duration("at", "0 s", "86400 s", "0 s", "time of the message, from the start"),
  { name = "by_coding", type = "boolean", default = false,
    doc = "with link adaptation: R is `rate` x payload x (1 - BLER) of the mobile's coding scheme / that of the "
      .. "cell's" },
} }

local function bucket_of(name, doc)
  return { name = name, type = "record", required = true, noun = name, doc = doc, fields = { bucket(), rate() } }
end

local BSS_CELL = { type = "record", noun = "an emulated cell", check = node_check.cell_granularity, fields = {
  bvci("BVCI of a cell of this NSE"),
  bucket_of("bvc", "Bucket of the cell in FLOW-CONTROL-BVC."),
  bucket_of("ms_default", "Default bucket of mobiles in FLOW-CONTROL-BVC."),
  { name = "pfc", type = "record", absent = "packet flows are refused", noun = "pfc", fields = { bucket(), rate() },
    doc = "Bucket of each packet flow that the SGSN creates, in FLOW-CONTROL-PFC." },
  { name = "announce_every", type = "duration", min = "1 s", max = "3600 s", absent = "once",
    doc = "interval of FLOW-CONTROL-BVC" },
  { name = "measurement", type = "boolean", default = false,
    doc = "include BVC Measurement: the mean time that LLC-PDUs waited for their first radio block" },
  { name = "bucket_level", type = "boolean", default = false,
    doc = "include the real bucket levels, also in FLOW-CONTROL-MS (Bucket_Full Ratio, feature Current Bucket Level)" },
  list("ms", MS_BUCKET, { default = {}, max = 65536, doc = "FLOW-CONTROL-MS messages for single mobiles." }),
} }

local BSS = { type = "record", noun = "an emulated BSS", fields = {
  nsei("NSEI of an NSE of `nses`"),
  list("cells", BSS_CELL, { required = true, min = 1, max = 4096, doc = "Announcements of its cells." }),
} }

-- Timers and limits

local function retries(name, default, doc)
  return integer(name, 1, 20, { default = default, doc = doc })
end

local TIMERS = group("timers", "Timers of Gb.", {
  group("ns", "Network Service (TS 48.016).", {
    duration("reset", "1 s", "120 s", "3 s", "Tns-reset"),
    retries("reset_retries", 3, "repetitions of NS-RESET"),
    duration("block", "1 s", "120 s", "3 s", "Tns-block, for NS-BLOCK and NS-UNBLOCK"),
    retries("block_retries", 3, "repetitions of NS-BLOCK and NS-UNBLOCK"),
    duration("test", "1 s", "60 s", "30 s", "Tns-test: from an acknowledged NS-ALIVE to the next"),
    duration("alive", "100 ms", "10 s", "3 s", "Tns-alive: time for NS-ALIVE-ACK"),
    retries("alive_retries", 10, "unacknowledged NS-ALIVEs until the NS-VC is dead"),
    duration("prov", "1 s", "10 s", "3 s", "Tsns-prov, for SNS-CONFIG, SNS-ADD, SNS-DELETE and SNS-CHANGEWEIGHT"),
    retries("prov_retries", 3, "repetitions of these PDUs"),
  }),
  group("bssgp", "BSSGP (TS 48.018).", {
    duration("th", "5 s", "6000 s", "5 s", "Th: validity of FLOW-CONTROL-MS"),
    duration("flush", "100 ms", "120 s", "5 s", "time for FLUSH-LL-ACK"),
    duration("t7", "100 ms", "10 s", "3 s", "T7: time for the answer to CREATE-BSS-PFC"),
    retries("t7_retries", 3, "repetitions of CREATE-BSS-PFC"),
    duration("t3313", "1 s", "60 s", "8 s", "T3313 of TS 24.008: time for the answer to PAGING-PS; OsmoPCU ignores "
      .. "a second PAGING-PS within 7 s"),
    retries("t3313_retries", 2, "repetitions of PAGING-PS; after them the next N-PDU starts paging again"),
  }),
})

local LLC = group("llc", "LLC (TS 44.064): answers to XID commands of mobiles, and XID with Reset.", {
  { name = "n201_u_max", type = "octets", min = "140 octets", max = "1520 octets", absent = "by the room in `gb.mtu`",
    doc = "largest N201-U that gbflow accepts from a mobile; `mobiles.n201_u` applies before" },
  { name = "reset_at_start", type = "boolean", default = false,
    doc = "send XID with Reset to each mobile when its cell comes into service, because the mobile may have LLC state "
      .. "of the SGSN's previous run" },
  duration("t200", "100 ms", "409.5 s", "5 s", "T200: time for the answer to XID with Reset"),
  integer("n200", 1, 15, { default = 3, doc = "N200: repetitions of XID with Reset" }),
  acknowledged.LINKS,
})

local SNDCP = group("sndcp", "SNDCP (TS 44.065).", { compression.FIELD })

local function limit(name, max, default, doc)
  return integer(name, 1, max, { default = default, doc = doc })
end

local LIMITS = group("limits", "Sizes of tables and pools, allocated at start. A reload can lower all limits but "
  .. "`fragments` and those of Lua, and raise them again up to the values at start; existing mobiles and "
  .. "contexts are kept. Traffic beyond a limit is dropped and counted.", {
  limit("mobiles", 4194304, 4096, "number of mobiles"),
  limit("contexts", 4194304, 8192, "number of PDP contexts"),
  limit("npdu_buffers", 16777216, 32767, "packet buffers for queued N-PDUs; 2^n - 1 uses memory best. A reload does "
    .. "not change the pool, but `queues.budget_packets` follows the new value"),
  limit("reassemblies", 65536, 1024, "uplink N-PDUs in reassembly at a worker, and a quarter of the "
    .. "packet buffers of their segments (at least 64); the buffers are taken besides `npdu_buffers`"),
  limit("fragments", 65536, 4096, "outer IP datagrams of Gn in reassembly at a worker, and packet buffers of their "
    .. "fragments; the buffers are taken besides `npdu_buffers`"),
  integer("lua_errors", 1, 1000, { default = 10, doc = "errors of the control plane about one NSE in a minute; one "
    .. "more shuts the NSE: its cells are blocked until it is removed and added, or the node starts again" }),
  duration("lua_call", "100 ms", "60 s", "2 s", "processor time of a call of the control plane in Lua, in a live node; "
    .. "the event of a longer call is dropped and counted as an error of Lua"),
  { name = "lua_memory", type = "octets", min = "16 MB", max = "64000 MB", default = "1000 MB",
    doc = "memory of the control plane in Lua; an event that needs more is dropped and counted" },
})

return {
  type = "record",
  noun = "a node",
  check = function(node, fail, warn)
    node_check.whole(node, fail, warn)
    phones.fill_in(node, fail)
  end,
  fields = capabilities.filled({
    integer("workers", 1, 16, { default = 1, doc = "number of workers; a live node runs each on a CPU of its own" }),
    links.GN, GB, capabilities.HERE, ciphering.CRYPTO,
    list("nses", NSE, { default = {}, max = 256, doc = "The BSSs, one NSE each." }),
    ACCEPTED,
    MOBILES, queues.QUEUES, LIFETIME, queues.FLOW_CONTROL,
    list("emulated_bss", BSS, { default = {}, max = 256,
      doc = "Emulated BSSs for replays, with the buckets that they announce." }),
    TIMERS, LLC, SNDCP, phones.PHONES, LIMITS, links.LIVE, links.EAL,
  }, "FIELDS"),
}
