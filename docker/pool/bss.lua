-- SPDX-License-Identifier: BSD-3-Clause
-- The BSS of compose-pool.yaml: six phones, which are hosts in this container. It takes the Gb proxy for its SGSN. All
-- keys: docs/reference/bss.md.
return {
  nsei = 101,
  nsvcs = { { nsvci = 101, address = "198.51.100.2", sgsn_address = "198.51.100.1" } },
  cells = { {
    bvci = 1800, cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 },
    pdchs = 4, coding = "CS-2", bler = "2 %",
  } },
  phones = {
    count = 6, imsi = "001010000000001", apn = "internet",
    tun = { device = "gbf0", default_route = true },
  },
}
