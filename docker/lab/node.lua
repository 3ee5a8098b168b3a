-- SPDX-License-Identifier: BSD-3-Clause
-- The node of compose-lab.yaml: phones attach without an HLR. All keys: docs/reference/node.md.
return {
  gn = { port = "net_af_packet1,iface=eth1", path = { every = "60 s" }, gtpc = { retry = "2 s" } },
  gb = { address = "198.51.100.1", port = "net_af_packet0,iface=eth0" },
  nses = { {
    nsei = 101,
    nsvcs = { { nsvci = 101, address = "198.51.100.2", udp_port = 23000 } },
    cells = { { bvci = 1800, cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 } } },
  } },
  mobiles = { source = "list" },
  phones = {
    policy = "accept_all",
    apns = { { name = "internet", class = "thp2", sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2" } },
  },
  queues = { aqm = { scheme = "codel" } },
  flow_control = { bss_target = "250 ms" },
  live = { idle = "sleep" },
  limits = { npdu_buffers = 2047, mobiles = 128, contexts = 128, fragments = 64 },
}
