-- SPDX-License-Identifier: BSD-3-Clause
-- The format of a configuration as data: descriptors, from which checks, defaults and the reference follow.
--
-- A descriptor has a type (those of schema_scalar, or record, list, map) and
--   required or default (as a configuration would give it), doc, min, max, values, multiple_of, allow_infinite,
--   record: fields = { {name =, type =, ...}, ... } in the order of the reference; noun ("a cell") for messages;
--           is_open: other keys are taken as they are
--           a field has other_names = words by which it may be called by mistake: an unknown key gets its name
--   list:   item = descriptor, min and max count items
--   map:    item = descriptor; keys are text, of a list `keys` if that is given
--   variant: function(value) -> the descriptor to take instead, which the value names: a record with other fields
--   check:  function(value, fail, warn, run), called when everything below is right; fail(keys, message) names a place
--           relative to the value by a list of keys; run.outside is what schema.check() was given for it;
--           run.place(keys) -> the path of such a place, and its line.

local keylines = require "schema.keylines"
local schema_scalar = require "schema.scalar"
local tables = require "base.tables"
local units = require "base.units"

local schema = {}

-- A short text can repeat a table so often that the whole has billions of values.
local MAX_REPEATED <const> = 500000 -- values in tables that were visited before
local MAX_EXPLAINED <const> = 1000 -- errors from which on unknown keys are not compared with known ones

-- The order in which errors and warnings of a configuration are shown.

-- Numbers in a path compare as numbers: cells[2] before cells[10].
local function sort_key(path)
  return (path:gsub("%d+", function(digits) return ("0"):rep(9 - #digits) .. digits end))
end

-- sorted(list) -> errors or warnings, { line, path, message } each, by line, then path, then as they were found.
local function sorted_findings(list)
  for i, entry in ipairs(list) do
    entry.order, entry.sort_key = i, sort_key(entry.path)
  end
  table.sort(list, function(a, b)
    if a.line ~= b.line then
      return a.line < b.line
    elseif a.sort_key ~= b.sort_key then
      return a.sort_key < b.sort_key
    end
    return a.order < b.order
  end)
  for i, entry in ipairs(list) do
    list[i] = { line = entry.line, path = entry.path, message = entry.message }
  end
  return list
end

-- The check

local function first_line()
  return 1
end

local NOWHERE = { line = first_line, opening = first_line, repeated = function() return {} end, has_repeated = false }

local NONE <const> = {}

local check_value, check_counted

-- `keys`, the path of the value being checked, is one list that grows and shrinks.
local function add(list, line, keys, message)
  list[#list + 1] = { line = line, path = keylines.path_of(keys), message = message }
end

local function complain(run, keys, message)
  add(run.errors, run.where:line(keys), keys, message)
end

-- The field that has a key as one of its other names.
local function named_otherwise(fields, key)
  for _, field in ipairs(fields or NONE) do
    if tables.has(field.other_names or NONE, key) then return field.name end
  end
end

-- The message for an unknown key, and the name that was probably meant. fields: of a record.
local function unknown_key(names, key, fields)
  local nearest = named_otherwise(fields, key) or schema_scalar.nearest_word(names, key)
  if nearest then
    return string.format("unknown key %s; did you mean '%s'?", schema_scalar.given(key), nearest), nearest
  elseif math.type(key) == "integer" then
    return string.format("an item without a name; allowed keys: %s", table.concat(names, ", "))
  end
  return string.format("unknown key %s; allowed keys: %s", schema_scalar.given(key), table.concat(names, ", "))
end

-- Keys of a table in an order that does not depend on the run.
local function sorted_keys(value)
  local keys = {}
  for key in next, value do
    keys[#keys + 1] = key
  end
  table.sort(keys, function(a, b)
    if math.type(a) and math.type(b) then
      return a < b
    end
    local kind_a, kind_b = type(a), type(b)
    if kind_a ~= kind_b then
      return kind_a < kind_b
    end
    return kind_a == "string" and a < b
  end)
  return keys
end

local function require_table(run, d, value, keys)
  if type(value) ~= "table" then
    complain(run, keys, string.format("%s where a table belongs: %s", schema_scalar.given(value), schema.allowed(d)))
    return false
  end
  for _, entry in ipairs(run.where.has_repeated and run.where:repeated(keys) or NONE) do
    add(run.errors, entry.line, keylines.below(keys, entry.key), "given more than once; only the last would count")
  end
  return true
end

-- `keys` with one more, which left() takes off again: left(keys, check(run, d, value, entered(keys, key))).
local function entered(keys, key) keys[#keys + 1] = key return keys end
local function left(keys, ...) keys[#keys] = nil return ... end

-- Functions that read a scalar, by its type.
local READ = {}
for name, kind in next, schema_scalar.types do READ[name] = kind.read end

-- Values of scalar defaults, by descriptor: they are the same each time.
local defaults = setmetatable({}, { __mode = "k" })

local function check_default(run, field, keys)
  local known = left(keys, check_counted(run, field, field.default, entered(keys, field.name)))
  if type(known) ~= "table" and not field.check then
    defaults[field] = known
  end
  return known
end

local function absent_value(run, d, field, keys)
  if field.default ~= nil then
    return check_default(run, field, keys)
  elseif field.required then
    local message = string.format("missing; %s needs it: %s", d.noun or "this table", schema.allowed(field))
    add(run.errors, run.where:opening(keys), keylines.below(keys, field.name), message)
  end
end

local function names_of(d)
  local names = {}
  for i, field in ipairs(d.fields) do
    names[i] = field.name
  end
  return names
end

-- The set of a record's keys, by its list of fields.
local known_names = setmetatable({}, { __mode = "k" })

local function known_of(d)
  local known = known_names[d.fields]
  if not known then
    known = {}
    for _, name in ipairs(names_of(d)) do
      known[name] = true
    end
    known_names[d.fields] = known
  end
  return known
end

local function has_only(value, known)
  for key in next, value do
    if not known[key] then
      return false
    end
  end
  return true
end

-- Reports unknown keys; returns the set of the fields that they probably mean.
local function check_keys(run, d, value, keys)
  local known = known_of(d)
  if has_only(value, known) then
    return NONE
  end
  local names, meant = names_of(d), {}
  for _, key in ipairs(sorted_keys(value)) do
    if not known[key] then
      local is_shown = #run.errors < MAX_EXPLAINED
      local message, field_name = unknown_key(is_shown and names or {}, key, is_shown and d.fields)
      complain(run, keylines.below(keys, key), message)
      meant[field_name or false] = true
    end
  end
  return meant
end

-- The value of a field where nothing has to be counted or complained about, which most fields are; else nil.
local function plain_field(run, field, given)
  local read = READ[field.type]
  if not read or type(given) == "table" or field.check or field.variant or run.depth > 0 then
    return nil
  end
  return (read(field, given))
end

local function given_field(run, field, given, keys)
  local plain = plain_field(run, field, given)
  if plain ~= nil then
    return plain
  end
  return left(keys, check_value(run, field, given, entered(keys, field.name)))
end

local function check_record(run, d, value, keys)
  if not require_table(run, d, value, keys) then
    return nil
  end
  local meant, out = NONE, {}
  if d.is_open then
    for key, given in next, value do out[key] = given end
  else
    meant = check_keys(run, d, value, keys)
  end
  for _, field in ipairs(d.fields) do
    local name = field.name
    local given = value[name]
    if given ~= nil then
      out[name] = given_field(run, field, given, keys)
    elseif (field.default ~= nil or field.required) and not meant[name] then -- a misspelt key is not also missing
      local known = defaults[field]
      if known == nil then known = absent_value(run, d, field, keys) end
      out[name] = known
    end
  end
  return out
end

local function has_count(value, count)
  local entries = 0
  for _ in next, value do entries = entries + 1 end
  return entries == count
end

local function check_list(run, d, value, keys)
  if not require_table(run, d, value, keys) then
    return nil
  end
  local out, count = {}, 0
  while value[count + 1] ~= nil do
    count = count + 1
    out[count] = left(keys, check_value(run, d.item, value[count], entered(keys, count)))
  end
  for _, key in ipairs(has_count(value, count) and {} or sorted_keys(value)) do
    if not (math.type(key) == "integer" and key >= 1 and key <= count) then
      local form = "key %s in a list; items are numbered from 1 without gaps: %s"
      complain(run, keylines.below(keys, key), form:format(schema_scalar.given(key), schema.allowed(d)))
      return out
    end
  end
  if count < (d.min or 0) or count > (d.max or math.huge) then
    local message = string.format("%s %s out of range: %s", units.counted(count, "item"),
      count == 1 and "is" or "are", schema.allowed(d))
    add(run.errors, run.where:line(keys), keys, message)
  end
  return out
end

local function check_map(run, d, value, keys)
  if not require_table(run, d, value, keys) then
    return nil
  end
  local out = {}
  for _, key in ipairs(sorted_keys(value)) do
    if type(key) ~= "string" then
      complain(run, keylines.below(keys, key), string.format("key %s is not text", schema_scalar.given(key)))
    elseif d.keys and not tables.has(d.keys, key) then
      complain(run, keylines.below(keys, key), (unknown_key(d.keys, key)))
    else
      out[key] = left(keys, check_value(run, d.item, value[key], entered(keys, key)))
    end
  end
  return out
end

-- A group of settings that all have defaults, so that it can be left out.
function schema.group(name, doc, fields, check)
  return { name = name, type = "record", default = {}, doc = doc, fields = fields, noun = name, check = check }
end

function schema.integer(name, min, max, rest)
  rest.name, rest.type, rest.min, rest.max = name, "integer", min, max
  return rest
end

function schema.count(name, min, max, default, doc)
  return { name = name, type = "integer", min = min, max = max, default = default, doc = doc }
end

function schema.duration(name, min, max, default, doc)
  return { name = name, type = "duration", min = min, max = max, default = default, doc = doc }
end

-- A field below a record, or below the items of a list, by its path.
function schema.field(d, ...)
  for _, name in ipairs({ ... }) do
    local found
    for _, field in ipairs((d.item or d).fields) do
      found = field.name == name and field or found
    end
    d = found or error("no field " .. name)
  end
  return d
end

-- The descriptor that applies to a value, checked or not.
function schema.variant_of(d, value)
  return d.variant and type(value) == "table" and d.variant(value) or d
end

local TABLES = { record = check_record, list = check_list, map = check_map }

-- Runs a descriptor's own check and turns its places into places of the whole.
local function check_whole(run, d, value, keys)
  local function report(list)
    return function(relative, message)
      local place = keylines.below(keys, table.unpack(relative))
      add(list, run.where:line(place), place, message)
    end
  end
  run.place = function(relative)
    local place = keylines.below(keys, table.unpack(relative))
    return keylines.path_of(place), run.where:line(place)
  end
  d.check(value, report(run.errors), report(run.warnings), run)
end

function check_counted(run, d, value, keys)
  local errors_before = #run.errors
  local out, complaint
  if run.plain and type(value) == "table" then
    value = run.plain(value, keys, run.complain)
    if value == nil then
      return nil
    end
  end
  d = schema.variant_of(d, value)
  if TABLES[d.type] then
    out = TABLES[d.type](run, d, value, keys)
  else
    out, complaint = schema_scalar.types[d.type].read(d, value)
    if complaint then
      complain(run, keys, complaint)
    end
  end
  if d.check and #run.errors == errors_before then
    check_whole(run, d, out, keys)
  end
  return out
end

-- Counts the values in tables that were visited before; false: there are too many.
local function is_countable(run, is_again, keys)
  if run.depth > 0 or is_again then
    run.repeated = run.repeated + 1
  end
  if run.repeated == MAX_REPEATED then
    complain(run, keys, string.format("tables are repeated too often: more than %d values in them", MAX_REPEATED))
  end
  return run.repeated < MAX_REPEATED
end

function check_value(run, d, value, keys)
  local is_again = type(value) == "table" and run.visited[value]
  if not is_countable(run, is_again, keys) then
    return nil
  elseif type(value) ~= "table" then
    return check_counted(run, d, value, keys)
  end
  run.visited[value] = true
  run.depth = run.depth + (is_again and 1 or 0)
  local out = check_counted(run, d, value, keys)
  run.depth = run.depth - (is_again and 1 or 0)
  return out
end

-- check(descriptor, value, where) -> table in base units with defaults filled in (whole only without errors), errors,
-- warnings: lists of {line, path, message} by line, then path. where: keylines.scan(text); without it every line
-- is 1. plain, optional: function(value, keys, complain) -> what a table stands for, or nil after complain(keys,
-- message). outside, optional: for the descriptors' checks, what they know of the world outside of the value. Neither
-- value nor descriptor is changed.
function schema.check(descriptor, value, where, plain, outside)
  local run = { where = where or NOWHERE, plain = plain, outside = outside, errors = {}, warnings = {}, visited = {},
    depth = 0, repeated = 0 }
  run.complain = function(place, message) complain(run, place, message) end
  local out = check_value(run, descriptor, value, {})
  return out, sorted_findings(run.errors), sorted_findings(run.warnings)
end

local function count_allowed(d)
  local low = d.min or 0
  return d.max and string.format("%d .. %d items", low, d.max) or string.format("%d or more items", low)
end

-- The range of a descriptor, in words: "0 bit/s .. 6.5535 Gbit/s", "1 .. 64 items".
function schema.allowed(d)
  if d.type == "record" then
    return "a table with the keys " .. table.concat(names_of(d), ", ")
  elseif d.type == "list" then
    return count_allowed(d)
  elseif d.type == "map" then
    return d.keys and "a table with some of the keys " .. table.concat(d.keys, ", ") or "a table of names"
  end
  return schema_scalar.types[d.type].allowed(d)
end

local function default_text(d)
  if d.required then
    return "required"
  elseif d.default == nil then
    return d.absent or "none"
  elseif TABLES[d.type] then
    return next(d.default) == nil and "{}" or "see below"
  end
  return "`" .. schema_scalar.types[d.type].show(d, (schema_scalar.types[d.type].read(d, d.default))) .. "`"
end

local function row(path, d)
  local is_record = d.type == "record"
  local cells = { "`" .. path .. "`", is_record and "table" or d.type, is_record and "" or schema.allowed(d),
    default_text(d), d.doc or "" }
  for i, cell in ipairs(cells) do
    cells[i] = cell:gsub("|", "\\|")
  end
  return "| " .. table.concat(cells, " | ") .. " |"
end

local HEAD <const> = "| Key | Type | Allowed | Default | Meaning |\n| --- | --- | --- | --- | --- |\n"

-- A field with a link to the section that has its keys.
local function linked(field, section)
  local copy = tables.copy(field)
  local title = section.title:lower()
  copy.doc = string.format("%s Keys: [%s](#%s).", field.doc, title, title:gsub(" ", "-"))
  return copy
end

-- sections: by the key of the whole whose keys stand there.
local function add_rows(rows, path, d, sections)
  local nested = d
  if d.type == "list" or d.type == "map" then
    path, nested = path .. "[]", d.item
  end
  for _, field in ipairs(nested.fields or {}) do
    local place = path == "" and field.name or path .. "." .. field.name
    local section = sections[field.like or place]
    rows[#rows + 1] = row(place, section and linked(field, section) or field)
    if not section then add_rows(rows, place, field, sections) end
  end
end

-- "## Transport keys", a sentence, and the rows of some keys of the whole.
local function section_of(descriptor, section)
  local rows = {}
  for _, name in ipairs(section.keys) do
    local field = schema.field(descriptor, name)
    rows[#rows + 1] = row(name, field)
    add_rows(rows, name, field, {})
  end
  return "\n## " .. section.title .. "\n\n" .. section.about .. "\n\n" .. HEAD .. table.concat(rows, "\n") .. "\n"
end

-- document(descriptor) -> a Markdown table of all keys below a record, as text. Behind it a table for each of its
-- `sections`, { title =, about =, keys = of the record }: it has what is below these keys, which also fields that are
-- `like` one of them link to.
function schema.document(descriptor)
  local rows, by_key, parts = {}, {}, {}
  for i, section in ipairs(descriptor.sections or {}) do
    for _, name in ipairs(section.keys) do by_key[name] = section end
    parts[i] = section_of(descriptor, section)
  end
  add_rows(rows, "", descriptor, by_key)
  return HEAD .. table.concat(rows, "\n") .. "\n" .. table.concat(parts)
end

-- The units of each kind of quantity, as a Markdown list.
function schema.document_units()
  local lines = {}
  for _, kind in ipairs({ "rate", "octets", "duration", "percent" }) do
    lines[#lines + 1] = string.format("- %s: %s", kind, units.names(kind))
  end
  return table.concat(lines, "\n") .. "\n"
end

return schema
