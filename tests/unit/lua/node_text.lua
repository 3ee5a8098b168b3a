-- SPDX-License-Identifier: BSD-3-Clause
-- A right node configuration for tests to spoil, by replacing one piece of it.

local node_text = {}

node_text.GOOD = [[
return {
  gb = { address = "10.99.0.1" },
  nses = {
    {
      nsei = 101,
      nsvcs = { { nsvci = 101, address = "10.99.0.2" } },
      cells = {
        { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } },
        { bvci = 1801, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 2 } },
      },
    },
  },
  mobiles = { queue_limit = "64 kB", cells = { 1801 } },
  lifetime = { sgsn_max = "15 s" },
  emulated_bss = {
    {
      nsei = 101,
      cells = {
        { bvci = 1800,
          bvc = { bucket = "10000 octets", rate = "80 kbit/s" },
          ms_default = { bucket = "20000 octets", rate = "40 kbit/s" } },
      },
    },
  },
}
]]

-- The good text with the first `piece` replaced; it has to be there.
function node_text.with(piece, replacement)
  local from, to = node_text.GOOD:find(piece, 1, true)
  assert(from, piece)
  return node_text.GOOD:sub(1, from - 1) .. replacement .. node_text.GOOD:sub(to + 1)
end

-- The good text with a list of mobiles in place of the learned ones.
function node_text.with_list(list)
  return node_text.with('queue_limit = "64 kB", cells = { 1801 }', 'source = "list",\nlist = {\n' .. list .. "\n}")
end

return node_text
