/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/queue/wheel_model.h"

#include "dataplane/base/moment.h"

#include <string.h>

bool wheel_model_set(struct wheel_model *m, int64_t at_ns, uintptr_t id)
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

int64_t wheel_model_next_ns(const struct wheel_model *m)
{
    return m->count > 0 ? m->entries[0].at_ns : MOMENT_NEVER;
}

bool wheel_model_take(struct wheel_model *m, struct wheel_model_entry *out, int64_t now)
{
    if (m->count == 0 || m->entries[0].at_ns > now)
        return false;
    *out = m->entries[0];
    memmove(&m->entries[0], &m->entries[1], --m->count * sizeof m->entries[0]);
    return true;
}

void wheel_model_purge(struct wheel_model *m, uintptr_t stale)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->entries[i].id % stale != 0)
            m->entries[kept++] = m->entries[i];
    m->count = kept;
}
