-- SPDX-License-Identifier: BSD-3-Clause
-- The rows of docs/values.txt: which function reads each field of a message that comes in. As a program it prints
-- docs/values.md; tests/unit/lua/values_spec.lua has the fields of the codecs.
--
--   values.read(lines)                 sections of an iterator of lines: { name =, title =, holders = words before the
--                                      fields, folders = how paths begin, lines = { cells... }, rows = { { of =
--                                      "attach_request" or "any", field =, reader = (nil: none), others = (of one
--                                      without: functions that read that of another message), told = text, line =
--                                      number }... } }
--   values.faults(sections, fields, reads)   texts, none if all is right; fields: by the name of a section { of = {
--                                      field = true }... }; reads: of values_reads
--   values.page(sections)              the text of docs/values.md
local values = {}

local COLUMNS <const> = "^(.-) | (.-) | (.-) | (.+)$"

local function each_word(text) return text:gmatch("%S+") end

local function add_rows(section, number, line)
  local of, fields, reader, told = line:match(COLUMNS)
  assert(of, ("line %d: a row has four columns"):format(number))
  for one in each_word(of) do
    for field in each_word(fields) do
      table.insert(section.rows, { of = one, field = field, reader = reader:match("^[^-]%S*$"), told = told,
        others = reader:match("^%-(.*)"), line = number })
    end
  end
  table.insert(section.lines, { of = of, fields = fields, reader = reader, told = told })
end

function values.read(lines)
  local sections, number = {}, 0
  for line in lines do
    number = number + 1
    local name, holders, title = line:match("^%[(%w+): (.-)%] (.+)$")
    if name then
      local words, folders = holders:match("^(.-) in (.+)$")
      table.insert(sections, { name = name, holders = words, folders = folders, title = title, rows = {}, lines = {} })
    elseif #sections > 0 and line ~= "" then
      add_rows(sections[#sections], number, line)
    end
  end
  return sections
end

-- --- faults

local function note(faults, row, text, ...)
  table.insert(faults, ("docs/values.txt:%d: %s.%s "):format(row.line, row.of, row.field) .. text:format(...))
end

-- Rows without a field, and fields without a row or with two.
local function compare(faults, section, fields)
  local seen = {}
  for _, row in ipairs(section.rows) do
    local key = row.of .. "." .. row.field
    if seen[key] then note(faults, row, "has two rows") end
    seen[key] = true
    if not (fields[row.of] and fields[row.of][row.field]) then note(faults, row, "is no field of %s", section.name) end
  end
  for of, names in pairs(fields) do
    for field in pairs(names) do
      if not seen[of .. "." .. field] then
        table.insert(faults, ("%s: %s.%s is decoded, and has no row in docs/values.txt"):format(section.name, of,
          field))
      end
    end
  end
end

-- The functions that read a field of this name, by some row.
local function named_readers(sections)
  local named = {}
  for _, section in ipairs(sections) do
    for _, row in ipairs(section.rows) do
      named[row.field] = named[row.field] or {}
      if row.reader then named[row.field][row.reader] = true end
    end
  end
  return named
end

-- Whether a field is read from a variable of the section.
local function is_held(section, words)
  for word in each_word(section.holders) do
    if words and words[word] then return true end
  end
  return false
end

local function is_in(section, reader)
  for folder in each_word(section.folders) do
    if reader:find(folder, 1, true) == 1 then return true end
  end
  return false
end

-- No function that gets such messages reads it but those that read a field of its name of another message.
local function check_ignored(faults, section, row, named, reads)
  local others, readers = {}, reads.readers[row.field] or {}
  if not row.told:find("%d%d%.%d%d%d §%d") then note(faults, row, "is ignored without a clause") end
  for other in each_word(row.others) do
    others[other] = true
    if not is_held(section, readers[other]) then note(faults, row, "is not read by %s", other) end
  end
  for reader, words in pairs(readers) do
    if is_in(section, reader) and is_held(section, words) and not named[row.field][reader] and not others[reader] then
      note(faults, row, "is ignored, but %s reads it", reader)
    end
  end
end

local function check_reader(faults, section, row, reads)
  local fields = reads.functions[row.reader]
  local words = fields and fields[row.field] or {}
  if not fields then return note(faults, row, "has a reader that is not there: %s", row.reader) end
  local is_read = is_held(section, words) or words['"'] or row.reader:find("^dataplane/wire") and next(words)
  if not is_read then note(faults, row, "is not read by %s", row.reader) end
  if not is_in(section, row.reader) then note(faults, row, "has a reader of another protocol: %s", row.reader) end
end

function values.faults(sections, fields, reads)
  local faults, named = {}, named_readers(sections)
  for _, section in ipairs(sections) do
    compare(faults, section, fields[section.name] or {})
    for _, row in ipairs(section.rows) do
      if row.reader then
        check_reader(faults, section, row, reads)
      else
        check_ignored(faults, section, row, named, reads)
      end
    end
  end
  table.sort(faults)
  return faults
end

-- --- the page

local HEAD <const> = [[
<!-- Made by scripts/gen-docs.sh from docs/values.txt; change that one. -->

# What becomes of each value

All fields of the messages that come to the control plane, with the function that reads each, and where its value goes.
A field that no function reads has the clause by which it is ignored. Unknown elements are skipped. Headers that workers
read (GTP-U, LLC, SNDCP, IP), ARP and DNS are not here. The test `lua values_spec`
compares the tables with the codecs and with what the functions read. `tests/system/interop/test_values.py` reads values
at their other ends ([interop.md](interop.md)).]]

local function code(text) return (text:gsub("%S+", "`%0`")) end

local function reader_of(line)
  if line.reader:sub(1, 1) == "-" then return "none" end
  local path, name = line.reader:match("^(.*):(.*)$")
  if not path:find("^dataplane") then path = "lua/" .. path end
  return name == "file" and ("`%s`"):format(path) or ("`%s`, `%s`"):format(path, name)
end

function values.page(sections)
  local out = { HEAD }
  for _, section in ipairs(sections) do
    table.insert(out, ("\n## %s\n"):format(section.title))
    table.insert(out, "| message | fields | read by | where it goes, or why not |\n| --- | --- | --- | --- |")
    for _, line in ipairs(section.lines) do
      local of = line.of == "any" and "any" or code(line.of)
      table.insert(out, ("| %s | %s | %s | %s |"):format(of, code(line.fields), reader_of(line), line.told))
    end
  end
  return table.concat(out, "\n") .. "\n"
end

if ... ~= "values" then io.write(values.page(values.read(io.lines("docs/values.txt")))) end

return values
