-- SPDX-License-Identifier: BSD-3-Clause
-- A node that says something about everything that waits: for lua_config_queues_test.
return {
  gn = { ecn = "clear", dscp = { copy = true, signalling = 26, background = 1 } },
  gb = { dscp = { signalling = 1, conversational = 2, streaming = 3, thp1 = 4, thp2 = 5, thp3 = 6, background = 63 },
    address = "10.99.0.1", overhead_octets = "-5 octets" },
  nses = {
    { nsei = 101, nsvcs = { { nsvci = 101, address = "10.99.0.2" } },
      gb = { rate = "2 Mbit/s", bucket_time = "100 ms", signalling_share = "7 %" },
      cells = {
        { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } },
        { bvci = 1801, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 2 },
          flow_control = { max_rate = "50 kbit/s", rate_factor = "90 %" } },
      } },
    { nsei = 102, nsvcs = { { nsvci = 102, address = "10.99.0.3" } },
      cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 3 } } } },
  },
  mobiles = { source = "list", queue_limit = "64 kB", list = {
    { imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, contexts = {
      { nsapi = 5, teid = 1, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", ggsn_teid = 1,
        address = "10.45.0.1", pfi = 9 },
      { nsapi = 6, teid = 2, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", ggsn_teid = 2,
        address = "10.45.0.1" },
    } },
  } },
  queues = {
    weights = { streaming = 7, background = 65535 },
    mobile = { octets = "9 kB", packets = 12 },
    class = { thp1 = { octets = "5 kB" }, thp3 = { order = "sfq" }, sms = { packets = 3 } },
    reserve_packets = 5, extra_flows = 6, flow_queues = 12, flow_quantum = "300 octets", flow_sets = 7,
    drop_duplicates = true, pacing = { classes = { "thp2" }, mobile_target = "2 s" },
    mobile_quantum = "4 kB",
    flow_order = "sfq", credit = "3 kB", share = "airtime",
  },
  flow_control = { bss_target = "250 ms", max_bucket = "8 kB" },
  limits = { npdu_buffers = 1023 },
}
