/* SPDX-License-Identifier: BSD-3-Clause */
/* The variables of a connection beside those of RFC 9293 and 5681: of today's algorithms, and of the stacks
 * of Linux 2.4. */
#ifndef SIM_TCP_STACK_H
#define SIM_TCP_STACK_H

#include "sim/tcp_cubic.h"
#include "sim/tcp_hystart.h"
#include "sim/tcp_prr.h"
#include "sim/tcp_rack.h"

#include <stdbool.h>
#include <stdint.h>

enum tcp_linux_state { TCP_LINUX_OPEN, TCP_LINUX_DISORDER, TCP_LINUX_RECOVERY, TCP_LINUX_LOSS };

/* Of tcp_linux.h alone. */
struct tcp_linux {
    enum tcp_linux_state state;
    uint64_t undo_from; /* una at the last reduction of the window, while it may be undone; 0: never */
    uint64_t prior_ssthresh_octets; /* before it; 0: not to be brought back */
    int32_t undo_repeats;           /* segments sent again since then, less those that arrived twice */
    uint32_t repeated_at;           /* timestamp of the first repetition; 0: none on its way */
    uint32_t acks;                  /* since the window last moved */
    uint32_t reordering;            /* segments by which one may be late */
    uint32_t timeouts;              /* in this loss state */
    bool uses_fack;
};

/* Of tcp_ato.h alone. */
struct tcp_ato {
    int64_t ato_ns; /* 0: before the first segment */
    int64_t last_ns;
    uint32_t quick_acks;
    uint64_t window_octets; /* to be announced at most; grows with what arrives */
};

#endif
