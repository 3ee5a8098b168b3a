-- SPDX-License-Identifier: BSD-3-Clause
-- A node with one cell that resets its mobiles' LLC.
return {
  gb = { address = "10.99.0.1" },
  nses = {
    {
      nsei = 101,
      nsvcs = { { nsvci = 101, address = "10.99.0.2" } },
      cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } } },
    },
  },
  mobiles = { n201_u = "600 octets" },
  sndcp = { compression = { mode = "passive", entities = 1, rfc1144 = { slots = 8 } } },
  llc = { reset_at_start = true, t200 = "2 s", n201_u_max = "1000 octets" },
}
