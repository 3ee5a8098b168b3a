-- SPDX-License-Identifier: BSD-3-Clause
-- PDUs and intents as lines of text, so that a test's rows can be read.
--
--   PDU        "flow_control_bvc tag=1 rate_bps=80000"
--   received   "0 reset cause=1 nsvci=1800 nsei=101"       NS PDU on NS-VC 0
--              "0 [1234] flow_control_bvc_ack tag=1"        BSSGP PDU in NS-UNITDATA on BVCI 1234
--              "0 #0a00"                                    octets
--   values     yes, no, "digits", #hex octets, 001-01-13135-0 an area, 10.99.0.2:23000/1/1,... endpoints

local gb_text = {}

local MS_PER_NS = 1e-6

-- "9:5000/20000,10:100/0/50": PFI, bucket, rate, ratio.
local function parse_pfcs(text)
  local list = {}
  for pfi, bucket, rate, ratio in text:gmatch("(%d+):(%d+)/(%d+)/?(%d*)") do
    list[#list + 1] = { pfi = math.tointeger(pfi), bucket_octets = math.tointeger(bucket),
      rate_bps = math.tointeger(rate), ratio_percent = math.tointeger(tonumber(ratio)) }
  end
  return list
end

-- "10.99.0.2:23000/1/2,[2001:db8::2]:23000/1/1": address, UDP port, weights of signalling and data.
local function parse_endpoints(text)
  local list = {}
  for address, port, signalling, data in text:gmatch("%[?([%x.:]-)%]?:(%d+)/(%d+)/(%d+),?") do
    list[#list + 1] = { address = address, udp_port = math.tointeger(port),
      signalling_weight = math.tointeger(signalling), data_weight = math.tointeger(data) }
  end
  return list
end

local WORDS = { yes = true, no = false }

local function parse_value(text)
  if WORDS[text] ~= nil then return WORDS[text] end
  if text:find("^%[") or text:find("^%d+%.%d+%.%d+%.%d+:") then return parse_endpoints(text) end
  if text:find("^%d+%.%d+%.%d+%.%d+$") then return text end
  local mcc, mnc, lac, rac, ci = text:match("^(%d+)%-(%d+)%-(%d+)%-(%d+)%-(%d+)$")
  if mcc then
    return { mcc = mcc, mnc = mnc, lac = math.tointeger(lac), rac = math.tointeger(rac), ci = math.tointeger(ci) }
  end
  mcc, mnc, lac, rac = text:match("^(%d+)%-(%d+)%-(%d+)%-(%d+)$")
  if mcc then
    return { mcc = mcc, mnc = mnc, lac = math.tointeger(lac), rac = math.tointeger(rac) }
  end
  local hex = text:match("^#(%x*)$")
  if hex then return gb_text.octets(hex) end
  local digits = text:match('^"(%d+)"$')
  if digits then return digits end
  if text:find(":") then return parse_pfcs(text) end
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

local function endpoints_text(list)
  local parts = {}
  for i, e in ipairs(list) do
    local address = e.address:find(":", 1, true) and "[" .. e.address .. "]" or e.address
    parts[i] = ("%s:%d/%d/%d"):format(address, e.udp_port, e.signalling_weight, e.data_weight)
  end
  return table.concat(parts, ",")
end

local function value_text(value, rx)
  if type(value) == "table" and value[1] then return endpoints_text(value) end
  if value == true then return "yes" end
  if value == false then return "no" end
  if type(value) == "table" and value.mcc then
    return ("%s-%s-%d-%d"):format(value.mcc, value.mnc, value.lac, value.rac)
  end
  if type(value) ~= "string" then return tostring(value) end
  if value:find("^%d+%.%d+%.%d+%.%d+$") then return value end
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
  local ratio = intent.ratio_percent and (" ratio %d"):format(intent.ratio_percent) or ""
  return ("%d/%d%s"):format(intent.bucket_octets, intent.rate_bps, ratio)
end

local RENDER = {
  timer = function(i) return ("timer %s %g"):format(i.id, i.at * MS_PER_NS) end,
  acted = function(i) return ("acted %d %s"):format(i.id, i.done and "done" or "failed") end,
  cancel = function(i) return "cancel " .. i.id end,
  nsvc_state = function(i) return ("nsvc %d %s"):format(i.nsvc, up_or_down(i.usable)) end,
  nsvc_add = function(i)
    return ("nsvc_add %d %d %s:%d to %s:%d weight %d"):format(i.nsvc, i.nsei, i.own_address, i.own_port, i.address,
      i.udp_port, i.weight)
  end,
  nse_del = function(i) return "nse_del " .. i.nsei end,
  bvc_del = function(i) return ("bvc_del %d/%d"):format(i.nsei, i.bvci) end,
  nsvc_del = function(i) return "nsvc_del " .. i.nsvc end,
  nsvc_weight = function(i) return ("nsvc_weight %d %d"):format(i.nsvc, i.weight) end,
  bvc_state = function(i) return ("bvc %d/%d %s"):format(i.nsei, i.bvci, up_or_down(i.usable)) end,
  bvc_waits = function(i) return ("bvc_waits %d/%d"):format(i.nsei, i.bvci) end,
  bvc_reset = function(i) return ("reset %d/%d"):format(i.nsei, i.bvci) end,
  bvc_flow = function(i)
    local delay = i.measurement_cs and (" delay %d"):format(i.measurement_cs) or ""
    local share = (i.share_permille or 1000) < 1000 and (" share %d"):format(i.share_permille) or ""
    return ("fc %d/%d %s ms %d/%d%s"):format(i.nsei, i.bvci, bucket_text(i), i.ms_bucket_octets, i.ms_rate_bps, delay)
      .. share
  end,
  ms_flow = function(i)
    assert(i.th_ns == 5000000000, "the worker ends Th")
    return ("fc_ms %d/%d %08x %s"):format(i.nsei, i.bvci, i.tlli, bucket_text(i))
  end,
  pfc_flow = function(i)
    return ("fc_pfc %d/%d %08x %d %s"):format(i.nsei, i.bvci, i.tlli, i.pfi, bucket_text(i))
  end,
  pfc_add = function(i) return ("pfc_add %d/%d %08x %d"):format(i.nsei, i.bvci, i.tlli, i.pfi) end,
  pfc_del = function(i) return ("pfc_del %d/%d %08x %d"):format(i.nsei, i.bvci, i.tlli, i.pfi) end,
  pdp_pfi = function(i) return ("pdp %d pfi %s"):format(i.pdp, i.pfi or "none") end,
  ms_discarded = function(i)
    local pfi = i.pfi and " pfi " .. i.pfi or ""
    return ("discarded %d/%d %08x %d%s"):format(i.nsei, i.bvci, i.tlli, i.octets, pfi)
  end,
  ms_flushed = function(i)
    local new = i.bvci_new and ("%d/%d"):format(i.nsei_new, i.bvci_new) or "nowhere"
    return ("flushed %d/%d %08x %d to %s, home %d"):format(i.nsei, i.bvci, i.tlli, i.octets, new, i.nsei_home)
  end,
  ms_suspend = function(i)
    return (i.suspended and "ms_suspend %d %08x" or "ms_resume %d %08x"):format(i.nsei, i.tlli)
  end,
  ms_lost = function(i)
    return ("ms_lost %d %s"):format(i.nsei, i.imsi or ("%08x"):format(i.tlli))
  end,
  ms_hold = function(i) return ("%s %d"):format(i.held and "ms_hold" or "ms_go_on", i.mobile) end,
  page_end = function(i) return ("page_end %d %08x"):format(i.nsei, i.tlli) end,
  ms_cell = function(i)
    return (i.lost and "ms_park %d/%d %08x at %d/%d" or "ms_move %d/%d %08x to %d/%d"):format(i.nsei, i.bvci, i.tlli,
      i.nsei_new, i.bvci_new)
  end,
  ms_elements = function(i)
    local parts = {}
    for key, value in pairs(i.elements) do parts[#parts + 1] = (" %s=%s"):format(key, value) end
    table.sort(parts)
    return ("ms_elements %d %08x%s"):format(i.nsei, i.tlli, table.concat(parts))
  end,
  count = function(i) return "count " .. i.name end,
  log = function(i) return "log " .. i.level end,
}

-- An intent as a line. `rx`: what came in, so that it is known again inside a STATUS.
function gb_text.intent(wire, intent, rx)
  if intent.op == "send" then return send_text(wire, intent, rx) end
  return assert(RENDER[intent.op], intent.op)(intent)
end

return gb_text
