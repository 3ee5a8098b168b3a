/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A look at mobiles, cells and links from another thread, while the worker changes them. Each number
 * is one that the worker has written; two numbers may be of different instants. Nothing is changed, and no
 * lock is taken.
 */
#ifndef DATAPLANE_CONTEXT_CONTEXT_LOOK_H
#define DATAPLANE_CONTEXT_CONTEXT_LOOK_H

#include "dataplane/context/context.h"
#include "dataplane/sched/wait.h"

#include <stdbool.h>
#include <stdint.h>

struct context_look {
    uint64_t level_octets;         /* in the bucket now */
    uint64_t max_octets, rate_bps; /* Bmax and R in force */
    uint64_t queued_octets, queued_pkts;
};

/* A mobile by its index; false: it is not in use at this worker. */
bool context_look_ms(const struct context *c, uint32_t index, int64_t now, struct context_look *out);

/* The cause for which a mobile waits, and its times so far; false as above. */
bool context_look_wait(const struct context *c, uint32_t index, int64_t now, struct sched_wait_now *out);

/* Whether a mobile is in STANDBY; false as above, too. */
bool context_look_standby(const struct context *c, uint32_t index, int64_t now);

/* A cell; queued[] by class has queued_octets and queued_pkts only. */
bool context_look_bvc(const struct context *c, uint16_t index, int64_t now, struct context_look *out,
                      struct context_look queued[QCLASS_COUNT]);

/* The Gb link of an NSE; rate_bps 0: no limit. */
bool context_look_link(const struct context *c, uint16_t index, int64_t now, struct context_look *out);

#endif
