-- SPDX-License-Identifier: BSD-3-Clause
-- A node whose mobiles have radio values: one its own, one what all others have, one none that is sent.

local function context(number)
  return { { nsapi = 5, teid = number, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", ggsn_teid = number,
    address = "10.45.0." .. number } }
end

return {
  gb = { address = "10.99.0.1", mtu = "1600 octets", dl_unitdata = { imsi = false, spid = false, alignment = true,
    tlli_old = false } },
  nses = { { nsei = 101, nsvcs = { { nsvci = 101, address = "10.99.0.2" } },
    cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } } } } },
  mobiles = {
    source = "list",
    radio = { drx = "8020" },
    list = {
      { imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, contexts = context(1), radio = {
        ra_capability = ("0a"):rep(128), drx = "12fF", lsa_information = "00", service_utran_cco = 2, spid = 9,
        priority = { level = 14, may_preempt = true, may_be_preempted = true } } },
      { imsi = "262420000000002", tlli = 0xC0000002, bvci = 1800, contexts = context(2) },
      { imsi = "262420000000003", tlli = 0xC0000003, bvci = 1800, contexts = context(3), radio = { spid = 1 } },
    },
  },
}
