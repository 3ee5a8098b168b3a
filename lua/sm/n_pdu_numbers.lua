-- SPDX-License-Identifier: BSD-3-Clause
-- N-PDU numbers that ROUTEING AREA UPDATE ACCEPT and COMPLETE have (24.008 §10.5.5.11): of each NSAPI in acknowledged
-- mode, the number of the next N-PDU that the sender of the message expects.
--
--   n_pdu_numbers.octets(list)    of { { nsapi =, number = }, ... }, the first 10; nil: it is empty
--   n_pdu_numbers.list(octets)    the reverse

local n_pdu_numbers = {}

local MOST <const> = 10 -- 3 half octets each, 15 octets

function n_pdu_numbers.octets(list)
  local digits = {}
  for i = 1, math.min(#list, MOST) do digits[i] = ("%x%02x"):format(list[i].nsapi, list[i].number) end
  local text = table.concat(digits) .. ("0"):rep(#digits % 2)
  return #digits > 0 and text:gsub("..", function(octet) return string.char(tonumber(octet, 16)) end) or nil
end

function n_pdu_numbers.list(octets)
  local digits, list = octets:gsub(".", function(c) return ("%02x"):format(c:byte()) end), {}
  for nsapi, number in digits:gmatch("(%x)(%x%x)") do
    list[#list + 1] = { nsapi = tonumber(nsapi, 16), number = tonumber(number, 16) }
  end
  return list
end

return n_pdu_numbers
