-- SPDX-License-Identifier: BSD-3-Clause
-- The configuration lines that osmo-sgsn 1.13 has and osmo-sgsn 1.9 has not, with the form of node.osmo_lines.

local IU <const> = "there is no Iu: phones of GERAN only"

return {
  { node = "config-sgsn", rows = {
    { "timer gtp [TNNNN] [(<0-2147483647>|default)]", key = "gn.path.t3, gn.path.n3", take = "gtp_timer" },
    { "encryption cipher-plugin-path PATH", why = "the ciphers are in the program" },
    { "no encryption cipher-plugin-path PATH", holds = "the ciphers are in the program" },
  } },
  { node = "config-ns", rows = {
    { "txqueue-max-length <1-4096>", why = "Gb is a port of DPDK, without the queue of a UDP socket" },
  } },
  { node = "config-cs7", rows = {
    { "secondary-pc POINT_CODE", "sccp max-optional-data (<0-999999>|standard)", why = IU },
    { "asp NAME <0-65535> <0-65535> (sua|m3ua|ipa) (sctp|tcp)", opens = "config-cs7-asp", why = IU },
  } },
  { node = "config-cs7-as", rows = { { "qos-class <0-7>", why = IU } } },
  { node = "config-cs7-asp", rows = {
    { "remote-ip (A.B.C.D|X:X::X:X) [primary]", "no remote-ip (A.B.C.D|X:X::X:X)",
      "local-ip (A.B.C.D|X:X::X:X) [primary]", "no local-ip (A.B.C.D|X:X::X:X)", "qos-class <0-7>",
      "transport-role (client|server)", "sctp-param init (num-ostreams|max-instreams|max-attempts|timeout) <0-65535>",
      "no sctp-param init (num-ostreams|max-instreams|max-attempts|timeout)",
      "timer lm (wait_asp_up|wait_notify|wait_notify_rkm|wait_rk_reg_resp) <1-999999>", why = IU },
  } },
}
