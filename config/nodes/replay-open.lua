-- SPDX-License-Identifier: BSD-3-Clause
-- Flow control without limits: every packet of a Gn capture leaves on Gb on arrival.
--
--   gbflow replay config/nodes/replay-open.lua --in gn.pcap --out gb.pcapng
--
-- To look at formats (segments, frame numbers, headers) with no N-PDU queued or dropped, and as the reference for runs
-- with a real cell. All keys: docs/reference/node.md.

-- The largest bucket and rate that 16 bits of 100 octets and of 100 bit/s can announce. The bucket alone holds some
-- thousand full-sized packets.
local wide_open = { bucket = "6553500 octets", rate = "6553500 bit/s" }

return {
  -- The SGSN's end of Gb. In a replay these addresses only appear in the Gb capture.
  gb = { address = "10.99.0.1", udp_port = 23000, mtu = "1500 octets" },

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
    queue_limit = "16 MB", -- never reached: with such buckets no N-PDU is queued
  },

  -- No N-PDU expires, neither in the SGSN nor in the BSS (PDU Lifetime "infinite").
  lifetime = { mode = "split", sgsn_max = "infinite", bss_max = "infinite" },

  emulated_bss = {
    { nsei = 101, cells = { { bvci = 1800, bvc = wide_open, ms_default = wide_open } } },
  },
}
