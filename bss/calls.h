/* SPDX-License-Identifier: BSD-3-Clause */
/* Circuit-switched calls in a cell: how many of its channels they hold at any time.

   Two sources, of which either may be there:
   - a schedule: from `first_ns` on, every `every_ns`, calls hold `taken` channels for `hold_ns`;
   - chance: calls come as a Poisson process, one every `interval_ns` on average, each holds one channel for
   an exponentially distributed time with mean `mean_hold_ns`, and one that finds none free is lost: Erlang's
     loss system M/M/n/n, offered mean_hold_ns / interval_ns erlang.

   Not here: queueing of calls, handovers, half-rate channels, channels that packets keep for themselves (give
   fewer `channels`). Same configuration = same calls, whenever calls_step() is called. */
#ifndef BSS_CALLS_H
#define BSS_CALLS_H

#include <stdint.h>

#include "dataplane/base/rng.h"

enum { CALLS_MAX_CHANNELS = 64 };

struct calls_config {
    unsigned channels;                   /* 1..CALLS_MAX_CHANNELS, that calls may have */
    int64_t first_ns, every_ns, hold_ns; /* 0 < hold_ns < every_ns; every_ns 0: no schedule */
    unsigned taken;                      /* 1..channels */
    int64_t start_ns, interval_ns,
        mean_hold_ns; /* calls come from start_ns on; interval_ns 0: not by chance */
    uint64_t seed;
};

struct calls {
    struct calls_config config;
    struct rng rng;
    int64_t schedule_ns; /* the next change of the schedule */
    int64_t arrival_ns;
    int64_t end_ns[CALLS_MAX_CHANNELS]; /* of chance's calls, in no order */
    unsigned count, scheduled;          /* calls by chance; channels that the schedule holds */
    uint64_t offered, lost;             /* calls by chance */
};

/** Sets it to the time before the first call. Asserts what the struct says of ranges. */
void calls_init(struct calls *calls, const struct calls_config *config);

/** The next instant at which the number may change; INT64_MAX: none. */
int64_t calls_due_ns(const struct calls *calls);

/** Does what is due up to `now`, in order of its instants. Returns the channels that calls hold then. */
unsigned calls_step(struct calls *calls, int64_t now);

#endif
