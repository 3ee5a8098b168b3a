/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/budget.h"

#include "dataplane/base/moment.h"

#include <stddef.h>

#define SOURCE_STEP_NS (MOMENT_SECOND / BUDGET_SOURCE_PER_S)
#define ALL_STEP_NS    (MOMENT_SECOND / BUDGET_ALL_PER_S)

void budget_init(struct budget *b)
{
    *b = (struct budget){.whole_ns = INT64_MIN};
    for (unsigned i = 0; i < BUDGET_SOURCES; i++)
        b->sources[i].whole_ns = INT64_MIN;
}

/* Whether an allowance of `burst` steps, whole again at whole_ns, has one step left now. */
static bool has_one(int64_t whole_ns, int64_t step_ns, int64_t burst, int64_t now)
{
    return whole_ns <= now || whole_ns - now <= (burst - 1) * step_ns;
}

static void charge(int64_t *whole_ns, int64_t step_ns, int64_t now)
{
    *whole_ns = moment_add(moment_max(*whole_ns, now), step_ns);
}

/* The source's entry, or one whose source has its allowance whole again. */
static struct budget_source *entry_of(struct budget *b, uint32_t ip, int64_t now)
{
    struct budget_source *idle = NULL;
    for (unsigned i = 0; i < BUDGET_SOURCES; i++) {
        struct budget_source *source = &b->sources[i];
        if (source->whole_ns <= now)
            idle = source;
        else if (source->ip == ip)
            return source;
    }
    return idle;
}

bool budget_take(struct budget *b, uint32_t ip, int64_t now)
{
    if (!has_one(b->whole_ns, ALL_STEP_NS, BUDGET_ALL_BURST, now))
        return false;
    struct budget_source *source = entry_of(b, ip, now);
    assert(source);
    if (!has_one(source->whole_ns, SOURCE_STEP_NS, BUDGET_SOURCE_BURST, now))
        return false;
    source->ip = ip;
    charge(&source->whole_ns, SOURCE_STEP_NS, now);
    charge(&b->whole_ns, ALL_STEP_NS, now);
    return true;
}
