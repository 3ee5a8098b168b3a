/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The longest of many queues, found without a search over all: queues of LONGEST_MIN_PKTS and more are kept
 * in a bin for each length in packets. A shorter queue costs nothing.
 *
 * Queues of LONGEST_BINS - 1 packets and more share the last bin, of which LONGEST_SEARCH members are
 * compared.
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
    uint16_t pkts; /* at the last longest_update() */
};

struct longest {
    struct longest_node *nodes;
    uint32_t free_head;
    uint64_t words;                       /* bit per word of occupied that is not 0 */
    uint64_t occupied[LONGEST_BINS / 64]; /* bit per bin */
    uint32_t bins[LONGEST_BINS];          /* heads of lists */
};

/* Room for all queues of LONGEST_MIN_PKTS or more that `pkts` packets can form. False: out of memory. */
bool longest_new(struct longest *l, uint32_t pkts);
void longest_free(struct longest *l);

/* Sets a queue's length. `node` is the caller's handle of the queue, LONGEST_NONE at first; returns the new
 * handle. */
uint32_t longest_update(struct longest *l, uint32_t node, void *queue, uint16_t pkts);

/* The longest queue, NULL when all are shorter than LONGEST_MIN_PKTS. */
void *longest_get(const struct longest *l);

#endif
