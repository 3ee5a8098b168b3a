-- SPDX-License-Identifier: BSD-3-Clause
-- A. Wennström, A. Brunstrom, J. Rendón: GPRS pre-empted by circuit-switched calls (measurements of 2003/2004).
--
-- One bulk download for forty minutes; a minute after the last ones calls take every packet channel of the cell. The
-- paper's cases:
--
--   --set cells[1].calls.schedule.hold=3s --set cells[1].calls.schedule.every=63s     or 6s, 66s; 15s, 75s
--
-- Its proposal, to wait before the buffer is flushed, and to resume at once:
--
--   --set cells[1].calls.flush=5s --set 'cells[1].calls.restart_wait=0 s'
--
-- Values that the paper does not state are marked `assumed`.

return {
  title = "GPRS pre-empted by circuit-switched calls",
  duration = "40 min",

  network = {
    server_delay = { assumed = {
      value = "10 ms",
      why = "the server is part of the testbed; its distance is not stated",
      holds_over = "0 ms to 300 ms",
    } },
  },

  sgsn = {
    lifetime = { assumed = {
      value = { mode = "split", sgsn_max = "63 s" },
      why = "not stated; the larger of the two values of the same authors' paper on buffering",
      holds_over = "20 s and more: no packet grows as old",
    } },
    queue_limit = { assumed = {
      value = "1 MB",
      why = "the SGSN loses nothing",
      holds_over = "70 kB and more: the receiver's window is 64 KB",
    } },
    n201_u = { assumed = {
      value = "1520 octets",
      why = "not stated; phones ask for it when a context is activated",
      holds_over = "1504 to 1520 octets: a packet is one frame",
    } },
  },

  cells = {
    {
      bvci = 2,
      pdchs = 3,
      coding = "CS-2",
      bler = { assumed = {
        value = "1 %",
        why = "a C/I of 20 dB and -80 dBm leave CS-2 few block errors",
        holds_over = "0 % to 5 %",
      } },
      processing = { assumed = {
        value = "250 ms",
        why = "fitted in the paper on buffering: what BSC, Abis and terminal add to each frame's way",
        holds_over = "150 ms to 350 ms",
      } },
      control_one_in = { assumed = {
        value = 9,
        why = "fitted: blocks that poll and acknowledge take their share of the air; with one in nine, one and three "
          .. "channels carry the 10 and 30 kbit/s that the paper on buffering measured in this testbed",
        holds_over = "6 to 10: the throughput at 3 s is 22.0 to 23.8 kbit/s, at 15 s 20.7 to 22.5",
      } },
      downlink_slots = 3,
      uplink_slots = 1,
      tbf = { assumed = {
        value = { setup = "200 ms", setup_with_uplink = "100 ms", release = "2 s", uplink_access = "500 ms",
          uplink_hold = "500 ms" },
        why = "the network's channel timers are not stated; uplink_access is fitted to the throughput of the paper on "
          .. "pre-emption",
        holds_over = "uplink_access: 200 ms to 700 ms, 24.5 to 23.6 kbit/s at 3 s of pre-emption",
      } },
      flow_control = {
        thresholds = { assumed = {
          value = { stop = "22 kB", go = "18 kB" },
          why = "fitted to almost ten segments lost and 20 s of recovery: how the BSC keeps its buffer is not stated",
          holds_over = "18 kB to 24 kB, go 4 kB below: 9.1 to 10 segments lost, 23.4 to "
            .. "24.5 kbit/s and 15 to 18 s of recovery at 3 s",
        } },
        bucket_time = { assumed = {
          value = "5 s",
          why = "what the BSC announces is not stated",
          holds_over = "4 s to 20 s: more than the thresholds let in",
        } },
        ms = {}, every = "10 s",
      },
      calls = {
        schedule = {
          hold = "3 s",
          every = { assumed = {
            value = "63 s",
            why = "a minute lies between pre-emptions, from the end of one to the beginning of the next: forty "
              .. "minutes have 32 of 15 s, as the paper has at least 30",
            holds_over = "60 s to 63 s at a hold of 3 s; set it to hold and 60 s for the other cases",
          } },
        },
        flush = "0 s",
        restart_wait = { assumed = {
          value = "4 s",
          why = "the transfer resumes when the terminal asks for an uplink channel to send an acknowledgement; how "
            .. "long it stands still when the terminal has none is not stated",
          holds_over = "1 s to 10 s: 21.8 to 20.9 kbit/s at 15 s",
        } },
        uplink_keep = { assumed = {
          value = "10 s",
          why = "fitted: 15 s are enough for the terminal to empty its buffer, 6 s are not",
          holds_over = "7 s to 14 s",
        } },
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
      holds_over = "2.4.0; with 2.4.17 the recovery at 3 s takes 10.6 s, and the throughput is 24.8 kbit/s",
    } },
    fack = { assumed = {
      value = false,
      why = "fitted: such a kernel sends without FACK when its route keeps reordering of an earlier connection; the "
        .. "measurements of the testbed followed each other between the same two hosts",
      holds_over = "false; with FACK the recovery at 3 s takes 12 s, and the throughput is 25.3 kbit/s",
    } },
    initial_ssthresh = { assumed = {
      value = 33,
      why = "fitted: such a route also keeps the threshold of a connection that ended in congestion avoidance "
        .. "(docs/tcp.md): at most three quarters of the window of 64 KB, 45 segments",
      holds_over = "22 to 33; without one the average RTT is up to 0.6 s longer",
    } },
    mss = "1460 octets",
    sack = { assumed = {
      value = true,
      why = "what Linux 2.4 does by itself",
      holds_over = "with; the rules of this stack need it",
    } },
    timestamps = { assumed = { value = true, why = "what Linux 2.4 does by itself", holds_over = "with and without" } },
    receive_window = "65535 octets",
    delayed_ack = { assumed = {
      value = { timeout = "500 ms" },
      why = "Linux 2.4 lets an ACK wait for half a second, as long as segments are that far apart (docs/tcp.md)",
      holds_over = "500 ms; with 200 ms the throughput at 3 s is 28.0 kbit/s, and the RTT 5.2 s",
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
