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

#include <stdint.h>

#include "dataplane/base/rng.h"

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

#endif
