-- SPDX-License-Identifier: BSD-3-Clause
-- Transport of a scenario's traffic, TCP and QUIC: the keys at its top, those of an item, which go before them, and
-- their checks.

local fields = require "scenario.fields"
local keylines = require "schema.keylines"
local schema = require "schema.schema"
local tables = require "base.tables"
local units = require "base.units"

local absent, count, duration, octets = fields.absent, fields.count, fields.duration, fields.octets
local quantity, record, with = fields.quantity, fields.record, fields.with

local scenario_transport = {}

-- TCP. For one item of traffic the same keys, without defaults.

local BBR <const> = "BBR is QUIC's alone: give transport = \"quic\" and quic.congestion = \"%s\""

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
      elsewhere = { bbr = BBR:format("bbr"), bbr2 = BBR:format("bbr2") },
      doc = "growth and reduction of the congestion window: newreno: RFC 5681; cubic: RFC 9438. Stack rfc. BBR is "
        .. "QUIC's alone: `quic.congestion`" }, "newreno"),
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

-- Checks

-- Checks that the parameters of one TCP agree.
local function check_tcp(tcp, fail)
  if tcp.receive_window < tcp.mss then
    fail({ "receive_window" }, string.format("size '%s' is less than one segment (mss): %s or more",
      units.format("octets", tcp.receive_window), units.format("octets", tcp.mss)))
  end
  if tcp.stack ~= "rfc" and not tcp.sack then
    fail({ "stack" }, string.format('"%s" needs sack = true', tcp.stack))
  end
  for name, plain in next, { cc = "newreno", growth = "acks", slow_start = "standard", prr = false, rack = false } do
    if tcp.stack ~= "rfc" and tcp[name] ~= plain then
      fail({ name }, string.format('%s = %s needs stack = "rfc": "%s" has its own rules', name,
        tcp[name] == true and "true" or '"' .. tcp[name] .. '"', tcp.stack))
    end
  end
  for _, name in ipairs({ "prr", "rack" }) do
    if tcp[name] and not tcp.sack then
      fail({ name }, name .. " = true needs sack = true")
    end
  end
  for _, name in ipairs({ "initial_rto", "min_rto" }) do
    if tcp[name] > tcp.max_rto then
      fail({ name }, string.format("duration '%s' is more than max_rto: 1 ms .. %s",
        units.format("duration", tcp[name]), units.format("duration", tcp.max_rto)))
    end
  end
end

-- Without values of its own an item shares the general ones.
local function merged(own, general)
  if not own then return general end
  local tcp = tables.copy(general)
  for key, value in next, own do
    tcp[key] = type(value) == "table" and merged(value, general[key]) or value
  end
  return tcp
end

local function fill_tcp(work, general, fail)
  local own = work.tcp
  work.tcp = merged(own, general)
  if own then check_tcp(work.tcp, keylines.within(fail, "tcp")) end
end

-- Fills in the transport of an item with connections, and the parameters of TCP and QUIC.
function scenario_transport.fill(work, scenario, fail)
  local own = work.tcp
  work.transport = work.transport or scenario.transport
  fill_tcp(work, scenario.tcp, fail)
  work.quic = merged(work.quic, scenario.quic)
  if work.transport == "quic" and own and own.content == "text" then
    fail({ "tcp", "content" }, '"text" needs transport = "tcp": QUIC enciphers what it carries')
  end
end

-- The keys

local NAMES <const> = { "tcp", "quic" }

scenario_transport.KEY = { name = "transport", type = "enum", values = NAMES, default = "tcp",
  doc = "transport protocol of downloads, uploads and web traffic; quic: docs/quic.md" }
scenario_transport.TCP = schema.group("tcp", "TCP of server and mobiles.", tcp_fields(false), check_tcp)
scenario_transport.QUIC = schema.group("quic", "QUIC of server and mobiles, for traffic with `transport` \"quic\".",
  quic_fields(false))

-- Those of an item of traffic.
function scenario_transport.own_keys()
  return { name = "transport", type = "enum", values = NAMES, absent = "the scenario's",
      doc = "transport protocol of this item" },
    with(record("tcp", "tcp", "TCP parameters of this item only.", tcp_fields(true)), { like = "tcp",
      other_names = { "content" } }),
    with(record("quic", "quic", "QUIC parameters of this item only.", quic_fields(true)), { like = "quic" })
end

return scenario_transport
