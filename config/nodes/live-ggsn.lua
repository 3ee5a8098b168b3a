-- SPDX-License-Identifier: BSD-3-Clause
-- A live node that requests the PDP contexts of its mobiles from a GGSN at 192.0.2.2, such as OsmoGGSN (GTP-C): Gn on
-- the network interface gn0, Gb on gb0, a BSS at 198.51.100.2.
--
--   gbflow serve config/nodes/live-ggsn.lua --verbose
--   gbflow show gtpc
--   gbflow show pdp
--
-- The GGSN assigns the mobiles' addresses. Messages and their times: docs/gtpc.md; all keys: docs/reference/node.md.

local list = {}
for i = 1, 4 do
  list[i] = {
    imsi = string.format("00101%010d", i), msisdn = string.format("49170%07d", i), tlli = 0xC0000000 + i, bvci = 1800,
    contexts = {
      { nsapi = 5, apn = "internet", class = i == 1 and "thp1" or "background", sgsn_address = "192.0.2.1",
        ggsn_address = "192.0.2.2" },
    },
  }
end

return {
  gn = {
    port = "net_af_packet0,iface=gn0",
    path = { every = "60 s", on_loss = "delete" },
    gtpc = { retry = "5 s" },
  },
  gb = { address = "198.51.100.1", port = "net_af_packet1,iface=gb0" },

  nses = {
    {
      nsei = 101,
      nsvcs = { { nsvci = 101, address = "198.51.100.2", udp_port = 23000 } },
      cells = { { bvci = 1800, cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 } } },
    },
  },

  mobiles = { source = "list", list = list },
  live = { idle = "sleep" },
}
