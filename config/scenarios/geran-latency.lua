-- SPDX-License-Identifier: BSD-3-Clause
-- "Latency and TCP performance in evolved GERAN", a contribution to 3GPP GERAN of 2005/2006: how the delays of the RLC
-- loop and of the network behind the BTS slow down downloads, a web page and pings.
--
-- Five users at once, each alone in a cell, so that they share only the delays:
--   edge-ftp                                 EDGE: 113.6 kbit/s down, 56.8 kbit/s up
--   gev-ftp, gev-http, ping64, ping1500      evolved GERAN: four times that
--
-- The paper varies `rlc_rtt` and `latency`; on the command line they are
--   --set cells[1].retransmission=30ms ... --set cells[5].retransmission=30ms    RLC RTT less one TTI of 20 ms
--   --set network.server_delay=8ms                                               latency less 1 ms of Gn and 1 ms of Gb
--
-- Values that the paper does not state are marked `assumed`.

local TTI_MS, GN_GB_MS = 20, 2
local rlc_rtt, latency = 50, 10

local function ms(value)
  return string.format("%d ms", value)
end

-- `down` and `up` blocks per TTI with that many octets each: the paper's PDUs. The cell's PDCHs suffice for the faster
-- direction.
local function cell(bvci, down, down_octets, up, up_octets)
  return {
    bvci = bvci, pdchs = math.max(down, up), downlink_slots = down, uplink_slots = up,
    coding = "MCS-6", block_octets = down_octets, block_octets_up = up_octets,
    -- The paper's rule for 10 %: a PDU breaks if a number between 1 and 100 is less than 10.
    bler = "9 %", retransmission = ms(rlc_rtt - TTI_MS),
    window = 2048, -- more than is ever outstanding: "unlimited"
    -- The paper has no TBFs: once set up they stay.
    tbf = { setup = "0 s", setup_with_uplink = "1 ms", release = "60 s", uplink_access = "0 s", uplink_hold = "60 s" },
    flow_control = { bucket_time = "60 s" }, -- no limit in effect
  }
end

local function edge(bvci)
  return cell(bvci, 4, 71, 2, 71)
end

local function evolved(bvci, up_octets)
  return cell(bvci, 8, 142, 8, up_octets or 71)
end

-- The paper has no LLC: a ping of 64 octets fits into a PDU of 71. Here it has 10 octets of SNDCP and LLC more.
local SNDCP_LLC_OCTETS = 10

local function packets(count)
  return string.format("%d octets", count * 1460)
end

local function ftp()
  return { web = { page = "100 kB", items = 0, pages = 10, parallel = 1, persistent = false, reading = "1 s" } }
end

-- The page is downloaded once in the paper.
local function http()
  return { web = {
    page = packets(41),
    sizes = { packets(45), packets(8), packets(7), packets(4), packets(4), packets(3), packets(2) },
    pages = 7, parallel = 1, reading = "1 s", persistent = false,
    close_awaited = { assumed = {
      value = false,
      why = "the next object starts when the last one has been completely downloaded",
      holds_over = "false; with true the page takes 0.8 s more at the lowest delays and 3.8 s more at the highest, and "
        .. "the latency costs 63 %",
    } },
    request = { assumed = {
      value = "350 octets", why = "not stated; what a browser asks with", holds_over = "100 to 1000 octets",
    } },
  } }
end

local function ping(size)
  return { ping = { octets = size, every = "2002 ms", count = 50 } }
end

return {
  title = "Latency and TCP in evolved GERAN",
  duration = "250 s",

  network = {
    server_delay = ms(latency - GN_GB_MS),
    gn_delay = "1 ms",
    gb_delay = "1 ms",
    ack_delay = { assumed = {
      value = "100 ms",
      why = "the paper's ACK delay, read as a delay of each acknowledgement at either end, beside delayed_ack",
      holds_over = "100 ms; without it the page takes 6.5 s at the lowest delays, with close_awaited = true",
    } },
  },

  sgsn = {
    queue_limit = { assumed = {
      value = "1 MB", why = "the paper has no losses in the network", holds_over = "62 kB and more: 42 packets",
    } },
    n201_u = { assumed = {
      value = "1520 octets", why = "the paper has no LLC", holds_over = "500 to 1520 octets",
    } },
  },

  cells = { edge(2), evolved(3), evolved(4), evolved(5, 71 + SNDCP_LLC_OCTETS), evolved(6) },

  mobiles = {
    { name = "edge-ftp", cell = 2, traffic = { ftp() } },
    { name = "gev-ftp", cell = 3, traffic = { ftp() } },
    { name = "gev-http", cell = 4, traffic = { http() } },
    { name = "ping64", cell = 5, traffic = { ping("64 octets") } },
    { name = "ping1500", cell = 6, traffic = { ping("1500 octets") } },
  },

  tcp = {
    mss = "1460 octets",
    sack = false,
    timestamps = false,
    receive_window = "65535 octets",
    initial_cwnd = 2,
    initial_ssthresh = 40,
    max_cwnd = 42,
    min_rto = "1 s",
    initial_rto = { assumed = {
      value = "3 s", why = "RFC 2988, which was in force", holds_over = "1 s to 3 s",
    } },
    delayed_ack = { assumed = {
      value = { every = 2, timeout = "100 ms" },
      why = "the paper's ACK delay, read as the time-out of delayed acknowledgements",
      holds_over = "every second packet; with every packet and close_awaited = true the downloads fit as well, and the "
        .. "latency costs 62.5 %",
    } },
  },
}
