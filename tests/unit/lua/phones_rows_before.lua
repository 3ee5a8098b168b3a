-- SPDX-License-Identifier: BSD-3-Clause
-- Settings of phones before a reload brings those of a row of phones_rows: they differ in all that a reload may change.
local rows_before = {}

function rows_before.settings_of(row, timers)
  local settings = row.settings or {}
  local before = { policy = settings.policy, hlr = settings.hlr, mobiles = settings.mobiles, records = settings.records,
    area_checks = settings.area_checks, authenticate = "new", imsis = { "1" }, reject_cause = 99, ciphering = { 2 },
    half_open = 1, half_open_per_cell = 1, network_name = "before", sms = "refuse", keep_contexts = true,
    check_imei = true, imei_first = true, update_location = "always", timers = {}, apns = { { name = "before",
      sgsn_address = "10.0.0.8", ggsn_address = "10.0.0.9", class = "thp1", sapi = 9 } } }
  for name, value in pairs(timers) do before.timers[name] = 3 * value end
  return before
end

return rows_before
