-- SPDX-License-Identifier: BSD-3-Clause
-- RAN Information Management (48.018 §8c): PDUs of one BSS for a cell of another one, which the SGSN routes unchanged
-- by the Destination Cell Identifier. Their content (NACC, SI3, MBMS) is between the two BSSs.
--
-- rx: as in gb.bssgp, with pdu = decoded. An error goes back to the source for each PDU that cannot be routed, but for
-- errors themselves. With phones.pool a PDU for a cell that is not the node's goes to another SGSN, or to an MME, in
-- RAN Information Relay (29.060 §7.5.14): lua/gn/rim.lua finds the way, or hands the PDU back.

local gb_areas = require "gb.areas"
local gb_send = require "gb.send"
local cause = require("gb.cause").bssgp

local gb_rim = {}

local SIGNALLING_BVCI <const> = 0
local GERAN_CELL <const> = 0 -- RIM Routing Address Discriminator (§11.3.70)
local CELL_ID_OCTETS <const> = 8
local APPLICATION <const>, CAUSE <const>, PDU_IN_ERROR <const>, VERSION <const> = 0x4b, 0x07, 0x15, 0x55
local VERSION_1 <const> = "\1"
local LONG <const> = 0x80 -- a length below it has one octet, with this bit

-- How many PDUs of an NSE are routed at once, and how soon there is room for one more: they are for another BSS, whose
-- signalling BVC has no flow control.
local BURST <const>, EVERY <const> = 50, 20000000

-- The cell of the node that RIM Routing Information names; nil: no such cell, or no cell of a GERAN.
local function cell_of(nse, routing)
  if routing:byte() & 15 ~= GERAN_CELL or #routing ~= 1 + CELL_ID_OCTETS then return nil end
  local wanted = gb_areas.cell_of(routing:sub(2))
  for _, other in ipairs(nse.all) do
    for _, bvc in ipairs(other.bvcs) do
      if gb_areas.is_cell(wanted, bvc.named or bvc.cell_id) then return bvc end
    end
  end
end

local function tlv(tag, value)
  local length = #value < LONG and string.char(LONG | #value) or string.pack(">I2", #value)
  return string.char(tag) .. length .. value
end

-- The application of a container is its first element; one that does not begin with it has none.
local function application_of(container)
  local tag, length, value = container:byte(1, 3)
  return tag == APPLICATION and length == LONG | 1 and value and string.char(value) or "\0"
end

-- The container of RAN-INFORMATION-ERROR (§10.6.4, §11.3.62a.4) about a PDU.
local function container_of(pdu, octets)
  return tlv(APPLICATION, application_of(pdu.rim_container)) .. tlv(CAUSE, string.char(cause.UNKNOWN_DESTINATION))
    .. tlv(VERSION, VERSION_1) .. tlv(PDU_IN_ERROR, octets:sub(1, gb_send.PDU_IN_ERROR_LIMIT_OCTETS))
end

-- RAN-INFORMATION-ERROR to the source of a PDU.
local function refuse(nse, run, rx, why)
  run:count("rim_" .. why)
  if rx.pdu.pdu == "ran_information_error" then return end
  gb_send.bssgp(run, nse.wire, rx.via, SIGNALLING_BVCI, { pdu = "ran_information_error",
    rim_destination = rx.pdu.rim_source, rim_source = rx.pdu.rim_destination,
    rim_container = container_of(rx.pdu, rx.octets) })
end

-- The virtual scheduling form of a leaky bucket, as for moves (gb.areas).
local function is_too_fast(nse, now)
  local behind = math.max(0, (nse.rim_whole or now) - now)
  if behind > (BURST - 1) * EVERY then return true end
  nse.rim_whole = now + behind + EVERY
  return false
end

-- A receiver of gb.bssgp.
function gb_rim.route(nse, run, rx)
  local source, cell = cell_of(nse, rx.pdu.rim_source), cell_of(nse, rx.pdu.rim_destination)
  if not source or source.nse ~= nse or source.is_refused then
    run:count("rim_source_elsewhere")
    return gb_send.status(run, nse.wire, rx, cause.SEMANTICALLY_INCORRECT)
  end
  if is_too_fast(nse, run.now) then return run:count("rim_rate") end
  if not cell and nse.has_pool then
    run:count("rim_relayed")
    return run:emit({ op = "gn_rim", octets = rx.octets, routing = rx.pdu.rim_destination })
  end
  if not cell or cell.is_refused then return refuse(nse, run, rx, "unknown_destination") end
  local via = gb_send.nsvc_of(cell.nse, SIGNALLING_BVCI)
  if not via then return refuse(nse, run, rx, "unreachable_destination") end
  run:count("rim_routed")
  gb_send.ns(run, nse.wire, via, { pdu = "unitdata", bvci = SIGNALLING_BVCI, sdu = rx.octets })
end

-- Its source hears of an error by the way on which its PDU came.
local function answer_by_relay(run, wire, pdu, octets)
  run:count("rim_unknown_destination")
  if pdu.pdu == "ran_information_error" then return end
  run:emit({ op = "gn_rim", routing = pdu.rim_source, octets = wire.bssgp_encode({ pdu = "ran_information_error",
    rim_destination = pdu.rim_source, rim_source = pdu.rim_destination, rim_container = container_of(pdu, octets) }) })
end

-- A PDU of BSSGP from another SGSN, for a cell of the node; or one that was given to be relayed, and no way is known.
-- g: { wire =, nses = }.
function gb_rim.receive(g, run, octets, is_returned)
  local pdu = g.wire.bssgp_decode(octets, "bss", SIGNALLING_BVCI)
  local is_rim = pdu and pdu.rim_destination and pdu.rim_source
  if not is_rim then return run:count("rim_malformed") end
  local cell = cell_of({ all = g.nses }, is_returned and pdu.rim_source or pdu.rim_destination)
  local via = cell and not cell.is_refused and gb_send.nsvc_of(cell.nse, SIGNALLING_BVCI)
  if is_returned and via then
    refuse(cell.nse, run, { pdu = pdu, octets = octets, via = via }, "unknown_destination")
  elseif via then
    run:count("rim_taken")
    gb_send.ns(run, g.wire, via, { pdu = "unitdata", bvci = SIGNALLING_BVCI, sdu = octets })
  elseif not is_returned then
    answer_by_relay(run, g.wire, pdu, octets)
  end
end

return gb_rim
