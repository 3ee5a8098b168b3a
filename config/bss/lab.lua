-- SPDX-License-Identifier: BSD-3-Clause
-- An emulated BSS for a lab, the other end of config/nodes/live-lab.lua. Its address is 198.51.100.2; its mobile is a
-- host in the network namespace ms1 (ip netns add ms1).
--
--   gbflow emulate config/bss/lab.lua --verbose
--   ip netns exec ms1 ping 192.0.2.99
--
-- How it works: docs/emulate.md. All keys: docs/reference/bss.md.

return {
  nsei = 101,
  nsvcs = { { nsvci = 1800, address = "198.51.100.2", sgsn_address = "198.51.100.1" } },

  cells = {
    {
      bvci = 1234, cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 },
      pdchs = 4, coding = "CS-2", bler = "2 %",
    },
  },

  mobiles = {
    {
      tlli = 0xC0000001, address = "10.45.0.1",
      tun = { device = "gbf0", namespace = "ms1", default_route = true },
    },
  },
}
