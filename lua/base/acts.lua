-- SPDX-License-Identifier: BSD-3-Clause
-- An operator's act on one object: a procedure that the object's machine carries out, and whose end is told.
--
--   acts.begin(owner, id)                the procedure of the owner is that of the act with this number
--   acts.settle(run, owner, is_done, text)   it has ended, as the text says; without an act nothing happens
--
-- owner.act: the number, which the owner's record has: after a restart of control Run:restore() says that it continues.

local acts = {}

function acts.begin(owner, id)
  owner.act = id
end

function acts.settle(run, owner, is_done, text)
  local id = owner.act
  if not id then return end
  owner.act = nil
  run:emit({ op = "acted", id = id, done = is_done, text = text })
end

return acts
