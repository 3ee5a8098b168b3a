-- SPDX-License-Identifier: BSD-3-Clause
-- A node whose paths are asked each minute, twice at most, and end their contexts when they are down.
return {
  gn = { path = { every = "60 s", t3 = "5 s", n3 = 2, on_loss = "delete" } },
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
      { imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, contexts = {
        { nsapi = 5, sgsn_address = "2001:db8::1", ggsn_address = "2001:db8::2", ggsn_teid = 1,
          ipv6_address = "2001:db8:42:7::abc" },
        { nsapi = 6, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", ggsn_teid = 2, address = "10.45.0.1",
          ipv6_address = "2001:db8:42:8::abc" },
      } },
    },
  },
}
