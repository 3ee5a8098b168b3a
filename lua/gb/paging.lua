-- SPDX-License-Identifier: BSD-3-Clause
-- Paging of mobiles in STANDBY (48.018 §7.1).
--
--   gb_paging.new(mobiles, ms)   owner of the machine of a mobile that is paged
--   gb_paging.by_imsi(run, cell, imsi)   pages by IMSI alone, once: the phone attaches again (24.008 §4.7.9.1.2)

local fsm = require "base.fsm"
local gb_areas = require "gb.areas"
local gb_send = require "gb.send"
local mobile_book = require "mobile.book"
local radio = require "node.radio"

local gb_paging = {}

local SIGNALLING_BVCI <const> = 0
local LOCAL_TLLI <const> = 0xc0000000 -- on top of a P-TMSI (23.003 §2.6); other TLLIs tell none
local QOS_SIGNALLING <const> = "\0\0\x20" -- best effort, no LLC ACK, signalling, acknowledged, high precedence

-- PAGING-PS (48.018 §7.1, §10.3.1): to every NSE that has the mobile's routeing area, or to its last cell alone.

local function area_of(id)
  return { mcc = id.mcc, mnc = id.mnc, lac = id.lac, rac = id.rac }
end

-- A TLLI of its own for each PDU: they are encoded at once.
local function pdu_of(mobiles, ms)
  local drx, tlli = mobiles.radio:record_of(ms).drx, ms.tlli
  return { pdu = "paging_ps", imsi = mobile_book.imsi_of(ms), drx_parameters = drx and radio.octets_of(drx),
    qos_profile = QOS_SIGNALLING, tmsi = tlli & LOCAL_TLLI == LOCAL_TLLI and tlli or nil }
end

local function to_area(run, mobiles, pdu, cell)
  pdu.routeing_area = area_of(cell.cell_id)
  for _, nse in ipairs(mobiles.nses) do
    if gb_areas.has(nse, pdu.routeing_area) then
      gb_send.to_nse(run, nse, SIGNALLING_BVCI, pdu)
    end
  end
end

-- Without an IMSI a mobile cannot be paged; its queued N-PDUs expire.
local function send_page(run, mobiles, ms)
  local cell, pdu = ms.cell, pdu_of(mobiles, ms)
  if not pdu.imsi then
    return run:count("paging_without_imsi")
  end
  run:count("paging_sent")
  if mobiles.paging_area == "cell" then
    pdu.bvci = cell.bvci
    return gb_send.to_nse(run, cell.nse, cell.bvci, pdu)
  end
  to_area(run, mobiles, pdu, cell)
end

-- A mobile that something waits for and that has to be paged (48.018 §7.1; 24.008 §4.7.9.1): asked for once, however
-- many packets come, and again after T3313; given up when the retries are used up, until the next packet. Any frame of
-- it is the answer. A cell that was down and is up again is asked at once. A BSS that refuses the page, since the
-- mobile will not listen for long, is not asked for T3313, and by the next packet after that.
--
-- Owner: { mobiles = registry, ms =, slot =, fsm = }. An instance exists while the mobile is paged.

local actions = {}

function actions.page(owner, run)
  send_page(run, owner.mobiles, owner.ms)
end

function actions.begin(owner, run)
  owner.mobiles.paged[owner.ms] = owner
  run:count("paging_started")
  actions.page(owner, run)
end

function actions.report_answer(_, run)
  run:count("paging_answered")
end

function actions.give_up(owner, run)
  run:count("paging_unanswered")
  actions.put_off(owner, run)
end

-- The next N-PDU starts paging again.
function actions.put_off(owner, run)
  run:emit({ op = "page_end", nsei = owner.ms.cell.nse.nsei, tlli = owner.ms.tlli })
end

function actions.report_refusal(_, run)
  run:count("paging_rejected")
end

function actions.forget(owner)
  owner.mobiles.paged[owner.ms] = nil
end

local function keep(owner)
  return owner.fsm.state ~= "reachable" and { mobile = owner.slot, state = owner.fsm.state } or nil
end

-- Rows of a mobile that is sought.
local function paged(rows)
  rows.wanted, rows.cell_up, rows.ms_gone = {}, { action = "page", next = "paging" }, { next = "reachable" }
  rows.reached = { action = "report_answer", next = "reachable" }
  rows.suspended = { action = "put_off", next = "reachable" }
  return rows
end

local machine = fsm.define({
  name = "ms_paging",
  category = "bssgp",
  about = "of_ms",
  initial = "reachable",
  keep = keep,
  actions = actions,
  timers = {
    t3313 = { after = "t3313", retries = "t3313_retries", again = "t3313_again", out = "t3313_out" },
    later = { after = "t3313", out = "later" },
  },
  states = {
    reachable = {
      enter = "forget",
      on = {
        wanted = { action = "begin", next = "paging" },
      },
    },
    paging = {
      timer = "t3313",
      on = paged({
        rejected = { action = "report_refusal", next = "refused" },
        t3313_again = { action = "page" },
        t3313_out = { action = "give_up", next = "reachable" },
      }),
    },
    refused = {
      timer = "later",
      on = paged({ rejected = {}, later = { action = "put_off", next = "reachable" } }),
    },
  },
})

function gb_paging.by_imsi(run, cell, imsi)
  run:count("paging_by_imsi")
  gb_send.to_nse(run, cell.nse, cell.bvci, { pdu = "paging_ps", imsi = imsi, qos_profile = QOS_SIGNALLING,
    bvci = cell.bvci })
end

function gb_paging.new(mobiles, ms)
  local owner = { mobiles = mobiles, ms = ms, slot = ms.slot }
  owner.fsm = fsm.new(machine, owner, ("paging/%d"):format(ms.slot), mobiles.durations)
  return owner
end

return gb_paging
