-- SPDX-License-Identifier: BSD-3-Clause
-- SNDCP's compression in a configuration (TS 44.065 clauses 6.5 and 6.6).

local integer = require("schema.schema").count

local compression = {}

local RFC1144 <const> = { name = "rfc1144", type = "record", absent = "refused", noun = "rfc1144",
  doc = "Compression of TCP/IPv4 headers by RFC 1144, if there.", fields = {
    integer("slots", 1, 256, 16, "TCP connections whose headers are kept, each way; a mobile may have fewer"),
  } }

local V42BIS <const> = { name = "v42bis", type = "record", absent = "refused", noun = "v42bis",
  doc = "Compression of whole N-PDUs by V.42bis, if there.", fields = {
    { name = "direction", type = "enum", values = { "both", "uplink", "downlink" }, default = "both",
      doc = "directions that are compressed" },
    integer("codewords", 512, 4096, 2048, "P1: codewords of a dictionary; a mobile may have fewer"),
    integer("string", 6, 250, 20, "P2: longest string of a codeword, in octets; a mobile may have less"),
  } }

-- Entities are one for a SAPI, and their parameters the node's; a context uses them or not.
compression.OF_CONTEXT = { name = "compression", type = "enum", values = { "all", "headers", "data", "none" },
  default = "all",
  doc = "kinds of compression for it, of those that `sndcp.compression` allows: headers: RFC 1144 alone. data: V.42bis "
    .. "alone" }

local function check(record, fail, warn)
  if record.mode ~= "off" and not (record.rfc1144 or record.v42bis) then
    local reason = "'%s' compresses nothing: add `rfc1144 = {}` or `v42bis = {}`, or write \"off\""
    fail({ "mode" }, reason:format(record.mode))
  elseif record.mode == "off" and (record.rfc1144 or record.v42bis) then
    warn({ "mode" }, "'off' refuses `rfc1144` and `v42bis`, too: write another mode, such as \"passive\"")
  end
end

compression.FIELD = { name = "compression", type = "record", default = {}, noun = "compression", check = check,
  doc = "Compression of N-PDUs, agreed on with each mobile by XID. Without `rfc1144` or `v42bis` that kind is refused.",
  fields = {
    { name = "mode", type = "enum", values = { "off", "passive", "active" }, default = "off",
      meant = { on = "passive" },
      doc = "off: proposals of mobiles are refused. passive: they are accepted within these bounds. active: the node "
        .. "also proposes compression when a context is activated" },
    integer("entities", 1, 4194304, 1000, "entities of all mobiles: one for each mobile, SAPI and kind. Memory for "
      .. "them is taken at the start; further ones are refused"),
    RFC1144, V42BIS,
  } }

return compression
