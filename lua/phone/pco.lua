-- SPDX-License-Identifier: BSD-3-Clause
-- Protocol configuration options (TS 24.008 clause 10.5.6.3) of a phone that asks for its DNS servers, in both forms:
-- options 129 and 131 of IPCP (RFC 1877), and container 000D.
--
--   pco.question()           the octets to send
--   pco.dns_servers(octets)  { "192.0.2.53", ... } of an answer, in order, each once; malformed rest: left out

local pco = {}

local PPP <const>, IPCP <const>, DNS_IPV4 <const> = 0x80, 0x8021, 0x000d
local REQUEST <const>, ACK <const>, NAK <const> = 1, 2, 3
local PRIMARY <const>, SECONDARY <const> = 129, 131
local NONE <const> = "\0\0\0\0"

function pco.question()
  local options = string.pack("BBc4BBc4", PRIMARY, 6, NONE, SECONDARY, 6, NONE)
  local ipcp = string.pack(">BBI2", REQUEST, 0, #options + 4) .. options
  return string.pack(">BI2s1I2s1", PPP, IPCP, ipcp, DNS_IPV4, "")
end

local function add(list, address)
  if #address ~= 4 or address == NONE then return end
  local text = ("%d.%d.%d.%d"):format(address:byte(1, 4))
  for _, known in ipairs(list) do
    if known == text then return end
  end
  list[#list + 1] = text
end

-- Configure-Nak proposes the addresses, Configure-Ack repeats them.
local function read_ipcp(list, octets)
  if #octets < 4 or octets:byte(1) ~= ACK and octets:byte(1) ~= NAK then return end
  local at, last = 5, math.min(#octets, (string.unpack(">I2", octets, 3)))
  while at < last do
    local kind, length = octets:byte(at, at + 1)
    if length < 2 or at + length - 1 > last then return end
    if kind == PRIMARY or kind == SECONDARY then add(list, octets:sub(at + 2, at + length - 1)) end
    at = at + length
  end
end

function pco.dns_servers(octets)
  local list, at = {}, 2
  while at + 2 <= #octets do
    local protocol, length = string.unpack(">I2B", octets, at)
    local content = octets:sub(at + 3, at + 2 + length)
    if #content < length then break end
    if protocol == IPCP then read_ipcp(list, content) end
    if protocol == DNS_IPV4 then add(list, content) end
    at = at + 3 + length
  end
  return list
end

return pco
