-- SPDX-License-Identifier: BSD-3-Clause
-- PAGING-PS (48.018 §7.1, §10.3.1): to every NSE that has the mobile's routeing area, or to its last cell alone.

local gb_send = require "gb.send"
local radio = require "node.radio"

local gb_paging = {}

local SIGNALLING_BVCI <const> = 0
local LOCAL_TLLI <const> = 0xc0000000 -- on top of a P-TMSI (23.003 §2.6); other TLLIs tell none
local QOS_SIGNALLING <const> = "\0\0\x20" -- best effort, no LLC ACK, signalling, acknowledged, high precedence

local function area_of(id)
  return { mcc = id.mcc, mnc = id.mnc, lac = id.lac, rac = id.rac }
end

local function is_in(id, area)
  return id.mcc == area.mcc and id.mnc == area.mnc and id.lac == area.lac and id.rac == area.rac
end

local function has_area(nse, area)
  for _, bvc in ipairs(nse.bvcs) do
    if is_in(bvc.cell_id, area) then return true end
  end
end

-- A TLLI of its own for each PDU: they are encoded at once.
local function pdu_of(mobiles, tlli)
  local drx = mobiles.radio:record_of(tlli).drx
  return { pdu = "paging_ps", imsi = mobiles.radio.imsi[tlli], drx_parameters = drx and radio.octets_of(drx),
    qos_profile = QOS_SIGNALLING, tmsi = tlli & LOCAL_TLLI == LOCAL_TLLI and tlli or nil }
end

local function to_area(run, mobiles, pdu, cell)
  pdu.routeing_area = area_of(cell.cell_id)
  for _, nse in ipairs(mobiles.nses) do
    if has_area(nse, pdu.routeing_area) then
      gb_send.to_nse(run, nse, SIGNALLING_BVCI, pdu)
    end
  end
end

-- Without an IMSI a mobile cannot be paged; its queued N-PDUs expire.
function gb_paging.send(run, mobiles, tlli)
  local cell, pdu = mobiles:cell_of(tlli), pdu_of(mobiles, tlli)
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

return gb_paging
