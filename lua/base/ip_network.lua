-- SPDX-License-Identifier: BSD-3-Clause
-- IP networks as text, and whether an address is in one.
--
--   local n, why = ip_network.parse("192.0.2.0/24")   or "2001:db8::/32"; nil, and the reason
--   ip_network.octets("192.0.2.7")                    4 or 16; nil: malformed
--   ip_network.text(octets)                           as inet_ntop() writes it
--   ip_network.given(text)                            the text, nil for nil and for an address of zeros
--   ip_network.contains(n, "192.0.2.7")               an address as inet_ntop() writes it
--   ip_network.is_in(networks, "192.0.2.7")           whether one of a list has it; nil: none
--   ip_network.has_place(named, address)              below
--   ip_network.is_loopback("127.0.0.2")
--   ip_network.is_host("192.0.2.7")                   one host's: not multicast, broadcast, loopback, unspecified,
--                                                     link-local, nor of 240.0.0.0/4

local ip_network = { NAMED_MAX = 128, FORM = "is not an IP network: such as 192.0.2.0/24 or 2001:db8::/32" }

-- No octet has a leading zero, which some take for octal.
local function ipv4_octets(text)
  local a, b, c, d = text:match("^(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)$")
  if not a or text:find("%f[%d]0%d") then return nil end
  a, b, c, d = tonumber(a), tonumber(b), tonumber(c), tonumber(d)
  return a < 256 and b < 256 and c < 256 and d < 256 and string.char(a, b, c, d) or nil
end

-- The octets of the groups on one side of "::", nil: malformed.
local function groups_octets(text)
  local out = {}
  if text == "" then return "" end
  for group in (text .. ":"):gmatch("([^:]*):") do
    if not group:find("^%x%x?%x?%x?$") then return nil end
    out[#out + 1] = string.pack(">I2", tonumber(group, 16))
  end
  return table.concat(out)
end

-- The last two groups may be an IPv4 address where ip_network.text() writes one.
local function ipv6_octets(text)
  local front, dotted = text:match("^(::f?f?f?f?:?)([%d.]+)$")
  local ipv4 = (front == "::" or front == "::ffff:") and ipv4_octets(dotted)
  if ipv4 then text = ("%s%x:%x"):format(front, string.unpack(">I2I2", ipv4)) end
  local left, right = text:match("^(.-)::(.*)$")
  local head, tail = groups_octets(left or text), groups_octets(right or "")
  if not head or not tail then return nil end
  local missing = 16 - #head - #tail
  if left and missing < 2 or not left and missing ~= 0 then return nil end
  return head .. ("\0"):rep(missing) .. tail
end

function ip_network.octets(text)
  return ipv4_octets(text) or ipv6_octets(text)
end

-- Where the longest run of groups of 0 stands in the groups between colons, and its groups; the first of such runs.
local function longest_zeros(groups)
  for run = 8, 2, -1 do
    local from, to = groups:find((":0"):rep(run) .. ":", 1, true)
    if from then return run, from, to end
  end
  return 0
end

-- The last two groups are an IPv4 address if all six before them are 0, or the last of these is ffff.
local function ipv6_text(octets)
  local groups = ((":%x"):rep(8) .. ":"):format(string.unpack(">I2I2I2I2I2I2I2I2", octets))
  local run, from, to = longest_zeros(groups)
  if run == 0 then return groups:sub(2, -2) end
  local head, tail = groups:sub(2, from - 1), groups:sub(to + 1, -2)
  local is_mapped = run == 5 and tail:find("^ffff:")
  if head == "" and (run == 6 or is_mapped) then
    tail = (is_mapped and "ffff:" or "") .. ip_network.text(octets:sub(13))
  end
  return head .. "::" .. tail
end

function ip_network.text(octets)
  if #octets == 4 then return ("%d.%d.%d.%d"):format(octets:byte(1, 4)) end
  return ipv6_text(octets)
end

local NOT_GIVEN <const> = { ["0.0.0.0"] = true, ["::"] = true }

function ip_network.given(text)
  return text and not NOT_GIVEN[text] and text or nil
end

-- The first bits of some octets, the others 0.
local function cut(octets, bits)
  local whole, rest = bits // 8, bits % 8
  local out = octets:sub(1, whole)
  if rest > 0 then out = out .. string.char(octets:byte(whole + 1) & (0xff << (8 - rest)) & 0xff) end
  return out .. ("\0"):rep(#octets - #out)
end

function ip_network.parse(text)
  local address, bits = text:match("^([%x.:]+)/(%d%d?%d?)$")
  local octets = address and ip_network.octets(address)
  bits = octets and math.tointeger(tonumber(bits))
  if not octets or bits > 8 * #octets then return nil, ip_network.FORM end
  if cut(octets, bits) ~= octets then return nil, "has bits set behind its prefix" end
  return { octets = octets, bits = bits }
end

function ip_network.contains(network, address)
  local octets = ip_network.octets(address)
  return octets ~= nil and #octets == #network.octets and cut(octets, network.bits) == network.octets
end

function ip_network.is_in(networks, address)
  for _, network in ipairs(networks or {}) do
    if ip_network.contains(network, address) then return true end
  end
  return false
end

-- The node has 1024 places for IPv6 addresses, for good, of which each that may name addresses gets NAMED_MAX. named:
-- a set of those that it has named, and their `count`, 0 at first. Whether the address has a place among them.
function ip_network.has_place(named, address)
  if named[address] or not address:find(":", 1, true) then return true end
  if named.count == ip_network.NAMED_MAX then return false end
  named[address], named.count = true, named.count + 1
  return true
end

function ip_network.is_loopback(address)
  return address:find("^127%.") ~= nil or address == "::1"
end

local function is_host_ipv4(octets)
  local first, second = octets:byte(1, 2)
  return first ~= 0 and first ~= 127 and first < 224 and not (first == 169 and second == 254)
end

-- Neither ::/80, which has the unspecified, loopback and IPv4-mapped addresses, nor fe80::/10, nor ff00::/8.
local function is_host_ipv6(octets)
  return cut(octets, 80) ~= ("\0"):rep(16) and cut(octets, 10) ~= "\xfe\x80" .. ("\0"):rep(14) and octets:byte() ~= 0xff
end

function ip_network.is_host(address)
  local octets = ip_network.octets(address)
  if not octets then return false end
  return #octets == 4 and is_host_ipv4(octets) or #octets == 16 and is_host_ipv6(octets)
end

return ip_network
