-- SPDX-License-Identifier: BSD-3-Clause
-- A mobile with a context over GTP-C beside one that is given.

return {
  gn = { gtpc = { retry = "10 s" }, ggsns = { { address = "10.98.0.1", user_networks = { "10.98.0.0/24" } },
    { address = "2001:db8::2", user_networks = { "2001:db8::/64" } } } },
  gb = { address = "10.99.0.1" },
  nses = {
    {
      nsei = 101,
      nsvcs = { { nsvci = 101, address = "10.99.0.2" } },
      cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } } },
    },
  },
  mobiles = {
    source = "list",
    list = {
      {
        imsi = "262420000000001", msisdn = "491701234567", tlli = 0xC0000001, bvci = 1800,
        contexts = {
          { nsapi = 5, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", apn = "internet", class = "thp1",
            sapi = 5 },
          { nsapi = 6, teid = 0x1001, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", ggsn_teid = 7,
            address = "10.45.0.1" },
        },
      },
      {
        imsi = "262420000000002", tlli = 0xC0000002, bvci = 1800,
        contexts = {
          { nsapi = 5, sgsn_address = "2001:db8::1", ggsn_address = "2001:db8::2", apn = "internet.example",
            pdp_type = "ipv4v6" },
        },
      },
    },
  },
  limits = { mobiles = 4, contexts = 8 },
}
