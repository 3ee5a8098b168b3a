/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was set too late for a timing wheel's slots, which have been opened: a binary heap, ordered by instant
 * and then by the order of putting. A wheel's own part; wheel.h has the whole.
 */
#ifndef DATAPLANE_QUEUE_WHEEL_LATE_H
#define DATAPLANE_QUEUE_WHEEL_LATE_H

#include "dataplane/queue/wheel_slots.h"

struct wheel_late_entry {
    struct wheel_entry entry;
    uint64_t number; /* of two with equal instants the lower goes first */
};

struct wheel_late {
    struct wheel_late_entry *heap;
    uint64_t number;
    uint32_t count;
};

/* Room for cap entries; its pages are not touched before they are used. False when there is no memory. */
bool wheel_late_new(struct wheel_late *l, uint32_t cap);
void wheel_late_free(struct wheel_late *l);

void wheel_late_put(struct wheel_late *l, struct wheel_entry entry);

/* Takes the first of a heap that is not empty. */
struct wheel_entry wheel_late_take(struct wheel_late *l);

/* The instant of the first; MOMENT_NEVER when empty. */
static inline int64_t wheel_late_next_ns(const struct wheel_late *l)
{
    return l->count > 0 ? l->heap[0].entry.at_ns : MOMENT_NEVER;
}

/* Drops the entries that is_stale() says are; returns how many. */
uint32_t wheel_late_purge(struct wheel_late *l, bool (*is_stale)(const struct wheel_entry *entry, void *arg),
                          void *arg);

#endif
