-- SPDX-License-Identifier: BSD-3-Clause
-- Aggregate BSS QoS Profile of a traffic class: the quality of service value of 24.008 §10.5.6.5 in 11 octets, with the
-- rates of a mobile on four timeslots. The BSS needs class and priority; it scales the other values.

local gb_abqp = {}

local RELIABILITY, ACKNOWLEDGED = 3, 2 -- LLC protected, RLC acknowledged; LLC and RLC acknowledged
local PEAK, MEAN = 5, 31 -- 16 000 octets a second; best effort
local NO_ORDER, NO_ERRONEOUS_SDU = 2, 3
local MAX_SDU_1500 = 0x96
local RATE_240K, RATE_16K, RATE_0 = 0x56, 0x10, 0xff
local ERROR_RATIOS = 0x74 -- residual BER 10^-5, SDU error ratio 10^-4
local DELAY_1S = 32

-- Delay class and precedence (R97), traffic class, traffic handling priority; guaranteed: asks for a rate and a delay.
local CLASSES = {
  conversational = { delay = 1, precedence = 1, traffic = 1, thp = 0, guaranteed = true },
  streaming = { delay = 1, precedence = 1, traffic = 2, thp = 0, guaranteed = true },
  thp1 = { delay = 1, precedence = 1, traffic = 3, thp = 1 },
  thp2 = { delay = 2, precedence = 2, traffic = 3, thp = 2 },
  thp3 = { delay = 3, precedence = 2, traffic = 3, thp = 3 },
  background = { delay = 4, precedence = 3, traffic = 4, thp = 0 },
  sms = { delay = 1, precedence = 1, traffic = 3, thp = 1 },
  signalling = { delay = 1, precedence = 1, traffic = 3, thp = 1 },
}

-- The octets for a class by its name; of a context whose LLC is in acknowledged mode, or not.
function gb_abqp.of_class(name, is_acknowledged)
  local class = assert(CLASSES[name], name)
  local rate = class.guaranteed and RATE_16K or RATE_0
  return string.char(
    class.delay << 3 | (is_acknowledged and ACKNOWLEDGED or RELIABILITY), PEAK << 4 | class.precedence, MEAN,
    class.traffic << 5 | NO_ORDER << 3 | NO_ERRONEOUS_SDU, MAX_SDU_1500, RATE_240K, RATE_240K, ERROR_RATIOS,
    (class.guaranteed and DELAY_1S or 0) << 2 | class.thp, rate, rate)
end

local ORDER = { "signalling", "sms", "conversational", "streaming", "thp1", "thp2", "thp3", "background" }
local RANKS = {}
for rank, name in ipairs(ORDER) do RANKS[name] = rank end

local INTERACTIVE = { "thp1", "thp2", "thp3" } -- by traffic handling priority, or delay class
local GRANTED = { "conversational", "streaming", nil, "background" }

-- The class that a quality of service value asks for; nil: the subscribed one. Of a value of R97 (3 octets), by its
-- delay class (23.107 table 6).
function gb_abqp.class_of(qos)
  local delay, _, _, fourth = qos:byte(1, 4)
  local traffic, thp = (fourth or 0) >> 5, (qos:byte(9) or 0) & 3
  if not fourth then return delay and ({ "thp1", "thp2", "thp3", "background" })[delay >> 3 & 7] end
  if traffic == 3 then return thp > 0 and "thp" .. thp or nil end
  return ({ "conversational", "streaming", nil, "background" })[traffic]
end

-- The class of a quality of service value that a GGSN grants. One that names no class has that of its delay class; nil:
-- it is malformed.
function gb_abqp.class_told(qos)
  if #qos < 3 or #qos > 3 and #qos < 11 then return nil end
  local delay, thp = qos:byte(1) >> 3 & 7, #qos > 3 and qos:byte(9) & 3 or 0
  local traffic = #qos > 3 and qos:byte(4) >> 5 or 0
  if traffic == 3 then return INTERACTIVE[thp] or "thp3" end
  return GRANTED[traffic] or INTERACTIVE[delay] or "background"
end

-- Whether a quality of service value asks for LLC in acknowledged mode: reliability class 1 or 2 (23.107 §9.1.2.3).
-- nil: it asks for the subscribed class.
function gb_abqp.is_acknowledged(qos)
  local reliability = (qos:byte(1) or 0) & 7
  if reliability == 0 then return nil end
  return reliability == 1 or reliability == 2
end

-- Attributes of a value that are at most those of another one (23.107 §9.1.2, §9.1.3): octet, shift and bits, and the
-- less demanding of two numbers. A guaranteed rate is at most the maximum one, too, which stands in octet `by`. Of the
-- others, order, sizes and errors are this node's, and traffic class and reliability are chosen before.

local function lesser_rate(one, other)
  return (one == RATE_0 or other == RATE_0) and RATE_0 or math.min(one, other)
end

local BOUND = {
  { at = 1, shift = 3, bits = 7, lesser = math.max }, -- delay class
  { at = 2, shift = 4, bits = 15, lesser = math.min }, -- peak throughput
  { at = 2, shift = 0, bits = 7, lesser = math.max }, -- precedence
  { at = 3, shift = 0, bits = 31, lesser = math.min }, -- mean throughput; best effort, 31, is without a limit
  { at = 6, shift = 0, bits = 255, lesser = lesser_rate }, { at = 7, shift = 0, bits = 255, lesser = lesser_rate },
  { at = 10, shift = 0, bits = 255, lesser = lesser_rate }, { at = 11, shift = 0, bits = 255, lesser = lesser_rate },
  { at = 10, shift = 0, bits = 255, lesser = lesser_rate, by = 6 },
  { at = 11, shift = 0, bits = 255, lesser = lesser_rate, by = 7 },
}

-- The value of of_class() within a subscribed one, of 3 octets or more. A number of 0 is no limit.
function gb_abqp.restricted(qos, most)
  local octets = { qos:byte(1, -1) }
  for _, row in ipairs(BOUND) do
    local limit = (most:byte(row.by or row.at) or 0) >> row.shift & row.bits
    local value = octets[row.at] >> row.shift & row.bits
    if limit ~= 0 then
      octets[row.at] = octets[row.at] & ~(row.bits << row.shift) | row.lesser(value, limit) << row.shift
    end
  end
  return string.char(table.unpack(octets))
end

-- The less demanding one of two classes.
function gb_abqp.lesser(one, other)
  return RANKS[one] >= RANKS[other] and one or other
end

return gb_abqp
