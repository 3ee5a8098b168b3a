-- SPDX-License-Identifier: BSD-3-Clause
-- Reasons why a value of the configuration cannot change while the node runs, and its line in the new text.

local keylines = require "schema.keylines"

local node_refusals = {}

-- The first row that matches a path applies.
local REASONS <const> = {
  { "^workers", "workers, and the rings between them, are made at the start" },
  { "^limits%.fragments", "memory for them is taken at the start" },
  { "^limits%.lua_", "the limits of Lua are set at the start" },
  { "^limits%.", "memory for it is taken at the start: it can become less, and again what it was then" },
  { "^queues%.extra_flows", "it follows from limits.contexts: memory for it is taken at the start" },
  { "^g[nb]%.port", "devices are opened at the start" },
  { "^g[nb]%.", "workers, neighbours and NS-VCs were told of it at the start" },
  { "^live%.metrics", "the HTTP server is started once" },
  { "^live%.", "threads and their processors are settled at the start" },
  { "^eal%.", "DPDK is set up once" },
  { "^nses%[%d+%]%.worker", "an NSE, its cells and its mobiles stay with their worker" },
  { "^nses%[%d+%]%.cells", "a cell keeps its identity; take it out and put it in again" },
  { "^nses%[%d+%]", "the BSS was told of it; take the NSE out and put it in again" },
  { "^mobiles%.", "it is what all mobiles were made with" },
  { "^queues%.", "queues and AQM schemes are made with it at the start" },
  { "^emulated_bss", "a live node emulates none" },
}

local function reason_of(path)
  for _, row in ipairs(REASONS) do
    if path:find(row[1]) then return row[2] end
  end
  return "it is read at the start"
end

-- explain(paths, text, filename) -> lines "FILE:LINE: PATH cannot change while the node runs: REASON". A key that was
-- removed from the text has the line of its table.
function node_refusals.explain(paths, text, filename)
  local where, lines = keylines.scan(text), {}
  for i, path in ipairs(paths) do
    lines[i] = string.format("%s:%d: %s cannot change while the node runs: %s", filename, where:line(path), path,
      reason_of(path))
  end
  return lines
end

return node_refusals
