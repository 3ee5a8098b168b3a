-- SPDX-License-Identifier: BSD-3-Clause
-- The keys of a node's configuration that may change while the node runs, and how two configurations differ.
--
--   changes.row_of(path)        the row of a key, such as `nses[].cells[].bvci`: its own, or that of the nearest key
--                               above it
--   changes.compare(old, new)   { { path =, row =, before =, after =, moves = }, ... }: the keys that differ of two
--                               checked nodes, in the order of the schema, with their values as texts, and whether
--                               one has no value; not those of mobiles.list
--   changes.effective(node)     a line for each key of a checked node: its path, a tabulator, its value
--   changes.document()          the rows for the reference, in Markdown
--
-- A row has the path of the keys that it is for, and
--   restart    the key changes by a restart of the node alone: why
--   at_once    it changes by a reload; true, or what there is to say
--   with       of restart: a key with which together it changes at once
--   sets       of at_once: the part of the differences (node.diff) that says so
--   presence   of at_once: why a record may not come or go, or a limit not rise

local keylines = require "schema.keylines"
local node_schema = require "node.schema"
local capabilities = require "node.capabilities"
local schema = require "schema.schema"
local schema_scalar = require "schema.scalar"

local changes = {}

local TOLD <const> = "workers, neighbours and NS-VCs were told of it at the start"
local DEVICE <const> = "devices are opened at the start"
local BEGINS <const> = "it is read when the NSE begins; take the NSE out and put it in again"
local MEMORY <const> = "memory for it is taken at the start"
local LINKS <const> = "memory for links is taken at the start; give `links` as many as will be needed"
local LINK <const> = "memory for the frames of a link is taken at the start"
local LUA <const> = "the limits of Lua are set at the start"
local CODE <const> = "code is loaded at the start alone"

changes.ROWS = capabilities.filled({
  { "workers", restart = "workers, and the rings between them, are made at the start" },
  { "gn", restart = TOLD },
  { "gn.port", restart = DEVICE },
  { "gn.addresses", at_once = "one that is taken out is answered for until the restart", sets = "addresses" },
  { "gn.gtpc", at_once = "for requests that are sent, and times that begin, from then on", sets = "gtpc" },
  { "gn.gtpc.restart_file", restart = "the file is read at the start" },
  { "gb", restart = TOLD },
  { "gb.port", restart = DEVICE },
  capabilities.HERE,
  { "crypto", restart = "the engine is chosen at the start" },
  { "nses", at_once = "an NSE with another `nsei` is another one" },
  { "nses[]", restart = BEGINS },
  { "nses[].worker", restart = "an NSE, its cells and its mobiles stay with their worker" },
  { "nses[].nsvcs", at_once = "an NS-VC that differs is deleted and made again" },
  { "nses[].sns.endpoints", at_once = "the BSS is told by SNS-ADD, SNS-DELETE and SNS-CHANGEWEIGHT" },
  { "nses[].cells", at_once = "a cell with another `bvci` is another one" },
  { "nses[].cells[].cell_id", restart = "a cell keeps its identity; take it out and put it in again" },
  { "nses[].gb", at_once = true },
  { "nses[].flow_control", at_once = true },
  { "nses_accepted", restart = "memory and rules of its NSEs are set at the start" },
  { "nses_accepted.flow_control", at_once = true, sets = "accepted" },
  { "mobiles", restart = "it is what all mobiles were made with" },
  { "mobiles.list", at_once = "a mobile that differs is deleted and made again; of a context over GTP-C the class "
    .. "changes; a phone with the IMSI of a new one is forgotten" },
  { "mobiles.file", at_once = "likewise" },
  { "mobiles.queue_limit", at_once = "for N-PDUs that come", sets = "limits" },
  { "mobiles.ready_timer", at_once = true, sets = "limits" },
  { "queues", restart = "queues are made with it at the start" },
  { "queues.weights", at_once = true, sets = "limits" },
  { "queues.mobile", at_once = "for N-PDUs that come", sets = "limits" },
  { "queues.budget_packets", at_once = "for N-PDUs that come", sets = "limits" },
  { "queues.reserve_packets", at_once = "for N-PDUs that come", sets = "limits" },
  { "queues.flow_quantum", at_once = true, sets = "limits" },
  { "queues.aqm", at_once = "for N-PDUs that come; the scheme of a class that differs begins with fresh states and "
    .. "counters" },
  { "queues.aqm.plugin", restart = CODE },
  { "queues.aqm.lua", restart = CODE },
  { "queues.class", at_once = "for N-PDUs that come", sets = "limits" },
  { "queues.class[].order", restart = "queues are made with it at the start" },
  { "queues.class[].aqm", at_once = "as `queues.aqm`" },
  { "queues.class[].aqm.plugin", restart = CODE },
  { "queues.class[].aqm.lua", restart = CODE },
  { "lifetime", at_once = "also for N-PDUs that are queued", sets = "limits" },
  { "flow_control", at_once = true },
  { "emulated_bss", restart = "a live node emulates none" },
  { "timers", at_once = true, sets = "timers" },
  { "llc", at_once = "for XID that comes, and times that begin, from then on", sets = "llc" },
  { "llc.reset_at_start", restart = "mobiles are reset at the start" },
  { "llc.acknowledged", at_once = "for links that are established, and XID that comes, from then on", sets = "llc" },
  { "llc.acknowledged.links", restart = LINKS },
  { "llc.acknowledged.buffers", restart = LINKS },
  { "llc.acknowledged.k_down", restart = LINK },
  { "llc.acknowledged.k_up", restart = LINK },
  { "sndcp", restart = "memory for entities is taken at the start, and mobiles have agreed on the values" },
  { "phones", at_once = "for messages of phones that come, while there is `phones` (docs/serve.md)", sets = "phones",
    presence = "what phones attach to is made at the start" },
  { "phones.hlr", at_once = "the connection to the former HLR ends, and what it was asked fails; phones that are "
    .. "there are asked of the new one at their next attach or update", sets = "phones" },
  { "phones.records", at_once = "in the new file from the next record on; one that has the same name is opened again",
    sets = "phones", presence = "workers count what contexts carry from the start" },
  { "phones.records.every", at_once = "for the records in progress, too", sets = "phones" },
  { "phones.records.format", restart = "the lines of a file have one format; name another file, too",
    with = "phones.records.file", sets = "phones" },
  { "phones.pool", at_once = "for phones that attach or update from now on", sets = "phones" },
  { "phones.area_checks", restart = "workers were told of it at the start" },
  { "phones.suspended", restart = "workers were told of it at the start" },
  { "limits", at_once = "up to its value at the start", sets = "limits",
    presence = "memory for it is taken at the start: it can become less, and again what it was then" },
  { "limits.fragments", restart = MEMORY },
  { "limits.lua_call", restart = LUA },
  { "limits.lua_errors", restart = LUA },
  { "limits.lua_memory", restart = LUA },
  { "live", restart = "threads and their processors are settled at the start" },
  { "live.idle", at_once = true, sets = "live" },
  { "live.max_sleep", at_once = true, sets = "live" },
  { "live.log_lines", at_once = true, sets = "live" },
  { "live.metrics", at_once = "the HTTP server starts, ends or moves; scrapes that it answers are completed",
    sets = "live" },
  { "eal", restart = "DPDK is set up once" },
}, "CHANGES")

local BY_PATH <const> = {}
for _, row in ipairs(changes.ROWS) do BY_PATH[row[1]] = row end

function changes.row_of(path)
  while not BY_PATH[path] and path ~= "" do
    path = path:match("^(.*)%[%]$") or path:match("^(.*)%.[^.]*$") or ""
  end
  return BY_PATH[path]
end

function changes.is_same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then
    return a == b
  end
  for key, value in pairs(a) do
    if not changes.is_same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

-- Values as texts

local LONGEST <const>, MOST_ITEMS <const> = 100, 8

local text_of

local function texts_of_fields(d, value)
  local parts = {}
  for _, field in ipairs(schema.variant_of(d, value).fields) do
    if value[field.name] ~= nil then
      parts[#parts + 1] = field.name .. " = " .. text_of(field, value[field.name])
    end
  end
  return parts
end

local function texts_of_items(d, value)
  local parts = {}
  for i, item in ipairs(value) do parts[i] = text_of(d.item, item) end
  return parts
end

function text_of(d, value)
  if value == nil then return "none" end
  if type(value) ~= "table" then
    return d.is_secret and "(secret)" or schema_scalar.types[d.type].show(d, value)
  end
  if d.type == "list" and #value > MOST_ITEMS then return #value .. " items" end
  local parts = d.type == "record" and texts_of_fields(d, value) or texts_of_items(d, value)
  local text = "{ " .. table.concat(parts, ", ") .. " }"
  return #text > LONGEST and text:sub(1, LONGEST) .. "..." or text
end

-- The comparison

-- The key that tells the items of a list apart, in place of their position; lists without are one value.
local IDENTITIES <const> = { ["nses"] = "nsei", ["nses[].nsvcs"] = "nsvci", ["nses[].cells"] = "bvci",
  ["phones.apns"] = "name" }
local SKIPPED <const> = { ["mobiles.list"] = true } -- counted elsewhere
local ABSENT <const> = { ["queues.class[].order"] = "mobiles" } -- what it means that a key is not there
local NOTHING <const> = {}

local walk

-- A key that its record lacks means what the reference says.
local function shown(d, value, is_in_record)
  return value == nil and is_in_record and d.absent and d.absent:gsub("`", "") or text_of(d, value)
end

local function report(list, d, place, before, after)
  list[#list + 1] = { path = keylines.path_of(place.keys), row = changes.row_of(place.path), keys = place.keys,
    moves = before == nil or after == nil, before = shown(d, before, place.was_there),
    after = shown(d, after, place.is_there) }
end

local function below(place, key, name)
  return { keys = keylines.below(place.keys, key), path = place.path == "" and name or place.path .. name }
end

-- Whether a record is compared as a whole: one that comes or goes and may not, or a choice of another kind.
local function is_whole(d, place, before, after)
  local is_moved = before == nil or after == nil
  local row = changes.row_of(place.path)
  if d.variant then return is_moved or before.scheme ~= after.scheme end
  return is_moved and row and (row.restart or row.presence) ~= nil
end

local function walk_record(list, d, place, before, after)
  if is_whole(d, place, before, after) then return report(list, d, place, before, after) end
  local was_there, is_there = before ~= nil, after ~= nil
  before, after = before or NOTHING, after or NOTHING
  for _, field in ipairs(schema.variant_of(d, next(after) and after or before).fields) do
    local inner = below(place, field.name, place.path == "" and field.name or "." .. field.name)
    inner.was_there, inner.is_there = was_there, is_there
    walk(list, field, inner, before[field.name], after[field.name])
  end
end

local function index_by(list, field)
  local items = {}
  for i, item in ipairs(list or NOTHING) do items[item[field]] = i end
  return items
end

local function name_of(identity, item)
  return item and identity .. " " .. tostring(item[identity]) or "none"
end

local function walk_list(list, d, place, before, after)
  local identity = IDENTITIES[place.path]
  if not identity then return report(list, d, place, before, after) end
  before, after = before or NOTHING, after or NOTHING
  local known, left = index_by(before, identity), index_by(after, identity)
  for i, item in ipairs(after) do
    local inner = below(place, i, "[]")
    local was = before[known[item[identity]]]
    if was then
      walk(list, d.item, inner, was, item)
    else
      list[#list + 1] = { path = keylines.path_of(inner.keys), keys = inner.keys, row = changes.row_of(place.path),
        moves = true, before = "none", after = name_of(identity, item) }
    end
  end
  for i, item in ipairs(before) do
    if not left[item[identity]] then
      list[#list + 1] = { path = keylines.path_of(keylines.below(place.keys, i)), row = changes.row_of(place.path),
        keys = keylines.below(place.keys, i), moves = true, before = name_of(identity, item), after = "none" }
    end
  end
end

local function walk_map(list, d, place, before, after)
  for _, key in ipairs(d.keys) do
    walk(list, d.item, below(place, key, "[]"), (before or NOTHING)[key], (after or NOTHING)[key])
  end
end

local WALKS <const> = { record = walk_record, list = walk_list, map = walk_map }

function walk(list, d, place, before, after)
  local absent = ABSENT[place.path]
  if absent then before, after = before or absent, after or absent end
  if SKIPPED[place.path] or changes.is_same(before, after) then return end
  (WALKS[d.type] or report)(list, d, place, before, after)
end

function changes.compare(old, new)
  local list = {}
  walk_record(list, node_schema, { keys = {}, path = "" }, old, new)
  return list
end

-- All values

local print_value

local function print_fields(lines, d, path, value)
  for _, field in ipairs(schema.variant_of(d, value).fields) do
    print_value(lines, field, path == "" and field.name or path .. "." .. field.name, value[field.name])
  end
end

function print_value(lines, d, path, value)
  if value == nil then
    lines[#lines + 1] = path .. "\t- (" .. (d.absent or "none") .. ")"
  elseif d.type == "record" then
    print_fields(lines, d, path, value)
  elseif d.type == "map" then
    for _, key in ipairs(d.keys) do
      if value[key] then print_value(lines, d.item, path .. "." .. key, value[key]) end
    end
  elseif d.type == "list" and d.item.type == "record" and not SKIPPED[path] and IDENTITIES[path:gsub("%d+", "")] then
    for i, item in ipairs(value) do print_value(lines, d.item, path .. "[" .. i .. "]", item) end
  elseif SKIPPED[path] then
    lines[#lines + 1] = path .. "\t" .. #value .. " items"
  else
    lines[#lines + 1] = path .. "\t" .. text_of(d, value)
  end
end

function changes.effective(node)
  local lines = {}
  print_fields(lines, node_schema, "", node)
  return table.concat(lines, "\n") .. "\n"
end

-- The reference

local function sentence_of(row)
  if row.with then return ("at once with `%s`; else restart, because %s"):format(row.with, row.restart) end
  if row.restart then return "restart, because " .. row.restart end
  local text = row.at_once == true and "at once" or "at once: " .. row.at_once
  return row.presence and text .. "; else restart, because " .. row.presence or text
end

function changes.document()
  local lines = { "\n## Changes while the node runs\n",
    "The effect of a reload ([serve.md](../serve.md#reload)). The row of a key is its own, or that of the nearest key "
      .. "above it.\n", "| Key | Changes |", "| --- | --- |" }
  for _, row in ipairs(changes.ROWS) do
    lines[#lines + 1] = "| `" .. row[1] .. "` | " .. sentence_of(row) .. " |"
  end
  return table.concat(lines, "\n") .. "\n"
end

return changes
