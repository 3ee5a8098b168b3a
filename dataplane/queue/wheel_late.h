/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries set for a timing wheel's slots that have been opened: a binary heap, ordered by instant and then
 * by the order of putting. A part of wheel.h.
 */
#ifndef DATAPLANE_QUEUE_WHEEL_LATE_H
#define DATAPLANE_QUEUE_WHEEL_LATE_H

#include "dataplane/queue/wheel_slots.h"

struct wheel_late_entry {
    struct wheel_entry entry;
    uint64_t number; /* of two with equal instants the lower is taken first */
};

struct wheel_late {
    struct wheel_late_entry *heap;
    uint64_t number;
    uint32_t count;
};

/* Room for cap entries; untouched pages take no memory. False: out of memory. */
bool wheel_late_new(struct wheel_late *l, uint32_t cap);
void wheel_late_free(struct wheel_late *l);

void wheel_late_put(struct wheel_late *l, struct wheel_entry entry);

/* Takes the first entry; the heap must not be empty. */
struct wheel_entry wheel_late_take(struct wheel_late *l);

/* The instant of the first entry; MOMENT_NEVER when empty. */
static inline int64_t wheel_late_next_ns(const struct wheel_late *l)
{
    return l->count > 0 ? l->heap[0].entry.at_ns : MOMENT_NEVER;
}

/* Drops the entries for which is_stale() is true; returns their number. */
uint32_t wheel_late_purge(struct wheel_late *l, bool (*is_stale)(const struct wheel_entry *entry, void *arg),
                          void *arg);

#endif
