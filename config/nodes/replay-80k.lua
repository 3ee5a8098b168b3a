-- SPDX-License-Identifier: BSD-3-Clause
-- One narrow cell: a Gn capture replayed through a Gb that carries 80 kbit/s.
--
--   gbflow replay config/nodes/replay-80k.lua --in gn.pcap --out gb.pcapng
-- The cell's leaky bucket (BVC) holds 10 000 octets, one second of its rate, and every mobile has a bucket of
-- the same size and rate. So a single download is limited by either bucket, two downloads share the cell, and an N-PDU
-- older than 15 s is dropped instead of being sent to a user who has stopped waiting. All keys: docs/reference/node.md.

-- Bmax and R as the BSS announces them in FLOW-CONTROL-BVC: steps of 100 octets and of 100 bit/s.
local one_second = { bucket = "10000 octets", rate = "80 kbit/s" }

return {
  -- The SGSN's end of Gb. In a replay these addresses only appear in the Gb capture.
  gb = { address = "10.99.0.1", udp_port = 23000, mtu = "1500 octets" },

  -- One BSS (NSE) with one NS-VC and one cell. BVCI 1800 and the port are OsmoPCU's usual values.
  nses = {
    {
      nsei = 101,
      nsvcs = { { nsvci = 101, address = "10.99.0.2", udp_port = 23000 } },
      cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } } },
    },
  },

  mobiles = {
    source = "gtpc", -- a mobile for each Create PDP Context exchange that the capture shows
    first_tlli = 0xC0000001,
    sapi = 3,
    n201_u = "500 octets", -- the LLC default: a full-sized IP packet takes four frames
    queue_limit = "64 kB", -- of each mobile in the SGSN; an N-PDU beyond it is dropped on arrival
  },

  -- "split": 15 s in all. The time left after the SGSN's queue goes into the PDU Lifetime, which the BSS keeps.
  lifetime = { mode = "split", sgsn_max = "15 s" },

  -- The other end of Gb: brings NS-VC and cell up, then announces the buckets once.
  emulated_bss = {
    { nsei = 101, cells = { { bvci = 1800, bvc = one_second, ms_default = one_second } } },
  },
}
