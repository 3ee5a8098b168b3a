/* SPDX-License-Identifier: BSD-3-Clause */
/* Circuit-switched calls in a cell: the number of channels that they hold at any time.

   Two sources, each optional:
   - a schedule: from `first_ns` on, every `every_ns`, calls hold `taken` channels for `hold_ns`;
   - random calls: a Poisson process with mean interval `interval_ns`; each call holds one channel for an
     exponentially distributed time with mean `mean_hold_ns`, and a call that finds no free channel is lost:
     Erlang's loss system M/M/n/n, offered mean_hold_ns / interval_ns erlang.

   Not here: queueing of calls, handovers, half-rate channels, channels reserved for packets (give fewer
   `channels`). Same configuration = same calls, whenever calls_step() is called. */
#ifndef BSS_CALLS_H
#define BSS_CALLS_H

#include "dataplane/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

enum { CALLS_MAX_CHANNELS = 64 };

struct calls_config {
    unsigned channels;                           /* 1..CALLS_MAX_CHANNELS, those that calls may take */
    int64_t first_ns, every_ns, hold_ns;         /* 0 < hold_ns < every_ns; every_ns 0: no schedule */
    unsigned taken;                              /* 1..channels */
    int64_t start_ns, interval_ns, mean_hold_ns; /* random calls, from start_ns on; interval_ns 0: none */
    uint64_t seed;
};

struct calls {
    struct calls_config config;
    struct rng rng;
    int64_t schedule_ns; /* the next change of the schedule */
    int64_t arrival_ns;
    int64_t end_ns[CALLS_MAX_CHANNELS]; /* of random calls, unordered */
    unsigned count, scheduled;          /* random calls; channels that the schedule holds */
    uint64_t offered, lost;             /* random calls */
};

/** Sets the state before the first call. Asserts the ranges in the struct. */
void calls_init(struct calls *calls, const struct calls_config *config);

/** The next instant at which the number of held channels may change; INT64_MAX: never. */
int64_t calls_due_ns(const struct calls *calls);

/** Begins and ends all calls due up to `now`, in order of time. Returns the channels held at `now`. */
unsigned calls_step(struct calls *calls, int64_t now);

/* The calls of one cell of a BSS, which take PDCHs of its radio. */

struct bss;
struct bss_cell;
struct bss_cell_config;

struct bss_calls_stats {
    uint64_t preemptions; /* begun */
    uint64_t uplink_restarts,
        downlink_restarts; /* of mobiles that wait (restart_wait_ns): first event after it */
    int64_t preempted_ns;
};

/** How often and for how long in all calls held every PDCH of the cell. */
struct bss_calls_stats bss_calls_stats_get(const struct bss *bss, uint16_t bvci, int64_t now);

/** Parts of making and stepping a BSS; nothing in a cell without calls. bss_calls_init(): false: calls, but
 * no radio. */
bool bss_calls_init(struct bss_cell *cell, const struct bss_cell_config *config);
int64_t bss_calls_due_ns(const struct bss_cell *cell);
void bss_calls_expire(struct bss_cell *cell, int64_t now);

#endif
