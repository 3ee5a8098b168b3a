-- SPDX-License-Identifier: BSD-3-Clause
-- A scheme in a few lines: signals one packet when the head is older than half a second, and further ones at intervals
-- that begin with 1 s and halve with every second.
return {
  name = "drop_front",
  dequeue = function(view, memory, now_s)
    if view.age_s < 0.5 then
      memory.since_at, memory.next_at = nil, nil
    elseif now_s >= (memory.next_at or 0) then
      memory.since_at = memory.since_at or now_s
      memory.next_at = now_s + 1 / 2 ^ math.min(now_s - memory.since_at, 10)
      return "mark"
    end
  end,
}
