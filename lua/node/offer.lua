-- SPDX-License-Identifier: BSD-3-Clause
-- SNDCP's compression in a configuration of mobiles: the entities that a mobile offers by XID (TS 44.065 clauses 6.5
-- and 6.6).

local compression = require "node.compression"
local schema = require "schema.schema"
local tables = require "base.tables"

local offer = {}

local function check(record, fail)
  if not record.rfc1144 and not record.v42bis then
    fail({}, "offers nothing: add `rfc1144 = {}` or `v42bis = {}`")
  end
end

-- A kind of the node's, with its ranges and defaults.
local function kind(name, doc)
  local copy = tables.copy(schema.field(compression.FIELD, name))
  copy.absent, copy.doc = "not offered", doc
  return copy
end

offer.FIELD = { name = "compression", type = "record", absent = "none", noun = "compression", check = check,
  doc = "Compression that the mobile offers to the SGSN by XID before its first packet. N-PDUs stay plain where the "
    .. "SGSN refuses it or does not answer.",
  fields = {
    kind("rfc1144", "Headers of TCP over IPv4, by RFC 1144. A header whose options change stays whole: there is "
      .. "hardly any gain with timestamps of TCP."),
    kind("v42bis", "Whole N-PDUs, by V.42bis."),
  } }

return offer
