-- SPDX-License-Identifier: BSD-3-Clause
-- A. Wennström, A. Brunstrom, J. Rendón: Impact of GPRS buffering on TCP performance, Electronics Letters 40 (2004).
--
-- One bulk download for a quarter of an hour, and a buffer that drops packets by age. SGSN and BSC are one logical
-- buffer: mode "split" passes the rest of a packet's lifetime to the BSC, which tests it when it takes a frame for
-- its first radio block. The paper's cases:
--
--   --set sgsn.lifetime.sgsn_max=63s     or =5s
--   --set cells[1].pdchs=1               or =2, =3
--   --set network.internet_loss=0.4%     for a sporadic loss, as in Fig. 3
--   --set tcp.initial_ssthresh=33 --set tcp.fack=false      what the route keeps of earlier connections (docs/tcp.md)
--
-- Values that the paper does not state are marked `assumed`.

return {
  title = "Impact of GPRS buffering on TCP performance",
  duration = "15 min",

  network = {
    server_delay = { assumed = {
      value = "10 ms",
      why = "the server is part of the testbed; its distance is not stated",
      holds_over = "0 ms to 300 ms",
    } },
  },

  sgsn = {
    lifetime = { mode = "split", sgsn_max = "63 s" },
    queue_limit = { assumed = {
      value = "1 MB",
      why = "the buffer is described by time only",
      holds_over = "70 kB and more: the receiver's window is 64 KB",
    } },
    n201_u = { assumed = {
      value = "1520 octets",
      why = "not stated; phones ask for it when a context is activated",
      holds_over = "1504 to 1520 octets: a packet is one frame; with more frames some die alone, and the rate falls",
    } },
  },

  cells = {
    {
      bvci = 2,
      pdchs = 1,
      coding = "CS-2",
      bler = { assumed = {
        value = "1 %",
        why = "a C/I of 20 dB and -80 dBm leave CS-2 few block errors",
        holds_over = "0 % to 5 %",
      } },
      processing = { assumed = {
        value = "250 ms",
        why = "fitted to round-trip times that start at 1 s: what BSC, Abis and terminal add to each frame's way",
        holds_over = "150 ms to 350 ms",
      } },
      control_one_in = { assumed = {
        value = 9,
        why = "fitted: blocks that poll and acknowledge take their share of the air; with one in nine, one and three "
          .. "channels carry the 10 and 30 kbit/s that the paper on buffering measured in this testbed",
        holds_over = "8 to 10: with 11 the round-trip time between the teeth is 3.3 s, not 2.3 s",
      } },
      downlink_slots = 3,
      uplink_slots = 1,
      tbf = { assumed = {
        value = { setup = "200 ms", setup_with_uplink = "100 ms", release = "2 s", uplink_access = "500 ms",
          uplink_hold = "500 ms" },
        why = "the network's channel timers are not stated; uplink_access is fitted to the throughput of the paper on "
          .. "pre-emption",
        holds_over = "uplink_access: 200 ms to 500 ms",
      } },
      flow_control = {
        thresholds = { assumed = {
          value = { stop = "22 kB", go = "18 kB" },
          why = "fitted in the paper on pre-emption: how the BSC keeps its buffer is not stated",
          holds_over = "with and without: they shift packets between two parts of one buffer",
        } },
        bucket_time = { assumed = {
          value = "5 s",
          why = "what the BSC announces is not stated",
          holds_over = "1.2 s to 10 s: it shifts packets between two parts of one buffer",
        } },
        ms = {}, every = "10 s",
      },
    },
  },

  mobiles = {
    {
      name = "laptop", class = "background",
      traffic = { { download = { octets = "infinite" } } },
    },
  },

  tcp = {
    stack = { assumed = {
      value = "linux-2.4.0",
      why = "Linux 2.4.2-2 lies between 2.4.0 and 2.4.17 (docs/tcp.md), whose timers differ",
      holds_over = "with both",
    } },
    mss = "1460 octets",
    sack = true,
    timestamps = true,
    receive_window = "65535 octets",
    delayed_ack = { assumed = {
      value = { timeout = "500 ms" },
      why = "Linux 2.4 lets an ACK wait for half a second, as long as segments are that far apart (docs/tcp.md)",
      holds_over = "500 ms; with 200 ms the round-trip time between the teeth is 3.4 s, not 2.3 s",
    } },
    initial_cwnd = { assumed = {
      value = 2,
      why = "RFC 2581, which was in force",
      holds_over = "1 to 10 segments",
    } },
    initial_rto = { assumed = {
      value = "3 s",
      why = "RFC 2988, which was in force",
      holds_over = "1 s to 3 s",
    } },
    min_rto = { assumed = {
      value = "200 ms",
      why = "of Linux 2.4 (docs/tcp.md): the least distance between SRTT and RTO",
      holds_over = "200 ms to 1 s",
    } },
  },

  series = { every = "1 s" },
}
