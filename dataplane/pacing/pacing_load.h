/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many octets of TCP arrived for a class in a cell, and for how many mobiles; how many flows a mobile has
 * (model: pacing.h). Counted in windows of 2^32 ns, each mobile and flow once in a window.
 *
 * For the pacing*.c files only.
 */
#ifndef DATAPLANE_PACING_PACING_LOAD_H
#define DATAPLANE_PACING_PACING_LOAD_H

#include "dataplane/base/qclass.h"
#include "dataplane/pacing/pacing.h"

#define PACING_LOADS (QCLASS_COUNT + 1) /* of a cell: its classes, and all of them */

struct pacing_window {
    uint32_t number;
    uint32_t octets, last_octets;
    uint32_t count, last_count; /* mobiles or flows */
};

static inline uint32_t pacing_window_of(int64_t now)
{
    return (uint32_t)((uint64_t)now >> 32) + 1; /* 0: never */
}

/* Ends windows that are over. */
void pacing_load_turn(struct pacing_window *window, int64_t now);

/* The rate of a class of a cell in the last window, in bit/s; without one, R of the cell. */
uint64_t pacing_load_rate_bps(struct pacing_window *cell, const struct pacing_at *at, int64_t now);

/* A mobile's share, in bit/s, of its class. cell: windows of its classes, then that of all of them. */
uint64_t pacing_load_share_bps(struct pacing_window *cell, const struct pacing_at *at, int64_t now);

#endif
