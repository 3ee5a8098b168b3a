/* SPDX-License-Identifier: BSD-3-Clause */
/* What a timing wheel ought to do: a sorted array that every change keeps sorted. */
#ifndef TESTS_UNIT_DATAPLANE_QUEUE_WHEEL_MODEL_H
#define TESTS_UNIT_DATAPLANE_QUEUE_WHEEL_MODEL_H

#include "dataplane/base/moment.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WHEEL_MODEL_CAP 4096

struct wheel_model_entry {
    int64_t at_ns;
    uintptr_t id;
};

struct wheel_model {
    struct wheel_model_entry entries[WHEEL_MODEL_CAP]; /* by instant, equal ones in the order of setting */
    uint32_t count, cap;
};

/* False when cap (at most WHEEL_MODEL_CAP) entries are set. */
static inline bool wheel_model_set(struct wheel_model *m, int64_t at_ns, uintptr_t id)
{
    uint32_t i = m->count;
    if (m->count == m->cap)
        return false;
    while (i > 0 && m->entries[i - 1].at_ns > at_ns)
        i--;
    memmove(&m->entries[i + 1], &m->entries[i], (m->count - i) * sizeof m->entries[0]);
    m->entries[i] = (struct wheel_model_entry){at_ns, id};
    m->count++;
    return true;
}

static inline int64_t wheel_model_next_ns(const struct wheel_model *m)
{
    return m->count > 0 ? m->entries[0].at_ns : MOMENT_NEVER;
}

static inline bool wheel_model_take(struct wheel_model *m, struct wheel_model_entry *out, int64_t now)
{
    if (m->count == 0 || m->entries[0].at_ns > now)
        return false;
    *out = m->entries[0];
    memmove(&m->entries[0], &m->entries[1], --m->count * sizeof m->entries[0]);
    return true;
}

/* Drops entries whose id is a multiple of `stale`. */
static inline void wheel_model_purge(struct wheel_model *m, uintptr_t stale)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->entries[i].id % stale != 0)
            m->entries[kept++] = m->entries[i];
    m->count = kept;
}

#endif
