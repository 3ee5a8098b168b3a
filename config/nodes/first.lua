-- SPDX-License-Identifier: BSD-3-Clause
-- The first node of a new installation. It starts on any machine, without rights or network cards, and no peer can
-- reach it: its ports are memif sockets that no peer opens, BSS and GGSN have loopback addresses, and one IMSI of the
-- test network may attach. The package installs it as /etc/gbflow/first.lua:
--
--   systemctl enable --now gbflow@first
--   gbflow show nse
--
-- Make it a node of yours: network interfaces (docs/serve.md), BSS, APN, who may attach (docs/phones.md).

return {
  gn = { port = "net_memif0,role=server,socket=gbflow-gn" },
  gb = { address = "127.0.0.1", port = "net_memif1,role=server,socket=gbflow-gb" },

  nses = {
    {
      nsei = 101,
      nsvcs = { { nsvci = 101, address = "127.0.0.2" } },
      cells = { { bvci = 1800, cell_id = { mcc = "001", mnc = "01", lac = 1, rac = 1, ci = 1 } } },
    },
  },

  mobiles = { source = "list" },
  phones = {
    policy = "list",
    imsis = { "001010000000000" }, -- of the test network
    apns = { { name = "internet", sgsn_address = "127.0.0.1", ggsn_address = "127.0.0.3" } },
  },
}
