/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SN-UNITDATA reassembly of uplink N-PDUs (TS 44.065 clause 6.7), one at a time for each PDP context. The
 * standard has no timer for unacknowledged mode; segments are kept for REASSEMBLY_TIMEOUT_NS.
 *
 * Invariant: entries in use are linked in the order in which they began; an entry's context points back to
 * it.
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

struct reassembly_entry {
    struct rte_mbuf *segments[SNDCP_MAX_SEGMENTS]; /* each buffer's data is its part of the N-PDU */
    int64_t began_ns;
    uint32_t pdp; /* index of the PDP context */
    uint32_t prev, next;
    uint16_t number;
    uint16_t octets;
    uint8_t received; /* number of segments received */
    uint8_t expected; /* 0: the last one is missing */
};

struct reassembly {
    struct reassembly_entry *entries;
    uint32_t *by_pdp; /* index of a context's entry */
    uint32_t free_head, head, last;
    uint32_t count, used; /* entries, and those in use */
    uint32_t most;        /* limit of used from now on, at most count */
};

/* Room for `count` N-PDUs in reassembly, of contexts with indices below pdp_count. */
bool reassembly_new(struct reassembly *r, uint32_t count, uint32_t pdp_count);
void reassembly_free(struct reassembly *r);

/*
 * Takes ownership of one segment of a context, whose data is its part of the N-PDU. Returns the entry when
 * its N-PDU is complete: the caller reads the segments 0 .. expected - 1 and calls reassembly_end(). NULL:
 * kept, or dropped and counted, as an N-PDU without octets is.
 */
struct reassembly_entry *reassembly_put(struct reassembly *r, struct worker_stats *stats,
                                        const struct sndcp *header, uint32_t pdp, struct rte_mbuf *segment,
                                        int64_t now);

/* Frees an entry and its segments, which the caller has counted. */
void reassembly_end(struct reassembly *r, struct reassembly_entry *entry);

/* A context is deleted: its segments are dropped and counted. */
void reassembly_forget(struct reassembly *r, struct worker_stats *stats, uint32_t pdp);

/* Drops segments older than REASSEMBLY_TIMEOUT_NS. */
void reassembly_expire(struct reassembly *r, struct worker_stats *stats, int64_t now);

/* When the next entry expires. */
int64_t reassembly_next_ns(const struct reassembly *r);

#endif
