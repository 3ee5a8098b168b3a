/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tunnels: from (local address, TEID) of a G-PDU to its PDP context. A TEID that names this worker and the
 * context's own slot (teid.h) is an array index. Every other TEID is foreign: chosen by a configuration or by
 * another SGSN, it is found in a hash, which is not searched while it is empty.
 *
 * A TEID that names this worker and a slot that is free or now has another TEID is stale; one that names
 * another worker belongs to that worker, unless it is foreign and known here.
 *
 * Invariant: an (address, TEID) is at most once in use, as index or in the hash.
 */
#ifndef DATAPLANE_WORKER_TUNNELS_H
#define DATAPLANE_WORKER_TUNNELS_H

#include "dataplane/base/bigmem.h"
#include "dataplane/base/teid.h"
#include "dataplane/context/context.h"
#include "dataplane/worker/lookup.h"

#include <stdbool.h>
#include <stdint.h>

/* Values of tunnels_find() besides an index. */
#define TUNNELS_NONE  TABLE_NONE
#define TUNNELS_STALE (UINT32_MAX - 1)
#define TUNNELS_AT    (UINT32_MAX - 1 - TEID_WORKERS) /* + a worker's number: the tunnel is that worker's */

struct tunnels {
    const struct context *context;
    struct rte_hash *foreign; /* index of the context, or TUNNELS_AT + worker */
    uint32_t foreign_count;
    unsigned worker, workers; /* this worker's number, and the number of workers */
    unsigned slot_bits;       /* of a TEID (teid.h) */
};

/* Room for limits.foreign_teids tunnels with foreign TEIDs, including those of other workers. False: out of
 * memory. */
bool tunnels_new(struct tunnels *t, const char *name, const struct context *context);
void tunnels_free(struct tunnels *t);

static inline bool tunnels_is_elsewhere(uint32_t found)
{
    return found >= TUNNELS_AT && found < TUNNELS_AT + TEID_WORKERS;
}

static inline bool tunnels_has_slot(const struct tunnels *t, uint32_t teid)
{
    return teid_is_of(teid, t->worker, t->slot_bits) &&
           teid_slot(teid, t->slot_bits) < t->context->limits.pdps;
}

/* Prefetches the slot of a TEID, whether it is an index or foreign. */
static inline void tunnels_prefetch(const struct tunnels *t, uint32_t teid)
{
    prefetch_line(&t->context->pdps[teid_slot(teid, t->slot_bits)]);
}

/* The context if the TEID is an index; else TUNNELS_NONE. */
static inline uint32_t tunnels_find_own(const struct tunnels *t, const struct table_key *key)
{
    if (__builtin_expect(!tunnels_has_slot(t, key->b), false))
        return TUNNELS_NONE;
    const struct pdp *pdp = &t->context->pdps[teid_slot(key->b, t->slot_bits)];
    bool is_it = pdp->in_use && pdp->params.teid == key->b && pdp->params.sgsn_ip == key->a;
    return __builtin_expect(is_it, true) ? teid_slot(key->b, t->slot_bits) : TUNNELS_NONE;
}

/* The others of a burst of at most WORKER_BURST G-PDUs: replaces each TUNNELS_NONE in found, which
 * tunnels_find_own() filled, by an index or one of the values above. */
void tunnels_find_rest(const struct tunnels *t, const struct table_key *keys, unsigned count,
                       uint32_t *found);

/* Both for a whole burst, with prefetches of the contexts. */
void tunnels_find(const struct tunnels *t, const struct table_key *keys, unsigned count, uint32_t *found);

/* Adds a tunnel before its context is put into slot `index`; or, with index TUNNELS_AT + worker, one of
 * another worker. 0, or -1: the address and TEID are in use, or there is no room. */
int tunnels_add(struct tunnels *t, const struct table_key *key, uint32_t index);

/* Deletes a tunnel that tunnels_add() added with this index, before the context leaves its slot. */
void tunnels_del(struct tunnels *t, const struct table_key *key, uint32_t index);

#endif
