-- SPDX-License-Identifier: BSD-3-Clause
-- docs/machines has a drawing of each state machine, and docs/state-machines.md shows each.

local fsm = require "base.fsm"
local spec_tools = require "spec_tools"

local read = spec_tools.read

local function load_all()
  local list = assert(io.popen("grep -l 'fsm.define({' lua/*/*.lua"))
  for path in list:lines() do require((path:gsub("^lua/", ""):gsub("%.lua$", ""):gsub("/", "."))) end
  list:close()
end

local function has(svg, event, action)
  local text = (action and event .. " / " .. action or event):gsub("%-", "&#45;")
  return svg:find(">" .. text .. "<", 1, true)
end

load_all()
local names = {}
for name in pairs(fsm.defined) do names[#names + 1] = name end
table.sort(names)

describe("docs/machines", function()
  it("has the machines of the control plane", function() assert.is_true(#names >= 20) end)

  for _, name in ipairs(names) do
    it(name .. " is what scripts/draw-fsm.sh draws: every state and row is there", function()
      local svg = read("docs/machines/" .. name .. ".svg")
      for _, item in ipairs(fsm.rows(fsm.defined[name])) do
        assert.is_truthy(has(svg, item.event, item.row.action), item.event)
        assert.is_truthy(item.state == "*" or svg:find(">" .. item.state .. "<", 1, true), item.state)
      end
    end)

    it(name .. " is shown in docs/state-machines.md", function()
      assert.is_truthy(read("docs/state-machines.md"):find("](machines/" .. name .. ".svg)", 1, true), name)
    end)
  end
end)
