/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/budget.h"

#include <assert.h>
#include <stddef.h>

static const struct budget_rates answers = {
    .each = {MOMENT_SECOND / BUDGET_SOURCE_PER_S, BUDGET_SOURCE_BURST},
    .all = {MOMENT_SECOND / BUDGET_ALL_PER_S, BUDGET_ALL_BURST},
};

void budget_init(struct budget *b)
{
    budget_init_rates(b, &answers);
}

void budget_init_rates(struct budget *b, const struct budget_rates *rates)
{
    *b = (struct budget){.rates = rates, .whole_ns = INT64_MIN};
    for (unsigned i = 0; i < BUDGET_SOURCES; i++)
        b->sources[i].whole_ns = INT64_MIN;
}

/* The source's entry, or one that is free because its source's allowance is whole again. */
static struct budget_source *entry_of(struct budget *b, uint64_t source, int64_t now)
{
    struct budget_source *idle = NULL;
    for (unsigned i = 0; i < BUDGET_SOURCES; i++) {
        struct budget_source *entry = &b->sources[i];
        if (entry->whole_ns <= now)
            idle = entry;
        else if (entry->source == source)
            return entry;
    }
    return idle;
}

bool budget_take(struct budget *b, uint64_t source, int64_t now)
{
    if (!allowance_has(&b->rates->all, b->whole_ns, now))
        return false;
    struct budget_source *entry = entry_of(b, source, now);
    assert(entry);
    if (!allowance_take(&b->rates->each, &entry->whole_ns, now))
        return false;
    entry->source = source;
    allowance_charge(&b->rates->all, &b->whole_ns, now);
    return true;
}
