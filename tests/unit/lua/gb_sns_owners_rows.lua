-- SPDX-License-Identifier: BSD-3-Clause
-- IP-SNS of two NSEs: 101 begins on NS-VC 0 from 10.99.0.2, 102 on NS-VC 5 from 10.99.0.7. Which endpoints a BSS may
-- announce. Times in milliseconds.

local NSES <const> = { [101] = 0, [102] = 5 }

local function sized(at, nsei, endpoints)
  local size = "%d sns_size nsei=%d reset_flag=yes max_nsvcs=4 ip4_endpoints=%d"
  local way = NSES[nsei]
  return { at = at, rx = size:format(way, nsei, endpoints), "log info",
    ("%d > sns_size_ack nsei=%d"):format(way, nsei) }
end

local function config(nsei, list)
  return ("%d sns_config nsei=%d end_flag=yes ip4_list=%s"):format(NSES[nsei], nsei, list)
end

local function refused(at, nsei, list)
  return { at = at, rx = config(nsei, list), "count sns_config_refused_12", "log warn",
    ("%d > sns_config_ack cause=18 nsei=%d"):format(NSES[nsei], nsei) }
end

-- Not the last SNS-CONFIG: the list is judged, and nothing is made yet.
local function taken(at, nsei, list)
  return { at = at, rx = config(nsei, list):gsub("end_flag=yes", "end_flag=no"),
    ("%d > sns_config_ack nsei=%d"):format(NSES[nsei], nsei) }
end

local function configured(at, nsei, list, ...)
  local way = NSES[nsei]
  local steps = { at = at, rx = config(nsei, list), ("%d > sns_config_ack nsei=%d"):format(way, nsei) }
  for _, step in ipairs({ ... }) do steps[#steps + 1] = step end
  steps[#steps + 1] = ("%d > sns_config end_flag=yes ip4_list=10.99.0.1:23000/1/1 nsei=%d"):format(way, nsei)
  steps[#steps + 1] = ("timer sns/%d/prov %d"):format(nsei, at + 3000)
  return steps
end

return {
  { name = "an address that another NSE's configuration names", config = "sns_pair", steps = {
    sized(0, 101, 2),
    refused(1, 101, "10.99.0.2:23000/1/1,10.99.0.7:23000/1/1"),
    refused(2, 101, "10.99.0.2:23000/1/1,10.99.0.7:23001/1/1"),
    taken(3, 101, "10.99.0.2:23001/1/1"),
  } },
  { name = "what another NSE has announced stays its own while it restarts, until it announces something else",
    config = "sns_pair", steps = {
      sized(0, 102, 2),
      configured(1, 102, "10.99.0.7:23000/1/1,10.99.0.8:23000/1/1", "nsvc_weight 5 1",
        "nsvc_add 6 102 10.99.0.1:23000 to 10.99.0.8:23000 weight 1"),
      sized(2, 101, 2),
      refused(3, 101, "10.99.0.2:23000/1/1,10.99.0.8:23000/1/1"),
      { at = 4, rx = "5 sns_config_ack nsei=102", "cancel sns/102/prov", "log info", "5 > alive",
        "timer nsvc/5/alive 3004", "nsvc 5 up", "log info", "6 > alive", "timer nsvc/6/alive 3004", "nsvc 6 up" },
      { at = 5, rx = "5 sns_size nsei=102 reset_flag=yes max_nsvcs=4 ip4_endpoints=1", "log info",
        "nsvc 5 down", "cancel nsvc/5/alive", "nsvc_weight 5 0", "nsvc 6 down", "log warn", "cancel nsvc/6/alive",
        "nsvc_del 6", "5 > sns_size_ack nsei=102" },
      refused(6, 101, "10.99.0.2:23000/1/1,10.99.0.8:23000/1/1"),
      refused(7, 101, "10.99.0.2:23000/1/1,10.99.0.8:23001/1/1"),
      configured(8, 102, "10.99.0.7:23000/1/1", "nsvc_weight 5 1"),
      taken(9, 101, "10.99.0.8:23000/1/1"),
    } },
  { name = "networks of another NSE", config = "sns_pair_second", steps = {
    sized(0, 101, 1),
    refused(1, 101, "10.99.0.8:23000/1/1"),
    refused(2, 101, "10.99.0.15:23000/1/1"),
    taken(3, 101, "10.99.0.16:23000/1/1"),
  } },
  { name = "networks of its own: no address besides, except that of the configuration", config = "sns_pair_second",
    steps = {
      sized(0, 102, 1),
      refused(1, 102, "10.99.0.16:23000/1/1"),
      refused(2, 102, "10.99.1.9:23000/1/1"),
      taken(3, 102, "10.99.0.9:23000/1/1"),
      sized(4, 102, 1),
      taken(5, 102, "10.99.0.7:23000/1/1"),
    } },
  { name = "networks of both: the port decides", config = "sns_pair_both", steps = {
    sized(0, 102, 2),
    configured(1, 102, "10.99.0.7:23000/1/1,10.99.0.8:23000/1/1", "nsvc_weight 5 1",
      "nsvc_add 6 102 10.99.0.1:23000 to 10.99.0.8:23000 weight 1"),
    sized(2, 101, 1),
    refused(3, 101, "10.99.0.8:23000/1/1"),
    refused(4, 101, "10.99.0.12:23000/1/1"),
    taken(5, 101, "10.99.0.8:23001/1/1"),
  } },
}
