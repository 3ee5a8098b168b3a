-- SPDX-License-Identifier: BSD-3-Clause
-- The random access of a scenario's cell (bss/access.h): the field of a cell and its check.

local scenario_access = {}

local RETRANSMISSIONS = { 1, 2, 4, 7 } -- TS 44.018 clause 10.5.2.29; 0 for studies
local COMBINED_OPPORTUNITIES <const> = 27
-- S by T, TS 44.018 clause 3.3.1.1.2: on a CCCH of its own, and on one combined with SDCCHs.
local SPREADS = { [3] = { 55, 41 }, [4] = { 76, 52 }, [5] = { 109, 58 }, [6] = { 163, 86 }, [7] = { 217, 115 },
  [8] = { 55, 41 }, [9] = { 76, 52 }, [10] = { 109, 58 }, [11] = { 163, 86 }, [12] = { 217, 115 },
  [14] = { 55, 41 }, [16] = { 76, 52 }, [20] = { 109, 58 }, [25] = { 163, 86 }, [32] = { 217, 115 },
  [50] = { 55, 41 } }
local NS_PER_S <const> = 1000000000

local function duration(name, max, default, doc)
  return { name = name, type = "duration", min = "0 s", max = max, default = default, doc = doc }
end

local function count(name, min, max, default, doc)
  return { name = name, type = "integer", min = min, max = max, default = default, doc = doc }
end

local AGCH = { name = "agch", type = "record", noun = "agch", default = {},
  doc = "Access grant channel: a queue of IMMEDIATE ASSIGNMENTs with a constant time for each.", fields = {
    count("rate", 0, 1000, 3, "number of messages in a 51-multiframe (235.4 ms); 0: no limit"),
    count("queue", 0, 100000, 16, "most messages that wait or are sent; a burst beyond is not answered; 0: no limit"),
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
      doc = "time from an access failure to the next procedure of a mobile with LLC-PDUs" },
    duration("start", "10 s", "40 ms", "time from an assignment to the mobile's first block"),
    duration("with_downlink", "10 s", "100 ms", "set-up time of an uplink TBF while the mobile has a downlink TBF; the "
      .. "request is then in a PACKET DOWNLINK ACK/NACK"),
    duration("resolution", "10 s", "100 ms", "one-phase access: time from the assignment to the end of the contention "
      .. "resolution"),
    BACKGROUND,
  } }

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
