-- SPDX-License-Identifier: BSD-3-Clause
-- The configuration lines of older versions of osmo-sgsn that osmo-sgsn 1.9 does not have, with the form of
-- node.osmo_lines: those of NS are of osmo-sgsn before 1.7, the others are hidden in its VTY, or gone.

local FRAME_RELAY <const> = "Gb is over IP only"
local LOG <const> = "`gbflow serve --log-level` and `gbflow log` have the levels; the log goes to stderr, for "
  .. "systemd's journal"

return {
  { node = "config-log", rows = {
    { "logging level all (everything|debug|info|notice|error|fatal)", "logging level CATEGORY everything",
      why = LOG, take = "log_level" },
    { "logging filter nsvc (nsei|nsvci) <0-65535>", why = LOG },
  } },
  { node = "config-sgsn", rows = {
    { "encryption (GEA0|GEA1|GEA2|GEA3|GEA4)",
      key = "phones.ciphering", take = "old_gea" },
  } },
  { node = "config-ns", rows = {
    { "encapsulation udp local-ip A.B.C.D", key = "gb.address, nses_accepted", take = "old_address" },
    { "encapsulation udp local-port <0-65535>", key = "gb.udp_port, nses_accepted", take = "old_port" },
    { "encapsulation udp dscp <0-255>", key = "gb.dscp", take = "old_dscp" },
    { "encapsulation udp use-reset-block-unblock enabled", holds = "NS-VCs of `nses_accepted` and "
      .. "`nses[].nsvcs` begin with NS-RESET" },
    { "encapsulation udp use-reset-block-unblock disabled",
      why = "NS-VCs without NS-RESET are those of IP-SNS: write `nses[].sns` and `nses[].cells`" },
    { "encapsulation framerelay-gre enabled 0", holds = FRAME_RELAY },
    { "encapsulation framerelay-gre enabled 1", "encapsulation framerelay-gre local-ip A.B.C.D",
      why = FRAME_RELAY },
    { "nse <0-65535> nsvci <0-65534>", "nse <0-65535> remote-role bss", "nse <0-65535> encapsulation udp",
      "nse <0-65535> remote-port <0-65535>", holds = "the BSS says NSEI, NSVCI and port in its NS-RESET" },
    { "nse <0-65535> remote-ip A.B.C.D", key = "nses_accepted.networks[]", take = "old_remote_ip" },
    { "nse <0-65535> remote-role sgsn", why = "the other end is an SGSN, and so is gbflow" },
    { "nse <0-65535> encapsulation framerelay-gre", "nse <0-65535> fr-dlci <16-1007>",
      why = FRAME_RELAY },
  } },
}
