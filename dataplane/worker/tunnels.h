/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From (our address, TEID) of a G-PDU to where its PDP context lies. A TEID that names this worker and the
 * context's own slot (teid.h) is an array index. Every other TEID is foreign: chosen by a configuration or by
 * another SGSN, it is found through a hash, which is not asked while it is empty.
 *
 * A TEID in the shape of this worker's, of a slot that is free or that was filled with another TEID since, is
 * stale; one in the shape of another worker's is for that worker, unless it is foreign and known here.
 *
 * Invariant: an (address, TEID) is at most once in use, as index or in the hash.
 */
#ifndef DATAPLANE_WORKER_TUNNELS_H
#define DATAPLANE_WORKER_TUNNELS_H

#include "dataplane/base/teid.h"
#include "dataplane/worker/lookup.h"

#include <stdbool.h>
#include <stdint.h>

/* What tunnels_find() says besides an index. */
#define TUNNELS_NONE  TABLE_NONE
#define TUNNELS_STALE (UINT32_MAX - 1)
#define TUNNELS_AT    (UINT32_MAX - 1 - TEID_WORKERS) /* + a worker's number: it is for that worker */

struct tunnels {
    const struct context *context;
    struct rte_hash *foreign; /* index of the context, or TUNNELS_AT + worker */
    uint32_t foreign_count;
    unsigned worker, workers; /* this one's number, and how many there are */
};

/* Room for limits.foreign_teids tunnels whose TEIDs others chose, also those of other workers. False when
 * there is no memory. */
bool tunnels_new(struct tunnels *t, const char *name, const struct context *context);
void tunnels_free(struct tunnels *t);

static inline bool tunnels_is_elsewhere(uint32_t found)
{
    return found >= TUNNELS_AT && found < TUNNELS_AT + TEID_WORKERS;
}

/* Where a burst of at most WORKER_BURST G-PDUs belongs: an index or one of the values above for each. Their
 * contexts are on the way to the cache then. */
void tunnels_find(const struct tunnels *t, const struct table_key *keys, unsigned count, uint32_t *found);

/* Makes a tunnel known, before its context is put into slot `index`; or with index TUNNELS_AT + worker one of
 * another worker's. 0, or -1: the address and TEID are in use, or there is no room. */
int tunnels_add(struct tunnels *t, const struct table_key *key, uint32_t index);

/* Forgets a tunnel that tunnels_add() made known with this index; a context is to leave its slot then. */
void tunnels_del(struct tunnels *t, const struct table_key *key, uint32_t index);

#endif
