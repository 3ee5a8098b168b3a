-- SPDX-License-Identifier: BSD-3-Clause
-- Downlink flow control as the control plane sees it (48.018 §8.2): announcements are acknowledged with their Tag and
-- passed on to the worker, which keeps the buckets. The mobiles with values of their own are counted over the whole
-- node and bounded; a mobile that finds no room is acknowledged and stays with the cell's defaults. So is one that is
-- not known, or not in this cell.
--
-- A Bucket_Full Ratio counts only where CBL was agreed on.

local drain = require "gb.drain"
local fsm = require "base.fsm"
local gb_send = require "gb.send"
local tables = require "base.tables"

local flow_control = {}

local UNKNOWN_DELAY_CS = 0xffff
local PPM <const> = 1000000
local WAIT_NS <const> = 10 * 1000000000 -- between two questions whether N-PDUs wait for flow control

-- The bucket of a mobile in one cell: the cell's defaults, or its own from FLOW-CONTROL-MS while Th runs
-- (48.018 §8.2.3.2.1, table 12.3). An instance exists only while the mobile has values of its own. The worker ends
-- them itself, Th after they came to count there; th here only makes room for others.
--
-- Owner: { bvc =, ms =, slot =, fsm = }; `arg` of rx_flow_control_ms is the values. The worker by itself gives a mobile
-- that moves the defaults of its new cell.

local actions = {}

function actions.use_own(own, run, pdu)
  run:emit({
    op = "ms_flow", nsei = own.bvc.nse.nsei, bvci = own.bvc.bvci, tlli = own.ms.tlli,
    bucket_octets = pdu.bucket_octets, rate_bps = pdu.rate_bps, ratio_percent = pdu.ratio_percent,
    th_ns = own.fsm.durations.th,
  })
end

function actions.forget(own)
  own.bvc.own_buckets:remove(own)
end

local function keep(own)
  return own.fsm.state == "own" and { nsei = own.bvc.nse.nsei, bvci = own.bvc.bvci, mobile = own.slot } or nil
end

local ms_flow = fsm.define({
  name = "ms_flow",
  category = "bssgp",
  about = "of_ms",
  initial = "defaults",
  keep = keep,
  actions = actions,
  timers = {
    th = { after = "th", out = "th_expired" },
  },
  states = {
    defaults = {
      enter = "forget",
      on = {
        rx_flow_control_ms = { action = "use_own", next = "own" },
      },
    },
    own = {
      timer = "th",
      on = {
        rx_flow_control_ms = { action = "use_own", next = "own" },
        th_expired = { next = "defaults" },
        bvc_reset = { next = "defaults" },
        ms_left = { next = "defaults" },
      },
    },
  },
})

-- A cell of which the BSS has announced nothing is sent nothing. The worker is asked in intervals whether packets wait.

local waiting = {}

function waiting.ask(bvc, run)
  run:emit({ op = "bvc_waits", nsei = bvc.nse.nsei, bvci = bvc.bvci })
end

local flow_wait = fsm.define({
  name = "flow_wait",
  category = "bssgp",
  about = "bvc",
  initial = "off",
  actions = waiting,
  timers = { wait = { after = "flow_wait", out = "wait_out" } },
  any = { wait = {}, over = {} },
  states = {
    off = { on = { wait = { next = "waiting" } } },
    waiting = { timer = "wait", on = { wait_out = { action = "ask", next = "waiting" }, over = { next = "off" } } },
  },
})

-- Announcements

-- Mobiles of the node that can have Th running at once when the configuration does not say.
flow_control.MS_LIMIT = 4096

-- Room shared by the cells of a node.
function flow_control.new_room(limit)
  return { used = 0, limit = limit or flow_control.MS_LIMIT }
end

local Own = {}
Own.__index = Own

-- The mobiles of one cell that have buckets of their own.
function flow_control.new_own_buckets(room)
  return setmetatable({ room = room, of = {} }, Own)
end

function Own:add(own)
  self.of[own.ms] = own
  self.room.used = self.room.used + 1
end

function Own:remove(own)
  self.of[own.ms] = nil
  self.room.used = self.room.used - 1
end

-- The mobile is not in the cell any more.
function Own:leave(run, ms)
  local own = self.of[ms]
  if own then run:tell(own.fsm, "ms_left") end
end

-- In order of their slots, so that what follows does not depend on the hash.
function Own:sorted()
  return tables.sorted(self.of, "slot")
end

-- The ratio of a PDU, or of one of its packet flows, if it counts.
local function ratio_of(bvc, run, values)
  local has_cbl, ratio = bvc.nse.features.cbl, values.ratio_percent
  if ratio and not has_cbl then
    run:count("ratio_not_negotiated")
    return nil
  elseif has_cbl and not ratio then
    run:count("ratio_missing")
  end
  return ratio
end

local function measured(pdu)
  return pdu.measurement_cs ~= UNKNOWN_DELAY_CS and pdu.measurement_cs or nil
end

-- The value to apply after `before`: a rise is bounded, but not from 0; a fall applies at once.
local function smoothed(bvc, before, value)
  if not bvc.max_rise or not before or before == 0 then
    return value
  end
  return math.min(value, before * bvc.max_rise // PPM)
end

-- The cell's rate and bucket to apply. bvc.announced keeps the announced ones, which are shown.
local function count_as(bvc, run, pdu)
  local before = bvc.counts_as or {}
  local new = { rate_bps = smoothed(bvc, before.rate_bps, pdu.rate_bps),
    bucket_octets = smoothed(bvc, before.bucket_octets, pdu.bucket_octets) }
  if new.rate_bps < pdu.rate_bps or new.bucket_octets < pdu.bucket_octets then
    run:count("flow_control_smoothed")
  end
  bvc.counts_as = new
  return new
end

function flow_control.new_wait(bvc, id)
  return fsm.new(flow_wait, bvc, id, { flow_wait = WAIT_NS })
end

-- The cell is in service: without an announcement its initial values hold, if it has some. max_rise counts from them.
function flow_control.begin(bvc, run)
  if bvc.announced then return end
  local initial = bvc.initial
  if not initial then return run:tell(bvc.waiting, "wait") end
  bvc.counts_as = { rate_bps = initial.leak_rate, bucket_octets = initial.bmax }
  run:emit({ op = "bvc_flow", nsei = bvc.nse.nsei, bvci = bvc.bvci, bucket_octets = initial.bmax,
    rate_bps = initial.leak_rate, ms_bucket_octets = initial.bmax, ms_rate_bps = initial.leak_rate })
end

function flow_control.pause(bvc, run)
  run:tell(bvc.waiting, "over")
end

-- The operator has changed the cell's values.
function flow_control.change(bvc, run, values)
  local holds = bvc.initial and not bvc.announced
  bvc.max_rise, bvc.initial = values.max_rise, values.initial
  drain.aim_at(bvc.drain, values.bss_target)
  if holds and not bvc.initial then
    bvc.counts_as = nil
    run:emit({ op = "bvc_flow", nsei = bvc.nse.nsei, bvci = bvc.bvci, bucket_octets = 0, rate_bps = 0,
      ms_bucket_octets = 0, ms_rate_bps = 0 })
  end
  if bvc.usable then
    flow_control.pause(bvc, run)
    flow_control.begin(bvc, run)
  end
end

-- The answer to bvc_waits.
function flow_control.tell_waiting(bvc, run, npdus)
  if bvc.waiting.state ~= "waiting" then return end
  run:count("bvc_awaits_flow_control")
  run:log_of("bssgp", "warn", "NSE %d BVCI %d: %d N-PDUs wait for the first FLOW-CONTROL-BVC; if the BSS sends none, "
    .. "set flow_control.initial", bvc.nse.nsei, bvc.bvci, npdus)
end

function flow_control.on_bvc(bvc, run, rx)
  local pdu = rx.pdu
  run:tell(bvc.waiting, "over")
  local new = count_as(bvc, run, pdu)
  bvc.announced = {
    bucket_octets = pdu.bucket_octets, rate_bps = pdu.rate_bps,
    ms_bucket_octets = pdu.ms_bucket_octets, ms_rate_bps = pdu.ms_rate_bps, measurement_cs = pdu.measurement_cs,
  }
  local ratio, delay_cs = ratio_of(bvc, run, pdu), measured(pdu)
  if not ratio then -- else the cell says itself how much is left in its bucket
    drain.observe(bvc.drain, delay_cs, pdu.ms_rate_bps)
  end
  run:emit({
    op = "bvc_flow", nsei = bvc.nse.nsei, bvci = bvc.bvci,
    bucket_octets = new.bucket_octets, rate_bps = new.rate_bps,
    ms_bucket_octets = pdu.ms_bucket_octets, ms_rate_bps = pdu.ms_rate_bps,
    share_permille = bvc.drain.share,
    ratio_percent = ratio, measurement_cs = delay_cs,
  })
  run:touch(bvc.fsm)
  gb_send.bssgp(run, bvc.wire, rx.via, bvc.bvci, { pdu = "flow_control_bvc_ack", tag = pdu.tag })
end

local function new_own(bvc, ms)
  local own = { bvc = bvc, ms = ms, slot = ms.slot }
  local id = ("ms/%d/%d/%d"):format(bvc.nse.nsei, bvc.bvci, ms.slot)
  own.fsm = fsm.new(ms_flow, own, id, bvc.durations)
  bvc.own_buckets:add(own)
  return own
end

-- A mobile had values of its own before a restart of control; Th starts.
function flow_control.adopt_ms(bvc, run, ms)
  if ms.cell == bvc and bvc.own_buckets.room.used < bvc.own_buckets.room.limit then
    run:restore(new_own(bvc, ms).fsm, "own")
  end
end

-- The mobile with this TLLI, if it is in the cell; else nil, which is counted.
local function find_here(bvc, run, tlli)
  local ms = bvc.mobiles.book:of_tlli(tlli)
  if ms and ms.cell == bvc then return ms end
  run:count(ms and "ms_flow_elsewhere" or "ms_flow_unknown")
end

-- The values of a PDU for its mobile, of which the ratio may not count.
local function set_ms(bvc, run, ms, pdu)
  local buckets = bvc.own_buckets
  local own = buckets.of[ms]
  if not own and buckets.room.used < buckets.room.limit then
    own = new_own(bvc, ms)
  end
  pdu.ratio_percent = ratio_of(bvc, run, pdu)
  if own then
    run:tell(own.fsm, "rx_flow_control_ms", pdu)
  else
    run:count("ms_flow_full")
  end
end

function flow_control.on_ms(bvc, run, rx)
  local pdu = rx.pdu
  local ms = find_here(bvc, run, pdu.tlli)
  if ms then set_ms(bvc, run, ms, pdu) end
  gb_send.bssgp(run, bvc.wire, rx.via, bvc.bvci, { pdu = "flow_control_ms_ack", tlli = pdu.tlli, tag = pdu.tag })
end

local function set_pfc(bvc, run, ms, values)
  local pfc = bvc.mobiles.pfcs:find_or_new(run, ms, values.pfi)
  if not pfc or pfc.fsm.state ~= "present" then
    return run:count("pfc_flow_unknown")
  end
  run:emit({
    op = "pfc_flow", nsei = bvc.nse.nsei, bvci = bvc.bvci, tlli = ms.tlli, pfi = values.pfi,
    bucket_octets = values.bucket_octets, rate_bps = values.rate_bps, ratio_percent = ratio_of(bvc, run, values),
  })
end

-- FLOW-CONTROL-PFC: flows that it does not list keep their values; with bucket and rate of the mobile it is a
-- FLOW-CONTROL-MS, too.
function flow_control.on_pfc(bvc, run, rx)
  local pdu = rx.pdu
  local ms = find_here(bvc, run, pdu.tlli)
  if ms and pdu.bucket_octets and pdu.rate_bps then set_ms(bvc, run, ms, pdu) end
  for _, values in ipairs(ms and pdu.pfcs or {}) do set_pfc(bvc, run, ms, values) end
  gb_send.bssgp(run, bvc.wire, rx.via, bvc.bvci, { pdu = "flow_control_pfc_ack", tlli = pdu.tlli, tag = pdu.tag })
end

-- LLC-DISCARDED. The discarded LLC-PDUs were in the cell's bucket, also those of a mobile that has left it or is
-- unknown.
function flow_control.on_discarded(bvc, run, rx)
  local pdu = rx.pdu
  run:emit({
    op = "ms_discarded", nsei = bvc.nse.nsei, bvci = bvc.bvci, tlli = pdu.tlli, octets = pdu.octets_affected,
    pfi = pdu.pfi,
  })
end

-- The cell was reset: announcements are forgotten, running Th stop.
function flow_control.reset(bvc, run)
  bvc.announced, bvc.counts_as = nil, nil
  drain.reset(bvc.drain)
  for _, own in ipairs(bvc.own_buckets:sorted()) do
    run:tell(own.fsm, "bvc_reset")
  end
end

return flow_control
