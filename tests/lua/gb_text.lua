-- SPDX-License-Identifier: BSD-3-Clause
-- PDUs and intents as lines of text, so that a test's rows can be read.
--
--   PDU        "flow_control_bvc tag=1 rate_bps=80000"
--   received   "0 reset cause=1 nsvci=1800 nsei=101"       NS PDU on NS-VC 0
--              "0 [1234] flow_control_bvc_ack tag=1"        BSSGP PDU in NS-UNITDATA on BVCI 1234
--              "0 #0a00"                                    octets

local gb_text = {}

local MS_PER_NS = 1e-6

local function parse_value(text)
  local mcc, mnc, lac, rac, ci = text:match("^(%d+)%-(%d+)%-(%d+)%-(%d+)%-(%d+)$")
  if mcc then
    return { mcc = mcc, mnc = mnc, lac = math.tointeger(lac), rac = math.tointeger(rac), ci = math.tointeger(ci) }
  end
  local hex = text:match("^#(%x*)$")
  if hex then return gb_text.octets(hex) end
  return assert(math.tointeger(text), text)
end

function gb_text.octets(hex)
  return (hex:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

function gb_text.hex(octets)
  return (octets:gsub(".", function(char) return ("%02x"):format(char:byte()) end))
end

function gb_text.parse_pdu(text)
  local pdu = { pdu = text:match("^%S+") }
  for key, value in text:gmatch("(%w[%w_]*)=(%S+)") do
    pdu[key] = parse_value(value)
  end
  return pdu
end

-- What came in, as { nsvc =, octets =, sdu = BSSGP octets or nil }.
function gb_text.parse_received(wire, text)
  local nsvc, rest = text:match("^(%d+) (.*)$")
  local rx = { nsvc = math.tointeger(nsvc) }
  local bvci, bssgp = rest:match("^%[(%d+)%] (.*)$")
  if bvci then
    rx.sdu = bssgp:match("^#") and parse_value(bssgp) or wire.bssgp_encode(gb_text.parse_pdu(bssgp))
    rx.octets = wire.ns_encode({ pdu = "unitdata", bvci = math.tointeger(bvci), sdu = rx.sdu })
  elseif rest:match("^#") then
    rx.octets = parse_value(rest)
  else
    rx.octets = wire.ns_encode(gb_text.parse_pdu(rest))
  end
  return rx
end

local function value_text(value, rx)
  if type(value) ~= "string" then return tostring(value) end
  if value == rx.octets or value == rx.sdu then return "received" end
  return "#" .. gb_text.hex(value)
end

local function pdu_text(pdu, rx)
  local parts = {}
  for key, value in pairs(pdu) do
    if key ~= "pdu" and key ~= "control_bits" then parts[#parts + 1] = key .. "=" .. value_text(value, rx) end
  end
  table.sort(parts)
  table.insert(parts, 1, pdu.pdu)
  return table.concat(parts, " ")
end

local function send_text(wire, intent, rx)
  local pdu = assert(wire.ns_decode(intent.octets))
  if pdu.pdu ~= "unitdata" then
    return ("%d > %s"):format(intent.nsvc, pdu_text(pdu, rx))
  end
  local bssgp = assert(wire.bssgp_decode(pdu.sdu))
  return ("%d > [%d] %s"):format(intent.nsvc, pdu.bvci, pdu_text(bssgp, rx))
end

local function up_or_down(usable)
  return usable and "up" or "down"
end

local function bucket_text(intent)
  local ratio = intent.ratio_percent and " ratio" or ""
  return ("%d/%d%s"):format(intent.bucket_octets, intent.rate_bps, ratio)
end

local RENDER = {
  timer = function(i) return ("timer %s %g"):format(i.id, i.at * MS_PER_NS) end,
  cancel = function(i) return "cancel " .. i.id end,
  nsvc_state = function(i) return ("nsvc %d %s"):format(i.nsvc, up_or_down(i.usable)) end,
  bvc_state = function(i) return ("bvc %d/%d %s"):format(i.nsei, i.bvci, up_or_down(i.usable)) end,
  bvc_reset = function(i) return ("reset %d/%d"):format(i.nsei, i.bvci) end,
  flow_control_bvc = function(i)
    return ("fc %d/%d %s ms %d/%d"):format(i.nsei, i.bvci, bucket_text(i), i.ms_bucket_octets, i.ms_rate_bps)
  end,
  flow_control_ms = function(i) return ("fc_ms %d/%d %08x %s"):format(i.nsei, i.bvci, i.tlli, bucket_text(i)) end,
  ms_defaults = function(i) return ("ms_defaults %d/%d %08x"):format(i.nsei, i.bvci, i.tlli) end,
  discarded = function(i) return ("discarded %d/%d %08x %d"):format(i.nsei, i.bvci, i.tlli, i.octets) end,
  count = function(i) return "count " .. i.name end,
  log = function(i) return "log " .. i.level end,
}

-- An intent as a line. `rx`: what came in, so that it is known again inside a STATUS.
function gb_text.intent(wire, intent, rx)
  if intent.op == "send" then return send_text(wire, intent, rx) end
  return assert(RENDER[intent.op], intent.op)(intent)
end

return gb_text
