-- SPDX-License-Identifier: BSD-3-Clause
-- How much of the rate that a cell announces it really drains, told from the delay that it measures (BVC Measurement).
--
-- A bound on what is believed to lie in a cell (bss_target) is worth as much as the belief, which falls with the rate
-- announced. A BSS that counts blocks of control, repeated and lost ones as capacity (OsmoPCU does) says more than it
-- drains, so its queue grows behind the belief. The share of R and R_default_MS that counts is what a controller holds
-- the measured delay at the target with. At each announcement, with error = (target - delay) / max(target, delay):
--
--   base  <- base (1 + error |error| / SLOWNESS)             LEAST <= base <= 1
--   share <- base + (target - delay) / SETTLING              LEAST <= share <= 1
--
-- The queue integrates what share gets wrong, hence the second term: alone the first one would swing for ever. Its
-- square keeps it still near the target and lets it find a far one within seconds.
-- It begins at START, for a first overestimate fills the cell before anything is measured. It never makes rates greater
-- than announced, and does nothing without a target or without a measurement.

local drain = {}

drain.WHOLE = 1000 -- per mille
local LEAST <const>, START <const> = 100, 300
local SLOWNESS <const> = 5
local SETTLING_MS <const> = 2500
local MILLISECOND_NS <const>, CENTISECOND_MS <const> = 1000000, 10

-- target_ns: nil or 0 for none.
function drain.new(target_ns)
  return { target_ms = (target_ns or 0) // MILLISECOND_NS, share = drain.WHOLE }
end

-- The cell was reset: what it really drains has not changed, and what waits there it measures anew.
function drain.reset(d)
  d.share = drain.WHOLE
end

-- The BSS has begun anew.
function drain.forget(d)
  d.base, d.share = nil, drain.WHOLE
end

local function bound(share)
  return math.max(LEAST, math.min(drain.WHOLE, share))
end

-- An announcement came, with the delay that it reports, nil for none.
function drain.observe(d, delay_cs)
  if d.target_ms == 0 or not delay_cs then
    return
  end
  local base = d.base or START
  local short_ms = d.target_ms - delay_cs * CENTISECOND_MS
  local err = short_ms * drain.WHOLE // math.max(d.target_ms, delay_cs * CENTISECOND_MS)
  d.base = bound(base + base * err * math.abs(err) // (SLOWNESS * drain.WHOLE * drain.WHOLE))
  d.share = bound(d.base + short_ms * drain.WHOLE // SETTLING_MS)
end

-- What counts of an announced rate.
function drain.rate(d, rate_bps)
  return rate_bps * d.share // drain.WHOLE
end

return drain
