-- SPDX-License-Identifier: BSD-3-Clause
-- What is wrong with how an NSE is reached, as in config_bad_rows.

local NSVCS <const> = 'nsvcs = { { nsvci = 101, address = "10.99.0.2" } }'

-- An NSE with IP-SNS.
local function sns(rest, ...)
  return { NSVCS, ('sns = { address = "10.99.0.2"%s }'):format(rest), ... }
end

local AT <const> = "n.lua:6: nses[1].sns"
-- What is wrong besides with each of them that is well-formed.
local NO_BSS <const> = "n.lua:17: emulated_bss[1].nsei: an emulated BSS does not speak IP-SNS"

return {
  pieces = {
    { 'nsvcs = {',
      'routeing_areas = { { mcc = "262", lac = 4660, rac = 6 }, { mnc = "43" } }, nsvcs = {',
      'n.lua:8: nses[1].cells[1].cell_id: routeing area 262-42-4660-5 is in none of routeing_areas of the NSE',
      'n.lua:9: nses[1].cells[2].cell_id: routeing area 262-42-4660-5 is in none of routeing_areas of the NSE',
    },
    { NSVCS, 'start = "sgsn", sns = { address = "10.99.0.2" }',
      "n.lua:6: nses[1].start: 'sgsn' with sns: the BSS always begins IP-SNS", NO_BSS },
    { NSVCS, 'unblock = "sgsn", sns = { address = "10.99.0.2" }',
      "n.lua:6: nses[1].unblock: 'sgsn' with sns: NS-VCs of IP-SNS are never blocked; leave it out", NO_BSS },
    { NSVCS, 'unblock = "pcu", ' .. NSVCS,
      "n.lua:6: nses[1].unblock: 'pcu' is not a known word: one of auto, bss, sgsn" },
    { NSVCS, 'bvc_reset_after = "0.5 s", ' .. NSVCS,
      "n.lua:6: nses[1].bvc_reset_after: duration '0.5 s' is out of range: 1 s .. 3600 s" },
    { NSVCS, 'bvc_reset = "signalling", ' .. NSVCS, "n.lua:6: nses[1].bvc_reset: 'signalling' without bvc_reset_after: "
      .. "nothing is reset; say after which time" },
    { NSVCS, 'flush_ll = "no", ' .. NSVCS,
      "n.lua:6: nses[1].flush_ll: 'no' where true or false belongs" },
    { NSVCS, 'start = "none", ' .. NSVCS, "n.lua:6: nses[1].start: 'none' is not a known word: one of bss, sgsn" },
    { NSVCS, NSVCS .. ', sns = { address = "10.99.0.2" }', AT .. ": an NSE has nsvcs or sns, not both",
      NO_BSS },
    { NSVCS, "sns = {}", AT .. ".address: missing; IP-SNS needs it: such as 10.99.0.1 or 2001:db8::1" },
    { NSVCS, 'sns = { address = "10.99.0.1" }', AT .. ".address: '10.99.0.1' is our own address (gb.address)", NO_BSS },
    sns(", max_nsvcs = 0", AT .. ".max_nsvcs: 0 is out of range: 1 .. 63"),
    sns(", max_nsvcs = 64", AT .. ".max_nsvcs: 64 is out of range: 1 .. 63"),
    sns(", max_nsvcs = 1, endpoints = { {}, { udp_port = 1 } }",
      AT .. ".max_nsvcs: 1 is less than the 2 local endpoints", NO_BSS),
    sns(', networks = { "10.99.0.8/31", "10.99.0.8" }', AT
      .. ".networks[2]: '10.99.0.8' is not an IP network: such as 192.0.2.0/24 or 2001:db8::/32"),
    sns(', networks = { "10.99.0.9/30" }', AT .. ".networks[1]: '10.99.0.9/30' has bits set behind its prefix"),
    sns(", endpoints = {}", AT .. ".endpoints: 0 items are out of range: 1 .. 16 items"),
    sns(", endpoints = { {}, { udp_port = 23000 } }",
      AT .. ".endpoints[2]: endpoint 10.99.0.1:23000 is taken by nses[1].sns.endpoints[1]", NO_BSS),
    sns(", endpoints = { { signalling_weight = 0 } }",
      AT .. ".endpoints: the sums of signalling_weight and of data_weight have to be 1 or more", NO_BSS),
    sns(", endpoints = { { data_weight = 0 } }",
      AT .. ".endpoints: the sums of signalling_weight and of data_weight have to be 1 or more", NO_BSS),
    sns(", endpoints = { { data_weight = 256 } }", AT .. ".endpoints[1].data_weight: 256 is out of range: 0 .. 255"),
    { NSVCS, 'sns = { address = "10.99.0.2" }', NO_BSS },
    { NSVCS, 'nsvcs = { { nsvci = 101, address = "2001:db8::2" } }',
      "n.lua:6: nses[1].nsvcs[1].address: '2001:db8::2' is of another IP version than gb.address" },
    { NSVCS, 'sns = { address = "2001:db8:0:0::2" }',
      AT .. ".address: '2001:db8::2' is of another IP version than gb.address", NO_BSS },
    sns(', endpoints = { { address = "2001:db8::1" } }',
      AT .. ".endpoints[1].address: '2001:db8::1' is of another IP version than gb.address", NO_BSS),
  },
}
