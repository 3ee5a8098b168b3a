/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which queue is the longest, kept up without a search: queues of LONGEST_MIN_PKTS and more lie in a bin for
 * each length in packets. A short queue costs nothing.
 *
 * Queues of LONGEST_BINS - 1 packets and more share the last bin; LONGEST_SEARCH of its members are looked
 * at.
 */
#ifndef DATAPLANE_QUEUE_LONGEST_H
#define DATAPLANE_QUEUE_LONGEST_H

#include <stdbool.h>
#include <stdint.h>

#define LONGEST_MIN_PKTS 8
#define LONGEST_BINS     4096
#define LONGEST_SEARCH   64
#define LONGEST_NONE     UINT32_MAX

struct longest_node {
    void *queue;
    uint32_t next, prev;
    uint16_t pkts; /* as last told */
};

struct longest {
    struct longest_node *nodes;
    uint32_t free_head;
    uint64_t words;                       /* bit per word of occupied that is not 0 */
    uint64_t occupied[LONGEST_BINS / 64]; /* bit per bin */
    uint32_t bins[LONGEST_BINS];          /* heads of lists */
};

/* Room for all queues that `pkts` packets can make long enough. False when there is no memory. */
bool longest_new(struct longest *l, uint32_t pkts);
void longest_free(struct longest *l);

/* A queue has this many packets now. `node` is the caller's handle for it, LONGEST_NONE at first. Returns the
 * handle from now on. */
uint32_t longest_update(struct longest *l, uint32_t node, void *queue, uint16_t pkts);

/* The longest queue, NULL when all are short. */
void *longest_get(const struct longest *l);

#endif
