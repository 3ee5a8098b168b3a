-- SPDX-License-Identifier: BSD-3-Clause
-- A live node whose GGSN is reached over IPv6: Gn on the network interface gn0, Gb on gb0 (veth pairs, VLANs or cards
-- of their own, without IP addresses in the kernel), a BSS at 198.51.100.2, a GGSN at 2001:db8:1::2.
--
--   gbflow serve config/nodes/live-ipv6.lua --verbose
--   gbflow show neighbours
--
-- The mobile has an IPv4 address and an IPv6 prefix. How ports and neighbours work: docs/serve.md; all keys:
-- docs/reference/node.md.

return {
  gn = { port = "net_af_packet0,iface=gn0" },
  gb = { address = "198.51.100.1", port = "net_af_packet1,iface=gb0" },

  nses = {
    {
      nsei = 101,
      nsvcs = { { nsvci = 101, address = "198.51.100.2", udp_port = 23000 } },
      cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } } },
    },
  },

  mobiles = {
    source = "list",
    list = {
      {
        imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800,
        contexts = {
          { nsapi = 5, class = "thp2", address = "10.45.0.1", ipv6_address = "2001:db8:45:1::1",
            sgsn_address = "2001:db8:1::1", ggsn_address = "2001:db8:1::2", teid = 0x1001, ggsn_teid = 0x2001 },
        },
      },
    },
  },

  live = { idle = "sleep" },
  limits = { mobiles = 64, contexts = 64, npdu_buffers = 2047 },
}
