-- SPDX-License-Identifier: BSD-3-Clause
-- The cause of SM (24.008 §10.5.6.6) that a phone is told for a cause of GTP-C (29.060 §7.7.1).

local causes = {}

local INSUFFICIENT_RESOURCES <const>, REJECTED_BY_GGSN <const>, NETWORK_FAILURE <const> = 26, 30, 38

local OF_GTP <const> = {
  [0] = NETWORK_FAILURE, [199] = INSUFFICIENT_RESOURCES, [200] = 32, [201] = 96, [202] = 96, [203] = 111,
  [204] = NETWORK_FAILURE, [205] = 33, [206] = 111, [207] = 111, [208] = 29, [209] = 29, [210] = 111,
  [211] = INSUFFICIENT_RESOURCES, [212] = INSUFFICIENT_RESOURCES, [213] = 111, [214] = 111, [215] = 41, [216] = 42,
  [217] = 44, [218] = 45, [219] = 27, [220] = 28, [221] = 46,
}

function causes.of_gtp(cause)
  return OF_GTP[cause] or REJECTED_BY_GGSN
end

return causes
