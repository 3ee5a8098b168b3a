-- SPDX-License-Identifier: BSD-3-Clause
-- The history of phones' events.

it("the events of one phone are the latest of all phones", function()
  local history = require("gmm.history").new()
  for i = 1, 5000 do
    history.observe({ name = "gmm" }, "registered", "e" .. i, { owner = { phone = { mobile = i % 2 } } }, i)
  end
  history.observe({ name = "gsup_link" }, "ready", "up", { owner = {} }, 5001)
  local found = history:events_of(1, 10)
  assert.same({ 10, "e4999", 4999 }, { #found, found[1].event, found[1].at })
  assert.equal(2048, #history:events_of(0, 9999))
  assert.same({}, history:events_of(7, 10))
end)
