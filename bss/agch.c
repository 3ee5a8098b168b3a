/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/agch.h"

#include "dataplane/base/moment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PLACES = 16 };

void agch_init(struct agch *agch, const struct agch_config *config)
{
    assert(config->service_ns >= 0);
    *agch = (struct agch){.config = *config, .free_ns = INT64_MIN};
    if (!config->limit || !config->service_ns || config->limit > AGCH_MOST_MESSAGES)
        agch->config.limit = AGCH_MOST_MESSAGES;
}

void agch_fini(struct agch *agch)
{
    free(agch->ring);
    agch->ring = NULL;
}

/* Doubles the full ring; the places before the first move behind the others. */
static void agch_grow(struct agch *agch)
{
    uint32_t cap = agch->cap ? 2 * agch->cap : FIRST_PLACES;
    struct agch_message *ring = realloc(agch->ring, cap * sizeof *ring);
    if (!ring) {
        fprintf(stderr, "gbflow: out of memory for the assignments of a cell\n");
        exit(1);
    }
    memcpy(ring + agch->cap, ring, agch->first * sizeof *ring);
    agch->ring = ring;
    agch->cap = cap;
}

bool agch_put(struct agch *agch, struct agch_for to, struct agch_for rider, int64_t now)
{
    int64_t begin_ns = moment_max(now, agch->free_ns);
    agch->stats.offered++;
    if (agch->count >= agch->config.limit) {
        agch->stats.refused++;
        return false;
    }
    if (agch->count == agch->cap)
        agch_grow(agch);
    agch->free_ns = begin_ns + agch->config.service_ns;
    agch->stats.wait_sum_ns += (double)(begin_ns - now);
    agch->ring[(agch->first + agch->count++) % agch->cap] = (struct agch_message){to, rider, agch->free_ns};
    return true;
}

int64_t agch_due_ns(const struct agch *agch)
{
    return agch->count ? agch->ring[agch->first].done_ns : MOMENT_NEVER;
}

struct agch_message agch_take(struct agch *agch)
{
    assert(agch->count);
    struct agch_message message = agch->ring[agch->first];
    agch->first = (agch->first + 1) % agch->cap;
    agch->count--;
    return message;
}
