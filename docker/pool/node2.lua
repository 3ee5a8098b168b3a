-- SPDX-License-Identifier: BSD-3-Clause
-- Node 2 of compose-pool.yaml: phones attach without an HLR. All keys: docs/reference/node.md.
return {
  gn = { port = "net_af_packet1,iface=eth1", path = { every = "60 s" },
    gtpc = { retry = "2 s", restart_file = "/var/lib/gbflow/restarts" } },
  gb = { address = "198.51.100.12", port = "net_af_packet0,iface=eth0" },
  nses = { {
    nsei = 202,
    nsvcs = { { nsvci = 202, address = "198.51.100.1", udp_port = 23100 } },
    cells = { { bvci = 1800, cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 } } },
  } },
  mobiles = { source = "list" },
  phones = {
    policy = "accept_all",
    apns = { { name = "internet", class = "thp2", sgsn_address = "192.0.2.12", ggsn_address = "192.0.2.2" } },
    pool = {
      nri_bits = 5, nris = { 2 }, null_nri = 0, offload_area = { mcc = "001", mnc = "01", lac = 65000, rac = 2 },
      others = {
        { address = "192.0.2.11", nris = { 1 }, offload_area = { mcc = "001", mnc = "01", lac = 65000, rac = 1 } },
      },
    },
  },
  queues = { aqm = { scheme = "codel" } },
  flow_control = { bss_target = "250 ms" },
  live = { idle = "sleep", metrics = { address = "192.0.2.112" } },
  limits = { npdu_buffers = 2047, mobiles = 128, contexts = 128, fragments = 64 },
}
