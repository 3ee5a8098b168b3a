-- SPDX-License-Identifier: BSD-3-Clause
-- Which phones may attach, by phones.policy of the configuration.
--
--   local p = policy.new(config)   the checked configuration
--   p:refusal(imsi)                the cause of the refusal, nil: it may
--   p.has_hlr                      an HLR decides, and phones are authenticated

local policy = {}

local Policy = {}
Policy.__index = Policy

local CONFIGURED <const> = 17 -- network failure: the IMSI is one of mobiles.list, which needs no attach

function policy.new(config)
  local phones, listed, configured = config.phones, {}, {}
  for _, imsi in ipairs(phones.imsis) do listed[imsi] = true end
  for _, mobile in ipairs(config.mobiles.list or {}) do configured[mobile.imsi] = true end
  return setmetatable({ kind = phones.policy, listed = listed, configured = configured, cause = phones.reject_cause,
    has_hlr = phones.policy == "hlr" }, Policy)
end

function Policy:refusal(imsi)
  if self.configured[imsi] then return CONFIGURED end
  if self.kind == "list" and not self.listed[imsi] then return self.cause end
  return nil
end

return policy
