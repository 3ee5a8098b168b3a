-- SPDX-License-Identifier: BSD-3-Clause
-- How often something may happen for each of many: so often at once, and once more each interval (the virtual
-- scheduling form of a leaky bucket). One that is collected is forgotten.
--
--   local a = allowance.new(burst, every)   every: ns
--   a:take(key, now)      whether it may happen now, which is noted
--   a:give_back(key)      it was right, and does not count

local allowance = {}

local Allowance = {}
Allowance.__index = Allowance

function allowance.new(burst, every)
  return setmetatable({ most = (burst - 1) * every, every = every, whole = setmetatable({}, { __mode = "k" }) },
    Allowance)
end

function Allowance:take(key, now)
  local behind = math.max(0, (self.whole[key] or now) - now)
  if behind > self.most then return false end
  self.whole[key] = now + behind + self.every
  return true
end

function Allowance:give_back(key)
  if self.whole[key] then self.whole[key] = self.whole[key] - self.every end
end

return allowance
