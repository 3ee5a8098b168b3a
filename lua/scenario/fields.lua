-- SPDX-License-Identifier: BSD-3-Clause
-- Descriptors of a scenario's fields (schema/schema.lua), made in few words.

local schema = require "schema.schema"
local tables = require "base.tables"

local scenario_fields = { count = schema.count }

-- A copy of a descriptor with other entries.
function scenario_fields.with(d, changes)
  local copy = tables.copy(d)
  for key, value in next, changes do
    copy[key] = value
  end
  return copy
end

-- A group whose presence has a meaning.
function scenario_fields.record(name, noun, doc, fields, check)
  return { name = name, type = "record", absent = "none", doc = doc, fields = fields, noun = noun, check = check }
end

function scenario_fields.list(name, item, min, max, doc)
  return { name = name, type = "list", item = item, required = true, min = min, max = max, doc = doc }
end

function scenario_fields.quantity(name, kind, min, max, rest)
  return scenario_fields.with({ name = name, type = kind, min = min, max = max }, rest)
end

function scenario_fields.duration(name, max, default, doc)
  return scenario_fields.quantity(name, "duration", "0 s", max, { default = default, doc = doc })
end

function scenario_fields.octets(name, min, max, default, doc)
  return scenario_fields.quantity(name, "octets", min, max, { default = default, doc = doc })
end

function scenario_fields.required(d)
  d.required = true
  return d
end

-- Words by which a field is called elsewhere: `octets`, `packet`, `page` and `item` are sizes, by the kind of traffic.
local OTHER_NAMES <const> = {
  size = { "octets", "size", "bytes", "packet", "page", "item", "length" },
  slots = { "slots", "timeslots", "channels" }, interval = { "interval", "period" },
  rate = { "bitrate", "bandwidth", "capacity" }, delay = { "delay", "rtt", "latency" }, loss = { "loss", "per" },
  time = { "time", "length" }, begin = { "begin", "from", "at" }, finish = { "end", "until", "to" },
}

function scenario_fields.also(d, what)
  d.other_names = OTHER_NAMES[what]
  return d
end

function scenario_fields.absent(d, what)
  d.absent = what
  return d
end

return scenario_fields
