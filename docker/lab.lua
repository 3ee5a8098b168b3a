-- SPDX-License-Identifier: BSD-3-Clause
-- The node of compose.yaml: a hundred mobiles in one cell. All keys: docs/reference/node.md.
local mobiles = {}
for i = 1, 100 do
  mobiles[i] = {
    imsi = string.format("262420%09d", i), tlli = 0xC0000000 + i, bvci = 1800,
    contexts = {
      { nsapi = 5, teid = i, address = string.format("10.45.0.%d", i), sgsn_address = "192.0.2.1",
        ggsn_address = "192.0.2.2", ggsn_teid = i },
    },
  }
end

return {
  gn = { port = "net_af_packet1,iface=eth1" },
  gb = { address = "198.51.100.1", port = "net_af_packet0,iface=eth0" },
  nses = {
    {
      nsei = 101,
      nsvcs = { { nsvci = 101, address = "198.51.100.2" } },
      cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } } },
    },
  },
  mobiles = { source = "list", list = mobiles },
  limits = { npdu_buffers = 2047, mobiles = 128, contexts = 128, fragments = 64 },
}
