-- SPDX-License-Identifier: BSD-3-Clause
-- Counters of tables that are shown: each row is counted, and what is counted has a row.
local shown = require "base.shown"

-- All Lua of a folder, but for the rows themselves.
local function text_of(folder)
  local list, parts = assert(io.popen("ls " .. folder .. "/*.lua")), {}
  for path in list:lines() do
    if not path:find("shown.lua", 1, true) then parts[#parts + 1] = assert(io.open(path)):read("a") end
  end
  list:close()
  return table.concat(parts)
end

-- Whether a counter is counted by its name, or by its last words behind another text ("compression_" .. outcome).
local function is_counted(text, name)
  local words = name
  while words do
    if text:find('"' .. words .. '"', 1, true) then return true end
    words = words:match("_(.+)$")
  end
  return text:find("counts%." .. name .. "%f[^%w_]") ~= nil
end

-- Frames whose names are those of the codec (gbflow_llc).
local FRAMES <const> = { null = true, sabm = true, disc = true, ua = true, dm = true, frmr = true }

describe("rows of counters", function()
  for _, row in ipairs({ { "gn", "gtpc_counts" }, { "llc", "llc_counts" } }) do
    local folder, name = row[1], row[2]
    it(name .. " are all counted", function()
      local text = text_of("lua/" .. folder)
      for _, counter in ipairs(require(folder .. ".shown")[name]) do
        assert.is_true(FRAMES[counter.name] or is_counted(text, counter.name), counter.name)
      end
      assert.is_false(is_counted(text, "nothing"))
    end)
  end

  it("are what their constructor says", function()
    local function row(kind, unit)
      return { name = "a", kind = kind, unit = unit, sentence = unit == "" and "B." or "C." }
    end
    assert.same({ row("TEXT", ""), row("NUMBER", ""), row("COUNTER", "u"), row("GAUGE", "u") },
      { shown.text("a", "B."), shown.number("a", "B."), shown.counter("a", "u", "C."), shown.gauge("a", "u", "C.") })
    assert.same({ name = "a", kind = "HIDDEN", unit = "", sentence = "" }, shown.hidden("a"))
  end)

  it("begin with 0, and nothing else is counted but what each machine counts", function()
    local counts = shown.zeros({ shown.counter("sent", "messages", "Messages sent.") })
    assert.same({ sent = 0 }, counts)
    counts.sent, counts.timer_stale, counts.machine_unexpected = 1, 2, 3
    assert.same({ sent = 1, timer_stale = 2, machine_unexpected = 3 }, counts)
    assert.has_error(function() counts.send = 1 end, "no row shows the counter send")
    assert.has_error(function() counts.a_unexpected_b = 1 end, "no row shows the counter a_unexpected_b")
  end)
end)
