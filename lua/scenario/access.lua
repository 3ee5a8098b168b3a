-- SPDX-License-Identifier: BSD-3-Clause
-- The random access of a scenario's cell (bss/access.h) and the procedures of its TBFs (bss/tbf.c): fields and checks.

local scenario_fields = require "scenario.fields"

local scenario_access = {}

local RETRANSMISSIONS = { 1, 2, 4, 7 } -- TS 44.018 clause 10.5.2.29; 0 for studies
local COMBINED_OPPORTUNITIES <const> = 27
-- S by T, TS 44.018 clause 3.3.1.1.2: on a CCCH of its own, and on one combined with SDCCHs.
local SPREADS = { [3] = { 55, 41 }, [4] = { 76, 52 }, [5] = { 109, 58 }, [6] = { 163, 86 }, [7] = { 217, 115 },
  [8] = { 55, 41 }, [9] = { 76, 52 }, [10] = { 109, 58 }, [11] = { 163, 86 }, [12] = { 217, 115 },
  [14] = { 55, 41 }, [16] = { 76, 52 }, [20] = { 109, 58 }, [25] = { 163, 86 }, [32] = { 217, 115 },
  [50] = { 55, 41 } }
local NS_PER_S <const> = 1000000000

local count, duration = scenario_fields.count, scenario_fields.duration

local AGCH = { name = "agch", type = "record", noun = "agch", default = {},
  doc = "Access grant channel: a queue of IMMEDIATE ASSIGNMENTs with a constant time for each.", fields = {
    count("rate", 0, 1000, 3, "number of messages in a 51-multiframe (235.4 ms); 0: no limit"),
    count("queue", 0, 100000, 4, "most messages that wait or are sent; a burst beyond is not answered; 0: 1048576"),
  } }

local BACKGROUND = { name = "background", type = "record", noun = "background", absent = "none",
  doc = "Access attempts of other mobiles, which send no data; a mobile whose access fails does not come again.",
  fields = { { name = "rate", type = "number", min = 0.001, max = 10000, required = true,
    doc = "mean number of mobiles per second, a Poisson process" } } }

scenario_access.ACCESS = { name = "access", type = "record", noun = "access", absent = "as `tbf.uplink_access`",
  doc = "Random access of mobiles without a TBF, in place of `tbf.uplink_access` (docs/radio.md); `{}` is enough.",
  fields = {
    { name = "contention", type = "boolean", default = true,
      doc = "false: neither slots nor collisions; each burst is decoded when the mobile begins" },
    count("opportunities", 1, 408, 51, "number of slots for bursts in a 51-multiframe; 51: RACH of a CCCH of its own, "
      .. "27: of one combined with SDCCHs"),
    count("max_retrans", 0, 7, 4, "M: number of repetitions of a burst; 1, 2, 4 or 7, or 0 for studies"),
    count("tx_integer", 1, 50, 14, "T: width of the random distance of two bursts, in slots"),
    { name = "s", type = "integer", min = 0, max = 1000, absent = "by `tx_integer`, TS 44.018 clause 3.3.1.1.2",
      doc = "S: least distance of two bursts, in slots" },
    count("persistence", 0, 16, 0, "persistence level P of a PRACH: a burst is sent with probability 1 - P / 16"),
    { name = "capture", type = "percent", min = "0 %", max = "100 %", default = "0 %",
      doc = "share of collisions in which the BSS decodes one burst" },
    AGCH,
    duration("response", "10 s", "20 ms", "time from the end of a decoded burst to its IMMEDIATE ASSIGNMENT in the "
      .. "AGCH's queue"),
    { name = "t3146", type = "duration", min = "1 ms", max = "60 s", absent = "T + 2 S slots, 5 s at most",
      doc = "time from the last burst to the access failure" },
    { name = "retry", type = "duration", min = "0 s", max = "3600 s", allow_infinite = true, default = "1 s",
      doc = "time from an access failure to the next procedure of a mobile with LLC-PDUs; \"infinite\": its next "
        .. "LLC-PDU begins one" },
    duration("start", "10 s", "40 ms", "time from an assignment to the mobile's first block"),
    { name = "with_downlink", type = "duration", min = "1 ms", max = "10 s", default = "100 ms",
      doc = "set-up time of an uplink TBF while the mobile has a downlink TBF; the request is then in a PACKET "
        .. "DOWNLINK ACK/NACK" },
    duration("resolution", "10 s", "100 ms", "one-phase access: time from the assignment to the end of the "
      .. "contention resolution; blocks sent until then carry the TLLI, 4 octets"),
    count("phases", 1, 2, 1, "1: the IMMEDIATE ASSIGNMENT is that of the TBF. 2: it is that of one block with a PACKET "
      .. "RESOURCE REQUEST, which a PACKET UPLINK ASSIGNMENT answers"),
    duration("round_trip", "10 s", "120 ms", "two-phase access: time from the request's block to the PACKET UPLINK "
      .. "ASSIGNMENT"),
    duration("t3168", "10 s", "1 s", "two-phase access: time from the request's block to a new procedure when one of "
      .. "both blocks had errors"),
    BACKGROUND,
  } }

local function interval(name, max, absent, doc)
  return { name = name, type = "duration", min = "20 ms", max = max, absent = absent, doc = doc }
end

-- Fields of `tbf` after those of set-up and release.
scenario_access.TBF_FIELDS = {
  interval("uplink_poll", "10 s", "none", "extended uplink TBF: interval of polls in `uplink_hold`; each takes an "
    .. "uplink block, and data waits for the next one"),
  interval("downlink_poll", "60 s", "none", "delayed release: interval of downlink blocks without data in `release`"),
  interval("t3190", "60 s", "none", "T3190: time without a block after which a mobile has left its downlink TBF"),
  interval("t3192", "60 s", "0 s", "T3192: time after the end of a downlink TBF in which the next one needs "
    .. "`setup_with_uplink`"),
  { name = "ack_every", type = "integer", min = 1, max = 1000, absent = "`retransmission` holds",
    doc = "n: every n-th downlink block of a mobile, and the last one, asks for a PACKET DOWNLINK ACK/NACK; it takes "
      .. "an uplink block, and only then the BSS knows of blocks with errors, in place of `retransmission`" },
}

local function check_retransmissions(access, fail)
  local m = access.max_retrans
  for _, value in ipairs(RETRANSMISSIONS) do
    if m == value or m == 0 then
      return
    end
  end
  fail({ "access", "max_retrans" }, string.format("%d is no value of TS 44.018: 0, 1, 2, 4 or 7", m))
end

-- Checks a cell's access. Fills in S, and the interval of background mobiles.
function scenario_access.check(cell, fail)
  local access = cell.access
  if not access then
    return
  end
  check_retransmissions(access, fail)
  local spreads = SPREADS[access.tx_integer]
  if not access.s and not spreads then
    return fail({ "access", "tx_integer" }, string.format("%d is no value of TS 44.018: 3 .. 12, 14, 16, 20, 25, 32, "
      .. "50, or give `s`, too", access.tx_integer))
  end
  access.s = access.s or spreads[access.opportunities > COMBINED_OPPORTUNITIES and 1 or 2]
  if access.background then
    access.background.interval = math.floor(NS_PER_S / access.background.rate + 0.5)
  end
end

return scenario_access
