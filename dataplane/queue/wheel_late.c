/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/wheel_late.h"

#include <stdlib.h>

bool wheel_late_new(struct wheel_late *l, uint32_t cap)
{
    *l = (struct wheel_late){.heap = calloc(cap, sizeof l->heap[0])};
    return l->heap != NULL;
}

void wheel_late_free(struct wheel_late *l)
{
    free(l->heap);
    *l = (struct wheel_late){0};
}

static bool is_before(const struct wheel_late_entry *a, const struct wheel_late_entry *b)
{
    if (a->entry.at_ns != b->entry.at_ns)
        return a->entry.at_ns < b->entry.at_ns;
    return a->number < b->number;
}

static void append(struct wheel_late *l, struct wheel_late_entry late)
{
    uint32_t i = l->count++;
    for (; i > 0 && is_before(&late, &l->heap[(i - 1) / 2]); i = (i - 1) / 2)
        l->heap[i] = l->heap[(i - 1) / 2];
    l->heap[i] = late;
}

void wheel_late_put(struct wheel_late *l, struct wheel_entry entry)
{
    append(l, (struct wheel_late_entry){entry, l->number++});
}

struct wheel_entry wheel_late_take(struct wheel_late *l)
{
    struct wheel_entry first = l->heap[0].entry;
    struct wheel_late_entry last = l->heap[--l->count];
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < l->count) {
        if (child + 1 < l->count && is_before(&l->heap[child + 1], &l->heap[child]))
            child++;
        if (!is_before(&l->heap[child], &last))
            break;
        l->heap[i] = l->heap[child];
        i = child;
    }
    l->heap[i] = last;
    return first;
}

uint32_t wheel_late_purge(struct wheel_late *l, bool (*is_stale)(const struct wheel_entry *entry, void *arg),
                          void *arg)
{
    uint32_t before = l->count;
    l->count = 0;
    for (uint32_t i = 0; i < before; i++)
        if (!is_stale(&l->heap[i].entry, arg))
            append(l, l->heap[i]);
    return before - l->count;
}
