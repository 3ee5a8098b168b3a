-- SPDX-License-Identifier: BSD-3-Clause
-- A live node for a lab: Gn on the network interface gn0, Gb on gb0 (veth pairs, VLANs or cards of their own, without
-- IP addresses in the kernel), a BSS such as OsmoPCU at 198.51.100.2, a GGSN at 192.0.2.2.
--
--   gbflow serve config/nodes/live-lab.lua --verbose
--   gbflow show bvc
--
-- How ports, neighbours and signals work: docs/serve.md. All keys: docs/reference/node.md.

return {
  gn = {
    port = "net_af_packet0,iface=gn0",
    routes = { { to = "192.0.2.0/24" }, { to = "default", via = "192.0.2.254" } },
  },
  gb = { address = "198.51.100.1", port = "net_af_packet1,iface=gb0" },

  nses = {
    {
      nsei = 101,
      nsvcs = { { nsvci = 1800, address = "198.51.100.2", udp_port = 23000 } },
      cells = { { bvci = 1234, cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 } } },
    },
  },

  mobiles = {
    source = "list",
    list = {
      {
        imsi = "001010000000001", tlli = 0xC0000001, bvci = 1234,
        contexts = {
          { nsapi = 5, class = "thp2", address = "10.45.0.1", sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2",
            ggsn_teid = 0x2001 },
        },
      },
    },
  },

  -- Whatever bucket the BSS announces, at most a quarter of a second of a mobile's rate lies in the BSS.
  flow_control = { bss_target = "250 ms" },

  live = { idle = "sleep" },
}
