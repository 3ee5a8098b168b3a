-- SPDX-License-Identifier: BSD-3-Clause
-- A right scenario for tests to spoil, by replacing one piece of it.

local scenario_text = {}

scenario_text.GOOD = [[
return {
  title = "Test", duration = "60 s",
  network = { server_delay = "20 ms" },
  sgsn = { n201_u = "500 octets",
    lifetime = { sgsn_max = "15 s" } },
  cells = {
    { bvci = 2, pdchs = 4, coding = "CS-2",
      tbf = { setup = "200 ms" }, buffer = { mobile = "1 MB" },
      flow_control = { bucket_time = "1 s",
        bvc = { rate = "48 kbit/s" } } },
    { bvci = 3, pdchs = 1, coding = "CS-4", bler = "5 %" },
  },
  mobiles = {
    { name = "anna", cell = 2,
      traffic = {
        { download = { octets = "300 kB", start = "1 s" } },
        { ping = { every = "1 s" } },
      } },
    { name = "bert", cell = 3, class = "thp2",
      traffic = { { web = { items = 30,
        tcp = { sack = false } } } } },
    { name = "carl", count = 2,
      traffic = { { cbr = { rate = "8 kbit/s" } } } },
  },
  tcp = { mss = "1460 octets" },
  series = { every = "1 s" },
}
]]

-- The good text with the first `piece` replaced; it has to be there.
function scenario_text.with(piece, replacement)
  local from, to = scenario_text.GOOD:find(piece, 1, true)
  assert(from, piece)
  return scenario_text.GOOD:sub(1, from - 1) .. replacement .. scenario_text.GOOD:sub(to + 1)
end

return scenario_text
