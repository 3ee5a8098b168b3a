-- SPDX-License-Identifier: BSD-3-Clause
-- A node with one cell that accepts all phones.
return {
  gb = { address = "10.99.0.1" },
  nses = {
    {
      nsei = 101,
      nsvcs = { { nsvci = 101, address = "10.99.0.2" } },
      cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } } },
    },
  },
  phones = { policy = "accept_all", apns = { { name = "*", sgsn_address = "10.99.0.1", ggsn_address = "10.99.0.3" } } },
}
