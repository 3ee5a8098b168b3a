-- SPDX-License-Identifier: BSD-3-Clause
-- How much of the rate that a cell announces it really drains, told from the delay that it measures (BVC Measurement).
--
-- A bound on what is believed to lie in a cell (bss_target) is worth as much as the belief, which falls with the rate
-- announced. A BSS that counts blocks of control, repeated and lost ones as capacity (OsmoPCU does) says more than it
-- drains, so its queue grows behind the belief. The share of R and R_default_MS that counts is what a controller holds
-- the measured delay with. At each announcement:
--
--   aim   =  AIM max(target, time that a largest LLC-PDU takes at base R_default_MS)
--   error =  (aim - delay) / max(aim, delay)
--   base  <- base (1 + error |error| / SLOWNESS)             LEAST <= base <= 1
--   share <- base (1 + (aim - delay) / SETTLING)             LEAST <= share <= 1
--
-- The queue integrates what share gets wrong, hence the second term: alone the first one would swing for ever. Its
-- square keeps it still near the aim and lets it find a far one within seconds.
-- The measured time ends with an LLC-PDU's first block. The target includes the LLC-PDU on the air, which needs a share
-- of it: hence AIM. Where the radio is so poor that a single LLC-PDU takes longer than the target, a shorter delay
-- could be had only by leaving the air idle. It begins at START, for a first overestimate fills the cell before
-- anything is measured. It never makes rates greater than announced, and does nothing without a target or without a
-- measurement.

local drain = {}

drain.WHOLE = 1000 -- per mille
local LEAST <const>, START <const>, AIM <const> = 100, 600, 600
local SLOWNESS <const> = 5
local SETTLING_MS <const> = 2500
local MILLISECOND_NS <const>, CENTISECOND_MS <const> = 1000000, 10
local MILLIBITS <const> = 8000 -- of an octet

-- target_ns: nil or 0 for none. pdu_octets: the largest LLC-PDU of its mobiles, nil where that is not known.
function drain.new(target_ns, pdu_octets)
  return { target_ms = (target_ns or 0) // MILLISECOND_NS, pdu_octets = pdu_octets or 0, share = drain.WHOLE }
end

-- Another target from the next announcement on; without one all counts again.
function drain.aim_at(d, target_ns)
  d.target_ms = (target_ns or 0) // MILLISECOND_NS
  if d.target_ms == 0 then
    drain.restart(d)
  end
end

-- The cell was reset: its real drain rate has not changed, and the cell measures its queue from the start.
function drain.reset(d)
  d.share = drain.WHOLE
end

-- The BSS has restarted.
function drain.restart(d)
  d.base, d.share = nil, drain.WHOLE
end

local function bound(share)
  return math.max(LEAST, math.min(drain.WHOLE, share))
end

-- The delay to hold, at least 1 ms. An R_default_MS of nothing says nothing.
local function aim_ms(d, base, ms_rate_bps)
  local rate_bps = ms_rate_bps * base // drain.WHOLE
  local pdu_ms = rate_bps > 0 and d.pdu_octets * MILLIBITS // rate_bps or 0
  return math.max(1, math.max(d.target_ms, pdu_ms) * AIM // drain.WHOLE)
end

-- An announcement came, with the delay that it reports, nil for none.
function drain.observe(d, delay_cs, ms_rate_bps)
  if d.target_ms == 0 or not delay_cs then
    return
  end
  local base, delay_ms = d.base or START, delay_cs * CENTISECOND_MS
  local aim = aim_ms(d, base, ms_rate_bps)
  local short_ms = aim - delay_ms
  local err = short_ms * drain.WHOLE // math.max(aim, delay_ms)
  d.base = bound(base + base * err * math.abs(err) // (SLOWNESS * drain.WHOLE * drain.WHOLE))
  d.share = bound(d.base + d.base * short_ms // SETTLING_MS)
end

-- The record for a restart of control; nil: d is as a new one. adopt() gives a new one the values of a record.
function drain.kept_of(d)
  return d.base and { base = d.base, share = d.share } or nil
end

function drain.adopt(d, kept)
  if kept and d.target_ms > 0 then d.base, d.share = bound(kept.base), bound(kept.share) end
end

return drain
