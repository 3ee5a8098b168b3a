-- SPDX-License-Identifier: BSD-3-Clause
-- LLC's acknowledged mode in a configuration: the mode of a context, and what one side allows of its parameters
-- (TS 44.064 clause 8.9).

local integer = require("schema.schema").count

local acknowledged = {}

local MOST_LLC_OCTETS <const> = 1543 -- of a BSS; an I frame has the longest bitmap that leaves room for n201_i

local function check(record, fail)
  for _, name in ipairs({ "m_down", "m_up" }) do
    local m = record[name]
    if m ~= 0 and 16 * m < record.n201_i then
      fail({ name }, ("%d times 16 octets is less than n201_i, %d: 0 or %d .. 24320"):format(m, record.n201_i,
        (record.n201_i + 15) // 16))
    end
  end
  if record.t200 % 100000000 ~= 0 then fail({ "t200" }, "must be in tenths of a second: 100 ms, 20 s") end
end

acknowledged.MODE = { name = "llc", type = "enum", values = { "unacknowledged", "acknowledged" },
  default = "unacknowledged",
  doc = "mode of LLC and SNDCP. acknowledged: frames are repeated until the other side has them" }

-- The bounds of a mobile. The checked record has all values.
acknowledged.BOUNDS = { name = "acknowledged", type = "record", default = {}, noun = "acknowledged", check = check,
  doc = "Bounds of the mobile for LLC's acknowledged mode. The SGSN may ask for less, and for a longer t200.",
  fields = {
    { name = "n201_i", type = "octets", min = "140 octets", max = "1503 octets", default = "1503 octets",
      doc = "N201-I: the longest information of an I frame" },
    integer("k_down", 1, 127, 16, "k of the downlink: I frames that are sent and not acknowledged"),
    integer("k_up", 1, 127, 8, "k of the uplink"),
    integer("m_down", 0, 24320, 0, "m of the downlink: octets of these frames, in 16 octets; 0: no limit"),
    integer("m_up", 0, 24320, 0, "m of the uplink"),
    { name = "t200", type = "duration", min = "100 ms", max = "409500 ms", default = "20 s",
      doc = "T200 and T201: time after which a frame without an answer is repeated" },
    integer("n200", 1, 15, 3, "N200: repetitions of a frame after which the link is established again"),
  } }

local function links_and(fields)
  local all = {
    { name = "links", type = "integer", min = 0, max = 1048576,
      absent = "as many as configured contexts in acknowledged mode",
      doc = "mobiles, or SAPIs of them, at a worker that are in acknowledged mode at a time; 0: off" },
    { name = "buffers", type = "integer", min = 1, max = 16777216, absent = "8 for each of `links`, at least 64",
      doc = "segments that were sent and are not confirmed, of all mobiles at a worker; packet buffers for them are "
        .. "taken besides `limits.npdu_buffers`" },
  }
  for _, field in ipairs(fields) do all[#all + 1] = field end
  return all
end

-- The links of the SGSN.
acknowledged.LINKS = { name = "acknowledged", type = "record", default = {}, noun = "acknowledged", check = check,
  doc = "LLC in acknowledged mode (TS 44.064 clause 8.6), of contexts with `llc = \"acknowledged\"` and of contexts "
    .. "for which a phone asks for reliability class 1 or 2. Sizes are proposals in SABM, and the most that is "
    .. "accepted of a mobile; T200 and N200 are the least.",
  fields = links_and(acknowledged.BOUNDS.fields) }

-- Most octets of an LLC-PDU with these bounds.
function acknowledged.llc_octets(record)
  return math.min(record.n201_i + 40, MOST_LLC_OCTETS)
end

return acknowledged
