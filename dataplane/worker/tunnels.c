/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/tunnels.h"

#include <rte_hash.h>
#include <stdbool.h>
#include <stdint.h>

bool tunnels_new(struct tunnels *t, const char *name, const struct context *context)
{
    uint32_t foreign = context->limits.foreign_teids;
    t->context = context;
    t->slot_bits = teid_slot_bits(context->limits.pdps);
    t->foreign = lookup_table_new(name, "teid", foreign > 0 ? foreign : context->limits.pdps);
    return t->foreign != NULL;
}

void tunnels_free(struct tunnels *t)
{
    rte_hash_free(t->foreign);
    *t = (struct tunnels){0};
}

/* --- foreign TEIDs --- */

static uint32_t judge(const struct tunnels *t, uint32_t teid)
{
    unsigned worker = teid_worker(teid);
    if (tunnels_has_slot(t, teid)) {
        const struct pdp *pdp = &t->context->pdps[teid_slot(teid, t->slot_bits)];
        return pdp->in_use && pdp->params.teid == teid ? TUNNELS_NONE : TUNNELS_STALE;
    }
    bool is_elsewhere =
        worker != t->worker && worker < t->workers && teid_generation(teid, t->slot_bits) != 0;
    return is_elsewhere ? TUNNELS_AT + worker : TUNNELS_NONE;
}

/* Looks up the G-PDUs of a burst whose TEIDs are no indices. */
static void find_foreign(const struct tunnels *t, const struct table_key *keys, const uint8_t *which,
                         unsigned count, uint32_t *found)
{
    const struct table_key *asked[RTE_HASH_LOOKUP_BULK_MAX];
    uint32_t indices[RTE_HASH_LOOKUP_BULK_MAX];

    for (unsigned i = 0; i < count; i++)
        asked[i] = &keys[which[i]];
    lookup_table_get_bulk(t->foreign, asked, count, indices);
    for (unsigned i = 0; i < count; i++)
        found[which[i]] = indices[i];
}

void tunnels_find_rest(const struct tunnels *t, const struct table_key *keys, unsigned count, uint32_t *found)
{
    uint8_t rest[RTE_HASH_LOOKUP_BULK_MAX];
    unsigned rest_count = 0;

    for (unsigned i = 0; i < count; i++) {
        rest[rest_count] = (uint8_t)i;
        rest_count += found[i] == TUNNELS_NONE;
    }
    if (rest_count > 0 && t->foreign_count > 0)
        find_foreign(t, keys, rest, rest_count, found);
    for (unsigned i = 0; i < rest_count; i++)
        if (found[rest[i]] == TUNNELS_NONE)
            found[rest[i]] = judge(t, keys[rest[i]].b);
}

void tunnels_find(const struct tunnels *t, const struct table_key *keys, unsigned count, uint32_t *found)
{
    for (unsigned i = 0; i < count; i++)
        tunnels_prefetch(t, keys[i].b);
    for (unsigned i = 0; i < count; i++)
        found[i] = tunnels_find_own(t, &keys[i]);
    tunnels_find_rest(t, keys, count, found);
}

/* --- orders --- */

static bool is_taken(const struct tunnels *t, const struct table_key *key)
{
    return tunnels_find_own(t, key) != TUNNELS_NONE || lookup_table_get(t->foreign, key) != TABLE_NONE;
}

/* Whether a context in this slot is found without the hash. */
static bool is_index(const struct tunnels *t, const struct table_key *key, uint32_t index)
{
    return tunnels_has_slot(t, key->b) && teid_slot(key->b, t->slot_bits) == index;
}

int tunnels_add(struct tunnels *t, const struct table_key *key, uint32_t index)
{
    if (is_taken(t, key))
        return -1;
    if (is_index(t, key, index))
        return 0;
    if (lookup_table_replace(t->foreign, key, index) < 0)
        return -1;
    t->foreign_count++;
    return 0;
}

void tunnels_del(struct tunnels *t, const struct table_key *key, uint32_t index)
{
    if (is_index(t, key, index))
        return;
    lookup_table_del(t->foreign, key);
    t->foreign_count--;
}
