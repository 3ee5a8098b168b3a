-- SPDX-License-Identifier: BSD-3-Clause
-- Aggregate BSS QoS Profile of a traffic class: the quality of service value of 24.008 §10.5.6.5 in 11 octets, with the
-- rates of a mobile on four timeslots. The BSS needs class and priority; it scales the other values.

local gb_abqp = {}

local RELIABILITY = 3 -- LLC protected, RLC acknowledged
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

-- The octets for a class by its name.
function gb_abqp.of_class(name)
  local class = assert(CLASSES[name], name)
  local rate = class.guaranteed and RATE_16K or RATE_0
  return string.char(
    class.delay << 3 | RELIABILITY, PEAK << 4 | class.precedence, MEAN,
    class.traffic << 5 | NO_ORDER << 3 | NO_ERRONEOUS_SDU, MAX_SDU_1500, RATE_240K, RATE_240K, ERROR_RATIOS,
    (class.guaranteed and DELAY_1S or 0) << 2 | class.thp, rate, rate)
end

return gb_abqp
