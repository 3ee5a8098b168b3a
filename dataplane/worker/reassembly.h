/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SN-UNITDATA reassembly of uplink N-PDUs (TS 44.065 clause 6.7), one at a time for each PDP context. The
 * standard has no timer for unacknowledged mode; segments are kept for REASSEMBLY_TIMEOUT_NS.
 *
 * A mobile could hold buffers of Gb by N-PDUs that never end. So the buffers of all segments are limited, and
 * half of them is the limit of a cell. At a limit the N-PDU that began first, in the cell or in all, is
 * dropped. Cells share REASSEMBLY_CELLS places, by the remainder of their numbers. The pool has these buffers
 * in addition to those of other uses (node.c).
 *
 * Invariant: entries in use are in two lists, of all and of their cell, in the order in which they began; an
 * entry's context points back to it. held = sum of received of all entries = sum of held of all cells.
 */
#ifndef DATAPLANE_WORKER_REASSEMBLY_H
#define DATAPLANE_WORKER_REASSEMBLY_H

#include "dataplane/wire/sndcp.h"
#include "dataplane/worker/stats.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;

#define REASSEMBLY_TIMEOUT_NS      INT64_C(10000000000)
#define REASSEMBLY_MAX_NPDU_OCTETS 1503
#define REASSEMBLY_CELLS           256
#define REASSEMBLY_SEGMENTS        4 /* buffers for each N-PDU, on average */
#define REASSEMBLY_LEAST_SEGMENTS  (4 * SNDCP_MAX_SEGMENTS)

enum reassembly_list { REASSEMBLY_OF_ALL, REASSEMBLY_OF_CELL, REASSEMBLY_LISTS };

struct reassembly_entry {
    struct rte_mbuf *segments[SNDCP_MAX_SEGMENTS]; /* each buffer's data is its part of the N-PDU */
    int64_t began_ns;
    uint32_t pdp; /* index of the PDP context */
    uint32_t older[REASSEMBLY_LISTS], newer[REASSEMBLY_LISTS];
    uint16_t cell; /* index in reassembly.cells */
    uint16_t number;
    uint16_t octets;
    uint8_t comp;     /* DCOMP and PCOMP of the first segment */
    uint8_t received; /* number of segments received */
    uint8_t expected; /* 0: the last one is missing */
    bool is_acknowledged;
};

struct reassembly_ends {
    uint32_t oldest, newest;
    uint32_t held; /* segments */
};

struct reassembly {
    struct reassembly_entry *entries;
    uint32_t *by_pdp; /* index of a context's entry */
    uint32_t free_head;
    uint32_t count, used; /* entries, and those in use */
    uint32_t most;        /* limit of used from now on, at most count */
    uint32_t held_max;    /* limit of all.held; half of it: of each cell's */
    struct reassembly_ends all, cells[REASSEMBLY_CELLS];
};

/* The context of a segment, and the number of the cell in which its mobile is. */
struct reassembly_source {
    uint32_t pdp, cell;
    bool is_acknowledged; /* LLC delivers the rest, however late: the time does not end it */
};

/* The buffers that the segments of `count` N-PDUs may hold. */
static inline uint32_t reassembly_buffers(uint32_t count)
{
    uint32_t buffers = count * REASSEMBLY_SEGMENTS;
    return buffers > REASSEMBLY_LEAST_SEGMENTS ? buffers : REASSEMBLY_LEAST_SEGMENTS;
}

/* Room for `count` N-PDUs in reassembly, of contexts with indices below pdp_count. */
bool reassembly_new(struct reassembly *r, uint32_t count, uint32_t pdp_count);
void reassembly_free(struct reassembly *r);

/*
 * Takes ownership of one segment of a context, whose data is its part of the N-PDU. Returns the entry when
 * its N-PDU is complete: the caller reads the segments 0 .. expected - 1 and calls reassembly_end(). NULL:
 * kept, or dropped and counted, as an N-PDU without octets is. To make room, others may be dropped and
 * counted as DROP_SNDCP_LIMIT.
 */
struct reassembly_entry *reassembly_put(struct reassembly *r, struct worker_stats *stats,
                                        const struct sndcp *header, struct reassembly_source source,
                                        struct rte_mbuf *segment, int64_t now);

/* Frees an entry and its segments, which the caller has counted. */
void reassembly_end(struct reassembly *r, struct reassembly_entry *entry);

/* A context is deleted: its segments are dropped and counted. */
void reassembly_forget(struct reassembly *r, struct worker_stats *stats, uint32_t pdp);

/* Drops segments older than REASSEMBLY_TIMEOUT_NS. */
void reassembly_expire(struct reassembly *r, struct worker_stats *stats, int64_t now);

/* When the next entry expires. */
int64_t reassembly_next_ns(const struct reassembly *r);

#endif
