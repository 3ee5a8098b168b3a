-- SPDX-License-Identifier: BSD-3-Clause
-- The configuration lines of osmo-sgsn 1.9 by its VTY nodes, for node.osmo_vty and docs/reference/osmo-sgsn.md.
--
-- A row is { LINE..., key = , take = , value = , holds = , why = , opens = }. LINE: as the VTY lists it; CATEGORY
-- stands for the names of log categories. opens: the VTY node of the lines below it. One of:
--   key    the key of our node, by `take`, a function of node.osmo_take, by its name, or another one; else the last
--          word, "integer" or "text"
--   holds  what the line says is so without a key
--   why    reason why there is no key

local osmo_compression = require "node.osmo_compression"

local SNS <const> = "an NSE of IP-SNS has its cells in the configuration: write `nses[].sns` and `nses[].cells`"
local IU <const> = "there is no Iu: phones of GERAN only"
local VTY <const> = "there is no VTY: `gbflow show` and the other commands use a socket of the node's user"
local FRAME_RELAY <const> = "Gb is over IP only"
local LOG <const> = "`gbflow serve --log-level` and `gbflow log` have the levels; the log goes to stderr, for "
  .. "systemd's journal"
local STATS <const> = "`live.metrics` gives all counters to Prometheus"
local NO_STATIC <const> = "NS-VCs without NS-RESET are those of IP-SNS: write `nses[].sns` and `nses[].cells`"
local DELETES <const> = "the file says what there is; leave out the line that it deletes"
local INTO <const> = "the lines below it have keys"

local LOGGING <const> = { "logging filter all (0|1)", "logging color (0|1)", "logging timestamp (0|1)",
  "logging print extended-timestamp (0|1)", "logging print thread-id (0|1)", "logging print category (0|1)",
  "logging print category-hex (0|1)", "logging print level (0|1)", "logging print file (0|1|basename) [last]",
  "logging level CATEGORY (debug|info|notice|error|fatal)", "logging level set-all (debug|info|notice|error|fatal)",
  "logging level force-all (debug|info|notice|error|fatal)", "no logging level force-all",
  "logging filter nse nsei <0-65535>", "logging filter nsvc nsvci <0-65535>",
  "logging filter bvc nsei <0-65535> bvci <0-65535>", why = LOG, take = "log_level" }

return {
  -- In each node.
  { node = "common", rows = {
    { "exit", "end", holds = "the indentation ends a node" },
    { "help", "list [with-flags]", "show vty-attributes", "show vty-attributes (application|library|global)",
      "show running-config", "show history", "write", "write terminal", "write file [PATH]", "write memory",
      why = "it is a command, and no line of a configuration" },
  } },
  { node = "config", rows = {
    { "sgsn", opens = "config-sgsn", holds = INTO },
    { "ns", opens = "config-ns", holds = INTO },
    { "bssgp", opens = "config-bssgp", holds = "there are no lines below it" },
    { "line vty", opens = "config-line", why = VTY },
    { "hostname WORD", "no hostname [HOSTNAME]", "password (8|) WORD", "password LINE", "enable password (8|) WORD",
      "enable password LINE", "no enable password", "banner motd default", "banner motd file [FILE]", "no banner motd",
      "service terminal-length <0-512>", "no service terminal-length [<0-512>]", "service advanced-vty",
      "no service advanced-vty", why = VTY },
    { "log stderr [blocking-io]", "log file FILENAME [blocking-io]", "log alarms <2-32700>",
      "log syslog (authpriv|cron|daemon|ftp|lpr|mail|news|user|uucp)", "log syslog local <0-7>",
      "log systemd-journal [raw]", opens = "config-log", why = LOG },
    { "no log stderr", "no log file FILENAME", "no log alarms", "no log syslog", "no log systemd-journal", why = LOG },
    { "log gsmtap [HOSTNAME]", "no log gsmtap [HOSTNAME]", opens = "config-log",
      why = "`gbflow capture --gsmtap ADDRESS` sends frames as GSMTAP; log lines go to stderr" },
    { "stats reporter statsd [NAME]", "stats reporter log [NAME]", opens = "config-stats", why = STATS },
    { "no stats reporter statsd [NAME]", "no stats reporter log [NAME]", "stats interval <0-65535>",
      "stats-tcp interval <0-65535>", "stats-tcp batch-size <1-65535>", why = STATS },
    { "ctrl", opens = "config-ctrl", why = "there is no CTRL interface: `gbflow show TABLE --json` has the values" },
    { "cpu-sched", opens = "config-cpu-sched", why = "the threads are others: `live.cores` has the CPUs of workers" },
    { "cs7 instance <0-15>", opens = "config-cs7", why = IU },
  } },
  { node = "config-log", rows = { LOGGING } },
  { node = "config-stats", rows = {
    { "local-ip ADDR", "no local-ip", "remote-ip ADDR", "remote-port <1-65535>", "mtu <100-65535>", "no mtu",
      "prefix PREFIX", "no prefix", "level (global|peer|subscriber)", "enable", "disable", "flush-period <0-65535>",
      why = STATS },
  } },
  { node = "config-line", rows = { { "login", "no login", "bind A.B.C.D [<0-65535>]", why = VTY } } },
  { node = "config-ctrl", rows = {
    { "bind A.B.C.D", why = "there is no CTRL interface: `gbflow show TABLE --json` has the values" },
  } },
  { node = "config-cpu-sched", rows = {
    { "policy rr <1-32>", "cpu-affinity (self|all|<0-4294967295>|THREADNAME) CPUHEXMASK [delay]",
      why = "the threads are others: `live.cores` has the CPUs of workers" },
  } },
  { node = "config-sgsn", rows = {
    { "gtp state-dir PATH", key = "gn.gtpc.restart_file", take = "state_dir" },
    { "gtp local-ip A.B.C.D", key = "phones.apns[].sgsn_address", take = "local_ip" },
    { "ggsn <0-255> remote-ip A.B.C.D", key = "phones.apns[].ggsn_address", take = "remote_ip" },
    { "ggsn <0-255> gtp-version (0|1)", key = "none: GTP is version 1", take = "gtp_version" },
    { "ggsn <0-255> echo-interval <1-36000>", key = "gn.path", take = "echo_interval" },
    { "ggsn <0-255> no echo-interval", holds = "without `gn.path.every` there are no Echo Requests" },
    { "auth-policy (accept-all|closed|acl-only|remote)", key = "phones.policy", take = "auth_policy" },
    { "imsi-acl (add|del) IMSI", key = "phones.imsis", take = "imsi_acl" },
    { "authentication (optional|required)", key = "phones.authenticate", take = "authentication" },
    { "encryption gea <0-4> [<0-4>] [<0-4>] [<0-4>] [<0-4>]", key = "phones.ciphering", take = "gea" },
    { "encryption uea <0-2> [<0-2>] [<0-2>]", why = IU },
    { "gsup ipa-name NAME", key = "phones.hlr.name", value = "text" },
    { "gsup remote-ip A.B.C.D", key = "phones.hlr.address", value = "text" },
    { "gsup remote-port <0-65535>", key = "phones.hlr.port", value = "integer" },
    { "gsup oap-id <0-65535>", "gsup oap-k K", "gsup oap-opc OPC",
      why = "there is no authentication towards the HLR (OAP): keep GSUP on a network of your own" },
    { "apn APNAME ggsn <0-255>", key = "phones.apns[]", take = "apn" },
    { "apn APNAME imsi-prefix IMSIPRE ggsn <0-255>", why = "an APN has one GGSN for all IMSIs" },
    { "access-point-name NAME", "no access-point-name NAME",
      why = "the HLR's list of a phone's APNs and `phones.apns` say what is allowed" },
    { "cdr filename NAME", key = "phones.records.file, phones.records.format", take = "cdr_filename" },
    { "cdr interval <1-2147483647>", key = "phones.records.every", take = "cdr_interval" },
    { "no cdr filename", holds = "without `phones.records` there are no records" },
    { "no cdr trap", holds = "there is no CTRL interface" },
    { "cdr trap", why = "there is no CTRL interface: `phones.records.file` has the records" },
    { "ggsn dynamic", "grx-dns-add A.B.C.D", take = "dynamic",
      why = "there is no lookup of GGSNs in DNS: write `phones.apns[]`" },
    { "timer [TNNNN] [(<0-2147483647>|default)]", key = "phones.timers, mobiles.ready_timer, timers.bssgp.t3313",
      take = "timer" },
    { "no compression rfc1144", "no compression v42bis", take = osmo_compression.take_no,
      key = "none: without its record `sndcp.compression` refuses it" },
    { "compression rfc1144 active slots <1-256>", "compression rfc1144 passive",
      key = "sndcp.compression.mode, sndcp.compression.rfc1144", take = osmo_compression.take_rfc1144 },
    { "compression v42bis active direction (ms|sgsn|both) codewords <512-65535> strlen <6-250>",
      "compression v42bis passive", key = "sndcp.compression.mode, sndcp.compression.v42bis",
      take = osmo_compression.take_v42bis },
    { "mme NAME", opens = "config-sgsn-mme",
      why = "RIM goes to an MME that is an entry of phones.pool.others with eutran" },
    { "no mme NAME", holds = "RIM goes to no MME" },
    { "cs7-instance-iu <0-15>", "iu rab-assign-addr-enc (x213|v4raw)", "asn1 debug (1|0)", "asn1 xer-print (1|0)",
      why = IU },
  } },
  { node = "config-sgsn-mme", rows = {
    { "gtp remote-ip A.B.C.D", "gtp ran-info-relay default", "no gtp ran-info-relay default",
      "gtp ran-info-relay <0-999> <0-999> <0-65535>", "no gtp ran-info-relay <0-999> <0-999> <0-65535>",
      why = "RIM goes to an MME that is an entry of phones.pool.others with eutran" },
  } },
  { node = "config-ns", rows = {
    { "timer (tns-block|tns-block-retries|tns-reset|tns-reset-retries|tns-test|tns-alive|tns-alive-retries|tsns-prov|"
      .. "tsns-size-retries|tsns-config-retries|tsns-procedures-retries) <0-65535>", key = "timers.ns",
      take = "ns_timer" },
    { "bind (fr|udp) ID", opens = "config-ns-bind", key = "gb", take = "bind" },
    { "nse <0-65535> [ip-sns-role-sgsn]", opens = "config-ns-nse", key = "nses_accepted.nseis", take = "nse" },
    { "no bind ID", "no nse <0-65535>", "no ip-sns-default bind ID", why = DELETES },
    { "ip-sns-default bind ID", why = SNS },
  } },
  { node = "config-ns-bind", rows = {
    { "listen (A.B.C.D|X:X::X:X) <1-65535>", key = "gb.address, gb.udp_port", take = "listen" },
    { "accept-ipaccess", key = "nses_accepted", take = "accept" },
    { "no accept-ipaccess", "no accept-dynamic-ip-sns", holds = "without `nses_accepted` no other BSS is accepted" },
    { "dscp <0-63>", key = "gb.dscp", take = "dscp" },
    { "no dscp", holds = "the default of `gb.dscp` is 0" },
    { "no listen", "no fr NETIF", why = DELETES },
    { "socket-priority <0-255>", why = "Gb is no socket of the kernel" },
    { "accept-dynamic-ip-sns", "ip-sns signalling-weight <0-254> data-weight <0-254>", why = SNS },
    { "fr NETIF (fr|frnet)", why = FRAME_RELAY },
  } },
  { node = "config-ns-nse", rows = {
    { "nsvc ipa BIND (A.B.C.D|X:X::X:X) <1-65535> nsvci <0-65535>", key = "nses_accepted.networks[]",
      take = "nsvc_ipa" },
    { "nsvc udp BIND (A.B.C.D|X:X::X:X) <1-65535>",
      "nsvc udp BIND (A.B.C.D|X:X::X:X) <1-65535> signalling-weight <0-254> data-weight <0-254>", why = NO_STATIC },
    { "nsvc fr NETIF dlci <16-1007> nsvci <0-65535>", "no nsvc fr NETIF dlci <16-1007>", why = FRAME_RELAY },
    { "ip-sns-remote (A.B.C.D|X:X::X:X) <1-65535>", "ip-sns-bind BINDID", why = SNS },
    { "no nsvc nsvci <0-65535>", "no nsvc udp BIND (A.B.C.D|X:X::X:X) <1-65535>",
      "no nsvc ipa BIND (A.B.C.D|X:X::X:X) <1-65535> nsvci <0-65535>",
      "no ip-sns-remote (A.B.C.D|X:X::X:X) <1-65535>", "no ip-sns-bind BINDID", why = DELETES },
  } },
  { node = "config-bssgp", rows = {} },
  { node = "config-cs7", rows = {
    { "description .TEXT", "network-indicator (international | national | reserved | spare)", "point-code POINT_CODE",
      "point-code format <1-24> [<1-23>] [<1-22>]", "point-code format default", "point-code delimiter (default|dash)",
      "xua rkm routing-key-allocation (static-only|dynamic-permitted)", "no asp NAME", "no as NAME",
      "no sccp-address NAME",
      "sccp-timer (conn_est|ias|iar|rel|repeat_rel|int|guard|reset|reassembly) <1-999999>", why = IU },
    { "asp NAME <0-65535> <0-65535> (sua|m3ua|ipa)", opens = "config-cs7-asp", why = IU },
    { "as NAME (sua|m3ua|ipa)", opens = "config-cs7-as", why = IU },
    { "sccp-address NAME", opens = "config-cs7-sccpaddr", why = IU },
  } },
  { node = "config-cs7-as", rows = {
    { "description .TEXT", "asp NAME", "no asp NAME", "traffic-mode (broadcast | loadshare | roundrobin | override)",
      "no traffic-mode", "recovery-timeout <1-2000>", "qos-class <0-255>", "routing-key RCONTEXT DPC",
      "routing-key RCONTEXT DPC si (aal2|bicc|b-isup|h248|isup|sat-isup|sccp|tup)", "routing-key RCONTEXT DPC ssn SSN",
      "routing-key RCONTEXT DPC si (aal2|bicc|b-isup|h248|isup|sat-isup|sccp|tup) ssn SSN",
      "point-code override dpc PC", "point-code override patch-sccp (disabled|both)", why = IU },
  } },
  { node = "config-cs7-asp", rows = {
    { "description .TEXT", "remote-ip (A.B.C.D|X:X::X:X)", "local-ip (A.B.C.D|X:X::X:X)", "qos-class <0-255>",
      "role (sg|asp|ipsp)", "sctp-role (client|server)", "block", "shutdown",
      "quirk (no_notify|daud_in_asp|snm_inactive)", "no quirk (no_notify|daud_in_asp|snm_inactive)", why = IU },
  } },
  { node = "config-cs7-sccpaddr", rows = {
    { "no point-code", "no subsystem-number", "no global-title", "routing-indicator (GT|PC|IP)",
      "point-code POINT_CODE", "subsystem-number <0-4294967295>", why = IU },
    { "global-title", opens = "config-cs7-sccpaddr-gt", why = IU },
  } },
  { node = "config-cs7-sccpaddr-gt", rows = {
    { "global-title-indicator <0-15>", "translation-type <0-255>", "numbering-plan-indicator <0-15>",
      "nature-of-address-indicator <0-127>", "digits DIGITS", why = IU },
  } },
}
