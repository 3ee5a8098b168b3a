-- SPDX-License-Identifier: BSD-3-Clause
-- A part of the build: bytecode of Lua modules, and rows for C. Its arguments:
--
--   code FILE NAME       writes its bytecode to standard output, with lines and names. Loading that takes a seventh of
--                        the time that parsing the text takes. NAME is that of messages, "@lua/base/units.lua".
--   rows OUT.h FILE...   writes for each table of rows of modules shown.lua (base.shown) a macro that gives its rows,
--                        one after the other, to another macro (control/report/lua_rows.h)
local FORM <const> = "    ROW(%s, %s, %s, %q, %q)"

local function put_code(path, name)
  io.write(string.dump(assert(load(assert(io.open(path, "rb")):read("a"), name, "t"))))
end

local function macro_of(name, rows)
  local lines = { ("#define LUA_ROWS_%s(ROW)"):format(name) }
  for _, row in ipairs(rows) do
    lines[#lines + 1] = FORM:format(name, row.kind, row.name, row.unit, row.sentence)
  end
  return table.concat(lines, " \\\n")
end

local function tables_of(path)
  local root, folder, module = path:match("^(.*)/(%w+)/(%w+)%.lua$")
  package.path = root .. "/?.lua"
  return require(folder .. "." .. module)
end

local function put_rows(out, ...)
  local macros, names = {}, {}
  for _, path in ipairs({ ... }) do
    for name, rows in pairs(tables_of(path)) do
      assert(not macros[name], name .. ": two tables have this name")
      names[#names + 1], macros[name] = name, macro_of(name, rows)
    end
  end
  table.sort(names)
  local parts = { "/* SPDX-License-Identifier: BSD-3-Clause */\n/* Generated from lua/: rows of tables. */" }
  for i, name in ipairs(names) do parts[i + 1] = macros[name] end
  assert(io.open(out, "w")):write(table.concat(parts, "\n\n"), "\n"):close()
end

local modes = { code = put_code, rows = put_rows }
modes[arg[1]](table.unpack(arg, 2))
