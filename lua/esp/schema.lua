-- SPDX-License-Identifier: BSD-3-Clause
-- The schema of a file of associations of ESP: `esp.keys` of a node.

local ip_network = require "base.ip_network"

local SUITES <const> = { "aes-gcm-128", "aes-gcm-256", "aes-cbc-128-sha-256", "aes-cbc-256-sha-256", "null-sha-256" }
local CIPHER_DIGITS <const> = { ["aes-gcm-128"] = 40, ["aes-gcm-256"] = 72, ["aes-cbc-128-sha-256"] = 32,
  ["aes-cbc-256-sha-256"] = 64, ["null-sha-256"] = 0 }
local AUTH_DIGITS <const> = 64
local MOST <const> = 256

local function is_ipv6(address) return address:find(":", 1, true) ~= nil end

local function check_lengths(sa, fail)
  local digits = CIPHER_DIGITS[sa.suite]
  if #(sa.key or "") ~= digits then
    fail({ "key" }, ("has %d digits; %s has %d"):format(#(sa.key or ""), sa.suite, digits))
  end
  local wanted = sa.suite:find("gcm", 1, true) and 0 or AUTH_DIGITS
  if #(sa.auth or "") ~= wanted then
    fail({ "auth" }, ("has %d digits; %s has %d"):format(#(sa.auth or ""), sa.suite, wanted))
  end
end

local WINDOW <const> = 1024

-- Keys that nothing would read: a different value at the other end would go unnoticed.
local function check_effects(sa, fail)
  local is_in = sa.direction == "in"
  if sa.inner and sa.mode ~= "tunnel" then
    fail({ "inner" }, ("'%s' needs mode = \"tunnel\": elsewhere it is that of from and to"):format(sa.inner))
  end
  if sa.dscp and (is_in or sa.mode ~= "tunnel") then
    fail({ "dscp" }, ("%d needs direction = \"out\" and mode = \"tunnel\""):format(sa.dscp))
  end
  if sa.window and not is_in then fail({ "window" }, ("%d needs direction = \"in\""):format(sa.window)) end
  if is_in then sa.window = sa.window or WINDOW end
end

local function check_sa(sa, fail)
  check_lengths(sa, fail)
  check_effects(sa, fail)
  if is_ipv6(sa.from) ~= is_ipv6(sa.to) then
    fail({ "to" }, ("'%s': from is of the other IP version"):format(sa.to))
  elseif sa.udp and sa.mode ~= "tunnel" then
    fail({ "udp" }, "needs mode = \"tunnel\"")
  end
end

local function address(name, doc) return { name = name, type = "ip", required = true, doc = doc } end

local function secret(name, doc)
  return { name = name, type = "string", absent = "none", max = 72, pattern = "^%x+$", form = "hexadecimal digits",
    is_secret = true, doc = doc }
end

local SA <const> = { type = "record", noun = "an association", check = check_sa, fields = {
  { name = "name", type = "string", required = true, max = 31, pattern = "^[%w_-]+$",
    form = "a name of letters, digits, _ and -", doc = "name in `sas` of rules" },
  { name = "direction", type = "enum", values = { "in", "out" }, required = true, doc = "packets that come, or leave" },
  { name = "spi", type = "integer", min = 256, max = 0xFFFFFFFF, required = true, hex = true,
    doc = "SPI; of `in` unique in the file, of `out` for each `to`" },
  { name = "suite", type = "enum", values = SUITES, default = "aes-gcm-128", doc = "cipher and integrity" },
  secret("key", "key of the cipher, with the salt of 4 octets behind it for AES-GCM"),
  secret("auth", "key of HMAC-SHA-256"),
  { name = "mode", type = "enum", values = { "transport", "tunnel" }, default = "transport", doc = "mode of ESP" },
  address("from", "source address of the ESP packets"), address("to", "their destination address"),
  { name = "inner", type = "enum", values = { "ipv4", "ipv6" }, absent = "ipv4",
    doc = "version of the packets in a tunnel" },
  { name = "udp", type = "list", min = 2, max = 2, absent = "none", item = { type = "integer", min = 1, max = 65535 },
    doc = "source and destination port of UDP encapsulation (RFC 3948)" },
  { name = "esn", type = "boolean", default = true, doc = "extended sequence numbers of 64 bits" },
  { name = "window", type = "integer", min = 32, max = 4096, absent = tostring(WINDOW),
    doc = "sequence numbers behind the highest one that may still come, of `in`" },
  { name = "dscp", type = "integer", min = 0, max = 63, absent = "that of the packet inside",
    doc = "DSCP of a tunnel's packets, of `out`" },
} }

-- Of two associations with the same place the other end, or the node, could not tell whose a packet is.
local function place_of(sa)
  if sa.direction == "in" then return sa.spi end
  local net = ip_network.parse(sa.to .. (is_ipv6(sa.to) and "/128" or "/32"))
  return ("%d %s"):format(sa.spi, net and net.octets or sa.to)
end

-- RULES_ENCAPS of dataplane/esp/rules.h: a packet that comes is compared with each.
local MOST_PORTS <const> = 4

local function check_ports(file, fail)
  local ports, count = {}, 0
  for i, sa in ipairs(file.sas) do
    local port = sa.direction == "in" and sa.udp and sa.udp[2]
    if port and not ports[port] then
      ports[port], count = true, count + 1
      if count > MOST_PORTS then
        fail({ "sas", i, "udp" }, ("%d is one more destination port of direction in than %d"):format(port, MOST_PORTS))
      end
    end
  end
end

local function keys_of(sa) return ((sa.key or "") .. (sa.auth or "")):lower() end

local function check(file, fail)
  check_ports(file, fail)
  local seen, keys = {}, {}
  for i, sa in ipairs(file.sas) do
    local place = place_of(sa)
    if seen[place] then
      fail({ "sas", i, "spi" }, ("0x%08x is that of sas[%d], too"):format(sa.spi, seen[place]))
    end
    seen[place] = i
    local key = keys_of(sa)
    if keys[key] then
      local field = #(sa.key or "") > 0 and "key" or "auth"
      fail({ "sas", i, field }, ("is that of sas[%d], too: each association has its own"):format(keys[key]))
    end
    keys[key] = i
  end
end

return { type = "record", noun = "a file of associations", check = check, fields = {
  { name = "sas", type = "list", item = SA, required = true, min = 1, max = MOST,
    doc = "The associations. The last one of a name and direction protects what leaves." },
} }
