-- SPDX-License-Identifier: BSD-3-Clause
-- docs/values.txt: each field that comes in has a row, whose reader reads it or whose clause says why none does;
-- docs/values.md is made of it. Planted faults are found.
package.path = "scripts/?.lua;" .. package.path
local fields = require "values_fields"
local spec_tools = require "spec_tools"
local values = require "values"
local values_reads = require "values_reads"

-- Of the node: codecs read no field, and emulated phones and BSSs are other ends.
local FOLDERS <const> = "lua/base lua/gb lua/gmm lua/gn lua/gsup lua/llc lua/mobile lua/sm lua/sms dataplane/worker"

local function paths_of(folders)
  local paths, pipe = { "dataplane/wire/bssgp.c" }, assert(io.popen("ls " .. folders:gsub("%S+", "%0/*.*")))
  for path in pipe:lines() do
    if path:find("%.lua$") or path:find("%.[ch]$") then paths[#paths + 1] = path end
  end
  assert.is_true(pipe:close())
  return paths
end

local reads = values_reads.new(paths_of(FOLDERS))
local text = spec_tools.read("docs/values.txt")

local function faults_of(rows)
  return table.concat(values.faults(values.read(rows:gmatch("([^\n]*)\n")), fields, reads), "\n")
end

local function replaced(what, with)
  local from, to = text:find(what, 1, true)
  assert(from, what)
  return text:sub(1, from - 1) .. with .. text:sub(to + 1)
end

local STATUS <const> = "gmm/machine.lua:send_rau_accept | contexts"
local UL <const>, DETACH <const> = "ul_unitdata | imsi | - gb/paging.lua:", "detach_request | signature | -"
local LEAVER <const> = "gmm/relocation.lua:take_contexts"

-- What is wrong, text of docs/values.txt, what is there in its place, and a part of what is said.
local PLANTED <const> = {
  { "a row that is gone", "rau_request | pdp_status | " .. STATUS .. " that the phone has lost end\n", "",
    "gmm: rau_request.pdp_status is decoded, and has no row in docs/values.txt" },
  { "a row without a field", "rau_request | pdp_status |", "rau_request | pdp_status elder |",
    "rau_request.elder is no field of gmm" },
  { "a second row", "sm_status | cause |", "sm_status | cause cause |", "sm_status.cause has two rows" },
  { "a reader that does not read", STATUS, "gmm/machine.lua:complete | contexts",
    "rau_request.pdp_status is not read by gmm/machine.lua:complete" },
  { "a reader that is not there", STATUS, "gmm/machine.lua:elder | contexts",
    "rau_request.pdp_status has a reader that is not there: gmm/machine.lua:elder" },
  { "a reader of another protocol", STATUS, "gn/session.lua:is_accepted | contexts",
    "rau_request.pdp_status has a reader of another protocol: gn/session.lua:is_accepted" },
  { "an ignored field that is read", STATUS, "- | 24.008 §9.4: contexts",
    "rau_request.pdp_status is ignored, but gmm/machine.lua:send_rau_accept reads it" },
  { "an exception that does not read", UL .. "send_page", UL .. "page",
    "ul_unitdata.imsi is not read by gb/paging.lua:page" },
  { "a reader of which no exception is made", DETACH .. " " .. LEAVER, DETACH,
    "detach_request.signature is ignored, but " .. LEAVER .. " reads it" },
  { "an ignored field without a clause", "24.011 §8.2.5.1: empty", "empty",
    "rp_data.originator is ignored without a clause" },
  { "a field of C that is not read", "dataplane/worker/gb_rx.c:receive_unitdata", "dataplane/worker/gb_rx.c:punt",
    "ul_unitdata.tlli is not read by dataplane/worker/gb_rx.c:punt" },
}

describe("the fields of messages that come in", function()
  it("have rows with their readers", function() assert.equal("", faults_of(text)) end)

  it("stand in docs/values.md", function()
    assert.equal(values.page(values.read(text:gmatch("([^\n]*)\n"))), spec_tools.read("docs/values.md"),
      "run scripts/gen-docs.sh")
  end)

  it("are missed where a codec has a new one", function()
    fields.gmm.gmm_status.elder = true
    local faults = faults_of(text)
    fields.gmm.gmm_status.elder = nil
    assert.truthy(faults:find("gmm: gmm_status.elder is decoded, and has no row in docs/values.txt", 1, true), faults)
  end)

  for _, row in ipairs(PLANTED) do
    it("are compared with " .. row[1], function()
      assert.truthy(faults_of(replaced(row[2], row[3])):find(row[4], 1, true), faults_of(replaced(row[2], row[3])))
    end)
  end
end)
